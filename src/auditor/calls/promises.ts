// Calls of what a promise has: what is waited for, what is caught and forgotten.

import { invoke } from '../flow/invoke.ts';
import type { Machine } from '../flow/machine.ts';
import { awaited } from '../flow/uses.ts';
import { type Case, join, nothing, ofTags, type Value } from '../value.ts';
import { runCallback, type Site } from './site.ts';

export function promise(machine: Machine, site: Site): Value | undefined {
  const { callee, given } = site;
  const [path = ''] = callee.paths;
  const settles = settled(machine, site);
  if (settles !== undefined) return settles;
  if (path === ':Promise') return made(machine, site);
  // What only waits for another gives what the other gives.
  if (/^asyncio:(?:\*\.)?(wait_for|shield|ensure_future|create_task)$/.test(path))
    return given[0]?.value ?? nothing;
  const several = /^:Promise\.(all|allSettled|race|any)$|^asyncio:(?:\*\.)?gather$/.exec(path);
  if (several !== null) return gathered(machine, site, several[1] ?? 'all');
  if (/^:Promise\.resolve$/.test(path)) return given[0]?.value ?? nothing;
  return chained(machine, site);
}

/** A method of a promise. */
function chained(machine: Machine, { receiver, method, given, state }: Site): Value | undefined {
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

/** The way into a promise that nobody keeps: one that can only fail, such as a clock that throws. */
const never = 'never:';

/** `new Promise((resolve, reject) => …)` gives what `resolve` is called with. */
function made(machine: Machine, { expression, given, state }: Site): Value {
  const id = machine.memory.objectId(expression);
  machine.settled.delete(id);
  for (const { callable, self } of given[0]?.value.closures ?? []) {
    const ways = [`settle:${id}`, 'fail:'].map((path): Value => ({ ...nothing, paths: [path] }));
    invoke(machine, callable, self, ways, state);
    state.alive = true;
  }
  return machine.settled.get(id) ?? { ...nothing, paths: [never] };
}

/** A promise is stored, here or by the caller that receives the way to do so. */
function settled(machine: Machine, { callee, given }: Site): Value | undefined {
  const keep = ({ paths }: Value, value: Value) => {
    for (const path of paths) {
      const id = Number(/^settle:(\d+)$/.exec(path)?.[1] ?? 0);
      if (id > 0) machine.settled.set(id, join(machine.settled.get(id) ?? { ...nothing }, value));
    }
  };
  for (const { value } of given) keep(value, nothing);
  keep(callee, given[0]?.value ?? nothing);
  return callee.paths.some((path) => /^(settle|fail):/.test(path)) ? nothing : undefined;
}

/** Several promises as one: nothing of what they promise holds before an await. */
function gathered(machine: Machine, { expression, given, state, callee }: Site, way: string): Value {
  const ofList = callee.paths.some((path) => path.startsWith(':Promise'));
  const positional = given.filter(({ name }) => name === undefined).map(({ value }) => value);
  const lists = ofList ? (positional[0]?.objects ?? []).map((id) => machine.memory.object(id, state)) : [];
  const items = ofList ? lists.flatMap(({ fields }) => [...fields.values()]) : positional;
  const rest = [
    ...lists.map((list) => list.rest),
    ofTags(ofList ? (positional[0]?.tags ?? nothing.tags) : nothing.tags),
  ];
  const racing = way === 'race' || way === 'any';
  const running = [...items, ...rest].filter((one) => one !== nothing && !one.paths.includes(never));
  const [only] = running;
  if (racing && only !== undefined && running.length === 1) return only;
  const forgives = way !== 'all' || given.some(({ name }) => name === 'return_exceptions');
  // A guard that throws is not heard where others may be waited for instead.
  if (forgives) {
    for (const { checks } of [...items, ...rest])
      for (const { use } of checks) use.swallowed ||= use.guard.form !== 'result';
  }
  if (racing) {
    const cases = running.map((value): Case => ({ value, facts: new Map(state.facts) }));
    return { ...running.reduce(join, nothing), cases };
  }
  const id = machine.memory.objectId(expression);
  const fields = new Map(items.map((value, index) => [String(index), value]));
  state.heap.set(id, { fields, rest: rest.reduce(join, nothing) });
  return { ...nothing, objects: [id], gathers: true };
}
