// The guard on references as a table: each row is a workspace, a file that is written, and what is told about it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../config/index.ts';
import { Budget, BudgetExceeded, type SourceTree, type World } from '../../core/index.ts';
import { isTooDeep } from '../../core/nesting.ts';
import { loadModules } from '../../decide/parsers.ts';
import { checkFile, isChecked } from './check.ts';
import { symbolsGuard } from './index.ts';
import { readJsonc } from './jsonc.ts';
import { pythonTable } from './languages/python.ts';
import { pythonReferences } from './languages/python-references.ts';
import { typescriptReferences, typescriptTable } from './languages/typescript.ts';
import { memoryTree } from './memory.ts';

const reader = loadModules();
const root = '/workspace';

type Files = Readonly<Record<string, string>>;

function worldOf(files: Files, tree?: () => SourceTree | null): World {
  const texts = new Map(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]));
  return {
    now: () => 0,
    resolve: async () => [],
    realPath: (path) => path,
    readText: (path) => texts.get(path) ?? null,
    look: () => null,
    readers: { python: async () => null, javascript: async () => null, modules: async () => reader },
    symbols: {
      of: async () => (tree === undefined ? memoryTree(texts, reader) : tree()),
      lists: async (file, names) =>
        texts
          .get(file)
          ?.split('\n')
          .some((line) => names.includes(line)) ?? null,
    },
  };
}

async function check(
  action: Parameters<typeof symbolsGuard.check>[0],
  world: World,
  steps = 100_000,
): Promise<Awaited<ReturnType<typeof symbolsGuard.check>>> {
  return await symbolsGuard.check(action, {
    context: { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: root, mode: 'auto' },
    settings: settingsFrom({}),
    world,
    budget: new Budget(steps),
    granted: () => false,
  });
}

async function findingsOf(path: string, content: string, files: Files): Promise<readonly string[]> {
  const { findings } = await check({ kind: 'write', path, content }, worldOf(files));
  return findings.map(
    ({ rule, span }) => `${rule} ${content.slice(span?.[0], span?.[1]).replaceAll("'", '')}`,
  );
}

const price = 'export const total = 1;\nexport default function rate() {}\n';

describe('TypeScript', () => {
  it.each<[string, string, Files, readonly string[]]>([
    ['a name that is there', "import rate, { total } from './price';", { 'price.ts': price }, []],
    [
      'a name that is not',
      "import { totals } from './price';",
      { 'price.ts': price },
      ['missing_import totals'],
    ],
    ['no default', "import x from './b';", { 'b.ts': 'export const x = 1;' }, ['missing_import x']],
    [
      'a file that is not there',
      "export * from './prices';",
      { 'price.ts': price },
      ['missing_module ./prices'],
    ],
    ['a script written in TypeScript', "import { total } from './price.js';", { 'price.ts': price }, []],
    ['a folder with an index', "import { total } from './p';", { 'p/index.ts': price }, []],
    [
      'all names of another module',
      "import { total, totals } from './p';",
      { 'p/index.ts': "export * from '../price';", 'price.ts': price },
      ['missing_import totals'],
    ],
    [
      'a circle of modules',
      "import { x } from './b';",
      { 'b.ts': "export * from './c';", 'c.ts': "export * from './b';" },
      ['missing_import x'],
    ],
    ['CommonJS', "import { anything } from './b.cjs';", { 'b.cjs': 'module.exports = f();' }, []],
    ['export =', "import { anything } from './b';", { 'b.ts': 'const a = {}; export = a;' }, []],
    ['a file that does not parse', "import { anything } from './b';", { 'b.ts': 'export const = ;' }, []],
    [
      'another kind of file',
      "import a from './a.css'; import b from './b.vue';",
      { 'a.css': '', 'b.vue': '' },
      [],
    ],
    ['a suffix', "import a from './price.ts?raw';", { 'price.ts': price }, []],
    ['a platform', "import { Button } from './button';", { 'button.ios.tsx': '' }, []],
    [
      'what a tool resolves',
      "import a from 'virtual:x'; import b from '~icons/x'; import c from '#imports';",
      { 'package.json': '{}' },
      [],
    ],
    ['what a build makes', "import a from './dist/a.js'; import b from './b.generated';", {}, []],
    ['what git ignores', "import a from './version';", { '.gitignore': 'version.ts\n' }, []],
    [
      'paths of tsconfig with comments',
      "import { total } from '@/price'; import { x } from '@/prices';",
      {
        'tsconfig.json': '{ // "@/*" stays\n "extends": "./base" }',
        'base.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"]},},}',
        'src/price.ts': price,
      },
      ['missing_module @/prices'],
    ],
    [
      'a package of the workspace, from its source',
      "import { total, x } from '@shop/price';",
      {
        'package.json': '{}',
        'packages/price/package.json': '{"name":"@shop/price","exports":{".":{"types":"./dist/index.d.ts"}}}',
        'packages/price/src/index.ts': price,
      },
      ['missing_import x'],
    ],
    [
      'an installed package by its types',
      "import { a, b } from 'x'; import c from 'x/deep';",
      {
        'package.json': '{"dependencies":{"x":"1"}}',
        'node_modules/x/package.json': '{"exports":{".":{"import":{"types":"./i.d.ts"}},"./other":"./o.js"}}',
        'node_modules/x/i.d.ts': 'export declare const a: 1;',
      },
      ['missing_import b', 'missing_module x/deep'],
    ],
    [
      'a package of a lock file',
      "import a from 'left-pad'; import b from 'left';",
      { 'package.json': '{}', 'yarn.lock': 'left-pad@^1.0.0:\n' },
      ['undeclared_package left'],
    ],
    ['no manifest at all', "import a from 'whatever';", {}, []],
    [
      'a module of Node.js',
      "import a from 'fs'; import b from 'node:fs/promises';",
      { 'package.json': '{}' },
      [],
    ],
    [
      'a module that is described',
      "import a from 'x';",
      { 'package.json': '{}', 't.d.ts': "declare module 'x';" },
      [],
    ],
    [
      'a whole module',
      "import * as p from './price';\np.total; p.totals();",
      { 'price.ts': price },
      ['missing_attribute totals'],
    ],
    [
      'a whole module that is shadowed',
      "import * as p from './price';\nconst f = (p) => p.x;",
      { 'price.ts': price },
      [],
    ],
    [
      'a whole module that is asked',
      "import * as p from './price';\nif (typeof p.x === 'function') p.x();",
      { 'price.ts': price },
      [],
    ],
    [
      'a name that is bound nowhere',
      'export const a = compute(1); new Thing(); <Card />;',
      {},
      ['unbound_name compute', 'unbound_name Thing'],
    ],
    ['names of the language', 'export const a = [structuredClone(1), new Map(), parseInt("1")];', {}, []],
    [
      'names of any scope',
      'export function f(g, { h: [i] }) { g(); i(); class J {} new J(); try {} catch (k) { k(); } }',
      {},
      [],
    ],
    ['a plain script', 'compute(1);', {}, []],
    ['a name that is asked', "export const a = typeof compute === 'function' ? compute() : 1;", {}, []],
    [
      'a global of the workspace',
      'export const a = compute(1);',
      { 'g.d.ts': 'export {}; declare global { function compute(n: 1): 1 }' },
      [],
    ],
    ['eval', 'export const a = eval("var b = 1"), c = b();', {}, []],
    [
      'a module in a try',
      "try { require('./x'); } catch {}\nawait import('./y').catch(() => 0);\nrequire('./z');",
      {},
      ['missing_module ./z'],
    ],
    ['a module that is mocked', "import { x } from './x';\nvi.mock('./x', () => ({}));", {}, []],
    ['what the author knows', "// @ts-expect-error made later\nimport { x } from './x';\n", {}, []],
    ['a file without checks', "// @ts-nocheck\nimport { x } from './x';\n", {}, []],
    [
      'a name that is added elsewhere',
      "import { extra } from './price';",
      { 'price.ts': price, 'add.ts': "export {}; declare module './price' { export const extra: 1 }" },
      [],
    ],
  ])('%s', async (_, content, files, expected) => {
    const path = content.includes('<Card') ? 'a.js' : 'a.ts';
    const wanted = content.includes('<Card') ? [...expected, 'unbound_name Card'] : expected;
    expect([...(await findingsOf(path, content, files))].toSorted()).toEqual([...wanted].toSorted());
  });

  it.each([
    [
      'export const a = 1, { b, c: [d] } = x; export { e as f }; export default 1;',
      ['a', 'b', 'd', 'f', 'default'],
    ],
    [
      'export type A = 1; export interface B {} export enum C {} export namespace D {} export class E {}',
      ['A', 'B', 'C', 'D', 'E'],
    ],
    ["export * as ns from 'x'; export { y } from 'z';", ['ns', 'y']],
  ])('offers the names of %s', (text, names) => {
    expect(typescriptTable(text, 'a.ts', reader)?.names.toSorted()).toEqual(names.toSorted());
  });
});

const till = {
  'shop/__init__.py': 'from .tax import *\n',
  'shop/price.py': 'TOTAL = 1\ndef add(): pass\n',
  'shop/tax.py': 'RATE = 1\n',
};

describe('Python', () => {
  it.each<[string, string, Files, readonly string[]]>([
    [
      'names that are there',
      'from .price import TOTAL, add\nfrom shop import RATE, price\nimport shop.tax',
      till,
      [],
    ],
    ['a name that is not', 'from .price import TOTALS', till, ['missing_import TOTALS']],
    [
      'a module that is not',
      'import shop.prices\nfrom .taxes import RATE',
      till,
      ['missing_module .taxes', 'missing_module shop.prices'],
    ],
    [
      'imports in brackets',
      'from .price import (\n    TOTAL,  # one\n    add as plus,\n    more,\n)',
      till,
      ['missing_import more'],
    ],
    [
      'a module in a try',
      'try:\n    from .prices import x\nexcept ImportError:\n    from .old import x',
      till,
      [],
    ],
    ['a version', 'import sys\nif sys.version_info > (3,):\n    from .prices import x', till, []],
    ['__getattr__', 'from .lazy import x', { ...till, 'shop/lazy.py': 'def __getattr__(name): pass' }, []],
    ['globals()', 'from .lazy import x', { ...till, 'shop/lazy.py': 'globals()["x"] = 1' }, []],
    ['a compiled module', 'from .fast import x', { ...till, 'shop/fast.cpython-311.so': '' }, []],
    ['a stub', 'from .fast import x, y', { ...till, 'shop/fast.pyi': 'x: int' }, ['missing_import y']],
    [
      'a namespace package',
      'from util.a import x\nfrom util import b',
      { 'util/a.py': 'x = 1', 'util/b.py': '' },
      [],
    ],
    [
      'names of every block',
      'from .n import a, b, c, d, e, f, g',
      {
        ...till,
        'shop/n.py':
          'if x:\n  a = 1\nelse:\n  with y as b:\n    for c in z: pass\ntry:\n  import d\nexcept E as e: pass\nf: int = 1\ntype g = int',
      },
      [],
    ],
    [
      'a global of a function',
      'from .n import a',
      { ...till, 'shop/n.py': 'def f():\n    """x\n"""\n    global a\n    a = 1\n' },
      [],
    ],
    ['dunder names', 'from .price import __version__', till, []],
    ['letters beyond ASCII', 'from .n import Héllo', { ...till, 'shop/n.py': 'class Héllo: pass' }, []],
    ['an attribute', 'from shop import price\nprice.add(price.TOTALS)', till, ['missing_attribute TOTALS']],
    [
      'an attribute that is set or asked',
      "from shop import price\nprice.x = 1\nhasattr(price, 'y') and price.y(price.x)",
      till,
      [],
    ],
    ['a name that is bound twice', 'from shop import price\ndef f(price): return price.x', till, []],
    [
      'a call of nothing',
      'def f(a, *b, c=1, **d):\n    a(); b(); c(); d(); [e() for e in a]; g()',
      till,
      ['unbound_name g'],
    ],
    [
      'a base and a decorator of nothing',
      '@deco\nclass A(Base, metaclass=type): pass',
      till,
      ['unbound_name Base', 'unbound_name deco'],
    ],
    ['names in texts', "s = f\"{a[\"b\"]} g()\" + '''h()''' # i()", till, []],
    [
      'names that are known to be absent',
      'try:\n    unheard\nexcept NameError:\n    pass\nunheard()',
      till,
      [],
    ],
    ['names of a star', 'from shop.price import *\nadd()\nmore()', till, ['unbound_name more']],
    ['names of a star that cannot be followed', 'from requests import *\nmore()', till, []],
    ['what the author knows', 'more()  # noqa: F821\nfrom .prices import x  # type: ignore', till, []],
    ['the standard library and old names', 'import os.path, urllib2, tomllib\nunicode("")', till, []],
    [
      'a package of no manifest',
      'import numpyy\nimport yaml\nimport requests',
      { ...till, 'requirements.txt': 'PyYAML\nrequests>=2\n' },
      ['undeclared_package numpyy'],
    ],
  ])('%s', async (_, content, files, expected) => {
    expect([...(await findingsOf('shop/a.py', content, files))].toSorted()).toEqual([...expected].toSorted());
  });

  it('reads any text to its end', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '(', ')', '"', "'", '\\', '\n', ' ', '{', 'f', '#', '=', ':', ',', '.'),
          maxLength: 80,
        }),
        (text) => {
          expect(pythonTable(text).names.filter((name) => !text.includes(name))).toEqual([]);
          expect(
            pythonReferences(text).found.every(({ start, end }) => start < end && end <= text.length),
          ).toBe(true);
        },
      ),
    );
  });
});

describe('a change set', () => {
  it('is laid over the workspace as a whole', async () => {
    const { findings, facts } = await check(
      {
        kind: 'write',
        changes: [
          {
            op: 'create',
            path: 'a.ts',
            content: "import { x, y } from './new/b.ts'; import { z } from './moved.ts'; import './gone.ts';",
          },
          { op: 'create', path: 'new/b.ts', content: 'export const x = 1;' },
          { op: 'rename', path: 'old.ts', to: 'moved.ts' },
          { op: 'delete', path: 'gone.ts' },
        ],
      },
      worldOf({ 'old.ts': 'export const z = 1;', 'gone.ts': '' }),
    );
    expect(findings.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ['missing_import', '/changes/0/content'],
      ['missing_module', '/changes/0/content'],
    ]);
    expect(findings.every(({ decision }) => decision === 'warn')).toBe(true);
    expect(facts).toMatchObject({ symbols: 'checked', symbols_checked: 6 });
    expect(facts['missing_references']).toContainEqual({ path: 'a.ts', name: 'y', line: 1, near: ['x'] });
  });

  it('names the nearest real names', async () => {
    const [finding] = (
      await check(
        { kind: 'write', path: 'a.ts', content: "import { totel } from './price';" },
        worldOf({ 'price.ts': price }),
      )
    ).findings;
    expect(finding?.message).toBe(
      "Line 1 of 'a.ts': `totel` does not exist in `./price`; did you mean `total`?",
    );
  });

  it('names real names that share a word where none is spelled almost the same', async () => {
    const { findings } = await check(
      { kind: 'write', path: 'shop/a.py', content: 'from shop.cart import total_price\n' },
      worldOf({ 'shop/__init__.py': '', 'shop/cart.py': 'def sum_prices(): pass\ndef clear(): pass\n' }),
    );
    expect(findings.map(({ message }) => message)).toEqual([
      "Line 1 of 'shop/a.py': `total_price` does not exist in `shop.cart`; did you mean `sum_prices`?",
    ]);
  });

  it('is judged by the text that edits of a host leave, and not for what was wrong before', async () => {
    const old = "import { x, gone } from './price';\nexport const a = x;\n";
    const edited = async (
      edits: readonly { old: string; new: string }[],
      files = { 'price.ts': price, 'a.ts': old },
    ) => await check({ kind: 'write', changes: [{ op: 'edit', path: 'a.ts', edits }] }, worldOf(files));
    const wrong = await edited([{ old: '= x;', new: '= x;\nimport { totel } from "./price";' }]);
    expect(wrong.findings.map(({ rule }) => rule)).toEqual(['missing_import']);
    expect(wrong.facts).toMatchObject({ symbols: 'checked', symbols_files: ['a.ts'], unchecked: [] });
    expect((await edited([{ old: '= x;', new: '= 1;' }])).findings).toEqual([]);
    // An edit that does not fit the file says nothing of what it will hold.
    const misfit = await edited([{ old: 'nowhere', new: 'b' }]);
    expect(misfit.facts['unchecked']).toEqual([{ path: 'a.ts', why: 'content' }]);
    const made = await edited([{ old: '', new: "import { totel } from './price';" }], {
      'price.ts': price,
    } as never);
    expect(made.findings.map(({ rule }) => rule)).toEqual(['missing_import']);
  });

  it('in base64 is read as its text, and what is no text is unchecked', async () => {
    const write = async (bytes: Uint8Array | string) =>
      await check(
        { kind: 'write', path: 'a.ts', contentBase64: Buffer.from(bytes).toString('base64') },
        worldOf({ 'price.ts': price }),
      );
    expect((await write("import { totel } from './price';")).findings).toHaveLength(1);
    expect((await write(new Uint8Array([255, 254, 0]))).facts['unchecked']).toEqual([
      { path: 'a.ts', why: 'content' },
    ]);
  });

  it.each<[string, string, string]>([
    ['a language without an index', 'src/main.rs', 'language'],
    ['a kind of file that is not known', 'bin/tool', 'language'],
    ['a text that does not parse', 'a.ts', 'content'],
    ['a fixture', 'tests/fixtures/a.ts', 'aside'],
    ['references of which nothing is known', 'b.py', 'unknown'],
  ])('is unchecked, not passed: %s', async (_, path, why) => {
    const content = path === 'b.py' ? 'from os.path import nothing_known\n' : 'const = ;';
    const { facts, findings } = await check({ kind: 'write', path, content }, worldOf({ 'price.ts': price }));
    expect(findings).toEqual([]);
    expect(facts).toMatchObject({ symbols: 'unchecked', symbols_files: [], unchecked: [{ path, why }] });
  });

  it('is not looked up where there is no index, or the index fails', async () => {
    const action = { kind: 'write', path: 'a.ts', content: "import './b';" } as const;
    const fails = () => {
      throw new Error('disk');
    };
    for (const world of [worldOf({}, () => null), worldOf({}, fails)]) {
      expect(await check(action, world)).toMatchObject({
        facts: { symbols: 'unchecked', unchecked: [{ path: 'a.ts', why: 'index' }] },
        findings: [],
      });
    }
  });

  it('costs nothing where it holds no source, and ends where the budget does', async () => {
    const fails = () => {
      throw new Error('it was asked');
    };
    expect((await check({ kind: 'write', path: 'a.md', content: 'x' }, worldOf({}, fails))).facts).toEqual(
      {},
    );
    await expect(
      check({ kind: 'write', path: 'a.ts', content: 'x'.repeat(10_000) }, worldOf({}), 5),
    ).rejects.toBeInstanceOf(BudgetExceeded);
  });

  it('leaves fixtures and foreign code alone', () => {
    expect(['src/a.ts', 'a.pyi', 'lib/b.mjs'].every(isChecked)).toBe(true);
    expect(['tests/fixtures/a.ts', 'a/_vendor/b.py', 'a.md'].some(isChecked)).toBe(false);
  });
});

describe('a text that nests too deeply', () => {
  const many = 100_000;
  it.each<[string, string]>([
    ['brackets', `${'('.repeat(many)}1${')'.repeat(many)}`],
    ['brackets with comments and texts between', "(/*)*/')'+".repeat(many)],
    ['templates', '`${'.repeat(many)],
    ['unary signs', `${'!'.repeat(many)}1`],
    ['words', `${'typeof '.repeat(many)}a`],
    ['assignments', `${'x='.repeat(many)}1`],
    ['conditions', `${'a?1:'.repeat(many)}1`],
    ['arrows', `${'a=>'.repeat(many)}1`],
    ['statements', `${'if(a)'.repeat(many)};`],
    ['loops', `${'for(;;)'.repeat(many)};`],
    ['else', `${'if(a);else '.repeat(many)};`],
    ['else with blocks', `${'if(a){\n}\nelse '.repeat(50_000)};`],
    ['type arguments', `let x: ${'A<B,'.repeat(many)}`],
    ['tags', '<a>'.repeat(many)],
    ['tags with texts between', 'x = <a>,'.repeat(many)],
    ['types', `type A = ${'keyof '.repeat(many)}B`],
  ])('is not read: %s', (_, deep) => {
    expect(isTooDeep(deep)).toBe(true);
    expect(typescriptTable(`export const a = 1;\n${deep}`, 'a.tsx', reader)).toBeNull();
    expect(typescriptReferences(`export const a = 1;\n${deep}`, 'a.tsx', reader)).toBeNull();
  });

  it('is another than a long one', () => {
    const statements = "export const a = f({ b: [1, 'it(s', `c${d}`] }); // it's (\n".repeat(5000);
    const free = 'export function f(a) {\n  if (a < 1) return g(a)\n  else return h(a)\n}\n'.repeat(2000);
    const data = `export const a = [${'[1, "x", { b: -1 }],\n'.repeat(10_000)}];`;
    for (const long of [statements, free, data]) expect(isTooDeep(long)).toBe(false);
  });

  it('is not checked, and neither is one that is only too deep to be walked', () => {
    const texts = new Map([[`${root}/a.ts`, '']]);
    for (const deep of [`export const a = ${'('.repeat(5000)}1`, `missing(a${'.b'.repeat(3900)});`]) {
      expect(
        checkFile(`import './gone';\n${deep}`, `${root}/a.ts`, root, memoryTree(texts, reader), reader),
      ).toEqual({
        checked: 0,
        unknown: 0,
        missing: [],
        unchecked: 'content',
      });
    }
  });
});

describe('configuration with comments', () => {
  it.each([
    ['{"a": "// no /* comment", /* x */ "b": [1,], // y\n}', { a: '// no /* comment', b: [1] }],
    ['\ufeff{"@/*": "*/,]"}', { '@/*': '*/,]' }],
    ['[1]', null],
    ['{', null],
    ['{"a": 1} /* open', null],
    // Its end would be looked for from every place.
    [`{"a": ${'"\\'.repeat(100_000)}`, null],
    [`{"a": 1}${'/*'.repeat(100_000)}`, null],
  ])('%.60s', (text, value) => {
    expect(readJsonc(text)).toEqual(value);
  });
});
