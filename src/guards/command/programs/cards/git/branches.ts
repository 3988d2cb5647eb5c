// How git changes to another branch, resets one, and puts files back as they were.

import { beginningOf, literal, nameTarget, unknownValue } from '../../../tools/tool.ts';
import { each, same } from '../../examples.ts';
import { git, onPaths, type Part } from './part.ts';

/** A word that can only be a path, not the name of a branch or a commit. */
function looksLikePath(text: string): boolean {
  if (/^(?:HEAD|@)(?:[~^@].*)?$/.test(text)) return false;
  return (
    /^\.{1,2}(?:\/|$)|^[/~:]|[*?]|\/$/.test(text) ||
    (/\.[A-Za-z][A-Za-z0-9]{0,6}$/.test(text) &&
      !/^(?:v?\d+\.|release|origin|hotfix|feature|[\w-]+\/[\w.-]*\d)/.test(text))
  );
}

export const branches: Part = {
  verbs: {
    reset:
      'hard soft mixed merge keep N q U/unified= inter-hunk-context= p/patch pathspec-from-file= recurse-submodules no-refresh refresh',
    checkout:
      'b= B= f/force t/track? d/detach orphan= m/merge conflict= p/patch ours/2 theirs/3 q l no-track overwrite-ignore ignore-other-worktrees pathspec-from-file= guess no-guess recurse-submodules overlay no-overlay pathspec-file-nul ignore-skip-worktree-bits progress U/unified= inter-hunk-context=',
    switch:
      'c/create= C/force-create= d/detach f/force/discard-changes m/merge orphan= t/track? guess no-guess q ignore-other-worktrees recurse-submodules conflict= no-track progress',
    restore:
      's/source= S/staged W/worktree U/unified= inter-hunk-context= p/patch ours theirs m/merge conflict= q pathspec-from-file= ignore-unmerged overlay no-overlay recurse-submodules progress',
  },
  verbReadings: {
    reset: {
      valued: 'U unified inter-hunk-context pathspec-from-file',
      flags: 'hard soft mixed merge keep N q p patch recurse-submodules no-refresh refresh',
    },
    checkout: {
      valued: 'b B orphan conflict pathspec-from-file U unified inter-hunk-context',
      flags:
        'f force d detach m merge p patch ours 2 theirs 3 q l no-track overwrite-ignore ignore-other-worktrees guess no-guess recurse-submodules overlay no-overlay pathspec-file-nul ignore-skip-worktree-bits progress',
      attached: 't track',
    },
    switch: {
      valued: 'c create C force-create orphan conflict',
      flags:
        'd detach f force discard-changes m merge guess no-guess q ignore-other-worktrees recurse-submodules no-track progress',
      attached: 't track',
    },
    restore: {
      valued: 's source U unified inter-hunk-context conflict pathspec-from-file',
      flags:
        'S staged W worktree p patch ours theirs m merge q ignore-unmerged overlay no-overlay recurse-submodules progress',
    },
  },
  facts: [
    {
      what: 'resets the branch, the index or the tree',
      verbs: ['reset'],
      effects: (call, given) => {
        const [commit, ...paths] = given.operands;
        const target = nameTarget(commit);
        if (given.has('hard', 'merge')) {
          const to = nameTarget(commit ?? literal('HEAD'));
          return [git(call, 'discard', { target: to, recursive: true, force: given.has('hard') })];
        }
        const keeps = given.has('keep', 'soft', 'mixed');
        if (!keeps && (commit === undefined || paths.length > 0))
          return [git(call, 'unstage', { reversible: true })];
        const to = commit === undefined ? 'HEAD' : beginningOf(commit);
        const moves = !/^(?:HEAD|@)$/.test(to) && (keeps || /^(?:HEAD|@|origin\/|upstream\/)/.test(to));
        return [git(call, moves ? 'reset' : 'unstage', { target, reversible: true })];
      },
      examples: {
        hit: {
          ...same('git HEAD (discard) recursive force', 'git reset --hard', 'git -C a reset -q --ha'),
          'git reset --hard HEAD~3': 'git HEAD~3 (discard) recursive force',
          'git reset --hard $WHERE': 'git … (discard) recursive force',
          'git reset --merge a': 'git a (discard) recursive',
          ...same('git a (reset) reversible', ...each('git reset % a', '--soft --mixed --keep')),
          'git reset HEAD~1': 'git HEAD~1 (reset) reversible',
          'git reset @~1': 'git @~1 (reset) reversible',
          'git reset origin/a': 'git origin/a (reset) reversible',
          'git reset upstream/a': 'git upstream/a (reset) reversible',
          'git reset a.ts': 'git a.ts (unstage) reversible',
          'git reset --soft @': 'git @ (unstage) reversible',
          'git reset HEAD': 'git HEAD (unstage) reversible',
          ...same('git (unstage) reversible', 'git reset', 'git reset --mixed', 'git reset HEAD a'),
        },
        miss: ['git diff', 'git reset -h', 'git --version reset --hard'],
      },
    },
    {
      what: 'changes to a branch, or puts files back',
      verbs: ['checkout'],
      effects: (call, given) => {
        const force = given.has('force');
        const lost = force ? [git(call, 'discard', { recursive: true, force })] : [];
        // To follow a branch it makes one, and refuses paths.
        if (given.has('b', 'orphan', 'track'))
          return [
            ...lost,
            git(call, 'branch', { target: nameTarget(given.last('b', 'orphan')), reversible: true }),
          ];
        if (given.has('B'))
          return [
            ...lost,
            git(call, 'branch-reset', { target: nameTarget(given.last('B')), reversible: true, force: true }),
          ];
        const paths = given.behindDashes ?? [];
        if (paths.length > 0) return onPaths(call, given, 'discard', paths, { force });
        if (given.has('pathspec-from-file'))
          return onPaths(call, given, 'discard', [unknownValue], { force });
        const { operands } = given;
        const [first, ...others] = operands;
        if (given.has('ours', 'theirs', 'patch')) return onPaths(call, given, 'discard', operands, { force });
        const named = looksLikePath(beginningOf(first ?? unknownValue));
        if (others.length > 0) return onPaths(call, given, 'discard', named ? operands : others, { force });
        if (force) return [git(call, 'discard', { target: nameTarget(first), recursive: true, force })];
        if (first === undefined) return [];
        if (named && !given.has('detach')) return onPaths(call, given, 'discard', [first]);
        return [git(call, 'switch', { target: nameTarget(first), reversible: true })];
      },
      examples: {
        hit: {
          ...same(
            'git a (branch) reversible',
            'git checkout -b a',
            'git checkout --orphan a',
            'git checkout -b a b',
          ),
          'git checkout -t origin/a': 'git (branch) reversible',
          'git checkout --track origin/a': 'git (branch) reversible',
          'git checkout -fb a': 'git (discard) recursive force; git a (branch) reversible',
          'git checkout -B a': 'git a (branch-reset) force reversible',
          'git checkout --force -B a': 'git (discard) recursive force; git a (branch-reset) force reversible',
          ...same(
            'git . (discard)',
            'git checkout -- .',
            'git checkout .',
            'git checkout HEAD -- .',
            'git checkout -p',
          ),
          'git -C sub checkout -- a /b': 'git sub/a (discard); git /b (discard)',
          'git --work-tree=w checkout -- a': 'git w/a (discard)',
          'git checkout -f -- a': 'git a (discard) force',
          'git checkout --pathspec-from-file=a': 'git … (discard)',
          ...same(
            'git a (discard)',
            ...each('git checkout % a', '--ours --theirs -2 -3 --patch main'),
            'git checkout HEAD a',
          ),
          'git checkout a.ts b': 'git a.ts (discard); git b (discard)',
          'git checkout -f a': 'git a (discard) recursive force',
          'git checkout -f': 'git (discard) recursive force',
          ...Object.fromEntries(
            each('%', './a ../a .. /a ~/a :/a *.a a? a/ a.ts src/main.go').map((path) => [
              `git checkout ${path}`,
              `git ${path} (discard)`,
            ]),
          ),
          ...Object.fromEntries(
            each(
              '%',
              'main HEAD@{1} HEAD~1 HEAD^ HEAD^{/a*} @^{/a?} @^ @{1} v1.x 1.x release.next origin.x hotfix.a feature.a fix/v1.a a.1 $NAME',
            ).map((name) => [
              `git checkout ${name}`,
              `git ${name.replace('$NAME', '…')} (switch) reversible`,
            ]),
          ),
          'git checkout --detach a.ts': 'git a.ts (switch) reversible',
          'git checkout main --': 'git main (switch) reversible',
        },
        miss: ['git checkout', 'git checkout -h'],
      },
    },
    {
      what: 'changes to a branch',
      verbs: ['switch'],
      effects: (call, given) => {
        const [first] = given.operands;
        if (given.has('force'))
          return [git(call, 'discard', { target: nameTarget(first), recursive: true, force: true })];
        const reset = given.last('force-create');
        if (reset !== undefined)
          return [git(call, 'branch-reset', { target: nameTarget(reset), reversible: true, force: true })];
        const made = given.last('create', 'orphan');
        return [
          git(call, made ? 'branch' : 'switch', { target: nameTarget(made ?? first), reversible: true }),
        ];
      },
      examples: {
        hit: {
          ...same(
            'git a (discard) recursive force',
            ...each('git switch % a', '-f --force --discard-changes'),
          ),
          ...same(
            'git a (branch-reset) force reversible',
            'git switch -C a',
            'git switch --force-create=a b',
          ),
          ...same('git a (branch) reversible', ...each('git switch % a', '-c --create --orphan')),
          ...same('git a (switch) reversible', 'git switch a', 'git switch -d a'),
          'git switch -': 'git - (switch) reversible',
        },
        miss: ['git branch a'],
      },
    },
    {
      what: 'puts files back as they were',
      verbs: ['restore'],
      effects: (call, given) => {
        // Without a path it only says that it wants one.
        if (given.operands.length === 0 && !given.has('pathspec-from-file', 'patch')) return [];
        return given.has('staged') && !given.has('worktree')
          ? onPaths(call, given, 'unstage', given.operands, { reversible: true })
          : onPaths(call, given, 'discard', given.operands);
      },
      examples: {
        hit: {
          ...same(
            'git a (discard)',
            'git restore a',
            'git restore -s HEAD~1 a',
            'git restore -SW a',
            'git restore --staged --worktree a',
          ),
          ...same('git a (unstage) reversible', 'git restore -S a', 'git restore --staged a'),
          ...same('git . (discard)', 'git restore .', 'git restore -p', 'git restore --pathspec-from-file=a'),
          'git -C sub restore a': 'git sub/a (discard)',
        },
        miss: ['git restore', 'git restore --source=a'],
      },
    },
  ],
};
