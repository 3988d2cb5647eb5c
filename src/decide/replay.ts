// Evaluates recent decisions under other policies: the same recorded questions, evaluated by the current policies and
// by the proposed ones.

import { type Config, type PolicySource, type Settings, withPolicies } from '../config/index.ts';
import {
  type Decision,
  decisions,
  type Finding,
  isJsonObject,
  type Mode,
  modes,
  strongest,
} from '../core/index.ts';
import type { Entry } from '../ledger/index.ts';
import type { AskedOf } from '../policy/request.ts';
import { pathFinding, pathRules } from './judge.ts';

/** A decision that would have differed. */
interface Changed {
  readonly entry: Entry;
  readonly from: Decision;
  readonly to: Decision;
  /** The policies that match on one side only. */
  readonly policies: readonly string[];
}

export interface Replay {
  /** The number of decisions that could be evaluated again, and the total. */
  readonly judged: number;
  readonly of: number;
  readonly changed: readonly Changed[];
}

/** Evaluates recorded decisions under the policies of a moment and under others. */
export async function replay(
  entries: readonly Entry[],
  config: Pick<Config, 'settingsFor'>,
  kept: { readonly before: readonly PolicySource[]; readonly after: readonly PolicySource[] },
): Promise<Replay> {
  const { recordedIn } = await import('../policy/request.ts');
  const sides = new Map<Settings, { readonly before: Settings; readonly after: Settings }>();
  const changed: Changed[] = [];
  let judged = 0;
  for (const entry of entries) {
    const { agent, details } = entry;
    const { workspace, mode } = details;
    const asked = recordedIn(details);
    const known = modes.find((one) => one === mode);
    if (asked === null || known === undefined || typeof workspace !== 'string') continue;
    let settings: Settings;
    try {
      settings = await config.settingsFor({ agent, workspace });
    } catch {
      // The workspace was deleted, or its file cannot be used: its effective policies are unknown.
      continue;
    }
    const { before, after } = sides.get(settings) ?? {
      before: withPolicies(settings, kept.before),
      after: withPolicies(settings, kept.after),
    };
    sides.set(settings, { before, after });
    judged++;
    // Decisions that are requested meanwhile run first.
    if (judged % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    const guards = foundIn(entry);
    const question = { entry, asked, workspace, mode: known, guards };
    const [old, fresh] = [await under(before, question), await under(after, question)];
    const [from, to] = [old, fresh].map((found) =>
      strongest([...guards, ...found].map(({ decision }) => decision)),
    );
    if (from === undefined || to === undefined || from === to) continue;
    const names = (found: readonly Finding[], other: readonly Finding[]) =>
      found.map(({ rule }) => rule).filter((name) => !other.some(({ rule }) => rule === name));
    const policies = [...new Set([...names(old, fresh), ...names(fresh, old)])].sort();
    changed.push({ entry, from, to, policies });
  }
  return { judged, of: entries.length, changed };
}

interface Recorded {
  readonly entry: Entry;
  readonly asked: AskedOf;
  readonly workspace: string;
  readonly mode: Mode;
  readonly guards: readonly Found[];
}

/** The recorded part of a guard's finding. */
type Found = Pick<Finding, 'decision' | 'pointer'> & { readonly guard: string };

/** The result of the policies; as on the request path, a policy that cannot be evaluated blocks. */
async function under(
  settings: Settings,
  { entry: { user, tenant, agent }, asked, workspace, mode, guards }: Recorded,
): Promise<readonly Finding[]> {
  try {
    const { judgeAsked } = await import('../policy/judge.ts');
    const context = { user, tenant, agent, workspace, mode };
    return (await judgeAsked(asked, guards, context, settings)).findings;
  } catch {
    return [pathFinding(pathRules.policyError)];
  }
}

/** The guards' findings, without the policies' result at that time. */
function foundIn({ details }: Entry): readonly Found[] {
  const { findings } = details;
  return (Array.isArray(findings) ? findings : []).flatMap((finding) => {
    if (!isJsonObject(finding)) return [];
    const { rule, guard, pointer } = finding;
    const decision = [...decisions, 'warn' as const].find((known) => known === finding['decision']);
    if (decision === undefined || guard === 'policy' || rule === pathRules.policyError.id) return [];
    return [{ guard: String(guard), decision, ...(typeof pointer === 'string' ? { pointer } : {}) }];
  });
}
