import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { engines, entry, newStore, person } from '../../tests/support/ledger.ts';
import { contentHash, linkHash } from './audit.ts';
import type { Ledger, Question } from './index.ts';
import {
  csvCell,
  csvHeader,
  csvLine,
  type ExportedEntry,
  erasePerson,
  exportEntries,
  fingerprintOf,
  retain,
  sizeOf,
  tidy,
  unrecordedErasures,
} from './maintenance.ts';
import { schemaVersion } from './schema.ts';

const start = 1_700_000_000_000;
const day = 24 * 60 * 60 * 1000;
const operator = { user: 'olga', tenant: 'local' };

async function allOf(ledger: Ledger, filter = {}): Promise<ExportedEntry[]> {
  const all: ExportedEntry[] = [];
  await exportEntries(ledger.store, filter, (page) => void all.push(...page));
  return all;
}

function verified(entries: readonly ExportedEntry[]): boolean {
  return entries.every(
    ({ salt, body, content, chain, seq, previous, hash }) =>
      (body === null || contentHash(String(salt), body) === content) &&
      linkHash(chain, seq, String(previous), content) === hash,
  );
}

async function fill(ledger: Ledger, count: number, more: Parameters<typeof entry>[1] = {}, first = 1) {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await Promise.all(numbers.map((number) => ledger.audit.append(entry(number, more))));
}

const effect = 'fetch https://example.com:443';

function question(user: string, workspace = `/home/${user}`): Question {
  const context = { user, tenant: 'acme', agent: 'coder', workspace, session: 's', mode: 'default' } as const;
  const action = { kind: 'fetch', url: 'https://example.com/' } as const;
  const found = { rule: 'host_not_allowed', guard: 'fetch', message: 'x', grant: effect } as const;
  return { action, context, findings: [{ ...found, decision: 'approve' }] };
}

/** The user's approval of another requester's question. */
async function answered(ledger: Ledger, user: string, by: string, granted: 'once' | 'granted' = 'once') {
  const asked = {
    binding: `binding of ${user} for ${by}, ${granted}`,
    question: question(user, granted === 'once' ? undefined : '/secret/place'),
  };
  const { id } = await ledger.approvals.ask({
    ...asked,
    decisionId: `asked by ${user}`,
    now: start,
    expiryMs: 60_000,
    maxPending: 10,
  });
  if (granted === 'once') await ledger.approvals.answer(id, 'approve', by, person, {}, start);
  else
    await ledger.approveForGood(id, by, person, {}, { reach: 'project', lifeMs: 60_000, uses: null }, start);
  return asked;
}

describe.each(engines)('the size of a store on %s', (engine) => {
  it('is counted', async () => {
    const ledger = await (await newStore(engine)).open();
    expect(await sizeOf(ledger.store)).toMatchObject({
      engine,
      schema: schemaVersion,
      entries: 0,
      oldest: null,
    });
    await fill(ledger, 3);
    await ledger.heads.sign();
    const size = await sizeOf(ledger.store);
    expect(size).toMatchObject({ entries: 3, erased: 0, chains: 1, heads: 1 });
    expect(size).toMatchObject({ oldest: start + 1, newest: start + 3 });
    expect(size.bytes).toBeGreaterThan(10_000);
  });
});

describe.each(engines)('export on %s', (engine) => {
  it('hands every entry out once, oldest first, in pages, with what proves it', async () => {
    const store = await newStore(engine);
    const ledgers = [await store.open('a'), await store.open('b')] as const;
    await Promise.all([fill(ledgers[0], 1500), fill(ledgers[1], 700)]);
    const pages: number[] = [];
    const all: ExportedEntry[] = [];
    const count = await exportEntries(ledgers[0].store, {}, (page) => {
      pages.push(page.length);
      all.push(...page);
    });
    expect([count, pages]).toEqual([2200, [1000, 1000, 200]]);
    expect(all.map(({ place }) => place)).toEqual(all.map(({ place }) => place).sort((a, b) => a - b));
    expect(new Set(all.map(({ chain, seq }) => `${chain} ${seq}`)).size).toBe(2200);
    expect(verified(all)).toBe(true);
    expect(verified([{ ...all[5]!, body: '{}' }])).toBe(false);
  });

  it('takes only a time and a tenant, and what it takes is still provable', async () => {
    const ledger = await (await newStore(engine)).open();
    await fill(ledger, 4);
    await fill(ledger, 4, { tenant: 'other' }, 5);
    await fill(ledger, 2, {}, 9);
    const seqs = async (filter: object) => (await allOf(ledger, filter)).map(({ seq }) => seq);
    expect(await seqs({ tenant: 'acme' })).toEqual([1, 2, 3, 4, 9, 10]);
    expect(await seqs({ since: start + 3, until: start + 6 })).toEqual([3, 4, 5]);
    expect(await seqs({ tenant: 'nobody' })).toEqual([]);
    expect(verified(await allOf(ledger, { tenant: 'other' }))).toBe(true);
  });

  it('waits for whoever takes a page', async () => {
    const ledger = await (await newStore(engine)).open();
    await fill(ledger, 1001);
    let busy = 0;
    await exportEntries(ledger.store, {}, async () => {
      expect(++busy).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      busy--;
    });
  });
});

describe('CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['a=1', 'a=1'],
  ])('writes %j as %j', (value, written) => {
    expect(csvCell(value)).toBe(written);
  });

  it('has a cell for each column', async () => {
    const ledger = await (await newStore('sqlite')).open();
    await ledger.audit.append(entry(1, { agent: '=cmd()' }));
    const [first] = await allOf(ledger);
    const line = csvLine({ ...first!, body: '{}' });
    expect(line.split(',')).toHaveLength(csvHeader.split(',').length);
    expect(line).toContain(",ann,acme,'=cmd(),");
    expect(line).toContain(',2023-11-14T22:13:20.001Z,');
  });
});

describe.each(engines)('erasing a person on %s', (engine) => {
  it('takes all of theirs and nothing else, and the log stays clean', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    await fill(ledger, 1200);
    await fill(ledger, 5, { user: 'bob' }, 1201);
    await fill(ledger, 3, { tenant: 'other' }, 1206);
    await ledger.heads.sign();
    const theirs = await answered(ledger, 'ann', 'olga');
    const others = await answered(ledger, 'bob', 'olga');
    await answered(ledger, 'ann', 'olga', 'granted');
    expect(await ledger.permissions.list({}, start)).toHaveLength(1);
    const owner = { scope: 'decide', user: 'ann', tenant: 'acme', agent: 'coder' } as const;
    const { token } = await ledger.credentials.make(owner, start);
    expect(await ledger.credentials.find(token)).toMatchObject({ user: 'ann' });

    const counts: number[] = [];
    const who = { user: 'ann', tenant: 'acme' };
    const erased = await erasePerson(ledger, who, operator, start + 1, (count) => counts.push(count));
    // 1200 decisions, two approvals requested and answered, the grant and the credential.
    expect(erased).toMatchObject({ entries: 1206, approvals: 2, grants: 1, credentials: 1 });
    expect(counts).toContain(1000);

    expect(await ledger.verify()).toMatchObject({ problems: [] });
    expect(await unrecordedErasures(ledger.store)).toEqual([]);
    expect(await ledger.audit.list({ user: 'ann', tenant: 'acme' })).toEqual([]);
    expect(await ledger.audit.list({ user: 'ann', tenant: 'other' })).toHaveLength(3);
    expect(await ledger.audit.list({ user: 'bob' })).toHaveLength(7);
    expect(await ledger.credentials.find(token)).toBeUndefined();
    expect(await ledger.permissions.list({}, start + 1)).toEqual([]);
    expect(await ledger.approvals.consume(theirs, 'x', start + 1)).toBe(false);
    expect(await ledger.approvals.consume(others, 'x', start + 1)).toBe(true);
    for (const table of ['approvals', 'grants', 'credentials', 'facets']) {
      const left = JSON.stringify(await store.rows(`SELECT * FROM ${table} WHERE tenant = 'acme'`));
      expect(left).not.toMatch(/"ann"|secret/);
    }
    const events = await ledger.audit.list({ eventType: 'erased' });
    expect(events).toHaveLength(3);
    expect(JSON.stringify(events)).not.toMatch(/"ann"|"olga"/);
    expect(events[0]?.details).toMatchObject({
      reason: 'person',
      person: fingerprintOf(ledger, 'ann', 'acme'),
      by: fingerprintOf(ledger, 'olga', 'local'),
    });
    expect(events.reduce((sum, { details }) => sum + Number(details['entries']), 0)).toBe(1206);

    const again = await erasePerson(ledger, who, operator, start + 2);
    expect(again).toMatchObject({ entries: 0, approvals: 0 });
    expect(await ledger.audit.list({ eventType: 'erased' })).toHaveLength(3);
  });

  it('takes their name out where they answered for others, whatever stands in it', async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled();
    const odd = 'ann_100% "x"!';
    await answered(ledger, 'bob', odd);
    await answered(ledger, 'eve', odd.toUpperCase());
    expect(await erasePerson(ledger, { user: odd }, operator, start + 1)).toMatchObject({
      entries: 1,
      approvals: 1,
    });
    const left = await ledger.audit.list({ eventType: 'approval_answered' });
    expect(left.map(({ details }) => details['answered_by'])).toEqual([odd.toUpperCase()]);
    expect(JSON.stringify(await store.rows('SELECT answered_by FROM approvals'))).not.toContain('ann_');
    expect(await ledger.verify()).toMatchObject({ problems: [] });
    expect(await unrecordedErasures(ledger.store)).toEqual([]);
  });

  it('leaves the record of whose approval counts, and of keys that ended', async () => {
    const ledger = await (await newStore(engine)).openEnrolled();
    const fields = { key: 'ann', name: 'ann', role: 'approver' };
    const ann = { user: 'ann', tenant: 'acme' };
    await ledger.approvers.add(ledger.approvers.statement('user', fields), person, ann);
    await ledger.approvers.end('ann', person, ann);
    const before = await ledger.approvers.list();
    expect(before.map(({ state }) => state)).toEqual(['counts', 'ended']);
    await fill(ledger, 3);
    expect(await erasePerson(ledger, ann, operator, start + 1)).toMatchObject({ entries: 3 });
    expect(await ledger.approvers.list()).toEqual(before);
    expect(await ledger.verify()).toMatchObject({ problems: [] });
  });

  it('leaves the record of erasures that somebody made who is erased later', async () => {
    const ledger = await (await newStore(engine)).open();
    await fill(ledger, 3);
    await erasePerson(ledger, { user: 'ann' }, operator, start + 1);
    await fill(ledger, 1, { user: 'olga' }, 4);
    await erasePerson(ledger, { user: 'olga' }, operator, start + 2);
    expect(await ledger.audit.list({ eventType: 'erased' })).toHaveLength(2);
    expect(await ledger.verify()).toMatchObject({ problems: [] });
    expect(await unrecordedErasures(ledger.store)).toEqual([]);
  });

  it('goes on with the log, its heads and its proofs', async () => {
    const { checkProof } = await import('./heads.ts');
    const ledger = await (await newStore(engine)).open();
    await fill(ledger, 10);
    const before = await ledger.heads.sign();
    await erasePerson(ledger, { user: 'ann' }, operator, start + 1);
    await fill(ledger, 3, { user: 'bob' }, 11);
    await ledger.heads.sign();
    expect(await ledger.verify({ held: [before!] })).toMatchObject({ entries: 14, problems: [], heads: 2 });
    const keys = new Map([...(await ledger.publicKeys())].map(([id, { publicKey }]) => [id, publicKey]));
    expect(checkProof(await ledger.heads.proveConsistency(before!), keys)).toMatchObject({ valid: true });
    expect(verified(await allOf(ledger))).toBe(true);
    expect(await sizeOf(ledger.store)).toMatchObject({ entries: 14, erased: 10 });
    // A daemon that ran meanwhile continues with its cached combinations.
    await fill(ledger, 1, {}, 20);
    expect(await ledger.audit.list({ decision: 'block' })).toHaveLength(4);
  });
});

describe.each(engines)('an erasure that is not recorded on %s', (engine) => {
  const emptied = 'UPDATE audit SET body = NULL, salt = NULL';
  it.each<[string, readonly string[], readonly number[]]>([
    ['of one entry', [`${emptied} WHERE seq = 4`], [4]],
    ['beside one that is', [`${emptied} WHERE seq IN (3, 8)`], [8]],
    ['of the record itself', [`${emptied} WHERE event_type = 'erased'`], [1, 2, 3, 6]],
    ['after the record', [`${emptied} WHERE seq > 6`], [7, 8]],
  ])('is found: %s', async (_, statements, seqs) => {
    const store = await newStore(engine);
    const ledger = await store.open();
    await fill(ledger, 3);
    await fill(ledger, 2, { user: 'bob' }, 4);
    await erasePerson(ledger, { user: 'ann' }, operator, start + 1);
    await fill(ledger, 2, { user: 'bob' }, 7);
    expect(await unrecordedErasures(ledger.store)).toEqual([]);
    await store.tamper(...statements);
    expect((await ledger.verify()).problems).toMatchObject(seqs.map((seq) => ({ chain: 'a', seq })));
    expect(await unrecordedErasures(ledger.store)).toEqual(seqs.map((seq) => ({ chain: 'a', seq })));
  });

  it('is not covered by a record that claims what is to come, or makes no sense', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const claim = (details: object) =>
      ledger.audit.append(entry(0, { event_type: 'erased', user: 'operator', details } as never));
    await claim({ ranges: { a: [[1, 1_000_000]] } });
    await claim({ ranges: { a: ['x', [1], [null, 9], 7] } });
    await claim({ ranges: [[1, 9]] });
    await fill(ledger, 1);
    await store.tamper(`${emptied} WHERE seq = 4`);
    expect(await unrecordedErasures(ledger.store)).toEqual([{ chain: 'a', seq: 4 }]);
  });

  it('is counted up to a bound', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    await fill(ledger, 1100);
    await store.tamper(emptied);
    expect(await unrecordedErasures(ledger.store)).toHaveLength(1000);
  });
});

describe.each(engines)('retention on %s', (engine) => {
  it('erases the content of what is older, deletes what ran out, and the log stays clean', async () => {
    const store = await newStore(engine);
    const ledgers = [await store.openEnrolled('a'), await store.open('b')] as const;
    await fill(ledgers[0], 1100);
    await fill(ledgers[1], 5);
    await fill(ledgers[0], 4, { time: start + 20 * day });
    const binding = await answered(ledgers[0], 'ann', 'olga');
    await ledgers[0].tokens.consume('old', start + 1000, start);
    await ledgers[0].tokens.consume('new', start + 40 * day, start);
    const erased = await retain(ledgers[0], 30, operator, start + 31 * day);
    expect(erased).toMatchObject({ entries: 1107, approvals: 1, tokens: 1 });
    expect(await ledgers[0].verify()).toMatchObject({ problems: [] });
    expect(await unrecordedErasures(ledgers[0].store)).toEqual([]);
    const left = await ledgers[0].audit.list({ limit: 100 });
    expect(left.map(({ event_type: type }) => type)).toEqual([
      ...['erased', 'erased', 'decision', 'decision', 'decision', 'decision', 'approver_added'],
    ]);
    expect(left[0]?.details).toMatchObject({ reason: 'retention', days: 30 });
    expect(await ledgers[0].approvals.consume(binding, 'x', start)).toBe(false);
    expect(await retain(ledgers[0], 30, operator, start + 31 * day)).toMatchObject({ entries: 0 });
    const names = async () => JSON.stringify(await store.rows('SELECT user_id, agent FROM facets'));
    expect(await names()).toContain('"ann"');
    // The records of erasures outlive every retention period.
    await retain(ledgers[0], 1, operator, start + 1000 * day);
    expect(await ledgers[0].verify()).toMatchObject({ problems: [] });
    expect(await unrecordedErasures(ledgers[0].store)).toEqual([]);
    expect(await ledgers[0].audit.list({ eventType: 'erased' })).toHaveLength(3);
    expect(await names()).not.toMatch(/"ann"|coder/);
    // And so does the record of the approvers.
    expect(await ledgers[0].approvers.list()).toMatchObject([{ state: 'counts' }]);
  });

  it('leaves what daemons saw of each other', async () => {
    const ledger = await (await newStore(engine)).open();
    await fill(ledger, 2);
    await fill(ledger, 1, { event_type: 'heads_seen', details: { heads: [] } });
    expect(await retain(ledger, 1, operator, start + 10 * day)).toMatchObject({ entries: 2 });
    expect(await ledger.audit.list({ eventType: 'heads_seen' })).toHaveLength(1);
  });
});

describe.each(engines)('tidying on %s', (engine) => {
  it('makes room, and everything goes on', async () => {
    const ledger = await (await newStore(engine)).open();
    await fill(ledger, 2000, { details: { text: 'x'.repeat(500) } });
    await erasePerson(ledger, { user: 'ann' }, operator, start + 1);
    const { bytes } = await sizeOf(ledger.store);
    expect(await tidy(ledger.store, true)).toEqual({ settled: true });
    if (engine === 'sqlite') expect((await sizeOf(ledger.store)).bytes).toBeLessThan(bytes);
    await fill(ledger, 1);
    expect(await ledger.verify()).toMatchObject({ problems: [] });
  });
});

describe('an embedded store', () => {
  it('keeps no byte of an erased person in its files', async () => {
    const store = await newStore('sqlite');
    const ledger = await store.open();
    await fill(ledger, 50, { user: 'very-rare-name', details: { note: 'very-rare-note' } });
    const held = () =>
      ['ledger.db', 'ledger.db-wal'].some((file) =>
        readFileSync(join(store.folder, file)).includes('very-rare-'),
      );
    expect(held()).toBe(true);
    expect(await erasePerson(ledger, { user: 'very-rare-name' }, operator, start + 1)).toMatchObject({
      settled: true,
    });
    expect(held()).toBe(false);
  });

  it('is erased from although another process holds it for a while', async () => {
    const store = await newStore('sqlite');
    const ledger = await store.open();
    await fill(ledger, 3);
    const other = new DatabaseSync(join(store.folder, 'ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    setTimeout(() => other.exec('ROLLBACK'), 600);
    expect(await erasePerson(ledger, { user: 'ann' }, operator, start + 1)).toMatchObject({ entries: 3 });
    other.close();
  });
});
