// Plain calls past the routes: who may not make one is refused as anywhere, what was taken back counts no longer, and
// a call is made once.

import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { httpServer } from '../../../tests/support/mcp.ts';
import { leastCost, newKey, paths, verifySignature } from '../../config/index.ts';
import { chainIn, Ledger, operatorKeyIn } from '../../ledger/index.ts';
import { looksPlain } from './direct.ts';

const said = (name: string) => `io.modelcontextprotocol/${name}`;
const meta = {
  [said('protocolVersion')]: '2026-07-28',
  [said('clientInfo')]: { name: 'test', version: '1' },
  [said('clientCapabilities')]: {},
};
const headers = (name: string) => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': name,
});

async function gateway() {
  const web = await httpServer({
    tools: () => ['echo', 'draw', 'hang'].map((name) => ({ name, annotations: { readOnlyHint: true } })),
    call: async (name) => {
      if (name === 'draw') return { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] };
      if (name === 'hang') await new Promise(() => {});
      return { content: [{ type: 'text', text: 'hello' }] };
    },
  });
  const started = await testDaemon({
    configuration: `[servers.web]\nurl = "${web.url}"\n`,
    passphrase: true,
  });
  const token = await started.credential();
  const body = (name: string) => ({
    ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
    params: { name, arguments: {}, _meta: meta },
  });
  const send = (name = 'web__echo', more: object = {}) =>
    started.call('/mcp', { token, headers: headers(name), body: body(name), ...more });
  const person = await started.session();
  for (const name of ['web__echo', 'web__draw', 'web__hang']) await send(name);
  const { approvals } = (await started.call('/v1/approvals', { token })).body;
  for (const { id } of approvals) {
    const answer = { answer: 'approve', permission: { reach: 'project', seconds: 3600 } };
    await started.call(`/v1/approvals/${id}/answer`, { token: person, body: answer });
  }
  const text = async () => JSON.stringify((await send()).body);
  // The first uses up the answer; with the second, all that is read of the store is remembered.
  for (let time = 0; time < 3; time++) expect(await text()).toContain('hello');
  /** Calls that reached the server. */
  const made = () => web.seen.filter((request) => request.headers.get('mcp-method') === 'tools/call').length;
  return { ...started, token, person, send, text, body, made, web };
}

describe('a plain call', () => {
  it('is answered with what no browser keeps or guesses at, and told in the log', async () => {
    const { send, lines } = await gateway();
    const before = lines.length;
    const answer = await send();
    expect(answer).toMatchObject({ status: 200, body: { id: 7, result: { content: [{ text: 'hello' }] } } });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(lines.slice(before).filter((line) => line.includes('"path":"/mcp"'))).toHaveLength(1);
  });

  it.each<[string, object, number]>([
    ['another host', { headers: { ...headers('web__echo'), host: 'evil.example' } }, 403],
    ['another origin', { headers: { ...headers('web__echo'), origin: 'http://evil.example' } }, 403],
    ['a credential that nobody has', { token: 'sp_nobody' }, 401],
    ['a body that is not JSON', { raw: '{"jsonrpc":', body: undefined }, 400],
    ['a key that stands twice', { raw: '{"id":1,"id":2}', body: undefined }, 400],
    ['no body', { raw: '', body: undefined }, 400],
    [
      'a workspace that is none',
      { headers: { ...headers('web__echo'), 'x-sallyport-workspace': 'here' } },
      400,
    ],
  ])('is refused with %s, and not made', async (_, more, status) => {
    const { send, made } = await gateway();
    const before = made();
    expect((await send('web__echo', more)).status).toBe(status);
    expect(made()).toBe(before);
  });

  it('is refused with a credential that answers questions', async () => {
    const { send, credential, made } = await gateway();
    const before = made();
    expect((await send('web__echo', { token: await credential({ scope: 'approve' }) })).status).toBe(403);
    expect(made()).toBe(before);
  });

  it('of somebody whom nobody knows is refused before its body has come', async () => {
    const { daemon } = await testDaemon();
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(daemon.port, '127.0.0.1');
      socket.once('data', (text) => {
        socket.destroy();
        resolve(String(text));
      });
      const head = { ...headers('web__echo'), authorization: 'Bearer nobody', 'content-length': '1000' };
      const lines = Object.entries({
        ...head,
        'content-type': 'application/json',
        host: `127.0.0.1:${daemon.port}`,
      });
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401/);
  });

  it('is made once, though the SDK tells what came of it', async () => {
    const { send, made } = await gateway();
    const before = made();
    const { body } = await send('web__draw');
    expect(body.result.content).toMatchObject([{ type: 'image' }]);
    expect(made()).toBe(before + 1);
  });

  /** A call as it goes over the wire: its head, and its body. */
  function wire(name: string, { daemon, token, body }: Awaited<ReturnType<typeof gateway>>) {
    const text = JSON.stringify(body(name));
    const head = Object.entries({
      ...headers(name),
      host: `127.0.0.1:${daemon.port}`,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': text.length,
    });
    const lines = head.map(([key, value]) => `${key}: ${value}\r\n`).join('');
    return { head: `POST /mcp HTTP/1.1\r\n${lines}\r\n`, text };
  }

  it.each([0, 1, 40])('is made whose body comes in pieces, %i bytes of it with its head', async (first) => {
    const started = await gateway();
    const { head, text } = wire('web__echo', started);
    const socket = connect(started.daemon.port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => {
      socket.once('data', (piece) => resolve(String(piece)));
    });
    const pieces = [head + text.slice(0, first), text.slice(first, 60), text.slice(60)];
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await answer).toContain('hello');
    socket.destroy();
  });

  it('is given up with the one who made it', async () => {
    const started = await gateway();
    const { daemon, web, made } = started;
    const before = made();
    const { head, text } = wire('web__hang', started);
    const socket = connect(daemon.port, '127.0.0.1');
    socket.write(head + text);
    await vi.waitFor(() => expect(made()).toBe(before + 1));
    socket.destroy();
    await vi.waitFor(() => expect(web.seen.at(-1)?.signal.aborted).toBe(true));
  });
});

describe('the next plain call', () => {
  it('is refused once the credential is taken back', async () => {
    const { send, ledger } = await gateway();
    for (const { credential } of await ledger.credentials.list())
      await ledger.credentials.revoke(credential, 1);
    expect((await send()).status).toBe(401);
  });

  it('asks again once the permission is revoked', async () => {
    const { text, call, person } = await gateway();
    const { permissions } = (await call('/v1/permissions', { token: person })).body;
    for (const { id } of permissions)
      await call(`/v1/permissions/${id}`, { method: 'DELETE', token: person });
    expect(await text()).toContain('sallyport approve');
  });

  it('is refused once a policy forbids it', async () => {
    const { text, call, person } = await gateway();
    const policy = { id: 'nothing', text: 'forbid (principal, action == Action::"read", resource);' };
    expect((await call('/v1/policies', { token: person, body: policy })).status).toBe(201);
    expect(await text()).toContain('"isError":true');
  });

  it.each([
    ['the credential', "UPDATE credentials SET revoked_at = 1 WHERE scope = 'decide'", 'NotAuthenticated'],
    ['the grant', 'UPDATE grants SET revoked_at = 1', 'sallyport approve'],
    ['the signature', "UPDATE grants SET signature = 'AAAA'", 'sallyport approve'],
  ])('knows that another process took back %s', async (_, statement, expected) => {
    const { text, home } = await gateway();
    const other = new DatabaseSync(paths(home).ledger);
    other.exec(statement);
    other.close();
    expect(await text()).toContain(expected);
  });

  it.each(['this process', 'another process'])(
    'asks again once the key that signed the grant was replaced by %s',
    async (process) => {
      const { text, home, ledger, ownKey } = await gateway();
      const { keys, ledger: file } = paths(home);
      const options = { operatorKey: operatorKeyIn(keys), chain: chainIn(keys), check: verifySignature };
      const by =
        process === 'this process'
          ? ledger
          : await Ledger.open({ ...options, store: { file }, now: Date.now });
      const [own, { signer: next }] = [await ownKey(), await newKey('another passphrase', leastCost)];
      const fields = { key: next.publicKey, name: 'owner', role: 'owner', replaces: own.publicKey };
      const statement = by.approvers.statement('owner', fields);
      await by.approvers.add(statement, own, { user: 'owner', tenant: 'local' });
      if (by !== ledger) await by.close();
      expect(await text()).toContain('sallyport approve');
    },
  );
});

describe('a request', () => {
  const good = { ...headers('a__b'), 'content-type': 'application/json', 'content-length': '10' };
  it('that looks like a plain call says so to its last word', () => {
    expect(looksPlain(good, 10)).toBe(true);
    expect(looksPlain(good, 9)).toBe(false);
    expect(looksPlain({ ...good, 'content-length': undefined }, 10)).toBe(false);
    expect(looksPlain({ ...good, 'transfer-encoding': 'chunked' }, 10)).toBe(false);
    expect(looksPlain({ ...good, 'content-type': 'text/plain' }, 10)).toBe(false);
    expect(looksPlain({ ...good, 'mcp-method': 'tools/list' }, 10)).toBe(false);
    expect(looksPlain({ ...good, 'mcp-protocol-version': '2025-11-25' }, 10)).toBe(false);
  });
});
