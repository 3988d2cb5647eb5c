// Which folders of the workspace a session made itself, so that it may remove them: every file in them is one that it made,
// and what stands in it is what agents wrote.

import { listIn } from '../../core/guard.ts';
import type { Context, World } from '../../core/index.ts';
import type { Facts } from './effects.ts';
import { matchedBy } from './globs.ts';
import { isWithin, locate, type PathScope } from './where.ts';

/** Most folders that are looked at, and most files in one of them. */
const mostFolders = 16;
const mostFiles = 256;

type Asked = Pick<World, 'list' | 'look' | 'readText' | 'madeBySession'>;

/** The absolute paths of what code deletes whole and this session made. */
export async function madeAmong(
  { effects }: Facts,
  pathScope: PathScope,
  world: Asked,
  context: Context,
): Promise<ReadonlySet<string>> {
  const made = new Set<string>();
  if (world.madeBySession === undefined) return made;
  const places = effects
    .filter(({ kind, recursive }) => kind === 'delete' && recursive === true)
    .flatMap(({ target }) => locate(pathScope, target, { follow: false }));
  for (const { path, open, pattern, zone } of places.slice(0, mostFolders)) {
    if (path === null || open || zone !== 'workspace') continue;
    const { paths, complete } = pattern
      ? matchedBy(pathScope, path, { follow: false })
      : { paths: [path], complete: true };
    if (!complete || paths.length > mostFiles) continue;
    if (!paths.some((one) => world.look(one) !== null)) continue;
    const lists = paths.map((one) => filesAt(one, pathScope.workspace, world));
    const files = lists.flatMap((list) => list ?? []);
    if (lists.includes(null) || files.length > mostFiles) continue;
    // Folders without a file hold nothing that could be lost.
    if (files.length === 0 || (await world.madeBySession(files, context))) made.add(path);
  }
  return made;
}

/** The files at a path and below it; null where one cannot be read, or is no plain file, or there are too many. */
function filesAt(
  path: string,
  workspace: string,
  world: Asked,
): readonly { path: string; text: string }[] | null {
  if (!isWithin(path, workspace)) return null;
  const open = [path];
  const files: { path: string; text: string }[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const type = world.look(next)?.type ?? null;
    if (type === null) continue;
    if (type === 'folder') {
      const names = listIn(world, next);
      if (names === null || names.length + files.length + open.length > mostFiles) return null;
      open.push(...names.map(({ name }) => `${next}/${name}`));
      continue;
    }
    const text = type === 'file' ? textAt(next, world) : null;
    if (text === null) return null;
    files.push({ path: next.slice(workspace.length + 1), text });
  }
  return files;
}

function textAt(path: string, world: Asked): string | null {
  try {
    return world.readText(path);
  } catch {
    return null;
  }
}
