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

describe('a policy that is tried out', () => {
  async function withDecisions() {
    const daemon = await testDaemon({ passphrase: true });
    const { call, credential, session, workspace } = daemon;
    const [token, person] = [await credential(), await session()];
    const decide = async (action: object) =>
      (await call('/v1/decide', { token, body: { ...action, context: { workspace } } })).body;
    const dryRun = (body: object) => call('/v1/policies/dry-run', { token: person, body });
    return { ...daemon, token, person, decide, dryRun };
  }

  it('tells which recent decisions would have been others, and changes nothing', async () => {
    const { decide, dryRun, call, person, ledger } = await withDecisions();
    const passed = await decide({ kind: 'shell', command: 'ls' });
    await decide({ kind: 'shell', command: 'rm -rf /' });
    await decide({ kind: 'fetch', url: 'http://169.254.169.254/' });
    const { status, body } = await dryRun(noShell);
    expect(status).toBe(200);
    // What the guards block is blocked either way.
    expect(body).toMatchObject({
      judged: 3,
      of: 3,
      changed: 1,
      counts: [{ from: 'pass', to: 'block', count: 1 }],
    });
    expect(body.changes).toMatchObject([
      { decision_id: passed.decisionId, kind: 'shell', from: 'pass', to: 'block', policies: ['no_shell'] },
    ]);
    expect((await call('/v1/policies', { token: person })).body.policies).toEqual([]);
    expect(await ledger.audit.list({ eventType: 'policy_changed' })).toEqual([]);
  });

  it('is asked what was asked then: programs, paths, hosts and what stands inside a tool call', async () => {
    const { decide, dryRun } = await withDecisions();
    await decide({ kind: 'tool', tool: 'Bash', arguments: { command: 'git status' } });
    await decide({ kind: 'write', path: 'docs/a.md', content: 'a' });
    await decide({ kind: 'read', path: 'src/a.ts' });
    await decide({ kind: 'prompt', text: 'hello', origin: 'user' });
    const changed = async (condition: string) => {
      const text = `forbid (principal, action, resource) when { ${condition} };`;
      const { body } = await dryRun({ id: 'tried', text });
      return body.changes.map(({ kind }: { kind: string }) => kind).sort();
    };
    expect(await changed('context.programs.contains("git")')).toEqual(['tool']);
    expect(await changed('context has path && context.path like "docs/*"')).toEqual(['write']);
    expect(await changed('context has path')).toEqual(['read', 'write']);
    expect(await changed('context has tool && context.tool == "Bash"')).toEqual(['tool']);
    expect(await changed('context.mode == "default"')).toEqual(['prompt', 'read', 'tool', 'write']);
    expect(await changed('principal in Tenant::"other"')).toEqual([]);
    expect(await changed('principal in Tenant::"acme"')).toHaveLength(4);
  });

  it('is compared with what is kept now, edited, taken away or brought back', async () => {
    const { decide, dryRun, call, person } = await withDecisions();
    await call('/v1/policies', { token: person, body: noShell });
    await decide({ kind: 'shell', command: 'ls' });
    expect((await dryRun(noShell)).body).toMatchObject({ judged: 1, changed: 0 });
    const asks = { ...noShell, text: `@decision("approve") ${noShell.text}` };
    expect((await dryRun(asks)).body.counts).toEqual([{ from: 'block', to: 'approve', count: 1 }]);
    expect((await dryRun({ remove: 'no_shell' })).body.counts).toEqual([
      { from: 'block', to: 'pass', count: 1 },
    ]);
    await call(path, { token: person, method: 'DELETE', headers: { 'if-match': '"1"' } });
    expect((await dryRun({ restore: 1 })).body.counts).toEqual([{ from: 'pass', to: 'block', count: 1 }]);
  });

  it('leaves out what cannot be looked at again', async () => {
    const { decide, dryRun, ledger, workspace } = await withDecisions();
    await decide({ kind: 'shell', command: 'ls' });
    const planted = {
      time: Date.now(),
      event_type: 'decision',
      user: 'ann',
      tenant: 'acme',
      agent: 'a',
    } as const;
    const whole = { asked: { decision: 'pass', parts: [{ kind: 'shell' }] }, mode: 'default', workspace };
    const details = [
      {},
      { ...whole, asked: { decision: 'pass', parts: [{ kind: 'nothing' }] } },
      { ...whole, asked: { parts: [] } },
      { ...whole, mode: 'none' },
      { ...whole, workspace: 'not absolute' },
    ];
    for (const [at, held] of details.entries())
      await ledger.audit.append({ ...planted, decision: 'pass', decision_id: String(at), details: held });
    expect((await dryRun(noShell)).body).toMatchObject({ judged: 1, of: 6, changed: 1 });
    expect((await dryRun({ ...noShell, decisions: 2 })).body).toMatchObject({ judged: 0, of: 2 });
  });

  it.each([
    [{}, 400, 'exactly one'],
    [{ ...noShell, remove: 'x' }, 400, 'exactly one'],
    [{ text: 'forbid (' }, 400, '1:'],
    [{ remove: 'nothing' }, 404, 'there is no policy'],
    [{ restore: 7 }, 404, 'not kept'],
    [{ ...noShell, decisions: 1001 }, 400, 'decisions'],
  ])('is refused: %j', async (body, status, says) => {
    const { dryRun } = await withDecisions();
    const refused = await dryRun(body);
    expect([refused.status, refused.body.error]).toEqual([status, expect.stringContaining(says)]);
  });

  it('is for an administrator', async () => {
    const { call, token } = await withDecisions();
    for (const word of ['check', 'dry-run'])
      expect((await call(`/v1/policies/${word}`, { token, body: noShell })).status).toBe(403);
    expect((await call('/v1/policy-versions', { token })).status).toBe(403);
  });

  it('is checked as it is typed, and laid out', async () => {
    const { call, person } = await withDecisions();
    const check = async (body: object) => (await call('/v1/policies/check', { token: person, body })).body;
    expect(await check({ text: '@id("a")forbid(principal,action,resource);' })).toEqual({
      ...{ id: 'a', problems: [] },
      formatted: '@id("a")\nforbid (principal, action, resource);',
    });
    expect(
      await check({ text: 'forbid (principal, action, resource) when { context.nothing };' }),
    ).toMatchObject({
      ...{ id: null, formatted: null },
      problems: [{ line: 1, column: expect.any(Number), message: expect.stringContaining('nothing') }],
    });
    await call('/v1/policies', { token: person, body: noShell });
    const again = `@id("no_shell") ${noShell.text}`;
    expect((await check({ text: again })).problems).toHaveLength(1);
    expect((await check({ id: 'no_shell', text: again })).problems).toEqual([]);
  });
});

describe.each(engines)('versions of policies on %s', (engine) => {
  it('are listed, and brought back as a new one that a person signs', async () => {
    const daemon = await testDaemon({ passphrase: true, engine });
    const { call, credential, session, ledger } = daemon;
    const [token, person] = [await credential(), await session()];
    await call('/v1/policies', { token: person, body: noShell });
    await call('/v1/policies', { token: person, body: { ...noShell, id: 'again' } });
    await call(path, { token: person, method: 'DELETE', headers: { 'if-match': '"1"' } });
    const { versions } = (await call('/v1/policy-versions', { token: person })).body;
    expect(
      versions.map((one: { version: string; policies: { id: string }[] }) => [
        one.version,
        one.policies.map(({ id }) => id),
      ]),
    ).toEqual([
      ['3', ['again']],
      ['2', ['again', 'no_shell']],
      ['1', ['no_shell']],
    ]);
    expect(versions[0]).toMatchObject({ signed: true, madeBy: 'owner', madeAt: expect.any(String) });
    const restore = (version: number, seen?: string) =>
      call(`/v1/policy-versions/${version}/restore`, {
        ...{ token: person, method: 'POST' },
        ...(seen === undefined ? {} : { headers: { 'if-match': `"${seen}"` } }),
      });
    expect((await restore(1)).status).toBe(428);
    expect((await restore(1, '2')).status).toBe(412);
    expect((await restore(9, '3')).status).toBe(404);
    expect(await restore(1, '3')).toMatchObject({ status: 200, body: { version: '4' } });
    expect((await call('/v1/policies', { token: person })).body).toMatchObject({
      ...{ version: '4', signed: true },
      policies: [{ id: 'no_shell', version: '4' }],
    });
    expect(await asked(daemon, token)).toBe('block');
    const [entry] = await ledger.audit.list({ eventType: 'policy_changed' });
    expect(entry?.details).toMatchObject({ change: 'restored', of: '1', version: '4' });
    expect((await call('/v1/policy-versions/1/restore', { token, method: 'POST' })).status).toBe(403);
  });

  it('are not brought back where nobody signed them', async () => {
    const { call, session, ledger } = await testDaemon({ passphrase: true, engine });
    const person = await session();
    await call('/v1/policies', { token: person, body: noShell });
    await call('/v1/policies', { token: person, body: { ...noShell, id: 'again' } });
    await ledger.store.write((sql) =>
      sql.run("UPDATE policy_sets SET made_by = made_by, signature = 'x' WHERE version = 1"),
    );
    const headers = { 'if-match': '"2"' };
    const refused = await call('/v1/policy-versions/1/restore', { token: person, method: 'POST', headers });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringContaining('not as a person signed'),
    ]);
  });
});
