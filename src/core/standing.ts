// The entry at a path of the file system, as a guard sees it.

/** The entry at a path of the file system. */
export interface Standing {
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /** How many names it has. */
  readonly links: number;
  /** The file system that it is on. */
  readonly device: number;
  /** Whether it runs with its owner's or group's rights. */
  readonly setId: boolean;
}
