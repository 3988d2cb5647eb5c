// What a scanner keeps of a text that flows is as much as its rules may look back at.

import { describe, expect, it } from 'vitest';
import { compileRule, ownLimits, userLimits } from './compile.ts';
import { leftLimit, userLead } from './rule.ts';
import { createRuleset, type Ruleset } from './ruleset.ts';
import { Scanner } from './scanner.ts';

function findsIn(ruleset: Ruleset, pieces: readonly string[]) {
  const found: string[] = [];
  const scanner = new Scanner(ruleset);
  const sink = {
    text: () => {},
    match: ({ rule, start }: { rule: string; start: number }) => found.push(`${rule} ${start}`),
  };
  for (const piece of pieces) scanner.push(piece, false, sink);
  scanner.push('', true, sink);
  return found;
}

const named = { name: 'a number', kind: 'number', pattern: 'num_[0-9]{8}' };
const own = createRuleset([
  compileRule(
    { ...named, id: 'own', keywords: ['num_'], near: ['passport'], within: leftLimit },
    'secrets',
    ownLimits,
  ),
]);
const user = createRuleset([
  compileRule(
    {
      ...named,
      id: 'user',
      keywords: ['num_'],
      pattern: `begin[ x]{${userLead - 10}}(?<secret>num_[0-9]{8})`,
    },
    'user',
    userLimits,
  ),
]);

describe('a scanner', () => {
  it.each([
    ['of its own, a word near', own, `passport${' '.repeat(leftLimit - 10)}`],
    ["of a user's, all before the keyword", user, `begin${' x'.repeat((userLead - 10) / 2)}`],
  ])('keeps for a rule %s, however the text is cut', (_, ruleset, before) => {
    for (let filler = 1000; filler < 1300; filler += 7) {
      const text = `${'some text. '.repeat(200).slice(0, filler)} ${before}num_12345678 end`;
      const whole = findsIn(ruleset, [text]);
      expect(whole).toHaveLength(1);
      expect(findsIn(ruleset, text.match(/.{1,3}/g) ?? [])).toEqual(whole);
      expect(findsIn(ruleset, [...text])).toEqual(whole);
    }
  });
});
