// The guards that a host can be run with: Sallyport, none, and a peer. The same scenarios judge each of them.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostFolders, HostName } from './adapters.ts';
import { trustCodexHooks } from './codex-trust.ts';
import { askDaemon, choosePassphrase, type Question, type Reply, startPerson } from './person.ts';
import { callStarted, type Fault } from './scenarios.ts';

export const guardNames = ['sallyport', 'none', 'cc-safety-net'] as const;
export type GuardName = (typeof guardNames)[number];

export interface GuardEnvironment {
  readonly host: HostName;
  readonly folders: HostFolders;
  readonly environment: Readonly<Record<string, string>>;
  /** The checkout of Sallyport. */
  readonly root: string;
  /** The folder node_modules with the hosts. */
  readonly modules: string;
  /** What the person answers to the questions of the guard. */
  readonly replies: readonly Reply[];
  /** What will be done to the guard. */
  readonly fault?: Fault | undefined;
  /** The user's own configuration of Sallyport. */
  readonly userConfig: string;
}

/** A guard that is installed in one host of one user. */
export interface InstalledGuard {
  readonly sallyport: ((...args: string[]) => { readonly status: number; readonly output: string }) | null;
  readonly questions: readonly Question[];
  /** Waits until the person has answered everything that was asked. */
  readonly settled: () => Promise<void>;
  /** Whether a daemon of the guard answers now. */
  readonly isRunning: () => Promise<boolean>;
  readonly fault: (fault: Fault) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const nothing: InstalledGuard = {
  sallyport: null,
  questions: [],
  settled: async () => undefined,
  isRunning: async () => false,
  fault: async () => undefined,
  stop: async () => undefined,
};

export const guards: Readonly<
  Record<GuardName, { start(where: GuardEnvironment): Promise<InstalledGuard> }>
> = {
  none: { start: async () => nothing },
  'cc-safety-net': {
    start: async (where) => {
      await installPeer(where);
      return nothing;
    },
  },
  sallyport: { start: startSallyport },
};

async function startSallyport(where: GuardEnvironment): Promise<InstalledGuard> {
  const { host, folders, environment, root } = where;
  const entry = join(root, 'bin', 'sallyport.cjs');
  const home = join(folders.person, '.sallyport');
  const sallyport = (...args: string[]) => {
    const ended = spawnSync(process.execPath, [entry, ...args], {
      cwd: folders.project,
      env: environment,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { status: ended.status ?? 1, output: `${ended.stdout}${ended.stderr}` };
  };
  await choosePassphrase(home);
  if (where.userConfig !== '') writeFileSync(join(home, 'sallyport.toml'), where.userConfig, { mode: 0o600 });
  const daemon = await startDaemon(entry, folders, environment);
  const made = sallyport('init', host, '--yes', ...(where.fault === 'daemon crashed' ? [] : ['--no-start']));
  if (made.status !== 0) throw new Error(`init ${host} failed: ${made.output}`);
  const person = startPerson(home, [process.execPath, entry], environment, where.replies);
  return {
    sallyport,
    questions: person.questions,
    settled: person.settled,
    isRunning: async () => (await askDaemon(home, '/v1/approvals')) !== null,
    fault: async (fault) => {
      if (fault === 'client removed')
        for (const name of clients(folders)) rmSync(name, { recursive: true, force: true });
      else if (fault !== 'daemon killed in a call') await end(daemon);
      else if (await appears(join(folders.project, callStarted))) await end(daemon);
    },
    stop: async () => {
      await person.leave();
      await end(daemon);
    },
  };
}

/** Waits until a file is there; false after a minute. */
async function appears(path: string): Promise<boolean> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    if (existsSync(path)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

const clients = ({ person }: HostFolders): string[] => {
  const folder = join(person, '.sallyport', 'bin');
  return readdirSync(folder).map((name) => join(folder, name));
};

function startDaemon(
  entry: string,
  folders: HostFolders,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [entry, 'up', '--port', '0', '--json', '--log', 'error'], {
    cwd: folders.project,
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

/**
 * Installs the peer. Its own installer fetches plugins from the network, so this writes what those plugins say: its hook
 * as a command before every tool, and its plugin for opencode.
 */
async function installPeer({ host, folders, environment, modules }: GuardEnvironment): Promise<void> {
  const hook = (flag: string) =>
    `${process.execPath} ${join(modules, 'cc-safety-net/dist/bin/cc-safety-net.js')} hook --${flag}`;
  const before = (command: string) => [{ matcher: '*', hooks: [{ type: 'command', command, timeout: 30 }] }];
  const inHome = (path: string) => join(folders.person, path);
  switch (host) {
    case 'claude':
      merge(inHome('.claude/settings.json'), { hooks: { PreToolUse: before(hook('coding-cli')) } });
      return;
    case 'codex':
      merge(inHome('.codex/hooks.json'), { hooks: { PreToolUse: before(hook('codex')) } });
      await trustCodexHooks(folders, environment);
      return;
    case 'gemini':
      merge(inHome('.gemini/settings.json'), {
        hooks: {
          BeforeTool: [
            { matcher: '*', hooks: [{ type: 'command', command: hook('gemini-cli'), timeout: 30_000 }] },
          ],
        },
      });
      return;
    case 'qwen':
      merge(inHome('.qwen/settings.json'), { hooks: { PreToolUse: before(hook('coding-cli')) } });
      return;
    // Its plugin brings the same hook as for Claude Code, in that host's form; Copilot then sends that form.
    case 'copilot':
      merge(inHome('.copilot/hooks/cc-safety-net.json'), {
        version: 1,
        hooks: { PreToolUse: [{ type: 'command', bash: hook('coding-cli'), timeoutSec: 30 }] },
      });
      return;
    case 'opencode':
    case 'kilo':
      merge(inHome(`.config/${host}/${host}.json`), {
        plugin: [`file://${join(modules, 'cc-safety-net/dist/index.js')}`],
      });
  }
}

function merge(path: string, added: object): void {
  mkdirSync(dirname(path), { recursive: true });
  const old = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  writeFileSync(path, JSON.stringify({ ...old, ...added }));
}
