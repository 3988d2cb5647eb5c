// A persistent shell that runs one program repeatedly. Starting a program from a process as large as a daemon takes
// longer than from a shell, and as long as the daemon's own part of a scan.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

/** A program, with its working folder and arguments. */
export interface Program {
  /** The absolute path of the program. */
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Timeout of the program, and idle time of the shell, in milliseconds. */
const longestRun = 60_000;
const longestRest = 60_000;
/** Maximum output of the program. */
const mostPrinted = 67_108_864;

/**
 * Runs its arguments for each line that it reads, and reports the exit status. It ends with its input, and so with this
 * process.
 */
const script = `while read -r line; do "$@" </dev/null; printf '\\000%d\\n' "$?"; done`;
/** The end marker of a run: no name is empty, so the program's output never has two zero bytes in a row. */
const ending = /(?:^|\0)\0(\d{1,3})\n$/;
const longestEnding = 6;

interface Running {
  readonly printed: Buffer[];
  readonly end: (output: Buffer | null) => void;
  size: number;
}

/** INVARIANT: what the program prints is a list of names, each ended by a zero byte. */
export class Runner {
  readonly #program: Program;
  #shell: ChildProcess | undefined;
  #running: Running | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Runs the program once; returns its output, or null if it failed. One run at a time. */
  async run(): Promise<Buffer | null> {
    if (this.#running !== undefined) return null;
    const shell = this.#shell ?? this.#start();
    return await new Promise<Buffer | null>((resolve) => {
      this.#running = {
        printed: [],
        size: 0,
        end: (output) => {
          this.#running = undefined;
          this.#hold(shell, false);
          this.#restart(longestRest);
          resolve(output);
        },
      };
      this.#hold(shell, true);
      this.#restart(longestRun);
      shell.stdin?.write('\n');
    });
  }

  /** Runs the program once, synchronously. */
  runNow(): Buffer | null {
    const { program, words, environment } = this.#program;
    const { status, stdout } = spawnSync(program, words, {
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: longestRun,
      killSignal: 'SIGKILL',
      maxBuffer: mostPrinted,
    });
    return status === 0 ? stdout : null;
  }

  #start(): ChildProcess {
    const { program, words, environment } = this.#program;
    // INVARIANT: not in the workspace, whose disk could not be unmounted then; and in a separate process group, so that
    // the program ends with the shell.
    // program ends with the shell.
    const shell = spawn('/bin/sh', ['-c', script, 'sh', program, ...words], {
      cwd: '/',
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#shell = shell;
    const gone = () => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      this.#running?.end(null);
      clearTimeout(this.#timer);
    };
    shell.on('error', gone);
    shell.on('close', gone);
    // A shell that has exited does not read.
    shell.stdin.on('error', gone);
    shell.stdout.on('data', (piece: Buffer) => this.#take(piece));
    return shell;
  }

  #take(piece: Buffer): void {
    const running = this.#running;
    const size = (running?.size ?? 0) + piece.length;
    if (running === undefined || size > mostPrinted) {
      this.close();
      return;
    }
    running.size = size;
    running.printed.push(piece);
    if (piece.at(-1) !== 0x0a) return;
    const all = running.printed.length === 1 ? piece : Buffer.concat(running.printed);
    const found = ending.exec(all.subarray(-longestEnding).toString('latin1'));
    if (found === null) return;
    const [, status = ''] = found;
    running.end(status === '0' ? all.subarray(0, all.length - status.length - 2) : null);
  }

  /** While it waits for the program the process stays alive; with an idle shell it may exit. */
  #hold(shell: ChildProcess, isWaiting: boolean): void {
    for (const one of [shell, shell.stdin, shell.stdout] as const) {
      const handle = one as { ref?(): void; unref?(): void } | null;
      if (isWaiting) handle?.ref?.();
      else handle?.unref?.();
    }
  }

  #restart(after: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), after).unref();
  }

  /** Ends the shell and its program. */
  close(): void {
    const { pid } = this.#shell ?? {};
    this.#shell = undefined;
    clearTimeout(this.#timer);
    this.#running?.end(null);
    clearTimeout(this.#timer);
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has just exited.
    }
  }
}
