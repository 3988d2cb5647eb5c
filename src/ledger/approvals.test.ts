import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { impostor, openTestLedger, person, temporaryFolder } from '../../tests/support/ledger.ts';
import {
  AlreadyAnswered,
  ApprovalExpired,
  type AskOptions,
  type Ledger,
  NotGrantable,
  type Question,
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

describe('approvals', () => {
  it('are asked, answered and used once', () => {
    const { approvals } = openTestLedger();
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    expect(ledger.approvals.answered('binding', start + 1)).toBeUndefined();
    ledger.approvals.answer(id, 'approve', 'ann', person, {}, start + minute);
    expect(ledger.approvals.answered('binding', start + minute)).toBe('approve');
    expect(ledger.approvals.consume('binding', 'd2', start + minute)).toBe(true);
    expect(ledger.approvals.consume('binding', 'd3', start + minute)).toBe(false);
    expect(ledger.approvals.answered('binding', start + minute)).toBeUndefined();
    expect(ledger.audit.list({}).map(({ event_type: type }) => type)).toEqual([
      'approval_used',
      'approval_answered',
      'approval_requested',
    ]);
    expect(approvals.pending({}, start)).toEqual([]);
  });

  it('are used by exactly one of many that race, on several connections', () => {
    const folder = temporaryFolder();
    const ledgers = Array.from({ length: 8 }, () => openTestLedger(folder));
    for (let round = 0; round < 20; round++) {
      const binding = `round-${round}`;
      const [first] = ledgers;
      const { id } = ask(first!, { binding });
      first!.approvals.answer(id, 'approve', 'ann', person, {}, start);
      const won = ledgers.filter((ledger) => ledger.approvals.consume(binding, 'd', start + 1));
      expect(won).toHaveLength(1);
    }
  });

  it('are not asked twice while they wait', () => {
    const ledger = openTestLedger();
    expect(ask(ledger).id).toBe(ask(ledger, { now: start + 1 }).id);
    expect(ledger.approvals.pending({}, start)).toHaveLength(1);
  });

  it('are capped for each tenant', () => {
    const ledger = openTestLedger();
    for (const binding of ['a', 'b', 'c']) ask(ledger, { binding });
    expect(() => ask(ledger, { binding: 'd' })).toThrow(TooManyPending);
    const other = { ...question, context: { ...question.context, tenant: 'other' } };
    expect(ask(ledger, { binding: 'e', question: other }).id).toBeTruthy();
    expect(ask(ledger, { binding: 'd', now: start + 6 * minute }).id).toBeTruthy();
  });

  it('are answered once', () => {
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    ledger.approvals.answer(id, 'deny', 'ann', null, {}, start);
    expect(() => ledger.approvals.answer(id, 'approve', 'ann', person, {}, start)).toThrow(AlreadyAnswered);
    expect(ledger.approvals.answered('binding', start)).toBe('deny');
    expect(ledger.approvals.consume('binding', 'd', start)).toBe(false);
  });

  it('need a signature for a yes', () => {
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    expect(() => ledger.approvals.answer(id, 'approve', 'ann', null, {}, start)).toThrow(
      'signature of a person',
    );
  });

  it.each([
    ['too late', start + 5 * minute],
    ['at a time before it was asked', start - 1],
  ])('cannot be answered %s', (_, now) => {
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    expect(() => ledger.approvals.answer(id, 'approve', 'ann', person, {}, now)).toThrow(ApprovalExpired);
  });

  it.each([
    ['after five minutes', start + 5 * minute],
    ['after the clock went back', start - 1],
  ])('are not used %s', (_, now) => {
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(ledger.approvals.answered('binding', now)).toBeUndefined();
    expect(ledger.approvals.consume('binding', 'd', now)).toBe(false);
  });

  it('signed by somebody else count for nothing, and make room for the question', () => {
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    ledger.approvals.answer(id, 'approve', 'mallory', impostor, {}, start);
    expect(ledger.approvals.answered('binding', start)).toBeUndefined();
    expect(ledger.approvals.consume('binding', 'd', start)).toBe(false);
    expect(ask(ledger).id).not.toBe(id);
  });

  it.each([
    ['made up whole', "UPDATE approvals SET state = 'approved', answered_at = created_at, signature = 'x'"],
    ['moved to another action', "UPDATE approvals SET binding = 'other' WHERE state = 'approved'"],
    ['made to last', 'UPDATE approvals SET expires_at = expires_at + 1'],
    ['used again', "UPDATE approvals SET state = 'approved', answered_at = answered_at + 1"],
  ])('written into the store by hand count for nothing: %s', (_, sql) => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    const { id } = ask(ledger);
    if (!sql.includes("'x'")) ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    const database = new DatabaseSync(join(folder, 'ledger.db'));
    database.exec(sql);
    database.close();
    for (const binding of ['binding', 'other']) {
      expect(ledger.approvals.consume(binding, 'd', start + 1)).toBe(false);
    }
  });

  it('are shown only to whom they belong', () => {
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    expect(ledger.approvals.show(id, { tenant: 'acme', user: 'ann', agent: 'coder' }, start).id).toBe(id);
    for (const reader of [{ tenant: 'other' }, { user: 'bob' }, { agent: 'helper' }]) {
      expect(() => ledger.approvals.show(id, reader, start)).toThrow(UnknownApproval);
      expect(() => ledger.approvals.answer(id, 'deny', 'x', null, reader, start)).toThrow(UnknownApproval);
      expect(ledger.approvals.pending(reader, start)).toEqual([]);
    }
  });

  it('lie encrypted while they wait, and are erased once answered', async () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    const { id } = ask(ledger);
    expect(ledger.approvals.show(id, {}, start).question).toEqual(question);
    for (const file of ['ledger.db', 'ledger.db-wal']) {
      expect(readFileSync(join(folder, file)).includes('hunter2')).toBe(false);
    }
    ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(ledger.approvals.show(id, {}, start).question).toBeNull();
  });

  it('are erased by the sweep when their time is over', () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    ask(ledger);
    ledger.approvals.sweep(start + 5 * minute);
    const database = new DatabaseSync(join(folder, 'ledger.db'));
    expect(database.prepare('SELECT state, sealed FROM approvals').get()).toMatchObject({
      state: 'expired',
      sealed: null,
    });
    database.close();
  });

  it('whose sealed part was swapped are refused', () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    const { id } = ask(ledger);
    ask(ledger, { binding: 'b' });
    const database = new DatabaseSync(join(folder, 'ledger.db'));
    database.exec(
      `UPDATE approvals SET sealed = (SELECT sealed FROM approvals WHERE id <> '${id}') WHERE id = '${id}'`,
    );
    database.close();
    expect(() => ledger.approvals.show(id, {}, start)).toThrow(StoreDamaged);
  });
});

describe('grants', () => {
  const effect = 'fetch https://example.com:443';
  const hour = 60 * minute;

  it('are made with an approval, cover their context, expire and are revoked', () => {
    const ledger = openTestLedger();
    const { id } = ask(ledger);
    const { grants } = ledger.approveWithGrant(id, 'ann', person, {}, hour, start);
    expect(grants.map((grant) => grant.effect)).toEqual([effect]);
    const covered = (now: number, context = question.context) =>
      ledger.grants.covered([effect, 'another'], context, now);
    expect([...covered(start + 1)]).toEqual([effect]);
    expect(covered(start + hour).size).toBe(0);
    expect(covered(start - 1).size).toBe(0);
    for (const other of [{ workspace: '/else' }, { agent: 'helper' }, { user: 'bob' }, { tenant: 'other' }]) {
      expect(covered(start + 1, { ...question.context, ...other }).size).toBe(0);
    }
    expect(() => ledger.grants.revoke(grants[0]!.id, { tenant: 'other' }, start + 1)).toThrow(UnknownGrant);
    ledger.grants.revoke(grants[0]!.id, {}, start + 1);
    expect(covered(start + 2).size).toBe(0);
    expect(ledger.grants.list({}, start + 2)).toEqual([]);
  });

  it('are not made for what must be asked every time', () => {
    const ledger = openTestLedger();
    const [first] = question.findings;
    const { grant: _, ...ungrantable } = first!;
    const { id } = ask(ledger, { question: { ...question, findings: [first!, ungrantable] } });
    expect(() => ledger.approveWithGrant(id, 'ann', person, {}, hour, start)).toThrow(NotGrantable);
    expect(ledger.approvals.show(id, {}, start).state).toBe('pending');
  });

  it('with a changed field or a foreign signature count for nothing', () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    ledger.grants.make([effect], question.context, hour, impostor, start);
    expect(ledger.grants.covered([effect], question.context, start).size).toBe(0);
    ledger.grants.make(['harmless'], question.context, hour, person, start);
    const database = new DatabaseSync(join(folder, 'ledger.db'));
    database.exec(`UPDATE grants SET effect = '${effect}' WHERE effect = 'harmless'`);
    database.close();
    expect(ledger.grants.covered([effect], question.context, start).size).toBe(0);
  });

  it('stand for thirty days at the most', () => {
    const ledger = openTestLedger();
    const [grant] = ledger.grants.make([effect], question.context, 1000 * 24 * hour, person, start);
    expect(grant?.expiresAt).toBe(start + 30 * 24 * hour);
  });
});

describe('credentials', () => {
  it('are found by their token until they are revoked, and only their keyed hash is kept', () => {
    const folder = temporaryFolder();
    const { credentials } = openTestLedger(folder);
    const owner = { scope: 'decide', user: 'ann', tenant: 'acme', agent: null } as const;
    const { token, principal } = credentials.make(owner, start);
    expect(credentials.find(token)).toEqual(principal);
    expect(credentials.find(`${token}x`)).toBeUndefined();
    expect(credentials.find('')).toBeUndefined();
    for (const file of ['ledger.db', 'ledger.db-wal']) {
      expect(readFileSync(join(folder, file)).includes(token)).toBe(false);
    }
    expect(credentials.list()).toEqual([principal]);
    credentials.revoke(principal.credential, start);
    expect(credentials.find(token)).toBeUndefined();
    expect(() => credentials.revoke(principal.credential, start)).toThrow('no credential');
  });
});
