// Accounts of this machine by name, as its own name service knows them.

import { spawnSync } from 'node:child_process';
import type { Account } from '../../config/index.ts';

/** Where programs that root starts are found, whatever the environment says. */
export const rootEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/** What a program printed; null where it is not there or did not end well. */
export function outputOf(program: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', env: rootEnvironment });
  return status === 0 ? stdout : null;
}

/** An account; null where there is none of the name. */
export function findAccount(name: string): Account | null {
  const [user = '', , uid = '', gid = '', , home = ''] = (outputOf('getent', ['passwd', name]) ?? '')
    .trim()
    .split(':');
  return user === name ? { user, uid: Number(uid), gid: Number(gid), home } : null;
}

/** Every group of an account, the first one among them. */
export function groupsOf({ user }: Pick<Account, 'user'>): readonly number[] {
  return (outputOf('id', ['-G', user]) ?? '').trim().split(/\s+/).filter(Boolean).map(Number);
}

/** The names of an account's groups. */
export function groupNamesOf({ user }: Pick<Account, 'user'>): readonly string[] {
  return (outputOf('id', ['-Gn', user]) ?? '').trim().split(/\s+/).filter(Boolean);
}
