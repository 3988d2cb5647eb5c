// A finding as a sentence for a person.

import { describe, expect, it } from 'vitest';
import { plainMessage } from './error.ts';

describe('the plain message', () => {
  it.each([
    [
      "Pattern 'rm -rf /' matches dangerous pattern 'a_rule': it deletes /.",
      1,
      '`rm -rf /` deletes / (a_rule)',
    ],
    ["Path '../x' violates path rule 'a_rule': outside", 2, '`../x`: outside (a_rule)'],
    ["Pattern 'rm `a`' matches dangerous pattern 'a_rule': it deletes a", 1, '"rm `a`" deletes a (a_rule)'],
    [
      "Pattern 'echo 'it'' matches dangerous pattern 'a_rule': why 'a_rule': two",
      1,
      "`echo 'it'`: why 'a_rule': two (a_rule)",
    ],
    ['a message of another form', 1, 'a message of another form'],
    [
      "Pattern 'x' matches dangerous pattern 'a_rule': it deletes x",
      undefined,
      "Pattern 'x' matches dangerous pattern 'a_rule': it deletes x",
    ],
  ] as const)('%s', (message, layer, plain) => {
    expect(plainMessage({ rule: 'a_rule', message, ...(layer === undefined ? {} : { layer }) })).toBe(plain);
  });
});
