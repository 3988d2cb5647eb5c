// A thread of a scan: scans the files it is handed and hands back what came of each.

import { parentPort, workerData } from 'node:worker_threads';
import { createEngine, type EngineOptions } from './engine.ts';
import { type Outcome, scanFile } from './file.ts';

/** Files for a thread: where each is, and the name that its fingerprints are bound to. */
export type Order = readonly { readonly path: string; readonly name: string }[];

/** What a thread says: that it is some bytes further, or that its order is done. */
export interface Report {
  readonly passed: number;
  readonly outcomes?: readonly Outcome[];
}

/** How many bytes are worth a message. */
const worthSaying = 1 << 20;

const port = parentPort;
if (port !== null) {
  const options: EngineOptions = workerData;
  const engine = createEngine(options);
  let passed = 0;
  const say = (outcomes?: readonly Outcome[]) => {
    const report: Report = outcomes === undefined ? { passed } : { passed, outcomes };
    passed = 0;
    port.postMessage(report);
  };
  const progress = (bytes: number) => {
    passed += bytes;
    if (passed >= worthSaying) say();
  };
  port.on('message', (order: Order) => {
    say(order.map(({ path, name }) => scanFile(engine, path, name, progress)));
  });
}
