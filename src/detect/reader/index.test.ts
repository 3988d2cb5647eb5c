import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule, ownLimits } from '../compile.ts';
import { createRuleset } from '../ruleset.ts';
import { Scanner } from '../scanner.ts';
import { createReader, type Way } from './index.ts';

const rule = (fields: Omit<Parameters<typeof compileRule>[0], 'name' | 'kind'>) =>
  compileRule({ name: fields.id, kind: fields.id, ...fields }, 'secrets', ownLimits);
const ruleset = createRuleset([
  rule({ id: 'token', keywords: ['tok_'], pattern: 'tok_[A-Za-z0-9]{12}' }),
  rule({ id: 'long', keywords: ['lng_'], pattern: 'lng_[A-Za-z0-9]{10,}' }),
]);
const ways: readonly Way[] = ['plain', 'unmarked', 'joined', 'base64', 'hex', 'gzip', 'spelled'];
const open = () => createReader([{ open: () => new Scanner(ruleset), ways }]);

/** Values are put together here, so that no line of this file is itself a find. */
const letters = 'a1B2c3D4e5F6';
const token = `tok_${letters}`;
const hex = (text: string) =>
  [...text].map((unit) => unit.charCodeAt(0).toString(16).padStart(2, '0')).join('');

function read(pieces: readonly string[]) {
  const reader = open();
  const shown = pieces.map((piece) => reader.push(piece)).join('') + reader.end();
  return { shown, finds: reader.finds };
}

describe('a reader', () => {
  it.each<[string, Way, string, string]>([
    ['as it stands', 'plain', 'a ', token],
    ['in bold', 'unmarked', 'a **', `tok_**${letters}`],
    ['with a markdown escape', 'unmarked', 'a ', `tok\\_${letters}`],
    ['in code and not', 'unmarked', 'a `', `tok_a1B2\`c3D4e5F6`],
    ['with tags', 'unmarked', 'a ', `tok_<b>a1B2</b><wbr/>c3D4e5F6`],
    ['with a comment', 'unmarked', 'a ', `tok_<!-- x -->${letters}`],
    ['with characters that are not shown', 'unmarked', 'a ', `to\u200bk_\u00ad${letters}`],
    ['in \\u escapes', 'unmarked', 'a ', `\\u0074ok\\u{5f}${letters}`],
    ['in \\x escapes', 'unmarked', 'a ', `tok\\x5f${letters}`],
    ['in percent escapes', 'unmarked', 'a ', `tok%5F${letters}`],
    ['in references', 'unmarked', 'a ', `tok&#95;a1&#x42;2c3D4e5F6`],
    ['in a named reference', 'unmarked', 'a ', `tok&lowbar;${letters}`],
    ['in two strings', 'unmarked', 'a "', `tok_" + "${letters}`],
    ['in two strings on two lines', 'unmarked', "a '", `tok_' +\n  '${letters}`],
    ['over two lines', 'joined', 'a ', `tok_a1B2\nc3D4e5F6`],
    ['over two quoted lines', 'joined', 'a\n> ', `tok_a1B2\n> c3D4e5F6`],
    ['over lines that are escaped', 'joined', 'a ', `tok_a1B2\\nc3D4e5F6`],
    ['in base64', 'base64', 'a ', btoa(token).slice(0, 22)],
    ['inside of base64', 'base64', 'a eHkg', btoa(token).slice(0, 22)],
    ['in base64 behind a letter', 'base64', 'a x', btoa(token).slice(0, 22)],
    ['in hex', 'hex', 'a ', hex(token)],
    ['in hex behind a digit', 'hex', 'a f', hex(token)],
  ])('finds a token %s', (_what, way, before, secret) => {
    const text = `${before}${secret} b`;
    const { shown, finds } = read([text]);
    expect(finds.map((find) => find.way)).toContain(way);
    const find = finds.find((one) => one.way === way);
    expect(text.slice(find?.start, find?.end)).toBe(secret);
    expect(before.startsWith(shown)).toBe(true);
    for (let at = 0; at <= text.length; at++) {
      const cut = read([text.slice(0, at), text.slice(at)]);
      expect(cut.finds).toEqual(finds);
      expect(before.startsWith(cut.shown)).toBe(true);
    }
    const units = read([...text]);
    expect(units.finds).toEqual(finds);
    expect(before.startsWith(units.shown)).toBe(true);
  });

  it.each([
    ['a word before the line end is none of the token', `see\n${letters}`],
    ['a list of words', 'tok_\n\nThe next line'],
    ['a table', `| tok_ |\n| ${letters} |`],
    ['base64 of something else', btoa('the quick brown fox jumps over it')],
    ['a short word', 'dG9rXw'],
  ])('finds nothing in %s', (_what, text) => {
    expect(read([text])).toEqual({ shown: text, finds: [] });
  });

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...[token, `lng_${letters.repeat(9)}`, btoa(`xy ${token}`), hex(token), `tok\\_${letters}`],
        ...['tok_', letters, 'a1B2', '\\', '\\u', '0074', '\\u{5f}', '%5', 'F', '&#9', '5;', '&low', 'bar;'],
        ...['\r', '\n', '\\n', '\\r\\n', '> ', '"', '" + "', "'", '`', '**', '<b', '>', '<!--', '-->', '🦀'],
        ...[
          '", "',
          '["',
          '"]',
          '","k":"',
          '\u2063',
          '{"a":"',
          '"}',
          '${"',
          '}${',
          '`',
          ' + ',
          '\uff54\uff4f',
        ],
        ...['t', 'o k _', ',', '-', '74 6f 6b', '116, 111', ' 107', 'H4sI'],
        ...['\ud83e', '\u200b', ' ', 'word ', 'é', '=', '/', '+', 'dG9r', '746f6b'],
      ),
      fc.string({ maxLength: 10 }),
    ),
    { maxLength: 14 },
  );

  it('finds the same for every way of cutting any text, and shows nothing of it', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(400), { maxLength: 12 }), (parts, places) => {
        const text = parts.join('');
        const whole = read([text]);
        const first = whole.finds[0]?.start ?? text.length;
        expect(text.slice(0, first).startsWith(whole.shown)).toBe(true);
        if (whole.finds.length === 0) expect(whole.shown).toBe(text);
        const cuts = [
          0,
          ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b),
          text.length,
        ];
        for (const way of [
          cuts.slice(1).map((to, index) => text.slice(cuts[index], to)),
          Array.from({ length: text.length }, (_, at) => text.charAt(at)),
        ]) {
          const cut = read(way);
          expect(cut.finds).toEqual(whole.finds);
          expect(text.slice(0, first).startsWith(cut.shown)).toBe(true);
          if (whole.finds.length === 0) expect(cut.shown).toBe(text);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives long clean text as it is, and holds little of it', () => {
    const line = 'The **quick** brown fox, `jumps` over "the" lazy dog & runs 100%.\n';
    const reader = open();
    let shown = '';
    let most = 0;
    let taken = 0;
    for (let round = 0; round < 400; round++) {
      for (let at = 0; at < line.length; at += 4) {
        const piece = line.slice(at, at + 4);
        taken += piece.length;
        shown += reader.push(piece);
        most = Math.max(most, taken - shown.length);
      }
    }
    expect(shown + reader.end()).toBe(line.repeat(400));
    expect(most).toBeLessThan(24);
  });

  it('holds a run of letters that may become long enough to be read, and no other', () => {
    const bare = createReader([{ open: () => new Scanner(ruleset), ways: ['base64', 'hex'] }]);
    expect(['see a/b', '_c', '/d e', `${'f'.repeat(14)}`, ' g'].map((piece) => bare.push(piece))).toEqual([
      'see ',
      '',
      'a/b_c/d ',
      '',
      `e${'f'.repeat(14)} `,
    ]);
    expect(bare.end()).toBe('g');
  });

  it('finds what stands behind many runs that were not read', () => {
    const text = `${'some words and more of them, '.repeat(50)}${hex(token)} end`;
    const pieces = text.match(/.{1,7}/g) ?? [];
    const { shown, finds } = read(pieces);
    expect(finds.map(({ way, start }) => [way, start])).toEqual([['hex', text.indexOf(hex(token))]]);
    expect(text.slice(0, finds[0]?.start).startsWith(shown)).toBe(true);
  });

  it('reads a long piece as it reads short ones', () => {
    const text = `${'some words and more of them, '.repeat(2000)}tok\\_${letters} end`;
    const { shown, finds } = read([text]);
    expect(finds.map(({ way, start }) => [way, start])).toEqual([
      ['unmarked', text.indexOf('tok')],
      ['joined', text.indexOf('tok')],
    ]);
    expect(shown).toBe(text.slice(0, text.indexOf('tok')));
  });

  it('takes nothing after its end', () => {
    const reader = open();
    reader.end();
    expect(() => reader.push('a')).toThrow('closed');
  });
});
