// A control group of processes. The usual limit on processes does not apply to the system's own account, which can
// create such a group instead; other accounts need none.

import { existsSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface ProcessGroup {
  /** The file to which a process writes its id to be counted, with all of its children. */
  readonly members: string;
  /** Removes the group, once its processes have exited. */
  remove(): Promise<void>;
}

/** The mount points of groups: in version 1 and in version 2. */
const places = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];

/** Creates a group of at most so many processes; null if none is needed, or none can be created. */
export function processGroup(most: number): ProcessGroup | null {
  if (process.getuid?.() !== 0) return null;
  for (const place of places) {
    const folder = makeGroup(place, most);
    if (folder !== null) return { members: join(folder, 'cgroup.procs'), remove: () => remove(folder) };
  }
  return null;
}

function makeGroup(place: string, most: number): string | null {
  if (!existsSync(join(place, 'cgroup.procs'))) return null;
  let folder: string;
  try {
    folder = mkdtempSync(join(place, 'sallyport-'));
  } catch {
    return null;
  }
  try {
    writeFileSync(join(folder, 'pids.max'), String(most), { flag: 'r+' });
    return folder;
  } catch {
    rmdirSync(folder);
    return null;
  }
}

/** A process is in its group until it has been reaped, which is a little later than its exit. */
async function remove(folder: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      rmdirSync(folder);
      return;
    } catch {
      await setTimeout(20);
    }
  }
}
