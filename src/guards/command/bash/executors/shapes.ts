// The shapes that most executors have: where among its words a program takes another, or a text for a shell.

import { settingsIn } from '../../programs/wrappers.ts';
import { concatAll, emptyText, knownText, singleText, type Text } from '../values.ts';
import { bareShell, type Executor, type Inner, type Language, shellCode } from './inner.ts';

/** How the words of a wrapper are read. */
interface WrapperShape {
  /** Letters of options that take a value. */
  readonly short?: string;
  /** Long options that take the next word as value. */
  readonly long?: string;
  /** Words before the inner command. */
  readonly operands?: number;
  /** `NAME=value` words stand before the inner command. */
  readonly assignments?: boolean;
  /** Options whose value is a text for a shell. */
  readonly shell?: string;
  /** Options with which nothing is started. */
  readonly lookUp?: string;
  /** The rest is joined to one text for a shell. */
  readonly joined?: boolean;
  /** Subcommands of which one must stand first. */
  readonly subcommands?: string;
  /** Words behind `--` alone are the inner command. */
  readonly dashed?: boolean;
  /** With nothing to start, standard input is what a shell reads. */
  readonly readsInput?: boolean;
  /** With nothing to start, it starts a shell. */
  readonly shellAlone?: boolean;
}

export const wordsOf = (list: string | undefined): readonly string[] =>
  list === undefined || list === '' ? [] : list.split(' ');

/** The words read: values of options by name, and what is neither. */
interface Reading {
  readonly values: readonly (readonly [string, Text])[];
  readonly flags: ReadonlySet<string>;
  readonly rest: readonly Text[];
}

/** Reads options up to the first word that is none. */
function readLeading(args: readonly Text[], short: string, long: readonly string[]): Reading {
  const values: (readonly [string, Text])[] = [];
  const flags = new Set<string>();
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index];
    const text = singleText(arg);
    if (text === '--') {
      index += 1;
      break;
    }
    if (arg === undefined || !/^[-+]./.test(text) || (text.startsWith('+') && !short.includes('+'))) break;
    if (text.startsWith('--')) {
      const equals = text.indexOf('=');
      const name = equals === -1 ? text : text.slice(0, equals);
      if (equals !== -1) values.push([name, knownText(text.slice(equals + 1), arg.origins)]);
      else if (long.includes(name.slice(2))) values.push([name, args[++index] ?? emptyText]);
      else flags.add(name);
      continue;
    }
    for (let place = 1; place < text.length; place++) {
      const letter = text[place] ?? '';
      if (!short.includes(letter)) {
        flags.add(`-${letter}`);
        continue;
      }
      const attached = text.slice(place + 1);
      values.push([
        `-${letter}`,
        attached === '' ? (args[++index] ?? emptyText) : knownText(attached, arg.origins),
      ]);
      break;
    }
  }
  return { values, flags, rest: args.slice(index) };
}

export function wrapper(shape: WrapperShape): Executor {
  const shell = wordsOf(shape.shell);
  // An option whose value is a text for a shell takes one.
  const short = `${shape.short ?? ''}${shell
    .filter((name) => /^-[^-]$/.test(name))
    .map((name) => name.slice(1))
    .join('')}`;
  const long = [
    ...wordsOf(shape.long),
    ...shell.filter((name) => name.startsWith('--')).map((name) => name.slice(2)),
  ];
  const lookUp = wordsOf(shape.lookUp);
  const subcommands = wordsOf(shape.subcommands);
  return ({ args, fed }) => {
    let words = args;
    if (subcommands.length > 0) {
      const at = words.findIndex((word) => !singleText(word).startsWith('-'));
      if (at === -1 || !subcommands.includes(singleText(words[at]))) return [];
      words = words.slice(at + 1);
    }
    if (shape.dashed === true) {
      const dashes = words.findIndex((word) => singleText(word) === '--');
      if (dashes !== -1) return [{ kind: 'argv', argv: words.slice(dashes + 1) }];
    }
    const inner: Inner[] = [];
    const reading = readLeading(words, short, long);
    let { rest } = reading;
    if (lookUp.some((name) => reading.flags.has(name))) return [];
    for (const [name, text] of reading.values) if (shell.includes(name)) inner.push(shellCode(text));
    const assignments: Text[] = [];
    const skipAssignments = (): void => {
      for (let [word] = rest; shape.assignments === true && word !== undefined; [word] = rest) {
        if (!/^[A-Za-z_]\w*=/.test(word.alternatives[0] ?? '')) break;
        assignments.push(word);
        rest = rest.slice(1);
      }
    };
    skipAssignments();
    rest = rest.slice(shape.operands ?? 0);
    for (const [index, word] of rest.entries()) {
      const text = singleText(word);
      const next = rest[index + 1];
      if (shell.includes(text) && next !== undefined) return [...inner, shellCode(next)];
      const attached = shell.find((name) => name.startsWith('--') && text.startsWith(`${name}=`));
      if (attached !== undefined) return [...inner, shellCode(knownText(text.slice(attached.length + 1)))];
      if (!text.startsWith('-')) break;
    }
    if (singleText(rest[0]) === '--') rest = rest.slice(1);
    skipAssignments();
    if (rest.length > 0 && inner.length === 0) {
      const settings = assignments.length === 0 ? {} : { settings: settingsIn(assignments) };
      inner.push(
        shape.joined === true ? shellCode(concatAll(rest, ' ')) : { kind: 'argv', argv: rest, ...settings },
      );
    }
    if (inner.length === 0 && shape.readsInput === true && fed)
      inner.push({ kind: 'input', language: 'shell' });
    if (inner.length === 0 && shape.shellAlone === true) inner.push(bareShell);
    return inner;
  };
}

/** Options anywhere among the words whose value is a text for a shell. */
export function optionTexts(...names: readonly string[]): Executor {
  return ({ args }) => {
    const inner: Inner[] = [];
    for (const [index, arg] of args.entries()) {
      for (const name of names) {
        const next = args[index + 1];
        for (const text of arg.alternatives) {
          if (text === name && next !== undefined) inner.push(shellCode(next));
          else if (name.endsWith('=') && text.startsWith(name))
            inner.push(shellCode(knownText(text.slice(name.length))));
          else if (/^-\w$/.test(name) && text.startsWith(name) && text.length > 2)
            inner.push(shellCode(knownText(text.slice(2))));
        }
      }
    }
    return inner;
  };
}

/** Options behind which the rest of the words is a command. */
export function behindOption(...names: readonly string[]): Executor {
  return ({ args }) => {
    const at = args.findIndex((arg) => names.includes(singleText(arg)));
    const argv = args.slice(at + 1);
    return at === -1 || argv.length === 0 ? [] : [{ kind: 'argv', argv }];
  };
}

/** Programs that can run anything, started with nothing to do: what they will be told is not known. */
export const waiting: Executor = ({ args, fed }) => (args.length === 0 && !fed ? [{ kind: 'unknown' }] : []);

/** Files of the project that a program runs as it starts. */
export function projectFiles(language: Language, ...names: readonly string[]): Executor {
  return () => names.map((name) => ({ kind: 'file', language, path: knownText(name), ofProject: true }));
}

export const setupScript = projectFiles('python', 'setup.py');

export function combined(...executors: readonly Executor[]): Executor {
  return (call) => executors.flatMap((executor) => executor(call));
}
