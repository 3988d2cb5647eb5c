// Opens the ledger for commands that record or look. Apart from the rest, for a plain verdict needs none of it.

import { paths, prepareHome, readApprover, verifyByApprover } from '../config/index.ts';
import type { Ledger } from '../ledger/index.ts';

/** Opens the ledger in the home, making both if they are not there. */
export async function openLedger(home: string): Promise<Ledger> {
  prepareHome(home);
  const { Ledger } = await import('../ledger/index.ts');
  const places = paths(home);
  return new Ledger({
    file: places.ledger,
    keys: places.keys,
    // Read at each use: the person may choose the passphrase while a daemon runs.
    verify: (payload, signature) => {
      const approver = readApprover(home);
      return approver !== null && verifyByApprover(approver.publicKey, payload, signature);
    },
  });
}

/** Opens the ledger for one piece of work and closes it whatever happens. */
export async function withLedger<T>(home: string, work: (ledger: Ledger) => T | Promise<T>): Promise<T> {
  const ledger = await openLedger(home);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
