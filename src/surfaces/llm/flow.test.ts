// Events that are known by their letters are judged and shown as those that are read as JSON, whatever they hold.

import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { context, testDecider } from '../../../tests/support/decide.ts';
import { Answer } from './answer.ts';
import { Flow } from './flow.ts';
import { ResponseTemplate } from './response-template.ts';
import { type SseEvent, sseText } from './sse.ts';
import { chat } from './wires/chat.ts';
import { messages } from './wires/messages.ts';
import type { Wire } from './wires/wire.ts';

const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
const decider = testDecider({});

/** All that a client sees of chunks that come one after the other; `read` says whether every event is read as JSON. */
async function shown(wire: Wire, chunks: readonly Uint8Array[], read: boolean) {
  const stream = await decider.decideStream('response', context);
  const answer = new Answer(stream, 1e6);
  const reader = wire.open(answer, { stream: true });
  let text = '';
  let quick = 0;
  const flowing = reader.flowing?.bind(reader);
  reader.flowing = (data) => {
    const found = read ? null : (flowing?.(data) ?? null);
    if (found === null) return null;
    return {
      ...found,
      more(...given) {
        quick++;
        found.more(...given);
      },
    };
  };
  const out = new PassThrough();
  out.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const flow = new Flow(
    { wire, maxBytes: 1e6, signal: AbortSignal.abort(), out: out as never },
    answer,
    reader,
  );
  const body = new PassThrough();
  let over = false;
  const pumped = flow.pump(body).finally(() => {
    over = true;
  });
  for (const chunk of chunks) {
    if (over) break;
    body.write(chunk);
    // What comes while something is judged would be taken together with what comes after it.
    do await new Promise((resolve) => setImmediate(resolve));
    while (body.isPaused() && !over);
  }
  body.end();
  await pumped;
  await flow.finish();
  await flow.write(
    answer.blocked ? reader.blocked({ message: 'no', decisionId: 'd', readable: false }) : flow.last,
  );
  await new Promise((resolve) => setImmediate(resolve));
  return { text, quick, usage: reader.usage, complete: flow.complete, blocked: answer.blocked };
}

const words = fc.constantFrom(
  ...[
    ' The',
    ' quick',
    ' brown',
    '.',
    '\n',
    ' "so',
    '" ',
    '\\',
    '\u2028',
    'é',
    '漢',
    '😀',
    ' \t',
    '',
    ' <b>',
  ],
  ...[token.slice(0, 9), token.slice(9, 20), token.slice(20), '"}', '"content":"', '","a":"'],
);
const json = (value: unknown) => JSON.stringify(value);

const oddChat = fc
  .record({
    content: words,
    key: fc.constantFrom('content', 'content', 'content', 'reasoning_content'),
    created: fc.constantFrom(...[7, 8, 1763333333333.125, 1e21, -3, 'now', null, undefined]),
    more: fc.constantFrom(
      ...[{}, {}, {}, { system_fingerprint: 'fp' }, { note: 'some text' }, { usage: null }],
    ),
    around: fc.constantFrom(...[{}, {}, {}, { logprobs: null, finish_reason: null }, { logprobs: [1] }]),
    form: fc.constantFrom(
      ...[
        'plain',
        'plain',
        'plain',
        'plain',
        'spaced',
        'numberless',
        'twice',
        'zero',
        'control',
        'end',
        'call',
      ],
    ),
  })
  .map(({ content, key, created, more, around, form }): string => {
    const start = { id: 'c', object: 'chat.completion.chunk', created, model: 'm', ...more };
    const of = (delta: object, rest: object = around) =>
      json({ ...start, choices: [{ index: 0, delta, ...rest }] });
    const plain = of({ [key]: content });
    switch (form) {
      case 'spaced':
        return plain.replace('":', '": ');
      case 'numberless':
        return plain.replace(/"created":[^,]*/, '"created":');
      case 'twice':
        return plain.replace('"model"', `"choices":[{"delta":{"content":"hidden"}}],"model"`);
      case 'zero':
        return plain.replace('"created":7', '"created":07');
      case 'control':
        return of({ [key]: 'CONTROL' }).replace('CONTROL', '\u0007');
      case 'end':
        return of({}, { finish_reason: 'stop' });
      case 'call':
        return of({ tool_calls: [{ index: 0, function: { arguments: content } }] });
      default:
        return plain;
    }
  })
  .map((data): SseEvent => ({ event: '', data }));

const oddMessage = fc
  .record({
    text: words,
    index: fc.constantFrom(0, 0, 0, 1),
    type: fc.constantFrom('text_delta', 'text_delta', 'text_delta', 'thinking_delta', 'citations_delta'),
    more: fc.constantFrom(...[{}, {}, { note: 'some text' }, { count: 1 }]),
    event: fc.constantFrom('content_block_delta', 'content_block_delta', ''),
  })
  .map(({ text, index, type, more, event }): SseEvent => {
    const key = type === 'thinking_delta' ? 'thinking' : 'text';
    return {
      event,
      data: json({ type: 'content_block_delta', index, ...more, delta: { type, [key]: text } }),
    };
  });
const usualChat = fc.record({ content: words, created: fc.constantFrom(7, 8, 1763333333333.125) }).map(
  ({ content, created }): SseEvent => ({
    event: '',
    data: json({ id: 'c', created, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  }),
);
const usualMessage = words.map((text): SseEvent => {
  const type = 'content_block_delta';
  return { event: type, data: json({ type, index: 0, delta: { type: 'text_delta', text } }) };
});
const mostly = (usual: fc.Arbitrary<SseEvent>, odd: fc.Arbitrary<SseEvent>) =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: odd });

const begun: readonly SseEvent[] = [
  { event: 'message_start', data: json({ type: 'message_start', message: { usage: { input_tokens: 1 } } }) },
  ...[0, 1].map((index) => {
    const block = index === 0 ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' };
    return {
      event: 'content_block_start',
      data: json({ type: 'content_block_start', index, content_block: block }),
    };
  }),
];

describe.each<[string, Wire, fc.Arbitrary<SseEvent>, readonly SseEvent[]]>([
  ['chat', chat, mostly(usualChat, oddChat), []],
  ['messages', messages, mostly(usualMessage, oddMessage), begun],
])('events of %s', (_, wire, event, before) => {
  it('are shown alike, read as JSON or known by their letters, however they are cut', {
    timeout: 60_000,
  }, async () => {
    let known = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 12 }),
        fc.array(fc.nat(2000), { maxLength: 4 }),
        async (events, places) => {
          const texts = [...before, ...events].map((one) => sseText(one.event, one.data));
          const bytes = Buffer.from(texts.join(''));
          const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
            (a, b) => a - b,
          );
          const cut = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
          for (const chunks of [texts.map((text) => Buffer.from(text)), cut]) {
            const [{ quick, ...letters }, { quick: none, ...read }] = [
              await shown(wire, chunks, false),
              await shown(wire, chunks, true),
            ];
            expect(letters).toEqual(read);
            expect(none).toBe(0);
            known += quick;
          }
        },
      ),
      { numRuns: 400 },
    );
    // What is never known by its letters proves nothing about those.
    expect(known).toBeGreaterThan(100);
  });
});

describe('a secret', () => {
  it.each([7, 3, 1])('in events that are alike shows nothing of itself, in pieces of %i', async (size) => {
    const pieces = `It is ${token} and`.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    const events = [' Well', ' now', ...pieces].map((content, at) =>
      Buffer.from(sseText('', json({ id: 'c', created: at, choices: [{ index: 0, delta: { content } }] }))),
    );
    const { text, quick, blocked } = await shown(chat, events, false);
    expect(quick).toBeGreaterThan(4);
    expect(blocked).toBe(true);
    for (let at = 0; at + 6 <= token.length; at++) expect(text).not.toContain(token.slice(at, at + 6));
  });
});

describe('a template', () => {
  const flowing = { key: 'content', number: 'created', more: () => {} };
  const of = (created: string, content: string) => `{"created":${created},"delta":{"content":"${content}"}}`;
  const event = (data: string): SseEvent => ({ event: '', data });
  const learned = (data: string) =>
    ResponseTemplate.of(event(data), json(JSON.parse(data)), event(data), flowing);

  it('tells what differs, and writes it', () => {
    const template = learned(of('1.5', ' a'));
    const piece = template?.read(event(of('22', ' b')));
    expect(piece).toEqual({ text: ' b', number: '22' });
    expect(piece && template?.written(piece, 'x"y')).toBe(sseText('', of('22', 'x\\"y')));
  });

  it.each([
    ['another event', { event: 'x', data: of('1', 'b') }],
    ['no number', event(of('', 'b'))],
    ['a number that we would write otherwise', event(of('1.0', 'b'))],
    ['an escape', event(of('1', '\\n'))],
    ['a text that ends', event(of('1', 'b","more":"c'))],
    ['a control character', event(of('1', '\u0000'))],
    ['no text', event(of('1', ''))],
    ['something behind', event(`${of('1', 'b')} `)],
    ['letters that overlap', event('{"created":1,"delta":{"content":"}}')],
  ])('knows none with %s', (_, other) => {
    expect(learned(of('1', 'a'))?.read(other)).toBe(null);
  });

  it.each([
    ['a key that stands twice', '{"content":"a","delta":{"content":"b"}}'],
    ['its number behind its text', '{"delta":{"content":"b"},"created":1}'],
    ['no text', '{"created":1}'],
    ['a member that hides its text', '{"created":1,"delta":{"content":"a"},"delta":{"other":"b"}}'],
    ['a key in escapes', '{"created":1,"content":"a","delta":{"cont\\u0065nt":"b"}}'],
  ])('is not learned of an event with %s', (_, data) => {
    expect(learned(data)).toBe(null);
  });
});
