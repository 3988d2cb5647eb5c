// sallyport init: connects an agent host, so that it asks before every tool, or takes that out again.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { displayPath, prepareHome } from '../../config/index.ts';
import {
  exitCodes,
  InputError,
  messageOf,
  nearest,
  SallyportError,
  UsageError,
  visible,
} from '../../core/index.ts';
import {
  clientScript,
  type HostName,
  hooksSeal,
  hostNames,
  hosts,
  oursAsText,
  type WiringScope,
  wirings,
} from '../../surfaces/hooks/index.ts';
import { askDaemon } from '../client.ts';
import { type Call, type Command, flagsOf, onlyWords } from '../command.ts';
import { approverFirst, disconnect } from '../connecting.ts';
import { lineDiff } from '../diff.ts';
import {
  bindCredential,
  clientFiles,
  clientParts,
  credentialIn,
  recordedHosts,
  sealOf,
  settingsFile,
  settingsText,
  startsShell,
  userFolder,
  writeClient,
  writeConnectedHosts,
  writeSettings,
} from '../hosts.ts';
import { hostLines, hostStates } from '../installed.ts';
import { withLedger } from '../ledger.ts';
import { initFlags, isManaged, manage, managedClientText, shellWanted } from '../managed.ts';
import { localAsker, openHome } from '../open.ts';
import { notePath } from '../start.ts';
import { needsRoot, systemHere } from '../system/here.ts';
import { runInside } from '../system/inside.ts';
import { agreeToWrite } from '../terminal.ts';

/** A file of a host before and after; null where there is none. */
export interface FileChange {
  readonly file: string;
  readonly found: string | null;
  readonly wanted: string | null;
}

export const command: Command = {
  usage: [
    'init',
    `init ${hostNames.join('|')} [--project] [--no-start] [--yes]`,
    'init HOST --remove [--project] [--yes]',
    'init HOST --managed [--no-start] [--remove]',
    'init HOST --client',
  ],
  about:
    'Without a host it lists them: which are installed here, and which are connected.\n' +
    'Connects an agent host: it then asks Sallyport before every tool that it runs. The change is shown first, and what\n' +
    'stands in the file is kept. A small client goes into the home and holds a credential that can ask, and do no more.\n' +
    "The client starts the daemon where it does not run, unless 'sallyport down' stopped it or --no-start is given.\n" +
    "For Codex, the entries by which it trusts the hooks are written too. The host's own variables for its folder, such\n" +
    'as CLAUDE_CONFIG_DIR and CODEX_HOME, are heeded. With --remove, exactly that is taken out, which takes\n' +
    'your passphrase once you have chosen one. Then: sallyport doctor.\n' +
    'With "[shell] transactional = true" in your sallyport.toml, Claude Code also starts its commands through the client,\n' +
    'on an overlay of the workspace: what they change is judged before it counts. Run init again after you change that.\n' +
    'With a system daemon (up --system), run it with sudo: the client then asks on the socket of that daemon.',
  examples: ['init', 'init claude', 'init codex --project', 'init claude --remove'],
  options: {
    user: { help: "in the host's settings for you; this is the default" },
    project: { help: "in the host's settings for the current folder" },
    start: { help: 'let the client start the daemon where it is not running; this is the default' },
    'no-start': { help: 'let the client deny where the daemon is not running' },
    managed: {
      help: 'in the settings of the whole machine, which no setting of a user or project overrules',
    },
    client: { help: 'print the client that --managed installs, and install nothing' },
    remove: { help: 'take it out again' },
    yes: { help: 'do not ask' },
  },
  async run(call) {
    if (call.words.length === 0) return list(call);
    const [name] = onlyWords(call, ['the host']);
    const host = hostNames.find((known) => known === name);
    if (host === undefined) {
      const near = nearest(name, hostNames);
      throw new UsageError(
        `unknown host "${visible(name, 40)}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
        `known hosts: ${hostNames.join(', ')}`,
      );
    }
    if (call.flag('user') && call.flag('project')) throw new UsageError('--user or --project, not both');
    if (call.flag('start') && call.flag('no-start')) throw new UsageError('--start or --no-start, not both');
    if (call.flag('client')) return await printClient(call, host);
    if (call.flag('managed')) {
      if (call.flag('user') || call.flag('project')) throw new UsageError('--managed stands alone');
      return await manage(call, host);
    }
    const system = systemHere(call.io.environment);
    const words = ['init', host, ...flagsOf(call, initFlags)];
    if (system?.as === 'account') throw needsRoot(words, system.daemon);
    if (system?.as === 'root') return await runInside(system.daemon, words);
    const scope = call.flag('project') ? 'project' : 'user';
    return call.flag('remove') ? await remove(call, host, scope) : await add(call, host, scope);
  },
};

/** Lists the hosts; options ask for a change, which takes a host. */
function list(call: Call) {
  const option = [...initFlags, 'client'].find((name) => name !== 'json' && call.flag(name));
  if (option !== undefined)
    throw new UsageError(`--${option} takes a host`, `known hosts: ${hostNames.join(', ')}`);
  const states = hostStates(call, openHome(call).paths);
  if (call.flag('json')) call.io.json({ hosts: states });
  else {
    for (const line of hostLines(call, states)) call.io.print(line);
    call.io.print("Connect one: 'sallyport init HOST'.");
  }
  return exitCodes.pass;
}

async function printClient(call: Call, host: HostName) {
  const client = await managedClientText(call, host);
  if (call.flag('json')) call.io.json({ host, client });
  else call.io.print(client);
  return exitCodes.pass;
}

function fileOf(call: Call, host: HostName, scope: WiringScope): string {
  return settingsFile(host, scope, { environment: call.io.environment, folder: call.io.folder() });
}

async function add(call: Call, host: HostName, scope: WiringScope) {
  const { home, paths, world } = openHome(call);
  const approver = await approverFirst(call, home);
  const file = fileOf(call, host, scope);
  const { script } = clientFiles(home, host);
  const found = settingsText(file);
  const shell = await shellWanted(call, host);
  const wanted = await edited(file, async () => wirings[host].add(found, script, shell));
  const trust =
    host === 'codex' ? await codexTrust(call, file, wanted, script) : { change: null, note: null };
  const changes = [{ file, found, wanted }, ...(trust.change === null ? [] : [trust.change])];
  await agree(call, changes);
  prepareHome(home);
  // The client stands before anything names it: a host that finds no program would run its tools unasked.
  const { environment } = call.io;
  const start = !call.flag('no-start');
  if (start) notePath(call, paths);
  const { parts, client } = await withLedger(call, async (ledger) => {
    const proof = await bindCredential(home, host, ledger, world.now());
    const made = clientParts(home, host, proof, { start, environment });
    const seal = sealOf(clientScript(made), ledger);
    // INVARIANT: the log comes before the registry, which the daemon checks against it.
    const act = { ...localAsker(), time: world.now() };
    const ours = hooksSeal(ledger, oursAsText(host, wanted, script));
    await ledger.connections.connect({ host, file, scope, client: seal, hooks: ours }, act);
    return { parts: made, client: seal };
  });
  // The registry first: the daemon restores a client that it does not know.
  const others = recordedHosts(paths)
    .filter((one) => one.file !== file || one.host !== host)
    .map((one) => (one.host === host ? { ...one, client } : one));
  writeConnectedHosts(paths, [...others, { host, file, scope, client }]);
  writeClient(parts);
  writeChanges(changes);
  const changed = changes.some(isChange);
  if (call.flag('json')) call.io.json({ host, scope, file, client: script, changed });
  else {
    const shown = displayPath(file, environment['HOME']);
    const word = changed ? 'is connected' : 'was connected already';
    call.io.print(`${hosts[host].title} ${word}: ${shown}`);
    const ready = await readiness(paths, start);
    for (const note of [notes[host], shellNote(host, shell), trust.note, approver, ready]) {
      if (note !== undefined && note !== null) call.io.print(`  ${note}`);
    }
  }
  return exitCodes.pass;
}

/** What is said of commands as transactions. */
function shellNote(host: HostName, isOn: boolean): string | null {
  if (!startsShell(host)) return null;
  return isOn
    ? 'Its commands are transactions: what they change in the workspace is judged before it counts.'
    : `Its commands can be transactions, judged by what they really change: put "[shell] transactional = true" into your sallyport.toml, then run 'sallyport init ${host}' again.`;
}

const notes: Readonly<Partial<Record<HostName, string>>> = {
  copilot: 'Copilot loads hooks of a project only once its folder is trusted.',
};

/** What is left to do for the daemon. */
async function readiness(
  { ask, stopped }: { readonly ask: string; readonly stopped: string },
  start: boolean,
): Promise<string> {
  const proof = "'sallyport doctor' proves that it blocks.";
  if ((await askDaemon(ask, 'GET /livez')) !== null) return `The daemon runs; ${proof}`;
  if (existsSync(stopped))
    return `'sallyport down' stopped the daemon: start it with 'sallyport up'. ${proof}`;
  return start
    ? `The daemon starts by itself with the first call; ${proof}`
    : `Start the daemon with 'sallyport up'; ${proof}`;
}

/** What must stand in Codex's config.toml, so that it calls the hooks; or what the user has to do. */
async function codexTrust(
  call: Call,
  file: string,
  wanted: string,
  script: string,
): Promise<{ readonly change: FileChange | null; readonly note: string | null }> {
  const { environment } = call.io;
  // Loaded for Codex alone.
  const [{ trustFor }, { withTrust }] = await Promise.all([
    import('../codex.ts'),
    import('../codex-trust.ts'),
  ]);
  const commands = wirings.codex.commands(wanted, script);
  const entries = await trustFor(wanted, { file, commands, environment });
  if (typeof entries === 'string') {
    const note = `Codex calls these hooks only once it trusts them, and could not be asked how (${entries}): open /hooks in Codex and trust them, or run 'sallyport init codex' again where codex is on PATH.`;
    return { change: null, note };
  }
  const config = trustFile(call);
  const found = settingsText(config);
  const trusted = await edited(config, () => withTrust(found, entries));
  return { change: { file: config, found, wanted: trusted }, note: null };
}

/** Where Codex keeps what the user trusts, for hooks of projects as well. */
function trustFile(call: Call): string {
  return join(userFolder('codex', call.io.environment), 'config.toml');
}

/** Codex's config.toml without the entries of our hooks. */
async function codexDistrust(call: Call, file: string, found: string, script: string): Promise<FileChange> {
  const [{ hookNames }, { withoutTrust }] = await Promise.all([
    import('../codex.ts'),
    import('../codex-trust.ts'),
  ]);
  const ours = new Set(Object.values(wirings.codex.commands(found, script)));
  const config = trustFile(call);
  const text = settingsText(config);
  const names = hookNames(file, found, (command) => ours.has(command));
  const wanted = text === null ? null : await edited(config, () => withoutTrust(text, names));
  return { file: config, found: text, wanted };
}

async function remove(call: Call, host: HostName, scope: WiringScope) {
  const { home, paths, world } = openHome(call);
  const file = fileOf(call, host, scope);
  const { script, carrier, header } = clientFiles(home, host);
  const found = settingsText(file);
  const wanted = found === null ? null : await edited(file, async () => wirings[host].remove(found, script));
  const trust = host === 'codex' && found !== null ? [await codexDistrust(call, file, found, script)] : [];
  const changes = [{ file, found, wanted }, ...trust];
  await agree(call, changes);
  await withLedger(call, (ledger) => disconnect(call, ledger, { host, file }));
  // The registry first: the daemon puts hooks back that go from a file which it still names.
  const others = recordedHosts(paths).filter((one) => one.file !== file || one.host !== host);
  writeConnectedHosts(paths, others);
  writeChanges(changes);
  // As long as another file names the client, it stays: a host that finds no program would run its tools unasked.
  if (!others.some((one) => one.host === host) && !isManaged(host)) {
    await withLedger(call, async (ledger) => {
      const known = await credentialIn(header, ledger);
      if (known?.agent === host) await ledger.credentials.revoke(known.credential, world.now());
    });
    for (const path of [script, header]) rmSync(path, { force: true });
    if (others.length === 0) rmSync(carrier, { force: true });
  }
  const changed = changes.some(isChange);
  if (call.flag('json')) call.io.json({ host, scope, file, changed });
  else {
    const shown = displayPath(file, call.io.environment['HOME']);
    call.io.print(`${hosts[host].title} ${changed ? 'is no longer' : 'was not'} connected: ${shown}`);
  }
  return exitCodes.pass;
}

/** Errors that arise in a file name it. */
async function edited<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const hint = error instanceof SallyportError ? error.hint : undefined;
    throw new InputError(`${visible(file)}: ${messageOf(error)}`, {
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

function isChange({ found, wanted }: FileChange): boolean {
  return found !== wanted;
}

/** Writes what was agreed to, in this order. */
function writeChanges(changes: readonly FileChange[]): void {
  for (const change of changes) if (isChange(change)) writeSettings(change.file, change.wanted);
}

/** Shows the changes and asks for a yes. */
export async function agree(call: Call, all: readonly FileChange[]): Promise<void> {
  const changes = all.filter(isChange);
  if (changes.length === 0) return;
  if (!call.flag('json')) for (const change of changes) showChange(call, change);
  if (call.flag('yes')) return;
  await agreeToWrite();
}

function showChange(call: Call, { file, found, wanted }: FileChange): void {
  const gone = wanted === null ? ' (the file goes)' : found === null ? ' (a new file)' : '';
  call.io.print(`${visible(file)}${gone}`);
  for (const line of lineDiff(found ?? '', wanted ?? '')) {
    const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
    call.io.print(call.io.paint(colour, `  ${visible(line)}`));
  }
}
