// Calls: functions and classes of the script itself, and operations of libraries.

import type { Frame, Machine, Operation } from './machine.ts';
import { basesOf, fieldOf, inheritedFrom, itemsOf, replacedKey } from './objects.ts';
import type { Argument, ClassCode, Expression, FunctionCode, Span, Statement } from './program.ts';
import {
  type Cell,
  type ClassThing,
  type FunctionThing,
  type InstanceThing,
  joinAll,
  list,
  map,
  member,
  merge,
  none,
  optionsOf,
  originsOf,
  rowOf,
  type Scope,
  type Thing,
  unknown,
  unknownFrom,
} from './things.ts';

/** Calls within calls. */
const deepestCalls = 24;

/** The same function within itself. */
const deepestRecursion = 3;

/** Steps after which a function that was walked once is not walked again. */
const repeatSteps = 15_000;

/** Arguments as they are given: by place and by name. */
export function argumentsOf(
  machine: Machine,
  given: readonly Argument[],
): {
  readonly args: readonly Thing[];
  readonly keywords: Map<string, Thing>;
  readonly exact: boolean;
} {
  const args: Thing[] = [];
  const keywords = new Map<string, Thing>();
  let exact = true;
  for (const { value, name, spread } of given) {
    const thing = machine.walker.evaluate(machine, value);
    if (spread === 'positions') {
      const row = itemsOf(machine, thing);
      args.push(...row.items);
      if (!row.exact) exact = false;
    } else if (spread === 'names') {
      if (thing.kind === 'map') for (const [key, entry] of thing.entries) keywords.set(key, entry);
    } else if (name !== null) keywords.set(name, thing);
    else args.push(thing);
  }
  return { args, keywords, exact };
}

/** Evaluates a call. */
export function callExpression(
  machine: Machine,
  { callee, args: given, creates, span }: Expression & { form: 'call' },
): Thing {
  const target = machine.walker.evaluate(machine, callee);
  const { args, keywords } = argumentsOf(machine, given);
  if (creates && target.kind === 'function') {
    // A constructor in the old style: a function whose `this` is the new object.
    const made = map([]);
    invoke(machine, { ...target, self: made }, args, keywords);
    return made;
  }
  return callThing(machine, target, args, keywords, span);
}

/** Calls whatever a thing stands for. */
export function callThing(
  machine: Machine,
  callee: Thing,
  args: readonly Thing[],
  keywords: ReadonlyMap<string, Thing>,
  span: Span,
): Thing {
  machine.spend(1);
  switch (callee.kind) {
    case 'either':
      return joinAll(callee.options.map((option) => callThing(machine, option, args, keywords, span)));
    case 'function':
      return invoke(machine, callee, args, keywords);
    case 'partial':
      return callThing(
        machine,
        callee.callee,
        [...callee.args, ...args],
        new Map([...callee.keywords, ...keywords]),
        span,
      );
    case 'class':
      return create(machine, callee, args, keywords, span);
    case 'member': {
      const replaced = machine.globals.names.get(replacedKey(callee.name));
      if (replaced && replaced.kind !== 'member') return callThing(machine, replaced, args, keywords, span);
      const name = replaced?.kind === 'member' ? replaced.name : callee.name;
      // A library that was loaded by a promise is handed on by it.
      if (name.endsWith('.then') && !machine.dialect.operations.has(name))
        return operate(machine, '<any>.then', member(name.slice(0, -'.then'.length)), args, keywords, span);
      const found = machine.dialect.operations.has(name) ? null : machine.dialect.method(callee, name);
      return operate(machine, name, unknown, args, keywords, span, found);
    }
    case 'bound':
      return callMethod(machine, callee.receiver, callee.name, args, keywords, span);
    case 'instance': {
      const method = fieldOf(callee, '__call__');
      if (method?.kind === 'function') return invoke(machine, { ...method, self: callee }, args, keywords);
      return unknown;
    }
    case 'handle':
      return operate(machine, `<${callee.type}>.()`, callee, args, keywords, span);
    case 'unknown':
      if (callee.dynamic) {
        const origins = callee.origins.length > 0 ? callee.origins : (['unknown'] as const);
        machine.record.effect('run', { kind: 'none' }, { program: 'call', span, origins });
        machine.record.unknown('a function whose name is not known', span);
      }
      callBack(machine, args, keywords, span);
      return unknownFrom(merge(callee.origins, ...args.map((argument) => originsOf(argument))));
    default:
      callBack(machine, args, keywords, span);
      return unknownFrom(merge(originsOf(callee), ...args.map((argument) => originsOf(argument))));
  }
}

/** Does what a function of a library does; one that is not known is taken to do nothing but call back. */
export function operate(
  machine: Machine,
  name: string,
  receiver: Thing,
  args: readonly Thing[],
  keywords: ReadonlyMap<string, Thing>,
  span: Span,
  found: Operation | null = null,
): Thing {
  const operation = found ?? machine.dialect.operations.get(name);
  if (operation) {
    const at = (index: number, keyword?: string): Thing | undefined =>
      args[index] ?? (keyword === undefined ? undefined : keywords.get(keyword));
    return operation({ machine: machine, name, receiver, args, keywords, span, at });
  }
  callBack(machine, args, keywords, span);
  return unknownFrom(
    merge(
      originsOf(receiver),
      ...args.map((argument) => originsOf(argument)),
      ...[...keywords.values()].map((argument) => originsOf(argument)),
    ),
  );
}

function callMethod(
  machine: Machine,
  receiver: Thing,
  name: string,
  args: readonly Thing[],
  keywords: ReadonlyMap<string, Thing>,
  span: Span,
): Thing {
  if (receiver.kind === 'either')
    return joinAll(receiver.options.map((option) => callMethod(machine, option, name, args, keywords, span)));
  for (const type of typesOf(receiver)) {
    const full = `<${type}>.${name}`;
    if (machine.dialect.operations.has(full)) return operate(machine, full, receiver, args, keywords, span);
  }
  const full = `<any>.${name}`;
  return operate(machine, full, receiver, args, keywords, span, machine.dialect.method(receiver, name));
}

function typesOf(receiver: Thing): readonly string[] {
  switch (receiver.kind) {
    case 'text':
      return receiver.form === 'path'
        ? ['path', 'text']
        : [receiver.form === 'bytes' ? 'bytes' : 'string', 'text'];
    case 'handle':
      return [receiver.type];
    case 'instance':
      return [...basesOf(receiver.of), 'instance'];
    case 'class':
      return ['class', ...basesOf(receiver)];
    default:
      return [receiver.kind];
  }
}

/** Calls the functions among the arguments with what stands beside them. */
function callBack(
  machine: Machine,
  args: readonly Thing[],
  keywords: ReadonlyMap<string, Thing>,
  span: Span,
): void {
  const all = [...args, ...keywords.values()];
  for (const argument of all) {
    for (const option of optionsOf(argument)) {
      if (option.kind === 'function') {
        if (!machine.walked.has(option.code)) invoke(machine, option, [], new Map());
      } else if (option.kind === 'member' && machine.dialect.operations.has(option.name)) {
        const beside = args
          .filter((other) => other !== argument)
          .map((other) => (other.kind === 'list' ? joinAll(rowOf(other).items) : other));
        callThing(machine, option, beside, new Map(), span);
      }
    }
  }
}

function create(
  machine: Machine,
  of: ClassThing,
  args: readonly Thing[],
  keywords: ReadonlyMap<string, Thing>,
  span: Span,
): Thing {
  const instance: InstanceThing = { kind: 'instance', of, fields: new Map() };
  const builder = inheritedFrom(of, machine.dialect.constructorName);
  if (builder?.kind === 'function') invoke(machine, { ...builder, self: instance }, args, keywords);
  else for (const base of basesOf(of)) operate(machine, `<new>.${base}`, instance, args, keywords, span);
  return instance;
}

/** An instance of which nothing is known, for the methods that nothing called. */
export function sampleOf(machine: Machine, of: ClassThing): InstanceThing {
  const held = machine.samples.get(of);
  if (held) return held;
  const instance: InstanceThing = { kind: 'instance', of, fields: new Map() };
  machine.samples.set(of, instance);
  const builder = inheritedFrom(of, machine.dialect.constructorName);
  if (builder?.kind === 'function') invoke(machine, { ...builder, self: instance }, [], new Map());
  return instance;
}

/** A function where it is defined, with the scope around it. */
export function functionOf(machine: Machine, code: FunctionCode): FunctionThing {
  const around = code.receiver === 'around' ? machine.frame.self : null;
  const thing: FunctionThing = {
    kind: 'function',
    code,
    scope: machine.frame.scope,
    self: around,
    owner: machine.frame.owner,
  };
  machine.defined.push(thing);
  return thing;
}

/** Functions of a block are there before it begins, as far as the language has it so. */
export function declare(machine: Machine, statements: readonly Statement[], scope: Scope): void {
  if (!machine.dialect.entriesAreAttributes) return;
  for (const statement of statements) {
    if (statement.form === 'function')
      machine.set(scope.names, statement.code.name, functionOf(machine, statement.code));
  }
}

/** A class where it is defined, with its body walked. */
export function classOf(machine: Machine, { name, bases, body }: ClassCode): ClassThing {
  const fields: Cell = new Map();
  const of: ClassThing = {
    kind: 'class',
    name,
    bases: bases.map((base) => machine.walker.evaluate(machine, base)),
    fields,
  };
  const outer = machine.frame;
  const scope: Scope = { names: fields, parent: outer.scope, outer: new Map() };
  machine.frame = { ...outer, scope, owner: of };
  machine.walker.walkBlock(machine, body);
  machine.frame = outer;
  // A method sees the names around its class, not those in it.
  for (const [key, field] of fields)
    if (field.kind === 'function' && field.scope === scope) {
      const moved = { ...field, scope: outer.scope };
      fields.set(key, moved);
      const index = machine.defined.indexOf(field);
      if (index >= 0) machine.defined[index] = moved;
    }
  return of;
}

/** Walks a function of the script with its arguments; gives what it returns. */
export function invoke(
  machine: Machine,
  target: FunctionThing,
  args: readonly Thing[],
  keywords: ReadonlyMap<string, Thing>,
): Thing {
  const { code, self, owner } = target;
  const again = machine.walked.has(code);
  machine.walked.add(code);
  const recursion = machine.frames.filter((frame) => frame.code === code).length;
  if (
    machine.frames.length >= deepestCalls ||
    recursion >= deepestRecursion ||
    (recursion > 0 && !machine.exact) ||
    (again && machine.steps > repeatSteps)
  )
    return unknownFrom(merge(...args.map((argument) => originsOf(argument))));
  const scope: Scope = { names: new Map(), parent: target.scope, outer: new Map() };
  const frame: Frame = { code, scope, self, owner, returns: [], yields: [] };
  const outer = machine.frame;
  machine.frames.push(outer);
  machine.frame = frame;
  try {
    bind(machine, code, code.receiver === 'first' && self ? [self, ...args] : args, keywords);
    declare(machine, code.body, scope);
    const completion = machine.walker.walkBlock(machine, code.body);
    if (completion === 'raise' && frame.returns.length === 0 && frame.yields.length === 0)
      machine.raised = true;
    else if (completion === 'next') frame.returns.push(none);
  } finally {
    machine.frames.pop();
    machine.frame = outer;
  }
  if (frame.yields.length > 0) return list(frame.yields, false);
  return frame.returns.length === 0 ? unknown : joinAll(frame.returns);
}

function bind(
  machine: Machine,
  { parameters, receiver }: FunctionCode,
  args: readonly Thing[],
  keywords: ReadonlyMap<string, Thing>,
): void {
  const { names } = machine.frame.scope;
  if (receiver === 'this' && parameters.length === 0) names.set('arguments', list(args));
  const left = new Map(keywords);
  let index = 0;
  for (const { name, fallback, rest, pattern } of parameters) {
    let value: Thing;
    if (rest === 'positions') {
      value = list(args.slice(index));
      index = args.length;
    } else if (rest === 'names') value = map(left);
    else {
      const given = args[index] ?? left.get(name);
      if (args[index] !== undefined) index++;
      left.delete(name);
      value = given ?? (fallback ? machine.walker.evaluate(machine, fallback) : unknown);
    }
    if (pattern) machine.walker.assign(machine, pattern, value);
    else machine.set(names, name, value);
  }
}
