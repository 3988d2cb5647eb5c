// The layers stand in the order that data walks through them: a layer imports only from itself and from layers above,
// and the pure layers touch the world only through what they are handed.

import { readdirSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importsOf, isNode, parse, productFiles, type SourceFile, walk } from './support/structure.ts';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** The layers, in the order of the design. */
const layers = [
  'core',
  'config',
  'detect',
  'policy',
  'guards',
  'ledger',
  'decide',
  'run',
  'agent',
  'surfaces',
  'auditor',
  'cli',
];
const pureLayers = ['core', 'detect', 'guards'];
/** Packages that are pure themselves. */
const purePackages = ['unbash', 'graphql'];

/** Globals through which code could reach the world, the clock or chance. */
const worldly = new Set([
  'process',
  'fetch',
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'require',
  'eval',
  'Function',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'crypto',
  'navigator',
  'globalThis',
  'global',
  'Worker',
  'console',
  'localStorage',
]);

/** The names of the given set that a file refers to as free names; a property or a type of that name is none. */
function namesUsed(one: SourceFile, names: ReadonlySet<string>): string[] {
  const used = new Set<string>();
  for (const { node, parent, key } of walk(parse(one))) {
    const { meta } = node;
    if (isNode(meta) && meta['name'] === 'import') used.add('import.meta');
    const name = node['name'];
    if (node.type !== 'Identifier' || typeof name !== 'string' || !names.has(name)) continue;
    if (parent?.type === 'MemberExpression' && key === 'property' && parent['computed'] !== true) continue;
    if (parent?.type === 'Property' && key === 'key' && parent['shorthand'] !== true) continue;
    if (parent?.type.startsWith('TS') || key === 'typeName') continue;
    used.add(name);
  }
  if (/\bMath\.random\b/.test(one.code)) used.add('Math.random');
  return [...used];
}

const product = productFiles(source).map(({ file, code }) => ({
  file,
  layer: file.split('/')[0] ?? '',
  code,
}));

/** What is wrong with one file's imports. */
function violations(one: SourceFile & { readonly layer: string }): string[] {
  const { file, layer } = one;
  const own = layers.indexOf(layer);
  return importsOf(one).flatMap(({ target }) => {
    if (target === '(computed)') return [`${file} imports something computed`];
    if (!target.startsWith('.')) {
      const allowed = !pureLayers.includes(layer) || purePackages.includes(target);
      return allowed ? [] : [`${file} is pure and imports ${target}`];
    }
    const path = relative(source, resolve(source, dirname(file), target));
    const other = layers.indexOf(path.split('/')[0] ?? '');
    const problems: string[] = [];
    if (other < 0) problems.push(`${file} imports ${path}, which is in no layer`);
    if (other > own) problems.push(`${file} imports ${path}, which is in a layer below`);
    if (layer === 'guards' && path.startsWith('guards/') && file !== 'guards/index.ts') {
      const [, guard] = file.split('/');
      if (path.split('/')[1] !== guard) problems.push(`${file} imports another guard: ${path}`);
    }
    return problems;
  });
}

describe('layers', () => {
  it('holds every source file', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !layers.includes(file.split('/')[0] ?? ''))).toEqual([]);
  });

  it('are imported from above only', () => {
    expect(product.flatMap(violations)).toEqual([]);
  });

  it('that are pure use nothing of the world', () => {
    const reaching = product
      .filter(({ layer }) => pureLayers.includes(layer))
      .flatMap((one) => namesUsed(one, worldly).map((name) => `${one.file} uses ${name}`));
    expect(reaching).toEqual([]);
  });

  it('leave clearing to decide() and guards to the path', () => {
    const clearing = product.filter(({ code }) => /\bclear\b[^;]*from '[^']*cleared\.ts'/.test(code));
    expect(clearing.map(({ file }) => file)).toEqual(['decide/decide.ts']);
    const checking = product.filter(
      ({ file, code }) => /(?<!\b(?:input|output))\.check\(/.test(code) && !file.startsWith('guards/'),
    );
    expect(checking.map(({ file }) => file)).toEqual(['decide/judge.ts']);
  });

  it('never export everything of a file', () => {
    expect(product.filter(({ code }) => /^export \*/m.test(code)).map(({ file }) => file)).toEqual([]);
  });
});

describe('the layer check itself', () => {
  const file = (name: string, code: string) => ({ file: name, layer: name.split('/')[0] ?? '', code });
  it.each([
    ['core/a.ts', "import { x } from '../config/index.ts';"],
    ['core/a.ts', "export { x } from '../config/index.ts';"],
    ['core/a.ts', "const x = await import('../config/index.ts');"],
    ['core/a.ts', "import type { X } from '../config/index.ts';"],
    ['core/a.ts', "import fs from 'node:fs';"],
    ['guards/fetch/a.ts', "import 'undici';"],
    ['guards/fetch/a.ts', "import { y } from '../write/index.ts';"],
    ['ledger/a.ts', "import { y } from '../../tests/b.ts';"],
    ['cli/a.ts', 'const x = await import(name);'],
  ])('finds %s: %s', (name, code) => {
    expect(violations(file(name, code))).toHaveLength(1);
  });

  it.each([
    'const x = process.env;',
    'const now = Date.now();',
    'fetch(url);',
    'globalThis["fet" + "ch"](url);',
    'const { a = Date } = b;',
    'const x = { Date };',
    'const where = import.meta.url;',
    'const r = Math.random();',
  ])('finds the world in: %s', (code) => {
    expect(namesUsed(file('core/a.ts', code), worldly)).toHaveLength(1);
  });

  it.each(['const x = action.process;', 'const x = { fetch: 1 };', 'type A = Date;', '// process.env'])(
    'finds nothing in: %s',
    (code) => {
      expect(namesUsed(file('core/a.ts', code), worldly)).toEqual([]);
    },
  );
});
