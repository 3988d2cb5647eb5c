// Policies by way of the daemon: who reads and who changes them, and that the next decision knows.

import { describe, expect, it } from 'vitest';
import { avpServer } from '../../../tests/support/avp.ts';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { engines } from '../../../tests/support/ledger.ts';

const noShell = { id: 'no_shell', text: 'forbid (principal, action == Action::"shell", resource);' };
const path = `/v1/policies/${noShell.id}`;

async function asked(daemon: Awaited<ReturnType<typeof testDaemon>>, token: string): Promise<string> {
  const { workspace } = daemon;
  const body = { kind: 'shell', command: 'ls', context: { workspace } };
  return (await daemon.call('/v1/decide', { token, body })).body.decision;
}

describe.each(engines)('policies of a daemon on %s', (engine) => {
  it('are changed by a person, count at the next decision, and are on record', async () => {
    const daemon = await testDaemon({ passphrase: true, engine });
    const { call, credential, session, ledger } = daemon;
    const [agent, person] = [await credential(), await session()];
    expect(await asked(daemon, agent)).toBe('pass');
    const made = await call('/v1/policies', { token: person, body: noShell });
    expect(made).toMatchObject({
      status: 201,
      headers: { etag: '"1"' },
      body: { ...noShell, version: '1', updatedBy: 'owner' },
    });
    expect(await asked(daemon, agent)).toBe('block');
    expect((await call('/v1/policies', { token: person })).body).toMatchObject({
      engine: 'cedar',
      version: '1',
      signed: true,
      policies: [made.body],
    });
    const seen = await call(path, { token: await credential({ scope: 'admin' }) });
    expect([seen.status, seen.headers['etag'], seen.body]).toEqual([200, '"1"', made.body]);

    const body = { text: `@decision("approve") ${noShell.text}` };
    const change = { method: 'PUT', token: person, body };
    expect((await call(path, change)).status).toBe(428);
    expect((await call(path, { ...change, headers: { 'if-match': '"0"' } })).status).toBe(412);
    expect((await call(path, { ...change, headers: { 'if-match': '"1"' } })).body.version).toBe('2');
    expect(await asked(daemon, agent)).toBe('approve');

    const gone = { method: 'DELETE', token: person };
    expect((await call(path, gone)).status).toBe(428);
    expect((await call(path, { ...gone, headers: { 'if-match': '"1"' } })).status).toBe(412);
    expect((await call(path, { ...gone, headers: { 'if-match': '"2"' } })).status).toBe(200);
    expect((await call(path, { token: person })).status).toBe(404);
    expect(await asked(daemon, agent)).toBe('pass');
    expect(await ledger.audit.list({ eventType: 'policy_changed' })).toHaveLength(3);
  });

  it('refuse every decision once they are not as they were signed', async () => {
    const daemon = await testDaemon({ passphrase: true, engine });
    const { call, credential, session, ledger } = daemon;
    const token = await credential();
    await call('/v1/policies', { token: await session(), body: noShell });
    await ledger.store.write((sql) => sql.run("UPDATE policy_sets SET body = '[]'"));
    const { workspace } = daemon;
    const { body } = await call('/v1/decide', {
      token,
      body: { kind: 'shell', command: 'ls', context: { workspace } },
    });
    expect(body).toMatchObject({
      decision: 'block',
      findings: [{ message: expect.stringContaining('not as a person signed them') }],
    });
  });
});

describe('a change is refused', () => {
  it.each([
    ['of an agent', 'decide', 403],
    ['of an approver’s credential', 'approve', 403],
    ['of an administrator’s credential', 'admin', 403],
  ] as const)('%s', async (_, scope, status) => {
    const { call, credential, ledger } = await testDaemon({ passphrase: true });
    const token = await credential({ scope });
    expect((await call('/v1/policies', { token, body: noShell })).status).toBe(status);
    const headers = { 'if-match': '"1"' };
    expect((await call(path, { method: 'PUT', token, body: noShell, headers })).status).toBe(status);
    expect((await call(path, { method: 'DELETE', token, headers })).status).toBe(status);
    expect(await ledger.policies.list()).toMatchObject({ version: '0' });
  });

  it.each([
    ['no policy', { id: 'a', text: 'forbid (' }, 400],
    ['more than it says', { ...noShell, more: 1 }, 400],
    ['too long', { id: 'a', text: 'x'.repeat(10_001) }, 400],
    ['twice the same', noShell, 409],
  ])('where it is %s', async (_, body, status) => {
    const { call, session } = await testDaemon({ passphrase: true });
    const token = await session();
    await call('/v1/policies', { token, body: noShell });
    expect((await call('/v1/policies', { token, body })).status).toBe(status);
  });

  it('where nobody may even read', async () => {
    const { call, credential } = await testDaemon();
    for (const scope of ['decide', 'approve'] as const) {
      const token = await credential({ scope });
      expect((await call('/v1/policies', { token })).status).toBe(403);
      expect((await call(path, { token })).status).toBe(403);
    }
    expect((await call('/v1/policies')).status).toBe(401);
  });
});

describe('with a policy store', () => {
  it('changes are written through to it, and on record', async () => {
    const server = await avpServer('PSdaemon');
    const configuration =
      '[code_mode]\npolicy_engine = "avp"\npolicy_store_id = "PSdaemon"\nregion = "eu-west-1"\n';
    const { call, session, ledger } = await testDaemon({ passphrase: true, configuration });
    const token = await session();
    const text = '@id("closed") forbid (principal, action, resource is CodeMode::Server);';
    const made = await call('/v1/policies', { token, body: { text } });
    expect(made.status).toBe(201);
    const { id, version } = made.body;
    expect(server.policies.get(id)?.statement).toBe(text);
    expect((await call('/v1/policies', { token })).body).toMatchObject({
      engine: 'avp',
      policies: [{ id, text, version, updatedBy: null }],
    });
    const change = { method: 'PUT', token, body: { text: text.replace('closed', 'shut') } };
    const headers = { 'if-match': made.headers['etag'] as string };
    expect((await call(`/v1/policies/${id}`, { ...change, headers })).status).toBe(200);
    expect((await call(`/v1/policies/${id}`, { ...change, headers })).status).toBe(412);
    const now = (await call(`/v1/policies/${id}`, { token })).headers['etag'] as string;
    const gone = await call(`/v1/policies/${id}`, { method: 'DELETE', token, headers: { 'if-match': now } });
    expect([gone.status, server.policies.size]).toEqual([200, 0]);
    const entries = await ledger.audit.list({ eventType: 'policy_changed' });
    expect(entries.map(({ details }) => [details['engine'], details['change']]).reverse()).toEqual([
      ['avp', 'created'],
      ['avp', 'updated'],
      ['avp', 'updated'],
      ['avp', 'deleted'],
    ]);
    await server.stop();
    expect((await call('/v1/policies', { token })).status).toBe(503);
    expect((await call('/v1/policies', { token, body: { text } })).status).toBe(503);
  });
});
