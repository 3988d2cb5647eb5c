// Reading TOML into plain values: which inputs are refused, and which values come from the environment.

import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonPointer } from '../core/index.ts';
import {
  loadTomlParser,
  placeProblems,
  readToml,
  type TomlParser,
  tomlParser,
  type Variables,
} from './toml.ts';

let parse: TomlParser;

beforeAll(async () => {
  parse = await loadTomlParser();
});

function read(text: string, variables: Variables = {}) {
  const document = readToml(parse, text, variables);
  if (!('value' in document)) throw new Error(document.message);
  return document;
}

test('the parser is in memory once it was loaded', () => {
  expect(tomlParser()).toBe(parse);
});

describe('values', () => {
  test('become plain JSON values', () => {
    const { value, problems } = read('a = 1\nb = -0.0\nc = [true, "x", { d = 0x10 }]\n[e.f]\ng = 1_000');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: 1, b: 0, c: [true, 'x', { d: 16 }], e: { f: { g: 1000 } } });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test.each([
    ['a date', 'a = 1979-05-27', 'must not be a date'],
    ['a time', 'a = 07:32:00', 'must not be a date'],
    ['a date and time', 'a = 1979-05-27T07:32:00Z', 'must not be a date'],
    ['infinity', 'a = inf', 'must be a finite number'],
    ['not a number', 'a = nan', 'must be a finite number'],
  ])('refuses %s', (_, text, message) => {
    expect(read(text).problems).toMatchObject([{ path: ['a'], message: expect.stringContaining(message) }]);
  });

  test.each([
    ['a table', '[__proto__]\nx = 1', ['__proto__']],
    ['a key', '__proto__ = 1', ['__proto__']],
    ['a dotted key', 'a.__proto__.b = 1', ['a', '__proto__']],
    ['a quoted key', '"__pr\\u006fto__" = 1', ['__proto__']],
    ['an inline table', 'a = { __proto__ = { b = 1 } }', ['a', '__proto__']],
  ])('refuses __proto__ as %s', (_, text, path) => {
    const { value, problems } = read(text);
    expect(problems).toEqual([{ path, message: 'the key "__proto__" is refused' }]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('x' in value || 'b' in value).toBe(false);
  });

  test('refuses deep nesting of tables, and of anything else', () => {
    const deep = `a${'.a'.repeat(100_000)} = 1`;
    expect(read(deep).problems).toMatchObject([{ message: 'nested deeper than 16' }]);
    expect(readToml(parse, `a = ${'['.repeat(100_000)}`, {})).toMatchObject({
      message: expect.stringContaining('nested'),
    });
  });
});

describe('syntax errors', () => {
  test.each([
    ['[daemon\nport = 1', 1],
    ['a = 1\nb = ', 2],
    ['a = 1\na = 2', 2],
    ['a = 9007199254740993', 1],
    ['a = "\\ud800"', 1],
    ['a = "x', 1],
    ['\n\n= 1', 3],
  ])('%j is a problem in line %i', (text, line) => {
    const found = readToml(parse, text, {});
    expect(found).toMatchObject({ line, message: expect.stringContaining('not readable as TOML: ') });
  });

  test('show nothing of the file', () => {
    const found = readToml(parse, 'password = "hunter2" oops', {});
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  test('no text makes the reader throw', () => {
    const pieces = [
      '[',
      ']',
      '{',
      '}',
      '=',
      '.',
      ',',
      '"',
      "'",
      '"""',
      '\\',
      '#',
      '\n',
      ' ',
      'a',
      '1',
      '-',
      ':',
      '${',
    ];
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: fc.constantFrom(...pieces) }), fc.string()), (text) => {
        expect(readToml(parse, text, {})).toBeTypeOf('object');
      }),
      { numRuns: 3000 },
    );
  });
});

describe('variables', () => {
  const variables = { A: 'one', B: '${A}', EMPTY: '', _x1: 'low' };
  const inside = (text: string) => read(`a = '${text}'`, variables);

  test.each([
    ['plain', 'plain'],
    ['${A}', 'one'],
    ['x${A}y${_x1}z', 'xoneylowz'],
    ['${EMPTY}', ''],
    ['${B}', '${A}'],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['$A', '$A'],
    ['$', '$'],
    ['env:A', 'one'],
    ['env:B', '${A}'],
    ['an env:A', 'an env:A'],
    ['env: a note', 'env: a note'],
    ['env:A B', 'env:A B'],
  ])('%j becomes %j', (text, expected) => {
    const { value, problems } = inside(text);
    expect(problems).toEqual([]);
    expect(value['a']).toBe(expected);
  });

  test.each([
    ['${MISSING}', 'the environment variable "MISSING" is not set'],
    ['env:MISSING', 'the environment variable "MISSING" is not set'],
    ['${toString}', 'the environment variable "toString" is not set'],
    ['${__proto__}', 'the environment variable "__proto__" is not set'],
    ['${}', 'must be followed by a name'],
    ['${1A}', 'must be followed by a name'],
    ['${A', 'must be followed by a name'],
    ['${A:-b}', 'must be followed by a name'],
    ['${ A }', 'must be followed by a name'],
  ])('%j is a problem', (text, message) => {
    expect(inside(text).problems).toMatchObject([{ path: ['a'], message: expect.stringContaining(message) }]);
  });

  test('stand in lists and tables, and are remembered by their place', () => {
    const { value, borrowed } = read('[a]\nb = ["x", "${A}", { c = "env:A" }]', variables);
    expect(value).toEqual({ a: { b: ['x', 'one', { c: 'one' }] } });
    expect([...borrowed]).toEqual([
      ['/a/b/1', ['A']],
      ['/a/b/2/c', ['A']],
    ]);
  });

  test('are never filled into keys', () => {
    expect(read('"${A}" = 1', variables).value).toEqual({ '${A}': 1 });
  });

  test.each(['${A}', '$${A}', 'x ${', 'env:A', 'env:'])('%j is refused where none may stand', (text) => {
    const { problems, value } = read(`a = '${text}'`, null);
    expect(problems).toMatchObject([{ message: expect.stringContaining('not trusted') }]);
    expect(value['a']).toBe(text);
  });

  test('any text without a reference stays as it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('${') && !text.startsWith('env:')),
        (text) => {
          const { value } = read(`a = ${JSON.stringify(text).replaceAll('\u007f', '\\u007f')}`, variables);
          expect(value['a']).toBe(text);
        },
      ),
    );
  });
});

describe('placeProblems', () => {
  test('puts problems where they stand, and says each value once', () => {
    const text = 'a = 1979-05-27\n[b]\nc = [1, 2]';
    const document = read(text);
    const placed = placeProblems(text, document, [
      { path: ['a'], message: 'must be a whole number, not null' },
      { path: ['b', 'c', 1], message: 'must be text, not a number' },
      { path: ['b'], message: '"d" is missing' },
    ]);
    expect(placed).toEqual([
      { line: 1, column: 1, message: 'a must not be a date; write it as text in quotes' },
      { line: 3, column: 9, message: 'b.c[2] must be text, not a number' },
      { line: 2, column: 2, message: '"d" is missing' },
    ]);
  });

  test('shows the name of a variable and never its value', () => {
    const text = 'a = "${SECRET}x${OTHER}"';
    const document = read(text, { SECRET: 'hunter2', OTHER: 'hunter3' });
    const placed = placeProblems(text, document, [
      { path: ['a'], message: 'must be b, not "hunter2xhunter3"' },
    ]);
    expect(placed).toEqual([
      {
        line: 1,
        column: 1,
        message: 'the value that the environment gives (SECRET, OTHER) does not fit here',
      },
    ]);
  });

  test('shows the first twenty and counts the rest', () => {
    const text = Array.from({ length: 30 }, (_, index) => `k${index} = 1`).join('\n');
    const document = read(text);
    const found = Object.keys(document.value).map((key) => ({ path: [key], message: `unknown ${key}` }));
    const placed = placeProblems(text, document, found);
    expect(placed).toHaveLength(21);
    expect(placed[20]).toEqual({ line: 20, column: 1, message: '… and 10 more problems' });
  });

  test('writes keys as the file would', () => {
    const document = read('[a."b c"]\nd = 1');
    const path = ['a', 'b c', 'd'];
    const [placed] = placeProblems('[a."b c"]\nd = 1', document, [{ path, message: 'must be text' }]);
    expect(placed).toEqual({ line: 2, column: 1, message: 'a."b c".d must be text' });
    expect(jsonPointer(path)).toBe('/a/b c/d');
  });
});
