// Settings of git: those whose value it runs, given once or kept.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  type Reading,
  read,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { git, type Subcommand } from './work.ts';

/** Settings whose value git runs, or loads other settings from. */
const runningSettings =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand)|sequence\.editor|alias\..*|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|(?:diff|merge)tool\..*\.(?:cmd|path)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand|uploadpack\.packobjectshook|protocol\.(?:.*\.)?allow|include(?:if\..*)?\.path|remote\..*\.(?:uploadpack|receivepack|vcs|proxy)|(?:browser|man)\..*\.(?:cmd|path)|interactive\.difffilter|init\.templatedir|trailer\..*\.(?:command|cmd)|sendemail\..*cmd|submodule\..*\.update|ssh\.variant|http\..*\.?proxy|receive\.procreceiverefs|imap\.tunnel|help\.browser|web\.browser|instaweb\..*|guitool\..*\.cmd|url\..*\.insteadof|lfs\.(?:customtransfer\..*\.path|extension\..*\.(?:clean|smudge)))$/i;

/** Values that run nothing of note. A shell reads most of them, so a word of theirs has nothing in it that a shell heeds. */
const harmlessValues =
  /^(?:|true|false|cat|less(?: -[\w=,.%#+-]+)*|more|delta|diff-so-fancy(?: \| less(?: -[\w=,.+-]+)*)?|bat(?: [\w=,./+-]+)*|vim?|nvim|nano|emacs(?:client)?(?: -[\w=-]+)*|ed|code(?: --?\w+)*|subl(?: -[\w-]+)*|:|store|cache(?: --timeout[= ]\d+)?|osxkeychain|manager(?:-core)?|wincred|libsecret|!(?:\/(?:usr\/(?:local\/)?|opt\/homebrew\/)bin\/)?gh auth git-credential|!aws codecommit credential-helper \$@|gpg2?|never|always|user|ssh(?: -(?:[iplF] ?[\w@%./:=~+-]+|[vqTCAnx46]+|o ?(?!\w*Command)[\w@%./:=~+-]+))*|git-lfs (?:clean|smudge)(?: --skip)? -- %f|git-lfs filter-process(?: --skip)?|\.husky(?:\/_)?|\.githooks)$/;

/** Whether a setting of this value has git run something. */
export function settingRuns(key: string, value: Value | undefined): boolean {
  if (!runningSettings.test(key)) return false;
  const text = value ? textOf(value) : '';
  if (/^alias\./i.test(key)) return text === null || text.startsWith('!');
  if (/^protocol\.(?:.*\.)?allow$/i.test(key)) return text === null || text === 'always' || text === 'user';
  if (/insteadof$/i.test(key)) return false;
  if (/^submodule\..*\.update$/i.test(key)) return text === null || text.startsWith('!');
  return text === null || !harmlessValues.test(text);
}

/** Settings given on the command line, as `-c key=value` or `--config-env=key=VARIABLE`. */
export function givenSettings(call: Call, reading: Reading): readonly Effect[] {
  return reading.all('c', 'config-env').flatMap((setting) => {
    const text = beginningOf(setting);
    const equals = text.indexOf('=');
    const key = equals < 0 ? text : text.slice(0, equals);
    const value = equals < 0 ? literal('true') : mapValue(setting, (whole) => whole.slice(equals + 1));
    const unknown = setting.kind === 'unknown';
    const fromEnvironment = reading.all('config-env').includes(setting);
    if (!unknown && !settingRuns(key, fromEnvironment ? unknownValue : value)) return [];
    return [effect(call, 'run', { detail: 'git-config', target: nameTarget(setting) })];
  });
}

const configOptions = options(
  'global system local worktree f/file= blob= get get-all get-regexp get-urlmatch= get-color get-colorbool replace-all add unset unset-all rename-section remove-section l/list type= bool int bool-or-int path z name-only includes no-includes show-origin show-scope default= e/edit t= comment= value= fixed-value all',
);

const config: Subcommand = (work) => {
  const given = configOptions(work.args);
  const verb = textOf(given.operands[0] ?? literal('list'));
  const modern = verb !== null && /^(?:list|get|set|unset|rename-section|remove-section|edit)$/.test(verb);
  const rest = modern ? given.operands.slice(1) : given.operands;
  const [key, value] = rest;
  const scope = given.has('global', 'system') ? 'config-global' : 'config';
  const file = given.last('file');
  if (given.has('edit') || verb === 'edit') return [git(work, scope)];
  if (
    given.has('get', 'get-all', 'get-regexp', 'get-urlmatch', 'list', 'get-color', 'get-colorbool') ||
    (modern && (verb === 'get' || verb === 'list')) ||
    (!modern &&
      !given.has('unset', 'unset-all', 'add', 'replace-all', 'rename-section', 'remove-section') &&
      value === undefined)
  )
    return orInert(work.call, file ? read(work.call, file) : []);
  const target = nameTarget(key);
  const effects: Effect[] = [
    git(work, scope, { target, reversible: true }),
    ...(file ? write(work.call, file, { detail: 'edit' }) : []),
  ];
  const removes =
    given.has('unset', 'unset-all', 'remove-section') || verb === 'unset' || verb === 'remove-section';
  if (!removes && (key === undefined || key.kind !== 'literal' || settingRuns(key.text, value)))
    effects.push(
      effect(work.call, 'run', { detail: 'git-config', target }),
      effect(work.call, 'persist', { detail: 'git-hook', target }),
    );
  return effects;
};

const credential: Subcommand = (work) =>
  textOf(work.args[0] ?? unknownValue) === 'fill' || /^credential-/.test(work.name)
    ? [effect(work.call, 'secret', { detail: 'credentials' })]
    : [git(work, 'config')];

/** What changes settings, or hands out what they keep. */
export const settingSubcommands: Readonly<Record<string, Subcommand>> = {
  config,
  credential,
  'credential-store': credential,
  'credential-cache': credential,
  maintenance: (work) =>
    textOf(work.args[0] ?? unknownValue) === 'start'
      ? [git(work, 'config-global'), effect(work.call, 'persist', { detail: 'cron' })]
      : [git(work, 'gc', { reversible: true })],
};
