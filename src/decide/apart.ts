// Hands hostile input to a thread of its own, which is killed when it takes too long: long code to follow, files to read.

import { Worker } from 'node:worker_threads';
import type { Code } from '../core/index.ts';

export interface ApartOptions {
  /** The thread's code. */
  readonly thread: URL;
  /** Milliseconds from the question to the answer, waiting included. */
  readonly deadline: number;
  /** Most questions that wait at a time. */
  readonly most: number;
  /** Milliseconds without a question after which the thread is ended; without it the thread is kept. */
  readonly idle?: number;
}

/** The thread's memory in MiB; beyond it the thread ends, and not the process. */
const memory = 512;

/** What became of a question: the thread's answer, or why there is none. */
export type Asked = { readonly answer: unknown } | { readonly failed: 'late' | 'busy' | 'ended' };

interface Job<Question> {
  readonly question: Question;
  readonly settle: (asked: Asked) => void;
}

/** One thread that is started with the first question and kept; its questions wait for one another. */
export class Apart<Question> {
  readonly #options: ApartOptions;
  #worker: Worker | undefined;
  #running: Job<Question> | undefined;
  readonly #waiting = new Set<Job<Question>>();
  #resting: NodeJS.Timeout | undefined;

  constructor(options: ApartOptions) {
    this.#options = options;
  }

  /** Asks the thread. INVARIANT: never throws, whether the thread failed, ended or was killed. */
  ask(question: Question): Promise<Asked> {
    const { deadline, most } = this.#options;
    if (this.#waiting.size >= most) return Promise.resolve({ failed: 'busy' });
    return new Promise((resolve) => {
      // The timer keeps the process alive until there is an answer; the thread never does.
      const timer = setTimeout(() => this.#giveUp(job), deadline);
      const job: Job<Question> = {
        question,
        settle: (asked) => {
          clearTimeout(timer);
          resolve(asked);
        },
      };
      this.#waiting.add(job);
      this.#next();
    });
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [job] = this.#waiting;
    clearTimeout(this.#resting);
    if (job === undefined) {
      this.#rest();
      return;
    }
    this.#waiting.delete(job);
    this.#running = job;
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(job.question);
    } catch {
      this.#end('ended');
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#options.thread, { resourceLimits: { maxOldGenerationSizeMb: memory } });
    const ended = () => {
      if (worker === this.#worker) this.#end('ended');
    };
    worker.on('message', (answer: unknown) => {
      if (worker === this.#worker) this.#settle({ answer });
    });
    worker.on('messageerror', ended);
    worker.on('error', ended);
    worker.on('exit', ended);
    // Last, since a listener for messages would keep the process alive again.
    worker.unref();
    return worker;
  }

  /** A thread that holds much memory does not wait for the next question forever. */
  #rest(): void {
    const { idle } = this.#options;
    if (idle !== undefined) this.#resting = setTimeout(() => this.#end('ended'), idle).unref();
  }

  #giveUp(job: Job<Question>): void {
    if (job === this.#running) this.#end('late');
    else if (this.#waiting.delete(job)) job.settle({ failed: 'late' });
  }

  /** Ends the thread and whatever it was at. */
  #end(failed: 'late' | 'ended'): void {
    clearTimeout(this.#resting);
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    if (this.#running !== undefined) this.#settle({ failed });
  }

  #settle(asked: Asked): void {
    const job = this.#running;
    this.#running = undefined;
    job?.settle(asked);
    this.#next();
  }
}

/** Where the thread's code is: beside this file, or beside the bundle whose chunk this file is in. */
function threadCode(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts') ? new URL('./apart-worker.ts', here) : new URL('../apart-worker.cjs', here);
}

const shared = new Apart<Code>({ thread: threadCode(), deadline: 10_000, most: 64 });

/** Follows code on the thread of this process; null where it could not be followed. */
export async function followApart(code: Code): Promise<unknown> {
  const asked = await shared.ask(code);
  return 'answer' in asked ? asked.answer : null;
}
