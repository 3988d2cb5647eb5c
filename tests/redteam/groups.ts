// Every attack by its group, and the victims that a group is made against.

import { type Attack, type GroupName, groupNames, type StoreKind } from './attack.ts';
import { approveAttacks } from './attacks/approve.ts';
import { unguardedApprovals } from './attacks/approve-unguarded.ts';
import { attachAttacks } from './attacks/attach.ts';
import { drownAttacks } from './attacks/drown.ts';
import { execAttacks } from './attacks/exec.ts';
import { guessAttacks } from './attacks/guess.ts';
import { homeAttacks } from './attacks/home.ts';
import { ledgerAttacks } from './attacks/ledger.ts';
import { resetAttacks } from './attacks/reset.ts';
import { unhookAttacks } from './attacks/unhook.ts';
import { workspaceAttacks } from './attacks/workspace.ts';

const attacks: Readonly<Record<GroupName, readonly Attack[]>> = {
  workspace: workspaceAttacks,
  ledger: ledgerAttacks,
  home: homeAttacks,
  attach: attachAttacks,
  exec: execAttacks,
  approve: approveAttacks,
  'approve-unguarded': unguardedApprovals,
  reset: resetAttacks,
  unhook: unhookAttacks,
  guess: guessAttacks,
  drown: drownAttacks,
};

/** Where the home of Sallyport is in a run of a group, and its records. */
export interface Setting {
  readonly home: string;
  readonly store: StoreKind;
}

const usual: Setting = { home: '/home/dev/.sallyport', store: 'sqlite' };
const shared: Setting = { ...usual, store: 'postgres' };

/** The protection must not depend on the name of the home, nor approvals on the kind of store. */
const settings: Readonly<Partial<Record<GroupName, readonly Setting[]>>> = {
  home: [usual, { ...usual, home: '/srv/guard/state' }],
  exec: [{ ...usual, home: '.sallyport' }],
  approve: [usual, shared],
  'approve-unguarded': [usual, shared],
  reset: [usual, shared],
};

/** The part of all attempts that is wanted. */
export interface Part {
  readonly groups: readonly GroupName[];
  /** Only the attempts that run with the tests. */
  readonly quick: boolean;
  /** Only the attempts whose name holds this. */
  readonly only: string;
}

/** Attempts against one victim. */
export interface Round extends Part, Setting {}

/** The rounds of a part: one for each group and victim. The quick part has one victim for all groups. */
export function roundsOf(part: Part): readonly Round[] {
  const groups = part.groups.length > 0 ? part.groups : groupNames;
  const rounds = part.quick
    ? [{ ...part, ...usual, groups }]
    : groups.flatMap((group) =>
        (settings[group] ?? [usual]).map((setting) => ({ ...part, ...setting, groups: [group] })),
      );
  return rounds.filter((round) => attemptsOf(round).length > 0);
}

/** The attempts of a round, in their order. */
export function attemptsOf({
  groups,
  quick,
  only,
  store,
}: Round): readonly { group: GroupName; attack: Attack }[] {
  return groups
    .flatMap((group) => attacks[group].map((attack) => ({ group, attack })))
    .filter(({ attack }) => attack.store === undefined || attack.store === store)
    .filter(({ attack }) => (!quick || attack.quick === true) && attack.name.includes(only));
}
