// Shells and interpreters: where their code stands, or the file that holds it.

import { isOwnProgram } from '../../../../detect/protect.ts';
import { concatAll, emptyText, hole, knownText, mapWithHoles, singleText, unknownText } from '../values.ts';
import { bareShell, type Call, type Executor, type Inner, type Language, shellCode } from './inner.ts';
import { combined, loading, wordsOf } from './shapes.ts';

export function shellExecutor({ args, fed }: Call): readonly Inner[] {
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
export function powershell({ args, fed }: Call): readonly Inner[] {
  for (const [index, arg] of args.entries()) {
    const text = singleText(arg).toLowerCase();
    const rest = args.slice(index + 1);
    if (/^-(?:e|ec|en\w*)$/.test(text)) return [{ kind: 'unknown' }];
    if (/^-c(?:o\w*)?$/.test(text))
      return [shellCode(mapWithHoles(concatAll(rest, ' '), withoutBlockComments))];
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

/** PowerShell's comments of several lines, up to the first quote: behind it they could be part of a text. */
function withoutBlockComments(code: string): string {
  let [kept, rest] = ['', code];
  for (;;) {
    const open = rest.indexOf('<#');
    const close = rest.indexOf('#>', open + 2);
    if (open === -1 || close === -1 || /["'@]/.test(rest.slice(0, open))) return kept + rest;
    kept += `${rest.slice(0, open)} `;
    rest = rest.slice(close + 2);
  }
}

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

/** A script or a package by its address. */
export const fromAfar =
  /^(?:(?:git\+)?https?:|git(?:\+ssh|\+file)?:|(?:github|gitlab|bitbucket|gist|jsr:http)s?:|git@)/i;

export function interpreter(shape: InterpreterShape): Executor {
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
        (inner) => inner.kind !== 'file' || /^[./~\uE000]/.test(singleText(inner.path)),
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
      // From here on all letters mean code.
      let tail = text.length;
      while (tail > 1 && shape.code.includes(text.charAt(tail - 1))) tail -= 1;
      for (let place = 1; place < text.length; place++) {
        const letter = text[place] ?? '';
        const isCode = shape.code.includes(letter);
        const isFile = shape.file?.includes(letter) === true;
        if (!isCode && !isFile && !module.includes(letter) && !(shape.short ?? '').includes(letter)) continue;
        const attached = text.slice(place + 1);
        // `-pe`: both letters mean the same code.
        if (isCode && attached !== '' && place + 1 >= tail) continue;
        const value = attached === '' ? (words[++index] ?? emptyText) : knownText(attached, word.origins);
        if (isCode) inner.push({ kind: 'code', language: shape.language, text: value });
        else if (isFile && fed && singleText(value) === '-')
          inner.push({ kind: 'input', language: shape.language });
        else if (isFile) inner.push({ kind: 'file', language: shape.language, path: value });
        else if (module.includes(letter)) {
          const argv = [value, ...words.slice(index + 1)];
          return [...inner, ...modulesHere(singleText(value)), { kind: 'argv', argv }];
        }
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
    if (fromAfar.test(singleText(first))) return [{ kind: 'unknown' }];
    return [{ kind: 'file', language: shape.language, path: first, positional: [first, ...rest] }];
  };
}

/** Modules of Python's own that do one thing and load nothing of the folder that they are started in. */
const ownModules =
  /^(?:http(?:\.server)?|SimpleHTTPServer|json(?:\.tool)?|venv|ensurepip|pip|zipfile|tarfile|gzip|base64|calendar|compileall|py_compile|pydoc|site|sysconfig|platform|timeit|tokenize|ast|dis|uuid|webbrowser|this)$/;

/** The files in this folder that a module of Python may be. */
function modulesHere(name: string): readonly Inner[] {
  if (ownModules.test(name)) return [];
  const path = name.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`].map((file) => ({
    kind: 'file',
    language: 'python',
    path: knownText(file),
    ofProject: true,
  }));
}

/** Code for the shell of a framework, which stands behind an option or comes in. */
function frameworkConsole(language: Language, subcommands: string, ...options: readonly string[]): Executor {
  const verbs = wordsOf(subcommands);
  return ({ args, fed }) => {
    const at = args.findIndex((arg) => verbs.includes(singleText(arg)));
    if (at === -1) return [];
    const given = args.slice(at + 1).flatMap((arg, index): readonly Inner[] => {
      const text = singleText(arg);
      const named = options.find((name) => text === name || text.startsWith(`${name}=`));
      if (named === undefined) return [];
      const value = text === named ? args[at + 2 + index] : knownText(text.slice(named.length + 1));
      return [{ kind: 'code', language, text: value ?? emptyText }];
    });
    return given.length === 0 && fed ? [{ kind: 'input', language }] : given;
  };
}

const phpCode = interpreter({
  language: 'php',
  code: 'rBRE',
  short: 'cdfFzS',
  loads: /^(?:-d)?(?:auto_prepend_file|auto_append_file|extension|zend_extension)=(.*)$/,
});

/** With -l it only checks what it reads. */
export function php(call: Call): readonly Inner[] {
  if (/^(?:-l|--syntax-check)$/.test(singleText(call.args[0]))) return [{ kind: 'nothing' }];
  const artisan = /(?:^|\/)artisan$/.test(singleText(call.args[0]));
  return artisan
    ? [...phpCode(call), ...frameworkConsole('php', 'tinker', '--execute')(call)]
    : phpCode(call);
}

const pythonCode = interpreter({
  language: 'python',
  code: 'c',
  short: 'WXQ',
  module: 'm',
  long: 'check-hash-based-pycs',
});

/** The shell of Django, of Flask or of Scrapy. */
export const pythonConsole = frameworkConsole('python', 'shell console', '-c', '--command');

export function python(call: Call): readonly Inner[] {
  const manages = /(?:^|\/)manage\.py$/.test(singleText(call.args[0]));
  return manages ? [...pythonCode(call), ...pythonConsole(call)] : pythonCode(call);
}

/** An interpreter that is given the guard's own program is the guard's own command line. */
function knowingOwn(executor: Executor): Executor {
  return (call) =>
    executor(call).flatMap((inner): readonly Inner[] => {
      if (inner.kind !== 'file' || !inner.path.alternatives.some((path) => isOwnProgram(path)))
        return [inner];
      const words = inner.positional?.slice(1) ?? [unknownText()];
      return [inner, { kind: 'argv', argv: [knownText('sallyport'), ...words] }];
    });
}

/** Words before the name of what the project has installed, and how many of them there are. */
const beforeName: Readonly<Record<string, number>> = { run: 1, 'run-script': 1, x: 1, workspace: 2 };

/** `yarn sallyport words`, `pnpm run sallyport words`: what the project has installed, by its name. */
export function ownCommand({ args }: Call): readonly Inner[] {
  const words = args.filter((arg) => !singleText(arg).startsWith('-'));
  const verb = singleText(words[0]);
  const [first, ...rest] = words.slice(Object.hasOwn(beforeName, verb) ? beforeName[verb] : 0);
  const own = first !== undefined && /^sallyport(?:@[\w.^~*-]+)?$/.test(singleText(first));
  return own ? [{ kind: 'argv', argv: [knownText('sallyport'), ...rest] }] : [];
}

const nodeCode = interpreter({
  language: 'javascript',
  code: 'ep',
  short: 'rC',
  longCode: 'eval print',
  long: 'require import loader conditions input-type env-file inspect-port',
  subcommands: 'run eval exec repl',
  loads: /^(?:-r|--(?:require|import|loader|experimental-loader)(?:=|$))(.*)$/,
});

export const node = knowingOwn(nodeCode);

/** Deno takes packages of npm as they are, under the prefix `npm:`. */
export function deno(call: Call): readonly Inner[] {
  const [verb, ...words] = call.args;
  const installs = /^(?:install|add|i|remove|rm|uninstall|update)$/.test(singleText(verb));
  const own = words.filter((word) => isOwnProgram(singleText(word)));
  if (!installs || own.length === 0) return node(call);
  const names = own.map((word) => knownText(singleText(word).replace(/^npm:/, '')));
  return [{ kind: 'argv', argv: [knownText('npm'), knownText('install'), ...names] }];
}

export const ruby = interpreter({ language: 'ruby', code: 'e', short: 'rICFEKx', loads: /^-r(.*)$/ });

const perlCode = interpreter({ language: 'perl', code: 'eE', short: 'IMmx', loads: /^-I(.*)$/ });

/** A module is put into a line of code as it stands. */
export function perl(call: Call): readonly Inner[] {
  const modules = call.args.flatMap((arg): readonly Inner[] => {
    const module = /^-[mM]-?(.+)$/s.exec(singleText(arg))?.[1] ?? 'strict';
    if (module.includes(hole)) return [{ kind: 'unknown' }];
    return /^[\w:]+(?:[= ][\w:, ()'"!-]*)?$/.test(module)
      ? []
      : [{ kind: 'code', language: 'perl', text: knownText(`use ${module};`) }];
  });
  return [...modules, ...perlCode(call)];
}
