// Proves that a connected host is guarded: looks at what the host loads, asks it, and calls the command in its settings with
// an event that must be denied.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { displayPath, paths, worksForAnother } from '../config/index.ts';
import { isJsonObject, messageOf, SallyportError, visible } from '../core/index.ts';
import { overlayProblem } from '../run/shell/hosted.ts';
import {
  type Host,
  type HostName,
  hasPrefix,
  hostNames,
  hosts,
  managedScript,
  switchedOff,
  switchedOffBy,
  unansweredReply,
  wirings,
  withoutOurs,
} from '../surfaces/hooks/index.ts';
import type { Check } from '../surfaces/http/host-control.ts';
import type { CodexTrust } from './codex.ts';
import type { Call } from './command.ts';
import { codexAnswer, installedVersion, pluginFolder, versionNote } from './host-answers.ts';
import {
  type ConnectedHost,
  clientFiles,
  clientScripts,
  connectedHosts,
  isProgram,
  recordedHosts,
  settingsFile,
  settingsText,
  startsShell,
  userFolder,
} from './hosts.ts';
import { withLedger } from './ledger.ts';
import { isManaged, managedState, shellWanted } from './managed.ts';
import { openHome } from './open.ts';
import { ProcessorTime } from './processor-time.ts';
import { systemHere } from './system/here.ts';

/** A wired host is not guarded as it should be. */
class NotGuarded extends SallyportError {}

/** How a provocation ended. */
interface Provoked {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

/** Longer than the client takes to give up on a daemon that hangs. */
const patienceMs = 20_000;

/** One check for each file that names our client, as soon as it is known. */
export async function* checkHosts(
  call: Call,
  time: ProcessorTime = new ProcessorTime(),
): AsyncGenerator<Check> {
  const { home, paths: own } = openHome(call);
  const known = await connectedHosts(call, recordedHosts(own));
  const found = namedElsewhere(call, known);
  // A file that names the client of this home is checked like any other, though nobody wrote it down.
  const isOwn = ({ host, client }: NamedClient) => client === clientFiles(home, host).script;
  const wired = [...known, ...found.filter(isOwn)];
  const strange = found.filter((one) => !isOwn(one));
  const managed = hostNames.filter(isManaged);
  for (const name of managed) yield { name, ...(await checkManaged(call, name)) };
  // Settings of the machine hold against those of a project, but for Gemini CLI.
  const held = managed.filter((name) => name !== 'gemini');
  yield* broughtAlong(call, new Set([...held, ...wired.map(({ host }) => host)]));
  if (managed.length + wired.length + strange.length === 0) {
    yield { name: 'hosts', state: 'note', says: "none is connected: 'sallyport init claude'" };
    return;
  }
  const names = [...new Set(wired.map(({ host }) => host))];
  call.io.progress('asking the hosts …');
  const told = await time.ofOthers(() => askHosts(call, wired));
  // The account cannot open the store of a system daemon, nor change the clients that it wrote.
  const isClosed = systemHere(call.io.environment)?.as === 'account';
  const scripts = names.length === 0 || isClosed ? new Map() : await wantedScripts(call, names);
  for (const one of wired) {
    call.io.progress(`${one.host} …`);
    const wanted = isClosed ? null : (scripts.get(one.host) ?? []);
    const facts = { told: told.get(one.host) ?? emptyReport, scripts: wanted };
    yield { name: one.host, ...(await checkHost(call, one, facts)) };
  }
  for (const name of names) {
    const { says, isOther } = versionNote(name, told.get(name)?.version ?? null);
    if (isOther) yield { name, state: 'note', says };
  }
  yield* unreadFiles(call, wired);
  const through = wired.filter(({ host }) => startsShell(host));
  if (through.length > 0 && !isClosed) yield* checkShell(call, through);
  for (const one of strange) yield strangeClient(call, one);
}

/** Whether the commands of a host are transactions, where the user wants that. */
async function* checkShell(call: Call, wired: readonly ConnectedHost[]): AsyncGenerator<Check> {
  const { home } = openHome(call);
  const name = 'shell';
  const without = wired.filter(
    ({ host, file }) => !hasPrefix(settingsText(file) ?? '', clientFiles(home, host).script),
  );
  const titles = [...new Set(wired.map(({ host }) => hosts[host].title))].join(', ');
  const wanted = await shellWanted(call, 'claude');
  if (!wanted && without.length === wired.length) return;
  if (!wanted || without.length > 0) {
    const says = wanted
      ? `[shell] transactional is on, and ${titles} does not start commands through the client: run 'sallyport init claude'`
      : `[shell] transactional is off, and ${titles} still starts commands through the client: 'sallyport init claude' ends that`;
    yield { name, state: 'note', says };
    return;
  }
  const problem = await overlayProblem(home, call.io.folder());
  yield problem === null
    ? { name, state: 'ok', says: `commands of ${titles} are transactions in this folder` }
    : { name, state: 'note', says: `commands of ${titles} run without a transaction here: ${problem}` };
}

/** Switches that a project brings along for hosts that are not connected: connected here, they would run unguarded. */
function* broughtAlong(call: Call, connected: ReadonlySet<HostName>): Generator<Check> {
  const folder = call.io.folder();
  for (const name of hostNames.filter((host) => !connected.has(host))) {
    const [first] = switchedOffBy(name, [...new Set([folder, repositoryOf(folder)])]);
    if (first === undefined) continue;
    const where = displayPath(first.where, call.io.environment['HOME']);
    const says = `${where}: ${first.what}, so ${hosts[name].title} would run unguarded in this project; remove it before you connect the host`;
    yield { name, state: 'note', says };
  }
}

/** Whether the settings of the machine hold the hooks of a host, and their client denies. */
async function checkManaged(call: Call, name: HostName): Promise<Omit<Check, 'name'>> {
  const { client, stale } = managedState(name);
  if (stale.length > 0) {
    const files = stale.map((file) => visible(file)).join(', ');
    return { state: 'fail', says: `${files}: not as 'sallyport init ${name} --managed' writes it` };
  }
  const host = hosts[name];
  const { event, value } = host.provocation(call.io.folder());
  try {
    const first = await run(client, [event], value);
    requireDeny(host, first);
    const says = `by settings of the machine it denied a deletion of / in ${Math.round(first.tookMs)} ms`;
    return { state: 'ok', says };
  } catch (error) {
    return { state: 'fail', says: visible(messageOf(error), 500) };
  }
}

/** What a host said of itself. */
interface HostReport {
  readonly version: string | null;
  /** By the file that holds the hooks; for Codex alone. */
  readonly trust: ReadonlyMap<string, CodexTrust>;
  /** Where plugins are looked for; for opencode and Kilo alone. */
  readonly folder: string | null;
}

const emptyReport: HostReport = { version: null, trust: new Map(), folder: null };

/** Asks every host that is connected, all at once. */
async function askHosts(
  call: Call,
  wired: readonly ConnectedHost[],
): Promise<ReadonlyMap<HostName, HostReport>> {
  const { environment } = call.io;
  const { home } = openHome(call);
  const ask = async (host: HostName): Promise<[HostName, HostReport]> => {
    const files = host === 'codex' ? wired.filter((one) => one.host === host) : [];
    const asked = files.map(async (one): Promise<[string, CodexTrust]> => {
      const commands = codexCommands(one.file, clientFiles(home, host).script);
      const folder = projectOf(call, one) ?? call.io.folder();
      return [one.file, await codexAnswer({ file: one.file, folder, commands, environment })];
    });
    const [version, folder, trust] = await Promise.all([
      installedVersion(host, environment),
      host === 'opencode' || host === 'kilo' ? pluginFolder(host, environment) : null,
      Promise.all(asked),
    ]);
    return [host, { version, folder, trust: new Map(trust) }];
  };
  return new Map(await Promise.all([...new Set(wired.map(({ host }) => host))].map(ask)));
}

/** Our commands in a file of Codex; none where it cannot be read, which is found out elsewhere. */
function codexCommands(file: string, script: string): Readonly<Record<string, string>> {
  try {
    return wirings.codex.commands(settingsText(file) ?? '', script);
  } catch {
    return {};
  }
}

/** The client of each host as it should be; opened once, since opening the ledger is what takes time. */
function wantedScripts(
  call: Call,
  names: readonly HostName[],
): Promise<ReadonlyMap<HostName, readonly string[]>> {
  const { home } = openHome(call);
  return withLedger(call, async (ledger) => {
    const all = names.map(async (name): Promise<[HostName, readonly string[]]> => {
      return [name, await clientScripts(home, name, ledger, call.io.environment)];
    });
    return new Map(await Promise.all(all));
  });
}

/** The project that a file belongs to; null for a file of the user's. */
function projectOf(call: Call, { host, file, scope }: ConnectedHost): string | null {
  const below = `/${wirings[host].project}`;
  const { HOME } = call.io.environment;
  const isUsers =
    scope === 'user' ||
    (scope === undefined &&
      HOME !== undefined &&
      file === join(HOME, wirings[host].user.folder, wirings[host].user.file));
  return !isUsers && file.endsWith(below) ? file.slice(0, -below.length) : null;
}

/** Hosts that are connected for the user, and read another file by now: a variable of theirs was set or changed. */
function* unreadFiles(call: Call, wired: readonly ConnectedHost[]): Generator<Check> {
  const where = { environment: call.io.environment, folder: call.io.folder() };
  for (const name of new Set(wired.map(({ host }) => host))) {
    const files = wired.filter((one) => one.host === name && projectOf(call, one) === null);
    if (files.length === 0) continue;
    const { moved } = wirings[name].user;
    try {
      const read = settingsFile(name, 'user', where);
      if (files.some(({ file }) => file === read)) continue;
      const why = moved === undefined || !where.environment[moved.variable] ? '' : ` (${moved.variable})`;
      const shown = displayPath(read, where.environment['HOME']);
      const says = `${hosts[name].title} reads ${shown}${why}, which does not name the client, so it runs unguarded; run 'sallyport init ${name}'`;
      yield { name, state: 'fail', says };
    } catch (error) {
      yield { name, state: 'fail', says: messageOf(error) };
    }
  }
}

/** A file of a host that names a client of Sallyport. */
interface NamedClient extends ConnectedHost {
  readonly client: string;
}

/** The hosts' own files that name a client without standing in the list of those that were wired. */
function namedElsewhere(call: Call, known: readonly ConnectedHost[]): readonly NamedClient[] {
  const where = { environment: call.io.environment, folder: call.io.folder() };
  const isKnown = (host: HostName, file: string) =>
    known.some((one) => one.host === host && one.file === file);
  return hostNames.flatMap((host) => {
    const files = (['user', 'project'] as const).flatMap((scope) => {
      try {
        return [settingsFile(host, scope, where)];
      } catch {
        // Without a home folder there are no settings of the user.
        return [];
      }
    });
    return [...new Set(files)]
      .filter((file) => !isKnown(host, file))
      .flatMap((file) => clientsIn(host, file).map((client) => ({ host, file, client })));
  });
}

function clientsIn(host: HostName, file: string): readonly string[] {
  try {
    return wirings[host].clients(settingsText(file) ?? '');
  } catch {
    // What cannot be read as settings names nothing that the host could call.
    return [];
  }
}

function strangeClient(call: Call, { host, file, client }: NamedClient): Check {
  const shown = displayPath(file, call.io.environment['HOME']);
  const again = `'sallyport init ${host}' connects this home`;
  return isProgram(client)
    ? {
        name: host,
        state: 'note',
        says: `${shown} names the client of another home, ${visible(client)}; ${again}`,
      }
    : {
        name: host,
        state: 'fail',
        says: `${shown} names a client that is gone, ${visible(client)}; ${again}`,
      };
}

/** What is known about a host before it is provoked. */
interface HostFacts {
  readonly told: HostReport;
  /** The texts that its client may have; null where only a system daemon knows. */
  readonly scripts: readonly string[] | null;
}

async function checkHost(call: Call, wired: ConnectedHost, facts: HostFacts): Promise<Omit<Check, 'name'>> {
  const { host: name, file } = wired;
  const { home } = openHome(call);
  const host = hosts[name];
  const { script } = clientFiles(home, name);
  const shown = displayPath(file, call.io.environment['HOME']);
  try {
    const found = settingsText(file);
    if (found === null) throw new NotGuarded(`${shown} is gone; 'sallyport init ${name}' writes it again`);
    const { event, value } = host.provocation(call.io.folder());
    const command = requireNamed(name, found, script, shown, event);
    requireSwitchedOn(call, wired);
    requireClient(home, name, facts.scripts);
    const first = file.endsWith('.js')
      ? await throughPlugin(file, value)
      : await run('/bin/sh', ['-c', command], value);
    requireDeny(host, first);
    requireCurrent(name, found, script, shown);
    requireSameFolder(call, wired, facts.told);
    const unsure = name === 'codex' ? doubtOfCodex(call, wired, facts.told, shown) : null;
    const { says: proof } = versionNote(name, facts.told.version);
    if (!/\(sallyport why [\w-]+\)/.test(first.stderr)) {
      const more = unsure === null ? '' : `; ${unsure}`;
      return { state: 'note', says: `it denies, for the daemon does not answer it${more}; ${shown}` };
    }
    const says = `it denied a deletion of / in ${Math.round(first.tookMs)} ms`;
    return unsure === null
      ? { state: 'ok', says: `${says}; ${proof}; ${shown}` }
      : { state: 'note', says: `the client: ${says}; ${unsure}; ${shown}` };
  } catch (error) {
    return { state: 'fail', says: visible(error instanceof Error ? error.message : String(error), 500) };
  }
}

/** The command that the host would call at a moment. */
function requireNamed(name: HostName, found: string, script: string, shown: string, event: string): string {
  const idle = wirings[name].idle(found);
  if (idle !== null) throw new NotGuarded(`${shown}: ${idle}`);
  const command = wirings[name].commands(found, script)[event];
  if (command !== undefined) return command;
  throw new NotGuarded(`${shown} no longer names the client; 'sallyport init ${name}' writes it again`);
}

/** Nothing else that the host reads may switch its hooks off. */
function requireSwitchedOn(call: Call, wired: ConnectedHost): void {
  const { home } = openHome(call);
  const { environment } = call.io;
  const { script } = clientFiles(home, wired.host);
  const folder = projectOf(call, wired) ?? call.io.folder();
  const [first] = switchedOff(wired.host, {
    projects: [...new Set([folder, repositoryOf(folder)])],
    user: userFolder(wired.host, environment),
    environment,
    namesClient: (text) => text.includes(script),
    withoutOurs: (text) =>
      [script, managedScript(wired.host)].reduce((rest, one) => withoutOurs(wired.host, rest, one), text),
  });
  if (first === undefined) return;
  const where = displayPath(first.where, environment['HOME']);
  throw new NotGuarded(
    `${where}: ${first.what}, so ${hosts[wired.host].title} does not call the hooks; remove it`,
  );
}

/** The folder of the repository that a folder lies in; itself where it lies in none. */
function repositoryOf(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, '.git'))) return at;
  return folder;
}

/** The client must be there, ours alone, and as it was written. */
function requireClient(home: string, name: HostName, wanted: readonly string[] | null): void {
  const { script, header } = clientFiles(home, name);
  const again = `'sallyport init ${name}' writes it again`;
  for (const path of [script, header]) {
    if (!existsSync(path)) throw new NotGuarded(`${visible(path)} is gone; ${again}`);
  }
  if (wanted === null) {
    for (const path of [paths(home).bin, script]) notMine(path);
    return;
  }
  if (!worksForAnother()) for (const path of [paths(home).bin, script, header]) onlyMine(path);
  if (wanted.includes(readFileSync(script, 'utf8'))) return;
  throw new NotGuarded(`${visible(script)} is not as it was written, or its programs moved; ${again}`);
}

/** The host must look where the file lies, by its own word. */
function requireSameFolder(call: Call, wired: ConnectedHost, { folder }: HostReport): void {
  if (folder === null || projectOf(call, wired) !== null || wired.file.startsWith(`${folder}/`)) return;
  throw new NotGuarded(
    `${hosts[wired.host].title} looks for plugins in ${visible(folder)}, not where ${visible(wired.file)} lies; run 'sallyport init ${wired.host}'`,
  );
}

/** Every moment must call the client, and in the form that denies where the client fails. */
function requireCurrent(name: HostName, found: string, script: string, shown: string): void {
  const { add, commands } = wirings[name];
  const wanted = commands(add(null, script), script);
  const there = commands(found, script);
  const stale = Object.keys(wanted).filter((event) => there[event] !== wanted[event]);
  if (stale.length === 0) return;
  throw new NotGuarded(
    `${shown} was written by an earlier version, or changed since: ${stale.join(', ')}; run 'sallyport init ${name}' again`,
  );
}

/** Why it is not known whether Codex calls the hooks in a file, or null; throws where it does not. */
function doubtOfCodex(call: Call, wired: ConnectedHost, { trust }: HostReport, shown: string): string | null {
  const said = trust.get(wired.file) ?? { answer: 'none', why: 'it was not asked' };
  if (said.answer === 'trusted') return null;
  if (said.answer === 'not loaded') {
    const folder = projectOf(call, wired) ?? call.io.folder();
    throw new NotGuarded(
      `Codex does not load the hooks in ${shown} here and runs its tools without them: look for "hooks = false" below [features] in its config.toml and in ${visible(join(folder, '.codex', 'config.toml'))}`,
    );
  }
  if (said.answer === 'not trusted') {
    throw new NotGuarded(
      `Codex does not trust the hooks in ${shown} and runs its tools without them (${said.events.join(', ')}): run 'sallyport init codex', or open /hooks in Codex and trust them`,
    );
  }
  const folder = projectOf(call, wired) ?? call.io.folder();
  const [found] = switchedOffBy('codex', [...new Set([folder, repositoryOf(folder)])]);
  if (found !== undefined) {
    const where = displayPath(found.where, call.io.environment['HOME']);
    throw new NotGuarded(`${where}: ${found.what}, so Codex does not call the hooks; remove it`);
  }
  return `could not ask Codex whether it trusts the hooks (${said.why}): open /hooks in Codex and look`;
}

/** INVARIANT: what counts as a deny is a deny in the host's own JSON, a text, and the exit code that goes with it. */
function requireDeny(host: Host, { status, stdout, stderr }: Provoked): void {
  const { exit } = unansweredReply(host, host.provocation('/').event);
  if (status === exit && stderr.trim() !== '' && saysDeny(stdout)) return;
  throw new NotGuarded(`${host.title} would have run a deletion of /: the hook ended with ${status}`);
}

/** Whether a reply denies, in whichever host's words. */
function saysDeny(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isJsonObject(value)) return false;
  const inner = isJsonObject(value['hookSpecificOutput']) ? value['hookSpecificOutput'] : value;
  const word = inner['permissionDecision'] ?? inner['permission'] ?? inner['decision'];
  return word === 'deny' || typeof inner['deny'] === 'string';
}

function onlyMine(path: string): void {
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0) throw new NotGuarded(`${visible(path)} is open to others`);
  if (uid !== (process.geteuid?.() ?? uid)) throw new NotGuarded(`${visible(path)} belongs to another user`);
}

/** What a system daemon wrote must be out of reach for the account. */
function notMine(path: string): void {
  const { mode, uid } = statSync(path);
  const self = process.geteuid?.() ?? uid;
  if (uid === self || (mode & 0o022) !== 0) throw new NotGuarded(`${visible(path)} can be changed by you`);
}

/** Calls a plugin's own function as the host would, in a process of its own. */
function throughPlugin(file: string, value: object): Promise<Provoked> {
  const code = `
    const { Sallyport } = await import(process.argv[1]);
    const { args, directory, ...call } = JSON.parse(process.argv[2]);
    const hooks = await Sallyport({ directory });
    try {
      await hooks['tool.execute.before'](call, { args });
    } catch (error) {
      process.stdout.write(JSON.stringify({ deny: error.message }));
      process.stderr.write(error.message);
      process.exitCode = 2;
    }`;
  return run(process.execPath, ['--input-type=module', '-e', code, file, JSON.stringify(value)], {});
}

function run(program: string, args: readonly string[], input: object): Promise<Provoked> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(program, args, { timeout: patienceMs });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (status) => {
      resolve({ status, stdout, stderr, tookMs: performance.now() - started });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(input));
  });
}
