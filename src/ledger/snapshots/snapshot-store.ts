// The folder of one workspace's snapshots: each file's extension gives its state, and one process at a time compares.

import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SallyportError } from '../../core/index.ts';
import {
  type Maker,
  readHeader,
  readSnapshot,
  type Snapshot,
  type State,
  writeSnapshot,
} from './snapshot.ts';
import type { Turns } from './turns.ts';

/** Another process has been comparing this workspace for too long. */
export class SnapshotsBusy extends SallyportError {}

/**
 * `open`: a change is being made. `snap`: it was made, or observed. `owed`: the snapshot of that id has no receipt yet.
 * `held`: files from before a call that may still change them. `pending`: a call that may change anything is running.
 * `look`: the whole workspace was last scanned when this id was assigned. `review`: the snapshot of that id has changes
 * that were not reviewed yet; contains which, and whose. `unjudged`: its changes are not judged yet. `idle`: the call
 * of that id, the last of its kind, changed nothing. `aside`: a snapshot that is valid only if the host reports the end
 * of its call; the name of the call follows its own.
 */
export type Ending =
  | 'open'
  | 'snap'
  | 'owed'
  | 'held'
  | 'pending'
  | 'look'
  | 'review'
  | 'unjudged'
  | 'idle'
  | 'aside';

const longestWait = 30_000;

/** A call that changed nothing. */
export interface Idle {
  readonly tool: string;
  readonly time: number;
}

/** Changes that the user must review: the files, and the sessions in which they were made. */
export interface Review {
  readonly paths: readonly string[];
  readonly sessions: readonly string[];
}

export class SnapshotStore {
  readonly folder: string;
  readonly #workspace: string;

  constructor(store: string, workspace: string) {
    this.folder = join(store, hash('sha256', workspace, 'hex').slice(0, 32));
    this.#workspace = workspace;
  }

  file(id: string, ending: Ending | 'new'): string {
    return join(this.folder, `${id}.${ending}`);
  }

  /**
   * A new id: a UUID of version 8 whose last twelve digits continue from the highest existing one. The order is
   * preserved whatever a clock shows; two processes that begin at the same moment may get the same position.
   */
  newId(): string {
    const highest = this.#named().reduce((most, name) => Math.max(most, placeOf(name.slice(0, 36))), 0);
    const random = randomUUID();
    return `${random.slice(0, 14)}8${random.slice(15, 24)}${(highest + 1).toString(16).padStart(12, '0')}`;
  }

  /** The ids of all files with an extension. */
  ids(ending: Ending): readonly string[] {
    return this.#named().flatMap((name) => (name.slice(37) === ending ? [name.slice(0, 36)] : []));
  }

  /** The files that have an id. */
  #named(): readonly string[] {
    try {
      return readdirSync(this.folder).filter((name) => /^[0-9a-f-]{36}\./.test(name));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  /** The snapshots with changes that the user must review. */
  reviews(): readonly (Review & { readonly id: string })[] {
    const kept = new Set(this.ids('snap'));
    return this.ids('review').flatMap((id) => {
      if (!kept.has(id)) return [];
      try {
        // INVARIANT: the folder is ours alone; a truncated file does not parse.
        return [{ ...(JSON.parse(readFileSync(this.file(id, 'review'), 'utf8')) as Review), id }];
      } catch {
        return [];
      }
    });
  }

  prepare(): void {
    const name = join(this.folder, 'workspace');
    if (existsSync(name)) return;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${name}.new`, this.#workspace, { mode: 0o600 });
    renameSync(`${name}.new`, name);
  }

  /** Records the planned change; a truncated record is recognized, because no change has begun then. */
  begin(snapshot: Snapshot, kept: ReadonlyMap<string, Uint8Array>, ending: 'open' | 'held'): void {
    this.prepare();
    writeSnapshot(this.file(snapshot.id, ending), snapshot, kept);
    this.sync();
  }

  /** Replaces the stored state of a call by a newer one; the call keeps its owner. */
  renew(held: Snapshot, kept: ReadonlyMap<string, Uint8Array>, maker: Maker): void {
    const file = this.file(held.id, 'new');
    rmSync(file, { force: true });
    writeSnapshot(file, held, kept, maker);
    renameSync(file, this.file(held.id, 'held'));
  }

  /** Records that a snapshot has no receipt yet. */
  owe(id: string): void {
    writeFileSync(this.file(id, 'owed'), '', { mode: 0o600 });
  }

  /** Records the changes, under a temporary name first, so that the file is written atomically. */
  keep(snapshot: Snapshot, kept: ReadonlyMap<string, Uint8Array>): void {
    this.prepare();
    const { id, action } = snapshot;
    this.owe(id);
    // The files of other changes were known, and judged before they were written.
    if (action === 'shell' || action === 'tool')
      writeFileSync(this.file(id, 'unjudged'), '', { mode: 0o600 });
    const file = this.file(snapshot.id, 'new');
    writeSnapshot(file, snapshot, kept);
    renameSync(file, this.file(snapshot.id, 'snap'));
  }

  /** Records the changes made while a call was open that was not observed running. */
  putAside(snapshot: Snapshot, kept: ReadonlyMap<string, Uint8Array>, call: string): void {
    this.prepare();
    writeSnapshot(`${this.file(snapshot.id, 'aside')}.${call}`, snapshot, kept);
  }

  /** Attributes deferred snapshots to their call, or drops them; returns whether there are any now. */
  claim(call: string, isItsOwn: boolean): boolean {
    const names = this.#named().filter((name) => name.endsWith(`.aside.${call}`));
    for (const name of names) {
      const id = name.slice(0, 36);
      if (isItsOwn) {
        this.#mark(id);
        renameSync(join(this.folder, name), this.file(id, 'snap'));
      } else rmSync(join(this.folder, name), { force: true });
    }
    return isItsOwn && names.length > 0;
  }

  /** Records that a snapshot of a call has no receipt, and was not judged, yet. */
  #mark(id: string): void {
    for (const ending of ['owed', 'unjudged'] as const)
      writeFileSync(this.file(id, ending), '', { mode: 0o600 });
  }

  /** Changes the steps of a snapshot; one without any left is deleted. */
  amend(id: string, change: (steps: Snapshot['steps']) => Snapshot['steps']): void {
    const { snapshot, maker, bytesOf } = readSnapshot(this.file(id, 'snap'));
    const steps = change(snapshot.steps);
    if (steps.length === 0) {
      for (const ending of ['owed', 'unjudged', 'snap'] as const) this.remove(id, ending);
      return;
    }
    const kept = new Map<string, Uint8Array>();
    for (const { before } of steps) {
      const bytes = before === null ? null : bytesOf(before);
      if (before !== null && bytes !== null) kept.set(before.hash, bytes);
    }
    const file = this.file(id, 'new');
    rmSync(file, { force: true });
    writeSnapshot(file, { ...snapshot, steps }, kept, maker);
    renameSync(file, this.file(id, 'snap'));
  }

  remove(id: string, ending: Ending): void {
    rmSync(this.file(id, ending), { force: true });
  }

  /** Waits until the names are on disk. */
  sync(): void {
    const fd = openSync(this.folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** Records that the whole workspace was scanned since this id was assigned. */
  looked(id: string): void {
    const earlier = this.ids('look');
    writeFileSync(this.file(id, 'look'), '', { mode: 0o600 });
    for (const last of earlier) this.remove(last, 'look');
  }

  /** Records that a call changed nothing. */
  idle(id: string, call: Idle): void {
    const earlier = this.ids('idle');
    writeFileSync(this.file(id, 'idle'), JSON.stringify(call), { mode: 0o600 });
    for (const last of earlier) if (last !== id) this.remove(last, 'idle');
  }

  /** The last call, if it changed nothing and nothing was changed since. */
  idleSince(): Idle | null {
    const [id] = this.ids('idle');
    if (id === undefined || this.ids('snap').some((known) => placeOf(known) >= placeOf(id))) return null;
    try {
      // INVARIANT: the folder is ours alone; a truncated file does not parse.
      return JSON.parse(readFileSync(this.file(id, 'idle'), 'utf8')) as Idle;
    } catch {
      return null;
    }
  }

  /** The states of files by the snapshots since an id was assigned, or since the last scan; the latest wins. */
  recordedSince(id: string = this.ids('look')[0] ?? ''): ReadonlyMap<string, State | null> {
    // A snapshot without a position is from before ids had one, and so from before this.
    const place = Math.max(placeOf(id), 1);
    const later = this.ids('snap').filter((known) => placeOf(known) >= place);
    const snapshots = later.map((known) => readHeader(this.file(known, 'snap')).snapshot);
    return new Map(
      snapshots.sort(byPlace).flatMap(({ steps }) => steps.map(({ path, after }) => [path, after] as const)),
    );
  }

  /** The lock for comparing and recording the current state; the system releases it when the process ends. */
  *lock(): Turns<() => void> {
    this.prepare();
    const end = performance.now() + longestWait;
    for (;;) {
      const database = new DatabaseSync(join(this.folder, 'lock'), { timeout: 0 });
      try {
        database.exec('BEGIN EXCLUSIVE');
        return () => database.close();
      } catch (error) {
        database.close();
        if (performance.now() > end) {
          throw new SnapshotsBusy('another process looks at this workspace', { cause: error });
        }
      }
      yield 'busy';
    }
  }
}

/** The position of an id in the order; 0 for one without a position. */
function placeOf(id: string): number {
  return id[14] === '8' ? Number.parseInt(id.slice(24), 16) : 0;
}

/** The order of two ids: by their positions, and by the clock if those do not decide. */
export function byPlace(a: Pick<Snapshot, 'id' | 'time'>, b: Pick<Snapshot, 'id' | 'time'>): number {
  return placeOf(a.id) - placeOf(b.id) || a.time - b.time || (a.id < b.id ? -1 : 1);
}

/** The workspaces with snapshots in a store. */
export function workspacesIn(store: string): readonly string[] {
  return readdirSync(store).flatMap((name) => {
    try {
      return [readFileSync(join(store, name, 'workspace'), 'utf8')];
    } catch {
      return [];
    }
  });
}
