// Opens the ledger for commands that record or look. WorkerPool from the rest, for a plain verdict needs none of it.

import { existsSync } from 'node:fs';
import { ConfigError, type LedgerConfig, loadConfig, paths } from '../config/index.ts';
import type { MaybePromise } from '../core/index.ts';
import type { HeadPinOptions, Ledger } from '../ledger/index.ts';
import type { Call } from './command.ts';
import { openHome } from './open.ts';

/** Opens the ledger for one piece of work and closes it whatever happens; one that was cut can be shown, to those who look. */
export async function withLedger<T>(
  call: Call,
  work: (ledger: Ledger) => MaybePromise<T>,
  loss: HeadPinOptions['loss'] = 'refuse',
): Promise<T> {
  const { home } = openHome(call);
  const { openLedger } = await import('../ledger/open.ts');
  const ledger = await openLedger(home, await ledgerConfig(call, home), loss);
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
