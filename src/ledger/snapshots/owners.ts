// Whose a change is. A call owns what changed while a process of it lived, as far as anybody saw that; what changed at any
// other time is the person's.

import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemPath } from './names.ts';
import { type Cause, isAlive, type Maker, type PreImage } from './snapshot.ts';

/** A call that runs and may change anything. */
export interface Pending {
  readonly id: string;
  readonly cause: Cause;
  readonly time: number;
  /** When it began, by the clock of the disk. */
  readonly began?: number;
  readonly maker: Maker;
  /** What was kept before it. */
  readonly preImage?: PreImage;
  /** Somebody watches the processes of the call, and says in `lived` when there were any. */
  readonly watched?: true;
  /** When the first of them was seen, and when the last was gone; null while one lives. */
  readonly lived?: readonly [from: number, to: number | null];
}

/** What a pre-image needs beside the cause of its call. */
export interface Watching {
  readonly watched?: true;
}

/** How long before it was seen a process may have begun, and how long after it was seen it may have ended. */
const slack = 400;
/** How often a maker says that its call still runs, with room for a machine that is busy. */
const beat = 3000;

/** Clocks of file systems are coarse: what changed after a moment may bear a date from before it. */
const coarse = 50;

/** The time in which a call owns what changed. */
export interface Span {
  readonly call: Pending;
  readonly from: number;
  readonly to: number;
  /** Nobody saw a process of the call, so that only its reported end tells whether it did anything. */
  readonly isUnsure: boolean;
}

/** From when to when a call owns what changed; `ending`: the call whose end its host reports now. */
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

/** Whether nothing says that a call began its work only later. */
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

  /** The span that a change at a path falls into, one that is sure before others; null: it is the person's. */
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

/** Whether a call may have changed a path; one that says nothing of what it writes may have changed any. */
function mayChange({ writes }: Cause, path: string): boolean {
  const isBelow = (one: string, other: string) => one === other || one.startsWith(`${other}/`);
  return writes === undefined || writes.some((name) => isBelow(path, name) || isBelow(name, path));
}

/**
 * When something at a path may have changed last, the likeliest first: it came, it became another, or it went; or a folder
 * above it was moved, which leaves the dates below alone. No program can set these dates.
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
    // What was a folder is none any more.
    return undefined;
  }
}
