// Opens the ledger for commands that record or look. Apart from the rest, for a plain verdict needs none of it.

import { existsSync } from 'node:fs';
import {
  ConfigError,
  type LedgerConfig,
  loadConfig,
  paths,
  prepareHome,
  readApprover,
  verifyByApprover,
} from '../config/index.ts';
import type { Ledger, LedgerOptions } from '../ledger/index.ts';
import type { Call } from './command.ts';
import { openHome } from './open.ts';

/** Opens the ledger that the configuration names, making it if it is not there. */
export async function openLedger(home: string, config: LedgerConfig): Promise<Ledger> {
  prepareHome(home);
  const ledgers = await import('../ledger/index.ts');
  const places = paths(home);
  const chain = ledgers.chainIn(places.keys);
  const ledger = await ledgers.Ledger.open({
    store: storeOf(home, config),
    operatorKey: config.key === '' ? ledgers.operatorKeyIn(places.keys) : ledgers.operatorKeyFrom(config.key),
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

/** Opens the ledger for one piece of work and closes it whatever happens. */
export async function withLedger<T>(call: Call, work: (ledger: Ledger) => T | Promise<T>): Promise<T> {
  const { home } = openHome(call);
  const ledger = await openLedger(home, await ledgerConfig(call, home));
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/**
 * The store's part of the configuration. Where that is broken, the embedded store still opens if there is one:
 * looking, stopping and taking back must not depend on a typing mistake.
 */
async function ledgerConfig(call: Call, home: string): Promise<LedgerConfig> {
  const file = call.value('config');
  try {
    const source = { home, environment: call.io.environment, ...(file === undefined ? {} : { file }) };
    return (await loadConfig(source)).ledger;
  } catch (error) {
    if (!(error instanceof ConfigError) || !existsSync(paths(home).ledger)) throw error;
    call.io.warn(
      `sallyport: the configuration cannot be used; this is the embedded store (${error.message})`,
    );
    return (await loadConfig({ home, environment: {}, world: { ...noFiles, now: Date.now } })).ledger;
  }
}

const noFiles = { realPath: () => null, readText: () => null };
