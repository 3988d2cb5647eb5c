// Reviewing proposed changes: the user decides on every hunk; the accepted hunks are judged again and written, and no
// others.

import { hash } from 'node:crypto';
import type { ChangeSettings } from '../config/index.ts';
import { takeHunks } from '../core/diff.ts';
import { ConflictError, canonicalJson, InputError, NotAllowed, type Verdict } from '../core/index.ts';
import type { Decided } from '../decide/types.ts';
import {
  type ChangeHunk,
  type ChangeSet,
  type HunkDecision,
  type Ledger,
  NotVouchedFor,
  type ProposedChange,
  type Reader,
  type Receipt,
  type Signer,
} from '../ledger/index.ts';
import { Conflict, type Snapshot, type Snapshots, stateOf } from '../ledger/snapshots/index.ts';
import { isSame } from '../ledger/snapshots/snapshot.ts';
import { type ApplyOptions, writeCleared } from './apply.ts';
import { hashesOf, look, type Outcome, plainMode, textIn, writeOf } from './outcomes.ts';
import type { ReviewOptions } from './proposal.ts';
import { leaveReceipt, type ReceiptOptions, worstChips } from './receipt.ts';

/** The change would write another result than the user saw. Nothing was changed. */
export class ResultChanged extends ConflictError {}

/** The reviewer, and the data visible to them. */
export interface Review {
  readonly ledger: Ledger;
  readonly by: string;
  readonly reader: Reader;
  readonly now: () => number;
}

/** The result of applying a change with its current decisions. */
export interface Result {
  /** Identifies every byte that would be written; null if a file has changed since. */
  readonly hash: string | null;
  readonly files: readonly {
    readonly path: string;
    readonly before_hash: string | null;
    readonly after_hash: string | null;
  }[];
  /** Files that have changed since the change was proposed. */
  readonly stale: readonly string[];
}

/** Reads the workspace and computes what applying a change would write. */
export function resultOf(
  set: ChangeSet,
  snapshots: Pick<Snapshots, 'look'>,
  settings: Pick<ChangeSettings, 'undecided'>,
): Result {
  const { outcomes, stale } = acceptedOf(set, snapshots, settings);
  const files = outcomes.map(hashesOf);
  const all = outcomes.map(({ mode }, index) => ({ ...files[index], mode }));
  return { hash: stale.length > 0 ? null : hash('sha256', canonicalJson(all), 'hex'), files, stale };
}

/** The result of the accepted hunks for the files, and the files that have changed. */
function acceptedOf(
  { files }: ChangeSet,
  snapshots: Pick<Snapshots, 'look'>,
  { undecided }: Pick<ChangeSettings, 'undecided'>,
): { readonly outcomes: readonly Outcome[]; readonly stale: readonly string[] } {
  const isAccepted = ({ decision }: ChangeHunk) => (decision ?? undecided) === 'accept';
  const stale: string[] = [];
  const outcomes = files.flatMap((file): readonly Outcome[] => {
    const { path, to, op, before, mode, hunks } = file;
    if (!hunks.some(isAccepted)) return [];
    const now = look(snapshots, path);
    const taken = to === null ? null : look(snapshots, to);
    if (!isSame(before, now === null ? null : stateOf(now)) || taken !== null) {
      stale.push(path);
      return [];
    }
    const lines = hunks.flatMap((hunk) => hunk.hunks.map((one) => ({ one, wanted: isAccepted(hunk) })));
    const text = takeHunks(
      now === null ? '' : textIn(now, path),
      lines.map(({ one }) => one),
      (index) => lines[index]?.wanted ?? false,
    );
    const modeWanted = op !== 'edit' || hunks.some((hunk) => hunk.kind === 'mode' && isAccepted(hunk));
    const newMode = modeWanted && mode !== null ? mode : (now?.mode ?? plainMode);
    const gone: Outcome = { path, before: now, after: null, mode: newMode };
    if (op === 'delete') return [gone];
    if (to !== null) return [gone, { path: to, before: null, after: text, mode: newMode, from: path }];
    return [{ path, before: now, after: text, mode: newMode }];
  });
  return { outcomes, stale };
}

/** The selected hunks. */
export type Which =
  | { readonly hunks: readonly number[] }
  | { readonly files: readonly string[] }
  | { readonly all: true };

/** The numbers of the selected hunks; throws `InputError` for a file that the change does not contain. */
export function hunksMeant({ files }: ChangeSet, which: Which): ReadonlySet<number> {
  if ('hunks' in which) return new Set(which.hunks);
  const named = 'files' in which ? new Set(which.files) : null;
  const chosen = files.filter(({ path, to }) => named === null || named.has(path) || named.has(to ?? ''));
  const known = new Set(chosen.flatMap(({ path, to }) => [path, to]));
  const unknown = [...(named ?? [])].find((path) => !known.has(path));
  if (unknown !== undefined) throw new InputError(`the change does not touch ${unknown}`);
  return new Set(chosen.flatMap(({ hunks }) => hunks.map(({ number }) => number)));
}

/** The user's decision on hunks, files or all of a change. */
export async function decideChange(
  id: string,
  which: Which,
  decision: HunkDecision,
  { ledger, by, reader, now }: Review,
): Promise<ProposedChange> {
  const { set, state } = await ledger.changes.show(id, reader, now());
  // One that is no longer pending is refused by name.
  const hunks = set === null || state !== 'staged' ? new Set<number>() : hunksMeant(set, which);
  return await ledger.changes.decide(id, hunks, decision, by, reader, now());
}

/** The result of a review. */
export interface Ended {
  readonly state: 'applied' | 'rejected';
  /** Null if nothing was written. */
  readonly snapshot: Snapshot | null;
  readonly receipt: Receipt;
  /** Null if no guard was called. */
  readonly verdict: Verdict | null;
}

/** The context for the request path: the change is still the agent's, no matter who applies it. */
export type OptionsFor = (
  context: ChangeSet['context'],
) => Promise<Omit<ReviewOptions, 'context' | 'ledger' | 'now'>>;

/** A review whose approver signs when the request path asks: the signer of the answer to an approval, by its id. */
export interface Applying extends Review {
  readonly signerFor: (approval: string) => Promise<Signer>;
}

/**
 * Writes the accepted hunks. `seen` is the hash of the result that the user saw: if the workspace or a decision has
 * changed since, nothing is written and the change stays pending.
 */
export async function applyChange(
  id: string,
  seen: string,
  review: Applying,
  optionsFor: OptionsFor,
): Promise<Ended> {
  return await claimed(id, review, optionsFor, async (set, options) => {
    const { snapshots, settings } = options;
    const { stale, hash: result } = resultOf(set, snapshots, settings.changes);
    if (stale.length > 0) {
      const hint = 'let the agent propose it again on what is there now';
      throw new Conflict(`${stale.length} file(s) have changed since this was proposed`, stale, hint);
    }
    if (result !== seen) {
      throw new ResultChanged('the change would not write what you saw', {
        hint: `look at it again: sallyport changes show ${id}`,
      });
    }
    const { outcomes } = acceptedOf(set, snapshots, settings.changes);
    if (outcomes.length === 0) return await given(set, outcomes, 'reject', options);
    if (set.suggest) return await given(set, outcomes, 'apply', options);
    const { verdict, facts, cleared } = await agreed(outcomes, review, options);
    const judged = { outcomes, verdict, facts };
    if (cleared === null) {
      const receipt = await leaveReceipt({ action: 'reject', snapshot: null, ...judged }, options);
      return { state: 'rejected', snapshot: null, receipt, verdict };
    }
    const snapshot = await writeCleared(cleared, outcomes, options);
    const receipt = await leaveReceipt({ action: 'apply', snapshot, ...judged }, options);
    return { state: 'applied', snapshot, receipt, verdict };
  });
}

/** Discards a change, with a receipt. */
export async function rejectChange(id: string, review: Review, optionsFor: OptionsFor): Promise<Ended> {
  return await claimed(id, review, optionsFor, async (set, options) => {
    const files = set.files.map((file) => ({
      ...file,
      hunks: file.hunks.map((hunk) => ({ ...hunk, decision: 'accept' as const })),
    }));
    // The intended content of the files, as far as they are unchanged.
    const { outcomes } = acceptedOf({ ...set, files }, options.snapshots, options.settings.changes);
    return await given(set, outcomes, 'reject', options);
  });
}

/** Ends a change without writing anything; the receipt has the guards' results from the proposal. */
async function given(
  { files, missing }: ChangeSet,
  outcomes: readonly Outcome[],
  action: 'apply' | 'reject',
  options: ReceiptOptions,
): Promise<Ended> {
  const guards = worstChips(files.map((file) => file.guards));
  const happened = { action, outcomes, snapshot: null, verdict: null, facts: {}, said: { guards, missing } };
  const receipt = await leaveReceipt(happened, options);
  return { state: action === 'apply' ? 'applied' : 'rejected', snapshot: null, receipt, verdict: null };
}

/** The request path's verdict on the accepted hunks; if it asks, the user's approval of exactly this is the answer. */
async function agreed(
  outcomes: readonly Outcome[],
  { ledger, signerFor, by, reader, now }: Applying,
  { decider, context, justification }: ApplyOptions,
): Promise<Decided<'write'>> {
  const action = writeOf(outcomes, justification);
  const decided = await decider.decide(action, context);
  const { approval } = decided.verdict;
  if (approval === null) return decided;
  try {
    await ledger.approvals.answer(approval.id, 'approve', by, await signerFor(approval.id), reader, now());
  } catch (error) {
    // A missing signature is awaited; if the signature is not valid, the question is not repeated.
    if (error instanceof NotVouchedFor) await ledger.approvals.withdraw(approval.id, now());
    throw error;
  }
  const again = await decider.decide(action, context);
  const { approval: open, decision, explanation } = again.verdict;
  if (open !== null) await ledger.approvals.withdraw(open.id, now());
  if (decision === 'approve') throw new NotAllowed(`the yes does not count: ${explanation}`);
  return again;
}

/** Locks a change while it works; if the work fails, the change is pending again. */
async function claimed(
  id: string,
  { ledger, reader, by, now }: Review,
  optionsFor: OptionsFor,
  work: (set: ChangeSet, options: ReviewOptions) => Promise<Ended>,
): Promise<Ended> {
  const { set } = await ledger.changes.claim(id, reader, now());
  try {
    const { context, cost, models, justification } = set;
    const ended = await work(set, {
      ...(await optionsFor(context)),
      ...{ ledger, now, context, cost, models },
      ...(justification === null ? {} : { justification }),
    });
    await ledger.changes.end(id, ended.state, by, ended.receipt.receipt_id, now());
    return ended;
  } catch (error) {
    // If even this fails, the claim expires by itself.
    await ledger.changes.release(id).catch(() => undefined);
    throw error;
  }
}
