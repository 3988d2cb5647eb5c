// Threads for hostile or long input, terminated on a timeout: code to follow, actions to judge, files to read.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

export interface WorkerPoolOptions {
  /** The threads' code. */
  readonly thread: URL;
  /** Milliseconds that a thread may work on one request; time that it waits for calls served here is not counted. */
  readonly deadline: number;
  /** Milliseconds that a request waits for a thread; the default is the working time limit. */
  readonly patience?: number;
  /** Most requests that wait at the same time. */
  readonly most: number;
  /** Threads that work at the same time; the default is one. */
  readonly size?: number;
  /** Milliseconds of idle time after which a thread is terminated; without it the thread stays. */
  readonly idle?: number;
}

/** A thread's memory in MiB; beyond it the thread ends, and not the process. */
const memory = 512;
/** Threads that may exist for each working one: the others wait for a call that only this thread can serve. */
const mostForEach = 4;

/** The outcome of a request: the thread's answer, or why there is none. */
export type Asked = { readonly answer: unknown } | { readonly failed: 'late' | 'busy' | 'ended' };

/** Serves a call of a thread that only this thread can do; its errors are rethrown there. */
export type Serve = (name: string, argument: unknown) => unknown;

/** A call that a thread sends, and the reply. */
export interface Call {
  readonly number: number;
  readonly name: string;
  readonly argument: unknown;
}
export type Returned = { readonly number: number } & (
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string } }
);

interface Job<Question> {
  readonly question: Question;
  readonly serve: Serve | undefined;
  readonly settle: (asked: Asked) => void;
  /** Fires after the time limit for waiting or working. Keeps the process alive until then; the thread never does. */
  timer: NodeJS.Timeout | undefined;
  left: number;
  since: number;
  port?: MessagePort;
  /** Calls of its thread that are in progress here. */
  calls: number;
}

interface Thread<Question> {
  readonly worker: Worker;
  job: Job<Question> | undefined;
  resting?: NodeJS.Timeout | undefined;
}

/** Threads that are started on demand, each with one request at a time. */
export class WorkerPool<Question extends object> {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<Thread<Question>>();
  readonly #waiting = new Set<Job<Question>>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /**
   * Sends a request to a thread. With `serve`, the thread receives a port for calls with its request. INVARIANT: never
   * throws, whether the thread failed, exited or was terminated.
   */
  ask(question: Question, serve?: Serve): Promise<Asked> {
    const { deadline, patience = deadline, most } = this.#options;
    if (this.#waiting.size >= most) return Promise.resolve({ failed: 'busy' });
    return new Promise((settle) => {
      const job: Job<Question> = {
        question,
        serve,
        settle,
        timer: setTimeout(() => this.#giveUp(job), patience),
        left: deadline,
        since: 0,
        calls: 0,
      };
      this.#waiting.add(job);
      this.#next();
    });
  }

  /** Assigns the next request to a thread, if one may work. */
  #next(): void {
    const { size = 1 } = this.#options;
    for (const job of this.#waiting) {
      const threads = [...this.#threads];
      // INVARIANT: a thread that waits for a call served here delays no other request.
      if (threads.filter((thread) => thread.job !== undefined && thread.job.calls === 0).length >= size)
        return;
      const free = threads.find((thread) => thread.job === undefined);
      if (free === undefined && threads.length >= size * mostForEach) return;
      this.#waiting.delete(job);
      clearTimeout(job.timer);
      this.#begin(free, job);
    }
  }

  #begin(free: Thread<Question> | undefined, job: Job<Question>): void {
    let thread = free;
    try {
      thread ??= this.#start();
      clearTimeout(thread.resting);
      thread.job = job;
      this.#resume(thread, job);
      const { port, transfer } = this.#portFor(thread, job);
      thread.worker.postMessage(port === undefined ? job.question : { ...job.question, port }, transfer);
    } catch {
      if (thread === undefined) job.settle({ failed: 'ended' });
      else this.#end(thread, 'ended');
    }
  }

  #start(): Thread<Question> {
    const worker = new Worker(this.#options.thread, { resourceLimits: { maxOldGenerationSizeMb: memory } });
    const thread: Thread<Question> = { worker, job: undefined };
    const ended = () => this.#end(thread, 'ended');
    worker.on('message', (answer: unknown) => this.#settle(thread, { answer }));
    worker.on('messageerror', ended);
    worker.on('error', ended);
    worker.on('exit', ended);
    // Last, since a listener for messages would keep the process alive again.
    worker.unref();
    this.#threads.add(thread);
    return thread;
  }

  #portFor(
    thread: Thread<Question>,
    job: Job<Question>,
  ): { readonly port?: MessagePort; readonly transfer: MessagePort[] } {
    const { serve } = job;
    if (serve === undefined) return { transfer: [] };
    const { port1, port2 } = new MessageChannel();
    job.port = port1;
    port1.on('message', (call: Call) => void this.#serve(thread, job, serve, call));
    port1.unref();
    return { port: port2, transfer: [port2] };
  }

  /** Serves a thread's call; its timer is stopped meanwhile. */
  async #serve(thread: Thread<Question>, job: Job<Question>, serve: Serve, call: Call): Promise<void> {
    const { number } = call;
    this.#pause(job);
    let returned: Returned;
    try {
      returned = { number, value: await serve(call.name, call.argument) };
    } catch (error) {
      const { name, message } = error instanceof Error ? error : { name: 'Error', message: '' };
      returned = { number, error: { name, message } };
    }
    if (thread.job !== job) return;
    this.#resume(thread, job, 1);
    try {
      job.port?.postMessage(returned);
    } catch {
      this.#end(thread, 'ended');
    }
  }

  #pause(job: Job<Question>): void {
    if (job.calls++ > 0) return;
    clearTimeout(job.timer);
    job.left -= performance.now() - job.since;
    // Another thread may be ready for the processor.
    this.#next();
  }

  #resume(thread: Thread<Question>, job: Job<Question>, returned = 0): void {
    job.calls -= returned;
    if (job.calls > 0) return;
    job.since = performance.now();
    job.timer = setTimeout(() => this.#end(thread, 'late'), Math.max(0, job.left));
  }

  /** A request that no thread accepted in time. */
  #giveUp(job: Job<Question>): void {
    if (this.#waiting.delete(job)) job.settle({ failed: 'late' });
  }

  /** Terminates a thread and its current request. */
  #end(thread: Thread<Question>, failed: 'late' | 'ended'): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.resting);
    void thread.worker.terminate();
    this.#settle(thread, { failed });
  }

  #settle(thread: Thread<Question>, asked: Asked): void {
    const { job } = thread;
    thread.job = undefined;
    if (job !== undefined) {
      clearTimeout(job.timer);
      job.port?.close();
      job.settle(asked);
    }
    this.#rest(thread);
    this.#next();
  }

  /** A thread that uses much memory does not wait for the next request forever. */
  #rest(thread: Thread<Question>): void {
    const { idle } = this.#options;
    if (idle === undefined || !this.#threads.has(thread)) return;
    clearTimeout(thread.resting);
    thread.resting = setTimeout(() => this.#end(thread, 'ended'), idle).unref();
  }
}
