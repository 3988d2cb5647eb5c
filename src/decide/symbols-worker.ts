// A thread that reads files for the symbol index: takes one list of paths after the other, and gives the table of each.

import { parentPort } from 'node:worker_threads';
import type { ModuleReader } from '../core/index.ts';
import { readTable } from '../ledger/symbols/read.ts';
import { loadModules } from './parsers.ts';

const reader = load();

parentPort?.on('message', (paths: readonly string[]) => {
  parentPort?.postMessage(paths.map((path) => readTable(path, reader)));
});

function load(): ModuleReader | null {
  try {
    return loadModules();
  } catch {
    // Where the parser is not installed, its languages are unknown.
    return null;
  }
}
