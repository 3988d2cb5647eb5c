// Rule: outside the workspace no agent writes by itself. Where an agent host asks, a person may allow one write there; what
// starts by itself, holds keys or belongs to the system is refused even then.

import { realPathIn } from '../../../core/guard.ts';
import type { Finding, Rule, World } from '../../../core/index.ts';
import { classify } from '../../../detect/path.ts';
import { ownHomeOf, ownHomes } from '../../../detect/protect.ts';
import { type PathFacts, readPath } from '../facts.ts';
import { hit, shown, write } from './finding.ts';
import { outsideFinding } from './place.ts';
import { protectionFindings } from './protect.ts';

const claude = { host: 'claude' } as const;

const writeOutside: Rule = {
  id: 'write_outside',
  guard: 'write',
  decision: 'approve',
  reason: 'Undo cannot restore files outside the workspace, so each write there needs approval.',
  suggestion: 'Write it inside the workspace.',
  examples: {
    hit: [
      write('/home/user/other/notes.txt', 'a', claude),
      write('/srv/other/a.ts', 'a', claude),
      write('~/notes.txt', 'a', claude),
    ],
    miss: [
      write('/home/user/other/notes.txt'),
      write('/home/user/other/notes.txt', 'a', { ...claude, agent: { profile: 'strict' } }),
      write('/home/user/.ssh/authorized_keys', 'a', claude),
      write('/etc/cron.d/job', 'a', claude),
      write('/home/user/.claude/plans/a-plan.md', 'a', claude),
      write('src/a.ts', 'a', claude),
    ],
  },
};

/** The rule on writes outside the workspace that a person may allow. */
export const outsideRules: readonly Rule[] = [writeOutside];

/** What is wrong with a write to an absolute path outside the workspace, where a person may be asked about it. */
export function outsideFindings(
  absolute: string,
  { given }: PathFacts,
  pointer: string,
  workspace: string,
  world: World,
): readonly Finding[] {
  const real = realWay(absolute, world);
  if (real === null) return [outsideFinding(given, pointer)];
  const places = [...new Set([absolute, real])];
  const refused = places.flatMap((place) => {
    const own = ownHomeOf(place, ownHomes(world.ownHome ?? [], world.home ?? ''), workspace) !== null;
    return protectionFindings({ ...readPath(place.slice(1)), given }, pointer, {
      // What agents read of another project, or of all, is refused as strict does.
      ...{ profile: 'strict', allowed: false, deletes: false },
      knownAs: own ? 'guard' : null,
    });
  });
  const blocks = refused.filter(({ decision }) => decision === 'block');
  if (blocks.length > 0) return blocks.slice(0, 1);
  if (places.some((place) => isReserved(place, world))) return [outsideFinding(given, pointer)];
  return [
    hit(writeOutside, `The file '${shown(given)}' lies outside the workspace; undo cannot restore it.`, {
      pointer,
    }),
  ];
}

/** Whether a file is one of the system, of keys, or starts something by itself. */
function isReserved(path: string, { home = null }: Pick<World, 'home'>): boolean {
  const { secret, persistence, device, system, guard, home: inHome } = classify(path, { cwd: '/', home });
  return (
    secret !== null ||
    persistence !== null ||
    device !== null ||
    system !== null ||
    guard ||
    inHome === 'itself'
  );
}

/** Where a path leads: the real path of what exists of it, and the rest as it is named; null where that is not known. */
function realWay(path: string, world: World): string | null {
  const names = path.split('/');
  for (let length = names.length; length > 1; length--) {
    const real = realPathIn(world, names.slice(0, length).join('/'));
    if (real === undefined) return null;
    if (real !== null) return [real, ...names.slice(length)].join('/');
  }
  return path;
}
