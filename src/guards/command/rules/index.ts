// All rules of the command guard, and which of them each kind of effect is asked about.

import { atLeast, decisions, type Finding, modeDecision } from '../../../core/index.ts';
import type { Effect, EffectKind } from '../effects.ts';
import { attachRules, judgeAttach, judgeGuardSignal, judgeProcessFile } from './attach.ts';
import { commandRules, judgeUnknownGit, listFindings, unknownFindings } from './commands.ts';
import { deletionRules, judgeDeletion } from './deletions.ts';
import { executionRules, judgeBomb, judgeRun } from './execution.ts';
import { gitRules, judgeGit, judgeGitSetting, judgeMetadata } from './git.ts';
import { hostFindings, judgeRemote } from './hosts.ts';
import { judgeConnection, judgeListener, networkRules, sends } from './network.ts';
import { handedFindings, judgeOwnHome, personCallFindings } from './own.ts';
import { judgePath, pathRules } from './paths.ts';
import { judgeMode, judgePrivilege, permissionRules } from './permissions.ts';
import {
  judgeLink,
  judgePackage,
  judgePersistence,
  judgeSystemFile,
  judgeTampering,
  persistenceRules,
} from './persistence.ts';
import { promptFindings, promptRules } from './prompts.ts';
import { judgePatch, judgeProtected, protectedRules } from './protected.ts';
import {
  adviceFor,
  type CommandRule,
  hit,
  type Judge,
  placesOf,
  python,
  type RuleInput,
  shell,
} from './rule.ts';
import { judgeCarried, judgeRead, judgeSecret, secretRules } from './secrets.ts';
import {
  judgeCloud,
  judgeContainer,
  judgeDatabase,
  judgeDeploy,
  judgeMessage,
  serviceRules,
} from './services.ts';
import { judgeSignal, signalRules } from './signals.ts';
import { judgeSource, sourceFindings, sourceRules } from './sources.ts';
import { judgeDevice, judgeEndlessCopy, judgeFormat, patternFindings, storageRules } from './storage.ts';
import { judgeFirewall, judgeService, judgeSetting, systemRules } from './system.ts';
import { judgeTerminal, terminalRules } from './terminals.ts';

// ── Rule: plan mode reads and changes nothing.

const planModeChange: CommandRule = {
  id: 'plan_mode_change',
  guard: 'command',
  layer: 1,
  decision: 'block',
  unwanted: 'plan mode changes nothing',
  reason: 'Plan mode reads and changes nothing.',
  suggestion: 'Leave plan mode before running this; reading is still allowed.',
  contract: 'AG-TOOL-1',
  examples: {
    hit: [shell('touch a.txt', { mode: 'plan' }), shell('npm install', { mode: 'plan' })],
    miss: [shell('git diff', { mode: 'plan' }), shell('cat a.txt', { mode: 'plan' }), shell('touch a.txt')],
  },
};

/** The rule of plan mode. */
const planRules: readonly CommandRule[] = [planModeChange];

/** Details of effects that look and leave everything as it is. */
const looks: ReadonlySet<string> = new Set(['read', 'list', 'status', 'dry-run']);

/** Whether an effect changes something when it happens. */
export function changes(effect: Effect, ruleInput: RuleInput): boolean {
  switch (effect.kind) {
    case 'read':
    case 'secret':
    case 'inert':
      return false;
    case 'connect':
      return sends(effect);
    case 'write': {
      const places = placesOf(effect, ruleInput);
      return places.length === 0 || places.some(({ zone }) => zone !== 'stream');
    }
    case 'privilege':
      return effect.program !== 'sudo' && effect.program !== 'doas';
    default:
      return !looks.has(effect.detail ?? '');
  }
}

/** What plan mode refuses: the first change of each segment. */
function planFindings(ruleInput: RuleInput): readonly Finding[] {
  if (modeDecision('run', ruleInput.mode) !== 'block') return [];
  return ruleInput.facts.effects
    .filter((effect) => changes(effect, ruleInput))
    .map(({ span }) => hit(ruleInput, planModeChange, { span, why: 'it changes something' }));
}

// ── Rule: a command that would run without a sandbox, or where no snapshot could take back what it changes, goes only with a
// person's own yes, each time.

const noSandbox: CommandRule = {
  id: 'no_sandbox',
  guard: 'command',
  layer: 3,
  decision: 'approve',
  reason: 'Without a sandbox, a command can do whatever you can.',
  suggestion: 'Install bubblewrap, so that commands run in a sandbox.',
  examples: {
    hit: [
      { action: { kind: 'shell', command: 'ls -la', sandbox: 'none' } },
      { action: { kind: 'python', source: 'print(1)', sandbox: 'none' } },
      {
        action: { kind: 'shell', command: 'ls -la', sandbox: 'none' },
        given: { agent: { profile: 'strict' }, mode: 'auto' },
      },
    ],
    miss: [shell('ls -la'), python('print(1)')],
  },
};

const noUndo: CommandRule = {
  id: 'no_undo',
  guard: 'command',
  layer: 3,
  decision: 'approve',
  reason: 'Snapshots do not cover the whole workspace, so changes may be lost.',
  suggestion: 'Work in a smaller folder, or raise max_megabytes under [snapshots] in your own file.',
  examples: {
    hit: [
      { action: { kind: 'shell', command: 'npm run build', undo: 'none' } },
      { action: { kind: 'python', source: 'print(1)', undo: 'none' } },
      {
        action: { kind: 'shell', command: 'ls -la', undo: 'none' },
        given: { agent: { profile: 'strict' }, mode: 'auto' },
      },
    ],
    miss: [shell('npm run build'), python('print(1)')],
  },
};

/** The rules on how a command would run. */
const sandboxRules: readonly CommandRule[] = [noSandbox, noUndo];

/** Asks about a command that nothing would hold, or that nothing could take back. No grant covers it. */
function sandboxFindings(ruleInput: RuleInput): readonly Finding[] {
  const span = [0, ruleInput.source.length] as const;
  return [
    ...(ruleInput.unsandboxed
      ? [hit(ruleInput, noSandbox, { span, why: 'it would run without a sandbox' })]
      : []),
    ...(ruleInput.undoable
      ? []
      : [hit(ruleInput, noUndo, { span, why: 'what it changes could not be undone' })]),
  ];
}

// ── the list

/** The whole list. */
export const allRules: readonly CommandRule[] = [
  ...deletionRules,
  ...storageRules,
  ...executionRules,
  ...promptRules,
  ...permissionRules,
  ...systemRules,
  ...signalRules,
  ...sourceRules,
  ...attachRules,
  ...terminalRules,
  ...gitRules,
  ...serviceRules,
  ...secretRules,
  ...networkRules,
  ...persistenceRules,
  ...planRules,
  ...protectedRules,
  ...pathRules,
  ...commandRules,
  ...sandboxRules,
];

/** Who judges each kind of effect. INVARIANT: every kind is named, so that a new one cannot pass unseen. */
const judges: Readonly<Record<EffectKind, readonly Judge[]>> = {
  read: [judgeRead, judgeTerminal, judgeProcessFile, judgePath],
  write: [
    ...[
      judgeDevice,
      judgeTerminal,
      judgeProcessFile,
      judgeSystemFile,
      judgeMetadata,
      judgeLink,
      judgeProtected,
    ],
    ...[judgePatch, judgePath],
  ],
  delete: [judgeMetadata, judgeDeletion, judgeLink, judgeProtected, judgePath],
  mode: [judgeMode, judgeLink, judgePath],
  device: [judgeDevice, judgeTerminal],
  format: [judgeFormat],
  connect: [judgeConnection],
  listen: [judgeListener],
  run: [judgeRun, judgeGitSetting],
  signal: [judgeSignal, judgeGuardSignal],
  attach: [judgeAttach],
  privilege: [judgePrivilege],
  package: [judgePackage, judgeSource],
  service: [judgeService],
  setting: [judgeSetting],
  firewall: [judgeFirewall],
  git: [judgeGit, judgeRemote, judgeUnknownGit, judgePatch],
  database: [judgeDatabase],
  cloud: [judgeCloud, judgeCarried],
  container: [judgeContainer],
  message: [judgeMessage, judgeCarried],
  deploy: [judgeDeploy, judgeCarried],
  persist: [judgePersistence, judgeGitSetting],
  secret: [judgeSecret, judgePath],
  tamper: [judgeTampering],
  bomb: [judgeBomb, judgeEndlessCopy],
  inert: [],
};

/** More findings than this tell a person nothing. */
const mostFindings = 32;

/**
 * What the rules find: one finding for each rule and segment, the strongest first where there are too many.
 * `own` adds what rules of the user's own find.
 */
export function judgeRules(
  ruleInput: RuleInput,
  own: (ruleInput: RuleInput) => readonly Finding[] = () => [],
): readonly Finding[] {
  const found: Finding[] = [];
  for (const effect of ruleInput.facts.effects) {
    for (const judge of [...judges[effect.kind], judgeOwnHome]) {
      for (const finding of judge(effect, ruleInput)) {
        const suggestion = adviceFor(finding.rule, effect);
        found.push(suggestion === undefined ? finding : { ...finding, suggestion });
      }
    }
    ruleInput.pathScope.spend(1);
  }
  found.push(
    ...planFindings(ruleInput),
    ...(ruleInput.profile === 'strict' ? patternFindings(ruleInput) : []),
    ...listFindings(ruleInput),
    ...unknownFindings(ruleInput),
    ...sourceFindings(ruleInput),
    ...hostFindings(ruleInput),
    ...promptFindings(ruleInput),
    ...handedFindings(ruleInput),
    ...personCallFindings(ruleInput),
    ...sandboxFindings(ruleInput),
    ...own(ruleInput),
  );
  return strongestOf(distinct(found));
}

/**
 * One finding for each rule and segment: the strongest, else the first. INVARIANT: every effect that is asked about stays,
 * so that a permission for one of them covers no other.
 */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const byKey = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.span?.join('-') ?? ''}`;
    const others = byKey.get(key) ?? [];
    const [first] = others;
    if (first === undefined || isStronger(finding, first)) byKey.set(key, [finding]);
    else if (isAnotherQuestion(finding, first, others)) others.push(finding);
  }
  return [...byKey.values()].flat();
}

function isAnotherQuestion(finding: Finding, first: Finding, others: readonly Finding[]): boolean {
  return (
    finding.decision === 'approve' &&
    first.decision === 'approve' &&
    others.every(({ grant }) => grant !== finding.grant)
  );
}

function isStronger(a: Finding, b: Finding): boolean {
  return b.decision === 'warn'
    ? a.decision !== 'warn'
    : atLeast(a.decision, b.decision) && a.decision !== b.decision;
}

/**
 * INVARIANT: what is left out is never stronger than what is kept; and where a question is left out, no permission for the
 * effects of the others covers the command.
 */
export function strongestOf(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= mostFindings) return findings;
  const rank = ({ decision }: Finding): number => (decision === 'warn' ? -1 : decisions.indexOf(decision));
  const sorted = [...findings].sort((a, b) => rank(b) - rank(a));
  const kept = sorted.slice(0, mostFindings);
  return sorted[mostFindings]?.decision === 'approve'
    ? kept.map(({ grant: _, ...finding }) => finding)
    : kept;
}
