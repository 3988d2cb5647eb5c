// What an expression gives, and what evaluating it does.

import { call } from '../calls/index.ts';
import type { Callable, Expression } from '../ir.ts';
import { written } from '../program.ts';
import { kinds } from '../roles/guards.ts';
import { wholeText } from '../roles/models.ts';
import {
  type Case,
  constantOf,
  join,
  joinStates,
  joinTags,
  nothing,
  ofTags,
  type State,
  type Tag,
  type Value,
} from '../value.ts';
import { assign } from './assign.ts';
import { assume, withdraw } from './assume.ts';
import { invoke } from './invoke.ts';
import { relabelled, stepped, yielded } from './labels.ts';
import type { Machine } from './machine.ts';
import { memberOf } from './members.ts';
import { awaited, useOf } from './uses.ts';

export function evaluated(machine: Machine, expression: Expression, state: State): Value {
  switch (expression.kind) {
    case 'constant':
      return constantOf(expression.value);
    case 'variable':
      return machine.read(expression.variable, state);
    case 'global':
      return { ...nothing, paths: [`:${expression.name}`] };
    case 'this':
      return machine.frame().self;
    case 'member':
      return partOf(machine, expression, state);
    case 'call':
      return call(machine, expression, state);
    case 'await':
      return wholeOf(
        machine,
        expression.value,
        awaited(machine, machine.evaluate(expression.value, state), state),
      );
    case 'function':
      return decorated(machine, expression.function, state);
    case 'class':
      return { ...nothing, classes: [expression.class] };
    case 'object':
      return objectOf(machine, expression, state);
    case 'list':
      return listOf(machine, expression, state);
    case 'mix':
      return mixOf(machine, expression, state);
    case 'logic':
      return logicOf(machine, expression, state);
    case 'not': {
      const { checks } = machine.evaluate(expression.value, state);
      return { ...nothing, checks, condition: expression };
    }
    case 'compare':
      return comparison(machine, expression, state);
    case 'choice':
      return choiceOf(machine, expression, state);
    case 'assign': {
      const value = stepped(machine, machine.evaluate(expression.value, state), 'kept here');
      assign(machine, expression.target, value, state, expression.adds);
      return value;
    }
    case 'yield':
      return yieldOf(machine, expression, state);
  }
}

function partOf(machine: Machine, expression: Extract<Expression, { kind: 'member' }>, state: State): Value {
  const object = machine.evaluate(expression.object, state);
  const key =
    expression.key === undefined || expression.property !== null
      ? null
      : machine.evaluate(expression.key, state);
  return memberOf(machine, object, expression.property, key, state);
}

function yieldOf(machine: Machine, expression: Extract<Expression, { kind: 'yield' }>, state: State): Value {
  const given = machine.evaluate(expression.value, state);
  const value = expression.all ? machine.memory.element(given, state) : given;
  const frame = machine.frame();
  if (frame.entry) machine.tell('show', machine.memory.flat(value, state), state, { what: 'yielded' });
  frame.yields = join(frame.yields, stepped(machine, state.bake(machine.memory.flat(value, state)), yielded));
  return nothing;
}

/** A function, as what decorates it gives it back. */
function decorated(machine: Machine, callable: Callable, state: State): Value {
  let value: Value = { ...nothing, closures: [{ callable, self: machine.frame().self }] };
  for (const decorator of callable.decorators.toReversed()) {
    const [dress] = machine.evaluate(decorator, state).closures;
    if (dress === undefined) continue;
    const dressed = invoke(machine, dress.callable, dress.self, [value], state);
    if (dressed.closures.length > 0) value = dressed;
  }
  return value;
}

/** `await stream.text` is all of it. */
function wholeOf(machine: Machine, expression: Expression, value: Value): Value {
  const { property } = expression.kind === 'member' ? expression : { property: null };
  return property !== null && wholeText.has(property) ? relabelled(machine, value, 'chunk', 'model') : value;
}

function objectOf(
  machine: Machine,
  expression: Extract<Expression, { kind: 'object' }>,
  state: State,
): Value {
  const id = machine.memory.objectId(expression);
  const fields = new Map<string, Value>();
  let rest: Value = nothing;
  let paths: readonly string[] = [];
  for (const { key, value: inner, spread } of expression.entries) {
    const value = stepped(machine, machine.evaluate(inner, state), 'put in here');
    if (spread) {
      // What comes later goes before what came earlier.
      for (const [name, known] of fields)
        if (value.tags.size > 0 || value.objects.length > 0)
          fields.set(name, spreadOver(machine, name, known, value, state));
      for (const other of value.objects)
        for (const [name, known] of machine.memory.object(other, state).fields) fields.set(name, known);
      for (const other of value.objects) rest = join(rest, machine.memory.object(other, state).rest);
      rest = join(rest, { ...value, objects: [] });
      paths = [...paths, ...value.paths.filter((path) => path.startsWith('guarded:'))];
    } else if (key === null) rest = join(rest, value);
    else fields.set(key, value);
  }
  state.heap.set(id, { fields, rest });
  if (expression.class === undefined) return { ...nothing, objects: [id], paths };
  const type = machine.evaluate(expression.class, state);
  const [shape] = type.classes;
  if (shape !== undefined) {
    machine.memory.shapes.set(id, shape);
    machine.memory.learn(machine.instance(shape, state), fields, state);
  }
  return { ...nothing, objects: [id], paths: type.paths.map((path) => `${path}()`) };
}

function spreadOver(machine: Machine, name: string, known: Value, spread: Value, state: State): Value {
  const over = memberOf(machine, spread, name, null, state);
  return over === nothing ? known : join(known, over);
}

function listOf(machine: Machine, expression: Extract<Expression, { kind: 'list' }>, state: State): Value {
  const id = machine.memory.objectId(expression);
  const fields = new Map<string, Value>();
  let rest: Value = nothing;
  for (const [index, { value: inner, spread }] of expression.items.entries()) {
    const value = stepped(machine, machine.evaluate(inner, state), 'put in here');
    if (spread || rest !== nothing) rest = join(rest, spread ? machine.memory.element(value, state) : value);
    else fields.set(String(index), value);
  }
  machine.memory.lists.add(id);
  state.heap.set(id, { fields, rest });
  return { ...nothing, objects: [id] };
}

function mixOf(machine: Machine, expression: Extract<Expression, { kind: 'mix' }>, state: State): Value {
  const parts = expression.parts.map((part) => machine.evaluate(part, state));
  const tags = parts.reduce((all, part) => joinTags(all, machine.memory.deep(part, state)), nothing.tags);
  const texts = parts.map(({ constant }) => constant);
  const value = stepped(machine, ofTags(tags), 'put in here');
  // A chain such as `prompt | model` is all of its parts.
  const paths = parts.every(({ constant }) => constant === undefined)
    ? parts.flatMap((part) => part.paths).slice(0, 6)
    : [];
  return {
    ...value,
    paths,
    ...(parts.length > 0 && texts.every((text) => text !== undefined)
      ? { constant: { value: texts.map((text) => String(text?.value)).join('') } }
      : {}),
    ...(texts.some((text) => text !== undefined)
      ? { form: parts.map(({ constant, form = '*' }) => String(constant?.value ?? form)).join('') }
      : {}),
  };
}

function logicOf(machine: Machine, expression: Extract<Expression, { kind: 'logic' }>, state: State): Value {
  const left = machine.evaluate(expression.left, state);
  const right = state.clone();
  assume(machine, expression.left, expression.operator === 'and', right);
  const value = machine.evaluate(expression.right, right);
  const skipped = state.clone();
  assume(machine, expression.left, expression.operator !== 'and', skipped);
  // What the left side cleared is known again where the whole is tested.
  const facts = new Map(state.facts);
  state.become(joinStates([skipped, right]));
  for (const [id, held] of state.facts)
    state.facts.set(id, held & (facts.get(id) ?? (right.facts.get(id) ?? 0) & (skipped.facts.get(id) ?? 0)));
  const both = join({ ...left, cases: [] }, { ...value, cases: [] });
  const { constant: _, ...rest } = both;
  return { ...rest, cases: [], ...(both.checks.length > 0 ? { condition: expression } : {}) };
}

function comparison(
  machine: Machine,
  expression: Extract<Expression, { kind: 'compare' }>,
  state: State,
): Value {
  const left = machine.evaluate(expression.left, state);
  const right = machine.evaluate(expression.right, state);
  const checks = [...left.checks, ...right.checks];
  const tags = joinTags(said(left), said(right));
  if (expression.operator === 'in' || expression.operator === 'not in') {
    const names = [...right.paths, `:${written(expression.right)}`];
    const guard = names
      .map((path) => machine.guards.find(path) ?? machine.guards.find(`${path}.has`))
      .find((found) => found !== null && found.kinds === kinds.egress);
    if (guard !== undefined && guard !== null) {
      const use = useOf(machine, expression, guard, machine.memory.flat(left, state), state);
      return {
        ...nothing,
        checks: [{ use, property: expression.operator === 'in' ? 'allowed' : 'denied' }],
        condition: expression,
      };
    }
  }
  return { ...nothing, tags, checks, condition: expression };
}

function choiceOf(
  machine: Machine,
  expression: Extract<Expression, { kind: 'choice' }>,
  state: State,
): Value {
  machine.evaluate(expression.test, state);
  const then = state.clone();
  const other = state.clone();
  const tentative = [
    ...assume(machine, expression.test, true, then),
    ...assume(machine, expression.test, false, other),
  ];
  const yes = machine.evaluate(expression.yes, then);
  const no = machine.evaluate(expression.no, other);
  const cases: Case[] = [
    { value: yes, facts: then.facts },
    { value: no, facts: other.facts },
  ];
  const before = state.clone();
  const value = join(then.bake(machine.memory.flat(yes, then)), other.bake(machine.memory.flat(no, other)));
  state.become(joinStates([then, other]));
  withdraw(tentative, state, before);
  return { ...value, cases };
}

function said(value: Value): ReadonlyMap<number, Tag> {
  const tags = [...value.tags].filter(([, { label }]) => label.kind === 'call');
  return tags.length === 0 ? nothing.tags : new Map(tags);
}
