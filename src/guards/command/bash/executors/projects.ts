// Files and folders that a tool runs as code by being told of them, or by being started beside them.

import { carriers, handedPaths } from '../../programs/loading.ts';
import { hole, singleText, type Text } from '../values.ts';

const wordsOf = (list = ''): readonly string[] => list.split(' ').filter((word) => word !== '');

/** Where a tool finds the code that it runs. */
interface ProjectShape {
  /** What it looks for in the folder that it works in. */
  readonly files?: string;
  /** Options that name that folder, or the file in it. */
  readonly folder?: string;
  readonly file?: string;
  /** Only these subcommands run code. */
  readonly verbs?: RegExp;
  /** Words that are files or folders of code: the first one that looks like a path, or each. */
  readonly operands?: 'first' | 'each';
}

const script: ProjectShape = { operands: 'first' };
const scripts: ProjectShape = { operands: 'each' };
const javascript = (folder: string): ProjectShape => ({ files: 'package.json', folder });
const java: ProjectShape = {
  folder: '-cp -classpath --class-path -javaagent -agentpath --module-path',
  operands: 'first',
};
const gradle: ProjectShape = {
  files: 'build.gradle build.gradle.kts',
  folder: '-p --project-dir',
  file: '-b -I --init-script',
};
const python: ProjectShape = {
  files: 'pyproject.toml setup.py',
  folder: '-C --directory --project -p -P',
  verbs: /^(?:install|build|run|sync|test)$/,
  operands: 'first',
};

const shapes: Readonly<Record<string, ProjectShape>> = {
  npm: javascript('--prefix -C'),
  pnpm: javascript('-C --dir --prefix'),
  yarn: javascript('--cwd'),
  bun: javascript('--cwd'),
  deno: { files: 'deno.json', verbs: /^(?:task|run|test)$/, operands: 'first' },
  cargo: {
    files: 'build.rs Cargo.toml',
    folder: '-C --path',
    file: '--manifest-path',
    verbs: /^(?:run|r|build|b|test|t|check|c|bench|install|clippy|doc)$/,
  },
  go: { files: 'go.mod', folder: '-C', verbs: /^(?:run|test|generate)$/, operands: 'first' },
  mvn: { files: 'pom.xml', file: '-f --file' },
  mvnw: { files: 'pom.xml', file: '-f --file' },
  gradle,
  gradlew: gradle,
  ant: { files: 'build.xml', file: '-f -file -buildfile' },
  sbt: { files: 'build.sbt' },
  lein: { files: 'project.clj' },
  mix: { files: 'mix.exs' },
  bazel: { files: 'WORKSPACE MODULE.bazel', verbs: /^(?:run|test|build)$/ },
  cmake: { files: 'CMakeLists.txt', folder: '-S --build --install', operands: 'first' },
  ninja: { files: 'build.ninja', folder: '-C', file: '-f' },
  meson: { files: 'meson.build', folder: '-C', verbs: /^(?:setup|compile|test|install)$/, operands: 'first' },
  scons: { files: 'SConstruct', folder: '-C', file: '-f' },
  task: { files: 'Taskfile.yml', folder: '-d --dir', file: '-t --taskfile' },
  just: { files: 'justfile', folder: '-d --working-directory', file: '-f --justfile' },
  composer: { files: 'composer.json', folder: '-d --working-dir' },
  swift: {
    files: 'Package.swift',
    folder: '--package-path',
    verbs: /^(?:run|build|test)$/,
    operands: 'first',
  },
  zig: { files: 'build.zig', verbs: /^(?:build|run|test)$/, operands: 'first' },
  dart: { files: 'pubspec.yaml', verbs: /^(?:run|test)$/, operands: 'first' },
  dotnet: { folder: '--project', operands: 'first' },
  pip: { files: 'setup.py pyproject.toml', verbs: /^(?:install|wheel)$/ },
  pip3: { files: 'setup.py pyproject.toml', verbs: /^(?:install|wheel)$/ },
  poetry: python,
  pdm: python,
  hatch: python,
  uv: python,
  pipx: { verbs: /^(?:run|install)$/, operands: 'first' },
  uvx: { folder: '--from' },
  tox: { files: 'tox.ini', file: '-c' },
  pytest: { files: 'conftest.py', folder: '--rootdir', operands: 'each' },
  jest: { files: 'jest.config.js package.json', operands: 'each' },
  mocha: scripts,
  vitest: { files: 'vitest.config.ts package.json', operands: 'each' },
  bats: scripts,
  npx: script,
  mono: script,
  wine: script,
  wine64: script,
  box64: script,
  'qemu-x86_64': script,
  'qemu-aarch64': script,
  java,
  javaw: java,
  kotlin: script,
  crystal: { verbs: /^(?:run|eval|spec)$/, operands: 'first' },
  nim: { verbs: /^(?:r|c|compile|e)$/, operands: 'first' },
  v: { operands: 'first' },
  rustc: { operands: 'first' },
  electron: script,
  code: { file: '--install-extension' },
  codium: { file: '--install-extension' },
  insmod: script,
  'ansible-playbook': scripts,
  'run-parts': scripts,
  msiexec: scripts,
  open: scripts,
  start: scripts,
};

/** The files and folders of code that a call of such a tool would run, from the folder that it is started in. */
export function projectPaths(program: string, args: readonly Text[]): readonly string[] {
  const { named = [], told = [], usual = [] } = pathsIn(program, args) ?? {};
  return [...named, ...told, ...(named.length > 0 ? [] : usual)];
}

/** The folders and files elsewhere that a call names by an option, so that their code runs or their settings count. */
export function projectsElsewhere(
  program: string,
  args: readonly Text[],
  through: readonly string[],
): readonly string[] {
  const { named = [] } = pathsIn(program, args) ?? {};
  // The paths of a program in a container are not those of this machine.
  const handed = through.some((one) => carriers.test(one))
    ? []
    : handedPaths(program, args.slice(0, 64).map(singleText));
  return [...new Set([...named, ...handed])].filter(
    (path) => /^(?:[/~]|\.\.\/)/.test(path) && !path.includes(hole),
  );
}

interface Paths {
  /** By an option. */
  readonly named: readonly string[];
  /** By a word. */
  readonly told: readonly string[];
  /** What the tool looks for where nothing is named. */
  readonly usual: readonly string[];
}

function pathsIn(program: string, args: readonly Text[]): Paths | null {
  const shape = Object.hasOwn(shapes, program) ? shapes[program] : undefined;
  if (shape === undefined) return null;
  const words = args.slice(0, 64).map(singleText);
  const given = optionsOf(words, [...wordsOf(shape.folder), ...wordsOf(shape.file)]);
  const operands = given.operands;
  const verb = operands[0] ?? '';
  if (shape.verbs !== undefined && !shape.verbs.test(verb)) return null;
  const folders = wordsOf(shape.folder).flatMap((name) => given.values.get(name) ?? []);
  const files = wordsOf(shape.file).flatMap((name) => given.values.get(name) ?? []);
  const others = shape.verbs === undefined ? operands : operands.slice(1);
  const paths = others.filter((word) => shape.operands === 'each' || /[./]/.test(word));
  const told = shape.operands === undefined ? [] : shape.operands === 'each' ? paths : paths.slice(0, 1);
  return { named: [...folders, ...files], told, usual: wordsOf(shape.files) };
}

interface Given {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/** The values of some options, wherever they stand, and the words that are none; behind two dashes nothing is read. */
function optionsOf(words: readonly string[], names: readonly string[]): Given {
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') break;
    const name = names.find((one) =>
      one.startsWith('--') ? word === one || word.startsWith(`${one}=`) : word.startsWith(one),
    );
    if (name === undefined) {
      if (!word.startsWith('-')) operands.push(word);
      continue;
    }
    const attached = word.slice(name.length).replace(/^[=:]/, '');
    const value = attached === '' ? (words[index + 1] ?? '') : attached;
    if (attached === '') index += 1;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return { values, operands };
}
