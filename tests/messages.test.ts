// The texts that a person or a model may read are listed, so that a review sees a change of words; private or archaic words
// are refused.

import { describe, expect, it } from 'vitest';
import { makeMessages, messagesIn } from '../scripts/messages.ts';

/** Words that engineers neither say nor search for. */
const refused =
  /\b(?:whoever|wherever|let through|comes to|took back|takes back|in its stead|says no|says yes|heeded|lets? go|laid to|the one path|a yes|no yes)\b/i;

const { found, wanted } = makeMessages();

describe('the messages', () => {
  it('are the listed ones', () => {
    expect(found, 'tests/fixtures/messages.txt is not current: run npm run messages').toBe(wanted);
  });

  it('use the words of the trade', () => {
    const lines = wanted.split('\n').filter((line) => line.startsWith('  ') && refused.test(line));
    expect(lines).toEqual([]);
  });
});

it('finds a text in a literal, a template and an element', () => {
  const source = [
    "const a = 'one sentence of words';",
    'const b = `another ${a} sentence of words`;',
    'const c = <p>words in an element</p>;',
    "const d = { pattern: 'no sentence for people here' };",
  ].join('\n');
  expect(messagesIn('a.tsx', source)).toEqual([
    'one sentence of words',
    'another … sentence of words',
    'words in an element',
  ]);
});
