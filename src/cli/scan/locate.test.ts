// Findings stand where their values stand, show nothing of them, and are the same however the text is cut.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompiledRule, createRuleset, type Match, Scanner, scan } from '../../detect/index.ts';
import { compilePack } from '../../detect/pack.ts';
import { ContentScan } from './content.ts';
import type { Engine } from './engine.ts';
import type { Finding } from './locate.ts';

const examples = { hit: [], miss: [] };
const rules: readonly CompiledRule[] = compilePack(
  [
    { id: 'key-rule', name: 'Key', kind: 'key', keywords: ['key-'], pattern: 'key-[0-9]{6}', examples },
    { id: 'long-rule', name: 'Long', kind: 'long', keywords: ['long-'], pattern: 'long-[0-9]{6,}', examples },
  ],
  'secrets',
);
const ruleset = createRuleset(rules);
/** A stand-in with two rules, so that these tests hold whatever the packs say. */
const engine: Engine = {
  rules: new Map(rules.map((rule) => [rule.id, rule])),
  open: (path, sink) => {
    const scanner = new Scanner(ruleset, { path });
    return (piece, last) => scanner.push(piece, last, sink);
  },
  everything: (text) => scan(text, ruleset),
  placeholder: ({ kind }: Match) => `[${kind}]`,
};

function find(text: string | Uint8Array, cuts: readonly number[] = []): readonly Finding[] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const content = new ContentScan(engine, 'some/file');
  let at = 0;
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    // A fresh copy that is spoiled afterwards: the scan may not keep what it was handed.
    const piece = Uint8Array.from(bytes.subarray(at, cut));
    content.write(piece);
    piece.fill(0x78);
    at = Math.max(at, cut);
  }
  return content.end().findings;
}

const places = (findings: readonly Finding[]) =>
  findings.map(({ line, column, endLine, endColumn, excerpt }) => [
    line,
    column,
    endLine,
    endColumn,
    excerpt,
  ]);

describe('a finding', () => {
  it.each([
    ['key-123456', [[1, 1, 1, 11, '[key]']]],
    ['\ufeffa key-123456 b', [[1, 3, 1, 13, 'a [key] b']]],
    ['a\n  x = "key-123456";\r\nb', [[2, 8, 2, 18, 'x = "[key]";']]],
    ['é😀 key-123456', [[1, 5, 1, 15, 'é😀 [key]']]],
    [
      'key-123456 key-654321\n',
      [
        [1, 1, 1, 11, '[key] [key]'],
        [1, 12, 1, 22, '[key] [key]'],
      ],
    ],
    [
      'long-1234567890123\nkey-123456',
      [
        [1, 1, 1, 19, '[long]'],
        [2, 1, 2, 11, '[key]'],
      ],
    ],
    ['\n\n\n\n\n\n\nkey-123456', [[8, 1, 8, 11, '[key]']]],
    ['a\tkey-123456\u202e\u001b[2J', [[1, 3, 1, 13, 'a\\t[key]\\u{202e}\\u{1b}[2J']]],
    [
      `${'x'.repeat(70)} key-123456 ${'y'.repeat(70)}`,
      [[1, 72, 1, 82, `…${'x'.repeat(59)} [key] ${'y'.repeat(59)}…`]],
    ],
    ['nothing', []],
    ['', []],
  ])('in %j', (text, expected) => {
    expect(places(find(text))).toEqual(expected);
  });

  it('is the same however the bytes are cut, and where a plain reading says', () => {
    const word = fc.constantFrom(
      ' key-123456 ',
      '"long-1234567"',
      'key-12345',
      'a',
      'é',
      '😀',
      '\n',
      '\r\n',
      ' ',
      ' ',
      'sallyport:allow',
      'x'.repeat(700),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 40 }),
        fc.array(fc.nat(4000), { maxLength: 8 }),
        (words, cuts) => {
          const text = words.join('');
          const whole = find(text);
          const size = Buffer.byteLength(text);
          // The first pieces are gathered until it is known whether the file is binary.
          const long = `${'-\n'.repeat(5000)}${text}`;
          expect(
            find(
              text,
              cuts.map((cut) => cut % (size + 1)),
            ),
          ).toEqual(whole);
          const moved = find(
            long,
            cuts.map((cut) => 10_000 + (cut % (size + 1))),
          );
          expect(moved.map(({ line, column }) => [line - 5000, column])).toEqual(
            whole.map(({ line, column }) => [line, column]),
          );
          const matches = scan(text, ruleset);
          expect(whole.map(({ line, column }) => [line, column])).toEqual(
            matches.map(({ start }) => [
              text.slice(0, start).split('\n').length,
              start - text.lastIndexOf('\n', start - 1),
            ]),
          );
          for (const { excerpt } of whole) expect(excerpt).not.toMatch(/key-\d{6}|long-\d{6}/);
        },
      ),
    );
  });

  it('does not need the whole of a line or a value', { timeout: 20_000 }, () => {
    const content = new ContentScan(engine, 'some/file');
    const piece = Buffer.alloc(1 << 20, '7');
    content.write(Buffer.from(`${'y'.repeat(10_000)} long-`));
    for (let count = 0; count < 16; count++) content.write(piece);
    content.write(Buffer.from('\nkey-123456'));
    expect(places(content.end().findings)).toEqual([
      [1, 10_002, 1, 10_007 + 16 * (1 << 20), `…${'y'.repeat(59)} [long]`],
      [2, 1, 2, 11, '[key]'],
    ]);
  });

  it('is listed up to a limit, and counted beyond', () => {
    const content = new ContentScan(engine, 'some/file');
    content.write(Buffer.from('key-123456\n'.repeat(10_050)));
    const { findings, unlisted } = content.end();
    expect([findings.length, unlisted]).toEqual([10_000, 50]);
  });
});

describe('a fingerprint', () => {
  const one = (text: string) => find(text).map(({ fingerprint }) => fingerprint);
  it('stays when the line moves or is indented, or the value changes', () => {
    const [before] = one('const a = "key-123456"; // x');
    expect(one('new\nlines\n\n   const  a = "key-123456"; // x')).toEqual([before]);
    // Nothing of the value is in it, not even whether it is another one.
    expect(one('const a = "key-999999"; // x')).toEqual([before]);
  });

  it('is another one for other words, other rules, and the second time', () => {
    const all = [
      ...one('const a = "key-123456";\nconst a = "key-123456";'),
      ...one('const b = "key-123456";'),
      ...one('const a = "long-123456";'),
    ];
    expect(new Set(all).size).toBe(4);
  });
});

describe('a mark', () => {
  it.each([
    ['key-123456 // sallyport:allow', true],
    ['/* sallyport:allow */ key-123456', true],
    ['key-123456 // sallyport:allow a fixture', true],
    ['key-123456 // sallyport:allow key-rule a fixture', true],
    ['key-123456 // sallyport:allow long-rule', false],
    ['key-123456 // sallyport:allow long-rule,key-rule', true],
    ['key-123456 // sallyport:allowed', false],
    ['key-123456 // sallyport:allow-next-line', false],
    ['// sallyport:allow-next-line\nkey-123456', true],
    ['// sallyport:allow-next-line key-rule\nkey-123456', true],
    ['// sallyport:allow-next-line long-rule\nkey-123456', false],
    ['// sallyport:allow-next-line\n\nkey-123456', false],
    ['// sallyport:allow\nkey-123456', false],
    ['# sallyport:allow-file\n\n\n\n\n\n\n\nkey-123456', true],
    ['\n\n\n\n# sallyport:allow-file\nkey-123456', true],
    ['\n\n\n\n\n# sallyport:allow-file\nkey-123456', false],
    ['key-123456\n# sallyport:allow-file', true],
    ['key-123456\n\n\n\n\n# sallyport:allow-file', false],
    ['key-123456\n# sallyport:allow-file long-rule', false],
  ])('%j: %s', (text, marked) => {
    expect(find(text).map((finding) => finding.marked)).toEqual([marked]);
  });

  it('reaches so far and no further', () => {
    const behind = (distance: number) => find(`key-123456 ${'x'.repeat(distance)} sallyport:allow`);
    expect(behind(900)[0]?.marked).toBe(true);
    expect(behind(2000)[0]?.marked).toBe(false);
  });
});

describe('content', () => {
  const state = (bytes: Uint8Array) => {
    const content = new ContentScan(engine, 'x');
    content.write(bytes);
    const { binary, findings } = content.end();
    return [binary, findings.length];
  };
  const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  it.each([
    ['text', Buffer.from('key-123456'), false, 1],
    ['a NUL near the start', Buffer.from('key-123456\0'), true, 0],
    ['a NUL far behind', Buffer.from(`${' '.repeat(9000)}\0 key-123456`), false, 1],
    ['UTF-16', wide('key-123456'), false, 1],
    ['UTF-16, big end first', wide('key-123456').swap16(), false, 1],
    ['UTF-16 of an odd length', wide('key-123456').subarray(0, -1), false, 0],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x6b, 0, 0, 0]), true, 0],
    [
      'broken UTF-8',
      Buffer.concat([Buffer.from([0xff, 0xc3, 0x20]), Buffer.from('key-123456'), Buffer.from([0xe2, 0x82])]),
      false,
      1,
    ],
    ['nothing', Buffer.alloc(0), false, 0],
  ])('%s', (_, bytes, binary, findings) => {
    expect(state(bytes)).toEqual([binary, findings]);
  });
});
