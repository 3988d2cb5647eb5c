import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines, entry, hurry, newStore } from '../../tests/support/ledger.ts';
import type { EntryFilter } from './audit.ts';
import { Ledger } from './index.ts';
import { StoreLocked } from './store.ts';

describe.each(engines)('the audit log on %s', (engine) => {
  it('gives back what was appended, newest first, and verifies', async () => {
    const ledger = await (await newStore(engine)).open();
    for (let number = 1; number <= 5; number++) await ledger.audit.append(entry(number));
    const listed = await ledger.audit.list({});
    expect(listed.map(({ seq, details }) => [seq, details['number']])).toEqual([
      [5, 5],
      [4, 4],
      [3, 3],
      [2, 2],
      [1, 1],
    ]);
    const result = await ledger.verify();
    expect(result).toMatchObject({ entries: 5, problems: [], notes: [] });
    expect(result.chains).toEqual([{ chain: 'a', entries: 5, head: listed[0]?.hash }]);
  });

  it('commits writers that come together with one fsync', async () => {
    const ledger = await (await newStore(engine)).open();
    await Promise.all(Array.from({ length: 64 }, (_, number) => ledger.audit.append(entry(number))));
    expect(ledger.audit.commits).toBe(1);
    expect((await ledger.verify()).entries).toBe(64);
  });

  it('keeps the order of arrival within a commit', async () => {
    const ledger = await (await newStore(engine)).open();
    await Promise.all(Array.from({ length: 20 }, (_, number) => ledger.audit.append(entry(number))));
    const numbers = (await ledger.audit.list({})).map(({ details }) => details['number']);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, number) => 19 - number));
  });

  it('writes what nobody waits for with the next commit, and on closing', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    expect(ledger.audit.appendLater(entry(1))).toBeUndefined();
    await ledger.audit.append(entry(2));
    expect(await ledger.audit.list({})).toHaveLength(2);
    ledger.audit.appendLater(entry(3));
    await ledger.close();
    expect(await (await store.open()).audit.list({})).toHaveLength(3);
  });

  it('splits a flood into bounded commits and loses none', async () => {
    const ledger = await (await newStore(engine)).open();
    await Promise.all(Array.from({ length: 3000 }, (_, number) => ledger.audit.append(entry(number))));
    expect(ledger.audit.commits).toBe(3);
    expect(await ledger.verify()).toMatchObject({ entries: 3000, problems: [] });
  });

  it('keeps one chain when two processes write to it, and one for each home', async () => {
    const store = await newStore(engine);
    const ledgers = [await store.open('a'), await store.open('a'), await store.open('b')];
    for (let number = 0; number < 20; number++) {
      await Promise.all(ledgers.map((ledger) => ledger.audit.append(entry(number))));
    }
    const { chains, problems } = await ledgers[0]!.verify();
    expect(problems).toEqual([]);
    expect(chains).toMatchObject([
      { chain: 'a', entries: 40 },
      { chain: 'b', entries: 20 },
    ]);
  });

  it('filters by whose entries they are and what they hold', async () => {
    const ledger = await (await newStore(engine)).open();
    const found = { findings: [{ guard: 'fetch', rule: 'url_invalid' }], note: 'a 100% sure_thing' };
    await ledger.audit.append(entry(1, { tenant: 'acme' }));
    await ledger.audit.append(entry(2, { tenant: 'other', user: 'bob' }));
    await ledger.audit.append(entry(3, { agent: 'helper', decision: 'pass' }));
    await ledger.audit.append(entry(4, { details: { number: 4, ...found } }));
    const numbers = async (filter: EntryFilter) =>
      (await ledger.audit.list(filter)).map(({ details }) => details['number']);
    expect(await numbers({ tenant: 'acme' })).toEqual([4, 3, 1]);
    expect(await numbers({ tenant: 'other' })).toEqual([2]);
    expect(await numbers({ user: 'bob', tenant: 'acme' })).toEqual([]);
    expect(await numbers({ agent: 'helper' })).toEqual([3]);
    expect(await numbers({ decision: 'block' })).toEqual([4, 2, 1]);
    expect(await numbers({ before: 3, limit: 1 })).toEqual([2]);
    expect(await numbers({ decisionId: 'decision-2' })).toEqual([2]);
    expect(await numbers({ guard: 'fetch' })).toEqual([4]);
    expect(await numbers({ guard: 'fet' })).toEqual([]);
    expect(await numbers({ rule: 'url_invalid' })).toEqual([4]);
    expect(await numbers({ rule: 'url_invali_' })).toEqual([]);
    expect(await numbers({ text: '100% sure_' })).toEqual([4]);
    expect(await numbers({ text: '100_' })).toEqual([]);
    expect(await numbers({ since: 1_700_000_000_003 })).toEqual([4, 3]);
    expect(await numbers({ until: 1_700_000_000_002 })).toEqual([1]);
  });

  it('refuses changes through the store itself', async () => {
    const store = await newStore(engine);
    await (await store.open()).audit.append(entry(1));
    for (const statement of [
      "UPDATE audit SET decision = 'pass'",
      "UPDATE audit SET hash = ''",
      'DELETE FROM audit',
    ]) {
      await expect(store.rows(statement)).rejects.toThrow('append-only');
    }
  });

  it('notes a clock that went back and stays clean', async () => {
    const ledger = await (await newStore(engine)).open();
    await ledger.audit.append(entry(1));
    await ledger.audit.append(entry(2, { time: 1_600_000_000_000 }));
    expect(await ledger.verify()).toMatchObject({
      problems: [],
      notes: [{ seq: 2, note: 'the clock went back before it' }],
    });
  });

  it('says which entry cannot be read', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    await ledger.audit.append(entry(1));
    await store.tamper("UPDATE audit SET body = 'x'");
    await expect(ledger.audit.list({})).rejects.toThrow('entry 1 of chain a is not readable');
  });
});

describe.each(engines)('verify on %s', (engine) => {
  const move = (from: number, to: number) => `UPDATE audit SET seq = ${to} WHERE seq = ${from}`;
  const columns =
    'chain, seq, time, event_type, user_id, tenant, agent, decision_id, decision, rules, salt, body, content, hash, facet';
  const copy = `INSERT INTO audit (${columns}) SELECT chain, 6, time, event_type, user_id, tenant, agent, decision_id, decision, rules, salt, body, content, hash, facet FROM audit WHERE seq = 1`;
  it.each<[string, readonly string[], number]>([
    [
      'a changed body',
      [`UPDATE audit SET body = replace(body, '"number":3', '"number":4') WHERE seq = 3`],
      3,
    ],
    ['a changed salt', ["UPDATE audit SET salt = '00' WHERE seq = 3"], 3],
    ['an erasure that nobody recorded', ['UPDATE audit SET salt = NULL, body = NULL WHERE seq = 3'], 3],
    ['half an erasure', ['UPDATE audit SET salt = NULL WHERE seq = 3'], 3],
    ['a changed column', ["UPDATE audit SET decision = 'pass' WHERE seq = 2"], 2],
    ['a changed time', ['UPDATE audit SET time = time + 1 WHERE seq = 2'], 2],
    ['a changed tenant', ["UPDATE audit SET tenant = 'other' WHERE seq = 4"], 4],
    ['changed rules', ["UPDATE audit SET rules = ' x/y ' WHERE seq = 4"], 4],
    ['a changed user', ["UPDATE audit SET user_id = 'bob' WHERE seq = 4"], 4],
    ['a changed content hash', ['UPDATE audit SET content = hash WHERE seq = 3'], 3],
    ['a changed hash', ['UPDATE audit SET hash = content WHERE seq = 3'], 3],
    ['a dropped entry', ['DELETE FROM audit WHERE seq = 3'], 4],
    ['a dropped first entry', ['DELETE FROM audit WHERE seq = 1'], 2],
    ['a cut tail', ['DELETE FROM audit WHERE seq > 3'], 4],
    ['everything gone', ['DELETE FROM audit'], 1],
    ['entries that changed places', [move(2, -1), move(3, 2), move(-1, 3)], 2],
    ['a gap that was closed', ['DELETE FROM audit WHERE seq = 3', move(4, 3), move(5, 4)], 3],
    ['an entry slipped in', [copy], 6],
    ['an unreadable body', ["UPDATE audit SET body = '{' WHERE seq = 5"], 5],
    ['an entry moved to another chain', ["UPDATE audit SET chain = 'b' WHERE seq = 5"], 5],
    ['a forgotten end', ['UPDATE chains SET size = 4'], 5],
    ['a forgotten chain', ['DELETE FROM chains'], 1],
  ])('finds %s', async (_, statements, at) => {
    const store = await newStore(engine);
    const ledger = await store.open();
    for (let number = 1; number <= 5; number++) await ledger.audit.append(entry(number));
    await store.tamper(...statements);
    const { problems } = await ledger.verify();
    expect(problems.map(({ seq }) => seq)).toContain(at);
  });

  it('finds a chain that was made anew, by the head that was signed', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    for (let number = 1; number <= 5; number++) await ledger.audit.append(entry(number));
    const head = await ledger.heads.sign();
    expect(head).toMatchObject({ chain: 'a', size: 5 });
    expect(await ledger.verify()).toMatchObject({ heads: 1, problems: [] });
    // An attacker with all of the code writes another history, and forges the head in the store as well.
    await store.tamper('DELETE FROM audit', 'DELETE FROM chains', 'DELETE FROM heads');
    const liar = await store.open();
    for (let number = 1; number <= 5; number++) await liar.audit.append(entry(number, { decision: 'pass' }));
    expect(await liar.verify()).toMatchObject({ problems: [] });
    expect((await liar.verify({ held: [head!] })).problems).toMatchObject([
      { seq: 5, problem: 'what lies below a signed head is not what was signed' },
    ]);
  });

  it('finds a cut after a head that the verifier holds, however well it was covered up', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    for (let number = 1; number <= 5; number++) await ledger.audit.append(entry(number));
    const head = await ledger.heads.sign();
    const [third] = await store.rows('SELECT hash FROM audit WHERE seq = 3');
    await store.tamper(
      'DELETE FROM audit WHERE seq > 3',
      `UPDATE chains SET size = 3, hash = '${third?.['hash']}'`,
      'DELETE FROM heads',
    );
    expect((await ledger.verify()).problems).toEqual([]);
    expect((await ledger.verify({ held: [head!] })).problems).toMatchObject([
      { seq: 4, problem: '2 entries that a signed head covers are gone' },
    ]);
  });

  it.each<[string, string, string]>([
    ['a changed root', "UPDATE heads SET root = replace(root, substr(root, 1, 4), 'beef')", 'signature'],
    ['a changed size', 'UPDATE heads SET size = 4', 'signature'],
    ['a changed signature', "UPDATE heads SET signature = 'AAAA'", 'signature'],
    ['an unknown key', "UPDATE heads SET key_id = 'mine'", 'unknown key'],
    ['a head of another chain', "UPDATE heads SET chain = 'b'", 'signature'],
  ])('finds %s in a head', async (_, statement, problem) => {
    const store = await newStore(engine);
    const ledger = await store.open();
    for (let number = 1; number <= 5; number++) await ledger.audit.append(entry(number));
    await ledger.heads.sign();
    await store.tamper(statement);
    expect(JSON.stringify((await ledger.verify()).problems)).toContain(problem);
  });

  it('accepts what an old key signed before it was retired, and not after', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    await ledger.audit.append(entry(1));
    const before = await ledger.heads.sign();
    await ledger.rotateKey({ user: 'ann', tenant: 'acme' }, 1_700_000_000_001);
    await ledger.audit.append(entry(2));
    const head = await ledger.heads.sign();
    expect(await ledger.verify()).toMatchObject({ heads: 2, problems: [] });
    expect([...(await ledger.publicKeys()).keys()]).toHaveLength(2);
    expect(head?.key).not.toBe(before?.key);
    await store.tamper("UPDATE keys SET retired_at = 1 WHERE retired_at IS NOT NULL AND purpose = 'signing'");
    expect(JSON.stringify((await ledger.verify()).problems)).toContain('after that was retired');
  });

  it('proves that a decision stands in the log, and that the log only grew', async () => {
    const { checkProof } = await import('./heads.ts');
    const store = await newStore(engine);
    const ledger = await store.open();
    for (let number = 1; number <= 7; number++) await ledger.audit.append(entry(number));
    const early = await ledger.heads.sign();
    for (let number = 8; number <= 21; number++) await ledger.audit.append(entry(number));
    const keys = new Map([...(await ledger.publicKeys())].map(([id, { publicKey }]) => [id, publicKey]));
    const inclusion = await ledger.heads.proveInclusion('decision-9');
    expect(checkProof(inclusion, keys)).toMatchObject({ valid: true });
    expect(checkProof({ ...inclusion, index: 3 }, keys)).toMatchObject({ valid: false });
    const consistency = await ledger.heads.proveConsistency(early!);
    expect(checkProof(consistency, keys)).toMatchObject({ valid: true });
    await expect(ledger.heads.proveInclusion('nothing')).rejects.toThrow('there is no decision');
  });
});

describe('an id', () => {
  it('is a UUID of version 7, no two alike, and those of a later time stand later', async () => {
    let now = Date.UTC(2026, 0, 1);
    const ledger = await Ledger.open({ ...(await newStore('sqlite')).options, now: () => now++ });
    onTestFinished(() => ledger.close());
    const ids = Array.from({ length: 1000 }, () => ledger.newId());
    expect(
      ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id)),
    ).toBe(true);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(Number.parseInt(ids[0]?.replace('-', '').slice(0, 12) ?? '', 16)).toBeGreaterThanOrEqual(
      Date.UTC(2026, 0, 1),
    );
  });
});

describe('a store that is locked', () => {
  it('is waited for', async () => {
    const store = await newStore('sqlite');
    const ledger = await store.open();
    const other = new DatabaseSync(join(store.folder, 'ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    const written = ledger.audit.append(entry(1));
    setTimeout(() => other.exec('ROLLBACK'), 400);
    await written;
    other.close();
    expect(await ledger.audit.list({})).toHaveLength(1);
  });

  it('refuses those who wait when it stays so, and keeps what nobody waits for', async () => {
    const store = await newStore('sqlite');
    const ledger = await store.open();
    const other = new DatabaseSync(join(store.folder, 'ledger.db'));
    ledger.audit.appendLater(entry(1));
    other.exec('BEGIN IMMEDIATE');
    hurry();
    await expect(ledger.audit.append(entry(2))).rejects.toThrow(StoreLocked);
    other.exec('ROLLBACK');
    other.close();
    await ledger.audit.append(entry(3));
    expect((await ledger.audit.list({})).map(({ details }) => details['number'])).toEqual([3, 1]);
  });
});
