// Reads the tables of many files, on this thread and on worker threads. The files of a thread that fails are read here.

import { availableParallelism, cpus } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ModuleReader } from '../../core/index.ts';
import { typescriptFile } from '../../guards/symbols/languages/typescript.ts';
import { readTable } from './read.ts';

/** Files that are sent to a thread at a time; this thread yields after as many. */
const batchSize = 64;
/** Fewer files are read before a thread has started. */
const fewestFiles = 1000;
/** Most threads beside this one. */
const mostThreads = 3;

/**
 * The tables of files, as JSON, by path. `code` is that of a thread, if there is one, and `most` limits the threads.
 */
export async function readTables(
  paths: readonly string[],
  reader: () => Promise<ModuleReader | null>,
  code: URL | null,
  most: number,
): Promise<ReadonlyMap<string, string>> {
  const tables = new Map<string, string>();
  const open: (readonly string[])[] = [];
  for (let at = 0; at < paths.length; at += batchSize) open.push(paths.slice(at, at + batchSize));
  const count = paths.length < fewestFiles ? 0 : Math.min(most, mostThreads);
  const threads = code === null ? [] : Array.from({ length: count }, () => new ReadingThread(code));
  try {
    const helping = threads.map(async (thread) => {
      for (let batch = open.pop(); batch !== undefined; batch = open.pop()) {
        const read = await thread.read(batch);
        if (read === null) return void open.push(batch);
        for (const [index, path] of batch.entries()) tables.set(path, read[index] ?? 'null');
      }
    });
    await readHere(open, reader, tables);
    await Promise.all(helping);
    // Results that a thread returned after the rest was done.
    await readHere(open, reader, tables);
  } finally {
    for (const thread of threads) thread.end();
  }
  return tables;
}

/**
 * Starts to monitor the cores; the returned function gives the number of cores that have been idle since: a thread on a
 * busy one slows the work down. The load average of the system covers the last minute, including our own work.
 */
export function watchCores(): () => number {
  const start = performance.now();
  const before = idleTime();
  return () => {
    const idle = (idleTime() - before) / (performance.now() - start);
    return Math.min(availableParallelism() - 1, Math.round(idle));
  };
}

/** The idle time of all cores together, in milliseconds. */
function idleTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}

async function readHere(
  open: (readonly string[])[],
  reader: () => Promise<ModuleReader | null>,
  tables: Map<string, string>,
): Promise<void> {
  let modules: ModuleReader | null = null;
  for (let batch = open.pop(); batch !== undefined; batch = open.pop()) {
    for (const path of batch) {
      if (typescriptFile.test(path)) modules ??= await reader();
      tables.set(path, readTable(path, modules));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** One thread, with one batch at a time. */
class ReadingThread {
  readonly #worker: Worker;
  #answer: ((tables: readonly string[] | null) => void) | undefined;
  #failed = false;

  constructor(code: URL) {
    this.#worker = new Worker(code);
    const fail = () => {
      this.#failed = true;
      this.#answer?.(null);
    };
    this.#worker.on('message', (tables: readonly string[]) => this.#answer?.(tables));
    for (const event of ['messageerror', 'error', 'exit']) this.#worker.on(event, fail);
  }

  /** The tables in the order of the paths; null if the thread has failed. */
  read(paths: readonly string[]): Promise<readonly string[] | null> {
    if (this.#failed) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#worker.postMessage(paths);
    });
  }

  end(): void {
    void this.#worker.terminate();
  }
}
