import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { entry, isPerson, openTestLedger, temporaryFolder } from '../../tests/support/ledger.ts';
import { KeyError, Ledger, StoreDamaged, StoreError, StoreNewer } from './index.ts';
import { openKeys } from './keys.ts';
import { Store } from './store.ts';

function open(folder: string): Ledger {
  return new Ledger({ file: join(folder, 'ledger.db'), keys: join(folder, 'keys'), verify: isPerson });
}

describe('the store', () => {
  it('is readable by its owner alone, its side files too', async () => {
    const folder = temporaryFolder();
    await openTestLedger(folder).audit.append(entry(1));
    for (const file of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'keys/ledger.key']) {
      expect([file, statSync(join(folder, file)).mode & 0o077]).toEqual([file, 0]);
    }
  });

  it('refuses what is not a store and leaves it as it is', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'ledger.db');
    writeFileSync(file, 'this is a letter to my aunt, not a database '.repeat(100));
    const before = readFileSync(file);
    expect(() => new Store(file)).toThrow(StoreDamaged);
    expect(readFileSync(file)).toEqual(before);
  });

  it('names damage in the middle of the file', async () => {
    const folder = temporaryFolder();
    const ledger = open(folder);
    for (let number = 0; number < 500; number++) void ledger.audit.append(entry(number));
    await ledger.close();
    const file = join(folder, 'ledger.db');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096);
    writeFileSync(file, bytes);
    const damaged = open(folder);
    await expect(damaged.audit.verify()).rejects.toThrow(StoreDamaged);
    await expect(damaged.audit.append(entry(1))).rejects.toThrow(StoreError);
    await damaged.close();
  });

  it('refuses the schema of a newer Sallyport', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'ledger.db');
    new Store(file).close();
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => new Store(file)).toThrow(StoreNewer);
  });

  it('names a place where no file can be', () => {
    expect(() => new Store(temporaryFolder())).toThrow(StoreError);
    expect(() => new Store(join(temporaryFolder(), 'no', 'such', 'ledger.db'))).toThrow(StoreError);
  });

  it('undoes a transaction that throws', () => {
    const store = new Store(join(temporaryFolder(), 'ledger.db'));
    expect(() =>
      store.write(() => {
        store.statement("INSERT INTO credentials VALUES ('a', 'b', 'decide', 'u', 't', NULL, 1, NULL)").run();
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(store.statement('SELECT count(*) AS n FROM credentials').get()?.['n']).toBe(0);
    store.close();
  });
});

describe('the key', () => {
  it('is made once and is the same for everybody who opens it', () => {
    const folder = temporaryFolder();
    expect(openKeys(folder).mac('a', 'b')).toBe(openKeys(folder).mac('a', 'b'));
    expect(openKeys(folder).mac('a', 'b')).not.toBe(openKeys(folder).mac('b', 'b'));
    expect(openKeys(folder).mac('a', 'b')).not.toBe(openKeys(temporaryFolder()).mac('a', 'b'));
  });

  it.each([
    ['that others may read', (file: string) => chmodSync(file, 0o644)],
    ['that was cut', (file: string) => writeFileSync(file, 'abcd')],
    ['that is empty', (file: string) => writeFileSync(file, '')],
    ['that is not hex', (file: string) => writeFileSync(file, 'z'.repeat(64))],
  ])('refuses a file %s', (_, spoil) => {
    const folder = temporaryFolder();
    openKeys(folder);
    spoil(join(folder, 'ledger.key'));
    expect(() => openKeys(folder)).toThrow(KeyError);
  });
});
