// Changes by calls with unknown effects: the workspace is looked at when a call begins and when
// one ends, and what differs from the look before was changed while the calls ran that had begun by then.

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

/** How much is kept of a workspace. */
export interface Limits {
  /** The largest file whose bytes are kept. */
  readonly fileBytes: number;
  /** How many files and folders are looked at. */
  readonly files: number;
  /** How much the bytes of all files may take, and how much all snapshots. */
  readonly bytes: number;
}

interface TimelineOptions {
  readonly workspace: string;
  readonly snapshotStore: SnapshotStore;
  readonly limits: Limits;
  readonly now: () => number;
  readonly onStep: (step: string) => void;
  /** From how many files on git compares dates. */
  readonly comparedFrom?: number | undefined;
}

/** A file that does not look as it did. */
interface Changed {
  readonly path: string;
  /** How it looks now; null where it is gone. */
  readonly known: Known | null;
  /** What it is now; null where that cannot be read. */
  readonly now: State | null;
  /** Whether only its bytes were missing, and the file is as it was. */
  readonly same: boolean;
}

/** What is attributed to one call. */
interface Laid {
  readonly steps: Step[];
  readonly kept: Map<string, Uint8Array>;
  readonly isUnsure: boolean;
}

/** The largest file that a call with known files may write over. */
const largestHeld = 16_777_216;

/** How many bytes are read before others have their turn. */
const piece = 4_194_304;

/** There is too little room on the disk to keep what is in the workspace. Nothing was begun. */
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

  /** Keeps what files are before a call changes them; throws `PathRefused` where one cannot be kept. */
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

  /** Ends a call whose files are known; null where none of them changed, or that was reported already. */
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
      // Content other than the call was to write is from another author, unless the host says that the call has ended.
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
    // INVARIANT: a call that goes on holds what was just written down, so that nothing falls in between or counts twice.
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

  /** Writes down what calls whose files are known changed so far, and ends those of processes that are gone. */
  settle(): readonly Snapshot[] {
    return this.#held().flatMap(({ id, maker }) => this.#release(id, !isAlive(maker), false) ?? []);
  }

  // ── calls that may change anything

  /** Looks at the workspace before something opaque runs. */
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

  /** Says that the processes of a call live, or when they did. */
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

  /** The pre-images of the calls that run. */
  preImages(): readonly PreImage[] {
    return this.#pending().flatMap(({ preImage }) => (preImage === undefined ? [] : [preImage]));
  }

  /** Ends a call: writes down what changed; null where nothing did, or nothing of this name runs. */
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

  /** Ends a call without a look: what changes from now on is another's. What changed before was seen when it began. */
  *drop(id: string): Turns<void> {
    const unlock = yield* this.#snapshotStore.lock();
    try {
      this.#snapshotStore.claim(id, false);
      this.#snapshotStore.remove(id, 'pending');
    } finally {
      unlock();
    }
  }

  /** Writes down what changed so far, and ends the calls of processes that are gone. */
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
   * Compares the workspace with the look before, when a call begins, while calls run, or when one ends: that is the first
   * that changes are laid to. A call begins only where there is room for what it may change.
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
      // INVARIANT: what was not looked at before cannot be distinguished from what is new, so it is attributed to nobody.
      const compared = running.length > 0 && !cache.isNew && changes.length > 0;
      const snapshot = compared ? this.#lay(changes, cache, seen, running, ending) : null;
      for (const { path, known } of changes) {
        if (known === null) cache.forget(path);
        else cache.know(path, known);
      }
      cache.looked(seen.truncated);
      this.#step('flush');
      // The bytes that a snapshot needs are in the snapshot itself; those that the next one needs are waited for then.
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

  /** What the look before saw; at hand as long as no other process has looked since. */
  #known(): Cache {
    if (this.#cache?.isCurrent() !== true) {
      this.close();
      this.#cache = new Cache(this.#snapshotStore.folder, this.#options.limits.bytes);
    }
    return this.#cache;
  }

  /** The paths of `.git` that the last look of this process saw. */
  get repositories(): readonly string[] {
    return this.#repositories;
  }

  /**
   * Says that a file which a snapshot tells of was made something else by us: the snapshot ends with that, and the next
   * look lays it to nobody. INVARIANT: the caller holds the lock.
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

  /** What large files of the workspace are kept by. */
  largeHashes(): readonly string[] {
    return [...this.#known().files.values()].flatMap(({ hash, size }) =>
      hash !== null && size >= largeBytes ? [hash] : [],
    );
  }

  /** The calls that run and were begun by processes that are gone. */
  abandoned(): readonly Cause[] {
    return this.#pending().flatMap(({ maker, cause }) => (isAlive(maker) ? [] : [cause]));
  }

  #lookAtTree(known: Cache['files'], started: number): Turns<Walk> {
    const { workspace, limits, comparedFrom, snapshotStore } = this.#options;
    this.#tree ??= new Tree({ workspace, store: snapshotStore.folder, most: limits.files, comparedFrom });
    return this.#tree.look(known, started);
  }

  /** Forgets what was seen; the disk has it. */
  close(): void {
    this.#tree?.close();
    this.#cache?.close();
    this.#cache = undefined;
  }

  /** Reads what does not look as it did. What a change, or a call whose files are known, has in hand is left to it. */
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
    // What could not be kept for want of room is tried again.
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
      // Of what cannot be read, nothing but how it looks tells whether it is as it was.
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

  /** What was there before and is no longer. */
  #removed(seen: Walk, inHand: ReadonlySet<string>): readonly Changed[] {
    const changes: Changed[] = [];
    for (const path of seen.gone) {
      if (inHand.has(path)) continue;
      // A look that did not go to its end may have passed by what is still there.
      if (seen.truncated && this.#peek(path) !== null) continue;
      changes.push({ path, known: null, now: null, same: false });
    }
    return changes;
  }

  /**
   * Throws `LowDisk` where there is no room for what is new, and for a snapshot of all that is kept, should the call change
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

  /** What a file is now, and whether its bytes are kept. */
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

  /** A hard link that we made changes what the system says of the file. */
  #settled(path: string, mark: Mark, started: number): Mark {
    if (mark.type !== 'object' || mark.size < largeBytes) return settledMark(mark, started);
    const found = lstatSync(systemPath(this.#full(path)), { throwIfNoEntry: false });
    return found === undefined ? mark : markOf(found, 'object');
  }

  /** Whether what a path held before can be put back without a copy in memory. */
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

  /** The snapshot of what changed while calls ran. */
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
   * Writes down what each call changed; gives the snapshot of the one that ends, or of the first. What only its reported
   * end would make a call's is put aside until then.
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

  // ── what runs

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

  /** The calls that run and may change anything, the oldest first. */
  #pending(): readonly Pending[] {
    return this.#snapshotStore
      .ids('pending')
      .flatMap((id): readonly Pending[] => {
        try {
          // INVARIANT: the folder is ours alone; one that was cut off does not parse, and its call never began.
          return [JSON.parse(readFileSync(this.#snapshotStore.file(id, 'pending'), 'utf8')) as Pending];
        } catch {
          return [];
        }
      })
      .sort(byPlace);
  }

  /** The calls that run and whose files are known. */
  #held(): readonly { id: string; cause: Cause; maker: Maker; paths: readonly string[] }[] {
    return this.#snapshotStore.ids('held').flatMap((id) => {
      try {
        const { snapshot, maker } = readHeader(this.#snapshotStore.file(id, 'held'));
        return [{ id, cause: snapshot, maker, paths: snapshot.steps.map(({ path }) => path) }];
      } catch {
        // It was ended just now, or cut off before its call could begin.
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

  /** What stands at a path, or null where it cannot be read. */
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

/** How a file differs from what is known of it; null where it does not, or where that is nobody's to undo. */
function differenceIn(
  { path, known, now: content, same }: Changed,
  cache: Cache,
  names: { readonly before: Linked; readonly now: Linked },
) {
  const old = cache.files.get(path);
  // New objects in a repository that was there are nobody's to take away: others may rely on them by now.
  if (old === undefined && known !== null && isOfStore(known) && cache.files.has(storeOf(path))) return null;
  const before = old === undefined ? null : withNames(stateIn(old), path, old, names.before);
  const now = content === null || known === null ? content : withNames(content, path, known, names.now);
  const unread = known !== null && now === null;
  return same || (isSameFile(before, now) && !unread) ? null : { old, before, now, unread };
}

/** What a call holds, as steps whose end is not known yet, and the bytes. */
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

/** Null where the call has just been ended, or it was cut off before it could begin. */
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

/** How many names are given of what cannot be kept. */
const mostNamed = 20;

function isFolder({ type }: Mark): boolean {
  return type === 'folder' || type === 'objects';
}

function isOfStore({ type }: Mark): boolean {
  return type === 'object' || type === 'objects';
}

/** The folder that a store of objects begins with. */
function storeOf(path: string): string {
  const at = path.lastIndexOf('/objects/');
  return at < 0 ? path : path.slice(0, at + '/objects'.length);
}

function stateIn(known: Known): State {
  if (isFolder(known)) return { type: 'folder', hash: '', mode: known.mode };
  return { type: known.type === 'link' ? 'link' : 'file', hash: known.hash ?? '', mode: known.mode };
}

type Linked = ReadonlyMap<number, ReadonlySet<string>>;

/** The names of each file that has several, as they are now. */
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
