// The people whose yes counts on this store: the public half of each person's key, vouched for by the store's own key.

import type { Verifier } from './approvals.ts';
import type { LedgerKeys } from './keys.ts';
import type { Row, Store } from './store.ts';

/** Checks a signature with one public key. */
export type SignatureCheck = (
  publicKey: string,
  payload: readonly (string | number)[],
  signature: string,
) => boolean;

/** Signatures that are remembered. */
const mostRemembered = 1000;

export class Approvers {
  readonly #store: Store;
  readonly #keys: LedgerKeys;
  readonly #check: SignatureCheck;
  /** Signatures that were found good: checking one takes longer than all the rest of a decision's reading. */
  readonly #good = new Set<string>();

  constructor(store: Store, keys: LedgerKeys, check: SignatureCheck) {
    this.#store = store;
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
        ...[publicKey, home, now, this.#mac(publicKey, home)],
      );
    });
  }

  /** Whether one of the people signed this. A row that the store's key does not vouch for counts for nothing. */
  readonly verify: Verifier = async (sql, payload, signature) => {
    const rows = await sql.all('SELECT public_key, name, mac FROM approvers');
    return rows.some((row) => this.#signed(row, payload, signature));
  };

  /** INVARIANT: the answer depends on nothing but what is asked, so that it holds whenever it is asked again. */
  #signed(row: Row, payload: Parameters<Verifier>[1], signature: string): boolean {
    const { public_key: publicKey, name, mac } = row;
    const asked = JSON.stringify([publicKey, name, mac, payload, signature]);
    if (this.#good.has(asked)) return true;
    if (!this.#isVouched(row) || !this.#check(String(publicKey), payload, signature)) return false;
    if (this.#good.size >= mostRemembered) this.#good.clear();
    this.#good.add(asked);
    return true;
  }

  #isVouched({ public_key: publicKey, name, mac }: Row): boolean {
    return mac === this.#mac(String(publicKey), String(name));
  }

  #mac(publicKey: string, name: string): string {
    return this.#keys.mac('approver', JSON.stringify([publicKey, name]));
  }
}
