// Calls that act on the world or show something: files, commands, requests, messages, screens.

import { put } from '../flow/assign.ts';
import { labelled, stepped } from '../flow/labels.ts';
import type { Machine } from '../flow/machine.ts';
import { memberOf } from '../flow/members.ts';
import { useOf } from '../flow/uses.ts';
import { inExpression, written } from '../program.ts';
import {
  errorStream,
  inputs,
  readsFile,
  runsSql,
  type SinkKind,
  sinkOf,
  textBuilder,
} from '../roles/acts.ts';
import { decideAddress, decideCall, decideKinds, everything, type Guard, kinds } from '../roles/guards.ts';
import { isSaid, joinTags, nothing, ofTags, type Value } from '../value.ts';
import { callbacksOf, runCallback, type Site } from './site.ts';

export function sinkFor(callee: Value): SinkKind | undefined {
  for (const path of callee.paths) {
    const sink = sinkOf(path);
    if (sink !== undefined) return sink;
  }
  return undefined;
}

export function http({ callee }: Site): boolean {
  return callee.paths.some((path) => sinkOf(path) === 'http');
}

/** The fixed text that an address starts with. */
export function addressOf(machine: Machine, site: Site): string {
  const value = addressValue(machine, site);
  const text = value.constant?.value ?? value.form;
  return typeof text === 'string' ? text : '';
}

function addressValue(
  machine: Machine,
  { callee, given, state }: Pick<Site, 'callee' | 'given' | 'state'>,
): Value {
  const named = given.find(({ name }) => name === 'url')?.value;
  if (named !== undefined) return named;
  const positional = given.filter(({ name }) => name === undefined).map(({ value }) => value);
  const [first = nothing, second, third] = positional;
  if (callee.paths.some((path) => path.endsWith('.newRequest'))) return second ?? nothing;
  if (callee.paths.some((path) => path.endsWith('.newRequestWithContext'))) return third ?? nothing;
  const inside = memberOf(machine, first, 'url', null, state);
  if (first.objects.length > 0 && inside !== nothing) return inside;
  const method = first.constant?.value;
  if (
    typeof method === 'string' &&
    /^(get|post|put|patch|delete|head)$/i.test(method) &&
    second !== undefined
  )
    return second;
  return first;
}

export function acted(machine: Machine, site: Site): Value | undefined {
  const { expression, callee, all, state, given } = site;
  if (callee.closures.length > 0) return undefined;
  const [path = ''] = callee.paths;
  // What comes out of something that a model or a person said is that still.
  if (site.receiver.tags.size === 0 && callee.paths.some((one) => inputs.test(one))) {
    return labelled(
      machine,
      'user',
      `what ${written(expression.callee)} gives`,
      machine.statement,
      [],
      state,
    );
  }
  if (callee.paths.some((one) => readsFile.test(one))) {
    const outside = [...all.tags.values(), ...site.receiver.tags.values()].length > 0;
    return outside
      ? labelled(machine, 'upload', 'what is in the file', machine.statement, [], state)
      : nothing;
  }
  if (callee.paths.some((one) => runsSql.test(one))) return queried(machine, site);
  const sink = sinkFor(callee);
  if (sink === undefined) return undefined;
  if (sink === 'http') return asked(machine, site);
  if (sink === 'show') return shown(machine, site);
  // A line at the end of a file that the program chose is a record, and changes nothing that was there.
  if (
    /\.?appendFile(Sync)?$/.test(path) &&
    ![...machine.memory.deep(given[0]?.value ?? nothing, state).values()].some(({ label }) => isSaid(label))
  )
    return nothing;
  const writesThrough =
    sink === 'write' && path.endsWith('.write') ? joinTags(all.tags, site.receiver.tags) : all.tags;
  machine.tell(sink, stepped(machine, ofTags(writesThrough), 'acted on'), state, {
    what: written(expression.callee),
  });
  const ran = sink === 'interpret' && [...all.tags.values()].some(({ label }) => isSaid(label));
  if (ran) return labelled(machine, 'tool', 'what the command printed', machine.statement, [], state);
  for (const { value } of given)
    for (const closure of value.closures) runCallback(machine, closure, state, {});
  return { ...nothing, paths: [`${path}()`] };
}

/** A statement of SQL is code; what stands in its places is not. */
function queried(machine: Machine, { expression, given, state }: Site): Value | undefined {
  const [first, second] = given;
  const context =
    first?.value.paths.some((path) => /(^context:|[:.]ctx$|[.:]context(\(\))?$)/.test(path)) === true;
  const statement = (context ? second : first)?.value ?? nothing;
  const tags = machine.memory.deep(statement, state);
  if (![...tags.values()].some(({ label }) => isSaid(label))) return undefined;
  machine.tell('interpret', stepped(machine, ofTags(tags), 'acted on'), state, {
    what: written(expression.callee),
  });
  return labelled(machine, 'tool', 'what the statement gave', machine.statement, [], state);
}

/** Where the writer that Go hands to a function leads. */
function writtenTo(machine: Machine, { expression, given, state }: Site): Value | undefined {
  const [to] = expression.arguments;
  const writer = given[0]?.value;
  if (to === undefined || writer === undefined || given.length < 2) return undefined;
  if (writer.paths.some((path) => errorStream.test(path))) return nothing;
  if (!writer.paths.some((path) => textBuilder.test(path))) return undefined;
  for (const { value } of given.slice(1))
    put(machine, to.value, writer, ofTags(machine.memory.deep(value, state)), state);
  return nothing;
}

/** Something is shown to a person, unless it goes to the log. */
function shown(machine: Machine, site: Site): Value | undefined {
  const { expression, callee, receiver, all, state, given } = site;
  const [path = ''] = callee.paths;
  if (given.some(({ name, value }) => name === 'file' && value.paths.some((one) => one.endsWith('stderr'))))
    return nothing;
  if (/^(fmt:\*\.fprint|io:\*\.(writeString|copy))/.test(path)) {
    const elsewhere = writtenTo(machine, site);
    if (elsewhere !== undefined) return elsewhere;
  }
  if (receiver.tags.size > 0 && all.tags.size === 0) return undefined;
  for (const { value } of given)
    for (const [, closure] of callbacksOf(machine, value, state))
      runCallback(machine, closure, state, { entry: true });
  machine.tell('show', stepped(machine, all, 'shown'), state, { what: written(expression.callee) });
  return { ...nothing, paths: [`${path}()`] };
}

/** A request over HTTP: to ourselves it is a guard, and elsewhere it leaves the machine. */
function asked(machine: Machine, site: Site): Value {
  const { expression, state, callee } = site;
  const address = addressOf(machine, site);
  if (decideAddress.test(address) || decideAddress.test(written(expression.callee)))
    return decided(machine, site);
  const value = addressValue(machine, site);
  const fixed = /^(https?|wss?):\/\/[^/]+\//.test(address);
  const tags = fixed ? nothing.tags : machine.memory.deep(value, state);
  if (tags.size > 0)
    machine.tell('http', stepped(machine, ofTags(tags), 'asked for'), state, {
      what: written(expression.callee),
    });
  const outside = [...tags.values()].some(({ label }) => label.kind !== 'tool');
  const paths = callee.paths.map((path) => `${path}()`);
  return outside
    ? labelled(machine, 'tool', 'what was fetched', machine.statement, paths, state)
    : { ...nothing, paths };
}

/** A verdict of the product; what it clears, the kind of the action tells. */
export function decided(machine: Machine, { expression, all, state, given, callee }: Site): Value {
  const here = callee.paths.some((path) => decideCall.test(path));
  const kind = memberOf(machine, given[0]?.value ?? nothing, 'kind', null, state).constant?.value;
  const kindsOf = (name: unknown): number => decideKinds[String(name)] ?? 0;
  let cleared = 0;
  if (here && kind === undefined) {
    // An action that was made elsewhere is judged for what it is, though nobody sees here what that is: no violation,
    // and no proof without a word about it.
    const { statement } = machine;
    machine.unseen.set(`${statement.module.path}:${statement.at}`, statement);
    cleared = everything & ~kinds.snapshot;
  } else if (here) cleared = kindsOf(kind);
  else {
    inExpression(expression, (part) => {
      if (part.kind !== 'object') return;
      for (const { key, value } of part.entries) {
        if (key === 'kind' && value.kind === 'constant') cleared |= kindsOf(value.value);
      }
    });
  }
  const form = { kinds: cleared, form: 'result' as const, audits: true };
  const guard: Guard = here
    ? { ...form, name: 'decider.decide', async: true, values: { cleared } }
    : { ...form, name: 'POST /v1/decide', async: null };
  const use = useOf(machine, expression, guard, all, state);
  if (here) return { ...nothing, checks: [{ use, property: null }], pending: true, due: true };
  const tags = new Map([...all.tags].map(([id, tag]) => [id, { ...tag, cleared: tag.cleared | cleared }]));
  return { ...nothing, tags, checks: [{ use, property: null }] };
}
