// Guards that change a text, and guards that need all of it: every place that repeats a text says the same.

import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { finding, guardOf, judgement } from '../../../tests/support/decide.ts';
import {
  answers,
  events,
  json,
  leadingTo,
  type Script,
  startProvider,
  streams,
} from '../../../tests/support/llm.ts';
import type { AnyGuard } from '../../guards/index.ts';

const clean = (text: string) => text.replaceAll('Bob', '[name]');
const redacting = (found: string) => (found.includes('[name]') ? [finding({ decision: 'redact' })] : []);
const anyPrompt = guardOf(['prompt'], () => judgement());

/** Takes a name out, word by word as it flows. */
const flowing = guardOf(
  ['response'],
  (action) =>
    judgement({
      findings: redacting(clean(action.text)),
      rewritten: { ...action, text: clean(action.text) } as never,
    }),
  {
    stream: () => {
      let held = '';
      const give = (last: boolean) => {
        const end = last ? held.length : held.lastIndexOf(' ') + 1;
        const emit = clean(held.slice(0, end));
        held = held.slice(end);
        return { emit, findings: redacting(emit) };
      };
      return {
        push(piece) {
          held += piece;
          return give(false);
        },
        end: () => give(true),
      };
    },
  },
);
const { stream: _, ...whole } = flowing as AnyGuard & { stream: unknown };

async function ask(guard: unknown, wire: 'chat' | 'responses' | 'messages', script: Script, stream: boolean) {
  const provider = await startProvider((asked, response) => {
    if (asked.body.stream) void events(response, streams[wire](script));
    else json(response, answers[wire](script));
  });
  const { daemon, credential } = await testDaemon({
    environment: { PROVIDER_KEY: 'k' },
    configuration: leadingTo(provider.url),
    guards: [anyPrompt, guard as AnyGuard],
  });
  const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' };
  const answer = await fetch(`http://127.0.0.1:${daemon.port}${paths[wire]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sallyport-key': await credential() },
    body: JSON.stringify({ model: 'm', stream, input: 'Hi', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  return await answer.text();
}

/** The JSON of each event. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what came as it is
function dataOf(text: string): any[] {
  return [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json));
}

const script: Script = { text: ['I met B', 'ob today', ', dear Bo', 'b.'] };
const shown = 'I met [name] today, dear [name].';

describe.each([
  ['that reads a stream', flowing],
  ['that needs the whole text', whole],
])('a guard %s', (_name, guard) => {
  it('changes a chat as it flows', async () => {
    const chunks = dataOf(await ask(guard, 'chat', script, true));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(shown);
    expect(chunks.at(-1).choices[0].finish_reason).toBe('stop');
  });

  it('changes a response in every place that repeats it', async () => {
    const all = dataOf(await ask(guard, 'responses', script, true));
    const named = (type: string) => all.filter((event) => event.type === type);
    expect(
      named('response.output_text.delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe(shown);
    expect(named('response.output_text.done')[0].text).toBe(shown);
    expect(named('response.content_part.done')[0].part.text).toBe(shown);
    expect(named('response.output_item.done')[0].item.content[0].text).toBe(shown);
    expect(named('response.completed')[0].response.output[0].content[0].text).toBe(shown);
    expect(all.map(({ sequence_number: at }) => at)).toEqual(all.map((_, at) => at));
    expect(JSON.stringify(all)).not.toContain('Bob');
  });

  it('changes a message as it flows, and the arguments of its calls', async () => {
    const call = ['{"to":"Bo', 'b and Bob"}'];
    const all = dataOf(await ask(guard, 'messages', { ...script, call }, true));
    const pieces = (key: string) => all.map(({ delta }) => delta?.[key] ?? '').join('');
    expect(pieces('text')).toBe(shown);
    expect(pieces('partial_json')).toBe('{"to":"[name] and [name]"}');
    expect(all.at(-1).type).toBe('message_stop');
  });

  it('never changes what a model thought: a stream stops, and a whole answer goes without it', async () => {
    const thoughtful = { reasoning: ['They say Bob', ' did it '], text: ['Hello.'] };
    const all = dataOf(await ask(guard, 'messages', thoughtful, true));
    expect(all.find(({ type }) => type === 'message_delta').delta.stop_reason).toBe('refusal');
    expect(JSON.stringify(all)).not.toContain('[name]');
    expect(JSON.stringify(all)).not.toContain('Bob');
    const answer = JSON.parse(await ask(guard, 'messages', thoughtful, false));
    expect(answer.content).toEqual([{ type: 'text', text: 'Hello.' }]);
  });

  it('changes whole answers', async () => {
    expect(JSON.parse(await ask(guard, 'chat', script, false)).choices[0].message.content).toBe(shown);
    expect(JSON.parse(await ask(guard, 'responses', script, false)).output[0].content[0].text).toBe(shown);
  });
});

describe('a client that does not read', () => {
  it('makes the provider wait', async () => {
    let taken = 0;
    const piece = streams.chat({ text: ['x '.repeat(500)] })[1] ?? '';
    const provider = await startProvider(async (_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!response.destroyed && taken < 200_000_000) {
        taken += piece.length;
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
    });
    const { daemon, credential } = await testDaemon({
      environment: { PROVIDER_KEY: 'k' },
      configuration: leadingTo(provider.url, 'max_answer_bytes = 268435456'),
      guards: [anyPrompt, flowing],
    });
    const stop = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${daemon.port}/v1/chat/completions`, {
      method: 'POST',
      signal: stop.signal,
      headers: { 'content-type': 'application/json', 'x-sallyport-key': await credential() },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(answer.status).toBe(200);
    for (let before = -1; before !== taken; ) {
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    // What the sockets of the machine hold, and a little.
    expect(taken).toBeLessThan(50_000_000);
    stop.abort();
  });
});
