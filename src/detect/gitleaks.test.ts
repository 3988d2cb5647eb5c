import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { isGitleaks, readGitleaks } from './gitleaks.ts';
import { createRuleset, scan } from './index.ts';

const file = parse(String.raw`
title = "ours"
[extend]
useDefault = true
path = "base.toml"
disabledRules = ["off"]

[[allowlists]]
regexes = ['''^(?i:example)''']

[[rules]]
id = "acme-token"
description = "Acme"
regex = '''(?i)[\w.-]{0,50}?(?:acme)[\w.-]{0,20}[\s'"]{0,3}=['"\s]{0,5}([a-z0-9]{16})(?:['"\s;]|$)'''
entropy = 2
keywords = ["acme"]
[[rules.allowlists]]
stopwords = ["demo"]
[[rules.allowlists]]
condition = "AND"
paths = ['''\.md$''']
regexes = ['''^abc''']
[[rules.allowlists]]
regexTarget = "line"
regexes = ['''nosec''']

[[rules]]
id = "off"
regex = '''(a*)*b'''

[[rules]]
id = "second-group"
regex = '''(key)-([a-z]{6})'''
secretGroup = 2
keywords = ["key-"]

[[rules]]
id = "explodes"
regex = '''x(?:a+)+b'''
keywords = ["x"]

[[rules]]
id = "names"
path = '''\.p12$'''

[[rules]]
id = "in-php"
regex = '''php-[0-9]{4}'''
path = '''\.php$'''
keywords = ["php-"]
`);

describe("a file in gitleaks' form", () => {
  const pack = readGitleaks(file);
  const rules = createRuleset(pack.rules);
  const found = (text: string, path?: string) =>
    scan(text, rules, path === undefined ? {} : { path }).map(
      ({ rule, start, end }) => `${rule} ${text.slice(start, end)}`,
    );

  it('is known from ours', () => {
    expect(isGitleaks(file as Parameters<typeof isGitleaks>[0])).toBe(true);
    expect(isGitleaks({ rules: [{ id: 'a', pattern: 'b' }] })).toBe(false);
  });

  it('gives its rules, and the reason why one is refused', () => {
    expect(pack.rules.map(({ id }) => id)).toEqual(['acme-token', 'second-group', 'in-php']);
    expect(pack.refused.map(({ id }) => id)).toEqual(['explodes', 'names']);
    expect(pack.refused.map(({ reason }) => reason).join()).toMatch(/too many ways.*names of files/);
    expect(pack).toMatchObject({ usesDefault: true, extends: 'base.toml', disabled: ['off'] });
  });

  it.each([
    ['a value', 'my.acme_key = "a1b2c3d4e5f6g7h8"', ['acme-token a1b2c3d4e5f6g7h8']],
    ['too little entropy', 'acme = "aaaaaaaaaaaaaaab"', []],
    ['a stopword', 'acme = "a1b2demod4e5f6g7"', []],
    ['an allowed value', 'acme = "example2c3d4e5f6"', []],
    ['an allowed line', 'nosec acme = "a1b2c3d4e5f6g7h8"', []],
    ['an allowed line above', 'nosec\nacme = "a1b2c3d4e5f6g7h8"', ['acme-token a1b2c3d4e5f6g7h8']],
    ['half of a condition', 'acme = "abc2c3d4e5f6g7h8"', ['acme-token abc2c3d4e5f6g7h8']],
    ['the group that is named', 'key-abcdef', ['second-group abcdef']],
    ['a rule for other files', 'php-1234', []],
  ])('finds %s', (_what, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('knows the path of the text', () => {
    expect(found('php-1234', 'a/b.php')).toEqual(['in-php php-1234']);
    expect(found('acme = "abc2c3d4e5f6g7h8"', 'a.md')).toEqual([]);
  });

  it.each([
    ['an unknown key', { title: 'x', rulez: [] }, 'rulez'],
    ['a regex that is no text', { rules: [{ id: 'a', regex: 1 }] }, '/rules/0/regex'],
  ])('is refused with %s', (_what, value, reason) => {
    expect(() => readGitleaks(value)).toThrow(reason);
  });

  it('refuses what it does not know, rule by rule', () => {
    const { refused } = readGitleaks({
      rules: [
        { id: 'target', regex: 'abc', allowlists: [{ regexTarget: 'file', regexes: ['a'] }] },
        { id: 'needs', regex: 'abcd', required: [{ id: 'x' }] },
        { id: 'syntax', regex: '(abc' },
        { id: 'bare', regex: '[a-z]{4}' },
      ],
    });
    expect(refused.map(({ id }) => id)).toEqual(['target', 'needs', 'syntax', 'bare']);
  });

  const corpus = new URL('../../../shared/corpora/secrets/gitleaks.toml.gz', import.meta.url);
  it.skipIf(!existsSync(corpus))(
    'reads nearly all of a real file (skipped where ../shared/corpora is missing)',
    () => {
      const real = readGitleaks(parse(gunzipSync(readFileSync(corpus)).toString()));
      expect(real.rules.length).toBeGreaterThanOrEqual(215);
      expect(real.rules.length + real.refused.length).toBe(222);
    },
  );
});
