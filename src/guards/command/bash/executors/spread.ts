import { singleText } from '../values.ts';
import type { Call, Inner } from './inner.ts';
import { argv } from './shapes.ts';

/** The processors stand before the command, unless an option named them. */
export function taskset(call: Call): readonly Inner[] {
  const named = call.args.some((arg) => singleText(arg).startsWith('--cpu-list='));
  return argv('p', '', named ? 0 : 1)(call);
}
