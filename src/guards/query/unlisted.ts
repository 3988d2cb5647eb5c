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
    if (source.schema === null || source.kind === 'rest') continue;
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
