// The daemon under soak: from the bundle, on a home of its own, started, killed and started again; and what stands around it.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sample } from './checks.ts';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}

/** Starts a script of this folder, and waits for its first words. */
export async function startScript(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [here(script), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
    child.stdout?.once('data', () => resolve());
  });
  child.removeAllListeners('exit');
  return child;
}

export interface DaemonSeriesOptions {
  readonly program: string;
  readonly home: string;
  readonly port: number;
  readonly clock: string;
  /** The file that daemons tell their memory in. */
  readonly memory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** One home and the daemons that it had, one after the other. */
export class DaemonSeries {
  readonly #options: DaemonSeriesOptions;
  /** Daemons that ended though nobody ended them. */
  readonly deaths: string[] = [];
  #child: ChildProcess | null = null;
  /** Whether it is we who end it. */
  #ending = false;
  #starts: number;
  #error = '';

  constructor(options: DaemonSeriesOptions, starts: number) {
    this.#options = options;
    this.#starts = starts;
  }

  get starts(): number {
    return this.#starts;
  }

  get isUp(): boolean {
    return this.#child !== null;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#options.port}`;
  }

  /** The credential of local agents. */
  get token(): string {
    return readFileSync(join(this.#options.home, 'keys', 'decide.token'), 'utf8').trim();
  }

  /** Starts a daemon; false where it does not start, as on a full disk. */
  async start(): Promise<boolean> {
    const { program, port, clock, memory, env, home } = this.#options;
    const args = [
      '--expose-gc',
      '--import',
      here('preload.mjs'),
      program,
      'up',
      '--port',
      String(port),
      '--json',
      '--log',
      'error',
    ];
    const child = spawn(process.execPath, args, {
      env: {
        ...env,
        SALLYPORT_HOME: home,
        SALLYPORT_SOAK_CLOCK: clock,
        SALLYPORT_SOAK_MEMORY: memory,
        SALLYPORT_SOAK_START: String(this.#starts + 1),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#error = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#error = (this.#error + text).slice(-2000);
    });
    const up = await new Promise<boolean>((resolve) => {
      child.once('exit', () => resolve(false));
      // A start that fails says so on standard output too.
      child.stdout.once('data', (text: Buffer) => resolve('port' in JSON.parse(text.toString('utf8'))));
    });
    if (!up) {
      await gone(child);
      return false;
    }
    child.once('close', (code, signal) => {
      if (this.#child !== child || this.#ending) return;
      this.#child = null;
      this.deaths.push(`a daemon ended by itself with ${code ?? signal}: ${this.lastWords.slice(-300)}`);
    });
    this.#ending = false;
    this.#child = child;
    this.#starts++;
    return true;
  }

  /** What the daemon last said of itself. */
  get lastWords(): string {
    return this.#error.trim();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#ending = true;
    child.kill('SIGKILL');
    await gone(child);
    this.#child = null;
  }

  /** Ends the daemon as a person would; false where it does not end by itself. */
  async stop(): Promise<boolean> {
    const child = this.#child;
    if (child === null) return true;
    this.#ending = true;
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await gone(child);
    clearTimeout(force);
    this.#child = null;
    return child.signalCode === null;
  }

  /** What memory daemons kept and took, start by start. */
  get samples(): readonly Sample[] {
    const { memory } = this.#options;
    if (!existsSync(memory)) return [];
    return readFileSync(memory, 'utf8')
      .split('\n')
      .map((line) => line.split(' ').map(Number))
      .flatMap(([start, at, kept, resident]) =>
        start === undefined || at === undefined || kept === undefined || resident === undefined
          ? []
          : [{ start, at, kept, resident }],
      );
  }
}

/** Processes whose environment has a mark, save this one. */
export function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark)) return [];
      return [
        `${name} ${readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').slice(0, 120)}`,
      ];
    } catch {
      return [];
    }
  });
}
