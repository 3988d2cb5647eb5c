// A world in memory for the tests of this room.

import type { ConfigWorld } from '../../src/config/home.ts';

/** A world whose files, links and clock are plain values. */
export interface FakeWorld extends ConfigWorld {
  readonly files: Map<string, string>;
  /** Paths that resolve to others. */
  readonly links: Map<string, string>;
  /** How often a file was read. */
  readonly reads: string[];
  time: number;
}

/** Makes a world of the given files; every folder on the way to one exists. */
export function fakeWorld(files: Readonly<Record<string, string>> = {}): FakeWorld {
  const world: FakeWorld = {
    files: new Map(Object.entries(files)),
    links: new Map(),
    reads: [],
    time: 1_000_000,
    now: () => world.time,
    realPath: (path) => {
      const real = world.links.get(path) ?? path;
      const exists = [...world.files.keys()].some((file) => file === real || file.startsWith(`${real}/`));
      return exists || real === '/w' ? real : null;
    },
    readText: (path) => {
      world.reads.push(path);
      return world.files.get(path) ?? null;
    },
  };
  return world;
}
