// Which functions of a program may have to do with a model: by what they say, and by whom they use.

import type { Callable, Expression, Module, Statement, Variable } from './ir.ts';
import { eachExpression, hint, type Program, written } from './program.ts';

/** Methods that everything has: whoever calls one of them need not mean the one of that name. */
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
export function keptIn(module: Module): ReadonlyMap<Callable, Variable> {
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
  const found = new Set<Callable>();
  const wanted = { variables: new Set<Variable>(), methods: new Set<string>() };
  const all = program.modules.flatMap((module) => {
    const kept = keptIn(module);
    for (const variable of modelVariables(module)) wanted.variables.add(variable);
    return module.callables.map((callable) => ({
      callable,
      kept: kept.get(callable),
      uses: usesOf(callable.body, origin),
      speaks: hint.test(module.source.slice(callable.at, callable.end)),
    }));
  });
  const bearers = new Map<string, number>();
  for (const { callable } of all) bearers.set(callable.name, (bearers.get(callable.name) ?? 0) + 1);
  const isWanted = ({ variables, methods }: Uses) =>
    [...variables].some((variable) => wanted.variables.has(variable)) ||
    [...methods].some((method) => wanted.methods.has(method));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { callable, kept, uses, speaks } of all) {
      if (found.has(callable) || !(speaks || isWanted(uses))) continue;
      found.add(callable);
      if (kept !== undefined) wanted.variables.add(kept);
      else if (callable.name !== '' && (bearers.get(callable.name) ?? 0) <= mostBearers)
        wanted.methods.add(callable.name);
      changed = true;
    }
  }
  return found;
}
