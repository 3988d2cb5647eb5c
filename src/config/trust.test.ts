// Trust in workspace files: signed by the person, for one path and one text.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApprover, leastCost, newKey, type Signer, unlockApprover } from './approver.ts';
import { ConfigError, HomeError } from './errors.ts';
import { paths, readRegularFile } from './home.ts';
import { isTrusted, listTrusted, listTrustProblems, trustFile, untrustFile } from './trust.ts';

let folder: string;
let home: string;
let file: string;
let signer: Signer;
let approver: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-trust-')));
  home = join(folder, 'home');
  mkdirSync(home);
  await createApprover(home, 'a long passphrase');
  signer = await unlockApprover(home, 'a long passphrase');
  approver = readFileSync(paths(home).approver, 'utf8');
});

beforeEach(() => {
  file = join(folder, 'sallyport.toml');
  writeFileSync(file, 'a = 1\n');
  writeFileSync(paths(home).approver, approver);
  rmSync(paths(home).trust, { force: true });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const ask = (text = readFileSync(file, 'utf8'), path = file) =>
  isTrusted({ home, path, text, readText: readRegularFile });

type Entry = { path: string; sha256: string; at: string; signature: string };

function rewrite(change: (entry: Entry) => unknown): void {
  const entries: Entry[] = JSON.parse(readFileSync(paths(home).trust, 'utf8'));
  writeFileSync(paths(home).trust, JSON.stringify(entries.map(change)));
}

describe('trustFile', () => {
  test('makes exactly this text at this path trusted', () => {
    expect(ask()).toEqual({ trusted: false, reason: 'it was not trusted' });
    const entry = trustFile(home, file, signer);
    expect(entry).toMatchObject({ path: file, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(ask()).toEqual({ trusted: true });
    expect(statSync(paths(home).trust).mode & 0o777).toBe(0o600);
    expect(ask('a = 2\n')).toEqual({ trusted: false, reason: 'it changed since it was trusted' });
    expect(ask('\ufeffa = 1\n')).toEqual({ trusted: false, reason: 'it changed since it was trusted' });
    expect(ask(undefined, join(folder, 'other', 'sallyport.toml'))).toMatchObject({ trusted: false });
  });

  test('counts by the keys that the ledger names, where there is one', async () => {
    const other = await newKey('another passphrase', leastCost);
    trustFile(home, file, other.signer);
    const by = (approverKeys: () => readonly string[] | null) =>
      isTrusted({
        ...{ home, path: file, text: readFileSync(file, 'utf8'), readText: readRegularFile, approverKeys },
      });
    const [own, theirs] = [signer.publicKey, other.signer.publicKey];
    expect(by(() => [own, theirs])).toEqual({ trusted: true });
    expect(by(() => [own])).toMatchObject({ trusted: false, reason: expect.stringContaining('not by') });
    expect(by(() => [])).toMatchObject({
      trusted: false,
      reason: expect.stringContaining('no approver key'),
    });
    expect(by(() => null)).toMatchObject({ trusted: false });
    // Replacing the owner's file by another has no effect.
    writeFileSync(paths(home).approver, JSON.stringify(other.file));
    expect(by(() => null)).toEqual({ trusted: true });
    expect(by(() => [own])).toMatchObject({ trusted: false });
  });

  test('resolves links, and keeps one entry for a path', () => {
    const link = join(folder, 'link.toml');
    symlinkSync(file, link);
    expect(trustFile(home, link, signer).path).toBe(file);
    writeFileSync(file, 'a = 2\n');
    trustFile(home, file, signer);
    expect(listTrusted(home)).toMatchObject([{ path: file, valid: true }]);
    expect(ask('a = 1\n')).toMatchObject({ trusted: false });
    rmSync(link);
  });

  test('refuses what does not exist, what is no file, and a closed key', async () => {
    expect(() => trustFile(home, join(folder, 'none'), signer)).toThrow(ConfigError);
    expect(() => trustFile(home, folder, signer)).toThrow('is not a regular file');
    const closed = await unlockApprover(home, 'a long passphrase');
    closed.forget();
    expect(() => trustFile(home, file, closed)).toThrow('closed');
    expect(existsSync(paths(home).trust)).toBe(false);
  });

  test('does not write over a broken trust.json', () => {
    writeFileSync(paths(home).trust, 'broken');
    expect(() => trustFile(home, file, signer)).toThrow(HomeError);
    expect(readFileSync(paths(home).trust, 'utf8')).toBe('broken');
  });
});

describe('isTrusted', () => {
  test.each<[string, (entry: Entry) => unknown, string]>([
    ['a changed hash', (entry) => ({ ...entry, sha256: '0'.repeat(64) }), 'changed since'],
    [
      'a changed signature',
      (entry) => ({ ...entry, signature: `A${entry.signature.slice(1)}` }),
      'signature',
    ],
    ['no signature', (entry) => ({ ...entry, signature: '' }), 'signature'],
    ['a missing signature', ({ signature: _, ...entry }) => entry, 'trust.json cannot be used'],
    ['an unknown key', (entry) => ({ ...entry, note: 'x' }), 'trust.json cannot be used'],
    ['a hash that is none', (entry) => ({ ...entry, sha256: 'x' }), 'trust.json cannot be used'],
    ['no object', () => 'x', 'trust.json cannot be used'],
  ])('says no to an entry with %s', (_, change, reason) => {
    trustFile(home, file, signer);
    rewrite((entry) => {
      const changed = change(entry);
      // The first letter may be an A already.
      return JSON.stringify(changed) === JSON.stringify(entry) ? { ...entry, signature: 'B' } : changed;
    });
    expect(ask()).toEqual({ trusted: false, reason: expect.stringContaining(reason) });
  });

  test('says no to an entry moved to another path', () => {
    trustFile(home, file, signer);
    const other = join(folder, 'other.toml');
    rewrite((entry) => ({ ...entry, path: other }));
    expect(ask('a = 1\n', other)).toMatchObject({
      trusted: false,
      reason: expect.stringContaining('signature'),
    });
  });

  test('says no to a broken trust.json', () => {
    for (const text of ['', '{', '{}', 'null', '[1]', '[{"path":"/a"}]']) {
      writeFileSync(paths(home).trust, text);
      expect(ask()).toEqual({ trusted: false, reason: expect.stringContaining('trust.json cannot be used') });
    }
  });

  test('says no without the approver’s key, with a broken one, and with another one', async () => {
    trustFile(home, file, signer);
    rmSync(paths(home).approver);
    expect(ask()).toEqual({ trusted: false, reason: expect.stringContaining('no approver key') });
    writeFileSync(paths(home).approver, '{}');
    expect(ask()).toEqual({ trusted: false, reason: expect.stringContaining('approver.json') });
    rmSync(paths(home).approver);
    await createApprover(home, 'another passphrase');
    expect(ask()).toEqual({ trusted: false, reason: expect.stringContaining('signature') });
  });
});

test('untrustFile takes the trust back, also of a file that is gone', () => {
  trustFile(home, file, signer);
  expect(untrustFile(home, join(folder, 'never.toml'))).toBe(false);
  rmSync(file);
  expect(untrustFile(home, file)).toBe(true);
  expect(listTrusted(home)).toEqual([]);
});

test('listTrusted and listTrustProblems tell valid entries from others', () => {
  expect(listTrusted(home)).toEqual([]);
  expect(listTrustProblems(home, readRegularFile)).toEqual([]);
  trustFile(home, file, signer);
  expect(listTrusted(home)).toMatchObject([{ path: file, valid: true }]);
  expect(listTrustProblems(home, readRegularFile)).toEqual([]);
  rewrite((entry) => ({ ...entry, sha256: '0'.repeat(64) }));
  expect(listTrusted(home)).toMatchObject([{ path: file, valid: false }]);
  expect(listTrustProblems(home, readRegularFile)).toEqual([expect.stringContaining(file)]);
  rmSync(paths(home).approver);
  expect(listTrusted(home)).toMatchObject([{ valid: false }]);
  expect(listTrustProblems(home, readRegularFile)).toEqual([expect.stringContaining('no approver key')]);
  writeFileSync(paths(home).trust, 'broken');
  expect(() => listTrusted(home)).toThrow(HomeError);
  expect(listTrustProblems(home, readRegularFile)).toEqual([expect.stringContaining('trust.json')]);
});
