// The schema of a source as the source itself tells it, and how a schema file differs from that.

import { DatabaseSync } from 'node:sqlite';
import type { Source, SourceKind } from '../../config/sources.ts';
import { messageOf, type Readers, SallyportError, visible } from '../../core/index.ts';
import { catalogFrom } from '../../guards/query/catalog.ts';
import { databaseOf } from './live.ts';

/** Kinds that tell what they have. */
const telling: readonly SourceKind[] = ['postgres', 'sqlite'];

export function tellsSchema({ kind, url }: Pick<Source, 'kind' | 'url'>): boolean {
  return url !== null && telling.includes(kind);
}

/** SQL that makes the tables of a source as they are now; throws where it cannot be asked. */
export async function schemaFromSource({ name, kind, url }: Source): Promise<string> {
  if (url === null || !telling.includes(kind)) {
    throw new SallyportError(`the source "${name}" does not tell its schema`, {
      hint: 'postgres and sqlite sources with a url do',
    });
  }
  if (kind === 'sqlite') return schemaFromFile(url);
  const database = databaseOf({ name, kind, url });
  database?.forget();
  const schema = await database?.schema();
  if (schema == null) throw new SallyportError(`the database of "${name}" does not answer`);
  return schema.text;
}

function schemaFromFile(file: string): string {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly: true });
  } catch (error) {
    throw new SallyportError(`the database cannot be opened: ${visible(messageOf(error), 200)}`);
  }
  try {
    const rows = database
      .prepare(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type = 'view', rowid",
      )
      .all();
    return rows.map(({ sql }) => `${String(sql)};\n`).join('');
  } finally {
    database.close();
  }
}

/** What a schema file says otherwise than the source, one line each. */
export async function schemaDifferences(
  source: Source,
  file: string,
  now: string,
  readers: Readers | undefined,
): Promise<readonly string[]> {
  const [written, real] = [
    await catalogFrom(source, file, readers),
    await catalogFrom(source, now, readers),
  ].map(({ tables }) => tables);
  const lines: string[] = [];
  for (const name of new Set([...(written?.keys() ?? []), ...(real?.keys() ?? [])])) {
    const [inFile, inSource] = [written?.get(name), real?.get(name)];
    if (inFile === undefined) lines.push(`${name} is not in the schema file`);
    else if (inSource === undefined) lines.push(`${name} is not in the database any more`);
    else {
      const [before, after] = [new Set(inFile ?? []), new Set(inSource ?? [])];
      const added = [...after].filter((column) => !before.has(column));
      const gone = [...before].filter((column) => !after.has(column));
      if (added.length > 0) lines.push(`${name} has ${added.join(', ')}, which the schema file lacks`);
      if (gone.length > 0) lines.push(`${name} has no ${gone.join(', ')} any more`);
    }
  }
  return lines.toSorted();
}
