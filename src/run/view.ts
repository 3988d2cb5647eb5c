// A proposed change as users see it, in a panel or at a terminal: complete except for secrets, which are counted.

import { showHunk } from '../core/diff.ts';
import type { ChangeSet, ProposedChange } from '../ledger/index.ts';
import type { ReviewOptions } from './proposal.ts';
import { resultOf } from './review.ts';

/** A change without its content. */
export function summaryOf({ set, createdAt, expiresAt, ...change }: ProposedChange) {
  const files = set?.files ?? [];
  return {
    ...change,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    files: files.map(({ path, to, op, guards }) => ({ path, to, op, guards })),
    hunks: files.reduce((sum, file) => sum + file.hunks.length, 0),
    undecided: files.flatMap((file) => file.hunks).filter(({ decision }) => decision === null).length,
  };
}

/** A change for the agent that proposed it: the decisions, and no line of any file. */
export function outlineOf(change: ProposedChange, { files, findings, reason, suggest, missing }: ChangeSet) {
  return {
    ...summaryOf(change),
    ...{ reason, findings, suggest, missing_references: missing },
    files: files.map(({ path, to, op, guards, hunks }) => ({
      ...{ path, to, op, guards },
      hunks: hunks.map(({ number, kind, decision }) => ({ number, kind, decision })),
    })),
  };
}

/** A change with its hunks for a user: without secrets, which are counted. */
export function viewOf(
  change: ProposedChange,
  set: ChangeSet,
  { redact, snapshots, settings }: Pick<ReviewOptions, 'redact' | 'snapshots' | 'settings'>,
) {
  const redactions: Record<string, number> = {};
  const shown = (text: string, ...counted: readonly Record<string, number>[]): string => {
    const { text: left, redactions: counts } = redact(text);
    for (const all of [redactions, ...counted])
      for (const [kind, count] of Object.entries(counts)) all[kind] = (all[kind] ?? 0) + count;
    return left;
  };
  const { files, justification, cost, models } = set;
  return {
    ...outlineOf(change, set),
    ...{ cost, models },
    justification: justification === null ? null : shown(justification),
    files: files.map(({ path, to, op, guards, before, mode, hunks }) => {
      const hidden: Record<string, number> = {};
      return {
        ...{ path, to, op, guards },
        before_hash: before?.hash ?? null,
        mode: mode === null ? null : mode.toString(8),
        hunks: hunks.map(({ number, kind, decision, hunks: lines }) => ({
          ...{ number, kind, decision },
          diff: shown(lines.map((one) => showHunk(one)).join(''), hidden),
        })),
        redactions: hidden,
      };
    }),
    result: resultOf(set, snapshots, settings.changes),
    redactions,
  };
}
