// Questions to the world whose answer may be that it cannot be known.

import type { Listed, RunningProcess, World } from './guard.ts';

/** The real path of what stands at a path; null where nothing does, undefined where that cannot be known. */
export function realPathIn(world: Pick<World, 'realPath'>, path: string): string | null | undefined {
  try {
    return world.realPath(path);
  } catch {
    return undefined;
  }
}

/** What is in a folder; null where that cannot be known. */
export function listIn(world: Pick<World, 'list'>, folder: string): readonly Listed[] | null {
  try {
    return world.list?.(folder) ?? null;
  } catch {
    return null;
  }
}

/** The processes that run; null where that cannot be known. */
export function processesIn(world: Pick<World, 'processes'>): readonly RunningProcess[] | null {
  try {
    return world.processes?.() ?? null;
  } catch {
    return null;
  }
}
