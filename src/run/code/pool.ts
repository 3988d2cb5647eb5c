// Threads that run code. Each serves one tenant and one run at a time; one that failed is terminated and not used
// again.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { QuickJSOptions } from 'quickjs-wasi';
import { SallyportError } from '../../core/index.ts';
import type { Limits } from './limits.ts';
import { prelude } from './prelude.ts';
import type { Message, ThreadData, ThreadMessage } from './protocol.ts';
import { SpinWait } from './spin-wait.ts';
import { kept } from './vm.ts';

/** The engine that runs code is not installed, or does not start. */
export class EngineMissing extends SallyportError {}

export interface PoolOptions {
  /** Threads that are started in advance for the next run. */
  readonly min: number;
  readonly max: number;
  /** A thread is replaced after so many runs. */
  readonly runsPerWorker: number;
}

export const defaultPool: PoolOptions = { min: 1, max: 8, runsPerWorker: 500 };

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<QuickJSOptions['wasm']> };

/** V8's own memory and stack on a thread; the VM's memory is outside of the first, and its stack inside of the second. */
const resourceLimits = { maxOldGenerationSizeMb: 256, stackSizeMb: 8 };

interface Engine {
  readonly wasm: QuickJSOptions['wasm'];
  /** The hash of its components: a VM resumes only in the engine it began in. */
  readonly mark: string;
}

/** One thread. */
export class Lane {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #gauge: Int32Array;
  readonly #since: number;
  readonly ready: Promise<void>;
  readonly #spinWait: SpinWait;
  /** How many messages of the code were received. */
  #turns = 0;
  tenant: string | null = null;
  runs = 0;
  isBusy = false;
  /** The handlers of the code's messages, and of the end of the thread. */
  onTurn: ((message: ThreadMessage) => void) | null = null;
  onEnd: (() => void) | null = null;

  constructor({ wasm }: Engine, limits: Pick<Limits, 'memoryMb' | 'stackKb'>) {
    const meter = new SharedArrayBuffer(12);
    this.#gauge = new Int32Array(meter);
    this.#since = Date.now();
    const { memoryMb, stackKb } = limits;
    const { port1, port2 } = new MessageChannel();
    const workerData: ThreadData = {
      wasm,
      meter,
      port: port2,
      since: this.#since,
      limits: { memoryMb, stackKb },
    };
    const worker = new Worker(threadCode(), {
      workerData,
      transferList: [port2],
      resourceLimits,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    this.#worker = worker;
    this.ready = new Promise((resolve, reject) => {
      worker.on('message', () => resolve());
      port1.on('message', (message: ThreadMessage) => this.#turn(message));
      const ended = (cause?: unknown) => {
        reject(new EngineMissing('The thread that runs code does not start', { cause }));
        this.onEnd?.();
      };
      worker.on('error', ended);
      worker.on('messageerror', ended);
      port1.on('messageerror', ended);
      worker.on('exit', () => ended());
    });
    // Those who wait for it receive the error.
    this.ready.catch(() => {});
    // A timer of each run keeps the process alive; a thread never does.
    worker.unref();
    port1.unref();
    this.#port = port1;
    this.#spinWait = new SpinWait(port1);
  }

  post(message: Message): void {
    this.#port.postMessage(message);
  }

  /** Waits a moment for what the code does next; after others had their turn, if they have waited long enough. */
  spinWait(): void {
    if (!maySpin()) {
      const turns = this.#turns;
      setImmediate(() => {
        if (this.onTurn !== null && this.#turns === turns) this.spinWait();
      });
      return;
    }
    const message = this.#spinWait.receive<ThreadMessage>();
    if (message !== undefined) this.#turn(message);
  }

  #turn(message: ThreadMessage): void {
    this.#turns++;
    this.onTurn?.(message);
  }

  /** How long the code has computed, in milliseconds, until now. */
  computed(): number {
    const began = Atomics.load(this.#gauge, 0);
    const before = Atomics.load(this.#gauge, 1);
    return began === 0 ? before : before + Math.max(0, Date.now() - this.#since + 1 - began);
  }

  /** Starts counting for a run, which may have computed before. */
  reset(used: number): void {
    Atomics.store(this.#gauge, 1, Math.floor(used));
    Atomics.store(this.#gauge, 2, 0);
  }

  /** How many calls the code has started since then. */
  started(): number {
    return Atomics.load(this.#gauge, 2);
  }

  isComputing(): boolean {
    return Atomics.load(this.#gauge, 0) !== 0;
  }

  async kill(): Promise<void> {
    this.onTurn = null;
    this.onEnd = null;
    this.#port.close();
    await this.#worker.terminate();
  }
}

/** The longest time, in milliseconds, that the rest of this process waits for code that answers at once. */
const mostSpinning = 2;
let spinsSince = 0;

function maySpin(): boolean {
  if (spinsSince === 0) {
    spinsSince = performance.now();
    // Other pending work runs in between.
    setImmediate(() => {
      spinsSince = 0;
    });
  }
  return performance.now() - spinsSince < mostSpinning;
}

interface Waiter {
  readonly tenant: string;
  readonly take: (lane: Promise<Lane>) => void;
}

/** The threads of one process. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #limits: Pick<Limits, 'memoryMb' | 'stackKb'>;
  readonly #lanes = new Set<Lane>();
  readonly #waiting: Waiter[] = [];
  #starting = 0;
  #isClosed = false;

  constructor(options: PoolOptions, limits: Pick<Limits, 'memoryMb' | 'stackKb'>) {
    this.#options = options;
    this.#limits = limits;
  }

  /** How many threads there are. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Starts the threads that are started in advance. */
  async warm(): Promise<void> {
    if (this.#isClosed) return;
    const idle = [...this.#lanes].filter((lane) => lane.tenant === null && !lane.isBusy).length;
    const missing = Math.min(
      this.#options.min - idle - this.#starting,
      this.#options.max - this.#lanes.size - this.#starting,
    );
    await Promise.all(Array.from({ length: Math.max(0, missing) }, () => this.#start()));
  }

  /** A thread for a run of a tenant; it is the caller's until it is given back. Rejects once the signal is aborted. */
  async take(tenant: string, signal: AbortSignal): Promise<Lane> {
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      let isStopped = false;
      const waiter: Waiter = {
        tenant,
        take: (handed) => {
          handed.then((lane) => {
            signal.removeEventListener('abort', stop);
            // A thread that arrives too late serves another run.
            if (isStopped) this.give(lane, true);
            else resolve(lane);
          }, reject);
        },
      };
      const stop = () => {
        isStopped = true;
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.push(waiter);
      this.#serve();
    });
  }

  /** Returns a thread to the pool; one that failed, or has run often enough, is terminated. */
  give(lane: Lane, isSound: boolean): void {
    lane.onTurn = null;
    lane.onEnd = () => void this.#drop(lane);
    lane.isBusy = false;
    if (!isSound || this.#isClosed || lane.runs >= this.#options.runsPerWorker) this.#drop(lane);
    this.#serve();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { take } of this.#waiting.splice(0))
      take(Promise.reject(new EngineMissing('The runner is closed')));
    await Promise.all([...this.#lanes].map((lane) => this.#drop(lane)));
  }

  #serve(): void {
    for (let waiter = this.#waiting[0]; waiter !== undefined; waiter = this.#waiting[0]) {
      const lane = this.#laneFor(waiter.tenant);
      if (lane === null) return;
      this.#waiting.shift();
      waiter.take(lane);
    }
    void this.warm().catch(() => {});
  }

  /** A thread that may serve a tenant; null if all are busy. INVARIANT: no thread ever serves two tenants. */
  #laneFor(tenant: string): Promise<Lane> | null {
    if (this.#isClosed) return Promise.reject(new EngineMissing('The runner is closed'));
    const idle = [...this.#lanes].filter((lane) => !lane.isBusy);
    const known = idle.find((lane) => lane.tenant === tenant) ?? idle.find((lane) => lane.tenant === null);
    if (known !== undefined) {
      claim(known, tenant);
      return known.ready.then(() => known);
    }
    if (this.#lanes.size + this.#starting >= this.#options.max) {
      const [other] = idle;
      if (other === undefined) return null;
      void this.#drop(other);
    }
    return this.#start(tenant);
  }

  async #start(tenant: string | null = null): Promise<Lane> {
    this.#starting++;
    try {
      const lane = new Lane(await loadEngine(), this.#limits);
      this.#lanes.add(lane);
      if (tenant !== null) claim(lane, tenant);
      lane.onEnd = () => void this.#drop(lane);
      try {
        await lane.ready;
      } catch (error) {
        void this.#drop(lane);
        throw error;
      }
      return lane;
    } finally {
      this.#starting--;
      if (tenant === null) this.#serve();
    }
  }

  #drop(lane: Lane): Promise<void> {
    this.#lanes.delete(lane);
    return lane.kill();
  }
}

function claim(lane: Lane, tenant: string): void {
  lane.tenant = tenant;
  lane.isBusy = true;
  lane.runs++;
}

let engine: Promise<Engine> | undefined;

/** The engine that threads are made of, compiled once in a process; throws `EngineMissing`. */
export async function loadEngine(): Promise<Engine> {
  engine ??= findEngine();
  try {
    return await engine;
  } catch (error) {
    // A missing package may be installed at the next call.
    engine = undefined;
    throw error;
  }
}

async function findEngine(): Promise<Engine> {
  try {
    const require = createRequire(import.meta.url);
    const bytes = await readFile(require.resolve('quickjs-wasi/quickjs.wasm'));
    const mark = createHash('sha256').update(bytes).update(prelude).update(kept);
    return { wasm: await WebAssembly.compile(bytes), mark: mark.digest('base64url') };
  } catch (error) {
    throw new EngineMissing(
      'The package quickjs-wasi is not installed, so code cannot run. Run npm install quickjs-wasi.',
      {
        cause: error,
      },
    );
  }
}

/** Location of the thread's code: beside this file, or beside the bundle whose chunk this file is in. */
function threadCode(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts') ? new URL('./worker.ts', here) : new URL('../code-worker.cjs', here);
}
