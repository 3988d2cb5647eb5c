// Tells which paths below some folders have changed since it was last asked. It is only a hint: what it cannot follow it
// says, and the caller then looks for itself.

import { type FSWatcher, watch } from 'node:fs';

/** Most folders of one workspace that are watched, and most changes that are kept by name. */
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

  /** Watches exactly these folders, or none where that cannot be; true where all of them were watched before. */
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
      // It holds no process open.
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // A system that does not say what has changed leaves only a look at everything.
        if (name === null) this.#whole = false;
        else if (this.#changed.size <= mostChanges) this.#changed.add(`${folder}/${name}`);
      });
      this.#watchers.set(folder, watcher);
      watcher.on('error', () => this.close());
    } catch {
      // The machine may have no more watches to give, or the folder may be gone.
      this.#whole = false;
    }
  }
}
