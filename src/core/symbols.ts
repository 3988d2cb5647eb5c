// What a workspace holds, as far as a check of references asks: files, manifests, and the names that modules offer.

import type { ModuleReader } from './syntax.ts';

/** The names that one module offers. */
export interface ModuleTable {
  readonly names: readonly string[];
  /** Modules all of whose names are names of this one too, as it writes them. */
  readonly stars: readonly string[];
  /** Whether it may offer names that its text does not show. */
  readonly opaque: boolean;
  /** Whether modules may stand below it that no file shows. */
  readonly open?: boolean;
  /** Names that every file may use because of it. */
  readonly globals?: readonly string[];
  /** Modules that it describes by name. */
  readonly declares?: Readonly<Record<string, ModuleTable>>;
  /** Names that it puts on other modules while it runs. */
  readonly sets?: readonly string[];
}

/** What is known of a workspace as a whole. */
export interface Overview {
  /** The workspace's own packages: from name to folder. */
  readonly packages: ReadonlyMap<string, string>;
  /** What a Python program may import from the top: from name to the folders that it stands in. */
  readonly roots: ReadonlyMap<string, readonly string[]>;
  /** Names that every file may use. */
  readonly globals: ReadonlySet<string>;
  /** Modules that are described by name; they may hold a `*`. */
  readonly declared: ReadonlySet<string>;
  /** Names that files put on modules other than themselves. */
  readonly added: ReadonlySet<string>;
}

/** A workspace that references are looked up in. Paths are absolute. */
export interface SourceTree {
  readonly overview: Overview;
  kind(path: string): 'file' | 'folder' | null;
  /** The names in a folder; none where it cannot be read. */
  list(folder: string): readonly string[];
  /** A text of moderate size, such as a manifest; null where there is none. */
  text(path: string): string | null;
  /** The table of a source file; null where it cannot be read. */
  table(path: string): ModuleTable | null;
}

/** Gives trees of workspaces. */
export interface Symbols {
  /** The tree of a workspace; null where it is not known without a long wait. Without the reader, modules are unknown. */
  of(workspace: string, reader: ModuleReader | null): Promise<SourceTree | null>;
  /** Whether one of these names stands on a line of its own in a file; null where that cannot be read. */
  lists(file: string, names: readonly string[]): Promise<boolean | null>;
}
