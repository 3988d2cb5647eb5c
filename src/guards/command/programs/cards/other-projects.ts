// Managers of the packages of other languages: Elixir, Erlang, Haskell, OCaml, C, Node, Ansible and Helm.

import type { Card } from '../card.ts';
import { fact } from '../phrases.ts';
import { installs, projectManager, publishes, removes } from '../project-managers.ts';
import { table } from '../tables.ts';

const execs = (name: string, options = '') =>
  fact({
    what: 'starts a program of the project',
    verbs: ['exec'],
    says: 'program: <1..>',
    examples: {
      hit: {
        [`${name} exec ${options}rm -rf /`]: 'program: rm -rf /',
        [`${name} exec ${options}-- rm -rf /`]: 'program: rm -rf /',
      },
      miss: [`${name} exec`, `${name} build`],
    },
  });

const mix: Card = projectManager({
  names: 'mix',
  options: 'e/eval= only= target= force',
  readings: 'e eval only target; force',
  verbs: { cmd: '+ app= C/cd=', eval: '+', run: '+ e/eval= r/require=' },
  verbReadings: {
    cmd: 'app C cd',
    run: 'e eval r require',
  },
  does: [
    ['database (drop)', 'ecto.drop | ecto.reset | ecto.rollback'],
    publishes('hex.publish'),
    installs('deps.get | deps.update | local.* | archive.install'),
  ],
  examples: {
    'mix <ecto.drop ecto.reset ecto.rollback> a': 'database (drop)',
    'mix <ecto.drop ecto.reset ecto.rollback>': 'database (drop)',
    'mix hex.publish a': "deploy 'hex.publish a' (publish)",
    'mix hex.publish': 'deploy hex.publish (publish)',
    'mix <deps.get deps.update local.x archive.install> a': 'package a (install) reversible',
    'mix <deps.get deps.update archive.install>': 'package (install) reversible',
    'mix test': 'inert (project)',
    mix: 'inert (project)',
  },
  facts: [
    fact({
      what: 'starts a program',
      verbs: ['cmd'],
      says: 'program: <1..>',
      examples: { hit: { 'mix cmd --app a rm -rf /': 'program: rm -rf /' }, miss: ['mix cmd', 'mix test'] },
    }),
    fact({
      what: 'runs code of its options',
      says: 'other code: <--eval>',
      examples: { hit: { "mix run -e 'a()'": 'other code: a()' }, miss: ['mix run a'] },
    }),
    fact({
      what: 'runs code',
      verbs: ['eval'],
      says: 'other code: <1>',
      examples: { hit: { "mix eval 'a()'": 'other code: a()' }, miss: ['mix test a'] },
    }),
  ],
});

const rebar3: Card = projectManager({
  names: 'rebar3',
  options: '',
  does: [publishes('… publish | hex cut')],
  examples: {
    'rebar3 x publish a': "deploy 'x publish a' (publish)",
    'rebar3 hex cut a': "deploy 'hex cut a' (publish)",
    'rebar3 hex cut': "deploy 'hex cut' (publish)",
    'rebar3 test': 'inert (project)',
    rebar3: 'inert (project)',
  },
});

const stack: Card = projectManager({
  names: 'stack',
  options:
    'color= colour= compiler= stack-colors= stack-colours= terminal-width= terminal stack-yaml= lock-file= snapshot-location-base= cwd= setup-info-yaml= package= resolver= work-dir= stack-root= j/jobs= ghc-options= flag=',
  readings:
    'color colour compiler stack-colors stack-colours terminal-width stack-yaml lock-file snapshot-location-base cwd setup-info-yaml package resolver work-dir stack-root j jobs ghc-options flag; terminal',
  verbs: { exec: '+' },
  does: [publishes('upload')],
  examples: {
    'stack upload a': "deploy 'upload a' (publish)",
    'stack upload': 'deploy upload (publish)',
    'stack test': 'inert (project)',
    stack: 'inert (project)',
  },
  facts: [execs('stack', '--package a ')],
});

const cabal: Card = projectManager({
  names: 'cabal',
  options: 'config-file= project-file= project-dir= w/with-compiler= builddir= j/jobs? O? store-dir=',
  readings: 'config-file project-file project-dir w with-compiler builddir store-dir; ; j jobs O',
  verbs: { exec: '+' },
  does: [publishes('upload'), installs('install | update')],
  examples: {
    'cabal upload a': "deploy 'upload a' (publish)",
    'cabal upload': 'deploy upload (publish)',
    'cabal <install update> a': 'package a (install) reversible',
    'cabal <install update>': 'package (install) reversible',
    'cabal test': 'inert (project)',
    cabal: 'inert (project)',
  },
  facts: [execs('cabal')],
});

const opam: Card = projectManager({
  names: 'opam',
  options: 'root= switch= color= dry-run',
  readings: 'root switch color; dry-run',
  verbs: { exec: '+' },
  does: [
    publishes('publish'),
    installs('install | update | upgrade | init | pin'),
    removes('remove | uninstall'),
  ],
  examples: {
    'opam publish a': "deploy 'publish a' (publish)",
    'opam publish': 'deploy publish (publish)',
    'opam <install update upgrade init pin> a': 'package a (install) reversible',
    'opam <install update upgrade init pin>': 'package (install) reversible',
    'opam <remove uninstall> a': 'package a (remove) reversible',
    'opam <remove uninstall>': 'package (remove) reversible',
    'opam test': 'inert (project)',
    opam: 'inert (project)',
  },
  facts: [execs('opam', '--switch a ')],
});

const vcpkg: Card = projectManager({
  names: 'vcpkg',
  options:
    'triplet= host-triplet= overlay-ports= overlay-triplets= vcpkg-root= x-manifest-root= x-install-root=',
  readings: 'triplet host-triplet overlay-ports overlay-triplets vcpkg-root x-manifest-root x-install-root',
  does: [installs('install | upgrade'), removes('remove')],
  examples: {
    'vcpkg <install upgrade> a': 'package a (install) reversible',
    'vcpkg <install upgrade>': 'package (install) reversible',
    'vcpkg remove a': 'package a (remove) reversible',
    'vcpkg remove': 'package (remove) reversible',
    'vcpkg test': 'inert (project)',
    vcpkg: 'inert (project)',
  },
});

const conan: Card = projectManager({
  names: 'conan',
  options: 'r/remote= s/settings= o/options= pr/profile= c/conf= of/output-folder= b/build= version= name=',
  readings: 'r remote s settings o options pr profile c conf of output-folder b build version name',
  does: [publishes('upload'), installs('install'), removes('remove')],
  examples: {
    'conan upload a': "deploy 'upload a' (publish)",
    'conan upload': 'deploy upload (publish)',
    'conan install a': 'package a (install) reversible',
    'conan install': 'package (install) reversible',
    'conan remove a': 'package a (remove) reversible',
    'conan remove': 'package (remove) reversible',
    'conan test': 'inert (project)',
    conan: 'inert (project)',
  },
});

const helmfile: Card = projectManager({
  names: 'helmfile',
  options:
    'chart= c= environment/e= file/f= helm-binary/b= kube-context= log-level= namespace/n= selector/l= state-values-file= state-values-set= args= set= values= concurrency=',
  readings:
    'chart c environment e file f helm-binary b kube-context log-level namespace n selector l state-values-file state-values-set args set values concurrency',
  does: [publishes('… apply | … sync | … destroy | … delete')],
  examples: {
    'helmfile x apply a': "deploy 'x apply a' (publish)",
    'helmfile x sync a': "deploy 'x sync a' (publish)",
    'helmfile x destroy a': "deploy 'x destroy a' (publish)",
    'helmfile x delete a': "deploy 'x delete a' (publish)",
    'helmfile test': 'inert (project)',
    helmfile: 'inert (project)',
  },
});

const corepack: Card = table({
  names: 'corepack',
  options: 'install-directory= o/output=',
  readings: 'install-directory o output',
  rest: 'package <2..> (install) reversible',
  alone: 'package (install) reversible',
  examples: {
    'corepack test': 'package (install) reversible',
    corepack: 'package (install) reversible',
  },
});

const n: Card = table({
  names: 'n',
  options: 'a/arch= watch-path= watch env-file= p/preserve d/download',
  readings: 'a arch watch-path env-file; watch p preserve d download',
  verbs: { 'run | as | use | exec': '+ e=' },
  verbReadings: {
    run: 'e',
  },
  rest: 'package <1..> (install) reversible',
  alone: 'package (install) reversible',
  examples: {
    'n test': 'package test (install) reversible',
    n: 'package (install) reversible',
  },
});

const jsr: Card = projectManager({
  names: 'jsr',
  options: 'token= config= dry-run',
  readings: 'token config; dry-run',
  does: [publishes('… publish'), installs('add* | i* | install*')],
  examples: {
    'jsr x publish a': "deploy 'x publish a' (publish)",
    'jsr <addx ix installx> a': 'package a (install) reversible',
    'jsr test': 'inert (project)',
    jsr: 'inert (project)',
  },
});

const galaxy: Card = table({
  names: 'ansible-galaxy',
  options:
    's/server= token= api-key= download-path= requirements-file= init-path= collection-skeleton= output-path= import-timeout= p/collections-path= format= role-skeleton= type= roles-path= role-path= platforms= galaxy-tags= author= branch= role-name= remove= r=',
  readings:
    's server token api-key download-path requirements-file init-path collection-skeleton output-path import-timeout p collections-path format role-skeleton type roles-path role-path platforms galaxy-tags author branch role-name remove r',
  rest: 'package <2..> (install) reversible',
  alone: 'package (install) reversible',
  examples: {
    'ansible-galaxy test': 'package (install) reversible',
    'ansible-galaxy': 'package (install) reversible',
  },
});

export const cards = [mix, rebar3, stack, cabal, opam, vcpkg, conan, helmfile, corepack, n, jsr, galaxy];
