import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { createApp } from './app.ts';
import { isAsking } from './asking.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const asked = ['GET /healthz', 'GET /livez', 'POST /v1/decide', 'POST /v1/hook/claude'];
/** What the socket for agents says of a call that is none of theirs. */
const absent = { status: 404, body: { name: 'NotFound', error: expect.stringContaining('agents ask') } };

type Tested = Awaited<ReturnType<typeof testDaemon>>;

/** Every path that the application serves, with something in the place of each parameter. */
function pathsOf({ call: _, ...parts }: Tested): readonly string[] {
  const { signal: stopping } = new AbortController();
  const app = createApp({ ...parts, stopping } as unknown as Parameters<typeof createApp>[0]);
  const sample = (path: string) =>
    path.replace('/v1/hook/:host', '/v1/hook/claude').replace(/:\w+/g, 'x').replace('*', 'x');
  return [...new Set(app.routes.map(({ path }) => sample(path)))];
}

describe('the socket for agents', () => {
  it('has the routes that ask, and none of the others, for whoever calls', async () => {
    const daemon = await testDaemon({ passphrase: true, ask: true });
    const token = await daemon.session();
    const found: string[] = [];
    let tried = 0;
    for (const path of pathsOf(daemon)) {
      for (const method of methods) {
        tried++;
        const body = method === 'GET' ? {} : { body: {} };
        const answer = await daemon.call(path, { method, token, socket: 'ask', ...body });
        if (answer.body.error !== 'on this socket agents ask, and do nothing else')
          found.push(`${method} ${path}`);
        else expect(answer, `${method} ${path}`).toMatchObject(absent);
      }
    }
    expect(found.sort()).toEqual(asked);
    expect(tried).toBeGreaterThan(methods.length * 50);
  });

  it('answers what asks, and records it', async () => {
    const { call, credential, workspace, ledger } = await testDaemon({ ask: true });
    const token = await credential({ agent: 'claude' });
    const body = { kind: 'shell', command: 'rm -rf /', context: { workspace } };
    const answer = await call('/v1/decide', { token, socket: 'ask', body });
    expect(answer.body).toMatchObject({ decision: 'block' });
    const { decisionId } = answer.body;
    expect(await ledger.audit.list({ decisionId })).toHaveLength(1);
    expect(await call('/healthz', { socket: 'ask' })).toMatchObject({ status: 200 });
    expect(await call('/v1/decide', { socket: 'ask', body })).toMatchObject({ status: 401 });
  });

  it('leaves everything where it was on the socket of the daemon itself', async () => {
    const { call, session } = await testDaemon({ passphrase: true, ask: true });
    const token = await session();
    expect(await call('/v1/approvals', { token, socket: true })).toMatchObject({ status: 200 });
    expect(await call('/v1/approvals', { token, socket: 'ask' })).toMatchObject(absent);
  });

  it.each([
    '/v1/hook/../session',
    '/v1/hook/%2e%2e/session',
    '/v1/hook/claude/../../approvals',
    '/v1/hook/claude%2f..%2f..%2fapprovals',
    '/v1/hook/',
    '/v1/hook/claude/',
    '/v1/decide/',
    '//v1/decide',
    '/V1/decide',
    '/v1/decide;x',
    '/livez/x',
    '/v1/hook/claude%00',
    '/console/',
    '/mcp',
    '/llm/openai/v1/models',
  ])('does not take %s for asking', (path) => {
    for (const method of [...methods, 'HEAD'])
      expect(isAsking({ method, url: `http://localhost${path}` })).toBe(false);
  });
});
