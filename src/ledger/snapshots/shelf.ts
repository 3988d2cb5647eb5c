// The folder of one workspace's snapshots: each file's ending says how far it is, and one process at a time compares.

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
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SallyportError } from '../../core/index.ts';
import { hashOf, type Maker, readHeader, type Snapshot, type State, writeSnapshot } from './snapshot.ts';
import type { Turns } from './turns.ts';

/** Another process compares this workspace, and has done so for too long. */
export class SnapshotsBusy extends SallyportError {}

/**
 * `open`: a change is being made. `snap`: it is made, or was seen. `owed`: the snapshot of that id has no receipt yet.
 * `held`: what files were before a call that may still change them. `pending`: a call runs that may change anything.
 */
export type Ending = 'open' | 'snap' | 'owed' | 'held' | 'pending';

const longestWait = 30_000;

export class Shelf {
  readonly folder: string;
  readonly #workspace: string;

  constructor(store: string, workspace: string) {
    this.folder = join(store, hashOf(Buffer.from(workspace)).slice(0, 32));
    this.#workspace = workspace;
  }

  file(id: string, ending: Ending | 'new'): string {
    return join(this.folder, `${id}.${ending}`);
  }

  /** The ids of all files with an ending. */
  ids(ending: Ending): readonly string[] {
    try {
      return readdirSync(this.folder).flatMap((name) =>
        /^[0-9a-f-]{36}\./.test(name) && name.slice(37) === ending ? [name.slice(0, 36)] : [],
      );
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  prepare(): void {
    const name = join(this.folder, 'workspace');
    if (existsSync(name)) return;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${name}.new`, this.#workspace, { mode: 0o600 });
    renameSync(`${name}.new`, name);
  }

  /** Writes down what is about to change; one that was cut off is known as such, for nothing has begun then. */
  begin(snapshot: Snapshot, kept: ReadonlyMap<string, Uint8Array>, ending: 'open' | 'held'): void {
    this.prepare();
    writeSnapshot(this.file(snapshot.id, ending), snapshot, kept);
    this.sync();
  }

  /** Puts what a call holds now in place of what it held; the call stays its maker's. */
  renew(held: Snapshot, kept: ReadonlyMap<string, Uint8Array>, maker: Maker): void {
    const file = this.file(held.id, 'new');
    rmSync(file, { force: true });
    writeSnapshot(file, held, kept, maker);
    renameSync(file, this.file(held.id, 'held'));
  }

  /** Writes down what was changed, under another name first, so that it is there whole or not at all. */
  keep(snapshot: Snapshot, kept: ReadonlyMap<string, Uint8Array>): void {
    this.prepare();
    writeFileSync(this.file(snapshot.id, 'owed'), '', { mode: 0o600 });
    const file = this.file(snapshot.id, 'new');
    writeSnapshot(file, snapshot, kept);
    renameSync(file, this.file(snapshot.id, 'snap'));
  }

  remove(id: string, ending: Ending): void {
    rmSync(this.file(id, ending), { force: true });
  }

  /** Waits until the disk has the names. */
  sync(): void {
    const fd = openSync(this.folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** What snapshots since a moment, in the disk's own time, say that files became; the latest word counts. */
  recordedSince(moment: number): ReadonlyMap<string, State | null> {
    const later = this.ids('snap').filter((id) => statSync(this.file(id, 'snap')).mtimeMs >= moment);
    const snapshots = later.map((id) => readHeader(this.file(id, 'snap')).snapshot);
    return new Map(
      snapshots
        .sort((a, b) => a.time - b.time)
        .flatMap(({ steps }) => steps.map(({ path, after }) => [path, after] as const)),
    );
  }

  /** The right to compare and to write down what is there now; the system takes it back when the process ends. */
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

/** The workspaces that a store has snapshots of. */
export function workspacesIn(store: string): readonly string[] {
  return readdirSync(store).flatMap((name) => {
    try {
      return [readFileSync(join(store, name, 'workspace'), 'utf8')];
    } catch {
      return [];
    }
  });
}
