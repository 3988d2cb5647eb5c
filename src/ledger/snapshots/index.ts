// Snapshots of one workspace: every change is written down with what was there before, and can be taken back.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SallyportError } from '../../core/index.ts';
import { type Content, hasFolder, namesOf, pruneAt, readAt, removeAt, replaceAt } from './anchor.ts';
import { Cache, type Known } from './cache.ts';
import {
  type Cause,
  hashOf,
  isAlive,
  isSame,
  type ReadSnapshot,
  readSnapshot,
  type Snapshot,
  SnapshotDamaged,
  type State,
  type Step,
  stateOf,
  writeSnapshot,
} from './snapshot.ts';
import { isSameMark, type Mark, type Walk, walk } from './walk.ts';

export { type Content, PathRefused } from './anchor.ts';
export { type Cause, type Snapshot, SnapshotDamaged, type State, type Step, stateOf } from './snapshot.ts';

/** Files have changed since, so that taking back would overwrite what somebody else did. Nothing was done. */
export class Conflict extends SallyportError {
  readonly paths: readonly string[];

  constructor(message: string, paths: readonly string[], hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.paths = paths;
  }
}

export class UnknownSnapshot extends SallyportError {}

/** The folder may not be a workspace with snapshots. */
export class NoWorkspace extends SallyportError {}

/** One file as it shall be; null takes it away. `from` is what it must be now, where that was judged. */
export interface Change {
  readonly path: string;
  readonly to: Content | null;
  readonly from?: State | null;
}

export interface SnapshotsOptions {
  /** Where snapshots are kept: a folder outside every workspace. */
  readonly store: string;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The home of the person, which is never a workspace. */
  readonly personHome: string;
  readonly now: () => number;
  /** Called before every step that a crash could fall on. */
  readonly onStep?: (step: string) => void;
}

/** The largest file whose bytes are kept, how many files are looked at, and how much one workspace's snapshots may take. */
const largestKept = 16_777_216;
const mostFiles = 200_000;
const quota = 1_073_741_824;
const pendingName = /^[0-9a-f-]{36}\.pending$/;

/** What stood in the workspace when an opaque command began. */
interface Pending {
  readonly cause: Cause;
  readonly time: number;
  readonly truncated: boolean;
  readonly files: readonly (readonly [string, Known])[];
  readonly folders: readonly string[];
}

export class Snapshots {
  readonly workspace: string;
  readonly #folder: string;
  readonly #options: SnapshotsOptions;

  constructor(options: SnapshotsOptions) {
    const { workspace, store, personHome } = options;
    if (workspace === '/' || workspace === dirname(personHome) || workspace === personHome) {
      throw new NoWorkspace('a whole disk or a home folder is no workspace', {
        hint: 'start the agent in the folder of one project',
      });
    }
    if (store === workspace || store.startsWith(`${workspace}/`)) {
      throw new NoWorkspace('the snapshots would lie inside the workspace, where an agent reaches them');
    }
    this.workspace = workspace;
    this.#options = options;
    this.#folder = join(store, hashOf(Buffer.from(workspace)).slice(0, 32));
  }

  /** Changes files as one: all of them or, after a crash and `recover`, none. */
  change(changes: readonly Change[], cause: Cause): Snapshot {
    const kept = new Map<string, Uint8Array>();
    const steps = changes.map(({ path, to, from }): Step => {
      const now = readAt(this.workspace, path, largestKept);
      const before = now === null ? null : stateOf(now);
      if (from !== undefined && !isSame(from, before)) {
        throw new Conflict(`${path} has changed since it was judged`, [path]);
      }
      if (now !== null && before !== null) kept.set(before.hash, now.bytes);
      return { path, before, after: to === null ? null : stateOf(to) };
    });
    if (new Set(changes.map(({ path }) => path)).size < changes.length) {
      throw new Conflict('a change names the same file twice', []);
    }
    const made = this.#missingFolders(changes);
    const snapshot = this.#begin(steps, made, cause, kept);
    try {
      for (const [index, { path, to }] of changes.entries()) {
        this.#step(`apply ${index}`);
        if (to === null) removeAt(this.workspace, path);
        else replaceAt(this.workspace, path, to, scratchOf(snapshot.id, index));
      }
      for (const { path, after } of steps) if (after === null) this.#prune(path, cause);
      this.#step('finish');
      this.#finish(snapshot.id);
    } catch (error) {
      this.#takeBack(readSnapshot(this.#file(snapshot.id, 'open')));
      throw error;
    }
    return snapshot;
  }

  /** What stands at a path now; throws `PathRefused` where that is no plain file. */
  look(path: string): Content | null {
    return readAt(this.workspace, path, largestKept);
  }

  /** A rollback removes folders that the change it takes back had made. */
  #prune(path: string, { of }: Cause): void {
    if (of === undefined) return;
    pruneAt(this.workspace, path, new Set(this.#read(of).snapshot.made));
  }

  /** Remembers the whole workspace before something opaque runs; gives the name for `after`. */
  before(cause: Cause): string {
    const cache = this.#cache();
    try {
      const seen = walk(this.workspace, mostFiles);
      for (const path of [...cache.files.keys()]) if (!seen.files.has(path)) cache.forget(path);
      for (const [path, mark] of seen.files) {
        const known = cache.files.get(path);
        if (known !== undefined && isSameMark(known, mark) && (known.hash === null || cache.has(known.hash)))
          continue;
        this.#learn(cache, path, mark);
      }
      cache.flush();
      const id = randomUUID();
      const pending: Pending = {
        cause,
        time: this.#options.now(),
        truncated: seen.truncated,
        files: [...seen.files.keys()].flatMap((path) => {
          const known = cache.files.get(path);
          return known === undefined ? [] : [[path, known] as const];
        }),
        folders: [...seen.folders],
      };
      writeFileSync(join(this.#folder, `${id}.pending`), JSON.stringify(pending), { mode: 0o600 });
      return id;
    } finally {
      cache.close();
    }
  }

  #learn(cache: Cache, path: string, mark: Mark): void {
    const content = mark.size > largestKept ? null : this.#peek(path);
    const hash = content === null ? null : hashOf(content.bytes);
    if (content !== null && hash !== null) cache.put(hash, content.bytes);
    cache.know(path, { ...mark, hash });
  }

  /** What stands at a path, or null where it cannot be read as a plain file. */
  #peek(path: string): Content | null {
    try {
      return readAt(this.workspace, path, largestKept);
    } catch {
      return null;
    }
  }

  /** Writes down what changed since `before`; null if nothing did. */
  after(id: string): Snapshot | null {
    const file = join(this.#folder, `${id}.pending`);
    const pending = readPending(file);
    if (pending === null) throw new UnknownSnapshot('nothing was remembered under this name');
    const seen = walk(this.workspace, mostFiles);
    const cache = this.#cache();
    try {
      const { steps, kept } = this.#difference(pending, seen, cache);
      const old = new Set(pending.folders);
      const made = [...seen.folders].filter((folder) => !old.has(folder));
      const snapshot = steps.length === 0 ? null : this.#begin(steps, made, pending.cause, kept);
      if (snapshot !== null) this.#finish(snapshot.id);
      rmSync(file, { force: true });
      return snapshot;
    } finally {
      cache.close();
    }
  }

  #difference(pending: Pending, seen: Walk, cache: Cache): { steps: Step[]; kept: Map<string, Uint8Array> } {
    const steps: Step[] = [];
    const kept = new Map<string, Uint8Array>();
    const before = new Map(pending.files);
    for (const path of new Set([...before.keys(), ...seen.files.keys()])) {
      const old = before.get(path);
      if (isSameMark(old, seen.files.get(path))) continue;
      const was: State | null =
        old === undefined ? null : { type: old.type, hash: old.hash ?? '', mode: old.mode };
      const content = seen.files.has(path) ? this.#peek(path) : null;
      const is = content === null ? null : stateOf(content);
      if (isSame(was, is)) continue;
      const bytes = old?.hash == null ? null : cache.get(old.hash);
      if (old?.hash != null && bytes !== null) kept.set(old.hash, bytes);
      const lost = (old !== undefined && bytes === null) || (content === null && seen.files.has(path));
      steps.push({ path, before: was, after: is, ...(lost ? { lost: true as const } : {}) });
    }
    return { steps, kept };
  }

  /** Captures that were begun and never ended, as when the agent was killed: they end now. */
  endPending(): readonly Snapshot[] {
    return this.#names(pendingName).flatMap((name) => this.after(name.replace('.pending', '')) ?? []);
  }

  /** Takes a change back as a change of its own; throws `Conflict` where files have changed since. */
  undo(id: string, cause: Omit<Cause, 'action' | 'of'>): Snapshot {
    const read = this.#read(id);
    const { steps } = read.snapshot;
    const lost = steps.filter(({ lost: gone }) => gone === true).map(({ path }) => path);
    if (lost.length > 0) {
      throw new Conflict(
        `${lost.length} file(s) were too large to keep, so this cannot be taken back whole`,
        lost,
      );
    }
    const changed = steps
      .filter(({ path, after }) => !isSame(this.#now(path), after))
      .map(({ path }) => path);
    if (changed.length > 0) {
      const hint = 'what changed them must be taken back first, or the files put right by hand';
      throw new Conflict(`${changed.length} file(s) have changed since`, changed, hint);
    }
    const changes = steps.map(
      ({ path, before, after }): Change => ({ path, from: after, to: contentOf(read, before) }),
    );
    return this.change(changes, { ...cause, action: 'rollback', of: id });
  }

  #now(path: string): State | null {
    const content = this.#peek(path);
    return content === null ? null : stateOf(content);
  }

  /** The snapshots that are kept, the latest first. */
  list(): readonly Snapshot[] {
    return this.#names(/\.snap$/)
      .map((name) => readSnapshot(join(this.#folder, name)).snapshot)
      .sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1));
  }

  /** One snapshot, by its id or an unmistakable beginning of it. */
  find(id: string): Snapshot {
    const found = this.#names(/\.snap$/).filter((name) => name.startsWith(id));
    if (found.length > 1) throw new UnknownSnapshot(`more than one snapshot begins with ${id}`);
    const [name] = found;
    if (name === undefined) throw new UnknownSnapshot(`there is no snapshot ${id} of this workspace`);
    return readSnapshot(join(this.#folder, name)).snapshot;
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
    for (const name of this.#names(/\.open$/)) {
      const file = join(this.#folder, name);
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

  /** Deletes the oldest snapshots until the rest fits; gives how many. */
  tidy(most: number = quota): number {
    let room = most;
    let deleted = 0;
    for (const { id } of this.list()) {
      const file = this.#file(id, 'snap');
      room -= statSync(file).size;
      if (room >= 0) continue;
      rmSync(file);
      deleted++;
    }
    return deleted;
  }

  #takeBack(read: ReadSnapshot): readonly string[] {
    const { id, steps, made } = read.snapshot;
    const left: string[] = [];
    for (const [index, { path, before, after }] of steps.entries()) {
      this.#dropScratch(path, scratchOf(id, index));
      const now = this.#now(path);
      if (isSame(now, before)) continue;
      if (!isSame(now, after)) {
        left.push(path);
        continue;
      }
      const content = contentOf(read, before);
      if (content === null) {
        removeAt(this.workspace, path);
        pruneAt(this.workspace, path, new Set(made));
      } else replaceAt(this.workspace, path, content, scratchOf(id, index));
    }
    for (const { path } of steps) pruneAt(this.workspace, path, new Set(made));
    rmSync(this.#file(id, 'open'), { force: true });
    return left;
  }

  #dropScratch(path: string, scratch: string): void {
    const folder = namesOf(path).slice(0, -1);
    try {
      removeAt(this.workspace, [...folder, scratch].join('/'));
    } catch {
      // The folder itself is gone or no folder: then so is the scratch file.
    }
  }

  #missingFolders(changes: readonly Change[]): readonly string[] {
    const missing = new Set<string>();
    for (const { path, to } of changes) {
      if (to === null) continue;
      const names = namesOf(path);
      for (let length = 1; length < names.length; length++) {
        const folder = names.slice(0, length).join('/');
        if (!missing.has(folder) && !hasFolder(this.workspace, folder)) missing.add(folder);
      }
    }
    return [...missing];
  }

  #begin(
    steps: readonly Step[],
    made: readonly string[],
    cause: Cause,
    kept: ReadonlyMap<string, Uint8Array>,
  ): Snapshot {
    const snapshot: Snapshot = {
      ...cause,
      id: randomUUID(),
      time: this.#options.now(),
      workspace: this.workspace,
      steps,
      made,
    };
    this.#prepare();
    this.#step('write snapshot');
    writeSnapshot(this.#file(snapshot.id, 'open'), snapshot, kept);
    syncFolder(this.#folder);
    return snapshot;
  }

  #finish(id: string): void {
    renameSync(this.#file(id, 'open'), this.#file(id, 'snap'));
    syncFolder(this.#folder);
  }

  #step(name: string): void {
    this.#options.onStep?.(name);
  }

  #prepare(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  #cache(): Cache {
    this.#prepare();
    return new Cache(this.#folder);
  }

  #file(id: string, ending: 'open' | 'snap'): string {
    return join(this.#folder, `${id}.${ending}`);
  }

  #read(id: string): ReadSnapshot {
    return readSnapshot(this.#file(this.find(id).id, 'snap'));
  }

  #names(pattern: RegExp): readonly string[] {
    try {
      return readdirSync(this.#folder).filter((name) => pattern.test(name));
    } catch {
      return [];
    }
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

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readPending(file: string): Pending | null {
  try {
    // INVARIANT: the folder is ours alone, so what parses is what `before` wrote.
    return JSON.parse(readFileSync(file, 'utf8')) as Pending;
  } catch {
    return null;
  }
}
