// What git does to the working tree: what it puts there, and what it discards.

import {
  beginningOf,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  pathTarget,
  read,
  remove,
  textOf,
  unknownValue,
  within,
  write,
} from '../tool.ts';
import { git, onPaths, type Subcommand, simple } from './work.ts';

const resetOptions = options(
  'hard soft mixed merge keep N q U/unified= inter-hunk-context= p/patch pathspec-from-file= recurse-submodules no-refresh refresh',
);

const reset: Subcommand = (work) => {
  const given = resetOptions(work.args);
  const [commitish, ...paths] = given.operands;
  if (given.has('hard', 'merge'))
    return [
      git(work, 'discard', {
        target: nameTarget(commitish ?? literal('HEAD')),
        recursive: true,
        force: given.has('hard'),
      }),
    ];
  if (given.has('keep', 'soft', 'mixed') || (commitish && paths.length === 0)) {
    const moves =
      commitish !== undefined &&
      !/^(?:HEAD|@)$/.test(beginningOf(commitish)) &&
      (given.has('keep', 'soft', 'mixed') || /^(?:HEAD|@|origin\/|upstream\/)/.test(beginningOf(commitish)));
    return [git(work, moves ? 'reset' : 'unstage', { target: nameTarget(commitish), reversible: true })];
  }
  return [git(work, 'unstage', { reversible: true })];
};

/** A word that can only be a path, not the name of a branch or a commit. */
function looksLikePath(text: string): boolean {
  if (/^(?:HEAD|@)(?:[~^@].*)?$/.test(text)) return false;
  return (
    /^\.{1,2}(?:\/|$)|^[/~:]|[*?]|\/$|^\*/.test(text) ||
    (/\.[A-Za-z][A-Za-z0-9]{0,6}$/.test(text) &&
      !/^(?:v?\d+\.|release|origin|hotfix|feature|[\w-]+\/[\w.-]*\d)/.test(text))
  );
}

const checkoutOptions = options(
  'b= B= f/force t/track? d/detach orphan= m/merge conflict= p/patch ours/2 theirs/3 q l no-track overwrite-ignore ignore-other-worktrees pathspec-from-file= guess no-guess recurse-submodules overlay no-overlay pathspec-file-nul ignore-skip-worktree-bits progress U/unified= inter-hunk-context=',
);

const checkout: Subcommand = (work) => {
  const separator = work.args.findIndex((argument) => textOf(argument) === '--');
  const given = checkoutOptions(separator >= 0 ? work.args.slice(0, separator) : work.args);
  const afterSeparator = separator >= 0 ? work.args.slice(separator + 1) : [];
  const force = given.has('force');
  const lost = force ? [git(work, 'discard', { recursive: true, force })] : [];
  // To follow a branch it makes one, and refuses paths.
  if (given.has('b', 'orphan', 'track'))
    return [
      ...lost,
      git(work, 'branch', { target: nameTarget(given.last('b', 'orphan')), reversible: true }),
    ];
  if (given.has('B'))
    return [
      ...lost,
      git(work, 'branch-reset', { target: nameTarget(given.last('B')), reversible: true, force: true }),
    ];
  if (separator >= 0 && afterSeparator.length > 0) return onPaths(work, 'discard', afterSeparator, { force });
  if (given.has('pathspec-from-file')) return onPaths(work, 'discard', [unknownValue], { force });
  const [first, ...others] = given.operands;
  if (given.has('ours', 'theirs', 'patch')) return onPaths(work, 'discard', given.operands, { force });
  if (others.length > 0)
    return onPaths(
      work,
      'discard',
      looksLikePath(beginningOf(first ?? unknownValue)) ? given.operands : others,
      { force },
    );
  if (force) return [git(work, 'discard', { target: nameTarget(first), recursive: true, force })];
  if (first && !given.has('detach') && looksLikePath(beginningOf(first)))
    return onPaths(work, 'discard', [first]);
  return first ? [git(work, 'switch', { target: nameTarget(first), reversible: true })] : inert(work.call);
};

const switchOptions = options(
  'c/create= C/force-create= d/detach f/force/discard-changes m/merge orphan= t/track? guess no-guess q ignore-other-worktrees recurse-submodules conflict= no-track progress',
);

const switchBranch: Subcommand = (work) => {
  const given = switchOptions(work.args);
  if (given.has('force'))
    return [git(work, 'discard', { target: nameTarget(given.operands[0]), recursive: true, force: true })];
  if (given.has('force-create'))
    return [
      git(work, 'branch-reset', {
        target: nameTarget(given.last('force-create')),
        reversible: true,
        force: true,
      }),
    ];
  return [
    git(work, given.has('create', 'orphan') ? 'branch' : 'switch', {
      target: nameTarget(given.last('create', 'orphan') ?? given.operands[0]),
      reversible: true,
    }),
  ];
};

const restoreOptions = options(
  's/source= S/staged W/worktree U/unified= inter-hunk-context= p/patch ours theirs m/merge conflict= q pathspec-from-file= ignore-unmerged overlay no-overlay recurse-submodules progress',
);

const restore: Subcommand = (work) => {
  const given = restoreOptions(work.args);
  // Without a path it only says that it wants one.
  if (given.operands.length === 0 && !given.has('pathspec-from-file', 'patch')) return inert(work.call);
  if (given.has('staged') && !given.has('worktree'))
    return onPaths(work, 'unstage', given.operands, { reversible: true });
  return onPaths(work, 'discard', given.operands);
};

const cleanOptions = options('d f/force i/interactive n/dry-run q e/exclude= x X');

const clean: Subcommand = (work) => {
  const given = cleanOptions(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  const force = given.has('force');
  // Without force it refuses, unless a setting that is not seen here says otherwise.
  if (!force && !given.has('interactive') && work.asksForForce) return inert(work.call);
  return onPaths(work, given.has('x', 'X') ? 'clean-ignored' : 'clean', given.operands, {
    recursive: given.has('d') || given.has('x'),
    force,
  });
};

const stash: Subcommand = (work) => {
  const [first, second] = work.args.filter((argument) => !beginningOf(argument).startsWith('-'));
  const verb = first === undefined ? 'push' : textOf(first);
  switch (verb) {
    case 'list':
    case 'show':
      return inert(work.call);
    case 'drop':
    case 'clear':
      return [git(work, 'stash-drop', { target: nameTarget(second), recursive: verb === 'clear' })];
    case 'pop':
      return [git(work, 'stash-pop', { target: nameTarget(second), reversible: true })];
    case 'apply':
    case 'branch':
      return [git(work, 'stash-apply', { reversible: true })];
    case null:
      return [git(work, 'stash-drop', { target: nameTarget(first) })];
    default:
      return [git(work, 'stash', { reversible: true })];
  }
};

const worktree: Subcommand = (work) => {
  const given = options(
    'f/force b= B= d/detach lock reason= n/dry-run v expire= porcelain orphan checkout no-checkout q z',
  )(work.args);
  const [verb, first, second] = given.operands;
  const force = given.has('force');
  switch (textOf(verb ?? literal('list'))) {
    case 'add':
      return [
        git(work, 'worktree-add', { reversible: true }),
        ...(first ? write(work.call, within(work.folder, first), { detail: 'create' }) : []),
      ];
    case 'remove':
      return [
        git(work, 'worktree-remove', {
          target: pathTarget(within(work.folder, first ?? unknownValue)),
          force,
          reversible: !force,
        }),
      ];
    case 'move':
      return [
        git(work, 'worktree-move', { reversible: true }),
        ...(second ? write(work.call, within(work.folder, second), { detail: 'move' }) : []),
      ];
    case 'prune':
      return [git(work, 'worktree-prune', { reversible: true })];
    default:
      return inert(work.call);
  }
};

const rm: Subcommand = (work) => {
  const given = options('f/force n/dry-run r cached ignore-unmatch sparse q pathspec-from-file=')(work.args);
  if (given.has('dry-run')) return inert(work.call, 'dry-run');
  if (given.has('cached')) return onPaths(work, 'unstage', given.operands, { reversible: true });
  const force = given.has('force');
  return given.operands.flatMap((path) => [
    git(work, 'rm', {
      target: pathTarget(within(work.folder, path)),
      recursive: given.has('r'),
      force,
      reversible: !force,
    }),
    ...remove(work.call, within(work.folder, path), { recursive: given.has('r'), force, reversible: !force }),
  ]);
};

const mv: Subcommand = (work) => {
  const { operands } = options('f/force k n/dry-run v')(work.args);
  const destination = operands.at(-1);
  return destination
    ? [
        git(work, 'mv', { reversible: true }),
        ...write(work.call, within(work.folder, destination), { detail: 'move' }),
      ]
    : inert(work.call);
};

const apply: Subcommand = (work) => {
  const given = options(
    'stat numstat summary check index cached 3/3way R/reverse p= exclude= include= directory= whitespace= v reject unidiff-zero C= intent-to-add N apply allow-empty',
  )(work.args);
  const inputs = given.operands.flatMap((path) => read(work.call, path));
  if (given.has('check') || (given.has('stat', 'numstat', 'summary') && !given.has('apply')))
    return orInert(work.call, inputs);
  return [
    ...inputs,
    ...given.all('directory').flatMap((path) => write(work.call, path, { detail: 'edit' })),
    git(work, 'apply', { reversible: true, ...(given.has('reverse') ? { force: true } : {}) }),
  ];
};

const readTree: Subcommand = (work) => {
  const given = options(
    'm u i reset n/dry-run empty prefix= exclude-per-directory= v index-output= no-sparse-checkout',
  )(work.args);
  if (given.has('reset') && given.has('u')) return [git(work, 'discard', { recursive: true, force: true })];
  return [git(work, 'stage', { reversible: true })];
};

const checkoutIndex: Subcommand = (work) => {
  const given = options('f/force a/all u q n prefix= stage= temp stdin z')(work.args);
  if (given.has('prefix'))
    return write(work.call, given.last('prefix') ?? unknownValue, { detail: 'create' });
  return given.has('force')
    ? onPaths(work, 'discard', given.operands, { force: true })
    : [git(work, 'switch', { reversible: true })];
};

/** What changes the working tree or the index. */
export const treeSubcommands: Readonly<Record<string, Subcommand>> = {
  add: (work) =>
    options('n/dry-run')(work.args).has('dry-run')
      ? inert(work.call, 'dry-run')
      : [git(work, 'stage', { reversible: true })],
  stage: simple('stage', { reversible: true }),
  reset,
  checkout,
  switch: switchBranch,
  restore,
  clean,
  stash,
  worktree,
  rm,
  mv,
  apply,
  'read-tree': readTree,
  'checkout-index': checkoutIndex,
  'update-index': simple('stage', { reversible: true }),
  'sparse-checkout': (work) =>
    textOf(work.args[0] ?? literal('list')) === 'list'
      ? inert(work.call)
      : [git(work, 'sparse', { reversible: true })],
};
