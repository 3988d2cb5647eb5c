// A Changes panel over HTTP: who may propose, decide, apply and take back, and what each of them is told.

import { createPublicKey, verify } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { engines } from '../../../tests/support/ledger.ts';

const numbers = Array.from({ length: 50 }, (_, index) => `${index + 1}\n`);
const three = numbers.map((line) => (['5\n', '25\n', '45\n'].includes(line) ? `x${line}` : line)).join('');

type Options = NonNullable<Parameters<typeof testDaemon>[0]>;

/** What is refused: in words, where it is sent, what is sent, and the status. */
const refused: readonly [string, string, object, number][] = [
  ['nothing at all', '/v1/changes', { edits: undefined }, 400],
  ['both ways at once', '/v1/changes', { patch: 'x' }, 400],
  ['no patch', '/v1/changes', { edits: undefined, patch: 'hello' }, 400],
  ['a write without content', '/v1/changes', { edits: [{ op: 'write', path: 'a' }] }, 400],
  ['a rename to nowhere', '/v1/changes', { edits: [{ op: 'rename', path: 'n.txt' }] }, 400],
  ['a negative cost', '/v1/changes', { cost: { usd: -1, tokens_in: 0, tokens_out: 0 } }, 400],
  ['a cost in words', '/v1/changes', { cost: { usd: 'none', tokens_in: 0, tokens_out: 0 } }, 400],
  ['an unknown word', '/v1/changes', { applied: true }, 400],
  ['no workspace', '/v1/changes', { context: {} }, 400],
  ['a whole disk as its workspace', '/v1/changes', { context: { workspace: '/' } }, 400],
  ['two decisions', '/v1/changes/ID/decisions', { decision: 'accept', all: true, hunks: [1] }, 400],
  ['no decision', '/v1/changes/ID/decisions', { decision: 'accept' }, 400],
  ['a decision against all', '/v1/changes/ID/decisions', { decision: 'accept', all: false }, 400],
  ['a hunk that is not there', '/v1/changes/ID/decisions', { decision: 'accept', hunks: [9] }, 400],
  ['a file that is not there', '/v1/changes/ID/decisions', { decision: 'accept', files: ['x'] }, 400],
  ['a change that is not there', '/v1/changes/nothing/decisions', { decision: 'accept', all: true }, 404],
  ['no result', '/v1/changes/ID/apply', {}, 400],
  ['a snapshot that is not there', '/v1/rollback', { workspace: 'HERE', snapshot: 'abcd' }, 404],
  ['nothing to take back', '/v1/rollback', { workspace: 'HERE' }, 400],
  ['no place to take back in', '/v1/rollback', { last: true }, 400],
  ['a receipt that is not there', '/v1/rollback', { receipt: 'abcd' }, 404],
  ['a receipt and more', '/v1/rollback', { receipt: 'abcd', last: true }, 400],
  ['too much to take back', '/v1/rollback', { workspace: 'HERE', last: true, run: 'x' }, 400],
];

/** A daemon with a file in its workspace, an agent, and a person. */
async function panel(options: Options = {}) {
  const daemon = await testDaemon({ passphrase: true, ...options });
  const { call, workspace } = daemon;
  writeFileSync(join(workspace, 'n.txt'), numbers.join(''));
  const agent = await daemon.credential({ agent: 'coder' });
  const person = await daemon.session();
  const post = (path: string, body: unknown, token = person) => call(path, { token, body, method: 'POST' });
  const context = { workspace, session: 'run-1' };
  const propose = (more: object = {}, token = agent) =>
    post('/v1/changes', { edits: [{ op: 'write', path: 'n.txt', content: three }], context, ...more }, token);
  const get = (path: string, token = person) => call(path, { token });
  const read = (path = 'n.txt') => readFileSync(join(workspace, path), 'utf8');
  return { ...daemon, agent, person, post, get, propose, read, context };
}

describe.each(engines)('on %s', (engine) => {
  it('a change is proposed, decided about by hunk, applied, receipted, taken back, and all verifies', async () => {
    const { propose, post, get, read, agent, workspace, ledger } = await panel({ engine });
    const { status, body } = await propose({ justification: 'to count better', models: ['m'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      outcome: 'staged',
      verdict: { decision: 'pass' },
      change: {
        state: 'staged',
        agent: 'coder',
        run: 'run-1',
        undecided: 3,
        reason: 'a person looks at every proposed change',
        files: [
          {
            path: 'n.txt',
            guards: { write: 'pass', hallucination: 'pass', egress: 'pass' },
            hunks: [{ number: 1, kind: 'lines', decision: null }, {}, {}],
          },
        ],
      },
    });
    const { id } = body.change;
    expect((await get('/v1/changes')).body.changes).toMatchObject([{ id, hunks: 3, undecided: 3 }]);
    await post(`/v1/changes/${id}/decisions`, { decision: 'accept', hunks: [1, 2] });
    const decided = await post(`/v1/changes/${id}/decisions`, { decision: 'reject', hunks: [2] });
    await post(`/v1/changes/${id}/decisions`, { decision: 'accept', hunks: [3] });
    expect(decided.body.files[0].hunks.map((hunk: { decision: string }) => hunk.decision)).toEqual([
      ...['accept', 'reject', null],
    ]);
    const { result: seen, files } = (await get(`/v1/changes/${id}`)).body;
    expect(files[0].hunks[0].diff).toContain('-5\n+x5\n');
    expect(seen).toMatchObject({ stale: [], files: [{ path: 'n.txt' }] });
    const applied = await post(`/v1/changes/${id}/apply`, { result: seen.hash });
    expect(applied).toMatchObject({ status: 200, body: { state: 'applied', receipt: { applied: true } } });
    expect(read()).toBe(three.replace('x25', '25'));
    const { receipt } = applied.body;
    expect(receipt).toMatchObject({
      ...{ user_id: 'ann', run_id: 'run-1', models: ['m'] },
      files: [{ path: 'n.txt', after_hash: seen.files[0].after_hash }],
    });
    expect((await get(`/v1/receipts/${receipt.receipt_id}`)).body).toEqual(receipt);
    expect((await get(`/v1/receipts/${receipt.receipt_id}`, agent)).body).toEqual({ ...receipt, diffs: [] });

    const back = await post('/v1/rollback', { workspace, run: 'run-1' });
    expect(back).toMatchObject({
      status: 200,
      body: { undone: [{ snapshot: receipt.snapshot_id, files: 1 }] },
    });
    expect(read()).toBe(numbers.join(''));
    expect((await get('/v1/receipts')).body.receipts.map(({ action }: { action: string }) => action)).toEqual(
      [...['rollback', 'apply']],
    );
    const page = (await get('/v1/receipts?limit=1')).body;
    expect(page).toMatchObject({ receipts: [{ action: 'rollback' }], next: expect.any(Number) });
    const rest = (await get(`/v1/receipts?limit=1&before=${page.next}`)).body;
    expect(rest).toMatchObject({ receipts: [{ action: 'apply' }], next: null });
    expect((await get('/v1/receipts?before=0')).status).toBe(400);
    expect((await get('/v1/receipts?before=x')).status).toBe(400);
    expect((await get('/v1/receipts/verify')).body).toEqual({ valid: true, receipts: 2, mismatch: [] });
    const head = (await get('/v1/receipts/chain-head')).body;
    expect(head).toMatchObject({
      receipt: await ledger.receipts.head(),
      heads: [{ size: expect.any(Number) }],
    });
  });
});

describe('the panel', () => {
  it('lets an agent propose and see its own, and nothing more', async () => {
    const { propose, post, get, agent, credential, read, workspace } = await panel();
    const { id } = (await propose()).body.change;
    const { result } = (await get(`/v1/changes/${id}`)).body;
    const others = [
      await credential({ agent: 'other' }),
      await credential({ user: 'bob', agent: 'coder' }),
      await credential({ tenant: 'rival', agent: 'coder' }),
    ];
    expect((await get('/v1/changes', agent)).body.changes).toHaveLength(1);
    for (const token of others) {
      expect((await get('/v1/changes', token)).body.changes).toEqual([]);
      expect((await get(`/v1/changes/${id}`, token)).status).toBe(404);
    }
    const approver = await credential({ scope: 'approve' });
    const admin = await credential({ scope: 'admin' });
    for (const token of [agent, approver, admin, ...others]) {
      const asked = [
        await post(`/v1/changes/${id}/decisions`, { decision: 'accept', all: true }, token),
        await post(`/v1/changes/${id}/apply`, { result: result.hash }, token),
        await post(`/v1/changes/${id}/reject`, {}, token),
        await post('/v1/rollback', { workspace, last: true }, token),
      ];
      expect(asked.map(({ status, body }) => [status, body.name])).toEqual(
        asked.map(() => [403, 'NotAllowed']),
      );
    }
    expect((await propose({}, approver)).status).toBe(403);
    expect((await propose({ context: { workspace, agent: 'other' } })).status).toBe(403);
    expect((await get('/v1/receipts/verify', agent)).status).toBe(403);
    expect(read()).toBe(numbers.join(''));
  });

  it('shows receipts to those whose they are', async () => {
    const { propose, get, agent, credential } = await panel();
    const refused = await propose({ edits: [{ op: 'write', path: '.git/config', content: 'x' }] });
    expect(refused.body).toMatchObject({ outcome: 'refused', receipt: { action: 'reject', applied: false } });
    const id = refused.body.receipt.receipt_id;
    const rival = await credential({ tenant: 'rival' });
    expect((await get('/v1/receipts', agent)).body.receipts).toHaveLength(1);
    expect((await get('/v1/receipts', rival)).body.receipts).toEqual([]);
    for (const path of [`/v1/receipts/${id}`, `/v1/receipts/${id}/export`]) {
      expect((await get(path)).status).toBe(200);
      expect(await get(path.replace('/export', ''), rival)).toMatchObject({
        status: 404,
        body: { name: 'UnknownReceipt' },
      });
    }
    expect((await get(`/v1/receipts/${id}/export`, agent)).status).toBe(403);
    expect((await get('/v1/receipts/%25', agent)).status).toBe(404);
  });

  it('reads no file for an agent that proposes to change it', async () => {
    const { propose, post, get, agent, workspace } = await panel();
    writeFileSync(join(workspace, 'diary.txt'), 'dear diary\nnobody knows\n');
    const proposed = await propose({
      edits: [{ op: 'replace', path: 'diary.txt', replace: [{ old: 'dear', new: 'cheap' }] }],
    });
    const { id } = proposed.body.change;
    await post(`/v1/changes/${id}/reject`, {});
    const told = [
      proposed,
      await get(`/v1/changes/${id}`, agent),
      await get('/v1/changes', agent),
      await get('/v1/receipts', agent),
      await get('/v1/log?event_type=receipt', agent),
      await propose({
        edits: [
          { op: 'write', path: 'diary.txt', content: 'x' },
          { op: 'write', path: '.git/x', content: 'x' },
        ],
      }),
    ];
    for (const { status, body } of told) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('nobody knows');
    }
    expect(JSON.stringify((await get('/v1/receipts')).body)).toContain('nobody knows');
    expect(JSON.stringify((await get('/v1/log?event_type=receipt')).body)).toContain('nobody knows');
  });

  it('exports a statement that the cryptography of Node alone can check', async () => {
    const { propose, get, ledger } = await panel();
    const refused = await propose({ edits: [{ op: 'write', path: '.git/config', content: 'x' }] });
    const { body: envelope } = await get(`/v1/receipts/${refused.body.receipt.receipt_id}/export`);
    const [{ keyid, sig }] = envelope.signatures;
    const x = (await ledger.publicKeys()).get(keyid)?.publicKey ?? '';
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const payload = Buffer.from(envelope.payload, 'base64');
    const type = 'application/vnd.in-toto+json';
    const signed = (body: Buffer) =>
      Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${body.length} `), body]);
    expect(envelope.payloadType).toBe(type);
    expect(verify(null, signed(payload), key, Buffer.from(sig, 'base64'))).toBe(true);
    const other = Buffer.from(payload.toString().replace('"reject"', '"apply"'));
    expect(verify(null, signed(other), key, Buffer.from(sig, 'base64'))).toBe(false);
    expect(JSON.parse(payload.toString())).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: '.git/config' }],
      predicate: (await get(`/v1/receipts/${refused.body.receipt.receipt_id}`)).body,
    });
  });

  it('applies nothing but what was seen', async () => {
    const { propose, post, get, read } = await panel();
    const { id } = (await propose()).body.change;
    await post(`/v1/changes/${id}/decisions`, { decision: 'accept', files: ['n.txt'] });
    const { hash } = (await get(`/v1/changes/${id}`)).body.result;
    await post(`/v1/changes/${id}/decisions`, { decision: 'reject', hunks: [1] });
    expect(await post(`/v1/changes/${id}/apply`, { result: hash })).toMatchObject({
      ...{ status: 409, body: { name: 'ResultChanged', hint: expect.any(String) } },
    });
    expect(read()).toBe(numbers.join(''));
  });

  it('says which files have changed since, and lets the change wait', async () => {
    const { propose, post, get, workspace } = await panel();
    const { id } = (await propose()).body.change;
    const { body } = await post(`/v1/changes/${id}/decisions`, { decision: 'accept', all: true });
    writeFileSync(join(workspace, 'n.txt'), 'mine\n');
    expect(await post(`/v1/changes/${id}/apply`, { result: body.result.hash })).toMatchObject({
      ...{ status: 409, body: { name: 'Conflict', paths: ['n.txt'] } },
    });
    expect((await get(`/v1/changes/${id}`)).body).toMatchObject({
      ...{ state: 'staged', result: { hash: null, stale: ['n.txt'] } },
    });
    const ended = await post(`/v1/changes/${id}/reject`, {});
    expect(ended.body).toMatchObject({ state: 'rejected', receipt: { action: 'reject' } });
    expect((await get(`/v1/changes/${id}`)).body).toMatchObject({ state: 'rejected', files: [] });
    expect((await post(`/v1/changes/${id}/reject`, {})).body.name).toBe('ChangeEnded');
  });

  it('takes back what a receipt tells of, wherever that was', async () => {
    const { propose, post, read } = await panel();
    const before = read();
    const { id } = (await propose()).body.change;
    const { body } = await post(`/v1/changes/${id}/decisions`, { decision: 'accept', all: true });
    const { receipt } = (await post(`/v1/changes/${id}/apply`, { result: body.result.hash })).body;
    expect(read()).not.toBe(before);
    const back = await post('/v1/rollback', { receipt: receipt.receipt_id });
    expect(back.body).toMatchObject({ undone: [{ snapshot: receipt.snapshot_id }] });
    expect(read()).toBe(before);
  });

  it('says what is in the way of taking back', async () => {
    const { propose, post, workspace } = await panel();
    const { id } = (await propose()).body.change;
    const { body } = await post(`/v1/changes/${id}/decisions`, { decision: 'accept', all: true });
    await post(`/v1/changes/${id}/apply`, { result: body.result.hash });
    writeFileSync(join(workspace, 'n.txt'), 'mine\n');
    expect(await post('/v1/rollback', { workspace, last: true })).toMatchObject({
      ...{ status: 409, body: { undone: [], conflict: { paths: ['n.txt'] } } },
    });
  });

  it('does what autonomy says', async () => {
    const autonomous = await panel({
      configuration: (workspace) =>
        `[workspaces."${workspace}"]\nautonomy = "autonomous"\n[changes]\nrun_files = 1`,
    });
    expect((await autonomous.propose()).body).toMatchObject({
      outcome: 'applied',
      receipt: { applied: true },
    });
    expect(autonomous.read()).toBe(three);
    const more = { edits: [{ op: 'write', path: 'b.txt', content: 'b' }] };
    expect((await autonomous.propose(more)).body.change.reason).toContain('the budget of a run is 1 files');
    // An agent may call any folder its workspace; only the one that the user named is written to alone.
    const elsewhere = join(autonomous.workspace, 'inner');
    mkdirSync(elsewhere);
    const there = await autonomous.propose({ ...more, context: { workspace: elsewhere } });
    expect(there.body.outcome).toBe('staged');

    const manual = await panel({ configuration: '[agents.coder]\nautonomy = "manual"' });
    expect((await manual.propose()).body).toMatchObject({
      outcome: 'refused',
      verdict: { findings: [{ rule: 'autonomy_manual' }] },
    });
  });

  it('takes a patch, and every kind of edit', async () => {
    const { propose, workspace } = await panel();
    writeFileSync(join(workspace, 'b.txt'), 'b\n');
    writeFileSync(join(workspace, 'c.txt'), 'c\n');
    const patch = '--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n';
    expect((await propose({ edits: undefined, patch })).body.change.files).toMatchObject([{ path: 'b.txt' }]);
    const edits = [
      { op: 'replace', path: 'n.txt', replace: [{ old: '50', new: 'fifty' }] },
      { op: 'delete', path: 'b.txt' },
      { op: 'rename', path: 'c.txt', to: 'd.txt' },
      { op: 'mode', path: 'n.txt', executable: true },
    ];
    expect((await propose({ edits })).body.change.files).toMatchObject([
      { path: 'n.txt', op: 'edit', hunks: [{ kind: 'lines' }, { kind: 'mode' }] },
      { path: 'b.txt', op: 'delete' },
      { path: 'c.txt', op: 'rename', to: 'd.txt' },
    ]);
  });

  it('refuses what it cannot read or does not know', async () => {
    const { propose, post, workspace } = await panel();
    const { id } = (await propose()).body.change;
    for (const [what, path, body, status] of refused) {
      const sent = Object.fromEntries(
        Object.entries(body).map(([key, value]) => [key, value === 'HERE' ? workspace : value]),
      );
      const answer = path === '/v1/changes' ? await propose(sent) : await post(path.replace('ID', id), sent);
      expect({ what, status: answer.status, ...answer.body }).toMatchObject({
        ...{ what, status, error: expect.any(String), name: expect.any(String) },
      });
    }
  });

  it('holds no more changes than it may', async () => {
    const { propose } = await panel({ configuration: '[approvals]\nmax_changes = 1' });
    await propose();
    const edits = [{ op: 'write', path: 'other.txt', content: 'another\n' }];
    expect(await propose({ edits })).toMatchObject({ status: 429, body: { name: 'TooManyChanges' } });
  });

  it('refuses where the settings of the workspace cannot be read, and where the workspace is gone', async () => {
    const { propose, get, post, workspace } = await panel();
    const { id } = (await propose()).body.change;
    await post(`/v1/changes/${id}/decisions`, { decision: 'accept', all: true });
    writeFileSync(join(workspace, 'sallyport.toml'), 'nonsense');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await propose()).toMatchObject({ status: 409, body: { name: 'ConfigError' } });
    rmSync(workspace, { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const gone = { status: 409, body: { name: 'WorkspaceGone' } };
    expect(await get(`/v1/changes/${id}`)).toMatchObject(gone);
    expect(await post(`/v1/changes/${id}/apply`, { result: 'f'.repeat(64) })).toMatchObject(gone);
    expect((await get('/v1/changes')).body.changes).toMatchObject([{ id }]);
    expect(existsSync(workspace)).toBe(false);
  });
});
