// Finds optional packages by name, when they are first needed.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SallyportError } from '../core/index.ts';

/** A parser is not installed, or fails to start. */
export class ParserMissing extends SallyportError {}

export interface ParserOptions {
  /** Folders beside our own whose `node_modules` are searched. */
  readonly folders?: readonly string[];
}

interface Package<Module> {
  readonly load: () => Module;
  /** A separate copy, for a package that has one state for the process. */
  readonly loadOwn: () => Module;
  readonly folder: string;
}

/** Finds a package from our own folder, or from one of the given folders. */
export function find<Module>(name: string, { folders = [] }: ParserOptions): Package<Module> {
  for (const from of [import.meta.url, ...folders.map((place) => join(place, 'package.json'))]) {
    const require = createRequire(from);
    const folder = (require.resolve.paths(name) ?? [])
      .map((place) => join(place, name))
      .find((place) => existsSync(join(place, 'package.json')));
    if (folder !== undefined) return { load: () => require(name), loadOwn: () => own(require, name), folder };
  }
  throw new ParserMissing(
    `The package ${name} is not installed, so this code cannot be read. Run npm install ${name}.`,
  );
}

function own<Module>(require: NodeJS.Require, name: string): Module {
  const file = require.resolve(name);
  const shared = require.cache[file];
  delete require.cache[file];
  try {
    return require(file);
  } finally {
    if (shared === undefined) delete require.cache[file];
    else require.cache[file] = shared;
  }
}
