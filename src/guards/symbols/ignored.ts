// Whether the repository leaves a path out: such a file may be made by a build, so that its absence says nothing.

import { type Level, parseIgnore, whatRulesSay } from '../../core/ignore.ts';
import type { SourceTree } from '../../core/index.ts';

/** Whether a path below the root is ignored, itself or by a folder that it lies in. */
export function isIgnored(path: string, root: string, tree: SourceTree): boolean {
  let git: Level | undefined;
  const names = path.slice(root.length + 1).split('/');
  let folder = root;
  for (const [index, name] of names.entries()) {
    const patterns = parseIgnore(tree.text(`${folder}/.gitignore`) ?? '');
    if (patterns.length > 0) git = { outer: git, prefix: folder.length + 1, patterns };
    folder = `${folder}/${name}`;
    if (whatRulesSay({ own: undefined, git }, folder, name, index < names.length - 1) !== undefined)
      return true;
  }
  return false;
}
