// The report behind `sallyport config show`: every key with its effective value for an agent in a workspace, and which
// files set it. Values are shown as the files contain them, so nothing of the environment is shown; secrets are not
// shown at all.

import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import type { Shape } from '../core/shape.ts';
import { loadTomlParser, trustIn } from './files.ts';
import { effective, isKey } from './key.ts';
import { saidFor, type Where } from './load.ts';
import { type ConfigSource, type FoundFile, findUserFile, findWorkspaceFile } from './reading.ts';
import { fileShape } from './schema.ts';
import { readToml, type TomlParser } from './toml.ts';

/** A key as it is in force. */
export interface ShownKey {
  /** The table that has it, as a file names it; empty for a key above all tables. */
  readonly table: string;
  readonly key: string;
  readonly value: JsonValue;
  /** The files that say it; none for a default. */
  readonly from: readonly ('user' | 'workspace')[];
}

type Table = Readonly<Record<string, unknown>>;

/** The settings in one table. */
interface Said {
  readonly user: Table;
  readonly workspace: Table;
  /** The effective levels, the second on top of the first. */
  readonly own: Table;
  readonly theirs: Table;
  readonly trusted: boolean;
}

/** Every key for an agent in a workspace, of files that can be used. */
export async function showConfig(source: ConfigSource, where: Where): Promise<readonly ShownKey[]> {
  const parse = await loadTomlParser();
  const found = findUserFile(source);
  const theirs = findWorkspaceFile(source, where.workspace, found);
  const trusted = theirs !== null && trustIn(source, theirs).trusted;
  const [user, workspace] = [asWritten(parse, found), asWritten(parse, theirs)];
  const read = (file: JsonObject) => fileShape.read(file, [], () => undefined);
  const { own, more, ownWrite } = saidFor(read(user), { file: read(workspace), trusted }, where);
  const whole: Said = { user, workspace, own: user, theirs: workspace, trusted };
  const shown = Object.entries(fileShape.fields).flatMap(([name, part]) => {
    const { item } = part;
    const tables = inside(whole, name);
    if (name === 'write') return shownTable(name, part, { ...tables, own: ownWrite });
    if (item === undefined) return shownKeys('', name, part, whole);
    if (name === 'agents') {
      const [all, one] = [inside(tables, 'default'), inside(tables, where.agent)];
      return shownTable(nameOf(name, where.agent), item, {
        user: { ...all.user, ...one.user },
        workspace: { ...all.workspace, ...one.workspace },
        ...{ own, theirs: more, trusted },
      });
    }
    const names = [...new Set([...Object.keys(tables.user), ...Object.keys(tables.workspace)])];
    return names.flatMap((entry) => shownTable(nameOf(name, entry), item, inside(tables, entry)));
  });
  // As in a file, keys above all tables come first.
  return shown.toSorted((a, b) => Number(a.table !== '') - Number(b.table !== ''));
}

/** The name of a table as a file has it. */
function nameOf(table: string, entry: string): string {
  return `${table}.${/^[\w-]+$/.test(entry) ? entry : JSON.stringify(entry)}`;
}

/** The settings of a file, without its values from the environment. */
function asWritten(parse: TomlParser, found: FoundFile | null): JsonObject {
  const document = found === null ? null : readToml(parse, found.text.replace(/^\ufeff/, ''), null);
  return document !== null && 'value' in document ? document.value : {};
}

/** The settings in a nested table. */
function inside({ user, workspace, own, theirs, trusted }: Said, name: string): Said {
  const table = (tables: Table): Table => {
    const inner = Object.hasOwn(tables, name) ? tables[name] : undefined;
    return isJsonObject(inner) ? inner : {};
  };
  return { user: table(user), workspace: table(workspace), own: table(own), theirs: table(theirs), trusted };
}

function shownTable(table: string, { fields = {} }: Shape<unknown>, said: Said): readonly ShownKey[] {
  return Object.entries(fields).flatMap(([name, field]) => shownKeys(table, name, field, said));
}

/** A key that has a default or that a file sets; each of those, if it is a table of keys. */
function shownKeys(table: string, key: string, shape: Shape<unknown>, said: Said): readonly ShownKey[] {
  if (shape.fields !== undefined) {
    const keys = shownTable(table === '' ? key : `${table}.${key}`, shape, inside(said, key));
    // The settings that differ for one source, and not those that are the same.
    return table === '' ? keys : keys.filter((shown) => shown.from.length > 0);
  }
  const { own, theirs, trusted } = said;
  const { default: standard } = shape.schema();
  const files = (['user', 'workspace'] as const).filter((file) => said[file][key] !== undefined);
  // A section of the workspace adds to some lists.
  const added = Array.isArray(own[key]) && own[key].length > 0;
  const from = files.length === 0 && added ? (['user'] as const) : files;
  if (from.length === 0) return standard === undefined ? [] : [{ table, key, value: standard, from }];
  const narrows = isKey(shape) && shape.tighten !== null;
  const value = narrows ? effective(shape, own[key], theirs[key], trusted) : (theirs[key] ?? own[key]);
  return [{ table, key, value: shape.secret ? '(not shown)' : withoutPasswords(value), from }];
}

/** A value without the passwords of its addresses. */
function withoutPasswords(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value).replace(/(:\/\/[^/\s:@"]*):[^@/\s"]+@/g, '$1:***@'));
}
