// The steps of the request path around the guards: the user's own rules are compiled, the action is judged in place or
// on a thread, unreviewed changes are shown, and the policy is evaluated.

import { type Config, type PolicySource, type Settings, withPolicies } from '../config/index.ts';
import type { PolicyStore } from '../config/sources.ts';
import {
  type Action,
  attempt,
  type Context,
  type Finding,
  type GuardInput,
  isPending,
  lazily,
  type MaybePromise,
  visible,
  type World,
  whenReady,
} from '../core/index.ts';
import type { Policy } from '../policy/index.ts';
import {
  detailOf,
  errorFinding,
  type Granted,
  type GuardTable,
  type Judged,
  judge,
  nameOf,
  pathFinding,
  pathRules,
} from './judge.ts';
import { isLong } from './long.ts';
import type { Records } from './record.ts';
import type { Decider } from './types.ts';
import { isReal, resolvesHere } from './world.ts';

// ── The user's own rules about texts, loaded if there are any: commands that need none start sooner.

/** Searches texts. */
const ownDetection = lazily(() => import('./detection.ts'));

type Finder = GuardInput<Settings>['find'];

/** The matches of the user's own rules; undefined if there are none. Throws if they cannot be used. */
export function ownFinder(settings: Settings, world: World): MaybePromise<Finder> {
  const { detect, egress } = settings;
  if (detect.packs.length + egress.rules.length === 0) return undefined;
  return ownDetection((own) => own.ownFinder(settings, world));
}

/** Compiles the user's own rules in the settings; throws `ConfigError` if one of them cannot be used. */
export function withOwnRules(settings: Settings, world: World): MaybePromise<Settings> {
  const { detect, egress, guidelines } = settings;
  const any = detect.packs.length + egress.rules.length + guidelines.own.length > 0;
  return any ? ownDetection(({ prepare }) => prepare(settings, world)) : settings;
}

// ── in place, or on a thread

/** Loaded with the first long action. */
const isolated = lazily(() => import('./isolated.ts'));

/** Judges an action in place, or on a thread if it is long and there is one. INVARIANT: never throws, as `judge`. */
export function judgeAnywhere(
  table: GuardTable,
  action: Action,
  input: GuardInput<Settings>,
  granted: Granted,
): MaybePromise<Judged> {
  const { world, observe } = input;
  const onTheSpot = world.isolation === undefined || observe !== undefined || !isLong(action);
  if (onTheSpot || !isReal(world)) return judge(table, action, input);
  return isolated(({ judgeIsolated }) => judgeIsolated(table, action, input, granted, resolvesHere(world)));
}

// ── Changes of protected files that an earlier call of the session made without naming them: before another action
// runs or sends data, the user sees the difference and decides.

/**
 * The guards' result for an action, with the question about such changes if it runs or sends something. INVARIANT:
 * never throws; if the changes are unknown, the action holds a `block`.
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

/** Whether the action may run a changed file, or may send its content. */
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

// ── Step 3 of the request path: the policy over the guards' result, and the policies that are stored outside of files.

/**
 * The guards' findings and the policy's additions; the facts name the policies that decided. INVARIANT: never throws; a
 * policy that cannot be evaluated blocks.
 */
export function withPolicy(
  policy: Policy,
  judged: Pick<Judged, 'parts' | 'findings' | 'facts'>,
  context: Context,
  settings: Settings,
): MaybePromise<Policed> {
  return attempt(
    () =>
      whenReady(policy(judged, context, settings), ({ findings, asked }): Policed => {
        if (asked.length === 0) return { findings: [...judged.findings, ...findings], facts: judged.facts };
        const policies = [...new Set(asked.flatMap(({ determined }) => determined))].sort();
        return { findings: [...judged.findings, ...findings], facts: { ...judged.facts, policies } };
      }),
    (error): Policed => {
      const finding = pathFinding(pathRules.policyError, detailOf(error));
      return { findings: [...judged.findings, finding], facts: judged.facts };
    },
  );
}

type Policed = Pick<Judged, 'findings' | 'facts'>;

/**
 * Returns the settings with the stored policies, as they are now; the same object until something changes, so that
 * values derived from it are computed once.
 */
export function withStoredPolicies(
  { settingsFor, policyStore }: Pick<Config, 'settingsFor'> & Partial<Pick<Config, 'policyStore'>>,
  kept: Records['policies'],
): Decider['settingsFor'] {
  const made = new WeakMap<Settings, { readonly of: readonly unknown[]; readonly settings: Settings }>();
  const joined = (settings: Settings, sources: readonly PolicySource[], stamp?: string | null): Settings => {
    if (sources.length === 0 && stamp === undefined) return settings;
    const known = made.get(settings);
    if (known !== undefined && known.of[0] === sources && known.of[1] === stamp) return known.settings;
    const store = stamp === undefined || !policyStore ? undefined : { ...policyStore, stamp };
    const fresh = withPolicies(settings, sources, store);
    made.set(settings, { of: [sources, stamp], settings: fresh });
    return fresh;
  };
  return (context, kind) => {
    const settings = settingsFor(context);
    const sources = kept === undefined ? none : kept.sources();
    const store = kind === 'query' ? (policyStore ?? null) : null;
    if (store === null && !isPending(settings) && !isPending(sources)) {
      return joined(settings, sources);
    }
    const stamp = store === null ? undefined : stampOf(store);
    return Promise.all([settings, sources, stamp]).then((all) => joined(...all));
  };
}

const none: readonly PolicySource[] = [];

/** The changes by the policies of a store; null if it cannot be read, and then nothing is permitted by it. */
async function stampOf(store: PolicyStore): Promise<string | null> {
  const { avpFor } = await import('../policy/avp.ts');
  return await avpFor(store)
    .stamp()
    .catch(() => null);
}
