// The index on a real disk: it reads only what changed, survives a restart, and never trusts itself over the disk.

import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { loadModules } from '../../decide/parsers.ts';
import { SymbolStore } from './index.ts';

const reader = loadModules();
let root: string;
let store: string;

const open = (more: { background?: boolean } = {}) =>
  new SymbolStore({ store, parser: async () => reader, ...more });
const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = temporaryFolder();
  store = temporaryFolder();
  write('src/a.ts', 'export const a = 1;\n');
  write('src/b.py', 'B = 1\n');
  write('packages/c/package.json', '{"name":"c"}');
  write('node_modules/x/index.js', 'export const x = 1;\n');
  write('dist/a.js', 'export const built = 1;\n');
});

describe('an index', () => {
  it('is not made by asking for it', async () => {
    expect(await open().of(root)).toBeNull();
    expect(readdirSync(store)).toEqual([]);
  });

  it('holds the sources of the workspace and follows their changes', async () => {
    const symbols = open();
    expect(await symbols.index(root)).toMatchObject({ files: 3, read: 3, truncated: false });
    expect(await symbols.index(root)).toMatchObject({ files: 3, read: 0 });
    write('src/a.ts', 'export const a = 1;\nexport const more = 2;\n');
    rmSync(join(root, 'src/b.py'));
    expect(await symbols.index(root)).toMatchObject({ files: 2, read: 1 });
    const tree = await symbols.of(root);
    expect(tree?.table(join(root, 'src/a.ts'))?.names).toEqual(['a', 'more']);
    expect(tree?.overview.packages.get('c')).toBe(join(root, 'packages/c'));
  });

  it('is there after a restart, and reads again what has changed since', async () => {
    await open().index(root);
    write('src/a.ts', 'export const other = 1;\n');
    write('src/new.ts', 'export const n = 1;\n');
    const tree = await open().of(root);
    expect(tree?.table(join(root, 'src/a.ts'))?.names).toEqual(['other']);
    expect(tree?.table(join(root, 'src/new.ts'))?.names).toEqual(['n']);
    expect(tree?.table(join(root, 'src/b.py'))?.names).toEqual(['B']);
    expect(tree?.overview.roots.get('b')).toEqual([join(root, 'src')]);
    expect(tree?.kind(join(root, 'src/gone.ts'))).toBeNull();
    expect(await open().index(root)).toMatchObject({ files: 4, read: 2 });
  });

  it('that is not whole is made anew', async () => {
    await open().index(root);
    const [file = ''] = readdirSync(store);
    truncateSync(join(store, file), 200);
    expect(await open().of(root)).toBeNull();
    writeFileSync(join(store, file), 'no index\n');
    expect(await open().of(root)).toBeNull();
    expect(await open().index(root)).toMatchObject({ files: 3, read: 3 });
  });

  it('of another workspace is not taken', async () => {
    await open().index(root);
    expect(await open().of(temporaryFolder())).toBeNull();
  });

  it('follows no link and reads what it cannot as nothing', async () => {
    symlinkSync('/', join(root, 'everything'));
    write('src/broken.ts', 'export const = ;\n');
    const symbols = open();
    expect(await symbols.index(root)).toMatchObject({ files: 4 });
    expect((await symbols.of(root))?.table(join(root, 'src/broken.ts'))).toBeNull();
    expect((await symbols.of(root))?.text(join(root, 'nothing.json'))).toBeNull();
    expect((await symbols.of(root))?.list(join(root, 'nothing'))).toEqual([]);
  });

  it('knows Python where the reader of modules is not installed', async () => {
    const symbols = new SymbolStore({ store, parser: async () => null });
    await symbols.index(root);
    const tree = await symbols.of(root);
    expect(tree?.table(join(root, 'src/a.ts'))).toBeNull();
    expect(tree?.table(join(root, 'src/b.py'))?.names).toEqual(['B']);
  });

  it('is made behind the first check in a daemon', async () => {
    const symbols = open({ background: true });
    expect(await symbols.of(root)).toBeNull();
    // The run that the check began is shared with this one.
    await symbols.index(root);
    expect((await symbols.of(root))?.table(join(root, 'src/a.ts'))?.names).toEqual(['a']);
  });
});
