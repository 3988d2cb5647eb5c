// A throw-away machine for what may destroy things: bubblewrap with everything of this one read-only.

import { cpSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The arguments of bubblewrap: `/etc` is a copy, homes and temporary folders are empty, there is no network and no process
 * of others. The copy is made in `folder`, for the caller to change before it starts and to remove afterwards.
 */
export function throwawayMachine(
  folder: string,
  shown: readonly string[],
): { readonly args: readonly string[]; readonly etc: string } {
  const etc = join(folder, 'etc');
  const isReadable = (path: string) => !path.startsWith('/etc/ssl/private');
  cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true, filter: isReadable });
  const empty = ['/home', '/srv', '/tmp', '/var/tmp'].flatMap((place) => ['--tmpfs', place]);
  const readable = shown.flatMap((place) => ['--ro-bind', place, place]);
  return {
    etc,
    args: [
      ...[
        '--ro-bind',
        '/',
        '/',
        '--dev',
        '/dev',
        '--proc',
        '/proc',
        ...empty,
        ...readable,
        '--bind',
        etc,
        '/etc',
      ],
      ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent', '--new-session'],
    ],
  };
}
