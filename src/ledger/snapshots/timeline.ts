// What somebody changed whose effects nobody knows beforehand: the workspace is looked at when a call begins and when
// one ends, and what differs from the look before was changed while the calls ran that had begun by then.

import { closeSync, fsyncSync, lstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Content, missingFolders, readAt } from './anchor.ts';
import { Cache, type Known } from './cache.ts';
import { byPlace, type Shelf } from './shelf.ts';
import {
  type Cause,
  isAlive,
  isSame,
  type Maker,
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
import type { Turns } from './turns.ts';
import { isSameMark, markOf, settledMark, type Walk, walk } from './walk.ts';

/** How much is kept of a workspace. */
export interface Limits {
  /** The largest file whose bytes are kept. */
  readonly fileBytes: number;
  /** How many files and folders are looked at. */
  readonly files: number;
  /** How much the bytes of all files may take, and how much all snapshots. */
  readonly bytes: number;
}

/** A call that runs. */
interface Pending {
  readonly id: string;
  readonly cause: Cause;
  readonly time: number;
  readonly maker: Maker;
}

/** That a call was begun. */
export interface Begun {
  readonly id: string;
  /** Whether all that it may change in the workspace can be brought back. */
  readonly whole: boolean;
}

interface TimelineOptions {
  readonly workspace: string;
  readonly shelf: Shelf;
  readonly limits: Limits;
  readonly now: () => number;
  readonly onStep: (step: string) => void;
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

/** How many bytes are read before others have their turn. */
const piece = 4_194_304;

export class Timeline {
  readonly #options: TimelineOptions;
  readonly #shelf: Shelf;
  #cache: Cache | undefined;
  #repositories: readonly string[] = [];

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#shelf = options.shelf;
  }

  // ── calls whose files are known

  /** Keeps what files are before a call changes them; throws `PathRefused` where one cannot be kept. */
  hold(paths: readonly string[], cause: Cause): string {
    const { workspace, limits, now } = this.#options;
    const id = this.#shelf.newId();
    const contents = new Map(paths.map((path) => [path, readAt(workspace, path, limits.fileBytes)]));
    const made = missingFolders(workspace, paths);
    this.#step('hold');
    const { steps, kept } = keeping(contents);
    this.#shelf.begin({ ...cause, id, time: now(), workspace, steps, made }, kept, 'held');
    return id;
  }

  /** Ends a call whose files are known; null where none of them changed, or somebody has said so already. */
  #release(id: string, ended: boolean): Snapshot | null {
    const read = readIfThere(this.#shelf.file(id, 'held'));
    if (read === null) return null;
    const { snapshot: held, bytesOf } = read;
    const recorded = this.#shelf.recordedSince(id);
    const kept = new Map<string, Uint8Array>();
    const contents = new Map(held.steps.map(({ path }) => [path, this.#peek(path)]));
    const steps = held.steps.flatMap(({ path, before }): readonly Step[] => {
      const content = contents.get(path) ?? null;
      const after = content === null ? null : stateOf(content);
      if (isSame(before, after) || (recorded.has(path) && isSame(recorded.get(path) ?? null, after)))
        return [];
      const bytes = before === null ? null : bytesOf(before);
      if (before !== null && bytes !== null) kept.set(before.hash, bytes);
      return [{ path, before, after }];
    });
    const { id: _, time: __, workspace: ___, steps: ____, made, ...cause } = held;
    const touched = new Set(steps.map(({ path }) => path));
    const others = this.#held().filter(
      (other) => other.id !== id && other.paths.some((path) => touched.has(path)),
    );
    const running = [...this.#pending(), ...others].map(({ cause: theirs }) => runningOf(theirs));
    const snapshot = steps.length === 0 ? null : this.#keep(steps, made, cause, running, kept);
    this.#step('let go');
    if (ended) this.#shelf.remove(id, 'held');
    // INVARIANT: a call that goes on holds what was just written down, so that nothing falls in between or counts twice.
    if (snapshot !== null) for (const other of this.#held()) this.#renew(other.id, touched, contents);
    return snapshot;
  }

  #renew(id: string, touched: ReadonlySet<string>, contents: ReadonlyMap<string, Content | null>): void {
    const read = readIfThere(this.#shelf.file(id, 'held'));
    if (read === null || !read.snapshot.steps.some(({ path }) => touched.has(path))) return;
    const { snapshot, bytesOf, maker } = read;
    const held = snapshot.steps.map(({ path, before }): readonly [string, Content | null] => {
      const bytes = before === null ? null : bytesOf(before);
      const old = before === null || bytes === null ? null : { type: before.type, bytes, mode: before.mode };
      return [path, touched.has(path) ? (contents.get(path) ?? null) : old];
    });
    const { steps, kept } = keeping(new Map(held));
    this.#shelf.renew({ ...snapshot, steps }, kept, maker);
  }

  /** Writes down what calls whose files are known changed so far, and ends those of processes that are gone. */
  settle(): readonly Snapshot[] {
    return this.#held().flatMap(({ id, maker }) => this.#release(id, !isAlive(maker)) ?? []);
  }

  // ── calls that may change anything

  /** Looks at the workspace before something opaque runs. */
  *begin(cause: Cause): Turns<Begun> {
    const unlock = yield* this.#shelf.lock();
    try {
      const whole = (yield* this.#look(null)).whole;
      const id = this.#shelf.newId();
      this.#step('begin');
      this.#mark({ id, cause, time: this.#options.now(), maker: thisProcess() });
      return { id, whole };
    } finally {
      unlock();
    }
  }

  /** Ends a call: writes down what changed; null where nothing did, or nothing of this name runs. */
  *end(id: string): Turns<Snapshot | null> {
    if (this.#shelf.ids('held').includes(id)) return this.#release(id, true);
    const unlock = yield* this.#shelf.lock();
    try {
      if (!this.#shelf.ids('pending').includes(id)) return null;
      const { snapshot } = yield* this.#look(id);
      this.#step('end');
      this.#shelf.remove(id, 'pending');
      return snapshot;
    } finally {
      unlock();
    }
  }

  /** Writes down what changed so far, and ends the calls of processes that are gone. */
  *catchUp(): Turns<readonly Snapshot[]> {
    const snapshots = [...this.settle()];
    if (this.#shelf.ids('pending').length === 0) return snapshots;
    const unlock = yield* this.#shelf.lock();
    try {
      const { snapshot } = yield* this.#look(null);
      if (snapshot !== null) snapshots.push(snapshot);
      for (const { id, maker } of this.#pending()) if (!isAlive(maker)) this.#shelf.remove(id, 'pending');
      return snapshots;
    } finally {
      unlock();
    }
  }

  /** Compares the workspace with the look before; the call that ends now is the first that changes are laid to. */
  *#look(ending: string | null): Turns<{ readonly whole: boolean; readonly snapshot: Snapshot | null }> {
    const { workspace, limits } = this.#options;
    const running = this.#pending();
    const cache = this.#known();
    try {
      const started = Date.now();
      const id = this.#shelf.newId();
      const seen = yield* walk(workspace, limits.files);
      this.#repositories = seen.repositories;
      const changes = yield* this.#learn(cache, seen, started);
      // INVARIANT: what was not looked at before cannot be told from what is new, so nothing is laid to anybody.
      const compared = running.length > 0 && !cache.isNew && changes.length > 0;
      const snapshot = compared ? this.#lay(changes, cache, seen, running, ending) : null;
      for (const { path, known } of changes) {
        if (known === null) cache.forget(path);
        else cache.know(path, known);
      }
      cache.looked(seen.folders, seen.truncated);
      this.#step('flush');
      // The bytes that a snapshot needs are in the snapshot itself; those that the next one needs are waited for then.
      cache.flush(ending === null);
      this.#step('looked');
      this.#shelf.looked(id);
      return { whole: !seen.truncated && !cache.full, snapshot };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** What the look before saw; at hand as long as no other process has looked since. */
  #known(): Cache {
    if (this.#cache?.isCurrent() !== true) {
      this.close();
      this.#cache = new Cache(this.#shelf.folder, this.#options.limits.bytes);
    }
    return this.#cache;
  }

  /** The paths of `.git` that the last look of this process saw. */
  get repositories(): readonly string[] {
    return this.#repositories;
  }

  /**
   * Says that a file which a snapshot tells of was made something else by us: the snapshot ends with that, and the next
   * look lays it to nobody. INVARIANT: whoever calls has the lock.
   */
  amend(id: string, path: string, content: Content | null): void {
    const state = content === null ? null : stateOf(content);
    this.#shelf.amend(id, (steps) =>
      steps.flatMap((step) => {
        if (step.path !== path) return [step];
        return isSame(step.before, state) ? [] : [{ ...step, after: state }];
      }),
    );
    const cache = this.#known();
    const found = lstatSync(join(this.#options.workspace, path), { throwIfNoEntry: false });
    if (content === null || state === null || found === undefined) cache.forget(path);
    else {
      const hash = cache.put(state.hash, content.bytes) ? state.hash : null;
      cache.know(path, { ...settledMark(markOf(found), Date.now()), hash });
    }
    cache.flush(false);
  }

  /** The calls that run and were begun by processes that are gone. */
  abandoned(): readonly Cause[] {
    return this.#pending().flatMap(({ maker, cause }) => (isAlive(maker) ? [] : [cause]));
  }

  /** Forgets what was seen; the disk has it. */
  close(): void {
    this.#cache?.close();
    this.#cache = undefined;
  }

  /** Reads what does not look as it did. What a change, or a call whose files are known, has in hand is left to it. */
  *#learn(cache: Cache, seen: Walk, started: number): Turns<readonly Changed[]> {
    const { limits } = this.#options;
    const inHand = this.#inHand();
    const changes: Changed[] = [];
    const retry = cache.full;
    cache.full = false;
    let read = 0;
    for (const [path, mark] of seen.files) {
      const known = cache.files.get(path);
      const looksSame = known !== undefined && isSameMark(known, mark);
      if (looksSame && (known.hash === null ? !retry : cache.has(known.hash))) continue;
      if (inHand.has(path)) continue;
      // Of what cannot be read, nothing but how it looks tells whether it is as it was.
      const same = looksSame || (known?.hash === null && isSameMark(known, { ...mark, data: known.data }));
      const content = mark.size > limits.fileBytes ? null : this.#peek(path);
      const now = content === null ? null : stateOf(content);
      const kept = content !== null && now !== null && cache.put(now.hash, content.bytes);
      const hash = kept ? now.hash : null;
      changes.push({ path, known: { ...settledMark(mark, started), hash }, now, same });
      read += content?.bytes.length ?? 0;
      if (read > piece) {
        read = 0;
        yield 'turn';
      }
    }
    changes.push(...this.#removed(cache, seen, inHand));
    return changes;
  }

  /** What was there before and is no longer. */
  #removed(cache: Cache, seen: Walk, inHand: ReadonlySet<string>): readonly Changed[] {
    const changes: Changed[] = [];
    for (const path of cache.files.keys()) {
      if (seen.files.has(path) || inHand.has(path)) continue;
      // A look that did not go to its end may have passed by what is still there.
      if (seen.truncated && this.#peek(path) !== null) continue;
      changes.push({ path, known: null, now: null, same: false });
    }
    return changes;
  }

  /** The snapshot of what changed while calls ran. */
  #lay(
    changes: readonly Changed[],
    cache: Cache,
    seen: Walk,
    running: readonly Pending[],
    ending: string | null,
  ): Snapshot | null {
    const recorded = this.#shelf.recordedSince();
    const kept = new Map<string, Uint8Array>();
    const steps = changes.flatMap(({ path, known, now, same }): readonly Step[] => {
      const old = cache.files.get(path);
      const before: State | null =
        old === undefined ? null : { type: old.type, hash: old.hash ?? '', mode: old.mode };
      const unread = known !== null && now === null;
      if (same || (isSame(before, now) && !unread)) return [];
      if (recorded.has(path) && isSame(recorded.get(path) ?? null, now)) return [];
      const bytes = old?.hash == null ? null : cache.get(old.hash);
      if (old?.hash != null && bytes !== null) kept.set(old.hash, bytes);
      const lost = unread || (old === undefined ? cache.truncated : bytes === null);
      return [{ path, before, after: now, ...(lost ? { lost: true as const } : {}) }];
    });
    if (steps.length === 0) return null;
    const made = [...seen.folders].filter((folder) => !cache.folders.has(folder));
    const first = running.find(({ id }) => id === ending) ?? running[0];
    // INVARIANT: nothing is laid to anybody unless something runs.
    if (first === undefined) return null;
    const others = running.filter((call) => call !== first).map(({ cause }) => runningOf(cause));
    return this.#keep(steps, made, first.cause, others, kept);
  }

  #keep(
    steps: readonly Step[],
    made: readonly string[],
    cause: Cause,
    running: readonly Running[],
    kept: ReadonlyMap<string, Uint8Array>,
  ): Snapshot {
    const { workspace, now } = this.#options;
    const during = running.length === 0 ? {} : { during: running };
    const id = this.#shelf.newId();
    const snapshot: Snapshot = { ...cause, ...during, id, time: now(), workspace, steps, made };
    this.#step('keep');
    this.#shelf.keep(snapshot, kept);
    return snapshot;
  }

  // ── what runs

  #mark(pending: Pending): void {
    const fd = openSync(this.#shelf.file(pending.id, 'pending'), 'wx', 0o600);
    try {
      writeSync(fd, JSON.stringify(pending));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    this.#shelf.sync();
  }

  /** The calls that run and may change anything, the oldest first. */
  #pending(): readonly Pending[] {
    return this.#shelf
      .ids('pending')
      .flatMap((id): readonly Pending[] => {
        try {
          // INVARIANT: the folder is ours alone; one that was cut off does not parse, and its call never began.
          return [JSON.parse(readFileSync(this.#shelf.file(id, 'pending'), 'utf8')) as Pending];
        } catch {
          return [];
        }
      })
      .sort(byPlace);
  }

  /** The calls that run and whose files are known. */
  #held(): readonly { id: string; cause: Cause; maker: Maker; paths: readonly string[] }[] {
    return this.#shelf.ids('held').flatMap((id) => {
      try {
        const { snapshot, maker } = readHeader(this.#shelf.file(id, 'held'));
        return [{ id, cause: snapshot, maker, paths: snapshot.steps.map(({ path }) => path) }];
      } catch {
        // It was ended just now, or cut off before its call could begin.
        return [];
      }
    });
  }

  #inHand(): ReadonlySet<string> {
    const open = this.#shelf.ids('open').flatMap((id) => {
      try {
        return readHeader(this.#shelf.file(id, 'open')).snapshot.steps.map(({ path }) => path);
      } catch {
        return [];
      }
    });
    return new Set([...open, ...this.#held().flatMap(({ paths }) => paths)]);
  }

  /** What stands at a path, or null where it cannot be read as a plain file. */
  #peek(path: string): Content | null {
    try {
      return readAt(this.#options.workspace, path, this.#options.limits.fileBytes);
    } catch {
      return null;
    }
  }

  #step(name: string): void {
    this.#options.onStep(name);
  }
}

/** What a call holds, as steps whose end is not known yet, and the bytes. */
function keeping(contents: ReadonlyMap<string, Content | null>): {
  readonly steps: readonly Step[];
  readonly kept: ReadonlyMap<string, Uint8Array>;
} {
  const kept = new Map<string, Uint8Array>();
  const steps = Array.from(contents, ([path, content]): Step => {
    const before = content === null ? null : stateOf(content);
    if (content !== null && before !== null) kept.set(before.hash, content.bytes);
    return { path, before, after: null };
  });
  return { steps, kept };
}

/** Null where somebody has just ended the call, or it was cut off before it could begin. */
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
