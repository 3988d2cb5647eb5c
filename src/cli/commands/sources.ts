// sallyport sources: adds places that queries go to, asks them, checks their schema files and writes those again.

import { renameSync, statSync, writeFileSync } from 'node:fs';
import type { Source } from '../../config/sources.ts';
import {
  type ExitCode,
  exitCodes,
  messageOf,
  SallyportError,
  UsageError,
  visible,
} from '../../core/index.ts';
import { unlistedNames } from '../../guards/query/unlisted.ts';
import { placeOf } from '../../run/query/remote.ts';
import { canReadSchema, readSchema, schemaDifferences } from '../../run/query/sources.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { type Opened, openConfig, settingsHere } from '../open.ts';

const verbs: Readonly<Record<string, (call: Call) => Promise<ExitCode>>> = {
  add: async (call) => await (await import('../adding.ts')).addSource(call),
  ask: async (call) => await (await import('../asking-source.ts')).askSource(call),
  list,
  check,
  refresh,
};

export const command: Command = {
  usage: [
    'sources add ADDRESS|FILE [--name NAME] [--yes]',
    'sources ask NAME QUERY [--variables JSON]',
    'sources list',
    'sources check [NAME]',
    'sources refresh NAME',
  ],
  about:
    'add reads the schema of a source, and writes it and a section of your sallyport.toml with names to block. A source is a\n' +
    'database (postgres://, mysql://, a SQLite file), a GraphQL server or SDL file, or an OpenAPI document. It shows both and\n' +
    'asks; it writes no password. ask judges a query and runs it once it may. check compares the schema files with the sources,\n' +
    'refresh reads a schema again.',
  examples: [
    `sources add 'postgres://reader:\${SHOP_PASSWORD}@localhost/shop'`,
    "sources ask shop 'select count(*) from orders'",
    'sources check',
  ],
  options: {
    name: { value: 'NAME', help: 'add: the name of the source; default: from its address' },
    url: { value: 'ADDRESS', help: 'add: address of the API or GraphQL server, if the document has none' },
    header: {
      value: 'HEADER',
      help: "add: sent with every request, such as 'authorization: env:SHOP_TOKEN'",
    },
    yes: { help: 'add: do not ask' },
    variables: { value: 'JSON', help: 'ask: variables of the query, a JSON object' },
    agent: { value: 'NAME', help: 'ask: judge as this agent' },
    workspace: { value: 'FOLDER', help: 'ask: the workspace; default: the current folder' },
  },
  async run(call) {
    const [verb = ''] = call.words;
    const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (run !== undefined) return await run(call);
    throw new UsageError(
      verb === '' ? `say one of: ${Object.keys(verbs).join(', ')}` : `unknown word "${verb}"`,
      "see 'sallyport sources --help'",
    );
  },
};

async function opened(
  call: Call,
): Promise<{ readonly all: readonly Source[]; readonly world: Opened['world'] }> {
  const found = await openConfig(call);
  const { sources } = await settingsHere(call, found);
  return { all: sources, world: found.world };
}

function sourceNamed(all: readonly Source[], name: string): Source {
  const source = all.find((one) => one.name === name);
  if (source !== undefined) return source;
  const names = all.map((one) => one.name).join(', ');
  throw new UsageError(
    `there is no source "${visible(name)}"`,
    names === '' ? 'name one under [sources] in sallyport.toml' : `there are: ${names}`,
  );
}

async function list(call: Call): Promise<ExitCode> {
  onlyWords(call, ['list']);
  const { all } = await opened(call);
  if (call.flag('json')) {
    call.io.json(all.map(({ name, kind, schema, url }) => ({ name, kind, schema, place: placeIn(url) })));
    return exitCodes.pass;
  }
  if (all.length === 0) call.io.print('There are no sources. Name one under [sources] in sallyport.toml.');
  for (const { name, kind, schema, url } of all) {
    call.io.print(`${name}  ${kind}  ${placeIn(url) ?? 'is judged, not run'}`);
    call.io.print(`    schema: ${schema ?? (kind === 'postgres' && url !== null ? 'the database' : 'none')}`);
  }
  return exitCodes.pass;
}

/** Where a source is, without what is secret about it. */
function placeIn(url: string | null): string | null {
  return url === null ? null : placeOf(url);
}

async function check(call: Call): Promise<ExitCode> {
  const [, name, more] = call.words;
  if (more !== undefined) throw new UsageError('check takes one source, or none for all of them');
  const { all, world } = await opened(call);
  const chosen = name === undefined ? all : [sourceNamed(all, name)];
  const textOf = world.schemaText ?? world.readText;
  const problems = [...(await unlistedNames(chosen, textOf, world.readers))];
  for (const source of chosen) {
    for (const line of await differencesOf(source, textOf, world))
      problems.push(`sources.${source.name}: ${line}`);
  }
  if (call.flag('json')) call.io.json({ ok: problems.length === 0, problems });
  else {
    for (const problem of problems) call.io.print(`${call.io.paint('red', 'wrong')}: ${problem}`);
    if (problems.length === 0) call.io.print(call.io.paint('green', 'The sources are in order.'));
  }
  return problems.length === 0 ? exitCodes.pass : exitCodes.failed;
}

async function differencesOf(
  source: Source,
  textOf: (path: string) => string | null,
  { readers }: Opened['world'],
): Promise<readonly string[]> {
  if (!canReadSchema(source)) return [];
  try {
    const { schema: now } = await readSchema(source, readers);
    const file = source.schema === null ? null : textOf(source.schema);
    if (file === null) return [];
    const lines = await schemaDifferences(source, file, now, readers);
    const how = `write the schema file again: sallyport sources refresh ${source.name}`;
    return lines.length === 0 ? [] : [...lines, how];
  } catch (error) {
    return [visible(messageOf(error), 300)];
  }
}

async function refresh(call: Call): Promise<ExitCode> {
  const [, name] = onlyWords(call, ['refresh', 'the name of a source']);
  const { all, world } = await opened(call);
  const source = sourceNamed(all, name);
  if (source.schema === null) {
    throw new SallyportError(`the source "${name}" has no schema file`, {
      hint:
        source.kind === 'postgres'
          ? 'a PostgreSQL source needs none: the database itself is asked'
          : `write schema = "/path/to/${name}.sql" into [sources.${name}]`,
    });
  }
  const { schema: now, warnings } = await readSchema(source, world.readers);
  const before = (world.schemaText ?? world.readText)(source.schema);
  const lines = before === null ? [] : await schemaDifferences(source, before, now, world.readers);
  const draft = `${source.schema}.new`;
  writeFileSync(draft, now, { mode: statSync(source.schema, { throwIfNoEntry: false })?.mode ?? 0o600 });
  renameSync(draft, source.schema);
  if (call.flag('json')) call.io.json({ source: name, file: source.schema, changes: lines, warnings });
  else {
    for (const line of lines) call.io.print(`  ${line}`);
    call.io.print(`${source.schema} is written anew.`);
    for (const warning of warnings) call.io.warn(`${call.io.paint('yellow', 'note')}: ${warning}`);
  }
  return exitCodes.pass;
}
