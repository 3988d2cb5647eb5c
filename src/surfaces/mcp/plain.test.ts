// A call of a tool that is read and answered without the SDK gets the answer that the SDK gives.

import * as sdk from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { httpServer } from '../../../tests/support/mcp.ts';
import type { JsonObject } from '../../core/index.ts';
import { PlainCalls, plainAnswer } from './plain.ts';

const said = (name: string) => `io.modelcontextprotocol/${name}`;
const version = '2026-07-28';
const meta = {
  [said('protocolVersion')]: version,
  [said('clientInfo')]: { name: 'test', version: '1' },
  [said('clientCapabilities')]: {},
};
const asks = { ...meta, [said('clientCapabilities')]: { elicitation: { form: {} } } };
/** Makes no difference, and is nothing that is read without the SDK. */
const unusual = { 'test/unusual': 1 };

type Headers = Readonly<Record<string, string>>;

const headersFor = (name: string): Headers => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': version,
  'mcp-method': 'tools/call',
  'mcp-name': name,
});
const message = (params: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
  params,
  ...more,
});

const readOnly = { annotations: { readOnlyHint: true } };

async function gateway() {
  const { url, server: away } = await httpServer({ tools: () => [] });
  away.closeAllConnections();
  await new Promise((resolve) => away.close(resolve));
  const web = await httpServer({
    tools: () => ['echo', 'fail', 'draw', 'leak', 'new'].map((name) => ({ name, ...readOnly })),
    call: (name, given) => {
      if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'It failed.' }] };
      if (name === 'draw') return { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] };
      const leak = 'The token is ghp_x7Kq2Lm9Rt4Vw8Zb3Nc6Pd1Fs5Gh0JyAeUiQ.'; // sallyport:allow
      return { content: [{ type: 'text', text: name === 'leak' ? leak : JSON.stringify(given) }] };
    },
  });
  const started = await testDaemon({
    configuration: `[servers.web]\nurl = "${web.url}"\n[servers.away]\nurl = "${url}"\n`,
    passphrase: true,
  });
  const token = await started.credential();
  const send = async (headers: Headers, body: JsonObject) => {
    const { status, body: answer } = await started.call('/mcp', { token, headers, body });
    return { status, answer: JSON.parse(masked(JSON.stringify(answer))) };
  };
  /** A person sees what the tools are said to be, and lets all but the new one stand. */
  async function see(): Promise<void> {
    for (const name of ['web__echo', 'web__fail', 'web__draw', 'web__leak']) {
      await send(headersFor(name), message({ name, arguments: {}, _meta: meta }));
    }
    const person = await started.session();
    const { approvals } = (await started.call('/v1/approvals', { token })).body;
    for (const { id } of approvals) {
      const body = { answer: 'approve', permission: { reach: 'project', seconds: 3600 } };
      await started.call(`/v1/approvals/${id}/answer`, { token: person, body });
    }
  }

  /** A policy forbids every call of a tool that reads. */
  async function forbid(): Promise<void> {
    const body = { id: 'nothing', text: 'forbid (principal, action == Action::"read", resource);' };
    const { status } = await started.call('/v1/policies', { token: await started.session(), body });
    expect(status).toBe(201);
  }

  return { send, web, see, forbid };
}

/** Without what is another each time. */
function masked(text: string): string {
  return text.replace(/why [0-9a-f-]{36}/g, 'why ID');
}

describe('the same answer', () => {
  it.each<[string, string, JsonObject, object]>([
    [
      'what a tool gives',
      'web__echo',
      { a: 'ä', b: [1, null] },
      { content: [{ text: '{"a":"ä","b":[1,null]}' }] },
    ],
    ['an error of a tool', 'web__fail', {}, { isError: true, content: [{ text: 'It failed.' }] }],
    ['a picture', 'web__draw', {}, { content: [{ type: 'image' }] }],
    ['what was taken out', 'web__leak', {}, { content: [{ text: expect.stringContaining('[REDACTED') }] }],
    ['that nobody offers it', 'web__other', {}, { isError: true }],
    [
      'that the server is away',
      'away__echo',
      {},
      { isError: true, content: [{ text: expect.stringContaining('cannot be reached') }] },
    ],
    [
      'how it is approved',
      'web__new',
      {},
      { isError: true, content: [{ text: expect.stringContaining('sallyport approve') }] },
    ],
  ])('tells %s', async (_, name, given, expected) => {
    const { send, see } = await gateway();
    await see();
    const ours = await send(headersFor(name), message({ name, arguments: given, _meta: meta }));
    expect(ours).toMatchObject({
      status: 200,
      answer: { id: 7, result: { resultType: 'complete', ...expected } },
    });
    const sdks = await send(
      headersFor(name),
      message({ name, arguments: given, _meta: { ...meta, ...unusual } }),
    );
    expect(ours).toEqual(sdks);
  });

  it('tells why it refuses', async () => {
    const { send, forbid } = await gateway();
    await forbid();
    const call = (more: JsonObject) =>
      send(headersFor('web__echo'), message({ name: 'web__echo', _meta: { ...asks, ...more } }));
    const ours = await call({});
    expect(ours).toMatchObject({ status: 200, answer: { result: { isError: true } } });
    expect(JSON.stringify(ours)).toContain('sallyport why ID');
    expect(ours).toEqual(await call(unusual));
  });

  it('asks who can be asked', async () => {
    const { send } = await gateway();
    const ask = (more: JsonObject) =>
      send(headersFor('web__new'), message({ name: 'web__new', _meta: { ...asks, ...more } }));
    const ours = await ask({});
    expect(ours).toMatchObject({
      answer: { result: { resultType: 'input_required', inputRequests: { approve: {} } } },
    });
    expect(ours).toEqual(await ask(unusual));
  });

  const name = 'web__echo';
  const good = { name, arguments: {}, _meta: meta };
  const { 'mcp-name': _, ...nameless } = headersFor(name);
  const { 'mcp-protocol-version': __, ...versionless } = headersFor(name);
  it.each<[string, Headers, JsonObject, number]>([
    ['no name', headersFor(name), message({ arguments: {}, _meta: meta }), 200],
    ['arguments that are a list', headersFor(name), message({ ...good, arguments: [] }), 200],
    ['another name in the header', headersFor('web__fail'), message(good), 400],
    ['no name in the header', nameless, message(good), 400],
    ['a name that is written otherwise', headersFor('=?base64?d2ViX19mYWls?='), message(good), 400],
    ['another method in the header', { ...headersFor(name), 'mcp-method': 'tools/list' }, message(good), 400],
    [
      'another revision in the header',
      { ...headersFor(name), 'mcp-protocol-version': '2025-11-25' },
      message(good),
      400,
    ],
    ['no revision in the header', versionless, message(good), 400],
    [
      'a revision to come',
      { ...headersFor(name), 'mcp-protocol-version': '2027-01-01' },
      message({ ...good, _meta: { ...meta, [said('protocolVersion')]: '2027-01-01' } }),
      400,
    ],
    [
      'capabilities that are none',
      headersFor(name),
      message({ ...good, _meta: { ...meta, [said('clientCapabilities')]: { elicitation: 1 } } }),
      400,
    ],
    ['no word about itself', headersFor(name), message({ name, arguments: {} }), 400],
    ['another version of JSON-RPC', headersFor(name), message(good, { jsonrpc: '1.0' }), 400],
    ['no id that is one', headersFor(name), message(good, { id: 1.5 }), 400],
  ])('refuses %s', async (_what, headers, body, status) => {
    const { send, web } = await gateway();
    const answer = await send(headers, body);
    expect(answer).toMatchObject({ status, answer: { error: { code: expect.any(Number) } } });
    expect(web.seen.map((request) => request.headers.get('mcp-method'))).not.toContain('tools/call');
  });
});

describe('what is read', () => {
  const read = (body: JsonObject) => new PlainCalls(sdk).read('a__b', body);
  const good = { name: 'a__b', arguments: { x: 1 }, _meta: asks };

  it('is a call with nothing unusual about it, again and again', () => {
    const calls = new PlainCalls(sdk);
    const once = () => calls.read('a__b', message(good));
    const call = { id: 7, name: 'a__b', arguments: { x: 1 }, capabilities: { elicitation: { form: {} } } };
    expect([once(), once()]).toEqual([call, call]);
  });

  it.each<[string, JsonObject]>([
    ['a wish to hear of progress', message({ ...good, _meta: { ...asks, progressToken: 1 } })],
    ['something else about it', message({ ...good, _meta: { ...asks, ...unusual } })],
    ['answers of a person', message({ ...good, inputResponses: {} })],
    ['a state to go on from', message({ ...good, requestState: 'x' })],
    ['a task', message({ ...good, task: {} })],
    ['more than a message has', message(good, { more: 1 })],
    ['no id', { jsonrpc: '2.0', method: 'tools/call', params: good }],
    ['another method', message(good, { method: 'tools/list' })],
    ['capabilities that are none', message({ ...good, _meta: { ...meta, [said('clientCapabilities')]: 1 } })],
    ['a client without a name', message({ ...good, _meta: { ...meta, [said('clientInfo')]: {} } })],
  ])('is left to the SDK with %s', (_, body) => {
    expect(read(body)).toBeUndefined();
  });

  it('is one message', () => {
    expect(new PlainCalls(sdk).read('a__b', [message(good)])).toBeUndefined();
  });
});

describe('what is written', () => {
  const info = { key: said('serverInfo'), value: { name: 's' } };
  it.each([
    [{ content: [{ type: 'image', data: '', mimeType: 'image/png' }] }],
    [{ content: [{ type: 'text', text: 'x', annotations: {} }] }],
    [{ content: [], other: 1 }],
    [{ content: [], isError: 'yes' }],
    [{ resultType: 'input_required', requestState: 'x' }],
  ])('is not %j', (answer) => {
    expect(plainAnswer(1, answer as never, info)).toBeUndefined();
  });
});
