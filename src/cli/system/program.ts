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
 * Looks at a program: its package, the packages that it loads, the Node that runs it, and every folder above them, up
 * to `top`.
 */
export function changeablePart(
  program: { readonly node: string; readonly entry: string },
  suspect: Suspect,
  top = '/',
): Changeable | null {
  const node = realpathSync(program.node);
  const entry = realpathSync(program.entry);
  const folder = dirname(dirname(entry));
  const trees = [folder, ...packagesAbove(folder)];
  for (const path of [node, ...trees]) {
    const found = above(path, suspect, top) ?? (path === node ? null : below(path, trees, suspect));
    if (found !== null) return found;
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

/** A path and every folder above it. */
function above(path: string, suspect: Suspect, top: string): Changeable | null {
  const found = changeable(path, lstatSync(path), suspect);
  if (found !== null || path === top) return found;
  return above(dirname(path), suspect, top);
}

/** Everything in a folder. A link must stay in what is looked at. */
function below(root: string, trees: readonly string[], suspect: Suspect): Changeable | null {
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) {
        if (leadsOutside(path, trees)) return { path, why: 'leads out of the program' };
        continue;
      }
      const found = changeable(path, stats, suspect);
      if (found !== null) return found;
      if (stats.isDirectory()) open.push(path);
    }
  }
  return null;
}

function leadsOutside(link: string, trees: readonly string[]): boolean {
  // Somebody may put something where a link leads to nothing.
  if (!existsSync(link)) return true;
  const real = realpathSync(link);
  return !trees.some((tree) => real === tree || real.startsWith(`${tree}/`));
}

function changeable(path: string, { uid, gid, mode }: Stats, { groups }: Suspect): Changeable | null {
  if (uid !== 0) return { path, why: `belongs to the user id ${uid}` };
  if ((mode & 0o002) !== 0) return { path, why: 'can be written by everybody' };
  if ((mode & 0o020) !== 0 && groups.includes(gid))
    return { path, why: `can be written by the group ${gid}` };
  return null;
}
