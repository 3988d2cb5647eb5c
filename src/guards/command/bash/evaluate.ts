// Walks a script as a shell would, without running anything: what it starts, what flows where, and what cannot be known.

import type { AndOr, CommandNode, CompoundList, Pipeline, Statement, TestExpression, Word } from 'unbash';
import { BudgetExceeded } from '../../../core/index.ts';
import type { AnalysisEnvironment, Facts, Languages } from '../effects.ts';
import { arrayOf, Environment, Input, maxVariableLength } from './environment.ts';
import { evaluateArithmetic, expandPattern, expandText, expandWords, numberOf } from './expand.ts';
import type { Expander } from './fields.ts';
import { masksValues, passesOn } from './masking.ts';
import {
  Analysis,
  type EffectsOf,
  emitBomb,
  type Frame,
  maxNesting,
  maxWalkDepth,
  parseScript,
  refuseSource,
  type Span,
  TooManySteps,
  type Walker,
} from './shell/analysis.ts';
import { expanderFor } from './shell/files.ts';
import { deliver, wire } from './shell/redirections.ts';
import { runWords, walkCommand } from './shell/start.ts';
import {
  concat,
  either,
  emptyText,
  hole,
  knownText,
  mergeOrigins,
  singleText,
  type Text,
  unknownText,
} from './values.ts';
import { codeOfZsh, withoutQualifiers } from './zsh.ts';

/** What an analysis walks code with. */
const walker: Walker = { text: walkText, statements: walkStatements, node: walkNode, words: runWords };

/** Walks the action's own source. */
function walkScript(analysis: Analysis, source: string): void {
  const { cwd, home } = analysis.around;
  const frame: Frame = {
    analysis,
    environment: new Environment({ cwd, home }),
    source,
    span: null,
    through: [],
    nesting: 0,
    depth: 0,
    loops: 0,
    input: new Input(unknownText(), false),
    origins: [],
    forked: false,
    piped: false,
    shown: true,
    aliases: [],
    running: [],
  };
  walkSource(source, frame, [0, source.length]);
  // Traps run late, with the variables as the script left them.
  for (let index = 0; index < analysis.traps.length; index++) {
    const trap = analysis.traps[index];
    if (trap !== undefined) walkText(trap.text, trap.frame, trap.span);
  }
}

function walkSource(source: string, frame: Frame, span: Span): Text {
  const refused = refuseSource(source);
  if (refused !== null) {
    frame.analysis.noteUnknown(refused, span);
    return unknownText(frame.origins);
  }
  frame.analysis.spend(6 + Math.ceil(source.length / 256));
  if (source.endsWith(hole) && source.length >= maxVariableLength)
    frame.analysis.noteUnknown('the command is too long to be followed', span);
  const script = parseScript(frame.analysis, source, span);
  if (script === null) return unknownText(frame.origins);
  for (const code of codeOfZsh(source)) walkText(knownText(code), frame, span);
  const plain = withoutQualifiers(source);
  if (plain !== source && (script.errors ?? []).length === 0) walkText(knownText(plain), frame, span);
  const again = plain === source ? null : parseScript(frame.analysis, plain, span);
  if (again !== null && (again.errors ?? []).length === 0 && (script.errors ?? []).length > 0)
    return walkStatements(again.commands, { ...frame, source: plain, span: frame.span ?? span });
  for (const { message } of script.errors ?? []) frame.analysis.found.addError(message);
  return walkStatements(script.commands, frame);
}

/** Code of the shell that stands in a text. */
function walkText(text: Text, frame: Frame, span: Span): Text {
  if (frame.nesting >= maxNesting) {
    frame.analysis.noteUnknown('too many commands inside one another', span);
    return unknownText();
  }
  if (text.alternatives.some(hasUnknownCode))
    frame.analysis.noteUnknown('a part of the code that it runs', span);
  const several = text.alternatives.length > 1;
  const outputs = text.alternatives.map((source) => {
    const environment = several ? frame.environment.child() : frame.environment;
    const inner: Frame = {
      ...frame,
      environment,
      source,
      span,
      nesting: frame.nesting + 1,
      origins: mergeOrigins(frame.origins, text.origins),
    };
    return { environment, output: walkSource(source, inner, span) };
  });
  if (several)
    frame.environment.joinBranches(
      outputs.map(({ environment }) => environment),
      false,
    );
  return outputs.map(({ output }) => output).reduce(either);
}

/** Walks statements one after another; gives what they would print. */
function walkStatements(statements: readonly Statement[], frame: Frame): Text {
  let output = emptyText;
  for (const { command, background } of statements) {
    if (background === true) frame.analysis.found.noteBackground();
    const inner =
      background === true ? { ...frame, environment: frame.environment.child(), forked: true } : frame;
    output = concat(output, walkNode(command, inner));
  }
  return output;
}

function walkList(list: CompoundList, frame: Frame): Text {
  return walkStatements(list.commands, frame);
}

/** Walks one command of whatever form; gives what it would print. */
function walkNode(node: CommandNode | Pipeline | AndOr | CompoundList, given: Frame): Text {
  given.analysis.spend(1);
  if (given.depth > maxWalkDepth) {
    given.analysis.noteUnknown(
      'the command is nested too deeply to be followed',
      given.span ?? [node.pos, node.end],
    );
    return unknownText();
  }
  const frame: Frame = { ...given, depth: given.depth + 1 };
  const { environment } = frame;
  switch (node.type) {
    case 'Command':
      return walkCommand(node, frame);
    case 'Pipeline':
      return walkPipeline(node, frame);
    case 'AndOr':
      return walkAndOr(node, frame);
    case 'CompoundList':
      return walkList(node, frame);
    case 'Subshell':
      return walkList(node.body, { ...frame, environment: environment.child() });
    case 'BraceGroup':
      return walkList(node.body, frame);
    case 'Redirected': {
      const span = frame.span ?? [node.pos, node.end];
      const wiring = wire(node.redirects, frame, span, 'shell');
      const shown = frame.shown && wiring.descriptors.get(1) === undefined;
      const output = walkNode(node.command, { ...frame, input: wiring.input, shown });
      return deliver(output, wiring, frame, span, 'shell');
    }
    case 'If': {
      walkList(node.clause, frame);
      const bodies = [node.then];
      for (const { clause, then } of node.elif) {
        walkList(clause, frame);
        bodies.push(then);
      }
      if (node.else !== undefined) bodies.push(node.else);
      return walkBranches(bodies, frame, node.else === undefined);
    }
    case 'Case': {
      const expander = expanderFor(frame, frame.span ?? [node.pos, node.end]);
      expandText(node.word, expander);
      for (const { pattern } of node.items) for (const word of pattern) expandPattern(word, expander);
      return walkBranches(
        node.items.map(({ body }) => body),
        frame,
        true,
      );
    }
    case 'For':
    case 'Select':
      return walkFor(node.name.value, node.wordlist, node.body, frame, node);
    case 'ArithmeticFor': {
      const expander = expanderFor(frame, frame.span ?? [node.pos, node.end]);
      for (const expression of [node.initialize, node.test, node.update])
        if (expression !== undefined) evaluateArithmetic(expression, expander);
      for (const [name] of environment.variables.written) {
        if (node.update !== undefined && frame.source.slice(node.update.pos, node.update.end).includes(name))
          environment.setText(name, unknownText());
      }
      return walkBranches([node.body], { ...frame, loops: frame.loops + 1 }, true);
    }
    case 'While':
      return walkWhile(node.clause, node.body, frame, node);
    case 'TestCommand':
      walkTest(node.expression, expanderFor(frame, frame.span ?? [node.pos, node.end]));
      return emptyText;
    case 'ArithmeticCommand':
      if (node.expression !== undefined)
        evaluateArithmetic(node.expression, expanderFor(frame, frame.span ?? [node.pos, node.end]));
      return emptyText;
    case 'Function':
      environment.functions.set(node.name.value, {
        body: node.body,
        source: frame.source,
        span: frame.span,
      });
      if (node.name.value === 'command_not_found_handle')
        walkNode(node.body, { ...frame, environment: environment.child() });
      return emptyText;
    case 'Coproc':
      // The numbers are those that bash takes while no other descriptor is open.
      environment.set(
        'COPROC',
        arrayOf(
          new Map([
            ['0', knownText('63')],
            ['1', knownText('60')],
          ]),
        ),
      );
      return walkNode(node.body, {
        ...frame,
        environment: environment.child(),
        forked: true,
        input: new Input(unknownText(), false),
      });
  }
}

function walkTest(expression: TestExpression, expander: Expander): void {
  switch (expression.type) {
    case 'TestUnary':
      if (expression.operator === '-v') numberOf(expandText(expression.operand, expander), expander, 0);
      else expandText(expression.operand, expander);
      break;
    case 'TestBinary':
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) {
        numberOf(expandText(expression.left, expander), expander, 0);
        numberOf(expandText(expression.right, expander), expander, 0);
        break;
      }
      expandText(expression.left, expander);
      expandPattern(expression.right, expander);
      break;
    case 'TestLogical':
      for (const operand of expression.operands) walkTest(operand, expander);
      break;
    case 'TestNot':
      walkTest(expression.operand, expander);
      break;
    case 'TestGroup':
      walkTest(expression.expression, expander);
      break;
  }
}

function walkPipeline(node: Pipeline, frame: Frame): Text {
  const [only] = node.commands;
  if (node.commands.length === 1 && only !== undefined) return walkNode(only, frame);
  let { input } = frame;
  let output = emptyText;
  const last = node.commands.length - 1;
  const { found } = frame.analysis;
  const before = found.count;
  for (const [index, command] of node.commands.entries()) {
    if (index > 0 && masksInput(command) && node.commands.slice(0, index).every(onlyPrints))
      found.withdraw(before, ({ kind, detail }) => kind === 'secret' && detail === 'environment');
    output = walkNode(command, {
      ...frame,
      environment: frame.environment.child(),
      input,
      forked: true,
      piped: frame.piped || index < last,
      shown: frame.shown && index === last,
    });
    input = new Input(output, true);
  }
  return output;
}

/** The words of a simple command as they stand. */
function plainWords(node: CommandNode): readonly Text[] {
  if (node.type !== 'Command' || node.name === undefined) return [];
  return [node.name, ...node.args].map((word) =>
    word.type === 'Word' ? knownText(word.value) : unknownText(),
  );
}

/** Whether a part of a pipeline shows no value of what it is fed. */
function masksInput(node: CommandNode): boolean {
  const [name, ...args] = plainWords(node);
  return name !== undefined && masksValues(singleText(name), args);
}

/** Whether a part of a pipeline only prints what it reads, into the pipe. */
function onlyPrints(node: CommandNode): boolean {
  const [name] = plainWords(node);
  const keeps =
    node.type === 'Command' &&
    node.redirects.every(({ operator }) => /^2?>/.test(operator) === false || operator.startsWith('2'));
  return (
    name !== undefined &&
    keeps &&
    !/^(?:tee|xargs|sudo)$/.test(singleText(name)) &&
    passesOn(singleText(name), true)
  );
}

function walkAndOr(node: AndOr, frame: Frame): Text {
  let output = emptyText;
  for (const [index, command] of node.commands.entries()) {
    if (node.operators[index - 1] !== '||') {
      output = concat(output, walkNode(command, frame));
      continue;
    }
    const environment = frame.environment.child();
    const more = inBranch(frame.analysis, () => walkNode(command, { ...frame, environment }));
    // What an alternative prints comes instead of what failed, or not at all.
    output = output.alternatives.every((text) => text === '') ? more : either(output, concat(output, more));
    frame.environment.joinBranches([environment], true);
  }
  return output;
}

function inBranch<Result>(analysis: Analysis, walk: () => Result): Result {
  analysis.branches += 1;
  try {
    return walk();
  } finally {
    analysis.branches -= 1;
  }
}

function walkBranches(bodies: readonly CompoundList[], frame: Frame, mayBeNone: boolean): Text {
  const branches: Environment[] = [];
  let output: Text | null = mayBeNone ? emptyText : null;
  for (const body of bodies) {
    const environment = frame.environment.child();
    const printed = inBranch(frame.analysis, () => walkList(body, { ...frame, environment }));
    output = output === null ? printed : either(output, printed);
    branches.push(environment);
  }
  if (branches.length > 0) frame.environment.joinBranches(branches, mayBeNone);
  return output ?? emptyText;
}

function walkFor(
  name: string,
  words: readonly Word[] | undefined,
  body: CompoundList,
  frame: Frame,
  node: { pos: number; end: number },
): Text {
  const { environment } = frame;
  const expander = expanderFor(frame, frame.span ?? [node.pos, node.end]);
  const items =
    words === undefined
      ? environment.positional
      : expandWords(words, expander).flatMap((fields) => fields.map(({ text }) => text));
  const groups = grouped(items, passesIn(frame.loops));
  let output = emptyText;
  for (const group of groups) {
    environment.setText(name, group.reduce(either));
    output = concat(output, walkList(body, { ...frame, loops: frame.loops + 1 }));
  }
  return output;
}

function walkWhile(
  clause: CompoundList,
  body: CompoundList,
  frame: Frame,
  node: { pos: number; end: number },
): Text {
  const span = frame.span ?? [node.pos, node.end];
  const source = frame.source.slice(clause.pos, clause.end);
  if (
    source.length < 64 &&
    /^\s*(?:true|:|\(\(\s*1\s*\)\)|\[\s+1\s+\])\s*;?\s*$/.test(source) &&
    body.commands.some(({ background }) => background === true)
  ) {
    const loop = body.commands
      .filter(({ background }) => background !== true)
      .map(({ pos, end }) => frame.source.slice(pos, end))
      .join('\n');
    // What was let go is not waited for.
    const ends = /\bdisown\b/.test(loop)
      ? /\b(?:sleep|read|break|exit)\b/
      : /\b(?:wait|sleep|read|break|exit|select)\b/;
    if (!ends.test(loop)) {
      emitBomb('loop', 'shell', frame, span);
    }
  }
  const { input, environment } = frame;
  let inputs = [input];
  if (input.fed && /\bread\b/.test(source)) {
    const lines = input.text.alternatives.flatMap((text) => text.split('\n').filter((line) => line !== ''));
    inputs = grouped(
      lines.map((line) => knownText(`${line}\n`, input.text.origins)),
      passesIn(frame.loops),
    ).map((group) => new Input(group.reduce(either), true));
  }
  let output = emptyText;
  const pass = (given: Input): boolean => {
    const inner = environment.child();
    inBranch(frame.analysis, () => {
      const nested: Frame = { ...frame, environment: inner, input: given, loops: frame.loops + 1 };
      walkList(clause, nested);
      output = concat(output, walkList(body, nested));
    });
    const changed = [...inner.variables.written].some(
      ([name, variable]) =>
        environment.variables.get(name) !== null && environment.variables.get(name) !== variable,
    );
    environment.joinBranches([inner], true);
    return changed;
  };
  for (const given of inputs) {
    const changed = pass(given);
    // A second round sees what the first one left behind.
    if (changed && inputs.length === 1 && frame.loops === 0) pass(given);
  }
  return output;
}

/** How many rounds of a loop are walked one by one, by how many loops stand around it. */
function passesIn(loops: number): number {
  return loops === 0 ? 16 : loops === 1 ? 4 : 1;
}

/** Items in at most so many groups. */
function grouped(items: readonly Text[], count: number): readonly (readonly Text[])[] {
  if (items.length <= count) return items.map((item) => [item]);
  const size = Math.ceil(items.length / count);
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Whether a part of a script is not known that could be any code; what stands behind a slash is the rest of a path. */
function hasUnknownCode(source: string): boolean {
  return /(?:^|[^/])\uE000/.test(source);
}

// ── What a shell script would do, as facts: its programs and their effects, whatever the spelling.

/**
 * The facts of a script. Never throws for what the script says: what could not be followed stands in `unknowns`,
 * beside everything that was found until then.
 */
export function analyseShell(
  source: string,
  around: AnalysisEnvironment,
  languages: Languages,
  effectsOf: EffectsOf,
): Facts {
  const analysis = new Analysis(around, languages, effectsOf, walker);
  try {
    walkScript(analysis, source);
  } catch (error) {
    if (!(error instanceof TooManySteps || error instanceof BudgetExceeded || error instanceof RangeError))
      throw error;
    analysis.noteUnknown('the command has too many parts to be followed', [0, source.length]);
  }
  return analysis.facts;
}
