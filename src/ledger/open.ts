// Opens the ledger of a home, as its configuration names it.

import { type LedgerConfig, paths, prepareHome, readApprover, verifyByApprover } from '../config/index.ts';
import { chainIn, Ledger, type LedgerOptions, operatorKeyFrom, operatorKeyIn } from './index.ts';

/** Opens the ledger that the configuration names, making it if it is not there. */
export async function openLedger(home: string, config: LedgerConfig): Promise<Ledger> {
  prepareHome(home);
  const places = paths(home);
  const chain = chainIn(places.keys);
  const ledger = await Ledger.open({
    store: storeOf(home, config),
    operatorKey: config.key === '' ? operatorKeyIn(places.keys) : operatorKeyFrom(config.key),
    chain,
    check: verifyByApprover,
    now: Date.now,
  });
  const approver = readApprover(home);
  if (approver !== null) await ledger.approvers.set(chain, approver.publicKey, Date.now());
  return ledger;
}

/** The place of the store that the configuration names. */
export function storeOf(home: string, config: LedgerConfig): LedgerOptions['store'] {
  if (config.postgres === null) return { file: paths(home).ledger };
  const { postgres: url, poolSize, statementTimeoutMs, ca } = config;
  return { url, poolSize, statementTimeoutMs, ...(ca === '' ? {} : { ca }) };
}
