// Whether an account can change the program that a system daemon runs: then its agents could too, and the daemon with it.

import { existsSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/** An account that must not be able to change what is looked at. */
export interface Suspect {
  /** Every group of the account. */
  readonly groups: readonly number[];
}

/** The first path that somebody other than root can change, and why; null where there is none. */
export interface Changeable {
  readonly path: string;
  readonly why: string;
}

/**
 * Looks at a program: its package, the packages that it loads, the Node that runs it, what links among them lead to, and
 * every folder above, up to `top`.
 */
export function changeablePart(
  program: { readonly node: string; readonly entry: string },
  suspect: Suspect,
  top = '/',
): Changeable | null {
  const entry = realpathSync(program.entry);
  const folder = dirname(dirname(entry));
  const open = [realpathSync(program.node), folder, ...packagesAbove(folder)];
  const seen = new Set<string>();
  const checked = new Set<string>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const stats = lstatSync(path);
    const found = changeable(path, stats, suspect) ?? aboveOf(path, suspect, top, checked);
    if (found !== null) return found;
    for (const name of stats.isDirectory() ? readdirSync(path) : []) {
      const inner = join(path, name);
      if (!lstatSync(inner).isSymbolicLink()) open.push(inner);
      else if (existsSync(inner)) open.push(realpathSync(inner));
      // Somebody may put something there.
      else return { path: inner, why: 'leads to nothing' };
    }
  }
  return null;
}

/** Folders in which Node looks for packages that the program loads. */
function packagesAbove(folder: string): readonly string[] {
  const parent = dirname(folder);
  if (parent === folder) return [];
  const found = join(parent, 'node_modules');
  return [...(existsSync(found) ? [realpathSync(found)] : []), ...packagesAbove(parent)];
}

/** The folders above a path, as far as they were not checked. */
function aboveOf(path: string, suspect: Suspect, top: string, checked: Set<string>): Changeable | null {
  for (let at = path; at !== top && !checked.has(dirname(at)); ) {
    at = dirname(at);
    checked.add(at);
    const found = changeable(at, lstatSync(at), suspect);
    if (found !== null) return found;
  }
  return null;
}

function changeable(path: string, { uid, gid, mode }: Stats, { groups }: Suspect): Changeable | null {
  if (uid !== 0) return { path, why: `belongs to the user id ${uid}` };
  if ((mode & 0o002) !== 0) return { path, why: 'can be written by everybody' };
  if ((mode & 0o020) !== 0 && groups.includes(gid))
    return { path, why: `can be written by the group ${gid}` };
  return null;
}
