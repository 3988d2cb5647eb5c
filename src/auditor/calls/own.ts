// Calls of the program's own functions and classes.

import { fromOutside } from '../flow/handed.ts';
import { invoke } from '../flow/invoke.ts';
import { stepped } from '../flow/labels.ts';
import type { Machine } from '../flow/machine.ts';
import { memberOf } from '../flow/members.ts';
import type { ClassShape } from '../ir.ts';
import { isOwner } from '../roles/names.ts';
import { type Closure, join, joinStates, nothing, type State, type Value } from '../value.ts';
import type { Given, Site } from './site.ts';

export function ownCode(machine: Machine, site: Site): Value | undefined {
  const { callee, given, state } = site;
  if (callee.classes.length > 0) {
    let made: Value = nothing;
    for (const shape of callee.classes) {
      const id = machine.memory.objectId(shape);
      const fresh = !machine.memory.instances.has(id);
      machine.memory.instances.set(id, shape);
      construct(machine, shape, id, given, state, fresh);
      made = join(made, { ...nothing, objects: [id] });
    }
    return made;
  }
  if (callee.closures.length === 0) return undefined;
  if (callee.closures.length === 1 && callee.closures[0] !== undefined)
    return invokeClosure(machine, callee.closures[0], given, state);
  const ends: State[] = [];
  let result: Value = nothing;
  for (const closure of callee.closures) {
    const inside = state.clone();
    result = join(result, invokeClosure(machine, closure, given, inside));
    ends.push(inside);
  }
  state.become(joinStates(ends));
  return result;
}

export function invokeClosure(
  machine: Machine,
  { callable, self }: Closure,
  given: readonly Given[],
  state: State,
): Value {
  const positional = given.filter(({ name }) => name === undefined);
  const named = new Map(
    given.flatMap(({ name, value }) =>
      name === undefined ? [] : [[name, stepped(machine, value, `handed to ${callable.name}`)]],
    ),
  );
  const values: Value[] = [];
  for (const { value, spread } of positional) {
    if (!spread) values.push(stepped(machine, value, `handed to ${callable.name}`));
    else {
      // A list or a record that is spread: each parameter gets the part that is named like it, or any.
      for (const { name } of callable.parameters.slice(values.length)) {
        const part = memberOf(machine, value, name, null, state);
        if (part !== nothing) named.set(name, part);
        else if (value.tags.size > 0 || value.objects.length > 0)
          named.set(name, machine.memory.element(value, state));
      }
    }
  }
  const full = callable.parameters.map(({ name }, index) => values[index] ?? named.get(name));
  for (const [index, { name }] of callable.parameters.entries()) {
    const value = full[index];
    if (value !== undefined && isOwner(name)) machine.tell('owner', machine.memory.flat(value, state), state);
  }
  const last = full.findLastIndex((value) => value !== undefined);
  const handed = full.slice(0, last + 1).map((value) => value ?? nothing);
  return invoke(
    machine,
    callable,
    self,
    values.length > handed.length ? values : handed,
    state,
    false,
    named,
  );
}

/** Makes the one object of a class: its fields, and what its constructor does. */
export function construct(
  machine: Machine,
  shape: ClassShape,
  id: number,
  given: readonly Given[] | null,
  state: State,
  fresh = true,
): void {
  const self: Value = { ...nothing, objects: [id] };
  if (fresh) {
    const fields = new Map<string, Value>();
    for (const { name, value, type } of shape.fields) {
      if (value !== null) fields.set(name, machine.evaluate(value, state));
      else if (type !== undefined) {
        const made = machine.evaluate(type, state);
        fields.set(name, {
          ...nothing,
          paths: [...made.paths.map((path) => `${path}()`), `:${name}`],
          objects: made.classes.flatMap((inner) => machine.instance(inner, state).objects),
        });
      }
    }
    machine.memory.keep(id, { fields, rest: nothing }, state);
  }
  const made = shape.methods.get('constructor') ?? shape.methods.get('__init__');
  if (made === undefined) return;
  const kept = machine.statement;
  if (given !== null) invokeClosure(machine, { callable: made, self }, given, state);
  else if (fresh) {
    const inside = state.clone();
    const handed = made.parameters.map((parameter) =>
      fromOutside(machine, parameter.name, made, {
        tool: false,
        pattern: parameter.target,
        type: parameter.type ?? null,
        state: inside,
      }),
    );
    invoke(
      machine,
      made,
      self,
      handed.map((value) => ({ ...value, tags: new Map() })),
      inside,
    );
  }
  machine.statement = kept;
  state.alive = true;
}
