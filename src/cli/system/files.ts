// The files of a system daemon as texts: the script that drops root's rights, and the systemd unit. Pure.

import { recordText, type SystemDaemon, systemPlaces } from '../../config/index.ts';
import { quote } from '../../surfaces/hooks/client.ts';
import { execLine } from '../service/files.ts';

/** What the daemon may do to files of the two accounts beyond what their modes say; to no file of anybody else. */
const capabilities = ['chown', 'dac_override', 'fowner'].map((name) => `+${name}`).join(',');

/** Programs of the system alone: nothing that the daemon starts comes from a folder of an account. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Variables of root's terminal that a command may see. */
export const passedOn = ['TERM', 'COLORTERM', 'NO_COLOR', 'COLUMNS', 'LANG', 'LC_ALL', 'TZ'];

/**
 * The script by which root starts a command as the daemon's account.
 *
 * The daemon must read the account's files to judge, and write them to undo, and must have no right that the account itself
 * has not. So it runs in a user namespace that knows two user ids, its own and the account's, and the account's groups.
 * Its capabilities count for files whose owner and group are in that namespace, and for no other: the kernel answers for
 * a file of root or of another user as it would answer the account. A process with the rights of root, a list of checks in
 * the daemon, or a helper with the account's id, which agents could stop and trace, would each be worse.
 */
export function enterScript({ user, uid, as }: SystemDaemon): string {
  const { home, run, environment } = systemPlaces(user);
  const kept = passedOn.map((name) => `\${${name}+"${name}=$${name}"}`).join(' ');
  return `#!/bin/sh
# Starts a command for the Sallyport daemon of ${user}: as the user ${as}, with rights over the files of ${user} and over no
# file of anybody else that ${user} could not open. 'sallyport up --system' writes this file; root runs it.
set -eu
PATH=${systemPath}
fail() {
  printf 'sallyport: %s\\n' "$1" >&2
  exit 1
}
[ "$(id -u)" = 0 ] || fail 'this needs root'
[ "$(id -u ${user})" = ${uid} ] || fail "${user} is another user than before: run 'sallyport up --system' again"
own=$(id -u ${as})
group=$(id -g ${as})
groups=$(id -G ${user})
umask 077
ulimit -c 0
{ echo -500 >/proc/self/oom_score_adj; } 2>/dev/null || :
install -d -m 0755 -o root -g root /run/sallyport
install -d -m 0711 -o "$own" -g "$group" ${run}

# The command, with the variables that an administrator gave the daemon before it.
if [ -f ${environment} ]; then
  while IFS= read -r line; do
    case $line in [A-Za-z_]*=*) set -- "$line" "$@" ;; esac
  done <${environment}
fi
set -- env -i PATH="$PATH" HOME=${home} SALLYPORT_HOME=${home} ${kept} "$@"

# The namespace: these two users, and the groups of ${user}.
users="$own $own 1
${uid} ${uid} 1"
members="$group $group 1"
list=
for one in $groups; do
  [ "$one" = "$group" ] && continue
  members="$members
$one $one 1"
  list="$list\${list:+,}$one"
done
self=$$
outside=$(readlink /proc/self/ns/user)
# Written from outside of it, by a process that nobody has to wait for.
(
  (
    tries=0
    while [ "$(readlink "/proc/$self/ns/user")" = "$outside" ]; do
      tries=$((tries + 1))
      [ "$tries" -lt 1000 ] || exit 1
      sleep 0.01
    done
    printf '%s\\n' "$members" >"/proc/$self/gid_map"
    printf '%s\\n' "$users" >"/proc/$self/uid_map"
  ) &
)
exec unshare --user --keep-caps sh -c '
  own=$1 group=$2 list=$3
  shift 3
  tries=0
  until [ -n "$(cat /proc/self/uid_map)" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 1000 ] || { echo "sallyport: the user namespace could not be set up" >&2; exit 1; }
    sleep 0.01
  done
  # Without the securebit access(2) would answer as if there were no capabilities, and deny what open(2) does.
  exec setpriv --reuid "$own" --regid "$group" --groups "$list" --no-new-privs \\
    --securebits=+no_setuid_fixup,+no_setuid_fixup_locked \\
    --inh-caps=-all,${capabilities} --ambient-caps=-all,${capabilities} --bounding-set=-all,${capabilities} "$@"
' sh "$own" "$group" "$list" "$@"
`;
}

/** The systemd unit: root starts the script, which drops root's rights before the daemon runs. */
export function unitText(daemon: SystemDaemon): string {
  const { user, as, node, program, port } = daemon;
  const { enter } = systemPlaces(user);
  const words = [enter, node, program, 'up', '--port', String(port), '--log', 'info'];
  return `# 'sallyport up --system' writes this file.
[Unit]
Description=Sallyport for the agents of ${user}, as the user ${as}
After=network.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${execLine(words)}
WorkingDirectory=/
Restart=always
RestartSec=1
TimeoutStopSec=20
UMask=0077
LimitCORE=0
OOMScoreAdjust=-500

# What the script needs to drop its rights. In the daemon's own namespace three others count, and no file of root is in it.
CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_CHOWN CAP_FOWNER
NoNewPrivileges=yes
# "strict" would keep undo out of workspaces that are not in a home; who may write where, the namespace says.
ProtectSystem=full
PrivateTmp=no
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=user
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=~@clock @cpu-emulation @debug @module @mount @obsolete @raw-io @reboot @swap

[Install]
WantedBy=multi-user.target
`;
}

/** The shell commands that put a system daemon in place: what `--print` shows is what runs. */
export function installCommands(daemon: SystemDaemon, files: readonly InstalledFile[]): readonly string[] {
  const { user, as } = daemon;
  const { home, clients } = systemPlaces(user);
  const roots = [
    '/etc/sallyport',
    '/etc/sallyport/system',
    '/var/lib/sallyport',
    `/var/lib/sallyport/${user}`,
  ];
  return [
    `getent passwd ${as} >/dev/null || useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ${as}`,
    `install -d -m 0755 -o root -g root ${roots.join(' ')}`,
    `install -d -m 0700 -o ${as} -g "$(id -g ${as})" ${home}`,
    `install -d -m 0711 -o ${as} -g "$(id -g ${as})" ${clients}`,
    ...files.map(writeCommand),
  ];
}

/** A file of root's that belongs to a system daemon. */
export interface InstalledFile {
  readonly path: string;
  readonly mode: '0644' | '0755';
  readonly text: string;
}

export function installedFiles(daemon: SystemDaemon, hasSystemd: boolean): readonly InstalledFile[] {
  const { record, enter, unit } = systemPlaces(daemon.user);
  return [
    { path: enter, mode: '0755', text: enterScript(daemon) },
    { path: record, mode: '0644', text: recordText(daemon) },
    ...(hasSystemd ? [{ path: unit, mode: '0644' as const, text: unitText(daemon) }] : []),
  ];
}

/** Writes a file whole or not at all. */
function writeCommand({ path, mode, text }: InstalledFile): string {
  const fresh = `${path}.new`;
  return `printf %s ${quote(text)} >${fresh} && chmod ${mode} ${fresh} && mv -f ${fresh} ${path}`;
}
