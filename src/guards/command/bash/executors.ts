// Programs that start other programs or run code: one table that says where the inner words, text or code stands.

import {
  awkSnippets,
  cronCommands,
  editorSnippets,
  quoteWords,
  recipesOf,
  type Snippet,
  scriptsOf,
  sedSnippets,
  snippetsOf,
  splitQuoted,
} from './snippets.ts';
import {
  concat,
  concatAll,
  either,
  emptyText,
  hole,
  knownText,
  mapWithHoles,
  oneOf,
  onlyText,
  singleText,
  type Text,
  unknownText,
} from './values.ts';

/** Languages in which code may stand. */
export type Language = 'shell' | 'python' | 'javascript' | 'other' | 'awk' | 'make' | 'crontab' | 'package';

/** What an executor starts. */
export type Inner =
  /** It is only read, or only shown. */
  | { readonly kind: 'nothing' }
  /** `folder` is where it runs, if not here. */
  | { readonly kind: 'argv'; readonly argv: readonly Text[]; readonly input?: Text; readonly folder?: Text }
  /** `positional` begins with `$0`. */
  | {
      readonly kind: 'code';
      readonly language: Language;
      readonly text: Text;
      readonly positional?: readonly Text[];
    }
  | {
      readonly kind: 'file';
      readonly language: Language;
      readonly path: Text;
      readonly positional?: readonly Text[];
      /** The project's own, which it runs as its tests and its build do; judged where this script wrote it. */
      readonly ofProject?: boolean;
    }
  | { readonly kind: 'input'; readonly language: Language; readonly positional?: readonly Text[] }
  /** Code that stands nowhere in the command. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'socket'; readonly host: Text };

/** What an executor gets. */
export interface Call {
  readonly program: string;
  readonly args: readonly Text[];
  readonly stdin: Text;
  /** Whether something was put on its standard input. */
  readonly fed: boolean;
  /** What stands in a file, as far as the script itself wrote it. */
  readonly readFile?: (path: string) => Text | null;
}

type Executor = (call: Call) => readonly Inner[];

/** Longest text that is searched by expressions. */
const maxSearched = 4096;

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

const wordsOf = (list: string | undefined): readonly string[] =>
  list === undefined || list === '' ? [] : list.split(' ');
const shellCode = (text: Text, positional?: readonly Text[]): Inner =>
  positional === undefined
    ? { kind: 'code', language: 'shell', text }
    : { kind: 'code', language: 'shell', text, positional };

/** A shell that is started with nothing to run. */
const bareShell: Inner = { kind: 'argv', argv: [knownText('sh')] };

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

function wrapper(shape: WrapperShape): Executor {
  const short = shape.short ?? '';
  const long = wordsOf(shape.long);
  const shell = wordsOf(shape.shell);
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
    const skipAssignments = (): void => {
      while (shape.assignments === true && /^[A-Za-z_]\w*=/.test(rest[0]?.alternatives[0] ?? ''))
        rest = rest.slice(1);
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
      inner.push(shape.joined === true ? shellCode(concatAll(rest, ' ')) : { kind: 'argv', argv: rest });
    }
    if (inner.length === 0 && shape.readsInput === true && fed)
      inner.push({ kind: 'input', language: 'shell' });
    if (inner.length === 0 && shape.shellAlone === true) inner.push(bareShell);
    return inner;
  };
}

/** Options anywhere among the words whose value is a text for a shell. */
function optionTexts(...names: readonly string[]): Executor {
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
function behindOption(...names: readonly string[]): Executor {
  return ({ args }) => {
    const at = args.findIndex((arg) => names.includes(singleText(arg)));
    const argv = args.slice(at + 1);
    return at === -1 || argv.length === 0 ? [] : [{ kind: 'argv', argv }];
  };
}

/** Options whose value is a library or a module that is loaded as code. */
function loading(pattern: RegExp): Executor {
  return ({ args }) =>
    args.flatMap((arg, index): readonly Inner[] => {
      const found = pattern.exec(singleText(arg));
      if (found === null) return [];
      const path = found[1] === undefined || found[1] === '' ? args[index + 1] : knownText(found[1]);
      const nothing = path === undefined || /^(?:none|default|\/dev\/null|)$/i.test(singleText(path));
      return nothing ? [] : [{ kind: 'file', language: 'other', path }];
    });
}

/** Lines of its input, and its words, in which it hands what follows to a shell. */
function escapes(pattern: RegExp): Executor {
  return ({ args, stdin, fed }) => {
    const lines = [...args, ...(fed ? [stdin] : [])].flatMap(({ alternatives }) =>
      alternatives.flatMap((text) => text.slice(0, maxSearched).split('\n')),
    );
    return lines.flatMap((line) => {
      const found = pattern.exec(line.trim())?.[1];
      return found === undefined ? [] : [found.trim() === '' ? bareShell : shellCode(knownText(found))];
    });
  };
}

const afterMark = escapes(/^!(.*)$/);

/** Programs that can run anything, started with nothing to do: what they will be told is not known. */
const waiting: Executor = ({ args, fed }) => (args.length === 0 && !fed ? [{ kind: 'unknown' }] : []);

/** Files of the project that a program runs as it starts. */
function projectFiles(language: Language, ...names: readonly string[]): Executor {
  return () => names.map((name) => ({ kind: 'file', language, path: knownText(name), ofProject: true }));
}

const packageScripts = projectFiles('package', 'package.json');
const setupScript = projectFiles('python', 'setup.py');

function combined(...executors: readonly Executor[]): Executor {
  return (call) => executors.flatMap((executor) => executor(call));
}

// Shells

function shellExecutor({ args, fed }: Call): readonly Inner[] {
  let index = 0;
  let command = false;
  let standard = false;
  let parses = false;
  let interactive = false;
  const inner: Inner[] = [];
  for (; index < args.length; index++) {
    const text = singleText(args[index]);
    if (text === '--') {
      index += 1;
      break;
    }
    if (text === '-') {
      index += 1;
      standard = !command;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (/^--(?:rcfile|init-file)$/.test(text)) {
      index += 1;
      inner.push({ kind: 'file', language: 'shell', path: args[index] ?? emptyText });
    } else if (text.startsWith('--command=')) {
      return [shellCode(knownText(text.slice(10)))];
    } else if (text === '--command') {
      command = true;
    } else if (!text.startsWith('--')) {
      if (text.includes('c') && text.startsWith('-')) command = true;
      if (text.includes('s') && text.startsWith('-')) standard = true;
      if (text.includes('i')) interactive = true;
      if (text.includes('n')) parses = text.startsWith('-');
      if (/[oO]$/.test(text)) {
        index += 1;
        if (singleText(args[index]) === 'noexec') parses = text.startsWith('-');
      }
    }
  }
  // With `-n` it only reads, unless someone sits before it.
  if (parses && !interactive) return [{ kind: 'nothing' }];
  const rest = args.slice(index);
  const [first] = rest;
  if (command) return first === undefined ? inner : [...inner, shellCode(first, rest.slice(1))];
  if (standard || first === undefined) {
    const positional = [unknownText(), ...rest];
    return fed ? [...inner, { kind: 'input', language: 'shell', positional }] : inner;
  }
  return [...inner, { kind: 'file', language: 'shell', path: first, positional: rest }];
}

/** Options of PowerShell may be cut short, and are the same in every case. */
function powershell({ args, fed }: Call): readonly Inner[] {
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg).toLowerCase();
    const rest = args.slice(index + 1);
    if (/^-(?:e|ec|en\w*)$/.test(text)) return [{ kind: 'unknown' }];
    if (/^-c(?:o\w*)?$/.test(text)) return [shellCode(concatAll(rest, ' '))];
    if (/^-f(?:i\w*)?$/.test(text)) return [{ kind: 'file', language: 'other', path: rest[0] ?? emptyText }];
    const value = /^-(?:ex|ep|exec|w|v|o|i|config|settings|work|p|ps)\w*$/.test(
      singleText(args[index - 1]).toLowerCase(),
    );
    if (text.startsWith('-') || value) continue;
    return /\.ps1$/.test(text)
      ? [{ kind: 'file', language: 'other', path: arg }]
      : [shellCode(concatAll(args.slice(index), ' '))];
  }
  return fed ? [{ kind: 'input', language: 'shell' }] : [bareShell];
}

// Interpreters

interface InterpreterShape {
  readonly language: Language;
  /** Letters of options whose value is code. */
  readonly code: string;
  /** Other letters of options that take a value. */
  readonly short?: string;
  readonly longCode?: string;
  readonly long?: string;
  /** Letters of options whose value is a module to be run. */
  readonly module?: string;
  /** Code stands as the first word where no option gives it. */
  readonly first?: boolean;
  /** Options whose value is a file that is loaded before the code. */
  readonly loads?: RegExp;
  /** Letters of options whose value is a file of code; then no word is code. */
  readonly file?: string;
  readonly subcommands?: string;
}

function interpreter(shape: InterpreterShape): Executor {
  const longCode = wordsOf(shape.longCode).map((name) => `--${name}`);
  const long = [...wordsOf(shape.longCode), ...wordsOf(shape.long)];
  const { loads } = shape;
  if (loads !== undefined) {
    const { loads: _, ...plain } = shape;
    return combined(interpreter(plain), ({ args, ...call }) => {
      const first = args.findIndex((arg) => !singleText(arg).startsWith('-') && !loads.test(singleText(arg)));
      // Behind the script its own words begin; the value of an option may stand before it.
      const own = first === -1 ? args : args.slice(0, first + 2);
      return loading(loads)({ ...call, args: own }).filter(
        (inner) => inner.kind === 'file' && /^[./~]/.test(singleText(inner.path)),
      );
    });
  }
  return ({ args, fed }) => {
    let words = args;
    const subcommands = wordsOf(shape.subcommands);
    if (subcommands.includes(singleText(words[0]))) {
      if (singleText(words[0]) === 'eval' && words[1] !== undefined)
        return [{ kind: 'code', language: shape.language, text: words[1] }];
      words = words.slice(1);
    }
    const module = shape.module ?? '';
    const inner: Inner[] = [];
    let index = 0;
    for (; index < words.length; index++) {
      const word = words[index];
      const text = singleText(word);
      if (word === undefined || text === '--') {
        index += 1;
        break;
      }
      if (text === '-' || !text.startsWith('-')) break;
      if (text.startsWith('--')) {
        const equals = text.indexOf('=');
        const name = equals === -1 ? text : text.slice(0, equals);
        if (equals === -1 && !long.includes(name.slice(2))) continue;
        const value = equals === -1 ? (words[++index] ?? emptyText) : knownText(text.slice(equals + 1));
        if (longCode.includes(name)) inner.push({ kind: 'code', language: shape.language, text: value });
        continue;
      }
      for (let place = 1; place < text.length; place++) {
        const letter = text[place] ?? '';
        const isCode = shape.code.includes(letter);
        const isFile = shape.file?.includes(letter) === true;
        if (!isCode && !isFile && !module.includes(letter) && !(shape.short ?? '').includes(letter)) continue;
        const attached = text.slice(place + 1);
        // `-pe`: both letters mean the same code.
        if (isCode && attached !== '' && [...attached].every((other) => shape.code.includes(other))) continue;
        const value = attached === '' ? (words[++index] ?? emptyText) : knownText(attached, word.origins);
        if (isCode) inner.push({ kind: 'code', language: shape.language, text: value });
        else if (isFile) inner.push({ kind: 'file', language: shape.language, path: value });
        else if (module.includes(letter))
          return [...inner, { kind: 'argv', argv: [value, ...words.slice(index + 1)] }];
        break;
      }
    }
    if (inner.length > 0) return inner;
    const [first, ...rest] = words.slice(index);
    if (first === undefined && shape.first === true) return [];
    if (first === undefined || singleText(first) === '-') {
      return fed ? [{ kind: 'input', language: shape.language }] : [];
    }
    if (shape.first === true) return [{ kind: 'code', language: shape.language, text: first }];
    return [{ kind: 'file', language: shape.language, path: first, positional: [first, ...rest] }];
  };
}

function fromSnippets(snippets: readonly Snippet[]): readonly Inner[] {
  return snippets.map(fromSnippet);
}

function fromSnippet(snippet: Snippet): Inner {
  switch (snippet.kind) {
    case 'shell':
      return shellCode(knownText(snippet.text));
    case 'argv':
      return { kind: 'argv', argv: snippet.argv.map((word) => knownText(word)) };
    case 'python':
      return { kind: 'code', language: 'python', text: knownText(snippet.text) };
    case 'socket':
      return { kind: 'socket', host: knownText(snippet.host) };
    case 'unknown':
      return snippet;
  }
}

/** What code in a language without a parser here starts; null where the language has one. */
export function innersOfCode(language: Language, text: string): readonly Inner[] | null {
  switch (language) {
    case 'other':
      return fromSnippets(snippetsOf(text));
    case 'awk':
      return fromSnippets(awkSnippets(text));
    case 'make':
      return [shellCode(knownText(recipesOf(text)))];
    case 'crontab':
      return [shellCode(knownText(cronCommands(text)))];
    case 'package':
      return scriptsOf(text).map((script) => shellCode(knownText(script)));
    default:
      return null;
  }
}

// Those with rules of their own

function environmentExecutor(call: Call): readonly Inner[] {
  const { values, rest } = readLeading(call.args, 'uCSP', ['unset', 'chdir', 'split-string', 'argv0']);
  const split = values.find(([name]) => name === '-S' || name === '--split-string')?.[1];
  const words =
    split === undefined ? rest : [...splitQuoted(singleText(split)).map((word) => knownText(word)), ...rest];
  let start = 0;
  while (/^-(?:$|i$|-ignore-environment$)|^[^=/]+=/.test(singleText(words[start]))) start += 1;
  const argv = words.slice(start);
  const folder = values.find(([name]) => name === '-C' || name === '--chdir')?.[1];
  if (argv.length === 0) return [];
  return [folder === undefined ? { kind: 'argv', argv } : { kind: 'argv', argv, folder }];
}

function xargs({ args, stdin, fed, readFile }: Call): readonly Inner[] {
  const long = [
    'arg-file',
    'delimiter',
    'max-args',
    'max-procs',
    'max-lines',
    'max-chars',
    'process-slot-var',
  ];
  // Its own `-i` may have a text behind it; an `-i` of the program that it starts is not its own.
  const own = args.length - readLeading(args, 'adEIJLnPs', long).rest.length;
  const bare = args.map((arg, index) => {
    const replacing = index < own ? /^(-[0rtxpo]*)i(.*)$/s.exec(singleText(arg)) : null;
    return replacing === null ? arg : knownText(`${replacing[1]}I${replacing[2] || '{}'}`, arg.origins);
  });
  const { values, flags, rest } = readLeading(bare, 'adEIJLnPs', long);
  const optionText = (...names: readonly string[]): string | null => {
    const value = values.find(([name]) => names.includes(name))?.[1];
    return value === undefined ? null : singleText(value);
  };
  const replaced = optionText('-I', '-J', '--replace') ?? (flags.has('--replace') ? '{}' : null);
  const delimiter = optionText('-d', '--delimiter');
  const file = optionText('-a', '--arg-file');
  const given = file === null ? (fed ? stdin : unknownText()) : (readFile?.(file) ?? unknownText());
  const itemsIn = (text: string): readonly string[] => {
    if (flags.has('-0') || flags.has('--null') || delimiter === '\\0')
      return text
        .split('\0')
        .map((item) => item.replace(/\n$/, ''))
        .filter((item) => item !== '');
    if (delimiter !== null) return text.replace(/\n$/, '').split(delimiter === '\\n' ? '\n' : delimiter);
    if (replaced !== null)
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    return splitQuoted(text);
  };
  if (flags.has('--help') || flags.has('--version')) return [{ kind: 'nothing' }];
  const argv = rest.length === 0 ? [knownText('echo')] : rest;
  // What it starts reads nothing, unless the words come from a file or the terminal is opened again.
  const keeps = file !== null || flags.has('-o') || flags.has('--open-tty');
  const input = keeps ? {} : { input: emptyText };
  return given.alternatives.map((text): Inner => {
    const items = itemsIn(text);
    if (replaced !== null) {
      const chosen = oneOf(items.length === 0 ? [hole] : items, given.origins);
      const filled = argv.map((word) => {
        if (!word.alternatives.some((text) => text.includes(replaced))) return word;
        return oneOf(
          word.alternatives.flatMap((text) =>
            chosen.alternatives.map((item) => text.replaceAll(replaced, item)),
          ),
          given.origins,
        );
      });
      return { kind: 'argv', argv: filled, ...input };
    }
    const appended = items.map((item) => knownText(item, given.origins));
    return { kind: 'argv', argv: [...argv, ...appended], ...input };
  });
}

/** Tests of find that leave out what they do not fit; a kind or a depth alone leaves too much. */
const narrows =
  /^-(?:i?(?:name|path|regex|lname)|wholename|empty|size|[acm](?:min|time)|a?newer\w*|inum|samefile|links|perm|user|group|uid|gid|nouser|nogroup)$/;

/** Whether every alternative of an expression of find has a test that narrows it and is not turned round. */
function isNarrowed(words: readonly string[]): boolean {
  let narrowed = false;
  for (const [index, word] of words.entries()) {
    if (/^(?:-o|-or|,)$/.test(word)) {
      if (!narrowed) return false;
      narrowed = false;
    }
    const turned = /^(?:\\?!|-not)$/.test(words[index - 1] ?? '');
    if (narrows.test(word) && !turned && !/^[*?.]*$/.test(words[index + 1] ?? 'x')) narrowed = true;
  }
  return narrowed;
}

/** Every path that find may give. */
export function foundBy(args: readonly Text[]): Text {
  return placesFound(args).reduce(either);
}

/** The paths that find gives: its folders and all that is in them, where no test narrows that; then those by name. */
function placesFound(args: readonly Text[]): readonly Text[] {
  const start = args.findIndex(
    (arg) => /^(?:[-(!]|\\\()/.test(singleText(arg)) && !/^-[HLP]$|^-[OD]/.test(singleText(arg)),
  );
  const roots = (start === -1 ? args : args.slice(0, start)).filter(
    (arg) => !singleText(arg).startsWith('-'),
  );
  const some = isNarrowed(args.slice(start === -1 ? args.length : start).map(singleText));
  const starts = roots.length === 0 ? [knownText('.')] : roots;
  const places = starts.map((root) =>
    some
      ? placesUnder(root)
      : either(
          root,
          mapWithHoles(placesUnder(root), (path) => `${path.slice(0, -1)}*`),
        ),
  );
  // A search for names finds what is called so, among the rest.
  const named = namesSearched(args).map((name) => starts.map((root) => inFolder(root, name)).reduce(either));
  return [places.reduce(either), ...named];
}

function find({ args }: Call): readonly Inner[] {
  const found = placesFound(args);
  const inner: Inner[] = [];
  for (let index = 0; index < args.length; index++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(singleText(args[index]))) continue;
    const words: Text[] = [];
    for (index += 1; index < args.length && !/^(?:\\?;|\+)$/.test(singleText(args[index])); index++)
      words.push(args[index] ?? emptyText);
    if (words.length > 0)
      inner.push(
        ...found.map((paths): Inner => ({ kind: 'argv', argv: words.map((word) => filledIn(word, paths)) })),
      );
  }
  return inner;
}

/** A word of `find -exec` with the paths in the place of `{}`. */
function filledIn(word: Text, paths: Text): Text {
  if (!word.alternatives.some((text) => text.includes('{}'))) return word;
  return oneOf(
    word.alternatives.flatMap((text) => paths.alternatives.map((path) => text.replaceAll('{}', path))),
  );
}

/** The paths that a search of a folder may give. */
function placesUnder(root: Text): Text {
  return inFolder(root, hole);
}

function inFolder(root: Text, name: string): Text {
  return mapWithHoles(root, (path) => (path.endsWith('/') ? path + name : `${path}/${name}`));
}

/** The names that `find` looks for, as far as they say how a name begins: what it finds ends in one of them. */
function namesSearched(args: readonly Text[]): readonly string[] {
  return args.slice(0, 64).flatMap((arg, index) => {
    const before = singleText(args[index - 1]);
    const excluded = /^(?:!|-not)$/.test(singleText(args[index - 2]));
    return /^-i?name$/.test(before) && !excluded
      ? arg.alternatives.filter((name) => /^[^*?[]/.test(name) && !name.includes(hole))
      : [];
  });
}

/** Verbs and flags of git with which it prints nothing but paths of the work tree. */
const gitLists = /^(?:ls-files|(?:diff|show|diff-tree|diff-index) .*--name-only)(?: |$)/;

/** Flags of searches that print only the names of files, and those behind which the next word is no folder. */
const namesOnly = /^(?:-[a-zA-Z]*[lL][a-zA-Z]*|--files-with(?:out)?-match(?:es)?|--files)$/;
const takesNext = /^(?:-[a-zA-Z]*[efmABCdD]|--(?:regexp|file)(?:=.*)?)$/;

/** The paths that a program lists which only names files; null where it prints more, or is no such program. */
export function pathsListedBy(program: string, args: readonly Text[]): Text | null {
  if (program === 'git')
    return gitLists.test(args.map(singleText).join(' ')) ? placesUnder(knownText('.')) : null;
  if (program === 'fd' || program === 'fdfind') {
    const folders = args.filter((arg) => !singleText(arg).startsWith('-')).slice(1);
    return (folders.length === 0 ? [knownText('.')] : folders).map(placesUnder).reduce(either);
  }
  if (!/^(?:[ef]?grep|rg|ag|ack)$/.test(program)) return null;
  const words = args.map(singleText);
  if (!words.some((word) => namesOnly.test(word)) || words.some((word) => takesNext.test(word))) return null;
  const operands = args.filter((arg) => !singleText(arg).startsWith('-'));
  const roots = operands.slice(words.includes('--files') ? 0 : 1);
  return (roots.length === 0 ? [knownText('.')] : roots)
    .map((root) => either(root, placesUnder(root)))
    .reduce(either);
}

function parallel({ args, stdin, fed }: Call): readonly Inner[] {
  const { flags, rest } = readLeading(args, 'jNnLaICSdEPs', [
    'jobs',
    'max-args',
    'arg-file',
    'colsep',
    'delimiter',
    'sshlogin',
    'timeout',
    'joblog',
    'results',
    'retries',
    'delay',
    'load',
    'tmpdir',
    'workdir',
    'wd',
    'header',
    'env',
    'return',
    'basefile',
    'halt',
    'max-procs',
    'max-chars',
    'max-replace-args',
    'memfree',
    'nice',
    'profile',
    'rpl',
    'sshloginfile',
    'tagstring',
    'trc',
    'tempdir',
  ]);
  if (/--(?:dry-?run|help|version)\b/.test([...flags].join(' '))) {
    // What stands in `{= =}` and behind `--rpl` is code that runs all the same.
    const code = args.some((arg) => arg.alternatives.some((text) => /\{=|^--rpl/.test(text)));
    return [{ kind: code ? 'unknown' : 'nothing' }];
  }
  const split = rest.findIndex((word) => /^:::?[:+]*$/.test(singleText(word)));
  const template = split === -1 ? rest : rest.slice(0, split);
  const given = split === -1 ? [] : rest.slice(split + 1).filter((word) => !/^:::/.test(singleText(word)));
  const lines = fed
    ? stdin.alternatives.flatMap((text) => text.split('\n').filter((line) => line !== ''))
    : [hole];
  const items = split === -1 ? lines : given.flatMap((word) => word.alternatives);
  if (template.length === 0 && split === -1 && !fed) return [];
  const command = concatAll(template, ' ');
  // What stands for an item is one word for the shell that runs it.
  const quoted = (item: string): string =>
    item === '$1' || /^[\w@%+=:,./-]*$/.test(item) ? item : `'${item.replaceAll("'", "'\\''")}'`;
  const filled = (item: string): readonly string[] =>
    command.alternatives.map((text) =>
      /\{[^}\s]*\}/.test(text) ? text.replace(/\{[^}\s]*\}/g, () => quoted(item)) : `${text} ${quoted(item)}`,
    );
  if (singleText(command) === '') return [shellCode(oneOf(items, stdin.origins))];
  // It quotes what it fills in, so that an item which is not known stays one word and no code.
  const unknown = items.filter((item) => item.includes(hole));
  const known = items.length === 0 ? [''] : items.filter((item) => !item.includes(hole));
  return [
    ...(known.length === 0 ? [] : [shellCode(oneOf(known.flatMap(filled), stdin.origins))]),
    ...unknown.map((item) => ({
      ...shellCode(oneOf(filled('$1'), stdin.origins)),
      positional: [knownText('parallel'), knownText(item, stdin.origins)],
    })),
  ];
}

/** The processors stand before the command, unless an option named them. */
function taskset(call: Call): readonly Inner[] {
  const named = call.args.some((arg) => singleText(arg).startsWith('--cpu-list='));
  return argv('p', '', named ? 0 : 1)(call);
}

/** A new window runs a command; a session that is joined, listed or sent a command of its own does not. */
function screen(call: Call): readonly Inner[] {
  const joins = call.args.some((arg) => /^-(?:[dDR]*[rRx][rRx]*|ls|list|wipe|v)$/.test(singleText(arg)));
  const sent = call.args.findIndex((arg) => singleText(arg) === '-X');
  if (sent !== -1) {
    const harmless = /^(?:title|quit|detach|hardcopy|log|logfile|next|prev|select|sessionname|windows|info)$/;
    return harmless.test(singleText(call.args[sent + 1])) ? [] : [{ kind: 'unknown' }];
  }
  const start = wrapper({ short: 'cehpsStT' })(call);
  // Behind the name of the session there may be a command for a new one.
  return joins
    ? start.flatMap((inner) =>
        inner.kind === 'argv' && inner.argv.length > 1 ? [{ ...inner, argv: inner.argv.slice(1) }] : [],
      )
    : start;
}

const phpCode = interpreter({
  language: 'other',
  code: 'rBRE',
  short: 'cdfFzS',
  loads: /^(?:-d)?(?:auto_prepend_file|auto_append_file|extension|zend_extension)=(.*)$/,
});

/** With -l it only checks what it reads. */
function php(call: Call): readonly Inner[] {
  return /^(?:-l|--syntax-check)$/.test(singleText(call.args[0])) ? [{ kind: 'nothing' }] : phpCode(call);
}

function remoteShell({ args, fed }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  const first = readLeading(args, 'BbcDEeFIiJLlmOopPQRSWw', []);
  for (const [name, value] of first.values) {
    const option = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|ProxyUseFdpass)\s*[= ]\s*(.*)$/is.exec(
      singleText(value),
    );
    if (name === '-o' && option !== null && option[1] !== 'none')
      inner.push(shellCode(knownText(option[1] ?? '')));
    // A file of settings may name commands.
    if (name === '-F' && !/^(?:none$|\/dev\/null$|~\/\.ssh\/|\/etc\/ssh\/)/.test(singleText(value)))
      inner.push({ kind: 'file', language: 'other', path: value });
  }
  const behind = readLeading(first.rest.slice(1), 'BbcDEeFIiJLlmOopPQRSWw', []);
  if (behind.rest.length > 0) inner.push(shellCode(concatAll(behind.rest, ' ')));
  else if (fed && first.rest.length > 0) inner.push({ kind: 'input', language: 'shell' });
  return inner;
}

/** The words behind the container of `exec` and the image of `run`. */
function containers({ args }: Call): readonly Inner[] {
  const valued = 'ueEwvpmlhcnfaL';
  const long = wordsOf(
    'user env env-file workdir volume publish memory label hostname name network entrypoint mount cpus platform pull restart runtime device cap-add cap-drop security-opt ulimit add-host dns ip link log-driver log-opt pid ipc userns uts shm-size tmpfs gpus context host log-level file project-name profile index container namespace kubeconfig cluster image overrides service-account detach-keys cidfile',
  );
  let rest = readLeading(args, valued, long).rest;
  while (/^(?:compose|container|builder|exec|run|create|kubectl)$/.test(singleText(rest[0]))) {
    const verb = singleText(rest[0]);
    const reading = readLeading(rest.slice(1), verb === 'exec' ? 'uewncfL' : valued, long);
    rest = reading.rest;
    if (verb !== 'exec' && verb !== 'run' && verb !== 'create') continue;
    const dashes = rest.findIndex((word) => singleText(word) === '--');
    const behind = dashes === -1 ? rest.slice(1) : rest.slice(dashes + 1);
    const entry = reading.values.find(([name]) => name === '--entrypoint')?.[1];
    const argv = entry === undefined ? behind : [entry, ...behind];
    const [program] = argv;
    if (program === undefined || singleText(program).startsWith('-')) {
      const further = readLeading(argv, valued, long).rest;
      return further.length === 0 ? [] : [{ kind: 'argv', argv: further }];
    }
    return [{ kind: 'argv', argv }];
  }
  return [];
}

const gitCommandKeys =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|diff\..*\.(?:textconv|command)|filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|(?:diff|merge)tool\..*\.cmd|credential(?:\..*)?\.helper|gpg(?:\..*)?\.program|browser\..*\.cmd|interactive\.difffilter|uploadpack\.packobjectshook|trailer\..*\.(?:command|cmd)|man\..*\.cmd|sendemail\.(?:sendmailcmd|tocmd|cccmd)|remote\..*\.(?:uploadpack|receivepack))$/i;

function gitSetting(key: string, value: string): readonly Inner[] {
  if (!gitCommandKeys.test(key)) return [];
  if (/^core\.fsmonitor$/i.test(key) && /^(?:true|false|)$/.test(value)) return [];
  if (/helper$/i.test(key))
    return value.startsWith('!')
      ? [shellCode(knownText(value.slice(1)))]
      : value.includes('/')
        ? [shellCode(knownText(value))]
        : [];
  return value === '' ? [] : [shellCode(knownText(value.replace(/^!/, '')))];
}

function git({ args }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  const { values, rest } = readLeading(args, 'cC', [
    'git-dir',
    'work-tree',
    'namespace',
    'exec-path',
    'super-prefix',
    'config-env',
  ]);
  const [subcommand, ...words] = rest;
  const name = singleText(subcommand);
  for (const [option, value] of values) {
    if (option !== '-c') continue;
    for (const text of value.alternatives) {
      const equals = text.indexOf('=');
      const key = equals === -1 ? text : text.slice(0, equals);
      const setting = equals === -1 ? '' : text.slice(equals + 1);
      inner.push(...gitSetting(key, setting));
      if (key.toLowerCase() === `alias.${name}`.toLowerCase()) inner.push(...gitAlias(setting, words));
      if (/^core\.hookspath$/i.test(key)) inner.push({ kind: 'unknown' });
    }
  }
  const texts = words.map(singleText);
  const operands = texts.filter((text) => !text.startsWith('-'));
  if (name === 'config') {
    const at = texts.findIndex((text) => /^[\w-]+\..+/.test(text) && !text.startsWith('-'));
    const [key, setting] = [texts[at] ?? '', texts[at + 1] ?? ''];
    if (at !== -1 && !texts.some((text) => /^--(?:get|unset)|^get$/.test(text))) {
      inner.push(...gitSetting(key, setting));
      if (/^alias\./i.test(key) && setting.startsWith('!'))
        inner.push(shellCode(knownText(setting.slice(1))));
    }
  }
  if (name === 'bisect' && operands[0] === 'run')
    inner.push({ kind: 'argv', argv: words.slice(texts.indexOf('run') + 1) });
  if (name === 'submodule' && operands[0] === 'foreach') {
    const after = words
      .slice(texts.indexOf('foreach') + 1)
      .filter((word) => !singleText(word).startsWith('--'));
    inner.push(shellCode(concatAll(after, ' ')));
  }
  const call: Call = { program: 'git', args: words, stdin: emptyText, fed: false };
  if (name === 'rebase') inner.push(...optionTexts('-x', '--exec', '--exec=')(call));
  if (name === 'difftool') inner.push(...optionTexts('-x', '--extcmd', '--extcmd=')(call));
  if (name === 'filter-branch') {
    const filters = ['env', 'tree', 'index', 'parent', 'msg', 'commit', 'tag-name'].map(
      (filter) => `--${filter}-filter`,
    );
    inner.push(...optionTexts(...filters, ...filters.map((filter) => `${filter}=`))(call));
  }
  if (/^(?:clone|fetch|pull|push|ls-remote|fetch-pack|send-pack|archive)$/.test(name)) {
    inner.push(
      ...optionTexts(
        '--upload-pack',
        '--upload-pack=',
        '--receive-pack',
        '--receive-pack=',
        '--exec=',
        ...(name === 'clone' || name === 'ls-remote' ? ['-u'] : []),
      )(call),
    );
    for (const text of texts) if (/^ext::/.test(text)) inner.push(shellCode(knownText(text.slice(5))));
    for (const [index, text] of texts.entries()) {
      const setting = text === '-c' || text === '--config' ? texts[index + 1] : undefined;
      const equals = setting?.indexOf('=') ?? -1;
      if (setting !== undefined && equals > 0)
        inner.push(...gitSetting(setting.slice(0, equals), setting.slice(equals + 1)));
    }
  }
  if (name === 'grep') {
    for (const text of texts) {
      const pager = /^(?:-O|--open-files-in-pager=)(.+)$/.exec(text);
      if (pager !== null) inner.push(shellCode(knownText(pager[1] ?? '')));
    }
  }
  return inner;
}

function gitAlias(setting: string, words: readonly Text[]): readonly Inner[] {
  if (setting.startsWith('!')) {
    return [
      shellCode(
        words.length === 0
          ? knownText(setting.slice(1))
          : concat(knownText(`${setting.slice(1)} `), quoteWords(words)),
      ),
    ];
  }
  return [
    { kind: 'argv', argv: ['git', ...splitQuoted(setting)].map((word) => knownText(word)).concat(words) },
  ];
}

function tar({ args }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const next = args[index + 1];
    for (const text of arg.alternatives) {
      const action = /^(?:--checkpoint-action=)?exec=(.*)$/s.exec(text);
      const program =
        /^--(?:to-command|use-compress-program|rsh-command|info-script|new-volume-script)=(.*)$/s.exec(text);
      const found = action?.[1] ?? program?.[1];
      if (found !== undefined) inner.push(shellCode(knownText(found)));
      else if (
        next !== undefined &&
        /^(?:-I|-F|--to-command|--use-compress-program|--rsh-command|--info-script)$/.test(text)
      )
        inner.push(shellCode(next));
      else if (/^-I./.test(text)) inner.push(shellCode(knownText(text.slice(2))));
    }
  }
  return inner;
}

function sedExecutor({ args, stdin }: Call): readonly Inner[] {
  const { values, flags, rest } = readLeading(args, 'efl', ['expression', 'file', 'line-length']);
  const scripts = values.filter(([name]) => name === '-e' || name === '--expression').map(([, text]) => text);
  if (scripts.length === 0 && rest[0] !== undefined && !flags.has('-f')) scripts.push(rest[0]);
  return scripts.flatMap((script) =>
    script.alternatives.flatMap((text) =>
      sedSnippets(text).flatMap((snippet): readonly Inner[] =>
        snippet.kind === 'line'
          ? [shellCode(stdin.alternatives.includes(hole) ? unknownText(stdin.origins) : stdin)]
          : fromSnippets([snippet]),
      ),
    ),
  );
}

/** What ed and ex are told on their input. */
function lineEditor(call: Call): readonly Inner[] {
  const lines = call.fed
    ? call.stdin.alternatives.flatMap((text) => text.slice(0, maxSearched).split('\n'))
    : [];
  const escaped = lines.flatMap((line) => {
    const found = /^[%\d.$,]*\s*[erwEW]?\s*!(.+)$/.exec(line.trim())?.[1];
    return found === undefined ? [] : [shellCode(knownText(found))];
  });
  return [...editor(call), ...escaped];
}

function editor({ args }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg);
    const next = singleText(args[index + 1]);
    if (/^(?:-c|--cmd|-ex|-eval|-iex|-ic)$/.test(text) && next !== hole)
      inner.push(...fromSnippets(editorSnippets(next)));
    else if (/^--?(?:ex|eval-command)=/.test(text))
      inner.push(...fromSnippets(editorSnippets(text.slice(text.indexOf('=') + 1))));
    else if (text.startsWith('+') && text.length > 1)
      inner.push(...fromSnippets(editorSnippets(text.slice(1))));
    else if (/^--?eval$|^-f$/.test(text)) inner.push(...lispCommands(next));
    else if (text === '-S' && args[index + 1] !== undefined)
      inner.push({ kind: 'file', language: 'other', path: args[index + 1] ?? emptyText });
    else if (text === '--args') return [{ kind: 'argv', argv: args.slice(index + 1) }];
  }
  return inner;
}

/** What lldb is told: `platform shell` and `script`. */
function debuggerCommands({ args }: Call): readonly Inner[] {
  return args.flatMap((arg, index): readonly Inner[] => {
    const text = singleText(args[index + 1]);
    if (!/^-(?:o|O|k|K|-one-line\S*)$/.test(singleText(arg))) return [];
    const command = /^\s*(?:platform\s+shell|shell)\s+(.+)$/s.exec(text)?.[1];
    const script = /^\s*script\s+(.+)$/s.exec(text)?.[1];
    if (command !== undefined) return [shellCode(knownText(command))];
    return script === undefined ? [] : [{ kind: 'code', language: 'python', text: knownText(script) }];
  });
}

function lispCommands(code: string): readonly Inner[] {
  if (code.length > maxSearched) return [{ kind: 'unknown' }];
  const found = [
    ...code.matchAll(
      /(?:shell-command\S*|call-process\S*|start-process\S*|make-process|compile|async-shell-command|term|ansi-term)\s+(?:"[^"\\]*"\s+nil\s+)?"((?:[^"\\]|\\.)*)"/g,
    ),
  ];
  const commands = found.map((match) => shellCode(knownText((match[1] ?? '').replace(/\\(.)/g, '$1'))));
  const deleted = [...code.matchAll(/delete-(?:file|directory)\s+"((?:[^"\\]|\\.)*)"/g)];
  return [
    ...commands,
    ...deleted.map(
      ([, path = '']): Inner => ({ kind: 'argv', argv: ['rm', '-rf', path].map((word) => knownText(word)) }),
    ),
  ];
}

/** `socat`'s addresses that run something. */
function socat({ args }: Call): readonly Inner[] {
  return args.flatMap((arg) =>
    arg.alternatives.flatMap((text): readonly Inner[] => {
      const run = /^(?:EXEC|SYSTEM|SHELL):"?([^",]*)/i.exec(text);
      return run === null ? [] : [networkFed(run[1] ?? '')];
    }),
  );
}

function networkFed(command: string): Inner {
  const argv = splitQuoted(command).map((word) => knownText(word));
  return { kind: 'argv', argv, input: unknownText(['network']) };
}

function netcat({ args }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg);
    const next = singleText(args[index + 1]);
    const attached = /^--(?:exec|sh-exec|lua-exec)=(.*)$/.exec(text)?.[1];
    if (attached !== undefined) inner.push(networkFed(attached));
    else if (/^(?:-\w*[ec]|--exec|--sh-exec)$/.test(text) && next !== hole) inner.push(networkFed(next));
  }
  return inner;
}

function make({ args, fed }: Call): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg);
    const next = args[index + 1] ?? emptyText;
    const attached = /^(?:-f|--file=|--makefile=)(.+)$/.exec(text)?.[1];
    const file = /^(?:-\w*f|--file|--makefile)$/.test(text)
      ? next
      : attached === undefined
        ? null
        : knownText(attached);
    if (file !== null) {
      if (/^(?:-|\/dev\/stdin)$/.test(singleText(file))) {
        if (fed) inner.push({ kind: 'input', language: 'make' });
      } else inner.push({ kind: 'file', language: 'make', path: file });
    }
    const evaluated =
      /^--eval=(.*)$/s.exec(text)?.[1] ?? (text === '--eval' || text === '-E' ? onlyText(next) : null);
    if (evaluated !== null) inner.push({ kind: 'code', language: 'make', text: knownText(evaluated) });
    const shell = /^SHELL=(.+)$/.exec(text)?.[1];
    if (shell !== undefined) inner.push(shellCode(knownText(shell)));
    const folder = /^-C(.+)$|^--directory=(.+)$/
      .exec(text)
      ?.slice(1)
      .find((one) => one !== undefined);
    const elsewhere = folder ?? (/^(?:-C|--directory)$/.test(text) ? singleText(next) : null);
    if (elsewhere !== null && elsewhere !== '')
      inner.push({ kind: 'file', language: 'make', path: knownText(`${elsewhere}/Makefile`) });
  }
  if (!args.some((arg) => /^(?:-f|--file|--makefile)/.test(singleText(arg)))) {
    inner.push(
      ...projectFiles(
        'make',
        'Makefile',
        'makefile',
        'GNUmakefile',
      )({ program: 'make', args, stdin: emptyText, fed }),
    );
  }
  return inner;
}

const bubblewrapCounts: Readonly<Record<string, number>> = {
  '--bind': 2,
  '--ro-bind': 2,
  '--dev-bind': 2,
  '--bind-try': 2,
  '--ro-bind-try': 2,
  '--dev-bind-try': 2,
  '--symlink': 2,
  '--setenv': 2,
  '--file': 2,
  '--bind-data': 2,
  '--ro-bind-data': 2,
  '--chmod': 2,
  '--dev': 1,
  '--proc': 1,
  '--tmpfs': 1,
  '--dir': 1,
  '--chdir': 1,
  '--unsetenv': 1,
  '--uid': 1,
  '--gid': 1,
  '--hostname': 1,
  '--mqueue': 1,
  '--remount-ro': 1,
  '--seccomp': 1,
  '--lock-file': 1,
  '--sync-fd': 1,
  '--args': 1,
  '--userns': 1,
  '--cap-add': 1,
  '--cap-drop': 1,
  '--perms': 1,
};

function bubblewrap({ args }: Call): readonly Inner[] {
  let index = 0;
  while (singleText(args[index]).startsWith('--')) {
    const text = singleText(args[index]);
    index += 1 + (bubblewrapCounts[text] ?? 0);
    if (text === '--') break;
  }
  const argv = args.slice(index);
  return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
}

function database({ args, stdin, fed }: Call): readonly Inner[] {
  const texts = args.flatMap((arg) => arg.alternatives);
  if (fed) texts.push(...stdin.alternatives);
  return texts.flatMap((text): readonly Inner[] => {
    if (text.length > maxSearched)
      return /\\!|\.shell|\.system|program/i.test(text) ? [{ kind: 'unknown' }] : [];
    const found = [...text.matchAll(/(?:^|\n|;)\s*(?:\\!|\.(?:shell|system)\s|system\s)\s*([^\n]+)/g)];
    const copied = /\bcopy\b[^;]*\b(?:from|to)\s+program\s+'((?:[^']|'')*)'/i.exec(text);
    const inner = found.map((match) => shellCode(knownText((match[1] ?? '').replace(/^"(.*)"$/, '$1'))));
    return copied === null
      ? inner
      : [...inner, shellCode(knownText((copied[1] ?? '').replaceAll("''", "'")))];
  });
}

/** What a script of `expect` spawns. */
function expectExecutor(call: Call): readonly Inner[] {
  const inner = interpreter({ language: 'other', code: 'c', short: 'fb' })(call);
  return inner.flatMap((one): readonly Inner[] => {
    const text = one.kind === 'code' ? one.text : one.kind === 'input' ? call.stdin : null;
    if (text === null) return [one];
    const spawned = text.alternatives.flatMap((script) =>
      script.split(/[\n;]/).flatMap((line) => {
        const trimmed = line.trim();
        return trimmed.startsWith('spawn ') ? [shellCode(knownText(trimmed.slice(6)))] : [];
      }),
    );
    return [one, ...spawned];
  });
}

/** Texts that follow some word, in the program's own little language. */
function bySuffix(pattern: RegExp): Executor {
  return ({ args }) =>
    args.flatMap((arg) =>
      arg.alternatives.flatMap((text): readonly Inner[] => {
        if (text.length > maxSearched) return [{ kind: 'unknown' }];
        const found = pattern.exec(text)?.[1];
        return found === undefined ? [] : [shellCode(knownText(found))];
      }),
    );
}

/** `source [-p path] file words`. */
function sourced({ args }: Call): readonly Inner[] {
  const searched = singleText(args[0]) === '-p';
  const words = searched ? args.slice(2) : args;
  const path = searched && words.length > 0 ? unknownText() : words[0];
  return path === undefined ? [] : [{ kind: 'file', language: 'shell', path, positional: words }];
}

function trap({ args }: Call): readonly Inner[] {
  const operands = args.filter((arg) => singleText(arg) !== '--');
  const [text, ...signals] = operands;
  if (text === undefined || signals.length === 0 || /^-/.test(singleText(text))) return [];
  return [shellCode(text)];
}

function terminal({ args }: Call): readonly Inner[] {
  const texts = args.map(singleText);
  const verb = texts.findIndex((text) =>
    /^(?:new|new-session|new-window|neww|split-window|splitw|respawn-pane|run-shell|run|popup|display-popup|if-shell|pipe-pane|send-keys|send)$/.test(
      text,
    ),
  );
  const own = readLeading(args, 'cfLST', []);
  const started = own.values.flatMap(([name, value]): readonly Inner[] => {
    if (name === '-c') return [shellCode(value)];
    return name === '-f' ? [{ kind: 'file', language: 'other', path: value }] : [];
  });
  if (verb === -1)
    return started.length > 0 || own.rest.length > 0 || own.flags.has('-V') ? started : [bareShell];
  const rest = readLeading(args.slice(verb + 1), 'sntcFxyeflp', []).rest.filter(
    (word) => !/^(?:Enter|C-m|ENTER)$/.test(singleText(word)),
  );
  return rest.length === 0 ? [] : [shellCode(concatAll(rest, ' '))];
}

function packageRunner({ args }: Call): readonly Inner[] {
  const { values, rest } = readLeading(args, 'cpw', [
    'package',
    'call',
    'from',
    'with',
    'workspace',
    'python',
    'spec',
  ]);
  const inner: Inner[] = [];
  for (const [name, text] of values) if (name === '-c' || name === '--call') inner.push(shellCode(text));
  return rest.length === 0 ? inner : [...inner, { kind: 'argv', argv: rest }];
}

function eachText(start: (text: string) => boolean): Executor {
  return ({ args }) => args.filter((arg) => start(singleText(arg))).map((arg) => shellCode(arg));
}

const argv = (short = '', long = '', operands = 0): Executor => wrapper({ short, long, operands });
const python = interpreter({
  language: 'python',
  code: 'c',
  short: 'WXQ',
  module: 'm',
  long: 'check-hash-based-pycs',
});
const node = interpreter({
  language: 'javascript',
  code: 'ep',
  short: 'rC',
  longCode: 'eval print',
  long: 'require import loader conditions input-type env-file inspect-port',
  subcommands: 'run eval exec repl',
  loads: /^(?:-r|--(?:require|import|loader|experimental-loader)(?:=|$))(.*)$/,
});
const ruby = interpreter({ language: 'other', code: 'e', short: 'rICFEKx', loads: /^-r(.*)$/ });
const perl = interpreter({ language: 'other', code: 'eE', short: 'IMmx', loads: /^-I(.*)$/ });

/** Settings of apt that are commands, and files of settings, which may hold such. */
const aptExecutor = combined(bySuffix(/^(?:-o)?(?:APT|DPkg)::[\w:-]*Invoke[\w:-]*=(.*)$/is), ({ args }) =>
  args.some((arg) => /^(?:-c|--config-file)/.test(singleText(arg))) ? [{ kind: 'unknown' }] : [],
);

/** `cmake -E` is a small shell of its own, and `-P` runs a script. */
function cmakeExecutor({ args }: Call): readonly Inner[] {
  const at = args.findIndex((arg) => singleText(arg) === '-E');
  if (at === -1) return loading(/^-P(.*)$/)({ program: 'cmake', args, stdin: emptyText, fed: false });
  const [verb, ...words] = args.slice(at + 1);
  const named = (program: string): readonly Inner[] => [
    { kind: 'argv', argv: [...splitQuoted(program).map((word) => knownText(word)), ...words] },
  ];
  switch (singleText(verb)) {
    case 'env':
      return environmentExecutor({ program: 'env', args: words, stdin: emptyText, fed: false });
    case 'time':
      return [{ kind: 'argv', argv: words }];
    case 'rm':
    case 'remove':
    case 'touch':
    case 'cat':
    case 'tar':
      return named(singleText(verb).replace('remove', 'rm -f'));
    case 'remove_directory':
      return named('rm -rf');
    case 'copy':
    case 'copy_if_different':
    case 'copy_directory':
      return named('cp -r');
    case 'rename':
      return named('mv');
    case 'create_symlink':
      return named('ln -s');
    default:
      return [];
  }
}

/** What macros of m4 hand to a shell. */
function escapesOfM4(texts: readonly Text[]): readonly Inner[] {
  return texts.flatMap(({ alternatives }) =>
    alternatives.flatMap((text) =>
      [...text.slice(0, maxSearched).matchAll(/\be?syscmd\(\s*[`'"]?((?:[^()'"`]|\([^()]*\))*)/g)].map(
        (match) => shellCode(knownText(match[1] ?? '')),
      ),
    ),
  );
}

/** The table: what each program starts. */
const executors: ReadonlyMap<string, Executor> = new Map<string, Executor>([
  // Shells
  ...[
    'sh',
    'bash',
    'dash',
    'zsh',
    'ksh',
    'mksh',
    'ksh93',
    'ash',
    'rbash',
    'rsh',
    'fish',
    'csh',
    'tcsh',
    'yash',
    'posh',
    'elvish',
    'nu',
    'xonsh',
    'sash',
    'bash5',
    'hush',
  ].map((name): [string, Executor] => [name, shellExecutor]),
  ['pwsh', powershell],
  ['powershell', powershell],
  // Those that change what surrounds a program
  [
    'sudo',
    wrapper({
      short: 'ugphCTRDrtUa',
      long: 'user group prompt host close-from chdir chroot role type other-user command-timeout login-class',
      assignments: true,
      lookUp: '-l -e -v -K -k -V --list --edit --validate',
      readsInput: true,
    }),
  ],
  ['doas', wrapper({ short: 'uC', readsInput: true })],
  ['pkexec', argv('', 'user')],
  ['run0', argv('ugD', 'user group chdir unit property description setenv nice')],
  ['gosu', argv('', '', 1)],
  ['su-exec', argv('', '', 1)],
  [
    'setpriv',
    argv(
      '',
      'ruid euid rgid egid reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile',
    ),
  ],
  ['capsh', combined(optionTexts('-c'), wrapper({}))],
  ['su', optionTexts('-c', '--command', '--command=', '--session-command', '--session-command=')],
  [
    'runuser',
    combined(optionTexts('-c', '--command', '--command=', '--session-command='), ({ args }) =>
      args.some((arg) => singleText(arg) === '-u')
        ? wrapper({ short: 'ugG', long: 'user group supp-group' })({
            program: '',
            args,
            stdin: emptyText,
            fed: false,
          })
        : [],
    ),
  ],
  [
    'sg',
    combined(optionTexts('-c'), ({ args }) =>
      args[1] === undefined ? [bareShell] : singleText(args[1]) === '-c' ? [] : [shellCode(args[1])],
    ),
  ],
  ['newgrp', () => [bareShell]],
  ['env', environmentExecutor],
  ['cross-env', wrapper({ assignments: true })],
  ['cross-env-shell', wrapper({ assignments: true, joined: true })],
  ['dotenv', wrapper({ short: 'efcv', dashed: true })],
  ['command', wrapper({ lookUp: '-v -V' })],
  ['builtin', wrapper({})],
  ['exec', argv('a')],
  ['noglob', argv()],
  ['nocorrect', argv()],
  ['nohup', argv()],
  ['setsid', argv()],
  ['nice', argv('n', 'adjustment')],
  ['ionice', argv('cnpPu', 'class classdata pid')],
  ['chrt', argv('TPDp', 'sched-runtime sched-period sched-deadline', 1)],
  ['taskset', taskset],
  ['numactl', argv('iCNmpPlt', 'interleave cpunodebind physcpubind membind preferred')],
  ['timeout', argv('ks', 'kill-after signal', 1)],
  ['gtimeout', argv('ks', 'kill-after signal', 1)],
  ['time', argv('fo', 'format output')],
  ['gtime', argv('fo', 'format output')],
  ['stdbuf', argv('ioe', 'input output error')],
  ['unbuffer', argv()],
  ['chronic', argv()],
  ['ts', argv()],
  [
    'flock',
    wrapper({ short: 'wE', long: 'wait timeout conflict-exit-code', operands: 1, shell: '-c --command' }),
  ],
  ['lckdo', argv('WE', '', 1)],
  ['prlimit', argv('op', 'output pid')],
  [
    'setarch',
    ({ args, ...rest }) =>
      argv(
        '',
        '',
      )({
        ...rest,
        args: /^(?:linux32|linux64|i\d86|x86_64|aarch64|arm|ppc|s390|uname)/.test(singleText(args[0]))
          ? args.slice(1)
          : args,
      }),
  ],
  ['linux32', wrapper({ shellAlone: true })],
  ['linux64', wrapper({ shellAlone: true })],
  ['i386', argv()],
  ['x86_64', argv()],
  ['catchsegv', argv()],
  ['fakeroot', wrapper({ short: 'lsib', long: 'lib faked', shellAlone: true })],
  ['fakechroot', wrapper({ short: 'lce', shellAlone: true })],
  ['proot', wrapper({ short: 'rbmwkq', long: 'rootfs bind mount cwd pwd', shellAlone: true })],
  ['firejail', argv()],
  ['bwrap', bubblewrap],
  ['chroot', wrapper({ long: 'groups userspec', operands: 1, shellAlone: true })],
  [
    'unshare',
    wrapper({
      short: 'SGRwlT',
      long: 'setuid setgid root wd map-user map-group map-users map-groups propagation',
      shellAlone: true,
    }),
  ],
  ['nsenter', wrapper({ short: 'tSGW', long: 'target setuid setgid', shellAlone: true })],
  [
    'systemd-run',
    argv(
      'upHMGEdp',
      'unit property host machine description slice uid gid nice working-directory setenv on-active on-boot on-calendar timer-property path-property service-type',
    ),
  ],
  ['systemd-inhibit', argv('', 'what who why mode')],
  ['dbus-run-session', argv('', 'config-file dbus-daemon')],
  ['dbus-launch', argv()],
  ['xvfb-run', argv('nesfpw', 'server-num error-file server-args auth-file xauth-protocol wait')],
  [
    'start-stop-daemon',
    ({ args }) => {
      const at = args.findIndex((arg) => /^(?:-x|-a|--exec|--startas)$/.test(singleText(arg)));
      const dashes = args.findIndex((arg) => singleText(arg) === '--');
      const program = args[at + 1];
      return at === -1 || program === undefined
        ? []
        : [{ kind: 'argv', argv: [program, ...(dashes === -1 ? [] : args.slice(dashes + 1))] }];
    },
  ],
  ['daemonize', argv('acepoul')],
  ['daemon', argv('nuFDoelrO', 'name user pidfile chdir stdout stderr output')],
  ['choom', argv('np', 'adjust pid')],
  ['systemd-cat', argv('tp', 'identifier priority stderr-priority level-prefix namespace')],
  ['dtruss', argv('nptW')],
  ['gum', wrapper({ subcommands: 'spin', short: 's', long: 'spinner title align', dashed: true })],
  ['lerna', wrapper({ subcommands: 'exec', dashed: true })],
  ['nx', wrapper({ subcommands: 'exec', dashed: true })],
  ['turbo', wrapper({ subcommands: 'exec', dashed: true })],
  ['chokidar', optionTexts('-c', '--command', '--command=')],
  [
    'reflex',
    wrapper({ short: 'rRgGd', long: 'regex inverse-regex glob inverse-glob decoration', dashed: true }),
  ],
  ['feh', optionTexts('-A', '--action', '--action=', '--info', '--info=')],
  ['coredumpctl', optionTexts('--debugger', '--debugger=')],
  ['cmake', cmakeExecutor],
  ['m4', ({ args, stdin, fed }) => escapesOfM4([...args, ...(fed ? [stdin] : [])])],
  ['bat', optionTexts('--pager', '--pager=')],
  ['batcat', optionTexts('--pager', '--pager=')],
  ['delta', optionTexts('--pager', '--pager=')],
  ['ag', optionTexts('--pager', '--pager=')],
  ['dmsetup', optionTexts('--exec', '--exec=')],
  ['gs', bySuffix(/%pipe%([^)]*)/)],
  ['aa-exec', argv('pnf', 'profile namespace file')],
  ['agetty', optionTexts('-l', '--login-program', '--login-program=')],
  ['cpulimit', argv('pePl', 'pid exe path limit')],
  ['distcc', argv()],
  ['ccache', argv('dFkMoX', 'directory max-files get-config max-size set-config config-path')],
  ['sccache', argv()],
  ['logsave', argv('', '', 1)],
  ['multitime', argv('bcfiIlmnor', '')],
  ['pidstat', behindOption('-e')],
  ['ssh-agent', argv('atEPO')],
  ['caffeinate', argv('tw')],
  ['cgexec', argv('g')],
  ['eatmydata', argv()],
  ['torsocks', argv()],
  ['torify', argv()],
  ['proxychains', argv('f')],
  ['proxychains4', argv('f')],
  ['faketime', argv('f', '', 1)],
  ['rlwrap', argv('abcCDefgHlmMnNoOpPrsSwzt')],
  ['strace', combined(argv('abeEIoOpPsSuUX'), bySuffix(/^[|!](.+)$/s))],
  ['ltrace', argv('aAeDFlnopsuwx')],
  ['valgrind', argv()],
  ['perf', wrapper({ short: 'eoFgcCpt', subcommands: 'stat record trace' })],
  ['ddrescue-run', argv()],
  ['busybox', argv()],
  ['toybox', argv()],
  ['coproc', argv()],
  ['entr', argv()],
  ['watch', wrapper({ short: 'nq', long: 'interval equexit', joined: true })],
  ['viddy', wrapper({ short: 'n', joined: true })],
  [
    'script',
    (call) =>
      // The name alone is what many call a file of their own.
      call.args.length === 0
        ? []
        : wrapper({ short: 'cEIOBTmo', shell: '-c --command', operands: 1, shellAlone: true })(call),
  ],
  ['scriptreplay', () => []],
  ['expect', expectExecutor],
  ['screen', combined(waiting, screen)],
  ['tmux', combined(waiting, terminal)],
  ['byobu', combined(waiting, terminal)],
  ['zellij', combined(waiting, wrapper({ subcommands: 'run', short: 'nd', dashed: true }))],
  ['dtach', argv('', '', 1)],
  ['abduco', argv('', '', 1)],
  [
    'hyperfine',
    combined(
      eachText((text) => text.includes(' ') && !text.startsWith('-')),
      optionTexts('-p', '--prepare', '-s', '--setup', '-c', '--cleanup'),
    ),
  ],
  ['concurrently', eachText((text) => !text.startsWith('-'))],
  ['nodemon', optionTexts('-x', '--exec', '--exec=')],
  ['watchexec', argv('ewidpsfoN', 'exts watch ignore delay-run signal shell filter')],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['parallel', parallel],
  ['find', find],
  ['gfind', find],
  [
    'fd',
    ({ args }) => {
      const at = args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(singleText(arg)));
      return at === -1 ? [] : [{ kind: 'argv', argv: [...args.slice(at + 1), unknownText()] }];
    },
  ],
  ['run-parts', () => []],
  // Elsewhere
  ['ssh', remoteShell],
  ['autossh', remoteShell],
  ['mosh', combined(remoteShell, optionTexts('--server', '--server=', '--ssh', '--ssh='))],
  ['sshpass', argv('pfdP')],
  ['scp', combined(optionTexts('-S'), bySuffix(/^(?:-o)?\s*ProxyCommand\s*[= ]\s*(.*)$/is))],
  ['sftp', combined(optionTexts('-S'), bySuffix(/^(?:-o)?\s*ProxyCommand\s*[= ]\s*(.*)$/is), afterMark)],
  ['sshuttle', optionTexts('-e', '--ssh-cmd', '--ssh-cmd=')],
  [
    'ip',
    ({ args }) => {
      const at = args.findIndex((arg) => singleText(arg) === 'exec');
      const within = /^(?:netns|vrf)$/.test(singleText(args[at - 1]));
      return within ? [{ kind: 'argv', argv: args.slice(at + 2) }] : [];
    },
  ],
  ...['ftp', 'tftp', 'lftp', 'ncftp', 'telnet', 'debugfs'].map((name): [string, Executor] => [
    name,
    combined(waiting, afterMark),
  ]),
  ...['mail', 'mailx', 'Mail'].map((name): [string, Executor] => [name, escapes(/^(?:--exec=)?~?!(.*)$/)]),
  ['rsync', optionTexts('-e', '--rsh', '--rsh=', '--rsync-path', '--rsync-path=')],
  ['docker', containers],
  ['podman', containers],
  ['nerdctl', containers],
  ['docker-compose', containers],
  ['kubectl', containers],
  ['oc', containers],
  ['k3s', argv()],
  ['lxc', wrapper({ subcommands: 'exec', dashed: true, operands: 1 })],
  ['lxc-attach', wrapper({ short: 'n', dashed: true })],
  ['machinectl', wrapper({ subcommands: 'shell', operands: 1 })],
  ['multipass', wrapper({ subcommands: 'exec', dashed: true, operands: 1 })],
  ['gcloud', optionTexts('--command', '--command=')],
  ['distrobox', wrapper({ subcommands: 'enter', dashed: true, operands: 1 })],
  ['toolbox', wrapper({ subcommands: 'run', short: 'cdr' })],
  ['flatpak-spawn', argv()],
  ['wsl', argv('du', 'distribution user cd')],
  ['ansible', optionTexts('-a', '--args', '--args=')],
  // Tools of projects
  ['npx', packageRunner],
  ['bunx', packageRunner],
  ['pnpx', packageRunner],
  ['uvx', packageRunner],
  ['pipx', wrapper({ subcommands: 'run', long: 'spec python' })],
  [
    'npm',
    combined(
      wrapper({ subcommands: 'exec x', short: 'cpw', shell: '-c --call', long: 'package call' }),
      wrapper({ subcommands: 'explore', operands: 1, dashed: true }),
      packageScripts,
    ),
  ],
  ['pnpm', combined(wrapper({ subcommands: 'exec dlx', shell: '-c', short: 'C' }), packageScripts)],
  ['bun', combined(node, packageScripts)],
  ['yarn', combined(wrapper({ subcommands: 'exec dlx', short: 'p' }), packageScripts)],
  ...['bundle', 'bundler'].map((name): [string, Executor] => [
    name,
    combined(wrapper({ subcommands: 'exec' }), projectFiles('other', 'Gemfile')),
  ]),
  ['cabal', wrapper({ subcommands: 'exec', dashed: true })],
  ['stack', wrapper({ subcommands: 'exec', dashed: true })],
  ['opam', wrapper({ subcommands: 'exec', dashed: true })],
  [
    'cargo',
    combined(
      wrapper({ subcommands: 'watch', short: 'xsw', shell: '-s --shell' }),
      projectFiles('other', 'build.rs'),
    ),
  ],
  [
    'rustup',
    combined(wrapper({ subcommands: 'run', operands: 1 }), ({ args }) => {
      const folder = args[3];
      const links = singleText(args[0]) === 'toolchain' && singleText(args[1]) === 'link';
      return links && folder !== undefined ? [{ kind: 'file', language: 'other', path: folder }] : [];
    }),
  ],
  ['pip', combined(optionTexts('--editor', '--editor='), setupScript)],
  ['pip3', combined(optionTexts('--editor', '--editor='), setupScript)],
  ['easy_install', setupScript],
  ['gem', combined(optionTexts('-e', '--editor', '--editor='), projectFiles('other', 'Gemfile'))],
  ['composer', projectFiles('package', 'composer.json')],
  ['pytest', projectFiles('python', 'conftest.py')],
  ['nox', projectFiles('python', 'noxfile.py')],
  ['vagrant', combined(optionTexts('-c', '--command', '--command='), projectFiles('other', 'Vagrantfile'))],
  ['gulp', projectFiles('javascript', 'gulpfile.js')],
  ['grunt', projectFiles('javascript', 'Gruntfile.js')],
  ['poetry', wrapper({ subcommands: 'run' })],
  ['pipenv', wrapper({ subcommands: 'run' })],
  ['pdm', wrapper({ subcommands: 'run' })],
  ['hatch', wrapper({ subcommands: 'run' })],
  ['rye', wrapper({ subcommands: 'run' })],
  ['uv', wrapper({ subcommands: 'run', short: 'p', long: 'with python project directory env-file' })],
  ['conda', wrapper({ subcommands: 'run', short: 'np', long: 'name prefix cwd' })],
  ['mamba', wrapper({ subcommands: 'run', short: 'np', long: 'name prefix cwd' })],
  ['pyenv', wrapper({ subcommands: 'exec' })],
  ['rbenv', wrapper({ subcommands: 'exec' })],
  ['mise', wrapper({ subcommands: 'exec x', shell: '-c --command', dashed: true })],
  ['asdf', wrapper({ subcommands: 'exec' })],
  ['direnv', wrapper({ subcommands: 'exec', operands: 1 })],
  ['nix-shell', optionTexts('--run', '--command')],
  ['nix', wrapper({ subcommands: 'develop shell', short: 'c', shell: '-c --command' })],
  ['op', wrapper({ subcommands: 'run', dashed: true })],
  ['doppler', wrapper({ subcommands: 'run', dashed: true, shell: '--command' })],
  ['aws-vault', wrapper({ subcommands: 'exec', dashed: true, operands: 1 })],
  ['chezmoi', () => []],
  ['make', make],
  ['gmake', make],
  ['just', combined(optionTexts('--command', '-c'), projectFiles('make', 'justfile', 'Justfile'))],
  ['task', wrapper({ subcommands: 'execute exec' })],
  [
    'rake',
    combined(
      interpreter({ language: 'other', code: 'pePE', file: 'f', short: 'rRICTWD' }),
      projectFiles('other', 'Rakefile'),
    ),
  ],
  // Interpreters
  [
    'eval',
    ({ args }) =>
      args.length === 0
        ? []
        : [shellCode(concatAll(singleText(args[0]) === '--' ? args.slice(1) : args, ' '))],
  ],
  ['trap', trap],
  ['source', sourced],
  ['.', sourced],
  ...['python', 'python2', 'python3', 'pypy', 'pypy3', 'ipython', 'ipython3', 'py'].map(
    (name): [string, Executor] => [name, python],
  ),
  ...['node', 'nodejs', 'deno', 'tsx', 'ts-node'].map((name): [string, Executor] => [name, node]),
  ['perl', perl],
  ['ruby', ruby],
  ['irb', ruby],
  ['php', php],
  ['lua', interpreter({ language: 'other', code: 'e', short: 'l' })],
  ['luajit', interpreter({ language: 'other', code: 'e', short: 'lj' })],
  ['Rscript', interpreter({ language: 'other', code: 'e' })],
  ['R', interpreter({ language: 'other', code: 'e', short: 'fg' })],
  ['julia', interpreter({ language: 'other', code: 'eE', short: 'pLJ', longCode: 'eval print' })],
  ['osascript', interpreter({ language: 'other', code: 'e', short: 'ls' })],
  ['tclsh', interpreter({ language: 'other', code: '' })],
  ['wish', interpreter({ language: 'other', code: '' })],
  ['groovy', interpreter({ language: 'other', code: 'e' })],
  ['elixir', interpreter({ language: 'other', code: 'e' })],
  ['erl', interpreter({ language: 'other', code: '', longCode: 'eval' })],
  ['ghc', interpreter({ language: 'other', code: 'e' })],
  ['runghc', interpreter({ language: 'other', code: 'e' })],
  ['bpftrace', combined(interpreter({ language: 'other', code: 'e', short: 'oplfBcK' }), optionTexts('-c'))],
  ...['octave', 'octave-cli', 'matlab', 'gnuplot', 'maxima'].map((name): [string, Executor] => [
    name,
    interpreter({ language: 'other', code: 'er', longCode: 'eval' }),
  ]),
  ...['sbcl', 'clisp', 'guile', 'racket', 'ecl', 'clojure', 'raku', 'ocaml', 'slsh'].map(
    (name): [string, Executor] => [name, interpreter({ language: 'other', code: 'ecx', longCode: 'eval' })],
  ),
  ['cpan', combined(waiting, ({ fed }) => (fed ? [{ kind: 'input', language: 'other' }] : []))],
  [
    'csvtool',
    ({ args }) => (singleText(args[0]) === 'call' && args[1] !== undefined ? [shellCode(args[1])] : []),
  ],
  [
    'exiftool',
    ({ args }) =>
      args.flatMap((arg, index): readonly Inner[] => {
        const text = args[index + 1];
        const condition = /^-if\d*$/.test(singleText(arg)) && text !== undefined;
        return condition ? [{ kind: 'code', language: 'other', text }] : [];
      }),
  ],
  ['jrunscript', interpreter({ language: 'javascript', code: 'e' })],
  ['jjs', interpreter({ language: 'javascript', code: 'e' })],
  ['jshell', interpreter({ language: 'other', code: '' })],
  ['scala', interpreter({ language: 'other', code: 'e' })],
  ...['awk', 'gawk', 'mawk', 'nawk', 'original-awk'].map((name): [string, Executor] => [
    name,
    interpreter({ language: 'awk', code: 'e', file: 'fE', short: 'Fv', first: true }),
  ]),
  ['sed', sedExecutor],
  ['gsed', sedExecutor],
  ...['view', 'rview', 'rvim', 'gvim', 'vimdiff', 'emacsclient', 'more', 'most'].map(
    (name): [string, Executor] => [name, editor],
  ),
  ['emacs', combined(editor, loading(/^(?:-l|--(?:load|script)(?:=|$))(.*)$/))],
  ['less', combined(editor, loading(/^(?:-k|--lesskey-(?:src|file)(?:=|$))(.*)$/))],
  ['lldb', combined(editor, debuggerCommands)],
  ...['vim', 'vi', 'nvim', 'ex', 'ed', 'red', 'gdb'].map((name): [string, Executor] => [
    name,
    combined(waiting, lineEditor, loading(/^-u()$/)),
  ]),
  // Those that run something on the side
  ['git', git],
  ['tar', tar],
  ['gtar', tar],
  ['bsdtar', tar],
  ['zip', optionTexts('-TT', '--unzip-command', '--unzip-command=')],
  ['cpio', optionTexts('--rsh-command', '--rsh-command=')],
  ['enscript', optionTexts('-I', '--filter', '--filter=')],
  ['pandoc', loading(/^(?:-[LF]|--(?:lua-filter|filter|pdf-engine|defaults)=?)(.*)$/)],
  ['nmap', loading(/^--script(?:=|$)((?:[^=]*\/[^=]*)?)$/)],
  ['neofetch', loading(/^--config(?:=|$)((?!none$).*)$/)],
  ...['yt-dlp', 'youtube-dl'].map((name): [string, Executor] => [
    name,
    optionTexts('--exec', '--exec=', '--exec-before-download', '--downloader', '--external-downloader'),
  ]),
  ['split', optionTexts('--filter', '--filter=')],
  ['sort', optionTexts('--compress-program', '--compress-program=')],
  [
    'man',
    combined(optionTexts('-P', '--pager', '--pager=', '-H'), loading(/^(?:-C|--config-file(?:=|$))(.*)$/)),
  ],
  ['wget', optionTexts('--use-askpass', '--use-askpass=')],
  ['tcpdump', optionTexts('-z')],
  ['rg', optionTexts('--pre', '--pre=', '--hostname-bin', '--hostname-bin=')],
  [
    'fzf',
    combined(
      optionTexts('--preview', '--preview='),
      bySuffix(/(?:execute|execute-silent|become|reload)\((.*)\)/s),
    ),
  ],
  ...['rpm', 'rpmspec'].map((name): [string, Executor] => [
    name,
    combined(bySuffix(/%\((.*)\)/s), optionTexts('--pipe', '--pipe='), ({ args }) =>
      args.flatMap((arg): readonly Inner[] => {
        const code = /%\{lua:(.*)\}/s.exec(singleText(arg))?.[1];
        return code === undefined ? [] : [{ kind: 'code', language: 'other', text: knownText(code) }];
      }),
    ),
  ]),
  ['openvpn', optionTexts('--up', '--down', '--tls-verify', '--route-up')],
  ['apt-get', aptExecutor],
  ['apt', aptExecutor],
  ['aptitude', aptExecutor],
  ['psql', database],
  ['mysql', combined(database, loading(/^--(?:default-auth|plugin-dir)(?:=(.*))?$/))],
  ['mariadb', combined(database, loading(/^--(?:default-auth|plugin-dir)(?:=(.*))?$/))],
  ['sqlite3', database],
  ['socat', socat],
  ...['nc', 'ncat', 'netcat', 'nc.openbsd', 'nc.traditional'].map((name): [string, Executor] => [
    name,
    netcat,
  ]),
  ['at', ({ fed }) => (fed ? [{ kind: 'input', language: 'shell' }] : [])],
  ['batch', ({ fed }) => (fed ? [{ kind: 'input', language: 'shell' }] : [])],
  [
    'crontab',
    ({ args, fed }) => {
      const operands = args.filter((arg) => !/^-[a-z]/.test(singleText(arg)));
      const [file] = operands;
      if (args.some((arg) => /^-[lre]$/.test(singleText(arg)))) return [];
      if (file === undefined || singleText(file) === '-')
        return fed ? [{ kind: 'input', language: 'crontab' }] : [];
      return [{ kind: 'file', language: 'crontab', path: file }];
    },
  ],
  ['mapfile', optionTexts('-C')],
  ['readarray', optionTexts('-C')],
  ['complete', optionTexts('-C')],
]);

const loader = /^(?:ld-linux[\w.-]*\.so[\d.]*|ld-musl-[\w.-]+|ld\.so|ld-[\d.]+\.so|ld64\.so[\d.]*)$/;
const versioned = /^(python|pypy|perl|ruby|php|lua|node|tclsh|bash)[\d.]+$/;

/** What a program starts besides itself; null where it is none of the table. */
export function innersOf(call: Call): readonly Inner[] | null {
  const { program } = call;
  const executor = executors.get(program) ?? executors.get(versioned.exec(program)?.[1] ?? '');
  if (executor !== undefined) return executor(call);
  if (loader.test(program)) return argv('', 'library-path preload argv0 inhibit-rpath audit')(call);
  return null;
}

/** Whether a program starts others or runs code. */
export function isExecutor(program: string): boolean {
  return executors.has(program) || versioned.test(program) || loader.test(program);
}
