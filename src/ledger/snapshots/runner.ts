// A shell that stays and runs one program again and again. To start a program from a process as large as a daemon takes
// longer than from a shell, and as long as the daemon's own part of a look.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

/** A program, and where and with what it runs. */
export interface Program {
  /** The absolute path of the program. */
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** How long the program may run, and how long the shell stays without work, in milliseconds. */
const longestRun = 60_000;
const longestRest = 60_000;
/** How much the program may print. */
const mostPrinted = 67_108_864;

/** Runs its words for each line that it reads, and says how they ended. It ends with its input, and so with this process. */
const script = `while read -r line; do "$@" </dev/null; printf '\\000%d\\n' "$?"; done`;
/** How a run ends: no name is empty, so nothing that the program prints has two zero bytes in a row. */
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

  /** Runs the program once; gives what it printed, and null where it has not ended well. One run at a time. */
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

  /** Runs the program once without letting anybody else in. */
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
    // INVARIANT: not in the workspace, whose disk could not be unmounted then; and with a group of its own, so that the
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
    // A shell that is gone does not read.
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

  /** A process that waits for the program goes on; one that only has the shell may end. */
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

  /** Ends the shell, and what it runs. */
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
      // It has just ended.
    }
  }
}
