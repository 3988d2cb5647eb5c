// Snapshots of one workspace: every change is recorded with the previous state, and can be reverted.

import { readdirSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ConflictError,
  NotFoundError,
  namedId,
  SallyportError,
  unfitWorkspace,
  visible,
} from '../../core/index.ts';
import {
  type Content,
  missingFolders,
  PathRefused,
  pruneAt,
  readAt,
  replaceAt,
  returnAt,
  statAt,
  unlinkAt,
} from './anchor.ts';
import { hashAt, LargeFiles, largeBytes } from './large.ts';
import { isGitData, shownPath } from './names.ts';
import type { Pending, Watching } from './owners.ts';
import { isSplit, type Left, planOf } from './plan.ts';
import { Changed, discardAll, type Restoration, type RestoreOptions, restoreAll } from './restore.ts';
import {
  type Cause,
  isAlive,
  isSame,
  type PreImage,
  type ReadSnapshot,
  readHeader,
  readSnapshot,
  type Snapshot,
  SnapshotDamaged,
  type State,
  type Step,
  stateOf,
} from './snapshot.ts';
import { byPlace, type Idle, type Review, SnapshotStore } from './snapshot-store.ts';
import { type Limits, LowDisk, Timeline } from './timeline.ts';
import { atOnce, type Turns } from './turns.ts';

export { type Content, PathRefused, statAt } from './anchor.ts';
export { isGitData, nameOf, shownPath, systemPath } from './names.ts';
export type { Left } from './plan.ts';
export {
  type Cause,
  type Doing,
  hashOf,
  isAlive,
  isSame,
  type Judged,
  type NotCaptured,
  type PreImage,
  processOf,
  type Snapshot,
  SnapshotDamaged,
  type State,
  type Step,
  stateOf,
  thisProcess,
} from './snapshot.ts';
export { type Idle, SnapshotsBusy, workspacesIn } from './snapshot-store.ts';
export { findGit } from './stat-index.ts';
export { type Limits, LowDisk } from './timeline.ts';
export { atOnce, inTurns, type Turns } from './turns.ts';

/** Files have changed since, so that reverting would overwrite another author's work. Nothing was changed. */
export class Conflict extends ConflictError {
  readonly paths: readonly string[];

  constructor(message: string, paths: readonly string[], hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.paths = paths;
  }
}

export class UnknownSnapshot extends NotFoundError {}

/** The folder must not be a workspace with snapshots. */
export class NoWorkspace extends SallyportError {}

/** The target state of one file; null removes it. `from` is its required current state, if that was judged. */
export interface Change {
  readonly path: string;
  readonly to: Content | null;
  readonly from?: State | null;
}

/** One path that a command created in a copy, which need not be a plain file. */
export interface Commit {
  readonly path: string;
  readonly to: Content | null;
  /** The state of `to`, whose bytes may be elsewhere. */
  readonly after: State | null;
}

/** Whether a path is unchanged since the command saw it, by its current metadata; null: absent. */
export type IsUntouched = (found: Stats | null, path: string) => boolean;

export interface SnapshotsOptions {
  /** Where snapshots are stored: a folder outside every workspace. */
  readonly store: string;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The user's home, which is never a workspace. */
  readonly personHome: string;
  /** The home of Sallyport, as it is named and by its real path. */
  readonly own?: readonly string[];
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
  /** The number of files from which git compares their dates. */
  readonly comparedFrom?: number;
  /** Called before every step at which a crash is possible. */
  readonly onStep?: (step: string) => void;
}

/** The reverted files, and the files that were left unchanged. */
export interface Undone {
  readonly snapshot: Snapshot;
  readonly left: readonly Left[];
}

/** The largest file that is written or shown. */
const largestPlain = 16_777_216;
const usualLimits: Limits = { fileBytes: 1_073_741_824, files: 200_000, bytes: 1_073_741_824 };
/** After this many milliseconds, an unnamed temporary file is abandoned. */
const forgotten = 3_600_000;

/** The selected files of a change. */
export type Chosen = (path: string) => boolean;

const everything: Chosen = () => true;

/** A placeholder for an entry that is neither a file, a link nor a folder. */
const unlike: State = { type: 'file', hash: 'no file', mode: 0 };

/** A change that is about to be made. */
interface Making {
  readonly steps: readonly Step[];
  readonly made: readonly string[];
  readonly kept: ReadonlyMap<string, Uint8Array>;
  readonly contents: ReadonlyMap<string, Content | null>;
}

interface MakeOptions {
  /** Folders that are removed when the change leaves them empty. */
  readonly emptied?: ReadonlySet<string>;
  /** Whether the entry at a path is the one that was seen there before. */
  readonly isExpected?: RestoreOptions['isExpected'];
}

export class Snapshots {
  readonly workspace: string;
  readonly #snapshotStore: SnapshotStore;
  readonly #timeline: Timeline;
  readonly #large: LargeFiles;
  readonly #limits: Limits;
  readonly #options: SnapshotsOptions;
  #last: ReadSnapshot | undefined;

  constructor(options: SnapshotsOptions) {
    const { workspace, store, personHome, own = [] } = options;
    const unfit = unfitWorkspace(workspace, { homes: [personHome], own });
    if (unfit !== null) {
      throw new NoWorkspace(`${visible(workspace, 200)} ${unfit.why} and cannot be a workspace`, {
        hint: 'start the agent in the folder of one project',
      });
    }
    if (store === workspace || store.startsWith(`${workspace}/`)) {
      throw new NoWorkspace('the snapshots would lie inside the workspace, where an agent reaches them');
    }
    this.workspace = workspace;
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#snapshotStore = new SnapshotStore(store, workspace);
    this.#large = new LargeFiles(this.#snapshotStore.folder);
    this.#timeline = new Timeline({
      workspace,
      snapshotStore: this.#snapshotStore,
      limits: this.#limits,
      now: options.now,
      onStep: (step) => this.#step(step),
      comparedFrom: options.comparedFrom,
    });
  }

  /** Changes files atomically: all of them or, after a crash and `recover`, none. */
  *change(changes: readonly Change[], cause: Cause): Turns<Snapshot> {
    const unlock = yield* this.#snapshotStore.lock();
    try {
      return yield* this.#change(changes, cause);
    } finally {
      unlock();
    }
  }

  *#change(changes: readonly Change[], cause: Cause): Turns<Snapshot> {
    if (new Set(changes.map(({ path }) => path)).size < changes.length) {
      throw new Conflict('a change names the same file twice', []);
    }
    const kept = new Map<string, Uint8Array>();
    const conflicts: string[] = [];
    const steps = changes.map(({ path, to, from }): Step => {
      const now = from === undefined ? this.#before(path, changes) : this.#judged(path, changes);
      const before = now === null || now === 'other' ? null : stateOf(now, path);
      if (now === 'other' || (from !== undefined && !isSame(from, before))) conflicts.push(path);
      else if (now !== null && before !== null) kept.set(before.hash, now.bytes);
      return { path, before, after: to === null ? null : stateOf(to, path) };
    });
    if (conflicts.length > 0) throw conflictOf(conflicts, cause);
    const made = missingFolders(
      this.workspace,
      changes.flatMap(({ path, to }) => (to === null ? [] : [path])),
    );
    const contents = new Map(changes.map(({ path, to }) => [path, to]));
    return yield* this.#make({ steps, made, kept, contents }, cause);
  }

  /**
   * Applies a command's changes from a copy atomically: all of them or, after a crash and `recover`, none. A file that
   * has changed is a `Conflict`, also in the moment before it would be replaced. Until it has a receipt, the snapshot
   * is among the `owed`. Throws `LowDisk` if the previous state cannot be stored.
   */
  *commit(commits: readonly Commit[], cause: Cause, isUntouched: IsUntouched): Turns<Snapshot> {
    const unlock = yield* this.#snapshotStore.lock();
    try {
      const found = new Map(commits.map(({ path }) => [path, statAt(this.workspace, path)]));
      const changed = [...found].flatMap(([path, one]) => (isUntouched(one, path) ? [] : [path]));
      if (changed.length > 0) throw conflictOf(changed, cause);
      const kept = new Map<string, Uint8Array>();
      const steps: Step[] = [];
      for (const { path, after } of commits) {
        const before = this.#now(path);
        steps.push({ path, before, after });
        if (before === null || before.type === 'folder') continue;
        const bytes = yield* this.#keepNow(path);
        if (bytes !== null) kept.set(before.hash, bytes);
        else if (!this.#large.has(before.hash))
          throw new LowDisk(`what ${shownPath(path)} was before cannot be kept`);
      }
      const contents = new Map(commits.map(({ path, to }) => [path, to]));
      // A folder at the path of a file is removed before the file is created.
      const fileAt = (path: string) => (found.get(path)?.isDirectory() === true ? null : found.get(path));
      const isExpected = (path: string, now: Stats | null) => isSameInode(fileAt(path) ?? null, now);
      return yield* this.#make({ steps, made: [], kept, contents }, cause, { isExpected });
    } finally {
      unlock();
    }
  }

  /** Records the planned change, and applies it; reverts it on failure. */
  *#make(
    { steps, made, kept, contents }: Making,
    cause: Cause,
    { emptied = new Set<string>(), isExpected }: MakeOptions = {},
  ): Turns<Snapshot> {
    const snapshot = this.#begin(steps, made, cause, kept);
    try {
      // Before the first file is changed: the process that ends the change after a crash leaves its receipt.
      if (cause.action === 'shell') this.#snapshotStore.owe(snapshot.id);
      const all = steps.map(({ path, before, after }, index) =>
        this.#restoration(snapshot.id, index, { path, now: before, to: after }, contents.get(path) ?? null),
      );
      yield* restoreAll(all, {
        ...this.#restoring(isOfAnyKind(cause)),
        ...(isExpected === undefined ? {} : { isExpected, isQuick: (path: string) => !isGitData(path) }),
      });
      for (const { path, after } of steps) if (after === null) pruneAt(this.workspace, path, emptied);
      this.#step('finish');
      this.#finish(snapshot.id);
    } catch (error) {
      this.#takeBack(readSnapshot(this.#snapshotStore.file(snapshot.id, 'open')));
      throw error instanceof Changed ? conflictOf([error.path], cause) : error;
    }
    return snapshot;
  }

  #restoration(
    id: string,
    index: number,
    states: Pick<Restoration, 'path' | 'now' | 'to'>,
    content: Content | null,
  ): Restoration {
    return { ...states, content, scratch: scratchOf(id, index) };
  }

  #restoring(any: boolean) {
    return {
      root: this.workspace,
      any,
      stateAt: (path: string) => this.#now(path),
      onStep: (step: string) => this.#step(step),
    };
  }

  /** The entry at a path before a change; a folder that the change empties, or replaces by a file, counts as absent. */
  #before(path: string, changes: readonly Change[]): Content | null {
    try {
      return readAt(this.workspace, path, this.#largestPlain);
    } catch (error) {
      const clears = ({ path: other, to }: Change) =>
        to === null && (other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
      if (error instanceof PathRefused && changes.some(clears)) return null;
      throw error;
    }
  }

  /** The same for a judged state: an entry that is no longer a plain file has changed. */
  #judged(path: string, changes: readonly Change[]): Content | 'other' | null {
    try {
      return this.#before(path, changes);
    } catch (error) {
      if (error instanceof PathRefused) return 'other';
      throw error;
    }
  }

  /** The current entry at a path; throws `PathRefused` if it is not a plain file. */
  look(path: string): Content | null {
    return readAt(this.workspace, path, this.#largestPlain);
  }

  get #largestPlain(): number {
    return Math.min(largestPlain, this.#limits.fileBytes);
  }

  /**
   * Stores files before a call changes them; `after` ends the call. Throws `PathRefused` for a file that cannot be
   * stored.
   */
  hold(paths: readonly string[], cause: Cause): string {
    return this.#timeline.hold(paths, cause);
  }

  /**
   * Scans the whole workspace before an opaque command runs; `after` ends it. Throws `LowDisk` before anything is
   * stored.
   */
  before(cause: Cause, watching: Watching = {}): Turns<PreImage> {
    return this.#timeline.begin(cause, watching);
  }

  /** Reports that the processes of a call are running; with `lived`, from when to when they ran. */
  lives(id: string, lived?: Pending['lived']): void {
    this.#timeline.lives(id, lived);
  }

  /** The pre-images of the running calls. */
  preImages(): readonly PreImage[] {
    return this.#timeline.preImages();
  }

  /**
   * Ends a call that its host reported, or that was not reported again. Records its changes; null if there are none.
   * Until it has a receipt, the snapshot is among the `owed`.
   */
  after(id: string, isReported = true): Turns<Snapshot | null> {
    return this.#timeline.end(id, isReported);
  }

  /** Ends a call that changed nothing here: nothing is compared, and nothing is attributed to it. */
  release(id: string): Turns<void> {
    return this.#timeline.drop(id);
  }

  /** The paths of `.git` in the workspace at the last scan of this process. */
  get repositories(): readonly string[] {
    return this.#timeline.repositories;
  }

  /**
   * Replaces one file of a snapshot by its corrected state, and updates the snapshot. False if the file has changed
   * again since, and is left unchanged.
   */
  *putBack(id: string, path: string, to: Content | null): Turns<boolean> {
    const unlock = yield* this.#snapshotStore.lock();
    try {
      const { steps, made } = readHeader(this.#snapshotStore.file(id, 'snap')).snapshot;
      const step = steps.find((one) => one.path === path);
      if (step === undefined || (step.lost !== true && !isSame(this.#now(path), step.after))) return false;
      unlinkAt(this.workspace, path);
      if (to === null) pruneAt(this.workspace, path, new Set(made));
      else replaceAt(this.workspace, path, to, scratchOf(id, 0));
      this.#timeline.amend(id, path, to);
      this.#last = undefined;
      return true;
    } finally {
      unlock();
    }
  }

  /** Marks a snapshot as having changes that the user must review. */
  needReview(id: string, review: Review): void {
    writeFileSync(this.#snapshotStore.file(id, 'review'), JSON.stringify(review), { mode: 0o600 });
  }

  /** Marks a snapshot as reviewed. */
  reviewed(id: string): void {
    this.#snapshotStore.remove(id, 'review');
  }

  /** Snapshots of calls that could change anything, as long as their changes are not judged; the oldest first. */
  unjudged(): readonly Snapshot[] {
    return this.#marked('unjudged');
  }

  /** Marks a snapshot as judged. */
  judged(id: string): void {
    this.#snapshotStore.remove(id, 'unjudged');
  }

  /** The running calls that were begun by processes that have exited. */
  abandoned(): readonly Cause[] {
    return this.#timeline.abandoned();
  }

  /** Records the changes so far of calls with known files. */
  settle(): readonly Snapshot[] {
    return this.#timeline.settle();
  }

  /** Records the changes so far of running calls, and ends those that were begun by processes that have exited. */
  catchUp(): Turns<readonly Snapshot[]> {
    return this.#timeline.catchUp();
  }

  /** Clears the in-memory state; it is on disk. */
  close(): void {
    this.#timeline.close();
  }

  /** The lock for leaving pending receipts; no comparison runs meanwhile. */
  lock(): Turns<() => void> {
    return this.#snapshotStore.lock();
  }

  /** Snapshots of calls without a receipt, the oldest first. */
  owed(): readonly Snapshot[] {
    return this.#marked('owed');
  }

  #marked(ending: 'owed' | 'unjudged'): readonly Snapshot[] {
    const marked = this.#snapshotStore.ids(ending);
    if (marked.length === 0) return [];
    const kept = new Set(this.#snapshotStore.ids('snap'));
    return marked
      .filter((id) => kept.has(id))
      .map((id) => readHeader(this.#snapshotStore.file(id, 'snap')).snapshot)
      .sort(byPlace);
  }

  /** Records that a snapshot has a receipt. */
  settled(id: string): void {
    this.#snapshotStore.remove(id, 'owed');
  }

  /** The result of undo, as long as nothing changes: the files that it restores, and those that it leaves. */
  preview(
    id: string,
    chosen: Chosen = everything,
  ): { readonly steps: readonly Step[]; readonly left: readonly Left[] } {
    return this.#plan(this.#read(id).snapshot, chosen);
  }

  #plan(snapshot: Snapshot, chosen: Chosen) {
    const steps = snapshot.steps.filter(({ path }) => chosen(path));
    return planOf(steps, {
      root: this.workspace,
      stateAt: (path) => this.#now(path),
      isGitData: (path) => isGitData(path, this.workspace),
    });
  }

  /**
   * Reverts a change, or selected files of it, as a change of its own. A file that was changed since is left unchanged
   * and named; throws `Conflict` if that leaves nothing.
   */
  *undo(id: string, cause: Omit<Cause, 'action' | 'of'>, chosen: Chosen = everything): Turns<Undone> {
    const unlock = yield* this.#snapshotStore.lock();
    try {
      const read = this.#read(id);
      const { steps, left } = this.#plan(read.snapshot, chosen);
      const whole: Cause = { ...cause, action: 'rollback', of: read.snapshot.id };
      if (steps.length === 0)
        throw conflictOf(
          left.map(({ path }) => path),
          whole,
        );
      const contents = new Map<string, Content | null>();
      const kept = new Map<string, Uint8Array>();
      for (const { path, before, after } of steps) {
        contents.set(path, this.#contentOf(read, before));
        if (after === null || after.type === 'folder') continue;
        const now = yield* this.#keepNow(path);
        if (now !== null) kept.set(after.hash, now);
      }
      const turned = steps.map(({ path, before, after }): Step => ({ path, before: after, after: before }));
      const made = new Set(read.snapshot.made);
      const snapshot = yield* this.#make({ steps: turned, made: [], kept, contents }, whole, {
        emptied: made,
      });
      return { snapshot, left };
    } finally {
      unlock();
    }
  }

  /** The bytes of a file for reverting an undo; null if they are stored as a separate file, or there is no file. */
  *#keepNow(path: string): Turns<Uint8Array | null> {
    const found = statAt(this.workspace, path);
    if (found === null || !found.isFile() || found.size < largeBytes) return this.#peek(path)?.bytes ?? null;
    yield* this.#large.keep(this.workspace, path, found.size, this.#limits.bytes);
    return null;
  }

  /** The entry at a path, of any kind; null if it cannot be read. */
  #peek(path: string): Content | null {
    try {
      return readAt(this.workspace, path, largeBytes, { any: true });
    } catch {
      return null;
    }
  }

  #now(path: string): State | null {
    return stateAt(this.workspace, path);
  }

  #contentOf(read: ReadSnapshot, state: State | null): Content | null {
    if (state === null) return null;
    const { type, mode, hash } = state;
    const empty = new Uint8Array();
    if (type === 'folder') return { type, bytes: empty, mode };
    const bytes = read.bytesOf(state);
    if (bytes !== null) return { type, bytes, mode };
    if (this.#large.has(hash)) return { type, bytes: empty, mode, copyOf: this.#large.file(hash) };
    throw new SnapshotDamaged('the bytes from before are not in the snapshot');
  }

  /** The stored snapshots, the latest first. */
  list(): readonly Snapshot[] {
    return this.#snapshotStore
      .ids('snap')
      .map((id) => readHeader(this.#snapshotStore.file(id, 'snap')).snapshot)
      .sort((a, b) => byPlace(b, a));
  }

  /** The last call, if it changed nothing and nothing was changed since; otherwise null. */
  idleSince(): Idle | null {
    return this.#snapshotStore.idleSince();
  }

  /** One snapshot, by its id or a unique prefix of it. */
  find(id: string): Snapshot {
    const hint = "'sallyport snapshots' lists those of this workspace";
    const named = { what: 'snapshot', hint, Unknown: UnknownSnapshot };
    const found = namedId(id, this.#snapshotStore.ids('snap'), named);
    return readHeader(this.#snapshotStore.file(found, 'snap')).snapshot;
  }

  /** The content of a file before a change; null: it did not exist, or its bytes are not stored. */
  contentBefore(id: string, path: string): Uint8Array | null {
    const read = this.#read(id);
    const state = read.snapshot.steps.find((step) => step.path === path)?.before ?? null;
    return state === null ? null : read.bytesOf(state);
  }

  /**
   * Completes the interrupted changes of dead processes: a completely applied change stays, any other is reverted.
   * Returns the files that were changed since, which are left unchanged.
   */
  recover(): readonly string[] {
    const left: string[] = [];
    for (const open of this.#snapshotStore.ids('open')) {
      const file = this.#snapshotStore.file(open, 'open');
      let read: ReadSnapshot;
      try {
        read = readSnapshot(file);
      } catch (error) {
        if (!(error instanceof SnapshotDamaged)) throw error;
        // INVARIANT: a snapshot is completely on disk before the first file is changed.
        rmSync(file);
        continue;
      }
      if (isAlive(read.maker)) continue;
      const { id, steps } = read.snapshot;
      if (steps.every(({ path, after }) => isSame(this.#now(path), after))) {
        for (const [index, { path }] of steps.entries())
          returnAt(this.workspace, path, scratchOf(id, index), false);
        this.#finish(id);
      } else left.push(...this.#takeBack(read));
    }
    return left;
  }

  /**
   * Deletes snapshots from before a moment, and the oldest until the rest fits; returns the number. A workspace without
   * work since then no longer needs its copy.
   */
  tidy({ bytes = this.#limits.bytes, since = 0 }: { bytes?: number; since?: number } = {}): number {
    let room = bytes;
    let deleted = 0;
    for (const { id, time } of this.list()) {
      room -= statSync(this.#snapshotStore.file(id, 'snap')).size;
      if (room >= 0 && time >= since) continue;
      this.#snapshotStore.remove(id, 'snap');
      for (const ending of ['owed', 'unjudged', 'review'] as const) this.#snapshotStore.remove(id, ending);
      deleted++;
    }
    this.#tidyLarge();
    const running = (['pending', 'held', 'open'] as const).some(
      (ending) => this.#snapshotStore.ids(ending).length > 0,
    );
    for (const name of running ? [] : this.#leftovers()) {
      const file = join(this.#snapshotStore.folder, name);
      const age = name.endsWith('.new') ? this.#options.now() - forgotten : since;
      if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? age) < age)
        rmSync(file, { recursive: true, force: true });
    }
    return deleted;
  }

  /** The copy of the workspace, its time, and unfinished temporary files. */
  #leftovers(): readonly string[] {
    try {
      return readdirSync(this.#snapshotStore.folder).filter((name) =>
        /^list\.jsonl$|^stat-index$|^pack-|\.(?:look|new|idle)$|\.aside\./.test(name),
      );
    } catch {
      return [];
    }
  }

  /** Removes large files that no snapshot and no call needs. */
  #tidyLarge(): void {
    const wanted = new Set(this.#timeline.largeHashes());
    const files = (['snap', 'open', 'held'] as const).flatMap((ending) =>
      this.#snapshotStore.ids(ending).map((id) => this.#snapshotStore.file(id, ending)),
    );
    for (const file of files) {
      try {
        for (const { before } of readHeader(file).snapshot.steps)
          if (before !== null) wanted.add(before.hash);
      } catch {
        // It has just ended, or was interrupted before its call could begin.
      }
    }
    this.#large.tidy(wanted);
  }

  #takeBack(read: ReadSnapshot): readonly string[] {
    const { id, steps, made } = read.snapshot;
    const any = isOfAnyKind(read.snapshot);
    const left: string[] = [];
    const all = steps.map(({ path }, index) => ({ path, scratch: scratchOf(id, index) }));
    discardAll(this.workspace, all);
    for (const [index, { path, before, after }] of steps.entries()) {
      const now = this.#now(path);
      const isOurs = now === null || isSame(now, after) || isSame(now, before);
      if (any) returnAt(this.workspace, path, scratchOf(id, index), isOurs);
    }
    const back = steps.flatMap(({ path, before, after }, index): readonly Restoration[] => {
      const now = this.#now(path);
      const isBack = isSame(now, before);
      if (isBack && (before === null || !isSplit(this.workspace, path, before))) return [];
      const isOurs =
        isBack ||
        isSame(now, after) ||
        (now?.type === 'folder' && (before?.type ?? after?.type) === 'folder');
      // A folder in the way of a previous entry was created by the change, or had to be.
      const isBetween = any && now === null;
      if (isOurs || isBetween) {
        return [this.#restoration(id, index, { path, now, to: before }, this.#contentOf(read, before))];
      }
      left.push(path);
      return [];
    });
    atOnce(restoreAll(back, this.#restoring(any)));
    for (const { path } of steps) pruneAt(this.workspace, path, new Set(made));
    this.#snapshotStore.remove(id, 'owed');
    rmSync(this.#snapshotStore.file(id, 'open'), { force: true });
    return left;
  }

  #begin(
    steps: readonly Step[],
    made: readonly string[],
    cause: Cause,
    kept: ReadonlyMap<string, Uint8Array>,
  ): Snapshot {
    const snapshot: Snapshot = {
      ...cause,
      id: this.#snapshotStore.newId(),
      time: this.#options.now(),
      workspace: this.workspace,
      steps,
      made,
    };
    this.#step('write snapshot');
    this.#snapshotStore.begin(snapshot, kept, 'open');
    return snapshot;
  }

  #finish(id: string): void {
    renameSync(this.#snapshotStore.file(id, 'open'), this.#snapshotStore.file(id, 'snap'));
    this.#snapshotStore.sync();
  }

  #step(name: string): void {
    this.#options.onStep?.(name);
  }

  /** A snapshot never changes, so the last one is cached for the next of its files. */
  #read(id: string): ReadSnapshot {
    if (this.#last?.snapshot.id !== id) {
      this.#last = readSnapshot(this.#snapshotStore.file(this.find(id).id, 'snap'));
    }
    return this.#last;
  }
}

/** The entry at a path below a folder, of any kind; a link is never followed. */
export function stateAt(root: string, path: string): State | null {
  const found = statAt(root, path);
  if (found === null) return null;
  try {
    if (found.isFile() && found.size >= largeBytes) {
      return { type: 'file', hash: hashAt(root, path) ?? '', mode: found.mode & 0o7777 };
    }
    const content = readAt(root, path, largeBytes, { any: true });
    return content === null ? null : stateOf(content, path);
  } catch (error) {
    if (error instanceof PathRefused) return unlike;
    throw error;
  }
}

/** The entry at a path below a folder; null if there is none, or it is larger, or neither a file nor a link. */
export function contentAt(root: string, path: string, largest: number): Content | null {
  try {
    const content = readAt(root, path, largest, { any: true });
    return content?.type === 'folder' ? null : content;
  } catch (error) {
    if (error instanceof PathRefused) return null;
    throw error;
  }
}

function conflictOf(paths: readonly string[], { of }: Cause): Conflict {
  if (of === undefined)
    return new Conflict(`${shownPath(paths[0] ?? '')} has changed since it was judged`, paths);
  const hint = 'the change that touched them must be undone first, or the files fixed by hand';
  return new Conflict(`${paths.length} file(s) have changed since`, paths, hint);
}

/** Whether a file is the one that was seen, and was not written since; an additional name does not count. */
function isSameInode(seen: Stats | null, now: Stats | null): boolean {
  if (seen === null || now === null) return seen === now;
  const { dev, ino, size, mtimeMs, mode } = seen;
  return (
    now.dev === dev && now.ino === ino && now.size === size && now.mtimeMs === mtimeMs && now.mode === mode
  );
}

/** Whether a change may affect links, folders and hard-linked files: a revert, or one that a command made. */
function isOfAnyKind({ action, of }: Cause): boolean {
  return of !== undefined || action === 'shell';
}

function scratchOf(id: string, index: number): string {
  return `.sallyport-${id}-${index}`;
}
