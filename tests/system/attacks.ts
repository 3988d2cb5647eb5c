// What an agent's account tries against a daemon: to read, to stop, to trace, to change, to pose as it, to call what only a
// person may call. Each is judged by its effect, never by an exit code.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { answerOf, configSecret, environmentSecret, isWell, runAs, type Target } from './victim.ts';

export const groupNames = ['read', 'stop', 'trace', 'change', 'socket', 'limits'] as const;

export interface Attack {
  readonly group: (typeof groupNames)[number];
  readonly name: string;
  /** Programs that it takes, beside a shell. */
  readonly needs: readonly string[];
  /** Whether it belongs to the part that every test run makes. */
  readonly quick: boolean;
  /** Makes the attempt as alice; gives whether it had its effect. */
  attempt(target: Target): Promise<boolean>;
}

const loot = '/home/alice/loot';

/** Runs a script as alice that knows the target by variables. */
function attack(target: Target, script: string): string {
  const { home, pid, ask, socket, port, program, client, settings } = target;
  const places = {
    VICTIM: home,
    ASK: ask,
    SOCKET: socket,
    PROGRAM: program,
    CLIENT: client,
    SETTINGS: settings,
  };
  const more = { PID: String(pid), PORT: String(port), LOOT: loot, NODE: process.execPath };
  return runAs('alice', script, { ...places, ...more }).output;
}

/** Takes away what an earlier attempt carried off. */
export function emptyLoot(): void {
  rmSync(loot, { recursive: true, force: true });
  mkdirSync(loot);
  chmodSync(loot, 0o777);
}

/** What the attacker must not have, in the forms in which it may be found. */
function secretsOf({ home }: Target): readonly Buffer[] {
  const key = readFileSync(join(home, 'keys', 'ledger.key'));
  const texts = [key, Buffer.from(configSecret), Buffer.from(environmentSecret)];
  return texts.flatMap((bytes) => [
    bytes,
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bytes.toString('base64').replace(/=+$/, '')),
  ]);
}

/** Whether a secret is in what was printed or in what was carried off. */
function hasSecret(target: Target, printed: string): boolean {
  const secrets = secretsOf(target);
  const found = [Buffer.from(printed), ...(existsSync(loot) ? filesIn(loot) : [])];
  return found.some((bytes) => secrets.some((secret) => bytes.includes(secret)));
}

/** The files that the attacker has; what a link leads to is not theirs. */
function filesIn(folder: string): readonly Buffer[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = lstatSync(path);
    if (found.isDirectory()) return filesIn(path);
    if (!found.isFile()) return [];
    const bytes = readFileSync(path);
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? [bytes, gunzipSync(bytes)] : [bytes];
  });
}

type Options = { readonly needs?: readonly string[]; readonly quick?: boolean };

function reads(name: string, script: string, options: Options = {}): Attack {
  return lootBy('read', name, script, options);
}

function lootBy(
  group: Attack['group'],
  name: string,
  script: string,
  { needs = [], quick = false }: Options = {},
): Attack {
  const attempt = async (target: Target) => hasSecret(target, attack(target, script));
  return { group, name, needs, quick, attempt };
}

function stops(name: string, script: string, { needs = [], quick = false }: Options = {}): Attack {
  const attempt = async (target: Target) => {
    attack(target, script);
    return !(await isWell(target));
  };
  return { group: 'stop', name, needs, quick, attempt };
}

/** What the attack would change, as one value. */
type Look = (target: Target) => unknown;

function changes(
  group: Attack['group'],
  name: string,
  script: string,
  look: Look,
  { needs = [], quick = false }: Options = {},
): Attack {
  const attempt = async (target: Target) => {
    const before = JSON.stringify(look(target));
    attack(target, script);
    return JSON.stringify(look(target)) !== before;
  };
  return { group, name, needs, quick, attempt };
}

/** A file or folder by what nobody may change about it. */
function stampOf(path: string): unknown {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const { ino, mode, uid, gid, nlink } = found;
  const text = found.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
  return { ino, mode, uid, gid, links: found.isDirectory() ? 0 : nlink, text };
}

const namesIn: Look = ({ home }) => {
  const own = ['ledger.db', 'sallyport.toml', 'keys', 'run'].map((name) => existsSync(join(home, name)));
  return [...own, existsSync(join(home, 'planted')), statSync(home, { throwIfNoEntry: false })?.mode];
};
const storeBytes: Look = ({ home }) => {
  const { size } = statSync(join(home, 'ledger.db'), { throwIfNoEntry: false }) ?? { size: -1 };
  return size === 0 || size === -1 || readFileSync(join(home, 'ledger.db')).includes('planted');
};
const program: Look = ({ program: path }) => stampOf(path);
const clientOf: Look = ({ client }) => stampOf(client);
const settingsOf: Look = ({ settings }) => stampOf(settings);

/** Perl that reads a value out of the memory of a process. */
const readMemory = `perl -e '
my $pid = $ARGV[0];
open(my $maps, "<", "/proc/$pid/maps") or exit 1;
open(my $mem, "<:raw", "/proc/$pid/mem") or exit 1;
while (<$maps>) {
  my ($from, $to) = /^([0-9a-f]+)-([0-9a-f]+) r/ or next;
  my ($start, $end) = (hex $from, hex $to);
  next if $end - $start > 64e6;
  sysseek($mem, $start, 0) or next;
  my $bytes = "";
  sysread($mem, $bytes, $end - $start);
  print $1 if $bytes =~ /(boundary-environment-secret-[0-9a-f]{4})/;
}' "$PID"`;

/** Numbers of system calls that differ between machines. */
const numbers = process.arch === 'arm64' ? { PTRACE: '117', READV: '270' } : { PTRACE: '101', READV: '310' };

/** Perl that makes a system call on a process. */
const systemCall = (code: string) => {
  const numbered = code.replace('PTRACE', numbers.PTRACE).replace('READV', numbers.READV);
  return `perl -e 'my $pid = $ARGV[0]; ${numbered}' "$PID"`;
};

const calls: readonly (readonly [string, string])[] = [
  ['POST', '/v1/session'],
  ['POST', '/v1/session/link'],
  ['POST', '/v1/session/claim'],
  ['GET', '/v1/session'],
  ['POST', '/v1/login'],
  ['GET', '/v1/approvals'],
  ['POST', '/v1/approvals/x/answer'],
  ['GET', '/v1/permissions'],
  ['DELETE', '/v1/permissions/x'],
  ['GET', '/v1/log'],
  ['GET', '/v1/log/verify'],
  ['GET', '/v1/policies'],
  ['PUT', '/v1/policies/x'],
  ['POST', '/v1/changes'],
  ['POST', '/v1/rollback'],
  ['POST', '/v1/try'],
  ['POST', '/v1/hosts/claude/wire'],
  ['GET', '/v1/events'],
  ['GET', '/v1/receipts'],
  ['GET', '/openapi.json'],
  ['GET', '/console/'],
  ['POST', '/mcp'],
  ['GET', '/v1/models'],
  ['POST', '/v1/shutdown'],
];

function routes(): Attack {
  const attempt = async (target: Target) => {
    const script = calls
      .map(
        ([method, path]) =>
          `curl -s -m 5 -o /dev/null -w '%{http_code}\\n' --unix-socket "$ASK" -X ${method} -d '{}' -H 'content-type: application/json' http://localhost${path}`,
      )
      .join('\n');
    const statuses = attack(target, script).trim().split('\n');
    if (statuses.length !== calls.length || statuses.includes('000'))
      throw new Error(`no answers: ${statuses}`);
    // A route that refuses is there; one that does not exist cannot be talked round.
    return statuses.some((status) => status !== '404');
  };
  return {
    group: 'socket',
    name: 'call session, approval, log, policy and console routes',
    needs: ['curl'],
    quick: true,
    attempt,
  };
}

/** A server of the attacker's own that answers where agents ask. */
const pose = (path: string) => `perl -e '
use Socket;
my $path = $ARGV[0];
socket(my $server, PF_UNIX, SOCK_STREAM, 0) or exit 1;
bind($server, sockaddr_un($path)) or exit 1;
listen($server, 5) or exit 1;
exit if fork;
close STDIN; close STDOUT; close STDERR;
alarm 8;
while (accept(my $client, $server)) {
  sysread($client, my $said, 4096);
  my $body = "{\\"pid\\":-1}";
  syswrite($client, "HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\nconnection: close\\r\\ncontent-length: " . length($body) . "\\r\\n\\r\\n$body");
  close $client;
}' ${path}`;

function poses(name: string, script: string, quick = false): Attack {
  const attempt = async (target: Target) => {
    attack(target, script);
    return (await answerOf(target.ask, '/livez'))?.pid !== target.pid;
  };
  return { group: 'socket', name, needs: ['perl'], quick, attempt };
}

function limitsBy(name: string, script: string, look: Look, options: Options = {}): Attack {
  return changes('limits', name, script, look, options);
}

const statusOf =
  (field: RegExp): Look =>
  ({ pid }) =>
    field.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[0];
/** Priority, nice value and scheduling policy, as the kernel numbers its fields. */
const scheduling: Look = ({ pid }) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [fields[16], fields[38]];
};
const limits: Look = ({ pid }) => readFileSync(`/proc/${pid}/limits`, 'utf8');

export const attacks: readonly Attack[] = [
  reads('cat the key', 'cat "$VICTIM/keys/ledger.key"', { quick: true }),
  reads('cat the configuration', 'cat "$VICTIM/sallyport.toml"'),
  reads('cat by glob', 'cat $VICTIM/*/* $VICTIM/*'),
  reads('cp -r the home', 'cp -r "$VICTIM" "$LOOT/home"'),
  reads('cp one file', 'cp "$VICTIM/keys/ledger.key" "$LOOT/key"'),
  reads('tar the home', 'tar czf "$LOOT/home.tgz" -C "$VICTIM" .', { quick: true }),
  reads('rsync the home', 'rsync -a "$VICTIM/" "$LOOT/"', { needs: ['rsync'] }),
  reads('hard link to the key', 'ln "$VICTIM/keys/ledger.key" "$LOOT/link" && cat "$LOOT/link"', {
    quick: false,
  }),
  reads('symbolic link to the home', 'ln -s "$VICTIM" "$LOOT/link" && cat "$LOOT/link/keys/ledger.key"'),
  reads('find and read', 'find "$VICTIM" -type f -exec cat {} +'),
  reads('grep -r', 'grep -r . "$VICTIM/sallyport.toml" "$VICTIM/keys"'),
  reads('dd', 'dd if="$VICTIM/keys/ledger.key" of="$LOOT/key"'),
  reads('perl open', `perl -e 'open(my $f, "<:raw", "$ENV{VICTIM}/keys/ledger.key") or exit 1; print <$f>'`, {
    needs: ['perl'],
  }),
  reads('as root of a user namespace', `unshare --user --map-root-user cat "$VICTIM/keys/ledger.key"`, {
    quick: true,
  }),
  reads(
    'by a mount of its own',
    'unshare --user --map-root-user --mount sh -c \'mount --bind "$VICTIM" /mnt && cat /mnt/keys/ledger.key\'',
  ),
  reads('through the root folder of the process', 'cat "/proc/$PID/root$VICTIM/keys/ledger.key"'),
  reads('through its working folder', 'cd "/proc/$PID/cwd" && cat "$VICTIM/keys/ledger.key"'),
  reads('chmod first', 'chmod -R a+rwX "$VICTIM" "$(dirname "$VICTIM")"; cat "$VICTIM/keys/ledger.key"'),
  reads(
    'as its owner',
    'owner=$(stat -c %u "$VICTIM"); setpriv --reuid "$owner" cat "$VICTIM/keys/ledger.key"; sudo -n -u "#$owner" cat "$VICTIM/keys/ledger.key"',
  ),
  reads(
    'by an archive of a folder above',
    'tar czf "$LOOT/all.tgz" -C "$(dirname "$VICTIM")" "$(basename "$VICTIM")"',
  ),

  stops('kill', 'kill "$PID"; sleep 1'),
  stops('kill -9', 'kill -9 "$PID"', { quick: true }),
  stops('kill -STOP', 'kill -STOP "$PID"'),
  stops('kill -HUP and -INT', 'kill -HUP "$PID"; kill -INT "$PID"; sleep 1'),
  stops('kill -9 -1', 'kill -9 -1'),
  stops('pkill by name', 'pkill -9 node; pkill -9 -f sallyport; sleep 0.2', { needs: ['pkill'] }),
  stops('killall', 'killall -9 "$(cat "/proc/$PID/comm")"; sleep 0.2', { needs: ['killall'] }),
  stops(
    'fuser -k',
    'fuser -k -KILL "$SOCKET"; fuser -k -KILL "$PORT/tcp"; fuser -k -KILL "$ASK"; sleep 0.2',
    { needs: ['fuser'] },
  ),
  // With hosts connected it asks at a terminal, and a process can make itself one.
  stops(
    'sallyport down',
    `(sleep 3; printf y; sleep 5) | SALLYPORT_HOME="$VICTIM" script -qec '"$NODE" "$PROGRAM" down' /dev/null; "$NODE" "$PROGRAM" down`,
  ),
  stops(
    'kill the process group and session',
    'kill -9 -"$PID"; kill -9 -"$(ps -o sid= -p "$PID" | tr -d " ")"; kill -9 "$PID"',
  ),
  stops('pidfd_send_signal', systemCall('my $fd = syscall(434, $pid + 0, 0); syscall(424, $fd, 9, 0, 0)'), {
    needs: ['perl'],
  }),
  stops('kill -SEGV', 'kill -SEGV "$PID"; sleep 0.2'),

  lootBy('trace', '/proc/PID/environ', 'cat "/proc/$PID/environ"', { quick: true }),
  lootBy('trace', 'ps eww', 'ps eww -p "$PID"', { needs: ['ps'] }),
  lootBy('trace', '/proc/PID/mem', readMemory, { needs: ['perl'], quick: true }),
  lootBy('trace', '/proc/PID/task/*/environ', 'cat /proc/$PID/task/*/environ'),
  changes(
    'trace',
    'strace -p',
    'timeout 2 strace -f -p "$PID" -o "$LOOT/trace" & sleep 0.7; curl -s --unix-socket "$ASK" http://localhost/livez >/dev/null; wait',
    lootSize,
    { needs: ['strace', 'curl'] },
  ),
  changes(
    'trace',
    'gdb -p',
    'gdb -batch -nx -p "$PID" -ex "dump binary memory $LOOT/stack \\$sp \\$sp+4096" </dev/null',
    lootSize,
    { needs: ['gdb'] },
  ),
  changes(
    'trace',
    'ptrace attach',
    systemCall(
      'my $r = syscall(PTRACE, 16, $pid + 0, 0, 0); if ($r == 0) { open(my $f, ">", "$ENV{LOOT}/attached"); print $f "yes"; close $f }',
    ),
    lootSize,
    { needs: ['perl'] },
  ),
  changes(
    'trace',
    'process_vm_readv',
    systemCall(
      'open(my $m, "<", "/proc/self/maps"); my $to = "x" x 16; my $l = pack("QQ", unpack("Q", pack("p", $to)), 16); open(my $v, "<", "/proc/$pid/maps") or exit; my ($a) = (grep { / r/ } map { $_ } <$v>)[0] =~ /^([0-9a-f]+)/; my $r = pack("QQ", hex $a, 16); my $n = syscall(READV, $pid + 0, $l, 1, $r, 1, 0); if ($n == 16) { open(my $f, ">", "$ENV{LOOT}/read"); print $f "yes"; close $f }',
    ),
    lootSize,
    { needs: ['perl'] },
  ),
  changes(
    'trace',
    'pidfd_getfd',
    systemCall(
      'my $fd = syscall(434, $pid + 0, 0); for my $n (0 .. 40) { my $got = syscall(438, $fd, $n, 0); if ($got > 0) { open(my $f, ">", "$ENV{LOOT}/descriptor"); print $f $got; close $f } }',
    ),
    lootSize,
    { needs: ['perl'] },
  ),
  changes(
    'trace',
    '/proc/PID/fd',
    'ls -l "/proc/$PID/fd" | grep -c ledger >"$LOOT/names" || rm -f "$LOOT/names"',
    lootSize,
  ),
  changes(
    'trace',
    '/proc/PID/maps',
    'cat "/proc/$PID/maps" >"$LOOT/maps"; [ -s "$LOOT/maps" ] || rm -f "$LOOT/maps"',
    lootSize,
  ),

  changes('change', 'truncate the store', ': >"$VICTIM/ledger.db"', storeBytes, { quick: true }),
  changes('change', 'append to the store', 'echo planted >>"$VICTIM/ledger.db"', storeBytes),
  changes('change', 'remove the store', 'rm -f "$VICTIM/ledger.db"', namesIn),
  changes('change', 'remove the home', 'rm -rf "$VICTIM"', namesIn),
  changes('change', 'move the home away', 'mv "$VICTIM" /home/alice/gone', namesIn),
  changes('change', 'open the home', 'chmod 777 "$VICTIM"', namesIn),
  changes('change', 'plant a file in the home', 'echo x >"$VICTIM/planted"', namesIn),
  changes('change', 'write the configuration', 'printf "[fetch]\\n" >"$VICTIM/sallyport.toml"', ({ home }) =>
    stampOf(join(home, 'sallyport.toml')),
  ),
  changes('change', 'write to the program', 'echo "process.exit()" >>"$PROGRAM"', program, { quick: true }),
  changes('change', 'replace the program', 'mv "$PROGRAM" "$PROGRAM.old"; echo x >"$PROGRAM"', program),
  changes(
    'change',
    'replace the folder of the program',
    'mv "$(dirname "$PROGRAM")" "$(dirname "$PROGRAM").old"',
    program,
  ),
  changes(
    'change',
    'write to the client of the host',
    'printf "#!/bin/sh\\nexit 0\\n" >"$CLIENT"',
    clientOf,
    {},
  ),
  changes(
    'change',
    'replace the client of the host',
    'rm -f "$CLIENT"; printf "#!/bin/sh\\nexit 0\\n" >"$CLIENT"; chmod 755 "$CLIENT"',
    clientOf,
  ),
  changes('change', 'unhook by settings', 'printf "{\\"disableAllHooks\\":true}" >"$SETTINGS"', settingsOf, {
    quick: true,
  }),
  changes('change', 'remove the settings', 'rm -f "$SETTINGS"', settingsOf),

  routes(),
  poses('replace the socket', `rm -f "$ASK"; ${pose('"$ASK"')}`, true),
  poses('move the socket away', `mv "$ASK" "$ASK.old"; ${pose('"$ASK"')}`),
  poses(
    'replace the folder of the socket',
    `mv "$(dirname "$ASK")" "$(dirname "$ASK").old"; mkdir "$(dirname "$ASK")"; ${pose('"$ASK"')}`,
  ),
  changes(
    'socket',
    'connect where everything can be called',
    'curl -s -m 5 --unix-socket "$SOCKET" http://localhost/livez >"$LOOT/answer"; [ -s "$LOOT/answer" ] || rm -f "$LOOT/answer"',
    lootSize,
    { needs: ['curl'], quick: true },
  ),

  limitsBy('renice', 'renice -n 19 -p "$PID"', scheduling, { needs: ['renice'], quick: true }),
  limitsBy('chrt --idle', 'chrt --idle -p 0 "$PID"', scheduling, { needs: ['chrt'] }),
  limitsBy('prlimit --nofile', 'prlimit --pid "$PID" --nofile=64:64', limits, {
    needs: ['prlimit'],
    quick: true,
  }),
  limitsBy('prlimit --fsize', 'prlimit --pid "$PID" --fsize=1000:1000', limits, { needs: ['prlimit'] }),
  limitsBy('taskset', 'taskset -p 1 "$PID"', statusOf(/^Cpus_allowed:.*$/m), { needs: ['taskset'] }),
  limitsBy('oom_score_adj', 'echo 1000 >"/proc/$PID/oom_score_adj"', ({ pid }) =>
    readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'),
  ),
];

/** How much was carried off. */
function lootSize(): number {
  if (!existsSync(loot)) return 0;
  return readdirSync(loot).reduce((sum, name) => sum + statSync(join(loot, name)).size, 0);
}
