// Examples of rules: written with generated parts, so that no file holds a text that looks like a live secret.

import type { Match, RuleSource } from './rule.ts';
import type { Ruleset } from './ruleset.ts';
import { Scanner } from './scanner.ts';

/** Makes a value from chance and the words of its call; for values with check digits. */
export type Generators = Readonly<Record<string, (random: () => number, ...words: string[]) => string>>;

/** An example with its parts filled in, and the place of the secret. */
export interface Filled {
  readonly text: string;
  /** Null where the example marks no place. */
  readonly span: readonly [number, number] | null;
}

/** Times that each example is filled in anew. */
const seeds = 8;

/** A stream of numbers between 0 and 1 that is the same for the same seed. */
export function randomFrom(seed: string): () => number {
  let state = 2166136261;
  for (let index = 0; index < seed.length; index++) {
    state = Math.imul(state ^ seed.charCodeAt(index), 16777619) >>> 0;
  }
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Fills an example: `{{A-Z0-9 16}}` is 16 characters of the class, `{{name …}}` a generator's value, `«…»` the secret. */
export function fillExample(example: string, seed: string, generators: Generators): Filled {
  const random = randomFrom(seed);
  const filled = example.replace(
    /\{\{([^\s{}]+)((?: [^}]*)?)\}\}/g,
    (whole: string, head: string, rest: string) => {
      const words = rest.split(' ').filter((part) => part !== '');
      const generator = Object.hasOwn(generators, head) ? generators[head] : undefined;
      if (generator !== undefined) return generator(random, ...words);
      const [count] = words;
      if (words.length !== 1 || count === undefined || !/^\d{1,4}$/.test(count)) return whole;
      const members = classMembers(head);
      return Array.from({ length: Number(count) }, () => members[Math.floor(random() * members.length)]).join(
        '',
      );
    },
  );
  const start = filled.indexOf('«');
  const end = filled.indexOf('»');
  if (start < 0 || end < start) return { text: filled, span: null };
  return {
    text: filled.slice(0, start) + filled.slice(start + 1, end) + filled.slice(end + 1),
    span: [start, end - 1],
  };
}

const members = new Map<string, readonly string[]>();

/** The printable ASCII characters of a class. */
function classMembers(body: string): readonly string[] {
  let known = members.get(body);
  if (known === undefined) {
    const pattern = new RegExp(`[${body}]`);
    known = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter((unit) =>
      pattern.test(unit),
    );
    if (known.length === 0) throw new Error(`the class [${body}] is empty`);
    members.set(body, known);
  }
  return known;
}

/** What comes out of an example: the finds, in order. */
function findsIn(text: string, ruleset: Ruleset): readonly Match[] {
  const finds: Match[] = [];
  new Scanner(ruleset).push(text, true, { text: () => {}, match: (match) => finds.push(match) });
  return finds;
}

/** Runs a rule's examples against a rule set that holds it; gives a line for each that fails. */
export function runRuleExamples(
  { id, examples }: Pick<RuleSource, 'id' | 'examples'>,
  ruleset: Ruleset,
  generators: Generators,
): readonly string[] {
  const problems: string[] = [];
  for (const expected of ['hit', 'miss'] as const) {
    for (const example of examples[expected]) {
      for (let seed = 0; seed < seeds; seed++) {
        const { text, span } = fillExample(example, `${id} ${example} ${seed}`, generators);
        const finds = findsIn(text, ruleset);
        const own = finds.find(({ rule }) => rule === id);
        const right =
          expected === 'miss'
            ? own === undefined
            : own !== undefined && (span === null || (own.start === span[0] && own.end === span[1]));
        if (right) continue;
        const found = own === undefined ? 'found nothing' : `found ${own.start} to ${own.end}`;
        const wanted = span === null ? '' : ` instead of ${span[0]} to ${span[1]}`;
        problems.push(`rule ${id}: should ${expected}: ${JSON.stringify(example)} (${found}${wanted})`);
        break;
      }
    }
  }
  return problems;
}
