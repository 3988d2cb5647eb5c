// Tests of the command guard's judgement: facts made by hand, in tables, under both profiles.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import { type ActionOf, Budget, BudgetExceeded, type Judgement, type Mode } from '../../core/index.ts';
import type { Effect, EffectKind, Facts, Invocation, Target, Value } from './effects.ts';
import { commandError } from './error.ts';
import { commandGuard, judgeCommand } from './index.ts';
import { loadParts } from './need.ts';
import { modeOf } from './rules/permissions.ts';
import { onlyEdits } from './rules/sed.ts';

const workspace = '/home/ann/shop';

interface Given {
  readonly profile?: Settings['profile'];
  readonly mode?: Mode;
  readonly source?: string;
  readonly kind?: 'shell' | 'python';
  readonly workspace?: string;
  readonly cwd?: string;
  readonly allowed?: readonly string[];
  readonly realPath?: (path: string) => string | null;
  readonly home?: string | null;
  readonly analyse?: () => Facts;
}

/** Judges facts as the guard would. */
function judge(facts: Partial<Facts>, given: Given = {}): Judgement {
  const whole: Facts = { effects: [], invocations: [], unknowns: [], errors: [], ...facts };
  const analyse = given.analyse ?? (() => whole);
  const judging = {
    shell: analyse,
    python: analyse,
    isKnown: (program: string) => given.profile === 'strict' || program === 'known-tool',
  };
  const { source = 'the command', cwd } = given;
  const where = cwd === undefined ? {} : { cwd };
  const action: ActionOf<'shell' | 'python'> =
    given.kind === 'python'
      ? { kind: 'python', source, ...where }
      : { kind: 'shell', command: source, ...where };
  return judgeCommand(judging, action, {
    context: {
      user: 'u',
      tenant: 't',
      agent: 'a',
      session: 's',
      workspace: given.workspace ?? workspace,
      mode: given.mode ?? 'default',
    },
    settings: settingsFrom(
      { profile: given.profile ?? 'developer' },
      { write: { allowed_paths: given.allowed ?? [] } },
    ),
    world: {
      now: () => 0,
      resolve: async () => [],
      realPath: given.realPath ?? ((path) => path),
      readText: () => null,
      look: () => null,
      home: given.home === undefined ? '/home/ann' : given.home,
    },
    budget: new Budget(10_000),
    granted: () => false,
  });
}

const literal = (text: string): Value => ({ kind: 'literal', text });

/** A target: a path; `name:` and `host:` are those; `?` is not known, and a trailing `…` is a beginning. */
function targetOf(text: string): Target {
  const [, kind, rest = ''] = /^(name|host):(.*)$/s.exec(text) ?? [];
  if (kind === 'name') return { kind, name: literal(rest) };
  if (kind === 'host') return { kind, host: literal(rest) };
  if (text === '') return { kind: 'none' };
  const path: Value =
    text === '?'
      ? { kind: 'unknown' }
      : text.endsWith('…')
        ? { kind: 'prefix', text: text.slice(0, -1) }
        : literal(text);
  return { kind: 'path', path, ...(/[*?[]/.test(text) ? { glob: true } : {}) };
}

type More = Partial<Omit<Effect, 'kind' | 'target'>>;

function effect(kind: EffectKind, target = '', more: More = {}): Effect {
  return { kind, target: targetOf(target), program: 'tool', through: [], span: [0, 11], ...more };
}

function call(command: string, more: Partial<Invocation> = {}): Invocation {
  const [given = '', ...args] = command.split(' ');
  return {
    program: given.split('/').at(-1) ?? null,
    given: literal(given),
    args: args.map(literal),
    through: [],
    span: [0, 11],
    builtin: false,
    ...more,
  };
}

function summary(judgement: Judgement): readonly string[] {
  return judgement.findings.map(({ rule, decision }) => `${decision} ${rule}`);
}

const rm: More = { recursive: true, force: true, program: 'rm' };

// Facts are handed in here, so that nothing else asks for the cards of their programs.
await loadParts();

describe('developer', () => {
  it.each<[string, Effect, readonly string[]]>([
    // deletion
    ['/', effect('delete', '/', rm), ['block mass_deletion']],
    ['/*', effect('delete', '/*', rm), ['block mass_deletion']],
    ['everything here', effect('delete', '*', rm), ['block mass_deletion']],
    ['the workspace', effect('delete', '.', rm), ['block mass_deletion']],
    ['the parent', effect('delete', '..', rm), ['block home_deletion']],
    ['/etc', effect('delete', '/etc', rm), ['block system_deletion']],
    ['/etc/…', effect('delete', '/etc/…', rm), ['block system_deletion']],
    ['/et?', effect('delete', '/et?', rm), ['block system_deletion']],
    ['/var/log', effect('delete', '/var/log', rm), ['block system_deletion']],
    ['/proc/self/root/etc', effect('delete', '/proc/self/root/etc', rm), ['block system_deletion']],
    [
      '/etc/passwd alone',
      effect('delete', '/etc/passwd'),
      ['block system_deletion', 'approve outside_workspace'],
    ],
    ['/etc/motd alone', effect('delete', '/etc/motd'), ['approve outside_workspace']],
    ['/home', effect('delete', '/home', rm), ['block home_deletion']],
    ['another home', effect('delete', '/home/bob', rm), ['block home_deletion']],
    [
      '~/Documents',
      effect('delete', '~/Documents', rm),
      ['block home_deletion', 'approve outside_workspace'],
    ],
    ['~/old', effect('delete', '~/old', rm), ['approve outside_workspace']],
    ['src', effect('delete', 'src', rm), ['approve workspace_deletion']],
    ['src/*', effect('delete', 'src/*', rm), ['approve workspace_deletion']],
    ['a file for good', effect('delete', 'a', { detail: 'shred' }), ['approve workspace_deletion']],
    ['dist', effect('delete', 'dist', { ...rm, reversible: true }), []],
    ['a file', effect('delete', 'src/old.ts'), []],
    ['files by pattern', effect('delete', '*.log'), []],
    ['all files here', effect('delete', '*'), ['approve workspace_deletion']],
    ['/tmp/x', effect('delete', '/tmp/x', rm), []],
    ['/tmp/…', effect('delete', '/tmp/tmp.…', rm), []],
    ['/tmp', effect('delete', '/tmp', rm), ['approve outside_workspace']],
    ['a folder not known', effect('delete', '?', rm), ['approve unknown_deletion']],
    ['a file not known', effect('delete', '?'), ['approve outside_workspace']],
    ['.git', effect('delete', '.git', rm), ['approve git_metadata_loss', 'approve workspace_deletion']],
    ['a commit of git', effect('delete', '.git/objects/aa'), ['approve git_metadata_loss']],
    ['a write into git', effect('write', '.git/HEAD'), ['approve git_metadata_loss']],
    ['a lock of git', effect('delete', '.git/index.lock'), []],
    ['a moved folder', effect('delete', 'src', { recursive: true, reversible: true, detail: 'move' }), []],
    ['everything moved', effect('delete', '*', { recursive: true, reversible: true, detail: 'move' }), []],
    [
      'found here',
      effect('delete', '.', { recursive: true, detail: 'find' }),
      ['approve workspace_deletion'],
    ],
    ['found and made', effect('delete', '.', { recursive: true, detail: 'find', reversible: true }), []],
    ['found in /', effect('delete', '/', { recursive: true, detail: 'find' }), ['block mass_deletion']],
    // storage
    ['dd to a disk', effect('device', '/dev/sda', { program: 'dd' }), ['block raw_disk_write']],
    ['redirection to a disk', effect('device', '/dev/sda', { program: 'echo' }), ['block direct_disk_write']],
    ['a write to a disk', effect('write', '/dev/nvme0n1'), ['block direct_disk_write']],
    ['a device not known', effect('device'), ['block direct_disk_write']],
    ['/dev/null', effect('write', '/dev/null'), []],
    ['mkfs', effect('format', '/dev/sda1', { program: 'mkfs.ext4' }), ['block filesystem_format']],
    ['wipefs', effect('format', '/dev/sda', { program: 'wipefs' }), ['block storage_destruction']],
    // execution
    ['network code', effect('run', '', { origins: ['network'] }), ['block remote_code_execution']],
    ['nc -e', effect('run', '', { origins: ['network'], program: 'nc' }), ['block reverse_shell']],
    ['code not known', effect('run', '', { origins: ['unknown'] }), ['approve unknown_code']],
    ['code of the project', effect('run', 'script.py'), []],
    ['a script of the system', effect('run', '/etc/os-release', { program: 'source' }), []],
    ['a start file', effect('run', '~/.cargo/env', { program: 'source' }), []],
    ['a script at home', effect('run', '~/x.sh', { program: 'bash' }), ['approve unknown_code']],
    ['code elsewhere', effect('run', '/tmp/x.sh'), ['approve unknown_code']],
    ['fork bomb', effect('bomb'), ['block fork_bomb']],
    // permissions
    ['chmod 777', effect('mode', 'a', { detail: '777' }), ['block world_writable']],
    ['chmod 755', effect('mode', 'a', { detail: '755' }), []],
    ['chmod u+s', effect('mode', 'a', { detail: 'u+s' }), ['block privilege_escalation']],
    ['chown root', effect('mode', 'a', { detail: 'owner root' }), ['block privilege_escalation']],
    ['chown 0:0', effect('mode', 'a', { detail: '0:0', program: 'chown' }), ['block privilege_escalation']],
    ['chown ann', effect('mode', 'a', { detail: 'owner ann' }), []],
    [
      'chmod -R of /',
      effect('mode', '/', { detail: '000', recursive: true }),
      ['block system_permissions', 'approve outside_workspace'],
    ],
    ['sudo', effect('privilege', '', { program: 'sudo' }), []],
    ['sudo -i', effect('privilege', '', { program: 'sudo', detail: 'shell' }), ['approve privilege_change']],
    ['useradd', effect('privilege', 'name:bob', { program: 'useradd' }), ['approve privilege_change']],
    [
      'setcap',
      effect('privilege', 'tool', { program: 'setcap', detail: 'capability' }),
      ['block privilege_escalation'],
    ],
    // the running system
    ['iptables', effect('firewall'), ['block firewall']],
    ['shutdown', effect('service', '', { detail: 'shutdown' }), ['block shutdown']],
    ['poweroff', effect('service', '', { program: 'poweroff' }), ['block shutdown']],
    ['reboot', effect('service', '', { detail: 'reboot' }), ['block reboot']],
    ['systemctl stop', effect('service', 'name:nginx', { detail: 'stop' }), ['approve service_change']],
    ['kill -9', effect('signal', 'name:12', { detail: '9' }), ['approve force_kill']],
    ['kill -KILL', effect('signal', 'name:12', { detail: 'SIGKILL' }), ['approve force_kill']],
    ['kill -9 of what is not known', effect('signal', '', { detail: 'KILL' }), ['approve force_kill']],
    ['kill', effect('signal', 'name:12', { detail: 'TERM' }), ['approve process_signal']],
    ['kill %1', effect('signal', 'name:%1', { detail: 'TERM' }), []],
    ['kill -0', effect('signal', 'name:12', { detail: '0' }), []],
    ['kill 1', effect('signal', 'name:1', { detail: 'TERM' }), ['block every_process']],
    ['kill -- -1', effect('signal', 'name:-1', { detail: 'TERM' }), ['block every_process']],
    // git
    ['reset --hard', effect('git', '', { detail: 'discard' }), ['approve git_worktree_loss']],
    ['restore .', effect('git', '.', { detail: 'discard' }), ['approve git_worktree_loss']],
    ['restore a file', effect('git', 'src/a.ts', { detail: 'discard' }), ['approve git_file_discard']],
    ['restore :/', effect('git', ':/', { detail: 'discard' }), ['approve git_worktree_loss']],
    ['clean -fd', effect('git', '', { detail: 'clean' }), ['approve git_worktree_loss']],
    ['rewrite', effect('git', '', { detail: 'rewrite' }), ['approve git_history_loss']],
    ['rewrite by force', effect('git', '', { detail: 'rewrite', force: true }), ['approve git_history_loss']],
    ['branch -D', effect('git', '', { detail: 'branch-delete' }), ['approve git_history_loss']],
    ['push', effect('git', '', { detail: 'push' }), ['approve git_push']],
    ['push --force', effect('git', '', { detail: 'force-push' }), ['approve force_push']],
    ['commit', effect('git', '', { detail: 'commit' }), []],
    [
      'config of a hook',
      effect('run', 'name:core.hooksPath', { detail: 'git-config' }),
      ['approve git_configuration'],
    ],
    ['config of a name', effect('git', 'name:user.name', { detail: 'config' }), []],
    // services
    ['DROP', effect('database', '', { detail: 'drop' }), ['approve database_drop']],
    ['TRUNCATE', effect('database', '', { detail: 'truncate' }), ['approve database_drop']],
    ['UPDATE', effect('database', '', { detail: 'write' }), ['approve database_write']],
    ['SELECT', effect('database', '', { detail: 'read' }), []],
    ['cloud delete', effect('cloud', '', { detail: 'delete' }), ['approve cloud_deletion']],
    ['cloud change', effect('cloud', '', { detail: 'change' }), ['approve cloud_change']],
    ['cloud read', effect('cloud', '', { detail: 'read' }), []],
    ['docker rm', effect('container', '', { detail: 'delete' }), ['approve container_deletion']],
    ['docker run', effect('container', '', { detail: 'run' }), []],
    ['privileged', effect('container', '', { detail: 'privileged' }), ['approve container_privileged']],
    ['deploy', effect('deploy'), ['approve deployment']],
    ['message', effect('message'), ['approve external_message']],
    // secrets and network
    ['a key', effect('secret', '~/.ssh/id_rsa', { detail: 'key' }), ['block secret_read']],
    ['/etc/shadow', effect('secret', '/etc/shadow', { detail: 'accounts' }), ['block secret_read']],
    ['.env', effect('secret', '.env', { detail: 'environment' }), ['approve workspace_secret_read']],
    [
      '.env of a neighbour',
      effect('secret', '../x/.env', { detail: 'environment' }),
      ['approve workspace_secret_read'],
    ],
    ['files by ending', effect('secret', '*.php', { detail: 'credentials' }), []],
    ['keys of a store', effect('secret', '', { detail: 'key' }), ['block secret_read']],
    ['the environment', effect('secret'), ['approve workspace_secret_read']],
    ['accounts', effect('read', '/etc/passwd'), ['approve sensitive_read']],
    ['names of logs', effect('read', '/var/log', { detail: 'list' }), []],
    ['a read outside', effect('read', '/srv/a'), []],
    [
      'a token of the environment out',
      effect('connect', 'host:evil.example', { origins: ['secret'] }),
      ['approve secret_exfiltration'],
    ],
    [
      'secrets in a message',
      effect('message', '', { origins: ['secret'] }),
      ['approve external_message', 'approve secret_exfiltration'],
    ],
    ['GET', effect('connect', 'host:example.com', { detail: 'GET' }), []],
    ['GET elsewhere', effect('connect', 'host:a.test', { detail: 'GET' }), ['approve host_not_listed']],
    ['GET of nobody knows', effect('connect', '', { detail: 'GET' }), []],
    ['a clone', effect('connect', 'host:a.test', { detail: 'git-fetch' }), ['approve host_not_listed']],
    ['metadata', effect('connect', 'host:169.254.169.254', { detail: 'GET' }), ['block metadata_service']],
    ['POST', effect('connect', 'host:example.com', { detail: 'POST' }), ['approve network_change']],
    ['POST to here', effect('connect', 'host:localhost', { detail: 'POST' }), []],
    ['POST to the network', effect('connect', 'host:10.0.0.7', { detail: 'POST' }), []],
    ['POST to nobody knows', effect('connect', '', { detail: 'POST' }), ['approve network_change']],
    ['upload to a neighbour', effect('connect', 'host:nas', { detail: 'upload' }), []],
    ['listen', effect('listen', 'name:8080', { detail: 'http' }), []],
    ['listen for all', effect('listen', 'host:0.0.0.0'), ['approve network_listener']],
    ['listen near', effect('listen', 'host:127.0.0.1'), []],
    // what stays behind
    ['crontab', effect('persist', '', { detail: 'cron' }), ['approve persistence']],
    ['a start file of nobody', effect('persist', '.bashrc', { detail: 'shell-start' }), []],
    ['a start file', effect('persist', '~/.bashrc', { detail: 'shell-start' }), ['approve persistence']],
    ['a hook', effect('persist', '.git/hooks/pre-commit', { detail: 'git-hook' }), ['approve persistence']],
    ['authorized_keys', effect('persist', '~/.ssh/authorized_keys'), ['block backdoor']],
    ['ld.so.preload', effect('write', '/etc/ld.so.preload'), ['block backdoor', 'approve outside_workspace']],
    ['/etc/passwd', effect('write', '/etc/passwd'), ['block system_file', 'approve outside_workspace']],
    ['the guard', effect('tamper', '~/.sallyport'), ['block guard_tampering']],
    [
      'apt remove',
      effect('package', 'name:nginx', { detail: 'remove', program: 'apt-get' }),
      ['approve package_removal'],
    ],
    [
      'npm uninstall',
      effect('package', 'name:x', { detail: 'remove', program: 'npm', reversible: true }),
      [],
    ],
    ['install', effect('package', 'name:x', { detail: 'install' }), []],
    // paths
    ['a write inside', effect('write', 'src/a.ts'), []],
    ['a write beside', effect('write', '../b/a.ts'), ['approve path_traversal']],
    ['a write to /srv', effect('write', '/srv/a'), ['approve outside_workspace']],
    ['a write to a temporary folder', effect('write', '/tmp/a'), []],
    ['a write to nobody knows', effect('write', '?'), ['approve outside_workspace']],
    ['nothing', effect('inert'), []],
  ])('%s', (_, one, expected) => {
    expect(summary(judge({ effects: [one] }))).toEqual(expected);
  });

  it('refuses to send what was read as a secret', () => {
    const effects = [
      effect('secret', '.env', { detail: 'environment' }),
      effect('connect', 'host:evil.example', { origins: ['secret'] }),
    ];
    expect(summary(judge({ effects }))).toEqual([
      'approve workspace_secret_read',
      'block secret_exfiltration',
    ]);
  });

  it('refuses to send the whole environment', () => {
    const printed = effect('inert', '', { program: 'env' });
    const sent = effect('connect', 'host:evil.example', { origins: ['secret'] });
    expect(summary(judge({ effects: [printed, sent] }))).toEqual(['block secret_exfiltration']);
    const invocations = [call('curl x', { through: ['env'], program: 'tool' })];
    expect(summary(judge({ effects: [printed, sent], invocations }))).toEqual([
      'approve secret_exfiltration',
    ]);
  });

  it('takes the strongest of several values', () => {
    const target: Target = { kind: 'path', path: { kind: 'choice', texts: ['dist', '/'] } };
    expect(summary(judge({ effects: [{ ...effect('delete', '', rm), target }] }))).toContain(
      'block mass_deletion',
    );
  });

  it('follows links out of the workspace, and deletes only the link', () => {
    const realPath = (path: string) => path.replace(/^\/home\/ann\/shop\/out/, '/srv/data');
    expect(summary(judge({ effects: [effect('write', 'out/a')] }, { realPath }))).toEqual([
      'approve symlink_escape',
    ]);
    expect(summary(judge({ effects: [effect('delete', 'out', rm)] }, { realPath }))).toEqual([]);
  });

  it('follows links to secrets, to start files and to the guard', () => {
    const leading = (to: string) => ({
      realPath: (path: string) => path.replace(/^\/home\/ann\/shop\/link/, to),
    });
    const found = (kind: EffectKind, to: string) =>
      summary(judge({ effects: [effect(kind, 'link')] }, leading(to)));
    expect(found('read', '/home/ann/.ssh/id_rsa')).toEqual(['block secret_read']);
    expect(found('read', '/home/ann/notes')).toEqual([]);
    expect(found('write', '/home/ann/.bashrc')).toEqual(['approve persistence', 'approve symlink_escape']);
    expect(found('write', '/home/ann/.sallyport/x')).toContain('block guard_tampering');
  });

  it('names the way out by what is written', () => {
    const given = { source: 'cp a /srv/a' };
    expect(summary(judge({ effects: [effect('write', '/srv/a')] }, given))).toEqual([
      'approve absolute_path',
    ]);
  });

  it('lets the allowlist of the workspace be written to', () => {
    const given = { allowed: ['/srv/site'] };
    expect(summary(judge({ effects: [effect('write', '/srv/site/a')] }, given))).toEqual([]);
    expect(summary(judge({ effects: [effect('delete', '/srv/site/a', rm)] }, given))).toEqual([
      'approve workspace_deletion',
    ]);
  });

  it('asks for what is not known and for what cannot be parsed', () => {
    const unknowns = [{ what: 'the program is not known', span: [0, 3] as const }];
    expect(summary(judge({ unknowns }))).toEqual(['approve unknown_command']);
    expect(summary(judge({ errors: ['a quote is open'] }))).toEqual(['approve unparsed_command']);
    expect(summary(judge({ unknowns, errors: ['x'] }, { profile: 'strict' }))).toEqual([
      'block unknown_command',
      'block unparsed_command',
    ]);
  });

  it('does not read the list of strict', () => {
    const effects = [effect('inert', '', { program: 'make' })];
    expect(summary(judge({ effects, invocations: [call('make test')] }))).toEqual([]);
  });

  it.each<[string, Invocation, readonly string[]]>([
    ['a program that nobody knows', call('frobnicate'), ['approve unknown_command']],
    ['a program in the table', call('known-tool'), []],
    ['a builtin', call('cd x', { builtin: true }), []],
    ['a wrapper', call('fakechroot ls'), []],
    ['a program that may start another', call('wrapper ls'), ['approve unknown_command']],
    ['a program of the project', call('./scripts/build'), []],
    ['a program elsewhere', call('/tmp/build'), ['approve unknown_command']],
    ['a known name elsewhere', call('/tmp/evil/ls'), ['approve unknown_command']],
    ['a version', call('frobnicate --version'), []],
    ['a shell that waits', call('bash'), ['approve unknown_command']],
  ])('knows or asks: %s', (_, invocation, expected) => {
    const effects = [effect('inert', '', { program: 'ls', through: ['fakechroot', 'wrapper'] })];
    expect(summary(judge({ effects, invocations: [invocation] }))).toEqual(expected);
  });
});

describe('strict', () => {
  const strict = { profile: 'strict' } as const;

  it.each<[string, Effect, readonly string[]]>([
    ['a read inside', effect('read', 'a.txt'), []],
    ['a read by ..', effect('read', '../a.txt'), ['block path_traversal']],
    ['a read by .. that stays', effect('read', 'src/../a.txt'), ['block path_traversal']],
    ['a read at home', effect('read', '~/a.txt'), ['block outside_workspace']],
    ['a read through /proc', effect('read', '/proc/self/root/srv/a'), ['block symlink_escape']],
    ['a temporary file', effect('write', '/tmp/a'), ['block outside_workspace']],
    ['a write to nobody knows', effect('write', '?'), ['block outside_workspace']],
    ['/dev/null', effect('write', '/dev/null'), []],
    ['a write inside', effect('write', 'a.txt'), []],
    ['a connection', effect('connect', 'host:example.com'), ['block network_not_allowed']],
    ['code not known', effect('run', '', { origins: ['unknown'] }), ['block unknown_code']],
    ['mass deletion', effect('delete', '/', rm), ['block mass_deletion', 'block outside_workspace']],
  ])('refuses %s', (_, one, expected) => {
    expect(summary(judge({ effects: [one] }, strict))).toEqual(expected);
  });

  it.each([
    ['cat a.txt', ''],
    ['ls -la', ''],
    ['/usr/bin/wc -l a', ''],
    ['find . -name x', ''],
    ['sort -n a', ''],
    ['git status', ''],
    ['git --no-pager log', ''],
    ['git diff HEAD', ''],
    ['apt-get update', ''],
    ['apt-get install -y ripgrep', ''],
    ['sed -n 1,10p a', ''],
    ['sed s/e/w/g a', ''],
    ['sed -nE s/e/w/p a', ''],
    ['sed -e 1d -e $!p a', ''],
    ['sed -n -e 1e a', 'flag_not_allowed'],
    ['sed -ne1e a', 'flag_not_allowed'],
    ['sed --expression=1e a', 'flag_not_allowed'],
    ['sed -nf script a', 'flag_not_allowed'],
    ['sed --file=script a', 'flag_not_allowed'],
    ['awk {print$1} a', ''],
    ['python3 script.py', ''],
    ['pip install requests', ''],
    ['curl x', 'command_not_allowed'],
    ['echo x', 'command_not_allowed'],
    ['./cat a', 'command_not_allowed'],
    ['/tmp/cat a', 'command_not_allowed unknown_command'],
    ['rm a', 'command_not_allowed'],
    ['rm -rf a', 'command_not_allowed flag_not_allowed'],
    ['rm -i a', 'command_not_allowed flag_not_allowed'],
    ['docker rm --force a', 'command_not_allowed flag_not_allowed'],
    ['git push', 'command_not_allowed'],
    ['git', 'command_not_allowed'],
    ['git -c core.pager=x log', 'flag_not_allowed'],
    ['git diff --output=x', 'flag_not_allowed'],
    ['git diff --ext-diff', 'flag_not_allowed'],
    ['find . -exec id ;', 'flag_not_allowed'],
    ['find . -delete', 'flag_not_allowed'],
    ['sort -o x a', 'flag_not_allowed'],
    ['sed -i s/a/b/ a', 'flag_not_allowed'],
    ['sed 1e a', 'flag_not_allowed'],
    ['sed s/a/b/e a', 'flag_not_allowed'],
    ['sed wx a', 'flag_not_allowed'],
    ['awk BEGIN{system("id")}', 'flag_not_allowed'],
    ['awk {print>"x"} a', 'flag_not_allowed'],
    ['awk -f x', 'flag_not_allowed'],
    ['apt-get remove x', 'command_not_allowed'],
    ['apt-get install ./x.deb', 'flag_not_allowed'],
    ['apt-get install -o x y', 'flag_not_allowed'],
    ['apt-get update --force-yes', 'flag_not_allowed'],
  ])('of %j it refuses %j', (command, expected) => {
    const { findings } = judge({ invocations: [call(command)] }, strict);
    expect(findings.map(({ rule }) => rule).join(' ')).toBe(expected);
    expect(findings.every(({ decision, layer }) => decision === 'block' && layer === 3)).toBe(true);
  });

  it.each<[string, Invocation, readonly string[]]>([
    ['a builtin', call('echo x', { builtin: true }), []],
    ['a builtin that runs code', call('eval x', { builtin: true }), ['block command_not_allowed']],
    ['a wrapper', call('ls', { through: ['sudo'] }), ['block command_not_allowed']],
    ['a call from Python', call('ls', { through: ['subprocess.run'] }), []],
    [
      'a command not known',
      call('x', { program: null, given: { kind: 'unknown' } }),
      ['block command_not_allowed'],
    ],
    ['an argument not known', call('find', { args: [{ kind: 'unknown' }] }), ['block flag_not_allowed']],
  ])('judges %s', (_, invocation, expected) => {
    expect(summary(judge({ invocations: [invocation] }, strict))).toEqual(expected);
  });
});

describe('the judgement', () => {
  it('names the segment, the rule, the layer and a way out', () => {
    const source = 'ls && rm -rf /';
    const { findings } = judge({ effects: [effect('delete', '/', { ...rm, span: [6, 14] })] }, { source });
    expect(findings).toEqual([
      {
        rule: 'mass_deletion',
        guard: 'command',
        decision: 'block',
        message: "Pattern 'rm -rf /' matches dangerous pattern 'mass_deletion': it deletes /",
        contract: 'AG-TOOL-4',
        layer: 1,
        pointer: '/command',
        span: [6, 14],
        suggestion: 'Delete by name what a rebuild restores, such as `rm -rf node_modules`.',
      },
    ]);
  });

  it('points into the source of a Python program', () => {
    const [finding] = judge({ effects: [effect('bomb')] }, { kind: 'python' }).findings;
    expect(finding?.pointer).toBe('/source');
  });

  it('offers grants for what is neither destructive nor on the closed list', () => {
    const invocations = [call('frobnicate')];
    const grants = (facts: Partial<Facts>) => judge(facts).findings.map(({ grant }) => grant);
    expect(grants({ effects: [effect('write', '/srv/a')] })).toEqual(['command write /srv/a']);
    expect(grants({ effects: [effect('secret', '.env', { detail: 'environment' })] })).toEqual([
      `command read ${workspace}/.env`,
    ]);
    expect(grants({ invocations })).toEqual(['command run frobnicate']);
    expect(grants({ effects: [effect('delete', '/srv/a')] })).toEqual([undefined]);
    expect(grants({ effects: [effect('git', '', { detail: 'push' })] })).toEqual([undefined]);
    expect(grants({ effects: [effect('write', '/srv/…')] })).toEqual([undefined]);
  });

  it('holds names and numbers and nothing of the arguments', () => {
    const facts = {
      effects: [effect('read', 'secret-plan'), effect('read', 'b'), effect('inert')],
      invocations: [call('cat secret-plan'), call('cat b'), call('ls'), call('x', { program: 'a b' })],
      unknowns: [{ what: 'x', span: [0, 1] as const }],
    };
    expect(judge(facts).facts).toEqual({
      programs: ['cat', 'ls'],
      class: 'run',
      effects: { inert: 1, read: 2 },
      unknowns: 1,
      errors: 0,
    });
  });

  it.each<[boolean, Partial<Facts>]>([
    [false, { effects: [effect('read', 'a'), effect('inert'), effect('connect', 'host:x.example')] }],
    [false, { effects: [effect('write', '/dev/null'), effect('database', '', { detail: 'read' })] }],
    [true, { effects: [effect('write', 'a')] }],
    [true, { effects: [effect('connect', 'host:x.example', { detail: 'POST' })] }],
    [true, { effects: [effect('run')] }],
    [true, { unknowns: [{ what: 'x', span: [0, 1] }] }],
    [true, { errors: ['x'] }],
  ])('has a side effect: %s', (expected, facts) => {
    expect(judge(facts).sideEffect).toBe(expected);
  });

  it('refuses changes in plan mode, and reads go on', () => {
    const plan = { mode: 'plan' } as const;
    expect(summary(judge({ effects: [effect('write', 'a')] }, plan))).toEqual(['block plan_mode_change']);
    expect(summary(judge({ effects: [effect('read', 'a')] }, plan))).toEqual([]);
  });

  it('asks when the budget is spent, and never passes', () => {
    const analyse = (): Facts => {
      throw new BudgetExceeded('spent');
    };
    const judgement = judge({}, { analyse });
    expect(summary(judgement)).toEqual(['approve unknown_command']);
    expect(judgement.sideEffect).toBe(true);
    expect(summary(judge({}, { analyse, profile: 'strict' }))).toEqual(['block unknown_command']);
  });

  it('throws what is not a budget, so that the path refuses', () => {
    const analyse = (): Facts => {
      throw new TypeError('a fault');
    };
    expect(() => judge({}, { analyse })).toThrow('a fault');
  });

  it('says a rule once for each segment, and keeps the strongest of very many', () => {
    const twice = [effect('delete', 'src', rm), effect('delete', 'docs', rm)];
    expect(summary(judge({ effects: twice }))).toEqual(['approve workspace_deletion']);
    const many = Array.from({ length: 100 }, (_, index) =>
      effect(index === 99 ? 'bomb' : 'deploy', '', { span: [index, index + 1] }),
    );
    const found = summary(judge({ effects: many }));
    expect([found.length, found[0]]).toEqual([32, 'block fork_bomb']);
  });

  it('shows a deceptive segment with its tricks made visible', () => {
    const source = 'rm -rf /\u202e#';
    const [finding] = judge(
      { effects: [effect('delete', '/', { ...rm, span: [0, 10] })] },
      { source },
    ).findings;
    expect(finding?.message).toContain('\\u{202e}');
  });

  it('knows that a folder above holds the workspace', () => {
    const above = { workspace: '/work/shop' };
    expect(summary(judge({ effects: [effect('delete', '..', rm)] }, above))).toEqual([
      'block mass_deletion',
      'approve path_traversal',
    ]);
    expect(summary(judge({ effects: [effect('read', '/work')] }, { ...above, profile: 'strict' }))).toEqual([
      'block outside_workspace',
    ]);
  });

  it('starts where the action says', () => {
    const inTemporary = { cwd: '/tmp/x' };
    expect(summary(judge({ effects: [effect('delete', '*', rm)] }, inTemporary))).toEqual([]);
    expect(summary(judge({ effects: [effect('delete', '*', rm)] }, { cwd: 'src' }))).toEqual([
      'approve workspace_deletion',
    ]);
  });
});

describe('the tool error', () => {
  it('is exactly the form of the behaviour', () => {
    const [finding] = judge(
      { effects: [effect('delete', '/', { ...rm, span: [0, 8] })] },
      { source: 'rm -rf /' },
    ).findings;
    expect(JSON.stringify(commandError(finding!))).toBe(
      '{"error":"Command blocked by safety rule: Pattern \'rm -rf /\' matches dangerous pattern \'mass_deletion\'","rule":"mass_deletion","layer":1}',
    );
  });

  it.each([
    [
      { effects: [effect('read', '../a', { span: [0, 8] as const })] },
      'cat ../a',
      {
        error: "Command blocked by safety rule: Path '../a' violates path rule 'path_traversal'",
        rule: 'path_traversal',
        layer: 2,
      },
    ],
    [
      { invocations: [call('curl x')] },
      'curl x',
      {
        error: "Command blocked by safety rule: Command 'curl' violates command rule 'command_not_allowed'",
        rule: 'command_not_allowed',
        layer: 3,
      },
    ],
    [
      { invocations: [call('find . -delete')] },
      'find . -delete',
      {
        error: "Command blocked by safety rule: Flag '-delete' violates flag rule 'flag_not_allowed'",
        rule: 'flag_not_allowed',
        layer: 3,
      },
    ],
  ])('has a sentence of its own for the other layers', (facts, source, expected) => {
    const [finding] = judge(facts, { source, profile: 'strict' }).findings;
    expect(commandError(finding!)).toEqual(expected);
  });

  it('tells a finding of the path whole', () => {
    expect(commandError({ rule: 'no_guard', guard: 'path', decision: 'block', message: 'no guard' })).toEqual(
      {
        error: 'Command blocked by safety rule: no guard',
        rule: 'no_guard',
      },
    );
  });
});

describe('the rules', () => {
  const { rules } = commandGuard;

  it('have unique ids, a layer, a suggestion where they refuse, and examples of both sides', () => {
    const ids = rules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const rule of rules) {
      expect([rule.id, 'layer' in rule]).toEqual([rule.id, true]);
      expect([rule.id, rule.decision === 'block' && rule.suggestion === undefined]).toEqual([rule.id, false]);
      expect([rule.id, rule.examples.hit.length > 1, rule.examples.miss.length > 1]).toEqual([
        rule.id,
        true,
        true,
      ]);
    }
  });

  it('hold every name of the behaviour', () => {
    const ids = rules.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([
        ...['mass_deletion', 'raw_disk_write', 'filesystem_format', 'direct_disk_write'],
        ...[
          'remote_code_execution',
          'world_writable',
          'privilege_escalation',
          'firewall',
          'shutdown',
          'reboot',
        ],
        ...['force_kill', 'path_traversal', 'absolute_path', 'outside_workspace', 'symlink_escape'],
        ...['command_not_allowed', 'flag_not_allowed'],
      ]),
    );
  });
});

it.each([
  ['777', true, false],
  ['0777', true, false],
  ['0o777', true, false],
  ['666', true, false],
  ['772', true, false],
  ['1777', false, false],
  ['755', false, false],
  ['4755', false, true],
  ['2755', false, false],
  ['a+rwx', true, false],
  ['o+w', true, false],
  ['o=rw', true, false],
  ['u+x,o+w', true, false],
  ['ugo+w', true, false],
  ['o-w', false, false],
  ['+x', false, false],
  ['+s', false, true],
  ['u+s', false, true],
  ['g+s', false, false],
  ['acl o::rwx', true, false],
  ['acl u:bob:rwx', false, false],
  ['', false, false],
])('of the mode %j everybody writes: %s, the owner lends rights: %s', (mode, worldWrites, setsUser) => {
  expect(modeOf(mode)).toEqual({ worldWrites, setsUser });
});

it.each([
  ['', true],
  ['p', true],
  ['1,10p', true],
  ['$!d', true],
  ['/a/,/b/d', true],
  ['\\,a,d', true],
  ['0~3d', true],
  ['s/a/b/g', true],
  ['s|/e|/w|', true],
  ['s/[/]/w/', true],
  ['s/a\\/e/b/', true],
  ['/x/{s/a/b/;p}', true],
  [':a;N;$!ba;s/\\n/ /g', true],
  ['1i\\\nw text', true],
  ['y/abc/wer/', true],
  ['1e', false],
  ['e id', false],
  ['s/a/b/e', false],
  ['s/a/b/gw out', false],
  ['w out', false],
  ['1r /etc/passwd', false],
  ['p;w out', false],
  ['/x/{w out', false],
  ['$!N;W out', false],
  ['s/a/b', false],
  ['k', false],
])('the script %j of sed only edits: %s', (script, expected) => {
  expect(onlyEdits(script)).toBe(expected);
});

describe('load', () => {
  // A plain shell command loads nothing of the other languages: the hook path pays for what it uses.
  /** The modules of this guard that a fresh process loads to judge a command. */
  function loadedFor(command: string): readonly string[] {
    const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createDryDecider, realWorld } = await import('./src/decide/index.ts');
    const { configOf, settingsFrom } = await import('./src/config/index.ts');
    const config = configOf(() => settingsFrom({}));
    const decider = createDryDecider({ config, world: realWorld() });
    const context = { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: '/', mode: 'auto' };
    await decider.decide({ kind: 'shell', command: ${JSON.stringify(command)} }, context);
    console.log(JSON.stringify(loaded));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return (JSON.parse(stdout) as string[]).flatMap((url) => url.split('/src/guards/command/')[1] ?? []);
  }

  describe('a shell command', () => {
    it('loads no other language', () => {
      const loaded = loadedFor('git status && rm -rf build | tee log');
      expect(loaded).toContain('bash/evaluate.ts');
      expect(loaded.filter((file) => /^(?:python|javascript|script)\//.test(file))).toEqual([]);
    });

    it('loads Python for Python, and then no JavaScript', () => {
      const loaded = loadedFor("python3 -c 'print(1)'");
      expect(loaded).toContain('python/lower.ts');
      expect(loaded.filter((file) => file.startsWith('javascript/'))).toEqual([]);
    });
  });
});
