// Programs that publish packages, and those that install versions of a language for a project or a person.

import { knownText, singleText } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import { type Call, trusting, write } from '../../tools/tool.ts';
import { building } from '../builds.ts';
import type { Card, Examples, Fact, Given } from '../card.ts';
import { packages, replacedGuard } from '../package-effects.ts';
import { type Table, table } from '../tables.ts';
import { startFact } from '../wrappers.ts';

type Words = Pick<Table, 'options' | 'readings' | 'facts'>;

/** The card of a program of which these commands publish something, and others take it back. */
function publishes(
  names: string,
  commands: string,
  examples: Table['examples'],
  { takesBack, ...more }: Words & { readonly takesBack?: string } = {},
): Card {
  return table({
    ...more,
    names,
    does: [
      ...(takesBack === undefined ? [] : [['deploy (unpublish)', takesBack] as const]),
      ['deploy (publish)', commands],
    ],
    examples,
  });
}

const publishers: readonly Card[] = [
  publishes(
    'lerna',
    'publish',
    { 'lerna publish': 'deploy (publish)', 'lerna --scope a run build': '', lerna: '' },
    {
      options: 'loglevel= max-buffer= scope= ignore= profile profile-location=',
      readings: { valued: 'loglevel max-buffer scope ignore profile-location', flags: 'profile' },
      facts: [
        startFact({
          names: 'lerna',
          options: 'loglevel= max-buffer= scope= ignore= profile profile-location=',
          subcommands: 'exec',
          dashed: true,
          hit: { 'lerna exec --scope a -- rm b': 'program: rm b' },
          miss: ['lerna run a', 'lerna'],
        }),
        building('lerna'),
      ],
    },
  ),
  publishes(
    'changeset flit',
    'publish',
    { 'changeset publish': 'deploy (publish)', 'flit build': '', changeset: '' },
    { facts: [building('changeset')] },
  ),
  publishes('ovsx', 'publish', { 'ovsx publish a': 'deploy (publish)', 'ovsx get a': '', ovsx: '' }),
  publishes(
    'vsce',
    'publish',
    {
      'vsce publish': 'deploy (publish)',
      'vsce <unpublish delete-publisher> a': 'deploy (unpublish)',
      'vsce package': '',
      vsce: '',
    },
    { takesBack: 'unpublish | delete-publisher', facts: [building('vsce')] },
  ),
  table({
    names: 'semantic-release release-it',
    always: 'deploy (publish)',
    examples: { 'release-it minor': 'deploy (publish)', 'semantic-release': 'deploy (publish)' },
  }),
  table({
    names: 'twine',
    does: [['', 'check']],
    rest: 'deploy (publish)',
    examples: { 'twine upload dist/a': 'deploy (publish)', 'twine check a': '', twine: '' },
  }),
];

const reversible = { reversible: true } as const;

/** The fact that it installs and removes, by its first word. */
function installs(
  { install, remove }: { readonly install?: RegExp; readonly remove?: RegExp },
  examples: Examples,
): Fact {
  return {
    what: 'installs and removes versions',
    effects: (call: Call, { operands: [verb, ...names] }: Given<Value>): readonly Effect[] => {
      const text = verb?.kind === 'literal' ? verb.text : '';
      if (remove?.test(text)) return packages(call, 'remove', names, reversible);
      return install?.test(text) ? packages(call, 'install', names, reversible) : [];
    },
    examples,
  };
}

/** The card of a manager of versions, that may start a program with one. */
function versions(
  card: Pick<Card, 'names'> & Partial<Pick<Card, 'options' | 'readings'>>,
  starts: Fact | null,
  ...facts: readonly Fact[]
): Card {
  return { options: '', readings: '', ...card, facts: [...(starts === null ? [] : [starts]), ...facts] };
}

/** `name exec command`. */
function runs(
  names: string,
  more: Partial<Parameters<typeof startFact>[0]> = {},
  hit?: Examples['hit'],
): Fact {
  const [name = ''] = names.split(' ');
  const verb = more.subcommands ?? 'exec';
  return startFact({
    names,
    subcommands: verb,
    ...more,
    hit: hit ?? { [`${name} ${verb} rm a`]: 'program: rm a' },
    miss: [name, `${name} list`],
  });
}

const nodeOptions = 'reinstall-packages-from= alias= silent';
const managers: readonly Card[] = [
  versions(
    { names: 'asdf' },
    runs('asdf'),
    installs(
      { install: /^(?:install|plugin)$/, remove: /^uninstall$/ },
      {
        hit: {
          'asdf <install plugin> a': 'package a (install) reversible',
          'asdf uninstall a': 'package a (remove) reversible',
        },
        miss: ['asdf list', 'asdf'],
      },
    ),
  ),
  versions(
    { names: 'pyenv' },
    runs('pyenv'),
    installs(
      { install: /^install$/, remove: /^uninstall$/ },
      {
        hit: {
          'pyenv install 3': 'package 3 (install) reversible',
          'pyenv uninstall 3': 'package 3 (remove) reversible',
        },
        miss: ['pyenv versions', 'pyenv'],
      },
    ),
  ),
  versions({ names: 'rbenv' }, runs('rbenv')),
  versions(
    {
      names: 'fnm',
      options: 'using= arch= fnm-dir= log-level= node-dist-mirror= version-file-strategy=',
      readings: 'using arch fnm-dir log-level node-dist-mirror version-file-strategy',
    },
    runs(
      'fnm',
      { options: 'using= arch= fnm-dir= log-level= node-dist-mirror= version-file-strategy=' },
      {
        'fnm exec --using 20 rm a': 'program: rm a',
      },
    ),
  ),
  versions(
    { names: 'nvm', options: nodeOptions, readings: 'reinstall-packages-from alias; silent' },
    {
      what: 'starts a program with a version of Node',
      starts: (_, given) => {
        const [verb, ...rest] = given.behind(0).filter((word) => singleText(word) !== '--silent');
        const isVersion = /^(?:v?[\d.]+|lts\/\S+|node|stable)$/.test(singleText(rest[0]));
        const words = isVersion ? rest.slice(1) : rest;
        if (verb !== undefined && singleText(verb) === 'run')
          return [{ kind: 'argv', argv: [knownText('node'), ...words] }];
        return verb !== undefined && singleText(verb) === 'exec' ? [{ kind: 'argv', argv: words }] : [];
      },
      examples: {
        hit: {
          'nvm exec 20 rm a': 'program: rm a',
          'nvm run --silent node a.js': 'program: node a.js',
          'nvm exec rm a': 'program: rm a',
        },
        miss: ['nvm use 20', 'nvm'],
      },
    },
    installs(
      { install: /^(?:install|alias)$/, remove: /^uninstall$/ },
      {
        hit: {
          'nvm <install alias> 20': 'package 20 (install) reversible',
          'nvm uninstall 20': 'package 20 (remove) reversible',
          'nvm install --reinstall-packages-from a 20': 'package 20 (install) reversible',
        },
        miss: ['nvm use 20', 'nvm'],
      },
    ),
  ),
  versions(
    { names: 'volta', options: 'env=', readings: 'env' },
    runs(
      'volta',
      { subcommands: 'run', options: 'env= node= npm= pnpm= yarn=' },
      { 'volta run --node 20 rm a': 'program: rm a' },
    ),
    {
      what: 'replaces the guard',
      effects: (call, { operands: [verb, ...names] }) =>
        verb?.kind === 'literal' && /^(?:install|uninstall|pin|fetch)$/.test(verb.text)
          ? replacedGuard(call, names)
          : [],
      examples: {
        hit: { 'volta <install uninstall pin fetch> sallyport': 'tamper sallyport (package)' },
        miss: ['volta install node', 'volta list', 'volta'],
      },
    },
  ),
  versions(
    { names: 'mise', options: '', readings: '' },
    runs(
      'mise',
      { subcommands: 'exec x', options: 'c/command=', shell: 'command', dashed: true },
      {
        'mise exec node@20 -- rm a': 'program: rm a',
        "mise x -c 'rm a'": 'shell code: rm a',
      },
    ),
    {
      what: 'lets the settings of a folder run',
      effects: (call, { operands: [verb] }) =>
        verb?.kind === 'literal' && verb.text === 'trust' ? trusting(call, 'mise.toml') : [],
      examples: { hit: { 'mise trust': 'persist mise.toml (shell-start)' }, miss: ['mise ls', 'mise'] },
    },
    building('mise'),
  ),
  versions({ names: 'ncu npm-check-updates sdk' }, null),
  versions({ names: 'virtualenv', options: 'p/python= prompt=', readings: 'p python prompt' }, null, {
    what: 'makes an environment',
    effects: (call, { operands }) =>
      operands.slice(-1).flatMap((path) => write(call, path, { detail: 'create' })),
    examples: { hit: { 'virtualenv -p python3 .venv': 'write .venv (create)' }, miss: ['virtualenv'] },
  }),
];

export const cards: readonly Card[] = [...publishers, ...managers];
