// What every reader of SQL is given, and the catalogs that are kept between queries.

import type { CodeMode } from '../../../config/sources.ts';
import type { Naming } from '../../../config/sql-names.ts';
import { type Budget, type Readers, SallyportError } from '../../../core/index.ts';
import { actionOf, type QueryFacts } from '../facts.ts';
import type { Catalog } from './catalog.ts';
import type { KnownNames } from './known.ts';

export interface SqlInput {
  readonly text: string;
  /** Statements that make the tables; null where nothing is known of them. */
  readonly schema: string | null;
  /** The same as the database tells it now; null where it was not asked. */
  readonly live: string | null;
  readonly mode: CodeMode;
  readonly budget: Budget;
  readonly readers: Readers | undefined;
  /** Who asks; tables of many tenants are held to it. */
  readonly tenant: string;
}

/** A grammar is not installed, or the schema of a source cannot be read. */
export class SqlUnavailable extends SallyportError {}

/** A database without tables has a schema without statements, which grammars refuse. */
export function isBlank(schema: string): boolean {
  return schema.trim() === '';
}

const cacheLimit = 16;
const kept = new Map<string, Catalog>();

/** The catalog of a schema, made once for each text of a dialect; null where there is no schema. */
export function catalogOf(
  dialect: string,
  { schema, mode: { sql } }: Pick<SqlInput, 'schema' | 'mode'>,
  make: (text: string, naming: Naming) => Catalog,
): Catalog | null {
  if (schema === null) return null;
  const key = `${dialect} ${sql.naming.home} ${schema}`;
  let catalog = kept.get(key);
  if (catalog === undefined) {
    catalog = make(schema, sql.naming);
    const [oldest] = kept.keys();
    if (kept.size >= cacheLimit && oldest !== undefined) kept.delete(oldest);
    kept.set(key, catalog);
  }
  return catalog;
}

/** What a reader of SQL found out. */
export type SqlFound = Omit<
  QueryFacts,
  'language' | 'action' | 'relations' | 'fields' | 'named' | 'functions' | 'inputs' | 'aliases' | 'directives'
> & {
  readonly relations: Iterable<string>;
  readonly fields: Iterable<string>;
  readonly functions: Iterable<string>;
  /** Tables of the server itself that it reads only for names that may be shown. */
  readonly described?: Iterable<string>;
};

/** The facts of a statement; SQL has no inputs, aliases of fields and directives of its own. */
export function sqlFacts({ described = [], ...found }: SqlFound, known: KnownNames): QueryFacts {
  const named = { relations: [...found.relations].sort(), fields: [...found.fields].sort() };
  const read = known.fieldsRead(named.fields);
  // What a view calls may read anything: it is held to the same list as a call in the statement.
  const hidden = read.calls.filter((name) => !known.isCallAllowed(name));
  return {
    ...found,
    language: 'sql',
    action: actionOf(found.operations),
    relations: [...new Set([...known.relationsRead(named.relations), ...described])].sort(),
    fields: read.fields,
    named,
    unknowns: [
      ...found.unknowns,
      ...hidden.map((name) => ({ what: `a column that is computed by ${name}` })),
    ],
    functions: [...found.functions, ...read.calls].sort(),
    inputs: [],
    aliases: 0,
    directives: 0,
    cost: Math.min(1e12, found.cost),
  };
}
