// Code that a command runs: words, texts, files and input, in the language of the program that runs them.

import type { AnalysisEnvironment, Effect, Facts, Origin, Target } from '../../effects.ts';
import { boundedItems, type Environment, Input } from '../environment.ts';
import { type Inner, type Language, maxSearched } from '../executors/inner.ts';
import { resolvePath } from '../paths.ts';
import { baseName } from '../programs.ts';
import { isUnread } from '../unread.ts';
import {
  concatAll,
  either,
  emptyText,
  hole,
  isHoleOnly,
  knownText,
  mergeOrigins,
  oneOf,
  onlyText,
  type Text,
  textOf,
  toValue,
  unknownText,
  withOrigins,
} from '../values.ts';
import { emit, emitBomb, emitRun, type Frame, type Span, tokensIn } from './analysis.ts';
import { readFile, readProjectFile, writeFile } from './files.ts';
import { connect, remember } from './redirections.ts';
import { innersOf, innersOfCode } from './tools.ts';

/** Words of the shell itself, behind which a function is still found. */
const keywords: ReadonlySet<string> = new Set(['time', 'coproc', 'noglob', 'nocorrect']);

/** Runs something while the functions of this name are out of sight: a program starts programs, and no functions. */
function withoutFunction(word: Text | undefined, environment: Environment, run: () => Text): Text {
  const hidden = (word?.alternatives ?? []).flatMap((name) => {
    const body = environment.functions.get(name);
    return body === null ? [] : [[name, body] as const];
  });
  for (const [name] of hidden) environment.functions.set(name, null);
  const output = run();
  for (const [name, body] of hidden) environment.functions.set(name, body);
  return output;
}

/** Runs what an executor starts; gives what it would print. */
export function runInner(inner: Inner, program: string, frame: Frame, span: Span): Text {
  const same = /^(?:eval|source|\.|builtin|command)$/.test(program);
  const nested: Frame = {
    ...frame,
    environment: same ? frame.environment : frame.environment.child(),
    through: [...frame.through, program],
    nesting: frame.nesting + 1,
  };
  switch (inner.kind) {
    case 'argv': {
      const input = inner.input === undefined ? nested.input : new Input(inner.input, true);
      const { environment } = nested;
      for (const [name, text] of inner.settings ?? []) environment.setText(name, text);
      if (inner.folder !== undefined) {
        const folder = onlyText(inner.folder);
        environment.cwd =
          folder === null || folder.includes(hole) ? hole : resolvePath(environment.cwd, folder);
      }
      return keywords.has(program)
        ? frame.analysis.walker.words(inner.argv, { ...nested, input }, span)
        : withoutFunction(inner.argv[0], environment, () =>
            frame.analysis.walker.words(inner.argv, { ...nested, input }, span),
          );
    }
    case 'code':
      if (program === 'trap') {
        frame.analysis.traps.push({
          text: inner.text,
          frame: { ...nested, environment: frame.environment },
          span,
        });
        return emptyText;
      }
      return runCode(inner.language, inner.text, inner.positional, program, nested, frame, span);
    case 'input': {
      const text = frame.input.text;
      return runCode(
        inner.language,
        text,
        inner.positional,
        program,
        { ...nested, input: new Input(emptyText, false) },
        frame,
        span,
      );
    }
    case 'file': {
      const outputs = inner.path.alternatives.map((path) =>
        inner.ofProject === true && !isWritten(readProjectFile(path, frame))
          ? unknownText()
          : runFile(path, inner.language, inner.positional, program, nested, frame, span),
      );
      return outputs.reduce(either);
    }
    case 'nothing':
      emit({ kind: 'inert', target: { kind: 'none' }, program, through: frame.through, span }, frame);
      return unknownText();
    case 'unknown':
      emitRun(program, { kind: 'none' }, ['unknown'], frame, span);
      return unknownText();
    case 'socket':
      connect(inner.host, [], frame, span, program);
      return unknownText(['network']);
  }
}

/** Whether this script put something into a file; what its own code made there without telling is the project's. */
function isWritten(text: Text | null): boolean {
  if (text === null) return false;
  const told = text.alternatives.some((one) => !isHoleOnly(one));
  return told || text.origins.some((origin) => origin !== 'unknown' && origin !== 'written');
}

/** Runs a file of code, as far as this script wrote it. */
export function runFile(
  path: string,
  language: Language,
  positional: readonly Text[] | undefined,
  program: string,
  nested: Frame,
  frame: Frame,
  span: Span,
): Text {
  const text = readFile(path, frame);
  const own = /^(?:-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/.test(path);
  const target: Target = own ? { kind: 'none' } : { kind: 'path', path: toValue(knownText(path)) };
  if (text === null) {
    // A file that was there before: what it holds is not part of this script, so there are no origins to name.
    emitRun(program, target, [], frame, span);
    return unknownText();
  }
  const marked = own ? text : withOrigins(text, ['written']);
  const inner = own ? nested : runningFile(nested, path, frame);
  return runGuarded(fileKey(path, text), inner, span, () =>
    runCode(language, marked, positional, program, inner, frame, span, target),
  );
}

/** A file of this script that is started by its name: its first line says in which language it is. */
export function runFileText(
  given: string,
  text: Text,
  positional: readonly Text[],
  frame: Frame,
  span: Span,
): Text {
  const program = baseName(given);
  const [interpreter = 'sh', ...before] = interpreterOf(text.alternatives[0] ?? '');
  const nested: Frame = {
    ...frame,
    environment: frame.environment.child(),
    through: [...frame.through, program],
    nesting: frame.nesting + 1,
  };
  const inners = innersOf({
    program: baseName(interpreter),
    args: [knownText(given)],
    stdin: frame.input.text,
    fed: false,
  });
  const language = inners?.find((inner) => inner.kind === 'file')?.language;
  // Any program may stand there, and gets the file as its last word.
  if (language === undefined)
    return frame.analysis.walker.words(
      [...[interpreter, ...before].map((word) => knownText(word)), knownText(given)],
      nested,
      span,
    );
  const target: Target = { kind: 'path', path: toValue(knownText(given)) };
  const inner = runningFile(nested, given, frame);
  return runGuarded(fileKey(given, text), inner, span, () =>
    runCode(language, withOrigins(text, ['written']), positional, program, inner, frame, span, target),
  );
}

/** The words of a script's first line that start what runs it. */
function interpreterOf(source: string): readonly string[] {
  const [, line = ''] = /^#!([^\n]*)/.exec(source) ?? [];
  const words = line
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
  const bare = words.findIndex((word) => !/^-|(?:^|\/)env$|^\w+=/.test(word));
  return /(?:^|\/)env$/.test(words[0] ?? '') && bare !== -1 ? words.slice(bare) : words;
}

/** Runs something unless it is running already; if it starts itself beside itself, that has no end. */
function runGuarded(key: string, frame: Frame, span: Span, run: () => Text): Text {
  if (frame.analysis.running.includes(key)) {
    if (frame.forked) emitBomb('fork', 'shell', frame, span);
    return unknownText();
  }
  frame.analysis.running.push(key);
  try {
    return run();
  } finally {
    frame.analysis.running.pop();
  }
}

function runCode(
  language: Language,
  text: Text,
  positional: readonly Text[] | undefined,
  program: string,
  nested: Frame,
  frame: Frame,
  span: Span,
  target: Target = { kind: 'none' },
): Text {
  const lost = text.alternatives.filter((one) => isHoleOnly(one.trim()));
  if (lost.length > 0) {
    const known = text.origins.filter((origin) => origin !== 'written');
    emitRun(
      program,
      target,
      known.length > 0 ? text.origins : mergeOrigins(text.origins, ['unknown']),
      frame,
      span,
    );
  }
  const rest = text.alternatives.filter((one) => !lost.includes(one));
  if (rest.length === 0) return unknownText(text.origins);
  const code = oneOf(rest, text.origins);
  const { environment } = nested;
  if (positional !== undefined) {
    const [name, ...more] = positional;
    environment.scriptName = name ?? knownText(program);
    if (environment !== frame.environment || more.length > 0) environment.positional = boundedItems(more);
  }
  if (language === 'shell') return nested.analysis.walker.text(code, nested, span);
  const outputs = code.alternatives.map((one) => runForeign(language, one, program, nested, frame, span));
  return withOrigins(outputs.reduce(either), text.origins);
}

/** Longer code is searched for little. In shorter, an expression that finds no end may look for it from every place. */
const mostSearched = 2048;

function runForeign(
  language: Language,
  source: string,
  program: string,
  nested: Frame,
  frame: Frame,
  span: Span,
): Text {
  const inners = innersOfCode(language, source);
  if (language === 'other' && isUnread(program, source))
    emitRun(program, { kind: 'none' }, ['unknown'], frame, span);
  runLoaded(source, program, frame, span);
  if (inners !== null) {
    frame.analysis.spend((Math.min(source.length, mostSearched) ** 2) >> 12);
    const talks = inners.some(({ kind }) => kind === 'socket');
    const input = talks ? new Input(unknownText(['network']), true) : nested.input;
    const outputs = inners.map((inner) =>
      runInner(inner, program, { ...nested, through: frame.through, input }, span),
    );
    return outputs.length === 0 ? unknownText() : concatAll(outputs);
  }
  const cwd = frame.environment.cwd;
  const around: AnalysisEnvironment = {
    ...frame.analysis.around,
    cwd: cwd.includes(hole) ? frame.analysis.around.cwd : cwd,
  };
  const text = source.replaceAll(hole, 'unknown');
  frame.analysis.spend(1 + Math.ceil(text.length / 64) + (tokensIn(text) >> 1));
  const facts =
    language === 'python'
      ? frame.analysis.languages.python(text, around)
      : frame.analysis.languages.javascript(text, around);
  if (facts === null) emitRun(program, { kind: 'none' }, ['unknown'], frame, span);
  else frame.analysis.found.adopt(facts, [...frame.through, program], span, frame.environment.cwd);
  // A parser takes several times as long to find a way through code that is broken.
  if (facts !== null && facts.errors.length + facts.unknowns.length > 0)
    frame.analysis.spend(Math.ceil(text.length / 2));
  const origins: Origin[] = [];
  if (facts?.effects.some(({ kind }) => kind === 'secret') === true) origins.push('secret');
  if (facts?.effects.some(({ kind }) => kind === 'connect') === true) origins.push('network');
  // What code that asks a host puts into a file may be the answer.
  const made: Origin = origins.includes('network') ? 'network' : 'unknown';
  for (const [path, held] of facts?.files ?? [])
    writeFile(knownText(path), held === null ? unknownText([made]) : knownText(held), false, frame);
  if (facts !== null) followFetched(facts, program, nested, frame, span);
  return printedBy(language, source) ?? unknownText(origins);
}

/** Whether this script put something from the network anywhere, so that code may meet it. */
function hasFetched({ analysis: { files, trees } }: Frame): boolean {
  return !trees.empty || [...files.values()].some(({ text }) => text.origins.includes('network'));
}

/** Code in another language meets the files of this script: those it reads, starts, and writes on. */
function followFetched(facts: Facts, program: string, nested: Frame, frame: Frame, span: Span): void {
  const writes = facts.effects.filter(({ kind }) => kind === 'write');
  const carried = (effect: Effect): boolean => effect.origins?.includes('network') === true;
  if (!hasFetched(frame)) {
    remember(writes.filter(carried), [], frame);
    return;
  }
  const read = facts.effects.some(
    ({ kind, target }) =>
      kind === 'read' && target.kind === 'path' && isFetchedText(textOf(target.path), frame),
  );
  const given: readonly Origin[] = read ? ['network'] : [];
  remember(read ? writes : writes.filter(carried), given, frame);
  for (const { kind, target } of facts.effects)
    if (kind === 'run' && (target.kind === 'path' ? isFetchedText(textOf(target.path), frame) : read))
      emitRun(program, target, ['network'], frame, span);
  // Programs that it starts are started in the midst of the files of this script.
  for (const { given: word, args } of facts.invocations.slice(0, 32))
    frame.analysis.walker.words(
      [word, ...args].map(textOf),
      { ...nested, input: new Input(emptyText, false) },
      span,
    );
}

function isFetchedText(path: Text, frame: Frame): boolean {
  return path.alternatives.some((one) => readFile(one, frame)?.origins.includes('network') === true);
}

/** Words with which code of any language loads other code, by a path or by the name of a module. */
const loads =
  /\b(?:require|require_relative|require_once|include|include_once|load|loadfile|dofile|do|source|import|from)\b\s*\(?\s*(?:["']([^"'\n]{1,256})["']|([A-Za-z_][\w.]{0,128}))/g;

/** Code that this script took from the network, loaded by other code. */
function runLoaded(source: string, program: string, frame: Frame, span: Span): void {
  if (!hasFetched(frame)) return;
  for (const [, path, module] of source.slice(0, maxSearched).matchAll(loads)) {
    const names =
      path === undefined ? [`${module?.replaceAll('.', '/')}.py`] : [path, `${path}.js`, `${path}.rb`];
    for (const name of names)
      if (readProjectFile(name, frame)?.origins.includes('network') === true)
        emitRun(program, { kind: 'path', path: toValue(knownText(name)) }, ['network'], frame, span);
  }
}

/** What a plain `print` of a constant would print. */
function printedBy(language: Language, source: string): Text | null {
  const printed =
    language === 'python'
      ? /^\s*print\(\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\)\s*(?:;\s*)?$/.exec(source)
      : /^\s*console\.log\(\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\)\s*(?:;\s*)?$/.exec(source);
  return printed === null ? null : knownText(`${printed[1] ?? printed[2] ?? ''}\n`);
}

/** A frame in which one more file of code is being run. */
function runningFile(nested: Frame, path: string, frame: Frame): Frame {
  return { ...nested, running: [...nested.running, resolvePath(frame.environment.cwd, path)] };
}

/** A file that is written anew while it runs is another one. */
function fileKey(path: string, text: Text): string {
  return `file ${path} ${JSON.stringify(toValue(text))}`;
}
