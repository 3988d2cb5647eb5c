// Changes of protected files that an earlier call of the session made without naming them: before anything more runs or
// leaves, a person sees the difference and decides.

import {
  attempt,
  type Context,
  type Finding,
  type MaybePromise,
  visible,
  type World,
  whenReady,
} from '../core/index.ts';
import { errorFinding, type Judged, nameOf } from './judge.ts';
import { pathFinding, pathRules } from './rules.ts';

/**
 * What the guards made of an action, with the question about such changes where it runs or sends something. INVARIANT:
 * never throws; where the changes are not known, the action holds a `block`.
 */
export function withReview(
  judged: Judged,
  context: Context,
  world: Pick<World, 'unreviewed'>,
): MaybePromise<Judged> {
  if (world.unreviewed === undefined || !runsOrLeaves(judged)) return judged;
  const unknown = (error: unknown): Judged => ({
    ...judged,
    findings: [...judged.findings, errorFinding('path', error)],
    errors: [...judged.errors, { guard: 'path', error: nameOf(error) }],
  });
  return attempt(
    () => whenReady(world.unreviewed?.(context) ?? [], (changes) => asking(judged, changes)),
    unknown,
  );
}

function asking(judged: Judged, changes: Awaited<ReturnType<NonNullable<World['unreviewed']>>>): Judged {
  if (changes.length === 0) return judged;
  const named = changes.map(({ path, what }) => `${visible(path, 200)} ${what}`).join('; ');
  const shows = changes.map(({ diff }) => diff).join('');
  const finding: Finding = { ...pathFinding(pathRules.unreviewedChange, named), shows };
  return { ...judged, findings: [...judged.findings, finding] };
}

/** Whether something runs that may be what was changed, or something goes out that may carry it. */
function runsOrLeaves({ parts }: Judged): boolean {
  return parts.some(({ action, facts, sideEffect }) => {
    switch (action.kind) {
      case 'shell':
        return facts['reads_only'] !== true;
      case 'python':
      case 'code':
        return true;
      case 'fetch':
      case 'query':
        return sideEffect;
      case 'tool':
        return facts['class'] === 'outward' || facts['class'] === 'destructive';
      default:
        return false;
    }
  });
}
