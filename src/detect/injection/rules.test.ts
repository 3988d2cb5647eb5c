// Every rule's own examples.

import { describe, expect, it } from 'vitest';
import { judge } from './detect.ts';
import { phraseRules } from './rules/index.ts';
import { markupRules } from './rules/markup.ts';

const rules = [...phraseRules, ...markupRules];

describe('injection rules', () => {
  it('have ids of their own', () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  describe.each(rules)('$id', ({ id, examples }) => {
    const idsIn = (text: string) => judge(text, 'tool', undefined).rules.map((rule) => rule.id);
    it.each(examples.hit)('hits %j', (text) => {
      expect(idsIn(text)).toContain(id);
    });
    it.each(examples.miss)('misses %j', (text) => {
      expect(idsIn(text)).not.toContain(id);
    });
  });
});
