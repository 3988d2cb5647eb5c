// Reads SQL by the grammar of the database that it goes to.

import type { CodeMode, SourceKind } from '../../../config/sources.ts';
import { type Budget, type Readers, SallyportError } from '../../../core/index.ts';
import type { Reading } from '../facts.ts';
import { Catalog } from './catalog.ts';

export interface SqlInput {
  readonly text: string;
  /** Statements that make the tables; null where nothing is known of them. */
  readonly schema: string | null;
  readonly mode: CodeMode;
  readonly budget: Budget;
  readonly readers: Readers | undefined;
  readonly tenant: string;
}

/** A grammar is not installed, or the schema of a source cannot be read. */
export class SqlUnavailable extends SallyportError {}

const mostKept = 16;
const kept = new Map<string, Catalog>();

/** How many brackets may be open at once: parsers go down a level for each. */
const deepest = 200;

export async function readSql(kind: SourceKind, input: SqlInput): Promise<Reading> {
  if (openAtOnce(input.text) > deepest) {
    return {
      unreadable: { rule: 'excessive_depth', message: `More than ${deepest} brackets are open at once.` },
    };
  }
  if (kind === 'postgres') return await postgres(input);
  const { readOther } = await import('./other/read.ts');
  return await readOther(kind === 'mysql' ? 'mysql' : 'sqlite', input);
}

async function postgres({ text, schema, mode, budget, readers, tenant }: SqlInput): Promise<Reading> {
  const parse = await readers?.postgres?.();
  if (parse == null) {
    throw new SqlUnavailable('The grammar of PostgreSQL (libpg-query) is not installed. Run npm install.');
  }
  const [{ readPostgres }, { postgresCatalog }] = await Promise.all([
    import('./postgres/read.ts'),
    import('./postgres/catalog.ts'),
  ]);
  const catalog = catalogOf(schema, (made) => {
    const read = parse(made);
    if ('error' in read) throw new SqlUnavailable('The schema of the source is not SQL of PostgreSQL.');
    return postgresCatalog(read.tree);
  });
  const read = parse(text);
  if ('error' in read) {
    const span = read.position === undefined ? {} : { span: [read.position, read.position + 1] as const };
    return {
      unreadable: { rule: 'query_invalid', message: 'This is not a statement of PostgreSQL.', ...span },
    };
  }
  return readPostgres({ tree: read.tree, catalog, mode, budget, tenant });
}

/** The catalog of a schema, made once for each text. */
export function catalogOf(schema: string | null, make: (text: string) => Catalog): Catalog {
  if (schema === null) return new Catalog();
  let catalog = kept.get(schema);
  if (catalog === undefined) {
    catalog = make(schema);
    const [oldest] = kept.keys();
    if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest);
    kept.set(schema, catalog);
  }
  return catalog;
}

/** Brackets in texts and comments count too: then it is refused, which it may be. */
function openAtOnce(text: string): number {
  let open = 0;
  let most = 0;
  for (const sign of text) {
    if (sign === '(' || sign === '[') most = Math.max(most, ++open);
    else if (sign === ')' || sign === ']') open--;
  }
  return most;
}
