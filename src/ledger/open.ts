// Opens the ledger of a home, as its configuration names it.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Cost,
  createApprover,
  type LedgerConfig,
  loadConfig,
  paths,
  prepareHome,
  readWaitingApprover,
  unlockApprover,
  useWaitingKey,
  verifySignature,
} from '../config/index.ts';
import {
  chainIfAny,
  chainIn,
  type HeadPinOptions,
  Ledger,
  type LedgerOptions,
  operatorKeyFrom,
  operatorKeyIn,
} from './index.ts';

/** Opens the ledger that the configuration names, creating it if it has never existed. */
export async function openLedger(
  home: string,
  config: LedgerConfig,
  loss: HeadPinOptions['loss'] = 'refuse',
): Promise<Ledger> {
  prepareHome(home);
  const { keys, deferred } = paths(home);
  const ledger = await Ledger.open({
    store: storeOf(home, config),
    operatorKey: config.key === '' ? operatorKeyIn(keys) : operatorKeyFrom(config.key),
    // INVARIANT: the chain gets its name once the store is created: a home with a name and without a store has lost it.
    chain: { known: () => chainIfAny(keys), make: () => chainIn(keys) },
    check: verifySignature,
    now: Date.now,
    kept: { ...headPinOf(home, config), loss },
    deferred,
  });
  await settleReset(home, ledger);
  return ledger;
}

/** Creates the key of a new home and makes it the first of its store. */
export async function makeOwner(
  home: string,
  passphrase: string,
  who: { readonly user: string; readonly tenant: string },
  cost?: Cost,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  prepareHome(home);
  await createApprover(home, passphrase, cost);
  const ledger = await openLedger(home, (await loadConfig({ home, environment })).ledger);
  const signer = await unlockApprover(home, passphrase);
  try {
    await ledger.enrolOwner(signer, who);
  } finally {
    signer.forget();
    await ledger.close();
  }
}

/** Activates the key of a reset once it is valid, and deletes that of a cancelled reset. */
async function settleReset(home: string, ledger: Ledger): Promise<void> {
  const waiting = readWaitingApprover(home);
  if (waiting === null) return;
  const counts = (await ledger.approvers.list()).some(
    ({ key, state }) => key === waiting.publicKey && state === 'counts',
  );
  if (counts) useWaitingKey(home);
  else if ((await ledger.approvers.pendingReset())?.key !== waiting.publicKey)
    rmSync(paths(home).approverNext, { force: true });
}

/** The location of the store that the configuration names. */
export function storeOf(home: string, config: LedgerConfig): LedgerOptions['store'] {
  if (config.postgres === null) return { file: paths(home).ledger };
  const { postgres: url, poolSize, statementTimeoutMs, ca } = config;
  return { url, poolSize, statementTimeoutMs, ...(ca === '' ? {} : { ca }) };
}

/** The facts that a home stores about the store that a configuration names. */
export function headPinOf(home: string, { postgres }: LedgerConfig): Omit<HeadPinOptions, 'loss'> {
  const { keys, ledger, token } = paths(home);
  const wrote = existsSync(join(keys, 'chain.id')) || existsSync(token);
  return {
    file: join(keys, 'head.json'),
    place: placeOf(postgres),
    // A home that switches to a database for the first time wrote to its embedded store before.
    used: wrote && (postgres === null || !existsSync(ledger)),
  };
}

/** The name of the store's location where its head is stored; the embedded one may move with its home. */
function placeOf(postgres: string | null): string {
  if (postgres === null) return 'embedded';
  try {
    const { host, pathname } = new URL(postgres);
    return `postgres://${host}${pathname}`;
  } catch {
    return 'postgres';
  }
}
