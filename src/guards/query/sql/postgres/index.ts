// PostgreSQL: its own grammar, the catalog of the source, and the reader of both.

import type { Reading } from '../../facts.ts';
import { catalogOf, type SqlInput, SqlUnavailable } from '../input.ts';
import { postgresCatalog } from './catalog.ts';
import { readStatement } from './read.ts';

export async function readPostgres(input: SqlInput): Promise<Reading> {
  const { text, mode, budget, readers, tenant } = input;
  const parse = await readers?.postgres?.();
  if (parse == null) {
    throw new SqlUnavailable('The grammar of PostgreSQL is not installed. Run npm install libpg-query.');
  }
  const catalog = catalogOf('postgres', input, (made) => {
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
  return readStatement({ tree: read.tree, catalog, mode, budget, tenant });
}
