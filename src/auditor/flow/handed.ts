// What functions receive from outside of the program; names and types of parameters show who wrote it.

import type { Callable, Expression, Module, Pattern } from '../ir.ts';
import { isAnswer, isCall, isContext, isUpload } from '../roles/names.ts';
import { join, nothing, type State, type Value } from '../value.ts';
import { invoke } from './invoke.ts';
import { labelFor, labelled, tagOf } from './labels.ts';
import type { Machine } from './machine.ts';

/** Calls a function with what a caller from outside would pass. */
export function enter(
  machine: Machine,
  { callable, self }: { readonly callable: Callable; readonly self: Value | null },
  state: State,
  {
    entry,
    tool = false,
    unseen = false,
    first,
  }: {
    readonly entry: boolean;
    readonly tool?: boolean;
    readonly unseen?: boolean;
    readonly first?: Value;
  },
): Value {
  // In Go what a tool is handed stands behind the context.
  const place = Math.max(
    0,
    tool
      ? callable.parameters.findIndex(({ name, type }) => type === undefined && !/^_|^ctx$/.test(name))
      : 0,
  );
  const handed = callable.parameters.map((parameter, index) => {
    if (index === 0 && first !== undefined) return first;
    if (unseen || parameter.plain === true) return { ...nothing, paths: [`:${parameter.name}`] };
    return fromOutside(machine, parameter.name, callable, {
      tool: tool && index === place,
      pattern: parameter.target,
      type: parameter.type ?? null,
      state,
    });
  });
  const value = invoke(machine, callable, self, handed, state, entry);
  // Callers from outside wait for it.
  for (const site of value.promises?.sites ?? []) site.started = null;
  return value;
}

/** A parameter's value, where nobody in the program says what it is. */
export function fromOutside(
  machine: Machine,
  name: string,
  callable: Callable,
  given: {
    readonly tool: boolean;
    readonly pattern: Pattern;
    readonly type: Expression | null;
    readonly state: State;
  },
): Value {
  const place = { module: callable.module, at: callable.at };
  const shadows = namesImported(callable.module).has(name);
  const path = shadows ? `shadow:${name}` : `:${name}`;
  if (given.type !== null && !shadows) {
    const type = machine.evaluate(given.type, given.state);
    if (type.classes.length > 0)
      return join(...pair(type.classes.map((shape) => machine.instance(shape, given.state))));
    const paths = type.paths.filter((one) => !one.startsWith(':'));
    if (paths.length > 0 && isContextType(name, paths, callable.module)) {
      return { ...nothing, paths: [...paths.map((one) => `${one}()`), path] };
    }
  }
  if (given.pattern.kind === 'fields' || name === '') {
    const source = {
      path: name === '' ? `${callable.name || 'parameter'}` : name,
      label: null,
      quiet: false,
    };
    return given.tool
      ? labelled(machine, 'call', name || 'arguments', place, [path])
      : { ...nothing, paths: [path], source: { ...source, quiet: false } };
  }
  const beside = callable.parameters.map((parameter) => parameter.name);
  if (given.tool || isCall(name, machine.program.hasTools(callable.module), beside))
    return labelled(machine, 'call', name, place, [path]);
  if (isAnswer(name)) return labelled(machine, 'model', name, place, [path]);
  const quiet = isContext(name);
  const label = quiet ? null : labelFor(machine, isUpload(name) ? 'upload' : 'user', name, place, null);
  const value: Value = { ...nothing, paths: [path], source: { path: name, label, quiet } };
  return label === null ? value : { ...value, tags: new Map([[label.id, tagOf(label)]]) };
}

/** The names that a module imports things by. */
const importNames = new WeakMap<Module, ReadonlySet<string>>();

function namesImported(module: Module): ReadonlySet<string> {
  const known = importNames.get(module);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (const { name, variable } of module.imports) {
    if (name !== '*' && name !== 'default') names.add(name);
    for (const [offered, offer] of module.offers) {
      if ('variable' in offer && offer.variable === variable) names.add(offered);
    }
  }
  importNames.set(module, names);
  return names;
}

/** In Go only what does something has its type told. */
function isContextType(name: string, paths: readonly string[], { language }: Module): boolean {
  return (
    language === 'go' ||
    isContext(name) ||
    paths.some((path) => /openai|anthropic|sallyport|langchain|guard|detector|redactor|registry/i.test(path))
  );
}

function pair(values: readonly Value[]): [Value, Value] {
  const [first = nothing, ...rest] = values;
  return [first, rest.reduce(join, first)];
}
