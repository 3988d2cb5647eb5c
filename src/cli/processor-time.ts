// How much processor time a command takes: its own process, and the processes that it started and waited for.

import { readFileSync } from 'node:fs';

/** Counts the processor time of this process and of its children, theirs and others' apart. */
export class ProcessorTime {
  #others = 0;

  /** Runs something whose children are programs of others. INVARIANT: no child of ours ends meanwhile. */
  async ofOthers<T>(work: () => Promise<T>): Promise<T> {
    const before = childSeconds();
    try {
      return await work();
    } finally {
      this.#others += childSeconds() - before;
    }
  }

  /** Seconds so far. Where the system does not say what children took, only this process counts. */
  spent(): { readonly own: number; readonly others: number } {
    const { user, system } = process.cpuUsage();
    return { own: (user + system) / 1e6 + childSeconds() - this.#others, others: this.#others };
  }
}

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const ticks = 100;

/** What children that have ended took, in seconds; 0 where the system does not say. */
function childSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program comes second, in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / ticks;
  } catch {
    return 0;
  }
}
