// A client has its first answer before the server is loaded, and it is the server's own.

import { PassThrough } from 'node:stream';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { context } from '../../tests/support/decide.ts';
import { settingsFrom } from '../config/index.ts';
import { realWorld } from '../decide/index.ts';
import { createQueryServer } from '../surfaces/mcp/query.ts';
import { helloTo } from '../surfaces/mcp/query-hello.ts';
import { greet, greetFirst } from './greeting.ts';

const initialize = (protocolVersion: string, id: string | number = 0) => ({
  jsonrpc: '2.0' as const,
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
});

/** What the server itself answers. */
async function answerOf(only: string | null, message: ReturnType<typeof initialize>): Promise<unknown> {
  const { sources } = settingsFrom({}, { sources: { shop: { kind: 'sqlite' }, other: { kind: 'sqlite' } } });
  const refuse = async () => {
    throw new Error('not asked for');
  };
  const server = await createQueryServer({
    sources: sources.filter(({ name }) => only === null || name === only),
    only,
    pipeline: { validate: refuse, execute: refuse, nextPage: refuse },
    world: realWorld(),
    context,
    version: '1',
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const answered = new Promise((resolve) => {
    near.onmessage = resolve;
  });
  await near.start();
  await server.connect(far);
  await near.send(message);
  const answer = await answered;
  await server.close();
  return answer;
}

describe('the first answer', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'is that of the server, in %s',
    async (revision) => {
      for (const only of ['shop', null]) {
        const hello = helloTo(JSON.stringify(initialize(revision, 'x')), only, '1');
        expect(JSON.parse(hello?.text ?? '')).toEqual(await answerOf(only, initialize(revision, 'x')));
      }
    },
  );

  it.each([
    ['another revision', JSON.stringify(initialize('2030-01-01'))],
    ['another method', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} })],
    ['a notification', JSON.stringify({ ...initialize('2025-06-18'), id: undefined })],
    ['no JSON', '{'],
    ['nothing', ''],
    ['no message', 'null'],
  ])('is left to the server for %s', (_, line) => {
    expect(helloTo(line, 'shop', '1')).toBeNull();
  });

  it('comes once, and everything that the client sent reaches the server', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { stdin, stdout, close } = greet({ source: 'shop', version: '1' }, input, output);
    const sent = `${JSON.stringify(initialize('2025-06-18', 7))}\n{"é":1}\n`;
    const bytes = Buffer.from(sent);
    // In pieces, one of which ends within a letter.
    for (const end of [
      [0, 10],
      [10, bytes.length - 5],
      [bytes.length - 5, bytes.length],
    ] as const)
      input.write(bytes.subarray(...end));
    const written: string[] = [];
    output.on('data', (chunk) => written.push(String(chunk)));
    await expect.poll(() => written).toHaveLength(1);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({
      id: 7,
      result: { serverInfo: { name: 'sallyport-shop' } },
    });
    let got = '';
    stdin.on('data', (chunk) => {
      got += chunk;
    });
    await expect.poll(() => got).toBe(sent);
    for (const message of [
      { id: 7, method: 'elicitation/create' },
      { id: 7, result: {} },
      { id: 7, result: { next: 1 } },
    ])
      stdout.write(`${JSON.stringify(message)}\n`);
    await expect
      .poll(() => written.slice(1).join(''))
      .toBe('{"id":7,"method":"elicitation/create"}\n{"id":7,"result":{"next":1}}\n');
    close();
    expect(input.isPaused()).toBe(true);
  });

  it.each([[['code']], [['query', '--help']], [['query', '--source']], [['query', '--json', 'x']], [[]]])(
    'is given to no other command: %j',
    (words) => {
      expect(greetFirst(words, '1')).toBeNull();
    },
  );
});
