import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { passphrase, testDaemon } from '../../../tests/support/daemon.ts';
import { engines, temporaryFolder } from '../../../tests/support/ledger.ts';

const metadata = 'http://169.254.169.254/';

type Daemon = Awaited<ReturnType<typeof testDaemon>>;

async function pageOf({ call, answerTo }: Daemon): Promise<string> {
  const link = await call('/v1/session/link', { body: await answerTo(passphrase) });
  expect(link.status).toBe(200);
  return (await call('/v1/session/claim', { body: { secret: link.body.secret } })).body.token;
}

/** Follows the log; what came so far, as text. */
function follow(
  { daemon: { port } }: Daemon,
  token: string,
): Promise<{ text: () => string; ended: () => boolean }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: '/v1/events', headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        let text = '';
        let ended = false;
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('end', () => {
          ended = true;
        });
        if (answer.statusCode === 200) resolve({ text: () => text, ended: () => ended });
        else reject(new Error(String(answer.statusCode)));
      },
    );
    sent.on('error', () => undefined);
    onTestFinished(() => void sent.destroy());
    sent.end();
  });
}

describe('the session of the console', () => {
  it('comes from a link that counts once, and tells who it is', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const { call, answerTo } = daemon;
    const { body } = await call('/v1/session/link', { body: await answerTo(passphrase) });
    const claim = () => call('/v1/session/claim', { body: { secret: body.secret } });
    const first = await claim();
    expect(first.body).toMatchObject({ token: expect.stringMatching(/^ss_/) });
    expect(await claim()).toMatchObject({ status: 401, body: { name: 'NotAuthenticated' } });
    const token = first.body.token;
    expect((await call('/v1/session', { token })).body).toMatchObject({ user: 'owner', person: true });
    expect((await call('/v1/session', { token, method: 'DELETE' })).status).toBe(200);
    expect((await call('/v1/session', { token })).status).toBe(401);
  });

  it('is not given for a wrong passphrase, to another origin, or by a cookie', async () => {
    const { call, answerTo } = await testDaemon({ passphrase: true });
    expect((await call('/v1/session/link', { body: await answerTo('wrong wrong') })).status).toBe(401);
    const foreign = { headers: { origin: 'http://127.0.0.1:1' }, body: await answerTo(passphrase) };
    expect((await call('/v1/session/link', foreign)).status).toBe(403);
    expect((await call('/v1/session', { headers: { cookie: 'token=ss_x' } })).status).toBe(401);
  });

  it("shows an agent who it is, and nothing that is a person's", async () => {
    const { call, credential } = await testDaemon({ passphrase: true });
    const token = await credential();
    expect((await call('/v1/session', { token })).body).toMatchObject({ user: 'ann', person: false });
    for (const path of ['/v1/events', '/v1/hosts', '/v1/log/verify']) {
      expect(await call(path, { token })).toMatchObject({ status: 403 });
    }
    for (const path of ['/v1/try', '/v1/hosts/check', '/v1/hosts/claude/wire']) {
      expect(await call(path, { token, body: {} })).toMatchObject({ status: 403 });
    }
  });
});

describe('what happens now', () => {
  it('comes to the page, once and in order, from when it began to look', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const { decide, credential } = daemon;
    const [token, page] = [await credential(), await pageOf(daemon)];
    await decide(token, `${metadata}before`);
    const events = await follow(daemon, page);
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      ids.push((await decide(token, metadata + name)).body.decisionId);
    }
    await vi.waitFor(() => expect(events.text()).toContain(ids[2]), { timeout: 10_000 });
    const frames = [...events.text().matchAll(/event: entries\ndata: (.*)\n/g)];
    const entries = frames.flatMap(([, data]) => JSON.parse(data ?? '').entries);
    const decided = entries.filter(({ event_type: type }) => type === 'decision');
    expect(decided.map(({ decision_id: id }) => id)).toEqual(ids);
  });

  it('carries no secret, even where a record holds one', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const events = await follow(daemon, await pageOf(daemon));
    const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`; // sallyport:allow
    await daemon.ledger.audit.append({
      time: Date.now(),
      event_type: 'decision',
      ...{ user: 'ann', tenant: 'acme', agent: 'a', decision: 'pass', decision_id: 'planted' },
      details: { note: `the key is ${secret}` },
    });
    await vi.waitFor(() => expect(events.text()).toContain('planted'), { timeout: 10_000 });
    expect(events.text()).toContain('[REDACTED:');
    expect(events.text()).not.toContain(secret);
  });

  it('ends with the daemon', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const events = await follow(daemon, await pageOf(daemon));
    await daemon.daemon.stop();
    await vi.waitFor(() => expect(events.ended()).toBe(true), { timeout: 10_000 });
  });

  it('goes to 32 pages and no more', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const page = await pageOf(daemon);
    await Promise.all(Array.from({ length: 32 }, () => follow(daemon, page)));
    await expect(follow(daemon, page)).rejects.toThrow('429');
  });
});

describe.each(engines)('the overview on %s', (engine) => {
  it('counts decisions by time, guard and rule, and says what waits', async () => {
    const daemon = await testDaemon({ passphrase: true, engine });
    const { call, decide, credential } = daemon;
    const [token, page] = [await credential(), await pageOf(daemon)];
    await decide(token, metadata);
    await decide(token, metadata);
    for (const session of ['doctor', 'doctor /w'])
      await call('/v1/decide', {
        token,
        body: { kind: 'fetch', url: metadata, context: { session, workspace: '/' } },
      });
    const { body } = await call('/v1/overview?minutes=60', { token: page });
    const blocks = body.series.reduce((sum: number, piece: { block: number }) => sum + piece.block, 0);
    expect(blocks).toBe(2);
    // Probes of the doctor do not count.
    expect(body.series).toHaveLength(60);
    expect(body.guards).toContainEqual({ name: 'fetch', count: 2 });
    expect(body.rules).toContainEqual({ name: 'fetch/metadata_address', count: 2 });
    expect(body.waiting).toEqual({ approvals: 0, changes: 0 });
    expect(body.latency_ms).toMatchObject({ count: 4, p50: expect.any(Number) });
    const other = await credential({ scope: 'approve', tenant: 'other' });
    const seen = await call('/v1/overview', { token: other });
    expect(seen.body.guards).toEqual([]);
  });
});

describe('the log', () => {
  it('is searched by what entries hold', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const { call, decide, credential } = daemon;
    const [token, page] = [await credential(), await pageOf(daemon)];
    await decide(token, metadata);
    await decide(token, 'http://[fd00::1]/');
    const found = async (query: string) => (await call(`/v1/log?${query}`, { token: page })).body.entries;
    expect(await found('rule=metadata_address')).toHaveLength(1);
    expect(await found('guard=fetch&user=ann')).toHaveLength(2);
    expect(await found('user=nobody')).toHaveLength(0);
    expect(await found('text=metadata_address')).toHaveLength(1);
    expect(await found(`event_type=decision&since=${new Date(0).toISOString()}`)).toHaveLength(2);
    expect(await found(`event_type=decision&until=${new Date(0).toISOString()}`)).toHaveLength(0);
    expect((await call('/v1/log?since=yesterday', { token: page })).status).toBe(400);
    expect((await call('/v1/log/verify', { token: page })).body).toMatchObject({ problems: [] });
  });
});

describe('trying', () => {
  it('judges without a record, and shows how it came about', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const { call, workspace } = daemon;
    const page = await pageOf(daemon);
    const before = await daemon.ledger.audit.lastPlace();
    const context = { workspace };
    const { body } = await call('/v1/try', {
      token: page,
      body: { kind: 'shell', command: 'rm -rf /', context },
    });
    expect(body.verdict).toMatchObject({ decision: 'block', findings: [{ rule: 'mass_deletion' }] });
    expect(body.view.effects[0]).toMatchObject({ kind: 'delete', recursive: true });
    expect(await daemon.ledger.audit.lastPlace()).toBe(before);
    expect((await call('/v1/try', { token: page, body: { kind: 'nothing' } })).status).toBe(400);
  });
});

describe('hosts', () => {
  it('are shown, checked and connected', async () => {
    const wired: string[] = [];
    const hostControl = {
      wired: () => [{ host: 'claude', file: '/home/ann/.claude/settings.json' }],
      examine: async () => [{ name: 'home', state: 'ok', says: 'fine' }] as const,
      wire: async (host: string) => void wired.push(host),
    };
    const daemon = await testDaemon({ passphrase: true, hostControl });
    const { call } = daemon;
    const token = await pageOf(daemon);
    const { hosts } = (await call('/v1/hosts', { token })).body;
    expect(hosts.find(({ host }: { host: string }) => host === 'claude').files).toHaveLength(1);
    expect((await call('/v1/hosts/check', { token, body: {} })).body.checks).toHaveLength(1);
    expect((await call('/v1/hosts/cursor/wire', { token, body: {} })).status).toBe(200);
    expect((await call('/v1/hosts/unheard-of/wire', { token, body: {} })).status).toBe(400);
    expect(wired).toEqual(['cursor']);
  });
});

describe('the page', () => {
  function built(): string {
    const folder = join(temporaryFolder(), 'console');
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Sallyport</title>');
    writeFileSync(join(folder, 'assets', 'index-abc.js'), 'export {};');
    writeFileSync(join(folder, 'secret.txt'), 'no');
    return folder;
  }

  it('is served under a policy that lets nothing else in', async () => {
    const { call } = await testDaemon({ consoleFolder: built() });
    const page = await call('/console/');
    expect(page.body).toContain('<title>Sallyport</title>');
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'/);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(await call('/')).toMatchObject({ status: 302, headers: { location: '/console/' } });
    const script = await call('/console/assets/index-abc.js');
    expect(script.headers['cache-control']).toContain('immutable');
    expect(script.headers['content-type']).toContain('javascript');
  });

  it('serves its files and no others', async () => {
    const { call } = await testDaemon({ consoleFolder: built() });
    for (const path of ['secret.txt', '../index.html', '%2e%2e/home', 'assets/', 'assets/none.js']) {
      expect((await call(`/console/${path}`)).status).toBe(404);
    }
  });

  it('is packed for those who can unpack it', async () => {
    const daemon = await testDaemon({ consoleFolder: built() });
    const bytes = await new Promise<Buffer>((resolve) => {
      const where = { host: '127.0.0.1', port: daemon.daemon.port, path: '/console/' };
      request({ ...where, headers: { 'accept-encoding': 'gzip, br' } }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () => resolve(Buffer.concat(pieces)));
      }).end();
    });
    expect(gunzipSync(bytes).toString()).toContain('Sallyport');
  });

  it('says so where it was not built', async () => {
    const { call } = await testDaemon({ consoleFolder: '/nonexistent' });
    expect(await call('/console/')).toMatchObject({ status: 404, body: { name: 'NoConsole' } });
  });
});

describe('no screen shows a secret', () => {
  const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`; // sallyport:allow

  it('of a command that waits, of the log, or of a change', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const { call, credential, workspace } = daemon;
    const [token, page] = [await credential(), await pageOf(daemon)];
    const events = await follow(daemon, page);
    const context = { workspace, mode: 'auto' };
    const command = `git push https://x:${secret}@example.com/a.git main`;
    const { approval } = (
      await call('/v1/decide', {
        token,
        body: { kind: 'shell', command, justification: `with ${secret}`, context },
      })
    ).body;
    const edits = [{ op: 'write', path: 'a.txt', content: `key = ${secret}\n` }];
    const body = { edits, justification: `the key is ${secret}`, context: { workspace } };
    const { change } = (await call('/v1/changes', { token, body })).body;
    const paths = [
      ...[
        '/v1/approvals',
        `/v1/approvals/${approval.id}`,
        '/v1/log?limit=1000',
        '/v1/overview',
        '/v1/permissions',
      ],
      ...['/v1/changes', `/v1/changes/${change.id}`, '/v1/receipts', '/v1/session'],
    ];
    for (const path of paths) {
      const answer = await call(path, { token: page });
      expect([path, answer.status]).toEqual([path, 200]);
      expect([path, JSON.stringify(answer.body).includes(secret)]).toEqual([path, false]);
    }
    const { question } = (await call(`/v1/approvals/${approval.id}`, { token: page })).body;
    expect(question.action.command).toMatch(/^git push https:\/\/.*\[REDACTED:/);
    for (const finding of question.findings) expect(finding.span).toBeUndefined();
    await vi.waitFor(() => expect(events.text()).toContain('change_staged'), { timeout: 10_000 });
    expect(events.text()).not.toContain(secret);
  });

  it('and a command that has none is shown as it was judged', async () => {
    const daemon = await testDaemon({ passphrase: true });
    const { call, credential, workspace } = daemon;
    const body = { kind: 'shell', command: 'git push', context: { workspace, mode: 'auto' } };
    const { approval, findings } = (await call('/v1/decide', { token: await credential(), body })).body;
    const { question } = (await call(`/v1/approvals/${approval.id}`, { token: await pageOf(daemon) })).body;
    expect(question.action.command).toBe('git push');
    expect(question.findings).toMatchObject(findings);
  });

  it("of the user's own kinds either, and nothing where those are not known", async () => {
    const rule = `[[egress.redaction_rules]]
id = "badge"
name = "A badge"
kind = "badge"
pattern = 'BADGE-[0-9]{6}'
keywords = ["badge-"]
examples = { hit = ["BADGE-123456"], miss = ["BADGE-1"] }
`;
    const daemon = await testDaemon({ passphrase: true, configuration: rule });
    const { call, credential, workspace } = daemon;
    const command = 'git push origin BADGE-123456';
    const token = await credential();
    const shell = { kind: 'shell', command, context: { workspace, mode: 'auto' } };
    const { approval } = (await call('/v1/decide', { token, body: shell })).body;
    const page = await pageOf(daemon);
    const shown = async () =>
      (await call(`/v1/approvals/${approval.id}`, { token: page })).body.question?.action;
    expect((await shown()).command).toBe('git push origin [REDACTED:badge]');
    // A file that cannot be used, which is looked at within a second.
    writeFileSync(join(workspace, 'sallyport.toml'), 'nonsense = 1');
    await vi.waitFor(async () => expect(await shown()).toBeUndefined(), { timeout: 10_000 });
  });
});
