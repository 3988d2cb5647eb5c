import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { isHeadless, lastWords, lastWordsIn } from './transcript.ts';

const claude = (role: string, ...content: object[]) => ({ type: role, message: { role, content } });
const codex = (role: string, ...content: object[]) => ({
  type: 'response_item',
  payload: { type: 'message', role, content },
});
const text = (words: string) => ({ type: 'text', text: words });
const call = { type: 'tool_use', name: 'Bash', input: { command: 'ls' } };
const result = { type: 'tool_result', content: [{ type: 'text', text: 'a reason that a file gives' }] };
const lines = (...entries: object[]) => entries.map((entry) => JSON.stringify(entry)).join('\n');

describe('the last words', () => {
  it.each<[string, object[], string | undefined]>([
    [
      'before the call',
      [claude('user', text('tidy')), claude('assistant', text('I tidy up.'), call)],
      'I tidy up.',
    ],
    [
      'in a line before it',
      [claude('assistant', text('I tidy up.')), claude('assistant', call)],
      'I tidy up.',
    ],
    [
      'before other calls',
      [claude('assistant', text('First a look.'), call), claude('user', result), claude('assistant', call)],
      'First a look.',
    ],
    [
      'none since the user spoke',
      [claude('assistant', text('Done.')), claude('user', text('now this'))],
      undefined,
    ],
    ['as a plain text', [{ message: { role: 'assistant', content: 'Plain.' } }], 'Plain.'],
    [
      'of Codex',
      [
        codex('user', { type: 'input_text', text: 'go' }),
        codex('assistant', { type: 'output_text', text: 'I go.' }),
      ],
      'I go.',
    ],
    ['of Codex, none', [codex('user', { type: 'input_text', text: 'go' })], undefined],
    ['none at all', [{ type: 'summary' }, { message: [] }, { payload: { role: 7 } }], undefined],
  ])('%s', (_, entries, words) => {
    expect(lastWords(lines(...entries))).toBe(words);
  });

  it('are never what a tool gave back', () => {
    expect(lastWords(lines(claude('user', result)))).toBeUndefined();
  });

  it('are found at the end of a long file, whose beginning is cut', () => {
    const file = join(temporaryFolder(), 'transcript.jsonl');
    const long = lines(claude('user', text('x'.repeat(200_000))), claude('assistant', text('Short.')));
    writeFileSync(file, `${long}\n`);
    expect(lastWordsIn(file)).toBe('Short.');
  });

  it('are unknown where there is no transcript that can be read', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'broken'), '{"message":');
    for (const path of [join(folder, 'none'), join(folder, 'folder'), join(folder, 'broken'), 'relative']) {
      expect(lastWordsIn(path)).toBeUndefined();
    }
  });
});

describe('a run without a terminal', () => {
  const written = (...entries: object[]) => {
    const path = join(temporaryFolder(), 's-1.jsonl');
    writeFileSync(path, lines(...entries));
    return path;
  };

  it.each([
    ['of claude -p', [{ type: 'user', entrypoint: 'sdk-cli' }, { type: 'mode' }], true],
    ['of a terminal', [{ type: 'user', entrypoint: 'cli' }], false],
    ['that was resumed in a terminal', [{ entrypoint: 'sdk-cli' }, { entrypoint: 'cli' }], false],
    ['of an older version', [{ type: 'user' }], false],
  ])('is told by the transcript %s', (_, entries, expected) => {
    expect(isHeadless(written(...entries))).toBe(expected);
  });

  it.each(['relative.jsonl', '/nowhere/at/all.jsonl'])('is not known from %s', (path) => {
    expect(isHeadless(path)).toBe(false);
  });
});
