import { describe, expect, it } from 'vitest';
import { compileRule, ownLimits, userLimits } from './compile.ts';
import { PatternError } from './pattern.ts';

const own = (fields: Partial<Parameters<typeof compileRule>[0]>) =>
  compileRule({ id: 'rule', name: 'rule', kind: 'token', ...fields }, 'secrets', ownLimits);
const users = (pattern: string, keywords: readonly string[], secretGroup = 0) =>
  compileRule(
    { id: 'rule', name: 'rule', kind: 'token', pattern, keywords, secretGroup, loose: true },
    'user',
    userLimits,
  );

describe('a rule', () => {
  it('is tried at a keyword that it begins with', () => {
    const { reach, opens, lead, source } = own({ keywords: ['ab_', 'cd_'], pattern: '(?:ab|cd)_[0-9]{4}' });
    expect({ reach, opens, lead }).toEqual({ reach: 8, opens: true, lead: undefined });
    expect(new RegExp(source).exec('x ab_1234')?.[1]).toBe('ab_1234');
  });

  it('looks behind a keyword in its middle, and says what to hold back', () => {
    const { lead, opens } = own({ keywords: [':aa'], pattern: String.raw`\d{8,10}:AA[a-z]{5}` });
    expect({ lead, opens }).toEqual({ lead: { units: '[0-9]', max: 10 }, opens: undefined });
  });

  it('holds back nothing for what stands before the secret', () => {
    expect(own({ keywords: ['key='], pattern: 'key=(?<secret>[a-z]{8})' })).not.toHaveProperty('opens');
  });

  it('cuts a long value to its head and swallows the rest', () => {
    const { tail, reach } = own({ keywords: ['ab_'], pattern: 'ab_[a-z0-9]{20,}' });
    expect({ tail, reach }).toEqual({ tail: '[0-9a-z]', reach: 160 });
  });

  it('that starts at digits knows how many there may be', () => {
    expect(own({ anchor: 'digit', pattern: String.raw`\d{3}\.\d{2}|\d{5}` }).runs).toEqual([3, 5]);
    expect(own({ anchor: 'digit', pattern: String.raw`[A-Z]{2}\d{2}(?: ?\d{4}){2}` }).runs).toEqual([
      2, 6, 10,
    ]);
    expect(own({ anchor: 'digit', pattern: String.raw`\d{2}[a-z\d]{2}` }).runs).toEqual([2, 3, 4]);
  });

  it.each([
    ['no pattern', { keywords: ['a'] }, 'needs a "pattern"'],
    ['no keyword', { pattern: 'abc' }, 'needs "keywords"'],
    [
      'a keyword that it need not contain',
      { keywords: ['abc'], pattern: '[a-z]{3}' },
      'does not have to contain',
    ],
    ['a keyword of one way only', { keywords: ['ab'], pattern: '(?:ab|cd)x' }, 'does not have to contain'],
    ['an open run inside', { keywords: ['ab'], pattern: 'ab[a-z]+-[a-z]{3}' }, 'open or too long'],
    ['a long secret', { keywords: ['ab'], pattern: 'ab[a-z]{150}-[a-z]{40}' }, 'the limit is 160'],
    ['a keyword that is not ASCII', { keywords: ['é'], pattern: 'é' }, 'not ASCII'],
    ['a value of no name', { assigned: ['x'] }, 'needs a "value"'],
  ])('with %s is refused', (_what, fields, reason) => {
    expect(() => own(fields)).toThrow(PatternError);
    expect(() => own(fields)).toThrow(reason);
  });
});

describe("a user's rule", () => {
  it.each([
    [
      'with an idle lead',
      String.raw`(?i)[\w.-]{0,50}?(?:acme)[\s'"]{0,3}=['"]{0,3}([a-z0-9]{32})\b`,
      ['acme'],
    ],
    ['with an open run in its middle', String.raw`ey[a-z0-9]{17,}\.ey[a-z0-9]{17,}\.`, ['ey']],
  ])('%s is used', (_what, pattern, keywords) => {
    const { search, gate } = users(pattern, keywords);
    expect({ search, gate }).toEqual({ search: undefined, gate: undefined });
  });

  it('without its keyword in the pattern is found by a text of its own, once the keyword was seen', () => {
    const { keywords, gate } = users(String.raw`\b(pat[a-z0-9]{14}\.[a-f0-9]{64})\b`, ['airtable']);
    expect({ keywords, gate }).toEqual({ keywords: ['pat'], gate: ['airtable'] });
  });

  it('with nothing to find it by is looked for behind its keyword', () => {
    expect(users('[a-z0-9]{32}', ['acme'])).toMatchObject({ search: true, keywords: ['acme'] });
    expect(() => users('[a-z0-9]{32}', [])).toThrow('no keyword');
  });

  it.each([
    ['nested repetitions', '(?:a+)+b'],
    ['nested alternatives', '(?:a|a?)+b'],
    ['neighbours', 'x[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*y'],
    ['stars in stars in stars', '(?:(?:[a-z]*x?)*y?)*z'],
  ])('with %s is refused', (_what, pattern) => {
    expect(() => users(pattern, ['a', 'x'])).toThrow(/too many ways|too long/);
  });

  it.each([
    ['separated rounds', String.raw`ab(?:\.[\w-]+){1,3}`],
    ['counted rounds', 'ab(?:[a-z0-9]{5}-){3}[a-z0-9]{5}'],
    ['options that begin differently', 'ab(?:x[a-z]{2}|y[a-z]{3}){1,4}'],
  ])('with %s is used', (_what, pattern) => {
    expect(() => users(pattern, ['ab'])).not.toThrow();
  });
});
