// Plays histories inside the sandbox of run.ts, where nothing of this machine can be written to. Prints a row of JSON each.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { histories } from './histories.ts';
import { type Installed, play } from './history.ts';

/** What is to be done: with which program, and which histories, by their places in the list. */
export interface Order {
  /** The folder with the program under test. */
  readonly program: string;
  readonly histories: readonly number[];
}

const user = '/home/dev';
const home = join(user, '.sallyport');
const environment: Readonly<Record<string, string>> = {
  HOME: user,
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LANG: 'C.UTF-8',
};

/** The program under test, as a person installs it. */
class Installation implements Installed {
  readonly client = join(home, 'bin', 'claude');
  readonly #entry: string;
  #daemon: ChildProcess | null = null;

  constructor(program: string) {
    this.#entry = join(program, 'bin', 'sallyport.cjs');
  }

  sallyport(args: readonly string[], cwd: string): string {
    try {
      return execFileSync(process.execPath, [this.#entry, ...args], {
        ...{ cwd, env: environment, encoding: 'utf8', timeout: 120_000 },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      if (!(error instanceof Error) || !('stdout' in error && 'stderr' in error)) throw error;
      return `${String(error.stdout)}${String(error.stderr)}`;
    }
  }

  async startDaemon(): Promise<void> {
    const words = [this.#entry, 'up', '--port', '0', '--json', '--log', 'error'];
    const child = spawn(process.execPath, words, {
      ...{ cwd: user, env: environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#daemon = child;
    await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the daemon ended with ${code} instead of starting`)));
      child.stdout?.once('data', resolve);
    });
  }

  async killDaemon(): Promise<void> {
    const child = this.#daemon;
    this.#daemon = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}

const order: Order = JSON.parse(process.argv[2] ?? '{}');
mkdirSync(user, { recursive: true });
for (const [name, value] of Object.entries(environment)) process.env[name] = value;
process.chdir(user);
writeFileSync(
  join(user, '.gitconfig'),
  '[user]\n\tname = dev\n\temail = dev@example.com\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n',
);
const installed = new Installation(order.program);
installed.sallyport(['init', 'claude', '--yes'], user);
await installed.startDaemon();
for (const index of order.histories) {
  const history = histories[index];
  if (history === undefined) continue;
  const root = join(history.at === 'elsewhere' ? '/var/tmp' : user, `history-${index}`);
  const row = await play(history, root, installed, `session-${index}`);
  process.stdout.write(`${JSON.stringify(row)}\n`);
  rmSync(root, { recursive: true, force: true });
}
await installed.killDaemon();
process.exit(0);
