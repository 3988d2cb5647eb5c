// What git sends to remotes and takes from them.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  pathTarget,
  textOf,
  unknownValue,
  within,
  write,
} from '../tool.ts';
import { settingRuns } from './settings.ts';
import { git, type Subcommand, type Work } from './work.ts';

const pushOptions = options(
  'f/force force-with-lease? force-if-includes mirror delete/d prune all/branches tags follow-tags n/dry-run u/set-upstream o/push-option= repo= receive-pack/exec= no-verify atomic q v porcelain progress signed? recurse-submodules= thin no-force-with-lease 4 6',
);

const push: Subcommand = (work) => {
  const given = pushOptions(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const [remote, ...refs] = given.has('repo') ? [given.last('repo'), ...given.operands] : given.operands;
  const effects: Effect[] = [];
  if (remote) effects.push(...contact(work, remote, 'push'));
  if (given.has('receive-pack'))
    effects.push(
      effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(given.last('receive-pack')) }),
    );
  const named = refs.length > 0 ? refs : [undefined];
  for (const ref of named) {
    const text = ref ? beginningOf(ref) : '';
    const target = nameTarget(ref ?? remote);
    if (given.has('delete') || /^\+?:./.test(text))
      effects.push(git(work, 'push-delete', { target, force: true }));
    else if (given.has('mirror'))
      effects.push(git(work, 'force-push', { target, force: true, recursive: true }));
    else if (given.has('force') || text.startsWith('+'))
      effects.push(git(work, 'force-push', { target, force: true }));
    else if (given.has('force-with-lease'))
      effects.push(git(work, 'force-push-lease', { target, force: true }));
    else if (given.has('prune'))
      effects.push(git(work, 'push-delete', { target, force: true, recursive: true }));
    else effects.push(git(work, 'push', { target }));
  }
  return effects;
};

/** What a template holds becomes hooks of the repository. */
function hooksFrom(work: Work, path: Value): Effect {
  return effect(work.call, 'run', { detail: 'git-helper', target: pathTarget(path) });
}

/** A remote that is a URL is a host; one through `ext::` is a command. */
export function contact(work: Work, remote: Value, detail: string): readonly Effect[] {
  const text = beginningOf(remote);
  if (/^ext::/.test(text))
    return [effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(remote) })];
  if (/^file:\/\//.test(text)) return [];
  if (/:\/\//.test(text) || /^[\w.-]+@[\w.-]+:/.test(text)) {
    const address = /:\/\//.test(text)
      ? remote
      : mapValue(remote, (whole) => `ssh://${whole.replace(':', '/')}`);
    return [effect(work.call, 'connect', { target: hostTarget(hostOf(address)), detail: `git-${detail}` })];
  }
  return [];
}

const fetchOptions = options(
  'upload-pack/u= o/origin= b/branch= depth= reference= separate-git-dir= template= c/config= j/jobs= shallow-since= shallow-exclude= filter= server-option= f/force p/prune P/prune-tags t/tags a/append all n/no-tags q v k 4 6 recurse-submodules? bare mirror l/local s/shared no-checkout single-branch no-hardlinks rebase? r? ff-only no-rebase no-ff ff squash autostash X/strategy-option= s/strategy= dry-run set-upstream unshallow update-head-ok revision= bundle-uri= no-edit commit no-commit allow-unrelated-histories h heads get-url exit-code symref refs sort= refmap= negotiation-tip= deepen=',
);

const obtain: Subcommand = (work) => {
  const given = fetchOptions(work.args);
  const [remote, second] = given.operands;
  const effects: Effect[] = remote ? [...contact(work, remote, 'fetch')] : [];
  if (given.has('upload-pack') && work.name !== 'pull')
    effects.push(
      effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(given.last('upload-pack')) }),
    );
  if (work.name === 'clone') {
    effects.push(...given.all('template').map((path) => hooksFrom(work, path)));
    for (const setting of given.all('config')) {
      const text = beginningOf(setting);
      const equals = text.indexOf('=');
      if (
        equals > 0 &&
        settingRuns(
          text.slice(0, equals),
          mapValue(setting, (whole) => whole.slice(equals + 1)),
        )
      )
        effects.push(effect(work.call, 'run', { detail: 'git-config', target: nameTarget(setting) }));
    }
    const name = textOf(remote ?? unknownValue)
      ?.replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1);
    const folder = second ?? (name ? literal(name) : unknownValue);
    effects.push(
      ...write(work.call, within(work.folder, folder), { detail: 'create', origins: ['network'] }),
    );
  }
  effects.push(
    git(work, work.name === 'pull' ? 'pull' : 'fetch', {
      ...(remote ? { target: nameTarget(remote) } : {}),
      reversible: true,
    }),
  );
  return effects;
};

const submodule: Subcommand = (work) => {
  const given = options(
    'f/force all init recursive remote b/branch= name= depth= reference= q cached files j/jobs= merge rebase checkout',
  )(work.args);
  const [verb, ...rest] = given.operands;
  switch (textOf(verb ?? literal('status'))) {
    case 'deinit':
      return [
        git(work, 'submodule-deinit', {
          target: nameTarget(rest[0]),
          force: given.has('force'),
          recursive: given.has('all'),
        }),
      ];
    case 'update':
    case 'init':
    case 'sync':
    case 'absorbgitdirs':
      return [git(work, 'fetch', { reversible: true, force: given.has('force') })];
    case 'add':
      return [...(rest[0] ? contact(work, rest[0], 'fetch') : []), git(work, 'fetch', { reversible: true })];
    case 'foreach':
      return [
        git(work, 'foreach'),
        effect(work.call, 'run', { detail: 'git-foreach', target: nameTarget(rest[0]) }),
      ];
    case 'set-url':
    case 'set-branch':
      return [git(work, 'config', { reversible: true })];
    default:
      return inert(work.call);
  }
};

const remote: Subcommand = (work) => {
  const given = options('v/verbose n p/prune f m= t= mirror? tags push add delete all')(work.args);
  const [verb, name, url] = given.operands;
  switch (textOf(verb ?? literal('show'))) {
    case 'show':
    case 'get-url':
      return inert(work.call);
    case 'add':
    case 'set-url':
      return [
        ...(url && /^ext::/.test(beginningOf(url)) ? contact(work, url, 'fetch') : []),
        git(work, textOf(verb ?? unknownValue) === 'add' ? 'remote-add' : 'remote-set-url', {
          target: nameTarget(url ?? name),
          reversible: true,
        }),
      ];
    case 'remove':
    case 'rm':
      return [git(work, 'remote-remove', { target: nameTarget(name), reversible: true })];
    case 'update':
    case 'prune':
      return [git(work, 'fetch', { reversible: true })];
    default:
      return [git(work, 'config', { reversible: true })];
  }
};

/** What `git lfs` does. */
export const lfs: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('env')) ?? 'unknown';
  if (/^(?:env|ls-files|status|logs|version|pointer|locks|track|untrack|fsck)$/.test(verb))
    return verb === 'track' || verb === 'untrack'
      ? write(work.call, literal('.gitattributes'), { detail: 'edit' })
      : inert(work.call);
  if (verb === 'push') return [git(work, 'push', { target: nameTarget(work.args[1]) })];
  if (verb === 'migrate') return [git(work, 'rewrite', { force: true })];
  if (verb === 'prune') return [git(work, 'prune', { reversible: true })];
  return [git(work, verb === 'install' || verb === 'uninstall' ? 'config' : 'fetch', { reversible: true })];
};

const subtree: Subcommand = (work) => {
  const verb = textOf(options('P/prefix= squash m= b=')(work.args).operands[0] ?? literal(''));
  return [
    git(
      work,
      verb === 'push' ? 'push' : verb === 'split' ? 'branch' : 'pull',
      verb === 'push' ? {} : { reversible: true },
    ),
  ];
};

/** What reaches other repositories, or lets them in. */
export const remoteSubcommands: Readonly<Record<string, Subcommand>> = {
  push,
  'send-pack': push,
  fetch: obtain,
  clone: obtain,
  pull: obtain,
  'fetch-pack': obtain,
  'ls-remote': (work) =>
    obtain(work)
      .filter(({ kind, detail }) => kind !== 'git' || detail !== 'fetch')
      .concat(inert(work.call)),
  submodule,
  remote,
  init: (work) => {
    const given = options(
      'q/quiet bare template= separate-git-dir= object-format= ref-format= b/initial-branch= shared?',
    )(work.args);
    const [folder] = given.operands;
    return [
      git(work, 'init', { reversible: true }),
      ...[folder ? within(work.folder, folder) : work.folder].flatMap((path) =>
        path ? write(work.call, path, { detail: 'create' }) : [],
      ),
      ...given.all('template').map((path) => hooksFrom(work, path)),
    ];
  },
  subtree,
  lfs,
  svn: (work) =>
    /^(?:dcommit|set-tree)$/.test(beginningOf(work.args[0] ?? unknownValue))
      ? [git(work, 'push')]
      : [git(work, 'fetch', { reversible: true })],
  p4: (work) =>
    textOf(work.args[0] ?? unknownValue) === 'submit'
      ? [git(work, 'push')]
      : [git(work, 'fetch', { reversible: true })],
  'send-email': (work) =>
    work.args.some((argument) => textOf(argument) === '--dry-run')
      ? inert(work.call, 'dry-run')
      : [effect(work.call, 'message', { detail: 'e-mail' })],
  'imap-send': (work) => [effect(work.call, 'message', { detail: 'e-mail' })],
  daemon: (work) => [effect(work.call, 'listen', { detail: 'git' })],
  instaweb: (work) => [effect(work.call, 'listen', { detail: 'http' })],
  'http-backend': (work) => [effect(work.call, 'listen', { detail: 'http' })],
};
