import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { entry as anyEntry, engines, newStore, type StorePlace } from '../../tests/support/ledger.ts';
import { canonicalJson } from '../core/index.ts';
import { DeferredEntries } from './deferred.ts';
import { eventTypes, Ledger, type NewEntry } from './index.ts';

/** An entry of the deferred kind. */
const entry = (number: number) => anyEntry(number, { decision: 'pass' });

/** A store, and a folder for entries that are acknowledged before they are committed. */
async function newPlace(engine: (typeof engines)[number] = 'sqlite') {
  const place = await newStore(engine);
  const deferred = join(place.folder, 'deferred');
  const open = async () => {
    const ledger = await Ledger.open({ ...place.options, deferred });
    onTestFinished(() => ledger.close());
    return ledger;
  };
  return { ...place, deferred, open };
}

const numbersOf = async (ledger: Ledger) =>
  (await ledger.audit.list({})).map(({ details }) => details['number']).reverse();

/** A process that acknowledges entries and exits in the same turn, so that none of its timers fires. */
/** The process was delayed, so that an entry had to wait for the disk: that happens on a busy machine. */
const lagged = 3;

const dying = `
  const { Ledger } = await import(process.argv[1]);
  const { options, entries } = JSON.parse(process.argv[2]);
  const operatorKey = Buffer.alloc(32, 7);
  const ledger = await Ledger.open({ ...options, operatorKey, check: () => false, now: () => 1_700_000_000_000 });
  // Nothing is deferred before the process knows the end of the chain from a commit of its own.
  const [durable, ...harmless] = entries;
  await ledger.record(durable, true);
  const waits = harmless.map((entry) => ledger.record(entry, false));
  if (waits.every((wait) => wait === undefined)) process.kill(process.pid, 'SIGKILL');
  process.exit(${lagged});
`;

/** Records entries in a process that is then killed; false if it was delayed before. */
function killedAfter(place: StorePlace & { readonly deferred: string }, numbers: readonly number[]): boolean {
  const { operatorKey: _, check: __, now: ___, ...rest } = place.options;
  const options = { ...rest, deferred: place.deferred };
  const task = JSON.stringify({ options, entries: numbers.map((number) => entry(number)) });
  const { signal, status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', dying, new URL('./index.ts', import.meta.url).href, task],
    { encoding: 'utf8' },
  );
  if (status === lagged) return false;
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
  return true;
}

/** A file as an ended process left it. */
function leave(folder: string, rows: readonly (readonly [string, string])[]): void {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'left.db'));
  database.exec('CREATE TABLE entries (number INTEGER PRIMARY KEY, salt TEXT, body TEXT)');
  for (const row of rows) database.prepare('INSERT INTO entries (salt, body) VALUES (?, ?)').run(...row);
  database.close();
}

describe.each(engines)('an entry that is acknowledged before it is committed, on %s', (engine) => {
  it('outlives a process that is killed before any of its timers fires', async () => {
    let place = await newPlace(engine);
    for (let tries = 0; !(killedAfter(place, [1, 2, 3]) && killedAfter(place, [4, 5])); tries++) {
      expect(tries).toBeLessThan(20);
      place = await newPlace(engine);
    }
    const ledger = await place.open();
    expect(await numbersOf(ledger)).toEqual([1, 2, 3, 4, 5]);
    expect(await ledger.verify()).toMatchObject({ entries: 5, problems: [] });
    expect(readdirSync(place.deferred)).toEqual([]);
  });

  it('is in the log once, though its process died between the commit and the removal', async () => {
    const place = await newPlace(engine);
    const first = await place.open();
    await first.audit.append(entry(1));
    const [row] = await place.rows('SELECT salt, body FROM audit');
    const body = String(row?.['body']);
    leave(place.deferred, [
      [String(row?.['salt']), body],
      ['ab'.repeat(16), body.replace('"number":1', '"number":2')],
    ]);
    expect(await numbersOf(await place.open())).toEqual([1, 2]);
    expect(readdirSync(place.deferred)).toEqual([]);
  });
});

describe('the file of deferred entries', () => {
  it('belongs to its process for as long as that is alive, and is gone when it ends', async () => {
    const place = await newPlace();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = await place.open();
    expect(first.record(entry(1), false)).toBeUndefined();
    const [name = ''] = readdirSync(place.deferred);
    expect(statSync(join(place.deferred, name)).mode & 0o077).toBe(0);
    const second = await place.open();
    expect(await numbersOf(second)).toEqual([]);
    await first.close();
    expect(await numbersOf(second)).toEqual([1]);
    expect(readdirSync(place.deferred)).toEqual([]);
  });

  it('is kept for the next process where something in it could not be committed', async () => {
    const place = await newPlace();
    const entries = new DeferredEntries(place.deferred);
    const sealed = (number: number) => ({
      salt: `${number}`.repeat(32),
      body: canonicalJson(entry(number)),
    });
    const last = [1, 2].map((number) => entries.add(sealed(number))).at(-1) ?? 0;
    entries.add(sealed(3));
    entries.remove(last);
    entries.close();
    expect(await numbersOf(await place.open())).toEqual([3]);
    expect(readdirSync(place.deferred)).toEqual([]);
  });

  it('is done without where it cannot be written: the entry is committed first', async () => {
    const place = await newPlace();
    const ledger = await place.open();
    await ledger.record(entry(1), true);
    writeFileSync(place.deferred, 'not a folder');
    const waits = ledger.record(entry(2), false);
    expect(waits).toBeInstanceOf(Promise);
    await waits;
    expect(await numbersOf(ledger)).toEqual([1, 2]);
  });

  it('is dropped where it is damaged or holds what is no entry', async () => {
    const place = await newPlace();
    leave(place.deferred, [
      ['ab'.repeat(16), 'no JSON'],
      ['cd'.repeat(16), '{"time":1}'],
    ]);
    writeFileSync(join(place.deferred, 'damaged.db'), 'x'.repeat(4096));
    expect(await numbersOf(await place.open())).toEqual([]);
    expect(readdirSync(place.deferred)).toEqual([]);
  });

  const forged: readonly (readonly [string, Partial<NewEntry>])[] = [
    ...eventTypes
      .filter((type) => type !== 'decision' && type !== 'guard_error')
      .map((type) => [`an entry of ${type}`, { event_type: type }] as const),
    ['a decision that refuses', { decision: 'block' }],
    ['a decision that waits', { decision: 'approve' }],
    ['a decision of tomorrow', { time: 1_700_000_000_000 + 86_400_000 }],
  ];
  it('gives nothing to the log that is not deferred: another program may have written it', async () => {
    const place = await newPlace();
    const bodies = forged.map(([, more]) => canonicalJson({ ...entry(1), ...more }));
    const rows = bodies.map((body, index): [string, string] => [String(index).padStart(32, '0'), body]);
    leave(place.deferred, [
      ...rows,
      ['no salt', canonicalJson(entry(1))],
      ['ab'.repeat(16), canonicalJson(entry(2))],
    ]);
    const ledger = await place.open();
    expect(await numbersOf(ledger)).toEqual([2]);
    expect(await ledger.verify()).toMatchObject({ entries: 1, problems: [] });
    expect(readdirSync(place.deferred)).toEqual([]);
  });

  it.each(forged.slice(0, -1))('never holds %s', async (_, more) => {
    const place = await newPlace();
    const ledger = await place.open();
    await ledger.record(entry(1), true);
    const waits = ledger.record({ ...entry(2), ...more }, false);
    expect(waits).toBeInstanceOf(Promise);
    await waits;
  });

  it('is left alone while its owner is making it, and removed long after', async () => {
    const place = await newPlace();
    mkdirSync(place.deferred);
    const path = join(place.deferred, 'new.db');
    writeFileSync(path, '');
    await (await place.open()).close();
    expect(readdirSync(place.deferred)).toEqual(['new.db']);
    utimesSync(path, 1, 1);
    await (await place.open()).close();
    expect(readdirSync(place.deferred)).toEqual([]);
  });
});

describe('the age of what is acknowledged and not on disk', () => {
  /** Timers never fire, as in a process whose event loop stalls, and the clock advances only on request. */
  async function stalled() {
    const place = await newPlace();
    const ledger = await place.open();
    let now = 1000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => {
      clock.mockRestore();
      vi.useRealTimers();
    });
    const pass = (milliseconds: number) => {
      now += milliseconds;
    };
    return { ledger, pass };
  }

  it('is 100 milliseconds at most when another is acknowledged, though no timer fires', async () => {
    const { ledger, pass } = await stalled();
    expect(ledger.record(entry(1), false)).toBeUndefined();
    pass(100);
    expect(ledger.record(entry(2), false)).toBeUndefined();
    pass(0.1);
    const waits = ledger.record(entry(3), false);
    expect(waits).toBeInstanceOf(Promise);
    await waits;
    expect(await numbersOf(ledger)).toEqual([1, 2, 3]);
    pass(100);
    expect(ledger.record(entry(4), false)).toBeUndefined();
  });
});
