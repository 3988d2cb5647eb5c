// Strict reading and the canonical form: published vectors, refusals, and invariants.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from './errors.ts';
import {
  canonicalJson,
  decodeUtf8,
  isJsonObject,
  type JsonValue,
  jsonPointer,
  maxJsonDepth,
  parseJson,
} from './json.ts';

const wellFormed = fc.string({ unit: 'binary' });
const number = fc
  .oneof(fc.maxSafeInteger(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))
  .map((value) => (value === 0 ? 0 : value));

const { value: jsonValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.constantFrom<JsonValue>(null, true, false, 0, '', 'a'),
    number,
    wellFormed,
    fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }),
    fc.dictionary(
      wellFormed.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true, depthIdentifier: 'json' },
    ),
  ),
}));

// Few values, so that two of them are often the same.
const { value: smallValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<JsonValue>(null, true, 0, 1, '', '1', 'null'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('', 'a', 'b'), tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
}));

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

function fromBits(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

describe('canonicalJson', () => {
  test.each([2, 24, 25, 200])('sorts %i keys, in whatever order they came', (count) => {
    const names = Array.from({ length: count }, (_, at) => `k${String(at).padStart(3, '0')}`);
    const expected = `{${names.map((name) => `"${name}":1`).join(',')}}`;
    const turned = [...names.slice(count >> 1), ...names.slice(0, count >> 1)];
    for (const order of [names, names.toReversed(), turned]) {
      expect(canonicalJson(Object.fromEntries(order.map((name) => [name, 1])))).toBe(expected);
    }
  });

  // RFC 8785, appendix B.
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s as %s', (bits, expected) => {
    expect(canonicalJson(fromBits(bits))).toBe(expected);
  });

  test.each([['7fffffffffffffff'], ['7ff0000000000000'], ['fff0000000000000']])(
    'has no form for the double %s',
    (bits) => {
      expect(() => canonicalJson(fromBits(bits))).toThrow(InputError);
    },
  );

  test('sorts keys by UTF-16 units (RFC 8785, 3.2.3)', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const order = [...canonicalJson(value).matchAll(/:"([^"]*)"/g)].map((found) => found[1]);
    expect(order).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  test('writes the sample of RFC 8785, 3.2.2', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27],
      string: '\u20ac$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('writes every character as JSON.stringify does, and no surrogate alone', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const text = `a${String.fromCharCode(code)}b`;
      if (text.isWellFormed()) expect(canonicalJson(text)).toBe(JSON.stringify(text));
      else expect(() => canonicalJson(text)).toThrow(InputError);
    }
    expect(canonicalJson('\u{1f600}"')).toBe('"\u{1f600}\\""');
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a bigint', 1n],
    ['a hole', new Array(2)],
    ['a date', new Date(0)],
    ['a map', new Map([['a', 1]])],
    ['a set in a list', [new Set([1])]],
    ['bytes', new Uint8Array([1])],
    ['an error', { cause: new Error('x') }],
    ['a lone surrogate', 'a\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
  ])('has no form for %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(InputError);
  });

  test('leaves out members that are undefined, and takes objects without a prototype', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  test('is injective: two values have the same form exactly if they are the same value', () => {
    const same = (a: JsonValue, b: JsonValue) => {
      expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(a, b));
    };
    fc.assert(fc.property(smallValue, smallValue, same), { numRuns: 2000 });
    fc.assert(fc.property(jsonValue, jsonValue, same));
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test('is read back as the same value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(isDeepStrictEqual(parseJson(canonicalJson(value)), value)).toBe(true);
      }),
    );
  });
});

describe('parseJson', () => {
  test('reads what the engine wrote just as it reads any other text', () => {
    const came = (text: string): unknown => {
      try {
        return { value: parseJson(text) };
      } catch (error) {
        return error instanceof InputError ? 'refused' : error;
      }
    };
    const odd = fc.constantFrom('__proto__', '\ud800', '\udc00', 'a', 2 ** 53, 1e21, -0, 1.5e300, '😀');
    const any = fc.oneof(fc.jsonValue({ maxDepth: 5 }), jsonValue, odd);
    const named = fc.dictionary(fc.constantFrom('__proto__', '\ud800', '2', '1', 'a'), any, { maxKeys: 3 });
    const deep = fc.integer({ min: 60, max: 70 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
    const text = fc.oneof(
      fc.oneof(any, named).map((value) => JSON.stringify(value)),
      deep,
    );
    // A blank before it, and it is read sign by sign.
    fc.assert(
      fc.property(text, (written) => {
        expect(came(written)).toStrictEqual(came(` ${written}`));
      }),
    );
  });

  test.each<[string, JsonValue]>([
    ['null', null],
    [' \t\r\n true ', true],
    ['-0', 0],
    ['-0.0', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['1E+2', 100],
    ['25e-1', 2.5],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['""', ''],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"\\u20AC\\u20ac"', '€€'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\u007f\u2028"', '\u007f\u2028'],
    ['[]', []],
    ['[ ]', []],
    ['{ }', {}],
    ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
    ['{"":1}', { '': 1 }],
  ])('reads %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  test.each([
    ['nothing', ''],
    ['only white space', ' '],
    ['a duplicate key', '{"a":1,"a":2}'],
    ['a duplicate key in another spelling', '{"a":1,"\\u0061":2}'],
    ['a duplicate key that was inherited', '{"toString":1,"toString":2}'],
    ['__proto__', '{"__proto__":1}'],
    ['__proto__ in another spelling', '{"__pr\\u006fto__":1}'],
    ['__proto__ deep inside', '[{"a":{"__proto__":{}}}]'],
    ['an unsafe integer', '9007199254740992'],
    ['a negative unsafe integer', '-9007199254740992'],
    ['an unsafe integer in exponent form', '1e21'],
    ["an unsafe integer in the engine's own spelling", '{"a":-1e+21}'],
    ['a fraction that rounds to an unsafe integer', '9007199254740993.5'],
    ['an overflow', '1e400'],
    ['a negative overflow', '-1e400'],
    ['an escaped lone high surrogate', '"\\ud800"'],
    ['an escaped lone low surrogate', '"\\udc00"'],
    ['escaped surrogates the wrong way round', '"\\ude00\\ud83d"'],
    ['a raw lone surrogate', '"\ud800"'],
    ['a lone surrogate in a key', '{"\\ud800":1}'],
    ['a byte order mark', '\ufeff{}'],
    ['a trailing comma in a list', '[1,]'],
    ['a trailing comma in an object', '{"a":1,}'],
    ['a leading comma', '[,1]'],
    ['a missing comma', '[1 2]'],
    ['a missing colon', '{"a" 1}'],
    ['a missing value', '{"a":}'],
    ['a raw newline in a string', '"a\nb"'],
    ['a raw tab in a string', '"a\tb"'],
    ['a raw NUL in a string', '"a\u0000b"'],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['-Infinity', '-Infinity'],
    ['a leading zero', '01'],
    ['a negative leading zero', '-01'],
    ['a plus', '+1'],
    ['a bare fraction', '.5'],
    ['an open fraction', '1.'],
    ['an open exponent', '1e'],
    ['a bare minus', '-'],
    ['a hexadecimal number', '0x10'],
    ['single quotes', "'a'"],
    ['a single-quoted key', "{'a':1}"],
    ['a bare key', '{a:1}'],
    ['a line comment', '// a\n1'],
    ['a block comment', '/* a */ 1'],
    ['a comment behind', '1 // a'],
    ['an unknown escape', '"\\x41"'],
    ['a short escape', '"\\u12"'],
    ['a signed escape', '"\\u+123"'],
    ['an open string', '"a'],
    ['an open escape', '"\\'],
    ['an open list', '[1'],
    ['an open object', '{"a":1'],
    ['a wrong close', '[1}'],
    ['two values', '1 2'],
    ['half a word', 'tru'],
    ['a word in capitals', 'True'],
    ['a no-break space', '\u00a01'],
    ['a form feed', '\f1'],
  ])('refuses %s', (_, text) => {
    expect(() => parseJson(text)).toThrow(InputError);
  });

  const padding = 'x'.repeat(300);
  test.each([
    ['plain text', 'a'],
    ['every escape', '\\"\\\\\\/\\b\\f\\n\\r\\t\\u20AC\\ud83d\\ude00'],
    ['backslashes before its end', '\\\\\\\\'],
    ['a raw newline', 'a\nb'],
    ['an unknown escape', '\\x41'],
    ['an escaped lone surrogate', '\\ud800'],
    ['a raw lone surrogate', '\ud800'],
    ['an escape of its end', '\\'],
  ])('reads a long string as it reads a short one: %s', (_, inside) => {
    const came = (text: string): unknown => {
      try {
        return parseJson(text);
      } catch (error) {
        return error instanceof InputError ? 'refused' : error;
      }
    };
    const short = came(` ["${inside}",1]`);
    const long = came(` ["${padding}${inside}",1]`);
    expect(long).toEqual(Array.isArray(short) ? [`${padding}${short[0]}`, short[1]] : short);
    expect(came(`["${padding}${inside}",1]`)).toEqual(long);
  });

  test('reads up to the deepest nesting and no further', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(maxJsonDepth + 1))).toHaveLength(1);
    expect(() => parseJson(nested(maxJsonDepth + 2))).toThrow('nested deeper');
    expect(() => parseJson('['.repeat(1_000_000))).toThrow('nested deeper');
    expect(() => parseJson('{"a":'.repeat(1_000_000))).toThrow('nested deeper');
  });

  test('says where', () => {
    expect(() => parseJson('{"a":1,"a":2}')).toThrow('the key "a" stands twice (at character 8)');
    expect(() => parseJson('[1,')).toThrow('the text ends too early (at character 4)');
  });

  test('agrees with JSON.parse on whatever is written strictly', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(isDeepStrictEqual(parseJson(text), JSON.parse(text))).toBe(true);
      }),
    );
  });

  test('throws nothing but InputError, and never accepts what JSON.parse does not', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'u',
      '0',
      '1',
      '-',
      '.',
      'e',
      'a',
      ' ',
      '\n',
      'null',
    ];
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...pieces, 'true', '\ud800', '\ufeff', '"a":', '"__proto__":') }),
      fc
        .tuple(jsonValue, fc.nat(), fc.string({ unit: fc.constantFrom(...pieces), maxLength: 2 }))
        .map(([value, at, piece]) => {
          const text = JSON.stringify(value);
          const cut = at % (text.length + 1);
          return text.slice(0, cut) + piece + text.slice(cut + (at % 2));
        }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let value: JsonValue;
        try {
          value = parseJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
          return;
        }
        expect(parseJson(canonicalJson(value))).toEqual(value);
        expect(canonicalJson(JSON.parse(text))).toBe(canonicalJson(value));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('decodeUtf8', () => {
  test('reads UTF-8 and keeps a byte order mark', () => {
    expect(decodeUtf8(new TextEncoder().encode('\ufeffä😀'))).toBe('\ufeffä😀');
  });

  test.each([
    ['a stray continuation', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeUtf8(new Uint8Array(bytes))).toThrow(InputError);
  });
});

test('jsonPointer escapes as RFC 6901 says', () => {
  expect(jsonPointer([])).toBe('');
  expect(jsonPointer(['a/b', 'm~n', 0, ''])).toBe('/a~1b/m~0n/0/');
});

test('isJsonObject tells objects from lists and the rest', () => {
  expect([{}, [], null, 'a', 1].map(isJsonObject)).toEqual([true, false, false, false, false]);
});
