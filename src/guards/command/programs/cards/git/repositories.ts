// What git does with other repositories: those inside this one, its remotes, a new one, and those of other systems.

import { shellCode } from '../../../bash/executors/inner.ts';
import { concatAll } from '../../../bash/values.ts';
import { beginningOf, nameTarget, write } from '../../../tools/tool.ts';
import { each, forAll, same } from '../../examples.ts';
import { folderOf, git, type Part, placeOf, runs } from './part.ts';
import { contact, hooksFrom } from './remotes.ts';

const submoduleOptions =
  'f/force all init recursive remote b/branch= name= depth= reference= q cached files j/jobs= merge rebase checkout';
const remoteOptions = 'v/verbose n p/prune f m= t= mirror? tags push add delete all';

export const repositories: Part = {
  verbs: {
    submodule: submoduleOptions,
    'submodule deinit': submoduleOptions,
    'submodule update | submodule init | submodule sync | submodule absorbgitdirs': submoduleOptions,
    'submodule add': submoduleOptions,
    'submodule foreach': '+ recursive',
    'submodule set-url | submodule set-branch': submoduleOptions,
    remote: remoteOptions,
    'remote show | remote get-url': remoteOptions,
    'remote add': remoteOptions,
    'remote set-url': remoteOptions,
    'remote remove | remote rm': remoteOptions,
    'remote update | remote prune': remoteOptions,
    init: 'q/quiet bare template= separate-git-dir= object-format= ref-format= b/initial-branch= shared?',
    subtree: 'P/prefix= squash m= b=',
    'subtree push': 'P/prefix= squash m= b=',
    'subtree split': 'P/prefix= squash m= b=',
    svn: '',
    'svn dcommit | svn set-tree': '',
    p4: '',
    'p4 submit': '',
  },
  verbReadings: {
    ...forAll(['submodule', 'submodule deinit', 'submodule update', 'submodule add', 'submodule set-url'], {
      valued: 'b branch name depth reference j jobs',
      flags: 'f force all init recursive remote q cached files merge rebase checkout',
    }),
    'submodule foreach': { flags: 'recursive' },
    ...forAll(['remote', 'remote show', 'remote add', 'remote set-url', 'remote remove', 'remote update'], {
      valued: 'm t',
      flags: 'v verbose n p prune f tags push add delete all',
      attached: 'mirror',
    }),
    init: {
      valued: 'template separate-git-dir object-format ref-format b initial-branch',
      flags: 'q quiet bare',
      attached: 'shared',
    },
    ...forAll(['subtree', 'subtree push', 'subtree split'], { valued: 'P prefix m b', flags: 'squash' }),
  },
  facts: [
    {
      what: 'works on repositories inside this one',
      verbs: [
        'submodule deinit',
        'submodule update',
        'submodule add',
        'submodule foreach',
        'submodule set-url',
      ],
      effects: (call, given) => {
        const [first] = given.operands;
        const target = nameTarget(first);
        const force = given.has('force');
        if (given.verb === 'submodule deinit')
          return [git(call, 'submodule-deinit', { target, force, recursive: given.has('all') })];
        if (given.verb === 'submodule update') return [git(call, 'fetch', { reversible: true, force })];
        if (given.verb === 'submodule set-url') return [git(call, 'config', { reversible: true })];
        if (given.verb === 'submodule foreach')
          return [git(call, 'foreach'), runs(call, 'git-foreach', first)];
        return [...(first ? contact(call, first, 'fetch') : []), git(call, 'fetch', { reversible: true })];
      },
      starts: (_, given) =>
        given.verb === 'submodule foreach' ? [shellCode(concatAll(given.operands, ' '))] : [],
      examples: {
        hit: {
          'git submodule deinit a': 'git a (submodule-deinit)',
          ...same(
            'git (submodule-deinit) recursive force',
            'git submodule deinit -f --all',
            'git submodule deinit --force --all',
          ),
          ...same('git (fetch) reversible', ...each('git submodule %', 'update init sync absorbgitdirs')),
          'git submodule update -f': 'git (fetch) force reversible',
          'git submodule add -b a https://h.example/a b':
            'connect h.example (git-fetch); git (fetch) reversible',
          'git submodule add': 'git (fetch) reversible',
          'git submodule foreach --recursive git checkout --force':
            'git (foreach); run git (git-foreach); shell code: git checkout --force',
          "git submodule --quiet foreach 'rm -rf a'":
            "git (foreach); run 'rm -rf a' (git-foreach); shell code: rm -rf a",
          ...same('git (config) reversible', 'git submodule set-url a b', 'git submodule set-branch a'),
        },
        miss: ['git submodule', 'git submodule status', 'git submodule summary'],
      },
    },
    {
      what: 'changes the list of remotes',
      verbs: ['remote', 'remote add', 'remote set-url', 'remote remove', 'remote update'],
      effects: (call, given) => {
        const [name, url] = given.operands;
        const reversible = true;
        if (given.verb === 'remote update') return [git(call, 'fetch', { reversible })];
        if (given.verb === 'remote remove')
          return [git(call, 'remote-remove', { target: nameTarget(name), reversible })];
        if (given.verb === 'remote') return name === undefined ? [] : [git(call, 'config', { reversible })];
        const commands = url && /^ext::/.test(beginningOf(url)) ? [runs(call, 'git-helper', url)] : [];
        const detail = given.verb === 'remote add' ? 'remote-add' : 'remote-set-url';
        return [...commands, git(call, detail, { target: nameTarget(url ?? name), reversible })];
      },
      examples: {
        hit: {
          'git remote add o https://h.example/a': 'git https://h.example/a (remote-add) reversible',
          'git remote add -f -m main o ext::ls':
            'run ext::ls (git-helper); git ext::ls (remote-add) reversible',
          'git remote set-url o u': 'git u (remote-set-url) reversible',
          'git remote add o': 'git o (remote-add) reversible',
          ...same('git o (remote-remove) reversible', 'git remote remove o', 'git remote rm o'),
          ...same('git (fetch) reversible', 'git remote update', 'git remote prune o'),
          ...same('git (config) reversible', 'git remote rename a b', 'git remote $WHAT'),
        },
        miss: ['git remote', 'git remote -v', 'git remote show o', 'git remote get-url o'],
      },
    },
    {
      what: 'makes a repository',
      verbs: ['init'],
      effects: (call, given) => {
        const [named] = given.operands;
        const folder = named ? placeOf(given, named) : folderOf(given);
        return [
          git(call, 'init', { reversible: true }),
          ...(folder ? write(call, folder, { detail: 'create' }) : []),
          ...given.all('template').map((path) => hooksFrom(call, path)),
        ];
      },
      examples: {
        hit: {
          'git init': 'git (init) reversible',
          'git init -b main a': 'git (init) reversible; write a (create)',
          'git -C a init': 'git (init) reversible; write a (create)',
          'git -C a init b': 'git (init) reversible; write a/b (create)',
          'git init --template=t': 'git (init) reversible; run t (git-helper)',
        },
        miss: ['git status'],
      },
    },
    {
      what: 'works on a folder that is another repository',
      verbs: ['subtree', 'subtree push', 'subtree split'],
      effects: (call, given) => {
        if (given.verb === 'subtree push') return [git(call, 'push')];
        return [git(call, given.verb === 'subtree' ? 'pull' : 'branch', { reversible: true })];
      },
      examples: {
        hit: {
          ...same('git (push)', 'git subtree push -P a o b', 'git subtree --prefix a push o b'),
          'git subtree split -P a': 'git (branch) reversible',
          ...same(
            'git (pull) reversible',
            'git subtree add -P push o b',
            'git subtree pull -P a o b',
            'git subtree',
          ),
        },
        miss: ['git log'],
      },
    },
    {
      what: 'exchanges commits with Subversion and Perforce',
      verbs: ['svn', 'svn dcommit', 'p4', 'p4 submit'],
      effects: (call, given) =>
        given.verb === 'svn' || given.verb === 'p4'
          ? [git(call, 'fetch', { reversible: true })]
          : [git(call, 'push')],
      examples: {
        hit: {
          ...same('git (fetch) reversible', 'git svn rebase', 'git p4 sync', 'git svn', 'git p4'),
          ...same('git (push)', 'git svn dcommit', 'git svn set-tree a', 'git p4 submit'),
        },
        miss: ['git log'],
      },
    },
  ],
};
