// Which files of code a command runs: those that it names, those that its tools run by themselves, and the hooks of git.

import type { Facts, Invocation, Value } from '../effects.ts';
import { scriptsIn } from '../repository.ts';
import {
  shellOfCompose,
  shellOfJustfile,
  shellOfMakefile,
  shellOfScript,
  shellOfTaskfile,
} from './recipes.ts';

/** A piece of code in a language that is read. */
export interface Piece {
  readonly language: 'shell' | 'python';
  readonly source: string;
}

/** A file that a command runs. */
export interface RunFile {
  /** From the folder that the command runs in, or absolute. */
  readonly path: string;
  /** Where its code runs, in the same way. */
  readonly folder: string;
  readonly span: Invocation['span'];
  /** What of its text runs; null: nothing here reads that language. */
  readonly code: (text: string) => readonly Piece[] | null;
}

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

function joined(folder: string, path: string): string {
  return path.startsWith('/') || folder === '' ? path : `${folder}/${path}`;
}

// ── code by its program, its first line or its ending

const shells = /^(?:(?:ba|da|z|k|mk|a)?sh|source|\.)$/;
/** Languages that are read as an option of their program. */
const inOption: Readonly<Record<string, readonly [program: string, option: string]>> = {
  awk: ['awk', ''],
  gawk: ['awk', ''],
  mawk: ['awk', ''],
  sed: ['sed', ''],
  ruby: ['ruby', '-e'],
  perl: ['perl', '-e'],
  php: ['php', '-r'],
  lua: ['lua', '-e'],
  node: ['node', '-e'],
  nodejs: ['node', '-e'],
  bun: ['node', '-e'],
  deno: ['node', '-e'],
  tsx: ['node', '-e'],
  'ts-node': ['node', '-e'],
  Rscript: ['Rscript', '-e'],
  julia: ['julia', '-e'],
};
const byEnding: Readonly<Record<string, string>> = {
  ...{ sh: 'sh', bash: 'bash', zsh: 'zsh', ksh: 'ksh', py: 'python3', js: 'node', mjs: 'node', cjs: 'node' },
  ...{
    ts: 'node',
    mts: 'node',
    cts: 'node',
    rb: 'ruby',
    pl: 'perl',
    php: 'php',
    lua: 'lua',
    awk: 'awk',
    r: 'Rscript',
  },
};

function codeFor(program: string, path: string): RunFile['code'] {
  return (text) => {
    const [, line = ''] = /^#!\s*(\S.*)/.exec(text) ?? [];
    const words = line.split(/\s+/).map((word) => word.slice(word.lastIndexOf('/') + 1));
    const named = words[0] === 'env' ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0];
    const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
    const known = isReader(program) ? program : undefined;
    const byName = Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined;
    const runner = known ?? (named || byName) ?? (program === '' && isText(text) ? 'sh' : '');
    if (/^Makefile|\.mk$/i.test(path.slice(path.lastIndexOf('/') + 1)))
      return [{ language: 'shell', source: shellOfMakefile(text, []) }];
    return codeOf(runner, text);
  };
}

function isReader(program: string): boolean {
  return shells.test(program) || isPython(program) || Object.hasOwn(inOption, program);
}

function isPython(program: string): boolean {
  return /^(?:python|pypy)[\d.]*$/.test(program);
}

/** Whether a file without a first line that says so may be a script. */
function isText(text: string): boolean {
  return !/[\u0000\ufffd]/.test(text.slice(0, 512));
}

function codeOf(runner: string, text: string): readonly Piece[] | null {
  if (shells.test(runner)) return [{ language: 'shell', source: text }];
  if (isPython(runner)) return [{ language: 'python', source: text }];
  const wrapped = Object.hasOwn(inOption, runner) ? inOption[runner] : undefined;
  if (wrapped === undefined) return null;
  const [program, option] = wrapped;
  const source = text.replace(/^#!.*\n/, '').replace(/^\s*<\?php\b/, '');
  return [{ language: 'shell', source: `${program} ${option} '${source.replaceAll("'", `'\\''`)}'` }];
}

// ── files that tools run by themselves

interface ToolCall {
  readonly program: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly listed: (folder: string) => readonly string[];
}

type ToolFile = Omit<RunFile, 'span' | 'folder'> & { readonly folder?: string };
type ToolReader = (call: ToolCall) => readonly ToolFile[];

const shellOf = (source: string): readonly Piece[] => (source === '' ? [] : [{ language: 'shell', source }]);

/** The words that are no options, nor values of the options that take one. */
function operandsOf(words: readonly string[], valued: RegExp): readonly string[] {
  return words.filter(
    (word, at) => word !== '' && !word.startsWith('-') && !valued.test(words[at - 1] ?? ''),
  );
}

function optionIn(words: readonly string[], names: RegExp): string | undefined {
  const at = words.findIndex((word) => names.test(word));
  return at === -1 ? undefined : words[at + 1];
}

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
  ...{
    rake: running('ruby', 'Rakefile'),
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
