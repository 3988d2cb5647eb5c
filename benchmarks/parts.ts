// What benchmarks and evaluations stand on: one who asks, a decider that records nothing, and a ledger of its own.

import { join } from 'node:path';
import type { Settings } from '../src/config/index.ts';
import { configOf } from '../src/config/index.ts';
import type { Context } from '../src/core/index.ts';
import { createDryDecider, type Decider, type DeciderOptions, realWorld } from '../src/decide/index.ts';
import { Ledger } from '../src/ledger/index.ts';

/** One who asks, in the root folder. */
export const context: Context = {
  user: 'bench',
  tenant: 'bench',
  agent: 'bench',
  session: 'bench',
  workspace: '/',
  mode: 'default',
};

/** A decider under these settings, in the real world unless another is given; it keeps no records. */
export function deciderFor(
  settings: Settings,
  more: Partial<Pick<DeciderOptions, 'world' | 'guards'>> = {},
): Decider {
  return createDryDecider({
    config: configOf(() => settings),
    world: realWorld(),
    ...more,
  });
}

/** A ledger in a folder, which nobody else has open. */
export function openLedger(folder: string): Promise<Ledger> {
  return Ledger.open({
    store: { file: join(folder, 'ledger.db') },
    operatorKey: Buffer.alloc(32, 1),
    chain: 'bench',
    check: () => false,
    now: Date.now,
  });
}
