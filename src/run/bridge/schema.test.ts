// Tests of how schemas are read: which keys a call needs, whatever a schema is made of.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { propertiesOf, requiredOf } from './schema.ts';

const a: JsonObject = { properties: { a: {} }, required: ['a'] };
const b: JsonObject = { properties: { b: {} }, required: ['b'] };
const both: JsonObject = { properties: { a: {}, b: {} }, required: ['a', 'b'] };

describe('the keys of', () => {
  it.each<[JsonObject, readonly string[], readonly string[]]>([
    [{}, [], []],
    [a, ['a'], ['a']],
    [{ allOf: [a, b] }, ['a', 'b'], ['a', 'b']],
    [{ anyOf: [a, b] }, ['a', 'b'], []],
    [{ oneOf: [a, both] }, ['a', 'b'], ['a']],
    [{ oneOf: [] }, [], []],
    [{ $ref: '#/$defs/x', $defs: { x: a } }, ['a'], ['a']],
    [{ $ref: '#/$defs/x~1y%20z', $defs: { 'x/y z': b } }, ['b'], ['b']],
    [{ $ref: '#', ...a }, ['a'], ['a']],
    [{ $ref: 'other.json', ...a }, ['a'], ['a']],
    [{ allOf: [{ $ref: '#' }, b] }, ['b'], ['b']],
    [{ anyOf: [{ $ref: '#' }, b] }, ['b'], []],
    [{ required: 'a', properties: ['b'], allOf: { a }, anyOf: [true, 3] }, [], []],
    [{ required: ['a', 1, null, 'a'] }, [], ['a']],
  ])('%j', (schema, known, required) => {
    expect(Object.keys(propertiesOf(schema)).toSorted()).toEqual(known);
    expect(requiredOf(schema)).toEqual(required);
  });

  it('a schema whose ways double at every step are found in time', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 64 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { anyOf: [next, next], allOf: [next, next] }] as const;
      }),
    );
    expect(requiredOf({ ...a, $ref: '#/$defs/d0', $defs })).toEqual(['a']);
    expect(Object.keys(propertiesOf({ ...a, $ref: '#/$defs/d0', $defs }))).toEqual(['a']);
  });
});
