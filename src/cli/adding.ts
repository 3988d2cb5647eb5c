// sallyport sources add: asks a source for its schema, and writes that and a section of the configuration.

import { closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { displayPath, writePrivate } from '../config/index.ts';
import { type Source, type SourceKind, sourcesFrom } from '../config/sources.ts';
import { loadTomlParser, readToml } from '../config/toml.ts';
import {
  type ExitCode,
  exitCodes,
  type JsonObject,
  SallyportError,
  UsageError,
  visible,
} from '../core/index.ts';
import { namedFields } from '../guards/query/fields.ts';
import { unlistedNames } from '../guards/query/unlisted.ts';
import {
  readDocument,
  readSchema,
  type SchemaPlace,
  type SourceSchema,
  schemaEnding,
} from '../run/query/sources.ts';
import type { Call } from './command.ts';
import { onlyWords } from './command.ts';
import { type Extension, extendedConfig, writeExtension } from './config-file.ts';
import { openConfig, settingsHere } from './open.ts';
import { type NewSource, sectionText, withoutCredentials } from './source-section.ts';
import { agreeToWrite } from './terminal.ts';

/** The source cannot be added. */
export class CannotAdd extends SallyportError {}

/** An address or a header as the user gave it, and as it is with the variables that it names. */
interface Given {
  readonly written: string;
  readonly value: string;
  readonly variables: readonly string[];
}

/** A place that was recognised as a source. */
type Place = Pick<SchemaPlace, 'kind' | 'url' | 'schemaFrom'>;

export async function addSource(call: Call): Promise<ExitCode> {
  const [, word] = onlyWords(call, ['add', 'the address or the file of the source']);
  const opened = await openConfig(call);
  const { sources } = await settingsHere(call, opened);
  const address = await givenText(call, word);
  const headers = await headersOf(call);
  const sent = Object.fromEntries(headers.map(([key, { value }]) => [key, value]));
  const place = await recognised(call, address.value, sent);
  const name = nameFor(call, place);
  const known = sources.find((one) => one.name === name);
  if (known !== undefined) return alreadyThere(call, known, place);
  const found = await readSchema({ ...place, name, headers: sent }, opened.world.readers);
  const draft = await drafted(call, { name, place, address, headers, found }, opened.world.readers);
  return await write(call, draft, found);
}

/** A text in which `${VAR}` and `env:VAR` mean what they mean in the configuration. */
async function givenText(call: Call, word: string): Promise<Given> {
  const read = readToml(await loadTomlParser(), `given = ${JSON.stringify(word)}`, call.io.environment);
  if (!('value' in read)) throw new UsageError(read.message);
  const [problem] = read.problems;
  if (problem !== undefined) throw new UsageError(problem.message, 'set it, and run the command again');
  return {
    written: word,
    value: String(read.value['given']),
    variables: [...new Set([...read.borrowed.values()].flat())],
  };
}

async function headersOf(call: Call): Promise<readonly (readonly [string, Given])[]> {
  const word = call.value('header');
  if (word === undefined) return [];
  const [, key, text] = /^([A-Za-z0-9-]+)\s*[:=]\s*(\S.*)$/.exec(word) ?? [];
  if (key === undefined || text === undefined)
    throw new UsageError("--header is a name and a value, such as 'authorization: env:SHOP_TOKEN'");
  const given = await givenText(call, text);
  if (given.variables.length === 0) {
    throw new UsageError(
      'a credential is not written to the configuration',
      `put it into a variable, and name that: --header '${key}: env:SHOP_TOKEN'`,
    );
  }
  return [[key.toLowerCase(), given]];
}

const schemes: readonly (readonly [RegExp, SourceKind])[] = [
  [/^postgres(?:ql)?:\/\//i, 'postgres'],
  [/^(?:mysql|mariadb):\/\//i, 'mysql'],
];

/** INVARIANT: an address that is read otherwise than it is written would be written down with parts of its password. */
function expectAddress(value: string): void {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^(?:sqlite|file):/i.test(value)) return;
  const url = URL.parse(value);
  if (url === null) {
    const hint = 'percent-encode the signs of the password that an address uses itself: @ : / ? #';
    throw new UsageError('the address cannot be read', hint);
  }
  if (/^https?:$/.test(url.protocol) && (url.username !== '' || url.password !== '')) {
    throw new UsageError(
      'an address of a server does not hold a credential',
      "give it as a header: --header 'authorization: env:SHOP_TOKEN'",
    );
  }
}

/** What a place is; a document is read to tell an API from GraphQL. */
async function recognised(
  call: Call,
  value: string,
  headers: Readonly<Record<string, string>>,
): Promise<Place> {
  expectAddress(value);
  const named = schemes.find(([scheme]) => scheme.test(value));
  if (named !== undefined) return { kind: named[1], url: value, schemaFrom: null };
  const runsAt = call.value('url') ?? null;
  if (/^https?:\/\//i.test(value)) {
    const document = await readDocument(value, headers);
    if (document === null) return { kind: 'graphql', url: value, schemaFrom: null };
    const server = URL.parse(document.server ?? '/', value)?.href ?? null;
    const url = runsAt ?? (document.kind === 'rest' ? server : null);
    return { kind: document.kind, url, schemaFrom: value };
  }
  const path = resolve(call.io.folder(), value.replace(/^(?:sqlite|file):(?:\/\/)?/i, ''));
  if (!existsSync(path)) {
    throw new CannotAdd(`there is no file ${visible(path, 200)}`, {
      hint: 'give an address (postgres://, mysql://, https://) or the path of a SQLite, SDL or OpenAPI file',
    });
  }
  const file = realpathSync(path);
  if (isSqlite(file)) return { kind: 'sqlite', url: file, schemaFrom: null };
  const document = await readDocument(file, headers);
  if (document === null) {
    throw new CannotAdd(`${visible(file, 200)} is not a SQLite database, SDL or an OpenAPI document`, {
      hint: 'a file of SQL that makes tables can be named by hand: schema in [sources.NAME]',
    });
  }
  const server = document.server === null ? null : (URL.parse(document.server)?.href ?? null);
  return { kind: document.kind, url: runsAt ?? server, schemaFrom: file };
}

function isSqlite(file: string): boolean {
  const start = Buffer.alloc(16);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, start, 0, start.length, 0);
  } finally {
    closeSync(opened);
  }
  return start.toString('latin1') === 'SQLite format 3\0';
}

/** The name that was given, or one made from the place. */
function nameFor(call: Call, { kind, url, schemaFrom }: Place): string {
  const given = call.value('name');
  if (given !== undefined) {
    if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(given)) return given;
    throw new UsageError('--name has 1 to 64 letters, digits, "_" and "-"');
  }
  const from = kind === 'sqlite' ? url : (url ?? schemaFrom);
  const parsed = URL.parse(from ?? '');
  const last = (path: string) => basename(path).replace(/\.\w+$/, '');
  const isDatabase = kind === 'postgres' || kind === 'mysql';
  const text = parsed === null ? last(from ?? '') : isDatabase ? last(parsed.pathname) : parsed.hostname;
  const plain = text
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  return plain === '' ? kind : plain;
}

function alreadyThere(call: Call, known: Source, { kind, url, schemaFrom }: Place): ExitCode {
  const isSame = known.kind === kind && known.url === url && known.schemaFrom === schemaFrom;
  if (!isSame) {
    throw new CannotAdd(`there is a source "${known.name}" already, at another place`, {
      hint: 'give this one another name: --name NAME',
    });
  }
  if (call.flag('json')) call.io.json({ name: known.name, kind, written: false, known: true });
  else {
    call.io.print(`The source "${known.name}" is there already; nothing was written.`);
    call.io.print(`To read its schema again: sallyport sources refresh ${known.name}`);
  }
  return exitCodes.pass;
}

/** What is written where the user agrees. */
interface Draft {
  readonly source: NewSource;
  readonly schemaFile: string;
  readonly extension: Extension;
  /** Variables that are not set, and have to be. */
  readonly unset: readonly string[];
}

async function drafted(
  call: Call,
  parts: {
    readonly name: string;
    readonly place: Place;
    readonly address: Given;
    readonly headers: readonly (readonly [string, Given])[];
    readonly found: SourceSchema;
  },
  readers: Parameters<typeof namedFields>[2],
): Promise<Draft> {
  const { name, place, address, headers, found } = parts;
  const { kind } = place;
  const schema = join('schemas', `${name}.${schemaEnding[kind]}`);
  const written = (value: string | null) => {
    if (value === null) return { text: null, variables: {} };
    // The user named variables; their names are kept.
    if (value === address.value && address.variables.length > 0)
      return { text: address.written, variables: {} };
    return withoutCredentials(value, name);
  };
  const [url, from] = [written(place.url), written(place.schemaFrom)];
  const taken = { ...url.variables, ...from.variables };
  const [mode] = sourcesFrom(
    { [name]: { kind, ...(place.url === null ? {} : { url: place.url }) } },
    undefined,
  );
  if (mode === undefined) throw new Error('a source was not made');
  const source: NewSource = {
    name,
    kind,
    schema,
    url: url.text,
    schemaFrom: from.text,
    headers: Object.fromEntries(headers.map(([key, given]) => [key, given.written])),
    variables: [
      ...new Set([
        ...Object.keys(taken),
        ...address.variables,
        ...headers.flatMap(([, given]) => given.variables),
      ]),
    ],
    fields: await namedFields(mode, found.schema, readers),
    functions: found.functions,
  };
  const extension = await extendedConfig(call, sectionText(source), {
    variables: taken,
    hint: 'add the section by hand: sallyport sources add … --json shows it',
  });
  const schemaFile = join(dirname(extension.file), schema);
  await expectUsable(extension, name, found.schema, schemaFile, readers, call);
  const unset = Object.entries(taken).flatMap(([variable, value]) =>
    call.io.environment[variable] === value ? [] : [variable],
  );
  return { source, schemaFile, extension, unset };
}

/** INVARIANT: `config check` finds nothing wrong with what is written here. */
async function expectUsable(
  { config }: Extension,
  name: string,
  schema: string,
  schemaFile: string,
  readers: Parameters<typeof namedFields>[2],
  call: Call,
): Promise<void> {
  const { sources } = await config.settingsFor({ agent: 'default', workspace: call.io.folder() });
  const mine = sources.filter((one) => one.name === name);
  const problems = await unlistedNames(mine, (path) => (path === schemaFile ? schema : null), readers);
  if (problems.length > 0) throw new CannotAdd(`its schema cannot be used: ${problems.join('; ')}`);
}

async function write(call: Call, draft: Draft, found: SourceSchema): Promise<ExitCode> {
  const { source, schemaFile, extension } = draft;
  const isJson = call.flag('json');
  if (!isJson) show(call, draft, found);
  const isWanted = call.flag('yes') || !isJson;
  if (isWanted && !call.flag('yes')) await agreeToWrite();
  if (isWanted) {
    mkdirSync(dirname(schemaFile), { recursive: true, mode: 0o700 });
    // A section without its schema would stop every command; a schema without its section harms nothing.
    writePrivate(schemaFile, found.schema);
    writeExtension(call, extension);
  }
  if (isJson) {
    call.io.json({
      ...{ name: source.name, kind: source.kind, written: isWanted, known: false },
      config: { file: extension.file, added: extension.added },
      schema: { file: schemaFile, text: found.schema },
      unset: draft.unset,
      warnings: found.warnings,
      client: clientOf(call, source.name),
    });
  } else if (isWanted) showNext(call, draft);
  return exitCodes.pass;
}

const mostShown = 40;

function show(call: Call, { source, schemaFile, extension }: Draft, found: SourceSchema): void {
  const shown = (path: string) => displayPath(path, call.io.environment['HOME']);
  const added = (lines: readonly string[]) => {
    for (const line of lines) call.io.print(call.io.paint('green', `  + ${visible(line)}`));
  };
  call.io.print(`${shown(extension.file)}${extension.before === '' ? ' (a new file)' : ''}`);
  added(extension.added.trimEnd().split('\n'));
  const lines = found.schema.trimEnd().split('\n');
  const isNew = existsSync(schemaFile) ? 'written again' : 'a new file';
  call.io.print(
    `${shown(schemaFile)} (${isNew}, ${lines.length} lines, ${source.fields.size} ${unitOf[source.kind]})`,
  );
  added(lines.slice(0, mostShown));
  if (lines.length > mostShown) call.io.print(`  and ${lines.length - mostShown} more lines`);
  for (const warning of found.warnings) call.io.warn(`${call.io.paint('yellow', 'note')}: ${warning}`);
}

const unitOf: Readonly<Record<SourceKind, string>> = {
  postgres: 'tables',
  mysql: 'tables',
  sqlite: 'tables',
  graphql: 'types',
  rest: 'operations',
};

function clientOf(call: Call, name: string): JsonObject {
  const named = call.value('config');
  const more = named === undefined ? [] : ['--config', resolve(named)];
  const args = ['mcp', 'query', '--source', name, ...more];
  return { mcpServers: { [name]: { command: 'sallyport', args } } };
}

function showNext(call: Call, { source, unset }: Draft): void {
  const { name, kind, url } = source;
  call.io.print(call.io.paint('green', `The source "${name}" is written.`));
  for (const variable of unset)
    call.io.print(
      `Set ${variable} before you run another command: the configuration needs it.\n  export ${variable}='…'`,
    );
  const runs = kind !== 'mysql' && (url !== null || kind === 'rest');
  if (!runs) call.io.print('Queries to it are judged, and not run.');
  call.io.print('Paste into the configuration of an MCP client:');
  call.io.print(`  ${JSON.stringify(clientOf(call, name))}`);
  if (runs) call.io.print(`Or ask it here: sallyport sources ask ${name} '${exampleFor[kind]}'`);
  call.io.print('A daemon that runs reads its configuration when it starts: sallyport down; sallyport up');
}

const exampleFor: Readonly<Record<SourceKind, string>> = {
  postgres: 'SELECT …',
  mysql: 'SELECT …',
  sqlite: 'SELECT …',
  graphql: '{ … }',
  rest: '{"method":"GET","url":"/…"}',
};
