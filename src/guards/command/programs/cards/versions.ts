// Other systems that keep versions, in the words of git, and programs around git.

import {
  beginningOf,
  effect,
  hostOf,
  hostTarget,
  mapValue,
  nameTarget,
  textOf,
  write,
} from '../../tools/tool.ts';
import type { Card, Fact, Given } from '../card.ts';
import { each, same } from '../examples.ts';

/** The subcommand as it is written; null where it is not known. */
function verbOf({ operands }: Given<Parameters<typeof textOf>[0]>): string | null {
  return operands[0] === undefined ? 'help' : textOf(operands[0]);
}

/** The fact that it talks to the server of an address, and puts a tree of others into a folder. */
function obtaining(name: string, verbs: RegExp, words: string): Fact {
  return {
    what: 'talks to a server, and obtains a tree of files',
    effects: (call, given) => {
      const addresses = given.operands.filter((word) => /^[a-z+]+:\/\//.test(beginningOf(word)));
      const [address] = addresses;
      const connects = addresses.map((one) =>
        effect(call, 'connect', { detail: 'download', target: hostTarget(hostOf(one)) }),
      );
      if (address === undefined || !verbs.test(verbOf(given) ?? '')) return connects;
      const folder =
        given.operands[given.operands.indexOf(address) + 1] ??
        mapValue(address, (text) => text.replace(/\/+$/, '').split('/').at(-1) ?? '.');
      const more = { detail: 'create', recursive: true, origins: ['network'] } as const;
      return [...connects, ...write(call, folder, more)];
    },
    examples: {
      hit: {
        [`${name} <${words}> https://h.example/a b`]:
          'connect h.example (download); write b (create) recursive from network',
        [`${name} <${words}> https://h.example/a/`]:
          'connect h.example (download); write a (create) recursive from network',
        [`${name} info https://h.example/a b`]: 'connect h.example (download)',
      },
      miss: [`${name} status`, `${name} <${words}> ./a b`],
    },
  };
}

const svn: Card = {
  names: 'svn',
  options:
    'm/message= username= password= config-dir= config-option= trust-server-cert-failures= trust-server-cert R/recursive remove-unversioned',
  readings:
    'm message username password config-dir config-option trust-server-cert-failures; trust-server-cert R recursive remove-unversioned',
  facts: [
    obtaining('svn', /^(?:checkout|co|export)$/, 'checkout co export'),
    {
      what: 'changes the working copy or the server',
      effects: (call, given) => {
        const verb = verbOf(given) ?? 'unknown';
        if (/^(?:st|stat|status|log|diff|di|info|ls|list|cat|blame|help|proplist|propget|pg|pl)$/.test(verb))
          return [];
        if (/^(?:revert|cleanup)$/.test(verb))
          return [
            effect(call, 'git', {
              detail: 'discard',
              recursive: given.has('recursive', 'remove-unversioned'),
            }),
          ];
        const sends = /^(?:ci|commit|import|copy|cp|mkdir|delete|del|rm|remove|move|mv|lock|unlock)$/.test(
          verb,
        );
        return [effect(call, 'git', { detail: sends ? 'push' : 'fetch' })];
      },
      examples: {
        hit: {
          ...same('git (discard)', 'svn revert a', 'svn cleanup'),
          ...same(
            'git (discard) recursive',
            ...each('svn revert % .', '-R --recursive'),
            'svn cleanup --remove-unversioned',
          ),
          ...same(
            'git (push)',
            ...each('svn % a', 'ci commit import copy cp mkdir delete del rm remove move mv lock unlock'),
          ),
          ...same('git (fetch)', 'svn update', 'svn co https://h.example/a', 'svn $WHAT'),
        },
        miss: [
          'svn',
          ...each('svn %', 'st stat status log diff di info ls list cat blame help proplist propget pg pl'),
        ],
      },
    },
  ],
};

/** What a subcommand of Mercurial does, by its name; another one commits. */
const inHg: readonly (readonly [names: RegExp, detail: string, forced?: string])[] = [
  [/^push$/, 'push', 'force-push'],
  [/^(?:purge|clean)$/, 'discard'],
  [/^(?:revert|up|update|co|checkout)$/, 'switch', 'discard'],
  [/^(?:strip|rollback|histedit|rebase|prune)$/, 'rewrite'],
  [/^(?:pull|clone|fetch)$/, 'fetch'],
];

const hg: Card = {
  names: 'hg',
  options: 'R= config= cwd= y v q debug C/clean f/force a/all',
  readings: { valued: 'R config cwd', flags: 'y v q debug C clean f force a all' },
  facts: [
    obtaining('hg', /^clone$/, 'clone'),
    {
      what: 'runs settings that are given for this call',
      effects: (call, given) =>
        given
          .all('config')
          .filter((setting) =>
            /^(?:alias|hooks|extensions|ui\.(?:editor|ssh|merge)|merge-tools|pager)/.test(
              beginningOf(setting),
            ),
          )
          .map((setting) => effect(call, 'run', { detail: 'git-config', target: nameTarget(setting) })),
      examples: {
        hit: Object.fromEntries(
          'alias.x hooks.x extensions.x ui.editor ui.ssh ui.merge merge-tools.x pager.x'
            .split(' ')
            .map((key) => [`hg --config ${key}=ls log`, `run ${key}=ls (git-config)`]),
        ),
        miss: ['hg --config ui.username=x commit', 'hg log'],
      },
    },
    {
      what: 'changes the working copy, the history or a server',
      effects: (call, given) => {
        const verb = verbOf(given) ?? 'unknown';
        if (
          /^(?:st|status|log|diff|id|identify|heads|tip|branches|tags|cat|annotate|blame|summary|sum|paths|help|version|root|manifest|files|grep|parents|incoming|outgoing|in|out|bookmarks|verify|showconfig|config)$/.test(
            verb,
          )
        )
          return [];
        const [, detail = 'commit', forced] = inHg.find(([names]) => names.test(verb)) ?? [];
        const isForced = forced !== undefined && given.has('clean', 'force', 'all');
        return [effect(call, 'git', { detail: isForced ? forced : detail })];
      },
      examples: {
        hit: {
          'hg push': 'git (push)',
          ...same('git (force-push)', 'hg push -f', 'hg push --force'),
          ...same(
            'git (discard)',
            'hg purge',
            'hg clean',
            ...each('hg % -C', 'revert up update co checkout'),
          ),
          ...same('git (discard)', ...each('hg revert %', '--clean -a --all')),
          ...same('git (switch)', ...each('hg % a', 'revert up update co checkout')),
          ...same('git (rewrite)', ...each('hg %', 'strip rollback histedit rebase prune')),
          ...same('git (fetch)', ...each('hg %', 'pull clone fetch')),
          ...same('git (commit)', 'hg commit -m x', 'hg -R a add b', 'hg $WHAT', 'hg --cwd log add'),
        },
        miss: [
          'hg',
          ...each(
            'hg %',
            'st status log diff id identify heads tip branches tags cat annotate blame summary sum paths help version root manifest files grep parents incoming outgoing in out bookmarks verify showconfig config',
          ),
        ],
      },
    },
  ],
};

const jj: Card = {
  names: 'jj',
  options: 'R/repository= at-operation/at-op= config= config-file= color=',
  readings: { valued: 'R repository at-operation at-op config config-file color' },
  facts: [
    {
      what: 'changes commits, the working copy or a server',
      effects: (call, given) => {
        const [verb = 'log', second] = given.operands.map(beginningOf);
        if (/^(?:st|status|log|diff|show|version|help|config|root|files|op|operation)$/.test(verb)) return [];
        if (verb === 'git' && second === 'push')
          return [effect(call, 'git', { detail: 'push', reversible: false })];
        const detail = /^(?:abandon|restore)$/.test(verb) ? 'discard' : 'commit';
        return [effect(call, 'git', { detail, reversible: second !== 'push' })];
      },
      examples: {
        hit: {
          'jj git push': 'git (push)',
          ...same(
            'git (commit) reversible',
            'jj git fetch',
            'jj commit',
            'jj describe -m x',
            'jj $WHAT',
            'jj --at-op log new',
          ),
          ...same('git (discard) reversible', 'jj abandon a', 'jj restore'),
        },
        miss: ['jj', ...each('jj %', 'st status log diff show version help config root files op operation')],
      },
    },
  ],
};

const rewriters: Card = {
  names: 'git-filter-repo bfg',
  options: '',
  readings: {},
  facts: [
    {
      what: 'rewrites all commits',
      effects: (call, given) =>
        given.has('help') ? [] : [effect(call, 'git', { detail: 'rewrite', force: true, recursive: true })],
      examples: {
        hit: same('git (rewrite) recursive force', 'git-filter-repo --path a', 'bfg --delete-files a', 'bfg'),
        miss: ['bfg --help'],
      },
    },
  ],
};

/** They show a repository, and a person at the keyboard does the rest. */
const viewers: Card = {
  names: 'tig gitk lazygit gitui git-cliff gitleaks',
  options: '',
  readings: {},
  facts: [],
};

export const cards: readonly Card[] = [svn, hg, jj, rewriters, viewers];
