// Settings of git: those whose value it runs, given once or kept.

import { type Inner, shellCode } from '../../../bash/executors/inner.ts';
import { knownText, singleText, type Text } from '../../../bash/values.ts';
import type { Effect, Value } from '../../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  mapValue,
  nameTarget,
  read,
  textOf,
  unknownValue,
  write,
} from '../../../tools/tool.ts';
import type { Given } from '../../card.ts';
import { each, forAll, same } from '../../examples.ts';
import { git, type Part, runs } from './part.ts';

/** Settings whose value git runs as a command. */
const commands =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|diff\..*\.(?:textconv|command)|filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|(?:diff|merge)tool\..*\.cmd|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|(?:browser|man)\..*\.cmd|interactive\.difffilter|uploadpack\.packobjectshook|trailer\..*\.(?:command|cmd)|sendemail\.(?:sendmailcmd|tocmd|cccmd)|remote\..*\.(?:uploadpack|receivepack))$/i;

/** Further ones whose value it runs in other ways, loads settings or hooks from, or lets others run. */
const others =
  /^(?:core\.hookspath|alias\..*|(?:diff|merge)tool\..*\.path|gpg\.ssh\.defaultkeycommand|protocol\.(?:.*\.)?allow|include(?:if\..*)?\.path|remote\..*\.(?:vcs|proxy)|(?:browser|man)\..*\.path|init\.templatedir|sendemail\..*cmd|submodule\..*\.update|ssh\.variant|http\..*\.?proxy|receive\.procreceiverefs|imap\.tunnel|help\.browser|web\.browser|instaweb\..*|guitool\..*\.cmd|lfs\.(?:customtransfer\..*\.path|extension\..*\.(?:clean|smudge)))$/i;

/** Values that run nothing of note. A shell reads most of them, so a word of theirs has nothing in it that a shell heeds. */
const harmlessValues =
  /^(?:|true|false|cat|less(?: -[\w=,.%#+-]+)*|more|delta|diff-so-fancy(?: \| less(?: -[\w=,.+-]+)*)?|bat(?: [\w=,./+-]+)*|vim?|nvim|nano|emacs(?:client)?(?: -[\w=-]+)*|ed|code(?: --?\w+)*|subl(?: -[\w-]+)*|:|store|cache(?: --timeout[= ]\d+)?|osxkeychain|manager(?:-core)?|wincred|libsecret|!(?:\/(?:usr\/(?:local\/)?|opt\/homebrew\/)bin\/)?gh auth git-credential|!aws codecommit credential-helper \$@|gpg2?|never|always|user|ssh(?: -(?:[iplF] ?[\w@%./:=~+-]+|[vqTCAnx46]+|o ?(?!\w*Command)[\w@%./:=~+-]+))*|git-lfs (?:clean|smudge)(?: --skip)? -- %f|git-lfs filter-process(?: --skip)?|\.husky(?:\/_)?|\.githooks)$/;

/** Whether a setting of this value has git run something. */
export function settingRuns(key: string, value: Value | undefined): boolean {
  if (!commands.test(key) && !others.test(key)) return false;
  const text = value ? textOf(value) : '';
  if (/^(?:alias\.|submodule\..*\.update$)/i.test(key)) return text === null || text.startsWith('!');
  if (/^protocol\.(?:.*\.)?allow$/i.test(key)) return text === null || /^(?:always|user)$/.test(text);
  return text === null || !harmlessValues.test(text);
}

/** What git starts for a setting. */
function commandIn(key: string, value: string): readonly Inner[] {
  if (!commands.test(key) || value === '') return [];
  if (/^core\.fsmonitor$/i.test(key) && /^(?:true|false)$/.test(value)) return [];
  // A helper is the name of one of git's own, a path, or a command.
  if (/helper$/i.test(key) && !/^!|\//.test(value)) return [];
  return [shellCode(knownText(value.replace(/^!/, '')))];
}

/** The key and the value of each text that `key=value` may be. */
export function settingsIn(text: Text): readonly (readonly [key: string, value: string])[] {
  return text.alternatives.map((one) => {
    const equals = one.indexOf('=');
    return equals < 0 ? [one, ''] : [one.slice(0, equals), one.slice(equals + 1)];
  });
}

/** What git starts for settings that are given as `key=value`. */
export function startedBy(settings: readonly Text[]): readonly Inner[] {
  return settings.flatMap((setting) => settingsIn(setting).flatMap(([key, value]) => commandIn(key, value)));
}

/** The effects of settings that are given as `key=value`. */
export function runBySettings(call: Call, settings: readonly Value[], known = true): readonly Effect[] {
  return settings
    .filter((setting) => {
      const text = beginningOf(setting);
      const equals = text.indexOf('=');
      if (equals < 0) return setting.kind === 'unknown';
      const value = known ? mapValue(setting, (whole) => whole.slice(equals + 1)) : unknownValue;
      return settingRuns(text.slice(0, equals), value);
    })
    .map((setting) => runs(call, 'git-config', setting));
}

const configOptions =
  'global system local worktree f/file= blob= get get-all get-regexp get-urlmatch= get-color get-colorbool replace-all add unset unset-all rename-section remove-section l/list type= bool int bool-or-int path z name-only includes no-includes show-origin show-scope default= e/edit t= comment= value= fixed-value all';

/** Whether a call of `git config` only shows settings. */
function shows(given: Given<unknown>): boolean {
  const reads = ['get', 'get-all', 'get-regexp', 'get-urlmatch', 'list', 'get-color', 'get-colorbool'];
  if (given.verb === 'config list' || given.has(...reads)) return true;
  const changes = ['unset', 'unset-all', 'add', 'replace-all', 'rename-section', 'remove-section'];
  return given.verb === 'config' && given.operands.length < 2 && !given.has(...changes);
}

function removes(given: Given<unknown>): boolean {
  return given.verb === 'config unset' || given.has('unset', 'unset-all', 'remove-section');
}

const configVerbs = ['config', 'config list', 'config set', 'config unset', 'config edit'];

export const settings: Part = {
  verbs: {
    config: configOptions,
    'config list | config get': configOptions,
    'config set | config rename-section': configOptions,
    'config unset | config remove-section': configOptions,
    'config edit': configOptions,
    credential: '',
    'credential fill | credential-store | credential-cache': '',
    maintenance: '',
    'maintenance start': '',
  },
  verbReadings: {
    ...forAll(['config', 'config list', 'config set', 'config unset', 'config edit'], {
      valued: 'f file blob get-urlmatch type default t comment value',
      flags:
        'global system local worktree get get-all get-regexp get-color get-colorbool replace-all add unset unset-all rename-section remove-section l list bool int bool-or-int path z name-only includes no-includes show-origin show-scope e edit fixed-value all',
    }),
  },
  facts: [
    {
      what: 'shows and changes settings',
      verbs: configVerbs,
      effects: (call, given) => {
        const anywhere = [given, given.before];
        const scope = anywhere.some((one) => one.has('global', 'system')) ? 'config-global' : 'config';
        const file = given.last('file') ?? given.before.last('file');
        if (given.has('edit') || given.verb === 'config edit') return [git(call, scope)];
        if (shows(given)) return file ? read(call, file) : [];
        const target = nameTarget(given.operands[0]);
        return [
          git(call, scope, { target, reversible: true }),
          ...(file ? write(call, file, { detail: 'edit' }) : []),
        ];
      },
      examples: {
        hit: {
          ...same('git (config)', 'git config -e', 'git config --edit', 'git config edit'),
          'git config --global edit': 'git (config-global)',
          ...same(
            'git a.b (config) reversible',
            'git config a.b c',
            'git config set a.b c',
            'git config set a.b',
            'git config unset a.b',
            'git config rename-section a.b c',
            'git config remove-section a.b',
            ...each(
              'git config % a.b',
              '--unset --unset-all --add --replace-all --rename-section --remove-section',
            ),
          ),
          ...same(
            'git a.b (config-global) reversible',
            'git config --global a.b c',
            'git config --system set a.b c',
          ),
          'git config -f x a.b c': 'git a.b (config) reversible; write x (edit)',
          'git config --file x --get a.b': 'read x',
          'git config --file x list': 'read x',
        },
        miss: [
          'git config',
          'git config a.b',
          'git config list',
          'git config get a.b',
          ...each(
            'git config % a.b c',
            '--get --get-all --get-regexp --get-urlmatch=x -l --list --get-color --get-colorbool',
          ),
        ],
      },
    },
    {
      what: 'keeps a setting that it runs',
      verbs: configVerbs,
      effects: (call, given) => {
        const [key, value] = given.operands;
        if (given.has('edit') || given.verb === 'config edit' || shows(given) || removes(given)) return [];
        if (key?.kind === 'literal' && !settingRuns(key.text, value)) return [];
        const target = nameTarget(key);
        return [runs(call, 'git-config', key), effect(call, 'persist', { detail: 'git-hook', target })];
      },
      starts: (_, given) => {
        if (shows(given) || removes(given)) return [];
        const [key, value] = given.operands.map(singleText);
        const alias = /^alias\./i.test(key ?? '') && value?.startsWith('!') === true;
        return alias ? [shellCode(knownText(value.slice(1)))] : commandIn(key ?? '', value ?? '');
      },
      examples: {
        hit: {
          'git config core.hooksPath /tmp/x':
            'run core.hooksPath (git-config); persist core.hooksPath (git-hook)',
          'git config set core.hooksPath x':
            'run core.hooksPath (git-config); persist core.hooksPath (git-hook)',
          "git config --global alias.x '!ls -l'":
            'run alias.x (git-config); persist alias.x (git-hook); shell code: ls -l',
          'git config core.pager ls':
            'run core.pager (git-config); persist core.pager (git-hook); shell code: ls',
          'git config core.pager cat': 'shell code: cat',
          'git config $KEY x': 'run … (git-config); persist … (git-hook)',
          'git config core.pager $VALUE':
            'run core.pager (git-config); persist core.pager (git-hook); shell code: …',
        },
        miss: [
          'git config user.name x',
          'git config alias.st status',
          'git config --unset core.pager ls',
          'git config --unset-all core.pager ls',
          'git config unset core.pager ls',
          'git config --remove-section core.pager ls',
          'git config remove-section core.pager ls',
          'git config --get core.pager ls',
          'git config -e core.hooksPath ls',
          'git config edit',
          'git config set core.pager',
        ],
      },
    },
    {
      what: 'runs settings that are given for this call',
      effects: (call, { before }) => [
        ...runBySettings(call, before.all('c')),
        ...runBySettings(call, before.all('config-env'), false),
      ],
      starts: (_, { before }) => {
        const settings = before.all('c');
        const hooks = settings.flatMap(settingsIn).filter(([key]) => /^core\.hookspath$/i.test(key));
        return [...startedBy(settings), ...hooks.map((): Inner => ({ kind: 'unknown' }))];
      },
      examples: {
        hit: {
          ...Object.fromEntries(
            [
              ...'core.pager core.editor core.sshCommand core.fsmonitor core.askPass core.gitProxy core.alternateRefsCommand pager.log sequence.editor diff.external diff.x.textconv diff.x.command filter.x.clean filter.x.smudge filter.x.process merge.x.driver difftool.x.cmd mergetool.x.cmd gpg.program gpg.x.program browser.x.cmd man.x.cmd interactive.diffFilter uploadpack.packObjectsHook trailer.x.command trailer.x.cmd sendemail.sendmailCmd sendemail.toCmd sendemail.ccCmd remote.x.uploadpack remote.x.receivepack'.split(
                ' ',
              ),
            ].map((key) => [`git -c ${key}=ls log`, `run ${key}=ls (git-config); shell code: ls`]),
          ),
          ...Object.fromEntries(
            'difftool.x.path mergetool.x.path gpg.ssh.defaultKeyCommand include.path includeIf.x.path remote.x.vcs remote.x.proxy browser.x.path man.x.path init.templateDir sendemail.xcmd ssh.variant http.x.proxy receive.procReceiveRefs imap.tunnel help.browser web.browser instaweb.httpd guitool.x.cmd lfs.customtransfer.x.path lfs.extension.x.clean lfs.extension.x.smudge'
              .split(' ')
              .map((key) => [`git -c ${key}=ls log`, `run ${key}=ls (git-config)`]),
          ),
          ...Object.fromEntries(
            'protocol.allow=always protocol.ext.allow=user protocol.ext.allow=$HOW submodule.x.update=!ls submodule.x.update=$HOW alias.x=$HOW'
              .split(' ')
              .map((given) => [`git -c ${given} log`, `run ${given.replace('$HOW', '…')} (git-config)`]),
          ),
          ...Object.fromEntries(
            ['helper=!ls', 'https://h.example.helper=!ls'].map((given) => [
              `git -c credential.${given} fetch`,
              `run credential.${given} (git-config); shell code: ls`,
            ]),
          ),
          'git -c credential.helper=/a/b fetch': 'run credential.helper=/a/b (git-config); shell code: /a/b',
          'git -c credential.helper=other fetch': 'run credential.helper=other (git-config)',
          'git -c credential.helper=!/bin/gh fetch':
            'run credential.helper=!/bin/gh (git-config); shell code: /bin/gh',
          'git -c core.hooksPath=h commit': 'run core.hooksPath=h (git-config); unknown',
          'git -c alias.x=!ls log': 'run alias.x=!ls (git-config)',
          'git -c $SETTING log': 'run … (git-config)',
          'git --config-env=core.pager=PAGER log': 'run core.pager=PAGER (git-config)',
          'git --config-env core.pager=less log': 'run core.pager=less (git-config)',
          'git -c core.hooksPath commit': 'unknown',
          ...Object.fromEntries(
            [
              ...['cat', 'less', 'less -R -x4', 'more', 'delta', 'diff-so-fancy', 'diff-so-fancy | less -R'],
              ...[
                'bat',
                'bat -p --plain',
                'vi',
                'vim',
                'nvim',
                'nano',
                'emacs',
                'emacsclient -t',
                'ed',
                'code',
              ],
              ...[
                'code --wait',
                'subl',
                'subl -n -w',
                ':',
                'store',
                'cache',
                'cache --timeout=60',
                'osxkeychain',
              ],
              ...[
                'cache --timeout 60',
                'manager',
                'manager-core',
                'wincred',
                'libsecret',
                'gpg',
                'gpg2',
                'never',
              ],
              ...['always', 'user', 'ssh', 'ssh -i k -p 22 -l a -F f', 'ssh -vq46', 'ssh -o BatchMode=yes'],
              ...[
                'git-lfs clean -- %f',
                'git-lfs smudge --skip -- %f',
                'git-lfs filter-process',
                'ssh -T -C -A -n -x',
              ],
              ...['git-lfs filter-process --skip', '.husky', '.husky/_', '.githooks', 'true', 'false'],
            ].map((value) => [`git -c core.pager='${value}' log`, `shell code: ${value}`]),
          ),
          ...Object.fromEntries(
            [
              ...['gh auth git-credential', '/usr/bin/gh auth git-credential'],
              ...['/usr/local/bin/gh auth git-credential', '/opt/homebrew/bin/gh auth git-credential'],
              'aws codecommit credential-helper $@',
            ].map((value) => [`git -c credential.helper='!${value}' fetch`, `shell code: ${value}`]),
          ),
          "git -c core.sshCommand='ssh -o ProxyCommand=x' fetch":
            "run 'core.sshCommand=ssh -o ProxyCommand=x' (git-config); shell code: ssh -o ProxyCommand=x",
        },
        miss: [
          'git -c user.name=x log',
          'git -c core.pager= log',
          'git -c core.pager log',
          'git -c core.fsmonitor=true log',
          'git -c core.fsmonitor=false log',
          'git -c alias.x=log x',
          'git -c protocol.ext.allow=never log',
          'git -c submodule.x.update=rebase log',
          'git -c credential.helper=store log',
          'git -c url.x.insteadOf=y log',
          'git log -c core.pager=ls',
        ],
      },
    },
    {
      what: 'shows a header with which a server knows the user',
      effects: (call) => {
        const words = call.args.map(beginningOf);
        const at = words.indexOf('config');
        return at >= 0 &&
          words.slice(at).some((word) => /^http\..*extraheader$/i.test(word)) &&
          words.length === at + 3
          ? [effect(call, 'secret', { detail: 'credentials' })]
          : [];
      },
      examples: {
        hit: same('secret (credentials)', 'git config --get-all http.https://h.example/.extraheader'),
        miss: ['git config --get user.name', 'git config --list'],
      },
    },
    {
      what: 'shows stored passwords, or changes them',
      verbs: ['credential', 'credential fill'],
      effects: (call, given) =>
        given.verb === 'credential fill'
          ? [effect(call, 'secret', { detail: 'credentials' })]
          : [git(call, 'config')],
      examples: {
        hit: {
          ...same(
            'secret (credentials)',
            'git credential fill',
            'git credential-store get',
            'git credential-cache get',
          ),
          ...same('git (config)', 'git credential', 'git credential approve', 'git credential $WHAT'),
        },
        miss: ['git config --list'],
      },
    },
    {
      what: 'tidies up, once or again and again',
      verbs: ['maintenance', 'maintenance start'],
      effects: (call, given) =>
        given.verb === 'maintenance'
          ? [git(call, 'gc', { reversible: true })]
          : [git(call, 'config-global'), effect(call, 'persist', { detail: 'cron' })],
      examples: {
        hit: {
          'git maintenance run': 'git (gc) reversible',
          'git maintenance start': 'git (config-global); persist (cron)',
        },
        miss: ['git log'],
      },
    },
  ],
};
