// The index on a real disk: it reads only changed files, survives a restart, and the disk always takes precedence.

import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { symbolsThread } from '../../decide/index.ts';
import { loadModules } from '../../decide/parsers.ts';
import { checkFile } from '../../guards/symbols/check.ts';
import { SymbolStore } from './index.ts';
import { readTables } from './threads.ts';
import { Watch } from './watch.ts';
import { Workspace } from './workspace.ts';

const reader = loadModules();
let root: string;
let store: string;

const open = (more: { background?: boolean; thread?: URL } = {}) =>
  new SymbolStore({ store, reader: async () => reader, ...more });
const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** Until the dates of the written files show every later change. */
const settle = () => wait(30);

beforeEach(async () => {
  root = temporaryFolder();
  store = temporaryFolder();
  write('src/a.ts', 'export const a = 1;\n');
  write('src/b.py', 'B = 1\n');
  write('packages/c/package.json', '{"name":"c"}');
  write('node_modules/x/index.js', 'export const x = 1;\n');
  write('dist/a.js', 'export const built = 1;\n');
  await settle();
});

describe('an index', () => {
  it('is not made by asking for it', async () => {
    expect(await open().of(root, reader)).toBeNull();
    expect(readdirSync(store)).toEqual([]);
  });

  it('holds the sources of the workspace and follows their changes', async () => {
    const symbols = open();
    expect(await symbols.index(root)).toMatchObject({ files: 3, read: 3, truncated: false });
    expect(await symbols.index(root)).toMatchObject({ files: 3, read: 0 });
    write('src/a.ts', 'export const a = 1;\nexport const more = 2;\n');
    rmSync(join(root, 'src/b.py'));
    expect(await symbols.index(root)).toMatchObject({ files: 2, read: 1 });
    const tree = await symbols.of(root, reader);
    expect(tree?.table(join(root, 'src/a.ts'))?.names).toEqual(['a', 'more']);
    expect(tree?.overview.packages.get('c')).toBe(join(root, 'packages/c'));
  });

  it('is there after a restart, and reads again what has changed since', async () => {
    await open().index(root);
    write('src/a.ts', 'export const other = 1;\n');
    write('src/new.ts', 'export const n = 1;\n');
    await settle();
    const tree = await open().of(root, reader);
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
    expect(await open().of(root, reader)).toBeNull();
    writeFileSync(join(store, file), 'no index\n');
    expect(await open().of(root, reader)).toBeNull();
    expect(await open().index(root)).toMatchObject({ files: 3, read: 3 });
  });

  it('of another workspace is not taken', async () => {
    await open().index(root);
    expect(await open().of(temporaryFolder(), reader)).toBeNull();
  });

  it('follows no link and reads what it cannot as nothing', async () => {
    symlinkSync('/', join(root, 'everything'));
    write('src/broken.ts', 'export const = ;\n');
    const symbols = open();
    expect(await symbols.index(root)).toMatchObject({ files: 4 });
    expect((await symbols.of(root, reader))?.table(join(root, 'src/broken.ts'))).toBeNull();
    expect((await symbols.of(root, reader))?.text(join(root, 'nothing.json'))).toBeNull();
    expect((await symbols.of(root, reader))?.list(join(root, 'nothing'))).toEqual([]);
  });

  it('knows Python where the reader of modules is not installed', async () => {
    const symbols = new SymbolStore({ store, reader: async () => null });
    await symbols.index(root);
    const tree = await symbols.of(root, null);
    expect(tree?.table(join(root, 'src/a.ts'))).toBeNull();
    expect(tree?.table(join(root, 'src/b.py'))?.names).toEqual(['B']);
  });

  it('finds modules that the Go tool downloaded, outside of the workspace', async () => {
    const cache = temporaryFolder();
    vi.stubEnv('GOMODCACHE', cache);
    try {
      mkdirSync(join(cache, 'example.com/!acme/money@v1.2.0'), { recursive: true });
      writeFileSync(join(cache, 'example.com/!acme/money@v1.2.0/m.go'), 'package money\n\nfunc Add() {}\n');
      write('go.mod', 'module example.com/shop\n\ngo 1.24\n\nrequire example.com/Acme/money v1.2.0\n');
      const symbols = open();
      await symbols.index(root);
      const tree = await symbols.of(root, reader);
      const text =
        'package main\n\nimport "example.com/Acme/money"\n\nfunc main() { money.Add(); money.Sum() }\n';
      const checked = tree === null ? null : checkFile(text, join(root, 'main.go'), root, tree, reader);
      expect(checked?.missing.map(({ reference }) => reference.name)).toEqual(['Sum']);
      vi.stubEnv('GOMODCACHE', '');
      vi.stubEnv('GOPATH', temporaryFolder());
      const other = open();
      await other.index(root);
      const without = await other.of(root, reader);
      expect(
        without === null ? null : checkFile(text, join(root, 'main.go'), root, without, reader).missing,
      ).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('is made behind the first check in a daemon', async () => {
    const symbols = open({ background: true });
    expect(await symbols.of(root, reader)).toBeNull();
    // The run that the check started is shared with this one.
    await symbols.index(root);
    expect((await symbols.of(root, reader))?.table(join(root, 'src/a.ts'))?.names).toEqual(['a']);
  });
});

describe('a list of known packages', () => {
  it.each<[string, readonly string[], boolean]>([
    ['alpha\nbeta\r\ngamma', ['alpha'], true],
    ['alpha\nbeta\r\ngamma', ['no', 'beta'], true],
    ['alpha\nbeta\r\ngamma', ['gamma'], true],
    ['alphabet\nthe-alpha\n', ['alpha'], false],
    ['', ['alpha'], false],
  ])('%j has one of %j: %s', async (text, names, expected) => {
    write('names.txt', text);
    expect(await open().lists(join(root, 'names.txt'), names)).toBe(expected);
  });

  it('that is not there is not known', async () => {
    expect(await open().lists(join(root, 'nothing.txt'), ['alpha'])).toBeNull();
  });
});

describe('a change', () => {
  it('that leaves size and date as they were is seen all the same', async () => {
    const symbols = open();
    for (const name of ['b', 'c', 'd', 'e']) {
      write('src/a.ts', `export const ${name} = 1;\n`);
      await symbols.index(root);
      write('src/a.ts', `export const ${name.toUpperCase()} = 1;\n`);
      expect((await symbols.of(root, reader))?.table(join(root, 'src/a.ts'))?.names).toEqual([
        name.toUpperCase(),
      ]);
    }
  });

  it('within the tick of the clock is looked for again', async () => {
    const symbols = open();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(0);
    try {
      expect(await symbols.index(root)).toMatchObject({ read: 3 });
      expect(await symbols.index(root)).toMatchObject({ read: 3 });
    } finally {
      clock.mockRestore();
    }
    expect(await symbols.index(root)).toMatchObject({ read: 3 });
    expect(await symbols.index(root)).toMatchObject({ read: 0 });
  });

  it('of what a folder holds is seen at once', async () => {
    const symbols = open();
    await symbols.index(root);
    expect((await symbols.of(root, reader))?.list(join(root, 'src'))).toEqual(['a.ts', 'b.py']);
    write('src/c.ts', '');
    expect((await symbols.of(root, reader))?.list(join(root, 'src'))).toEqual(['a.ts', 'b.py', 'c.ts']);
  });
});

describe('many files', () => {
  const thread = symbolsThread();
  const missingThread = new URL('./no-such-thread.ts', thread);
  const paths: string[] = [];

  beforeEach(() => {
    paths.length = 0;
    for (let file = 0; file < 1200; file++) {
      const path = file % 2 === 0 ? `many/${file}.ts` : `many/${file}.py`;
      write(path, file % 2 === 0 ? `export const n${file} = 1;\n` : `n${file} = 1\n`);
      paths.push(join(root, path));
    }
  });

  it('are read by several threads as by one, and by this one where the others fail', async () => {
    const here = await readTables(paths, async () => reader, null, 0);
    expect(here.get(join(root, 'many/7.py'))).toContain('"n7"');
    expect(here.size).toBe(1200);
    for (const code of [thread, missingThread]) {
      const read = await readTables(paths, async () => reader, code, 2);
      expect([...read].toSorted()).toEqual([...here].toSorted());
    }
  });

  it('make the same index', async () => {
    const symbols = open({ thread });
    expect(await symbols.index(root)).toMatchObject({ files: 1203, read: 1203 });
    expect((await symbols.of(root, reader))?.table(join(root, 'many/8.ts'))?.names).toEqual(['n8']);
  });
});

describe('watching', () => {
  const followed = async () => {
    const workspace = new Workspace(root);
    await workspace.update({ reader: async () => reader, background: true });
    // Events between the first walk and the first watch are unknown.
    expect(workspace.catchUp(reader)).toBe(false);
    await workspace.update({ reader: async () => reader, background: true });
    expect(workspace.catchUp(reader)).toBe(true);
    return workspace;
  };
  const globals = (workspace: Workspace) => [...workspace.tree(reader).overview.globals];

  it('takes in what changed without looking at everything', async () => {
    const workspace = await followed();
    write('src/g.d.ts', 'declare const given: 1;\n');
    await vi.waitFor(() => {
      expect(workspace.catchUp(reader)).toBe(true);
      expect(globals(workspace)).toEqual(['given']);
    });
    write('src/g.d.ts', 'declare const other: 1;\n');
    await vi.waitFor(() => {
      expect(workspace.catchUp(reader)).toBe(true);
      expect(globals(workspace)).toEqual(['other']);
    });
    rmSync(join(root, 'src/g.d.ts'));
    await vi.waitFor(() => {
      expect(workspace.catchUp(reader)).toBe(true);
      expect(globals(workspace)).toEqual([]);
    });
    workspace.unwatch();
    expect(workspace.catchUp(reader)).toBe(false);
  });

  it('gives up where a folder comes or goes, or too much changes at once', async () => {
    const changes: readonly (() => void)[] = [
      () => write('more/a.ts', ''),
      () => rmSync(join(root, 'packages/c'), { recursive: true }),
      () => {
        for (let file = 0; file < 300; file++) write(`src/${file}.ts`, '');
      },
    ];
    for (const change of changes) {
      const workspace = await followed();
      change();
      await vi.waitFor(() => expect(workspace.catchUp(reader)).toBe(false));
      await workspace.update({ reader: async () => reader, background: true });
      await workspace.update({ reader: async () => reader, background: true });
      expect(workspace.catchUp(reader)).toBe(true);
      workspace.unwatch();
    }
  });

  it('is not begun where a folder cannot be watched or there are too many', () => {
    for (const folders of [
      [root, join(root, 'nothing')],
      Array.from({ length: 5000 }, (_, index) => `/${index}`),
    ]) {
      const watch = new Watch();
      expect(watch.follow(new Set(folders))).toBe(false);
      expect(watch.isWhole).toBe(false);
      expect(watch.has(root)).toBe(false);
    }
  });

  it('ends for workspaces that others were asked for after, and their indexes are still there', async () => {
    const symbols = open({ background: true });
    const roots = Array.from({ length: 10 }, () => temporaryFolder());
    for (const other of roots) writeFileSync(join(other, 'a.py'), 'A = 1\n');
    for (const other of roots) await symbols.index(other);
    for (const other of roots)
      expect((await symbols.of(other, reader))?.table(join(other, 'a.py'))?.names).toEqual(['A']);
    symbols.close();
  });
});
