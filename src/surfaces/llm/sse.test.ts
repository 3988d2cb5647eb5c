import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenStream, type SseEvent, SseReader, sseText } from './sse.ts';

function read(pieces: readonly Uint8Array[], limit = 1000): SseEvent[] {
  const reader = new SseReader(limit);
  return [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.end()];
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** Every way of cutting bytes into two pieces, and one by one. */
function* cuts(all: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= all.length; at++) yield [all.slice(0, at), all.slice(at)];
  yield Array.from(all, (_, at) => all.slice(at, at + 1));
}

describe('events', () => {
  it.each<[string, string, SseEvent[]]>([
    ['one of data alone', 'data: a\n\n', [{ event: '', data: 'a' }]],
    ['a type', 'event: x\ndata: a\n\n', [{ event: 'x', data: 'a' }]],
    ['no space behind the colon', 'event:x\ndata:a\n\n', [{ event: 'x', data: 'a' }]],
    ['one space that is taken off', 'data:  a\n\n', [{ event: '', data: ' a' }]],
    ['several lines of data', 'data: a\ndata: b\ndata\n\n', [{ event: '', data: 'a\nb\n' }]],
    ['lines that end in CRLF', 'event: x\r\ndata: a\r\n\r\n', [{ event: 'x', data: 'a' }]],
    ['lines that end in CR', 'event: x\rdata: a\r\r', [{ event: 'x', data: 'a' }]],
    ['a byte order mark', '\ufeffdata: a\n\n', [{ event: '', data: 'a' }]],
    ['fields that are not for us', 'id: 1\nretry: 5\nfoo: bar\ndata: a\n\n', [{ event: '', data: 'a' }]],
    ['a type without data', 'event: x\n\ndata: a\n\n', [{ event: '', data: 'a' }]],
    ['one without an end', 'data: a\n\ndata: b\n', [{ event: '', data: 'a' }]],
    [
      'characters of several bytes',
      'data: é漢😀\n\ndata: ß\n\n',
      [
        { event: '', data: 'é漢😀' },
        { event: '', data: 'ß' },
      ],
    ],
    [
      'a comment',
      ': wait\n\ndata: a\n\n',
      [
        { event: ':', data: '' },
        { event: '', data: 'a' },
      ],
    ],
  ])('are read with %s, wherever the bytes are cut', (_, text, expected) => {
    for (const pieces of cuts(bytes(text))) expect(read(pieces)).toEqual(expected);
  });

  it('are what they were written as', () => {
    const name = fc.stringMatching(/^[a-z._]{0,20}$/);
    const data = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, data)), (events) => {
        const text = events.map(([event, said]) => sseText(event, said)).join('');
        expect(read([bytes(text)], 1e6)).toEqual(events.map(([event, said]) => ({ event, data: said })));
      }),
    );
  });

  it.each([
    ['a line that does not end', `data: ${'x'.repeat(200)}`],
    ['many lines of one event', 'data: 0123456789\n'.repeat(20)],
    ['a type that does not end', `event: ${'x'.repeat(200)}`],
  ])('are refused with %s', (_, text) => {
    expect(() => read([bytes(text)], 100)).toThrow(BrokenStream);
    expect(() =>
      read(
        Array.from(bytes(text), (byte) => Uint8Array.of(byte)),
        100,
      ),
    ).toThrow(BrokenStream);
  });

  it('are refused where they are not UTF-8, and where a character is left open', () => {
    expect(() => read([Uint8Array.of(0x64, 0xff, 0x0a)])).toThrow(BrokenStream);
    expect(() => read([Uint8Array.of(0x64, 0xc3)])).toThrow(BrokenStream);
  });
});
