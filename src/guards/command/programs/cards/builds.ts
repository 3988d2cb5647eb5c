// Programs that build what a project has, by recipes of its own: make and its kin, cmake, m4, test runners, consoles.

import { type Inner, maxSearched, type Call as Start, shellCode } from '../../bash/executors/inner.ts';
import { handedOver } from '../../bash/handed-over.ts';
import { looksLikeScript } from '../../bash/programs.ts';
import { splitQuoted } from '../../bash/quoted.ts';
import { concat, knownText, singleText, type Text } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import { beginningOf, type Call, effect, inert, literal, nameTarget, textOf } from '../../tools/tool.ts';
import { building, loadingOptions } from '../builds.ts';
import { type Card, type Fact, type Given, readCall, textWords } from '../card.ts';
import { consoleFact } from '../consoles.ts';
import { loaded } from '../interpreters.ts';
import { fact } from '../phrases.ts';
import { env } from './spread.ts';

// ── make and its kin: recipes by the names of goals.

/** What the goals say: install, publish, or build. */
function goalEffects(call: Call, given: Given<Value>): readonly Effect[] {
  if (given.has('dry-run')) return inert(call, 'dry-run');
  const goals = given.operands.map(beginningOf).filter((goal) => !goal.includes('='));
  const runs = [
    ...given.all('eval').map((text) => effect(call, 'run', { detail: 'inline', target: nameTarget(text) })),
    ...(textOf(given.last('file')) === '-'
      ? [effect(call, 'run', { detail: 'stdin', origins: call.io.stdinOrigins })]
      : []),
  ];
  const target = nameTarget(literal(goals.join(' ')));
  if (goals.some((goal) => /^(?:install|uninstall)(?:-|$)/.test(goal))) {
    const detail = goals.some((goal) => goal.startsWith('uninstall')) ? 'remove' : 'install';
    return [...runs, effect(call, 'package', { detail, target, reversible: true })];
  }
  if (goals.some((goal) => /^(?:deploy|publish|release|push)(?:-|$)/.test(goal)))
    return [...runs, effect(call, 'deploy', { detail: 'project', target })];
  return runs.length > 0 ? runs : inert(call, 'project');
}

/** The fact about the goals of a program of this kind. */
function goals(name: string): Fact {
  return {
    what: 'makes what its goals say',
    always: true,
    effects: goalEffects,
    examples: {
      hit: {
        [`${name} test A=1`]: 'inert (project)',
        [`${name} <install install-lib>`]: 'package <> (install) reversible',
        [`${name} <uninstall uninstall-lib>`]: 'package <> (remove) reversible',
        [`${name} <deploy publish release push deploy-live>`]: 'deploy <> (project)',
        [`${name} -n install`]: 'inert (dry-run)',
        [`${name} installer released`]: 'inert (project)',
      },
      miss: [],
    },
  };
}

function makeStarts({ fed }: Start, given: Given<Text>): readonly Inner[] {
  const files = given.all('file').flatMap((path): readonly Inner[] => {
    if (!/^(?:-|\/dev\/stdin)$/.test(singleText(path))) return [{ kind: 'file', language: 'make', path }];
    return fed ? [{ kind: 'input', language: 'make' }] : [];
  });
  const code = given.all('eval').map((text): Inner => ({ kind: 'code', language: 'make', text }));
  const settings = given.operands.flatMap((word): readonly Inner[] => {
    const [, name = '', value] = /^(\w+)[:?+]?=(.+)$/s.exec(singleText(word)) ?? [];
    // Recipes put it where the name of a program stands.
    return value !== undefined && (name === 'SHELL' || looksLikeScript(value))
      ? [shellCode(knownText(value))]
      : [];
  });
  const folders = given
    .all('directory')
    .map((path): Inner => ({ kind: 'file', language: 'make', path: concat(path, knownText('/Makefile')) }));
  const own = ['Makefile', 'makefile', 'GNUmakefile'].map(
    (name): Inner => ({ kind: 'file', language: 'make', path: knownText(name), ofProject: true }),
  );
  return [...files, ...code, ...settings, ...folders, ...(given.has('file') ? [] : own)];
}

const make: Card = {
  names: 'make gmake',
  options:
    'C/directory= f/file/makefile= j/jobs? n/just-print/dry-run eval/E= I= o= W= l? v/version k s B i e t q p r R w',
  readings:
    'C directory f file makefile eval E I o W; n just-print dry-run v version k s B i e t q p r R w; j jobs l',
  idle: true,
  facts: [
    goals('make'),
    {
      what: 'runs recipes',
      always: true,
      starts: makeStarts,
      effects: (call, given) =>
        given.has('eval') || textOf(given.last('file')) === '-' ? goalEffects(call, given) : [],
      examples: {
        hit: {
          'make test':
            'make file: Makefile of the project; make file: makefile of the project; make file: GNUmakefile of the project',
          'make -f a.mk --makefile=b.mk': 'make file: a.mk; make file: b.mk',
          "'a:' | make -f -": 'run (stdin); make input',
          "'a:' | make --file=/dev/stdin": 'make input',
          "make -f a.mk --eval 'a:' -E 'b:'":
            'run a: (inline); run b: (inline); make file: a.mk; make code: a:; make code: b:',
          "make -f a.mk SHELL=/tmp/a 'CC=rm -rf /' CFLAGS=-O2":
            'make file: a.mk; shell code: /tmp/a; shell code: rm -rf /',
          "make -f a.mk 'CC:=rm -rf /'": 'make file: a.mk; shell code: rm -rf /',
          'make -C a -f b.mk': 'make file: b.mk; make file: a/Makefile',
          'make -f -': 'run (stdin)',
        },
        miss: [],
      },
    },
  ],
};

const just: Card = {
  names: 'just',
  options:
    'f/justfile= d/working-directory= n/dry-run/just-print command/c=+ E/dotenv-path= set= shell= color= dump-format= l/list v/verbose q/quiet u/unsorted e/edit file= eval= version',
  readings:
    'f justfile d working-directory command c E dotenv-path set shell color dump-format file eval; n dry-run just-print l list v verbose q quiet u unsorted e edit version',
  idle: true,
  facts: [
    goals('just'),
    loadingOptions('just'),
    {
      what: 'runs a command line with the settings of the project',
      starts: (_, given) => {
        const program = given.last('command');
        return program === undefined ? [] : [{ kind: 'argv', argv: [program, ...given.operands] }];
      },
      examples: {
        hit: { 'just --command rm -rf a': 'program: rm -rf a', 'just -c a': 'program: a' },
        miss: ['just test'],
      },
    },
    fact({
      what: 'runs recipes of the project',
      says: 'make file: justfile of the project; make file: Justfile of the project',
      always: true,
      examples: {
        hit: { 'just test': 'make file: justfile of the project; make file: Justfile of the project' },
        miss: [],
      },
    }),
  ],
};

const ninjaLike: Card = {
  names: 'ninja',
  options: 'C= f/file= j= k= l= d= t= w= n/dry-run v/verbose version',
  readings: 'C f file j k l d t w; n dry-run v verbose version',
  idle: true,
  facts: [goals('ninja'), loadingOptions('ninja')],
};

const task: Card = {
  names: 'task',
  options:
    'd/dir= t/taskfile= o/output= c/color= C/concurrency= I/interval= n/dry-run/dry f/force w/watch s/silent v/verbose version',
  readings:
    'd dir t taskfile o output c color C concurrency I interval; n dry-run dry f force w watch s silent v verbose version',
  idle: true,
  facts: [
    goals('task'),
    loadingOptions('task'),
    {
      what: 'starts a command that stands behind a word for that',
      starts: (_, given) =>
        /^(?:execute|exec)$/.test(singleText(given.operands[0])) && given.operands.length > 1
          ? [{ kind: 'argv', argv: given.behind(1) }]
          : [],
      examples: {
        hit: { 'task <exec execute> rm -rf a': 'program: rm -rf a' },
        miss: ['task build', 'task exec'],
      },
    },
  ],
};

// ── cmake, m4 and the rest.

/** `cmake -E` is a small shell of its own: its commands, and what they do. */
const shellOfCmake: Readonly<Record<string, string>> = {
  time: '',
  rm: 'rm',
  remove: 'rm -f',
  touch: 'touch',
  cat: 'cat',
  tar: 'tar',
  remove_directory: 'rm -rf',
  copy: 'cp -r',
  copy_if_different: 'cp -r',
  copy_directory: 'cp -r',
  rename: 'mv',
  create_symlink: 'ln -s',
};

function cmakeCommand(call: Start, verb: string, words: readonly Text[]): readonly Inner[] {
  if (verb === 'env') {
    const inner = { ...call, program: 'env', args: words };
    return env.facts[0]?.starts?.(inner, readCall(env, words, textWords)) ?? [];
  }
  const program = Object.hasOwn(shellOfCmake, verb) ? shellOfCmake[verb] : undefined;
  return program === undefined
    ? []
    : [{ kind: 'argv', argv: [...splitQuoted(program).map((word) => knownText(word)), ...words] }];
}

const cmake: Card = {
  names: 'cmake',
  options: 'E=+ P= S= B= D= G= C= build= install= target= config= preset= T= A= U= L? N Wno-dev',
  readings: 'E P S B D G C build install target config preset T A U; N Wno-dev; L',
  idle: true,
  facts: [
    building('cmake'),
    {
      what: 'does what a command of its own shell says',
      starts: (call, given) => {
        const verb = given.last('E');
        return verb === undefined ? [] : cmakeCommand(call, singleText(verb), given.operands);
      },
      examples: {
        hit: {
          'cmake -E env A=1 rm b': 'program: rm b A=1',
          'cmake -E time a b': 'program: a b',
          'cmake -E <rm touch cat tar> a': 'program: <> a',
          'cmake -E remove a': 'program: rm -f a',
          'cmake -E remove_directory a': 'program: rm -rf a',
          'cmake -E <copy copy_if_different copy_directory> a b': 'program: cp -r a b',
          'cmake -E rename a b': 'program: mv a b',
          'cmake -E create_symlink a b': 'program: ln -s a b',
        },
        miss: ['cmake -E echo a', 'cmake -S . -B b'],
      },
    },
    {
      what: 'runs a script',
      starts: (_, given) => (given.has('E') ? [] : loaded(given.all('P'), false)),
      examples: {
        hit: { 'cmake -P a.cmake': 'other file: a.cmake', 'cmake -Pa.cmake': 'other file: a.cmake' },
        miss: ['cmake .', 'cmake -E rm -P a'],
      },
    },
    {
      what: 'starts a compiler that a setting names, or loads a file of settings',
      starts: (_, given) =>
        given.all('D').flatMap((word) => {
          const [, name = '', value = ''] = /^(\w+)(?::\w+)?=(.*)$/s.exec(singleText(word)) ?? [];
          if (handedOver(name)?.as === 'command' && value.includes('/'))
            return [shellCode(knownText(`${value} x`))];
          return /^CMAKE_(?:TOOLCHAIN_FILE|PROJECT_\w*INCLUDE\w*)$/.test(name) && /^\/tmp\//.test(value)
            ? loaded([knownText(value)])
            : [];
        }),
      examples: {
        hit: {
          'cmake -DCMAKE_C_COMPILER_LAUNCHER=/tmp/a .': 'shell code: /tmp/a x',
          'cmake -D CMAKE_CXX_COMPILER:PATH=/usr/bin/g++ .': 'shell code: /usr/bin/g++ x',
          'cmake -DCMAKE_TOOLCHAIN_FILE=/tmp/a.cmake .': 'other file: /tmp/a.cmake',
          'cmake -DCMAKE_PROJECT_INCLUDE=/tmp/a.cmake .': 'other file: /tmp/a.cmake',
        },
        miss: [
          'cmake -DCMAKE_C_COMPILER=clang .',
          'cmake -DCMAKE_TOOLCHAIN_FILE=cmake/a.cmake .',
          'cmake -DA=/tmp/a .',
        ],
      },
    },
  ],
};

const m4: Card = {
  names: 'm4',
  options: 'D/define= U= I/include= F= R= B= S= d? s/synclines',
  readings: 'D define U I include F R B S; s synclines; d',
  idle: true,
  facts: [
    building('m4'),
    {
      what: 'hands the arguments of a macro to a shell',
      starts: ({ args, stdin, fed }) =>
        [...args, ...(fed ? [stdin] : [])].flatMap(({ alternatives }) =>
          alternatives.flatMap((text) =>
            [...text.slice(0, maxSearched).matchAll(/\be?syscmd\(\s*[`'"]?((?:[^()'"`]|\([^()]*\))*)/g)].map(
              (match) => shellCode(knownText(match[1] ?? '')),
            ),
          ),
        ),
      examples: {
        hit: {
          '"esyscmd(rm -rf a)" | m4': 'shell code: rm -rf a',
          '"syscmd(rm b)" | m4 -': 'shell code: rm b',
          'm4 -Da=esyscmd(c)': 'shell code: c',
        },
        miss: ['m4 a.m4', '"define(a, b)" | m4'],
      },
    },
  ],
};

/** Tools that run files which the project has for them. */
function ofProject(
  names: string,
  says: string,
  more: Partial<Card> & { readonly facts?: readonly Fact[] } = {},
): Card {
  const [name = ''] = names.split(' ');
  return {
    names,
    options: '',
    readings: '',
    idle: true,
    ...more,
    facts: [
      building(name),
      loadingOptions(name),
      fact({
        what: 'runs files of the project',
        says,
        always: true,
        examples: { hit: { [`${name} a`]: says }, miss: [] },
      }),
      ...(more.facts ?? []),
    ],
  };
}

const pythonConsoles: readonly Card[] = ['flask', 'scrapy', 'jupyter'].map((name) => ({
  names: name,
  options: '',
  readings: '',
  idle: true,
  facts: [
    building(name),
    loadingOptions(name),
    consoleFact('python', 'shell console', 'c command', null, {
      hit: {
        [`${name} shell -c a`]: 'python code: a',
        [`${name} console --command=a`]: 'python code: a',
        [`'a' | ${name} shell`]: 'python input',
      },
      miss: [`${name} run -c a`],
    }),
  ],
}));

/** `db upgrade` changes the tables of a database. */
const migrates: Fact = {
  what: 'changes the tables of a database',
  effects: (call, given) => {
    const said = given.operands.slice(0, 4).map(beginningOf).join(' ');
    return /^db (?:upgrade|downgrade|stamp)\b/.test(said) && !given.has('dry-run')
      ? [effect(call, 'database', { detail: 'write', target: nameTarget(literal(`flask ${said}`)) })]
      : [];
  },
  examples: {
    hit: { 'flask db <upgrade downgrade stamp> a': "database 'flask db <> a' (write)" },
    miss: ['flask db history', 'flask run', 'flask db upgrade --dry-run'],
  },
};

export const cards: readonly Card[] = [
  make,
  just,
  ninjaLike,
  task,
  cmake,
  m4,
  ofProject('pytest', 'python file: conftest.py of the project'),
  ofProject('nox', 'python file: noxfile.py of the project'),
  ofProject('gulp', 'javascript file: gulpfile.js of the project'),
  ofProject('grunt', 'javascript file: Gruntfile.js of the project'),
  ...pythonConsoles.map((card) =>
    card.names === 'flask' ? { ...card, facts: [...card.facts, migrates] } : card,
  ),
];
