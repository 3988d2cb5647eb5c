// Reports which paths below some folders have changed since the last query. It is only a hint: it reports when it is
// incomplete, and the caller then scans.

import { type FSWatcher, watch } from 'node:fs';

/** Most folders of one workspace that are watched, and most changes that are stored by name. */
const mostFolders = 4096;
const mostChanges = 256;

export class Watch {
  readonly #watchers = new Map<string, FSWatcher>();
  #changed = new Set<string>();
  #whole = false;

  /** Whether every folder is watched, and every change since the last `take` is known by its path. */
  get isWhole(): boolean {
    return this.#whole && this.#changed.size <= mostChanges;
  }

  /** Whether a folder is watched. */
  has(folder: string): boolean {
    return this.#watchers.has(folder);
  }

  /** Watches exactly these folders, or none if that is not possible; true if all of them were watched before. */
  follow(folders: ReadonlySet<string>): boolean {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    let before = this.#whole;
    this.#whole = folders.size <= mostFolders;
    for (const folder of folders) {
      if (!this.#whole) break;
      if (this.#watchers.has(folder)) continue;
      before = false;
      this.#open(folder);
    }
    if (!this.#whole) this.close();
    return before && this.#whole;
  }

  /** The paths that have changed since the last time. */
  take(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#whole = false;
  }

  #open(folder: string): void {
    try {
      // It does not keep the process alive.
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // On a system that does not report the changed path, a complete scan is needed.
        if (name === null) this.#whole = false;
        else if (this.#changed.size <= mostChanges) this.#changed.add(`${folder}/${name}`);
      });
      this.#watchers.set(folder, watcher);
      watcher.on('error', () => this.close());
    } catch {
      // The system may have reached its limit of watches, or the folder may have been deleted.
      this.#whole = false;
    }
  }
}
