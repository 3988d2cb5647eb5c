// Attributes changes. A call owns the changes made while one of its processes was observed running; changes at any
// other time are the user's.

import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemPath } from './names.ts';
import { type Cause, isAlive, type Maker, type PreImage } from './snapshot.ts';

/** A running call that may change anything. */
export interface Pending {
  readonly id: string;
  readonly cause: Cause;
  readonly time: number;
  /** Its begin, by the clock of the disk. */
  readonly began?: number;
  readonly maker: Maker;
  /** The pre-image from before it. */
  readonly preImage?: PreImage;
  /** The processes of the call are monitored, and `lived` states when there were any. */
  readonly watched?: true;
  /** When the first of them was seen, and when the last exited; null while one is running. */
  readonly lived?: readonly [from: number, to: number | null];
}

/** The data of a pre-image beside the cause of its call. */
export interface Watching {
  readonly watched?: true;
}

/**
 * How long before it was first seen a process may have begun, and how long after it was last seen it may have ended.
 */
const slack = 400;
/** The heartbeat interval of a call's process, with tolerance for a busy machine. */
const beat = 3000;

/** Clocks of file systems are coarse: a change after a moment may have a date from before it. */
const coarse = 50;

/** The time span in which a call owns changes. */
export interface Span {
  readonly call: Pending;
  readonly from: number;
  readonly to: number;
  /** No process of the call was observed, so only its reported end shows whether it did anything. */
  readonly isUnsure: boolean;
}

/** The time span in which a call owns changes; `ending`: the call whose end its host reports now. */
function spanOf(call: Pending, ending: string | null, file: string): Span {
  const { id, maker, watched, lived, time, began } = call;
  const from = began === undefined ? 0 : began - coarse;
  const isGone = !isAlive(maker);
  const lastBeat = isGone ? (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? time) + beat : Infinity;
  if (watched !== true) return { call, from, to: lastBeat, isUnsure: false };
  if (lived === undefined) return { call, from, to: Infinity, isUnsure: id !== ending };
  const [start, to] = lived;
  return { call, from: start - slack, to: to === null ? lastBeat : to + slack, isUnsure: false };
}

/** Whether there is no evidence that a call began its work only later. */
export function ownsFromStart({ lived, began = 0 }: Pending): boolean {
  return lived === undefined || lived[0] <= began + coarse;
}

/** The calls that changes are attributed to. */
export class Owners {
  readonly #spans: readonly Span[];
  readonly #ending: string | null;

  constructor(running: readonly Pending[], ending: string | null, fileOf: (id: string) => string) {
    this.#ending = ending;
    this.#spans = running.map((call) => spanOf(call, ending, fileOf(call.id)));
  }

  /** The span that contains a change at a path, certain ones first; null: it is the user's. */
  of(path: string, timesOf: () => readonly number[]): Span | null {
    const able = this.#spans.filter(({ call }) => mayChange(call.cause, path));
    if (able.length === 0) return null;
    const [own = 0, ...above] = timesOf();
    const owning = able.filter(({ from, to }) => {
      const isIn = (time: number) => time >= from && time <= to;
      return isIn(own) || (own < from && above.some(isIn));
    });
    const sure = owning.filter(({ isUnsure }) => !isUnsure);
    return sure.find(({ call }) => call.id === this.#ending) ?? sure[0] ?? owning[0] ?? null;
  }
}

/** Whether a call may have changed a path; one without declared paths may have changed any. */
function mayChange({ writes }: Cause, path: string): boolean {
  const isBelow = (one: string, other: string) => one === other || one.startsWith(`${other}/`);
  return writes === undefined || writes.some((name) => isBelow(path, name) || isBelow(name, path));
}

/**
 * When the entry at a path may have changed last, the most likely first: it was created, replaced, or removed; or a
 * folder above it was moved, which leaves the dates below unchanged. No program can set these dates.
 */
export function changeTimes(path: string): readonly number[] {
  const times: number[] = [];
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const found = statOf(at);
    if (found !== undefined) times.push(found.ctimeMs);
  }
  return times;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(systemPath(path), { throwIfNoEntry: false });
  } catch {
    // A former folder is no longer one.
    return undefined;
  }
}
