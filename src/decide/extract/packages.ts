// Finds the optional packages that read documents. They are loaded when the first such file arrives, and never
// downloaded.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Unreadable } from './limits.ts';

const require = createRequire(import.meta.url);

/** The folder of an installed package; throws `Unreadable` with its name if it is not installed. */
export function folderOf(name: string): string {
  const folder = (require.resolve.paths(name) ?? [])
    .map((place) => join(place, name))
    .find((place) => existsSync(join(place, 'package.json')));
  if (folder === undefined) throw new Unreadable('reader_missing', `the package ${name} is not installed`);
  return folder;
}

/** A package's exports. */
export function load<Module>(name: string): Module {
  folderOf(name);
  return require(name);
}
