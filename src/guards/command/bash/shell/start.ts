// Starts a command: its assignments, words and redirections in the order of the shell, then the function, builtin, file of the
// script itself, or program that the tools know.

import type { Assignment, Command } from 'unbash';
import { classify } from '../../../../detect/path.ts';
import type { Effect, Origin } from '../../effects.ts';
import { runBuiltin } from '../builtins.ts';
import { boundedItems, type Environment } from '../environment.ts';
import type { Inner } from '../executors/inner.ts';
import { projectPaths, projectsElsewhere } from '../executors/projects.ts';
import { evaluateArithmetic, expandWords, inText } from '../expand.ts';
import type { Field } from '../fields.ts';
import { masksValues, namesOthers, passesOn } from '../masking.ts';
import { baseName, builtins, looksLikeCommand, looksLikeScript, programsMatching } from '../programs.ts';
import { splitQuoted } from '../quoted.ts';
import {
  concatAll,
  either,
  emptyText,
  hole,
  isHoleOnly,
  knownText,
  mergeOrigins,
  oneOf,
  singleText,
  type Text,
  textOf,
  toValue,
  unknownText,
  withOrigins,
} from '../values.ts';
import {
  emit,
  emitBomb,
  emitInvocation,
  emitRun,
  type Frame,
  maxNesting,
  parseScript,
  type Span,
} from './analysis.ts';
import { assign, declare, noteSettings } from './assignments.ts';
import { runFileText, runInner } from './code.ts';
import {
  costOf,
  expanderFor,
  feedRest,
  originsBelow,
  originsOfFiles,
  otherName,
  readFile,
  readProjectFile,
  writtenProgram,
} from './files.ts';
import { deliver, remember, type Wiring, wire } from './redirections.ts';
import { askTools, innersOf, outputOrigins, printedText, reducing, valuesOf } from './tools.ts';

// ── Starts words as a command: a function, a builtin, a file of the script itself, or a program that the tools know.

/** Code that runs beside the program that was followed. */
const ranBeside: ReadonlySet<string> = new Set(['git-config', 'other-package']);

/** Starts words as a command; gives what it would print. */
export function runWords(argv: readonly Text[], frame: Frame, span: Span): Text {
  const [word] = argv;
  if (word === undefined) return emptyText;
  const args = argv.slice(1);
  frame.analysis.spend(2 + Math.ceil(args.length / 4) + (args.length > 64 ? args.length >> 1 : 0));
  if (frame.nesting > maxNesting) {
    frame.analysis.noteUnknown('too many commands inside one another', span);
    return unknownText();
  }
  const outputs = word.alternatives.map((given) => runNamed(given, word, args, frame, span));
  return outputs.reduce(either);
}

function runNamed(given: string, word: Text, words: readonly Text[], frame: Frame, span: Span): Text {
  const program = baseName(given);
  const args = program === 'git' ? [...gitSettingsIn(frame.environment), ...words] : words;
  if (given === '' || program === '') return emptyText;
  if (program.includes(hole)) {
    emitInvocation(null, given, valuesOf(args), frame, span, false);
    frame.analysis.noteUnknown('the name of a program', span);
    const origins = mergeOrigins(word.origins, frame.origins, readFile(given, frame)?.origins ?? []);
    if (origins.length > 0) emitRun('shell', { kind: 'none' }, origins, frame, span);
    runSuffix('shell', args, frame, span);
    return unknownText(origins);
  }
  const { environment } = frame;
  const body = given.includes('/') ? null : environment.functions.get(program);
  if (body !== null) return callFunction(program, args, frame, span);
  const builtin = !given.includes('/') && builtins.has(program);
  const values = valuesOf(args);
  emitInvocation(program, given, values, frame, span, builtin);
  if (builtin) {
    runBuiltin(program, args, {
      environment,
      input: frame.input,
      print: (words) => {
        const printed = printedText('printf', words, frame, [], false, false);
        frame.analysis.spend(costOf(printed));
        return printed;
      },
      calculate: (expression) => calculate(expression, frame, span),
      loadCode: () => emitRun(program, { kind: 'none' }, ['unknown'], frame, span),
    });
  }

  const written = writtenProgram(given, frame);
  const other = otherName(given, frame);
  if (written !== null && (other === null || !isHoleOnly(singleText(written))))
    return runFileText(given, written, [knownText(given), ...args], frame, span);
  if (other !== null && frame.nesting < maxNesting) {
    const nested: Frame = { ...frame, through: [...frame.through, program], nesting: frame.nesting + 1 };
    return runNamed(other, knownText(other), args, nested, span);
  }
  if (takesSettings.test(program)) noteSettings(args, frame, span);

  const { input } = frame;
  const { programs, cwd: folder } = frame.analysis.around;
  const inners = innersOf(
    {
      program,
      args,
      stdin: input.text,
      fed: input.fed,
      folder,
      readFile: (path) => readFile(path, frame),
    },
    programs,
  );
  if (inners !== null && input.fed) frame.analysis.spend(costOf(input.text));
  if (inners !== null && args.length === 1 && /^--(?:help|version)$/.test(singleText(args[0])))
    return unknownText();
  const said = askTools(program, args, input.text, frame, span, input.fed, values);
  const masked = masksValues(program, args);
  const effects = masked ? (said?.filter((effect) => !isOfVariables(effect)) ?? null) : said;
  const givenOrigins = mergeOrigins(originsOf(args), originsOfFiles(args, frame));
  const fed = mergeOrigins(givenOrigins, input.fed ? input.text.origins : []);
  frame.analysis.spend(effects?.length ?? 0);
  const followed = inners?.some((inner) => inner.kind !== 'unknown' && !isOfProject(inner)) === true;
  for (const effect of effects ?? []) {
    if (effect.kind === 'run' && followed && !ranBeside.has(effect.detail ?? '')) continue;
    emit(effect, frame, originsFor(effect, givenOrigins, fed, frame));
  }
  runFetched(program, args, effects, frame, span);
  if (!builtin) runElsewhere(program, args, frame, span);
  const innerOutputs = (inners ?? []).map((inner) => runInner(inner, program, frame, span));
  const known = effects?.every(({ detail }) => detail !== 'verb') === true;
  if (!known && inners === null && !builtin) runSuffix(program, args, frame, span);
  else if (inners === null && !builtin && effects?.every(({ kind }) => kind === 'inert') === true) {
    // Behind two dashes many tools of a project take a command.
    const behind = args.slice(args.findIndex((arg) => singleText(arg) === '--') + 1);
    if (behind.length < args.length) runSuffix(program, behind, frame, span);
  }

  const origins = outputOrigins(program, args, effects ?? [], frame);
  const fetches = origins.includes('network');
  const secrets = origins.filter((origin) => origin === 'secret');
  const printed = printedText(program, args, frame, innerOutputs, inners !== null, fetches);
  frame.analysis.spend(costOf(printed));
  // Of a shell that read no secrets, `set` shows the state of the shell.
  const hides = masked || ((program === 'set' || namesOthers(program, args)) && !hasSourced(frame));
  // What a program of words prints of the environment stands beside what it prints of its input.
  const shown = innerOutputs.some(({ origins: inner }) => inner.includes('secret'))
    ? (['secret'] as const)
    : none;
  const whole = reducing.has(program)
    ? printed
    : withOrigins(printed, /awk$/.test(program) ? mergeOrigins(origins, shown) : origins);
  const output = hides ? withoutSecret(whole) : whole;
  if (effects !== null) remember(effects, mergeOrigins(fed, secrets), frame);
  return output;
}

/** What a program prints that hides the values of what it reads. */
function withoutSecret({ alternatives, origins }: Text): Text {
  return oneOf(
    alternatives,
    origins.filter((origin) => origin !== 'secret'),
  );
}

/** Whether the script read a file of variables into its own, which are secrets whatever they are called. */
function hasSourced({ analysis, environment: { home } }: Frame): boolean {
  return analysis.facts.effects.some(
    ({ kind, program, target }) =>
      kind === 'run' &&
      /^(?:source|\.)$/.test(program) &&
      target.kind === 'path' &&
      target.path.kind === 'literal' &&
      classify(target.path.text, { cwd: analysis.around.cwd, home }).secret !== null,
  );
}

/** Whether an effect shows a file of variables, of which a program may print the names alone. */
function isOfVariables({ kind, detail }: Effect): boolean {
  return kind === 'secret' && detail === 'environment';
}

function calculate(expression: string, frame: Frame, span: Span): void {
  const source = `((${expression}))`;
  const command =
    expression.length > 1000 ? undefined : parseScript(frame.analysis, source, span)?.commands[0]?.command;
  if (command?.type !== 'ArithmeticCommand' || command.expression === undefined) {
    if (/\$\(|`/.test(expression)) frame.analysis.noteUnknown('a calculation that runs something', span);
    return;
  }
  evaluateArithmetic(command.expression, inText(source, expanderFor(frame, span)));
}

/** Where what an effect carries came from: a file that is run carries itself, and not the words beside it. */
function originsFor(
  { kind, target }: Effect,
  given: readonly Origin[],
  fed: readonly Origin[],
  frame: Frame,
): readonly Origin[] {
  if (kind === 'write') return fed;
  if (kind !== 'run' || target.kind !== 'path') return given;
  const texts = textOf(target.path).alternatives.map((path) => readFile(path, frame));
  return mergeOrigins(...texts.map((text) => text?.origins ?? []));
}

/** What came from the network and is run without being followed: projects, packages, and programs by their names. */
function runFetched(
  program: string,
  args: readonly Text[],
  effects: readonly Effect[] | null,
  frame: Frame,
  span: Span,
): void {
  const { files, trees } = frame.analysis;
  if (files.size === 0 && trees.empty) return;
  const run = (path: string, origins: readonly Origin[] = []): void => {
    if (origins.includes('network'))
      emitRun(program, { kind: 'path', path: { kind: 'literal', text: path } }, origins, frame, span);
  };
  for (const path of projectPaths(program, args)) run(path, readProjectFile(path, frame)?.origins);
  for (const { kind, detail, target } of effects ?? []) {
    if (kind !== 'package' || detail !== 'install' || target.kind !== 'name') continue;
    // A plain name is a package of an index, unless this very script put it here.
    for (const word of textOf(target.name).alternatives) {
      const name = word.replace(/^file:/, '');
      run(
        name,
        name.includes('/') ? readFile(name, frame)?.origins : originsOfFiles([knownText(name)], frame),
      );
    }
  }
  if (effects !== null) return;
  for (const path of searched(program, frame.environment)) run(path, readFile(path, frame)?.origins);
}

/** The code of a project elsewhere, which a tool is told to work in, and what it is handed as code or settings. */
function runElsewhere(program: string, args: readonly Text[], frame: Frame, span: Span): void {
  for (const path of projectsElsewhere(program, args, frame.through)) {
    const target = { kind: 'path', path: toValue(knownText(path)) } as const;
    const { through } = frame;
    const origins = originsBelow(path, frame);
    // What the script itself wrote there was followed with it.
    if (origins !== null && !origins.includes('network')) continue;
    emit({ kind: 'run', target, detail: 'loaded', origins: origins ?? [], program, through, span }, frame);
  }
}

/** Where a program would be found, as far as the script itself says where to look. */
function searched(program: string, environment: Environment): readonly string[] {
  const folders = environment.variables.get('PATH')?.text.alternatives ?? [];
  return folders
    .flatMap((list) => list.split(':'))
    .filter((folder) => folder !== '' && !folder.includes(hole))
    .map((folder) => `${folder}/${program}`);
}

/** Words behind a program that is not known may be a command that it starts. */
function runSuffix(program: string, args: readonly Text[], frame: Frame, span: Span): void {
  const inner: Frame = { ...frame, through: [...frame.through, program], nesting: frame.nesting + 1 };
  for (const [index, arg] of args.entries()) {
    if (index > 32) return;
    const rest = args.slice(index);
    if (looksLikeCommand(rest)) {
      runWords(rest, inner, span);
      return;
    }
    const next = args[index + 1];
    if (
      next !== undefined &&
      /^-(?:c|e|x|-command|-cmd|-exec|-run|-eval)$/.test(singleText(arg)) &&
      looksLikeScript(singleText(next))
    ) {
      frame.analysis.walker.text(next, { ...inner, environment: frame.environment.child() }, span);
    }
  }
}

function callFunction(name: string, args: readonly Text[], frame: Frame, span: Span): Text {
  const { environment } = frame;
  const body = environment.functions.get(name);
  if (body === null) return emptyText;
  emitInvocation(name, name, valuesOf(args), frame, span, true);
  const callers = frame.analysis.running.filter((caller) => caller === name).length;
  if (callers > 2 || (callers > 0 && frame.forked)) {
    if (frame.forked) {
      emitBomb('fork', name, frame, span);
    }
    return unknownText();
  }
  const { positional } = environment;
  environment.positional = boundedItems(args);
  frame.analysis.running.push(name);
  try {
    return frame.analysis.walker.node(body.body, {
      ...frame,
      source: body.source,
      span: body.span ?? frame.span,
      forked: false,
      nesting: frame.nesting + 1,
    });
  } finally {
    frame.analysis.running.pop();
    environment.positional = positional;
  }
}

/** Whether it is a file of the project itself, which says nothing of what else a program runs. */
function isOfProject(inner: Inner): boolean {
  return inner.kind === 'file' && inner.ofProject === true;
}

/** Settings that git takes from its environment, as it would take them from its words. */
function gitSettingsIn(environment: Environment): readonly Text[] {
  const settings: Text[] = [];
  for (let index = 0; index < 16; index++) {
    const key = environment.lookUp(`GIT_CONFIG_KEY_${index}`);
    if (key === null) break;
    const value = environment.lookUp(`GIT_CONFIG_VALUE_${index}`);
    settings.push(concatAll([key.text, value?.text ?? emptyText], '='));
  }
  const listed = environment.lookUp('GIT_CONFIG_PARAMETERS');
  if (listed !== null) settings.push(...splitQuoted(singleText(listed.text)).map((word) => knownText(word)));
  return settings.flatMap((setting) => [knownText('-c'), setting]);
}

/** Where any of the words came from. */
function originsOf(args: readonly Text[]): readonly Origin[] {
  let origins: readonly Origin[] = [];
  for (const arg of args) origins = mergeOrigins(origins, arg.origins);
  return origins;
}

// ── One simple command: its assignments, its words and its redirections, in the order of the shell.

const none: readonly never[] = [];

/** Programs among whose words variables are set. */
const takesSettings = /^(?:env|sudo|g?make|bmake|configure|mvn|mvnw)$/;

const declarations: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly']);

/** Walks a simple command; gives what it would print. */
export function walkCommand(node: Command, frame: Frame): Text {
  frame.analysis.spend(3);
  const span: Span = frame.span ?? [node.pos, node.end];
  const expander = expanderFor(frame, span);
  const { environment } = frame;
  const { name } = node;
  const assignments =
    node.prefix.length === 0 ? none : node.prefix.filter((item) => item.type === 'Assignment');
  const sinksBefore = frame.analysis.sinks.size;
  if (name === undefined) {
    for (const assignment of assignments) assign(assignment, environment, expander, frame, span);
    const wiring = wire(node.redirects, frame, span, 'shell');
    const output = wiring.input === frame.input ? emptyText : wiring.input.text;
    const printed = deliver(output, wiring, frame, span, 'shell');
    feedRest(frame.analysis, sinksBefore);
    return printed;
  }
  let local = environment;
  if (assignments.length > 0) {
    local = environment.child();
    for (const assignment of assignments) assign(assignment, local, expander, frame, span);
  }
  const alias =
    name.parts === undefined && name.text === name.value ? environment.aliases.get(name.value) : null;
  if (alias !== null && !frame.aliases.includes(name.value)) {
    const wiring = wire(node.redirects, frame, span, name.value);
    const rest = node.args.map((arg) => frame.source.slice(arg.pos, arg.end)).join(' ');
    const inner: Frame = {
      ...frame,
      environment: local,
      input: wiring.input,
      aliases: [...frame.aliases, name.value],
    };
    const output = frame.analysis.walker.text(knownText(`${alias} ${rest}`), inner, span);
    return deliver(output, wiring, frame, span, name.value);
  }
  const declares = name.parts === undefined && declarations.has(name.value);
  const words = declares ? node.args.filter((arg) => arg.type === 'Word') : node.args;
  const lists = expandWords([name, ...words], expander);
  const program = baseName(singleText(lists[0]?.[0]?.text));
  const label = program === '' || program.includes(hole) ? 'shell' : program;
  const inner: Frame = { ...frame, environment: local };
  const wiring = wire(node.redirects, inner, span, label);
  if (declares) {
    declare(
      name.value,
      (lists[0] ?? []).slice(1).map(({ text }) => text),
      node.args.filter((arg) => arg.type === 'Assignment'),
      frame,
      span,
      expander,
    );
  }
  if (label === 'exec' && lists.length === 1 && lists[0]?.length === 1) {
    for (const [number, descriptor] of wiring.descriptors)
      environment.descriptors.set(String(number), descriptor);
    if (wiring.input !== frame.input) frame.input.text = wiring.input.text;
    return emptyText;
  }
  if (mayBeEndless.test(label) && isEndless(label, lists[0] ?? none, node.redirects.length > 0, wiring))
    emitBomb('disk', label, frame, span);
  const sets = declares && node.args.some(({ type }) => type === 'Assignment');
  const outputs: Text[] = [];
  for (const fields of lists) {
    const [first] = fields;
    if (first === undefined) continue;
    const given = first.glob
      ? oneOf(
          first.text.alternatives.flatMap((pattern) => resolvePattern(pattern, frame)),
          first.text.origins,
        )
      : first.text;
    const argv = [given, ...fields.slice(1).map(({ text }) => text)];
    const printed = runWords(argv, { ...inner, input: wiring.input }, span);
    outputs.push(sets ? emptyText : printed);
  }
  if (local !== environment) keepChanges(environment, local, assignments);
  const output = outputs.length === 0 ? emptyText : outputs.reduce(either);
  const printed = deliver(output, wiring, frame, span, label);
  feedRest(frame.analysis, sinksBefore);
  if (passesOn(label, wiring.input.fed)) showSecret(outputs, wiring, frame, span, label);
  return printed;
}

/** A secret of the environment that is printed where it is seen, or into a file that is not kept secret. */
function showSecret(
  outputs: readonly Text[],
  wiring: Wiring,
  frame: Frame,
  span: Span,
  program: string,
): void {
  if (!frame.shown || !outputs.some(({ origins }) => origins.includes('secret'))) return;
  // What is read from a file or a store says so itself.
  if (frame.analysis.found.showsSecret) return;
  const target = wiring.descriptors.get(1);
  if (target !== undefined && (target.kind !== 'file' || keepsSecret(target.path, frame))) return;
  const { through } = frame;
  emit({ kind: 'secret', target: { kind: 'none' }, detail: 'environment', program, through, span }, frame);
}

/** Whether what is written to a path is seen by nobody, or lies where secrets belong. */
function keepsSecret(path: Text, { environment: { cwd, home } }: Frame): boolean {
  return path.alternatives.every(
    (one) => one === '/dev/null' || (!one.includes(hole) && classify(one, { cwd, home }).secret !== null),
  );
}

function keepChanges(environment: Environment, local: Environment, assignments: readonly Assignment[]): void {
  const temporary = new Set(assignments.map(({ name }) => name));
  for (const [name, variable] of local.variables.written)
    if (!temporary.has(name)) environment.variables.set(name, variable);
  for (const [name, body] of local.functions.written) environment.functions.set(name, body);
  for (const [name, text] of local.aliases.written) environment.aliases.set(name, text);
  environment.cwd = local.cwd;
  environment.positional = local.positional;
}

const mayBeEndless = /^(?:tail|yes|cat|tac|nl)$/;

/** Whether a program fills a file, or the memory, from a source without end. */
function isEndless(program: string, fields: readonly Field[], redirected: boolean, wiring: Wiring): boolean {
  const words = fields.map(({ text }) => singleText(text));
  const source = words.slice(1).some((word) => /^\/dev\/(?:zero|u?random|full)$/.test(word));
  if (program === 'tail') return source && !words.some((word) => /^-[nc]?\+?\d|^-c|^--bytes/.test(word));
  if (!redirected || !(program === 'yes' || source)) return false;
  const target = wiring.descriptors.get(1);
  return target?.kind === 'file' && !/^\/dev\//.test(singleText(target.path));
}

/** A pattern is tried on all programs. */
const patternSteps = 8;

/** The programs that a pattern in the place of a command may mean. */
function resolvePattern(pattern: string, frame: Frame): readonly string[] {
  if (!/[*?[]|[?*+@!]\(/.test(pattern)) return [pattern];
  // `[` alone is a program.
  if (pattern === '[' || pattern === '[[') return [pattern];
  frame.analysis.spend(patternSteps);
  const found = programsMatching(pattern);
  return found.length === 0 ? [hole] : found;
}
