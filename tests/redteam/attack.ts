// What an attack is, and how its end is told: by its effect, never by an exit code.

import type { Victim } from './victim.ts';

export const groupNames = [
  'workspace',
  'ledger',
  'home',
  'attach',
  'exec',
  'approve',
  'approve-unguarded',
  'reset',
  'unhook',
  'guess',
  'drown',
] as const;
export type GroupName = (typeof groupNames)[number];

/** Where the victim's records are. */
export type StoreKind = 'sqlite' | 'postgres';

/** One attempt by a process of the user's own account. */
export interface Attack {
  readonly name: string;
  /** A program that the attempt needs; without it the row says "not run". */
  readonly needs?: string;
  /** The only kind of store that the attempt makes sense with. */
  readonly store?: StoreKind;
  /** True for the part that runs with the tests. */
  readonly quick?: boolean;
  /** Shows that the tool of the attempt works here: without it, an attempt that has no effect would prove nothing. */
  readonly control?: (victim: Victim) => Promise<boolean>;
  /** Makes the attempt. True if it had its effect. */
  readonly attempt: (victim: Victim) => Promise<boolean>;
}

/** Marks an attempt that runs with the tests. */
export function quick(attack: Attack): Attack {
  return { ...attack, quick: true };
}

export type Outcome = 'stopped' | 'succeeded' | 'not run';

/** One row of the table. */
export interface Row {
  readonly group: GroupName;
  readonly home: string;
  readonly store: StoreKind;
  readonly name: string;
  readonly outcome: Outcome;
  /** The decisions that the guard gave on the way, or why the attempt was not made. */
  readonly detail: string;
}
