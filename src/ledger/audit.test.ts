import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { entry, openTestLedger, temporaryFolder } from '../../tests/support/ledger.ts';
import { StoreLocked } from './store.ts';

/** Runs SQL on the file as a liar would: past the triggers, with a connection of its own. */
function tamper(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'ledger.db'));
  database.exec(
    `DROP TRIGGER IF EXISTS audit_is_never_changed; DROP TRIGGER IF EXISTS audit_is_never_deleted; ${sql}`,
  );
  database.close();
}

describe('the audit log', () => {
  it('gives back what was appended, newest first, and verifies', async () => {
    const ledger = openTestLedger();
    for (let number = 1; number <= 5; number++) await ledger.audit.append(entry(number));
    expect(ledger.audit.list({}).map(({ seq, details }) => [seq, details['number']])).toEqual([
      [5, 5],
      [4, 4],
      [3, 3],
      [2, 2],
      [1, 1],
    ]);
    const result = await ledger.audit.verify();
    expect(result).toMatchObject({ entries: 5, problems: [], notes: [] });
    expect(result.head).toBe(ledger.audit.list({ limit: 1 })[0]?.hash);
  });

  it('commits writers that come together with one fsync', async () => {
    const ledger = openTestLedger();
    await Promise.all(Array.from({ length: 64 }, (_, number) => ledger.audit.append(entry(number))));
    expect(ledger.audit.commits).toBe(1);
    expect((await ledger.audit.verify()).entries).toBe(64);
  });

  it('keeps the order of arrival within a commit', async () => {
    const ledger = openTestLedger();
    await Promise.all(Array.from({ length: 20 }, (_, number) => ledger.audit.append(entry(number))));
    const numbers = ledger.audit.list({}).map(({ details }) => details['number']);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, number) => 19 - number));
  });

  it('writes what nobody waits for with the next commit, and on closing', async () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    expect(ledger.audit.appendLater(entry(1))).toBeUndefined();
    await ledger.audit.append(entry(2));
    expect(ledger.audit.list({})).toHaveLength(2);
    ledger.audit.appendLater(entry(3));
    await ledger.close();
    expect(openTestLedger(folder).audit.list({})).toHaveLength(3);
  });

  it('splits a flood into bounded commits and loses none', async () => {
    const ledger = openTestLedger();
    await Promise.all(Array.from({ length: 3000 }, (_, number) => ledger.audit.append(entry(number))));
    expect(ledger.audit.commits).toBe(3);
    expect(await ledger.audit.verify()).toMatchObject({ entries: 3000, problems: [] });
  });

  it('keeps one chain when two processes write to one store', async () => {
    const folder = temporaryFolder();
    const [one, two] = [openTestLedger(folder), openTestLedger(folder)];
    for (let number = 0; number < 20; number++) {
      await Promise.all([one.audit.append(entry(number)), two.audit.append(entry(number + 100))]);
    }
    expect(await two.audit.verify()).toMatchObject({ entries: 40, problems: [] });
  });

  it('refuses changes through the store itself', async () => {
    const folder = temporaryFolder();
    await openTestLedger(folder).audit.append(entry(1));
    const database = new DatabaseSync(join(folder, 'ledger.db'));
    expect(() => database.exec("UPDATE audit SET decision = 'pass'")).toThrow('append-only');
    expect(() => database.exec('DELETE FROM audit')).toThrow('append-only');
    database.close();
  });

  it('filters by whose entries they are', async () => {
    const ledger = openTestLedger();
    await ledger.audit.append(entry(1, { tenant: 'acme' }));
    await ledger.audit.append(entry(2, { tenant: 'other', user: 'bob' }));
    await ledger.audit.append(entry(3, { agent: 'helper', decision: 'pass' }));
    const numbers = (filter: Parameters<typeof ledger.audit.list>[0]) =>
      ledger.audit.list(filter).map(({ details }) => details['number']);
    expect(numbers({ tenant: 'acme' })).toEqual([3, 1]);
    expect(numbers({ tenant: 'other' })).toEqual([2]);
    expect(numbers({ user: 'bob', tenant: 'acme' })).toEqual([]);
    expect(numbers({ agent: 'helper' })).toEqual([3]);
    expect(numbers({ decision: 'block' })).toEqual([2, 1]);
    expect(numbers({ before: 3, limit: 1 })).toEqual([2]);
    expect(numbers({ decisionId: 'decision-2' })).toEqual([2]);
  });

  it.each([
    [
      'a changed body',
      'UPDATE audit SET body = replace(body, \'"number":3\', \'"number":4\') WHERE seq = 3',
      3,
    ],
    ['a changed column', "UPDATE audit SET decision = 'pass' WHERE seq = 2", 2],
    ['a changed time', 'UPDATE audit SET time = time + 1 WHERE seq = 2', 2],
    ['a changed tenant', "UPDATE audit SET tenant = 'other' WHERE seq = 4", 4],
    ['a changed hash', 'UPDATE audit SET hash = zeroblob(32) WHERE seq = 3', 3],
    ['a dropped entry', 'DELETE FROM audit WHERE seq = 3', 4],
    ['a dropped first entry', 'DELETE FROM audit WHERE seq = 1', 2],
    [
      'two entries that changed places',
      'UPDATE audit SET seq = -1 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = -1',
      2,
    ],
    [
      'a dropped entry whose gap was closed',
      'DELETE FROM audit WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 5',
      3,
    ],
    [
      'an entry slipped in',
      'INSERT INTO audit SELECT 6, time, event_type, user, tenant, agent, decision_id, decision, body, hash FROM audit WHERE seq = 1',
      6,
    ],
    ['an unreadable body', "UPDATE audit SET body = '{' WHERE seq = 5", 5],
  ])('verify finds %s', async (_, sql, at) => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    for (let number = 1; number <= 5; number++) await ledger.audit.append(entry(number));
    tamper(folder, sql);
    const { problems } = await ledger.audit.verify();
    expect(problems[0]?.seq).toBe(at);
  });

  it('notes a clock that went back and stays clean', async () => {
    const ledger = openTestLedger();
    await ledger.audit.append(entry(1));
    await ledger.audit.append(entry(2, { time: 1_600_000_000_000 }));
    expect(await ledger.audit.verify()).toMatchObject({
      problems: [],
      notes: [{ seq: 2, note: 'the clock went back before it' }],
    });
  });

  it('says which entry cannot be read', async () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    await ledger.audit.append(entry(1));
    tamper(folder, "UPDATE audit SET body = 'x'");
    expect(() => ledger.audit.list({})).toThrow('entry 1 of the audit log is not readable');
  });

  it('waits for a locked store and then writes', async () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    const other = new DatabaseSync(join(folder, 'ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    const written = ledger.audit.append(entry(1));
    setTimeout(() => other.exec('ROLLBACK'), 400);
    await written;
    other.close();
    expect(ledger.audit.list({})).toHaveLength(1);
  });

  it('refuses those who wait when the store stays locked, and keeps what nobody waits for', async () => {
    const folder = temporaryFolder();
    const ledger = openTestLedger(folder);
    const other = new DatabaseSync(join(folder, 'ledger.db'));
    ledger.audit.appendLater(entry(1));
    other.exec('BEGIN IMMEDIATE');
    await expect(ledger.audit.append(entry(2))).rejects.toThrow(StoreLocked);
    other.exec('ROLLBACK');
    other.close();
    await ledger.audit.append(entry(3));
    expect(ledger.audit.list({}).map(({ details }) => details['number'])).toEqual([3, 1]);
  });
});
