// What connecting a host changes, and what disconnecting takes back: planned first, so that a person sees it, then written.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { displayPath, prepareHome, type Signer } from '../config/index.ts';
import { InputError, messageOf, SallyportError, visible } from '../core/index.ts';
import {
  clientScript,
  type HostName,
  hooksSeal,
  oursAsText,
  type WiringScope,
  wirings,
} from '../surfaces/hooks/index.ts';
import type { Call } from './command.ts';
import { isConnected } from './connecting.ts';
import { lineDiff } from './diff.ts';
import {
  bindCredential,
  clientFiles,
  clientParts,
  credentialIn,
  recordedHosts,
  sealOf,
  settingsText,
  userFolder,
  writeClient,
  writeConnectedHosts,
  writeSettings,
} from './hosts.ts';
import { withLedger } from './ledger.ts';
import { isManaged, shellWanted } from './managed.ts';
import { localAsker, openHome } from './open.ts';
import { notePath } from './start.ts';

/** A file before and after; null where there is none. */
export interface FileChange {
  readonly file: string;
  readonly found: string | null;
  readonly wanted: string | null;
}

/** A file of a host, and what connecting or disconnecting it changes. */
export interface HostPlan {
  readonly host: HostName;
  readonly file: string;
  readonly changes: readonly FileChange[];
}

/** A connection that is to be made. */
export interface Addition extends HostPlan {
  readonly scope: WiringScope;
  /** Whether the host starts its commands through the client. */
  readonly shell: boolean;
  /** What Codex leaves to the user; null where nothing. */
  readonly note: string | null;
  readonly wanted: string;
}

/** What connecting a file of a host changes; nothing is written. `shell`: as the configuration says unless given. */
export async function planAddition(
  call: Call,
  one: Pick<Addition, 'host' | 'file' | 'scope'> & { readonly shell?: boolean },
): Promise<Addition> {
  const { host, file, scope } = one;
  const { script } = clientFiles(openHome(call).home, host);
  const found = settingsText(file);
  const shell = one.shell ?? (await shellWanted(call, host));
  const wanted = await edited(file, async () => wirings[host].add(found, script, shell));
  const trust =
    host === 'codex' ? await codexTrust(call, file, wanted, script) : { change: null, note: null };
  const changes = [{ file, found, wanted }, ...(trust.change === null ? [] : [trust.change])];
  return { host, file, scope, changes, shell, note: trust.note, wanted };
}

/** Connects a host as planned; `start`: whether its client starts the daemon where it does not run. */
export async function connectHost(
  call: Call,
  { host, file, scope, changes, wanted }: Addition,
  start: boolean,
): Promise<void> {
  const { home, paths, world } = openHome(call);
  const { script } = clientFiles(home, host);
  prepareHome(home);
  // The client stands before anything names it: a host that finds no program would run its tools unasked.
  const { environment } = call.io;
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
}

/** What Codex's config.toml must hold, so that it calls the hooks; or what the user has to do. */
async function codexTrust(
  call: Call,
  file: string,
  wanted: string,
  script: string,
): Promise<{ readonly change: FileChange | null; readonly note: string | null }> {
  const { environment } = call.io;
  // Loaded for Codex alone.
  const [{ trustFor }, { withTrust }] = await Promise.all([import('./codex.ts'), import('./codex-trust.ts')]);
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
    import('./codex.ts'),
    import('./codex-trust.ts'),
  ]);
  const ours = new Set(Object.values(wirings.codex.commands(found, script)));
  const config = trustFile(call);
  const text = settingsText(config);
  const names = hookNames(file, found, (command) => ours.has(command));
  const wanted = text === null ? null : await edited(config, () => withoutTrust(text, names));
  return { file: config, found: text, wanted };
}

/** What disconnecting a file of a host changes; nothing is written. */
export async function planRemoval(
  call: Call,
  { host, file }: Pick<HostPlan, 'host' | 'file'>,
): Promise<HostPlan> {
  const { script } = clientFiles(openHome(call).home, host);
  const found = settingsText(file);
  const wanted = found === null ? null : await edited(file, async () => wirings[host].remove(found, script));
  const trust = host === 'codex' && found !== null ? [await codexDistrust(call, file, found, script)] : [];
  return { host, file, changes: [{ file, found, wanted }, ...trust] };
}

/** Disconnects a host as planned; once somebody can approve, that takes the key of an approver. */
export async function disconnectHost(
  call: Call,
  { host, file, changes }: HostPlan,
  signer: Signer | null,
): Promise<void> {
  const { home, paths, world } = openHome(call);
  const { script, carrier, header } = clientFiles(home, host);
  await withLedger(call, async (ledger) => {
    if (!(await isConnected(ledger, { host, file }))) return;
    await ledger.connections.disconnect({ host, file }, signer, { ...localAsker(), time: world.now() });
  });
  // The registry first: the daemon puts hooks back that go from a file which it still names.
  const others = recordedHosts(paths).filter((one) => one.file !== file || one.host !== host);
  writeConnectedHosts(paths, others);
  writeChanges(changes);
  // As long as another file names the client, it stays: a host that finds no program would run its tools unasked.
  if (others.some((one) => one.host === host) || isManaged(host)) return;
  await withLedger(call, async (ledger) => {
    const known = await credentialIn(header, ledger);
    if (known?.agent === host) await ledger.credentials.revoke(known.credential, world.now());
  });
  for (const path of [script, header]) rmSync(path, { force: true });
  if (others.length === 0 && existsSync(carrier)) rmSync(carrier, { force: true });
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

export function isChange({ found, wanted }: FileChange): boolean {
  return found !== wanted;
}

/** Writes what was agreed to, in this order. */
function writeChanges(changes: readonly FileChange[]): void {
  for (const change of changes) if (isChange(change)) writeSettings(change.file, change.wanted);
}

/** A change in one line: the file, and how much of it. */
export function summaryOf(call: Call, { file, found, wanted }: FileChange): string {
  const lines = lineDiff(found ?? '', wanted ?? '');
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const how =
    found === null
      ? `a new file, ${count('+')} lines`
      : wanted === null
        ? 'the file goes'
        : `+${count('+')} −${count('-')} lines`;
  return `${displayPath(file, call.io.environment['HOME'])}  (${how})`;
}

/** Shows what would change in files, line by line. */
export function showChanges(call: Call, all: readonly FileChange[]): void {
  for (const { file, found, wanted } of all.filter(isChange)) {
    const gone = wanted === null ? ' (the file goes)' : found === null ? ' (a new file)' : '';
    call.io.print(`${visible(file)}${gone}`);
    for (const line of lineDiff(found ?? '', wanted ?? '')) {
      const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
      call.io.print(call.io.paint(colour, `  ${visible(line)}`));
    }
  }
}
