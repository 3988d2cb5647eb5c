// Permissions in words.

import { expect, it } from 'vitest';
import { whatOf } from './permitted.ts';
import { spanWords } from './show.ts';

it.each([
  ['command read /w/.env', 'commands that read /w/.env'],
  ['command write /w/a b', 'commands that change /w/a b'],
  ['command run jq', 'commands that run jq'],
  ['command connect db.example', 'commands that connect to db.example'],
  ['command send secret db.example', 'commands that send secrets to db.example'],
  ['write secrets below tests', 'writing made-up secrets to files below tests'],
  [
    'tool definition 1a2b github/search_issues',
    'tool search_issues of server github, as it is described now',
  ],
  ['fetch https://example.com:443', 'fetch https://example.com:443'],
  ['The address is new.', 'The address is new.'],
  [
    "Pattern 'kill 12345' matches dangerous pattern 'process_signal': it signals 12345",
    '`kill 12345` signals 12345 (process_signal)',
  ],
])('%s is said as: %s', (says, words) => {
  expect(whatOf({ covers: 'effect', effect: says, says })).toBe(words);
});

it.each([
  [86_399_000, '24 h'],
  [7 * 86_400_000, '7 d'],
  [2 * 86_400_000, '2 d'],
  [280_000, '5 min'],
  [119_000, '119 s'],
  [0, '0 s'],
])('%d ms are said as %s', (ms, words) => {
  expect(spanWords(ms)).toBe(words);
});
