// PostgreSQL: its own grammar, the catalog of the source, and the reader of both.

import type { Reading, Unknown } from '../../facts.ts';
import type { Catalog } from '../catalog.ts';
import { catalogOf, isBlank, type SqlInput, SqlUnavailable } from '../input.ts';
import { postgresCatalog } from './catalog.ts';
import { readStatement } from './read.ts';

export async function readPostgres(input: SqlInput): Promise<Reading> {
  const { text, mode, budget, readers, tenant, schema, live } = input;
  const parse = await readers?.postgres?.();
  if (parse == null) {
    throw new SqlUnavailable('The grammar of PostgreSQL is not installed. Run npm install libpg-query.');
  }
  const catalogFrom = (made: string | null, what: string) =>
    catalogOf('postgres', { schema: made, mode }, (one) => {
      const read = isBlank(one) ? { tree: {} } : parse(one);
      if ('error' in read) throw new SqlUnavailable(`${what} is not SQL of PostgreSQL.`);
      return postgresCatalog(read.tree);
    });
  const read = parse(text);
  if ('error' in read) {
    const span = read.position === undefined ? {} : { span: [read.position, read.position + 1] as const };
    return {
      unreadable: { rule: 'query_invalid', message: 'This is not a statement of PostgreSQL.', ...span },
    };
  }
  const readWith = (catalog: Catalog | null) =>
    readStatement({ tree: read.tree, catalog, mode, budget, tenant });
  const written = catalogFrom(schema, 'The schema of the source');
  if (live === null) return readWith(written);
  const found = readWith(catalogFrom(live, 'What the database says of its tables'));
  return written === null ? found : compared(found, readWith(written));
}

/**
 * What a statement means on the database, where its schema file says the same. INVARIANT: what either of the two does
 * not know is denied, and so is a statement that names other columns by the one than by the other.
 */
function compared(found: Reading, written: Reading): Reading {
  if ('unreadable' in found || 'unreadable' in written) return found;
  const { facts } = found;
  const known = new Set(facts.unknowns.map(({ what }) => what));
  const more = written.facts.unknowns.filter(({ what }) => !known.has(what));
  const isSame =
    more.length === 0 &&
    written.facts.unknowns.length === facts.unknowns.length &&
    JSON.stringify(written.facts.named) === JSON.stringify(facts.named);
  const drift: Unknown = {
    what: 'names for which the schema file and the database differ',
    isDrift: true,
  };
  return { facts: { ...facts, unknowns: [...facts.unknowns, ...more, ...(isSame ? [] : [drift])] } };
}
