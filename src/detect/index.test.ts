// What a text contains: secrets and personal data, in one piece or as it flows.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule, ownLimits } from './compile.ts';
import { randomFrom } from './examples.ts';
import { createRedactor, createRuleset, type Match, redact, scan } from './index.ts';

const rule = (fields: Omit<Parameters<typeof compileRule>[0], 'name' | 'kind'> & { kind?: string }) =>
  compileRule({ name: fields.id, kind: fields.id, ...fields }, 'secrets', ownLimits);

const rules = createRuleset([
  rule({ id: 'token', keywords: ['tok_'], pattern: 'tok_[A-Za-z0-9]{12}' }),
  rule({ id: 'long', keywords: ['lng_'], pattern: 'lng_[A-Za-z0-9]{10,}' }),
  rule({
    id: 'key',
    keywords: ['-----BEGIN'],
    loose: true,
    swallow: 'pem',
    pattern: String.raw`-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\s\\nr"']{1,16}(?:[A-Za-z0-9+/=]{16}|[A-Za-z-]{4,20}: )`,
  }),
  rule({ id: 'bot', keywords: [':AA'], pattern: String.raw`\d{8,10}:AA[\w-]{10}` }),
  rule({ id: 'mail', keywords: ['@'], pattern: String.raw`[\w.+-]{1,64}@[a-z0-9-]{1,30}\.[a-z]{2,8}` }),
  rule({ id: 'number', anchor: 'digit', pattern: String.raw`\d{3}\.\d{3}-\d{2}` }),
  rule({ id: 'account', keywords: ['acct'], pattern: String.raw`acct (?<secret>\d{4})`, near: ['conta'] }),
  rule({ id: 'gated', keywords: ['gt-'], pattern: 'gt-[a-z]{5}', gate: ['acme'] }),
  rule({ id: 'password', assigned: ['password', 'secret'], value: String.raw`[^\s"'<>\[\]\\]{6,}` }),
]);

/** Values are put together here, so that no line of this file is itself a find. */
const letters = 'a1B2c3D4e5F6';
const body = 'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfnYgWyF8PbnGy0AHB7MvXn3VS5JJcds3x';
const pem = (...lines: readonly string[]) =>
  ['-----BEGIN RSA PRIVATE', ' KEY-----\n', lines.join('\n')].join('');
const end = ['-----END RSA PRIVATE', ' KEY-----'].join('');

describe('redact', () => {
  it.each([
    ['a token', `x tok_${letters} y`, 'x [REDACTED:token] y'],
    ['not inside a word', `xtok_${letters}`, `xtok_${letters}`],
    ['not one that goes on', `tok_${letters}9`, `tok_${letters}9`],
    ['after an escaped line end', `"a\\ntok_${letters}"`, '"a\\n[REDACTED:token]"'],
    ['after a percent escape', `a%20tok_${letters}`, 'a%20[REDACTED:token]'],
    ['after a colour', `\u001b[31mtok_${letters}`, '\u001b[31m[REDACTED:token]'],
    ['a long value', `lng_${'a1'.repeat(400)}. b`, '[REDACTED:long]. b'],
    ['one that begins before its keyword', `a 12345678:AA${letters.slice(2)} b`, 'a [REDACTED:bot] b'],
    ['an address', 'to a.b+c@mail.example.com', 'to [REDACTED:mail].com'],
    ['a number', 'n 123.456-78, 9123.456-78', 'n [REDACTED:number], 9123.456-78'],
    ['with a word near', 'conta: acct 1234', 'conta: acct [REDACTED:account]'],
    ['with the word too far', `conta ${'-'.repeat(60)} acct 1234`, `conta ${'-'.repeat(60)} acct 1234`],
    ['with an opened gate', 'gt-abcde acme gt-abcde', 'gt-abcde acme [REDACTED:gated]'],
    ['an assignment', 'my_password = "hunter22" x', 'my_password = "[REDACTED:password]" x'],
    [
      'in XML',
      '<dbPassword>\n  hunter22\n</dbPassword>',
      '<dbPassword>\n  [REDACTED:password]\n</dbPassword>',
    ],
    ['with a type', 'const password: string = "hunter22"', 'const password: string = "[REDACTED:password]"'],
    ['in escaped JSON', '{\\"password\\":\\"hunter22\\"}', '{\\"password\\":\\"[REDACTED:password]\\"}'],
    ['overlapping finds as one', `password=tok_${letters}`, 'password=[REDACTED:token]'],
    ['a key', `a ${pem(body, body, end)} b`, 'a [REDACTED:key] b'],
    [
      'a key with headers',
      `${pem('Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,AB', '', body, end)} b`,
      '[REDACTED:key] b',
    ],
    [
      'a key in JSON',
      `{"k":"${pem(body, end).replaceAll('\n', '\\n')}\\n","x":1}`,
      '{"k":"[REDACTED:key]\\n","x":1}',
    ],
    ['an indented key', `k: |\n  ${pem(`  ${body}`, `  ${end}`)}\nx: 1`, 'k: |\n  [REDACTED:key]\nx: 1'],
    [
      'a key with a line that begins with a plus',
      `${pem(body, `+${body.slice(1)}`, end)} b`,
      '[REDACTED:key] b',
    ],
    ['a key without an end', `${pem(body, body)}\n\nso, that is all`, '[REDACTED:key]that is all'],
  ])('finds %s', (_what, text, expected) => {
    expect(redact(text, rules).text).toBe(expected);
  });

  it('redacts nothing more in what it redacted', () => {
    const once = redact(`password = "hunter22" tok_${letters} a@b.co ${pem(body, end)}`, rules).text;
    expect(redact(once, rules)).toEqual({ text: once, matches: [] });
  });

  it('gives the places of what it found', () => {
    const found: Match[] = scan(`a tok_${letters} b`, rules);
    expect(found).toEqual([{ rule: 'token', kind: 'token', pack: 'secrets', start: 2, end: 18 }]);
  });
});

describe('a redactor', () => {
  const one = (text: string) => redact(text, rules).text;
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...[
          `tok_${letters}`,
          `lng_${letters.repeat(30)}`,
          pem(body, body, end),
          pem(body),
          `12345678:AA${letters}`,
        ],
        ...[
          'a.b@c.de',
          '123.456-78',
          'password="hunter22"',
          'conta acct 1234',
          'acme',
          'gt-abcde',
          '\\n',
          '%20',
          '🦀',
          '\ud83e',
        ],
        ...['password: ', 'tok_', '-----', '@', '1234567', 'é', '\n', ' ', '"', '=', '[REDACTED:token]'],
      ),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 12 },
  );

  it('gives the same for every way of cutting any text', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(400), { maxLength: 12 }), (parts, places) => {
        const text = parts.join('');
        const cuts = [
          0,
          ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b),
          text.length,
        ];
        const redactor = createRedactor(rules);
        const out = cuts.slice(1).map((to, index) => redactor.push(text.slice(cuts[index], to)));
        expect(out.join('') + redactor.flush()).toBe(one(text));
        expect(redactor.matches).toEqual(redact(text, rules).matches);
      }),
      { numRuns: 3000 },
    );
  });

  it('takes bytes that are cut anywhere, and invalid ones', () => {
    const text = `São 🦀 tok_${letters} €`;
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= bytes.length; at++) {
      const redactor = createRedactor(rules);
      expect(
        redactor.push(bytes.subarray(0, at)) + redactor.push(bytes.subarray(at)) + redactor.flush(),
      ).toBe(one(text));
    }
    const broken = createRedactor(rules);
    const out =
      broken.push(Uint8Array.of(0xff, 0x41, 0xe2, 0x82)) + broken.push(` tok_${letters}`) + broken.flush();
    expect(out).toBe('\ufffdA\ufffd [REDACTED:token]');
  });

  it('holds back nothing of what cannot become a find', () => {
    const redactor = createRedactor(rules);
    expect(redactor.push('the password = ')).toBe('the password = ');
    expect(redactor.push('hun')).toBe('');
    expect(redactor.push('ter22')).toBe('');
    expect(redactor.push(' and ')).toBe('[REDACTED:password] and ');
  });

  it('lets nothing of a long value out, and holds nothing of it', () => {
    const redactor = createRedactor(rules);
    expect(redactor.push(`lng_${'a'.repeat(200)}`)).toBe('[REDACTED:long]');
    for (let round = 0; round < 100; round++) expect(redactor.push('b'.repeat(1000))).toBe('');
    expect(redactor.push(' c') + redactor.flush()).toBe(' c');
  });

  it('in block mode lets nothing out from the find on', () => {
    const redactor = createRedactor(rules, { mode: 'block' });
    expect(redactor.push(`before tok_${letters} after`)).toBe('before ');
    expect(redactor.blocked).toBe(true);
    expect(redactor.push('more') + redactor.flush()).toBe('');
    expect(redactor.matches).toHaveLength(1);
  });

  it('blocks when a key does not end', () => {
    for (const size of [7, 1000, 100_000]) {
      const text = `a ${pem(...Array.from({ length: 700 }, () => body))} tok_${letters} b`;
      const redactor = createRedactor(rules);
      let out = '';
      for (let at = 0; at < text.length; at += size) out += redactor.push(text.slice(at, at + size));
      expect(out + redactor.flush()).toBe('a [REDACTED:key]');
      expect(redactor.blocked).toBe(true);
    }
  });

  it('takes empty pieces, and nothing after its end', () => {
    const redactor = createRedactor(rules);
    expect(redactor.push('') + redactor.push(new Uint8Array()) + redactor.push('a') + redactor.flush()).toBe(
      'a',
    );
    expect(() => redactor.push('b')).toThrow('closed');
    expect(() => redactor.flush()).toThrow('closed');
  });

  it('stays closed after a failure of its own', () => {
    const failing = createRedactor(rules, {
      placeholder: () => {
        throw new Error('no');
      },
    });
    expect(() => failing.push(`tok_${letters} `)).toThrow('no');
    expect(() => failing.push('more')).toThrow('failed');
    expect(() => failing.flush()).toThrow('failed');
  });

  it('keeps half a character until the other half comes, and lone halves as they are', () => {
    const redactor = createRedactor(rules);
    expect(redactor.push('a\ud83e')).toBe('a');
    expect(redactor.push('\udd80 ')).toBe('🦀 ');
    expect(redactor.push('\ud83e') + redactor.push('x') + redactor.flush()).toBe('\ud83ex');
  });

  it('does not slow down or grow on a long text of one line', () => {
    const random = randomFrom('line');
    const redactor = createRedactor(rules);
    const piece = Array.from({ length: 65_536 }, () => 'abc -_=:@1'[Math.floor(random() * 10)]).join('');
    let length = 0;
    for (let round = 0; round < 64; round++) length += redactor.push(piece).length;
    length += redactor.flush().length;
    expect(length).toBeGreaterThan(64 * 60_000);
  });
});
