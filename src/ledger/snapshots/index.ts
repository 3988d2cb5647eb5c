// Snapshots of one workspace: every change is written down with what was there before, and can be taken back.

import { closeSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConflictError, NotFoundError, SallyportError, unfitWorkspace, visible } from '../../core/index.ts';
import {
  type Content,
  discardAt,
  missingFolders,
  PathRefused,
  pruneAt,
  putAt,
  readAt,
  removeAt,
  replaceAt,
  stageAt,
  unlinkAt,
} from './anchor.ts';
import { byPlace, Shelf } from './shelf.ts';
import {
  type Cause,
  isAlive,
  isSame,
  type ReadSnapshot,
  readHeader,
  readSnapshot,
  type Snapshot,
  SnapshotDamaged,
  type State,
  type Step,
  stateOf,
} from './snapshot.ts';
import { type Begun, type Limits, Timeline } from './timeline.ts';
import type { Turns } from './turns.ts';

export { type Content, PathRefused } from './anchor.ts';
export { SnapshotsBusy, workspacesIn } from './shelf.ts';
export {
  type Cause,
  type Doing,
  type Judged,
  type Snapshot,
  SnapshotDamaged,
  type State,
  type Step,
  stateOf,
} from './snapshot.ts';
export type { Begun, Limits } from './timeline.ts';
export { atOnce, inTurns, type Turns } from './turns.ts';

/** Files have changed since, so that taking back would overwrite what somebody else did. Nothing was done. */
export class Conflict extends ConflictError {
  readonly paths: readonly string[];

  constructor(message: string, paths: readonly string[], hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.paths = paths;
  }
}

export class UnknownSnapshot extends NotFoundError {}

/** The folder may not be a workspace with snapshots. */
export class NoWorkspace extends SallyportError {}

/** One file as it shall be; null takes it away. `from` is what it must be now, where that was judged. */
export interface Change {
  readonly path: string;
  readonly to: Content | null;
  readonly from?: State | null;
}

/** Changes that somebody must look at: which files, and in which sessions they were made. */
export interface Review {
  readonly paths: readonly string[];
  readonly sessions: readonly string[];
}

export interface SnapshotsOptions {
  /** Where snapshots are kept: a folder outside every workspace. */
  readonly store: string;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The home of the person, which is never a workspace. */
  readonly personHome: string;
  /** The home of Sallyport, as it is named and by its real path. */
  readonly own?: readonly string[];
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
  /** Called before every step that a crash could fall on. */
  readonly onStep?: (step: string) => void;
}

/** How many files are open at once. */
const together = 256;
const usualLimits: Limits = { fileBytes: 16_777_216, files: 200_000, bytes: 1_073_741_824 };
/** After this long, in milliseconds, nobody is still writing what has no name yet. */
const forgotten = 3_600_000;

export class Snapshots {
  readonly workspace: string;
  readonly #shelf: Shelf;
  readonly #timeline: Timeline;
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
    this.#shelf = new Shelf(store, workspace);
    this.#timeline = new Timeline({
      workspace,
      shelf: this.#shelf,
      limits: this.#limits,
      now: options.now,
      onStep: (step) => this.#step(step),
    });
  }

  /** Changes files as one: all of them or, after a crash and `recover`, none. */
  *change(changes: readonly Change[], cause: Cause): Turns<Snapshot> {
    const unlock = yield* this.#shelf.lock();
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
      const before = now === null || now === 'other' ? null : stateOf(now);
      if (now === 'other' || (from !== undefined && !isSame(from, before))) conflicts.push(path);
      else if (now !== null && before !== null) kept.set(before.hash, now.bytes);
      return { path, before, after: to === null ? null : stateOf(to) };
    });
    if (conflicts.length > 0) throw conflictOf(conflicts, cause);
    const made = missingFolders(
      this.workspace,
      changes.flatMap(({ path, to }) => (to === null ? [] : [path])),
    );
    const snapshot = this.#begin(steps, made, cause, kept);
    try {
      yield* this.#apply(snapshot.id, changes, cause);
      this.#step('finish');
      this.#finish(snapshot.id);
    } catch (error) {
      this.#takeBack(readSnapshot(this.#shelf.file(snapshot.id, 'open')));
      throw error;
    }
    return snapshot;
  }

  /** What stands at a path before a change; a folder that the change empties, or makes of a file, is nothing. */
  #before(path: string, changes: readonly Change[]): Content | null {
    try {
      return readAt(this.workspace, path, this.#limits.fileBytes);
    } catch (error) {
      const clears = ({ path: other, to }: Change) =>
        to === null && (other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
      if (error instanceof PathRefused && changes.some(clears)) return null;
      throw error;
    }
  }

  /** The same for what was judged: what is no plain file any more is something else now. */
  #judged(path: string, changes: readonly Change[]): Content | 'other' | null {
    try {
      return this.#before(path, changes);
    } catch (error) {
      if (error instanceof PathRefused) return 'other';
      throw error;
    }
  }

  /** Takes files away, writes others beside their places, and puts them there: the disk is waited for few times. */
  *#apply(id: string, changes: readonly Change[], cause: Cause): Turns<void> {
    const numbered = changes.map((change, index) => ({ ...change, index, scratch: scratchOf(id, index) }));
    const removed = numbered.filter(({ to }) => to === null);
    for (const some of pieces(removed)) {
      yield opened(some, ({ path, index }) => {
        this.#step(`apply ${index}`);
        return removeAt(this.workspace, path);
      });
    }
    for (const { path } of removed) this.#prune(path, cause);
    const written = numbered.flatMap(({ to, ...rest }) => (to === null ? [] : [{ ...rest, to }]));
    for (const some of pieces(written)) {
      this.#step('stage');
      const staged = opened(some, ({ path, to, scratch }) => stageAt(this.workspace, path, to, scratch));
      this.#step('wait for the disk');
      yield staged;
      yield opened(some, ({ path, index, scratch }) => {
        this.#step(`apply ${index}`);
        return putAt(this.workspace, path, scratch);
      });
    }
  }

  /** What stands at a path now; throws `PathRefused` where that is no plain file. */
  look(path: string): Content | null {
    return readAt(this.workspace, path, this.#limits.fileBytes);
  }

  /** A rollback removes folders that the change it takes back had made. */
  #prune(path: string, { of }: Cause): void {
    if (of === undefined) return;
    pruneAt(this.workspace, path, new Set(this.#read(of).snapshot.made));
  }

  /** Keeps what files are before a call changes them; `after` ends the call. Throws `PathRefused` for what cannot be kept. */
  hold(paths: readonly string[], cause: Cause): string {
    return this.#timeline.hold(paths, cause);
  }

  /** Looks at the whole workspace before something opaque runs; `after` ends it. */
  before(cause: Cause): Turns<Begun> {
    return this.#timeline.begin(cause);
  }

  /** Writes down what a call changed; null if nothing. Until there is a receipt of it, the snapshot is among the `owed`. */
  after(id: string): Turns<Snapshot | null> {
    return this.#timeline.end(id);
  }

  /** The paths of `.git` in the workspace, as this process saw them when it last looked. */
  get repositories(): readonly string[] {
    return this.#timeline.repositories;
  }

  /**
   * Makes one file of a snapshot what it should be instead, and the snapshot tell of that. False where the file has
   * changed again since, and is left alone.
   */
  *putBack(id: string, path: string, to: Content | null): Turns<boolean> {
    const unlock = yield* this.#shelf.lock();
    try {
      const { steps, made } = readHeader(this.#shelf.file(id, 'snap')).snapshot;
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

  /** Notes that a snapshot has changes which somebody must look at. */
  needReview(id: string, review: Review): void {
    writeFileSync(this.#shelf.file(id, 'review'), JSON.stringify(review), { mode: 0o600 });
  }

  /** The snapshots with such changes. */
  reviews(): readonly (Review & { readonly id: string })[] {
    const kept = new Set(this.#shelf.ids('snap'));
    return this.#shelf.ids('review').flatMap((id) => {
      if (!kept.has(id)) return [];
      try {
        // INVARIANT: the folder is ours alone; one that was cut off does not parse.
        return [{ ...(JSON.parse(readFileSync(this.#shelf.file(id, 'review'), 'utf8')) as Review), id }];
      } catch {
        return [];
      }
    });
  }

  /** Says that somebody has looked. */
  reviewed(id: string): void {
    this.#shelf.remove(id, 'review');
  }

  /** Snapshots of calls that could change anything, as long as nobody has judged what they changed; the oldest first. */
  unjudged(): readonly Snapshot[] {
    return this.#marked('unjudged');
  }

  /** Says that a snapshot was judged. */
  judged(id: string): void {
    this.#shelf.remove(id, 'unjudged');
  }

  /** The calls that run and were begun by processes that are gone. */
  abandoned(): readonly Cause[] {
    return this.#timeline.abandoned();
  }

  /** Writes down what calls whose files are known changed so far. */
  settle(): readonly Snapshot[] {
    return this.#timeline.settle();
  }

  /** Writes down what changed so far while calls ran, and ends those that were begun by processes that are gone. */
  catchUp(): Turns<readonly Snapshot[]> {
    return this.#timeline.catchUp();
  }

  /** Forgets what is only at hand; the disk has it. */
  close(): void {
    this.#timeline.close();
  }

  /** The right to leave receipts that are owed; nobody compares meanwhile. */
  lock(): Turns<() => void> {
    return this.#shelf.lock();
  }

  /** Snapshots of calls that have no receipt yet, the oldest first. */
  owed(): readonly Snapshot[] {
    return this.#marked('owed');
  }

  #marked(ending: 'owed' | 'unjudged'): readonly Snapshot[] {
    const marked = this.#shelf.ids(ending);
    if (marked.length === 0) return [];
    const kept = new Set(this.#shelf.ids('snap'));
    return marked
      .filter((id) => kept.has(id))
      .map((id) => readHeader(this.#shelf.file(id, 'snap')).snapshot)
      .sort(byPlace);
  }

  /** Says that there is a receipt of a snapshot. */
  settled(id: string): void {
    this.#shelf.remove(id, 'owed');
  }

  /** What stands at a path, or null where it cannot be read as a plain file. */
  #peek(path: string): Content | null {
    try {
      return readAt(this.workspace, path, this.#limits.fileBytes);
    } catch {
      return null;
    }
  }

  /** Takes a change back as a change of its own; throws `Conflict` where files have changed since. */
  *undo(id: string, cause: Omit<Cause, 'action' | 'of'>): Turns<Snapshot> {
    const read = this.#read(id);
    const { steps } = read.snapshot;
    const lost = steps.filter(({ lost: gone }) => gone === true).map(({ path }) => path);
    if (lost.length > 0) {
      throw new Conflict(
        `${lost.length} file(s) were too large to keep, so this cannot be taken back whole`,
        lost,
      );
    }
    const changes = steps.map(
      ({ path, before, after }): Change => ({ path, from: after, to: contentOf(read, before) }),
    );
    return yield* this.change(changes, { ...cause, action: 'rollback', of: id });
  }

  #now(path: string): State | null {
    const content = this.#peek(path);
    return content === null ? null : stateOf(content);
  }

  /** The snapshots that are kept, the latest first. */
  list(): readonly Snapshot[] {
    return this.#shelf
      .ids('snap')
      .map((id) => readHeader(this.#shelf.file(id, 'snap')).snapshot)
      .sort((a, b) => byPlace(b, a));
  }

  /** One snapshot, by its id or an unmistakable beginning of it. */
  find(id: string): Snapshot {
    const [found, second] = this.#shelf.ids('snap').filter((known) => known.startsWith(id));
    if (second !== undefined) throw new UnknownSnapshot(`more than one snapshot begins with ${id}`);
    if (found === undefined) throw new UnknownSnapshot(`there is no snapshot ${id} of this workspace`);
    return readHeader(this.#shelf.file(found, 'snap')).snapshot;
  }

  /** What a file was before a change; null: it was not there, or its bytes are not kept. */
  contentBefore(id: string, path: string): Uint8Array | null {
    const read = this.#read(id);
    const state = read.snapshot.steps.find((step) => step.path === path)?.before ?? null;
    return state === null ? null : read.bytesOf(state);
  }

  /**
   * Ends what a process left half done when it died: a change that was made whole is kept, any other is taken back.
   * Gives the files that somebody has changed since, which are left alone.
   */
  recover(): readonly string[] {
    const left: string[] = [];
    for (const open of this.#shelf.ids('open')) {
      const file = this.#shelf.file(open, 'open');
      let read: ReadSnapshot;
      try {
        read = readSnapshot(file);
      } catch (error) {
        if (!(error instanceof SnapshotDamaged)) throw error;
        // INVARIANT: a snapshot is whole on disk before the first file is touched.
        rmSync(file);
        continue;
      }
      if (isAlive(read.maker)) continue;
      const { id, steps } = read.snapshot;
      if (steps.every(({ path, after }) => isSame(this.#now(path), after))) this.#finish(id);
      else left.push(...this.#takeBack(read));
    }
    return left;
  }

  /**
   * Deletes snapshots from before a moment, and the oldest until the rest fits; gives how many. A workspace that nobody
   * has worked in since then needs its copy no more.
   */
  tidy({ bytes = this.#limits.bytes, since = 0 }: { bytes?: number; since?: number } = {}): number {
    let room = bytes;
    let deleted = 0;
    for (const { id, time } of this.list()) {
      room -= statSync(this.#shelf.file(id, 'snap')).size;
      if (room >= 0 && time >= since) continue;
      this.#shelf.remove(id, 'snap');
      for (const ending of ['owed', 'unjudged', 'review'] as const) this.#shelf.remove(id, ending);
      deleted++;
    }
    const running = (['pending', 'held', 'open'] as const).some(
      (ending) => this.#shelf.ids(ending).length > 0,
    );
    for (const name of running ? [] : this.#leftovers()) {
      const file = join(this.#shelf.folder, name);
      const age = name.endsWith('.new') ? this.#options.now() - forgotten : since;
      if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? age) < age) rmSync(file, { force: true });
    }
    return deleted;
  }

  /** The copy of the workspace, when that was made, and what was begun to be written. */
  #leftovers(): readonly string[] {
    try {
      return readdirSync(this.#shelf.folder).filter((name) =>
        /^list\.jsonl$|^pack-|\.(?:look|new)$/.test(name),
      );
    } catch {
      return [];
    }
  }

  #takeBack(read: ReadSnapshot): readonly string[] {
    const { id, steps, made } = read.snapshot;
    const left: string[] = [];
    const back = steps.flatMap(({ path, before, after }, index) => {
      discardAt(this.workspace, path, scratchOf(id, index));
      const now = this.#now(path);
      if (isSame(now, before)) return [];
      if (isSame(now, after)) return [{ path, content: contentOf(read, before), index }];
      left.push(path);
      return [];
    });
    for (const { path, content } of back) {
      const folder = content === null ? removeAt(this.workspace, path) : null;
      if (folder !== null) closeSync(folder);
      if (content === null) pruneAt(this.workspace, path, new Set(made));
    }
    for (const { path, content, index } of back) {
      if (content !== null) replaceAt(this.workspace, path, content, scratchOf(id, index));
    }
    for (const { path } of steps) pruneAt(this.workspace, path, new Set(made));
    rmSync(this.#shelf.file(id, 'open'), { force: true });
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
      id: this.#shelf.newId(),
      time: this.#options.now(),
      workspace: this.workspace,
      steps,
      made,
    };
    this.#step('write snapshot');
    this.#shelf.begin(snapshot, kept, 'open');
    return snapshot;
  }

  #finish(id: string): void {
    renameSync(this.#shelf.file(id, 'open'), this.#shelf.file(id, 'snap'));
    this.#shelf.sync();
  }

  #step(name: string): void {
    this.#options.onStep?.(name);
  }

  /** A snapshot never changes, so the last one is at hand for the next of its files. */
  #read(id: string): ReadSnapshot {
    if (this.#last?.snapshot.id !== id) {
      this.#last = readSnapshot(this.#shelf.file(this.find(id).id, 'snap'));
    }
    return this.#last;
  }
}

function conflictOf(paths: readonly string[], { of }: Cause): Conflict {
  if (of === undefined) return new Conflict(`${paths[0]} has changed since it was judged`, paths);
  const hint = 'what changed them must be taken back first, or the files put right by hand';
  return new Conflict(`${paths.length} file(s) have changed since`, paths, hint);
}

function* pieces<Thing>(things: readonly Thing[]): Generator<readonly Thing[]> {
  for (let at = 0; at < things.length; at += together) yield things.slice(at, at + together);
}

/** What work on each thing opened; nothing stays open where it fails. */
function opened<Thing>(things: readonly Thing[], work: (thing: Thing) => number | null): readonly number[] {
  const files: number[] = [];
  try {
    for (const thing of things) {
      const file = work(thing);
      if (file !== null) files.push(file);
    }
    return files;
  } catch (error) {
    for (const file of files) closeSync(file);
    throw error;
  }
}

function contentOf(read: ReadSnapshot, state: State | null): Content | null {
  if (state === null) return null;
  const bytes = read.bytesOf(state);
  if (bytes === null) throw new SnapshotDamaged('the bytes from before are not in the snapshot');
  return { type: state.type, bytes, mode: state.mode };
}

function scratchOf(id: string, index: number): string {
  return `.sallyport-${id}-${index}`;
}
