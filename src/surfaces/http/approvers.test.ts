// Approver keys over HTTP: who sees whose approval counts, and passkeys that a person adds, signs in and approves with.

import { describe, expect, it } from 'vitest';
import { type CallOptions, testDaemon } from '../../../tests/support/daemon.ts';
import { newPasskey, type Passkey } from '../../../tests/support/passkey.ts';
import { hashPassphrase, leastCost, newKey, userSigner } from '../../config/index.ts';
import { readVerifier } from '../../config/users.ts';
import { type Payload, sessionPayload } from '../../core/index.ts';

const phrase = 'the passphrase of ann';
const line = await hashPassphrase(phrase, leastCost);
const { publicKey: annsKey } = readVerifier(line)!;
const configuration = `[users.ann]\nrole = "approver"\ntenant = "acme"\npassphrase = "${line}"\n`;

async function withPasskeys() {
  let later = 0;
  const world = { now: () => Date.now() + later };
  const daemon = await testDaemon({ passphrase: true, configuration, world });
  const pass = (milliseconds: number) => {
    later += milliseconds;
  };
  const { ledger, ownKey, send } = daemon;
  const own = await ownKey();
  const ann = { key: annsKey, name: 'ann', role: 'approver', tenant: 'acme' };
  const actor = { user: 'owner', tenant: 'local' };
  await ledger.approvers.add(ledger.approvers.statement('user', ann), own, actor);
  const passkey = newPasskey(`http://localhost:${daemon.daemon.port}`);
  const bodyOf = (made: Passkey, by: string) => ({ public_key: made.spki, credential: 'AAAA', by });
  /** Sends a call, signs what it asks for, and sends it again. */
  const signed = async (path: string, given: CallOptions, sign: (payload: Payload) => string) => {
    const { status, body } = await send(path, given);
    if (status !== 428) return { status, body };
    const headers = { 'sallyport-signature': `${body.at} ${sign(body.payload)}` };
    return await send(path, { ...given, headers });
  };
  const add = (token: string, made: Passkey, by = own.publicKey, sign = own.sign) =>
    signed('/v1/approvers/passkeys', { token, body: bodyOf(made, by) }, sign);
  /** A session that a touch opens. */
  const touchIn = async (made: Passkey, name?: string) => {
    const given = await send('/v1/session/challenge', { body: name === undefined ? {} : { name } });
    if (given.status !== 200) return given;
    const { challenge } = given.body;
    const signature = made.touch(sessionPayload(challenge));
    return await send('/v1/session', { body: { challenge, signature, page: true } });
  };
  return { ...daemon, own, actor, passkey, signed, add, touchIn, pass };
}

describe('whose approval counts', () => {
  it('is shown to people and to credentials that approve, of their tenant alone', async () => {
    const { call, ledger, own, actor, session, credential, signIn } = await withPasskeys();
    const bob = { key: 'key of bob', name: 'bob', role: 'approver', tenant: 'other' };
    await ledger.approvers.add(ledger.approvers.statement('user', bob), own, actor);
    const names = async (token: string) => {
      const { status, body } = await call('/v1/approvers', { token });
      if (status !== 200) return status;
      expect(body.reset).toBeNull();
      return body.approvers.map(({ name }: { name: string }) => name);
    };
    expect(await names(await session())).toEqual(['owner', 'ann', 'bob']);
    expect(await names((await signIn(phrase, 'ann')).body.token)).toEqual(['owner', 'ann']);
    expect(await names(await credential({ scope: 'approve', tenant: 'other' }))).toEqual(['owner', 'bob']);
    expect(await names(await credential({ scope: 'decide' }))).toBe(403);
    expect((await call('/v1/approvers')).status).toBe(401);
  });

  it('names the reset that waits', async () => {
    const { call, ledger, own, actor, session, world } = await withPasskeys();
    const { signer: next } = await newKey('another passphrase', leastCost);
    const fields = { key: next.publicKey, name: 'owner', role: 'owner', replaces: own.publicKey };
    await ledger.approvers.requestReset(ledger.approvers.statement('owner', fields), next, actor);
    const { reset } = (await call('/v1/approvers', { token: await session() })).body;
    expect(reset).toMatchObject({ key: next.publicKey, name: 'owner' });
    expect(reset.countsFrom).toBeGreaterThan(world.now() + 23 * 60 * 60 * 1000);
    const { passphrase_reset: until } = (await call('/healthz')).body;
    expect(until).toBe(new Date(reset.countsFrom).toISOString());
  });
});

describe('a passkey', () => {
  it('is added with the signature of its owner’s key, and from then on signs in and approves', async () => {
    const { add, passkey, session, touchIn, signed, decide, credential, ledger } = await withPasskeys();
    const token = await session();
    const added = await add(token, passkey);
    expect(added).toMatchObject({
      status: 201,
      body: { key: passkey.name(), kind: 'passkey', name: 'owner', role: 'owner', state: 'counts' },
    });
    const opened = await touchIn(passkey);
    expect([opened.status, opened.body.key]).toEqual([200, undefined]);
    const asked = (await decide(await credential(), 'https://example.net/')).body;
    const answer = { token: opened.body.token, body: { answer: 'approve' } };
    const path = `/v1/approvals/${asked.approval.id}/answer`;
    const unsigned = newPasskey(`http://localhost:1`);
    expect(await signed(path, answer, (payload) => unsigned.touch(payload))).toMatchObject({
      status: 403,
      body: { name: 'NotVouchedFor' },
    });
    expect(await signed(path, answer, (payload) => passkey.touch(payload))).toMatchObject({
      status: 200,
      body: { state: 'approved' },
    });
    const [entry] = await ledger.audit.list({ eventType: 'session_opened' });
    expect(entry?.details).toMatchObject({ surface: 'console', with: 'passkey' });
  });

  it('is not added without that signature, by who is no person, or in the name of another', async () => {
    const { add, passkey, session, signIn, credential, own, ledger, send } = await withPasskeys();
    const [owner, ann] = [await session(), (await signIn(phrase, 'ann')).body.token];
    const kept = readVerifier(line)!;
    const { sign } = await userSigner(phrase, kept);
    const before = await ledger.approvers.list();
    const tries: readonly (readonly [string, ReturnType<typeof add>, number])[] = [
      ['another signature', add(owner, passkey, own.publicKey, sign), 403],
      ['another key', add(owner, passkey, annsKey), 400],
      ['a key that nobody knows', add(owner, passkey, 'AAAA'), 400],
      ['a user for the owner', add(ann, passkey, own.publicKey), 400],
      ['a credential that approves', add(await credential({ scope: 'approve' }), passkey), 403],
      ['an agent', add(await credential(), passkey), 403],
    ];
    for (const [what, attempt, status] of tries)
      expect([what, (await attempt).status]).toEqual([what, status]);
    const odd = [{}, { public_key: 'x.y', credential: 'A', by: own.publicKey }, { by: own.publicKey }];
    for (const body of odd)
      expect((await send('/v1/approvers/passkeys', { token: owner, body })).status).toBe(400);
    expect(await ledger.approvers.list()).toEqual(before);
    expect(await add(ann, passkey, annsKey, sign)).toMatchObject({
      status: 201,
      body: { name: 'ann', role: 'approver', tenant: 'acme' },
    });
  });

  it('ends with the key of its person, and opens no session then', async () => {
    const { add, passkey, signIn, touchIn, ledger, own, actor } = await withPasskeys();
    const { sign } = await userSigner(phrase, readVerifier(line)!);
    await add((await signIn(phrase, 'ann')).body.token, passkey, annsKey, sign);
    expect((await touchIn(passkey, 'ann')).status).toBe(200);
    // Not in the name of another person.
    expect((await touchIn(passkey)).status).toBe(401);
    await ledger.approvers.end(annsKey, own, actor);
    const { state } = (await ledger.approvers.list()).at(-1)!;
    expect(state).toBe('ended');
    expect((await touchIn(passkey, 'ann')).body.name).toBe('NotVouchedFor');
  });
});

describe('ending a key, and stopping a reset', () => {
  const day = 24 * 60 * 60 * 1000;

  it('takes the signature of a key that may, in a session of a person', async () => {
    const { add, passkey, session, signIn, credential, signed, own, ledger } = await withPasskeys();
    const token = await session();
    await add(token, passkey);
    const body = { key: passkey.name(), by: own.publicKey };
    const stateOf = async () =>
      (await ledger.approvers.list()).find(({ key }) => key === passkey.name())?.state;
    const { sign } = await userSigner(phrase, readVerifier(line)!);
    const anns = (await signIn(phrase, 'ann')).body.token;
    const tries: readonly (readonly [string, ReturnType<typeof signed>, number])[] = [
      ['an agent', signed('/v1/approvers/end', { token: await credential(), body }, own.sign), 403],
      ['another role', signed('/v1/approvers/end', { token: anns, body }, own.sign), 403],
      ['another signature', signed('/v1/approvers/end', { token, body }, sign), 403],
      [
        'a key that may not',
        signed('/v1/approvers/end', { token, body: { ...body, by: annsKey } }, sign),
        403,
      ],
      ['no key', signed('/v1/approvers/end', { token, body: { by: own.publicKey } }, own.sign), 400],
    ];
    for (const [what, attempt, status] of tries)
      expect([what, (await attempt).status]).toEqual([what, status]);
    expect(await stateOf()).toBe('counts');
    expect(await signed('/v1/approvers/end', { token, body }, own.sign)).toMatchObject({ status: 200 });
    expect(await stateOf()).toBe('ended');
  });

  it('an old signature counts for nothing', async () => {
    const { add, passkey, session, send, own, world } = await withPasskeys();
    const token = await session();
    await add(token, passkey);
    const body = { key: passkey.name(), by: own.publicKey };
    const { body: needed } = await send('/v1/approvers/end', { token, body });
    const headers = { 'sallyport-signature': `${world.now() - day} ${own.sign(needed.payload)}` };
    expect((await send('/v1/approvers/end', { token, body, headers })).status).toBe(400);
  });

  it('ends the sessions that a passkey opened, and no others', async () => {
    const { add, passkey, session, touchIn, signed, own, call } = await withPasskeys();
    const token = await session();
    await add(token, passkey);
    const touched = (await touchIn(passkey)).body.token;
    const sees = async (with_: string) => (await call('/v1/approvers', { token: with_ })).status;
    expect([await sees(token), await sees(touched)]).toEqual([200, 200]);
    await signed('/v1/approvers/end', { token, body: { key: passkey.name(), by: own.publicKey } }, own.sign);
    expect([await sees(token), await sees(touched)]).toEqual([200, 401]);
  });

  it('stops a reset; one that nobody stops ends every session of the old key once it counts', async () => {
    const { call, ledger, own, actor, session, signed, pass } = await withPasskeys();
    const { signer: next } = await newKey('another passphrase', leastCost);
    const request = () => {
      const fields = { key: next.publicKey, name: 'owner', role: 'owner', replaces: own.publicKey };
      return ledger.approvers.requestReset(ledger.approvers.statement('owner', fields), next, actor);
    };
    await request();
    const token = await session();
    const body = { key: next.publicKey, by: own.publicKey };
    expect((await signed('/v1/approvers/veto', { token, body }, next.sign)).status).toBe(403);
    expect(await ledger.approvers.pendingReset()).not.toBeNull();
    expect(await signed('/v1/approvers/veto', { token, body }, own.sign)).toMatchObject({ status: 200 });
    expect(await ledger.approvers.pendingReset()).toBeNull();
    pass(1000);
    await request();
    expect((await call('/v1/approvers', { token })).status).toBe(200);
    pass(day + 1000);
    expect((await ledger.approvers.list()).map(({ state }) => state)).toContain('ended');
    expect((await call('/v1/approvers', { token })).status).toBe(401);
  });
});
