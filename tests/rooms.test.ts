// The rooms stand in the order that data walks through them: a room imports only from itself and from rooms above,
// and the pure rooms touch the world only through what they are handed.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** The rooms, in the order of the design. */
const rooms = [
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
const pureRooms = ['core', 'detect', 'guards'];
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

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Every node of a tree, with the node and the key that it hangs on. */
function* walk(
  node: Node,
  parent?: Node,
  key?: string,
): Generator<{ node: Node; parent?: Node; key?: string }> {
  yield { node, ...(parent ? { parent } : {}), ...(key ? { key } : {}) };
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* walk(child, node, name);
  }
}

/** What a file imports, in whatever way. */
function importsOf(code: string): string[] {
  const found: string[] = [];
  for (const { node } of walk(parseAst(code, { lang: 'ts' }) as unknown as Node)) {
    const { source: from } = node;
    if (!/^(Import|Export)/.test(node.type) || from === null || from === undefined) continue;
    found.push(isNode(from) && typeof from['value'] === 'string' ? from['value'] : '(computed)');
  }
  return found;
}

/** The names of the given set that a file refers to as free names; a property or a type of that name is none. */
function namesUsed(code: string, names: ReadonlySet<string>): string[] {
  const used = new Set<string>();
  for (const { node, parent, key } of walk(parseAst(code, { lang: 'ts' }) as unknown as Node)) {
    const { meta } = node;
    if (isNode(meta) && meta['name'] === 'import') used.add('import.meta');
    const name = node['name'];
    if (node.type !== 'Identifier' || typeof name !== 'string' || !names.has(name)) continue;
    if (parent?.type === 'MemberExpression' && key === 'property' && parent['computed'] !== true) continue;
    if (parent?.type === 'Property' && key === 'key' && parent['shorthand'] !== true) continue;
    if (parent?.type.startsWith('TS') || key === 'typeName') continue;
    used.add(name);
  }
  if (/\bMath\.random\b/.test(code)) used.add('Math.random');
  return [...used];
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, room: file.split('/')[0] ?? '', code: readFileSync(join(source, file), 'utf8') }));
const product = files.filter(({ file }) => !file.endsWith('.test.ts'));

/** What is wrong with one file's imports. */
function violations({ file, room, code }: { file: string; room: string; code: string }): string[] {
  const own = rooms.indexOf(room);
  return importsOf(code).flatMap((target) => {
    if (target === '(computed)') return [`${file} imports something computed`];
    if (!target.startsWith('.')) {
      const allowed = !pureRooms.includes(room) || purePackages.includes(target);
      return allowed ? [] : [`${file} is pure and imports ${target}`];
    }
    const path = relative(source, resolve(source, dirname(file), target));
    const other = rooms.indexOf(path.split('/')[0] ?? '');
    const problems: string[] = [];
    if (other < 0) problems.push(`${file} imports ${path}, which is in no room`);
    if (other > own) problems.push(`${file} imports ${path}, which is in a room below`);
    if (room === 'guards' && path.startsWith('guards/') && file !== 'guards/index.ts') {
      const [, guard] = file.split('/');
      if (path.split('/')[1] !== guard) problems.push(`${file} imports another guard: ${path}`);
    }
    return problems;
  });
}

describe('rooms', () => {
  it('holds every source file', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter(({ room }) => !rooms.includes(room)).map(({ file }) => file)).toEqual([]);
  });

  it('are imported from above only', () => {
    expect(product.flatMap(violations)).toEqual([]);
  });

  it('that are pure use nothing of the world', () => {
    const reaching = product
      .filter(({ room }) => pureRooms.includes(room))
      .flatMap(({ file, code }) => namesUsed(code, worldly).map((name) => `${file} uses ${name}`));
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

describe('the room check itself', () => {
  const file = (name: string, code: string) => ({ file: name, room: name.split('/')[0] ?? '', code });
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
    expect(namesUsed(code, worldly)).toHaveLength(1);
  });

  it.each(['const x = action.process;', 'const x = { fetch: 1 };', 'type A = Date;', '// process.env'])(
    'finds nothing in: %s',
    (code) => {
      expect(namesUsed(code, worldly)).toEqual([]);
    },
  );
});
