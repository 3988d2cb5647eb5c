// The position of every key of a TOML text is found.

import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { Path } from '../core/shape.ts';
import { locator } from './locate.ts';

describe('locator', () => {
  const toml = `# a comment with = and [x]
top = 1 # another
[daemon]
port = 1
  body = "a # b"
[fetch] # [no]
text = """
[not.a.table]
key = 1 \\"""
"""""
raw = '''
x = 'y'
'''''
after = 1
[[fetch.rules]]
id = "a"
examples = { hit = [ "u", { v = 1 } ], "miss it" = [] }
[[fetch.rules]]
id = "b"
[fetch.rules.sub]
deep.er . "est" = true
[agents."a.b".'c"d']
list = [ # comment ] "
  "x", # "y",
  [ 1, 2 ],
  1979-05-27 07:32:00,
]
"\\u0061\\x62\\t" = 2
`;

  test.each<[Path, number, number]>([
    [[], 1, 1],
    [['top'], 2, 1],
    [['daemon'], 3, 2],
    [['daemon', 'port'], 4, 1],
    [['daemon', 'body'], 5, 3],
    [['daemon', 'missing'], 3, 2],
    [['fetch'], 6, 2],
    [['fetch', 'text'], 7, 1],
    [['fetch', 'raw'], 11, 1],
    [['fetch', 'after'], 14, 1],
    [['fetch', 'rules'], 15, 9],
    [['fetch', 'rules', 0], 15, 9],
    [['fetch', 'rules', 0, 'id'], 16, 1],
    [['fetch', 'rules', 0, 'examples'], 17, 1],
    [['fetch', 'rules', 0, 'examples', 'hit'], 17, 14],
    [['fetch', 'rules', 0, 'examples', 'hit', 0], 17, 22],
    [['fetch', 'rules', 0, 'examples', 'hit', 1], 17, 27],
    [['fetch', 'rules', 0, 'examples', 'hit', 1, 'v'], 17, 29],
    [['fetch', 'rules', 0, 'examples', 'miss it'], 17, 40],
    [['fetch', 'rules', 1], 18, 9],
    [['fetch', 'rules', 1, 'id'], 19, 1],
    [['fetch', 'rules', 1, 'sub'], 20, 14],
    [['fetch', 'rules', 1, 'sub', 'deep'], 21, 1],
    [['fetch', 'rules', 1, 'sub', 'deep', 'er'], 21, 6],
    [['fetch', 'rules', 1, 'sub', 'deep', 'er', 'est'], 21, 11],
    [['agents'], 22, 2],
    [['agents', 'a.b'], 22, 9],
    [['agents', 'a.b', 'c"d'], 22, 15],
    [['agents', 'a.b', 'c"d', 'list', 0], 24, 3],
    [['agents', 'a.b', 'c"d', 'list', 1], 25, 3],
    [['agents', 'a.b', 'c"d', 'list', 1, 1], 25, 8],
    [['agents', 'a.b', 'c"d', 'list', 2], 26, 3],
    [['agents', 'a.b', 'c"d', 'ab\t'], 28, 1],
  ])('finds %j at %i:%i', (path, line, column) => {
    expect(() => parse(toml)).not.toThrow();
    expect(locator(toml)(path)).toEqual({ line, column });
  });

  test('counts lines the same with carriage returns', () => {
    const place = locator('a = 1\r\n[b]\r\n  c = """x\r\ny"""\r\nd = 2\r\n');
    expect(place(['b', 'c'])).toEqual({ line: 3, column: 3 });
    expect(place(['b', 'd'])).toEqual({ line: 5, column: 1 });
  });

  test('walks a very long string', () => {
    const long = 'x"'.repeat(500_000);
    expect(locator(`a = """${long}x"""\nb = 1`)(['b'])).toEqual({ line: 2, column: 1 });
    expect(locator(`a = '''${"x'".repeat(500_000)}x'''\nb = 1`)(['b'])).toEqual({ line: 2, column: 1 });
    expect(locator(`a = "${'\\n'.repeat(500_000)}"\nb = 1`)(['b'])).toEqual({ line: 2, column: 1 });
  });

  test('ends on any text, TOML or not', () => {
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
      "'''",
      '\\',
      '#',
      '\n',
      '\r',
      ' ',
      'a',
      '1',
    ];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...pieces) }), (text) => {
        expect(locator(text)(['a', 'a', 0])).toMatchObject({ line: expect.any(Number) });
      }),
      { numRuns: 2000 },
    );
  });
});

/** A growing text, and the positions of its keys. */
class Writer {
  text = '';
  readonly places: { path: Path; offset: number; written: string }[] = [];

  put(piece: string): void {
    this.text += piece;
  }

  key(path: Path, written: string): void {
    this.places.push({ path, offset: this.text.length, written });
    this.put(written);
  }
}

interface Leaf {
  readonly kind: 'leaf';
  readonly written: string;
}
interface List {
  readonly kind: 'list';
  readonly items: readonly Value[];
  readonly gap: string;
}
interface Inline {
  readonly kind: 'inline';
  readonly members: Readonly<Record<string, Value>>;
}
type Value = Leaf | List | Inline;

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/),
  fc.string({ maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.constantFrom('a.b', 'a"b', "a'b", '[x]', '# y', '=', '', 'a\nb', '0'),
);

const leaf = fc
  .constantFrom(
    '1',
    'true',
    '-1.5e3',
    '1979-05-27T07:32:00Z',
    '"a # = [ ] { } , b"',
    '"\\" \\\\"',
    "'c:\\ \" #'",
    '"""\n[x]\ny = 1 "" \\""" z"""',
    '"""a"""""',
    "'''\n'' [x]\nb = 2'''",
    "'''a'''''",
    '""',
    "''",
    '""""""',
  )
  .map((written): Leaf => ({ kind: 'leaf', written }));

const { value } = fc.letrec<{ value: Value; list: List; inline: Inline }>((tie) => ({
  value: fc.oneof({ maxDepth: 2, depthIdentifier: 'toml' }, leaf, tie('list'), tie('inline')),
  list: fc.record({
    kind: fc.constant('list' as const),
    items: fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'toml' }),
    gap: fc.constantFrom('', ' ', '\n  ', ' # ] , "\n', '\r\n'),
  }),
  inline: fc.record({
    kind: fc.constant('inline' as const),
    members: fc.dictionary(name, tie('value'), {
      maxKeys: 3,
      depthIdentifier: 'toml',
      noNullPrototype: true,
    }),
  }),
}));

const members = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
const section = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }),
  elements: fc.array(members, { minLength: 1, maxLength: 3 }),
  asArray: fc.boolean(),
  space: fc.constantFrom('', ' ', '\t'),
  indent: fc.constantFrom('', '  '),
});

/** A key in one of its spellings. */
function spelling(key: string, seed: number): string {
  if (/^[A-Za-z0-9_-]+$/.test(key) && seed % 3 === 0) return key;
  if (!/['\u0000-\u001f\u007f]/.test(key) && seed % 3 === 1) return `'${key}'`;
  const escaped = [...key].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === '\\') return `\\${character}`;
    if (code < 0x20 || code === 0x7f) return `\\u${code.toString(16).padStart(4, '0')}`;
    return seed % 2 === 0 && code > 0x7f ? `\\U${code.toString(16).padStart(8, '0')}` : character;
  });
  return `"${escaped.join('')}"`;
}

function writeValue(writer: Writer, given: Value, path: Path): void {
  if (given.kind === 'leaf') {
    writer.put(given.written);
  } else if (given.kind === 'list') {
    writer.put('[');
    for (const [index, item] of given.items.entries()) {
      writer.put(index === 0 ? given.gap : `,${given.gap}`);
      writer.places.push({ path: [...path, index], offset: writer.text.length, written: '' });
      writeValue(writer, item, [...path, index]);
    }
    writer.put(`${given.gap}]`);
  } else {
    writer.put('{');
    for (const [index, [key, member]] of Object.entries(given.members).entries()) {
      writer.put(index === 0 ? ' ' : ', ');
      writer.key([...path, key], spelling(key, index + path.length));
      writer.put(' = ');
      writeValue(writer, member, [...path, key]);
    }
    writer.put(' }');
  }
}

test('finds every key and every element of any document where its text stands', () => {
  fc.assert(
    fc.property(members, fc.array(section, { maxLength: 4 }), (top, sections) => {
      const writer = new Writer();
      for (const [key, given] of Object.entries(top)) {
        writer.key([`top${key}`], spelling(`top${key}`, key.length));
        writer.put('=');
        writeValue(writer, given, [`top${key}`]);
        writer.put(' # "end" = [\n');
      }
      for (const [index, { path: names, elements, asArray, space, indent }] of sections.entries()) {
        // Each section is below a name of its own, so that none is written twice.
        const path = [`s${index}`, ...names];
        for (const [at, element] of (asArray ? elements : elements.slice(0, 1)).entries()) {
          writer.put(`${indent}${asArray ? '[[' : '['}`);
          for (const [depth, key] of path.entries()) {
            writer.put(depth === 0 ? space : `${space}.${space}`);
            const isLast = depth === path.length - 1;
            const written = spelling(key, depth + index);
            if (asArray && isLast) {
              writer.places.push({ path: [...path, at], offset: writer.text.length, written });
            }
            if (at === 0) writer.key(path.slice(0, depth + 1), written);
            else writer.put(written);
          }
          writer.put(`${space}${asArray ? ']]' : ']'}\n`);
          const inside = asArray ? [...path, at] : path;
          for (const [key, given] of Object.entries(element)) {
            writer.put(indent);
            if (key.length === 1) writer.key([...inside, 'dotted'], 'dotted');
            if (key.length === 1) writer.put(' . ');
            const whole = key.length === 1 ? [...inside, 'dotted', key] : [...inside, `k${key}`];
            writer.key(whole, spelling(String(whole.at(-1)), key.length + whole.length));
            writer.put(`${space}=${space}`);
            writeValue(writer, given, whole);
            writer.put('\r\n');
          }
        }
      }
      const { text } = writer;
      expect(() => parse(text)).not.toThrow();
      const place = locator(text);
      const seen = new Set<string>();
      for (const { path, offset, written } of writer.places) {
        const id = JSON.stringify(path);
        // A repeated dotted key keeps the position of its first occurrence.
        if (seen.has(id)) continue;
        seen.add(id);
        const lines = text.slice(0, offset).split('\n');
        expect(place(path)).toEqual({ line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 });
        expect(text.startsWith(written, offset)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
