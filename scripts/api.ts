// npm run api [-- --check]: lists in docs/api.md the exports of the package, and writes their declarations to docs/api.d.ts, from
// the declarations that the compiler makes. A change that a program could notice is then a change of that file.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, parseSync } from 'oxc-parser';
import { fillPages, formatted, type Page, writePages } from './pages.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The entries of the package, by how a program names them. */
const entries = {
  sallyport: 'surfaces/sdk/index.d.ts',
  'sallyport/ai': 'surfaces/sdk/ai.d.ts',
  'sallyport/query': 'surfaces/sdk/query.d.ts',
} as const;

/** A name as one file knows it: declared there, or taken from another one. */
type Known =
  | { readonly text: string; readonly mentions: ReadonlySet<string> }
  | { readonly from: string; readonly name: string };

interface Declarations {
  readonly known: ReadonlyMap<string, Known>;
  /** What is exported, by the name outside and the name inside. */
  readonly exported: ReadonlyMap<string, string>;
}

interface Found {
  readonly file: string;
  readonly name: string;
  readonly text: string;
  readonly mentions: ReadonlySet<string>;
}

/** Reads declarations of a folder, each file once. */
class Types {
  readonly #folder: string;
  readonly #files = new Map<string, Declarations>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The names that a file exports, in order. */
  exportsOf(file: string): readonly string[] {
    return [...this.#read(file).exported.keys()].sort();
  }

  /** Where an exported name is declared. */
  exported(file: string, name: string): Found {
    const inside = this.#read(file).exported.get(name);
    const found = inside === undefined ? null : this.find(file, inside);
    if (found === null) throw new Error(`${file} exports ${name}, which is declared nowhere`);
    return found;
  }

  /** What a name means in a file; null for names of other packages and of the language. */
  find(file: string, name: string): Found | null {
    const known = this.#read(file).known.get(name);
    if (known === undefined) return null;
    if ('text' in known) return { file, name, ...known };
    if (!known.from.startsWith('.')) return null;
    return this.exported(join(dirname(file), known.from).replace(/\.ts$/, '.d.ts'), known.name);
  }

  #read(file: string): Declarations {
    const read = this.#files.get(file) ?? declarationsIn(readFileSync(join(this.#folder, file), 'utf8'));
    this.#files.set(file, read);
    return read;
  }
}

function declarationsIn(code: string): Declarations {
  const { program, comments, errors } = parseSync('types.d.ts', code, { lang: 'dts' });
  if (errors.length > 0) throw new Error(`the declarations cannot be read: ${errors[0]?.message}`);
  const known = new Map<string, Known>();
  const exported = new Map<string, string>();
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      for (const one of node.specifiers) {
        const name = one.type === 'ImportSpecifier' ? nameOf(one.imported) : one.local.name;
        known.set(one.local.name, { from: node.source.value, name });
      }
      continue;
    }
    if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      for (const { local, exported: outside } of node.specifiers) {
        // What is handed on has no name of its own here.
        const inside = node.source === null ? nameOf(local) : `from ${node.source.value} ${nameOf(local)}`;
        if (node.source !== null) known.set(inside, { from: node.source.value, name: nameOf(local) });
        exported.set(nameOf(outside), inside);
      }
      continue;
    }
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (declared === null) continue;
    const doc = comments.findLast(
      ({ type, end }) => type === 'Block' && end <= node.start && code.slice(end, node.start).trim() === '',
    );
    const text = code
      .slice(doc?.start ?? node.start, node.end)
      .replace(/^(\s*)(?:export )?(?:declare )?/gm, unexported);
    for (const name of namesDeclared(declared)) {
      known.set(name, { text: text.trim(), mentions: mentionsIn(declared) });
      if (node !== declared) exported.set(name, name);
    }
  }
  return { known, exported };
}

/** Only what stands at the beginning of a declaration says how it is exported. */
function unexported(whole: string, space: string): string {
  return space === '' ? '' : whole;
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}

function namesDeclared(node: Node): readonly string[] {
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in node && node.id !== null && typeof node.id === 'object' && 'name' in node.id
    ? [String(node.id.name)]
    : [];
}

/** The names that a declaration mentions, whatever they stand for. */
function mentionsIn(node: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof node !== 'object' || node === null) return found;
  if ('type' in node && node.type === 'Identifier' && 'name' in node) found.add(String(node.name));
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) mentionsIn(one, found);
  }
  return found;
}

/** The list of each entry's exports, as parts of the page; and all declarations, each once. */
function listed(folder: string): { parts: ReadonlyMap<string, string>; declarations: string } {
  const types = new Types(folder);
  const parts = new Map<string, string>();
  const shown = new Set<string>();
  const exported: Found[] = [];
  const chapters: string[] = [];
  for (const [entry, file] of Object.entries(entries)) {
    const named = types.exportsOf(file).map((name) => types.exported(file, name));
    const own = named.filter((found) => !shown.has(keyOf(found)));
    for (const found of own) {
      shown.add(keyOf(found));
      exported.push(found);
    }
    const values = own.filter(isValue).map((found) => `- \`${found.name}\`: ${summaryOf(found)}`);
    const rest = named.filter((found) => !isValue(found)).map(({ name }) => `\`${name}\``);
    parts.set(`exports of ${entry}`, [...values, `- Types: ${rest.join(', ')}`].join('\n'));
    chapters.push(chapter(`Exports of '${entry}'`, own));
  }
  const mentioned: Found[] = [];
  for (const { file, mentions } of exported) {
    for (const name of mentions) {
      const found = types.find(file, name);
      if (found === null || shown.has(keyOf(found))) continue;
      shown.add(keyOf(found));
      mentioned.push(found);
    }
  }
  mentioned.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  chapters.push(
    chapter("Types without an export; reach them through others, such as Verdict['decision']", mentioned),
  );
  return { parts, declarations: `// Made by npm run api.\n\n${chapters.join('\n\n')}\n` };
}

function keyOf({ file, name }: Found): string {
  return `${name} ${file}`;
}

function isValue({ text }: Found): boolean {
  return /^(?:class|const|function) /m.test(text);
}

/** The first sentence of the comment above a declaration. */
function summaryOf({ name, text }: Found): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(text) ?? [];
  const plain = comment
    .replace(/^\s*\*\s?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const [first] = /^.*?[.:;](?= |$)/.exec(plain) ?? [];
  if (first === undefined) throw new Error(`${name} is exported without a comment that says what it is`);
  return first.replace(/[:;]$/, '.');
}

function chapter(title: string, some: readonly Found[]): string {
  return [`// ── ${title}`, ...some.map(({ text }) => text)].join('\n\n');
}

/** The page and the file of declarations, as they stand and as the declarations in a folder would have them. */
export function makeApiPages(folder: string): readonly Page[] {
  const { parts, declarations } = listed(folder);
  const file = join(root, 'docs/api.d.ts');
  const found = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [
    ...fillPages(['docs/api.md'], parts),
    { path: 'docs/api.d.ts', found, wanted: formatted('docs/api.d.ts', declarations) },
  ];
}

/** Has the compiler make the declarations of the entries. */
function declare(folder: string): void {
  const compiler = join(root, 'node_modules/.bin/tsc');
  const project = ['--project', join(root, 'tsconfig.types.json')];
  const form = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', folder];
  const { status, stdout } = spawnSync(compiler, [...project, ...form], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the types could not be made:\n${stdout}`);
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-api-'));
  try {
    declare(folder);
    writePages('api', makeApiPages(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
