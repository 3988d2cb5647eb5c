// Proves that a wired host is guarded: calls the very command that its settings name, with an event that must be denied.

import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { displayPath, paths } from '../config/index.ts';
import { isJsonObject, SallyportError, visible } from '../core/index.ts';
import {
  type Host,
  type HostName,
  hostNames,
  hosts,
  unansweredReply,
  wirings,
} from '../surfaces/hooks/index.ts';
import type { Call } from './command.ts';
import {
  clientFiles,
  clientScripts,
  isProgram,
  settingsFile,
  settingsText,
  type WiredHost,
  wiredHosts,
} from './hosts.ts';
import { withLedger } from './ledger.ts';
import { openHome } from './open.ts';

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

export interface HostCheck {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'fail';
  readonly says: string;
}

/** One check for each file that names our client. */
export async function checkHosts(call: Call): Promise<readonly HostCheck[]> {
  const { home, paths: own } = openHome(call);
  const known = wiredHosts(own);
  const found = namedElsewhere(call, known);
  // A file that names the client of this home is checked like any other, though nobody wrote it down.
  const isOwn = ({ host, client }: NamedClient) => client === clientFiles(home, host).script;
  const wired = [...known, ...found.filter(isOwn)];
  const strange = found.filter((one) => !isOwn(one));
  if (wired.length + strange.length === 0) {
    return [{ name: 'hosts', state: 'note', says: "none is wired in: 'sallyport init claude'" }];
  }
  const checks: HostCheck[] = [];
  for (const one of wired) {
    call.io.progress(`${one.host} …`);
    checks.push({ name: one.host, ...(await checkHost(call, one)) });
  }
  return [...checks, ...strange.map((one) => strangeClient(call, one))];
}

/** A file of a host that names a client of Sallyport. */
interface NamedClient extends WiredHost {
  readonly client: string;
}

/** The hosts' own files that name a client without standing in the list of those that were wired. */
function namedElsewhere(call: Call, known: readonly WiredHost[]): readonly NamedClient[] {
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

function strangeClient(call: Call, { host, file, client }: NamedClient): HostCheck {
  const shown = displayPath(file, call.io.environment['HOME']);
  const again = `'sallyport init ${host}' wires this home in`;
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

async function checkHost(call: Call, { host: name, file }: WiredHost): Promise<Omit<HostCheck, 'name'>> {
  const { home } = openHome(call);
  const host = hosts[name];
  const { script, header } = clientFiles(home, name);
  const again = `'sallyport init ${name}' writes it again`;
  const shown = displayPath(file, call.io.environment['HOME']);
  try {
    const found = settingsText(file);
    if (found === null) throw new NotGuarded(`${shown} is gone; ${again}`);
    const idle = wirings[name].idle(found);
    if (idle !== null) throw new NotGuarded(`${shown}: ${idle}`);
    const { event, value } = host.provocation(call.io.folder());
    const command = wirings[name].commands(found, script)[event];
    if (command === undefined) throw new NotGuarded(`${shown} no longer names the client; ${again}`);
    for (const path of [paths(home).bin, script, header]) onlyMine(path);
    const wanted = await withLedger(call, (ledger) => clientScripts(home, name, ledger, call.io.environment));
    if (!wanted.includes(readFileSync(script, 'utf8'))) {
      throw new NotGuarded(`${visible(script)} is not as it was written, or its programs moved; ${again}`);
    }
    const provoke = () =>
      name === 'opencode' ? throughPlugin(file, value) : run('/bin/sh', ['-c', command], value);
    const first = await provoke();
    requireDeny(host, first);
    requireCurrent(name, found, script, shown);
    const unsure =
      name === 'codex' ? await doubtOfCodex(call, file, wirings.codex.commands(found, script), shown) : null;
    if (!/\(sallyport why [\w-]+\)/.test(first.stderr)) {
      const more = unsure === null ? '' : `; ${unsure}`;
      return { state: 'note', says: `it denies, for the daemon does not answer it${more}; ${shown}` };
    }
    const second = await provoke();
    requireDeny(host, second);
    const says = `it denied a deletion of / in ${Math.round(second.tookMs)} ms`;
    return unsure === null
      ? { state: 'ok', says: `${says}; ${shown}` }
      : { state: 'note', says: `the client: ${says}; ${unsure}; ${shown}` };
  } catch (error) {
    return { state: 'fail', says: visible(error instanceof Error ? error.message : String(error), 500) };
  }
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
async function doubtOfCodex(
  call: Call,
  file: string,
  commands: Readonly<Record<string, string>>,
  shown: string,
): Promise<string | null> {
  // Loaded for Codex alone.
  const { askCodex } = await import('./codex.ts');
  const trust = await askCodex({ file, commands, environment: call.io.environment });
  if (trust.answer === 'trusted') return null;
  if (trust.answer === 'not trusted') {
    const events = trust.events.join(', ');
    throw new NotGuarded(
      `Codex does not trust the hooks in ${shown} and runs its tools without them (${events}): open /hooks in Codex and trust them`,
    );
  }
  return `could not ask Codex whether it trusts the hooks (${trust.why}): open /hooks in Codex and look`;
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
  if (uid !== (process.geteuid?.() ?? uid)) throw new NotGuarded(`${visible(path)} belongs to somebody else`);
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
