// sallyport mcp add: a server is installed, tried out in a sandbox with no more than it needs, shown with what it may
// reach, and written to the user's file once they have agreed.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ExitCode, exitCodes, SallyportError, UsageError, visible } from '../core/index.ts';
import { findSandbox } from '../run/index.ts';
import type { Call } from './command.ts';
import { type Extension, extendedConfig, writeExtension } from './config-file.ts';
import { tomlOf } from './imported.ts';
import { askCandidate } from './mcp-servers.ts';
import { openConfig } from './open.ts';
import {
  absolute,
  type NpmPackage,
  npmPackage,
  type Profile,
  profileOf,
  type Start,
  startOf,
} from './server-profile.ts';
import { agreeTo, agreeToWrite } from './terminal.ts';

/** The package could not be installed. */
class NotInstalled extends SallyportError {}
/** The server does not start, in the sandbox that it would run in. */
class NotStarted extends SallyportError {}

/** Adds a server to the user's file, once they have agreed. */
export async function addServer(call: Call): Promise<ExitCode> {
  const [, name = '', place = '', ...args] = call.words;
  if (name === '' || place === '')
    throw new UsageError('mcp add takes a name and an address, or a name, -- and a command');
  const { config } = await openConfig(call);
  if (config.servers.some((one) => one.name === name))
    throw new UsageError(`there is a server "${visible(name, 80)}" already`);
  const isUrl = /^https?:\/\//.test(place);
  if (isUrl && args.length > 0) throw new UsageError('an address takes no arguments');
  const extension = isUrl
    ? await extended(call, name, { url: place })
    : await program(call, name, place, args);
  if (!call.flag('yes')) await agreeToWrite();
  writeExtension(call, extension);
  call.io.print(
    `Added to ${extension.file}. Look at what it offers: sallyport mcp test ${name}; then: sallyport mcp trust ${name}`,
  );
  return exitCodes.pass;
}

type Section = Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>>>>;

/** The configuration with the server, shown. */
async function extended(call: Call, name: string, section: Section, profile?: Profile): Promise<Extension> {
  const text = textOf(name, section, profile);
  const extension = await extendedConfig(call, text, { hint: 'a name has small letters, digits and dashes' });
  call.io.print(text.trimEnd());
  return extension;
}

function textOf(name: string, section: Section, profile?: Profile): string {
  const plain = tomlOf([{ name, file: 'sallyport mcp add', section, variables: [] }]);
  if (profile === undefined) return plain;
  const { read, write, network } = profile.sandbox;
  const list = (paths: readonly string[]) => `[${paths.map((path) => JSON.stringify(path)).join(', ')}]`;
  return `${plain}\n[servers.${name}.sandbox]\nread = ${list(read)}\nwrite = ${list(write)}\nnetwork = "${network}"\n`;
}

/** A server that is a program: tried out in its sandbox, where there is one. */
async function program(
  call: Call,
  name: string,
  command: string,
  args: readonly string[],
): Promise<Extension> {
  const names = (call.value('env') ?? '').split(',').filter((one) => one !== '');
  const env = names.length === 0 ? {} : { env: Object.fromEntries(names.map((one) => [one, `env:${one}`])) };
  const sectionOf = (start: Start): Section => ({
    command: start.command,
    ...(start.args.length === 0 ? {} : { args: start.args }),
    ...env,
  });
  const found = await findSandbox();
  if (call.flag('no-sandbox') || 'problem' in found) {
    const why = 'problem' in found ? `: ${found.problem}` : '';
    call.io.warn(`This server runs as you, without a sandbox${why}. It reads and writes what you can.`);
    return await extended(call, name, sectionOf({ command, args }));
  }
  const npm = npmPackage(command, args);
  const start =
    npm === undefined
      ? { command: absolute(command, call.io.environment['PATH']), args }
      : startOf(npm, await installed(call, name, npm));
  const first = profileOf(start, names.length > 0);
  const profile = await tried(call, name, sectionOf(start), first);
  for (const line of reachOf(profile)) call.io.print(line);
  return await extended(call, name, sectionOf(start), profile);
}

/** Installs a package into a folder of its own, once the user has agreed. INVARIANT: no script of a package is run. */
async function installed(call: Call, name: string, { spec }: NpmPackage): Promise<string> {
  const { XDG_DATA_HOME: data = '' } = call.io.environment;
  const folder = join(data || join(homedir(), '.local', 'share'), 'sallyport', 'servers', name);
  call.io.print(`Installs ${visible(spec, 200)} with npm into ${folder}; no install script is run.`);
  if (!call.flag('yes')) await agreeTo('Install it?', 'nothing was installed');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--', spec];
  const { status } = spawnSync('npm', words, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new NotInstalled(`npm could not install ${visible(spec, 200)} into ${folder}`);
  return folder;
}

/** The profile with which the server starts and lists its tools: without the network, if that is enough for it. */
async function tried(call: Call, name: string, section: Section, first: Profile): Promise<Profile> {
  const open: Profile = { ...first, sandbox: { ...first.sandbox, network: 'host' } };
  let problem = '';
  for (const profile of first.sandbox.network === 'host' ? [first] : [first, open]) {
    const { config } = await extendedConfig(call, textOf(name, section, profile), {
      hint: 'set the variables that it needs first',
    });
    const server = config.servers.find((one) => one.name === name);
    if (server === undefined) break;
    const asked = await askCandidate(call, server);
    if (asked.problem === null) {
      call.io.print(`It starts in its sandbox and lists ${asked.tools.length} tools.`);
      return profile;
    }
    problem = asked.problem;
  }
  throw new NotStarted(`it does not start in its sandbox: ${visible(problem, 500)}`, {
    hint: 'pass the variables that it needs with --env NAME, or add it with --no-sandbox to run it as you',
  });
}

/** What the user agrees to. */
function reachOf({ sandbox: { read, write, network }, hosts }: Profile): readonly string[] {
  const list = (paths: readonly string[]) => (paths.length === 0 ? 'nothing' : paths.join(', '));
  const named = hosts.length === 0 ? '' : `; its code names ${hosts.join(', ')}`;
  return [
    `reads   the system and ${list(read)}`,
    `writes  ${list(write)}`,
    `network ${network === 'off' ? 'none' : `any host${named}`}`,
  ];
}
