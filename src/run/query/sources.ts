// The schema of a source as the source itself reports it, and its differences from a schema file.

import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Source, SourceKind } from '../../config/sources.ts';
import {
  isJsonObject,
  type JsonValue,
  messageOf,
  type Readers,
  SallyportError,
  visible,
} from '../../core/index.ts';
import { jsonOfYaml } from '../../decide/yaml.ts';
import { catalogFrom } from '../../guards/query/catalog.ts';
import { type SortedFunctions, sortFunctions } from '../../guards/query/sql/postgres/own-functions.ts';
import { connectionProblem, posture, withPostgres } from './connection.ts';
import { PostureRefused, QueryFailed, QueryTimedOut } from './errors.ts';
import {
  introspected,
  notAllowed,
  placeOf,
  readAddress,
  SchemaUnavailable,
  sdlOfIntrospection,
} from './remote.ts';
import { apiWithoutData, sdlWithoutData, sqlWithoutData } from './schema-data.ts';

/** A source as far as it is asked for its schema. */
export type SchemaPlace = Pick<Source, 'name' | 'kind' | 'url' | 'headers' | 'schemaFrom'>;

/** A source's report about itself. */
export interface SourceSchema {
  /** The text of its schema file. */
  readonly schema: string;
  readonly functions: SortedFunctions;
  /** Missing rights, or more rights than queries need. */
  readonly warnings: readonly string[];
}

/** The ending of a schema file, by kind. */
export const schemaEnding: Readonly<Record<SourceKind, string>> = {
  postgres: 'sql',
  mysql: 'sql',
  sqlite: 'sql',
  graphql: 'graphql',
  rest: 'json',
};

const noFunctions: SortedFunctions = { computing: [], other: [] };
const databaseMs = 10_000;

/** Whether a source can be asked for its schema. */
export function canReadSchema({
  kind,
  url,
  schemaFrom,
}: Pick<SchemaPlace, 'kind' | 'url' | 'schemaFrom'>): boolean {
  return kind === 'rest' ? schemaFrom !== null : url !== null || schemaFrom !== null;
}

const schemaReaders: Readonly<
  Record<SourceKind, (source: SchemaPlace, readers: Readers | undefined) => Promise<SourceSchema>>
> = {
  postgres: async ({ url }, readers) => await postgresSchema(url ?? '', await readers?.postgres?.()),
  mysql: async ({ url }) => await mysqlSchema(url ?? ''),
  sqlite: async ({ url }) => schemaOnly(schemaFromFile(url ?? '')),
  graphql: async ({ url, headers, schemaFrom }) => {
    const sdl =
      schemaFrom === null
        ? await introspected({ url: url ?? '', headers })
        : (await documentAt(schemaFrom, headers, 'graphql')).text;
    return schemaOnly(await sdlWithoutData(sdl));
  },
  rest: async ({ schemaFrom, headers }) =>
    schemaOnly((await documentAt(schemaFrom ?? '', headers, 'rest')).text),
};

/** Asks a source for its schema as it is now; throws where it cannot be asked. */
export async function readSchema(source: SchemaPlace, readers: Readers | undefined): Promise<SourceSchema> {
  if (!canReadSchema(source)) {
    throw new SallyportError(`the source "${source.name}" does not tell its schema`, {
      hint: 'write its url, or schema_from: the address or the path of its schema',
    });
  }
  return await schemaReaders[source.kind](source, readers);
}

function schemaOnly(schema: string): SourceSchema {
  return { schema, functions: noFunctions, warnings: [] };
}

async function postgresSchema(
  url: string,
  parse: Parameters<typeof sortFunctions>[1],
): Promise<SourceSchema> {
  const { describePostgres, postgresFunctions, readableTables } = await import('./describe.ts');
  try {
    return await withPostgres(url, { timeoutMs: databaseMs }, async (client) => {
      const warnings = await posture(client);
      await client.query('BEGIN READ ONLY');
      const { all, readable } = await readableTables(client);
      const account = visible(new URL(url).username, 64);
      if (all > 0 && readable === 0) {
        throw new SchemaUnavailable(`the account "${account}" may read none of the ${all} tables`, {
          hint: `as the owner, run: GRANT USAGE ON SCHEMA public TO ${account}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${account};`,
        });
      }
      const hidden = all - readable;
      return {
        schema: sqlWithoutData(await describePostgres(client), 'postgres'),
        functions: sortFunctions(await postgresFunctions(client), parse),
        warnings: [
          ...warnings,
          ...(hidden > 0 ? [`The account may not read ${hidden} of the ${all} tables and views.`] : []),
        ],
      };
    });
  } catch (error) {
    throw databaseProblem(error, url);
  }
}

function databaseProblem(error: unknown, url: string): unknown {
  const place = placeOf(url);
  if (error instanceof QueryTimedOut) {
    return new SchemaUnavailable(`${place} does not answer in time`, { cause: error });
  }
  if (error instanceof PostureRefused) {
    return new PostureRefused(error.message, { hint: `${roleHint(url)}` });
  }
  const why = error instanceof QueryFailed ? connectionProblem(error) : null;
  if (why === null) return error;
  return new SchemaUnavailable(`cannot connect to ${place}: ${why}`, {
    hint: 'check the address, the account and its password',
    cause: error,
  });
}

/** The statements that make an account which can only read. */
function roleHint(url: string): string {
  const name = 'sallyport_reader';
  const database = decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
  const shown = /^[a-z_][a-z0-9_]*$/.test(database) ? database : `"${database.replaceAll('"', '""')}"`;
  return `make a role that can only read, and name it in the address: CREATE ROLE ${name} LOGIN PASSWORD '…'; GRANT CONNECT ON DATABASE ${visible(shown, 64)} TO ${name}; GRANT USAGE ON SCHEMA public TO ${name}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name};`;
}

async function mysqlSchema(url: string): Promise<SourceSchema> {
  const { describeMysql } = await import('./mysql.ts');
  const { schema, warnings, routines } = await describeMysql(url);
  // The server does not verify a function's declared volatility, so no function counts as a computation.
  const other = routines.map(({ name, fixed, access, security }) => ({
    name: String(name),
    about: `${fixed === 'YES' ? 'deterministic' : 'not deterministic'}, ${String(access).toLowerCase()}, with the rights of its ${security === 'DEFINER' ? 'definer' : 'caller'}`,
  }));
  return { schema: sqlWithoutData(schema, 'mysql'), functions: { computing: [], other }, warnings };
}

function schemaFromFile(file: string): string {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly: true });
  } catch (error) {
    throw new SchemaUnavailable(`the database cannot be opened: ${visible(messageOf(error), 200)}`);
  }
  try {
    const rows = database
      .prepare(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type = 'view', rowid",
      )
      .all();
    // A comment may end a statement, and would take a semicolon with it.
    return rows.map(({ sql }) => `${sqlWithoutData(String(sql), 'sqlite').trimEnd()};\n`).join('');
  } catch (error) {
    throw new SchemaUnavailable(`the database cannot be read: ${visible(messageOf(error), 200)}`);
  } finally {
    database.close();
  }
}

/** A schema that is a document: SDL, or an OpenAPI document as JSON. */
export interface SchemaDocument {
  readonly kind: 'graphql' | 'rest';
  readonly text: string;
  /** The API's declared address; null if there is none. */
  readonly server: string | null;
}

/** Reads a schema from an address or a path, without the data in it. */
async function documentAt(
  from: string,
  headers: Readonly<Record<string, string>>,
  wanted: 'graphql' | 'rest',
): Promise<SchemaDocument> {
  const found = await readDocument(from, headers);
  if (found?.kind === wanted) return found;
  const what = wanted === 'rest' ? 'an OpenAPI 3 document' : 'a schema of GraphQL';
  throw new SchemaUnavailable(`${placeOf(from)} is not ${what}`);
}

/** The schema at an address or a path; null if there is a text that is none. */
export async function readDocument(
  from: string,
  headers: Readonly<Record<string, string>>,
): Promise<SchemaDocument | null> {
  if (!/^https?:/i.test(from)) return await documentIn(textOfFile(from));
  const { status, text } = await readAddress({ url: from, headers });
  if (status === 401 || status === 403) throw notAllowed(placeOf(from), status);
  return status === 200 ? await documentIn(text) : null;
}

function textOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SchemaUnavailable(`${visible(path, 200)} cannot be read: ${visible(messageOf(error), 200)}`);
  }
}

async function documentIn(text: string): Promise<SchemaDocument | null> {
  const value = dataIn(text);
  if (isJsonObject(value)) {
    const version = value['openapi'] ?? value['swagger'];
    if (version !== undefined && !/^3\.[01]/.test(String(version))) {
      throw new SchemaUnavailable(`it is OpenAPI ${visible(String(version), 20)}; 3.0 and 3.1 can be read`, {
        hint: 'convert it to OpenAPI 3 first',
      });
    }
    if (version !== undefined) {
      const document = apiWithoutData(value);
      const [first] = Array.isArray(value['servers']) ? value['servers'] : [];
      const server = isJsonObject(first) && typeof first['url'] === 'string' ? first['url'] : null;
      return { kind: 'rest', text: `${JSON.stringify(document, null, 1)}\n`, server };
    }
    const sdl = await sdlOfIntrospection(value);
    return sdl === null ? null : { kind: 'graphql', text: await sdlWithoutData(sdl), server: null };
  }
  try {
    return { kind: 'graphql', text: await sdlWithoutData(text), server: null };
  } catch {
    return null;
  }
}

/** JSON or YAML; undefined if it is neither. */
function dataIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // A YAML document declares its type in a line of its own; SDL can look like YAML.
    return /^\s*["']?(?:openapi|swagger)["']?\s*:/m.test(text)
      ? (JSON.parse(jsonOfYaml(text)) as JsonValue)
      : undefined;
  }
}

/** The differences of a schema file from the source, one line each. */
export async function schemaDifferences(
  source: Source,
  file: string,
  now: string,
  readers: Readers | undefined,
): Promise<readonly string[]> {
  const [written, real] = [await namesIn(source, file, readers), await namesIn(source, now, readers)];
  const lines: string[] = [];
  for (const name of new Set([...written.keys(), ...real.keys()])) {
    const [inFile, inSource] = [written.get(name), real.get(name)];
    if (inFile === undefined) lines.push(`${name} is not in the schema file`);
    else if (inSource === undefined) lines.push(`${name} is not in the source any more`);
    else {
      const added = [...inSource].filter((column) => !inFile.has(column));
      const gone = [...inFile].filter((column) => !inSource.has(column));
      if (added.length > 0) lines.push(`${name} has ${added.join(', ')}, which the schema file lacks`);
      if (gone.length > 0) lines.push(`${name} has no ${gone.join(', ')} any more`);
    }
  }
  return lines.toSorted();
}

type Names = ReadonlyMap<string, ReadonlySet<string>>;

/** Tables with their columns, types with their fields, operations with what they are given. */
async function namesIn(source: Source, text: string, readers: Readers | undefined): Promise<Names> {
  if (source.kind === 'graphql') {
    const { graphql, schema } = await (await import('../../guards/query/graphql/schema.ts')).schemaFrom(text);
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
    return new Map(
      types.map((type) => {
        const hasFields =
          graphql.isObjectType(type) || graphql.isInterfaceType(type) || graphql.isInputObjectType(type);
        return [type.name, new Set(hasFields ? Object.keys(type.getFields()) : [])];
      }),
    );
  }
  if (source.kind === 'rest') {
    const { apiFrom } = await import('../../guards/query/rest/api.ts');
    const { describedFields } = await import('../../guards/query/rest/described.ts');
    const { document, operations } = apiFrom(text);
    return new Map(
      operations.map(({ method, path, parameters, answers, body, id }) => [
        `${method} ${path}`,
        new Set([
          ...parameters.map(({ name }) => name),
          ...describedFields(document, body === null ? answers : [...answers, body], id),
        ]),
      ]),
    );
  }
  const { tables } = await catalogFrom(source, text, readers);
  return new Map([...tables].map(([name, columns]) => [name, new Set(columns ?? [])]));
}
