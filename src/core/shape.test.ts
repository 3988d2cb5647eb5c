// Shapes: which input each accepts, which problems it reports, and its schema.

import { describe, expect, test } from 'vitest';
import { InputError } from './errors.ts';
import {
  choice,
  describe as described,
  either,
  flag,
  integer,
  json,
  list,
  nullable,
  object,
  optional,
  type Problem,
  readShape,
  record,
  type Shape,
  text,
} from './shape.ts';

function problemsOf(shape: Shape<unknown>, value: unknown): Problem[] {
  const problems: Problem[] = [];
  shape.read(value, [], (problem) => problems.push(problem));
  return problems;
}

const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true}}');

const accepted: [string, Shape<unknown>, unknown][] = [
  ['text', text(), ''],
  ['text with limits', text({ min: 2, max: 3 }), 'abc'],
  ['text with a pattern', text({ pattern: /^a+$/ }), 'aa'],
  ['an integer at its bounds', integer(-1, 1), -1],
  ['a flag', flag(), false],
  ['a choice', choice(['a', 'b']), 'b'],
  ['an empty list', list(flag()), []],
  ['a list at its limit', list(flag(), { max: 1 }), [true]],
  ['a record', record(integer(0, 9)), { constructor: 1 }],
  ['json', json(), { a: [null, 1.5, 'x', { b: true }] }],
  ['the first of two', either(text(), integer(0, 9)), 'a'],
  ['the second of two', either(text(), integer(0, 9)), 3],
  ['null where it may be', nullable(text()), null],
  ['a value that may be null', nullable(text()), 'a'],
  ['an object without its optional member', object({ a: optional(flag()) }), {}],
];

const refused: [string, Shape<unknown>, unknown, string, (string | number)[]][] = [
  ['a number for text', text(), 1, 'must be text, not a number', []],
  ['empty text', text({ min: 1 }), '', 'must not be empty', []],
  ['short text', text({ min: 3 }), 'ab', 'must have at least 3 characters', []],
  ['long text', text({ max: 1 }), 'ab', 'must have at most 1 characters', []],
  ['a lone surrogate', text(), '\ud800', 'must not have a lone surrogate', []],
  ['a pattern missed', text({ pattern: /^a$/, what: 'an a' }), 'b', 'must be an a', []],
  ['a pattern and a newline', text({ pattern: /^a$/, what: 'an a' }), 'a\n', 'must be an a', []],
  ['a fraction', integer(0, 9), 1.5, 'must be a whole number, not a number', []],
  ['text for an integer', integer(0, 9), '1', 'must be a whole number, not text', []],
  ['an integer too large', integer(0, 9), 10, 'must be between 0 and 9, not 10', []],
  ['an integer too small', integer(0, 9), -1, 'must be between 0 and 9, not -1', []],
  ['NaN', integer(0, 9), Number.NaN, 'must be a whole number, not a number', []],
  ['null for a flag', flag(), null, 'must be true or false, not null', []],
  ['a word that is near', choice(['block', 'warn']), 'blok', '(did you mean "block"?)', []],
  ['a word that is not', choice(['block']), 'xyz', 'must be one of block, not "xyz"', []],
  ['a list for a choice', choice(['block']), [], 'must be one of block, not a list', []],
  ['a table for a list', list(flag()), {}, 'must be a list, not a table', []],
  ['a wrong item', list(flag()), [true, 1], 'must be true or false, not a number', [1]],
  ['a list too long', list(flag(), { max: 1 }), [true, true], 'must have at most 1 items', []],
  ['a list for a record', record(flag()), [], 'must be a table, not a list', []],
  ['a wrong member', record(flag()), { a: 1 }, 'must be true or false, not a number', ['a']],
  ['__proto__ in a record', record(json()), hostile, 'the key "__proto__" is refused', ['__proto__']],
  ['__proto__ in json', json(), { a: [hostile] }, 'the key "__proto__" is refused', ['a', 0, '__proto__']],
  ['__proto__ in an object', object({}), hostile, 'unknown key "__proto__"', ['__proto__']],
  ['undefined in json', json(), [undefined], 'must be a JSON value, not undefined', [0]],
  ['a bigint in json', json(), 1n, 'must be a JSON value, not bigint', []],
  ['NaN in json', json(), [Number.NaN], 'must be a number that JSON holds exactly', [0]],
  ['an unsafe integer in json', json(), 2 ** 53, 'must be a number that JSON holds exactly', []],
  ['a lone surrogate in json', json(), ['\udc00'], 'must not have a lone surrogate', [0]],
  ['a lone surrogate in a key', json(), { '\udc00': 1 }, 'must not have a lone surrogate in a key', []],
  ['neither null nor what it may be', nullable(flag()), 1, 'must be true or false, not a number', []],
  ['neither of two', either(text(), flag()), 1, 'must be true or false, not a number', []],
  ['text for an object', object({}), 'a', 'must be a table, not text', []],
  ['a missing member', object({ a: flag() }), {}, '"a" is missing', []],
  ['an unknown key', object({ port: flag() }), { port: true, prot: 1 }, 'did you mean "port"?', ['prot']],
  ['a far key', object({ port: optional(flag()) }), { xyz: 1 }, 'known here: port', ['xyz']],
  [
    'an inherited key',
    object({ a: optional(flag()) }),
    { toString: 1 },
    'unknown key "toString"',
    ['toString'],
  ],
];

describe('read', () => {
  test.each(accepted)('takes %s', (_, shape, value) => {
    expect(problemsOf(shape, value)).toEqual([]);
    expect(readShape(shape, value)).toEqual(value);
  });

  test.each(refused)('reports %s', (_, shape, value, message, path) => {
    const problems = problemsOf(shape, value);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
    expect(problems[0]?.path).toEqual(path);
  });

  test('reports every problem, not only the first', () => {
    const shape = object({ a: flag(), b: list(integer(0, 9)) });
    expect(problemsOf(shape, { b: [10, 'x', 1], c: 1 })).toHaveLength(4);
  });

  test('json ends at the deepest nesting that text may have', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100; depth++) value = [value];
    expect(problemsOf(json(), value)).toMatchObject([{ message: 'nested deeper than 64' }]);
  });

  test('what was read has no foreign prototype', () => {
    const read = record(json()).read(hostile, [], () => undefined);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect('polluted' in read).toBe(false);
  });
});

describe('readShape', () => {
  test('throws the first problem with its pointer', () => {
    const shape = object({ a: list(flag()) });
    let thrown: unknown;
    try {
      readShape(shape, { a: [true, 1] });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InputError);
    expect(thrown).toMatchObject({
      pointer: '/a/1',
      message: '/a/1: must be true or false, not a number',
    });
  });

  test('names no pointer for the whole value', () => {
    expect(() => readShape(flag(), 1)).toThrow(/^must be true or false/);
  });
});

test('the schema says what the shape reads', () => {
  const shape = object({
    a: described('An a.', text({ min: 1, max: 9, pattern: /^a/ })),
    b: optional(list(integer(0, 5), { max: 2 })),
    c: optional(record(either(flag(), choice(['x'])))),
    d: optional(json()),
  });
  expect(shape.schema()).toEqual({
    type: 'object',
    properties: {
      a: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', description: 'An a.' },
      b: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 5 }, maxItems: 2 },
      c: { type: 'object', additionalProperties: { anyOf: [{ type: 'boolean' }, { enum: ['x'] }] } },
      d: {},
    },
    required: ['a'],
    additionalProperties: false,
  });
});
