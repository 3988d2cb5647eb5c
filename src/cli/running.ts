// What a running daemon wrote down about itself, and how it is stopped.

import { readFileSync } from 'node:fs';
import { SallyportError } from '../core/index.ts';

/** The daemon did not end in time. */
class StillRunning extends SallyportError {}

export interface Running {
  readonly pid: number;
  readonly port: number;
}

/** Reads the daemon's file; null if there is none or it makes no sense. */
export function readDaemonFile(path: string): Running | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('port' in value)) return null;
    const { pid, port } = value;
    return typeof pid === 'number' && typeof port === 'number' ? { pid, port } : null;
  } catch {
    return null;
  }
}

const waitMs = 15_000;
const lookEvery = 50;

/** Stops the daemon of a process and waits until it has written everything; throws `StillRunning`. */
export async function endDaemon(pid: number, waiting: () => void = () => undefined): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGTERM');
  const until = performance.now() + waitMs;
  while (isAlive(pid)) {
    if (performance.now() > until) throw new StillRunning(`the daemon (process ${pid}) has not ended yet`);
    waiting();
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
