import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/index.ts';
import { checkFor } from './schemas.ts';

function check(schema: JsonObject) {
  const made = checkFor(schema);
  if ('refused' in made) throw new Error(`refused: ${made.refused}`);
  return made;
}

const person: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' },
    age: { type: 'integer', minimum: 0 },
    kind: { enum: ['a', 'b'] },
    friends: { type: 'array', items: { $ref: '#' }, uniqueItems: true },
  },
  required: ['name'],
  additionalProperties: false,
};

describe('a schema', () => {
  it.each([
    [{ name: 'ann' }, null],
    [{ name: 'ann', friends: [{ name: 'bob' }] }, null],
    [{}, { pointer: '', message: '"name" is missing' }],
    [
      { name: 'ann', age: '3' },
      { pointer: '/age', message: 'must be integer' },
    ],
    [
      { name: 'ann', agee: 3 },
      { pointer: '', message: 'has no argument "agee"' },
    ],
    [
      { name: 'ann', kind: 'c' },
      { pointer: '/kind', message: 'must be one of ["a","b"]' },
    ],
    [
      { name: 'ann', friends: [{ name: 3 }] },
      { pointer: '/friends/0/name', message: 'must be string' },
    ],
  ])('makes of %j: %j', (value, problem) => {
    expect(check(person)(value)).toEqual(problem);
  });

  it('does not take the prototype for a member', () => {
    const made = check({ type: 'object', required: ['toString'] });
    expect(made({})).toMatchObject({ message: '"toString" is missing' });
    expect(made({ toString: 1 })).toBeNull();
  });

  it('is compiled once, whatever object brings it', () => {
    expect(checkFor(structuredClone(person))).toBe(checkFor(person));
  });

  it('bounds what a pattern reads and how many items must differ', () => {
    expect(check(person)({ name: 'a'.repeat(5000) })).toMatchObject({ pointer: '/name' });
    const many = Array.from({ length: 300 }, (_, index) => ({ name: `a${index}` }));
    expect(check(person)({ name: 'ann', friends: many })).toMatchObject({ pointer: '/friends' });
  });

  it('shows no value in a problem', () => {
    const problem = check({ type: 'object', properties: { a: { type: 'number' } } })({ a: 'hunter2' });
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });
});

describe('is refused', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      at === 39
        ? { type: 'object' }
        : { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  );
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    ['a reference elsewhere', { $ref: 'https://example.com/schema.json' }, 'outside of itself'],
    ['a reference to a file', { properties: { a: { $ref: 'file:///etc/passwd' } } }, 'outside of itself'],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 'missing names'],
    ['a reference to itself', { $ref: '#' }, 'without an end'],
    [
      'a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      'without',
    ],
    ['an id inside', { properties: { a: { $id: 'https://example.com/a' } } }, '$id'],
    ['a pattern that explodes', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, 'pattern'],
    ['a name that explodes', { patternProperties: { '^(a|a)*$': {} } }, 'pattern'],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, 'pattern'],
    ['a long pattern', { properties: { a: { pattern: 'a'.repeat(600) } } }, 'pattern'],
    ['a long schema', { description: 'a'.repeat(70_000) }, 'characters'],
    ['what is no schema', { type: 'thing' }, 'no JSON Schema'],
    [
      'a deep schema',
      Array.from({ length: 50 }).reduce<JsonObject>((inner) => ({ not: inner }), {}),
      'nested deeper',
    ],
  ];
  it.each(cases)('%s', (_, schema, why) => {
    expect(checkFor(schema)).toEqual({ refused: expect.stringContaining(why) });
  });

  it('a value that references would double on at every step, before they are followed', () => {
    const made = check({ $defs: doubling, $ref: '#/$defs/d0' } as unknown as JsonObject);
    expect(made({})).toEqual({ pointer: '', message: 'is too large to be checked' });
    const tree = check({ properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] } } });
    const deep = Array.from({ length: 30 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    expect(tree(deep)).toEqual({ pointer: '', message: 'is too large to be checked' });
    expect(tree({ a: { a: {} } })).toBeNull();
  });
});
