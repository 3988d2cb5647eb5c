// What git does to history: commits, branches, tags and the log that would bring them back.

import {
  beginningOf,
  effect,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  read,
  textOf,
  unknownValue,
} from '../tool.ts';
import { git, globalOptions, type Subcommand, simple } from './work.ts';

const commitOptions = options(
  'a/all p/patch amend no-verify/n allow-empty m/message= F/file= C/reuse-message= c/reedit-message= fixup= squash= author= date= cleanup= t/template= e/edit S/gpg-sign? s/signoff dry-run pathspec-from-file= trailer= u? i/include o/only q v reset-author no-edit no-gpg-sign short porcelain z',
);

const commit: Subcommand = (work) => {
  const given = commitOptions(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const message = given.all('file', 'template').flatMap((path) => read(work.call, path));
  const force = given.has('no-verify');
  return [
    ...message,
    git(work, given.has('amend') ? 'amend' : 'commit', { reversible: true, ...(force ? { force } : {}) }),
  ];
};

const branchOptions = options(
  'd/delete D m/move M c/copy C f/force l/list a/all r/remotes v vv show-current edit-description u/set-upstream-to= unset-upstream t/track? no-track contains? no-contains? merged? no-merged? sort= points-at= format= q column? i abbrev? color? create-reflog recurse-submodules',
);

const branch: Subcommand = (work) => {
  const given = branchOptions(work.args);
  const force = given.has('force', 'D', 'M', 'C');
  const targets = given.operands.length > 0 ? given.operands : [unknownValue];
  if (given.has('delete', 'D'))
    return targets.map((name) =>
      git(work, 'branch-delete', { target: nameTarget(name), force, reversible: !force }),
    );
  if (given.has('move', 'M', 'copy', 'C'))
    return [git(work, 'branch-rename', { target: nameTarget(given.operands[0]), reversible: true, force })];
  if (given.has('set-upstream-to', 'unset-upstream', 'edit-description'))
    return [git(work, 'config', { reversible: true })];
  if (
    given.has('list', 'show-current', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at') ||
    given.operands.length === 0
  )
    return inert(work.call);
  return [
    git(work, force ? 'branch-reset' : 'branch', {
      target: nameTarget(given.operands[0]),
      reversible: true,
      force,
    }),
  ];
};

const tagOptions = options(
  'd/delete f/force a/annotate s/sign u/local-user= m/message= F/file= l/list n? v/verify contains? no-contains? merged? no-merged? sort= points-at= format= e i column? cleanup= color? create-reflog trailer= no-sign',
);

const tag: Subcommand = (work) => {
  const given = tagOptions(work.args);
  if (given.has('delete'))
    return given.operands.map((name) => git(work, 'tag-delete', { target: nameTarget(name) }));
  if (given.has('list', 'verify', 'contains', 'points-at', 'merged', 'n') || given.operands.length === 0)
    return inert(work.call);
  return [
    git(work, given.has('force') ? 'tag-force' : 'tag', {
      target: nameTarget(given.operands[0]),
      force: given.has('force'),
      reversible: true,
    }),
  ];
};

const sequence =
  (detail: string): Subcommand =>
  (work) => {
    // Only a rebase runs something between its steps; elsewhere the letter is about the message.
    const given = options(
      `${work.name === 'rebase' ? 'x/exec=' : 'x'} abort quit continue skip i/interactive onto= n/no-commit m/mainline= s/strategy= X/strategy-option= f e edit S/gpg-sign? squash no-ff ff-only ff F/file= root autosquash autostash update-refs r/rebase-merges? q v edit-todo show-current-patch? keep-base`,
    )(work.args);
    const runs = given.has('exec')
      ? [effect(work.call, 'run', { detail: 'git-helper', target: nameTarget(given.last('exec')) })]
      : [];
    if (given.has('abort')) return [git(work, 'abort')];
    if (given.has('quit', 'show-current-patch')) return inert(work.call);
    return [...runs, git(work, detail, { target: nameTarget(given.operands[0]), reversible: true })];
  };

const updateRef: Subcommand = (work) => {
  const given = options('d m= no-deref stdin z create-reflog 0')(work.args);
  if (given.has('stdin')) return [git(work, 'rewrite', { force: true })];
  return [
    git(work, given.has('d') ? 'ref-delete' : 'rewrite', {
      target: nameTarget(given.operands[0]),
      force: true,
    }),
  ];
};

const reflog: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('show'));
  if (work.args.some((argument) => /^(?:-n|--dry-run)$/.test(textOf(argument) ?? '')))
    return inert(work.call, 'dry-run');
  return verb === 'expire' || verb === 'delete' || verb === 'drop' || verb === null
    ? [git(work, 'reflog-expire', { recursive: work.args.some((argument) => textOf(argument) === '--all') })]
    : inert(work.call);
};

const gc: Subcommand = (work) => {
  const given = options(
    'prune? no-prune auto aggressive q force keep-largest-pack cruft expire= n/dry-run v',
  )(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const setting = globalOptions(work.call.args)
    .all('c')
    .find((one) => !given.has('no-prune') && /^gc\.pruneexpire=/i.test(beginningOf(one)));
  const when = textOf(
    given.last('prune', 'expire') ??
      (setting ? mapValue(setting, (text) => text.slice(text.indexOf('=') + 1)) : undefined) ??
      literal(work.name === 'prune' ? 'now' : ''),
  );
  return [
    git(
      work,
      work.name === 'prune' || when === null || /^(?:now|all|0)/.test(when) ? 'prune' : 'gc',
      when === '' ? { reversible: true } : {},
    ),
  ];
};

const symbolicRef: Subcommand = (work) => {
  const given = options('d/delete q m= short recurse')(work.args);
  if (given.has('delete'))
    return [git(work, 'ref-delete', { target: nameTarget(given.operands[0]), force: true })];
  return given.operands.length > 1
    ? [git(work, 'ref-change', { target: nameTarget(given.operands[0]), reversible: true })]
    : inert(work.call);
};

const bisect: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('help'));
  if (verb !== null && /^(?:log|visualize|view|help|terms)$/.test(verb)) return inert(work.call);
  const runs =
    verb === 'run'
      ? [effect(work.call, 'run', { detail: 'git-bisect', target: nameTarget(work.args[1]) })]
      : [];
  return [git(work, 'switch', { reversible: true }), ...runs];
};

const notes: Subcommand = (work) => {
  const verb = textOf(work.args[0] ?? literal('list'));
  return verb === 'list' || verb === 'show' || verb === 'get-ref'
    ? inert(work.call)
    : [git(work, verb === 'remove' || verb === 'prune' ? 'notes-remove' : 'notes', { reversible: true })];
};

/** What changes history. */
export const historySubcommands: Readonly<Record<string, Subcommand>> = {
  commit,
  branch,
  tag,
  merge: sequence('merge'),
  rebase: sequence('rebase'),
  'cherry-pick': sequence('commit'),
  revert: sequence('commit'),
  am: sequence('commit'),
  'filter-branch': (work) => [
    git(work, 'rewrite', { force: true, recursive: true }),
    effect(work.call, 'run', { detail: 'git-filter' }),
  ],
  'filter-repo': simple('rewrite', { force: true, recursive: true }),
  'fast-import': simple('rewrite', { force: true }),
  replace: (work) =>
    work.args.some((argument) => /^-(?:l|-list)/.test(beginningOf(argument))) || work.args.length === 0
      ? inert(work.call)
      : [git(work, 'rewrite')],
  'update-ref': updateRef,
  'symbolic-ref': symbolicRef,
  reflog,
  gc,
  prune: gc,
  repack: simple('gc', { reversible: true }),
  'prune-packed': simple('gc', { reversible: true }),
  'pack-refs': simple('gc', { reversible: true }),
  bisect,
  notes,
  absorb: simple('amend', { reversible: true }),
  undo: simple('reset', { reversible: true }),
  flow: simple('branch', { reversible: true }),
  rerere: (work) =>
    /^(?:clear|forget|gc)$/.test(beginningOf(work.args[0] ?? unknownValue))
      ? [git(work, 'rerere', { reversible: true })]
      : inert(work.call),
};
