// The shapes of real projects that lead a check of references astray. Each row has only references that are right, and
// must be silent; where the shape leaves a wrong name knowable, the row's mistake is told.

import { describe, expect, it } from 'vitest';
import { loadModules } from '../../decide/parsers.ts';
import { checkFile } from './check.ts';
import { memoryTree } from './memory.ts';

const reader = loadModules();
const root = '/workspace';

interface Shape {
  readonly files: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly right: string;
  /** What is put behind the right text, and what is then told. */
  readonly wrong?: readonly [string, ...string[]];
}

function findingsOf(path: string, text: string, files: Shape['files']): readonly string[] {
  const texts = new Map(
    Object.entries({ ...files, [path]: text }).map(([name, one]) => [`${root}/${name}`, one]),
  );
  const tree = memoryTree(texts, reader);
  return checkFile(text, `${root}/${path}`, root, tree, reader).missing.map(
    ({ reference: { kind, module, name } }) => `${kind} ${name === '' ? module : name}`,
  );
}

function check({ files, path = 'src/a.ts', right, wrong }: Shape, fallback: string): void {
  const at = path === 'src/a.ts' ? fallback : path;
  expect(findingsOf(at, right, files)).toEqual([]);
  if (wrong === undefined) return;
  const [added, ...expected] = wrong;
  expect(findingsOf(at, `${right}\n${added}\n`, files).toSorted()).toEqual(expected.toSorted());
}

describe('TypeScript', () => {
  it.each<[string, Shape]>([
    [
      'a barrel of barrels',
      {
        files: {
          'src/index.ts':
            "export * from './one'; export { default as Two } from './two'; export * as three from './three';",
          'src/one/index.ts': "export * from './deep';",
          'src/one/deep.ts': 'export const one = 1; export type One = 1;',
          'src/two.ts': 'export default class {}',
          'src/three.ts': 'export const x = 1;',
        },
        right: "import { one, Two, three, type One } from './index'; export const a: One = one;",
        wrong: ["import { two } from '.';", 'name two'],
      },
    ],
    [
      'a barrel that leads outside',
      {
        files: {
          'src/index.ts': "export * from 'somewhere';",
          'package.json': '{"dependencies":{"somewhere":"1"}}',
        },
        right: "import { x } from './index';",
      },
    ],
    [
      'namespaces',
      {
        files: {
          'src/n.ts':
            'export namespace N { export const x = 1; export namespace M {} } export namespace A.B { export type C = 1 }',
        },
        right: "import { N, A } from './n'; export const x = N.x; export type C = A.B.C;",
        wrong: ["import { M } from './n';", 'name M'],
      },
    ],
    [
      'merged declarations',
      {
        files: {
          'src/m.ts':
            'export function f() {} export namespace f { export const x = 1 } export interface I {} export const I = 1; export enum E { A } export namespace E { export const B = 1 }',
        },
        right:
          "import * as m from './m'; import { f, I, E } from './m'; m.f(); m.E.B; f.x; class J implements m.I {} export { I, E, J };",
        wrong: ['m.g();', 'attribute g'],
      },
    ],
    [
      'an overloaded function and an abstract class',
      {
        files: {
          'src/m.ts':
            'export function f(a: 1): 1; export function f(a: 2): 2; export function f(a: 1 | 2) { return a; } export abstract class A {} export declare class D {} export declare function g(): void; export declare let h: 1;',
        },
        right:
          "import { f, A, D, g, h } from './m'; f(1); new D(); g(); class B extends A {} export { B, h };",
      },
    ],
    [
      'global augmentation',
      {
        files: {
          'types/g.d.ts':
            'export {}; declare global { function make(): 1; var log: () => void; interface Window { x: 1 } namespace NodeJS { interface ProcessEnv {} } class Thing {} }',
        },
        right: 'export const a = make(); log(); new Thing();',
        wrong: ['export const b = made();', 'unbound made'],
      },
    ],
    [
      'module augmentation',
      {
        files: {
          'src/vue.d.ts':
            "import 'vue'; declare module 'vue' { interface GlobalComponents { A: 1 } export function extra(): void }",
          'node_modules/vue/package.json': '{"types":"i.d.ts"}',
          'node_modules/vue/i.d.ts': 'export declare function ref(): 1;',
        },
        right:
          "import { ref, extra, type GlobalComponents } from 'vue'; export const a = [ref(), extra()] as GlobalComponents[];",
      },
    ],
    [
      'types only',
      {
        files: {
          'src/t.ts': 'export type T = 1; export interface I {} export type { U } from "./u";',
          'src/u.d.ts': 'export type U = 1;',
          'src/d.json': '{}',
        },
        right:
          "import type { T, I } from './t'; import { type U } from './t'; import type D from './d.json'; export type { T, I, U, D };",
        wrong: ["import type { V } from './t';", 'name V'],
      },
    ],
    [
      'JSON, styles, pictures, markdown, wasm, text',
      {
        files: {
          'src/d.json': '{}',
          'src/s.module.css': '',
          'src/s.scss': '',
          'src/p.svg': '',
          'src/r.md': '',
          'src/w.wasm': '',
          'src/q.graphql': '',
          'src/q.sql': '',
        },
        right:
          "import d, { version } from './d.json' with { type: 'json' }; import s, { box } from './s.module.css'; import './s.scss'; import p, { ReactComponent } from './p.svg'; import r from './r.md'; import w from './w.wasm'; import q from './q.graphql'; import t from './q.sql?raw'; export { d, version, s, box, p, ReactComponent, r, w, q, t };",
      },
    ],
    [
      'suffixes of vite and webpack',
      {
        files: { 'src/w.ts': 'export const x = 1;', 'src/p.png': '' },
        right:
          "import W from './w?worker'; import u from './w.ts?url'; import i from './p.png?inline&w=1'; import l from '!!raw-loader!./w'; import g from 'virtual:pwa-register'; const m = import.meta.glob('./*.ts'); export { W, u, i, l, g, m };",
      },
    ],
    [
      'aliases of tsconfig',
      {
        files: {
          'tsconfig.json': '{"references":[{"path":"./tsconfig.app.json"}]}',
          'tsconfig.app.json':
            '{"extends":["./tsconfig.base.json"],"compilerOptions":{"baseUrl":".","paths":{"~/*":["src/*"],"@lib":["lib/index.ts"],"@lib/*":["lib/*","lib/more/*"]}}}',
          'tsconfig.base.json': '{"compilerOptions":{"strict":true}}',
          'src/price.ts': 'export const total = 1;',
          'lib/index.ts': 'export const l = 1;',
          'lib/more/x.ts': 'export const x = 1;',
          'package.json': '{}',
        },
        right:
          "import { total } from '~/price'; import { l } from '@lib'; import { x } from '@lib/x'; import { total as t } from 'src/price'; export { total, l, x, t };",
        wrong: ["import { y } from '@lib/x'; import { z } from '~/prices';", 'name y', 'module ~/prices'],
      },
    ],
    [
      'aliases of a bundler',
      {
        files: {
          'package.json': '{"imports":{"#db":"./src/db.ts"}}',
          'vite.config.ts': "export default { resolve: { alias: { '@': './src' } } };",
          'src/db.ts': 'export const db = 1;',
        },
        right:
          "import a from '@/x'; import { db } from '#db'; import c from '~x'; import d from '$lib/x'; import e from '%x'; export { a, db, c, d, e };",
      },
    ],
    [
      'packages of a workspace',
      {
        files: {
          'package.json': '{"workspaces":["packages/*"]}',
          'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
          'packages/a/package.json':
            '{"name":"@o/a","exports":{".":{"import":"./dist/index.mjs","require":"./dist/index.cjs"},"./sub":"./dist/sub.js","./deep/*":"./dist/deep/*.js"}}',
          'packages/a/src/index.ts': 'export const a = 1;',
          'packages/a/src/sub.ts': 'export const sub = 1;',
          'packages/a/src/deep/x.ts': 'export const x = 1;',
          'packages/b/package.json': '{"name":"b","main":"lib/main"}',
          'packages/b/lib/main.ts': 'export const b = 1;',
        },
        path: 'packages/c/src/c.ts',
        right:
          "import { a } from '@o/a'; import { sub } from '@o/a/sub'; import { x } from '@o/a/deep/x'; import { b } from 'b'; export { a, sub, x, b };",
        wrong: [
          "import { aa } from '@o/a'; import { subs } from '@o/a/sub'; import { bb } from 'b';",
          'name aa',
          'name subs',
          'name bb',
        ],
      },
    ],
    [
      'conditional exports and typesVersions',
      {
        files: {
          'package.json': '{"dependencies":{"x":"1","y":"1"}}',
          'node_modules/x/package.json':
            '{"exports":{".":{"node":{"types":"./n.d.mts","default":"./n.mjs"},"default":{"types":"./d.d.ts","default":"./d.js"}},"./feature":{"types@>=5":"./f5.d.ts","types":"./f.d.ts"},"./internal/*":null,"./package.json":"./package.json"}}',
          'node_modules/x/n.d.mts': 'export declare const n: 1; export declare const both: 1;',
          'node_modules/x/d.d.ts': 'export declare const d: 1; export declare const both: 1;',
          'node_modules/x/f5.d.ts': 'export declare const f5: 1;',
          'node_modules/x/f.d.ts': 'export declare const f: 1;',
          'node_modules/y/package.json': '{"types":"i.d.ts","typesVersions":{"*":{"sub":["./t/sub.d.ts"]}}}',
          'node_modules/y/i.d.ts': 'export declare const y: 1;',
          'node_modules/y/t/sub.d.ts': 'export declare const s: 1;',
        },
        right:
          "import { n, both } from 'x'; import { d } from 'x'; import { f5 } from 'x/feature'; import { f } from 'x/feature'; import m from 'x/package.json'; import { y } from 'y'; import { s } from 'y/sub'; export { n, both, d, f5, f, m, y, s };",
        wrong: ["import { nothing } from 'x';", 'name nothing'],
      },
    ],
    [
      'ambient modules',
      {
        files: {
          'src/shims.d.ts':
            "declare module '*.vue' { const c: 1; export default c; } declare module 'untyped'; declare module 'described' { export const x: 1; export default function f(): void }",
          'src/c.vue': '',
          'package.json': '{}',
        },
        right:
          "import C from './c.vue'; import { anything } from 'untyped'; import f, { x } from 'described'; export { C, anything, f, x };",
      },
    ],
    [
      'CommonJS',
      {
        files: {
          'src/c.js': 'exports.a = 1; module.exports.b = 2; Object.assign(module.exports, {});',
          'src/d.cjs': 'module.exports = { a: 1 };',
          'src/e.ts': 'const e = { a: 1 }; export = e;',
          'src/f.js': "const x = require('./d.cjs'); module.exports = x;",
          'node_modules/g/package.json': '{"main":"i.js"}',
          'node_modules/g/i.js': 'module.exports = () => 1;',
          'node_modules/h/package.json': '{"types":"i.d.ts"}',
          'node_modules/h/i.d.ts':
            'declare function h(): void; declare namespace h { const x: 1 } export = h;',
        },
        right:
          "import c, { a } from './c'; import * as all from './d.cjs'; import e = require('./e'); import { q } from './f'; import g, { gg } from 'g'; import h, { x } from 'h'; all.a; e.a; export { c, a, q, g, gg, h, x }; export const r = require('./d.cjs').b;",
        wrong: ["require('./nothing');", 'module ./nothing'],
      },
    ],
    [
      'a default of a script with a description',
      {
        files: {
          'node_modules/x/package.json': '{"main":"x.js"}',
          'node_modules/x/x.js': 'module.exports = 1;',
          'node_modules/@types/x/package.json': '{"types":"index.d.ts"}',
          'node_modules/@types/x/index.d.ts': 'export declare const a: 1;',
        },
        right: "import x, { a } from 'x'; export { x, a };",
      },
    ],
    [
      'decorators',
      {
        files: { 'src/d.ts': 'export const Injectable = () => () => {}; export const prop = 1;' },
        right:
          "import { Injectable, prop } from './d'; @Injectable() export class A { @prop x = 1; constructor(@Injectable() private readonly y: A, public z = prop) { this.y; } }",
        wrong: ['@Inject() class B {}', 'unbound Inject'],
      },
    ],
    [
      'components',
      {
        files: { 'src/c.tsx': 'export const Card = () => null; export const ui = { Box: Card };' },
        path: 'src/a.tsx',
        right:
          "import { Card, ui } from './c'; const Local = Card; export const a = ({ As = Card }) => <><Card><div/><ui.Box/></Card><Local/><As/><svg:path/></>;",
        wrong: ['export const b = <Cart />;', 'unbound Cart'],
      },
    ],
    [
      'names of every scope',
      {
        files: {},
        right:
          'export const a = (f, ...rest) => { const { g, ...others } = f; for (const h of rest) h(); for (var i in others) i(); label: { j(); function j() {} } g(); rest(); others(); try { k(); } catch ({ message: m }) { m(); } var k = class L { static #n() {} o() { new L(); } }; switch (1) { case 1: let p = () => 1; p(); } using q = g(); q(); enum R { A } R(); };\nimport s = require("node:fs"); s(); let t; (t = () => 1)(); [u] = [1]; u(); ({ v } = f); v(); declare function w(): void; w(); undefined(); globalThis(); export function x(this: Window, y = z(), z = 1) { y(); }',
      },
    ],
    [
      'what a test runner gives',
      {
        files: {},
        path: 'src/a.test.ts',
        right:
          "describe('x', () => { beforeEach(() => {}); it.each([1])('y', () => { expect(1).toBe(1); vi.fn(); jest.fn(); }); test('z', () => {}); }); export {};",
      },
    ],
    [
      'types that import',
      {
        files: { 'src/t.ts': 'export type T = 1; export const v = 1;' },
        right:
          "export type A = import('./t').T; export type B = typeof import('./t'); export const c = () => import('./t.js'); declare const d: typeof import('./t').v;",
        wrong: ["export type C = import('./tt').T;", 'module ./tt'],
      },
    ],
    [
      'a whole module that is handed on',
      {
        files: { 'src/m.ts': 'export const x = 1;' },
        right:
          "import * as m from './m'; const k = 'y'; m[k]; m?.z; 'q' in m; Object.keys(m); (m as any).w; const { x } = m; export { m, x };",
      },
    ],
    [
      'names in quotes',
      {
        files: {
          'src/m.ts':
            'const a = 1; export { a as "some-name", a as default }; export * as "other-name" from "./n";',
          'src/n.ts': 'export {};',
        },
        right: 'import d, { "some-name" as b, "other-name" as c } from "./m"; export { d, b, c };',
      },
    ],
    [
      'descriptions beside scripts',
      {
        files: {
          'src/s.js': 'export const a = 1;',
          'src/s.d.ts': 'export declare const a: 1; export declare const b: 1;',
          'src/t.mjs': 'export const c = 1;',
          'src/t.d.mts': 'export declare const c: 1;',
        },
        right: "import { a, b } from './s.js'; import { c } from './t.mjs'; export { a, b, c };",
        wrong: ["import { d } from './s.js';", 'name d'],
      },
    ],
    [
      'names on the object that all share',
      {
        files: {
          'test/setup.js':
            "global.given = () => 1; Object.defineProperty(globalThis, 'defined', {}); self['quoted'] = 1;",
        },
        right: 'window.own = () => 1; own(); given(); defined(); quoted(); export {};',
        wrong: ['gave();', 'unbound gave'],
      },
    ],
    [
      'what frameworks and compilers write',
      {
        files: { 'package.json': '{}' },
        right:
          "import type { PageLoad } from './$types'; import type { Route } from './+types/route'; import { M } from './shop_pb'; import { S } from './shop.pb.js'; import { app } from 'electron'; export { type PageLoad, type Route, M, S, app };",
      },
    ],
    [
      'folders that are laid over one another',
      {
        files: { 'tsconfig.json': '{"compilerOptions":{"rootDirs":["src","made-elsewhere"]}}' },
        right: "import { x } from './view'; export { x };",
      },
    ],
    [
      'an import that is exported at once',
      {
        files: {
          'src/b.ts':
            "import C = require('node:fs'); export import fs = require('node:fs'); export import Stats = C.Stats;",
        },
        right: "import { fs, Stats } from './b'; export { fs, Stats };",
        wrong: ["import { C } from './b';", 'name C'],
      },
    ],
    [
      'a description that lists no exports exports everything',
      {
        files: {
          'src/all.d.ts':
            "import './x';\ninterface Inner { a: 1 }\ndeclare const value: Inner;\nexport interface Outer {}\nexport namespace N {\n  type Deep = 1;\n}\n",
          'src/some.d.ts': 'interface Hidden {}\nexport interface Shown {}\nexport {};\n',
          'src/x.ts': 'export {};',
        },
        right:
          "import { type Inner, value, type Outer, N } from './all'; import { type Shown } from './some'; export { type Inner, value, type Outer, N, type Shown };",
        wrong: [
          "import { Nothing } from './all'; import { Hidden } from './some';",
          'name Hidden',
          'name Nothing',
        ],
      },
    ],
    [
      'an import that is only for its effect',
      {
        files: { 'src/e.ts': 'globalThis.x = 1;', 'src/f.css': '' },
        right: "import './e'; import './f.css'; import 'reflect-metadata';",
      },
    ],
  ])('%s', (_, shape) => check(shape, 'src/a.ts'));
});

describe('Python', () => {
  const pack = { 'p/__init__.py': '', 'p/m.py': 'A = 1\ndef f(): pass\n' };
  const declared = { ...pack, 'pyproject.toml': '[project]\nname = "p"\ndependencies = []\n' };
  it.each<[string, Shape]>([
    [
      'imports for the checker of types alone',
      {
        files: declared,
        right:
          'import typing as t\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from _typeshed.wsgi import WSGIApplication\n    from docutils_x import nodes\n    from p.m import Later\nif t.TYPE_CHECKING or t.DEBUG:\n    import numpy_x.typing as npt\nif not TYPE_CHECKING:\n    import fast_x\nelse:\n    import slow_x\ndef f(e: "WSGIApplication"):\n    if t.TYPE_CHECKING:\n        import inner_x\n    assert isinstance(e, npt.ArrayLike)',
        wrong: ['from p.m import B\nimport reqests_x', 'name B', 'module reqests_x'],
      },
    ],
    [
      'types of the standard library that no program can import',
      {
        files: declared,
        right: 'from _typeshed import SupportsRead\nimport _typeshed.dbapi',
        wrong: ['import _typeshedd', 'module _typeshedd'],
      },
    ],
    [
      'a description of types',
      {
        files: declared,
        path: 'p/n.pyi',
        right: 'from _typeshed import Incomplete\nimport numpy_x\nfrom typing_extensions import Self',
        wrong: ['from p.m import B', 'name B'],
      },
    ],
    [
      'packages that only describe types',
      {
        files: {
          ...declared,
          'requirements.txt': 'types-one\ntwo-stubs\ntypes-PyYAML\n',
          'three-stubs/__init__.pyi': 'A: int\n',
          'typings/four/__init__.pyi': 'A: int\n',
          'stubs/five.pyi': 'A: int\n',
          '.venv/lib/python3.12/site-packages/six_x-stubs/__init__.pyi': '',
        },
        right:
          'import one, two, yaml\nfrom three import B\nfrom three.deep import C\nfrom four import B as D\nfrom five import B as E\nimport six_x\none.x(); yaml.load(1)',
        wrong: ['import seven_x', 'module seven_x'],
      },
    ],
    [
      'every form of a conditional import',
      {
        files: { ...declared, 'requirements.txt': 'pytest' },
        right:
          'import sys, os, pytest, platform\nif sys.version_info >= (3, 11):\n    import tomllib\nelif os.name == "nt":\n    import wmi_x\nelse:\n    import tomli_x\nif platform.system() == "Darwin":\n    from mac_x import y\nmatch sys.platform:\n    case "win32":\n        import win_x\n    case _:\n        import nix_x\nif HAVE_IT:\n    import have_x\nif USE_FAST:\n    if DEEP:\n        from p.fast import speed\ntry:\n    import opt_x\nexcept ModuleNotFoundError:\n    opt_x = None\nnp = pytest.importorskip("num_x")\nimport num_x.linalg\nfrom num_x import array',
        wrong: [
          'if __name__ == "__main__":\n    import main_x\ndef f():\n    if f:\n        from p.m import B',
          'module main_x',
          'name B',
        ],
      },
    ],
    [
      'conditional imports',
      {
        files: pack,
        right:
          'import sys\ntry:\n    from p.fast import g\nexcept ImportError:\n    from p.m import f as g\nif sys.platform == "win32":\n    from p.win import h\nelse:\n    from p.nix import h\ng(); h()',
        wrong: ['from p.m import B', 'name B'],
      },
    ],
    [
      'modules that put others in their place, or look elsewhere for those below them',
      {
        files: {
          ...pack,
          'p/reactor.py': 'import sys\ndel sys.modules["p.reactor"]\nfrom p import m\nm.f()\n',
          'p/plugins/__init__.py': 'from p.m import f\n__path__.extend(f())\n__all__ = []\n',
        },
        right:
          'from p import reactor, m\nfrom p.plugins import later\nimport p.plugins.found\nreactor.run()\nm.x = (m.y) = 1\nm.x(m.y)',
        wrong: ['m.z()', 'attribute z'],
      },
    ],
    [
      'names that functions of other files put on a module',
      {
        files: {
          ...pack,
          'p/setup.py':
            'def prepare(given):\n    from p import (\n        m,\n        other,\n    )\n    m.options = given\n    m.level: int = 1\n    self.nope = 1\n    given.never = 1\n',
        },
        right: 'from p import m\nm.options.x\nm.level',
        wrong: ['m.nope()\nm.never()', 'attribute never', 'attribute nope'],
      },
    ],
    [
      'a package that names its own modules',
      {
        files: {
          'q/__init__.py': 'from . import m as m, n\nfrom .k import k\nn = n.make()\n',
          'q/m.py': 'A = 1\n',
          'q/n.py': 'def make(): pass\n',
          'q/k.py': 'def k(): pass\n',
        },
        right: 'from q import m, n, k\nm.A\nn.anything\nk.anything',
        wrong: ['m.nope()', 'attribute nope'],
      },
    ],
    [
      'a module that answers itself',
      {
        files: { ...pack, 'p/lazy.py': 'def __getattr__(name):\n    return 1\n' },
        right: 'from p.lazy import anything\nfrom p import lazy\nlazy.whatever()',
      },
    ],
    [
      'a package that loads lazily',
      {
        files: {
          'p/__init__.py':
            'import lazy_loader as lazy\n__getattr__, __dir__, __all__ = lazy.attach(__name__, submodules=["m"])\n',
        },
        right: 'from p import m, anything',
      },
    ],
    [
      'stars',
      {
        files: {
          ...pack,
          'p/api.py': 'from .m import *\nfrom .n import *\n',
          'p/n.py': '__all__ = ["x"]\n__all__ += ["y"]\nx = y = 1\n_z = 1\n',
        },
        right: 'from p.api import A, f, x, y\nfrom p.api import *\nf(); x()',
        wrong: ['from p.api import q', 'name q'],
      },
    ],
    [
      'namespace packages',
      {
        files: { 'ns/one/a.py': 'x = 1\n', 'ns/two/b.py': 'y = 1\n' },
        right: 'from ns.one.a import x\nfrom ns.two import b\nimport ns.other.thing\nb.y',
        wrong: ['from ns.one.a import z', 'name z'],
      },
    ],
    [
      'imports for types',
      {
        files: { ...pack, 'p/t.pyi': 'class T: ...\n' },
        right:
          'from __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.t import T\n    from _typeshed import StrPath\ndef g(a: T, b: "U") -> "p.m.V": ...',
      },
    ],
    [
      'relative imports',
      {
        files: { ...pack, 'p/q/__init__.py': 'from ..m import f\nB = 1\n', 'p/q/r.py': 'C = 1\n' },
        path: 'p/q/s.py',
        right:
          'from . import r, B, f\nfrom .. import m, q\nfrom ..m import A\nfrom .r import C\nfrom .... import outside\nr.C; m.A; f()',
        wrong: ['from .r import D\nfrom ..n import E', 'name D', 'module ..n'],
      },
    ],
    [
      'stubs',
      {
        files: {
          ...pack,
          'p/c.pyi':
            'from typing import overload\nx: int\n@overload\ndef f(a: int) -> int: ...\nclass K:\n    y: int\n',
          'p/d.py': 'a = 1\n',
          'p/d.pyi': 'b: int\n',
        },
        right: 'from p.c import x, f, K\nfrom p.d import a, b\nf(1); K()',
        wrong: ['from p.c import g', 'name g'],
      },
    ],
    [
      'compiled modules',
      {
        files: {
          ...pack,
          'p/_c.cpython-312-x86_64-linux-gnu.so': '',
          'p/_d.pyx': '',
          'p/_e.pyd': '',
          'p/_f.abi3.so': '',
        },
        right: 'from p._c import x\nfrom p import _d, _e\nfrom p._f import y\n_d.z(); _e.q()',
      },
    ],
    [
      'a package that answers for names, and not for modules',
      {
        files: { 'p/__init__.py': 'def __getattr__(name):\n    return 1\n', 'p/m.py': 'A = 1\n' },
        right: 'from p import anything\nfrom p.m import A',
        wrong: ['from p.n import B', 'module p.n'],
      },
    ],
    [
      'a package that makes modules',
      {
        files: {
          'p/__init__.py': 'import sys\nsys.modules["p.made"] = object()\n',
          'q/__init__.py': 'from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)\n',
        },
        right: 'from p.made import anything\nimport q.other',
      },
    ],
    [
      'a module that looks at itself',
      {
        files: {
          ...pack,
          'p/e.py':
            'import sys, inspect\nclass E: pass\nfor n, c in inspect.getmembers(sys.modules[__name__]): print(n)\n',
        },
        right: 'from p.e import E',
        wrong: ['from p.e import F', 'name F'],
      },
    ],
    [
      'modules that tools write',
      {
        files: pack,
        right:
          'from . import shop_pb2, shop_pb2_grpc\nfrom ._version import version\nfrom p.shop_pb2 import Order\nOrder()',
      },
    ],
    [
      'a changed path',
      {
        files: { ...pack, 'tools/helper.py': 'def h(): pass\n', 'vendored/v.py': 'w = 1\n' },
        right:
          'import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), "tools"))\nimport helper\nfrom helper import h\nhelper.h(); h()',
      },
    ],
    [
      'names that are executed',
      {
        files: {
          ...pack,
          'p/x.py': 'exec(open("y").read())\n',
          'p/z.py': 'for n in "ab":\n    globals()[n] = 1\n',
        },
        right: 'from p.x import anything\nfrom p.z import a, b\nns = {}\nexec("c = 1", ns)',
      },
    ],
    [
      'a module that replaces itself',
      {
        files: {
          ...pack,
          'p/x.py': 'import sys\nsys.modules[__name__] = object()\n',
          'p/y.py': 'import sys\nsys.modules["p.fake"] = object()\n',
        },
        right: 'from p.x import anything\nfrom p.y import other',
      },
    ],
    [
      'scopes of comprehensions',
      {
        files: pack,
        right:
          '[a() for a in b if a() for c in a if c()]\n{d: e() for d, (e, *f) in b}\n(g() for g in b)\nasync def h():\n    return [i async for i in b if i()]\nb = [j(k) for j, k in zip([], [])]',
      },
    ],
    [
      'walrus, lambda, starred',
      {
        files: pack,
        right:
          'if (a := b) and a(): pass\nwhile c := next(b): c()\n[d := 1, d()]\nf = lambda x, *y, z=1, **w: (x(), y(), z(), w())\ng, *h = b\nh(); g(); f()\nb = 1\n(i, [j, (k, *l)]) = b\ni(); j(); k(); l()',
      },
    ],
    [
      'patterns',
      {
        files: pack,
        right:
          'import dataclasses\nmatch b:\n    case {"a": c, **rest}: c(); rest()\n    case [d, *e] | (d, *e) if d(): e()\n    case dataclasses.Field(name=f, default=g) as h: f(); g(); h()\n    case str() | int(): pass\n    case i: i()\nmatch = 1\nmatch.x\ncase = 2\nb = type = 1',
      },
    ],
    [
      'type parameters',
      {
        files: pack,
        right:
          'type X[T: int, *Ts, **P] = list[T]\ndef f[U, V = int](a: U) -> U: return U(a)\nclass K[W](list[W]):\n    def m(self) -> W: return W()\nX(); K()',
      },
    ],
    [
      'names of every block',
      {
        files: pack,
        right:
          'with open("a") as b, open("c") as (d, e): b(); d()\nfor f in e: f()\nelse: g = 1\ntry: pass\nexcept* (A, B) as h: h()\nfinally: i = 1\nimport a.b.c, q as r\ndef j():\n    global k\n    k = 1\n    def l():\n        nonlocal m\n    m = 1\nclass N:\n    o = 1\n    def p(self, s=q): return __class__, super(), s()\n@r.x\nasync def t(*, u, v: int = 1, **w) -> None: u(); v(); w()\nk(); g(); a.b(); i(); e()\ndel g\nx: int\nx()\ny = z = 1\nz()\nasync def aa():\n    async with y as bb: bb()\nA = B = 1',
      },
    ],
    [
      'texts that hold code',
      {
        files: pack,
        right:
          'a = f"{b!r:>{c}} {d[\'e\']} {f(1)=}" if (b := 1) else """\ng()\n"""\nh = rb\'i()\' + \'j(\\\'k()\'\nl = f"""{\nm(1)\n}"""\nc = d = 1\nt"{n()}"\ndef m(x): return x\ndef f(x): return x',
      },
    ],
    [
      'names that a program is given',
      {
        files: pack,
        right:
          '__file__; __name__; __doc__; __builtins__; __spec__; reveal_type(1); breakpoint(); exit(); WindowsError(); print(__debug__, Ellipsis, NotImplemented)',
      },
    ],
    [
      'the standard library as it was and will be',
      {
        files: pack,
        right:
          'import asyncore, imp, distutils.core, tomllib, zoneinfo, annotationlib, compression.zstd, concurrent.interpreters, msvcrt, winreg, _thread, urllib2, ConfigParser, __main__',
      },
    ],
    [
      'a module beside a package of its name',
      { files: { 'p/__init__.py': 'X = 1\n', 'p.py': 'Y = 1\n' }, path: 'a.py', right: 'from p import X' },
    ],
    [
      'a source layout',
      {
        files: {
          'pyproject.toml': '[project]\nname="p"\ndependencies=["pytest"]\n',
          'src/p/__init__.py': '',
          'src/p/m.py': 'A = 1\n',
        },
        path: 'tests/test_m.py',
        right: 'from p.m import A\nimport p\nimport pytest\np.m.A',
        wrong: ['from p.m import B\nfrom p.n import C', 'name B', 'module p.n'],
      },
    ],
    [
      'a name that another file puts on a module',
      {
        files: {
          ...pack,
          'conftest.py': 'import p.m\nfrom p import m\nm.patched = 1\nsetattr(m, "also", 1)\n',
        },
        right: 'from p.m import patched\nfrom p import m\nm.patched()',
      },
    ],
  ])('%s', (_, shape) => check(shape, 'p/a.py'));
});

describe('Go', () => {
  const shop = {
    'go.mod':
      'module example.com/shop\n\ngo 1.22.1\n\nrequire (\n\tgithub.com/Acme/money v1.2.0 // indirect\n\tgopkg.in/yaml.v3 v3.0.1\n)\n',
    'go.sum': 'github.com/quiet/dep v1.0.0 h1:x\n',
    'cart/cart.go':
      'package cart\n\nimport "sort"\n\nconst (\n\tA, B = iota, 1 +\n\t\t2\n\tc = 3\n)\n\nvar Total, _ = sort.Find(1, nil)\n\ntype (\n\tItem struct{ Price int }\n\tSet[T comparable] map[T]struct{}\n)\n\n// SumPrices adds. func Fake() {}\nfunc SumPrices[T any](items ...Item) (sum int) { return helper(`func Raw() {`) }\n\nfunc helper(s string) int { return len(s) }\n\nfunc (i Item) Method() {}\n',
    'cart/cart_windows.go': '//go:build windows\n\npackage cart\n\nfunc OnlyWindows() {}\n',
    'cart/export_test.go': 'package cart\n\nvar Helper = helper\n',
  };
  const use = (body: string, imports = '"example.com/shop/cart"') =>
    `package main\n\nimport (\n\t${imports.split(' ; ').join('\n\t')}\n)\n\nfunc main() {\n\t${body}\n}\n`;
  it.each<[string, Shape]>([
    [
      'own packages, for every system',
      {
        files: shop,
        right: use(
          'cart.SumPrices[int](cart.Item{Price: cart.A}); cart.OnlyWindows(); var _ cart.Set[int]; cart.B.x(); _ = cart.Total',
        ),
        wrong: [
          'func g() {\n\tcart.TotalPrice()\n\tcart.Method()\n\tcart.helper("")\n\tcart.Raw()\n\tcart.Fake()\n\tcart.Helper("")\n}',
          ...['TotalPrice', 'Method', 'helper', 'Raw', 'Fake', 'Helper'].map((name) => `attribute ${name}`),
        ],
      },
    ],
    [
      'the standard library',
      {
        files: shop,
        right: use(
          'fmt.Println(strings.ToUpper(""), rand.N(3), slices.Max([]int{1}), unsafe.Sizeof(1)); syscall.Anything()',
          '"fmt" ; "strings" ; "math/rand/v2" ; "slices" ; "unsafe" ; "syscall" ; _ "embed"',
        ),
        wrong: [
          'func g() {\n\tfmt.Printn()\n\tstrings.contains("", "")\n}',
          'attribute Printn',
          'attribute contains',
        ],
      },
    ],
    [
      'packages under names that the file gives them',
      {
        files: shop,
        right: use(
          'u.QueryEscape(c.SumPrices()); func(u struct{ Nothing int }) { _ = u.Nothing }(x)',
          'u "net/url" ; c "example.com/shop/cart"',
        ).replace('func main', 'func f(u struct{ Nothing int }) { _ = u.Nothing }\n\nfunc main'),
        wrong: [
          'func g() {\n\tu.QueryEscap("")\n\tc.TotalPrice()\n}',
          'attribute QueryEscap',
          'attribute TotalPrice',
        ],
      },
    ],
    [
      'packages that are nowhere',
      {
        files: shop,
        right: `${use(
          'x()',
          '_ "example.com/shop/cart" ; _ "gopkg.in/yaml.v3" ; _ "github.com/Acme/money/deep" ; _ "github.com/quiet/dep/x"',
        )}func x() {}\n`,
        wrong: [
          'import _ "example.com/shop/basket"\nimport _ "github.com/nobody/nothing"\nimport _ "strngs"\nimport _ "example.com/shop/gen/api"',
          'module example.com/shop/basket',
          'module github.com/nobody/nothing',
          'module strngs',
        ],
      },
    ],
    [
      'names of this file that hide a package',
      {
        files: shop,
        right: `package main\n\nimport (\n\t"net/url"\n\t"example.com/shop/cart"\n)\n\ntype T struct{ cart *Q }\ntype Q struct{ Any int }\n\nfunc f(url *url.URL) { url.Anything() }\nfunc g(t T) {\n\tfor _, cart := range []Q{} {\n\t\tcart.Any++\n\t}\n\tt.cart.Any = 1\n\tif url, err := url.Parse(""); err == nil {\n\t\turl.Whatever()\n\t}\n}\nfunc h() { cart.SumPrices(); func(cart Q) { cart.Any = 2 }(Q{}) }\n`,
        wrong: ['func i() {\n\turl.Prase("")\n}', 'attribute Prase'],
      },
    ],
    [
      'packages whose name is another than their folder',
      {
        files: {
          ...shop,
          'go-tax/tax.go': 'package tax\n\nfunc Rate() {}\n',
          'v2/api.go': 'package api\n\nfunc New() {}\n',
        },
        right: use(
          'tax.Rate(); api.New(); other.Rate(); tx.Rate()',
          '"example.com/shop/go-tax" ; "example.com/shop/v2" ; tx "example.com/shop/go-tax"',
        ),
        wrong: [
          'func g() {\n\ttax.Rates()\n\ttx.Rates()\n\tapi.Old()\n}',
          'attribute Rates',
          'attribute Old',
        ],
      },
    ],
    [
      'major versions, replacements and workspaces',
      {
        files: {
          'go.work': 'go 1.22\n\nuse (\n\t./app\n\t./lib\n)\n\nreplace example.com/far => ./near\n',
          'app/go.mod':
            'module example.com/app/v2\n\ngo 1.22\n\nrequire (\n\texample.com/lib v0.0.0\n\texample.com/local v1.0.0\n\texample.com/gone v1.0.0\n)\n\nreplace example.com/local v1.0.0 => ../local\n\nreplace example.com/gone => ../nowhere\n',
          'app/inner/inner.go': 'package inner\n\nfunc In() {}\n',
          'app/sub/go.mod': 'module example.com/app/v2/sub\n',
          'lib/go.mod': 'module example.com/lib\n',
          'lib/lib.go': 'package lib\n\nfunc Lib() {}\n',
          'local/go.mod': 'module example.com/local\n',
          'local/local.go': 'package local\n\nfunc Local() {}\n',
          'near/go.mod': 'module example.com/far\n',
          'near/far.go': 'package far\n\nfunc Far() {}\n',
        },
        path: 'app/main.go',
        right: use(
          'inner.In(); lib.Lib(); local.Local(); far.Far(); gone.Any(); sub.Any()',
          '"example.com/app/v2/inner" ; "example.com/lib" ; "example.com/local" ; "example.com/far" ; "example.com/gone" ; "example.com/app/v2/sub"',
        ),
        wrong: [
          'func g() {\n\tinner.Out()\n\tlib.Bil()\n\tlocal.Lacol()\n\tfar.Raf()\n}',
          ...['Out', 'Bil', 'Lacol', 'Raf'].map((name) => `attribute ${name}`),
        ],
      },
    ],
    [
      'copies and downloads of foreign packages',
      {
        files: {
          ...shop,
          'vendor/gopkg.in/yaml.v3/yaml.go': 'package yaml\n\nfunc Unmarshal() {}\n',
        },
        right: use('yaml.Unmarshal()', '"gopkg.in/yaml.v3"'),
        wrong: ['func g() {\n\tyaml.Unmarshall()\n}', 'attribute Unmarshall'],
      },
    ],
    [
      'packages that programs write',
      {
        files: {
          ...shop,
          '.gitignore': '*_gen.go\n/made/\n',
          'kinds/kinds.go': 'package kinds\n\n//go:generate stringer -type=Kind\n\ntype Kind int\n',
          'wire/a.proto': '',
          'wire/doc.go': 'package wire\n',
        },
        right: use(
          'kinds.Other(); wire.Message(); cart.Generated(); made.Any(); mocks.New()',
          '"example.com/shop/kinds" ; "example.com/shop/wire" ; "example.com/shop/cart" ; "example.com/shop/made" ; "example.com/shop/mocks"',
        ),
      },
    ],
    [
      'generated files that are there',
      {
        files: {
          ...shop,
          'kinds/kinds.go': 'package kinds\n\n//go:generate stringer -type=Kind\n\ntype Kind int\n',
          'kinds/kind_string.go':
            '// Code generated by "stringer"; DO NOT EDIT.\n\npackage kinds\n\nfunc Made() {}\n',
        },
        right: use('kinds.Made()', '"example.com/shop/kinds"'),
        wrong: ['func g() {\n\tkinds.Other()\n}', 'attribute Other'],
      },
    ],
    [
      'functions of other files, imported wholes, C',
      {
        files: { ...shop, 'other.go': 'package main\n\nfunc elsewhere() {}\n' },
        right:
          'package main\n\n// #include <a.h>\nimport "C"\nimport "fmt"\n\ntype I interface {\n\tAct(x int)\n\tfmt.Stringer\n}\ntype F func(int)\n\nfunc (f F) Run(call func()) {\n\tcall()\n\telsewhere()\n\tC.free(nil)\n\tlocal := func() {}\n\tlocal()\n\t_ = F(nil)\n\tgo func() {}()\n\tappend(nil)\n}\nfunc Map[K comparable, V any](k K) V { return V(k) }\n',
        wrong: ['func g() {\n\tcomputeTotal(1)\n\tnothing()\n}', 'unbound computeTotal', 'unbound nothing'],
      },
    ],
    [
      'an import into the file itself',
      {
        files: shop,
        right:
          'package main\n\nimport . "example.com/shop/cart"\n\nfunc main() {\n\tSumPrices[int]()\n\tanything()\n}\n',
      },
    ],
    [
      'tests of a package',
      {
        files: shop,
        path: 'cart/cart_ext_test.go',
        right:
          'package cart_test\n\nimport (\n\t"testing"\n\t"example.com/shop/cart"\n)\n\nfunc TestX(t *testing.T) {\n\tcart.Helper("")\n}\n',
        wrong: ['func g() {\n\tcart.Helpers("")\n}', 'attribute Helpers'],
      },
    ],
    [
      'a language that is newer than the table',
      {
        files: { ...shop, 'go.mod': 'module example.com/shop\n\ngo 1.99\n' },
        right: use('strings.FromTheFuture()', '"strings" ; _ "future/package"'),
      },
    ],
    [
      'a compiler that is newer than the table',
      {
        files: { ...shop, 'go.mod': 'module example.com/shop\n\ngo 1.22\n\ntoolchain go1.99.1\n' },
        right: use('strings.FromTheFuture()', '"strings"'),
      },
    ],
    [
      'a replacement of another version',
      {
        files: {
          ...shop,
          'go.mod':
            'module example.com/shop\n\ngo 1.22\n\nrequire example.com/local v1.1.0\n\nreplace example.com/local v1.0.0 => ./local\n',
          'local/local.go': 'package local\n\nfunc Old() {}\n',
        },
        right: use('local.New()', '"example.com/local"'),
      },
    ],
    [
      'files that are built under conditions of their own',
      {
        files: shop,
        right: `//go:build goid && !go1.99\n\n${use('runtime.Goid(); any.Thing(); cart.SumPrices()', '"runtime" ; any "example.org/any" ; "example.com/shop/cart"')}`,
        wrong: ['func g() {\n\tcart.TotalPrice()\n}', 'attribute TotalPrice'],
      },
    ],
    [
      'files for systems and releases',
      {
        files: shop,
        right: `//go:build (linux && amd64) || go1.21\n\n${use('runtime.GC()', '"runtime"')}`,
        wrong: ['func g() {\n\truntime.Goid()\n}', 'attribute Goid'],
      },
    ],
    [
      'folders that the Go tool leaves out',
      { files: shop, path: '_examples/a.go', right: use('render.X()', '"github.com/go-chi/render"') },
    ],
    ['no module', { files: {}, right: use('x.Y(); z()', '"example.com/x" ; "fmt"') }],
  ])('%s', (_, shape) => check(shape, 'a.go'));

  it('finds downloaded modules, whatever version of them is used', () => {
    const texts = new Map(
      Object.entries({
        [`${root}/go.mod`]: 'module example.com/shop\n\ngo 1.22\n\nrequire github.com/Acme/money v1.2.0\n',
        '/go/pkg/mod/github.com/!acme/money@v1.2.0/money.go': 'package money\n\nfunc Old() {}\n',
        '/go/pkg/mod/github.com/!acme/money@v1.3.0/money.go': 'package money\n\nfunc New() {}\n',
      }),
    );
    const text =
      'package main\n\nimport "github.com/Acme/money"\n\nfunc main() {\n\tmoney.Old()\n\tmoney.New()\n\tmoney.Never()\n}\n';
    const { missing, unchecked } = checkFile(text, `${root}/a.go`, root, memoryTree(texts, reader), reader);
    expect(missing.map(({ reference }) => reference.name)).toEqual(['Never']);
    expect(unchecked).toBeNull();
  });

  it.each([
    'package a\nfunc f() { "',
    'package a\nfunc f() {',
    'package a\n/* x',
    'func f() {}',
    'package a)',
  ])('is not read where it is no Go: %j', (text) => {
    const tree = memoryTree(new Map(), reader);
    expect(checkFile(text, `${root}/a.go`, root, tree, reader).unchecked).toBe('content');
  });
});
