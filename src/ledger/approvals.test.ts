// Approvals, grants, credentials and single-use tokens on both engines.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  engines,
  impostor,
  isPerson,
  newStore,
  person,
  type StorePlace,
} from '../../tests/support/ledger.ts';
import {
  AlreadyAnswered,
  ApprovalExpired,
  type AskOptions,
  Ledger,
  NotGrantable,
  type Question,
  type SignatureCheck,
  StoreDamaged,
  TooManyPending,
  UnknownApproval,
  UnknownGrant,
} from './index.ts';

const start = 1_700_000_000_000;
const minute = 60_000;

const question: Question = {
  action: { kind: 'fetch', url: 'https://example.com/?token=hunter2hunter2' },
  context: {
    user: 'ann',
    tenant: 'acme',
    agent: 'coder',
    session: 's1',
    workspace: '/work',
    mode: 'default',
  },
  findings: [
    {
      rule: 'host_not_allowed',
      guard: 'fetch',
      decision: 'approve',
      message: 'example.com is not listed',
      grant: 'fetch https://example.com:443',
    },
  ],
};

function ask(ledger: Ledger, more: Partial<AskOptions> = {}) {
  return ledger.approvals.ask({
    binding: 'binding',
    question,
    decisionId: 'decision',
    now: start,
    expiryMs: 5 * minute,
    maxPending: 3,
    ...more,
  });
}

/** Everything that lies in the store, as somebody who holds the disk sees it. */
async function bytesOf(store: StorePlace, table: string): Promise<string> {
  const rows = JSON.stringify(await store.rows(`SELECT * FROM ${table}`));
  if (store.engine === 'postgres') return rows;
  const files = ['ledger.db', 'ledger.db-wal'].map((file) =>
    readFileSync(join(store.folder, file), 'latin1'),
  );
  return rows + files.join('');
}

describe.each(engines)('approvals on %s', (engine) => {
  it('are asked, answered and used once', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    expect(await ledger.approvals.answered(() => 'binding', start + 1)).toBeUndefined();
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start + minute);
    expect(await ledger.approvals.answered(() => 'binding', start + minute)).toBe('approve');
    expect(await ledger.approvals.consume('binding', 'd2', start + minute)).toBe(true);
    expect(await ledger.approvals.consume('binding', 'd3', start + minute)).toBe(false);
    expect(await ledger.approvals.answered(() => 'binding', start + minute)).toBeUndefined();
    expect((await ledger.audit.list({})).map(({ event_type: type }) => type)).toEqual([
      'approval_used',
      'approval_answered',
      'approval_requested',
    ]);
    expect(await ledger.approvals.pending({}, start)).toEqual([]);
    expect(await ledger.verify()).toMatchObject({ entries: 3, problems: [] });
  });

  it('are of the store they were asked on and of no other', async () => {
    const ledger = await (await newStore(engine)).open();
    const other = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    expect(await other.approvals.pending({}, start)).toEqual([]);
    await expect(other.approvals.show(id, {}, start)).rejects.toThrow(UnknownApproval);
  });

  it('are answered and used on another daemon than they were asked on', async () => {
    const store = await newStore(engine);
    const [asking, answering, using] = [await store.open('a'), await store.open('b'), await store.open('c')];
    const { id } = await ask(asking);
    expect((await answering.approvals.show(id, {}, start)).question).toEqual(question);
    await answering.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await using.approvals.consume('binding', 'd', start + 1)).toBe(true);
    expect(await asking.approvals.consume('binding', 'd', start + 1)).toBe(false);
    const { chains, problems } = await asking.verify();
    expect(problems).toEqual([]);
    expect(chains.map(({ chain, entries }) => [chain, entries])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
  });

  it('are not asked twice while they wait', async () => {
    const ledger = await (await newStore(engine)).open();
    expect((await ask(ledger)).id).toBe((await ask(ledger, { now: start + 1 })).id);
    expect(await ledger.approvals.pending({}, start)).toHaveLength(1);
  });

  it('are taken back while they wait, and not once they are answered', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    await ledger.approvals.withdraw(id, start + 1);
    expect(await ledger.approvals.show(id, {}, start + 1)).toMatchObject({
      state: 'expired',
      question: null,
    });
    await expect(ledger.approvals.answer(id, 'approve', 'ann', person, {}, start + 1)).rejects.toThrow(
      ApprovalExpired,
    );
    const { id: next } = await ask(ledger, { now: start + 2 });
    expect(next).not.toBe(id);
    await ledger.approvals.answer(next, 'approve', 'ann', person, {}, start + 3);
    await ledger.approvals.withdraw(next, start + 4);
    expect(await ledger.approvals.answered(() => 'binding', start + 4)).toBe('approve');
  });

  describe('are shared out', () => {
    const from = (more: Partial<Question['context']>): Question => ({
      ...question,
      context: { ...question.context, ...more },
    });
    async function fill(ledger: Ledger, count: number, more: Partial<AskOptions>) {
      for (let index = 0; index < count; index++)
        await ask(ledger, { maxPending: 10, ...more, binding: `${JSON.stringify(more)} ${index}` });
    }

    it('so that one agent leaves the others theirs', async () => {
      const ledger = await (await newStore(engine)).open();
      await fill(ledger, 5, {});
      const refused = ask(ledger, { binding: 'one more', maxPending: 10 });
      await expect(refused).rejects.toThrow(TooManyPending);
      await expect(refused).rejects.toThrow('5 questions of this session wait already');
      await fill(ledger, 3, { question: from({ session: 's2' }) });
      await expect(fill(ledger, 1, { question: from({ session: 's3' }) })).rejects.toThrow(
        '8 questions of this agent wait already',
      );
      for (const more of [{ agent: 'helper' }, { user: 'bob' }, { tenant: 'other' }])
        await fill(ledger, 1, { question: from(more) });
      expect(await ledger.approvals.pending({}, start)).toHaveLength(11);
    });

    it('and names that callers make up are one agent', async () => {
      const ledger = await (await newStore(engine)).open();
      for (const agent of ['a', 'b', 'c', 'coder'])
        await fill(ledger, 2, { question: from({ agent, agentClaimed: true }) });
      await expect(fill(ledger, 1, { question: from({ agent: 'e', agentClaimed: true }) })).rejects.toThrow(
        TooManyPending,
      );
      await fill(ledger, 1, { question: from({}) });
    });

    it('and those that wait long do not count', async () => {
      const ledger = await (await newStore(engine)).open();
      await fill(ledger, 5, {});
      await fill(ledger, 5, { now: start + 2 * minute });
      await expect(fill(ledger, 1, { now: start + 3 * minute })).rejects.toThrow(TooManyPending);
      expect(await ledger.approvals.pending({}, start + 3 * minute)).toHaveLength(10);
    });

    it('and one that cannot be read keeps nobody from asking', async () => {
      const store = await newStore(engine);
      const ledger = await store.open();
      await fill(ledger, 5, {});
      await store.tamper("UPDATE approvals SET sealed = 'x'");
      expect((await ask(ledger, { binding: 'one more', maxPending: 10 })).id).toBeTruthy();
    });
  });

  it('of the same kind are of one group', async () => {
    const ledger = await (await newStore(engine)).open();
    for (const binding of ['a', 'b']) await ask(ledger, { binding });
    const groups = (await ledger.approvals.pending({}, start)).map(({ group }) => group);
    expect(groups).toEqual(Array(2).fill('coder · s1 · fetch · fetch/host_not_allowed'));
    const [{ id } = { id: '' }] = await ledger.approvals.pending({}, start);
    expect(await ledger.approvals.answer(id, 'deny', 'ann', null, {}, start)).toMatchObject({ group: null });
  });

  it('are answered once', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'deny', 'ann', null, {}, start);
    await expect(ledger.approvals.answer(id, 'approve', 'ann', person, {}, start)).rejects.toThrow(
      AlreadyAnswered,
    );
    expect(await ledger.approvals.answered(() => 'binding', start)).toBe('deny');
    expect(await ledger.approvals.consume('binding', 'd', start)).toBe(false);
  });

  it('need a signature for a yes', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    await expect(ledger.approvals.answer(id, 'approve', 'ann', null, {}, start)).rejects.toThrow(
      'signature of a person',
    );
  });

  it.each([
    ['too late', start + 5 * minute],
    ['at a time before it was asked', start - 1],
  ])('cannot be answered %s', async (_, now) => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    await expect(ledger.approvals.answer(id, 'approve', 'ann', person, {}, now)).rejects.toThrow(
      ApprovalExpired,
    );
  });

  it.each([
    ['after five minutes', start + 5 * minute],
    ['after the clock went back', start - 1],
  ])('are not used %s', async (_, now) => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await ledger.approvals.answered(() => 'binding', now)).toBeUndefined();
    expect(await ledger.approvals.consume('binding', 'd', now)).toBe(false);
  });

  it.each(['approve', 'deny'] as const)(
    'answered with %s do not outlive a shorter setting',
    async (answer) => {
      const ledger = await (await newStore(engine)).open();
      const { id } = await ask(ledger);
      await ledger.approvals.answer(id, answer, 'ann', answer === 'approve' ? person : null, {}, start);
      const counts = (now: number, expiryMs: number) =>
        ledger.approvals.answered(() => 'binding', now, expiryMs);
      expect(await counts(start + minute - 1, minute)).toBe(answer);
      expect(await counts(start + minute, minute)).toBeUndefined();
      // A longer setting does not bring the end forward, nor put it off.
      expect(await counts(start + 5 * minute - 1, 60 * minute)).toBe(answer);
      expect(await counts(start + 5 * minute, 60 * minute)).toBeUndefined();
      expect(await ledger.approvals.consume('binding', 'd', start + minute, minute)).toBe(false);
      expect((await ask(ledger, { now: start + minute, expiryMs: minute })).id).not.toBe(id);
    },
  );

  it('signed by somebody else count for nothing, and make room for the question', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'approve', 'mallory', impostor, {}, start);
    expect(await ledger.approvals.answered(() => 'binding', start)).toBeUndefined();
    expect(await ledger.approvals.consume('binding', 'd', start)).toBe(false);
    expect((await ask(ledger)).id).not.toBe(id);
  });

  it.each([
    ['made up whole', "UPDATE approvals SET state = 'approved', answered_at = created_at, signature = 'x'"],
    ['moved to another action', "UPDATE approvals SET binding = 'other' WHERE state = 'approved'"],
    ['made to last', 'UPDATE approvals SET expires_at = expires_at + 1'],
    ['used again', "UPDATE approvals SET state = 'approved', answered_at = answered_at + 1"],
    ['by a person who was made up', "UPDATE approvers SET mac = 'x'"],
    ['by a person who was renamed', "UPDATE approvers SET name = 'other'"],
  ])('written into the store by hand count for nothing: %s', async (_, sql) => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const { id } = await ask(ledger);
    if (!sql.includes('created_at')) {
      await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
      expect(await ledger.approvals.answered(() => 'binding', start + 1)).toBe('approve');
    }
    await store.tamper(sql);
    for (const binding of ['binding', 'other']) {
      expect(await ledger.approvals.answered(() => binding, start + 1)).toBeUndefined();
      expect(await ledger.approvals.consume(binding, 'd', start + 1)).toBe(false);
    }
  });

  it('are shown only to whom they belong', async () => {
    const ledger = await (await newStore(engine)).open();
    const { approvals } = ledger;
    const { id } = await ask(ledger);
    const owner = { tenant: 'acme', user: 'ann', agent: 'coder' };
    expect((await approvals.show(id, owner, start)).id).toBe(id);
    expect(await approvals.pending(owner, start)).toHaveLength(1);
    for (const reader of [{ tenant: 'other' }, { user: 'bob' }, { agent: 'helper' }, { tenant: '*' }]) {
      await expect(approvals.show(id, reader, start)).rejects.toThrow(UnknownApproval);
      await expect(approvals.answer(id, 'deny', 'x', null, reader, start)).rejects.toThrow(UnknownApproval);
      expect(await approvals.pending(reader, start)).toEqual([]);
    }
    await approvals.answer(id, 'approve', 'ann', person, owner, start);
    expect(await approvals.answered(() => 'binding', start)).toBe('approve');
  });

  it('lie encrypted while they wait, and are erased once answered', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const { id } = await ask(ledger);
    expect((await ledger.approvals.show(id, {}, start)).question).toEqual(question);
    const [waiting] = await store.rows('SELECT sealed FROM approvals');
    expect(String(waiting?.['sealed'])).toMatch(/^[A-Za-z0-9+/]{100,}=*$/);
    expect(await bytesOf(store, 'approvals')).not.toContain('hunter2');
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect((await ledger.approvals.show(id, {}, start)).question).toBeNull();
    expect(await store.rows('SELECT sealed FROM approvals')).toEqual([{ sealed: null }]);
  });

  it('hold a long action whole, and in little space', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const command = 'echo hunter2 and so on\n'.repeat(20_000);
    const long: Question = { ...question, action: { kind: 'shell', command } };
    const { id } = await ask(ledger, { question: long });
    const other = await ask(ledger, { binding: 'b' });
    expect((await ledger.approvals.show(id, {}, start)).question).toEqual(long);
    const [waiting] = await store.rows(`SELECT sealed FROM approvals WHERE id = '${id}'`);
    expect(String(waiting?.['sealed']).length).toBeLessThan(command.length / 10);
    const pending = await ledger.approvals.pending({}, start);
    expect(new Map(pending.map((one) => [one.id, one.question?.action.kind]))).toEqual(
      new Map([
        [id, 'shell'],
        [other.id, 'fetch'],
      ]),
    );
  });

  it('are erased by the sweep when their time is over', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    await ask(ledger);
    await ledger.approvals.sweep(start + 5 * minute);
    expect(await store.rows('SELECT state, sealed FROM approvals')).toEqual([
      { state: 'expired', sealed: null },
    ]);
  });

  it.each([
    ['swapped', (id: string) => `(SELECT sealed FROM approvals WHERE id <> '${id}')`],
    ['cut', () => 'substr(sealed, 1, 60)'],
    ['emptied', () => "''"],
  ])('whose sealed part was %s are refused', async (_, spoilt) => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const { id } = await ask(ledger);
    await ask(ledger, { binding: 'b' });
    await store.tamper(`UPDATE approvals SET sealed = ${spoilt(id)} WHERE id = '${id}'`);
    await expect(ledger.approvals.show(id, {}, start)).rejects.toThrow(StoreDamaged);
  });

  it('are waited for until the answer, the time or the signal comes', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    const stop = new AbortController();
    const waiting = (forMs: number) => ledger.approvals.waitFor(id, forMs, stop.signal, () => start);
    expect(await waiting(0)).toBe(false);
    expect(await waiting(150)).toBe(false);
    const stopped = waiting(20_000);
    setTimeout(() => stop.abort(), 50);
    expect(await stopped).toBe(false);
    await ledger.approvals.answer(id, 'deny', 'ann', null, {}, start);
    expect(await ledger.approvals.waitFor(id, 20_000, new AbortController().signal, () => start)).toBe(true);
  });
});

it('an answer is heard in the process that waits, without another look', async () => {
  const ledger = await (await newStore('sqlite')).open();
  const { id } = await ask(ledger);
  // No timer ends, so that nothing but the answer itself lets the wait go on.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let looks = 0;
  const waiting = ledger.approvals.waitFor(id, 20_000, new AbortController().signal, () => {
    looks++;
    return start;
  });
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
  expect(await waiting).toBe(true);
  expect(looks).toBe(2);
});

describe.each(engines)('grants on %s', (engine) => {
  const effect = 'fetch https://example.com:443';
  const hour = 60 * minute;

  it('are made with an approval, cover their context, expire and are revoked', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await ask(ledger);
    const { grants } = await ledger.approveWithGrant(id, 'ann', person, {}, hour, start);
    expect(grants.map((grant) => grant.effect)).toEqual([effect]);
    const covered = (now: number, context = question.context) =>
      ledger.grants.covered([effect, 'another'], context, now);
    expect([...(await covered(start + 1))]).toEqual([effect]);
    expect((await covered(start + hour)).size).toBe(0);
    expect((await covered(start - 1)).size).toBe(0);
    for (const other of [{ workspace: '/else' }, { agent: 'helper' }, { user: 'bob' }, { tenant: 'other' }]) {
      expect((await covered(start + 1, { ...question.context, ...other })).size).toBe(0);
    }
    await expect(ledger.grants.revoke(grants[0]!.id, { tenant: 'other' }, start + 1)).rejects.toThrow(
      UnknownGrant,
    );
    await ledger.grants.revoke(grants[0]!.id, { tenant: 'acme' }, start + 1);
    expect((await covered(start + 2)).size).toBe(0);
    expect(await ledger.grants.list({}, start + 2)).toEqual([]);
    await expect(ledger.grants.revoke(grants[0]!.id, {}, start + 2)).rejects.toThrow(UnknownGrant);
  });

  it('made on one daemon cover, and end, on every other', async () => {
    const store = await newStore(engine);
    const [making, using] = [await store.open('a'), await store.open('b')];
    const [grant] = await making.grants.make([effect], question.context, hour, person, start);
    const covered = async () => (await using.grants.covered([effect], question.context, start + 1)).size;
    expect(await covered()).toBe(1);
    await making.grants.revoke(grant!.id, {}, start + 1);
    expect(await covered()).toBe(0);
  });

  it('are not made for what must be asked every time', async () => {
    const ledger = await (await newStore(engine)).open();
    const [first] = question.findings;
    const { grant: _, ...ungrantable } = first!;
    const { id } = await ask(ledger, { question: { ...question, findings: [first!, ungrantable] } });
    await expect(ledger.approveWithGrant(id, 'ann', person, {}, hour, start)).rejects.toThrow(NotGrantable);
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
  });

  it('with a changed field or a foreign signature count for nothing', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    await ledger.grants.make([effect], question.context, hour, impostor, start);
    const covered = async () => (await ledger.grants.covered([effect], question.context, start)).size;
    expect(await covered()).toBe(0);
    await ledger.grants.make(['harmless'], question.context, hour, person, start);
    await store.tamper(`UPDATE grants SET effect = '${effect}' WHERE effect = 'harmless'`);
    expect(await covered()).toBe(0);
  });

  it('whose signature was found good once are checked no more, until anything of them or the person changes', async () => {
    const place = await newStore(engine);
    let checks = 0;
    const check: SignatureCheck = (...asked) => {
      checks++;
      return isPerson(...asked);
    };
    const ledger = await Ledger.open({ ...place.options, check });
    onTestFinished(() => ledger.close());
    await ledger.approvers.set('home', 'the person', start);
    await ledger.grants.make([effect], question.context, hour, person, start);
    const covered = async () => (await ledger.grants.covered([effect], question.context, start)).size;
    for (let times = 0; times < 3; times++) expect(await covered()).toBe(1);
    expect(checks).toBe(1);
    await place.tamper(`UPDATE grants SET expires_at = expires_at + 1`);
    expect(await covered()).toBe(0);
    await place.tamper(`UPDATE grants SET expires_at = expires_at - 1`);
    expect(await covered()).toBe(1);
    await ledger.approvers.set('home', 'somebody else', start);
    expect(await covered()).toBe(0);
    await place.tamper(`UPDATE approvers SET public_key = 'the person'`);
    expect(await covered()).toBe(0);
  });

  it('stand for thirty days at the most', async () => {
    const ledger = await (await newStore(engine)).open();
    const [grant] = await ledger.grants.make([effect], question.context, 1000 * 24 * hour, person, start);
    expect(grant?.expiresAt).toBe(start + 30 * 24 * hour);
  });
});

describe.each(engines)('credentials on %s', (engine) => {
  it('are found by their token until they are revoked, and only their keyed hash is kept', async () => {
    const store = await newStore(engine);
    const { credentials } = await store.open();
    const owner = { scope: 'decide', user: 'ann', tenant: 'acme', agent: null } as const;
    const { token, principal } = await credentials.make(owner, start);
    expect(await credentials.find(token)).toEqual(principal);
    expect(await credentials.find(`${token}x`)).toBeUndefined();
    expect(await credentials.find('')).toBeUndefined();
    expect(await bytesOf(store, 'credentials')).not.toContain(token);
    expect(await credentials.list()).toEqual([principal]);
    const other = await store.open('b');
    expect(await other.credentials.find(token)).toEqual(principal);
    await credentials.revoke(principal.credential, start);
    expect(await credentials.find(token)).toBeUndefined();
    expect(await other.credentials.find(token)).toBeUndefined();
    await expect(credentials.revoke(principal.credential, start)).rejects.toThrow('no credential');
  });
});

describe.each(engines)('single-use tokens on %s', (engine) => {
  it('are used once, on whatever daemon, and never after their end', async () => {
    const store = await newStore(engine);
    const [one, other] = [await store.open('a'), await store.open('b')];
    expect(await one.tokens.consume('token', start + 10, start)).toBe(true);
    expect(await one.tokens.consume('token', start + 10, start)).toBe(false);
    expect(await other.tokens.consume('token', start + 10, start + 9)).toBe(false);
    expect(await other.tokens.consume('token', start + 10, start + 10)).toBe(false);
    expect(await other.tokens.consume('late', start + 10, start + 10)).toBe(false);
  });

  it('are forgotten when they have expired, so that the table stays small', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    for (let number = 0; number < 20; number++) {
      await ledger.tokens.consume(`token ${number}`, start + number + 1, start);
    }
    const day = 24 * 60 * minute;
    await ledger.tokens.consume('next', start + 2 * day, start + day);
    expect(await store.rows('SELECT id FROM tokens')).toEqual([{ id: 'next' }]);
  });

  it('are used once where the clocks of two daemons differ', async () => {
    const store = await newStore(engine);
    const [fast, slow] = [await store.open('a'), await store.open('b')];
    expect(await slow.tokens.consume('token', start + 1000, start)).toBe(true);
    // A clock that runs a second ahead sees the end of the token first, and forgets it.
    await fast.tokens.consume('another', start + minute, start + 1500);
    expect(await slow.tokens.consume('token', start + 1000, start + 500)).toBe(false);
  });
});
