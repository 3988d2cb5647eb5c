// Names in the lists of a source that its schema does not have. A rule about such a name never hits, so that a slip of
// the pen switches it off without a word.

import type { Source } from '../../config/sources.ts';
import {
  isColumnNamed,
  isTableAllowed,
  isTableNamed,
  joinName,
  nameParts,
  withoutHome,
} from '../../config/sql-names.ts';
import { messageOf, nearest, type Readers, visible } from '../../core/index.ts';
import { catalogFrom } from './catalog.ts';
import { schemaFrom } from './graphql/schema.ts';
import { apiFrom } from './rest/api.ts';
import { describedFields } from './rest/described.ts';
import { actionOf } from './rest/read.ts';
import { matchesPath } from './rules/names.ts';
import type { Catalog } from './sql/catalog.ts';
import { columnName } from './sql/known.ts';

/** A name in one of a source's lists, and whether the schema has it. */
interface Listed {
  readonly source: string;
  readonly key: string;
  readonly name: string;
  readonly known: boolean;
  readonly near: string | undefined;
}

/** One list of names, and what the schema says of a name in it. */
interface List {
  readonly key: string;
  readonly names: readonly string[];
  readonly has: (name: string) => boolean;
  /** What a name may have been meant for. */
  readonly candidates: readonly string[];
}

/** What of the lists can never hit, and which schemas cannot be read, in words for the person who wrote them. */
export async function unlistedNames(
  sources: readonly Source[],
  textOf: (path: string) => string | null,
  readers: Readers | undefined,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const listed: Listed[] = [];
  for (const source of sources) {
    for (const key of source.idle)
      problems.push(`sources.${source.name}: ${key} has no effect on a source of the kind "${source.kind}"`);
    if (source.schema === null) continue;
    try {
      const text = textOf(source.schema);
      if (text === null) throw new Error('the file is not there');
      listed.push(...namesOf(source, await listsOf(source, text, readers)));
    } catch (error) {
      problems.push(`sources.${source.name}: its schema cannot be read: ${visible(messageOf(error), 200)}`);
    }
  }
  // What [code_mode] says for all sources need be known to one of them only.
  const idOf = ({ key, name }: Listed) => JSON.stringify([key, name]);
  const known = new Set(listed.filter((one) => one.known).map(idOf));
  for (const one of listed.filter((name) => !known.has(idOf(name)))) {
    const hint = one.near === undefined ? '' : `; did you mean "${visible(one.near, 100)}"?`;
    const name = visible(one.name, 100);
    problems.push(`sources.${one.source}: ${one.key} has "${name}", which its schema does not${hint}`);
  }
  return problems;
}

function namesOf({ name: source, mode }: Source, lists: readonly List[]): readonly Listed[] {
  const bare = (name: string) => withoutHome(nameParts(name), mode.sql.naming.home);
  return lists.flatMap(({ key, names, has, candidates }) =>
    names.map((name) => {
      const known = has(name);
      return { source, key, name, known, near: known ? undefined : nearest(bare(name), candidates) };
    }),
  );
}

async function listsOf(source: Source, text: string, readers: Readers | undefined): Promise<readonly List[]> {
  if (source.kind === 'graphql') return await graphqlLists(source, text);
  if (source.kind === 'rest') return restLists(source, text);
  const catalog = await catalogFrom(source, text, readers);
  return sqlLists(source, catalog);
}

/** Tables of the server itself stand in no schema. */
const isOwn = (name: string) => /^(?:pg_|information_schema$|mysql$|sqlite_)/i.test(nameParts(name)[0] ?? '');

function sqlLists({ mode: { sql, sensitiveFields } }: Source, catalog: Catalog): readonly List[] {
  const { naming } = sql;
  const tables = [...catalog.tables];
  const tableNames = tables.map(([table]) => table);
  const columns = tables.flatMap(([table, names]) => (names ?? []).map((name) => columnName(table, name)));
  const hasTable = (name: string) =>
    isOwn(name) || tableNames.some((table) => isTableNamed(table, name, naming));
  const hasColumn = (name: string) => {
    const of = nameParts(name).slice(0, -1);
    // A view may have it.
    const mayHave = ([table, names]: (typeof tables)[number]) =>
      names === null && (of.length === 0 || isTableNamed(table, joinName(of), naming));
    return columns.some((column) => isColumnNamed(column, name, naming)) || tables.some(mayHave);
  };
  const isHeld = (column: string) =>
    tables.every(([table, names]) => {
      const isShared = sql.tenantTables.some((name) => isTableNamed(table, name, naming));
      const bare = (nameParts(column).at(-1) ?? '').toLowerCase();
      return !isShared || names === null || names.some((name) => name.toLowerCase() === bare);
    });
  return [
    { key: 'sql_blocked_tables', names: sql.blockedTables, has: hasTable, candidates: tableNames },
    {
      key: 'sql_allowed_tables',
      names: sql.allowedTables,
      has: (name) => isOwn(name) || tableNames.some((table) => isTableAllowed(table, name, naming)),
      candidates: tableNames,
    },
    { key: 'tenant_tables', names: sql.tenantTables, has: hasTable, candidates: tableNames },
    { key: 'sql_blocked_columns', names: sql.blockedColumns, has: hasColumn, candidates: columns },
    { key: 'sensitive_fields', names: sensitiveFields, has: hasColumn, candidates: columns },
    {
      key: 'tenant_column',
      names: sql.tenantColumn === null ? [] : [sql.tenantColumn],
      has: isHeld,
      candidates: columns.map((column) => nameParts(column).at(-1) ?? ''),
    },
  ];
}

async function graphqlLists(
  { mode: { graphql, sensitiveFields } }: Source,
  text: string,
): Promise<readonly List[]> {
  const { schema } = await schemaFrom(text);
  const fieldsOf = (type: unknown): readonly string[] =>
    typeof type === 'object' && type !== null && 'getFields' in type && typeof type.getFields === 'function'
      ? Object.keys(type.getFields())
      : [];
  const all = Object.values(schema.getTypeMap()).flatMap((type) =>
    fieldsOf(type).map((field) => `${type.name}.${field}`),
  );
  const [queries, mutations] = [fieldsOf(schema.getQueryType()), fieldsOf(schema.getMutationType())];
  const list = (key: string, names: readonly string[], candidates: readonly string[]): List => ({
    key,
    names,
    has: (name) => candidates.includes(name),
    candidates,
  });
  return [
    list('blocked_fields', graphql.blockedFields, all),
    list('blocked_input_fields', graphql.blockedInputFields, all),
    list('allowed_queries', graphql.allowedQueries, queries),
    list('blocked_queries', graphql.blockedQueries, queries),
    list('allowed_mutations', graphql.allowedMutations, mutations),
    list('blocked_mutations', graphql.blockedMutations, mutations),
    {
      key: 'sensitive_fields',
      names: sensitiveFields,
      has: (name) => all.some((field) => field === name || field.endsWith(`.${name}`)),
      candidates: all,
    },
  ];
}

function restLists({ mode: { rest, sensitiveFields } }: Source, text: string): readonly List[] {
  const { document, operations } = apiFrom(text);
  const ids = (reads: (action: string) => boolean) =>
    operations.filter(({ method }) => reads(actionOf(method))).map(({ id }) => id);
  const [writes, deletes] = [ids((action) => action === 'write'), ids((action) => action === 'delete')];
  const fields = [
    ...new Set(
      operations.flatMap(({ id, answers, body, parameters }) => [
        ...describedFields(document, body === null ? answers : [...answers, body], id),
        ...parameters.map(({ name }) => `${id}.${name}`),
      ]),
    ),
  ];
  const small = fields.map((field) => field.toLowerCase());
  const hasField = (name: string) => {
    const wanted = name.toLowerCase();
    const bare = wanted.slice(wanted.lastIndexOf('.') + 1);
    // A name below that of a member is found by the member alone: which lies in which is not looked up.
    return small.some(
      (field) =>
        field === wanted || field.endsWith(`.${wanted}`) || (isPath(wanted) && field.endsWith(`.${bare}`)),
    );
  };
  const types = new Set(small.map((field) => field.slice(0, field.lastIndexOf('.'))));
  const isPath = (name: string) => name.includes('.') && !types.has(name.slice(0, name.lastIndexOf('.')));
  const operation = (key: string, names: readonly string[], candidates: readonly string[]): List => ({
    key,
    names,
    has: (name) => candidates.includes(name),
    candidates,
  });
  const field = (key: string, names: readonly string[]): List => ({
    key,
    names,
    has: hasField,
    candidates: fields,
  });
  return [
    operation('openapi_allowed_writes', rest.allowedWrites, writes),
    operation('openapi_blocked_writes', rest.blockedWrites, writes),
    operation('openapi_allowed_deletes', rest.allowedDeletes, deletes),
    {
      key: 'openapi_blocked_paths',
      names: rest.blockedPaths,
      has: (name) => operations.some(({ path }) => mayMatch(path, name)),
      candidates: operations.map(({ path }) => path),
    },
    field('openapi_internal_blocked_fields', rest.internalBlockedFields),
    field('openapi_output_blocked_fields', rest.outputBlockedFields),
    field('sensitive_fields', sensitiveFields),
  ];
}

/** Whether some value of a path's parameters makes it fit a pattern. */
function mayMatch(path: string, pattern: string): boolean {
  const [steps, parts] = [path.split('/'), pattern.split('/')];
  const from = (at: number, part: number): boolean => {
    const wanted = parts[part];
    if (wanted === undefined) return at === steps.length;
    if (wanted === '**')
      return steps.slice(at).length === 0
        ? part === parts.length - 1
        : from(at, part + 1) || from(at + 1, part);
    const step = steps[at];
    if (step === undefined) return false;
    const isFit = step.startsWith('{') || matchesPath(step, wanted);
    return isFit && from(at + 1, part + 1);
  };
  return from(0, 0) || matchesPath(path, pattern);
}
