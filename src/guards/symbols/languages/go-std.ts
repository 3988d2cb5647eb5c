// Packages of Go's standard library, by the table that is written from a release.

import { goStdNames } from './go-std-names.ts';

export { goStdVersion } from './go-std-names.ts';

interface StandardPackage {
  readonly names: ReadonlySet<string>;
  readonly called: ReadonlySet<string>;
  readonly opaque: boolean;
}

const lines: ReadonlyMap<string, string> = new Map(
  goStdNames
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, line.search(/[ =]/)), line]),
);
const known = new Map<string, StandardPackage>();

/** The paths of all packages. */
export function standardPaths(): readonly string[] {
  return [...lines.keys()];
}

/** The package of a path; null where the library has none. */
export function standardPackage(path: string): StandardPackage | null {
  const line = lines.get(path);
  if (line === undefined) return null;
  const made = known.get(path) ?? read(path, line);
  known.set(path, made);
  return made;
}

function read(path: string, line: string): StandardPackage {
  const [head = '', ...names] = line.split(' ');
  const [, called = path.slice(path.lastIndexOf('/') + 1)] = head.split('=');
  return { names: new Set(names), called: new Set([called]), opaque: names.includes('*') };
}
