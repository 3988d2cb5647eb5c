// What the operations of JavaScript have in common: options, functions that are called back, what comes from outside.

import { callThing } from '../script/calls.ts';
import type { Call, Operation } from '../script/machine.ts';
import { type Thing, unknownFrom } from '../script/things.ts';

export type Operations = Record<string, Operation>;

export const fromNetwork = unknownFrom(['network']);

/** A named entry of the first argument that is an object. */
export function option(call: Call, name: string): Thing | undefined {
  for (const given of call.args) {
    const entry = given.kind === 'map' ? given.entries.get(name) : undefined;
    if (entry) return entry;
  }
  return undefined;
}

/** Calls the functions among the arguments; `this` is the given thing. */
export function callBack(call: Call, values: readonly Thing[], self: Thing | null = null): void {
  for (const given of call.args)
    if (given.kind === 'function')
      callThing(
        call.machine,
        self && given.code.receiver === 'this' ? { ...given, self } : given,
        values,
        new Map(),
        call.span,
      );
}
