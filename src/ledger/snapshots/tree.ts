// Scans a workspace repeatedly. The first scan of a process is complete; in a large workspace later ones check each
// folder, and let git compare the dates of the files whose names are unchanged.

import { statfsSync } from 'node:fs';
import { isSameMark, type Mark } from './mark.ts';
import { Runner } from './runner.ts';
import { comparing, findGit, flaggedIn, type StatIndex } from './stat-index.ts';
import type { Turns } from './turns.ts';
import { type Seen, type Walk, Walking } from './walk.ts';

interface TreeOptions {
  readonly workspace: string;
  /** The location of the index. */
  readonly store: string;
  /** How many files and folders are scanned. */
  readonly most: number;
  /** The number of files from which git compares dates. Below that, checking each is faster than starting a program. */
  readonly comparedFrom?: number | undefined;
}

/** The state after the last scan. */
interface Last {
  readonly seen: Seen;
  readonly index: StatIndex;
  /** The state known then; about another one nothing is known here. */
  readonly known: ReadonlyMap<string, Mark>;
  /** Files whose dates in the index are not known yet. */
  readonly unconfirmed: ReadonlyMap<string, Mark>;
}

const usualFrom = 4096;
/** The maximum number of files that are checked one by one, or a twentieth of all; beyond it the index is rebuilt. */
const mostLoose = 2000;

/** Local file systems that update a folder's date with every added or removed name, by the clock of this machine. */
const localSystems: ReadonlySet<number> = new Set([
  ...[0xef53 /* ext4 */, 0x58465342 /* xfs */, 0x9123683e /* btrfs */, 0x01021994 /* tmpfs */],
  ...[0xf2f52010 /* f2fs */, 0x794c7630 /* overlayfs */, 0x2fc12fc1 /* zfs */, 0xca451a4e /* bcachefs */],
]);

export class Tree {
  readonly #options: TreeOptions;
  readonly #git: Runner | undefined;
  #last: Last | undefined;
  /** Whether git compares more than this index contains, as some builds do. */
  #isUseless = false;

  constructor(options: TreeOptions) {
    this.#options = options;
    const program = findGit();
    const { workspace, store } = options;
    if (program !== undefined) this.#git = new Runner(comparing(program, workspace, store));
  }

  /** Scans the workspace. `known`: the result of the previous scan. INVARIANT: the caller holds the lock. */
  *look(known: ReadonlyMap<string, Mark>, started: number): Turns<Walk> {
    const last = this.#last;
    // INVARIANT: a failed scan leaves no state behind.
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

  /** Checks the entries that may have changed; false if a complete scan is needed. */
  *#again(walking: Walking, last: Last): Turns<boolean> {
    const { seen, index, known, unconfirmed } = last;
    for (const [path, mark] of unconfirmed) if (!isSameMark(known.get(path), mark)) seen.loose.add(path);
    const helper = this.#git === undefined ? null : index.ask(this.#git);
    if (helper === null || seen.loose.size > this.#most(seen)) return false;
    // It runs while the folders are scanned.
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

  /** Clears the cached scan. */
  close(): void {
    this.#last = undefined;
    this.#git?.close();
  }
}
