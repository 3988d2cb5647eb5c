// What an expression is worth, and where a pattern puts it.

import { combine } from './arithmetic.ts';
import { argumentsOf, callExpression, classOf, functionOf } from './calls.ts';
import type { Machine } from './machine.ts';
import {
  getAttribute,
  getItem,
  itemsOf,
  mostItems,
  mostRounds,
  setAttribute,
  setItem,
  sliceOf,
} from './objects.ts';
import type { Completion, Expression, Pattern } from './program.ts';
import {
  concat,
  join,
  joinAll,
  list,
  literals,
  map,
  merge,
  none,
  originsOf,
  restKey,
  type Scope,
  type Thing,
  truth,
  truthOf,
  unknown,
  unknownFrom,
} from './things.ts';
import { walkWays } from './ways.ts';

/** Expressions and blocks within one another, through all calls. */
const deepest = 400;

/** Puts a value under a name. */
export function assignName(machine: Machine, name: string, value: Thing, declares: boolean): void {
  let { scope } = machine.frame;
  const elsewhere = scope.outer.get(name);
  if (elsewhere) scope = elsewhere;
  else if (!declares) {
    let found: Scope | null = scope;
    while (found && !found.names.has(name)) found = found.parent;
    scope = found ?? machine.globals;
  }
  machine.set(scope.names, name, value);
}

/** Puts a value where a pattern says. */
export function assign(machine: Machine, pattern: Pattern, value: Thing): void {
  switch (pattern.form) {
    case 'name':
      assignName(machine, pattern.name, value, pattern.declares);
      return;
    case 'attribute':
      setAttribute(machine, evaluate(machine, pattern.object), pattern.name, value);
      return;
    case 'item':
      setItem(machine, evaluate(machine, pattern.object), evaluate(machine, pattern.key), value);
      return;
    case 'fallback':
      assign(machine, pattern.to, value.kind === 'none' ? evaluate(machine, pattern.value) : value);
      return;
    case 'map':
      for (const { key, to } of pattern.items) {
        const name = literals(evaluate(machine, key))?.[0];
        assign(machine, to, name === undefined ? unknown : getAttribute(machine, value, name));
      }
      return;
    case 'list': {
      const items = itemsOf(machine, value);
      const { rest } = pattern;
      pattern.items.forEach((to, index) => {
        if (!to) return;
        if (!items.exact) {
          const any = joinAll(items.items);
          assign(machine, to, index === rest ? list([any], false) : any);
        } else if (rest !== null && index === rest) {
          const after = pattern.items.length - 1 - rest;
          assign(machine, to, list(items.items.slice(rest, Math.max(rest, items.items.length - after))));
        } else {
          const from =
            rest !== null && index > rest ? items.items.length - pattern.items.length + index : index;
          assign(machine, to, items.items[from] ?? unknown);
        }
      });
    }
  }
}

/** Whether nothing further down is followed; that is noted. */
export function isTooDeep(machine: Machine): boolean {
  if (machine.depth < deepest) return false;
  machine.record.unknown('code that is nested too deeply', machine.frame.code?.span ?? [0, 0]);
  return true;
}

/** What an expression is worth. */
export function evaluate(machine: Machine, expression: Expression): Thing {
  machine.spend(1);
  if (isTooDeep(machine)) return unknown;
  machine.depth++;
  try {
    return valueIn(machine, expression);
  } finally {
    machine.depth--;
  }
}

function valueIn(machine: Machine, expression: Expression): Thing {
  switch (expression.form) {
    case 'constant':
      return expression.thing;
    case 'name':
      return machine.lookup(expression.name);
    case 'attribute':
      return getAttribute(machine, evaluate(machine, expression.object), expression.name);
    case 'item':
      return getItem(machine, evaluate(machine, expression.object), evaluate(machine, expression.key));
    case 'slice':
      return sliceOf(
        machine,
        evaluate(machine, expression.object),
        expression.bounds.map((bound) => (bound ? evaluate(machine, bound) : none)),
      );
    case 'call':
      return callExpression(machine, expression);
    case 'binary': {
      // A long sum leans to the left: it is walked, not descended into.
      const chain: (Expression & { form: 'binary' })[] = [];
      let first: Expression = expression;
      while (first.form === 'binary') {
        chain.push(first);
        first = first.left;
      }
      let result = evaluate(machine, first);
      for (const { operator, right } of chain.toReversed()) {
        machine.spend(1);
        result = combine(machine, operator, result, evaluate(machine, right));
      }
      return result;
    }
    case 'logic': {
      const left = evaluate(machine, expression.left);
      const known = expression.operator === 'else' ? (left.kind === 'none' ? false : null) : truthOf(left);
      if (expression.operator === 'and' ? known === false : known === true) return left;
      let right: Thing = unknown;
      walkWays(machine, [
        ...(known === null ? [(): Completion => 'next'] : []),
        () => {
          right = evaluate(machine, expression.right);
          return 'next';
        },
      ]);
      return known === null ? join(left, right) : right;
    }
    case 'unary': {
      const value = evaluate(machine, expression.value);
      const known = truthOf(value);
      if (expression.operator === 'not') return known === null ? unknown : truth(!known);
      if (expression.operator === '-' && value.kind === 'number')
        return { kind: 'number', value: -value.value };
      if (expression.operator === '~' && value.kind === 'number')
        return { kind: 'number', value: ~value.value };
      return expression.operator === '+' || expression.operator === 'await'
        ? value
        : unknownFrom(originsOf(value));
    }
    case 'choice': {
      const known = truthOf(evaluate(machine, expression.test));
      if (known !== null) return evaluate(machine, known ? expression.yes : expression.no);
      const results: Thing[] = [];
      walkWays(
        machine,
        [expression.yes, expression.no].map((way) => () => {
          results.push(evaluate(machine, way));
          return 'next';
        }),
      );
      return joinAll(results);
    }
    case 'list': {
      const { args, exact } = argumentsOf(machine, expression.items);
      return list(args, exact);
    }
    case 'map': {
      const made = map([]);
      for (const { key, value } of expression.items) {
        const held = evaluate(machine, value);
        if (key) setItem(machine, made, evaluate(machine, key), held);
        else if (held.kind === 'map') for (const [name, entry] of held.entries) made.entries.set(name, entry);
        else made.entries.set(restKey, unknownFrom(originsOf(held)));
      }
      return made;
    }
    case 'function':
      return functionOf(machine, expression.code);
    case 'class':
      return classOf(machine, expression.code);
    case 'template': {
      const parts = expression.parts.map((part) => evaluate(machine, part));
      return concat(parts.map(machine.dialect.print), {
        origins: merge(...parts.map((part) => originsOf(part))),
        form: expression.bytes ? 'bytes' : 'string',
      });
    }
    case 'comprehension':
      return comprehension(machine, expression);
    case 'assign': {
      const value = evaluate(machine, expression.value);
      assign(machine, expression.to, value);
      return value;
    }
    case 'sequence': {
      let value: Thing = none;
      for (const item of expression.items) value = evaluate(machine, item);
      return value;
    }
    case 'yield': {
      const value = expression.value ? evaluate(machine, expression.value) : none;
      machine.frame.yields.push(expression.all ? joinAll(itemsOf(machine, value).items) : value);
      return unknown;
    }
  }
}

function comprehension(
  machine: Machine,
  { shape, clauses, key, value }: Expression & { form: 'comprehension' },
): Thing {
  const scope: Scope = { names: new Map(), parent: machine.frame.scope, outer: new Map() };
  const outer = machine.frame;
  machine.frame = { ...outer, scope };
  const found: Thing[] = [];
  const made = map([]);
  let exact = true;
  const walk = (index: number): void => {
    const clause = clauses[index];
    if (!clause) {
      const held = evaluate(machine, value);
      if (key) setItem(machine, made, evaluate(machine, key), held);
      else found.push(held);
      return;
    }
    if ('test' in clause) {
      const known = truthOf(evaluate(machine, clause.test));
      if (known === null) exact = false;
      if (known !== false) walk(index + 1);
      return;
    }
    const row = itemsOf(machine, evaluate(machine, clause.of));
    if (row.exact && row.items.length <= mostRounds && machine.exact) {
      for (const item of row.items) {
        assign(machine, clause.to, item);
        walk(index + 1);
        if (!machine.exact) {
          exact = false;
          break;
        }
      }
    } else {
      exact = false;
      assign(machine, clause.to, joinAll(row.items));
      walk(index + 1);
    }
  };
  walk(0);
  machine.frame = outer;
  return shape === 'map'
    ? made
    : list(found.length <= mostItems ? found : [joinAll(found)], exact && found.length <= mostItems);
}
