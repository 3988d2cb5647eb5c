// Calls of what a promise has: what is waited for, what is caught and forgotten.

import { invoke } from '../flow/invoke.ts';
import type { Machine } from '../flow/machine.ts';
import { awaited } from '../flow/uses.ts';
import { join, nothing, ofTags, type Value } from '../value.ts';
import { runCallback, type Site } from './site.ts';

export function promise(
  machine: Machine,
  { expression, callee, receiver, method, given, state }: Site,
): Value | undefined {
  const [path = ''] = callee.paths;
  if (/^:Promise\.(all|allSettled|race|any)$|^asyncio:(\*\.)?gather$/.test(path)) {
    const id = machine.memory.objectId(expression);
    const [first] = given;
    const items =
      path.startsWith(':Promise') && first !== undefined
        ? first.value.objects.flatMap((one) => [
            ...machine.memory.object(one, state).fields.values(),
            machine.memory.object(one, state).rest,
          ])
        : given.map(({ value }) => value);
    const waited = items.map((value) => awaited(machine, value, state));
    const fields = new Map(waited.map((value, index) => [String(index), value]));
    state.heap.set(id, {
      fields,
      rest: first === undefined ? nothing : awaited(machine, ofTags(first.value.tags), state),
    });
    return { ...nothing, objects: [id] };
  }
  if (/^:Promise\.resolve$/.test(path)) return given[0]?.value ?? nothing;
  if (receiver.checks.length === 0 && receiver.tags.size === 0) return undefined;
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
