// What git does to history: commits, branches, tags and the log that would bring them back.

import { inert, nameTarget, read, unknownValue } from '../../../tools/tool.ts';
import { shellOptions } from '../../card.ts';
import { each, forAll, same } from '../../examples.ts';
import { git, type Part, runs } from './part.ts';

const steps =
  'abort quit continue skip i/interactive onto= n/no-commit m/mainline= s/strategy= X/strategy-option= f e edit S/gpg-sign? squash no-ff ff-only ff F/file= cleanup= whitespace= build-fake-ancestor= root autosquash autostash update-refs r/rebase-merges? q v edit-todo show-current-patch? keep-base';

const filters = 'env tree index parent msg commit tag-name'.split(' ').map((name) => `${name}-filter`);

export const history: Part = {
  verbs: {
    commit:
      'a/all p/patch amend no-verify/n allow-empty m/message= F/file= C/reuse-message= c/reedit-message= fixup= squash= author= date= cleanup= t/template= e/edit S/gpg-sign? s/signoff dry-run pathspec-from-file= trailer= u? i/include o/only q v reset-author no-edit no-gpg-sign short porcelain z',
    branch:
      'd/delete D m/move M c/copy C f/force l/list a/all r/remotes v vv show-current edit-description u/set-upstream-to= unset-upstream t/track? no-track contains? no-contains? merged? no-merged? sort= points-at= format= q column? i abbrev? color? create-reflog recurse-submodules',
    tag: 'd/delete f/force a/annotate s/sign u/local-user= m/message= F/file= l/list n? v/verify contains? no-contains? merged? no-merged? sort= points-at= format= e i column? cleanup= color? create-reflog trailer= no-sign',
    merge: `x ${steps}`,
    rebase: `x/exec= ${steps}`,
    'cherry-pick | revert | am': `x ${steps}`,
    'filter-branch':
      'env-filter= tree-filter= index-filter= parent-filter= msg-filter= commit-filter= tag-name-filter= subdirectory-filter= setup= original= d= f/force prune-empty',
    'filter-repo': '',
    'fast-import': '',
    replace: 'l/list',
    'update-ref': 'd m= no-deref stdin z create-reflog 0',
    'symbolic-ref': 'd/delete q m= short recurse',
  },
  verbReadings: {
    commit: {
      valued:
        'm message F file C reuse-message c reedit-message fixup squash author date cleanup t template pathspec-from-file trailer',
      flags:
        'a all p patch amend no-verify n allow-empty e edit s signoff dry-run i include o only q v reset-author no-edit no-gpg-sign short porcelain z',
      attached: 'S gpg-sign u',
    },
    branch: {
      valued: 'u set-upstream-to sort points-at format',
      flags:
        'd delete D m move M c copy C f force l list a all r remotes v vv show-current edit-description unset-upstream no-track q i create-reflog recurse-submodules',
      attached: 't track contains no-contains merged no-merged column abbrev color',
    },
    tag: {
      valued: 'u local-user m message F file sort points-at format cleanup trailer',
      flags: 'd delete f force a annotate s sign l list v verify e i create-reflog no-sign',
      attached: 'n contains no-contains merged no-merged column color',
    },
    ...forAll(['merge', 'cherry-pick'], {
      valued: 'onto m mainline s strategy X strategy-option F file cleanup whitespace build-fake-ancestor',
      flags:
        'x abort quit continue skip i interactive n no-commit f e edit squash no-ff ff-only ff root autosquash autostash update-refs q v edit-todo keep-base',
      attached: 'S gpg-sign r rebase-merges show-current-patch',
    }),
    rebase: {
      valued:
        'x exec onto m mainline s strategy X strategy-option F file cleanup whitespace build-fake-ancestor',
      flags:
        'abort quit continue skip i interactive n no-commit f e edit squash no-ff ff-only ff root autosquash autostash update-refs q v edit-todo keep-base',
      attached: 'S gpg-sign r rebase-merges show-current-patch',
    },
    'filter-branch': {
      valued:
        'env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter subdirectory-filter setup original d',
      flags: 'f force prune-empty',
    },
    replace: { flags: 'l list' },
    'update-ref': { valued: 'm', flags: 'd no-deref stdin z create-reflog 0' },
    'symbolic-ref': { valued: 'm', flags: 'd delete q short recurse' },
  },
  facts: [
    {
      what: 'commits',
      verbs: ['commit'],
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const message = given.all('file', 'template').flatMap((path) => read(call, path));
        const force = given.has('no-verify') ? { force: true } : {};
        return [
          ...message,
          git(call, given.has('amend') ? 'amend' : 'commit', { reversible: true, ...force }),
        ];
      },
      examples: {
        hit: {
          ...same('git (commit) reversible', 'git commit', 'git commit -am x', "git commit -m 'rm -rf /' a"),
          ...same('git (commit) force reversible', 'git commit -n', 'git commit --no-verify -m x'),
          ...same('git (amend) reversible', 'git commit --amend', 'git commit --am --no-edit'),
          'git commit -F msg.txt -t form.txt': 'read msg.txt; read form.txt; git (commit) reversible',
          'git commit --dry-run -F msg.txt': 'inert (dry-run)',
        },
        miss: ['git log', 'git --help commit', 'git commit -h'],
      },
    },
    {
      what: 'makes, moves and deletes branches',
      verbs: ['branch'],
      effects: (call, given) => {
        const force = given.has('force', 'D', 'M', 'C');
        const [first] = given.operands;
        if (given.has('delete', 'D'))
          return (first === undefined ? [unknownValue] : given.operands).map((name) =>
            git(call, 'branch-delete', { target: nameTarget(name), force, reversible: !force }),
          );
        const target = nameTarget(first);
        if (given.has('move', 'M', 'copy', 'C'))
          return [git(call, 'branch-rename', { target, reversible: true, force })];
        if (given.has('set-upstream-to', 'unset-upstream', 'edit-description'))
          return [git(call, 'config', { reversible: true })];
        const lists = given.has(
          ...['list', 'show-current', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at'],
        );
        if (lists || first === undefined) return [];
        return [git(call, force ? 'branch-reset' : 'branch', { target, reversible: true, force })];
      },
      examples: {
        hit: {
          ...same('git a (branch-delete) reversible', 'git branch -d a', 'git branch --delete a'),
          'git branch -d -r a b': 'git a (branch-delete) reversible; git b (branch-delete) reversible',
          ...same(
            'git a (branch-delete) force',
            'git branch -D a',
            'git branch -df a',
            'git branch -d --force a',
          ),
          'git branch -d': 'git … (branch-delete) reversible',
          'git branch -D $NAME': 'git … (branch-delete) force',
          ...same('git a (branch-rename) reversible', ...each('git branch % a b', '-m --move -c --copy')),
          ...same(
            'git a (branch-rename) force reversible',
            'git branch -M a',
            'git branch -C a',
            'git branch -mf a',
          ),
          ...same(
            'git (config) reversible',
            'git branch -u o/a',
            'git branch --unset-upstream',
            'git branch --edit-description',
          ),
          'git branch --set-upstream-to=o/a b': 'git (config) reversible',
          'git branch a HEAD~2': 'git a (branch) reversible',
          ...same('git a (branch-reset) force reversible', 'git branch -f a HEAD~2', 'git branch --force a'),
        },
        miss: [
          'git branch',
          'git branch -vv',
          'git branch --show-current a',
          'git branch --points-at a b',
          ...each('git branch % a', '-l --list --contains --no-contains --merged --no-merged --points-at'),
        ],
      },
    },
    {
      what: 'makes, moves and deletes tags',
      verbs: ['tag'],
      effects: (call, given) => {
        if (given.has('delete'))
          return given.operands.map((name) => git(call, 'tag-delete', { target: nameTarget(name) }));
        const [first] = given.operands;
        if (given.has('list', 'verify', 'contains', 'points-at', 'merged', 'n') || first === undefined)
          return [];
        const force = given.has('force');
        return [
          git(call, force ? 'tag-force' : 'tag', { target: nameTarget(first), force, reversible: true }),
        ];
      },
      examples: {
        hit: {
          'git tag -d v1 v2': 'git v1 (tag-delete); git v2 (tag-delete)',
          'git tag --delete v1': 'git v1 (tag-delete)',
          ...same('git v1 (tag) reversible', 'git tag v1', 'git tag -a -m text v1 HEAD~2'),
          ...same('git v1 (tag-force) force reversible', 'git tag -f v1', 'git tag --force v1'),
        },
        miss: [
          'git tag',
          'git tag --points-at a v1',
          ...each('git tag % v1', '-l --list -v --verify --contains --points-at --merged -n'),
        ],
      },
    },
    {
      what: 'puts commits on others, step by step',
      verbs: ['merge', 'rebase', 'cherry-pick'],
      effects: (call, given) => {
        if (given.has('abort')) return [git(call, 'abort')];
        if (given.has('quit', 'show-current-patch')) return [];
        const runsBetween = given.has('exec') ? [runs(call, 'git-helper', given.last('exec'))] : [];
        const detail = given.verb === 'cherry-pick' ? 'commit' : (given.verb ?? '');
        return [
          ...runsBetween,
          git(call, detail, { target: nameTarget(given.operands[0]), reversible: true }),
        ];
      },
      starts: shellOptions('exec'),
      examples: {
        hit: {
          'git merge -x a': 'git a (merge) reversible',
          'git rebase main': 'git main (rebase) reversible',
          ...same('git a (commit) reversible', 'git cherry-pick -x a', 'git revert a', 'git am a'),
          'git rebase --onto a b': 'git b (rebase) reversible',
          ...same('git (abort)', ...each('git % --abort', 'merge rebase cherry-pick revert am')),
          "git rebase -x 'npm test' a":
            "run 'npm test' (git-helper); git a (rebase) reversible; shell code: npm test",
          'git rebase --exec=ls': 'run ls (git-helper); git (rebase) reversible; shell code: ls',
        },
        miss: ['git am --show-current-patch', 'git rebase --quit', 'git log'],
      },
    },
    {
      what: 'rewrites all commits',
      verbs: ['filter-branch', 'filter-repo'],
      effects: (call, given) => [
        git(call, 'rewrite', { force: true, recursive: true }),
        ...(given.verb === 'filter-branch' ? [runs(call, 'git-filter')] : []),
      ],
      starts: (call, given) => shellOptions(filters.join(' '))(call, given),
      examples: {
        hit: {
          'git filter-repo --invert-paths --path a': 'git (rewrite) recursive force',
          'git filter-branch --subdirectory-filter a HEAD': 'git (rewrite) recursive force; run (git-filter)',
          ...Object.fromEntries(
            each('git filter-branch --%-filter ls', 'env tree index parent msg commit tag-name').map(
              (text) => [text, 'git (rewrite) recursive force; run (git-filter); shell code: ls'],
            ),
          ),
        },
        miss: ['git log'],
      },
    },
    {
      what: 'changes what names and commits are',
      verbs: ['fast-import', 'replace', 'update-ref'],
      effects: (call, given) => {
        if (given.verb === 'replace')
          return given.has('list') || given.words.length === 0 ? [] : [git(call, 'rewrite')];
        const target = nameTarget(given.operands[0]);
        return [git(call, given.has('d') ? 'ref-delete' : 'rewrite', { target, force: true })];
      },
      examples: {
        hit: {
          ...same('git (rewrite)', 'git replace a b', 'git replace -d a', 'git replace --convert-graft-file'),
          ...same('git (rewrite) force', 'git fast-import', 'git update-ref --stdin'),
          'git update-ref refs/heads/a b': 'git refs/heads/a (rewrite) force',
          'git update-ref -m text refs/heads/a b': 'git refs/heads/a (rewrite) force',
          'git update-ref -d refs/heads/a': 'git refs/heads/a (ref-delete) force',
        },
        miss: ['git replace', 'git replace -l a', 'git replace --list', 'git show-ref'],
      },
    },
    {
      what: 'changes what HEAD or another name stands for',
      verbs: ['symbolic-ref'],
      effects: (call, given) => {
        const target = nameTarget(given.operands[0]);
        if (given.has('delete')) return [git(call, 'ref-delete', { target, force: true })];
        return given.operands.length > 1 ? [git(call, 'ref-change', { target, reversible: true })] : [];
      },
      examples: {
        hit: {
          'git symbolic-ref HEAD refs/heads/a': 'git HEAD (ref-change) reversible',
          ...same(
            'git HEAD (ref-delete) force',
            'git symbolic-ref -d HEAD',
            'git symbolic-ref --delete HEAD',
          ),
        },
        miss: ['git symbolic-ref HEAD', 'git symbolic-ref --short HEAD', 'git symbolic-ref -m text HEAD'],
      },
    },
  ],
};
