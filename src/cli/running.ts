// What a running daemon wrote down about itself.

import { readFileSync } from 'node:fs';

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
