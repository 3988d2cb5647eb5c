// Operators on two values, as far as the languages agree.

import type { Machine } from './machine.ts';
import { joinAll, number, type Thing, truth, unknown } from './things.ts';

/** The value of an operator; where a side may be several things, it may be any of the values. */
export function combine(machine: Machine, operator: string, left: Thing, right: Thing): Thing {
  if (left.kind === 'either')
    return joinAll(left.options.map((option) => combine(machine, operator, option, right)));
  if (right.kind === 'either')
    return joinAll(right.options.map((option) => combine(machine, operator, left, option)));
  return machine.dialect.binary(operator, left, right, machine);
}

/** The operators on two numbers that every language has. */
const operators: ReadonlyMap<string, (left: number, right: number) => number | boolean> = new Map<
  string,
  (left: number, right: number) => number | boolean
>([
  ['+', (left, right) => left + right],
  ['-', (left, right) => left - right],
  ['*', (left, right) => left * right],
  ['/', (left, right) => left / right],
  ['**', (left, right) => left ** right],
  ['<', (left, right) => left < right],
  ['>', (left, right) => left > right],
  ['<=', (left, right) => left <= right],
  ['>=', (left, right) => left >= right],
  ['==', (left, right) => left === right],
  ['!=', (left, right) => left !== right],
]);

/** What an operator on two numbers gives in every language. */
export function calculated(operator: string, left: number, right: number): Thing {
  const value = operators.get(operator)?.(left, right);
  if (value === undefined) return unknown;
  return typeof value === 'number' ? number(value) : truth(value);
}
