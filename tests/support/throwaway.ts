// A throw-away machine for what may destroy things: bubblewrap with everything of this one read-only.

import { spawn } from 'node:child_process';
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

/** Runs a program that prints a row of JSON a line, and gives the rows. */
export function rowsOf<Row>(
  program: string,
  args: readonly string[],
  seen?: (row: Row) => void,
): Promise<readonly Row[]> {
  return new Promise((settle, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const rows: Row[] = [];
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (printed + text).split('\n');
      printed = lines.pop() ?? '';
      for (const line of lines) {
        const row: Row = JSON.parse(line);
        rows.push(row);
        seen?.(row);
      }
    });
    child.once('error', reject);
    child.once('close', () => settle(rows));
  });
}
