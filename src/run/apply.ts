// Applies a change set: computes the new content of every file, evaluates exactly that on the one request path, takes a
// snapshot, writes atomically, and leaves a receipt for every verdict.

import { type ActionOf, type Context, InputError, type Verdict } from '../core/index.ts';
import { type Cleared, takeClearance } from '../decide/cleared.ts';
import type { Decider } from '../decide/types.ts';
import type { Receipt } from '../ledger/index.ts';
import {
  type Change,
  type Chosen,
  inTurns,
  isGitData,
  type Judged,
  type Snapshot,
  type Snapshots,
  stateOf,
  type Undone,
} from '../ledger/snapshots/index.ts';
import { contentOf, type Edit, look, type Outcome, outcomesOf, textOf, writeOf } from './outcomes.ts';
import { leaveReceipt, mostShown, type ReceiptOptions } from './receipt.ts';

export interface ApplyOptions extends ReceiptOptions {
  readonly decider: Decider;
  readonly justification?: string;
}

export interface Applied {
  readonly verdict: Verdict;
  /** Null if nothing was written. */
  readonly snapshot: Snapshot | null;
  readonly receipt: Receipt;
}

/** Applies a change set or refuses it as a whole; throws `InputError` if an edit does not fit its file. */
export async function applyChanges(edits: readonly Edit[], options: ApplyOptions): Promise<Applied> {
  const { decider, snapshots, context, justification } = options;
  const outcomes = outcomesOf(edits, snapshots);
  const { verdict, facts, cleared } = await decider.decide(writeOf(outcomes, justification), context);
  const judgedAs = { outcomes, verdict, facts };
  if (cleared === null) {
    const receipt = await leaveReceipt({ action: 'reject', snapshot: null, ...judgedAs }, options);
    return { verdict, snapshot: null, receipt };
  }
  const snapshot = await writeCleared(cleared, outcomes, options);
  const receipt = await leaveReceipt({ action: 'apply', snapshot, ...judgedAs }, options);
  return { verdict, snapshot, receipt };
}

/** Writes a change set that the request path allowed; throws `Conflict` if a file changed since it was judged. */
export async function writeCleared(
  cleared: Cleared<'write'>,
  outcomes: readonly Outcome[],
  { snapshots }: Pick<ReceiptOptions, 'snapshots'>,
): Promise<Snapshot> {
  takeClearance(cleared);
  // INVARIANT: the judged result is written to the judged files: a file that changed since is a conflict.
  const changes = cleared.action.changes ?? [];
  const judged = new Map(changes.map((change) => [change.path, change.content ?? null]));
  const written = outcomes.map((outcome) => ({ ...outcome, after: judged.get(outcome.path) ?? null }));
  return await write(written, cleared, snapshots);
}

/**
 * Writes the files of a child action of a cleared call, in any of its forms, and leaves its receipt. Throws
 * `InputError` if an edit does not fit its file, and `Conflict` if the file changes meanwhile.
 */
export async function applyCleared(
  cleared: Cleared<'write'>,
  verdict: Verdict,
  options: Omit<ReceiptOptions, 'context'>,
): Promise<{ readonly snapshot: Snapshot; readonly receipt: Receipt }> {
  takeClearance(cleared);
  const { action, context, facts } = cleared;
  const outcomes = outcomesOf(editsIn(action), options.snapshots);
  const missing = outcomes.find(({ before, after }) => before === null && after === null);
  if (missing !== undefined) throw new InputError(`${missing.path} is not there`);
  const snapshot = await write(outcomes, cleared, options.snapshots);
  const happened = { action: 'apply', outcomes, snapshot, verdict, facts } as const;
  return { snapshot, receipt: await leaveReceipt(happened, { ...options, context }) };
}

async function write(
  outcomes: readonly Outcome[],
  { context, decisionId }: Cleared<'write'>,
  snapshots: Snapshots,
): Promise<Snapshot> {
  const changes = outcomes.map(
    (outcome): Change => ({
      path: outcome.path,
      from: outcome.before === null ? null : stateOf(outcome.before),
      to: contentOf(outcome),
    }),
  );
  const { user, tenant, agent, session: run } = context;
  return await inTurns(snapshots.change(changes, { action: 'apply', user, tenant, agent, run, decisionId }));
}

/** The effect of a write on its files; throws `InputError` for a form that only a host's own tools have. */
export function editsIn({ path, content, changes }: ActionOf<'write'>): readonly Edit[] {
  if (path !== undefined && content !== undefined) return [{ op: 'whole', path, content }];
  return (changes ?? []).map((change): Edit => {
    if (change.op === 'delete') return { op: 'delete', path: change.path, hunks: [] };
    if (change.op === 'edit' && change.edits !== undefined) {
      return { op: 'replace', path: change.path, pairs: change.edits };
    }
    throw new InputError(`a change of ${change.path} in this form is not made here`);
  });
}

/**
 * Reverts a change, or selected files of it, with a receipt of its own. Files that were changed since are left; throws
 * `Conflict` if that leaves nothing.
 */
export async function takeBack(
  id: string,
  options: ReceiptOptions,
  chosen?: Chosen,
): Promise<Undone & { readonly receipt: Receipt }> {
  const { snapshots, context } = options;
  const taken = snapshots.find(id);
  const { steps } = snapshots.preview(taken.id, chosen);
  const befores = steps.map(({ path }): Outcome => {
    const now = look(snapshots, path);
    const old = snapshots.contentBefore(taken.id, path);
    if (isGitData(path)) return { path, before: null, after: null, mode: 0 };
    return { path, before: now, after: old === null ? null : textOf(old), mode: now?.mode ?? 0 };
  });
  const { user, tenant, agent, session: run } = context;
  const cause = { user, tenant, agent, run, decisionId: taken.decisionId };
  const undone = await inTurns(
    snapshots.undo(
      taken.id,
      { ...cause, ...(chosen === undefined ? {} : { partial: true as const }) },
      chosen,
    ),
  );
  const receipt = await leaveReceipt(
    { action: 'rollback', outcomes: befores, snapshot: undone.snapshot, verdict: null, facts: {} },
    options,
  );
  return { ...undone, receipt };
}

/** Leaves the receipt of a command's changes inside the workspace. */
async function receiptOf(snapshot: Snapshot, options: ReceiptOptions): Promise<Receipt> {
  const outcomes = snapshot.steps.map(({ path, before, after }): Outcome => {
    const old = options.snapshots.contentBefore(snapshot.id, path);
    const now = look(options.snapshots, path);
    const bytes = after === null ? null : (now?.bytes ?? null);
    const mode = now?.mode ?? 0;
    // A later change would be reported as part of this one; a file that is binary, or too long, is reported without a
    // diff.
    const isThis = after === null || (now !== null && stateOf(now).hash === after.hash);
    if (isGitData(path)) return { path, before: null, after: null, mode };
    if (!isThis || !isLegible(old) || !isLegible(bytes)) return { path, before: null, after: null, mode };
    return {
      path,
      before: before === null || old === null ? null : { type: before.type, bytes: old, mode: before.mode },
      after: bytes === null ? null : textOf(bytes),
      mode,
    };
  });
  const { judged, decisionId } = snapshot;
  const verdict = judged === undefined ? null : { findings: judged.findings, decisionId };
  const facts = judged?.facts ?? {};
  return await leaveReceipt({ action: 'apply', outcomes, snapshot, verdict, facts }, options);
}

/** Leaves the receipt of files whose write was refused: they are named, and their intended content is not recorded. */
export async function refusalOf(
  paths: readonly string[],
  { judged, decisionId }: { readonly judged: Judged; readonly decisionId: string },
  options: ReceiptOptions,
): Promise<Receipt> {
  const outcomes = paths.map((path) => ({
    path: options.redact(path).text,
    before: null,
    after: null,
    mode: 0,
  }));
  const verdict = { findings: judged.findings, decisionId };
  return await leaveReceipt(
    { action: 'reject', outcomes, snapshot: null, verdict, facts: judged.facts },
    options,
  );
}

function isLegible(bytes: Uint8Array | null): boolean {
  return bytes === null || (bytes.length <= 16 * mostShown && !bytes.includes(0));
}

// ── Receipts of calls' changes: written once the change is detected, and after a crash by the next process.

/** Leaves the pending receipts of a workspace; one process at a time, so that each is left once. */
export async function leavePendingReceipts(options: Omit<ReceiptOptions, 'context'>): Promise<void> {
  const { snapshots } = options;
  if (snapshots.owed().length === 0) return;
  const unlock = await inTurns(snapshots.lock());
  try {
    for (const snapshot of snapshots.owed()) {
      await receiptOf(snapshot, { ...options, context: contextOf(snapshot) });
      snapshots.settled(snapshot.id);
    }
  } finally {
    unlock();
  }
}

function contextOf({ user, tenant, agent, run, workspace }: Snapshot): Context {
  return { user, tenant, agent, session: run, workspace, mode: 'default' };
}
