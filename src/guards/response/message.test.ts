// A secret that two texts of one message hold together is not shown, in whatever pieces they come.

import { describe, expect, it } from 'vitest';
import { context, testDecider } from '../../../tests/support/decide.ts';
import { holdsInPieces } from './message.ts';

const token = `ghp_${'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7'}`;
const [first, second] = [token.slice(0, 20), token.slice(20)];
const decider = testDecider({});

/** What a client sees that shows the channels one after another, and waits where it is told to. */
async function shown(texts: readonly string[], width: number): Promise<{ seen: string; blocked: boolean }> {
  const stream = await decider.decideStream('response', context);
  let seen = '';
  let awaiting = '';
  const take = (emit: string) => {
    awaiting += emit;
    if (stream.awaits) return;
    seen += awaiting;
    awaiting = '';
  };
  for (const [at, text] of texts.entries()) {
    for (const piece of text.match(new RegExp(`[^]{1,${width}}`, 'g')) ?? []) {
      take((await stream.push(piece, `block ${at}`)).emit);
      if (stream.blocked) break;
    }
    if (!stream.blocked) take((await stream.finish(`block ${at}`)).emit);
  }
  const { verdict } = await stream.end();
  if (verdict.decision === 'pass') take('');
  return { seen, blocked: verdict.decision === 'block' };
}

const attacks: readonly (readonly [string, readonly string[]])[] = [
  ['two texts', [`The token is ${first}`, second]],
  ['two texts and one behind them', [`The token is ${first}`, second, 'Use it well.']],
  ['three texts', [`It is ${token.slice(0, 12)}`, token.slice(12, 26), `${token.slice(26)} and no more`]],
  ['a text and the argument of a call', [`The token is ${first}`, `{"rest":"${second}"}`]],
  ['the arguments of two calls', [`{"part":"${first}"}`, `{"part":"${second}"}`]],
  ['two arguments of one call', [`{"a":"${first}","b":"${second}"}`]],
];

const harmless: readonly (readonly [string, readonly string[]])[] = [
  ['two paragraphs', ['I looked at the tasks', 'keys and tokens are set.']],
  ['a thought, a text and a call', ['Let me see.', 'I will read it now.', '{"path":"src/index.ts"}']],
  ['a prefix and a sentence', ['A token begins with ghp_', 'and has 36 letters behind that.']],
  ['one half alone', [`It begins with ${first}`, 'and ends I know not how.']],
];

describe('texts of one message', () => {
  it.each(attacks)('are not shown where %s hold a secret', async (_, texts) => {
    expect(holdsInPieces(texts) || texts.length === 1).toBe(true);
    for (const width of [1, 4, 1000]) {
      const { seen, blocked } = await shown(texts, width);
      expect(blocked).toBe(true);
      // Nothing of the value behind what every such token begins with.
      expect(seen).not.toContain(token.slice(0, 6));
    }
  });

  it.each(harmless)('are shown as they are: %s', async (_, texts) => {
    expect(holdsInPieces(texts)).toBe(false);
    for (const width of [1, 4, 1000]) {
      expect(await shown(texts, width)).toEqual({ seen: texts.join(''), blocked: false });
    }
  });
});
