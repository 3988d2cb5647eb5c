// The guards that a host can be run with: Sallyport, none, and a peer. The same scenarios judge each of them.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { HostName, Room } from './adapters.ts';
import { trustCodexHooks } from './codex-trust.ts';
import type { Fault } from './scenarios.ts';

export const guardNames = ['sallyport', 'none', 'cc-safety-net'] as const;
export type GuardName = (typeof guardNames)[number];

interface Surroundings {
  readonly host: HostName;
  readonly room: Room;
  readonly environment: Readonly<Record<string, string>>;
  /** The checkout of Sallyport. */
  readonly root: string;
}

/** A guard that is installed in one host of one user. */
export interface InstalledGuard {
  readonly sallyport: ((...args: string[]) => { readonly status: number; readonly output: string }) | null;
  readonly fault: (fault: Fault) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const nothing: InstalledGuard = {
  sallyport: null,
  fault: async () => undefined,
  stop: async () => undefined,
};

export const guards: Readonly<Record<GuardName, { start(where: Surroundings): Promise<InstalledGuard> }>> = {
  none: { start: async () => nothing },
  'cc-safety-net': {
    start: async ({ host, room, environment }) => {
      installPeer(host, room, environment);
      return nothing;
    },
  },
  sallyport: { start: startSallyport },
};

async function startSallyport({ host, room, environment, root }: Surroundings): Promise<InstalledGuard> {
  const entry = join(root, 'bin', 'sallyport.cjs');
  const sallyport = (...args: string[]) => {
    const ended = spawnSync(process.execPath, [entry, ...args], {
      cwd: room.project,
      env: environment,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { status: ended.status ?? 1, output: `${ended.stdout}${ended.stderr}` };
  };
  const daemon = await startDaemon(entry, room, environment);
  const made = sallyport('init', host, '--yes');
  if (made.status !== 0) throw new Error(`init ${host} failed: ${made.output}`);
  if (host === 'codex') await trustCodexHooks(room, environment);
  const person = denyQuestions(room, sallyport);
  return {
    sallyport,
    fault: async (fault) => {
      if (fault === 'daemon stopped') await end(daemon);
      else for (const name of clients(room)) rmSync(name, { recursive: true, force: true });
    },
    stop: () => {
      clearInterval(person);
      return end(daemon);
    },
  };
}

/** The person of these scenarios answers every question with no, so that a host which asks does not wait for minutes. */
function denyQuestions(
  { person }: Room,
  sallyport: (...args: string[]) => unknown,
): ReturnType<typeof setInterval> {
  const home = join(person, '.sallyport');
  const answered = new Set<string>();
  return setInterval(() => {
    void waiting(home).then((ids) => {
      for (const id of ids) {
        if (answered.has(id)) continue;
        answered.add(id);
        sallyport('deny', id);
      }
    });
  }, 1000);
}

/** The ids of the questions that wait; none where the daemon does not answer. */
function waiting(home: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
    const sent = request(
      {
        socketPath: join(home, 'run', 'sallyport.sock'),
        path: '/v1/approvals',
        headers: { authorization: `Bearer ${token}` },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => {
          const { approvals = [] } = answer.statusCode === 200 ? JSON.parse(text) : {};
          resolve(approvals.map(({ id }: { id: string }) => id));
        });
      },
    );
    sent.on('error', () => resolve([]));
    sent.end();
  });
}

const clients = ({ person }: Room): string[] => {
  const folder = join(person, '.sallyport', 'bin');
  return readdirSync(folder).map((name) => join(folder, name));
};

function startDaemon(
  entry: string,
  room: Room,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [entry, 'up', '--port', '0', '--json', '--log', 'error'], {
    cwd: room.project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code} instead of starting`)));
    child.stdout?.once('data', () => resolve(child));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Installs the peer as its documentation says; hosts that it does not know stay unguarded. */
function installPeer(host: HostName, room: Room, env: Readonly<Record<string, string>>): void {
  const names: Partial<Record<HostName, string>> = {
    claude: 'claude-code',
    codex: 'codex',
    gemini: 'gemini-cli',
    opencode: 'opencode',
    copilot: 'copilot-cli',
  };
  const name = names[host];
  if (name !== undefined) spawnSync('cc-safety-net', ['install', name], { cwd: room.project, env });
}
