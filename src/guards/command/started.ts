// Which processes a session started itself, so that it may end them: those that were seen while a call of it ran, and all
// that these have started since.

import { processesIn } from '../../core/guard.ts';
import type { Context, RunningProcess, World } from '../../core/index.ts';

/** Most processes that are asked about. */
const mostProcesses = 2048;

type Asked = Pick<World, 'processes' | 'startedBySession'>;

/** The ids of the processes that a session started and that still run. */
export async function startedBy(world: Asked, context: Context): Promise<ReadonlySet<number>> {
  const running = (processesIn(world) ?? []).filter(({ own, guard }) => own && !guard);
  if (world.startedBySession === undefined || running.length > mostProcesses) return new Set();
  const answers = await world.startedBySession(running, context);
  const started = new Set(running.filter((_, at) => answers[at] === true).map(({ pid }) => pid));
  return started.size === 0 ? started : withDescendants(started, running);
}

/** Processes, and all that they and theirs have started. */
export function withDescendants(
  some: ReadonlySet<number>,
  running: readonly Pick<RunningProcess, 'pid' | 'parent'>[],
): ReadonlySet<number> {
  const found = new Set(some);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of running) if (parent !== undefined && found.has(parent)) found.add(pid);
  }
  return found;
}
