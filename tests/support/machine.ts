// A throw-away machine with users of its own: namespaces in which nothing of this one can be written. It needs root,
// since a user id is what is tested, and bubblewrap would take away the rights with which sudo works.

import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What is empty and can be written to; all of it is gone at the end. */
const empty = ['/home', '/srv', '/opt', '/var/lib', '/var/log', '/var/tmp', '/run', '/tmp'];

/** Sets the machine up and runs the command. `$1` is shown where it is, the rest is the command. */
const setUp = `set -eu
source=$1
shift
mount --make-rprivate /
mount -t tmpfs -o mode=0755 tmpfs /mnt
mkdir /mnt/source /mnt/etc
mount --bind "$source" /mnt/source
cp -a /etc/. /mnt/etc/
for place in ${empty.join(' ')}; do
  mkdir -p "/mnt/empty$place"
  mount --bind "/mnt/empty$place" "$place"
done
chmod 1777 /tmp /var/tmp
mkdir -p "$source"
mount --bind /mnt/source "$source"
mount -o remount,bind,ro "$source"
mount --bind /mnt/etc /etc
mount -o remount,bind,ro /
mount -t proc proc /proc
ip link set lo up
# The shell stays, as the process that takes care of those whose parents ended.
"$@"
`;

/** The command that runs another one as root on a throw-away machine on which `source` is shown, read-only. */
export function machineCommand(
  source: string,
  command: readonly string[],
): readonly [string, readonly string[]] {
  const apart = ['--mount', '--pid', '--fork', '--net', '--ipc', '--kill-child'];
  return ['unshare', [...apart, '/bin/sh', '-c', setUp, 'sh', source, ...command]];
}

const tools = ['unshare', 'setpriv', 'useradd', 'ip', 'curl', 'getent'];

/** Why no such machine can be made here, or null. */
export function machineMissing(source: string): string | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0)
    return 'it needs root on Linux, for users of its own';
  const lacking = tools.filter((name) => !isInstalled(name));
  if (lacking.length > 0) return `${lacking.join(', ')}: not installed`;
  const others = foldersAbove(source).find((folder) => isOthers(folder));
  return others === undefined
    ? null
    : `others than root can write to ${others}, so a system daemon refuses the program`;
}

function isOthers(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return uid !== 0 || (mode & 0o022) !== 0;
}

function foldersAbove(folder: string): readonly string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))];
}

/** Whether a program is there for every user. */
export function isInstalled(name: string): boolean {
  return ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
