// All rules of the command guard, and which of them each kind of effect is asked about.

import { atLeast, decisions, type Finding } from '../../../core/index.ts';
import type { EffectKind } from '../effects.ts';
import { adviceFor } from './advice.ts';
import { personCallFindings } from './approving.ts';
import { attachRules, judgeAttach, judgeGuardSignal, judgeProcessFile } from './attach.ts';
import { commandRules, judgeUnknownGit, listFindings, unknownFindings } from './commands.ts';
import { deletionRules, judgeDeletion } from './deletion.ts';
import { executionRules, judgeBomb, judgeRun } from './execution.ts';
import { gitRules, judgeGit, judgeGitSetting, judgeMetadata } from './git.ts';
import { judgeConnection, judgeListener, networkRules } from './network.ts';
import { handedFindings, judgeOwnHome } from './own.ts';
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
import { planFindings, planRules } from './plan.ts';
import { promptFindings, promptRules } from './prompts.ts';
import type { CommandRule, Judge, RuleInput } from './rule.ts';
import { sandboxFindings, sandboxRules } from './sandbox.ts';
import { judgeCarried, judgeRead, judgeSecret, secretRules } from './secrets.ts';
import {
  judgeCloud,
  judgeContainer,
  judgeDatabase,
  judgeDeploy,
  judgeMessage,
  serviceRules,
} from './services.ts';
import { judgeDevice, judgeFormat, storageRules } from './storage.ts';
import { judgeFirewall, judgeService, judgeSignal, systemRules } from './system.ts';
import { judgeTerminal, terminalRules } from './terminals.ts';

/** The whole list. */
export const allRules: readonly CommandRule[] = [
  ...deletionRules,
  ...storageRules,
  ...executionRules,
  ...promptRules,
  ...permissionRules,
  ...systemRules,
  ...attachRules,
  ...terminalRules,
  ...gitRules,
  ...serviceRules,
  ...secretRules,
  ...networkRules,
  ...persistenceRules,
  ...planRules,
  ...pathRules,
  ...commandRules,
  ...sandboxRules,
];

/** Who judges each kind of effect. INVARIANT: every kind is named, so that a new one cannot pass unseen. */
const judges: Readonly<Record<EffectKind, readonly Judge[]>> = {
  read: [judgeRead, judgeTerminal, judgeProcessFile, judgePath],
  write: [judgeDevice, judgeTerminal, judgeProcessFile, judgeSystemFile, judgeMetadata, judgeLink, judgePath],
  delete: [judgeMetadata, judgeDeletion, judgeLink, judgePath],
  mode: [judgeMode, judgeLink, judgePath],
  device: [judgeDevice, judgeTerminal],
  format: [judgeFormat],
  connect: [judgeConnection],
  listen: [judgeListener],
  run: [judgeRun, judgeGitSetting],
  signal: [judgeSignal, judgeGuardSignal],
  attach: [judgeAttach],
  privilege: [judgePrivilege],
  package: [judgePackage],
  service: [judgeService],
  firewall: [judgeFirewall],
  git: [judgeGit, judgeUnknownGit],
  database: [judgeDatabase],
  cloud: [judgeCloud, judgeCarried],
  container: [judgeContainer],
  message: [judgeMessage, judgeCarried],
  deploy: [judgeDeploy, judgeCarried],
  persist: [judgePersistence, judgeGitSetting],
  secret: [judgeSecret, judgePath],
  tamper: [judgeTampering],
  bomb: [judgeBomb],
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
    ...listFindings(ruleInput),
    ...unknownFindings(ruleInput),
    ...promptFindings(ruleInput),
    ...handedFindings(ruleInput),
    ...personCallFindings(ruleInput),
    ...sandboxFindings(ruleInput),
    ...own(ruleInput),
  );
  return strongestOf(distinct(found));
}

/** One finding for each rule and segment: the strongest, else the first. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const byKey = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.span?.join('-') ?? ''}`;
    const other = byKey.get(key);
    if (other === undefined || isStronger(finding, other)) byKey.set(key, finding);
  }
  return [...byKey.values()];
}

function isStronger(a: Finding, b: Finding): boolean {
  return b.decision === 'warn'
    ? a.decision !== 'warn'
    : atLeast(a.decision, b.decision) && a.decision !== b.decision;
}

/** INVARIANT: what is left out is never stronger than what is kept. */
function strongestOf(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= mostFindings) return findings;
  const rank = ({ decision }: Finding): number => (decision === 'warn' ? -1 : decisions.indexOf(decision));
  return [...findings].sort((a, b) => rank(b) - rank(a)).slice(0, mostFindings);
}
