// A call that is sent without the SDK has the same result as one that the SDK sends, whatever the server answers, and
// reaches the server once.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { context } from '../../../tests/support/decide.ts';
import { openTestLedger } from '../../../tests/support/ledger.ts';
import { only, plainServer } from '../../../tests/support/mcp.ts';
import { toolServer } from '../../../tests/support/mcp-tools.ts';
import { configOf, settingsFrom } from '../../config/index.ts';
import { createDecider, realWorld } from '../../decide/index.ts';
import { openUpstreams } from './index.ts';

type Respond = (id: string | number, out: ServerResponse) => void;

const mirrored = { type: 'object', properties: { team: { type: 'string', 'x-mcp-header': 'Team' } } };

/** A server whose answers to calls a test writes. */
async function answering(respond: Respond) {
  const tools = () => [
    { name: 'echo', annotations: { readOnlyHint: true } },
    { name: 'mirror', inputSchema: mirrored },
  ];
  const handler = createMcpHandler(() => toolServer({ tools }));
  const seen: { headers: NodeJS.Dict<string | string[]>; body: { id: string | number; params: object } }[] =
    [];
  const url = await plainServer(async (request, out) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString('utf8');
    if (request.headers['mcp-method'] === 'tools/call') {
      seen.push({ headers: request.headers, body: JSON.parse(text) });
      return respond(JSON.parse(text).id, out);
    }
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const sent = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: text });
    const answer = await handler.fetch(sent);
    out.writeHead(answer.status, Object.fromEntries(answer.headers));
    // Some of them stream for as long as the connection is open.
    if (answer.body === null) out.end();
    else
      Readable.fromWeb(answer.body as never)
        .on('error', () => out.destroy())
        .pipe(out);
  });
  return { url: `${url}/mcp`, seen };
}

/** The result of a call: by the SDK, which alone reads progress messages, or without it. */
async function outcome(url: string, by: 'sdk' | 'us', tool = 'echo'): Promise<unknown> {
  const ledger = await openTestLedger();
  const world = realWorld();
  const settings = settingsFrom({}, { tools: { '*': { server: 'web', effect: 'read' } } });
  const decider = createDecider({
    config: configOf(() => settings),
    ...{ ledger, world },
  });
  const opened = openUpstreams({
    servers: [only({ web: { url, headers: { 'X-Key': 'k', Accept: 'text/plain' } } })],
    ...{ decider, ledger, world, owner: { user: 'ann', tenant: 'acme' }, environment: {}, version: '0' },
  });
  onTestFinished(() => opened.close());
  const given = { team: 'x', word: 'ä"\n' };
  const { cleared } = await decider.decide({ kind: 'tool', tool, server: 'web', arguments: given }, context);
  if (cleared === null) throw new Error('it was not cleared');
  const { signal } = new AbortController();
  try {
    return await opened.call(cleared, { signal, ...(by === 'sdk' ? { onProgress: () => {} } : {}) });
  } catch (error) {
    return error instanceof Error ? { error: error.name, message: error.message } : error;
  }
}

const json =
  (status: number, body: (id: string | number) => unknown, more: Record<string, string> = {}): Respond =>
  (id, out) => {
    const value = body(id);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    out.writeHead(status, { 'content-type': 'application/json', ...more }).end(text);
  };
const result = (value: object) => json(200, (id) => ({ jsonrpc: '2.0', id, result: value }));
const complete = (...content: object[]) => ({ resultType: 'complete', content });
const error = { code: -32_602, message: 'Ignore it, said "nobody".' };
const flow = (events: (id: string | number) => readonly object[]): Respond => {
  return (id, out) => {
    out.writeHead(200, { 'content-type': 'text/event-stream' });
    out.end(
      events(id)
        .map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    );
  };
};
const text = { type: 'text', text: 'It is ä.' };

describe('a call without the SDK', () => {
  it.each<[string, Respond]>([
    ['a text', result(complete(text, text))],
    ['nothing', result(complete())],
    ['an error of the tool', result({ ...complete(text), isError: true })],
    ['data', result({ ...complete(text), structuredContent: { a: [1, null] }, _meta: { 'x/y': 1 } })],
    ['data that is no object', result({ ...complete(text), structuredContent: [1] })],
    ['a picture', result(complete(text, { type: 'image', data: 'AAAA', mimeType: 'image/png' }))],
    ['a text with notes', result(complete({ ...text, annotations: { priority: 1 } }))],
    ['a text with more than the protocol knows', result(complete({ ...text, other: 1 }))],
    ['more than the protocol knows', result({ ...complete(text), other: 1 })],
    ['a block of no kind', result(complete({ type: 'other', text: 'x' }))],
    ['no content', result({ resultType: 'complete' })],
    ['no kind of result', result({ content: [text] })],
    ['another kind of result', result({ resultType: 'task', content: [text] })],
    ['an error that is no yes or no', result({ ...complete(text), isError: 'no' })],
    ['an error', json(200, (id) => ({ jsonrpc: '2.0', id, error }))],
    ['a refusal', json(400, (id) => ({ jsonrpc: '2.0', id, error }))],
    ['a refusal of nothing', json(400, () => ({ jsonrpc: '2.0', id: null, error }))],
    ['a wish for a login', json(401, () => ({}), { 'www-authenticate': 'Bearer' })],
    [
      'a wish for another login',
      json(403, () => ({}), { 'www-authenticate': 'Bearer error="insufficient_scope"' }),
    ],
    ['that it knows us no more', json(404, () => ({}))],
    ['that it failed', json(500, () => 'oh')],
    ['no JSON', json(200, () => '{"jsonrpc":')],
    ['another form', json(200, () => '<p>', { 'content-type': 'text/html' })],
    ['a stream', flow((id) => [{ jsonrpc: '2.0', id, result: complete(text) }])],
    [
      'a stream with more in it',
      flow((id) => [
        { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
        { jsonrpc: '2.0', id, result: complete(text) },
      ]),
    ],
    ['a stream without an answer', flow(() => [])],
    ['a connection that breaks', (_, out) => out.destroy()],
    [
      'half an answer',
      (_, out) => {
        out.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        out.write('{"jsonrpc"', () => out.destroy());
      },
    ],
  ])('comes to the same where the server gives %s', async (_, respond) => {
    const { url, seen } = await answering(respond);
    const ours = await outcome(url, 'us');
    expect(seen).toHaveLength(1);
    expect(ours).toEqual(await outcome(url, 'sdk'));
    expect(seen).toHaveLength(2);
  });

  it('says what the SDK would say', async () => {
    const { url, seen } = await answering(result(complete(text)));
    await outcome(url, 'us');
    await outcome(url, 'sdk');
    const [ours, sdks] = seen.map(({ headers, body: { id, params } }) => {
      const { 'content-length': _, connection: __, ...others } = headers;
      const { _meta: meta, ...rest } = params as { _meta: Record<string, unknown> };
      const { progressToken: ___, ...said } = meta;
      return { id: typeof id, headers: others, params: { ...rest, _meta: said } };
    });
    expect(ours).toEqual({ ...sdks, id: 'string' });
  });

  it('is not made where parameters travel in headers', async () => {
    const { url, seen } = await answering(result(complete(text)));
    expect(await outcome(url, 'us', 'mirror')).toMatchObject({ content: [text] });
    expect(seen).toMatchObject([{ headers: { 'mcp-param-team': 'x' }, body: { id: expect.any(Number) } }]);
  });
});
