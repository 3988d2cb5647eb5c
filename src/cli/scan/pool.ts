// Scans many files: a few on the spot, more on a thread for each core. Results come in the order of the files.

import { setImmediate, setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { SallyportError } from '../../core/index.ts';
import { createEngine, type EngineOptions } from './engine.ts';
import { type Outcome, scanFile, type Target } from './file.ts';
import type { Step } from './walk.ts';
import type { Order, Report } from './worker.ts';

/** A thread of the scan ended before its work was done. */
export class ScanFailed extends SallyportError {}

export interface Job {
  readonly engine: EngineOptions;
  readonly threads: number;
  /** The name that the fingerprints of a file are bound to. */
  nameOf(target: Target): string;
  /** Hears of every file and of what could not be read, in order. */
  tell(place: Omit<Target, 'size'>, outcome: Outcome): void;
  /** Hears of bytes that are done with, in no order, and of what is known to be there. */
  progress(passed: number, known: Known): void;
}

/** How much there is, as far as the walk has come. */
export interface Known {
  readonly bytes: number;
  readonly complete: boolean;
}

/** Starting threads takes longer than scanning this much. */
const smallBytes = 8 << 20;
const smallFiles = 4000;
/** What a thread is handed at once. */
const orderFiles = 64;
const orderBytes = 2 << 20;
/** How many files the walk may be ahead of the scan. */
const mostAhead = 100_000;
const restMilliseconds = 20;

/** The files still to be scanned, walked as far as is needed. */
class Backlog implements Known {
  bytes = 0;
  complete = false;
  readonly #steps: Iterator<Step>;
  readonly #waiting: Step[] = [];
  #next = 0;

  constructor(steps: Iterator<Step>) {
    this.#steps = steps;
  }

  get ahead(): number {
    return this.#waiting.length - this.#next;
  }

  /** Walks on by so many files. */
  fill(count: number): void {
    for (let left = count; left > 0 && !this.complete; left--) {
      const { value, done } = this.#steps.next();
      if (done === true) this.complete = true;
      else {
        this.#waiting.push(value);
        this.bytes += sizeOf(value);
      }
    }
  }

  /** The next files, no more than a thread should have at once. */
  take(): readonly Step[] {
    if (this.ahead < orderFiles) this.fill(orderFiles - this.ahead);
    const from = this.#next;
    let bytes = 0;
    while (this.#next < this.#waiting.length && this.#next - from < orderFiles && bytes < orderBytes) {
      const step = this.#waiting[this.#next++];
      if (step !== undefined) bytes += sizeOf(step);
    }
    const taken = this.#waiting.slice(from, this.#next);
    if (this.#next > mostAhead) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    return taken;
  }
}

function sizeOf(step: Step): number {
  return 'target' in step ? step.target.size : 0;
}

/** Scans every file of a walk. */
export async function scanSteps(steps: Iterator<Step>, job: Job): Promise<void> {
  const backlog = new Backlog(steps);
  while (!backlog.complete && backlog.bytes < smallBytes && backlog.ahead < smallFiles) backlog.fill(64);
  const small = backlog.complete && (backlog.bytes < smallBytes || backlog.ahead === 1);
  if (small || job.threads === 1) scanHere(backlog, job);
  else await scanOnThreads(backlog, job);
}

function scanHere(backlog: Backlog, job: Job): void {
  let engine: ReturnType<typeof createEngine> | undefined;
  for (let order = backlog.take(); order.length > 0; order = backlog.take()) {
    for (const step of order) {
      if ('reason' in step) {
        tell(job, step, undefined);
        continue;
      }
      engine ??= createEngine(job.engine);
      const progress = (passed: number) => job.progress(passed, backlog);
      tell(job, step, scanFile(engine, step.target.path, job.nameOf(step.target), progress));
    }
  }
}

/** INVARIANT: everything that was visited is reported; what has no outcome was not scanned. */
function tell(job: Job, step: Step, outcome: Outcome | undefined): void {
  if ('reason' in step) job.tell(step.unread, { unread: step.reason });
  else job.tell(step.target, outcome ?? { unread: 'an error of ours' });
}

async function scanOnThreads(backlog: Backlog, job: Job): Promise<void> {
  const under: { readonly order: readonly Step[]; outcomes?: readonly Outcome[] }[] = [];
  let told = 0;
  const tellReady = () => {
    for (let ready = under[told]; ready?.outcomes !== undefined; ready = under[told]) {
      let index = 0;
      for (const step of ready.order) tell(job, step, 'target' in step ? ready.outcomes[index++] : undefined);
      // A reported outcome is dropped; its place in the order stays.
      under[told++] = { order: [] };
    }
  };
  const useful = backlog.complete ? Math.min(job.threads, backlog.ahead) : job.threads;
  const threads = Array.from(
    { length: useful },
    () => new Thread(job.engine, (passed) => job.progress(passed, backlog)),
  );
  const work = async (thread: Thread) => {
    for (let order = backlog.take(); order.length > 0; order = backlog.take()) {
      const place = under.push({ order }) - 1;
      const targets = order.flatMap((step) => ('target' in step ? [step.target] : []));
      const outcomes = await thread.run(
        targets.map((target) => ({ path: target.path, name: job.nameOf(target) })),
      );
      under[place] = { order, outcomes };
      tellReady();
    }
  };
  let over = false;
  const walkAhead = async () => {
    while (!backlog.complete && !over) {
      const room = backlog.ahead < mostAhead;
      if (room) backlog.fill(256);
      await (room ? setImmediate() : setTimeout(restMilliseconds));
    }
  };
  try {
    await Promise.all([...threads.map(work), walkAhead()]);
  } finally {
    over = true;
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

/** Where the thread's code is: beside this file, or beside the bundle whose chunk this file is in. */
function threadCode(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts') ? new URL('./worker.ts', here) : new URL('../scan-worker.cjs', here);
}

class Thread {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<readonly Outcome[]> | undefined;
  #failure: ScanFailed | undefined;

  constructor(engine: EngineOptions, progress: (bytes: number) => void) {
    this.#worker = new Worker(threadCode(), { workerData: engine });
    this.#worker.on('message', (report: Report) => {
      progress(report.passed);
      if (report.outcomes !== undefined) this.#waiting?.resolve(report.outcomes);
    });
    const fail = (cause: unknown) => {
      this.#failure ??= new ScanFailed('a thread of the scan ended too early; not everything was scanned', {
        cause,
      });
      this.#waiting?.reject(this.#failure);
    };
    this.#worker.on('error', fail);
    this.#worker.on('exit', fail);
  }

  async run(order: Order): Promise<readonly Outcome[]> {
    if (order.length === 0) return [];
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting = Promise.withResolvers();
    this.#worker.postMessage(order);
    return await this.#waiting.promise;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
