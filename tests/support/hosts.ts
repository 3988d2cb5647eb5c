// A user with a home of their own, the clients of hosts in it, and the hosts that call them.

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Call } from '../../src/cli/command.ts';
import { bindCredential, clientFiles, clientParts, writeClient } from '../../src/cli/hosts.ts';
import { withLedger } from '../../src/cli/ledger.ts';
import { type HostName, hosts } from '../../src/surfaces/hooks/index.ts';
import { type Ended, ended, newPlace, type Place, startCli } from './cli.ts';

export type Environment = Readonly<Record<string, string>>;

/** A place with a home folder of the user's beside Sallyport's own. */
export function newUser(): Place & { readonly user: string; readonly environment: Environment } {
  const place = newPlace();
  const user = join(place.workspace, '..', 'user');
  mkdirSync(user);
  return { ...place, user, environment: { HOME: user } };
}

/** Writes the clients of some hosts, as `init` does, without touching any settings. */
export async function writeClients(place: ReturnType<typeof newUser>, ...names: HostName[]): Promise<void> {
  await withLedger(callIn(place), async (ledger) => {
    for (const name of names) {
      const proof = await bindCredential(place.home, name, ledger, Date.now());
      writeClient(clientParts(place.home, name, proof, { start: false, environment: {} }));
    }
  });
}

/** Starts the daemon of a place; it ends with the test. */
export async function up(place: Place): Promise<number> {
  const child = startCli(place, ['up', '--port', '0', '--json', '--log', 'error']);
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the daemon did not start')));
    child.stdout?.setEncoding('utf8').once('data', resolve);
  });
  return JSON.parse(line).pid;
}

/** Calls a host's client as the host would, with the event that must be denied unless another is given. */
export function call(
  place: Place,
  name: HostName,
  options: { environment?: Environment; event?: string; value?: object } = {},
): Promise<Ended> {
  const { event, value } = { ...hosts[name].provocation(place.workspace), ...options };
  const script = clientFiles(place.home, name).script;
  const child = spawn('/bin/sh', ['-c', `'${script}' ${event}`], {
    env: { PATH: '/usr/bin:/bin', ...options.environment },
    cwd: place.workspace,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(value));
  return ended(child);
}

/** A call of a command in this process. */
export function callIn(place: ReturnType<typeof newUser>): Call {
  const silent = () => undefined;
  return {
    words: [],
    value: silent,
    flag: () => false,
    io: {
      environment: { ...place.environment, SALLYPORT_HOME: place.home },
      folder: () => place.workspace,
      print: silent,
      warn: silent,
      json: silent,
      progress: silent,
      pass: silent,
      paint: (_, text) => text,
    },
  };
}
