// What is long is judged on a thread of its own: a small decision beside it does not wait, and one that takes too long is
// killed. Everything else is judged on the spot.

import type { Settings } from '../config/index.ts';
import { type Action, type GuardInput, isJsonObject, lazily } from '../core/index.ts';
import { type Granted, type GuardTable, type Judged, judge } from './judge.ts';
import { isReal, resolvesHere } from './world.ts';

/** Longest action that is judged on the spot, in UTF-16 units of all of its texts: judging that takes a few milliseconds. */
export const longestOnTheSpot = 16_384;
/** What a value counts for beside its text: many small ones take their time too. */
const eachValue = 4;

/** Whether a value holds more than is read on the spot; looks no further than it has to. */
export function isLong(value: unknown): boolean {
  return measured(value, longestOnTheSpot) < 0;
}

/** What is left of a number of units once a value is taken off. */
function measured(value: unknown, units: number): number {
  if (typeof value === 'string') return units - value.length;
  let left = units - eachValue;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = measured(value[at], left);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (left < 0) break;
      left = measured(value[key], left - key.length);
    }
  }
  return left;
}

/** Loaded with the first long action. */
const isolated = lazily(() => import('./isolated.ts'));

/** Judges an action on the spot, or on a thread where it is long and there is one. INVARIANT: never throws, as `judge`. */
export async function judgeAnywhere(
  table: GuardTable,
  action: Action,
  input: GuardInput<Settings>,
  granted: Granted,
): Promise<Judged> {
  const { world, observe } = input;
  const onTheSpot = world.isolation === undefined || observe !== undefined || !isLong(action);
  if (onTheSpot || !isReal(world)) return await judge(table, action, input);
  return await isolated(({ judgeIsolated }) =>
    judgeIsolated(table, action, input, granted, resolvesHere(world)),
  );
}
