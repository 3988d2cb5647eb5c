// Follows long code on a thread of its own, which is killed when it takes too long: what was not followed is asked for.

import { Worker } from 'node:worker_threads';
import type { Code } from '../core/index.ts';

export interface ApartOptions {
  /** The thread's code. */
  readonly thread: URL;
  /** Milliseconds from the question to the answer, waiting included. */
  readonly deadline: number;
  /** Most questions that wait at a time. */
  readonly most: number;
}

/** The thread's memory in MiB; beyond it the thread ends, and not the process. */
const memory = 512;

interface Job {
  readonly code: Code;
  readonly answer: (facts: unknown) => void;
}

/** One thread that is started with the first question and kept; its questions wait for one another. */
export class Apart {
  readonly #options: ApartOptions;
  #worker: Worker | undefined;
  #running: Job | undefined;
  readonly #waiting = new Set<Job>();

  constructor(options: ApartOptions) {
    this.#options = options;
  }

  /** The facts of the code. INVARIANT: null, and never a throw, where the thread failed, ended or was killed. */
  follow(code: Code): Promise<unknown> {
    const { deadline, most } = this.#options;
    if (this.#waiting.size >= most) return Promise.resolve(null);
    return new Promise((resolve) => {
      // The timer keeps the process alive until there is an answer; the thread never does.
      const timer = setTimeout(() => this.#giveUp(job), deadline);
      const job: Job = {
        code,
        answer: (facts) => {
          clearTimeout(timer);
          resolve(facts);
        },
      };
      this.#waiting.add(job);
      this.#next();
    });
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [job] = this.#waiting;
    if (job === undefined) return;
    this.#waiting.delete(job);
    this.#running = job;
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(job.code);
    } catch {
      this.#end();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#options.thread, { resourceLimits: { maxOldGenerationSizeMb: memory } });
    const ended = () => {
      if (worker === this.#worker) this.#end();
    };
    worker.on('message', (facts: unknown) => {
      if (worker === this.#worker) this.#answer(facts);
    });
    worker.on('messageerror', ended);
    worker.on('error', ended);
    worker.on('exit', ended);
    // Last, since a listener for messages would keep the process alive again.
    worker.unref();
    return worker;
  }

  #giveUp(job: Job): void {
    if (job === this.#running) this.#end();
    else if (this.#waiting.delete(job)) job.answer(null);
  }

  /** Ends the thread and whatever it was at. */
  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#answer(null);
  }

  #answer(facts: unknown): void {
    const job = this.#running;
    this.#running = undefined;
    job?.answer(facts);
    this.#next();
  }
}

/** Where the thread's code is: beside this file, or beside the bundle whose chunk this file is in. */
function threadCode(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts') ? new URL('./apart-worker.ts', here) : new URL('../apart-worker.cjs', here);
}

const shared = new Apart({ thread: threadCode(), deadline: 10_000, most: 64 });

/** Follows code on the thread of this process. */
export function followApart(code: Code): Promise<unknown> {
  return shared.follow(code);
}
