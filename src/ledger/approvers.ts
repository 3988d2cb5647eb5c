// The people whose yes counts on this store: the public half of each person's key, vouched for by the store's own key.
// The owner of a home says yes to anything; a user of its configuration to what the role allows.

import { answerPurpose, type Verifier } from './approvals.ts';
import type { AuditLog } from './audit.ts';
import type { LedgerKeys } from './keys.ts';
import { newestNumber, policiesPurpose } from './policies.ts';
import type { Row, Sql, Store } from './store.ts';

/** Checks a signature with one public key. */
export type SignatureCheck = (
  publicKey: string,
  payload: readonly (string | number)[],
  signature: string,
) => boolean;

/** A user of a home's configuration. */
export interface Person {
  readonly name: string;
  readonly role: string;
  readonly publicKey: string;
}

/** Whose configuration it is, and when it was read. */
export interface Home {
  readonly home: string;
  readonly owner: { readonly user: string; readonly tenant: string };
  readonly now: number;
}

/** Signatures that are remembered. */
const mostRemembered = 1000;

export class Approvers {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #keys: LedgerKeys;
  readonly #check: SignatureCheck;
  /** Signatures that were found good: checking one takes longer than all the rest of a decision's reading. */
  readonly #good = new Set<string>();

  constructor(store: Store, audit: AuditLog, keys: LedgerKeys, check: SignatureCheck) {
    this.#store = store;
    this.#audit = audit;
    this.#keys = keys;
    this.#check = check;
  }

  /** Makes the key of a home's person count on every daemon of this store, and the one before it no longer. */
  async set(home: string, publicKey: string, now: number): Promise<void> {
    const find = 'SELECT public_key FROM approvers WHERE name = ?';
    const known = await this.#store.read((sql) => sql.all(find, home));
    if (known.length === 1 && known[0]?.['public_key'] === publicKey) return;
    await this.#store.write(async (sql) => {
      await sql.run('DELETE FROM approvers WHERE name = ? OR public_key = ?', home, publicKey);
      await sql.run(
        'INSERT INTO approvers (public_key, name, created_at, mac) VALUES (?, ?, ?, ?)',
        ...[publicKey, home, now, this.#mac([publicKey, home])],
      );
    });
  }

  /**
   * Makes exactly these users of a home count. What one who is gone said yes to counts no longer; policies that one
   * kept stand, since without them nothing would be decided.
   */
  async setUsers(users: readonly Person[], { home, owner, now }: Home): Promise<void> {
    const read = async (sql: Sql) => {
      const rows = await sql.all('SELECT * FROM people WHERE home = ? AND policies_until IS NULL', home);
      const known = rows.map(userOf);
      const gone = known.filter(
        (row) => !this.#isVouchedUser(row) || !users.some((user) => isSame(row, user)),
      );
      const come = users.filter((user) => !known.some((row) => !gone.includes(row) && isSame(row, user)));
      return { gone, come };
    };
    const { gone: before, come: after } = await this.#store.read(read);
    if (before.length + after.length === 0) return;
    await this.#store.write(async (sql) => {
      const { gone, come } = await read(sql);
      const until = await newestNumber(sql);
      for (const row of gone) {
        await this.#forget(sql, row);
        // INVARIANT: what nobody vouched for is not vouched for now.
        const stays = row.role === 'admin' && until > 0 && this.#isVouchedUser(row);
        if (stays) await this.#insert(sql, { ...row, until });
      }
      for (const user of come) {
        const row = { ...user, home, until: null, madeAt: now };
        await this.#forget(sql, row);
        await this.#insert(sql, row);
      }
      const named = (list: readonly Person[]) => list.map(({ name, role }) => ({ name, role }));
      const details = { added: named(come), removed: named(gone) };
      await this.#audit.insert(sql, [
        { time: now, event_type: 'users_changed', ...owner, agent: '', details },
      ]);
    });
  }

  /** Whether one of the people signed this. A row that the store's key does not vouch for counts for nothing. */
  readonly verify: Verifier = async (sql, payload, signature) => {
    const owners = await sql.all('SELECT public_key, name, mac FROM approvers');
    if (
      owners.some(
        (row) => this.#isVouched(row) && this.#signed(String(row['public_key']), payload, signature),
      )
    )
      return true;
    const users = (await sql.all('SELECT * FROM people')).map(userOf);
    return users.some(
      (row) =>
        this.#isVouchedUser(row) && maySign(row, payload) && this.#signed(row.publicKey, payload, signature),
    );
  };

  /** INVARIANT: the answer depends on nothing but what is asked, so that it holds whenever it is asked again. */
  #signed(...asked: Parameters<SignatureCheck>): boolean {
    const key = JSON.stringify(asked);
    if (this.#good.has(key)) return true;
    if (!this.#check(...asked)) return false;
    if (this.#good.size >= mostRemembered) this.#good.clear();
    this.#good.add(key);
    return true;
  }

  async #forget(sql: Sql, { home, publicKey, role }: UserRow): Promise<void> {
    const forget = 'DELETE FROM people WHERE home = ? AND public_key = ? AND role = ?';
    await sql.run(forget, home, publicKey, role);
  }

  async #insert(sql: Sql, row: UserRow): Promise<void> {
    await sql.run(
      'INSERT INTO people (home, public_key, role, name, policies_until, created_at, mac) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[row.home, row.publicKey, row.role, row.name, row.until, row.madeAt, this.#userMac(row)],
    );
  }

  #isVouched({ public_key: publicKey, name, mac }: Row): boolean {
    return mac === this.#mac([String(publicKey), String(name)]);
  }

  #isVouchedUser(row: UserRow): boolean {
    return row.mac === this.#userMac(row);
  }

  #userMac({ home, publicKey, role, name, until }: UserRow): string {
    return this.#mac([publicKey, name, home, role, until === null ? '' : String(until)]);
  }

  #mac(parts: readonly string[]): string {
    return this.#keys.mac('approver', JSON.stringify(parts));
  }
}

interface UserRow extends Person {
  readonly home: string;
  /** The last set of policies that the key counts for; null while the user is there. */
  readonly until: number | null;
  readonly madeAt: number;
  readonly mac?: string;
}

function userOf(row: Row): UserRow {
  const until = row['policies_until'] ?? null;
  return {
    home: String(row['home']),
    publicKey: String(row['public_key']),
    role: String(row['role']),
    name: String(row['name']),
    until: until === null ? null : Number(until),
    madeAt: Number(row['created_at']),
    mac: String(row['mac']),
  };
}

function isSame(one: Person, other: Person): boolean {
  return one.name === other.name && one.role === other.role && one.publicKey === other.publicKey;
}

/** INVARIANT: a key counts for what its role may do, and that of a user who is gone for the policies up to then. */
function maySign({ role, until }: UserRow, [purpose, version]: readonly (string | number)[]): boolean {
  if (until !== null) return purpose === policiesPurpose && Number(version) <= until;
  return role === 'admin' || (role === 'approver' && purpose === answerPurpose);
}
