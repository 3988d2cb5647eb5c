// The catalog of a SQL source from the text of a schema.

import type { Source } from '../../config/sources.ts';
import { type Readers, SallyportError } from '../../core/index.ts';
import type { Catalog } from './sql/catalog.ts';
import { isBlank } from './sql/input.ts';
import { postgresCatalog } from './sql/postgres/catalog.ts';

/** Reads a schema as the database would; throws where it is no SQL of that database. */
export async function catalogFrom(
  { kind, mode }: Pick<Source, 'kind' | 'mode'>,
  text: string,
  readers: Readers | undefined,
): Promise<Catalog> {
  const parse =
    kind === 'postgres' || kind === 'mysql' || kind === 'sqlite' ? await readers?.[kind]?.() : undefined;
  const read = isBlank(text) ? { tree: [] } : parse?.(text);
  if (read === undefined || 'error' in read) throw new SallyportError(`it is not SQL of ${kind}`);
  if (kind === 'postgres') return postgresCatalog(read.tree);
  return (await import('./sql/other/catalog.ts')).otherCatalog(read.tree, mode.sql.naming);
}
