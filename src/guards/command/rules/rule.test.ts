// Segments are shown by their place, and each rule input has its own; a block says why no person could want what it refuses.

import { describe, expect, it } from 'vitest';
import { allRules } from './index.ts';
import { segmentOf } from './rule.ts';

describe('segmentOf', () => {
  it('shows each segment of each ruleInput, and the same again', () => {
    const [one, other] = [{ source: 'ls; rm a' }, { source: 'id; cd b' }];
    const shown = [
      segmentOf(one, [0, 2]),
      segmentOf(one, [3, 8]),
      segmentOf(one, [0, 2]),
      segmentOf(other, [0, 2]),
    ];
    expect(shown).toEqual(['ls', 'rm a', 'ls', 'id']);
  });
});

describe('a rule that blocks', () => {
  it('says why no person could want it, and no other does', () => {
    for (const { id, decision, unwanted } of allRules)
      expect(unwanted === undefined ? 'asks' : 'blocks', id).toBe(decision === 'block' ? 'blocks' : 'asks');
    expect(allRules.filter(({ unwanted }) => unwanted !== undefined).length).toBeGreaterThan(20);
  });
});
