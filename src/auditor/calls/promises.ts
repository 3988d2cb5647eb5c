// Calls of what a promise has: what is waited for, what is caught and forgotten.

import { invoke } from '../flow/invoke.ts';
import type { Machine } from '../flow/machine.ts';
import { awaited } from '../flow/uses.ts';
import { join, nothing, ofTags, type Value } from '../value.ts';
import { runCallback, type Site } from './site.ts';

export function promise(machine: Machine, site: Site): Value | undefined {
  const { callee, receiver, method, given, state } = site;
  const [path = ''] = callee.paths;
  const several = /^:Promise\.(all|allSettled|race|any)$|^asyncio:(?:\*\.)?gather$/.exec(path);
  if (several !== null) return gathered(machine, site, several[1] ?? 'all');
  if (/^:Promise\.resolve$/.test(path)) return given[0]?.value ?? nothing;
  if (receiver.checks.length === 0 && receiver.tags.size === 0 && receiver.gathers !== true) return undefined;
  if (method === 'catch') {
    for (const { use } of receiver.checks) use.swallowed = true;
    for (const { value } of given)
      for (const closure of value.closures) runCallback(machine, closure, state, {});
    return receiver;
  }
  if (method === 'finally') return receiver;
  if (method === 'then') {
    const ready = awaited(machine, receiver, state);
    let result: Value = nothing;
    for (const closure of given[0]?.value.closures ?? []) {
      result = join(result, invoke(machine, closure.callable, closure.self, [ready], state));
    }
    if (given[1] !== undefined) for (const { use } of receiver.checks) use.swallowed = true;
    return given[0]?.value.closures.length === 0 ? ready : result;
  }
  return undefined;
}

/** Several promises as one: nothing of what they promise holds before somebody waits for it. */
function gathered(machine: Machine, { expression, given, state, callee }: Site, way: string): Value {
  const ofList = callee.paths.some((path) => path.startsWith(':Promise'));
  const positional = given.filter(({ name }) => name === undefined).map(({ value }) => value);
  const lists = ofList ? (positional[0]?.objects ?? []).map((id) => machine.memory.object(id, state)) : [];
  const items = ofList ? lists.flatMap(({ fields }) => [...fields.values()]) : positional;
  const rest = [
    ...lists.map((list) => list.rest),
    ofTags(ofList ? (positional[0]?.tags ?? nothing.tags) : nothing.tags),
  ];
  const forgives = way !== 'all' || given.some(({ name }) => name === 'return_exceptions');
  // A guard that throws is not heard where others may be waited for instead.
  if (forgives) {
    for (const { checks } of [...items, ...rest])
      for (const { use } of checks) use.swallowed ||= use.guard.form !== 'result';
  }
  if (way === 'race' || way === 'any') return [...items, ...rest].reduce(join, nothing);
  const id = machine.memory.objectId(expression);
  const fields = new Map(items.map((value, index) => [String(index), value]));
  state.heap.set(id, { fields, rest: rest.reduce(join, nothing) });
  return { ...nothing, objects: [id], gathers: true };
}
