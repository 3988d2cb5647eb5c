// A budget ends in a refusal, exactly when it is used up.

import { expect, test } from 'vitest';
import { BudgetExceeded, exitCodes, InputError, messageOf, SallyportError, UsageError } from './errors.ts';
import { Budget } from './guard.ts';

test('a budget gives all of its steps and not one more', () => {
  const budget = new Budget(3);
  budget.spend();
  budget.spend(2);
  expect(() => budget.spend()).toThrow(BudgetExceeded);
  expect(() => budget.spend()).toThrow('more than 3 steps');
});

test('errors carry their name, their hint and their exit code', () => {
  expect(new BudgetExceeded('x')).toMatchObject({ name: 'BudgetExceeded', exitCode: exitCodes.failed });
  expect(new InputError('x', { pointer: '/a', hint: 'h' })).toMatchObject({
    name: 'InputError',
    pointer: '/a',
    hint: 'h',
    exitCode: exitCodes.usage,
  });
  expect(new UsageError('x', 'h')).toMatchObject({ hint: 'h', exitCode: exitCodes.usage });
  const cause = new Error('why');
  expect(new SallyportError('x', { cause }).cause).toBe(cause);
});

test('messageOf reads anything that was thrown', () => {
  expect(messageOf(new Error('a'))).toBe('a');
  expect(messageOf('b')).toBe('b');
  expect(messageOf(undefined)).toBe('undefined');
});
