// Changes by calls with unknown effects: the workspace is scanned when a call begins and when one ends, and the
// differences were made while the calls ran that had begun by then.

import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { SallyportError } from '../../core/index.ts';
import { type Content, missingFolders, readAt } from './anchor.ts';
import { addName, Cache, dropName, hasNames, type Known } from './cache.ts';
import { hasSpaceFor, LargeFiles, largeBytes } from './large.ts';
import { isSameMark, type Mark, markOf, settledMark } from './mark.ts';
import { systemPath } from './names.ts';
import { changeTimes, Owners, ownsFromStart, type Pending, type Watching } from './owners.ts';
import {
  type Cause,
  isAlive,
  isSame,
  isSameFile,
  type Maker,
  type NotCaptured,
  type PreImage,
  type ReadSnapshot,
  type Running,
  readHeader,
  readSnapshot,
  type Snapshot,
  SnapshotDamaged,
  type State,
  type Step,
  stateOf,
  thisProcess,
} from './snapshot.ts';
import { byPlace, type SnapshotStore } from './snapshot-store.ts';
import { Tree } from './tree.ts';
import type { Turns } from './turns.ts';
import type { Walk } from './walk.ts';

/** The limits of what is stored of a workspace. */
export interface Limits {
  /** The largest file whose bytes are stored. */
  readonly fileBytes: number;
  /** How many files and folders are scanned. */
  readonly files: number;
  /** The total size of the bytes of all files, and of all snapshots. */
  readonly bytes: number;
}

interface TimelineOptions {
  readonly workspace: string;
  readonly snapshotStore: SnapshotStore;
  readonly limits: Limits;
  readonly now: () => number;
  readonly onStep: (step: string) => void;
  /** The number of files from which git compares dates. */
  readonly comparedFrom?: number | undefined;
}

/** A file with changed metadata. */
interface Changed {
  readonly path: string;
  /** Its current metadata; null if it was deleted. */
  readonly known: Known | null;
  /** Its current state; null if that cannot be read. */
  readonly now: State | null;
  /** Whether only its bytes were missing, and the file is unchanged. */
  readonly same: boolean;
}

/** The changes that are attributed to one call. */
interface Laid {
  readonly steps: Step[];
  readonly kept: Map<string, Uint8Array>;
  readonly isUnsure: boolean;
}

/** The largest file that a call with known files may overwrite. */
const largestHeld = 16_777_216;

/** How many bytes are read before yielding to other work. */
const piece = 4_194_304;

/** There is too little space on the disk to store the workspace. Nothing was begun. */
export class LowDisk extends SallyportError {}

export class Timeline {
  readonly #options: TimelineOptions;
  readonly #snapshotStore: SnapshotStore;
  readonly #large: LargeFiles;
  #tree: Tree | undefined;
  #cache: Cache | undefined;
  #repositories: readonly string[] = [];

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#snapshotStore = options.snapshotStore;
    this.#large = new LargeFiles(options.snapshotStore.folder);
  }

  // ── calls whose files are known

  /** Stores files before a call changes them; throws `PathRefused` if one cannot be stored. */
  hold(paths: readonly string[], cause: Cause): string {
    const { workspace, limits, now } = this.#options;
    const id = this.#snapshotStore.newId();
    const contents = new Map(
      paths.map((path) => [path, readAt(workspace, path, Math.min(largestHeld, limits.fileBytes))]),
    );
    const made = missingFolders(workspace, paths);
    this.#step('hold');
    const { steps, kept } = keeping(contents);
    this.#snapshotStore.begin({ ...cause, id, time: now(), workspace, steps, made }, kept, 'held');
    return id;
  }

  /** Ends a call with known files; null if none of them changed, or that was reported already. */
  #release(id: string, ended: boolean, isReported: boolean): Snapshot | null {
    const read = readIfThere(this.#snapshotStore.file(id, 'held'));
    if (read === null) return null;
    const { snapshot: held, bytesOf } = read;
    const recorded = this.#snapshotStore.recordedSince(id);
    const kept = new Map<string, Uint8Array>();
    const contents = new Map(held.steps.map(({ path }) => [path, this.#peek(path)]));
    const steps = held.steps.flatMap(({ path, before }): readonly Step[] => {
      const content = contents.get(path) ?? null;
      const after = content === null ? null : stateOf(content, path);
      // Content other than the declared one is from another author, unless the host reports that the call has ended.
      if (!isReported && held.expected !== undefined && held.expected[path] !== (after?.hash ?? null))
        return [];
      if (isSame(before, after) || (recorded.has(path) && isSame(recorded.get(path) ?? null, after)))
        return [];
      const bytes = before === null ? null : bytesOf(before);
      if (before !== null && bytes !== null) kept.set(before.hash, bytes);
      return [{ path, before, after }];
    });
    const { id: _, time: __, workspace: ___, steps: ____, expected: _____, made, ...cause } = held;
    const touched = new Set(steps.map(({ path }) => path));
    const others = this.#held().filter(
      (other) => other.id !== id && other.paths.some((path) => touched.has(path)),
    );
    const running = [...this.#pending(), ...others].map(({ cause: theirs }) => runningOf(theirs));
    const snapshot = steps.length === 0 ? null : this.#keep(steps, made, cause, running, kept);
    this.#step('let go');
    if (ended) this.#snapshotStore.remove(id, 'held');
    // INVARIANT: a call that continues holds the state that was just recorded, so that no change is lost or counted
    // twice.
    if (snapshot !== null) for (const other of this.#held()) this.#renew(other.id, touched, contents);
    return snapshot;
  }

  #renew(id: string, touched: ReadonlySet<string>, contents: ReadonlyMap<string, Content | null>): void {
    const read = readIfThere(this.#snapshotStore.file(id, 'held'));
    if (read === null || !read.snapshot.steps.some(({ path }) => touched.has(path))) return;
    const { snapshot, bytesOf, maker } = read;
    const held = snapshot.steps.map(({ path, before }): readonly [string, Content | null] => {
      const bytes = before === null ? null : bytesOf(before);
      const old = before === null || bytes === null ? null : { type: before.type, bytes, mode: before.mode };
      return [path, touched.has(path) ? (contents.get(path) ?? null) : old];
    });
    const { steps, kept } = keeping(new Map(held));
    this.#snapshotStore.renew({ ...snapshot, steps }, kept, maker);
  }

  /** Records the changes so far of calls with known files, and ends those of processes that have exited. */
  settle(): readonly Snapshot[] {
    return this.#held().flatMap(({ id, maker }) => this.#release(id, !isAlive(maker), false) ?? []);
  }

  // ── calls that may change anything

  /** Scans the workspace before an opaque command runs. */
  *begin(cause: Cause, watching: Watching = {}): Turns<PreImage> {
    const unlock = yield* this.#snapshotStore.lock();
    try {
      const { unkept, complete } = yield* this.#look('begins');
      const id = this.#snapshotStore.newId();
      this.#step('begin');
      const preImage: PreImage = { id, complete, unkept };
      const began = Date.now();
      this.#mark({
        id,
        cause,
        time: this.#options.now(),
        began,
        maker: thisProcess(),
        preImage,
        ...watching,
      });
      return preImage;
    } finally {
      unlock();
    }
  }

  /** Reports that the processes of a call are running, or when they ran. */
  lives(id: string, lived?: Pending['lived']): void {
    const file = this.#snapshotStore.file(id, 'pending');
    try {
      if (lived === undefined) {
        const now = new Date();
        utimesSync(file, now, now);
        return;
      }
      const pending = JSON.parse(readFileSync(file, 'utf8')) as Pending;
      writeFileSync(`${file}.new`, JSON.stringify({ ...pending, lived }), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch {
      // The call has just ended.
    }
  }

  /** The pre-images of the running calls. */
  preImages(): readonly PreImage[] {
    return this.#pending().flatMap(({ preImage }) => (preImage === undefined ? [] : [preImage]));
  }

  /** Ends a call: records the changes; null if there are none, or no call of this name runs. */
  *end(id: string, isReported: boolean): Turns<Snapshot | null> {
    if (this.#snapshotStore.ids('held').includes(id)) return this.#release(id, true, isReported);
    const unlock = yield* this.#snapshotStore.lock();
    try {
      if (!this.#snapshotStore.ids('pending').includes(id)) return null;
      const call = this.#pending().find((pending) => pending.id === id);
      const { snapshot } = yield* this.#look({ ending: id, isReported });
      this.#step('end');
      const isClaimed = this.#snapshotStore.claim(
        id,
        isReported && call !== undefined && ownsFromStart(call),
      );
      this.#snapshotStore.remove(id, 'pending');
      if (snapshot === null && call !== undefined && isReported && !isClaimed) {
        this.#snapshotStore.idle(id, {
          tool: call.cause.tool ?? call.cause.action,
          time: this.#options.now(),
        });
      }
      return snapshot;
    } finally {
      unlock();
    }
  }

  /** Ends a call without a scan: later changes are attributed to others. Earlier ones were seen when it began. */
  *drop(id: string): Turns<void> {
    const unlock = yield* this.#snapshotStore.lock();
    try {
      this.#snapshotStore.claim(id, false);
      this.#snapshotStore.remove(id, 'pending');
    } finally {
      unlock();
    }
  }

  /** Records the changes so far, and ends the calls of processes that have exited. */
  *catchUp(): Turns<readonly Snapshot[]> {
    const snapshots = [...this.settle()];
    if (this.#snapshotStore.ids('pending').length === 0) return snapshots;
    const unlock = yield* this.#snapshotStore.lock();
    try {
      const { snapshot } = yield* this.#look('goes on');
      if (snapshot !== null) snapshots.push(snapshot);
      for (const { id, maker } of this.#pending()) {
        if (isAlive(maker)) continue;
        this.#snapshotStore.claim(id, false);
        this.#snapshotStore.remove(id, 'pending');
      }
      return snapshots;
    } finally {
      unlock();
    }
  }

  /**
   * Compares the workspace with the previous scan, when a call begins, while calls run, or when one ends: changes are
   * attributed to that one first. A call begins only if there is room for the changes that it may make.
   */
  *#look(when: 'begins' | 'goes on' | { readonly ending: string; readonly isReported: boolean }): Turns<{
    readonly complete: boolean;
    readonly unkept: readonly NotCaptured[];
    readonly snapshot: Snapshot | null;
  }> {
    const isEnd = typeof when === 'object';
    const ending = isEnd && when.isReported ? when.ending : null;
    const running = this.#pending();
    const cache = this.#known();
    try {
      const started = Date.now();
      const id = this.#snapshotStore.newId();
      const seen = yield* this.#lookAtTree(cache.files, started);
      this.#repositories = seen.repositories;
      if (when === 'begins') this.#checkRoom(cache, seen);
      const { changes, unkept } = yield* this.#learn(cache, seen, started);
      // INVARIANT: an entry that was not scanned before cannot be distinguished from a new one, so it is attributed to
      // no call.
      const compared = running.length > 0 && !cache.isNew && changes.length > 0;
      const snapshot = compared ? this.#lay(changes, cache, seen, running, ending) : null;
      for (const { path, known } of changes) {
        if (known === null) cache.forget(path);
        else cache.know(path, known);
      }
      cache.looked(seen.truncated);
      this.#step('flush');
      // The bytes that a snapshot needs are in the snapshot itself; those that the next one needs are synced then.
      cache.flush(!isEnd);
      this.#step('looked');
      this.#snapshotStore.looked(id);
      const complete = !seen.truncated && !cache.full;
      return { complete, unkept: complete ? [] : [...seen.unkept, ...unkept], snapshot };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The result of the previous scan; cached as long as no other process has scanned since. */
  #known(): Cache {
    if (this.#cache?.isCurrent() !== true) {
      this.close();
      this.#cache = new Cache(this.#snapshotStore.folder, this.#options.limits.bytes);
    }
    return this.#cache;
  }

  /** The paths of `.git` at the last scan of this process. */
  get repositories(): readonly string[] {
    return this.#repositories;
  }

  /**
   * Records that we replaced a file of a snapshot: the snapshot ends with that state, and the next scan attributes it
   * to no call. INVARIANT: the caller holds the lock.
   */
  amend(id: string, path: string, content: Content | null): void {
    const state = content === null ? null : stateOf(content, path);
    this.#snapshotStore.amend(id, (steps) =>
      steps.flatMap((step) => {
        if (step.path !== path) return [step];
        return isSame(step.before, state) ? [] : [{ ...step, after: state }];
      }),
    );
    const cache = this.#known();
    const found = lstatSync(systemPath(this.#full(path)), { throwIfNoEntry: false });
    if (content === null || state === null || found === undefined) cache.forget(path);
    else {
      const hash = cache.put(state.hash, content.bytes) ? state.hash : null;
      cache.know(path, { ...settledMark(markOf(found), Date.now()), hash });
    }
    cache.flush(false);
  }

  /** The keys of the stored large files of the workspace. */
  largeHashes(): readonly string[] {
    return [...this.#known().files.values()].flatMap(({ hash, size }) =>
      hash !== null && size >= largeBytes ? [hash] : [],
    );
  }

  /** The running calls that were begun by processes that have exited. */
  abandoned(): readonly Cause[] {
    return this.#pending().flatMap(({ maker, cause }) => (isAlive(maker) ? [] : [cause]));
  }

  #lookAtTree(known: Cache['files'], started: number): Turns<Walk> {
    const { workspace, limits, comparedFrom, snapshotStore } = this.#options;
    this.#tree ??= new Tree({ workspace, store: snapshotStore.folder, most: limits.files, comparedFrom });
    return this.#tree.look(known, started);
  }

  /** Clears the cached scan; it is on disk. */
  close(): void {
    this.#tree?.close();
    this.#cache?.close();
    this.#cache = undefined;
  }

  /**
   * Reads the files with changed metadata. Files of a change in progress, or of a call with known files, are left to
   * it.
   */
  *#learn(
    cache: Cache,
    seen: Walk,
    started: number,
  ): Turns<{ readonly changes: readonly Changed[]; readonly unkept: readonly NotCaptured[] }> {
    const inHand = this.#inHand();
    const changes: Changed[] = [];
    const unkept: NotCaptured[] = [];
    const retry = cache.full;
    cache.full = false;
    let read = 0;
    // Files that could not be stored for lack of space are tried again.
    const unkeptBefore = retry
      ? [...cache.files].flatMap(([path, { hash }]) => (hash === null ? [path] : []))
      : [];
    for (const path of new Set([...seen.fresh.keys(), ...unkeptBefore])) {
      const known = cache.files.get(path);
      const mark = seen.fresh.get(path) ?? known;
      if (mark === undefined || seen.gone.has(path)) continue;
      const looksSame = known !== undefined && isSameMark(known, mark);
      if (isFolder(mark)) {
        const now = { type: 'folder', hash: '', mode: mark.mode } as const;
        if (!looksSame)
          changes.push({ path, known: { ...settledMark(mark, started), hash: null }, now, same: false });
        continue;
      }
      if (looksSame && (known.hash === null ? !retry : this.#holds(cache, known.hash))) continue;
      if (inHand.has(path)) continue;
      // For an unreadable file, only its metadata shows whether it is unchanged.
      const same = looksSame || (known?.hash === null && isSameMark(known, { ...mark, data: known.data }));
      const { now, isKept } = yield* this.#read(cache, path, mark);
      if (!isKept) {
        cache.full = true;
        if (unkept.length < mostNamed)
          unkept.push({ path, why: 'there is no room to keep it, or it cannot be read' });
      }
      const hash = isKept && now !== null ? now.hash : null;
      changes.push({ path, known: { ...this.#settled(path, mark, started), hash }, now, same });
      read += mark.size;
      if (read > piece) {
        read = 0;
        yield 'turn';
      }
    }
    changes.push(...this.#removed(seen, inHand));
    return { changes, unkept };
  }

  /** Entries that existed before and no longer do. */
  #removed(seen: Walk, inHand: ReadonlySet<string>): readonly Changed[] {
    const changes: Changed[] = [];
    for (const path of seen.gone) {
      if (inHand.has(path)) continue;
      // An incomplete scan may have missed entries that still exist.
      if (seen.truncated && this.#peek(path) !== null) continue;
      changes.push({ path, known: null, now: null, same: false });
    }
    return changes;
  }

  /**
   * Throws `LowDisk` if there is no room for new data, and for a snapshot of all stored data, should the call change
   * everything: before a call it can still be refused.
   */
  #checkRoom(cache: Cache, seen: Walk): void {
    const { bytes: most } = this.#options.limits;
    let fresh = 0;
    for (const mark of seen.fresh.values()) if (!isFolder(mark)) fresh += mark.size;
    const needed = Math.min(fresh, most) + Math.min(cache.bytes + fresh, most);
    if (hasSpaceFor(this.#snapshotStore.folder, needed)) return;
    throw new LowDisk('there is too little room on the disk to keep what the workspace holds', {
      hint: 'make room, or drop old snapshots: sallyport snapshots --keep-megabytes N',
    });
  }

  /** The current state of a file, and whether its bytes are stored. */
  *#read(
    cache: Cache,
    path: string,
    mark: Mark,
  ): Turns<{ readonly now: State | null; readonly isKept: boolean }> {
    const { workspace, limits } = this.#options;
    if (mark.size > limits.fileBytes) return { now: null, isKept: false };
    if (mark.size < largeBytes) {
      const content = this.#peek(path);
      const now = content === null ? null : stateOf(content, path);
      return { now, isKept: content !== null && now !== null && cache.put(now.hash, content.bytes) };
    }
    const keep = mark.type === 'object' ? 'keepObject' : 'keep';
    const hash = yield* this.#large[keep](workspace, path, mark.size, limits.bytes - cache.bytes);
    return { now: hash === null ? null : { type: 'file', hash, mode: mark.mode }, isKept: hash !== null };
  }

  /** A hard link that we created changes the metadata of the file. */
  #settled(path: string, mark: Mark, started: number): Mark {
    if (mark.type !== 'object' || mark.size < largeBytes) return settledMark(mark, started);
    const found = lstatSync(systemPath(this.#full(path)), { throwIfNoEntry: false });
    return found === undefined ? mark : markOf(found, 'object');
  }

  /** Whether the previous content of a path can be restored without a copy in memory. */
  #isHeld(before: ReturnType<typeof stateIn> | null, cache: Cache): boolean {
    if (before === null) return !cache.truncated;
    return before.type === 'folder' || this.#large.has(before.hash);
  }

  #holds(cache: Cache, hash: string): boolean {
    return cache.has(hash) || this.#large.has(hash);
  }

  #full(path: string): string {
    return path.startsWith('/') ? path : `${this.#options.workspace}/${path}`;
  }

  /** The snapshot of the changes made while calls ran. */
  #lay(
    changes: readonly Changed[],
    cache: Cache,
    seen: Walk,
    running: readonly Pending[],
    ending: string | null,
  ): Snapshot | null {
    const recorded = this.#snapshotStore.recordedSince();
    const owners = new Owners(running, ending, (id) => this.#snapshotStore.file(id, 'pending'));
    const names = { before: cache.linked, now: linkedNow(cache, seen) };
    const laid = new Map<Pending, Laid>();
    for (const change of changes) {
      const difference = differenceIn(change, cache, names);
      if (difference === null) continue;
      const { path } = change;
      const { old, before, now, unread } = difference;
      if (recorded.has(path) && isSame(recorded.get(path) ?? null, now)) continue;
      const owner = owners.of(path, () => changeTimes(this.#full(path)));
      if (owner === null) continue;
      const { call, isUnsure } = owner;
      const one: Laid = laid.get(call) ?? { steps: [], kept: new Map(), isUnsure };
      const bytes = old?.hash == null ? null : cache.get(old.hash);
      if (old?.hash != null && bytes !== null) one.kept.set(old.hash, bytes);
      const isHeld = bytes !== null || this.#isHeld(before, cache);
      one.steps.push({ path, before, after: now, ...(unread || !isHeld ? { lost: true as const } : {}) });
      laid.set(call, one);
    }
    return this.#keepAll(laid, running, ending);
  }

  /**
   * Records the changes of each call; returns the snapshot of the one that ends, or of the first. Changes that only a
   * call's reported end would attribute to it are deferred until then.
   */
  #keepAll(
    laid: ReadonlyMap<Pending, Laid>,
    running: readonly Pending[],
    ending: string | null,
  ): Snapshot | null {
    let own: Snapshot | null = null;
    for (const [call, { steps, kept, isUnsure }] of laid) {
      const others = running.filter((other) => other !== call).map(({ cause }) => runningOf(cause));
      const { preImage, id } = call;
      const cause = { ...call.cause, ...(preImage === undefined ? {} : { preImage }) };
      const made = steps.flatMap(({ path, before, after }) =>
        before === null && after?.type === 'folder' ? [path] : [],
      );
      const snapshot = this.#keep(steps, made, cause, others, kept, isUnsure ? id : null);
      if (!isUnsure && (own === null || id === ending)) own = snapshot;
    }
    return own;
  }

  #keep(
    steps: readonly Step[],
    made: readonly string[],
    cause: Cause & Pick<Snapshot, 'preImage'>,
    running: readonly Running[],
    kept: ReadonlyMap<string, Uint8Array>,
    unsure: string | null = null,
  ): Snapshot {
    const { workspace, now } = this.#options;
    const during = running.length === 0 ? {} : { during: running };
    const id = this.#snapshotStore.newId();
    const snapshot: Snapshot = { ...cause, ...during, id, time: now(), workspace, steps, made };
    this.#step('keep');
    if (unsure === null) this.#snapshotStore.keep(snapshot, kept);
    else this.#snapshotStore.putAside(snapshot, kept, unsure);
    return snapshot;
  }

  // ── running calls

  #mark(pending: Pending): void {
    const fd = openSync(this.#snapshotStore.file(pending.id, 'pending'), 'wx', 0o600);
    try {
      writeSync(fd, JSON.stringify(pending));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    this.#snapshotStore.sync();
  }

  /** The running calls that may change anything, the oldest first. */
  #pending(): readonly Pending[] {
    return this.#snapshotStore
      .ids('pending')
      .flatMap((id): readonly Pending[] => {
        try {
          // INVARIANT: the folder is ours alone; a truncated file does not parse, and its call never began.
          return [JSON.parse(readFileSync(this.#snapshotStore.file(id, 'pending'), 'utf8')) as Pending];
        } catch {
          return [];
        }
      })
      .sort(byPlace);
  }

  /** The running calls with known files. */
  #held(): readonly { id: string; cause: Cause; maker: Maker; paths: readonly string[] }[] {
    return this.#snapshotStore.ids('held').flatMap((id) => {
      try {
        const { snapshot, maker } = readHeader(this.#snapshotStore.file(id, 'held'));
        return [{ id, cause: snapshot, maker, paths: snapshot.steps.map(({ path }) => path) }];
      } catch {
        // It has just ended, or was interrupted before its call could begin.
        return [];
      }
    });
  }

  #inHand(): ReadonlySet<string> {
    const open = this.#snapshotStore.ids('open').flatMap((id) => {
      try {
        return readHeader(this.#snapshotStore.file(id, 'open')).snapshot.steps.map(({ path }) => path);
      } catch {
        return [];
      }
    });
    return new Set([...open, ...this.#held().flatMap(({ paths }) => paths)]);
  }

  /** The current state of a path, or null if it cannot be read. */
  #peek(path: string): Content | null {
    try {
      return readAt(this.#options.workspace, path, largeBytes, { any: true });
    } catch {
      return null;
    }
  }

  #step(name: string): void {
    this.#options.onStep(name);
  }
}

/** How a file differs from its stored state; null if it does not, or if undo must not revert it. */
function differenceIn(
  { path, known, now: content, same }: Changed,
  cache: Cache,
  names: { readonly before: Linked; readonly now: Linked },
) {
  const old = cache.files.get(path);
  // Undo does not remove new objects from an existing repository: others may rely on them by now.
  if (old === undefined && known !== null && isOfStore(known) && cache.files.has(storeOf(path))) return null;
  const before = old === undefined ? null : withNames(stateIn(old), path, old, names.before);
  const now = content === null || known === null ? content : withNames(content, path, known, names.now);
  const unread = known !== null && now === null;
  return same || (isSameFile(before, now) && !unread) ? null : { old, before, now, unread };
}

/** The stored files of a call, as steps whose end is not known yet, and the bytes. */
function keeping(contents: ReadonlyMap<string, Content | null>): {
  readonly steps: readonly Step[];
  readonly kept: ReadonlyMap<string, Uint8Array>;
} {
  const kept = new Map<string, Uint8Array>();
  const steps = Array.from(contents, ([path, content]): Step => {
    const before = content === null ? null : stateOf(content, path);
    if (content !== null && before !== null) kept.set(before.hash, content.bytes);
    return { path, before, after: null };
  });
  return { steps, kept };
}

/** Null if the call has just ended, or it was interrupted before it could begin. */
function readIfThere(file: string): ReadSnapshot | null {
  try {
    return readSnapshot(file);
  } catch (error) {
    if (error instanceof SnapshotDamaged) return null;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function runningOf({ agent, run, tool, action }: Cause): Running {
  return { agent, run, tool: tool ?? action };
}

/** How many entries that cannot be stored are named. */
const mostNamed = 20;

function isFolder({ type }: Mark): boolean {
  return type === 'folder' || type === 'objects';
}

function isOfStore({ type }: Mark): boolean {
  return type === 'object' || type === 'objects';
}

/** The folder of an object store. */
function storeOf(path: string): string {
  const at = path.lastIndexOf('/objects/');
  return at < 0 ? path : path.slice(0, at + '/objects'.length);
}

function stateIn(known: Known): State {
  if (isFolder(known)) return { type: 'folder', hash: '', mode: known.mode };
  return { type: known.type === 'link' ? 'link' : 'file', hash: known.hash ?? '', mode: known.mode };
}

type Linked = ReadonlyMap<number, ReadonlySet<string>>;

/** The current hard links of each file that has several. */
function linkedNow(cache: Cache, { fresh, gone }: Walk): Linked {
  const linked = new Map(Array.from(cache.linked, ([number, paths]) => [number, new Set(paths)]));
  for (const path of [...gone, ...fresh.keys()]) {
    const before = cache.files.get(path);
    if (before !== undefined) dropName(linked, path, before);
  }
  for (const [path, mark] of fresh) addName(linked, path, mark);
  return linked;
}

function withNames(state: State, path: string, mark: Mark, names: Linked): State {
  if (!hasNames(mark)) return state;
  const all = [...(names.get(mark.number) ?? [path])].sort();
  return {
    ...state,
    ...(all.length > 1 ? { group: all[0] ?? path } : {}),
    ...(all.length < mark.names ? { outside: mark.number } : {}),
  };
}
