// sallyport sources: what queries go to, whether its schema file is right, and how to write that anew.

import { renameSync, writeFileSync } from 'node:fs';
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
import { schemaDifferences, schemaFromSource, tellsSchema } from '../../run/query/sources.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { type Opened, openConfig, settingsHere } from '../open.ts';

export const command: Command = {
  usage: ['sources list', 'sources check [NAME]', 'sources refresh NAME'],
  about:
    'list shows the sources that the configuration names.\n' +
    'check reads their schemas, compares them with the databases, and names what is wrong with their lists.\n' +
    'refresh asks a PostgreSQL or SQLite source for its tables, and writes its schema file anew.',
  options: {},
  async run(call) {
    const [verb] = call.words;
    if (verb === 'list') return await list(call);
    if (verb === 'check') return await check(call);
    if (verb === 'refresh') return await refresh(call);
    throw new UsageError(
      verb === undefined ? 'say list, check or refresh' : `unknown word "${verb}"`,
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
    call.io.json(all.map(({ name, kind, schema, url }) => ({ name, kind, schema, place: placeOf(url) })));
    return exitCodes.pass;
  }
  if (all.length === 0) call.io.print('There are no sources. Name one under [sources] in sallyport.toml.');
  for (const { name, kind, schema, url } of all) {
    call.io.print(`${name}  ${kind}  ${placeOf(url) ?? 'is judged, and not run'}`);
    call.io.print(`    schema: ${schema ?? (kind === 'postgres' && url !== null ? 'the database' : 'none')}`);
  }
  return exitCodes.pass;
}

/** Where a source is, without what is secret about it. */
function placeOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
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
  if (!tellsSchema(source)) return [];
  try {
    const now = await schemaFromSource(source);
    const file = source.schema === null ? null : textOf(source.schema);
    if (file === null) return [];
    const lines = await schemaDifferences(source, file, now, readers);
    const how = `write the schema file anew: sallyport sources refresh ${source.name}`;
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
  const now = await schemaFromSource(source);
  const before = (world.schemaText ?? world.readText)(source.schema);
  const lines = before === null ? [] : await schemaDifferences(source, before, now, world.readers);
  const draft = `${source.schema}.new`;
  writeFileSync(draft, now);
  renameSync(draft, source.schema);
  if (call.flag('json')) call.io.json({ source: name, file: source.schema, changes: lines });
  else {
    for (const line of lines) call.io.print(`  ${line}`);
    call.io.print(`${source.schema} is written anew.`);
  }
  return exitCodes.pass;
}
