// The settings that would change most: each is tried by itself on the calls that were stopped.

import type { Settings } from '../../config/index.ts';
import { isPermittable, isSoftenable } from '../../core/index.ts';
import type { Terms } from '../../decide/index.ts';
import type { Stop } from './judged.ts';

/** One setting, and how many interruptions there would be fewer with it alone. */
export interface Change {
  /** A command to type, or lines for a configuration file. */
  readonly setting: string;
  readonly says: string;
  readonly fewer: number;
}

const mostShown = 8;
const mostHosts = 20;

/** The settings that change something, the strongest first. */
export async function strongestChanges(stops: readonly Stop[]): Promise<readonly Change[]> {
  const all = [...byRule(stops), ...byEffect(stops), ...(await byHosts(stops)), ...(await byShell(stops))];
  return all
    .filter(({ fewer }) => fewer > 0)
    .sort((a, b) => b.fewer - a.fewer)
    .slice(0, mostShown);
}

/** A permission for whatever one rule asks about. */
function byRule(stops: readonly Stop[]): readonly Change[] {
  const alone = stops.filter(({ decision, rules }) => decision === 'approve' && rules.length === 1);
  return counted(
    alone.flatMap(({ findings, rules: [rule = ''] }) => (findings.every(isSoftenable) ? [rule] : [])),
  ).map(([rule, fewer]) => ({
    ...{ fewer, setting: `sallyport allow --rule ${rule} --always` },
    says: `whatever ${rule} asks about`,
  }));
}

/** A permission for one effect that came again and again. */
function byEffect(stops: readonly Stop[]): readonly Change[] {
  const effects = stops.flatMap(({ decision, findings }) => {
    const named = [...new Set(findings.map(({ grant }) => grant))];
    const [effect] = named;
    const isOne = named.length === 1 && effect !== undefined && !effect.startsWith('exactly ');
    return decision === 'approve' && isOne && findings.every((one) => isPermittable(one) && isSoftenable(one))
      ? [effect]
      : [];
  });
  return counted(effects)
    .filter(([, times]) => times > 1)
    .map(([effect, fewer]) => ({
      ...{ fewer, setting: `sallyport allow --effect '${effect.replaceAll("'", "'\\''")}' --always` },
      says: 'this one effect',
    }));
}

/** The hosts that calls would reach, on the list of those that need no question. */
async function byHosts(stops: readonly Stop[]): Promise<readonly Change[]> {
  const hosts = counted(
    stops.flatMap(({ findings }) =>
      findings.flatMap(({ grant = '' }) => {
        const host = /^(?:fetch https?:\/\/|command connect )([a-z0-9.-]+)(?::\d+)?$/.exec(grant)?.[1];
        return host === undefined ? [] : [host];
      }),
    ),
  )
    .slice(0, mostHosts)
    .map(([host]) => host);
  if (hosts.length === 0) return [];
  const settings = (now: Settings): Settings => {
    const [own = [], ...others] = now.egressAllowlists;
    return { ...now, egressAllowlists: [[...own, ...hosts], ...others] };
  };
  const list = hosts.map((host) => JSON.stringify(host)).join(', ');
  return [
    {
      fewer: await passing(stops, { settings }),
      setting: `[agents.claude]\negress_allowlist = [${list}]`,
      says: 'requests to these hosts go without asking',
    },
  ];
}

/** Commands that run aside: questions about files of the workspace wait until what was changed is known. */
async function byShell(stops: readonly Stop[]): Promise<readonly Change[]> {
  return [
    {
      fewer: await passing(stops, { world: { runsAside: true } }),
      setting: '[shell]\ntransactional = true',
      says: 'commands run on an overlay; what they changed is judged afterwards, and may then be asked about',
    },
  ];
}

/** How many stops would be none under other terms. */
async function passing(stops: readonly Stop[], terms: Terms): Promise<number> {
  let fewer = 0;
  for (const { again } of stops) {
    const decision = await again(terms);
    if (decision === 'pass' || decision === 'redact') fewer++;
  }
  return fewer;
}

/** Values with how often they came, the most frequent first. */
function counted(values: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
