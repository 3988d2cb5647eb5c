// Opens the ledger of a home, as its configuration names it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type LedgerConfig, paths, prepareHome, readApprover, verifyByApprover } from '../config/index.ts';
import {
  chainIfAny,
  chainIn,
  type KeptOptions,
  Ledger,
  type LedgerOptions,
  operatorKeyFrom,
  operatorKeyIn,
} from './index.ts';

/** Opens the ledger that the configuration names, making it if it is not there and never was. */
export async function openLedger(
  home: string,
  config: LedgerConfig,
  loss: KeptOptions['loss'] = 'refuse',
): Promise<Ledger> {
  prepareHome(home);
  const { keys, deferred } = paths(home);
  const ledger = await Ledger.open({
    store: storeOf(home, config),
    operatorKey: config.key === '' ? operatorKeyIn(keys) : operatorKeyFrom(config.key),
    // INVARIANT: the chain has its name once the store is made: a home with a name and without a store has lost it.
    chain: { known: () => chainIfAny(keys), make: () => chainIn(keys) },
    check: verifyByApprover,
    now: Date.now,
    kept: { ...keptOf(home, config), loss },
    deferred,
  });
  const approver = readApprover(home);
  if (approver !== null && ledger.refused() === null) {
    await ledger.approvers.set(ledger.audit.chain, approver.publicKey, Date.now());
  }
  return ledger;
}

/** The place of the store that the configuration names. */
export function storeOf(home: string, config: LedgerConfig): LedgerOptions['store'] {
  if (config.postgres === null) return { file: paths(home).ledger };
  const { postgres: url, poolSize, statementTimeoutMs, ca } = config;
  return { url, poolSize, statementTimeoutMs, ...(ca === '' ? {} : { ca }) };
}

/** What a home knows of the store that a configuration names. */
export function keptOf(home: string, { postgres }: LedgerConfig): Omit<KeptOptions, 'loss'> {
  const { keys, ledger, token } = paths(home);
  const wrote = existsSync(join(keys, 'chain.id')) || existsSync(token);
  return {
    file: join(keys, 'head.json'),
    place: placeOf(postgres),
    // A home that turns to a database for the first time wrote to its embedded store before.
    used: wrote && (postgres === null || !existsSync(ledger)),
  };
}

/** What the place of a store is called where its head is kept; the embedded one may move with its home. */
function placeOf(postgres: string | null): string {
  if (postgres === null) return 'embedded';
  try {
    const { host, pathname } = new URL(postgres);
    return `postgres://${host}${pathname}`;
  } catch {
    return 'postgres';
  }
}
