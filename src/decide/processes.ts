// The processes of this machine, as far as the system tells of them without asking for more rights.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { account } from '../config/index.ts';
import type { RunningProcess } from '../core/index.ts';

/** More processes than this are not looked through. */
const mostProcesses = 8192;
/** The words of a command line that say which program it is: an interpreter, its script, a subcommand. */
const tellingWords = 3;

/** The processes that run; null on a system that does not show them as files. */
export function runningProcesses(): readonly RunningProcess[] | null {
  let names: readonly string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return null;
  }
  if (names.length === 0 || names.length > mostProcesses) return null;
  const { uid } = account();
  return names.flatMap((name) => processAt(name, uid) ?? []);
}

/** One process; null where it ended meanwhile. */
function processAt(name: string, uid: number): RunningProcess | null {
  try {
    const pid = Number(name);
    const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
    return {
      pid,
      name: readFileSync(`/proc/${name}/comm`, 'utf8').trim(),
      line: words.join(' ').trim(),
      own: statSync(`/proc/${name}`).uid === uid,
      guard: pid === process.pid || words.slice(0, tellingWords).some((word) => /sallyport/i.test(word)),
    };
  } catch {
    return null;
  }
}
