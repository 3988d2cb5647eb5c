// Which functions of a program may have to do with a model: by what they say, and by whom they use.

import type { Callable, Expression, Module, Statement, Variable } from './ir.ts';
import { eachExpression, hint, type Program, written } from './program.ts';

/** Methods that everything has: a call of one of them need not mean the one of that name. */
const everybodys: ReadonlySet<string> = new Set(
  [Array, Map, Set, String, Promise, RegExp, Date, Number, Function, Object].flatMap(({ prototype }) =>
    Object.getOwnPropertyNames(prototype),
  ),
);

/** A name that more functions than these bear says as little. */
const mostBearers = 6;

/** What a function or the top of a module uses: variables, and methods by their names. */
interface Uses {
  readonly variables: ReadonlySet<Variable>;
  readonly methods: ReadonlySet<string>;
}

function usesOf(body: readonly Statement[], origin: (variable: Variable) => Variable): Uses {
  const variables = new Set<Variable>();
  const methods = new Set<string>();
  eachExpression(body, (expression) => {
    if (expression.kind === 'variable') variables.add(origin(expression.variable));
    if (expression.kind !== 'call' || expression.callee.kind !== 'member') return;
    const name = written(expression.callee).split('.').at(-1) ?? '';
    if (!everybodys.has(name)) methods.add(name);
  });
  return { variables, methods };
}

/** The variables of modules that functions are kept in. */
export function variablesOfFunctions(module: Module): ReadonlyMap<Callable, Variable> {
  const found = new Map<Callable, Variable>();
  for (const statement of module.body) {
    const kept =
      statement.kind === 'let'
        ? statement
        : statement.kind === 'do' && statement.value.kind === 'assign'
          ? statement.value
          : null;
    if (kept?.target.kind === 'variable' && kept.value?.kind === 'function')
      found.set(kept.value.function, kept.target.variable);
  }
  return found;
}

/** Variables at the top of a module that are made of something that has to do with a model. */
function modelVariables({ body, source }: Module): readonly Variable[] {
  if (!hint.test(source)) return [];
  return body.flatMap((statement, index) => {
    const target =
      statement.kind === 'let'
        ? statement.target
        : statement.kind === 'do' && statement.value.kind === 'assign'
          ? statement.value.target
          : null;
    const made: Expression | null = statement.kind === 'let' ? statement.value : null;
    if (target?.kind !== 'variable' || made?.kind === 'function') return [];
    return hint.test(source.slice(statement.at, body[index + 1]?.at)) ? [target.variable] : [];
  });
}

/** Follows a variable that was imported to the one that it was in its own module. */
function origins({
  modules,
  offered,
}: Pick<Program, 'modules' | 'offered'>): (variable: Variable) => Variable {
  const from = new Map<Variable, Variable>();
  for (const module of modules) {
    for (const { variable, from: specifier, name } of module.imports) {
      const target = offered(module, specifier, name);
      if (target !== undefined) from.set(variable, target);
    }
  }
  return (variable) => {
    let at = variable;
    for (let next = from.get(at), hops = 0; next !== undefined && hops < 8; next = from.get(at), hops++)
      at = next;
    return at;
  };
}

/** The functions that may have to do with a model. */
export function relevant(program: Program): ReadonlySet<Callable> {
  const origin = origins(program);
  const keptAs = new Map<Callable, Variable>();
  const bearers = new Map<string, number>();
  const usersOf = { variables: new Map<Variable, Callable[]>(), methods: new Map<string, Callable[]>() };
  const found = new Set<Callable>();
  const open: Callable[] = [];
  const add = (callables: readonly Callable[] | undefined) => {
    for (const callable of callables ?? []) {
      if (found.has(callable)) continue;
      found.add(callable);
      open.push(callable);
    }
  };
  for (const module of program.modules) {
    for (const [callable, variable] of variablesOfFunctions(module)) keptAs.set(callable, variable);
    const speaks = hint.test(module.source);
    for (const callable of module.callables) {
      const { variables, methods } = usesOf(callable.body, origin);
      for (const variable of variables) listed(usersOf.variables, variable).push(callable);
      for (const method of methods) listed(usersOf.methods, method).push(callable);
      bearers.set(callable.name, (bearers.get(callable.name) ?? 0) + 1);
      if (speaks && (isTool(callable) || hint.test(module.source.slice(callable.at, callable.end))))
        add([callable]);
    }
  }
  for (const module of program.modules)
    for (const variable of modelVariables(module)) add(usersOf.variables.get(variable));
  for (let callable = open.pop(); callable !== undefined; callable = open.pop()) {
    const kept = keptAs.get(callable);
    const { name } = callable;
    if (kept !== undefined) add(usersOf.variables.get(kept));
    else if (name !== '' && (bearers.get(name) ?? 0) <= mostBearers) add(usersOf.methods.get(name));
  }
  return found;
}

/** By a decorator, or in Go by standing beside a name and a description. */
export function isTool({ decorators, name, class: shape, module }: Callable): boolean {
  if (module.language === 'go' && /^(call|run|execute|invoke|handle)$/.test(name))
    return shape?.methods.has('name') === true && shape.methods.has('description');
  return decorators.some((decorator) => /(^|\.)(tool|function_tool)(\(\))?$/.test(written(decorator)));
}

function listed<Key>(lists: Map<Key, Callable[]>, key: Key): Callable[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: Callable[] = [];
  lists.set(key, made);
  return made;
}
