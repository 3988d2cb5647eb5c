// Packages that a change adds to manifests, as tables: what is read, what is almost another name, what is told.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../config/index.ts';
import { Budget, type Symbols, type World } from '../../core/index.ts';
import { symbolsGuard } from './index.ts';
import { memoryTree } from './memory.ts';
import { almost, dependenciesOf, isManifest } from './packages.ts';
import { popularNpm, popularPypi } from './popular.ts';

const root = '/workspace';

type Files = Readonly<Record<string, string>>;

async function findingsOf(
  path: string,
  content: string,
  files: Files,
  more: { readonly packages?: Record<string, string>; readonly symbols?: Partial<Symbols> } = {},
): Promise<readonly string[]> {
  const texts = new Map(Object.entries(files).map(([name, text]) => [`${root}/${name}`, text]));
  const world: World = {
    now: () => 0,
    resolve: async () => [],
    realPath: (name) => name,
    readText: (name) => texts.get(name) ?? null,
    look: () => null,
    symbols: {
      of: async () => memoryTree(texts, null),
      lists: async (file, names) =>
        texts
          .get(file)
          ?.split('\n')
          .some((line) => names.includes(line)) ?? null,
      ...more.symbols,
    },
  };
  const { findings } = await symbolsGuard.check(
    { kind: 'write', path, content },
    {
      context: { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: root, mode: 'auto' },
      settings: settingsFrom({}, { packages: more.packages ?? {} }),
      world,
      budget: new Budget(100_000),
      granted: () => false,
    },
  );
  expect(findings.every(({ decision }) => decision === 'warn')).toBe(true);
  return findings.map(({ rule, span }) => `${rule} ${content.slice(span?.[0], span?.[1])}`);
}

describe('a manifest', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'package.json',
      '{"name":"x","dependencies":{"a":"1","@b/c":"^2"},"devDependencies":{"d":"*"},"scripts":{"e":"f"}}',
      ['a', '@b/c', 'd'],
    ],
    [
      'package.json',
      '{"dependencies":{"a":"workspace:*","b":"file:../b","c":"git+ssh://x","d":"user/repo","e":"npm:f@1","g":"latest"}}',
      ['g'],
    ],
    ['package.json', '{"dependencies":["a"]', []],
    [
      'requirements.txt',
      'a\nb==1.0 # c\n# d\n-r e.txt\n--hash=f\ng[h,i]>=2 ; python_version > "3"\nj @ https://k\nL.m~=1\r\n./n\n',
      ['a', 'b', 'g', 'L.m'],
    ],
    ['requirements/dev.txt', 'a\n', ['a']],
    [
      'pyproject.toml',
      '[project]\nname = "x"\ndependencies = ["a>=1", \'b[c]\',\n  "d", # "e"\n]\nkeywords = ["f"]\n[project.optional-dependencies]\ng = ["h"]\n',
      ['a', 'b', 'd', 'e', 'h'],
    ],
    [
      'pyproject.toml',
      '[tool.poetry.dependencies]\npython = "^3"\na = "^1"\nb = { git = "x" }\nc = { version = "1" }\n[tool.poetry.group.dev.dependencies]\nd = "*"\n[tool.ruff]\nline = "e"\n',
      ['a', 'c', 'd'],
    ],
    [
      'pyproject.toml',
      '[dependency-groups]\na = ["b", "c @ https://d"]\n[build-system]\nrequires = ["e"]\n',
      ['b', 'e'],
    ],
  ])('%s asks for the packages of %j', (path, text, names) => {
    const found = dependenciesOf(path, text);
    expect(found.map(({ name }) => name)).toEqual(names);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(names);
  });

  it('is known by its name', () => {
    expect(
      ['package.json', 'a/package.json', 'requirements-dev.txt', 'requirements/a.in', 'pyproject.toml'].every(
        isManifest,
      ),
    ).toBe(true);
    expect(['my-package.json', 'notes.txt', 'robots.txt', 'Cargo.toml'].some(isManifest)).toBe(false);
  });
});

describe('a name', () => {
  it.each<['npm' | 'pypi', string, string | null]>([
    ['npm', 'expresss', 'express'],
    ['npm', 'exprss', 'express'],
    ['npm', 'exprews', 'express'],
    ['npm', 'epxress', 'express'],
    ['npm', 'nodefetch', 'node-fetch'],
    ['npm', 'node_fetch', 'node-fetch'],
    ['npm', 'types-node', '@types/node'],
    ['npm', 'preset-env', '@babel/preset-env'],
    ['npm', '@typs/node', '@types/node'],
    ['npm', 'own-packages', 'own-package'],
    ['pypi', 'Reqeusts', 'requests'],
    ['pypi', 'python_dateutils', 'python-dateutil'],
    ['pypi', 'scikitlearn', 'scikit-learn'],
    // Names of their own.
    ['npm', 'preact', null],
    ['npm', '@babel/cores', null],
    ['npm', 'get-intrinsic', null],
    ['npm', 'react', null],
    ['npm', 'zode', null],
    ['npm', 'core', null],
    ['npm', 'tree-sitter-python', null],
    ['npm', 'own-package2', null],
    ['pypi', 'Python_DateUtil', null],
    ['pypi', 'pypdf3', null],
    ['pypi', 'numpydoc', null],
  ])('of %s, %s, is almost %s', (registry, name, expected) => {
    expect(almost({ registry, name }, ['own-package'])).toBe(expected);
  });

  it('that is much used is never taken for another', () => {
    for (const [registry, names] of [
      ['npm', popularNpm],
      ['pypi', popularPypi],
    ] as const) {
      expect([...names].filter((name) => almost({ registry, name }, names) !== null)).toEqual([]);
    }
  });
});

describe('a new package', () => {
  const lists = { npm: `${root}/npm.txt` };

  it.each<[string, string, string, Files, readonly string[]]>([
    ['almost another', 'package.json', '{"dependencies":{"lodahs":"4"}}', {}, ['lookalike_package lodahs']],
    [
      'almost one of the workspace',
      'web/package.json',
      '{"dependencies":{"our-widgetz":"4"}}',
      { 'package.json': '{"dependencies":{"our-widgets":"1"}}' },
      ['lookalike_package our-widgetz'],
    ],
    [
      'that was there before',
      'package.json',
      '{"dependencies":{"lodahs":"4"},"a":1}',
      { 'package.json': '{"dependencies":{"lodahs":"3"}}' },
      [],
    ],
    [
      'that is locked',
      'package.json',
      '{"dependencies":{"lodahs":"4"}}',
      { 'yarn.lock': '\nlodahs@^4:\n' },
      [],
    ],
    [
      'that is installed',
      'package.json',
      '{"dependencies":{"lodahs":"4"}}',
      { 'node_modules/lodahs/package.json': '{}' },
      [],
    ],
    [
      'of the workspace',
      'package.json',
      '{"dependencies":{"lodahs":"4"}}',
      { 'packages/a/package.json': '{"name":"lodahs"}' },
      [],
    ],
    ['of Python that is locked', 'requirements.txt', 'reqeusts\n', { 'uv.lock': 'name = "reqeusts"\n' }, []],
    [
      'of Python',
      'requirements.txt',
      'flask\nreqeusts\n',
      { 'requirements.txt': 'flask\n' },
      ['lookalike_package reqeusts'],
    ],
  ])('%s', async (_, path, content, files, expected) => {
    expect(await findingsOf(path, content, files)).toEqual(expected);
  });

  it('is looked for in the list of its registry alone', async () => {
    const files = { 'npm.txt': 'left\nright-pad\n' };
    expect(
      await findingsOf('package.json', '{"dependencies":{"right-pad":"1","wrong-pad":"1"}}', files, {
        packages: lists,
      }),
    ).toEqual(['unknown_package wrong-pad']);
    expect(await findingsOf('requirements.txt', 'wrong-pad\n', files, { packages: lists })).toEqual([]);
    expect(
      await findingsOf(
        'requirements.txt',
        'Wrong_Pad\n',
        { 'pypi.txt': 'wrong-pad\n' },
        { packages: { pypi: `${root}/pypi.txt` } },
      ),
    ).toEqual([]);
  });

  it('is told of where the list cannot be read', async () => {
    expect(
      await findingsOf('package.json', '{"dependencies":{"right-pad":"1"}}', {}, { packages: lists }),
    ).toEqual(['unknown_package right-pad']);
  });

  it('is judged where there is no index, or it fails', async () => {
    const fails = async () => {
      throw new Error('disk');
    };
    for (const of of [async () => null, fails]) {
      expect(
        await findingsOf('package.json', '{"dependencies":{"lodahs":"4"}}', {}, { symbols: { of } }),
      ).toEqual(['lookalike_package lodahs']);
    }
  });

  it('of a text that is no manifest is none', async () => {
    expect(await findingsOf('setup.txt', 'lodahs', {})).toEqual([]);
  });
});
