// The one table of permission modes: which effect passes, asks or is refused in which mode, once all guards are done.

import type { Mode } from './action.ts';
import { atLeast, type Decision } from './decision.ts';
import type { Finding } from './verdict.ts';

/** Effects as modes see them, the weakest first. */
export const effectClasses = ['read', 'edit', 'run', 'sensitive', 'outward', 'destructive'] as const;

export type EffectClass = (typeof effectClasses)[number];

const table: Readonly<Record<EffectClass, Readonly<Record<Mode, Decision>>>> = {
  read: { default: 'pass', acceptEdits: 'pass', plan: 'pass', auto: 'pass' },
  /** A file of the workspace changes. */
  edit: { default: 'approve', acceptEdits: 'pass', plan: 'block', auto: 'pass' },
  /** Code runs whose effects are known and can be restored. */
  run: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'pass' },
  /** A manifest, a lock file or a dotfile changes, or a file that is not known. */
  sensitive: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
  /** These two are the closed list: no snapshot reaches them. */
  outward: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
  destructive: { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
};

/** What becomes of an effect in a mode. */
export function modeDecision(effect: EffectClass, mode: Mode): Decision {
  return table[effect][mode];
}

/** The stronger of two classes. */
export function strongerClass(a: EffectClass, b: EffectClass): EffectClass {
  return effectClasses.indexOf(a) >= effectClasses.indexOf(b) ? a : b;
}

/** The closed list: the clauses of the contract about what cannot be undone, and their classes. */
export const closedList: ReadonlyMap<string, EffectClass> = new Map([
  ['AG-TOOL-3', 'outward'],
  ['AG-TOOL-4', 'destructive'],
]);

/** Whether a finding is about something on the closed list. */
export function isClosed({ contract = '' }: Pick<Finding, 'contract'>): boolean {
  return closedList.has(contract);
}

/** The class of an action that runs something, from what its guards found; the contract's clauses say which it is. */
export function classOf(findings: readonly Finding[], sideEffect: boolean): EffectClass {
  return findings
    .filter(({ decision }) => atLeast(decision, 'approve'))
    .map(({ contract = '' }) => closedList.get(contract) ?? 'read')
    .reduce(strongerClass, sideEffect ? 'run' : 'read');
}

/** The modes by the words that hosts have for them. */
export const hostModes: Readonly<Record<string, Mode>> = {
  default: 'default',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
  auto: 'auto',
  // Names of hosts for the same. What they skip is their own asking; ours is not theirs to skip.
  autoEdit: 'acceptEdits',
  auto_edit: 'acceptEdits',
  bypassPermissions: 'auto',
  dontAsk: 'auto',
  yolo: 'auto',
  YOLO: 'auto',
  'full-auto': 'auto',
};

/** The mode that a host's own word means; a word that is not known is `default`. */
export function modeFromHost(word: string): Mode {
  return (Object.hasOwn(hostModes, word) ? hostModes[word] : undefined) ?? 'default';
}
