// Approvals, permissions, credentials and single-use tokens on both engines.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  engines,
  enrolPerson,
  impostor,
  isPerson,
  keyNamed,
  newStore,
  person,
  type StorePlace,
} from '../../tests/support/ledger.ts';
import {
  anyOf,
  type Finding,
  longestPermissionMs,
  type PermissionTerms,
  permissionFields,
  purposes,
} from '../core/index.ts';
import {
  AlreadyAnswered,
  ApprovalExpired,
  type AskOptions,
  type Bound,
  Ledger,
  NotPermittable,
  NotVouchedFor,
  type Question,
  type SignatureCheck,
  type Signer,
  StoreDamaged,
  TooManyPending,
  UnknownApproval,
  UnknownPermission,
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

const asked: Bound = { binding: 'binding', question };

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

/** The store as an attacker with its keys uses it, whose own program accepts any signature. */
async function asLiar(store: StorePlace): Promise<Ledger> {
  const ledger = await Ledger.open({ ...store.options, chain: 'liar', check: () => true });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** All bytes of the store, as an attacker with access to the disk sees them. */
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
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    expect(await ledger.approvals.answered(() => asked, start + 1)).toBeUndefined();
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start + minute);
    expect(await ledger.approvals.answered(() => asked, start + minute)).toBe('approve');
    expect(await ledger.approvals.consume(asked, 'd2', start + minute)).toBe(true);
    expect(await ledger.approvals.consume(asked, 'd3', start + minute)).toBe(false);
    expect(await ledger.approvals.answered(() => asked, start + minute)).toBeUndefined();
    expect((await ledger.audit.list({})).map(({ event_type: type }) => type)).toEqual([
      'approval_used',
      'approval_answered',
      'approval_requested',
      'approver_added',
    ]);
    expect(await ledger.approvals.pending({}, start)).toEqual([]);
    expect(await ledger.verify()).toMatchObject({ entries: 4, problems: [] });
  });

  it('are of the store they were asked on and of no other', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const other = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    expect(await other.approvals.pending({}, start)).toEqual([]);
    await expect(other.approvals.show(id, {}, start)).rejects.toThrow(UnknownApproval);
  });

  it('are answered and used on another daemon than they were asked on', async () => {
    const store = await newStore(engine);
    const [asking, answering, using] = [
      await store.openEnrolled('a'),
      await store.openEnrolled('b'),
      await store.openEnrolled('c'),
    ];
    const { id } = await ask(asking);
    expect((await answering.approvals.show(id, {}, start)).question).toMatchObject(question);
    await answering.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await using.approvals.consume(asked, 'd', start + 1)).toBe(true);
    expect(await asking.approvals.consume(asked, 'd', start + 1)).toBe(false);
    const { chains, problems } = await asking.verify();
    expect(problems).toEqual([]);
    expect(chains.map(({ chain, entries }) => [chain, entries])).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ]);
  });

  it('are not asked twice while they wait', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    expect((await ask(ledger)).id).toBe((await ask(ledger, { now: start + 1 })).id);
    expect(await ledger.approvals.pending({}, start)).toHaveLength(1);
  });

  it('are taken back while they wait, and not once they are answered', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
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
    expect(await ledger.approvals.answered(() => asked, start + 4)).toBe('approve');
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
      const ledger = await (await newStore(engine)).openEnrolled();
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
      const ledger = await (await newStore(engine)).openEnrolled();
      for (const agent of ['a', 'b', 'c', 'coder'])
        await fill(ledger, 2, { question: from({ agent, agentClaimed: true }) });
      await expect(fill(ledger, 1, { question: from({ agent: 'e', agentClaimed: true }) })).rejects.toThrow(
        TooManyPending,
      );
      await fill(ledger, 1, { question: from({}) });
    });

    it('and those that wait long do not count', async () => {
      const ledger = await (await newStore(engine)).openEnrolled();
      await fill(ledger, 5, {});
      await fill(ledger, 5, { now: start + 2 * minute });
      await expect(fill(ledger, 1, { now: start + 3 * minute })).rejects.toThrow(TooManyPending);
      expect(await ledger.approvals.pending({}, start + 3 * minute)).toHaveLength(10);
    });

    it('and one that cannot be read keeps nobody from asking', async () => {
      const store = await newStore(engine);
      const ledger = await store.openEnrolled();
      await fill(ledger, 5, {});
      await store.tamper("UPDATE approvals SET sealed = 'x'");
      expect((await ask(ledger, { binding: 'one more', maxPending: 10 })).id).toBeTruthy();
    });
  });

  it('of the same kind are of one group', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    for (const binding of ['a', 'b']) await ask(ledger, { binding });
    const groups = (await ledger.approvals.pending({}, start)).map(({ group }) => group);
    expect(groups).toEqual(Array(2).fill('coder · s1 · fetch · fetch/host_not_allowed'));
    const [{ id } = { id: '' }] = await ledger.approvals.pending({}, start);
    expect(await ledger.approvals.answer(id, 'deny', 'ann', null, {}, start)).toMatchObject({ group: null });
  });

  it('are answered once', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'deny', 'ann', null, {}, start);
    await expect(ledger.approvals.answer(id, 'approve', 'ann', person, {}, start)).rejects.toThrow(
      AlreadyAnswered,
    );
    expect(await ledger.approvals.answered(() => asked, start)).toBe('deny');
    expect(await ledger.approvals.consume(asked, 'd', start)).toBe(false);
  });

  it('need a signature for a yes', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    await expect(ledger.approvals.answer(id, 'approve', 'ann', null, {}, start)).rejects.toThrow(
      "a person's signature",
    );
  });

  it.each([
    ['too late', start + 5 * minute],
    ['at a time before it was asked', start - 1],
  ])('cannot be answered %s', async (_, now) => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    await expect(ledger.approvals.answer(id, 'approve', 'ann', person, {}, now)).rejects.toThrow(
      ApprovalExpired,
    );
  });

  it.each([
    ['after five minutes', start + 5 * minute],
    ['after the clock went back', start - 1],
  ])('are not used %s', async (_, now) => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await ledger.approvals.answered(() => asked, now)).toBeUndefined();
    expect(await ledger.approvals.consume(asked, 'd', now)).toBe(false);
  });

  it.each(['approve', 'deny'] as const)(
    'answered with %s do not outlive a shorter setting',
    async (answer) => {
      const ledger = await (await newStore(engine)).openEnrolled();
      const { id } = await ask(ledger);
      await ledger.approvals.answer(id, answer, 'ann', answer === 'approve' ? person : null, {}, start);
      const counts = (now: number, expiryMs: number) => ledger.approvals.answered(() => asked, now, expiryMs);
      expect(await counts(start + minute - 1, minute)).toBe(answer);
      expect(await counts(start + minute, minute)).toBeUndefined();
      // A longer setting neither shortens nor extends the expiry.
      expect(await counts(start + 5 * minute - 1, 60 * minute)).toBe(answer);
      expect(await counts(start + 5 * minute, 60 * minute)).toBeUndefined();
      expect(await ledger.approvals.consume(asked, 'd', start + minute, minute)).toBe(false);
      expect((await ask(ledger, { now: start + minute, expiryMs: minute })).id).not.toBe(id);
    },
  );

  it('signed by somebody else are refused, and the question goes on waiting', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    await expect(ledger.approvals.answer(id, 'approve', 'mallory', impostor, {}, start)).rejects.toThrow(
      NotVouchedFor,
    );
    expect(await ledger.approvals.answered(() => asked, start)).toBeUndefined();
    expect(await ledger.approvals.consume(asked, 'd', start)).toBe(false);
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await ledger.approvals.answered(() => asked, start)).toBe('approve');
  });

  it('signed by somebody else past our checks count for nothing, and make room for the question', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const { id } = await ask(ledger);
    const liar = await asLiar(store);
    await liar.approvals.answer(id, 'approve', 'mallory', impostor, {}, start);
    expect(await liar.approvals.answered(() => asked, start)).toBe('approve');
    expect(await ledger.approvals.answered(() => asked, start)).toBeUndefined();
    expect(await ledger.approvals.consume(asked, 'd', start)).toBe(false);
    expect((await ask(ledger)).id).not.toBe(id);
  });

  it('signed elsewhere count for the time of the signature, which is now', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    const signedAt = (at: number) => ({ ...person, elsewhere: { at, shown: 'digest' } });
    for (const at of [start - 3 * minute, start + 3 * minute]) {
      await expect(ledger.approvals.answer(id, 'approve', 'ann', signedAt(at), {}, start)).rejects.toThrow(
        'at another time',
      );
    }
    await ledger.approvals.answer(id, 'approve', 'ann', signedAt(start - minute), {}, start);
    expect(await ledger.approvals.answered(() => asked, start + 4 * minute - 1)).toBe('approve');
    expect(await ledger.approvals.answered(() => asked, start + 4 * minute)).toBeUndefined();
  });

  it.each([
    ['made up whole', "UPDATE approvals SET state = 'approved', answered_at = created_at, signature = 'x'"],
    ['moved to another action', "UPDATE approvals SET binding = 'other' WHERE state = 'approved'"],
    ['made to last', 'UPDATE approvals SET expires_at = expires_at + 1'],
    ['put off', 'UPDATE approvals SET answered_at = answered_at + 600000, expires_at = expires_at + 600000'],
    ['given another id', "UPDATE approvals SET id = 'aaaaaaaa'"],
  ])('written into the store by hand count for nothing: %s', async (_, sql) => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const { id } = await ask(ledger);
    if (!sql.includes('created_at')) {
      await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
      expect(await ledger.approvals.answered(() => asked, start + 1)).toBe('approve');
    }
    await store.tamper(sql);
    for (const binding of ['binding', 'other']) {
      for (const now of [start + 1, start + 11 * minute]) {
        expect(await ledger.approvals.answered(() => ({ ...asked, binding }), now)).toBeUndefined();
        expect(await ledger.approvals.consume({ ...asked, binding }, 'd', now)).toBe(false);
      }
    }
  });

  it('that were used are used, whatever the row says', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await ledger.approvals.consume(asked, 'd', start)).toBe(true);
    await store.tamper("UPDATE approvals SET state = 'approved', user_id = 'x', agent = 'x', tenant = 'x'");
    const other = await store.openEnrolled('b');
    for (const { approvals } of [ledger, other]) {
      expect(await approvals.answered(() => asked, start + 1)).toBeUndefined();
      expect(await approvals.consume(asked, 'd', start + 1)).toBe(false);
    }
    expect((await ask(ledger)).id).not.toBe(id);
  });

  it('are about the action that would run now, and about no other', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    const others: readonly Question[] = [
      { ...question, action: { kind: 'fetch', url: 'https://example.org/' } },
      ...(['user', 'agent', 'workspace', 'cwd'] as const).map((name) => ({
        ...question,
        context: { ...question.context, [name]: 'other' },
      })),
    ];
    for (const other of others) {
      const changed = { binding: 'binding', question: other };
      expect(await ledger.approvals.answered(() => changed, start)).toBeUndefined();
      expect(await ledger.approvals.consume(changed, 'd', start)).toBe(false);
    }
    // The model may vary the words of a reason.
    const reworded = { ...question, action: { ...question.action, justification: 'other words' } };
    expect(await ledger.approvals.consume({ ...asked, question: reworded }, 'd', start)).toBe(true);
  });

  it('of one tenant are not answered by the approver of another, whatever the row says', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const bob = keyNamed('bob');
    const fields = { key: bob.publicKey, name: 'bob', role: 'approver', tenant: 'other' };
    const who = { user: 'owner', tenant: 'local' };
    await ledger.approvers.add(ledger.approvers.statement('user', fields), person, who);
    const { id } = await ask(ledger);
    const answer = (by: Ledger) => by.approvals.answer(id, 'approve', 'bob', bob, {}, start);
    await expect(answer(ledger)).rejects.toThrow(NotVouchedFor);
    await store.tamper("UPDATE approvals SET tenant = 'other'");
    await expect(answer(ledger)).rejects.toThrow(NotVouchedFor);
    await answer(await asLiar(store));
    expect(await ledger.approvals.answered(() => asked, start)).toBeUndefined();
    expect(await ledger.approvals.consume(asked, 'd', start)).toBe(false);
  });

  it('are shown only to whom they belong', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
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
    expect(await approvals.answered(() => asked, start)).toBe('approve');
  });

  it('lie encrypted while they wait, and are erased once answered', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const { id } = await ask(ledger);
    expect((await ledger.approvals.show(id, {}, start)).question).toMatchObject(question);
    const [waiting] = await store.rows('SELECT sealed FROM approvals');
    expect(String(waiting?.['sealed'])).toMatch(/^[A-Za-z0-9+/]{100,}=*$/);
    expect(await bytesOf(store, 'approvals')).not.toContain('hunter2');
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect((await ledger.approvals.show(id, {}, start)).question).toBeNull();
    // The signed digests remain, and the nonce, without which they cannot be guessed.
    const [answered] = await store.rows('SELECT sealed FROM approvals');
    expect(String(answered?.['sealed']).length).toBeLessThan(String(waiting?.['sealed']).length);
    expect(await bytesOf(store, 'approvals')).not.toContain('hunter2');
  });

  it('hold a long action whole, and in little space', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const command = 'echo hunter2 and so on\n'.repeat(20_000);
    const long: Question = { ...question, action: { kind: 'shell', command } };
    const { id } = await ask(ledger, { question: long });
    const other = await ask(ledger, { binding: 'b' });
    expect((await ledger.approvals.show(id, {}, start)).question).toMatchObject(long);
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
    const ledger = await store.openEnrolled();
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
    const ledger = await store.openEnrolled();
    const { id } = await ask(ledger);
    await ask(ledger, { binding: 'b' });
    await store.tamper(`UPDATE approvals SET sealed = ${spoilt(id)} WHERE id = '${id}'`);
    await expect(ledger.approvals.show(id, {}, start)).rejects.toThrow(StoreDamaged);
  });

  it('are waited for until the answer, the time or the signal comes', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
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
  const ledger = await (await newStore('sqlite')).openEnrolled();
  const { id } = await ask(ledger);
  // No timer fires, so that only the answer itself ends the wait.
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

describe.each(engines)('permissions on %s', (engine) => {
  const effect = 'fetch https://example.com:443';
  const hour = 60 * minute;

  const inProject = (lifeMs: number): PermissionTerms => ({ reach: 'project', lifeMs, uses: null });
  const asks = (grant: string): Finding => ({ ...question.findings[0]!, grant });

  /** Those of the effects that are covered. */
  async function coveredOf(
    ledger: Ledger,
    effects: readonly string[],
    now = start,
    context = question.context,
  ) {
    const found = await ledger.permissions.covering(effects.map(asks), context, now);
    return effects.filter((_, index) => found[index] !== null);
  }

  /** An approval that comes with a permission for an effect. */
  async function permissionFor(ledger: Ledger, wanted = effect, signer: Signer = person, lifeMs = hour) {
    const findings = question.findings.map((finding) => ({ ...finding, grant: wanted }));
    const { id } = await ask(ledger, { binding: wanted, question: { ...question, findings } });
    return (await ledger.approveForGood(id, 'ann', signer, {}, inProject(lifeMs), start)).permissions[0]!;
  }

  it('are made with an approval, cover their context, expire and are revoked', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { id } = await ask(ledger);
    const { permissions } = await ledger.approveForGood(id, 'ann', person, {}, inProject(hour), start);
    expect(permissions.map((one) => one.effect)).toEqual([effect]);
    const covered = (now: number, context = question.context) =>
      coveredOf(ledger, [effect, 'another'], now, context);
    expect(await covered(start + 1)).toEqual([effect]);
    expect((await covered(start + hour)).length).toBe(0);
    expect((await covered(start - 1)).length).toBe(0);
    for (const other of [{ workspace: '/else' }, { agent: 'helper' }, { user: 'bob' }, { tenant: 'other' }]) {
      expect((await covered(start + 1, { ...question.context, ...other })).length).toBe(0);
    }
    await expect(
      ledger.permissions.revoke(permissions[0]!.id, { tenant: 'other' }, start + 1),
    ).rejects.toThrow(UnknownPermission);
    await ledger.permissions.revoke(permissions[0]!.id, { tenant: 'acme' }, start + 1);
    expect((await covered(start + 2)).length).toBe(0);
    expect(await ledger.permissions.list({}, start + 2)).toEqual([]);
    await expect(ledger.permissions.revoke(permissions[0]!.id, {}, start + 2)).rejects.toThrow(
      UnknownPermission,
    );
  });

  it('made on one daemon cover, and end, on every other', async () => {
    const store = await newStore(engine);
    const [making, using] = [await store.openEnrolled('a'), await store.openEnrolled('b')];
    const permission = await permissionFor(making);
    const covered = async () => (await coveredOf(using, [effect], start + 1)).length;
    expect(await covered()).toBe(1);
    await making.permissions.revoke(permission.id, {}, start + 1);
    expect(await covered()).toBe(0);
    // A revoked permission stays revoked, whatever the row states.
    await store.tamper('UPDATE grants SET revoked_at = NULL');
    expect(await covered()).toBe(0);
    expect(await using.permissions.list({}, start + 1)).toEqual([]);
  });

  it('are not made for what must be asked every time', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const [first] = question.findings;
    const { grant: _, ...ungrantable } = first!;
    const { id } = await ask(ledger, { question: { ...question, findings: [first!, ungrantable] } });
    await expect(ledger.approveForGood(id, 'ann', person, {}, inProject(hour), start)).rejects.toThrow(
      NotPermittable,
    );
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
  });

  it('with a changed field or a foreign signature count for nothing', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    await expect(permissionFor(ledger, effect, impostor)).rejects.toThrow(NotVouchedFor);
    await permissionFor(await asLiar(store), effect, impostor);
    const covered = async () => (await coveredOf(ledger, [effect])).length;
    expect(await store.rows('SELECT effect FROM grants')).toEqual([{ effect }]);
    expect(await covered()).toBe(0);
    await permissionFor(ledger, 'harmless');
    await store.tamper(`UPDATE grants SET effect = '${effect}' WHERE effect = 'harmless'`);
    expect(await covered()).toBe(0);
    // Nor with a signature that is about an answer without it.
    const { id } = await ask(ledger, { binding: 'plain' });
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    await store.tamper(
      `UPDATE grants SET signature = '["x","' || (SELECT signature FROM approvals WHERE id = '${id}') || '"]'`,
    );
    expect(await covered()).toBe(0);
  });

  it('of an older version count with the signature that it made', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const permission = { ...(await permissionFor(ledger)), id: 'older', effect: 'older', says: 'older' };
    const covered = async () => (await coveredOf(ledger, ['older'])).length;
    const insert = async (signature: string) => {
      const values = [...permissionFields(permission), signature].map((value) => `'${value}'`).join(', ');
      await store.tamper(
        "DELETE FROM grants WHERE id = 'older'",
        `INSERT INTO grants (id, effect, user_id, tenant, agent, workspace, created_at, expires_at, signature) VALUES (${values})`,
      );
    };
    await insert(keyNamed('mallory').sign([purposes.grant, ...permissionFields(permission)]));
    expect(await covered()).toBe(0);
    await insert(person.sign([purposes.grant, ...permissionFields(permission)]));
    expect(await covered()).toBe(1);
  });

  it('whose signature was found good once are checked no more, and end with the key that signed', async () => {
    const place = await newStore(engine);
    let checks = 0;
    const check: SignatureCheck = (...given) => {
      checks++;
      return isPerson(...given);
    };
    const ledger = await Ledger.open({ ...place.options, check });
    onTestFinished(() => ledger.close());
    await enrolPerson(ledger);
    await permissionFor(ledger);
    const before = checks;
    const covered = async () => (await coveredOf(ledger, [effect])).length;
    for (let times = 0; times < 3; times++) expect(await covered()).toBe(1);
    expect(checks).toBe(before);
    await place.tamper(`UPDATE grants SET expires_at = expires_at + 1`);
    expect(await covered()).toBe(0);
    await place.tamper(`UPDATE grants SET expires_at = expires_at - 1`);
    expect(await covered()).toBe(1);
    // A reset ends the permissions of the key that it replaces, and unused answers.
    const { id } = await ask(ledger);
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    const next = { key: 'next', name: 'owner', role: 'owner', replaces: person.publicKey };
    await ledger.approvers.add(ledger.approvers.statement('owner', next), person, {
      user: 'owner',
      tenant: 'local',
    });
    expect(await covered()).toBe(0);
    expect(await ledger.permissions.list({}, start)).toEqual([]);
    expect(await ledger.approvals.answered(() => asked, start)).toBeUndefined();
    expect(await ledger.approvals.consume(asked, 'd', start)).toBe(false);
  });

  it('count for a year at the most', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const permission = await permissionFor(ledger, effect, person, 1000 * 24 * hour);
    expect(permission.expiresAt).toBe(start + longestPermissionMs);
  });

  it('reach as far as was chosen: a session, a project or every project', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { context } = question;
    const places = {
      here: context,
      later: { ...context, session: 's2' },
      elsewhere: { ...context, workspace: '/else' },
    };
    const reachOf = async (wanted: string) => {
      const covered = await Promise.all(
        Object.values(places).map(async (one) => (await coveredOf(ledger, [wanted], start, one)).length),
      );
      return covered.join('');
    };
    for (const [reach, counts] of [
      ['session', '100'],
      ['project', '110'],
      ['always', '111'],
    ] as const) {
      const findings = question.findings.map((finding) => ({ ...finding, grant: reach }));
      const { id } = await ask(ledger, { binding: reach, question: { ...question, findings } });
      await ledger.approveForGood(id, 'ann', person, {}, { reach, lifeMs: hour, uses: null }, start);
      expect(await reachOf(reach)).toBe(counts);
    }
  });

  it('made by themselves cover a rule, a pattern or everything, and never what the contract reserves', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const { user, tenant, workspace } = question.context;
    const base = { user, tenant, workspace, agent: anyOf, session: null, uses: null, createdAt: start };
    const make = async (covers: 'rule' | 'pattern' | 'everything', wanted: string, lifeMs = hour) => {
      const one = { ...base, covers, effect: wanted, says: wanted, expiresAt: start + lifeMs };
      return (await ledger.permissions.make([one], person, start))[0]!;
    };
    const [first] = question.findings;
    const about = (rule: string, grant: string, contract?: string): Finding => {
      const { contract: _, ...plain } = first!;
      return { ...plain, rule, grant, ...(contract === undefined ? {} : { contract }) };
    };
    const coveredNow = async (...findings: readonly Finding[]) =>
      (await ledger.permissions.covering(findings, question.context, start + 1)).map(
        (one) => one?.covers ?? null,
      );
    const asked = [
      about('process_signal', 'x'),
      about('workspace_secret_read', 'command read /work/fixtures/a/.env'),
      about('unknown_command', 'command run y'),
      about('git_push', 'z', 'AG-TOOL-3'),
      about('host_not_allowed', 'fetch https://x:443', 'AG-TOOL-6'),
      { ...about('own', 'x'), guard: 'policy' as const },
    ];
    await make('rule', 'process_signal');
    await make('rule', 'git_push');
    await make('pattern', 'command read /work/fixtures/**');
    expect(await coveredNow(...asked)).toEqual(['rule', 'pattern', null, null, null, null]);
    const long = await make('everything', anyOf, 2 * hour);
    expect(await coveredNow(asked[2]!)).toEqual([null]);
    await ledger.permissions.revoke(long.id, {}, start);
    await make('everything', anyOf, hour);
    expect(await coveredNow(...asked)).toEqual(['rule', 'pattern', 'everything', null, null, null]);
    const one = { ...base, covers: 'rule' as const, effect: 'q', says: 'q', expiresAt: start + hour };
    await expect(ledger.permissions.make([one], impostor, start)).rejects.toThrow(NotVouchedFor);
  });

  it('that count so often only are used up by one caller at a time, also where their row is set back', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const { user, tenant, workspace } = question.context;
    const [twice] = await ledger.permissions.make(
      [
        {
          ...{ user, tenant, workspace, agent: anyOf, session: null, covers: 'rule', effect: 'r', says: 'r' },
          ...{ uses: 2, createdAt: start, expiresAt: start + hour },
        },
      ],
      person,
      start,
    );
    const used = await Promise.all(
      [1, 2, 3].map((n) => ledger.permissions.use([twice!], `d${n}`, start + n)),
    );
    expect(used.filter(Boolean)).toHaveLength(2);
    await store.tamper('UPDATE grants SET uses = 9');
    expect(await ledger.permissions.covering([{ ...asks('x'), rule: 'r' }], question.context, start)).toEqual(
      [null],
    );
    expect(await ledger.permissions.use([twice!], 'd4', start + 9)).toBe(false);
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
    // A clock that is a second ahead reaches the expiry of the token first, and deletes it.
    await fast.tokens.consume('another', start + minute, start + 1500);
    expect(await slow.tokens.consume('token', start + 1000, start + 500)).toBe(false);
  });
});
