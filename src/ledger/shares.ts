// How many questions of one agent and of one session may be pending, so that none of them crowds out the others; and
// which of the pending questions are of the same kind.

import type { Action, Context, Finding } from '../core/index.ts';

/** A pending question: its requester, and since when. */
export interface WaitingQuestion {
  readonly context: Pick<Context, 'user' | 'agent' | 'agentClaimed' | 'session'>;
  readonly createdAt: number;
}

/** A question that has been pending longer than this does not count against a share, in milliseconds. */
export const longWaitMs = 2 * 60_000;

/** A share is never less than this, unless `max_pending` itself is. */
const leastShare = 5;

interface Share {
  readonly of: 'agent' | 'session';
  /** Whether it counts every question, or only recent ones. */
  readonly counts: 'recent' | 'all';
  /** Its fraction of `max_pending`. */
  readonly part: number;
}

const shares: readonly Share[] = [
  { of: 'session', counts: 'recent', part: 1 / 2 },
  { of: 'agent', counts: 'recent', part: 3 / 4 },
  { of: 'agent', counts: 'all', part: 1 },
];

function limitOf({ part }: Share, maxPending: number): number {
  return Math.max(Math.min(leastShare, maxPending), Math.ceil(maxPending * part));
}

/** Fewer questions than this fill no share. */
export function smallestShare(maxPending: number): number {
  return Math.min(...shares.map((share) => limitOf(share, maxPending)));
}

/**
 * Which share of the requester is full, in words; null if none is. INVARIANT: questions of another agent never count,
 * so that its question is asked whatever the others ask. A name that a caller only claims creates no other agent: all
 * callers of a user with a claimed name share one agent's quota.
 */
export function fullShare(
  waiting: readonly WaitingQuestion[],
  asker: WaitingQuestion['context'],
  maxPending: number,
  now: number,
): string | null {
  const ofAgent = waiting.filter(({ context }) => isSameAgent(context, asker));
  const own = {
    agent: ofAgent,
    session: ofAgent.filter(
      ({ context }) => context.agent === asker.agent && context.session === asker.session,
    ),
  };
  for (const share of shares) {
    const limit = limitOf(share, maxPending);
    const counted = own[share.of].filter(
      ({ createdAt }) => share.counts === 'all' || now - createdAt < longWaitMs,
    );
    if (counted.length >= limit) return `${counted.length} questions of this ${share.of} wait already`;
  }
  return null;
}

function isSameAgent(one: WaitingQuestion['context'], other: WaitingQuestion['context']): boolean {
  if (one.user !== other.user || isClaimed(one) !== isClaimed(other)) return false;
  return isClaimed(one) || one.agent === other.agent;
}

function isClaimed({ agentClaimed }: WaitingQuestion['context']): boolean {
  return agentClaimed === true;
}

/** The key of a group of questions: the requester, the action, and the rules that ask. */
export function groupOf({
  action,
  context,
  findings,
}: {
  readonly action: Action;
  readonly context: Context;
  readonly findings: readonly Finding[];
}): string {
  const what = action.kind === 'tool' ? `tool ${action.tool}` : action.kind;
  const asked = findings.filter(({ decision }) => decision === 'approve');
  const rules = [...new Set(asked.map(({ guard, rule }) => `${guard}/${rule}`))].sort();
  return [context.agent, context.session, what, ...rules].join(' · ');
}

/** Questions by their groups, each group at the position of its first question. */
export function inGroups<Q extends { readonly group: string | null }>(
  questions: readonly Q[],
): readonly (readonly Q[])[] {
  return [...Map.groupBy(questions, ({ group }) => group).values()];
}
