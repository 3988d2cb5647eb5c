// Tests of progress: the order is preserved, and only a limited number of messages is judged.

import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { judgedProgress, type Progress } from './progress.ts';

function told(judge: (text: string) => Promise<string | undefined>) {
  const sent: (readonly [number, string | undefined])[] = [];
  const send: Progress = (progress, _, message) => void sent.push([progress, message]);
  return { sent, ...judgedProgress(send, judge) };
}

it('goes on in the order in which it came, whatever judging takes', async () => {
  const { sent, onProgress, settled } = told(async (text) => {
    await setTimeout(text === 'slow' ? 20 : 0);
    return text;
  });
  onProgress(1, 3);
  expect(sent).toEqual([[1, undefined]]);
  onProgress(2, 3, 'slow');
  onProgress(3, 3);
  onProgress(4, 3, 'quick');
  await settled();
  expect(sent.slice(1)).toEqual([
    [2, 'slow'],
    [3, undefined],
    [4, 'quick'],
  ]);
});

it('has no words that are long, were not judged, or are the hundredth and first', async () => {
  const judged: string[] = [];
  const { sent, onProgress, settled } = told(async (text) => {
    judged.push(text);
    if (text === 'bad') throw new Error('it cannot be judged');
    return text;
  });
  onProgress(0, undefined, 'bad');
  onProgress(0, undefined, 'x'.repeat(1001));
  for (let count = 0; count < 150; count++) onProgress(count, undefined, `${count}`);
  await settled();
  expect(sent).toHaveLength(152);
  expect(judged).toHaveLength(100);
  expect(sent.filter(([, message]) => message !== undefined)).toHaveLength(99);
});
