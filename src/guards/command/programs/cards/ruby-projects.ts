// Managers of the packages of Ruby, Perl and Lua.

import { singleText } from '../../bash/values.ts';
import type { Card } from '../card.ts';
import { fact } from '../phrases.ts';
import { installs, projectManager, publishes, removes, tries } from '../project-managers.ts';
import { table } from '../tables.ts';

const gemfile = (name: string) =>
  fact({
    what: 'runs the list of packages, which is code',
    always: true,
    says: 'other file: Gemfile of the project',
    examples: { hit: { [`${name} a`]: 'other file: Gemfile of the project' }, miss: [] },
  });

const gem: Card = table({
  names: 'gem',
  options:
    'v/version= n/bindir= i/install-dir= s/source= a/all I f/force l/local key= host= otp= P/trust-policy= N config-file= p/http-proxy= platform= document= without= build-root=',
  readings:
    'v version n bindir i install-dir s source key host otp P trust-policy config-file p http-proxy platform document without build-root; a all I f force l local N',
  verbs: {
    owner: 'a/add= r/remove= k/key= host= otp=',
    push: 'k/key= host= otp=',
    yank: 'k/key= v/version= platform=',
    sources: 'a/add= r/remove= p/prepend= append=',
    open: 'e/editor= v/version=',
  },
  verbReadings: {
    owner: 'a add r remove k key host otp',
    push: 'k key host otp',
    yank: 'k key v version platform',
    sources: 'a add r remove p prepend append',
    open: 'e editor v version',
  },
  does: [
    ['run <next> (package) from network', 'exec'],
    ['package <next..> (install)', 'install | i | pristine | setup'],
    ['package <next..> (update)', 'update'],
    ['package <next..> (remove) recursive', 'uninstall --all | cleanup --all'],
    ['package <next..> (remove)', 'uninstall | cleanup'],
    ['deploy <next> (publish)', 'push'],
    ['deploy <next> (unpublish)', 'yank'],
    ['deploy <next> (registry-change)', 'owner'],
    ['', 'sources -l'],
    [
      'package <next..> (sources)',
      'sources --add | sources --remove | sources --prepend | sources --append | sources *',
    ],
  ],
  examples: {
    'gem exec a': 'run a (package) from network',
    'gem exec': 'run (package) from network',
    'gem <install i pristine setup> a': 'package a (install)',
    'gem <install i pristine setup>': 'package (install)',
    'gem update a': 'package a (update)',
    'gem update': 'package (update)',
    'gem <uninstall --all | cleanup --all> a': 'package a (remove) recursive',
    'gem <uninstall cleanup> a': 'package a (remove)',
    'gem <uninstall cleanup>': 'package (remove)',
    'gem push a': 'deploy a (publish)',
    'gem push': 'deploy (publish)',
    'gem yank a': 'deploy a (unpublish)',
    'gem yank': 'deploy (unpublish)',
    'gem owner a': 'deploy a (registry-change)',
    'gem owner': 'deploy (registry-change)',
    'gem sources -l a': '',
    'gem <sources -l | test>': '',
    gem: '',
    'gem <sources --add | sources --remove | sources --prepend | sources --append> b': 'package (sources)',
    'gem sources x a': 'package a (sources)',
  },
  facts: [
    fact({
      what: 'starts an editor',
      says: 'shell code: <--editor>',
      examples: {
        hit: { "gem open -e 'rm -rf /' a": 'shell code: rm -rf /' },
        miss: ['gem open a', 'gem install -e a'],
      },
    }),
    gemfile('gem'),
  ],
});

const bundle: Card = projectManager({
  names: 'bundle bundler',
  options: 'jobs= trust-policy= with= update= lockfile= gemfile= path= group/g= source= dry-run',
  readings: 'jobs trust-policy with update lockfile gemfile path group g source; dry-run',
  verbs: { install: 'shebang= without= retry=', update: 'j/jobs= retry=', 'exec | e': '+' },
  verbReadings: {
    install: 'shebang without retry',
    update: 'j jobs retry',
  },
  does: [tries('--dry-run'), removes('remove | clean'), installs('install | add | update | lock | config')],
  examples: {
    'bundle install --dry-run a': 'inert (dry-run)',
    'bundle <remove clean> a': 'package a (remove) reversible',
    'bundle <remove clean>': 'package (remove) reversible',
    'bundle <install add update lock config> a': 'package a (install) reversible',
    'bundle <install add update lock config>': 'package (install) reversible',

    'bundle <exec test show>': 'inert (project)',
    bundle: 'inert (project)',
  },
  facts: [
    fact({
      what: 'starts a program of a package',
      verbs: ['exec'],
      says: 'program: <1..>',
      examples: {
        hit: { 'bundle <exec e> rm -rf /': 'program: rm -rf /' },
        miss: ['bundle exec', 'bundler show a'],
      },
    }),
    gemfile('bundler'),
  ],
});

const rvm: Card = {
  names: 'rvm',
  options: '',
  readings: '',
  facts: [
    {
      what: 'starts a program with a version of Ruby',
      starts: (_, given) => {
        const at = given.operands.findIndex((word) => singleText(word) === 'do');
        const argv = at < 0 ? [] : given.behind(at + 1);
        return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
      },
      examples: {
        hit: { 'rvm 3.2,3.3 do rm -rf /': 'program: rm -rf /' },
        miss: ['rvm install 3.2', 'rvm all do'],
      },
    },
  ],
};

const luarocks: Card = projectManager({
  names: 'luarocks',
  options: 'tree= server= only-server= deps-mode= api-key= lua-version= lua-dir= timeout= project-tree=',
  readings: 'tree server only-server deps-mode api-key lua-version lua-dir timeout project-tree',
  does: [publishes('upload'), installs('install | make | build'), removes('remove | purge')],
  examples: {
    'luarocks upload a': "deploy 'upload a' (publish)",
    'luarocks upload': 'deploy upload (publish)',
    'luarocks <install make build> a': 'package a (install) reversible',
    'luarocks <install make build>': 'package (install) reversible',
    'luarocks <remove purge> a': 'package a (remove) reversible',
    'luarocks <remove purge>': 'package (remove) reversible',
    'luarocks test': 'inert (project)',
    luarocks: 'inert (project)',
  },
});

const cpan: Card = table({
  names: 'cpan',
  options: 'j= M= I=',
  readings: 'j M I',
  rest: 'package <1..> (install)',
  alone: 'package (install)',
  examples: {
    'cpan test': 'package test (install)',
    cpan: 'package (install)',
  },
  facts: [
    {
      what: 'is a shell of Perl where it is given nothing, or its input',
      starts: ({ args, fed }) =>
        fed ? [{ kind: 'input', language: 'other' }] : args.length === 0 ? [{ kind: 'unknown' }] : [],
      examples: { hit: { cpan: 'unknown', "'a' | cpan": 'other input' }, miss: ['cpan a'] },
    },
  ],
});

const cpanm: Card = table({
  names: 'cpanm',
  options: 'l/local-lib= L/local-lib-contained= M/from= mirror=',
  readings: 'l local-lib L local-lib-contained M from mirror',
  rest: 'package <1..> (install)',
  alone: 'package (install)',
  examples: {
    'cpanm test': 'package test (install)',
    cpanm: 'package (install)',
  },
});

export const cards = [gem, bundle, rvm, luarocks, cpan, cpanm];
