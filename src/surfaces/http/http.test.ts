import { existsSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { passphrase, testDaemon } from '../../../tests/support/daemon.ts';
import { sessionPayload } from '../../core/index.ts';
import { StoreFull } from '../../ledger/index.ts';
import { hosts } from '../hooks/index.ts';

const metadata = 'http://169.254.169.254/latest';
const unlisted = 'https://example.com/';

describe('the daemon', () => {
  it('decides over TCP and over the socket alike', async () => {
    const { decide, credential } = await testDaemon();
    const token = await credential();
    for (const socket of [false, true]) {
      const { status, body } = await decide(token, metadata, { socket });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        decision: 'block',
        findings: [{ rule: 'metadata_address' }],
        approval: null,
      });
    }
  });

  it('answers a hook in JSON, and in lines with its proof for the client', async () => {
    const { call, credential, workspace, ledger } = await testDaemon();
    const token = await credential({ agent: 'claude' });
    const { credential: id } = (await ledger.credentials.find(token)) ?? {};
    const { event, value } = hosts.claude.provocation(workspace);
    const path = `/v1/hook/claude?event=${event}`;
    const { status, body } = await call(path, { token, body: value });
    expect({ status, body }).toMatchObject({ status: 200, body: { exit: 2 } });
    expect(Object.keys(body)).toEqual(['stdout', 'stderr', 'exit']);
    const headers = { accept: 'text/plain' };
    const lines = (await call(path, { token, body: value, headers })).body.split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(`${ledger.fingerprint('hook reply', () => id ?? '')} 2`);
    expect(lines[1]).toContain('Sallyport: Blocked');
    expect(JSON.parse(lines[2])).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(lines[3]).toBe('.');
  });

  it('answers hooks to credentials of scope decide alone, and of hosts that it knows', async () => {
    const { call, credential, session, workspace } = await testDaemon({ passphrase: true });
    const { value } = hosts.claude.provocation(workspace);
    const asked = async (token: string, host = 'claude') =>
      (await call(`/v1/hook/${host}`, { token, body: value })).status;
    expect(await asked(await session())).toBe(403);
    expect(await asked(await credential({ scope: 'admin' }))).toBe(403);
    expect(await asked('sp_nobody')).toBe(401);
    expect(await asked(await credential(), 'emacs')).toBe(400);
    expect(await asked(await credential())).toBe(200);
  });

  it('answers small decisions while a long one is judged', async () => {
    const { call, decide, credential, workspace } = await testDaemon();
    const token = await credential();
    const text = 'Mail ann@northwind-shop.com about the shop in town. '.repeat(8000);
    const answered: string[] = [];
    const long = call('/v1/decide', { token, body: { kind: 'prompt', text, context: { workspace } } });
    const noted = long.then(({ body }) => void answered.push(`long: ${body.decision}`));
    for (let count = 0; count < 3; count++) {
      const { body } = await decide(token, metadata);
      answered.push(`small: ${body.decision}`);
    }
    await noted;
    expect(answered).toEqual([...Array(3).fill('small: block'), 'long: redact']);
    expect((await long).body.action.text.includes('ann@northwind-shop.com')).toBe(false);
  });

  it('echoes the id, whatever it is', async () => {
    const { call, credential, workspace } = await testDaemon();
    for (const id of ['x', 7]) {
      const body = { id, kind: 'fetch', url: metadata, context: { workspace } };
      expect((await call('/v1/decide', { token: await credential(), body })).body.id).toBe(id);
    }
  });

  it('keeps its files from others', async () => {
    const { paths, home } = await testDaemon();
    for (const path of [home, paths.run, paths.socket, paths.daemon, paths.ledger]) {
      expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
    }
  });

  it('writes everything and lets go of its files when it stops', async () => {
    const { daemon, decide, credential, paths } = await testDaemon();
    const token = await credential();
    const calls = Array.from({ length: 20 }, () => decide(token, metadata));
    await Promise.all(calls);
    await Promise.all([daemon.stop(), daemon.stop()]);
    for (const path of [paths.socket, paths.daemon]) expect(existsSync(path)).toBe(false);
  });

  it('ends calls that wait for a person when it stops', async () => {
    const { daemon, call, credential, workspace, ledger, world } = await testDaemon();
    const token = await credential();
    const waiting = call('/v1/decide?wait=600', {
      token,
      body: { kind: 'fetch', url: unlisted, context: { workspace } },
    });
    while ((await ledger.approvals.pending({}, world.now())).length === 0)
      await new Promise((go) => setTimeout(go, 10));
    await daemon.stop();
    expect((await waiting).body).toMatchObject({ decision: 'approve', approval: { id: expect.any(String) } });
  });

  it('logs no payload', async () => {
    const { decide, credential, lines } = await testDaemon();
    const token = await credential();
    await decide(token, 'http://169.254.169.254/?secret=hunter2');
    const text = lines.join('');
    expect(lines.some((line) => JSON.parse(line).event === 'request')).toBe(true);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(token);
    expect(text).not.toContain('169.254');
  });
});

describe('an agent that asks much', () => {
  it('leaves the person to the others', async () => {
    const { call, credential, workspace } = await testDaemon();
    const ask = async (token: string, path: string, said: object = {}) =>
      (
        await call('/v1/decide', {
          token,
          body: { kind: 'fetch', url: `${unlisted}${path}`, context: { workspace, ...said } },
        })
      ).body;
    const noisy = await credential({ agent: 'noisy' });
    const nameless = await credential();
    const other = await credential({ agent: 'other' });
    const decisions: unknown[] = [];
    for (let index = 0; index < 150; index++) {
      const said = index < 65 ? {} : { agent: `made-up-${index}` };
      decisions.push((await ask(index < 65 ? noisy : nameless, `${index}`, said)).decision);
    }
    expect(decisions.filter((decision) => decision === 'approve')).toHaveLength(50 + 75);
    expect(await ask(other, 'important')).toMatchObject({ decision: 'approve', approval: {} });
    const answer = await call('/v1/approvals', { token: other });
    expect(answer.body.approvals).toMatchObject([
      { group: expect.stringMatching(/^other · default · fetch · fetch\/\w+$/) },
    ]);
  });
});

describe('a request is refused', () => {
  it.each([
    ['without a credential', {}, 401],
    ['with a wrong one', { token: 'sp_wrong' }, 401],
    ['with nonsense for one', { headers: { authorization: 'Basic YTpi' } }, 401],
  ])('%s', async (_, given, status) => {
    const { decide, call } = await testDaemon();
    const { token = '', ...more } = given as { token?: string };
    const answer = token === '' ? await call('/v1/log', more) : await decide(token, metadata);
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('with a credential that was revoked', async () => {
    const { decide, ledger, world } = await testDaemon();
    const { token, principal } = await ledger.credentials.make(
      { scope: 'decide', user: 'ann', tenant: 'acme', agent: null },
      world.now(),
    );
    expect((await decide(token, metadata)).status).toBe(200);
    await ledger.credentials.revoke(principal.credential, world.now());
    expect((await decide(token, metadata)).status).toBe(401);
  });

  it.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a rebound name with our port', { host: 'evil.example:4719' }],
    ['no port', { host: '127.0.0.1' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['a null Origin', { origin: 'null' }],
    ['an Origin on another port', { origin: 'http://127.0.0.1:1' }],
  ])('for %s', async (_, headers) => {
    const { decide, credential } = await testDaemon();
    const answer = await decide(await credential(), metadata, { headers });
    expect(answer).toMatchObject({ status: 403, body: { name: 'WrongOrigin' } });
  });

  it('is not refused for its own Origin', async () => {
    const { decide, credential, daemon } = await testDaemon();
    const headers = { origin: `http://127.0.0.1:${daemon.port}`, host: `localhost:${daemon.port}` };
    expect((await decide(await credential(), metadata, { headers })).status).toBe(200);
  });

  it.each<[string, object, number, string]>([
    ['broken JSON', { raw: '{"kind":' }, 400, 'InputError'],
    ['a duplicated key', { raw: '{"kind":"fetch","kind":"read"}' }, 400, 'InputError'],
    ['invalid UTF-8', { raw: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'InputError'],
    ['an unknown kind', { body: { kind: 'fly' } }, 400, 'InputError'],
    ['an unknown key', { body: { kind: 'fetch', url: 'http://a/', user: 'root' } }, 400, 'InputError'],
    ['no workspace', { body: { kind: 'fetch', url: 'http://a/' } }, 400, 'InputError'],
    [
      'a relative workspace',
      { body: { kind: 'fetch', url: 'http://a/', context: { workspace: '.' } } },
      400,
      'InputError',
    ],
    ['another content type', { raw: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'NotJson'],
    ['an empty body', { raw: '' }, 400, 'InputError'],
    ['too large a body', { raw: Buffer.alloc(5 * 1024 * 1024, ' ') }, 413, 'BodyTooLarge'],
  ])('for %s', async (_, given, status, name) => {
    const { call, credential } = await testDaemon();
    const answer = await call('/v1/decide', { token: await credential(), method: 'POST', ...given });
    expect(answer).toMatchObject({ status, body: { name, error: expect.any(String) } });
  });

  it.each(['wait=x', 'wait=601', 'wait=-1', 'wait=1e2'])('for %s', async (query) => {
    const { call, credential, workspace } = await testDaemon();
    const body = { kind: 'fetch', url: metadata, context: { workspace } };
    expect((await call(`/v1/decide?${query}`, { token: await credential(), body })).status).toBe(400);
  });

  it('for a body of 100 MB, long before its end, and the daemon keeps running', async () => {
    const { daemon, decide, credential } = await testDaemon();
    const token = await credential();
    const sent = await new Promise<{ bytes: number; answer: string }>((resolve) => {
      const socket = connect(daemon.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve({ bytes: socket.bytesWritten, answer }));
      socket.write(
        `POST /v1/decide HTTP/1.1\r\nhost: 127.0.0.1:${daemon.port}\r\nauthorization: Bearer ${token}\r\n` +
          'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      // Piece by piece: whoever still writes when the connection is closed may lose the answer that is on its way.
      const piece = Buffer.concat([
        Buffer.from('10000\r\n'),
        Buffer.alloc(65_536, 0x20),
        Buffer.from('\r\n'),
      ]);
      let left = 1600;
      const more = () => {
        if (left-- <= 0 || socket.destroyed || answer !== '') return void socket.end();
        socket.write(piece, () => setTimeout(more, 1));
      };
      more();
    });
    expect(sent.answer).toContain('413');
    expect(sent.bytes).toBeLessThan(50 * 1024 * 1024);
    expect((await decide(token, metadata)).status).toBe(200);
  });

  it('for a path that is not there', async () => {
    const { call, credential } = await testDaemon();
    expect((await call('/v1/nothing', { token: await credential() })).status).toBe(404);
    expect((await call('/nothing')).status).toBe(404);
  });
});

describe('a credential of an agent', () => {
  it('speaks for its own user, tenant and agent alone', async () => {
    const { call, credential, workspace, ledger } = await testDaemon();
    const token = await credential({ agent: 'coder' });
    const body = { kind: 'fetch', url: metadata, context: { workspace } };
    expect((await call('/v1/decide', { token, body })).status).toBe(200);
    expect(await ledger.audit.list({ eventType: 'decision' })).toMatchObject([
      { user: 'ann', tenant: 'acme', agent: 'coder' },
    ]);
    const other = { ...body, context: { workspace, agent: 'helper' } };
    expect(await call('/v1/decide', { token, body: other })).toMatchObject({
      status: 403,
      body: { name: 'NotAllowed' },
    });
    const asRoot = { ...body, context: { workspace, user: 'root' } };
    expect((await call('/v1/decide', { token, body: asRoot })).status).toBe(400);
  });

  it('cannot approve, nor open a session, nor touch grants', async () => {
    const { call, decide, credential, ledger, world, signIn } = await testDaemon({ passphrase: true });
    const token = await credential();
    const { id } = (await decide(token, unlisted)).body.approval;
    const answer = await call(`/v1/approvals/${id}/answer`, { token, body: { answer: 'approve' } });
    expect(answer).toMatchObject({ status: 403, body: { name: 'NotAllowed' } });
    expect((await call(`/v1/approvals/${id}/answer`, { token, body: { answer: 'deny' } })).status).toBe(403);
    expect((await call('/v1/permissions/x', { token, method: 'DELETE' })).status).toBe(403);
    expect((await signIn('guess guess', undefined, { token })).status).toBe(401);
    expect((await ledger.approvals.show(id, {}, world.now())).state).toBe('pending');
  });

  it('cannot approve even as an administrator, without the passphrase', async () => {
    const { call, decide, credential } = await testDaemon({ passphrase: true });
    const token = await credential({ scope: 'admin' });
    const { id } = (await decide(token, unlisted)).body.approval;
    expect((await call(`/v1/approvals/${id}/answer`, { token, body: { answer: 'approve' } })).status).toBe(
      403,
    );
  });

  it('sees the log and the approvals of no other tenant, user or agent', async () => {
    const { call, decide, credential } = await testDaemon();
    const tokens = [
      await credential(),
      await credential({ tenant: 'other' }),
      await credential({ user: 'bob' }),
      await credential({ agent: 'helper' }),
    ];
    const asked: string[] = [];
    for (const token of tokens) asked.push((await decide(token, unlisted)).body.approval.id);
    const seen = async (token: string) => {
      const { entries } = (await call('/v1/log?limit=1000', { token })).body;
      const { approvals } = (await call('/v1/approvals', { token })).body;
      return {
        who: new Set(
          entries.map((entry: Record<string, string>) => [entry['user'], entry['tenant']].join(' of ')),
        ),
        agents: new Set(entries.map(({ agent }: { agent: string }) => agent)),
        approvals: approvals.length,
      };
    };
    expect(await seen(tokens[1]!)).toMatchObject({ who: new Set(['ann of other']), approvals: 1 });
    expect(await seen(tokens[2]!)).toMatchObject({ who: new Set(['bob of acme']), approvals: 1 });
    expect(await seen(tokens[3]!)).toMatchObject({ agents: new Set(['helper']), approvals: 1 });
    for (const query of ['tenant=acme', 'tenant=&user=ann', 'decision_id=x']) {
      const { entries } = (await call(`/v1/log?${query}`, { token: tokens[1]! })).body;
      expect(entries.every(({ tenant }: { tenant: string }) => tenant === 'other')).toBe(true);
    }
    expect((await call(`/v1/approvals/${asked[0]}`, { token: tokens[1]! })).status).toBe(404);
    expect((await call(`/v1/approvals/${asked[0]}`, { token: tokens[0]! })).status).toBe(200);
  });

  it('cannot loosen anything through a workspace file', async () => {
    const { decide, credential, workspace } = await testDaemon();
    const token = await credential();
    writeFileSync(
      join(workspace, 'sallyport.toml'),
      '[agents.default]\nprofile = "developer"\negress_allowlist = ["*", "127.0.0.1:*", "169.254.169.254"]\n',
    );
    expect((await decide(token, metadata)).body.decision).toBe('block');
    expect((await decide(token, 'http://127.0.0.1:80/')).body.decision).toBe('block');
    expect((await decide(token, unlisted)).body.decision).toBe('approve');
  });
});

describe('a person with the passphrase', () => {
  it('approves: the waiting call goes on, and the same action passes once', async () => {
    const { call, credential, session, workspace } = await testDaemon({ passphrase: true });
    const [token, person] = [await credential(), await session()];
    const body = { kind: 'fetch', url: unlisted, context: { workspace } };
    const waiting = call('/v1/decide?wait=30', { token, body });
    let pending: { id: string; question: { action: object } }[] = [];
    while (pending.length === 0) pending = (await call('/v1/approvals', { token: person })).body.approvals;
    expect(pending[0]?.question.action).toEqual({ kind: 'fetch', url: unlisted });
    const answered = await call(`/v1/approvals/${pending[0]?.id}/answer`, {
      token: person,
      body: { answer: 'approve' },
    });
    expect(answered).toMatchObject({ status: 200, body: { state: 'approved', question: null } });
    expect((await waiting).body).toMatchObject({ decision: 'pass' });
    expect((await call('/v1/decide', { token, body })).body.decision).toBe('approve');
  });

  it('approves after the client went away: the same call passes when it comes again', async () => {
    const { call, credential, session, workspace, daemon } = await testDaemon({ passphrase: true });
    const [token, person] = [await credential(), await session()];
    const body = { kind: 'fetch', url: unlisted, context: { workspace } };
    const closed = Promise.withResolvers<void>();
    const waiting = request({
      ...{ host: '127.0.0.1', port: daemon.port, path: '/v1/decide?wait=30', method: 'POST' },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    waiting.on('error', () => closed.resolve());
    waiting.end(JSON.stringify(body));
    let pending: { id: string }[] = [];
    while (pending.length === 0) pending = (await call('/v1/approvals', { token: person })).body.approvals;
    waiting.destroy();
    await closed.promise;
    const answer = { token: person, body: { answer: 'approve' } };
    expect((await call(`/v1/approvals/${pending[0]?.id}/answer`, answer)).status).toBe(200);
    // Longer than the daemon takes to look whether it was answered.
    await new Promise((go) => setTimeout(go, 300));
    expect((await call('/v1/decide', { token, body })).body.decision).toBe('pass');
    expect((await call('/v1/decide', { token, body })).body.decision).toBe('approve');
  });

  it('denies, once', async () => {
    const { call, decide, credential, session } = await testDaemon({ passphrase: true });
    const [token, person] = [await credential(), await session()];
    const { id } = (await decide(token, unlisted)).body.approval;
    const deny = () => call(`/v1/approvals/${id}/answer`, { token: person, body: { answer: 'deny' } });
    expect((await deny()).status).toBe(200);
    expect(await deny()).toMatchObject({ status: 409, body: { name: 'AlreadyAnswered' } });
    expect((await decide(token, unlisted)).body.decision).toBe('block');
  });

  it('makes and revokes a grant', async () => {
    const { call, decide, credential, session } = await testDaemon({ passphrase: true });
    const [token, person] = [await credential(), await session()];
    const { id } = (await decide(token, unlisted)).body.approval;
    const path = `/v1/approvals/${id}/answer`;
    expect(
      (
        await call(path, {
          token: person,
          body: { answer: 'deny', permission: { reach: 'project', seconds: 60 } },
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await call(path, {
          token: person,
          body: { answer: 'approve', permission: { reach: 'project', seconds: 60 } },
        })
      ).status,
    ).toBe(200);
    expect((await decide(token, `${unlisted}a`)).body.decision).toBe('pass');
    const { permissions } = (await call('/v1/permissions', { token })).body;
    expect(permissions).toMatchObject([{ effect: 'fetch https://example.com:443', user: 'ann' }]);
    expect(
      (await call(`/v1/permissions/${permissions[0].id}`, { token: person, method: 'DELETE' })).status,
    ).toBe(200);
    expect((await decide(token, `${unlisted}b`)).body.decision).toBe('approve');
  });

  it('gives no standing yes to what changes something outside', async () => {
    const { call, credential, session, workspace } = await testDaemon({ passphrase: true });
    const [token, person] = [await credential(), await session()];
    const body = { kind: 'fetch', url: unlisted, method: 'POST', context: { workspace } };
    const { id } = (await call('/v1/decide', { token, body })).body.approval;
    const answer = await call(`/v1/approvals/${id}/answer`, {
      token: person,
      body: { answer: 'approve', permission: { reach: 'project', seconds: 60 } },
    });
    expect(answer).toMatchObject({ status: 409, body: { name: 'NotPermittable' } });
  });

  it('is slowed down after wrong guesses', async () => {
    const { signIn } = await testDaemon({ passphrase: true });
    const guess = async (text: string) => (await signIn(text)).status;
    const statuses = await Promise.all(
      Array.from({ length: 8 }, (_, number) => guess(`guess ${number} guess`)),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
    expect(await guess(passphrase)).toBe(429);
  });

  it('leaves a record of every use of it, and never the passphrase', async () => {
    const { call, credential, ledger, signIn, answerTo, ownKey } = await testDaemon({ passphrase: true });
    const token = await credential({ agent: 'coder' });
    await signIn('hunter2 hunter2');
    await signIn('hunter2 hunter2', undefined, { token, socket: true });
    await signIn();
    const link = { body: await answerTo(passphrase), socket: true };
    const { secret } = (await call('/v1/session/link', link)).body;
    await call('/v1/session/claim', { body: { secret } });
    const { challenge } = (await call('/v1/session/challenge', { body: {} })).body;
    const signature = (await ownKey()).sign(sessionPayload(challenge));
    await call('/v1/session', { body: { challenge, signature }, socket: true });
    const entries = (await ledger.audit.list({})).filter(({ event_type: type }) =>
      /^(?:pass|sess)/.test(type),
    );
    expect(entries.toReversed().map(({ event_type: type, user, details }) => [type, user, details])).toEqual([
      ['passphrase_refused', 'owner', { surface: 'http', source: 'tcp' }],
      ['passphrase_refused', 'owner', { surface: 'http', source: expect.stringMatching(/^credential \w+$/) }],
      ['passphrase_accepted', 'owner', { surface: 'http', source: 'tcp', with: 'passphrase' }],
      ['session_opened', 'owner', { surface: 'http', source: 'tcp', with: 'passphrase' }],
      ['passphrase_accepted', 'owner', { surface: 'console', source: 'unix', with: 'passphrase' }],
      ['session_opened', 'owner', { surface: 'console', source: 'tcp' }],
      ['passphrase_accepted', 'owner', { surface: 'http', source: 'unix', with: 'key' }],
      ['session_opened', 'owner', { surface: 'http', source: 'unix', with: 'key' }],
    ]);
    expect(JSON.stringify(await ledger.audit.list({}))).not.toMatch(/hunter2|correct horse/);
  });

  it('records once that a source has to wait, and lets the other come in', async () => {
    const { ledger, signIn } = await testDaemon({ passphrase: true });
    const guess = async (text: string, socket = false) => (await signIn(text, undefined, { socket })).status;
    for (let count = 0; count < 5; count++) expect(await guess('wrong wrong')).toBe(401);
    for (let count = 0; count < 3; count++) expect(await guess(passphrase)).toBe(429);
    expect(await guess(passphrase, true)).toBe(200);
    const refused = await ledger.audit.list({ eventType: 'passphrase_refused' });
    expect(refused.map(({ details }) => details['too_many'] ?? false)).toEqual([
      true,
      ...Array(5).fill(false),
    ]);
  });

  it('opens nothing while nothing can be recorded', async () => {
    const { call, ledger, answerTo, signIn } = await testDaemon({ passphrase: true });
    const append = vi.spyOn(ledger.audit, 'append').mockRejectedValue(new StoreFull('the disk is full'));
    for (const path of ['/v1/session', '/v1/session/link'])
      expect(await call(path, { body: await answerTo(passphrase) })).toMatchObject({ status: 503 });
    append.mockRestore();
    expect(await signIn()).toMatchObject({ status: 200 });
  });

  it('has to have chosen one', async () => {
    const { call } = await testDaemon();
    const answer = await call('/v1/session/challenge', { body: {} });
    expect(answer).toMatchObject({ status: 409, body: { name: 'ApproverError' } });
  });

  it('hands the wrapped key to nobody who did not prove to know the passphrase', async () => {
    const { call, answerTo, ownKey, signIn } = await testDaemon({ passphrase: true });
    expect((await signIn()).body.key).toMatchObject({ version: 2, wrapped: expect.any(String) });
    const { challenge } = (await call('/v1/session/challenge', { body: {} })).body;
    const signature = (await ownKey()).sign(sessionPayload(challenge));
    expect((await call('/v1/session', { body: { challenge, signature } })).body.key).toBeUndefined();
    const { secret } = (await call('/v1/session/link', { body: await answerTo(passphrase) })).body;
    expect((await call('/v1/session/claim', { body: { secret } })).body.key).toBeUndefined();
    expect((await signIn('wrong wrong wrong')).body.key).toBeUndefined();
  });

  it('answers a challenge once, and nobody else’s', async () => {
    const { call, answerTo } = await testDaemon({ passphrase: true });
    const first = await answerTo(passphrase);
    const second = await answerTo(passphrase);
    const crossed = { challenge: first.challenge, signature: second.signature };
    expect((await call('/v1/session', { body: crossed })).status).toBe(401);
    expect((await call('/v1/session', { body: first })).status).toBe(401);
    expect((await call('/v1/session', { body: second })).status).toBe(200);
    expect((await call('/v1/session', { body: second })).status).toBe(401);
  });

  it('approves nothing without a signature that counts for exactly this question', async () => {
    const { send, decide, credential, session, ownKey, ledger, world } = await testDaemon({
      passphrase: true,
    });
    const [token, person] = [await credential(), await session()];
    const [one, two] = [await decide(token, unlisted), await decide(token, `${unlisted}other`)];
    const path = (verdict: typeof one) => `/v1/approvals/${verdict.body.approval.id}/answer`;
    const ask = (verdict: typeof one, headers: Record<string, string> = {}) =>
      send(path(verdict), { token: person, body: { answer: 'approve' }, headers });
    const needed = await ask(one);
    expect(needed).toMatchObject({ status: 428, body: { name: 'SignatureNeeded', at: expect.any(Number) } });
    const { payload, at } = needed.body;
    const key = await ownKey();
    const header = (time: number, signature: string) => ({ 'sallyport-signature': `${time} ${signature}` });
    const right = key.sign(payload);
    for (const [verdict, headers] of [
      [one, header(at, key.sign([...payload.slice(0, 4), at + 1, ...payload.slice(5)] as never))],
      [one, header(at + 1, right)],
      [two, header(at, right)],
      [one, header(at, `A${right.slice(1)}`)],
    ] as const)
      expect((await ask(verdict, headers)).body.name).toBe('NotVouchedFor');
    expect((await ask(one, header(at - 300_000, right))).status).toBe(403);
    expect((await ask(one, { 'sallyport-signature': 'nonsense' })).status).toBe(400);
    const pending = await ledger.approvals.pending({}, world.now());
    expect(pending).toHaveLength(2);
    expect((await ask(one, header(at, right))).body.state).toBe('approved');
    expect((await decide(token, unlisted)).body.decision).toBe('pass');
    expect((await decide(token, `${unlisted}other`)).body.decision).toBe('approve');
  });
});
