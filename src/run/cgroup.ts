// A group of processes that the kernel counts. The usual limit on processes does not hold for the system's own
// account, which can have such a group made instead; anybody else needs none.

import { existsSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface ProcessGroup {
  /** The file that a process writes its number into to be counted, with all that it starts. */
  readonly members: string;
  /** Takes the group away, once its processes are gone. */
  remove(): Promise<void>;
}

/** Where groups are kept: in the first and in the second version of them. */
const places = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];

/** Makes a group of at most so many processes; null where none is needed, or none can be had. */
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

/** A process is in its group until it has been buried, which is a little later than its end. */
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
