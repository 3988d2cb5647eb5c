// Puts values where they are kept: variables, fields, lists.

import type { Expression, Member, Pattern } from '../ir.ts';
import { isStatus } from '../lower/go/names.ts';
import { everything } from '../roles/guards.ts';
import {
  baked,
  type Case,
  type Check,
  join,
  joinTags,
  nothing,
  ofTags,
  type State,
  type Value,
} from '../value.ts';
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
  // Each item of a list is replaced by what a guard has passed of it.
  if (
    target.object.kind === 'member' &&
    target.object.property === null &&
    passedOver(machine, object, value, state)
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

/** Something is put over what it was made of, and has passed a guard: what it was made of is clear from then on. */
function passedOver(machine: Machine, { tags: before, objects }: Value, value: Value, state: State): boolean {
  const tags = [...baked(machine.memory.flat(value, state), state.facts).tags.values()];
  const own = tags.every(
    ({ label: { id, kind } }) => before.has(id) && (kind === 'user' || kind === 'upload'),
  );
  const cleared = tags.reduce((all, tag) => all & tag.cleared, everything);
  if (objects.length > 0 || tags.length === 0 || !own || cleared === 0) return false;
  state.clear(
    tags.map(({ label }) => label),
    cleared,
  );
  return true;
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
  // Whatever it was before, it is more than that now.
  const { constant: _, ...before } = into;
  const next = {
    ...before,
    tags: joinTags(into.tags, tags),
    ...(value.given === true ? { given: true } : {}),
  };
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
      if (target.tuple === true) {
        assignResults(machine, target.items, value, state, adds);
        return;
      }
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

/** The results of one call of Go. Of a call that nobody sees into, an error is not what was asked for. */
function assignResults(
  machine: Machine,
  targets: readonly (Pattern | null)[],
  value: Value,
  state: State,
  adds: boolean,
): void {
  const listed = value.objects.some((id) => machine.memory.lists.has(id));
  const several = targets.length > 1;
  const [first] = targets;
  const unheard = several && first?.kind === 'variable' && first.name === '_';
  for (const [index, target] of targets.entries()) {
    if (target === null) continue;
    const status = target.kind === 'variable' && isStatus(target.name);
    const bare: Value = status || index > 0 ? { ...value, tags: new Map() } : value;
    if (several && listed) assign(machine, target, resultOf(machine, bare, index, state), state, adds);
    else if (!status) assign(machine, target, value, state, adds);
    else
      assign(machine, target, statusOf(value, { name: target.name, sole: !several, unheard }), state, adds);
  }
}

/** One of several results: on each way what that way gave, in the objects that it left. */
function resultOf(machine: Machine, value: Value, index: number, state: State): Value {
  const place = String(index);
  const cases = (value.cases ?? []).flatMap((one): readonly Case[] => {
    const { end } = one;
    if (end === undefined) return [];
    const given = end.state.bake(
      machine.memory.flat(memberOf(machine, one.value, place, null, end.state), end.state),
    );
    return [{ ...one, value: given }];
  });
  if (cases.length === 0 || cases.length !== value.cases?.length)
    return memberOf(machine, value, place, null, state);
  return { ...cases.map((one) => one.value).reduce(join), cases };
}

/** What an error, or the word whether something was there, says of a call that nobody sees into. */
function statusOf(
  value: Value,
  { name, sole, unheard }: { readonly name: string; readonly sole: boolean; readonly unheard: boolean },
): Value {
  const said = /^(ok|found|exists)$/.test(name) ? 'ok' : 'error';
  const checks = value.checks.flatMap(({ use, property }): readonly Check[] => {
    // Where a guard has an answer of its own, only a guard that fails by its error says no with it.
    const { form } = use.guard;
    const decides = sole || said === 'ok' || form === 'effect' || (unheard && form === 'throws');
    return decides ? [{ use, property: property ?? said }] : [];
  });
  return sole ? { ...value, tags: nothing.tags, checks } : { ...nothing, checks };
}
