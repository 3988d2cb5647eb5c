// The automaton over long texts: each of its steps waits for the one before, so four parts of the text are read side
// by side, and the processor works on one while another waits.

import { type Automaton, resolveState } from './ruleset.ts';

const laneCount = 4;
const laneLength = 8192;

/** What a block needs, made with the first one: the units of its text, and the ends that each lane has met. */
interface Scratch {
  readonly units: Uint16Array;
  readonly bytes: Buffer;
  /** A place in the lane above a state, in one number. */
  readonly ends: readonly Uint32Array[];
}

let scratch: Scratch | null | undefined;

/** Null where text cannot be copied to units in one step. */
function theScratch(): Scratch | null {
  if (scratch !== undefined) return scratch;
  const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
  if (typeof Buffer === 'undefined' || !littleEndian) scratch = null;
  else {
    const units = new Uint16Array(laneCount * laneLength);
    const ends = Array.from({ length: laneCount }, () => new Uint32Array(laneLength));
    scratch = { units, bytes: Buffer.from(units.buffer), ends };
  }
  return scratch;
}

/** Texts from this length on are worth it. */
export const longText = 1024;

/**
 * Reads a text from a place on, as far as whole blocks of lanes go; reports the states that end words, in order, with
 * the place after them. Gives how far it came, and the state there.
 */
export function readLanes(
  automaton: Automaton,
  text: string,
  from: number,
  state: number,
  report: (state: number, end: number) => void,
): { readonly at: number; readonly state: number } {
  const room = theScratch();
  let at = from;
  let current = state;
  if (room === null || automaton.unknown !== 0xffff) return { at, state: current };
  while (text.length - at >= longText) {
    const length = Math.min(Math.floor((text.length - at) / laneCount), laneLength);
    room.bytes.write(text.slice(at, at + laneCount * length), 'utf16le');
    const starts = [current];
    for (let lane = 1; lane < laneCount; lane++) {
      starts.push(stateAfter(automaton, room.units, lane * length, current));
    }
    current = readBlock(automaton, room, length, starts, (found, end) => report(found, at + end));
    at += laneCount * length;
  }
  return { at, state: current };
}

/** The state after the units before a place: it depends on no more of them than the longest word has. */
function stateAfter(automaton: Automaton, units: Uint16Array, place: number, first: number): number {
  const { classes, next, shift, unknown, longest } = automaton;
  let state = place <= longest ? first : 0;
  for (let index = Math.max(0, place - longest); index < place; index++) {
    const unit = classes[units[index] as number] as number;
    const before = state;
    state = next[(before << shift) | unit] as number;
    if (state === unknown) state = resolveState(automaton, before, unit);
  }
  return state;
}

function readBlock(
  automaton: Automaton,
  { units, ends }: Scratch,
  length: number,
  starts: readonly number[],
  report: (state: number, end: number) => void,
): number {
  const { classes, next, shift, firstEnd, unknown } = automaton;
  const [ends0, ends1, ends2, ends3] = ends as readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let [count0, count1, count2, count3] = [0, 0, 0, 0];
  let [state0 = 0, state1 = 0, state2 = 0, state3 = 0] = starts;
  for (let index = 0; index < length; index++) {
    const unit0 = classes[units[index] as number] as number;
    const unit1 = classes[units[index + length] as number] as number;
    const unit2 = classes[units[index + 2 * length] as number] as number;
    const unit3 = classes[units[index + 3 * length] as number] as number;
    const before0 = state0;
    const before1 = state1;
    const before2 = state2;
    const before3 = state3;
    state0 = next[(before0 << shift) | unit0] as number;
    state1 = next[(before1 << shift) | unit1] as number;
    state2 = next[(before2 << shift) | unit2] as number;
    state3 = next[(before3 << shift) | unit3] as number;
    // States near the root have the lowest numbers, so that one comparison mostly does for all four.
    if ((state0 | state1 | state2 | state3) < firstEnd) continue;
    if (state0 === unknown) state0 = resolveState(automaton, before0, unit0);
    if (state1 === unknown) state1 = resolveState(automaton, before1, unit1);
    if (state2 === unknown) state2 = resolveState(automaton, before2, unit2);
    if (state3 === unknown) state3 = resolveState(automaton, before3, unit3);
    if (state0 >= firstEnd) ends0[count0++] = (index << 16) | state0;
    if (state1 >= firstEnd) ends1[count1++] = (index << 16) | state1;
    if (state2 >= firstEnd) ends2[count2++] = (index << 16) | state2;
    if (state3 >= firstEnd) ends3[count3++] = (index << 16) | state3;
  }
  const counts = [count0, count1, count2, count3];
  for (let lane = 0; lane < laneCount; lane++) {
    const met = ends[lane];
    const count = counts[lane] ?? 0;
    for (let index = 0; met !== undefined && index < count; index++) {
      const end = met[index] as number;
      report(end & 0xffff, lane * length + (end >>> 16) + 1);
    }
  }
  return state3;
}
