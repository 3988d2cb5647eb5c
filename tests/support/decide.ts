// A decider with guards made for the test, on a real ledger or none.

import type { Settings } from '../../src/config/index.ts';
import { configOf, settingsFrom } from '../../src/config/index.ts';
import type { Context, Finding, Guard, Judgement, Kind, World } from '../../src/core/index.ts';
import {
  createDecider,
  createDryDecider,
  type DeciderOptions,
  type Records,
} from '../../src/decide/index.ts';
import type { AnyGuard } from '../../src/guards/index.ts';

export const context: Context = {
  user: 'ann',
  tenant: 'acme',
  agent: 'coder',
  session: 's1',
  workspace: '/work',
  mode: 'default',
};

/** A world that stands still; tests move its clock. */
export function stillWorld(start = 1_700_000_000_000): World & { time: number } {
  return {
    time: start,
    now() {
      return this.time;
    },
    resolve: async () => [],
    realPath: (path) => path,
    readText: () => null,
    look: () => null,
  };
}

export function finding(more: Partial<Finding> = {}): Finding {
  return { rule: 'a_rule', guard: 'fetch', decision: 'block', message: 'it is bad', ...more };
}

/** A guard from a function; whatever kinds. */
export function guardOf<K extends Kind>(
  kinds: readonly K[],
  check: Guard<K, Settings>['check'],
  more: Partial<Guard<K, Settings>> = {},
): AnyGuard {
  return { name: 'fetch', kinds, rules: [], check, ...more } as unknown as AnyGuard;
}

/** A guard that always says the same. */
export function saying(...findings: readonly Finding[]): AnyGuard {
  return guardOf(['fetch'], () => judgement({ findings }));
}

export function judgement(more: Partial<Judgement> = {}): Judgement<never> {
  return { facts: {}, findings: [], sideEffect: false, ...more } as Judgement<never>;
}

/** A ledger that keeps nothing and has no answers, for tests to put their own parts into. */
export const noRecords: Records = {
  newId: () => 'an-id',
  record: () => undefined,
  fingerprint: () => '',
  approvals: { answered: async () => undefined, consume: async () => false, ask: async () => null },
  work: { open: async () => undefined, close: async () => true },
  permissions: { covering: async (asked) => asked.map(() => null), use: async () => true },
};

/** A decider for tests; a dry one unless a ledger is given. */
export function testDecider({ ledger, ...options }: Partial<DeciderOptions>) {
  const settings = settingsFrom({});
  const parts = {
    config: configOf(() => settings, { expirySeconds: 300, maxPending: 10 }),
    world: stillWorld(),
    ...options,
  };
  return ledger === undefined ? createDryDecider(parts) : createDecider({ ...parts, ledger });
}
