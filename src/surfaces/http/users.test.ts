// Users of the console: how they come in, what each role may do, what of whose tenant they see, and what is on record.

import { describe, expect, it, vi } from 'vitest';
import { passphrase, testDaemon } from '../../../tests/support/daemon.ts';
import { engines } from '../../../tests/support/ledger.ts';
import { hashPassphrase, leastCost } from '../../config/index.ts';
import { StoreFull } from '../../ledger/index.ts';
import { routes } from './routes.ts';

const people = {
  vic: ['viewer', null],
  ann: ['approver', null],
  eve: ['admin', null],
  tom: ['approver', 'acme'],
  tina: ['admin', 'acme'],
} as const;
type Name = keyof typeof people;

const phrase = (name: string) => `the passphrase of ${name}`;
const sections = await Promise.all(
  Object.entries(people).map(async ([name, [role, tenant]]) =>
    [
      `[users.${name}]`,
      `role = "${role}"`,
      `passphrase = "${await hashPassphrase(phrase(name), leastCost)}"`,
      ...(tenant === null ? [] : [`tenant = "${tenant}"`]),
    ].join('\n'),
  ),
);
const configuration = sections.join('\n');

type Given = Parameters<typeof testDaemon>[0];

async function withUsers(given: Given = {}) {
  const daemon = await testDaemon({ passphrase: true, configuration, ...given });
  const { call, workspace, credential, signIn } = daemon;
  const login = (name: string, secret = phrase(name)) => signIn(secret, name);
  const as = async (name: Name): Promise<string> => (await login(name)).body.token;
  /** A question of an agent of a tenant. */
  const asked = async (tenant = 'acme'): Promise<{ id: string; decisionId: string }> => {
    const token = await credential({ tenant });
    const body = { kind: 'shell', command: 'git push', context: { workspace, mode: 'auto' } };
    const verdict = (await call('/v1/decide', { token, body })).body;
    return { id: verdict.approval.id, decisionId: verdict.decisionId };
  };
  const answer = (token: string, id: string, more: object = {}) =>
    call(`/v1/approvals/${id}/answer`, { token, body: { answer: 'approve', ...more } });
  return { ...daemon, login, as, asked, answer };
}

describe('a user', () => {
  it('comes in with a name and a passphrase, and leaves; both are on record', async () => {
    const { call, login, ledger } = await withUsers();
    expect((await call('/v1/session/login')).body).toEqual({ users: true });
    const { status, body } = await login('tom');
    expect([status, body.token]).toEqual([200, expect.stringMatching(/^ss_/)]);
    const { token } = body;
    expect((await call('/v1/session', { token })).body).toMatchObject({
      ...{ user: 'tom', tenant: 'acme', role: 'approver', person: true },
      may: expect.arrayContaining(['POST /v1/approvals/:id/answer']),
    });
    expect((await call('/v1/session', { token, method: 'DELETE' })).status).toBe(200);
    expect((await call('/v1/session', { token })).status).toBe(401);
    const entries = await ledger.audit.list({ user: 'tom' });
    expect(entries.map(({ event_type: type, tenant, details }) => [type, tenant, details])).toEqual([
      ['logout', 'acme', { role: 'approver' }],
      ['login', 'acme', { role: 'approver', with: 'passphrase' }],
    ]);
  });

  it('does not come in with another passphrase or another name, and is told neither', async () => {
    const { login, ledger } = await withUsers();
    const wrong = await login('ann', phrase('vic'));
    const nobody = await login('my secret typed into the wrong field');
    const owner = await login('owner', passphrase);
    for (const refused of [wrong, nobody, owner]) {
      expect(refused.status).toBe(401);
      expect(refused.body).toEqual(wrong.body);
    }
    const failed = await ledger.audit.list({ eventType: 'login_failed' });
    expect(failed.map(({ user, details }) => [user, details])).toEqual([
      ['nobody', { surface: 'http', source: 'tcp' }],
      ['nobody', { surface: 'http', source: 'tcp' }],
      ['ann', { role: 'approver', surface: 'http', source: 'tcp' }],
    ]);
  });

  it('has so many tries, and takes none from others', async () => {
    const { login, as, ledger } = await withUsers();
    for (let tries = 0; tries < 5; tries++) expect((await login('ann', 'wrong wrong')).status).toBe(401);
    expect(await login('ann')).toMatchObject({ status: 429, body: { name: 'TooManyAttempts' } });
    expect((await login('ann')).status).toBe(429);
    expect(await ledger.audit.list({ eventType: 'login_failed' })).toHaveLength(6);
    expect(await as('eve')).toMatch(/^ss_/);
  });

  it('does not come in while nothing can be recorded', async () => {
    const { call, login, ledger } = await withUsers();
    const append = vi.spyOn(ledger.audit, 'append').mockRejectedValue(new StoreFull('the disk is full'));
    const refused = await login('ann');
    append.mockRestore();
    expect(refused).toMatchObject({ status: 503, body: { name: 'StoreFull' } });
    expect(refused.body.token).toBeUndefined();
    expect((await call('/v1/session', { token: (await login('ann')).body.token })).status).toBe(200);
  });

  it.each([
    {},
    { challenge: 'x' },
    { challenge: '', signature: 'x' },
    { challenge: 'x', signature: 'x', more: 1 },
  ])('does not sign in with %j', async (body) => {
    const { call } = await withUsers();
    expect((await call('/v1/session', { body })).status).toBe(400);
  });

  it('does not sign in before an approver vouched for the key, nor with a role that nobody vouched for', async () => {
    const unvouched = await withUsers({ vouch: false });
    const refused = await unvouched.call('/v1/session/challenge', { body: { name: 'ann' } });
    expect(refused).toMatchObject({ status: 403, body: { name: 'NotVouchedFor' } });
    expect(refused.body.hint).toContain('sallyport approvers vouch ann');
  });

  it('cannot be told from a name that nobody has before an answer', async () => {
    const { call } = await withUsers();
    const ask = async (name: string) => (await call('/v1/session/challenge', { body: { name } })).body;
    const [known, unknown, again] = [await ask('ann'), await ask('nobody here'), await ask('nobody here')];
    expect(Object.keys(unknown)).toEqual(Object.keys(known));
    expect(unknown.kdf.salt).toHaveLength(known.kdf.salt.length);
    expect(again.kdf).toEqual(unknown.kdf);
    expect(again.challenge).not.toBe(unknown.challenge);
  });

  it('is nobody where none is configured', async () => {
    const { call, session, ledger } = await testDaemon({ passphrase: true });
    expect((await call('/v1/session/login')).body).toEqual({ users: false });
    const token = await session();
    expect((await call('/v1/session', { token })).body).toMatchObject({ role: 'admin', person: true });
    await call('/v1/session', { token, method: 'DELETE' });
    const types = (await ledger.audit.list({})).map(({ event_type: type }) => type);
    expect(types).toEqual(['session_opened', 'passphrase_accepted', 'daemon_started', 'approver_added']);
  });

  it('is never an agent: no model, no MCP, no hook and no decision takes the session', async () => {
    const { call, as } = await withUsers();
    const token = await as('eve');
    for (const path of ['/v1/decide', '/v1/hook/claude', '/v1/streams', '/v1/changes', '/mcp'])
      expect([path, (await call(path, { token, body: {} })).status]).toEqual([path, 403]);
    // The proxy says no in the words of its providers.
    expect((await call('/v1/messages', { token, body: {} })).status).toBe(401);
  });

  it("follows its tenant's part of the log alone", async () => {
    const { daemon, as, asked } = await withUsers();
    const answer = await fetch(`http://127.0.0.1:${daemon.port}/v1/events`, {
      headers: { authorization: `Bearer ${await as('tom')}` },
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const theirs = await asked('other');
    const ours = await asked('acme');
    let text = '';
    while (!text.includes(ours.decisionId)) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    expect(text).not.toContain(theirs.decisionId);
    expect(text).not.toContain('"other"');
  });
});

describe('the roles of routes', () => {
  const grantCall = 'POST /v1/approvals/:id/answer with a permission';

  it('gives each role what it is for, and a user of a tenant nothing of the whole', async () => {
    const { call, as } = await withUsers();
    const may = async (name: Name) => (await call('/v1/session', { token: await as(name) })).body.may;
    const [vic, ann, eve, tina] = [await may('vic'), await may('ann'), await may('eve'), await may('tina')];
    expect(vic.filter((name: string) => !/^GET |^DELETE \/v1\/session$/.test(name))).toEqual([]);
    expect(ann).toContain('POST /v1/changes/:id/apply');
    expect(ann).not.toContain(grantCall);
    expect(ann).not.toContain('GET /v1/policies');
    const forUsers = routes.filter(({ access }) => typeof access === 'object' && access.role !== null);
    expect(eve.filter((name: string) => name !== grantCall)).toEqual(forUsers.map(({ name }) => name));
    expect(eve).toContain(grantCall);
    expect(tina).toContain(grantCall);
    for (const whole of ['GET /v1/policies', 'POST /v1/try', 'GET /v1/log/verify', 'GET /v1/hosts'])
      expect(tina).not.toContain(whole);
  });
});

describe.each(engines)('what users do on %s', (engine) => {
  it('is answered by an approver, in whose name it is recorded, and lets the action pass once', async () => {
    const { call, as, asked, answer, ledger, credential, workspace } = await withUsers({ engine });
    const { id } = await asked();
    expect((await answer(await as('vic'), id)).status).toBe(403);
    const ann = await as('ann');
    expect((await answer(ann, id, { permission: { reach: 'project', seconds: 3600 } })).status).toBe(403);
    expect(await answer(ann, id)).toMatchObject({
      status: 200,
      body: { state: 'approved', answeredBy: 'ann' },
    });
    const [entry] = await ledger.audit.list({ eventType: 'approval_answered' });
    expect(entry?.details).toMatchObject({ answered_by: 'ann' });
    const token = await credential({ tenant: 'acme' });
    const body = { kind: 'shell', command: 'git push', context: { workspace, mode: 'auto' } };
    expect((await call('/v1/decide', { token, body })).body.decision).toBe('pass');
    expect((await call('/v1/decide', { token, body })).body.decision).toBe('approve');
  });

  it('is kept as a policy by an admin, and counts', async () => {
    const { call, as, credential, workspace } = await withUsers({ engine });
    const body = { id: 'no_shell', text: 'forbid (principal, action == Action::"shell", resource);' };
    expect((await call('/v1/policies', { token: await as('ann'), body })).status).toBe(403);
    const made = await call('/v1/policies', { token: await as('eve'), body });
    expect(made).toMatchObject({ status: 201, body: { updatedBy: 'eve' } });
    const ls = { kind: 'shell', command: 'ls', context: { workspace } };
    const verdict = await call('/v1/decide', { token: await credential(), body: ls });
    expect(verdict.body).toMatchObject({ decision: 'block', findings: [{ rule: 'no_shell' }] });
  });

  it("of one tenant shows nothing of another's, by list or by id", async () => {
    const { call, as, asked, answer, credential, workspace } = await withUsers({ engine });
    const [theirs, ours] = [await asked('other'), await asked('acme')];
    const edits = [{ op: 'write', path: 'a.txt', content: 'a\n' }];
    const change = async (tenant: string) => {
      const token = await credential({ tenant });
      const { body } = await call('/v1/changes', { token, body: { edits, context: { workspace } } });
      return body.change.id as string;
    };
    const [theirChange, ourChange] = [await change('other'), await change('acme')];
    for (const name of ['tom', 'tina'] as const) {
      const token = await as(name);
      const get = async (path: string) => (await call(path, { token })).body;
      expect((await get('/v1/approvals')).approvals.map(({ id }: { id: string }) => id)).toEqual([ours.id]);
      expect((await get('/v1/changes')).changes.map(({ id }: { id: string }) => id)).toEqual([ourChange]);
      const { entries } = await get('/v1/log?limit=1000');
      expect(new Set(entries.map(({ tenant }: { tenant: string }) => tenant))).toEqual(new Set(['acme']));
      expect((await get(`/v1/log?decision_id=${theirs.decisionId}`)).entries).toEqual([]);
      expect((await get('/v1/overview')).waiting).toEqual({ approvals: 1, changes: 1 });
      for (const path of [`/v1/approvals/${theirs.id}`, `/v1/changes/${theirChange}`])
        expect((await call(path, { token })).status).toBe(404);
      expect((await answer(token, theirs.id)).status).toBe(404);
      const all = { decision: 'accept', all: true };
      for (const [word, body] of [
        ['decisions', all],
        ['apply', { result: '0'.repeat(64) }],
        ['reject', {}],
      ] as const)
        expect((await call(`/v1/changes/${theirChange}/${word}`, { token, body })).status).toBe(404);
    }
    expect((await answer(await as('tom'), ours.id)).body).toMatchObject({ answeredBy: 'tom' });
  });

  it('is taken back only by whom it belongs to', async () => {
    const { call, as, credential, workspace } = await withUsers({ engine });
    const token = await credential({ tenant: 'other' });
    const edits = [{ op: 'write', path: 'a.txt', content: 'a\n' }];
    const { change } = (await call('/v1/changes', { token, body: { edits, context: { workspace } } })).body;
    const ann = await as('ann');
    const seen = await call(`/v1/changes/${change.id}/decisions`, {
      token: ann,
      body: { decision: 'accept', all: true },
    });
    const { body: applied } = await call(`/v1/changes/${change.id}/apply`, {
      token: ann,
      body: { result: seen.body.result.hash },
    });
    expect(applied).toMatchObject({ state: 'applied' });
    const tom = await as('tom');
    const receipt = applied.receipt.receipt_id;
    expect((await call(`/v1/receipts/${receipt}`, { token: tom })).status).toBe(404);
    expect((await call('/v1/rollback', { token: tom, body: { receipt } })).status).toBe(404);
    const last = await call('/v1/rollback', { token: tom, body: { workspace, last: true } });
    expect(last.body.undone).toEqual([]);
    const back = await call('/v1/rollback', { token: ann, body: { receipt } });
    expect(back.body.undone).toHaveLength(1);
  });
});
