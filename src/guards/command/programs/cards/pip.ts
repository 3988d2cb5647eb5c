// pip: installs packages of Python.

import { knownText } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  inert,
  literal,
  read,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import { type Card, type Fact, type Given, shellOptions } from '../card.ts';
import { fetchedTo, nameInUrl } from '../network.ts';
import { packages, sourcesOf } from '../package-effects.ts';

/** The subcommand; null where it is not known, which may be an installation. */
function verbOf(given: Given<Value>): string | null {
  return textOf(given.operands[0] ?? literal(''));
}

const namesOf = (given: Given<Value>): readonly Value[] => given.operands.slice(1);
const actionOf = (given: Given<Value>): string => beginningOf(namesOf(given)[0] ?? literal(''));
const installs = (verb: string | null): boolean => verb === null || /^(?:install|sync|compile)$/.test(verb);

/** A fact about some subcommands, unless it only says what it would do. */
function behind(
  fits: (verb: string | null) => boolean,
  effects: NonNullable<Fact['effects']>,
): NonNullable<Fact['effects']> {
  return (call, given) => (fits(verbOf(given)) && !given.has('dry-run') ? effects(call, given) : []);
}

/** Packages that stand nowhere in the command: what a program lists, or what a variable holds. */
const isUntold = (name: Value): boolean =>
  name.kind === 'unknown' || /^(?:\/dev\/(?:fd\/|stdin)|-$)/.test(beginningOf(name));

/** The folder for archives; one that is named by its address has the name that it has there. */
function downloadsOf(call: Call, given: Given<Value>): readonly Effect[] {
  const folder = given.last('dest', 'wheel-dir') ?? literal('.');
  const addresses = namesOf(given).filter((name) => /^https?:\/\//.test(beginningOf(name)));
  const files = addresses.map((address) => `${beginningOf(folder)}/${beginningOf(nameInUrl(address))}`);
  return [
    ...fetchedTo(call, folder, 'create'),
    ...(textOf(folder) === null ? [] : files.flatMap((file) => fetchedTo(call, literal(file), 'create'))),
  ];
}

export const pip: Card = {
  names: 'pip pip3 pip2',
  options:
    'r/requirement= e/editable= c/constraint= i/index-url= extra-index-url= f/find-links= t/target= prefix= root= user U/upgrade y/yes q v no-deps pre force-reinstall no-cache-dir break-system-packages python= cert= proxy= log= d/dest= w/wheel-dir= src= no-index dry-run trusted-host= system config-settings= only-binary= no-binary= platform= python-version= timeout= retries= cache-dir= editor= progress-bar= implementation= abi=',
  readings: {
    valued:
      'r requirement e editable c constraint i index-url extra-index-url f find-links t target prefix root python cert proxy log d dest w wheel-dir src trusted-host config-settings only-binary no-binary platform python-version timeout retries cache-dir editor progress-bar implementation abi',
    flags:
      'user U upgrade y yes q v no-deps pre force-reinstall no-cache-dir break-system-packages no-index dry-run system',
  },
  facts: [
    {
      what: 'only says what it would do',
      effects: (call, given) => (given.has('dry-run') ? inert(call, 'dry-run') : []),
      examples: { hit: { 'pip install --dry-run a': 'inert (dry-run)' }, miss: ['pip install a'] },
    },
    {
      what: 'reads lists of packages',
      effects: behind(installs, (call, given) =>
        given.all('requirement', 'constraint').flatMap((file) => read(call, file)),
      ),
      examples: {
        hit: {
          'pip install -r a.txt --constraint=b.txt': 'read a.txt; read b.txt',
          'pip3 sync -r .env': 'read .env; secret .env (environment)',
          'pip compile -c a.txt': 'read a.txt',
          'pip $VERB -r a.txt': 'read a.txt',
        },
        miss: ['pip install a', 'pip install --dry-run -r a.txt', 'pip uninstall -r a.txt'],
      },
    },
    {
      what: 'installs packages',
      effects: behind(installs, (call, given) => {
        const machine = given.has('break-system-packages', 'system', 'root');
        const names = [...namesOf(given), ...given.all('editable')];
        return packages(call, 'install', names, machine ? {} : { reversible: true }, given);
      }),
      examples: {
        hit: {
          'pip install a b': 'package a (install) reversible; package b (install) reversible',
          'pip install -e .': 'package . (install) reversible; run . (package-file)',
          'pip install --break-system-packages a': 'package a (install)',
          'pip install --system a': 'package a (install)',
          'pip install --root / a': 'package a (install)',
          'pip install -i https://h.example/simple a':
            'package a (install) reversible; connect h.example (download)',
          'pip install git+https://h.example/a':
            'package git+https://h.example/a (install) reversible; connect h.example (download)',
          'pip sync': 'package (install) reversible',
          'pip compile': 'package (install) reversible',
          'pip $VERB a': 'package a (install) reversible',
        },
        miss: ['pip', 'pip list', 'pip install --dry-run a', 'pip uninstall a'],
      },
    },
    {
      what: 'writes the packages into a folder',
      effects: behind(installs, (call, given) =>
        given.has('target') ? write(call, given.last('target') ?? unknownValue, { detail: 'create' }) : [],
      ),
      examples: {
        hit: { 'pip install -t d a': 'write d (create)' },
        miss: ['pip install a', 'pip list --target d'],
      },
    },
    {
      what: 'removes packages',
      effects: behind(
        (verb) => verb === 'uninstall',
        (call, given) => {
          const all = [...given.all('requirement'), ...namesOf(given)].some(isUntold);
          return packages(call, 'remove', namesOf(given), all ? { recursive: true } : { reversible: true });
        },
      ),
      examples: {
        hit: {
          'pip uninstall -y a': 'package a (remove) reversible',
          'pip uninstall -y -r a.txt': 'package (remove) reversible',
          'pip uninstall -y -r /dev/fd/63': 'package (remove) recursive',
          'pip uninstall -y $NAMES': 'package … (remove) recursive',
        },
        miss: ['pip install a', 'pip uninstall --dry-run a'],
      },
    },
    {
      what: 'downloads packages',
      effects: behind(
        (verb) => verb === 'download' || verb === 'wheel',
        (call, given) => [...sourcesOf(call, namesOf(given), given), ...downloadsOf(call, given)],
      ),
      examples: {
        hit: {
          'pip download a': 'write . (create) from network',
          'pip download -d d https://h.example/a.whl':
            'connect h.example (download); write d (create) from network; write d/a.whl (create) from network',
          'pip download a https://h.example/b/a.tgz':
            'connect h.example (download); write . (create) from network; write ./a.tgz (create) from network',
          'pip wheel -w d a': 'write d (create) from network',
        },
        miss: ['pip install a', 'pip download --dry-run a'],
      },
    },
    {
      what: 'changes its settings',
      effects: behind(
        (verb) => verb === 'config',
        (call, given) =>
          /^(?:set|unset|edit)$/.test(actionOf(given))
            ? packages(call, 'sources', namesOf(given).slice(1))
            : [],
      ),
      examples: {
        hit: {
          'pip config set a b': 'package a (sources); package b (sources)',
          'pip config unset a': 'package a (sources)',
          'pip config edit': 'package (sources)',
        },
        miss: ['pip config list', 'pip config', 'pip install set'],
      },
    },
    {
      what: 'empties its cache',
      effects: behind(
        (verb) => verb === 'cache',
        (call, given) =>
          /^(?:purge|remove)$/.test(actionOf(given)) ? packages(call, 'clean', [], { reversible: true }) : [],
      ),
      examples: {
        hit: {
          'pip cache purge': 'package (clean) reversible',
          'pip cache remove a': 'package (clean) reversible',
        },
        miss: ['pip cache dir', 'pip install purge'],
      },
    },
    {
      what: 'starts an editor',
      starts: shellOptions('editor'),
      examples: {
        hit: {
          'pip config --editor "sh -c id" edit': 'shell code: sh -c id',
          'pip config edit --editor=./x': 'shell code: ./x',
        },
        miss: ['pip config edit'],
      },
    },
    {
      what: 'runs the script that sets up the project',
      always: true,
      starts: () => [{ kind: 'file', language: 'python', path: knownText('setup.py'), ofProject: true }],
      examples: { hit: { 'pip install .': 'python file: setup.py of the project' }, miss: [] },
    },
  ],
  advice: [{ rule: 'package_removal', programs: ['pip', 'pip3'], text: 'Look first: `pip list`.' }],
};

export const cards = [pip];
