// One simple command: its assignments, its words and its redirections, in the order of the shell.

import type { Assignment, Command } from 'unbash';
import type { Environment } from '../environment.ts';
import { expandWords } from '../expand.ts';
import type { Field } from '../fields.ts';
import type { Span } from '../findings.ts';
import { baseName, programsMatching } from '../programs.ts';
import { either, emptyText, hole, knownText, oneOf, singleText, type Text } from '../values.ts';
import { emitBomb, type Frame } from './analysis.ts';
import { assign, declare } from './assignments.ts';
import { deliver, type Wiring, wire } from './redirections.ts';
import { runWords } from './start.ts';
import { expanderFor, feedRest } from './substitutions.ts';

const none: readonly never[] = [];

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
    outputs.push(runWords(argv, { ...inner, input: wiring.input }, span));
  }
  if (local !== environment) keepChanges(environment, local, assignments);
  const output = outputs.length === 0 ? emptyText : outputs.reduce(either);
  const printed = deliver(output, wiring, frame, span, label);
  feedRest(frame.analysis, sinksBefore);
  return printed;
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
