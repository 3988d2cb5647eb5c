// One process and all of its children: limited in time, processes, memory and file size, and terminated at its end.

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, release } from 'node:os';
import type { SandboxSettings } from '../config/index.ts';
import { visible } from '../core/index.ts';
import { processGroup } from './cgroup.ts';
import { CommandAborted, SandboxFailed } from './errors.ts';
import { shell } from './sandbox.ts';

type Limits = Pick<SandboxSettings, 'timeoutMs' | 'maxProcesses' | 'maxMemoryMb' | 'maxFileMb'>;

export interface ProcessOptions {
  /** The command prefix: the sandbox and its arguments; empty without one. */
  readonly sandbox: readonly string[];
  readonly command: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
  readonly output: (stream: 'stdout' | 'stderr', piece: Uint8Array) => void;
}

/** How a process ended. */
export interface Ended {
  /** By shell convention: 128 plus the number if a signal ended it. */
  readonly exitCode: number;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The limit that it exceeded, for which it was terminated. */
  readonly limit: 'processes' | 'memory' | null;
}

/** Grace period of a command between SIGTERM and SIGKILL. */
const graceMs = 2000;
/** Processes of the sandbox itself, which are not the command's. */
const ownProcesses = 4;
/** How often processes and memory are counted. */
const watchMs = 100;
/** How long outputs may stay open after the process has exited. */
const drainMs = 1000;

/**
 * Closes every descriptor that this process inherited, such as the lock of a calling script: a folder among them leads
 * out of any sandbox. Only the standard ones stay, and 3, which `startScript` closes. Node closes only those below 16.
 * If they cannot be listed, nothing is run.
 */
export const closeInherited = [
  `for fd in ${process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd'}/*; do fd=\${fd##*/}; case $fd in [0-3]) ;;`,
  '*[!0-9]*) echo "the open descriptors cannot be listed" >&2; exit 126 ;;',
  '*) eval "exec $fd>&-" ;; esac; done',
].join(' ');

/**
 * Runs a command to its end. INVARIANT: when this settles in a sandbox, no process of the command is running any more.
 */
export async function runProcess(options: ProcessOptions): Promise<Ended> {
  const { limits, sandbox, command, signal } = options;
  if (signal?.aborted) throw new CommandAborted('the command was given up before it started');
  const sandboxed = sandbox.length > 0;
  const group = processGroup(limits.maxProcesses + ownProcesses);
  const count = group === null ? '' : 'echo $$ >"$0" && ';
  const words = [
    ...[shell, '-c', `${closeInherited}; ${count}exec "$@"`, group?.members ?? 'sh'],
    ...[...sandbox, shell, '-c', startScript(limits, sandboxed), 'sh', ...command],
  ];
  try {
    return await supervised(words, sandboxed, options);
  } finally {
    await group?.remove();
  }
}

/** Starts a program and waits until it and its outputs have ended. */
async function supervised(
  words: readonly string[],
  sandboxed: boolean,
  options: ProcessOptions,
): Promise<Ended> {
  const { limits, signal } = options;
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    // The sandbox changes to the folder by itself, and reports if it cannot.
    cwd: sandboxed ? '/' : options.cwd,
    env: options.environment,
    // Standard input is empty: its content was not judged.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // A separate session: no terminal, and one group to terminate.
    detached: true,
  });
  return await new Promise<Ended>((resolve, reject) => {
    let started = false;
    let timedOut = false;
    /** Why the command is terminated without a result. */
    let fault: unknown;
    let limit: Ended['limit'] = null;
    let complaint = '';
    let kill: NodeJS.Timeout | undefined;

    const end = (): void => endAll(child, 'SIGKILL', sandboxed);
    const fail = (error: unknown): void => {
      fault ??= error;
      end();
    };
    const giveUp = (): void => fail(new CommandAborted('the command was given up, and ended'));
    const late = setTimeout(() => {
      timedOut = true;
      endAll(child, 'SIGTERM', sandboxed);
      kill = setTimeout(end, graceMs);
    }, limits.timeoutMs);
    const watch = setInterval(() => {
      const { count, memoryKb } = below(child.pid ?? 0, limits.maxProcesses + ownProcesses);
      if (count > limits.maxProcesses + ownProcesses) limit = 'processes';
      else if (memoryKb > limits.maxMemoryMb * 1024) limit = 'memory';
      if (limit !== null) end();
    }, watchMs);
    signal?.addEventListener('abort', giveUp);
    const settle = (): void => {
      clearTimeout(late);
      clearTimeout(kill);
      clearInterval(watch);
      signal?.removeEventListener('abort', giveUp);
    };

    child.stdio[3]
      ?.on('error', () => {})
      .on('data', () => {
        started = true;
      });
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.on('data', (piece: Buffer) => {
        if (!started && stream === 'stderr') complaint = (complaint + piece.toString('utf8')).slice(0, 1000);
        if (fault !== undefined) return;
        try {
          options.output(stream, piece);
        } catch (error) {
          // If its output cannot be processed, the command must not continue unobserved.
          fail(error);
        }
      });
    }
    child.once('error', (error) => {
      settle();
      reject(new SandboxFailed(`the command could not be started: ${error.message}`, { cause: error }));
    });
    child.once('exit', () => {
      // Background processes are terminated with the command; in a sandbox the kernel does that.
      if (!sandboxed) end();
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
      }, drainMs).unref();
    });
    child.once('close', (code, by) => {
      settle();
      if (fault !== undefined) return reject(fault);
      if (!started && !timedOut && limit === null) {
        const said = complaint.trim() || `status ${code ?? by}`;
        return reject(new SandboxFailed(`the command was not run: ${visible(said, 300)}`));
      }
      const exitCode = code ?? 128 + (by === null ? 0 : constants.signals[by]);
      resolve({ exitCode, signal: by ?? signalOf(exitCode), timedOut, limit });
    });
  });
}

/** Sets the limits, reports that it got this far, and becomes the command. */
function startScript({ maxProcesses, maxMemoryMb, maxFileMb }: Limits, sandboxed: boolean): string {
  // If setting a limit is refused, it is lower already.
  const limits = [
    ...[`-c 0`, `-f ${maxFileMb * 1024}`, `-d ${maxMemoryMb * 1024}`],
    ...(sandboxed && countsByNamespace() ? [`-u ${maxProcesses}`] : []),
  ];
  return `${limits.map((one) => `ulimit ${one} 2>/dev/null`).join('; ')}; printf . >&3 && exec 3>&- "$@"`;
}

/** Before Linux 5.14, as outside of a sandbox, the limit counts all processes of the user. */
function countsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/**
 * Terminates a command. In a sandbox, SIGKILL ends bubblewrap, and the kernel ends the whole namespace with it; SIGTERM
 * is sent to the group of the first process inside, which ignores it itself.
 */
function endAll(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL', sandboxed: boolean): void {
  if (child.pid === undefined) return;
  if (!sandboxed) signalGroup(child.pid, signal);
  else if (signal === 'SIGKILL') child.kill(signal);
  else for (const first of childrenOf(child.pid)) signalGroup(first, signal);
}

/** Signals a process group, if it has any process left. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // No process is left in it.
  }
}

/** Threads and memory of all processes below one; counting ends at `most`. */
function below(pid: number, most: number): { readonly count: number; readonly memoryKb: number } {
  let count = 0;
  let memoryKb = 0;
  const waiting = [...childrenOf(pid)];
  for (let next = waiting.pop(); next !== undefined && count <= most; next = waiting.pop()) {
    const status = readProc(`${next}/status`);
    count += numberIn(status, 'Threads');
    memoryKb += numberIn(status, 'VmRSS');
    waiting.push(...childrenOf(next));
  }
  return { count, memoryKb };
}

function childrenOf(pid: number): readonly number[] {
  let threads: readonly string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) =>
    readProc(`${pid}/task/${thread}/children`)
      .split(' ')
      .filter((word) => word !== '')
      .map(Number),
  );
}

/** The text of a file in /proc; empty once its process has exited. */
function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function numberIn(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

function signalOf(exitCode: number): string | null {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0] ?? null;
}
