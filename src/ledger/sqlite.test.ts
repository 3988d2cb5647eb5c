// The embedded engine beyond the common store interface: its disk, its memory, its locks and its faults.

import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addToken, entry, newStore, openStore, temporaryFolder } from '../../tests/support/ledger.ts';
import { AuditLog } from './audit.ts';
import { Ledger, StoreDamaged, StoreError, StoreFull, StoreLocked, StoreReadOnly } from './index.ts';
import { SqliteStore } from './sqlite.ts';

describe('the embedded store', () => {
  /** A store with simulated sync times. */
  async function slow() {
    const waiting: { done: () => void; failed: (error: Error) => void }[] = [];
    const { folder } = await newStore('sqlite');
    const file = join(folder, 'slow.db');
    let held = false;
    const store = await SqliteStore.open(file, () =>
      held
        ? new Promise<void>((resolve, reject) => waiting.push({ done: resolve, failed: reject }))
        : Promise.resolve(),
    );
    /** From now on syncs are instantaneous. */
    const letGo = () => {
      held = false;
      for (const { done } of waiting) done();
    };
    onTestFinished(async () => {
      letGo();
      await store.close();
    });
    held = true;
    const told: number[] = [];
    const write = (number: number) => {
      const written = store.write((sql) => sql.run(addToken(number))).then(() => told.push(number));
      written.catch(() => undefined);
      return written;
    };
    /** Until a number of syncs have begun. */
    const begun = (count: number) => vi.waitFor(() => expect(waiting).toHaveLength(count));
    const rows = () => store.read((sql) => sql.all('SELECT id FROM tokens ORDER BY id'));
    return { store, waiting, told, write, begun, rows, letGo };
  }

  it('says that something is written when it is on disk, and stands still for nobody meanwhile', async () => {
    const { store, waiting, told, write, begun, rows } = await slow();
    const first = write(1);
    await begun(1);
    expect(await rows()).toEqual([{ id: '1' }]);
    await store.writeDeferred((sql) => sql.run(addToken(2)));
    expect(told).toEqual([]);
    waiting[0]?.done();
    await first;
    expect(told).toEqual([1]);
  });

  it('tells that something is there before it is on disk, and nothing of what failed', async () => {
    const { store, waiting, begun, rows } = await slow();
    const told: string[] = [];
    const failing = store.write(
      () => Promise.reject(new Error('no')),
      undefined,
      () => told.push('failed'),
    );
    await expect(failing).rejects.toThrow('no');
    const written = store.write(
      (sql) => sql.run(addToken(1)),
      undefined,
      () => told.push('there'),
    );
    await begun(1);
    expect([told, await rows()]).toEqual([['there'], [{ id: '1' }]]);
    waiting[0]?.done();
    await written;
  });

  it('lets those who come together wait once, and nobody for a wait that began before them', async () => {
    const { waiting, told, write, begun, rows } = await slow();
    const first = write(1);
    await begun(1);
    const others = [write(2), write(3)];
    await vi.waitFor(async () => expect(await rows()).toHaveLength(3));
    waiting[0]?.done();
    await first;
    await begun(2);
    expect(told).toEqual([1]);
    waiting[1]?.done();
    await Promise.all(others);
    expect(told).toEqual([1, 2, 3]);
    expect(waiting).toHaveLength(2);
  });

  it('lets the disk follow what is deferred, and tells the next one if it did not', async () => {
    const { store, waiting, write, begun } = await slow();
    await store.writeDeferred((sql) => sql.run(addToken(1)));
    await store.writeDeferred((sql) => sql.run(addToken(2)));
    await begun(1);
    waiting[0]?.failed(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    const refused = write(3);
    await begun(2);
    waiting[1]?.done();
    await expect(refused).rejects.toThrow(StoreError);
    const next = write(4);
    await begun(3);
    waiting[2]?.done();
    await next;
  });

  it('defers nothing where the disk did not follow, and tells that once', async () => {
    const { store, waiting, begun, rows } = await slow();
    await store.writeDeferred((sql) => sql.run(addToken(1)));
    await begun(1);
    waiting[0]?.failed(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    await vi.waitFor(async () => {
      await expect(store.writeDeferred(() => Promise.resolve())).rejects.toThrow(StoreError);
    });
    expect(await rows()).toEqual([{ id: '1' }]);
    await store.writeDeferred((sql) => sql.run(addToken(2)));
    expect(await rows()).toHaveLength(2);
  });

  it('lets nobody defer a write while the disk hangs, and goes on when it is there again', async () => {
    const { store, begun, rows, letGo } = await slow();
    await store.writeDeferred((sql) => sql.run(addToken(1)));
    await begun(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const held = store.writeDeferred((sql) => sql.run(addToken(2)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await rows()).toHaveLength(1);
    letGo();
    await held;
    expect(await rows()).toHaveLength(2);
  });

  it('lets nobody defer a write while the disk hangs, however often they come', async () => {
    const { store, begun, rows, letGo } = await slow();
    const writes: Promise<unknown>[] = [];
    const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
    await store.writeDeferred((sql) => sql.run(addToken(1)));
    await begun(1);
    for (let number = 2; number < 50; number++) {
      writes.push(store.writeDeferred((sql) => sql.run(addToken(number))));
      await pause();
    }
    expect((await rows()).length).toBeLessThan(40);
    letGo();
    await Promise.all(writes);
    expect(await rows()).toHaveLength(49);
  });

  it('says that an entry which somebody waits for is written when it is on disk', async () => {
    const { store, waiting, begun } = await slow();
    const log = new AuditLog(store, 'a');
    let told = false;
    log.appendLater(entry(1));
    const appended = log.append(entry(2)).then(() => {
      told = true;
    });
    await begun(1);
    expect([await log.size(), told]).toEqual([2, false]);
    waiting[0]?.done();
    await appended;
  });

  it('gives the disk what was deferred before it closes', async () => {
    const { folder } = await newStore('sqlite');
    const waits: number[] = [];
    const store = await SqliteStore.open(join(folder, 'closed.db'), async (descriptor) => {
      waits.push(descriptor);
    });
    const before = waits.length;
    await store.writeDeferred((sql) => sql.run(addToken(1)));
    expect(waits).toHaveLength(before);
    await store.close();
    expect(waits).toHaveLength(before + 1);
  });

  it('tells who closes it that the disk did not take what was deferred, and is closed', async () => {
    const { folder } = await newStore('sqlite');
    let broken = false;
    const store = await SqliteStore.open(join(folder, 'broken.db'), () =>
      broken ? Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' })) : Promise.resolve(),
    );
    await store.writeDeferred((sql) => sql.run(addToken(1)));
    broken = true;
    await expect(store.close()).rejects.toThrow(StoreError);
    await store.close();
    await expect(store.read((sql) => sql.all('SELECT id FROM tokens'))).rejects.toThrow();
  });

  it('lets nobody append without waiting once the disk lags behind', async () => {
    const { store, begun, letGo } = await slow();
    const log = new AuditLog(store, 'a');
    expect(log.appendLater(entry(1))).toBeUndefined();
    await begun(1);
    const clock = later(101);
    const late = log.appendLater(entry(2));
    expect(late).toBeInstanceOf(Promise);
    letGo();
    await late;
    // Synced data delays no one any more.
    clock.mockRestore();
    expect(log.appendLater(entry(3))).toBeUndefined();
    await log.drain();
  });

  it('lets nobody append without waiting once the disk lost what nobody waited for', async () => {
    const { store, waiting, begun, letGo } = await slow();
    const log = new AuditLog(store, 'a');
    expect(log.appendLater(entry(1))).toBeUndefined();
    await begun(1);
    waiting[0]?.failed(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    await new Promise((resolve) => setTimeout(resolve));
    later(101);
    const first = log.appendLater(entry(2));
    expect(first).toBeInstanceOf(Promise);
    letGo();
    await expect(first).rejects.toThrow(StoreError);
    await log.appendLater(entry(3));
    expect(await log.size()).toBe(3);
    // Whether the disk has the lost data is unknown until the store is opened again.
    expect(log.appendLater(entry(4))).toBeInstanceOf(Promise);
    await log.drain();
  });

  it('refuses what the disk did not take, and goes on with the next', async () => {
    const { waiting, told, write, begun } = await slow();
    const lost = write(1);
    await begun(1);
    const next = write(2);
    waiting[0]?.failed(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    await expect(lost).rejects.toThrow(StoreError);
    await begun(2);
    waiting[1]?.done();
    await next;
    expect(told).toEqual([2]);
  });
});

/** The clock of this process, ahead by some milliseconds. */
function later(milliseconds: number) {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
  onTestFinished(() => clock.mockRestore());
  return clock;
}

describe('what the embedded store remembers', () => {
  async function counted() {
    const place = await newStore('sqlite');
    const store = await openStore(place);
    let readings = 0;
    const recall = (name: string, found: unknown) =>
      store.recall(name, async () => {
        readings++;
        return found;
      });
    return { place, store, recall, readings: () => readings };
  }

  it('is read once, whatever is logged meanwhile', async () => {
    const { store, recall, readings } = await counted();
    const log = new AuditLog(store, 'a');
    expect(await recall('one', [1])).toEqual([1]);
    await log.append(entry(1));
    expect(await recall('one', [2])).toEqual([1]);
    expect(await recall('other', [3])).toEqual([3]);
    expect(readings()).toBe(2);
  });

  it('is read again from the turn on that follows what somebody else wrote', async () => {
    const { place, recall } = await counted();
    const other = await openStore(place);
    expect(await recall('one', [1])).toEqual([1]);
    await other.write((sql) => sql.run(addToken(1)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await recall('one', [2])).toEqual([2]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await recall('one', [3])).toEqual([2]);
  });

  it('does not hold what was not found, nor what failed, nor without end', async () => {
    const { store, recall, readings } = await counted();
    expect(await recall('one', undefined)).toBeUndefined();
    expect(await recall('one', 1)).toBe(1);
    await expect(store.recall('two', () => Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
    expect(await recall('two', 2)).toBe(2);
    for (let number = 0; number < 1000; number++) await recall(`many ${number}`, number);
    const before = readings();
    expect(await recall('one', 3)).toBe(3);
    expect(readings()).toBe(before + 1);
  });

  it('is named like any other trouble when the store is closed', async () => {
    const { store, recall } = await counted();
    await store.close();
    await expect(recall('one', 1)).rejects.toThrow(StoreError);
  });
});

describe('an embedded store', () => {
  it('is readable by its owner alone, its side files too', async () => {
    const { folder, open } = await newStore('sqlite');
    await (await open()).audit.append(entry(1));
    for (const file of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']) {
      expect([file, statSync(join(folder, file)).mode & 0o077]).toEqual([file, 0]);
    }
  });

  it('refuses what is not a store and leaves it as it is', async () => {
    const file = join(temporaryFolder(), 'ledger.db');
    writeFileSync(file, 'this is a letter to my aunt, not a database '.repeat(100));
    const before = readFileSync(file);
    await expect(SqliteStore.open(file)).rejects.toThrow(StoreDamaged);
    expect(readFileSync(file)).toEqual(before);
  });

  it('names damage in the middle of the file', async () => {
    const { folder, options } = await newStore('sqlite');
    const ledger = await Ledger.open(options);
    for (let number = 0; number < 500; number++) void ledger.audit.append(entry(number));
    await ledger.close();
    const file = join(folder, 'ledger.db');
    const bytes = readFileSync(file);
    const page = bytes.readUInt16BE(16);
    // The schema pages stay intact, so that the store opens and the damage is found later.
    const damagedFrom = bytes.indexOf('"number":250');
    bytes.fill(0xff, damagedFrom - (damagedFrom % page));
    writeFileSync(file, bytes);
    const damaged = await Ledger.open(options);
    await expect(damaged.verify()).rejects.toThrow(StoreDamaged);
    await expect(damaged.audit.append(entry(1))).rejects.toThrow(StoreError);
    await damaged.close();
  });

  it('names a place where no file can be', async () => {
    await expect(SqliteStore.open(temporaryFolder())).rejects.toThrow(StoreError);
    const lost = join(temporaryFolder(), 'no', 'such', 'ledger.db');
    await expect(SqliteStore.open(lost)).rejects.toThrow(StoreError);
  });

  it.skipIf(process.getuid?.() === 0)('names a file that may not be written', async () => {
    const place = await newStore('sqlite');
    await (await openStore(place)).close();
    chmodSync(join(place.folder, 'ledger.db'), 0o400);
    await expect(openStore(place)).rejects.toThrow(StoreReadOnly);
  });

  it('names a lock that stays, and writes when it is gone', async () => {
    const place = await newStore('sqlite');
    const store = await openStore(place);
    const other = new DatabaseSync(join(place.folder, 'ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    await expect(store.write((sql) => sql.run(addToken(1)))).rejects.toThrow(StoreLocked);
    expect(await store.read((sql) => sql.all('SELECT id FROM tokens'))).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    expect(await store.write((sql) => sql.run(addToken(1)))).toBe(1);
  });

  it('names a full disk, and writes when there is room', async () => {
    const place = await newStore('sqlite');
    const store = await openStore(place);
    const pragma = (text: string) => store.read((sql) => sql.all(`PRAGMA ${text}`));
    const [size] = await pragma('page_count');
    await pragma(`max_page_count = ${size?.['page_count']}`);
    const long = 'x'.repeat(100_000);
    const write = () =>
      store.write((sql) => sql.run('INSERT INTO tokens (id, expires_at) VALUES (?, 1)', long));
    await expect(write()).rejects.toThrow(StoreFull);
    await pragma('max_page_count = 1000000');
    expect(await write()).toBe(1);
  });
});
