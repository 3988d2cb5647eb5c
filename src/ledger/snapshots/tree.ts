// Looks at a workspace again and again. The first look of a process is at everything; in a large workspace later ones look
// at each folder, and let git compare the dates of the files whose names are still the same.

import { statfsSync } from 'node:fs';
import { isSameMark, type Mark } from './mark.ts';
import { Runner } from './runner.ts';
import { comparing, findGit, flaggedIn, type StatIndex } from './stat-index.ts';
import type { Turns } from './turns.ts';
import { type Seen, type Walk, Walking } from './walk.ts';

interface TreeOptions {
  readonly workspace: string;
  /** Where the index is kept. */
  readonly store: string;
  /** How many files and folders are looked at. */
  readonly most: number;
  /** From how many files on git compares dates. Below that it costs less to look at each than to start a program. */
  readonly comparedFrom?: number | undefined;
}

/** What the last look left. */
interface Last {
  readonly seen: Seen;
  readonly index: StatIndex;
  /** What was known then; of another nothing is known here. */
  readonly known: ReadonlyMap<string, Mark>;
  /** Files whose dates in the index are not known yet. */
  readonly unconfirmed: ReadonlyMap<string, Mark>;
}

const usualFrom = 4096;
/** As many files may be looked at one by one, or a twentieth of all; with more of them the index is made anew. */
const mostLoose = 2000;

/** Local file systems whose folders get a new date with every name that comes or goes, by the clock of this machine. */
const localSystems: ReadonlySet<number> = new Set([
  ...[0xef53 /* ext4 */, 0x58465342 /* xfs */, 0x9123683e /* btrfs */, 0x01021994 /* tmpfs */],
  ...[0xf2f52010 /* f2fs */, 0x794c7630 /* overlayfs */, 0x2fc12fc1 /* zfs */, 0xca451a4e /* bcachefs */],
]);

export class Tree {
  readonly #options: TreeOptions;
  readonly #git: Runner | undefined;
  #last: Last | undefined;
  /** Whether git compares more than this index says, as some builds do. */
  #isUseless = false;

  constructor(options: TreeOptions) {
    this.#options = options;
    const program = findGit();
    const { workspace, store } = options;
    if (program !== undefined) this.#git = new Runner(comparing(program, workspace, store));
  }

  /** Looks at the workspace. `known`: what the look before saw. INVARIANT: the caller holds the lock. */
  *look(known: ReadonlyMap<string, Mark>, started: number): Turns<Walk> {
    const last = this.#last;
    // INVARIANT: a look that fails on its way leaves nothing behind.
    this.#last = undefined;
    const { workspace: root, most } = this.#options;
    if (last !== undefined && last.known === known) {
      const walking = new Walking({ root, most, known, started }, last.seen);
      if (yield* this.#again(walking, last)) return walking;
    }
    const walking = new Walking({ root, most, known, started });
    yield* walking.everything();
    this.#remember(walking, known);
    return walking;
  }

  /** Looks at what may have changed; false where everything must be looked at. */
  *#again(walking: Walking, last: Last): Turns<boolean> {
    const { seen, index, known, unconfirmed } = last;
    for (const [path, mark] of unconfirmed) if (!isSameMark(known.get(path), mark)) seen.loose.add(path);
    const helper = this.#git === undefined ? null : index.ask(this.#git);
    if (helper === null || seen.loose.size > this.#most(seen)) return false;
    // It runs while the folders are looked at.
    yield helper;
    if (!(yield* walking.folders()) || !(yield* walking.files([...seen.loose]))) return false;
    yield helper;
    const flagged = flaggedIn(helper.output)?.filter((path) => known.has(path)) ?? null;
    if (flagged === null || !(yield* walking.files(flagged))) return false;
    this.#isUseless = flagged.length > this.#most(seen) && walking.fresh.size < flagged.length / 2;
    if (!this.#isUseless && seen.loose.size <= this.#most(seen))
      this.#last = { ...last, unconfirmed: new Map() };
    return true;
  }

  #remember(walking: Walking, known: ReadonlyMap<string, Mark>): void {
    const { seen, index, unconfirmed, truncated, isMixed } = walking;
    const { comparedFrom, workspace, store } = this.#options;
    if (this.#git === undefined || this.#isUseless || truncated || isMixed) return;
    if (seen.count < (comparedFrom ?? usualFrom) || seen.loose.size > this.#most(seen)) return;
    if (!localSystems.has(statfsSync(workspace).type)) return;
    index.write(store);
    this.#last = { seen, index, known, unconfirmed };
  }

  #most({ count }: Seen): number {
    return Math.max(mostLoose, count / 20);
  }

  /** Forgets what was seen. */
  close(): void {
    this.#last = undefined;
    this.#git?.close();
  }
}
