// Step 3 of the path: the policy over what the guards made of an action, and the policies that are kept outside of files.

import { type Config, type PolicySource, type Settings, withPolicies } from '../config/index.ts';
import type { PolicyStore } from '../config/sources.ts';
import { attempt, type Context, isPending, type MaybePromise, whenReady } from '../core/index.ts';
import type { Policy } from '../policy/index.ts';
import { detailOf, type Judged } from './judge.ts';
import type { Records } from './record.ts';
import { pathFinding, pathRules } from './rules.ts';
import type { Decider } from './types.ts';

/**
 * What the guards found and what the policy adds; the facts name the policies that decided.
 * INVARIANT: never throws; a policy that cannot be asked blocks.
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
 * Gives the settings with the policies that are kept, as they are now; the same object while nothing has changed, so
 * that what is made of it is made once.
 */
export function keptIn(
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

/** What changes with the policies of a store; null where it cannot be had, and then nothing is permitted by it. */
async function stampOf(store: PolicyStore): Promise<string | null> {
  const { avpFor } = await import('../policy/avp.ts');
  return await avpFor(store)
    .stamp()
    .catch(() => null);
}
