// A thread that reads files for the symbol index: receives one list of paths after the other, and returns the table of
// each.

import { parentPort } from 'node:worker_threads';
import type { ModuleReader } from '../core/index.ts';
import { typescriptFile } from '../guards/symbols/languages/typescript.ts';
import { readTable } from '../ledger/symbols/read.ts';

let reader: Promise<ModuleReader | null> | undefined;

parentPort?.on('message', async (paths: readonly string[]) => {
  // Other languages need no reader, and the parser is slow to load.
  if (paths.some((path) => typescriptFile.test(path))) reader ??= load();
  const modules = (await reader) ?? null;
  parentPort?.postMessage(paths.map((path) => readTable(path, modules)));
});

async function load(): Promise<ModuleReader | null> {
  try {
    return (await import('./parsers.ts')).loadModules();
  } catch {
    // If the parser is not installed, its languages are unknown.
    return null;
  }
}
