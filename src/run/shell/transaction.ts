// Runs a cleared command on an overlay, judges what it changed, and makes that count, or discards it.

import { join } from 'node:path';
import { type Context, messageOf, type Verdict, visible } from '../../core/index.ts';
import type { Cleared } from '../../decide/cleared.ts';
import type { Decider } from '../../decide/types.ts';
import {
  type Commit,
  Conflict,
  type Content,
  contentAt,
  inTurns,
  LowDisk,
  PathRefused,
  type Snapshot,
  type State,
  shownPath,
} from '../../ledger/snapshots/index.ts';
import { leavePendingReceipts } from '../apply.ts';
import {
  type CommandKind,
  type CommandOptions,
  type CommandResult,
  changesGit,
  runCommand,
} from '../command.ts';
import { SandboxFailed } from '../errors.ts';
import { doingOf } from '../integrity/doing.ts';
import type { ReceiptOptions } from '../receipt.ts';
import { type Changed, type Difference, differenceOf } from './difference.ts';
import { writeOf } from './judged.ts';
import { type NoOverlay, Overlay } from './overlay.ts';

export interface TransactionOptions {
  /** Judges what the command changed. */
  readonly decide: Decider['decide'];
  /** The snapshots and receipts of the workspace. */
  readonly receipts: (context: Context) => Promise<ReceiptOptions>;
  /** Also shows the home, and what the command would change in it; that is never committed. */
  readonly homes?: readonly string[];
  /** Nothing is committed, whatever the verdict. */
  readonly isTrial?: boolean;
  /** Is shown what the command changed, while the new files can still be read. */
  readonly inspect?: (differences: readonly Difference[]) => void;
}

/** The outcome of a command's changes. */
export interface Transaction {
  readonly result: CommandResult;
  /** Its changes in the workspace. */
  readonly difference: Difference;
  /** Its changes elsewhere, which were discarded. */
  readonly elsewhere: readonly Difference[];
  /** The verdict on that; null if there was nothing to judge beyond the command's text. */
  readonly verdict: Verdict | null;
  /** Null where nothing was committed. */
  readonly snapshot: Snapshot | null;
  /** Why what it changed was discarded, in words; null if it was committed, or there was nothing. */
  readonly discarded: string | null;
  readonly isTrial: boolean;
}

/** The overlay could not be mounted; the command did not start. */
export class OverlayUnavailable extends SandboxFailed {
  readonly why: NoOverlay;

  constructor(why: NoOverlay) {
    super(`the command was not run: ${why.problem}`, { hint: why.hint });
    this.why = why;
  }
}

/** A command that was judged, and may run. */
export type JudgedCommand = Pick<Cleared<CommandKind>, 'action' | 'context' | 'facts' | 'decisionId'>;

/** The outcome of a command's changes on an overlay. */
export type Settled = Omit<Transaction, 'result'>;

/** Runs a command as a transaction; throws `OverlayUnavailable` before it starts, and what `runCommand` throws. */
export async function transact(
  cleared: Cleared<CommandKind>,
  command: CommandOptions,
  options: TransactionOptions,
): Promise<Transaction> {
  const overlay = makeOverlay(command.home, [...(options.homes ?? []), cleared.context.workspace]);
  try {
    const result = await started(overlay, () => runCommand(cleared, { ...command, overlay }));
    return { result, ...(await settle(overlay, cleared, options)) };
  } finally {
    overlay.remove();
  }
}

/** Judges what a command changed on an overlay, whose last layer is the workspace, and makes it count or discards it. */
export async function settle(
  overlay: Overlay,
  command: JudgedCommand,
  options: TransactionOptions,
): Promise<Settled> {
  const { context } = command;
  const differences: Difference[] = [];
  let unread: string | null = null;
  for (const layer of overlay.layers) {
    try {
      differences.push(await differenceOf(overlay, layer));
    } catch (error) {
      unread = `what it changed could not be read: ${diskProblem(error)}`;
      differences.push({ layer, changes: [], special: [] });
    }
  }
  options.inspect?.(differences);
  const difference = differences.pop();
  if (difference === undefined) throw new Error('an overlay without the workspace');
  const outcome = { difference, elsewhere: differences, isTrial: options.isTrial === true };
  if (unread !== null) return { ...outcome, verdict: null, snapshot: null, discarded: unread };
  const write = await writeOf(difference, command, changesGit(command));
  const judged = write === null ? null : await options.decide(write, context);
  const verdict = judged?.verdict ?? null;
  const discard = (why: string | null) => ({ ...outcome, verdict, snapshot: null, discarded: why });
  if (difference.changes.length === 0) return discard(null);
  if (options.isTrial === true) return discard('this was a trial');
  if (judged !== null && judged.cleared === null) return discard(judged.verdict.explanation);
  try {
    const receipts = await options.receipts(context);
    const snapshot = await commit(difference, command, overlay.startedMs, receipts);
    return { ...outcome, verdict, snapshot, discarded: null };
  } catch (error) {
    if (error instanceof Conflict) return discard(conflictText(error));
    if (error instanceof LowDisk || error instanceof PathRefused) return discard(error.message);
    // The changes made until then were reverted.
    return discard(`it could not be committed: ${diskProblem(error)}`);
  }
}

/** A file system's report about itself; throws for an unknown term. */
function diskProblem(error: unknown): string {
  if (error instanceof Error && 'syscall' in error) return visible(error.message, 300);
  throw error;
}

function conflictText({ paths }: Conflict): string {
  const named = paths.slice(0, 3).map((path) => visible(shownPath(path), 200));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : '';
  return `another process changed ${named.join(', ')}${more} while the command ran; run it again`;
}

export function makeOverlay(...given: ConstructorParameters<typeof Overlay>): Overlay {
  try {
    return new Overlay(...given);
  } catch (error) {
    const problem = `the folders of the overlay could not be made: ${visible(messageOf(error), 300)}`;
    throw new OverlayUnavailable({ problem, hint: 'look at the disk and at the rights of $SALLYPORT_HOME' });
  }
}

/** Runs a command; reports if it could not start because of the overlay. */
async function started(overlay: Overlay, run: () => Promise<CommandResult>): Promise<CommandResult> {
  try {
    return await run();
  } catch (error) {
    const why = error instanceof SandboxFailed ? await overlay.problem() : null;
    throw why === null ? error : new OverlayUnavailable(why);
  }
}

/** Makes what a command changed count. INVARIANT: a file that another process changed since is a `Conflict`. */
async function commit(
  { layer, changes }: Difference,
  { action, context, facts, decisionId }: JudgedCommand,
  startedMs: number,
  receipts: ReceiptOptions,
): Promise<Snapshot> {
  const { snapshots } = receipts;
  const { user, tenant, agent, session: run } = context;
  const doing = doingOf([{ action, facts }]);
  const cause = { action: 'shell', user, tenant, agent, run, decisionId, doing } as const;
  const commits = changes.map((change) => commitOf(change, layer.upper));
  const snapshot = await inTurns(
    snapshots.commit(
      commits,
      cause,
      (found) => found === null || found.isDirectory() || found.ctimeMs < startedMs,
    ),
  );
  await leavePendingReceipts(receipts);
  return snapshot;
}

function commitOf({ path, after, isFresh }: Changed, upper: string): Commit {
  return {
    path,
    after,
    to: after === null ? null : { ...contentIn(upper, path, after), isMovable: isFresh },
  };
}

/** The committed state of a file: its bytes stay in the upper folder until they are staged. */
function contentIn(upper: string, path: string, { type, mode }: State): Content {
  const nothing = new Uint8Array();
  if (type === 'folder') return { type, bytes: nothing, mode };
  if (type === 'file' && path.isWellFormed())
    return { type, bytes: nothing, mode, copyOf: join(upper, path) };
  const content = contentAt(upper, path, Number.POSITIVE_INFINITY);
  if (content === null) throw new Error('a file of an overlay is gone');
  return content;
}
