// Segments are shown by their place, and each rule input has its own.

import { describe, expect, it } from 'vitest';
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
