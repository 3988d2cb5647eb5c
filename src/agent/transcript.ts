// The transcript of a run: one event in each line, without what records must not hold, in the home and nowhere else.

import { appendFileSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from './events.ts';

export interface Transcript {
  add(event: RunEvent): void;
  close(): void;
}

/** Begins the transcript of a run in a folder of the home. */
export function openTranscript(folder: string, runId: string): Transcript {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(join(folder, `${runId}.jsonl`), 'wx', 0o600);
  return {
    add: (event) => appendFileSync(file, `${JSON.stringify(event)}\n`),
    close: () => closeSync(file),
  };
}
