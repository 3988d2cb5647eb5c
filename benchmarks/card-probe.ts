// What the command guard makes of an option, seen from outside: by the effects and the programs that it finds in command
// lines that differ in one word. Nothing here reads how the guard keeps what it knows.

import type { Target, Value } from '../src/core/effect.ts';
import { shellAlone } from '../src/guards/command/index.ts';

/** `value`: the next word belongs to the option. `flag`: it does not. `same`: nothing follows from it. `unclear`: the
 * option changes so much that the word cannot be followed. */
export type Observed = 'value' | 'flag' | 'same' | 'unclear';

const around = { cwd: '/workspace/project', home: '/home/someone', spend: () => {} };

function textOf(value: Value): string {
  switch (value.kind) {
    case 'literal':
      return value.text;
    case 'prefix':
      return `${value.text}…`;
    case 'choice':
      return value.texts.join('|');
    case 'unknown':
      return '?';
  }
}

function targetOf(target: Target): string {
  switch (target.kind) {
    case 'path':
      return `path ${textOf(target.path)}`;
    case 'host':
      return `host ${textOf(target.host)}`;
    case 'name':
      return `name ${textOf(target.name)}`;
    case 'none':
      return '';
  }
}

/** A word of a command line, quoted where the shell needs it. */
export function quoted(word: string): string {
  return /^[\w.,:/@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Everything that the guard sees in a command line, as one text. */
export function seenIn(words: readonly string[]): string {
  const facts = shellAlone.shell(words.map(quoted).join(' '), around);
  const effects = facts.effects
    .filter(({ kind }) => kind !== 'inert')
    .map((effect) =>
      JSON.stringify({ ...effect, target: targetOf(effect.target), span: undefined, through: undefined }),
    );
  const inner = facts.invocations
    .filter(({ through }) => through.length > 0)
    .map(({ program, through }) => `${through.join(' ')} > ${program ?? '?'}`);
  return [...new Set([...effects, ...inner, ...facts.unknowns.map(({ what }) => what)])].sort().join('\n');
}

/** Words that are operands of some kind, in pairs: a name, a file, an address, a place on another machine. */
const operands: readonly (readonly [string, string])[] = [
  ['px', 'py'],
  ['./px.txt', './py.txt'],
  ['https://px.example/a', 'https://py.example/b'],
  ['u@px.example:a', 'u@py.example:b'],
];

/** Words without which a program does nothing with its operands. */
const leading: Readonly<Record<string, readonly string[]>> = { tar: ['-c', '-f', 'a.tar'] };

/** Asks about the options of one subcommand. */
export class Probe {
  readonly #words: readonly string[];
  readonly #tails: readonly { readonly given: string; readonly rest: readonly string[] }[];
  readonly #seen = new Map<string, string>();

  /** `subcommands` are those of the command itself: an option may stand before one. */
  constructor(words: readonly string[], subcommands: readonly string[]) {
    this.#words = [...words, ...(leading[words[0] ?? ''] ?? [])];
    const deeds = subcommands.filter((name) => this.#see([name, 'py']) !== '').slice(0, 3);
    this.#tails = [
      ...operands.map(([given, rest]) => ({ given, rest: [rest] })),
      ...deeds.map((name) => ({ given: 'px', rest: [name, 'py'] })),
    ];
  }

  #see(words: readonly string[]): string {
    const key = words.join('\0');
    const known = this.#seen.get(key) ?? seenIn([...this.#words, ...words]);
    this.#seen.set(key, known);
    return known;
  }

  /** Whether the words behind an option are its values. */
  ask(option: string, values: number): Observed {
    let observed: Observed = 'same';
    for (const { given, rest } of this.#tails) {
      const found = this.#askWith(option, values, given, rest);
      if (found === 'value' || found === 'flag') return found;
      if (found === 'unclear') observed = found;
    }
    return observed;
  }

  #askWith(option: string, values: number, given: string, rest: readonly string[]): Observed {
    const words = Array.from({ length: Math.max(1, values) }, (_, at) =>
      at === 0 ? given : `${given}${at}`,
    );
    const without = this.#see(rest);
    const operand = this.#see([...words, ...rest]);
    if (without === operand) return 'same';
    const before = this.#see([option, ...words, ...rest]);
    const between = this.#see([...words, option, ...rest]);
    const behind = this.#see([...rest, option, ...words]);
    // As a value it belongs to the option wherever the two stand; as an operand it keeps its place among the others.
    if (before === behind && before !== between) return 'value';
    if (before === between && before !== behind) return 'flag';
    if (before === between) {
      if (before === without) return 'value';
      const [first = '', ...more] = words;
      const attached = this.#see([
        `${option}${option.startsWith('--') ? '=' : ''}${first}`,
        ...more,
        ...rest,
      ]);
      return attached === before ? 'same' : 'flag';
    }
    if (before === without) return 'value';
    if (before === operand) return 'flag';
    if (!option.startsWith('--')) return 'unclear';
    const [first = '', ...more] = words;
    const attached = this.#see([`${option}=${first}`, ...more, ...rest]);
    return attached === before && attached !== this.#see([option, ...rest]) ? 'value' : 'unclear';
  }
}
