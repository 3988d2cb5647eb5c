// The receipt of a change: what happened to which files, under which guards, redacted for the record.

import { diffLines, showHunk } from '../core/diff.ts';
import {
  type Context,
  type Facts,
  type Finding,
  hasReferences,
  type SymbolCheck,
  symbolCheckOf,
  type Verdict,
} from '../core/index.ts';
import { reviewRule } from '../guards/write/rules/user.ts';
import type {
  ChangeSet,
  Chips,
  GuardOutcome,
  Ledger,
  MissingReference,
  Receipt,
  ReceiptBody,
} from '../ledger/index.ts';
import { isGitData, type Snapshot, type Snapshots, type Step, shownPath } from '../ledger/snapshots/index.ts';
import { hashesOf, type Outcome, textOf } from './outcomes.ts';

export interface ReceiptOptions {
  readonly snapshots: Snapshots;
  readonly ledger: Pick<Ledger, 'receipts' | 'fingerprint' | 'newId'>;
  readonly context: Context;
  /** Redacts a text for the record, and counts the redactions. */
  readonly redact: (text: string) => {
    readonly text: string;
    readonly redactions: Readonly<Record<string, number>>;
  };
  readonly now: () => number;
  /** The cost of the model that wrote it, if known. */
  readonly cost?: ReceiptBody['cost'];
  readonly models?: readonly string[];
}

/** The subject of a receipt. */
export interface Happened {
  readonly action: ReceiptBody['action'];
  readonly outcomes: readonly Outcome[];
  readonly snapshot: Snapshot | null;
  readonly verdict: JudgedAs | null;
  readonly facts: Facts;
  /** The guards' earlier results, if they are not called again. */
  readonly said?: {
    readonly guards: Chips;
    readonly missing: readonly MissingReference[];
  };
}

/** The data of a verdict that a receipt needs. */
interface JudgedAs extends Pick<Verdict, 'decisionId'> {
  readonly findings: readonly Said[];
}

type Said = Pick<Finding, 'guard' | 'decision'> & Partial<Pick<Finding, 'rule'>>;

/** Most characters of diffs that one receipt holds. */
export const mostShown = 65_536;

/** Leaves a receipt and resolves once it is on disk. */
export async function leaveReceipt(happened: Happened, options: ReceiptOptions): Promise<Receipt> {
  const { action, outcomes, snapshot, verdict, facts, said } = happened;
  const { context, ledger, now, cost, models } = options;
  const { diffs, redactions } = redactedDiffs(outcomes, options.redact);
  const steps = snapshot?.steps ?? [];
  const symbols = symbolCheckOf([facts]);
  const body: ReceiptBody = {
    receipt_id: ledger.newId(),
    timestamp: new Date(now()).toISOString(),
    user_id: context.user,
    workspace_id: ledger.fingerprint('workspace', () => context.workspace),
    run_id: context.session,
    action,
    applied: snapshot !== null,
    files: steps.length > 0 ? steps.map(fileOf) : outcomes.map(hashesOf),
    diffs,
    snapshot_id: snapshot?.id ?? null,
    symbols_checked: symbols.checked,
    missing_references: (said?.missing ?? missingReferences(symbols, options.redact)).map(withoutGuesses),
    redactions,
    guards: said?.guards ?? {
      write: verdict === null ? 'unchecked' : outcomeOf(verdict.findings, 'write'),
      hallucination: symbolsOutcome(verdict?.findings ?? [], symbols, writtenIn(steps, outcomes)),
      egress: egressOutcome(redactions, steps, outcomes),
    },
    cost: cost ?? { usd: 0, tokens_in: 0, tokens_out: 0 },
    models: models ?? [],
  };
  const { user, tenant, agent } = context;
  const decisionId = verdict?.decisionId ?? snapshot?.decisionId ?? '';
  return await ledger.receipts.add(body, { user, tenant, agent, decisionId });
}

/** The names that the reference guard reported as missing; a model chooses them, so they may contain anything. */
export function missingReferences(
  { missing }: SymbolCheck,
  redact: ReceiptOptions['redact'],
): ChangeSet['missing'] {
  return missing.map(({ path, name, line, near }) => ({
    path: redact(path).text,
    name: redact(name).text,
    line,
    near: near.map((one) => redact(one).text),
  }));
}

/** A receipt states what was missing, not what may have been intended. */
function withoutGuesses({ path, name, line }: MissingReference): MissingReference {
  return { path, name, line };
}

/** The result of one guard; that every change requires approval is not a result for this one. */
export function outcomeOf(findings: readonly Said[], name: 'write' | 'symbols'): GuardOutcome {
  const found = findings.filter(({ guard, rule }) => guard === name && rule !== reviewRule.id);
  if (found.some(({ decision }) => decision === 'block')) return 'fail';
  return found.length > 0 ? 'warn' : 'pass';
}

/**
 * The reference guard's results for files that exist after the change. INVARIANT: a file passes only if its references
 * were looked up, or a file of its kind has none.
 */
export function symbolsOutcome(
  findings: readonly Said[],
  { files, unchecked }: SymbolCheck,
  written: readonly string[],
): GuardOutcome {
  const said = outcomeOf(findings, 'symbols');
  if (said !== 'pass') return said;
  const isOpen = (path: string) => hasReferences(path) && !files.includes(path);
  return unchecked.length > 0 || written.some(isOpen) ? 'unchecked' : 'pass';
}

/** The result of the search for secrets. INVARIANT: a file passes only if its text was searched. */
function egressOutcome(
  redactions: Readonly<Record<string, number>>,
  steps: readonly Step[],
  outcomes: readonly Outcome[],
): GuardOutcome {
  if (Object.keys(redactions).length > 0) return 'warn';
  const searched = new Set(outcomes.flatMap(({ path, after }) => (after === null ? [] : [path])));
  const isOpen = ({ path, after }: Step) =>
    after !== null && after.type === 'file' && !isGitData(path) && !searched.has(path);
  return steps.some(isOpen) ? 'unchecked' : 'pass';
}

/** The files that exist after the change. */
function writtenIn(steps: readonly Step[], outcomes: readonly Outcome[]): readonly string[] {
  const there =
    steps.length > 0
      ? steps.filter(({ after }) => after !== null && after.type !== 'folder')
      : outcomes.filter(({ after }) => after !== null);
  return there.map(({ path }) => shownPath(path)).filter((path) => !isGitData(path));
}

/** The worst result of each guard over several files. */
export function worstChips(chips: readonly Chips[]): Chips {
  const worst = (name: keyof Chips): GuardOutcome =>
    outcomes.findLast((outcome) => chips.some((file) => file[name] === outcome)) ?? 'pass';
  return { write: worst('write'), hallucination: worst('hallucination'), egress: worst('egress') };
}

const outcomes: readonly GuardOutcome[] = ['pass', 'unchecked', 'warn', 'fail'];

function fileOf({ path, before, after }: Step): ReceiptBody['files'][number] {
  return { path: shownPath(path), before_hash: before?.hash ?? null, after_hash: after?.hash ?? null };
}

/** The redacted diffs of a change, and its size. */
function redactedDiffs(
  outcomes: readonly Outcome[],
  redact: ReceiptOptions['redact'],
): { diffs: ReceiptBody['diffs']; redactions: Record<string, number> } {
  const redactions: Record<string, number> = {};
  let room = mostShown;
  const diffs = outcomes.map(({ path, before, after }) => {
    const hunks = diffLines(before === null ? '' : textOf(before.bytes), after ?? '');
    const shown = hunks.flatMap((hunk) => {
      const { text, redactions: counts } = redact(showHunk(hunk));
      for (const [kind, count] of Object.entries(counts)) redactions[kind] = (redactions[kind] ?? 0) + count;
      room -= text.length;
      return room < 0 ? [] : [text];
    });
    return { path: shownPath(path), hunks: shown };
  });
  return { diffs: diffs.filter(({ path, hunks }) => hunks.length > 0 || !isGitData(path)), redactions };
}
