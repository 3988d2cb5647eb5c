// Managers of Python projects and environments: uv, poetry, pdm, pipenv, pipx, hatch, rye, conda.

import { singleText } from '../../bash/values.ts';
import { type Card, cardEffects, type Fact } from '../card.ts';
import { fromAfar } from '../interpreters.ts';
import { packageRun, runnerOptions } from '../packages.ts';
import { fact } from '../phrases.ts';
import { installs, projectManager, removes, tries, tryFirst, updates } from '../project-managers.ts';
import { pip } from './pip.ts';

const run = (name: string, options = '') =>
  fact({
    what: 'starts a program of the environment',
    verbs: ['run'],
    says: 'program: <1..>',
    examples: {
      hit: { [`${name} run ${options}rm -rf /`]: 'program: rm -rf /' },
      miss: [`${name} run`, `${name} install rm`],
    },
  });

/** Runs a script that stands behind an address. */
const runsFromAfar = (name: string): Fact => ({
  what: 'runs code from an address',
  verbs: ['run'],
  starts: (_, given) =>
    fromAfar.test(singleText(given.operands[0])) ||
    given.all('with', 'spec').some((text) => fromAfar.test(singleText(text)))
      ? [{ kind: 'unknown' }]
      : [],
  examples: {
    hit: {
      [`${name} run https://h.example/a.py`]: 'unknown',
      [`${name} run <--with --spec> git+https://h.example/a b`]: 'unknown',
    },
    miss: [`${name} run a.py`, `${name} run a https://h.example/`, `${name} install https://h.example/a`],
  },
});

const publishTo = ['deploy <--repository> (publish)', 'publish'] as const;
const cleanCache = ['package (clean) reversible', 'cache'] as const;
const addWords = 'install | add | sync | lock | create | init | new | venv | use';

/** pip with the options that all subcommands of uv take. */
const uvPip: Card = {
  ...pip,
  options: `${pip.options} color= directory= project= config-file= allow-insecure-host=`,
};

const uv: Card = projectManager({
  names: 'uv',
  options:
    'color= allow-insecure-host= directory= project= config-file= cache-dir= python-preference= p/python= r/requirement/requirements= i/index-url= extra-index-url= index= default-index= f/find-links= G/group= no-group= only-group= extra= no-extra= with= with-editable= with-requirements= env-file= vcs= build-backend= author-from= optional= rev= tag= branch= index-strategy= keyring-provider= P/upgrade-package= resolution= prerelease= exclude-newer= reinstall-package= link-mode= no-build-isolation-package= no-build-package= no-binary-package= refresh-package= no-install-package= from= mirror= pypy-mirror= prompt= C/config-setting= dry-run all reinstall refresh no-binary default',
  readings:
    'color allow-insecure-host directory project config-file cache-dir python-preference p python r requirement requirements i index-url extra-index-url index default-index f find-links G group no-group only-group extra no-extra with with-editable with-requirements env-file vcs build-backend author-from optional rev tag branch index-strategy keyring-provider P upgrade-package resolution prerelease exclude-newer reinstall-package link-mode no-build-isolation-package no-build-package no-binary-package refresh-package no-install-package from mirror pypy-mirror prompt C config-setting; dry-run all reinstall refresh no-binary default',
  verbs: {
    add: 'package= script= c/constraints= m/marker=',
    init: 'name= package app lib',
    remove: 'package= script=',
    sync: 'package= o/output-format=',
    run: '+ package= m/module s/script w/with= spec=',
    export: 'package= o/output-file= format=',
    publish: 'u/username= p/password= t/token= publish-url= check-url= trusted-publishing= repository=',
    pip: '+',
    'tool run': runnerOptions,
  },
  verbReadings: {
    add: 'package script c constraints m marker',
    init: 'name; package app lib',
    remove: 'package script',
    sync: 'package o output-format',
    run: 'package w with spec; m module s script',
    export: 'package o output-file format',
    publish: 'u username p password t token publish-url check-url trusted-publishing repository',
    'tool run':
      'p package c call from with python spec with-requirements index-url w workspace cache userconfig prefix; y yes no-install q quiet ignore-existing b bun no refresh isolated',
  },
  does: [
    tries('--dry-run'),
    publishTo,
    cleanCache,
    ['', 'pip | tool run'],
    updates('tool upgrade | python upgrade | self update'),
    removes('remove | tool uninstall | python uninstall'),
    installs('add | sync | lock | init | venv | tool install | python install | self | python use'),
  ],
  examples: {
    'uv install --dry-run a': 'inert (dry-run)',
    'uv <pip | tool run> a': '',
    'uv <pip | tool run>': '',
    'uv <tool upgrade | python upgrade | self update> a': 'package a (update) reversible',
    'uv <tool upgrade | python upgrade | self update>': 'package (update) reversible',
    'uv <remove | tool uninstall | python uninstall> a': 'package a (remove) reversible',
    'uv <remove | tool uninstall | python uninstall>': 'package (remove) reversible',
    'uv <add | sync | lock | init | venv | tool install | python install | self | python use> a':
      'package a (install) reversible',
    'uv <add | sync | lock | init | venv | tool install | python install | self | python use>':
      'package (install) reversible',
    'uv publish a': 'deploy (publish)',
    'uv publish': 'deploy (publish)',
    'uv publish --repository a a': 'deploy a (publish)',
    'uv cache clear a': 'package (clean) reversible',
    'uv cache clear': 'package (clean) reversible',
    'uv test': 'inert (project)',
    uv: 'inert (project)',
  },
  facts: [
    run('uv', '--with a --package b '),
    runsFromAfar('uv'),
    {
      what: 'does what pip does',
      verbs: ['pip'],
      effects: (call, given) => cardEffects(uvPip, { ...call, args: given.behind(1) }),
      examples: {
        hit: {
          'uv pip --color never install --directory d a': 'package a (install) reversible',
          'uv pip uninstall <--color --project --config-file --allow-insecure-host> x a':
            'package a (remove) reversible',
          'uv pip install a': 'package a (install) reversible',
          'uv pip uninstall a': 'package a (remove) reversible',
        },
        miss: ['uv add a'],
      },
    },
    {
      what: 'runs a package',
      verbs: ['tool run'],
      effects: packageRun,
      examples: {
        hit: {
          'uv tool run cowsay': 'run cowsay (package) from network',
          'uv tool run ruff check': 'inert (project)',
        },
        miss: ['uv tool list', 'uv tool run'],
      },
    },
  ],
  advice: tryFirst('uv publish'),
});

const poetry: Card = projectManager({
  names: 'poetry',
  options:
    'C/directory= P/project= G/group= E/extras= python= platform= source= without= with= only= dry-run',
  readings: 'C directory P project G group E extras python platform source without with only; dry-run',
  verbs: {
    publish: 'r/repository= u/username= p/password= cert= client-cert= dist-dir=',
    build: 'f/format= o/output=',
    export: 'f/format= o/output=',
    init: 'name= description= author= dependency= dev-dependency= l/license=',
    run: '+',
    'source add': 'p/priority=',
  },
  verbReadings: {
    publish: 'r repository u username p password cert client-cert dist-dir',
    build: 'f format o output',
    export: 'f format o output',
    init: 'name description author dependency dev-dependency l license',
    'source add': 'p priority',
  },
  does: [
    tries('--dry-run'),
    publishTo,
    cleanCache,
    updates('update | self update'),
    removes('remove | env remove | self remove | source remove'),
    installs(`${addWords} | env use | self add | source add | self install | self lock | self sync`),
  ],
  examples: {
    'poetry install --dry-run a': 'inert (dry-run)',
    'poetry <update | self update> a': 'package a (update) reversible',
    'poetry <update | self update>': 'package (update) reversible',
    'poetry <remove | env remove | self remove | source remove> a': 'package a (remove) reversible',
    'poetry <remove | env remove | self remove | source remove>': 'package (remove) reversible',
    'poetry <env use | self add | source add | self install | self lock | self sync | install | add | sync | lock | create | init | new | venv | use> a':
      'package a (install) reversible',
    'poetry <env use | self add | source add | self install | self lock | self sync | install | add | sync | lock | create | init | new | venv | use>':
      'package (install) reversible',
    'poetry publish a': 'deploy (publish)',
    'poetry publish': 'deploy (publish)',
    'poetry publish --repository a a': 'deploy a (publish)',
    'poetry cache clear a': 'package (clean) reversible',
    'poetry cache clear': 'package (clean) reversible',
    'poetry test': 'inert (project)',
    poetry: 'inert (project)',
  },
  facts: [run('poetry')],
  advice: tryFirst('poetry publish'),
});

const pdm: Card = projectManager({
  names: 'pdm',
  options: 'p/project= G/group= c/config= L/lockfile= r/requirement= python= dry-run x/ex= without= with=',
  readings: 'p project G group c config L lockfile r requirement python x ex without with; dry-run',
  verbs: {
    publish: 'r/repository= u/username= P/password= S/sign= c/comment= d/dest= ca-certs=',
    run: '+ s/site-packages p/project= env-file=',
    add: 'e/editable= G/group= python=',
    export: 'f/format= o/output=',
  },
  verbReadings: {
    publish: 'r repository u username P password S sign c comment d dest ca-certs',
    run: 'p project env-file; s site-packages',
    add: 'e editable G group python',
    export: 'f format o output',
  },
  does: [
    tries('--dry-run'),
    publishTo,
    cleanCache,
    updates('update | self update'),
    removes('remove | self remove | python remove'),
    installs(`${addWords} | self add | python install | python link`),
  ],
  examples: {
    'pdm install --dry-run a': 'inert (dry-run)',
    'pdm <update | self update> a': 'package a (update) reversible',
    'pdm <update | self update>': 'package (update) reversible',
    'pdm <remove | self remove | python remove> a': 'package a (remove) reversible',
    'pdm <remove | self remove | python remove>': 'package (remove) reversible',
    'pdm <self add | python install | python link | install | add | sync | lock | create | init | new | venv | use> a':
      'package a (install) reversible',
    'pdm <self add | python install | python link | install | add | sync | lock | create | init | new | venv | use>':
      'package (install) reversible',
    'pdm publish a': 'deploy (publish)',
    'pdm publish': 'deploy (publish)',
    'pdm publish --repository a a': 'deploy a (publish)',
    'pdm cache clear a': 'package (clean) reversible',
    'pdm cache clear': 'package (clean) reversible',
    'pdm test': 'inert (project)',
    pdm: 'inert (project)',
  },
  facts: [run('pdm')],
});

const hatch: Card = projectManager({
  names: 'hatch',
  options: 'e/env= p/project= config= data-dir= cache-dir= dry-run',
  readings: 'e env p project config data-dir cache-dir; dry-run',
  verbs: {
    run: '+',
    'env run': '+ e/env= i/include= x/exclude= f/filter=',
    publish: 'r/repository/repo= u/user= a/auth= ca-cert= client-cert= client-key= o/option= p/publisher=',
  },
  verbReadings: {
    'env run': 'e env i include x exclude f filter',
    publish: 'r repository repo u user a auth ca-cert client-cert client-key o option p publisher',
  },
  does: [
    tries('--dry-run'),
    publishTo,
    removes('env remove | env prune | python remove | clean'),
    updates('python update | self update'),
    installs('new | env create | python install'),
  ],
  examples: {
    'hatch install --dry-run a': 'inert (dry-run)',
    'hatch <env remove | env prune | python remove | clean> a': 'package a (remove) reversible',
    'hatch <env remove | env prune | python remove | clean>': 'package (remove) reversible',
    'hatch <python update | self update> a': 'package a (update) reversible',
    'hatch <python update | self update>': 'package (update) reversible',
    'hatch <new | env create | python install> a': 'package a (install) reversible',
    'hatch <new | env create | python install>': 'package (install) reversible',
    'hatch publish a': 'deploy (publish)',
    'hatch publish': 'deploy (publish)',
    'hatch publish --repository a a': 'deploy a (publish)',
    'hatch test': 'inert (project)',
    hatch: 'inert (project)',
  },
  facts: [
    run('hatch'),
    fact({
      what: 'starts a program in an environment',
      verbs: ['env run'],
      says: 'program: <1..>',
      examples: { hit: { 'hatch env run -e a -- rm -rf /': 'program: rm -rf /' }, miss: ['hatch env show'] },
    }),
  ],
});

const rye: Card = projectManager({
  names: 'rye',
  options: 'pyproject= p/package= features= python= dry-run optional= path= git= rev= tag= branch= url=',
  readings: 'pyproject p package features python optional path git rev tag branch url; dry-run',
  verbs: { publish: 'r/repository= u/username= token= repository-url=', run: '+' },
  verbReadings: {
    publish: 'r repository u username token repository-url',
  },
  does: [
    tries('--dry-run'),
    publishTo,
    updates('self update'),
    removes('remove | uninstall | self uninstall | toolchain remove | tools uninstall'),
    installs('add | install | sync | lock | init | fetch | toolchain fetch | tools install'),
  ],
  examples: {
    'rye install --dry-run a': 'inert (dry-run)',
    'rye self update a': 'package a (update) reversible',
    'rye self update': 'package (update) reversible',
    'rye <remove | uninstall | self uninstall | toolchain remove | tools uninstall> a':
      'package a (remove) reversible',
    'rye <remove | uninstall | self uninstall | toolchain remove | tools uninstall>':
      'package (remove) reversible',
    'rye <add | install | sync | lock | init | fetch | toolchain fetch | tools install> a':
      'package a (install) reversible',
    'rye <add | install | sync | lock | init | fetch | toolchain fetch | tools install>':
      'package (install) reversible',
    'rye publish a': 'deploy (publish)',
    'rye publish': 'deploy (publish)',
    'rye publish --repository a a': 'deploy a (publish)',
    'rye test': 'inert (project)',
    rye: 'inert (project)',
  },
  facts: [run('rye')],
});

const pipenv: Card = projectManager({
  names: 'pipenv',
  options: 'python= pypi-mirror= extra-index-url= index= categories= dry-run',
  readings: 'python pypi-mirror extra-index-url index categories; dry-run',
  verbs: {
    install: 'r/requirements= e/editable= i/index= extra-pip-args=',
    uninstall: 'e/editable= all',
    update: 'e/editable= i/index=',
    run: '+',
  },
  verbReadings: {
    install: 'r requirements e editable i index extra-pip-args',
    uninstall: 'e editable; all',
    update: 'e editable i index',
  },
  does: [
    tries('--dry-run'),
    ['package <next..> (remove) reversible recursive', 'uninstall --all'],
    removes('uninstall | clean'),
    updates('update | upgrade'),
    installs('install | lock | sync'),
  ],
  examples: {
    'pipenv install --dry-run a': 'inert (dry-run)',
    'pipenv uninstall --all a': 'package a (remove) recursive reversible',
    'pipenv <uninstall clean> a': 'package a (remove) reversible',
    'pipenv <uninstall clean>': 'package (remove) reversible',
    'pipenv <update upgrade> a': 'package a (update) reversible',
    'pipenv <update upgrade>': 'package (update) reversible',
    'pipenv <install lock sync> a': 'package a (install) reversible',
    'pipenv <install lock sync>': 'package (install) reversible',
    'pipenv test': 'inert (project)',
    pipenv: 'inert (project)',
  },
  facts: [run('pipenv')],
});

const pipx: Card = projectManager({
  names: 'pipx',
  options: 'suffix= pip-args= skip= i/index-url= spec= python= include-deps include-apps preinstall=',
  readings: 'suffix pip-args skip i index-url spec python preinstall; include-deps include-apps',
  verbs: { run: '+ with=', 'uninstall-all': '' },
  verbReadings: {
    run: 'with',
  },
  does: [
    ['run <next> (package) from network', 'run'],
    ['package (remove) reversible recursive', 'uninstall-all'],
    removes('uninstall | uninject'),
    updates('upgrade | upgrade-all | upgrade-shared'),
    installs('install | install-all | inject | reinstall | reinstall-all | ensurepath'),
  ],
  examples: {
    'pipx run a': 'run a (package) from network',
    'pipx run': 'run (package) from network',
    'pipx uninstall-all a': 'package (remove) recursive reversible',
    'pipx uninstall-all': 'package (remove) recursive reversible',
    'pipx <uninstall uninject> a': 'package a (remove) reversible',
    'pipx <uninstall uninject>': 'package (remove) reversible',
    'pipx <upgrade upgrade-all upgrade-shared> a': 'package a (update) reversible',
    'pipx <upgrade upgrade-all upgrade-shared>': 'package (update) reversible',
    'pipx <install install-all inject reinstall reinstall-all ensurepath> a':
      'package a (install) reversible',
    'pipx <install install-all inject reinstall reinstall-all ensurepath>': 'package (install) reversible',
    'pipx test': 'inert (project)',
    pipx: 'inert (project)',
  },
  facts: [run('pipx', '--spec a --python 3 '), runsFromAfar('pipx')],
});

const conda: Card = projectManager({
  names: 'conda mamba micromamba',
  options:
    'n/name= p/prefix= c/channel= f/file= r/revision= clone= repodata-fn= tempfiles= root-prefix= rc-file= platform= subdir= solver= y/yes dry-run all/a',
  readings:
    'n name p prefix c channel f file r revision clone repodata-fn tempfiles root-prefix rc-file platform subdir solver; y yes dry-run all a',
  verbs: {
    run: '+ cwd= no-capture-output live-stream v',
    'env create': '',
    config: 'add= append= prepend= set= remove= remove-key= get= show= file= env system',
  },
  verbReadings: {
    run: 'cwd; no-capture-output live-stream v',
    config: 'add append prepend set remove remove-key get show file; env system',
  },
  does: [
    tries('--dry-run'),
    ['package <next..> (remove) reversible recursive', 'remove --all | uninstall --all'],
    ['package <--name> (remove) reversible', 'env remove'],
    removes('remove | uninstall | clean'),
    updates('update | upgrade | env update | self-update'),
    installs('install | create | init | env create'),
  ],
  examples: {
    'conda install --dry-run a': 'inert (dry-run)',
    'conda <remove --all | uninstall --all> a': 'package a (remove) recursive reversible',
    'conda env remove a': 'package (remove) reversible',
    'conda <env remove | remove | uninstall | clean>': 'package (remove) reversible',
    'conda <remove uninstall clean> a': 'package a (remove) reversible',
    'conda <update | upgrade | env update | self-update> a': 'package a (update) reversible',
    'conda <update | upgrade | env update | self-update>': 'package (update) reversible',
    'conda <install | create | init | env create> a': 'package a (install) reversible',
    'conda <install | create | init | env create>': 'package (install) reversible',
    'conda test': 'inert (project)',
    conda: 'inert (project)',
  },
  facts: [run('conda', '-n a --cwd b ')],
});

const easyInstall: Card = projectManager({
  names: 'easy_install',
  options: 'd/install-dir= s/script-dir= i/index-url= f/find-links= H/allow-hosts= b/build-directory=',
  readings: 'd install-dir s script-dir i index-url f find-links H allow-hosts b build-directory',
  rest: 'package <1..> (install)',
  alone: 'package (install)',
  examples: {
    'easy_install test': 'package test (install)',
    easy_install: 'package (install)',
  },
  facts: [
    fact({
      what: 'runs the setup of a package',
      always: true,
      says: 'python file: setup.py of the project',
      examples: { hit: { 'easy_install a': 'python file: setup.py of the project' }, miss: [] },
    }),
  ],
});

export const cards = [uv, poetry, pdm, hatch, rye, pipenv, pipx, conda, easyInstall];
