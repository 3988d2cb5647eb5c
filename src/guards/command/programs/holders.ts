// Programs that take hold of a process that runs; one that they start is judged as theirs.

import type { Effect, Value } from '../effects.ts';
import { type Call, effect, nameTarget } from '../tools/tool.ts';
import type { Card, Examples, Fact, Given } from './card.ts';
import { startFact, type Wrapper } from './wrappers.ts';

/** A process is held: by its number or name, or every one that there is. */
export function attach(call: Call, who: Value | 'all', detail: string): Effect {
  return who === 'all'
    ? effect(call, 'attach', { detail: `${detail} all` })
    : effect(call, 'attach', { target: nameTarget(who), detail });
}

/** It takes hold of the processes that these options, or its operands, name. */
export function holds(
  detail: string,
  who: (given: Given<Value>, call: Call) => readonly Value[],
  examples: Examples,
): Fact {
  return {
    what: `takes hold of a process: ${detail}`,
    effects: (call, given) => who(given, call).map((one) => attach(call, one, detail)),
    examples,
  };
}

export const manner = { stopAtOperand: true } as const;

interface Row extends Pick<Card, 'names' | 'options' | 'readings' | 'manner'> {
  readonly starts?: Omit<Wrapper, 'names' | 'options'> & { readonly options?: string };
  readonly facts?: readonly Fact[];
}

/** The card of a program that holds processes, and may start one. */
export function holder({ starts, facts = [], ...card }: Row, held: Fact): Card {
  const started =
    starts === undefined ? [] : [startFact({ names: card.names, options: card.options, ...starts })];
  return { ...card, facts: [...started, held, ...facts] };
}

export const ofOption =
  (...names: readonly string[]) =>
  (given: Given<Value>): readonly Value[] =>
    given.all(...names);
