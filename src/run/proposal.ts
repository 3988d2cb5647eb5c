// Changes that an agent proposes: judged at once, applied if autonomy and budgets allow it, otherwise stored for the
// user.

import type { Config, Settings } from '../config/index.ts';
import { diffLines, showHunk } from '../core/diff.ts';
import {
  type Finding,
  InputError,
  type SymbolCheck,
  symbolCheckOf,
  uncheckedWords,
  type Verdict,
} from '../core/index.ts';
import type { Decided } from '../decide/types.ts';
import type {
  ChangeFile,
  ChangeHunk,
  ChangeSet,
  Chips,
  Ledger,
  ProposedChange,
  Receipt,
} from '../ledger/index.ts';
import { type Snapshot, stateOf } from '../ledger/snapshots/index.ts';
import { isSame } from '../ledger/snapshots/snapshot.ts';
import { type ApplyOptions, writeCleared } from './apply.ts';
import { contentOf, type Edit, type Outcome, outcomesOf, plainMode, textOf, writeOf } from './outcomes.ts';
import {
  leaveReceipt,
  missingReferences,
  outcomeOf,
  type ReceiptOptions,
  symbolsOutcome,
  worstChips,
} from './receipt.ts';

/** The context for a pending change beside that for applying. */
export interface ReviewOptions extends ApplyOptions {
  readonly ledger: Ledger;
  readonly settings: Settings;
}

export interface ProposeOptions extends ReviewOptions {
  readonly limits: Config['changes'];
  /** Nothing is to be written, whatever the user accepts. */
  readonly suggest?: boolean;
}

export type Proposal =
  | { readonly outcome: 'staged'; readonly verdict: Verdict; readonly change: ProposedChange }
  | { readonly outcome: 'refused'; readonly verdict: Verdict; readonly receipt: Receipt }
  | {
      readonly outcome: 'applied';
      readonly verdict: Verdict;
      readonly receipt: Receipt;
      readonly snapshot: Snapshot;
    };

/** Judges a change set; a block refuses it, autonomy within its budgets applies it, the user decides on all others. */
export async function proposeChanges(edits: readonly Edit[], options: ProposeOptions): Promise<Proposal> {
  const { decider, snapshots, context, justification, ledger, now, settings } = options;
  const outcomes = outcomesOf(edits, snapshots).filter((outcome) => !isUnchanged(outcome));
  if (outcomes.length === 0) throw new InputError('the change leaves every file as it is');
  const decided = await decider.decide(writeOf(outcomes, justification), context);
  const { verdict, facts } = decided;
  // The review panel asks the question, so the request path's own is withdrawn: the user is asked once.
  if (verdict.approval !== null) await ledger.approvals.withdraw(verdict.approval.id, now());
  if (verdict.decision === 'block') {
    const happened = { action: 'reject', snapshot: null, outcomes, verdict, facts } as const;
    return { outcome: 'refused', verdict, receipt: await leaveReceipt(happened, options) };
  }
  const symbols = symbolCheckOf([facts]);
  const guards = chipsOf(outcomes, verdict.findings, symbols, options.redact);
  const suggest = options.suggest === true || settings.changes.suggestOnly;
  const tried = suggest ? { reason: suggestOnly } : await actAlone(decided, outcomes, guards, options);
  if ('receipt' in tried) return { outcome: 'applied', verdict, ...tried };
  const set: ChangeSet = {
    context,
    files: filesOf(outcomes, guards),
    findings: verdict.findings.map(({ rule, guard, decision, message, pointer }) => {
      const path = outcomes[fileIn(pointer)]?.path;
      return { rule, guard, decision, message, ...(path === undefined ? {} : { path }) };
    }),
    reason: tried.reason,
    justification: justification ?? null,
    suggest,
    cost: options.cost ?? { usd: 0, tokens_in: 0, tokens_out: 0 },
    models: options.models ?? [],
    missing: missingReferences(symbols, options.redact),
  };
  const change = await ledger.changes.stage({
    set,
    usage: usageOf(outcomes, set.cost.usd),
    decisionId: verdict.decisionId,
    now: now(),
    expiryMs: options.limits.expirySeconds * 1000,
    maxStaged: options.limits.maxStaged,
  });
  return { outcome: 'staged', verdict, change };
}

const suggestOnly = 'changes are only suggested here';

/** Applies a change without approval, if that is allowed; otherwise returns the reason. */
async function actAlone(
  { verdict, facts, cleared }: Decided<'write'>,
  outcomes: readonly Outcome[],
  guards: readonly Chips[],
  options: ReviewOptions,
): Promise<{ readonly reason: string } | { readonly receipt: Receipt; readonly snapshot: Snapshot }> {
  const { settings, ledger, context, now } = options;
  if (settings.autonomy !== 'autonomous') return { reason: 'a person looks at every proposed change' };
  if (verdict.decision !== 'pass' || cleared === null)
    return { reason: `a guard asks: ${verdict.explanation}` };
  // INVARIANT: a warning of any guard is not a pass, and neither is a failed lookup.
  const warning = [
    ...verdict.findings.map(({ guard }) => (guard === 'symbols' ? 'hallucination' : guard)),
    ...(guards.every(({ egress }) => egress === 'pass') ? [] : ['egress']),
  ];
  if (warning.length > 0) return { reason: `a guard warns: ${[...new Set(warning)].join(', ')}` };
  const open = symbolCheckOf([facts]).unchecked.find(({ why }) => why === 'index' || why === 'parser');
  if (open !== undefined) return { reason: `references could not be looked up: ${uncheckedWords[open.why]}` };
  const usage = usageOf(outcomes, options.cost?.usd ?? 0);
  const { run, day } = settings.changes;
  const taken = await ledger.changes.reserve({ context }, usage, { run, day }, verdict.decisionId, now());
  if ('over' in taken) return { reason: taken.over };
  let snapshot: Snapshot;
  try {
    snapshot = await writeCleared(cleared, outcomes, options);
  } catch (error) {
    await ledger.changes.end(taken.id, 'rejected', 'autonomous', null, now());
    throw error;
  }
  const receipt = await leaveReceipt({ action: 'apply', snapshot, outcomes, verdict, facts }, options);
  await ledger.changes.end(taken.id, 'applied', 'autonomous', receipt.receipt_id, now());
  return { receipt, snapshot };
}

function isUnchanged(outcome: Outcome): boolean {
  const content = contentOf(outcome);
  const before = outcome.before === null ? null : stateOf(outcome.before);
  return isSame(before, content === null ? null : stateOf(content));
}

function usageOf(outcomes: readonly Outcome[], costUsd: number) {
  const bytes = outcomes.reduce((sum, { after }) => sum + Buffer.byteLength(after ?? ''), 0);
  return { files: outcomes.length, bytes, costUsd };
}

/** The file of the change that a finding refers to; -1: none, or all of them. */
function fileIn(pointer = ''): number {
  const [, index] = /^\/changes\/(\d+)(?:\/|$)/.exec(pointer) ?? [];
  return index === undefined ? -1 : Number(index);
}

/** The results of each guard for each file, by the positions of its findings. */
function chipsOf(
  outcomes: readonly Outcome[],
  findings: readonly Finding[],
  { unchecked, ...symbols }: SymbolCheck,
  redact: ReceiptOptions['redact'],
): readonly Chips[] {
  return outcomes.map((outcome, index) => {
    const own = findings.filter(({ pointer }) => [index, -1].includes(fileIn(pointer)));
    const { path, before, after } = outcome;
    const check = { ...symbols, unchecked: unchecked.filter((file) => file.path === path) };
    const hunks = diffLines(before === null ? '' : textOf(before.bytes), after ?? '');
    const clean = hunks.every((hunk) => Object.keys(redact(showHunk(hunk)).redactions).length === 0);
    return {
      write: outcomeOf(own, 'write'),
      hallucination: symbolsOutcome(own, check, after === null ? [] : [path]),
      egress: clean ? 'pass' : 'warn',
    };
  });
}

/** The files of a change with their hunks, numbered consecutively. A rename is one file, with one decision. */
function filesOf(outcomes: readonly Outcome[], guards: readonly Chips[]): readonly ChangeFile[] {
  const sourceOf = ({ from }: Outcome) =>
    from === undefined ? undefined : outcomes.find(({ path, after }) => path === from && after === null);
  const moved = new Set(outcomes.map(sourceOf));
  let number = 0;
  const hunk = (kind: ChangeHunk['kind'], hunks: ChangeHunk['hunks']): ChangeHunk => ({
    number: ++number,
    kind,
    hunks,
    decision: null,
  });
  return outcomes.flatMap((outcome): readonly ChangeFile[] => {
    if (moved.has(outcome)) return [];
    const { path, after, mode } = outcome;
    const source = sourceOf(outcome);
    const before = (source ?? outcome).before;
    const op =
      source !== undefined ? 'rename' : before === null ? 'create' : after === null ? 'delete' : 'edit';
    const lines = diffLines(before === null ? '' : textOf(before.bytes), after ?? '');
    const newMode = after !== null && mode !== (before?.mode ?? plainMode) ? mode : null;
    const hunks =
      op === 'edit'
        ? [...lines.map((one) => hunk('lines', [one])), ...(newMode === null ? [] : [hunk('mode', [])])]
        : [hunk(op, lines)];
    const own = outcomes.flatMap((one, index) =>
      one === outcome || one === source ? (guards[index] ?? []) : [],
    );
    return [
      {
        path: source?.path ?? path,
        to: source === undefined ? null : path,
        op,
        before: before === null ? null : stateOf(before),
        mode: newMode,
        guards: worstChips(own),
        hunks,
      },
    ];
  });
}
