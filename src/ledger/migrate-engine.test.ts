import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Engine,
  engines,
  entry,
  newStore,
  person,
  type StorePlace,
  temporaryFolder,
} from '../../tests/support/ledger.ts';
import { oneOf } from '../../tests/support/share.ts';
import { backUp } from './backup.ts';
import { CopyRefused, NotEmpty, StoreInUse } from './copy-checks.ts';
import { type Bound, Ledger, type Question } from './index.ts';
import { KeyError } from './keys.ts';
import { erasePerson, unrecordedErasures } from './maintenance.ts';
import { movedTables, moveStore } from './migrate-engine.ts';
import { PostgresStore } from './postgres.ts';
import { restoreStore, WouldLoseEntries } from './restore.ts';
import { SqliteStore } from './sqlite.ts';
import type { Sql, Store } from './store.ts';

const start = 1_700_000_000_000;
const key = Buffer.alloc(32, 7);
const newKey = Buffer.alloc(32, 9);
const effect = 'fetch https://example.com:443';
const keys = { fromKey: key, toKey: key, now: start };

async function bare({ options: { store } }: StorePlace): Promise<Store> {
  const opened = 'file' in store ? await SqliteStore.open(store.file) : await PostgresStore.open(store);
  onTestFinished(() => opened.close());
  return opened;
}

async function fill(ledger: Ledger, count: number, first = 1): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await Promise.all(numbers.map((number) => ledger.audit.append(entry(number))));
}

const found = { rule: 'host_not_allowed', guard: 'fetch', message: 'x', decision: 'approve' } as const;

/** A store with a row in every table. */
async function lived(place: StorePlace) {
  const ledger = await place.openEnrolled('a');
  const other = await place.open('b');
  await fill(ledger, 1100);
  await fill(other, 30);
  await ledger.heads.sign();
  await ledger.rotateKey({ user: 'ann', tenant: 'acme' }, start + 1);
  await fill(other, 5, 31);
  await ledger.heads.sign();
  await erasePerson(ledger, { user: 'nobody' }, { user: 'olga', tenant: 'local' }, start);
  const context = {
    ...{ user: 'ann', tenant: 'acme', agent: 'coder', workspace: '/w', session: 's' },
    mode: 'default',
  } as const;
  const question: Question = {
    action: { kind: 'fetch', url: 'https://example.com/' },
    context,
    findings: [{ ...found, grant: effect }],
  };
  const ask = async (binding: string) =>
    (
      await ledger.approvals.ask({
        ...{ binding, question, decisionId: 'd', now: start, expiryMs: 60_000, maxPending: 10 },
      })
    ).id;
  const pending = await ask('waits');
  await ledger.approvals.answer(await ask('answered'), 'approve', 'ann', person, {}, start);
  await ledger.approveForGood(
    await ask('granted'),
    'ann',
    person,
    {},
    { reach: 'project', lifeMs: 60_000, uses: null },
    start,
  );
  const owner = { scope: 'decide', user: 'Änn', tenant: 'acme', agent: null } as const;
  const { token } = await ledger.credentials.make(owner, start);
  await ledger.tokens.consume('token', start + 1000, start);
  await place.rows(
    `INSERT INTO changes (id, state, user_id, tenant, agent, workspace, run, decision_id, created_at, expires_at,
     claimed_until, autonomous, files, bytes, cost_micros, sealed)
     VALUES ('c', 'staged', 'ann', 'acme', 'x', '/w', 'r', 'd', 1, 9000000000000, 0, 0, 1, 1, 1, 'sealed')`,
  );
  await place.rows(
    `INSERT INTO runs (id, round, state, user_id, tenant, agent, code, approvals, decision_id, created_at, expires_at,
     sealed) VALUES ('r', 1, 'waiting', 'ann', 'acme', 'x', 'c', 'a', 'd', 1, 9000000000000, 'sealed')`,
  );
  const from = { server: 'tickets', url: 'https://tickets.example/mcp' };
  await ledger.logins.save(from, { user: 'ann', tenant: 'acme' }, { token: 'given' }, start);
  await place.rows(
    "INSERT INTO open_work (decision_id, chain, user_id, tenant, agent, opened_at) VALUES ('d', 'a', 'ann', 'acme', 'x', 1)",
  );
  const answered: Bound = { binding: 'answered', question };
  return { ledger, other, pending, token, context, answered };
}

async function open(place: StorePlace, operatorKey: Uint8Array): Promise<Ledger> {
  const ledger = await Ledger.open({ ...place.options, operatorKey });
  onTestFinished(() => ledger.close());
  return ledger;
}

const ways = engines.flatMap((from) => engines.map((to): [Engine, Engine] => [from, to]));

describe('moving', () => {
  it('knows every table', async () => {
    const place = await newStore('sqlite');
    await place.open();
    const rows = await place.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_version'",
    );
    expect(Object.keys(movedTables).sort()).toEqual(rows.map(({ name }) => name).sort());
  });
});

describe.each(ways)('moving from %s to %s', (from, to) => {
  // Each connection breaks at some statements, and each statement on some connections.
  const way = Number(from === 'postgres') + Number(to === 'postgres');
  const cuts = [3, 5, 15, 22].filter((_, index) => (way + index) % oneOf(2) === 0);

  it.each([
    ['the same operator key', key],
    ['a new one', newKey],
  ])('keeps every hash, and everything still works, with %s', async (_, toKey) => {
    const [here, there] = [await newStore(from), await newStore(to)];
    const { ledger, pending, token, context, answered } = await lived(here);
    const approvers = await ledger.approvers.list();
    const list = 'SELECT place, chain, seq, hash, content, body FROM audit ORDER BY place';
    const before = await here.rows(list);
    expect(before.length).toBeGreaterThan(1100);
    const progress: string[] = [];
    const target = await bare(there);
    const moved = await moveStore(ledger.store, target, {
      ...keys,
      toKey,
      progress: (what, count) => progress.push(`${what} ${count}`),
    });
    expect(moved.rows).toMatchObject({ audit: before.length, heads: 2, keys: 4, approvals: 3, tokens: 1 });
    expect(moved.verification).toMatchObject({ entries: before.length, problems: [], heads: 2 });
    expect(progress).toContain('audit 1000');

    const numbers = (rows: readonly Record<string, unknown>[]) =>
      rows.map((row) => ({ ...row, place: Number(row['place']), seq: Number(row['seq']) }));
    expect(numbers(await there.rows(list))).toEqual(numbers(before));
    expect(numbers(await here.rows(list))).toEqual(numbers(before));

    const after = await open(there, toKey);
    expect(await after.approvals.show(pending, {}, start)).toMatchObject({
      question: { action: { url: 'https://example.com/' } },
    });
    expect(await after.approvers.list()).toEqual(approvers);
    expect(await after.approvals.consume(answered, 'used there', start)).toBe(true);
    expect(await after.approvals.consume(answered, 'again', start)).toBe(false);
    expect(await after.credentials.find(token)).toMatchObject({ user: 'Änn' });
    const covering = await after.permissions.covering([{ ...found, grant: effect }], context, start);
    expect(covering).toMatchObject([{ effect }]);
    expect(await after.tokens.consume('token', start + 1000, start)).toBe(false);
    await fill(after, 3, 5000);
    await after.heads.sign();
    expect(await after.verify()).toMatchObject({ problems: [], heads: 3 });
    await after.audit.append(entry(1, { agent: 'new' }));
    expect(await after.audit.list({ agent: 'new' })).toHaveLength(1);
    expect(await after.audit.list({ user: 'ann', eventType: 'key_rotated' })).toHaveLength(1);
    const [newest] = await after.audit.list({ limit: 1 });
    expect(newest?.place).toBeGreaterThan(Number(before.at(-1)?.['place']));
    expect(await unrecordedErasures(after.store)).toEqual([]);
    if (toKey === newKey) await expect(open(there, key)).rejects.toThrow(KeyError);
  });

  it('refuses a target that is not empty, and leaves both as they are', async () => {
    const [here, there] = [await newStore(from), await newStore(to)];
    const ledger = await here.open();
    await fill(ledger, 3);
    await (await there.open('z')).audit.append(entry(1));
    await expect(moveStore(ledger.store, await bare(there), keys)).rejects.toThrow(NotEmpty);
    expect(await there.rows('SELECT chain FROM audit')).toEqual([{ chain: 'z' }]);
    expect(await here.rows('SELECT chain FROM audit')).toHaveLength(3);
  });

  it.each(cuts)('leaves the target empty when it breaks off at statement %i', async (at) => {
    const [here, there] = [await newStore(from), await newStore(to)];
    const { ledger } = await lived(here);
    const target = await bare(there);
    let left = at + (to === 'postgres' ? 12 : 10);
    const count = async <T>(work: () => Promise<T>): Promise<T> => {
      if (--left < 0) throw new Error('the line was cut');
      return await work();
    };
    const breaking = (sql: Sql): Sql => ({
      all: (...words) => count(() => sql.all(...words)),
      run: (...words) => count(() => sql.run(...words)),
      insert: (...words) => count(() => sql.insert(...words)),
      after: (stage, call) => sql.after(stage, call),
    });
    const broken: Store = {
      engine: target.engine,
      place: target.place,
      read: (work) => target.read((sql) => work(breaking(sql))),
      recall: (name, work) => target.recall(name, work),
      write: (work) => target.write((sql) => work(breaking(sql))),
      writeDeferred: (work) => target.writeDeferred(work),
      refused: () => target.refused(),
      disturbed: () => target.disturbed(),
      refuse: (reason) => target.refuse(reason),
      outside: (work) => target.outside(work),
      notify: async () => false,
      listen: async () => () => undefined,
      close: async () => undefined,
    };
    await expect(moveStore(ledger.store, broken, keys)).rejects.toThrow('the line was cut');
    for (const table of Object.keys(movedTables)) {
      expect([table, await there.rows(`SELECT * FROM ${table}`)]).toEqual([table, []]);
    }
    // It is as good as new: the next attempt moves everything.
    expect((await moveStore(ledger.store, target, keys)).verification.problems).toEqual([]);
  });

  it('refuses a log that does not verify, unless it is told to take it as it is', async () => {
    const [here, there] = [await newStore(from), await newStore(to)];
    const ledger = await here.open();
    await fill(ledger, 5);
    await here.tamper("UPDATE audit SET decision = 'pass' WHERE seq = 2");
    const target = await bare(there);
    await expect(moveStore(ledger.store, target, keys)).rejects.toThrow(CopyRefused);
    expect(await there.rows('SELECT * FROM keys')).toEqual([]);
    const { verification } = await moveStore(ledger.store, target, { ...keys, force: true });
    expect(verification.problems).toMatchObject([{ seq: 2 }]);
  });

  it('refuses a wrong operator key', async () => {
    const [here, there] = [await newStore(from), await newStore(to)];
    const ledger = await here.open();
    const wrong = { ...keys, fromKey: newKey };
    await expect(moveStore(ledger.store, await bare(there), wrong)).rejects.toThrow();
    expect(await there.rows('SELECT * FROM keys')).toEqual([]);
  });
});

async function backedUp(place: StorePlace, ledger: Ledger, name = 'backup.db') {
  const file = join(place.folder, name);
  return { file, done: await backUp(ledger.store, file, () => ledger.publicKeys()) };
}

const restoring = (place: StorePlace, file: string) => ({
  ...{ file, into: join(place.folder, 'ledger.db'), operatorKey: key, now: start },
});

describe('a backup', () => {
  it('is one whole, verified file that only its owner may read', async () => {
    const place = await newStore('sqlite');
    const ledger = await place.open();
    await fill(ledger, 50);
    await ledger.heads.sign();
    const { file, done } = await backedUp(place, ledger);
    expect(done).toMatchObject({ file, verification: { entries: 50, heads: 1, problems: [] } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(done.bytes).toBe(statSync(file).size);
    expect(readdirSync(place.folder).filter((name) => name.includes('backup'))).toEqual(['backup.db']);
  });

  it('taken while others write is one consistent state', async () => {
    const place = await newStore('sqlite');
    const [ledger, writer] = [await place.open(), await place.open()];
    await fill(ledger, 500);
    let going = true;
    const writing = (async () => {
      for (let first = 501; going; first += 5) await fill(writer, 5, first);
    })();
    for (let round = 0; round < 5; round++) {
      const { done } = await backedUp(place, ledger, `backup-${round}.db`);
      expect(done.verification.problems).toEqual([]);
      expect(done.verification.entries).toBeGreaterThanOrEqual(500);
    }
    going = false;
    await writing;
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('overwrites nothing, and leaves nothing when it fails', async () => {
    const place = await newStore('sqlite');
    const ledger = await place.open();
    const file = join(place.folder, 'backup.db');
    writeFileSync(file, 'mine');
    await expect(backedUp(place, ledger)).rejects.toThrow(NotEmpty);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await expect(backedUp(place, ledger, 'no/such/folder.db')).rejects.toThrow(CopyRefused);
    const failing = backUp(ledger.store, join(place.folder, 'x.db'), () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(readdirSync(place.folder).filter((name) => /x\.db/.test(name))).toEqual([]);
  });

  it('of a damaged log is kept, and says so', async () => {
    const place = await newStore('sqlite');
    const ledger = await place.open();
    await fill(ledger, 5);
    await place.tamper("UPDATE audit SET decision = 'pass' WHERE seq = 2");
    const { file, done } = await backedUp(place, ledger);
    expect(done.verification.problems).toMatchObject([{ seq: 2 }]);
    expect(existsSync(file)).toBe(true);
    await ledger.close();
    await expect(restoreStore(restoring(place, file))).rejects.toThrow(CopyRefused);
    expect(
      (await restoreStore({ ...restoring(place, file), force: true })).verification.problems,
    ).toHaveLength(1);
  });
});

describe('restoring', () => {
  it('puts the backup in place and keeps what was there', async () => {
    const place = await newStore('sqlite');
    const ledger = await place.open();
    await fill(ledger, 20);
    const { file } = await backedUp(place, ledger);
    const original = readFileSync(file);
    await ledger.close();
    expect(await restoreStore(restoring(place, file))).toMatchObject({ lost: 0, erasuresUndone: 0 });
    expect(readFileSync(file)).toEqual(original);
    expect(statSync(join(place.folder, 'ledger.db')).mode & 0o777).toBe(0o600);
    const after = await place.open();
    await fill(after, 5, 21);
    expect(await after.verify()).toMatchObject({ entries: 25, problems: [] });
    await after.close();
    await expect(restoreStore(restoring(place, file))).rejects.toThrow(WouldLoseEntries);
    const forced = await restoreStore({ ...restoring(place, file), force: true });
    expect(forced).toMatchObject({ lost: 5, kept: join(place.folder, 'ledger.db.before-restore-2') });
    const kept = new DatabaseSync(forced.kept!);
    expect(kept.prepare('SELECT count(*) AS n FROM audit').get()).toEqual({ n: 25 });
    kept.close();
    expect((await (await place.open()).verify()).entries).toBe(20);
  });

  it('into an empty home needs the same operator key', async () => {
    const [place, other] = [await newStore('sqlite'), await newStore('sqlite')];
    const ledger = await place.open();
    await fill(ledger, 3);
    const { file } = await backedUp(place, ledger);
    const wrong = { ...restoring(other, file), operatorKey: newKey };
    await expect(restoreStore(wrong)).rejects.toThrow(KeyError);
    expect(readdirSync(other.folder)).toEqual([]);
    expect(await restoreStore(restoring(other, file))).toMatchObject({ kept: null, lost: 0 });
    expect((await (await other.open()).verify()).entries).toBe(3);
  });

  it('lets nothing that was ended count again', async () => {
    const place = await newStore('sqlite');
    const { ledger, other, token, context, answered } = await lived(place);
    const { file } = await backedUp(place, ledger);
    expect(await ledger.approvals.consume(answered, 'used', start)).toBe(true);
    const [credential] = await ledger.credentials.list();
    await ledger.credentials.revoke(credential!.credential, start);
    const [grant] = await ledger.permissions.list({}, start);
    await ledger.permissions.revoke(grant!.id, {}, start);
    await ledger.tokens.consume('second', start + 1000, start);
    await erasePerson(ledger, { user: 'ann' }, { user: 'olga', tenant: 'local' }, start);
    await ledger.close();
    const options = { ...restoring(place, file), force: true };
    await expect(restoreStore(options)).rejects.toThrow(StoreInUse);
    await other.close();
    const restored = await restoreStore(options);
    expect(restored.lost).toBeGreaterThan(3);
    expect(restored.erasuresUndone).toBeGreaterThan(0);
    const after = await place.open();
    expect(await after.approvals.consume(answered, 'again', start)).toBe(false);
    for (const table of ['changes', 'runs'])
      expect(await place.rows(`SELECT state, sealed FROM ${table}`)).toEqual([
        { state: 'expired', sealed: null },
      ]);
    expect(await place.rows('SELECT * FROM logins')).toEqual([]);
    expect(await after.credentials.find(token)).toBeUndefined();
    const again = { ...found, grant: grant!.effect };
    expect(await after.permissions.covering([again], context, start)).toEqual([null]);
    expect(await after.tokens.consume('second', start + 1000, start)).toBe(false);
    expect((await after.verify()).problems).toEqual([]);
  });

  it('finds a history that parted, not only one that is longer', async () => {
    const place = await newStore('sqlite');
    const ledger = await place.open();
    await fill(ledger, 10);
    const { file } = await backedUp(place, ledger, 'early.db');
    await fill(ledger, 10, 11);
    const later = await backedUp(place, ledger, 'later.db');
    await ledger.close();
    await restoreStore({ ...restoring(place, file), force: true });
    const again = await place.open();
    await fill(again, 5, 100);
    await again.close();
    // The backup has 20 entries, the store 15, and only the first 10 are equal.
    await expect(restoreStore(restoring(place, later.file))).rejects.toThrow('5 entries');
  });

  it('replaces a store that cannot be read, and keeps it', async () => {
    const place = await newStore('sqlite');
    const ledger = await place.open();
    await fill(ledger, 5);
    const { file } = await backedUp(place, ledger);
    await ledger.close();
    writeFileSync(join(place.folder, 'ledger.db'), 'not a database at all '.repeat(400));
    const { kept } = await restoreStore(restoring(place, file));
    expect(readFileSync(kept!, 'utf8')).toContain('not a database');
    expect((await (await place.open()).verify()).entries).toBe(5);
  });

  it.each([
    ['that is not there', undefined],
    ['that is empty', ''],
    ['that is no store', 'a letter to my aunt '.repeat(500)],
  ])('refuses a backup %s, and leaves the store as it is', async (_, text) => {
    const place = await newStore('sqlite');
    const ledger = await place.open();
    await fill(ledger, 2);
    await ledger.close();
    const file = join(temporaryFolder(), 'backup.db');
    if (text !== undefined) writeFileSync(file, text);
    await expect(restoreStore(restoring(place, file))).rejects.toThrow();
    expect(readdirSync(place.folder)).toEqual(['ledger.db']);
    expect((await (await place.open()).verify()).entries).toBe(2);
  });
});
