// The schema of a source as a list of what may be asked for, whatever its language: tables, types, operations. Models
// search it and have parts of it described. INVARIANT: a name that the rules refuse is in no entry.

import { type Readers, SallyportError } from '../../core/index.ts';
import type { RuledSource } from './allowed.ts';
import { catalogFrom } from './catalog.ts';
import type { SchemaEntry } from './entry.ts';
import { sqlEntries } from './sql/entries.ts';

/** The schema cannot be read, so that nobody knows what of it to show. */
export class SchemaUnreadable extends SallyportError {}

const made = new WeakMap<
  RuledSource['mode'],
  { readonly text: string; readonly entries: Promise<readonly SchemaEntry[]> }
>();

/** The entries of a schema, made once for each text. */
export async function entriesOf(
  source: RuledSource,
  schema: string | null,
  readers: Readers | undefined,
): Promise<readonly SchemaEntry[]> {
  if (schema === null) return [];
  const known = made.get(source.mode);
  if (known?.text === schema) return await known.entries;
  const entries = read(source, schema, readers);
  made.set(source.mode, { text: schema, entries });
  return await entries;
}

async function read(
  source: RuledSource,
  schema: string,
  readers: Readers | undefined,
): Promise<readonly SchemaEntry[]> {
  try {
    switch (source.kind) {
      case 'graphql':
        return await (await import('./graphql/entries.ts')).graphqlEntries(schema, source);
      case 'rest':
        return (await import('./rest/entries.ts')).restEntries(schema, source);
      default:
        return sqlEntries(await catalogFrom(source, schema, readers), source);
    }
  } catch (error) {
    throw new SchemaUnreadable('the schema of the source cannot be read', { cause: error });
  }
}
