// Replaces a store by a backup. INVARIANT: no later record is lost without a report.

import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, SallyportError } from '../core/index.ts';
import { alone, beside, CopyRefused, cell, flush, refuseProblems } from './copy-checks.ts';
import { LedgerKeys } from './keys.ts';
import { type PinnedHead, tailOf } from './pinned-head.ts';
import { SqliteStore } from './sqlite.ts';
import { type Row, type Sql, type Store, StoreDamaged } from './store.ts';
import { type Verification, verifyStore } from './verify.ts';

/** Restoring the backup would lose entries of the store that it does not contain. */
export class WouldLoseEntries extends SallyportError {}

export interface RestoreOptions {
  /** The backup, which is not changed. */
  readonly file: string;
  /** The store's file; an existing one is preserved beside it. */
  readonly into: string;
  readonly operatorKey: Uint8Array;
  readonly now: number;
  /** The newest entry known to this home, if any. */
  readonly kept?: PinnedHead | undefined;
  /** Restores even if entries are lost, or the backup does not verify. */
  readonly force?: boolean;
  readonly progress?: (entries: number) => void;
}

/** The result of a restore. */
export interface Restored {
  /** The new location of the replaced store; null if there was none. */
  readonly kept: string | null;
  /** Entries of the replaced store that the backup does not contain. */
  readonly lost: number;
  /** Erasures since the backup, whose content is restored; they have to be repeated. */
  readonly erasuresUndone: number;
  readonly verification: Verification;
}

/**
 * Replaces an embedded store that no process has open by a backup. Everything that ended since stays ended: revoked
 * credentials and grants, used tokens; and every open approval and proposed change ends, because an approval must not
 * be valid twice.
 */
export async function restoreStore(options: RestoreOptions): Promise<Restored> {
  const { file, into, force = false } = options;
  const temporary = beside(into);
  try {
    takeIn(file, temporary);
    const copy = await SqliteStore.open(temporary);
    let verification: Verification;
    let before: Before;
    try {
      const keys = await LedgerKeys.open(copy, options.operatorKey, options.now);
      verification = await verifyStore(copy, {
        keys: await keys.verifying(),
        ...(options.progress === undefined ? {} : { progress: options.progress }),
      });
      refuseProblems(verification, force, 'nothing was restored');
      before = await withPinned(await compare(into, copy), options.kept, copy);
      if (before.lost > 0 && !force) {
        const entries = before.lost === 1 ? 'entry' : 'entries';
        throw new WouldLoseEntries(`the store has ${before.lost} ${entries} that the backup does not have`, {
          hint: '--force restores it all the same; the store as it is now is kept beside',
        });
      }
      await carryOver(copy, before);
    } finally {
      await copy.close();
    }
    await alone(temporary);
    const kept = existsSync(into) ? await putAside(into, before.readable) : null;
    flush(temporary);
    renameSync(temporary, into);
    flush(dirname(into));
    return { kept, lost: before.lost, erasuresUndone: before.erasures, verification };
  } catch (error) {
    for (const path of [temporary, `${temporary}-wal`, `${temporary}-shm`]) rmSync(path, { force: true });
    throw error;
  }
}

function takeIn(file: string, temporary: string): void {
  try {
    // A copy of an open store has part of its data in the log beside it.
    for (const end of ['', '-wal']) {
      if (end !== '' && !existsSync(`${file}${end}`)) continue;
      copyFileSync(`${file}${end}`, `${temporary}${end}`);
      chmodSync(`${temporary}${end}`, 0o600);
    }
  } catch (error) {
    throw new CopyRefused(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (statSync(temporary).size === 0) throw new CopyRefused(`${file} is empty`);
}

/** The entries of the replaced store that the backup does not contain. */
interface Before {
  readonly readable: boolean;
  readonly lost: number;
  readonly erasures: number;
  readonly tokens: readonly Row[];
  readonly revoked: readonly (readonly [table: 'credentials' | 'grants', row: Row])[];
}

async function compare(into: string, copy: Store): Promise<Before> {
  const none = { lost: 0, erasures: 0, tokens: [], revoked: [] };
  if (!existsSync(into)) return { readable: true, ...none };
  try {
    const current = await SqliteStore.open(into);
    try {
      return await current.read((sql) => difference(sql, copy));
    } finally {
      await current.close();
    }
  } catch (error) {
    // An unreadable store is the use case of a backup.
    if (error instanceof StoreDamaged) return { readable: false, ...none };
    throw error;
  }
}

/** The same, if the store is missing and only its newest entry is known. */
async function withPinned(before: Before, kept: PinnedHead | undefined, copy: Store): Promise<Before> {
  if (kept === undefined) return before;
  const { chain, seq, hash } = kept;
  const find = 'SELECT hash FROM audit WHERE chain = ? AND seq = ?';
  const [row] = await copy.read((sql) => sql.all(find, chain, seq));
  if (row?.['hash'] === hash) return before;
  const { seq: size } = await tailOf(copy, chain);
  return { ...before, lost: Math.max(before.lost, seq - size, 1) };
}

async function difference(sql: Sql, copy: Store): Promise<Before> {
  let lost = 0;
  for (const { chain, size, hash } of await sql.all('SELECT chain, size, hash FROM chains')) {
    lost += Number(size) - (await shared(String(chain), Number(size), String(hash), sql, copy));
  }
  const revoked = async (table: 'credentials' | 'grants') =>
    (await sql.all(`SELECT id, revoked_at FROM ${table} WHERE revoked_at IS NOT NULL`)).map(
      (row) => [table, row] as const,
    );
  const count = "SELECT count(*) AS n FROM audit WHERE event_type = 'erased'";
  const [now] = await sql.all(count);
  const [then] = await copy.read((other) => other.all(count));
  return {
    readable: true,
    lost,
    erasures: Math.max(0, Number(now?.['n']) - Number(then?.['n'])),
    tokens: await sql.all('SELECT id, expires_at FROM tokens'),
    revoked: [...(await revoked('credentials')), ...(await revoked('grants'))],
  };
}

/** The number of equal entries from the start; a link covers all before it, so a binary search finds the end. */
async function shared(chain: string, size: number, hash: string, sql: Sql, copy: Store): Promise<number> {
  const text = 'SELECT hash FROM audit WHERE chain = ? AND seq = ?';
  const theirs = (seq: number) =>
    copy.read(async (other) => (await other.all(text, chain, seq))[0]?.['hash']);
  if ((await theirs(size)) === hash) return size;
  let [low, high] = [0, size];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    const own = (await sql.all(text, chain, middle))[0]?.['hash'];
    if (own !== undefined && own === (await theirs(middle))) low = middle;
    else high = middle;
  }
  return low;
}

async function carryOver(copy: Store, { tokens, revoked }: Before): Promise<void> {
  await copy.write(async (sql) => {
    await sql.run(
      `UPDATE approvals SET state = 'expired', sealed = NULL WHERE state IN ('pending', 'approved', 'denied')`,
    );
    await sql.run(`UPDATE changes SET state = 'expired', sealed = NULL WHERE state = 'staged'`);
    await sql.run(`UPDATE runs SET state = 'expired', sealed = NULL WHERE state = 'waiting'`);
    // The server knows a token that was renewed since as used, and would treat its reuse as theft.
    await sql.run('DELETE FROM logins');
    for (const { id, expires_at: until } of tokens) {
      const keep = 'INSERT INTO tokens (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING';
      await sql.run(keep, cell(id), cell(until));
    }
    for (const [table, { id, revoked_at: at }] of revoked) {
      const end = `UPDATE ${table} SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?`;
      await sql.run(end, cell(at), cell(id));
    }
  });
}

/**
 * Creates a second name for the existing store beside it, so that there is a store at every moment; no file that was
 * preserved earlier is overwritten.
 */
async function putAside(into: string, readable: boolean): Promise<string> {
  if (readable) await alone(into);
  let kept = `${into}.before-restore`;
  for (let number = 2; existsSync(kept); number++) kept = `${into}.before-restore-${number}`;
  // The log of another file must never be beside the new one.
  for (const end of ['-wal', '-shm']) {
    if (existsSync(`${into}${end}`)) renameSync(`${into}${end}`, `${kept}${end}`);
  }
  try {
    linkSync(into, kept);
  } catch {
    // Not every file system supports hard links.
    renameSync(into, kept);
  }
  return kept;
}
