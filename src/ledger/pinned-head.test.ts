// A store that was removed, replaced or truncated: detected while a process uses it, and when it is opened again.

import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  addToken,
  engines,
  entry,
  newStore,
  openStore,
  type StorePlace,
  temporaryFolder,
} from '../../tests/support/ledger.ts';
import { AuditLog } from './audit.ts';
import { type HeadPinOptions, Ledger, StoreReplaced } from './index.ts';
import { SqliteStore } from './sqlite.ts';

const who = { user: 'ann', tenant: 'acme' };

/** A home on a store: the file of its head, and its ledger as a process of that home opens it. */
function homeOn(place: StorePlace, chain = 'a') {
  const file = join(place.folder, `head-${chain}.json`);
  const open = async (loss: HeadPinOptions['loss'] = 'refuse', used = true): Promise<Ledger> => {
    const kept = { file, place: 'here', used, loss };
    const ledger = await Ledger.open({ ...place.options, chain, kept });
    onTestFinished(() => ledger.close().catch(() => undefined));
    return ledger;
  };
  /** A process that started, wrote so many entries and exited. */
  const lived = async (count: number, first = false): Promise<void> => {
    const ledger = await open('refuse', !first);
    for (let number = 1; number <= count; number++) await ledger.audit.append(entry(number));
    await ledger.close();
  };
  return { file, open, lived };
}

const kept = (file: string): { seq: number }[] => JSON.parse(readFileSync(file, 'utf8')).heads;

/** Ways to truncate or change the log below its users. */
const cuts: readonly [string, readonly string[]][] = [
  ['its last entries are deleted', ['DELETE FROM audit WHERE seq > 2']],
  [
    'its last entries are deleted, and the record of its end is set back',
    [
      'DELETE FROM audit WHERE seq > 2',
      "UPDATE chains SET size = 2, hash = (SELECT hash FROM audit WHERE chain = 'a' AND seq = 2) WHERE chain = 'a'",
    ],
  ],
  ['all of its entries are deleted', ['DELETE FROM audit', 'DELETE FROM chains']],
  ['the record of its end is deleted', ['DELETE FROM chains']],
  ['the record of its end is set back', ['UPDATE chains SET size = 2']],
  ['the link of its last entry is another', ["UPDATE audit SET hash = 'x' WHERE seq = 4"]],
];

describe.each(engines)('a store on %s under a process that uses it', (engine) => {
  it.each(cuts)('is refused once %s', async (_, statements) => {
    const place = await newStore(engine);
    const ledger = await place.open();
    for (let number = 1; number <= 4; number++) await ledger.audit.append(entry(number));
    await place.tamper(...statements);
    await expect(ledger.audit.append(entry(5))).rejects.toThrow(StoreReplaced);
    // A store that is put there later is not accepted as the original one.
    await expect(ledger.audit.append(entry(6))).rejects.toThrow(/cut or replaced/);
    await expect(ledger.audit.appendLater(entry(7, { decision: 'pass' }))).rejects.toThrow(StoreReplaced);
    await expect(ledger.work.beat(1)).rejects.toThrow(StoreReplaced);
    expect(ledger.refused()).toBeInstanceOf(StoreReplaced);
    expect((await ledger.verify()).problems.map(({ problem }) => problem)).toContainEqual(
      expect.stringContaining('cut or replaced'),
    );
  });

  it('refuses what nobody waits for, at once on SQLite and with the next commit on PostgreSQL', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    for (let number = 1; number <= 4; number++) await ledger.audit.append(entry(number));
    await place.tamper('DELETE FROM audit WHERE seq > 2');
    const later = Promise.resolve(ledger.audit.appendLater(entry(5, { decision: 'pass' })));
    if (engine === 'sqlite') await expect(later).rejects.toThrow(StoreReplaced);
    else await later;
    await vi.waitFor(() => expect(ledger.refused()).toBeInstanceOf(StoreReplaced));
    if (engine === 'postgres') await expect(ledger.close()).rejects.toThrow(StoreReplaced);
  });

  it('is in order while several processes write to one chain, and to others', async () => {
    const place = await newStore(engine);
    const ledgers = [await place.open('a'), await place.open('a'), await place.open('b')];
    for (let round = 0; round < 5; round++) {
      for (const ledger of ledgers) await ledger.audit.append(entry(round));
    }
    expect((await ledgers[0]!.verify()).problems).toEqual([]);
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => ledgers[number % 3]!.audit.append(entry(number))),
    );
    expect((await ledgers[2]!.verify()).problems).toEqual([]);
    expect(ledgers.map((ledger) => ledger.refused())).toEqual([null, null, null]);
  });

  it('is refused by the daemon whose chain was cut, and by no other', async () => {
    const place = await newStore(engine);
    const [ours, theirs] = [await place.open('a'), await place.open('b')];
    for (const ledger of [ours, theirs]) {
      await ledger.audit.append(entry(1));
      await ledger.audit.append(entry(2));
    }
    await place.tamper("DELETE FROM audit WHERE chain = 'a' AND seq > 1");
    await expect(ours.audit.append(entry(3))).rejects.toThrow(StoreReplaced);
    await theirs.audit.append(entry(3));
    expect(theirs.refused()).toBeNull();
  });
});

describe.each(engines)('a store on %s that is opened again', (engine) => {
  it('holds what its home knows, and the head follows it', async () => {
    const place = await newStore(engine);
    const home = homeOn(place);
    await home.lived(3, true);
    expect(kept(home.file)).toMatchObject([{ place: 'here', chain: 'a', seq: 3 }]);
    await home.lived(2);
    expect(kept(home.file)).toMatchObject([{ seq: 5 }]);
    expect((await (await home.open()).verify()).problems).toEqual([]);
  });

  it.each(cuts)('is refused where %s', async (_, statements) => {
    const place = await newStore(engine);
    const home = homeOn(place);
    await home.lived(4, true);
    await place.tamper(...statements);
    await expect(home.open()).rejects.toThrow(StoreReplaced);
    const shown = await home.open('show');
    expect((await shown.verify()).problems).not.toEqual([]);
    await expect(shown.audit.append(entry(9))).rejects.toThrow(StoreReplaced);
    await shown.close().catch(() => undefined);
    await expect(home.open()).rejects.toThrow(StoreReplaced);
  });

  it('goes on where a person accepts the loss, and says which head is lost', async () => {
    const place = await newStore(engine);
    const home = homeOn(place);
    await home.lived(4, true);
    await place.tamper(...(cuts[1]?.[1] ?? []));
    const accepted = await home.open({ acceptedBy: who });
    expect(accepted.accepted).toBeInstanceOf(StoreReplaced);
    const [entries] = await accepted.audit.list({ eventType: 'chain_restarted' });
    expect(entries).toMatchObject({ seq: 3, ...who, details: { lost_head: { chain: 'a', seq: 4 } } });
    await accepted.close();
    await home.lived(1);
    expect(kept(home.file)).toMatchObject([{ seq: 4 }]);
    expect((await (await home.open()).verify()).problems).toEqual([]);
  });

  it('records nothing where there is no loss to accept', async () => {
    const home = homeOn(await newStore(engine));
    await home.lived(2, true);
    const ledger = await home.open({ acceptedBy: who });
    expect([ledger.accepted, await ledger.audit.size()]).toEqual([null, 2]);
  });

  it('is taken as it is where it was made before heads were kept, once', async () => {
    const place = await newStore(engine);
    const before = await place.open();
    await before.audit.append(entry(1));
    await before.close();
    const home = homeOn(place);
    await home.lived(1);
    expect(kept(home.file)).toMatchObject([{ seq: 2 }]);
    expect(await place.rows("SELECT head_kept FROM chains WHERE chain = 'a'")).toEqual([{ head_kept: 1 }]);
    rmSync(home.file);
    await expect(home.open()).rejects.toThrow(/was removed or replaced/);
  });

  it('may be ahead of the head, as after a process that was killed', async () => {
    const place = await newStore(engine);
    const home = homeOn(place);
    await home.lived(2, true);
    const earlier = readFileSync(home.file);
    await home.lived(3);
    writeFileSync(home.file, earlier);
    await home.lived(1);
    expect(kept(home.file)).toMatchObject([{ seq: 6 }]);
  });

  it.each([
    ['names another entry', (text: string) => text.replace('"seq":3', '"seq":1')],
    ['is signed with another key', (text: string) => text.replace(/"mac":"..../, '"mac":"AAAA')],
    ['has no heads', () => '{"version":1,"heads":[]}'],
    ['is no JSON', () => 'x'],
    ['is empty', () => ''],
  ])('is refused where the kept head %s', async (_, change) => {
    const home = homeOn(await newStore(engine));
    await home.lived(3, true);
    writeFileSync(home.file, change(readFileSync(home.file, 'utf8')));
    await expect(home.open()).rejects.toThrow(StoreReplaced);
    await (await home.open({ acceptedBy: who })).close();
    await home.lived(1);
  });

  it('is refused where another one is in its place, and where there is none', async () => {
    const home = homeOn(await newStore(engine));
    await home.lived(3, true);
    for (const state of ['empty', 'never opened'] as const) {
      const other = await newStore(engine, state);
      const moved = homeOn({ ...other, folder: other.folder });
      copyFileSync(home.file, moved.file);
      await expect(moved.open()).rejects.toThrow(StoreReplaced);
      // It leaves nothing behind that a second attempt would accept as a store.
      await expect(moved.open()).rejects.toThrow(StoreReplaced);
      const accepted = await moved.open({ acceptedBy: who });
      expect(await accepted.audit.list({ eventType: 'chain_restarted' })).toHaveLength(1);
      await accepted.close();
      await moved.lived(1);
    }
  });

  it('is refused where it is new and its home is not', async () => {
    const place = await newStore(engine, 'never opened');
    const home = homeOn(place);
    await expect(home.open()).rejects.toThrow(/was removed, or replaced by an empty one/);
    await home.lived(1, true);
    await home.lived(1);
  });

  it('is opened by a second home, whose chain is new', async () => {
    const place = await newStore(engine);
    await homeOn(place).lived(2, true);
    if (engine === 'sqlite')
      await expect(homeOn(place, 'b').open('refuse', false)).rejects.toThrow(StoreReplaced);
    else await homeOn(place, 'b').lived(2, true);
  });

  it('keeps the newest head of several processes', async () => {
    const home = homeOn(await newStore(engine));
    const [daemon, command] = [await home.open('refuse', false), await home.open('refuse', false)];
    await daemon.audit.append(entry(1));
    await command.audit.append(entry(2));
    await command.close();
    await daemon.close();
    expect(kept(home.file)).toMatchObject([{ seq: 2 }]);
  });
});

/**
 * An embedded store that a process has open with some entries in it, and a copy of its state before the last of them.
 */
async function opened() {
  const place = await newStore('sqlite');
  const ledger = await place.open();
  const file = join(place.folder, 'ledger.db');
  const older = join(temporaryFolder(), 'older.db');
  await ledger.audit.append(entry(1));
  await ledger.store.outside((sql) => sql.run('VACUUM INTO ?', older));
  for (let number = 2; number <= 30; number++) await ledger.audit.append(entry(number));
  return { place, ledger, file, older };
}

type Opened = Awaited<ReturnType<typeof opened>>;

/** Possible changes to the files of a store while it is open. */
const deeds: readonly [string, (opened: Opened) => void][] = [
  ['its file is removed', ({ file }) => rmSync(file)],
  [
    'all of its files are removed',
    ({ file }) => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`);
    },
  ],
  ['its file is moved away', ({ file }) => renameSync(file, `${file}.away`)],
  ['an older copy is moved over it', ({ file, older }) => renameSync(older, file)],
  [
    'an older copy is moved over it, and its log is removed',
    ({ file, older }) => {
      renameSync(older, file);
      rmSync(`${file}-wal`);
      rmSync(`${file}-shm`);
    },
  ],
  ['its log is removed', ({ file }) => rmSync(`${file}-wal`)],
  ['the index of its log is removed', ({ file }) => rmSync(`${file}-shm`)],
  ['its log is emptied', ({ file }) => truncateSync(`${file}-wal`)],
  ['its folder is moved away', ({ place }) => renameSync(place.folder, `${place.folder}-away`)],
  [
    'a copy of itself takes its place',
    ({ file }) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
];

describe('an embedded store under a process that uses it', () => {
  it.each(deeds)('is refused at once when %s', async (_, deed) => {
    const { ledger, place, ...rest } = await opened();
    onTestFinished(() => rmSync(`${place.folder}-away`, { recursive: true, force: true }));
    deed({ ledger, place, ...rest });
    const refusals = [
      ledger.audit.append(entry(31)),
      ledger.store.writeDeferred((sql) => sql.run(addToken(1))),
      ledger.tokens.consume('token', 2, 1),
      ledger.credentials.make({ ...who, scope: 'decide', agent: null }, 1),
    ];
    for (const refusal of await Promise.allSettled(refusals)) {
      expect(refusal).toMatchObject({ status: 'rejected', reason: expect.any(StoreReplaced) });
    }
    await expect(ledger.audit.appendLater(entry(32, { decision: 'pass' }))).rejects.toThrow(StoreReplaced);
    expect(ledger.refused()?.message).toMatch(/^The ledger at .* while Sallyport was running/);
    expect(ledger.refused()?.hint).toContain('sallyport store accept-loss');
  });

  it.each([
    ['an older copy of it', ({ older }: Opened) => readFileSync(older)],
    ['nothing', () => Buffer.alloc(0)],
    ['zeros', ({ file }: Opened) => Buffer.alloc(readFileSync(file).length)],
  ])('is refused when its file is overwritten with %s', async (_, content) => {
    const all = await opened();
    // Data in the log alone would survive; most of a store is not.
    await all.ledger.store.outside((sql) => sql.all('PRAGMA wal_checkpoint(TRUNCATE)'));
    await all.ledger.audit.append(entry(31));
    writeFileSync(all.file, content(all));
    await expect(all.ledger.audit.append(entry(32))).rejects.toThrow(StoreReplaced);
  });

  it('is refused, to who waits for nothing too, when an older copy takes the place of it and its log', async () => {
    const { ledger, file } = await opened();
    // Complete in itself; later data is only in the log.
    const other = new DatabaseSync(file, { timeout: 1000 });
    other.exec(`VACUUM INTO '${file}.copy'`);
    other.close();
    await ledger.audit.append(entry(31));
    copyFileSync(`${file}.copy`, file);
    truncateSync(`${file}-wal`, 0);
    await expect(ledger.audit.appendLater(entry(32, { decision: 'pass' }))).rejects.toThrow(StoreReplaced);
  });

  it('is refused to who waits for nothing once another process cut it', async () => {
    const { ledger, file } = await opened();
    const other = new DatabaseSync(file, { timeout: 1000 });
    other.exec(
      `DROP TRIGGER audit_is_never_deleted; DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)`,
    );
    other.close();
    await expect(ledger.audit.appendLater(entry(32, { decision: 'pass' }))).rejects.toThrow(StoreReplaced);
  });

  it.each([
    ['moves the log into it', 'PRAGMA wal_checkpoint(PASSIVE)'],
    ['empties the log', 'PRAGMA wal_checkpoint(TRUNCATE)'],
    ['writes it anew', 'VACUUM'],
    ['writes to another table', addToken(7)],
  ])('goes on when another process %s', async (_, statement) => {
    const { ledger, place, file } = await opened();
    const other = new DatabaseSync(file, { timeout: 1000 });
    other.prepare(statement).all();
    other.close();
    await ledger.audit.append(entry(31));
    await (await place.open()).audit.append(entry(32));
    await ledger.audit.append(entry(33));
    expect([ledger.refused(), (await ledger.verify()).problems]).toEqual([null, []]);
  });

  it('is refused to who waits for nothing too, before anything is written', async () => {
    const { ledger, file } = await opened();
    rmSync(file);
    await expect(ledger.audit.appendLater(entry(31, { decision: 'pass' }))).rejects.toThrow(StoreReplaced);
  });

  it('is not taken back when the file is put back', async () => {
    const { ledger, file } = await opened();
    renameSync(file, `${file}.away`);
    await expect(ledger.audit.append(entry(31))).rejects.toThrow(StoreReplaced);
    renameSync(`${file}.away`, file);
    await expect(ledger.audit.append(entry(31))).rejects.toThrow(StoreReplaced);
  });
});

describe('an embedded store that was changed while nothing ran', () => {
  it.each<[string, (file: string, older: string) => void]>([
    ['removed', (file) => rmSync(file)],
    ['emptied', (file) => writeFileSync(file, '')],
    ['rolled back to an older copy', (file, older) => copyFileSync(older, file)],
  ])('is refused once it was %s', async (_, deed) => {
    const place = await newStore('sqlite');
    const home = homeOn(place);
    const file = join(place.folder, 'ledger.db');
    await home.lived(2, true);
    copyFileSync(file, `${file}.older`);
    await home.lived(2);
    deed(file, `${file}.older`);
    const before = existsSync(file) ? readFileSync(file) : null;
    await expect(home.open()).rejects.toThrow(StoreReplaced);
    if (before === null) expect(existsSync(file)).toBe(false);
    const accepted = await home.open({ acceptedBy: who });
    expect(accepted.accepted).toBeInstanceOf(StoreReplaced);
    await accepted.close();
    await home.lived(1);
  });

  // INVARIANT: the head names only entries that are on disk.
  it('is in order where a power cut took what the disk had not been given yet', async () => {
    const place = await newStore('sqlite');
    const home = homeOn(place);
    const file = join(place.folder, 'ledger.db');
    await home.lived(2, true);
    copyFileSync(file, `${file}.disk`);
    const head = readFileSync(home.file);
    const ledger = await home.open();
    await ledger.audit.appendLater(entry(3, { decision: 'pass' }));
    await vi.waitFor(async () => expect(await ledger.audit.size()).toBe(3));
    expect(readFileSync(home.file)).toEqual(head);
    await ledger.close();
    // A power failure: unsynced data is lost, and so is what was written after it.
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    renameSync(`${file}.disk`, file);
    writeFileSync(home.file, head);
    await home.lived(1);
    expect(kept(home.file)).toMatchObject([{ seq: 3 }]);
  });

  it('hears of an entry when it is on disk, with all before it, and of none after the disk failed', async () => {
    const waiting: { done: () => void; failed: (error: Error) => void }[] = [];
    let held = false;
    const store = await SqliteStore.open(join(temporaryFolder(), 'slow.db'), () =>
      held
        ? new Promise<void>((resolve, reject) => waiting.push({ done: resolve, failed: reject }))
        : Promise.resolve(),
    );
    onTestFinished(async () => {
      held = false;
      for (const { done } of waiting) done();
      await store.close();
    });
    held = true;
    const heard: number[] = [];
    const log = new AuditLog(store, 'a');
    log.onDisk = ({ seq }) => heard.push(seq);
    await log.appendLater(entry(1, { decision: 'pass' }));
    await vi.waitFor(() => expect(waiting).toHaveLength(1));
    expect([await log.size(), heard]).toEqual([1, []]);
    // This one arrived when the wait for the disk had begun already, so the next wait covers it.
    const second = log.append(entry(2));
    await vi.waitFor(async () => expect(await log.size()).toBe(2));
    waiting[0]?.done();
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    expect(heard).toEqual([1]);
    waiting[1]?.done();
    await second;
    expect(heard).toEqual([1, 2]);
    const third = log.append(entry(3));
    await vi.waitFor(() => expect(waiting).toHaveLength(3));
    waiting[2]?.failed(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    await expect(third).rejects.toThrow();
    const fourth = log.append(entry(4));
    await vi.waitFor(() => expect(waiting).toHaveLength(4));
    waiting[3]?.done();
    await fourth.catch(() => undefined);
    expect(heard).toEqual([1, 2]);
  });

  it.each([
    [
      'before the new head has its name',
      (file: string) => writeFileSync(join(file, '..', '.head-a.json.0123'), '{"ver'),
    ],
    ['before the store says that a head is kept', () => undefined],
  ])('is in order where the process died %s', async (_, left) => {
    const place = await newStore('sqlite');
    const home = homeOn(place);
    await home.lived(2, true);
    await place.tamper('UPDATE chains SET head_kept = 0');
    left(home.file);
    await home.lived(1);
    expect(kept(home.file)).toMatchObject([{ seq: 3 }]);
    expect(await place.rows('SELECT head_kept FROM chains')).toEqual([{ head_kept: 1 }]);
    expect(readdirSync(place.folder).filter((name) => name.startsWith('.head-a.json'))).toHaveLength(
      _.startsWith('before the new') ? 1 : 0,
    );
  });

  it('reads as before what the engine itself opens', async () => {
    const place = await newStore('sqlite');
    const store = await openStore(place);
    await store.write((sql) => sql.run(addToken(1)));
    expect(store.refused()).toBeNull();
  });
});
