// Hosts that are wired in: the client that they call, the credential that it holds, and the files that name it.

import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import {
  type Config,
  type Environment,
  paths,
  readRegularFile,
  worksForAnother,
  writeClientProgram,
  writeHeld,
} from '../config/index.ts';
import { SallyportError } from '../core/index.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  type ClientParts,
  type ConnectedHost,
  clientScript,
  connectedIn,
  type DaemonStart,
  type HostName,
  hosts,
  namedIn,
  nodeCarrier,
  recordedHosts,
  type WiringScope,
  wirings,
} from '../surfaces/hooks/index.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openHome } from './open.ts';
import { systemHere } from './system/here.ts';

export {
  type ConnectedHost,
  recordedHosts,
  writeConnectedHosts,
  writeSettings,
} from '../surfaces/hooks/index.ts';

/** A host cannot be wired in on this machine as it is. */
class CannotWire extends SallyportError {}

/** Where the client of a host stands, and what it holds. */
export function clientFiles(home: string, host: HostName) {
  const { bin, held } = paths(home);
  return {
    script: join(bin, host),
    carrier: join(bin, 'client.cjs'),
    header: join(held, `hook-${host}`),
  };
}

/** The file in which a host keeps its hooks; its real path where it is a link. */
export function settingsFile(
  host: HostName,
  scope: WiringScope,
  where: { readonly environment: Environment; readonly folder: string },
): string {
  const { user, project } = wirings[host];
  if (scope === 'project') return realFile(resolve(where.folder, project));
  return realFile(join(userFolder(host, where.environment), user.file));
}

/** The folder in which a host keeps what it has for the user, by the variables that the host itself heeds. */
export function userFolder(host: HostName, environment: Environment): string {
  const { folder, moved } = wirings[host].user;
  const own = moved === undefined ? '' : (environment[moved.variable] ?? '');
  if (moved !== undefined && own !== '') {
    if (isAbsolute(own)) return join(own, moved.below);
    throw new CannotWire(
      `${moved.variable} is not an absolute path, so ${hosts[host].title} has no one folder`,
      {
        hint: `set it to an absolute path: ${moved.variable}=${resolve(own)}`,
      },
    );
  }
  const { HOME } = environment;
  if (HOME === undefined || !isAbsolute(HOME)) {
    throw new CannotWire('HOME is not set, so the settings of the host cannot be found', {
      hint: 'set HOME, or connect one project with --project',
    });
  }
  return join(HOME, folder);
}

function realFile(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The text of a settings file, or null if there is none. */
export function settingsText(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Where programs are looked for: places that only an administrator writes to, and never `PATH`. */
const programFolders = [
  '/usr/bin',
  '/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/run/current-system/sw/bin',
];

/** A program by its absolute path; undefined if it is in none of the known places. */
function findProgram(name: string): string | undefined {
  return programFolders.map((folder) => join(folder, name)).find(isProgram);
}

/** A program that the user would start, by its absolute path; undefined if PATH has none of the name. */
export function programOnPath({ PATH = '' }: Environment, name: string): string | undefined {
  return PATH.split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What carries the request: the program that starts soonest of those that this machine has. */
function carrierOf(client: string): ClientParts['carrier'] {
  const perl = findProgram('perl');
  if (perl !== undefined) return { perl };
  const curl = findProgram('curl');
  return curl === undefined ? { node: process.execPath, client } : { curl };
}

/** The client of a host as it should be, for the credential that it holds. */
export function clientParts(
  home: string,
  host: HostName,
  proof: string,
  options: { readonly start: boolean; readonly environment: Environment },
): ClientParts {
  const { script, carrier, header } = clientFiles(home, host);
  const env = findProgram('env');
  if (env === undefined || !isProgram('/bin/sh')) {
    throw new CannotWire('this machine has no "env" or no "/bin/sh" where they are expected');
  }
  return {
    host: hosts[host],
    script,
    header,
    socket: paths(home).ask,
    proof,
    env,
    sh: '/bin/sh',
    carrier: carrierOf(carrier),
    base64: startsShell(host) ? (findProgram('base64') ?? null) : null,
    // The account cannot start a daemon of another user id.
    start: options.start && !worksForAnother() ? daemonStart(env, home, options.environment) : null,
  };
}

/** Whether a host can start its commands through the client here: on an overlay, which only Linux has. */
export function startsShell(host: HostName): boolean {
  return host === 'claude' && process.platform === 'linux' && findProgram('base64') !== undefined;
}

/** Whether a host is to start its commands through the client, by the user's own settings. */
export async function wantsShell(
  host: HostName,
  config: Pick<Config, 'settingsFor'>,
  workspace: string,
): Promise<boolean> {
  return (await config.settingsFor({ agent: host, workspace })).shell.transactional;
}

/** Keyed hash of a client, by which the daemon knows a client that `init` wrote, of whichever version. */
export function sealOf(text: string, ledger: Ledger): string {
  return ledger.fingerprint('hook client', () => text);
}

/** The texts that the client may have where `text` is what it has. */
export async function rightClients(
  home: string,
  host: HostName,
  text: string | null,
  { ledger, environment }: { readonly ledger: Ledger; readonly environment: Environment },
): Promise<readonly string[]> {
  const scripts = await clientScripts(home, host, ledger, environment);
  // Without a credential that counts, nothing is known.
  if (text === null || scripts.length === 0) return scripts;
  const seal = sealOf(text, ledger);
  const isSealed = recordedHosts(paths(home)).some((one) => one.host === host && one.client === seal);
  return isSealed ? [text, ...scripts] : scripts;
}

/** The texts that the client may have: with and without starting the daemon. None if its credential does not count. */
export async function clientScripts(
  home: string,
  host: HostName,
  ledger: Ledger,
  environment: Environment,
): Promise<readonly string[]> {
  const known = await credentialIn(clientFiles(home, host).header, ledger);
  if (known?.agent !== host) return [];
  const proof = proofOf(known.credential, ledger);
  return [true, false].map((start) => clientScript(clientParts(home, host, proof, { start, environment })));
}

/** What the daemon says to show that it is the one that made the credential. */
function proofOf(credential: string, ledger: Ledger): string {
  return ledger.fingerprint('hook reply', () => credential);
}

/** The proof for the credential in the client's file; a new one is made where there is none that counts. */
export async function bindCredential(
  home: string,
  host: HostName,
  ledger: Ledger,
  now: number,
): Promise<string> {
  const { header } = clientFiles(home, host);
  const known = await credentialIn(header, ledger);
  if (known?.agent === host && known.scope === 'decide') return proofOf(known.credential, ledger);
  const { user, tenant } = localAsker();
  const { token, principal } = await ledger.credentials.make(
    { scope: 'decide', user, tenant, agent: host },
    now,
  );
  writeHeld(header, `authorization: Bearer ${token}\n`);
  return proofOf(principal.credential, ledger);
}

/** Whose the credential in a client's file is; undefined if it is nobody's. */
export async function credentialIn(header: string, ledger: Ledger) {
  const token = /^authorization: Bearer (\S+)\n$/.exec(readRegularFile(header) ?? '')?.[1];
  return token === undefined ? undefined : await ledger.credentials.find(token);
}

/** Starts the daemon with nothing of the environment but where it is at home. */
function daemonStart(env: string, home: string, environment: Environment): DaemonStart {
  const entry = realpathSync(process.argv[1] ?? '');
  const { HOME = home } = environment;
  const own = [process.execPath, entry, 'up', '--detach', '--again'];
  const { daemon, stopped } = paths(home);
  return { command: [env, '-i', `HOME=${HOME}`, `SALLYPORT_HOME=${home}`, ...own], daemon, stopped };
}

/** Writes the client, whole. */
export function writeClient(parts: ClientParts): void {
  if ('client' in parts.carrier) writeClientProgram(parts.carrier.client, nodeCarrier);
  writeClientProgram(parts.script, clientScript(parts));
}

/** Every file that connects a host, by the registry or by the log: an agent can write the registry. */
export async function connectedHosts(
  call: Call,
  named: readonly ConnectedHost[],
): Promise<readonly ConnectedHost[]> {
  const { paths: own } = openHome(call);
  // The account cannot open the store of a system daemon; there, agents cannot write the registry either.
  const isClosed = systemHere(call.io.environment)?.as === 'account';
  if (isClosed || !existsSync(own.keys)) return named;
  return connectedIn(named, await withLedger(call, (ledger) => ledger.connections.list())).connected;
}

/** The connected files that no longer name our client. */
export async function unhookedHosts(call: Call): Promise<readonly ConnectedHost[]> {
  const { home, paths: own } = openHome(call);
  return (await connectedHosts(call, namedIn(own.hosts))).filter(({ host, file }) => {
    try {
      const { script } = clientFiles(home, host);
      return Object.keys(wirings[host].commands(settingsText(file) ?? '', script)).length === 0;
    } catch {
      return true;
    }
  });
}
