// A user with a home of their own, the clients of hosts in it, and the hosts that call them.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
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
export async function up(place: Place, environment: Environment = {}): Promise<number> {
  const child = startCli(place, ['up', '--port', '0', '--json', '--log', 'error'], { environment });
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

/** How the Codex of a test takes the hooks that it finds. */
export type FakeTrust = 'trusted' | 'untrusted' | 'disabled' | 'switched off' | 'deaf' | 'old' | 'dead';

/**
 * Writes a program that answers as `codex app-server` does about the hooks in a file, in the messages that Codex 0.169
 * sends, and gives the folder that it stands in.
 */
export function fakeCodex(folder: string, file: string, trust: FakeTrust): string {
  const text = `#!${process.execPath}
const { createInterface } = require('node:readline');
const { readFileSync } = require('node:fs');
const [mode, own] = ${JSON.stringify([trust, file])};
const home = process.env.CODEX_HOME;
const file = home === undefined ? own : home + '/hooks.json';
if (process.argv[2] !== 'app-server' || mode === 'dead') process.exit(1);
const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
const camel = (event) => event[0].toLowerCase() + event.slice(1);
const snake = (event) => event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
function hooks() {
  if (mode === 'switched off') return [];
  return Object.entries(JSON.parse(readFileSync(file, 'utf8')).hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher = null, hooks }, group) =>
      hooks.map(({ command, timeout }, index) => ({
        key: file + ':' + snake(event) + ':' + group + ':' + index,
        eventName: camel(event), handlerType: 'command', command, async: false, matcher, timeoutSec: timeout,
        statusMessage: null, additionalContextLimit: null, sourcePath: file, source: 'user', pluginId: null,
        environmentId: null, displayOrder: index, enabled: mode !== 'disabled', isManaged: false,
        currentHash: 'sha256:c9ef21bc', trustStatus: mode === 'untrusted' ? 'untrusted' : 'trusted',
      })),
    ),
  );
}
let ready = false;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (mode === 'deaf') return;
  if (method === 'initialize') {
    ready = true;
    send({ id, result: { userAgent: 'x/0.169.0', codexHome: '/x', platformFamily: 'unix', platformOs: 'linux' } });
    send({ method: 'remoteControl/status/changed', params: { status: 'disabled', environmentId: null } });
  } else if (method === 'hooks/list') {
    if (!ready) send({ id, error: { code: -32600, message: 'Not initialized' } });
    else if (mode === 'old') send({ id, error: { code: -32601, message: 'Method not found' } });
    else send({ id, result: { data: params.cwds.map((cwd) => ({ cwd, hooks: hooks(), warnings: [], errors: [] })) } });
  }
});
setInterval(() => {}, 1000);
`;
  writeFileSync(join(folder, 'codex'), text.replaceAll('\\\\n', '\\n'), { mode: 0o755 });
  return folder;
}
