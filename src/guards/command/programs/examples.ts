// Examples of cards that say the same: one line for all of them.

import type { Fact, Readings } from './card.ts';

/** Commands of which a fact says the same. */
export function same(said: string, ...commands: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(commands.map((command) => [command, said]));
}

/** Commands with one word each in the same place: `each('git % a', 'add rm')`. */
export function each(command: string, words: string): readonly string[] {
  return words.split(' ').map((word) => command.replace('%', word));
}

/** The readings of subcommands that have the same options. */
export function forAll(verbs: readonly string[], readings: Readings): Readonly<Record<string, Readings>> {
  return Object.fromEntries(verbs.map((verb) => [verb, readings]));
}

/** A fact of several programs, for one of them: in its examples `%` is the program. */
export function factFor(name: string, fact: Fact): Fact {
  const named = (text: string) => text.replaceAll('%', name);
  const hit = Object.entries(fact.examples.hit).map(([text, said]) => [named(text), named(said)]);
  return { ...fact, examples: { hit: Object.fromEntries(hit), miss: fact.examples.miss.map(named) } };
}
