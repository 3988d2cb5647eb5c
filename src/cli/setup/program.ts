// How this program was installed, and so how it is replaced and removed.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Where the program is: a clone, or a package of npm in a project or for the whole account. */
export type Installation =
  | { readonly kind: 'clone'; readonly folder: string }
  | { readonly kind: 'global'; readonly prefix: string }
  | { readonly kind: 'local'; readonly folder: string };

/** How the program that runs was installed. */
function installation(program = realpathSync(process.argv[1] ?? '')): Installation {
  const folder = dirname(dirname(program));
  const modules = dirname(folder);
  if (basename(modules) !== 'node_modules' || existsSync(join(folder, 'src')))
    return { kind: 'clone', folder };
  const above = dirname(modules);
  return basename(above) === 'lib' && !existsSync(join(above, 'package.json'))
    ? { kind: 'global', prefix: dirname(above) }
    : { kind: 'local', folder: above };
}

/** The line that removes the program. */
export function removalHint(found: Installation = installation()): string {
  switch (found.kind) {
    case 'clone':
      return `delete the folder ${found.folder}`;
    case 'global':
      return 'npm uninstall --global sallyport';
    case 'local':
      return `npm uninstall sallyport, in ${found.folder}`;
  }
}

/** The words of npm that put a package in the place of this program; null for a clone. */
export function installWords(
  tarball: string,
  found: Installation = installation(),
): readonly string[] | null {
  const quiet = ['--no-audit', '--no-fund'];
  switch (found.kind) {
    case 'clone':
      return null;
    case 'global':
      return ['install', '--global', '--prefix', found.prefix, ...quiet, tarball];
    case 'local':
      return ['install', '--prefix', found.folder, ...quiet, tarball];
  }
}
