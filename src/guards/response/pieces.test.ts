// A secret that is told in pieces, or spelled in another way, is found like one that is written plainly.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gunzip } from '../../decide/gunzip.ts';
import { builtin } from '../../detect/index.ts';
import { openReader } from './facts.ts';

/** Values are put together here, so that no line of this file is itself a find. */
const token = `ghp_${'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7'}`;
const halves = [token.slice(0, 20), token.slice(20)] as const;
const codes = [...token].map((unit) => unit.charCodeAt(0));
const hexes = codes.map((code) => code.toString(16).padStart(2, '0'));
const lines = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, 'g'))?.join('\n') ?? '';
const long = btoa(
  `{"user":"deploy","comment":"made by hand","token":"${token}","scopes":["repo","workflow"]}`,
);

const spellings: readonly (readonly [string, string])[] = [
  ['two strings of a list', `["${halves[0]}", "${halves[1]}"]`],
  ['two arguments', `{"first":"${halves[0]}","second":"${halves[1]}"}`],
  ['a list of letters', JSON.stringify([...token])],
  ['letters with spaces', [...token].join(' ')],
  ['letters with dashes', [...token].join('-')],
  ['letters, one a line', [...token].join('\n')],
  ['base64 over lines of 76', lines(long, 76)],
  ['base64 over lines of 60 that are escaped', lines(long, 60).replaceAll('\n', '\\n')],
  ['base64 over quoted lines', `> ${lines(long, 64).replaceAll('\n', '\n> ')}`],
  ['hex with spaces', hexes.join(' ')],
  ['hex with colons', hexes.join(':')],
  ['hex in pairs, as xxd prints it', (hexes.join('').match(/.{1,4}/g) ?? []).join(' ')],
  ['hex with 0x', hexes.map((pair) => `0x${pair}`).join(', ')],
  ['hex behind \\x', hexes.map((pair) => `\\x${pair}`).join('')],
  ['character codes', codes.join(', ')],
  ['String.fromCharCode', `String.fromCharCode(${codes.join(',')})`],
  ['character codes without commas', codes.join(' ')],
  ['fullwidth', codes.map((code) => String.fromCharCode(code + 0xfee0)).join('')],
  ['template strings that are joined', `\`${halves[0]}\` + \`${halves[1]}\``],
  ['template strings in one another', `\`${halves[0]}\${"${halves[1]}"}\``],
  ['a template string and a string', `\`${halves[0]}\` + "${halves[1]}"`],
  ['gzip in base64', gzipSync(`the token is ${token}`).toString('base64')],
  ['gzip in base64 over lines', lines(gzipSync(`${'a b c '.repeat(9)}${token}`).toString('base64'), 40)],
];

function read(pieces: readonly string[]) {
  const reader = openReader(builtin('secrets'), [], gunzip);
  let shown = '';
  for (const piece of pieces) shown += reader.push(piece);
  shown += reader.end();
  return { shown, found: reader.found, from: reader.finds[0]?.start ?? shown.length };
}

describe('a secret in pieces', () => {
  it.each(spellings)('is found as %s', (_, spelled) => {
    const text = `The value:\n${spelled}\nThat is it.`;
    expect(read([text]).found).toBe(true);
    for (const width of [1, 3, 7, 50]) {
      const { shown, found, from } = read(text.match(new RegExp(`[^]{1,${width}}`, 'g')) ?? []);
      expect(found).toBe(true);
      expect(shown.length).toBeLessThanOrEqual(from);
    }
  });

  it.each([
    ['a list of prefixes', '["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]'],
    ['a list of numbers', JSON.stringify(Array.from({ length: 200 }, (_, at) => (at * 37) % 128))],
    [
      'a hex dump of a program',
      'f3 0f 1e fa 48 83 ec 08 48 8b 05 d9 2f 00 00 48 85 c0 74 02 ff d0 48 83 c4 08 c3',
    ],
    ['letters in a list', JSON.stringify([...'abcdefghijklmnopqrstuvwxyz'])],
    ['an archive in base64', gzipSync('nothing to be seen here '.repeat(40)).toString('base64')],
    ['a table of single letters', '| a | b | c |\n|---|---|---|\n| x | y | z |'],
  ])('is not found in %s', (_, text) => {
    expect(read([text])).toMatchObject({ shown: text, found: false });
    expect(read([...text])).toMatchObject({ shown: text, found: false });
  });
});
