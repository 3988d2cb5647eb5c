// Git: what it starts by itself, what it only reads, and the parts of its card.

import { type Inner, type Call as Start, shellCode } from '../../../bash/executors/inner.ts';
import { placesUnder } from '../../../bash/programs.ts';
import { quoteWords, splitQuoted } from '../../../bash/quoted.ts';
import { concat, knownText, singleText, type Text } from '../../../bash/values.ts';
import { beginningOf, effect, mapValue, nameTarget, read, write } from '../../../tools/tool.ts';
import { type Card, type Fact, type Given, ofOptions, shellOptions } from '../../card.ts';
import { each, forAll, same } from '../../examples.ts';
import { branches } from './branches.ts';
import { history } from './history.ts';
import { lfsPart } from './lfs.ts';
import { asksForHelp, git, type Part, placeOf, runs } from './part.ts';
import { contact, remotes } from './remotes.ts';
import { repositories } from './repositories.ts';
import { settings, settingsIn } from './settings.ts';
import { tree } from './tree.ts';
import { upkeep } from './upkeep.ts';

/** Subcommands that others brought along, for which an alias counts. */
const added = new Set('absorb undo flow standup who who-am-i cola gitk'.split(' '));

/** The command line of an alias, with the words behind it. */
function aliasCommand(value: string, words: readonly Text[]): Inner {
  if (!value.startsWith('!'))
    return {
      kind: 'argv',
      argv: [...['git', ...splitQuoted(value)].map((word) => knownText(word)), ...words],
    };
  const command = knownText(value.slice(1));
  return shellCode(words.length === 0 ? command : concat(concat(command, knownText(' ')), quoteWords(words)));
}

/** The subcommand with the words behind it, where git has none of that name itself. */
function otherVerb<Word>({ verb, words }: Given<Word>): readonly Word[] {
  return verb === null ? words : [];
}

/** Options of what only reads, but for where it writes or shows what it read. */
const readOptions = 'output= O/open-files-in-pager? ext-diff textconv o= no-index name-only';

const reading: Part = {
  verbs: {
    'show | cat-file | diff | blame | annotate': readOptions,
    grep: readOptions,
    'ls-files': readOptions,
    'diff-tree | diff-index': readOptions,
    'rev-parse': 'show-toplevel',
    'status | log | shortlog | describe | rev-list | ls-tree | name-rev | for-each-ref | show-ref | show-branch | cherry | merge-base | whatchanged | diff-files | range-diff | count-objects | fsck | verify-commit | verify-tag | verify-pack | check-ignore | check-attr | check-ref-format | check-mailmap | var | version | help | bugreport | diagnose | get-tar-commit-id | merge-tree | merge-file | patch-id | column | stripspace | interpret-trailers | request-pull | mailinfo | mailsplit | fmt-merge-msg | unpack-file | write-tree | commit-tree | mktree | mktag | index-pack | unpack-objects | pack-objects | show-index | for-each-repo | fast-export | commit-graph | multi-pack-index | last-modified | backfill | refs | gui | citool':
      readOptions,
    standup: '',
    who: '',
    'who-am-i': '',
    cola: '',
    gitk: '',
    archive: 'o/output= prefix= format= remote= exec= l/list v',
    'format-patch':
      'o/output/output-directory= stdout n k numbered-files start-number= subject-prefix= cover-letter base= root',
    bundle: '',
    'bundle create': 'q progress version= all',
    'difftool | mergetool': 'x/extcmd= t/tool=',
    hook: '',
    'hash-object': 't= w stdin path= no-filters',
  },
  verbReadings: {
    ...forAll(['show', 'grep', 'ls-files', 'diff-tree', 'status'], {
      valued: 'output o',
      flags: 'ext-diff textconv no-index name-only',
      attached: 'O open-files-in-pager',
    }),
    'rev-parse': { flags: 'show-toplevel' },
    archive: { valued: 'o output prefix format remote exec', flags: 'l list v' },
    'format-patch': {
      valued: 'o output output-directory start-number subject-prefix base',
      flags: 'stdout n k numbered-files cover-letter root',
    },
    'bundle create': { valued: 'version', flags: 'q progress all' },
    difftool: { valued: 'x extcmd t tool' },
    'hash-object': { valued: 't path', flags: 'w stdin no-filters' },
  },
  facts: [
    {
      what: 'writes what it shows into a file',
      verbs: ['show', 'grep', 'ls-files', 'diff-tree', 'status'],
      effects: ofOptions('output', (call, path) => write(call, path, { detail: 'overwrite' })),
      examples: {
        hit: {
          ...same(
            'write a (overwrite)',
            ...each('git % --output=a', 'diff grep diff-tree log ls-files'),
            'git show --outp a',
          ),
        },
        miss: ['git diff', 'git log --oneline', 'git diff -O a'],
      },
    },
    {
      what: 'opens what it finds in a pager',
      verbs: ['grep'],
      effects: (call, given) =>
        given.has('open-files-in-pager') ? [runs(call, 'helper', given.last('open-files-in-pager'))] : [],
      starts: shellOptions('open-files-in-pager'),
      examples: {
        hit: {
          'git grep -Ols x': 'run ls (helper); shell code: ls',
          'git grep --open-files-in-pager=ls x': 'run ls (helper); shell code: ls',
          'git grep -O x': 'run (helper)',
        },
        miss: ['git grep x', 'git diff -Ols'],
      },
    },
    {
      what: 'shows what files hold',
      verbs: ['show', 'grep'],
      effects: (call, given) => {
        const named = given.operands.map((operand) =>
          mapValue(operand, (text) => text.replace(/^[^:]*:/, '')),
        );
        const files = given.verb === 'grep' ? named.slice(1) : named;
        const shown = files.flatMap((path) => read(call, placeOf(given, path)));
        return given.has('no-index') ? shown : shown.filter(({ kind }) => kind === 'secret');
      },
      examples: {
        hit: {
          ...same('secret .env (environment)', ...each('git % .env', 'show cat-file diff blame annotate')),
          'git show HEAD:.env': 'secret .env (environment)',
          'git -C a show HEAD:.env': 'secret a/.env (environment)',
          'git grep KEY .env': 'secret .env (environment)',
          'git diff --no-index a b': 'read a; read b',
          'git grep --no-index x a': 'read a',
        },
        miss: ['git show HEAD:a', 'git diff a b', 'git grep .env', 'git log .env', 'git ls-files .env'],
      },
    },
    {
      what: 'shows how files changed',
      effects: (call, given) => {
        const words = call.args.map(beginningOf);
        const at = words.findIndex((word) => /^(?:log|stash|whatchanged|reflog)$/.test(word));
        const patches = words
          .slice(at)
          .some((word) => /^(?:-p|-u|--patch|-L.*|--full-diff|-S.*|-G.*)$/.test(word));
        return at < 0 || !patches
          ? []
          : call.args
              .slice(at + 1)
              .filter((word) => !/^-/.test(beginningOf(word)))
              .flatMap((path) => read(call, placeOf(given, path)))
              .filter(({ kind }) => kind === 'secret');
      },
      examples: {
        hit: same(
          'secret .env (environment)',
          'git log -p -- .env',
          'git log --patch --all .env',
          'git stash show -p stash@{0} -- .env',
        ),
        miss: ['git log -- .env', 'git log -p -- a', 'git stash show -p'],
      },
    },
    {
      what: 'writes archives and patches',
      verbs: ['archive', 'format-patch', 'bundle create'],
      effects: (call, given) => {
        const [first] = given.operands;
        const written = given.verb === 'bundle create' ? (first ? [first] : []) : given.all('output');
        const effects = [
          ...written.flatMap((path) => write(call, placeOf(given, path), { detail: 'create' })),
          ...given.all('exec').map((helper) => runs(call, 'git-helper', helper)),
          ...given.all('remote').flatMap((remote) => contact(call, remote, 'fetch')),
        ];
        const inPlace = given.verb === 'format-patch' && effects.length === 0 && !given.has('stdout');
        return inPlace ? [git(call, 'format-patch', { reversible: true })] : effects;
      },
      starts: shellOptions('exec'),
      examples: {
        hit: {
          ...same('write a.tar (create)', 'git archive -o a.tar HEAD', 'git archive --output=a.tar HEAD'),
          'git -C d archive -o a.tar HEAD': 'write d/a.tar (create)',
          'git archive --remote=https://h.example/a --exec=x HEAD':
            'run x (git-helper); connect h.example (git-fetch); shell code: x',
          ...same('write d (create)', 'git format-patch -o d a', 'git format-patch --output-directory d a'),
          'git format-patch a': 'git (format-patch) reversible',
          'git bundle create a.bundle --all': 'write a.bundle (create)',
        },
        miss: ['git archive HEAD', 'git format-patch --stdout a', 'git bundle verify a', 'git bundle create'],
      },
    },
    {
      what: 'starts tools and hooks',
      verbs: ['difftool', 'hook'],
      effects: (call, given) => [runs(call, given.verb === 'hook' ? 'git-hook' : 'helper')],
      starts: shellOptions('extcmd'),
      examples: {
        hit: {
          ...same('run (helper)', 'git difftool a', 'git mergetool -t x'),
          ...same('run (helper); shell code: ls', 'git difftool -x ls a', 'git difftool --extcmd=ls a'),
          'git hook run pre-commit': 'run (git-hook)',
        },
        miss: ['git diff a'],
      },
    },
    {
      what: 'reads files to keep or name them',
      verbs: ['hash-object'],
      effects: (call, given) => given.operands.flatMap((path) => read(call, placeOf(given, path))),
      examples: {
        hit: { 'git hash-object -t blob -w a': 'read a', 'git -C d hash-object a': 'read d/a' },
        miss: ['git hash-object --stdin'],
      },
    },
    {
      what: 'prints the folder of the working tree',
      verbs: ['rev-parse'],
      prints: ({ folder = '' }, given) => (given.has('show-toplevel') ? knownText(`${folder}\n`) : null),
      examples: {
        hit: { 'git rev-parse --show-toplevel': 'prints /workspace\\n' },
        miss: ['git rev-parse HEAD'],
      },
    },
    {
      what: 'prints paths of the working tree',
      verbs: ['ls-files', 'show', 'diff-tree'],
      prints: (_, given) =>
        given.has('name-only') || given.verb === 'ls-files'
          ? concat(placesUnder(knownText('.')), knownText('\n'))
          : null,
      examples: {
        hit: same(
          'prints ./…\\n',
          ...[
            'git ls-files',
            'git diff --name-only',
            'git show --name-only a',
            'git diff-tree --name-only a',
          ],
        ),
        miss: ['git diff a', 'git log --name-only', 'git diff-index a'],
      },
    },
  ],
};

const itself: Part = {
  verbs: {},
  verbReadings: {},
  facts: [
    {
      what: 'takes its own programs from another folder',
      effects: (call, { before }) =>
        before.all('exec-path').map((folder) => runs(call, 'git-helper', folder)),
      examples: {
        hit: { 'git --exec-path=/x log': 'run /x (git-helper)' },
        miss: ['git --exec-path', 'git --html-path'],
      },
    },
    {
      what: 'runs aliases that are given for this call',
      starts: (_: Start, { before, verb, words }) => {
        if (verb !== null && !added.has(verb)) return [];
        const name = verb ?? singleText(words[0]);
        return before
          .all('c')
          .flatMap(settingsIn)
          .filter(([key]) => name !== '' && key.toLowerCase() === `alias.${name}`.toLowerCase())
          .map(([, value]) => aliasCommand(value, verb === null ? words.slice(1) : words));
      },
      examples: {
        hit: {
          "git -c alias.x='!ls -l' x": 'shell code: ls -l',
          "git -c alias.x=!ls x 'a b' -c": "shell code: ls 'a b' -c",
          "git -c alias.X='log -p' x a": 'program: git log -p a',
          ...Object.fromEntries(
            each('%', 'absorb undo flow standup who who-am-i cola gitk').map((verb) => [
              `git -c alias.${verb}=!ls ${verb} -a`,
              'shell code: ls -a',
            ]),
          ),
        },
        miss: ['git -c alias.x=!ls y', 'git -c alias.log=!ls log', 'git -c alias.x=!ls', 'git x'],
      },
    },
    {
      what: 'starts itself, where its name is written twice',
      starts: (_: Start, given) => {
        const words = otherVerb(given);
        const first = words.findIndex((word) => singleText(word) !== 'git');
        return first > 0 ? [{ kind: 'argv', argv: words.slice(first - 1) }] : [];
      },
      examples: {
        hit: same('program: git reset --hard', 'git git reset --hard', 'git git git reset --hard'),
        miss: ['git log', 'git log git', 'git git', 'git x git'],
      },
    },
    {
      what: 'takes any other word for an alias or another program',
      effects: (call, given) => {
        const [verb] = otherVerb(given);
        if (verb === undefined || asksForHelp(given) || /^-|^git$/.test(beginningOf(verb))) return [];
        return [effect(call, 'git', { detail: 'unknown', target: nameTarget(verb) })];
      },
      examples: {
        hit: {
          'git some-alias a': 'git some-alias (unknown)',
          'git $WHAT': 'git … (unknown)',
          'git -C a x': 'git x (unknown)',
          ...same('git lag (unknown)', 'git lag', 'hub lag'),
        },
        miss: [
          ...[
            'git',
            'git --version',
            'git --help x',
            'git -v',
            'git -h',
            'git git x',
            'git -C x',
            'hub log',
            'git -$WHAT',
          ],
          ...each('git % -h', 'config commit gc checkout add push remote lfs'),
          ...each(
            'git %',
            'status log diff show blame annotate grep shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev for-each-ref show-ref show-branch cherry merge-base whatchanged diff-tree diff-index diff-files range-diff count-objects fsck verify-commit verify-tag verify-pack check-ignore check-attr check-ref-format check-mailmap var version help bugreport diagnose get-tar-commit-id merge-tree merge-file patch-id column stripspace interpret-trailers request-pull mailinfo mailsplit fmt-merge-msg unpack-file write-tree commit-tree mktree mktag index-pack unpack-objects pack-objects show-index for-each-repo fast-export commit-graph multi-pack-index last-modified backfill refs gui gitk cola citool standup who who-am-i',
          ),
        ],
      },
    },
  ],
};

/** The fact, but not where only help is asked for. */
function unlessHelp(fact: Fact): Fact {
  const { effects, verbs } = fact;
  if (effects === undefined || verbs === undefined) return fact;
  return { ...fact, effects: (call, given) => (asksForHelp(given) ? [] : effects(call, given)) };
}

const parts: readonly Part[] = [
  settings,
  history,
  upkeep,
  branches,
  tree,
  remotes,
  repositories,
  lfsPart('git lfs', { lfs: '' }),
  reading,
  itself,
];

const card: Card = {
  names: 'git hub',
  options:
    'C= c= exec-path? html-path man-path info-path p/paginate P/no-pager no-replace-objects bare git-dir= work-tree= namespace= super-prefix= config-env= attr-source= literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks list-cmds= v/version h/help no-lazy-fetch no-advice',
  optionsFirst: true,
  verbs: Object.assign({}, ...parts.map(({ verbs }) => verbs)),
  readings: {
    valued: 'C c git-dir work-tree namespace super-prefix config-env attr-source list-cmds',
    flags:
      'html-path man-path info-path p paginate P no-pager no-replace-objects bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks v version h help no-lazy-fetch no-advice',
    attached: 'exec-path',
  },
  verbReadings: Object.assign({}, ...parts.map(({ verbReadings }) => verbReadings)),
  facts: parts.flatMap(({ facts }) => facts).map(unlessHelp),
  advice: [
    ...['git_worktree_loss', 'git_file_discard'].flatMap((rule) => [
      { rule, details: ['stash-drop'], text: 'Look at what was stashed: `git stash list`.' },
      { rule, text: 'Set the changes aside instead: `git stash push -u`.' },
    ]),
    { rule: 'git_history_loss', details: ['tag-delete'], text: 'Look at the tags first: `git tag -l`.' },
    {
      rule: 'git_history_loss',
      details: ['reflog-expire', 'prune'],
      text: 'Look at it first: `git reflog`.',
    },
    {
      rule: 'git_history_loss',
      details: ['worktree-remove', 'submodule-deinit'],
      text: 'Look at what was not committed: `git status`.',
    },
    { rule: 'git_history_loss', text: 'Keep a branch on what is there: `git branch backup`.' },
    {
      rule: 'force_push',
      details: ['force-push'],
      text: 'Push so that others’ commits are kept: `git fetch origin`, then an ordinary push.',
    },
    { rule: 'force_push', text: 'Look at what others have there: `git fetch origin`, then `git branch -r`.' },
    { rule: 'git_configuration', text: 'Look at the settings: `git config --list`.' },
  ],
};

const lfs: Card = {
  names: 'git-lfs',
  options: '',
  readings: {},
  ...lfsPart('git-lfs'),
};

export const cards: readonly Card[] = [card, lfs];
