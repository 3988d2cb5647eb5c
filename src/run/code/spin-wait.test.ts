// Spinning: available items are taken, and turns are skipped if nothing arrived.

import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { SpinWait } from './spin-wait.ts';

function channel() {
  const { port1, port2 } = new MessageChannel();
  return {
    spinWait: new SpinWait(port1),
    send: (text: string) => port2.postMessage(text),
    end: () => port1.close(),
  };
}

it('takes what is there, in order', () => {
  const { spinWait, send, end } = channel();
  send('a');
  send('b');
  expect([spinWait.receive(), spinWait.receive()]).toEqual(['a', 'b']);
  end();
});

it('lets twice as many chances go by each further time that nothing came, and none once something did', () => {
  const { spinWait, send, end } = channel();
  const letGo = () => {
    send('late');
    let chances = 0;
    while (spinWait.receive() === undefined) chances++;
    return chances;
  };
  expect(spinWait.receive()).toBeUndefined();
  expect(letGo()).toBe(0);
  // Nothing twice, one skipped turn, nothing again.
  for (let at = 0; at < 4; at++) expect(spinWait.receive()).toBeUndefined();
  expect(letGo()).toBe(2);
  expect(letGo()).toBe(0);
  end();
});

it('never lets more than 256 go by', () => {
  const { spinWait, send, end } = channel();
  for (let at = 0; at < 2000; at++) spinWait.receive();
  send('late');
  let chances = 0;
  while (spinWait.receive() === undefined) chances++;
  expect(chances).toBeLessThanOrEqual(256);
  end();
});
