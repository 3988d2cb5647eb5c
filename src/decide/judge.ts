// Steps 1 and 2 of the request path: expand an action into its child actions, and let the guards of each judge it.

import type { Settings } from '../config/index.ts';
import {
  type Action,
  type Attributes,
  Budget,
  BudgetExceeded,
  type Child,
  type Context,
  type Decision,
  type Facts,
  type Finding,
  type GuardEvent,
  type GuardInput,
  isPending,
  type JudgedPart,
  type Judgement,
  type Kind,
  type Learned,
  type MaybePromise,
  type Rule,
  SallyportError,
  type World,
} from '../core/index.ts';
import type { AnyGuard, ListedGuard } from '../guards/index.ts';
import type { Part as PolicyPart } from '../policy/index.ts';

// ── Findings of the request path itself, for a check, an answer or a record that failed. None of them has examples:
// each needs a fault, and decide.test.ts causes it.

function pathRule(
  id: string,
  reason: string,
  suggestion?: string,
  decision: Rule['decision'] = 'block',
): Rule {
  return {
    id,
    guard: 'path',
    decision,
    reason,
    ...(suggestion === undefined ? {} : { suggestion }),
    examples: { hit: [], miss: [] },
  };
}

export const pathRules = {
  noGuard: pathRule('no_guard', 'no guard judges this kind of action, so it is blocked'),
  guardError: pathRule('guard_error', 'the check failed, so the action is blocked'),
  budgetExceeded: pathRule('budget_exceeded', 'the check exceeded its step budget'),
  tooDeep: pathRule('too_many_parts', 'the action contains too many actions'),
  configInvalid: pathRule(
    'config_invalid',
    'the configuration is invalid',
    "run 'sallyport config check' in the workspace",
  ),
  policyError: pathRule('policy_error', 'the policy could not be evaluated'),
  approvalDenied: pathRule('approval_denied', 'a person denied this action'),
  approvalsUnavailable: pathRule('approvals_unavailable', 'it needs approval, and approvals are unavailable'),
  newQuestion: pathRule('new_question', 'another question came up, which the approval does not answer'),
  stateMoved: pathRule('state_moved', 'its content changed since you were asked', undefined, 'warn'),
  unreviewedChange: pathRule(
    'unreviewed_change',
    'an earlier call changed protected files, and the change was not reviewed',
    undefined,
    'approve',
  ),
  recordFailed: pathRule('record_failed', 'the decision could not be recorded'),
  streamCannotWait: pathRule('stream_cannot_wait', 'a stream cannot wait for approval'),
  notReadable: pathRule('not_readable', 'the input cannot be read'),
  hookBlocked: pathRule('hook_blocked', 'your own program refused it'),
  hookFailed: pathRule(
    'hook_failed',
    'your own program gave no valid answer',
    'run the program by hand, or take it out of [[hooks]]',
  ),
  approverReset: pathRule(
    'approver_reset',
    'a reset of the approver passphrase is pending, so destructive actions are blocked',
    "stop the reset with the old passphrase: 'sallyport approvers veto'",
  ),
  approverResetNotice: pathRule(
    'approver_reset_notice',
    "a reset of the approver passphrase waits; if it is not yours, run 'sallyport approvers veto'",
    undefined,
    'warn',
  ),
  hookNote: pathRule('hook_note', 'a program of yours has a note', undefined, 'warn'),
  hookRewrote: pathRule('hook_rewrote', 'a program of yours changed it', undefined, 'redact'),
} as const;

/** A finding of the request path, with the details of this case. */
export function pathFinding(rule: Rule, detail?: string): Finding {
  return {
    rule: rule.id,
    guard: rule.guard,
    decision: rule.decision,
    message: detail === undefined ? rule.reason : `${rule.reason}: ${detail}`,
    ...(rule.suggestion === undefined ? {} : { suggestion: rule.suggestion }),
  };
}

// ── the judge

/** Steps that all guards together may take for one action. */
export const stepBudget = 2_000_000;
/** How deep actions may be nested, and how many there may be in all. */
const deepest = 8;
const mostParts = 256;

/** The guards' result for one action, including the actions inside it. */
interface Part {
  readonly action: Action;
  readonly facts: Facts;
  readonly learned: Learned;
  readonly findings: readonly Finding[];
  readonly sideEffect: boolean;
  /** The value that an approval is bound to. */
  readonly binding: Action;
}

/** The guards' result for a complete action. */
export interface Judged extends Part {
  readonly events: readonly GuardEvent[];
  /** Texts that were read out of it, and their authors. */
  readonly texts: NonNullable<Judgement['texts']>;
  /** Files that it, or an action inside it, would execute. */
  readonly runs: readonly (() => readonly string[])[];
  /** The action and everything inside it, outermost first, for the policy. */
  readonly parts: readonly PolicyPart[];
  /** Guards that threw, by name of guard and of error. */
  readonly errors: readonly { readonly guard: string; readonly error: string }[];
}

/** The outcome of one pass of guards and policy. */
export interface Outcome extends Judged {
  readonly decision: Decision;
  /** The input of the policies, before they were evaluated. */
  readonly asked: Pick<Judged, 'parts' | 'findings'>;
}

/** The guard itself, loaded if it is not yet. */
export function guardOf(entry: AnyGuard | ListedGuard): MaybePromise<AnyGuard> {
  return 'use' in entry ? entry.use((guard) => guard) : entry;
}

export type GuardTable = ReadonlyMap<Kind, readonly (AnyGuard | ListedGuard)[]>;

/** The guards of each kind, in the order of the list. */
export function guardTable(guards: readonly (AnyGuard | ListedGuard)[]): GuardTable {
  const table = new Map<Kind, (AnyGuard | ListedGuard)[]>();
  for (const guard of guards) {
    for (const kind of guard.kinds) table.set(kind, [...(table.get(kind) ?? []), guard]);
  }
  return table;
}

/** The effects that it was approved for, and those whose approval a guard looked up. */
export interface Granted {
  readonly effects: ReadonlySet<string>;
  readonly looked: Set<string>;
}

/** The input of every guard for one action; all of them share the budget. */
export function guardInput(
  context: Context,
  settings: Settings,
  world: World,
  { effects, looked }: Granted,
  more: Pick<GuardInput<Settings>, 'observe' | 'origins' | 'find'> = {},
): GuardInput<Settings> {
  const granted = (effect: string): boolean => {
    looked.add(effect);
    return effects.has(effect);
  };
  return { context, settings, world, granted, budget: new Budget(stepBudget), ...more };
}

/** Reports to a tracer how long a guard took, and which failed. */
export type Tell = (name: string, attributes: Attributes) => void;

/** The name of any thrown value, for records that must not contain its text. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** The text of an error of ours; that of a foreign one may contain a payload and is not shown. */
export function detailOf(error: unknown): string | undefined {
  return error instanceof SallyportError ? error.message : undefined;
}

/** The finding for a guard that threw. */
export function errorFinding(guard: string, error: unknown): Finding {
  if (error instanceof BudgetExceeded) return pathFinding(pathRules.budgetExceeded, error.message);
  return pathFinding(pathRules.guardError, `guard ${guard}`);
}

/**
 * Judges an action and the actions inside it; a guard that found some receives their results. INVARIANT: never throws,
 * and an action that no guard judged, or whose guard failed, holds a `block`.
 */
export async function judge(
  table: GuardTable,
  action: Action,
  input: GuardInput<Settings>,
  tell: Tell | undefined = tellerOf(input.world),
): Promise<Judged> {
  const errors: { guard: string; error: string }[] = [];
  const runs: (() => readonly string[])[] = [];
  const events: GuardEvent[] = [];
  const texts: Judged['texts'][number][] = [];
  const parts: PolicyPart[] = [];

  /** One action; pointers in its result start from that action, `pointer` from the outermost. */
  async function part(whole: Action, pointer: string, depth: number): Promise<Part> {
    const place = parts.length;
    parts.push({ pointer, action: whole, facts: {}, sideEffect: true });
    const findings: Finding[] = [];
    const guards = table.get(whole.kind) ?? [];
    if (guards.length === 0) findings.push(pathFinding(pathRules.noGuard, whole.kind));
    let current = whole;
    let facts: Facts = {};
    let learned: Learned = {};
    let sideEffect = false;
    let binding: Action | undefined;
    for (const entry of guards) {
      try {
        const found = guardOf(entry);
        const guard = isPending(found) ? await found : found;
        const inside: JudgedPart[] = [];
        const before = current;
        let reading = guard.read?.(current, input);
        const expanded = guard.expand?.(current, input, reading) ?? [];
        for (const child of isPending(expanded) ? await expanded : expanded) {
          if (depth >= deepest || parts.length >= mostParts) {
            findings.push(pathFinding(pathRules.tooDeep));
            break;
          }
          const judged = await part(child.action, pointer + child.pointer, depth + 1);
          inside.push({ ...judged, pointer: child.pointer });
          findings.push(...judged.findings.map((finding) => placed(finding, child)));
          sideEffect ||= judged.sideEffect;
          if (judged.action !== child.action) current = child.replace(current, judged.action);
        }
        if (current !== before) reading = guard.read?.(current, input);
        const start = tell === undefined ? 0 : performance.now();
        const answer = guard.check(
          current,
          inside.length === 0 ? input : { ...input, parts: inside },
          reading,
        );
        const judgement: Judgement = isPending(answer) ? await answer : answer;
        tell?.('sallyport.guard', {
          'sallyport.guard': entry.name,
          'sallyport.kind': whole.kind,
          'sallyport.guard.ms': performance.now() - start,
        });
        facts = { ...facts, ...judgement.facts };
        learned = { ...learned, ...judgement.learned };
        findings.push(...judgement.findings);
        if (judgement.events !== undefined) events.push(...judgement.events);
        if (judgement.texts !== undefined) texts.push(...judgement.texts);
        if (judgement.runs !== undefined) runs.push(judgement.runs);
        sideEffect ||= judgement.sideEffect;
        current = judgement.rewritten ?? current;
        binding = judgement.binding;
      } catch (error) {
        findings.push(errorFinding(entry.name, error));
        errors.push({ guard: entry.name, error: nameOf(error) });
        tell?.('sallyport.guard_error', { 'sallyport.guard': entry.name });
        sideEffect = true;
      }
    }
    const { writes, notAside } = learned;
    parts[place] = {
      pointer,
      action: current,
      facts,
      sideEffect,
      ...(writes === undefined ? {} : { writes }),
      ...(notAside === undefined ? {} : { notAside }),
    };
    return { action: current, facts, learned, findings, sideEffect, binding: binding ?? current };
  }

  return { ...(await part(action, '', 0)), parts, errors, events, texts, runs };
}

/** Runs one guard of a table on an action, for a thread that cannot. */
export async function askGuard(
  table: GuardTable,
  kind: Kind,
  place: number,
  action: Action,
  input: GuardInput<Settings>,
): Promise<Judgement> {
  const entry = table.get(kind)?.[place];
  if (entry === undefined) throw new SallyportError(`there is no guard ${place} of ${kind}`);
  return await (await guardOf(entry)).check(action, input);
}

function tellerOf({ telemetry }: World): Tell | undefined {
  return telemetry === undefined ? undefined : (...event) => telemetry.event(...event);
}

function placed(
  finding: Finding,
  { pointer, place, weigh }: Pick<Child<Kind>, 'pointer' | 'place' | 'weigh'>,
): Finding {
  const { pointer: inside = '', span, ...rest } = weigh?.(finding) ?? finding;
  const spot = place?.({ pointer: inside, span }) ?? { pointer: pointer + inside, span };
  return { ...rest, pointer: spot.pointer, ...(spot.span === undefined ? {} : { span: spot.span }) };
}
