// Large files are stored as separate files, within their size limit; a full disk is detected before anything is stored.

import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hashAt, hasSpaceFor, LargeFiles } from './large.ts';
import { atOnce } from './turns.ts';

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-large-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('what does not fit is not kept, and leaves nothing behind', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'a'), 'x'.repeat(5000));
  const large = new LargeFiles(folder);
  expect(atOnce(large.keep(folder, 'a', 5000, 4999))).toBeNull();
  const hash = atOnce(large.keep(folder, 'a', 5000, 5000));
  expect(hash).toBe(hashAt(folder, 'a'));
  expect(readFileSync(large.file(hash ?? ''), 'utf8')).toHaveLength(5000);
  expect(atOnce(large.keep(folder, 'a', 5000, 9999))).toBeNull();
  large.tidy(new Set([hash ?? '']));
  expect(readdirSync(join(folder, 'large'))).toEqual([hash]);
  large.tidy(new Set());
  expect(readdirSync(join(folder, 'large'))).toEqual([]);
});

test('a disk has room for little and not for everything', () => {
  const folder = newFolder();
  expect(hasSpaceFor(folder, Number.MAX_SAFE_INTEGER)).toBe(false);
  expect(hasSpaceFor(folder, 0)).toBe(true);
});
