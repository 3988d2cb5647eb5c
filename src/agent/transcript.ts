// The transcript of a run: one event in each line, without what records must not hold, in the home and nowhere else.

import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { NotFoundError, namedId } from '../core/index.ts';
import type { RunEvent, RunOutcome } from './events.ts';

export interface Transcript {
  add(event: RunEvent): void;
  close(): void;
}

/** There is no transcript of that run, or more than one. */
export class UnknownRun extends NotFoundError {}

const ending = '.jsonl';

/** Begins the transcript of a run in a folder of the home; those that nobody has written to since then go. */
export function openTranscript(folder: string, runId: string, since: number): Transcript {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { file, changed } of filesIn(folder)) if (changed < since) rmSync(file, { force: true });
  const descriptor = openSync(join(folder, runId + ending), 'wx', 0o600);
  return {
    add: (event) => appendFileSync(descriptor, `${JSON.stringify(event)}\n`),
    close: () => closeSync(descriptor),
  };
}

/** A run in a line. */
export interface RunSummary extends Pick<Extract<RunEvent, { type: 'start' }>, 'runId' | 'time' | 'task'> {
  /** Null where the run goes on, or its process died. */
  readonly outcome: RunOutcome | null;
}

/** The runs that have a transcript, the latest first. */
export function listRuns(folder: string): readonly RunSummary[] {
  return filesIn(folder)
    .sort((a, b) => b.changed - a.changed)
    .flatMap(({ file }) => {
      const events = eventsIn(file);
      const start = events.find((event) => event.type === 'start');
      const end = events.find((event) => event.type === 'end');
      if (start === undefined) return [];
      const { runId, time, task } = start;
      return [{ runId, time, task, outcome: end?.outcome ?? null }];
    });
}

/** What happened in a run, by its id or an unmistakable beginning of it; throws `UnknownRun`. */
export function readRun(folder: string, id: string): readonly RunEvent[] {
  const files = new Map(filesIn(folder).map(({ runId, file }) => [runId, file]));
  const named = { what: 'run', hint: "see 'sallyport runs'", Unknown: UnknownRun };
  return eventsIn(files.get(namedId(id, files.keys(), named)) ?? '');
}

function filesIn(folder: string) {
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(ending));
  } catch {
    // No run was ever made.
  }
  return names.map((name) => {
    const file = join(folder, name);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return { runId: name.slice(0, -ending.length), file, changed };
  });
}

/** The events of a file; a process that died may have left the last one in half. */
function eventsIn(file: string): readonly RunEvent[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): RunEvent => JSON.parse(line));
}
