// Which files of code a command runs: those that it names, those that its tools run by themselves, and the hooks of git.

import type { Facts, Value } from '../effects.ts';
import { scriptsIn } from '../repository.ts';
import {
  codeFor,
  codeOf,
  joined,
  operandsOf,
  optionIn,
  type RunFile,
  shellOf,
  type ToolReader,
} from './code.ts';
import {
  shellOfCompose,
  shellOfJustfile,
  shellOfMakefile,
  shellOfScript,
  shellOfTaskfile,
} from './recipes.ts';
import { seeders } from './seeds.ts';

/** Whether a command may run a file at all: most do not, and are not looked through any further. */
export function mayRunFiles({ effects, invocations }: Facts): boolean {
  return (
    effects.some(({ kind, target }) => kind === 'run' && target.kind === 'path') ||
    invocations.some(
      ({ program, given, args, builtin }) =>
        !builtin &&
        ((program !== null && Object.hasOwn(tools, program) && (program !== 'git' || runsHooks(args))) ||
          (given.kind === 'literal' && given.text.includes('/'))),
    )
  );
}

/** The files that a command runs; `listed` gives the names in a folder. */
export function filesRunBy(facts: Facts, listed: (folder: string) => readonly string[]): readonly RunFile[] {
  return [...namedFiles(facts), ...ownFiles(facts, listed)];
}

/** Files that are handed to what runs them. */
function namedFiles({ effects }: Facts): readonly RunFile[] {
  return effects.flatMap(({ kind, target, origins = [], program, span }): readonly RunFile[] => {
    if (kind !== 'run' || target.kind !== 'path' || target.path.kind !== 'literal') return [];
    if (origins.length > 0) return [];
    const path = target.path.text;
    const isFolder = /^(?:node|bun|deno|tsx|ts-node)$/.test(program) && !/\.\w+$/.test(path);
    const names = isFolder ? ['index.js', 'index.ts', 'index.mjs'].map((name) => `${path}/${name}`) : [];
    return [path, ...names].map((one) => ({ path: one, folder: '', span, code: codeFor(program, one) }));
  });
}

/** Files that are started by their own names, and those that tools run by themselves. */
function ownFiles({ invocations }: Facts, listed: (folder: string) => readonly string[]): readonly RunFile[] {
  const found: RunFile[] = [];
  let folder = '';
  for (const { program, given, args, span, builtin } of invocations) {
    const words = args.map(textOf);
    if (program === 'cd' || program === 'pushd') folder = joined(folder, words[0] ?? '');
    if (builtin || program === null) continue;
    if (given.kind === 'literal' && given.text.includes('/'))
      found.push({ path: joined(folder, given.text), folder, span, code: codeFor('', given.text) });
    const reader = Object.hasOwn(tools, program) ? tools[program] : undefined;
    for (const file of reader?.({ program, words, folder, listed }) ?? []) {
      const path = joined(folder, file.path);
      found.push({ path, folder: joined(folder, file.folder ?? ''), span, code: file.code });
    }
  }
  return found;
}

function textOf(value: Value): string {
  return value.kind === 'literal' ? value.text : '';
}

// ── files that tools run by themselves

const make: ToolReader = ({ words }) => {
  const folder = optionIn(words, /^(?:-C|--directory)$/) ?? '';
  const file = optionIn(words, /^-\w*f$|^--(?:file|makefile)$/);
  const targets = operandsOf(words, /^(?:-C|--directory|-\w*f|--file|--makefile|-I|-o|-W)$/).filter(
    (word) => !word.includes('='),
  );
  const names = file === undefined ? ['GNUmakefile', 'makefile', 'Makefile'] : [file];
  return names.map((name) => ({
    path: joined(folder, name),
    folder,
    code: (text) => shellOf(shellOfMakefile(text, targets)),
  }));
};

/** Scripts that installing runs by itself, of the package at hand. */
const lifecycle = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
];
const installs = /^(?:i|in|ins|install|ci|clean-install|add|link|rebuild|)$/;

const packages: ToolReader = ({ program, words }) => {
  const folder = optionIn(words, /^(?:--prefix|-C|--cwd|--dir)$/) ?? '';
  const [verb = '', name = ''] = operandsOf(
    words,
    /^(?:--prefix|-C|--cwd|--dir|-w|--workspace|--filter|-F)$/,
  );
  const chosen = (scripts: ReadonlyMap<string, string>): readonly string[] => {
    if (/^(?:run|run-script|rum|urn)$/.test(verb)) return [name];
    if (/^(?:t|tst)$/.test(verb)) return ['test'];
    if (/^(?:publish|pack)$/.test(verb))
      return ['prepublishOnly', 'prepare', 'prepack', 'postpack', 'publish'];
    if (/^(?:test|start|stop|restart|version)$/.test(verb)) return [verb];
    if (verb === 'install-test' || verb === 'it') return [...lifecycle, 'test'];
    if (installs.test(verb) && (verb !== '' || program === 'yarn')) return lifecycle;
    return program !== 'npm' && scripts.has(verb) ? [verb] : [];
  };
  return [
    {
      path: joined(folder, 'package.json'),
      folder,
      code: (text) => chosen(scriptsIn(text)).flatMap((one) => shellOf(shellOfScript(text, one) ?? '')),
    },
  ];
};

const python: ToolReader = ({ words }) => {
  const at = words.indexOf('-m');
  const name = words[at + 1] ?? '';
  if (at === -1) return [];
  if (name === 'pytest')
    return pytest({ program: 'pytest', words: words.slice(at + 2), folder: '', listed: () => [] });
  const path = name.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`, `src/${path}/__main__.py`].map(
    (one) => ({
      path: one,
      code: (text) => [{ language: 'python', source: text }],
    }),
  );
};

/** Most files of tests that a run of all of them is judged by. */
const mostTests = 12;

const pytest: ToolReader = ({ words, folder, listed }) => {
  const named = operandsOf(words, /^-[ckmnopW]$|^--(?:rootdir|cov|confcutdir|ignore|deselect)$/).map(
    (word) => word.split('::')[0] ?? '',
  );
  const folders = named.filter((word) => !word.endsWith('.py'));
  const around = [
    '',
    'tests',
    'test',
    ...folders,
    ...named.map((word) => word.slice(0, Math.max(0, word.lastIndexOf('/')))),
  ];
  const files = named.filter((word) => word.endsWith('.py'));
  const tests = named.length > 0 ? folders : ['', 'tests', 'test'];
  const all = tests.flatMap((one) =>
    listed(joined(folder, one) || '.')
      .filter((name) => /^test_.*\.py$|_test\.py$/.test(name))
      .map((name) => joined(one, name)),
  );
  const plugin = optionIn(words, /^-p$/);
  return [
    ...new Set([
      ...around.map((one) => joined(one, 'conftest.py')),
      ...files,
      ...all.slice(0, mostTests),
      ...(plugin === undefined ? [] : [`${plugin.replaceAll('.', '/')}.py`]),
    ]),
  ].map((path) => ({ path, code: (text) => [{ language: 'python', source: text }] }));
};

const hooksOf: Readonly<Record<string, readonly string[]>> = {
  commit: ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'],
  push: ['pre-push'],
  checkout: ['post-checkout'],
  switch: ['post-checkout'],
  merge: ['pre-merge-commit', 'post-merge'],
  pull: ['post-merge', 'post-checkout', 'post-rewrite'],
  rebase: ['pre-rebase', 'post-rewrite', 'post-checkout'],
  am: ['applypatch-msg', 'pre-applypatch', 'post-applypatch'],
  gc: ['pre-auto-gc'],
};

function runsHooks(args: readonly Value[]): boolean {
  return args.some((arg) => arg.kind === 'literal' && Object.hasOwn(hooksOf, arg.text));
}

const git: ToolReader = ({ words }) => {
  const folder = optionIn(words, /^-C$/) ?? '';
  const [verb = ''] = operandsOf(words, /^-[cC]$/);
  const names = Object.hasOwn(hooksOf, verb) ? (hooksOf[verb] ?? []) : [];
  if (/^(?:commit|push|merge)$/.test(verb) && words.some((word) => /^(?:--no-verify|-n)$/.test(word)))
    return [];
  return names.flatMap((name) =>
    ['.git/hooks', '.husky', '.husky/_', '.githooks'].map((place) => ({
      path: joined(folder, `${place}/${name}`),
      folder,
      code: codeFor('', name),
    })),
  );
};

const just: ToolReader = ({ words }) => {
  const file = optionIn(words, /^(?:-f|--justfile)$/);
  const names = operandsOf(words, /^(?:-f|--justfile|-d|--working-directory|--set)$/);
  return (file === undefined ? ['justfile', 'Justfile', '.justfile'] : [file]).map((path) => ({
    path,
    code: (text) => shellOf(shellOfJustfile(text, names)),
  }));
};

const task: ToolReader = ({ words }) => {
  const file = optionIn(words, /^(?:-t|--taskfile)$/);
  const usual = ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'];
  return (file === undefined ? usual : [file]).map((path) => ({
    path,
    code: (text) => shellOf(shellOfTaskfile(text)),
  }));
};

const compose: ToolReader = ({ program, words }) => {
  const operands = operandsOf(words, /^(?:-f|--file|-p|--project-name|--profile|--env-file)$/);
  const verbs = program.includes('-compose') ? operands : operands[0] === 'compose' ? operands.slice(1) : [];
  if (!/^(?:up|run|start|create|restart)$/.test(verbs[0] ?? '')) return [];
  const file = optionIn(words, /^(?:-f|--file)$/);
  const usual = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
  return (
    file === undefined ? [...usual, 'docker-compose.override.yml', 'compose.override.yml'] : [file]
  ).map((path) => ({
    path,
    code: (text) => shellOf(shellOfCompose(text)),
  }));
};

const goGenerate: ToolReader = ({ words, listed, folder }) =>
  words[0] !== 'generate'
    ? []
    : listed(folder || '.')
        .filter((name) => name.endsWith('.go'))
        .slice(0, mostTests)
        .map((path) => ({
          path,
          code: (text) =>
            shellOf([...text.matchAll(/^\/\/go:generate\s+(.*)$/gm)].map(([, line = '']) => line).join('\n')),
        }));

const setup: ToolReader = ({ words }) => {
  const [verb = '', first = '.'] = operandsOf(words, /^(?:-r|--requirement|-c|-i|--index-url)$/);
  if (!/^(?:install|wheel|sync|build)$/.test(verb)) return [];
  return [{ path: joined(first, 'setup.py'), code: (text) => [{ language: 'python', source: text }] }];
};

/** A tool whose own file of this name is Ruby, Python or JavaScript. */
const running =
  (runner: string, ...names: readonly string[]): ToolReader =>
  () =>
    names.map((path) => ({ path, code: (text) => codeOf(runner, text) }));

const tools: Readonly<Record<string, ToolReader>> = {
  ...{ make, gmake: make, nmake: make, just, task, git, go: goGenerate, pytest, 'py.test': pytest },
  ...{ npm: packages, pnpm: packages, yarn: packages, bun: packages },
  ...{ python, python3: python, pypy3: python, uv: setup, pip: setup, pip3: setup, poetry: setup },
  ...{ docker: compose, 'docker-compose': compose, podman: compose, 'podman-compose': compose },
  ...seeders,
  ...{
    rake: (call) => [...running('ruby', 'Rakefile')(call), ...(seeders['rake']?.(call) ?? [])],
    bundle: running('ruby', 'Gemfile'),
    rspec: running('ruby', 'spec/spec_helper.rb'),
  },
  ...{
    nox: running('python3', 'noxfile.py'),
    fab: running('python3', 'fabfile.py'),
    scons: running('python3', 'SConstruct'),
  },
  ...{
    jest: running('node', 'jest.config.js', 'jest.config.ts'),
    vitest: running('node', 'vitest.config.ts', 'vite.config.ts'),
  },
  ...{
    vite: running('node', 'vite.config.ts', 'vite.config.js'),
    webpack: running('node', 'webpack.config.js'),
  },
  ...{
    eslint: running('node', 'eslint.config.js', '.eslintrc.js', 'eslint.config.mjs'),
    gulp: running('node', 'gulpfile.js'),
  },
  ...{
    grunt: running('node', 'Gruntfile.js'),
    rollup: running('node', 'rollup.config.js'),
    prettier: running('node', 'prettier.config.js'),
  },
  ...{
    playwright: running('node', 'playwright.config.ts'),
    mocha: running('node', '.mocharc.js'),
    next: running('node', 'next.config.js'),
  },
};
