// Puts values where they are kept: variables, fields, lists.

import type { Expression, Member, Pattern } from '../ir.ts';
import { everything } from '../roles/guards.ts';
import { baked, join, joinTags, nothing, ofTags, type State, type Value } from '../value.ts';
import type { Machine } from './machine.ts';
import { memberOf, sourcePart } from './members.ts';

function store(machine: Machine, target: Member, value: Value, state: State, adds: boolean): void {
  const object = machine.evaluate(target.object, state);
  if (
    object.source !== undefined &&
    target.property !== null &&
    replaced(machine, object, target.property, value, state)
  )
    return;
  if (object.objects.length === 0) {
    wrap(machine, target.object, object, target.property, value, state);
    return;
  }
  const certain = object.objects.length === 1 && !adds && target.property !== null;
  for (const id of object.objects) {
    const before = machine.memory.object(id, state);
    const fields = new Map(before.fields);
    let { rest } = before;
    if (target.property === null) rest = join(rest, value);
    else
      fields.set(target.property, certain ? value : join(fields.get(target.property) ?? before.rest, value));
    machine.memory.keep(id, { fields, rest }, state);
  }
}

/** What came in is replaced by what a guard has passed: from then on it is clear. */
function replaced(machine: Machine, object: Value, property: string, value: Value, state: State): boolean {
  const { label = null } = sourcePart(machine, object, property).source ?? {};
  const tags = [...baked(machine.memory.flat(value, state), state.facts).tags.values()];
  const own = tags.every(({ label: { kind } }) => kind === 'user' || kind === 'upload');
  const cleared = tags.reduce((all, tag) => all & tag.cleared, everything);
  if (label === null || tags.length === 0 || !own || cleared === 0) return false;
  state.clear([label], cleared);
  return true;
}

/** A field is set on something that nothing is known of: from then on that field is known. */
function wrap(
  machine: Machine,
  holder: Expression,
  object: Value,
  property: string | null,
  value: Value,
  state: State,
): void {
  if (holder.kind !== 'variable' && holder.kind !== 'member') return;
  const key =
    holder.kind === 'variable' ? `${holder.variable}` : `${holder.at} ${machine.statement.module.path}`;
  const id = machine.memory.objectId(key);
  const fields = new Map(property === null ? [] : [[property, value]]);
  const rest = property === null ? join(ofTags(object.tags), value) : ofTags(object.tags);
  state.heap.set(id, { fields, rest });
  // As a whole it still has what it had, except for what was set.
  const wrapped: Value = { ...object, tags: new Map(), objects: [id] };
  if (holder.kind === 'variable') machine.memory.write(holder.variable, wrapped, state);
  else store(machine, holder, wrapped, state, false);
}

/** Puts a value into a list or a record whose places nobody follows. */
export function put(
  machine: Machine,
  holder: Expression | null,
  into: Value,
  value: Value,
  state: State,
): void {
  if (into.objects.length > 0) {
    for (const id of into.objects) {
      const before = machine.memory.object(id, state);
      machine.memory.keep(id, { fields: before.fields, rest: join(before.rest, value) }, state);
    }
    return;
  }
  const tags = machine.memory.deep(value, state);
  if (tags.size === 0 || holder === null) return;
  const next = { ...into, tags: joinTags(into.tags, tags) };
  if (holder.kind === 'variable') machine.memory.write(holder.variable, next, state);
  else if (holder.kind === 'member') store(machine, holder, next, state, true);
}

export function assign(machine: Machine, target: Pattern, value: Value, state: State, adds = false): void {
  switch (target.kind) {
    case 'variable': {
      const before = adds ? machine.read(target.variable, state) : nothing;
      machine.memory.write(
        target.variable,
        adds ? join({ ...before, cases: [] }, machine.memory.flat(value, state)) : value,
        state,
      );
      return;
    }
    case 'member':
      store(machine, target, value, state, adds);
      return;
    case 'fields': {
      for (const { key, target: inner, fallback } of target.fields) {
        let part = memberOf(machine, value, key, null, state);
        if (part === nothing && fallback !== undefined) part = machine.evaluate(fallback, state);
        assign(machine, inner, part, state);
      }
      if (target.rest !== undefined) assign(machine, target.rest, value, state);
      return;
    }
    case 'items':
      for (const [index, inner] of target.items.entries()) {
        if (inner === null) continue;
        const known = value.objects.some((id) => machine.memory.object(id, state).fields.has(String(index)));
        assign(
          machine,
          inner,
          known ? memberOf(machine, value, String(index), null, state) : machine.memory.element(value, state),
          state,
        );
      }
      if (target.rest !== undefined)
        assign(machine, target.rest, machine.memory.element(value, state), state);
  }
}
