// Interpreters: where their code stands among the words, or the file that holds it.

import { isOwnProgram } from '../../../detect/protect.ts';
import type { Inner, Language, Call as Start } from '../bash/executors/inner.ts';
import { knownText, singleText, type Text, unknownText } from '../bash/values.ts';
import type { Effect, Value } from '../effects.ts';
import { type Call, effect, inert, pathTarget, textOf } from '../tools/tool.ts';
import type { Card, Fact, Given, ReadingsLine } from './card.ts';
import { moduleEffects, modulesHere } from './python.ts';

/** An interpreter, as data. */
export interface Interpreter {
  readonly names: string;
  readonly options: string;
  readonly readings: ReadingsLine;
  readonly language: Language;
  /** Options whose value is code. */
  readonly code?: string;
  /** Flags with which the first word is code. */
  readonly codeFirst?: string;
  /** The first word is code where no option gives any. */
  readonly first?: true;
  /** Options whose value is a file of code; then no word is code. */
  readonly file?: string;
  /** Options whose value is loaded before the code, where it is a path. */
  readonly loads?: string;
  /** The option whose value is a module of Python. */
  readonly module?: string;
  /** Words that may stand before the file or the code. */
  readonly subcommands?: string;
  readonly hit: Readonly<Record<string, string>>;
  /** Examples for what its scripts and modules do by their names alone. */
  readonly scripts?: Readonly<Record<string, string>>;
  readonly miss?: readonly string[];
  readonly facts?: readonly Fact[];
  /** Options with which it runs nothing; `facts` say what it does then. */
  readonly idle?: string;
}

/** A script or a package by its address. */
export const fromAfar =
  /^(?:(?:git\+)?https?:|git(?:\+ssh|\+file)?:|(?:github|gitlab|bitbucket|gist|jsr:http)s?:|git@)/i;

const namesIn = (list: string | undefined): readonly string[] => list?.split(' ') ?? [];

/** What the value of an option loads: a path, or code in an address. */
export function loaded(values: readonly Text[], onlyPaths = true): readonly Inner[] {
  return values.flatMap((path): readonly Inner[] => {
    const text = singleText(path);
    if (/^data:/i.test(text)) return [{ kind: 'unknown' }];
    if (/^(?:none|default|\/dev\/null|)$/i.test(text)) return [];
    return onlyPaths && !/^[./~\uE000]/.test(text) ? [] : [{ kind: 'file', language: 'other', path }];
  });
}

/** What an interpreter runs. */
export function scriptStarts(
  interpreter: Interpreter,
): (call: Start, given: Given<Text>) => readonly Inner[] {
  const { language } = interpreter;
  const codeOptions = namesIn(interpreter.code);
  const fileOptions = namesIn(interpreter.file);
  const codeOf = (text: Text): Inner => ({ kind: 'code', language, text });
  return ({ fed }, given) => {
    if (given.has(...namesIn(interpreter.idle))) return [];
    const input: readonly Inner[] = fed ? [{ kind: 'input', language }] : [];
    let { operands } = given;
    if (namesIn(interpreter.subcommands).includes(singleText(operands[0]))) {
      const isEval = singleText(operands[0]) === 'eval';
      operands = given.behind(1);
      if (isEval) return operands.slice(0, 1).map(codeOf);
    }
    const module = interpreter.module === undefined ? undefined : given.last(interpreter.module);
    if (module !== undefined)
      return [...modulesHere(singleText(module)), { kind: 'argv', argv: [module, ...operands] }];
    const loads = loaded(given.all(...namesIn(interpreter.loads))).flatMap(knowingOwn);
    const code = given.all(...codeOptions).map(codeOf);
    const files = given
      .all(...fileOptions)
      .flatMap((path): readonly Inner[] =>
        singleText(path) === '-' && fed ? input : [{ kind: 'file', language, path }],
      );
    if (code.length + files.length > 0) return [...loads, ...code, ...files];
    const [first] = operands;
    const isCode = interpreter.first === true || given.has(...namesIn(interpreter.codeFirst));
    if (first === undefined) return [...loads, ...(interpreter.first === true ? [] : input)];
    if (isCode) return [...loads, codeOf(first)];
    if (singleText(first) === '-') return [...loads, ...input];
    if (fromAfar.test(singleText(first))) return [...loads, { kind: 'unknown' }];
    return [...loads, ...knowingOwn({ kind: 'file', language, path: first, positional: operands })];
  };
}

/** An interpreter that is given the guard's own program is the guard's own command line. */
function knowingOwn(inner: Inner): readonly Inner[] {
  if (inner.kind !== 'file' || !inner.path.alternatives.some((path) => isOwnProgram(path))) return [inner];
  const words = inner.positional?.slice(1) ?? [unknownText()];
  return [inner, { kind: 'argv', argv: [knownText('sallyport'), ...words] }];
}

/** Words before the name of what the project has installed, and how many of them there are. */
const beforeName: Readonly<Record<string, number>> = { run: 1, 'run-script': 1, x: 1, workspace: 2 };

/** `yarn sallyport words`, `pnpm run sallyport words`: what the project has installed, by its name. */
export function ownCommand({ args }: Start): readonly Inner[] {
  const words = args.filter((arg) => !singleText(arg).startsWith('-'));
  const verb = singleText(words[0]);
  const [first, ...rest] = words.slice(Object.hasOwn(beforeName, verb) ? beforeName[verb] : 0);
  const own = first !== undefined && /^sallyport(?:@[\w.^~*-]+)?$/.test(singleText(first));
  return own ? [{ kind: 'argv', argv: [knownText('sallyport'), ...rest] }] : [];
}

/** What happens by the words alone; code that is followed says the rest. */
function scriptEffects(interpreter: Interpreter): (call: Call, given: Given<Value>) => readonly Effect[] {
  const code = [...namesIn(interpreter.code), ...namesIn(interpreter.codeFirst)];
  return (call, given) => {
    if (given.has(...namesIn(interpreter.idle))) return [];
    if (given.has('version', 'help', 'h', 'V')) return inert(call);
    if (given.has('v') && given.operands.length === 0 && !given.has(...code, 'm')) return inert(call);
    const [script] = given.operands;
    // Its tests are those of the project.
    if (given.has('test') && !script) return inert(call, 'project');
    const module = interpreter.module === undefined ? undefined : given.last(interpreter.module);
    if (module !== undefined) return moduleEffects(call, module, given.operands);
    if (given.has(...code)) {
      const { argumentOrigins } = call.io;
      return [
        effect(call, 'run', { detail: 'inline', ...(argumentOrigins ? { origins: argumentOrigins } : {}) }),
      ];
    }
    if (!script || textOf(script) === '-') return inputEffects(call);
    return [effect(call, 'run', { detail: 'script', target: pathTarget(script) })];
  };
}

/** Code that comes in on the standard input. */
export function inputEffects(call: Call): readonly Effect[] {
  const { stdin, stdinOrigins } = call.io;
  return stdin.kind === 'literal' && stdin.text === ''
    ? inert(call)
    : [effect(call, 'run', { detail: 'stdin', origins: stdinOrigins })];
}

/** The card of an interpreter. */
export function interprets(interpreter: Interpreter): Card {
  const { names, options, readings, hit, scripts = {}, facts = [] } = interpreter;
  const [name = ''] = names.split(' ');
  const both: readonly Fact[] = [
    {
      what: 'runs code, a file of code, or what comes in',
      starts: scriptStarts(interpreter),
      examples: { hit, miss: interpreter.miss ?? [name] },
    },
    {
      what: 'runs a script',
      always: true,
      effects: scriptEffects(interpreter),
      examples: {
        hit: {
          [`${name} a b`]: 'run a (script)',
          [`${name} -`]: 'run (stdin)',
          [name]: 'run (stdin)',
          [`'' | ${name}`]: 'inert',
          [`${name} --version`]: 'inert',
          [`${name} --help`]: 'inert',
          ...scripts,
        },
        miss: [],
      },
    },
  ];
  return {
    names,
    options,
    idle: true,
    manner: { stopAtOperand: true },
    readings,
    facts: [...both, ...facts],
  };
}
