// The declared effects of a call, so that its later changes were judged before.

import { type Facts, isJsonObject } from '../../core/index.ts';
import type { Doing } from '../../ledger/snapshots/index.ts';
import type { Part } from '../../policy/index.ts';

/** Programs that fetch commits and check them out, and harmless ones that accompany them. */
const gitPrograms = new Set('git gh cd echo printf true ls cat head tail grep wc pwd test'.split(' '));
/** Programs whose work it is to set up hooks of git. */
const hookManagers = new Set(['pre-commit', 'lefthook', 'husky', 'overcommit', 'git-lfs']);

/** The declared effects of the child actions of a call. */
export function doingOf(parts: readonly Pick<Part, 'action' | 'facts'>[]): Doing {
  const commands = parts.filter(({ action }) => action.kind === 'shell' || action.kind === 'python');
  const has = (kind: string) => commands.some(({ facts }) => countOf(facts, kind) > 0);
  const programs = [...new Set(commands.flatMap(({ facts }) => programsOf(facts)))];
  const isFollowed = commands.every(({ facts }) => facts['unknowns'] === 0 && facts['errors'] === 0);
  const isPlain = commands.length > 0 && isFollowed && !has('run');
  const isShell = commands.every(({ action }) => action.kind === 'shell');
  return {
    programs,
    ...(isPlain && has('package') ? { packages: true as const } : {}),
    ...(has('persist') || (isPlain && programs.some((name) => hookManagers.has(name)))
      ? { persists: true as const }
      : {}),
    ...(has('delete') ? { deletes: true as const } : {}),
    ...(isPlain && isShell && programs.includes('git') && programs.every((name) => gitPrograms.has(name))
      ? { onlyGit: true as const }
      : {}),
  };
}

function countOf({ effects }: Facts, kind: string): number {
  return isJsonObject(effects) ? Number(effects[kind] ?? 0) : 0;
}

function programsOf({ programs }: Facts): readonly string[] {
  return Array.isArray(programs) ? programs.map(String) : [];
}
