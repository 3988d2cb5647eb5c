// Programs that start the command line behind their own options: each is a line or two of data.

import { bareShell, type Inner, type Call as Start, shellCode } from '../bash/executors/inner.ts';
import { concatAll, mapWithHoles, singleText, type Text } from '../bash/values.ts';
import { type Card, type Fact, type Given, type ReadingsLine, textWords } from './card.ts';
import { readOptions } from './options.ts';

/** A program that starts another, as data. */
export interface Wrapper {
  readonly names: string;
  readonly options?: string;
  readonly readings?: ReadingsLine;
  /** Subcommands of which one must stand first. */
  readonly subcommands?: string;
  /** Words before the command. */
  readonly words?: number;
  /** `NAME=value` words stand before the command, and are variables that only it gets. */
  readonly assignments?: true;
  /** Options whose value is a text for a shell. */
  readonly shell?: string;
  /** Options with which nothing is started. */
  readonly lookUp?: string;
  /** The command is joined to one text for a shell. */
  readonly joined?: true;
  /** Where there is a `--`, the command stands behind it. */
  readonly dashed?: true;
  /** With nothing to start: it starts a shell, or a shell reads its input. */
  readonly alone?: 'shell' | 'input';
  readonly hit: Readonly<Record<string, string>>;
  readonly miss?: readonly string[];
  readonly facts?: readonly Fact[];
}

const manner = { stopAtOperand: true, stopAtUnknown: true } as const;

const settingName = /^[A-Za-z_]\w*(?==)/;

/** The words that set variables in front of a command. */
function settingsBefore(words: readonly Text[]): readonly Text[] {
  const end = words.findIndex((word) => !settingName.test(word.alternatives[0] ?? ''));
  return end < 0 ? words : words.slice(0, end);
}

/** The variables that words such as `NAME=value` set. */
export function settingsIn(words: readonly Text[]): readonly (readonly [string, Text])[] {
  return words.flatMap((word) => {
    const name = settingName.exec(word.alternatives[0] ?? '')?.[0] ?? '';
    if (name === '' || !word.alternatives.every((text) => text.startsWith(`${name}=`))) return [];
    return [[name, mapWithHoles(word, (text) => text.slice(name.length + 1))] as const];
  });
}

const namesIn = (list: string | undefined): readonly string[] => list?.split(' ') ?? [];

/** What a wrapper starts. */
function startsOf(wrapper: Wrapper): (call: Start, given: Given<Text>) => readonly Inner[] {
  const { options = '', words = 0, joined, dashed, alone } = wrapper;
  const subcommands = namesIn(wrapper.subcommands);
  const read = (args: readonly Text[]) => readOptions(options, manner, args, textWords);
  return ({ args, fed }) => {
    let own = args;
    if (subcommands.length > 0) {
      const { operands } = read(args);
      if (!subcommands.includes(singleText(operands[0]))) return [];
      own = operands.slice(1);
    }
    const given = read(own);
    if (given.has(...namesIn(wrapper.lookUp))) return [];
    const texts = given.all(...namesIn(wrapper.shell));
    if (texts.length > 0) return texts.map((text) => shellCode(text));
    let rest = given.operands;
    const settings = wrapper.assignments === true ? settingsBefore(rest) : [];
    rest = rest.slice(settings.length);
    // Options may stand behind the words before the command too.
    if (words > 0) {
      const behind = read(rest.slice(words));
      const more = behind.all(...namesIn(wrapper.shell));
      if (more.length > 0) return more.map((text) => shellCode(text));
      rest = behind.operands;
    }
    if (dashed === true) {
      const at = own.findIndex((word) => singleText(word) === '--');
      if (at >= 0) rest = own.slice(at + 1);
    }
    if (rest.length > 0 && joined === true) return [shellCode(concatAll(rest, ' '))];
    if (rest.length > 0)
      return [
        { kind: 'argv', argv: rest, ...(settings.length === 0 ? {} : { settings: settingsIn(settings) }) },
      ];
    if (alone === 'input') return fed ? [{ kind: 'input', language: 'shell' }] : [];
    return alone === 'shell' ? [bareShell] : [];
  };
}

/** The fact that a wrapper starts what stands behind its options. */
export function startFact(wrapper: Wrapper): Fact {
  const [name = ''] = wrapper.names.split(' ');
  return {
    what: 'starts the command behind its options',
    starts: startsOf(wrapper),
    ...(wrapper.alone === 'shell' ? { always: true } : {}),
    examples: { hit: wrapper.hit, miss: wrapper.miss ?? (wrapper.alone === 'shell' ? [] : [name]) },
  };
}

/** The card of a wrapper. */
export function wraps(wrapper: Wrapper): Card {
  const { names, options = '', readings = '', facts = [] } = wrapper;
  // Behind a subcommand the words are its own, which other facts read.
  const stops = wrapper.subcommands === undefined ? { manner } : {};
  return { names, options, idle: true, ...stops, readings, facts: [startFact(wrapper), ...facts] };
}
