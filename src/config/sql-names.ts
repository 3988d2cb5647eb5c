// How tables, columns and types of SQL are named. Configuration and statements are read by the same functions, so
// that `users`, `public.users` and `"public"."users"` are one table in both.

/** One part of a name, and whether quotes keep its letters as they are. */
interface Part {
  readonly text: string;
  readonly quoted: boolean;
}

/** A part as any of the databases writes it: in double quotes, backticks or brackets, or plain. */
const written = /"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|\[([^\]]+)\]|([^."`[\]]+)/y;

/** The parts of a dotted name; a text that is no such name is one part. */
function partsOf(name: string): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at <= name.length) {
    written.lastIndex = at;
    const match = written.exec(name);
    const end = match === null ? 0 : written.lastIndex;
    if (match === null || (end < name.length && name[end] !== '.')) return [{ text: name, quoted: true }];
    const [, double, back, bracket, plain] = match;
    if (plain !== undefined) parts.push({ text: plain.trim(), quoted: false });
    else {
      const text = double?.replaceAll('""', '"') ?? back?.replaceAll('``', '`') ?? bracket ?? '';
      parts.push({ text, quoted: true });
    }
    at = end + 1;
  }
  return parts;
}

/** The parts of a name without their quotes. */
export function nameParts(name: string): readonly string[] {
  return partsOf(name).map(({ text }) => text);
}

/** A dotted name; a part that would be read as something else is quoted. */
export function joinName(parts: readonly string[]): string {
  return parts
    .map((part) => (/[."`[\]]|^\s|\s$|^$/.test(part) ? `"${part.replaceAll('"', '""')}"` : part))
    .join('.');
}

/** The name without the schema that names are of by default. */
export function withoutHome(parts: readonly string[], home: string | null): string {
  const [first = '', ...rest] = parts;
  const isHome = rest.length > 0 && home !== null && first.toLowerCase() === home.toLowerCase();
  return joinName(isHome ? rest : parts);
}

/** How a source's database interprets names. */
export interface Naming {
  /** The schema, or the database, of an unqualified name; null if unknown. */
  readonly home: string | null;
  /** Whether two names that differ in the case of their letters are two. */
  readonly exact: boolean;
}

/** Nothing is known of the database. */
export const noNaming: Naming = { home: null, exact: false };

/** How a source names its tables. */
export function namingOf(kind: string, url: string | null): Naming {
  if (kind === 'postgres') return { home: 'public', exact: true };
  if (kind === 'sqlite') return { home: 'main', exact: false };
  return kind === 'mysql' && url !== null ? { home: databaseIn(url), exact: false } : noNaming;
}

function databaseIn(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const path = new URL(url).pathname.slice(1);
  try {
    return path === '' ? null : decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** How many parts a full name has, the name of the schema with them. */
const tableSize = 2;
const columnSize = 3;

/** Whether a name in a list that protects is that of a table. One part names it in every schema. */
export function isTableNamed(table: string, name: string, { home }: Naming): boolean {
  return protects(nameParts(table), nameParts(name), tableSize, home);
}

/** The same of a column, or of a field: `ssn`, `users.ssn`, `public.users.ssn`. */
export function isColumnNamed(column: string, name: string, { home }: Naming): boolean {
  return protects(nameParts(column), nameParts(name), columnSize, home);
}

/**
 * Whether an allowlist contains a table. If names are case-sensitive, as in PostgreSQL, so is the comparison: unquoted
 * words match the spelling in the list, or the same in lower case.
 */
export function isTableAllowed(table: string, name: string, { home, exact }: Naming): boolean {
  const full = fullName(nameParts(table), tableSize, home);
  const listed = partsOf(name).slice(-tableSize);
  const same = (part: string, { text, quoted }: Part) =>
    exact
      ? part === text || (!quoted && part === text.toLowerCase())
      : part.toLowerCase() === text.toLowerCase();
  return (
    listed.length <= full.length && listed.every((part, at) => same(full.at(at - listed.length) ?? '', part))
  );
}

function fullName(parts: readonly string[], size: number, home: string | null): readonly string[] {
  return parts.length === size - 1 && home !== null ? [home, ...parts] : parts;
}

/** The case of letters does not matter here, and a schema that is not known may be any: it protects what it may mean. */
function protects(
  parts: readonly string[],
  name: readonly string[],
  size: number,
  home: string | null,
): boolean {
  const full = fullName(parts, size, home);
  const count = Math.min(full.length, name.length, size);
  for (let back = 1; back <= count; back++) {
    if (full.at(-back)?.toLowerCase() !== name.at(-back)?.toLowerCase()) return false;
  }
  return true;
}
