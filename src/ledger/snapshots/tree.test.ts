// A scan with git's comparison returns the same as a scan of every file.

import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Mark, markOf } from './mark.ts';
import { findGit, flaggedIn, StatIndex } from './stat-index.ts';
import { Tree } from './tree.ts';
import { atOnce, inTurns } from './turns.ts';
import { type Walk, Walking } from './walk.ts';

/** How long until the dates of a file show a change. */
const settleMs = 2600;
const most = 100_000;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-tree-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A workspace, and a tree that scans it repeatedly. */
class Place {
  readonly workspace: string;
  readonly tree: Tree;
  readonly known = new Map<string, Mark>();
  readonly #store: string;

  constructor(name: string) {
    this.workspace = join(folder, name);
    this.#store = join(folder, `${name}.store`);
    mkdirSync(this.workspace);
    mkdirSync(this.#store);
    this.tree = this.#tree(0);
  }

  #tree(comparedFrom: number): Tree {
    return new Tree({ workspace: this.workspace, store: this.#store, most, comparedFrom });
  }

  path(path: string): string {
    return join(this.workspace, path);
  }

  /** The result of a scan, and of one of every file. */
  async look(): Promise<{ readonly found: unknown; readonly everything: unknown }> {
    const everything = atOnce(this.#tree(Number.POSITIVE_INFINITY).look(this.known, Date.now()));
    const found = await inTurns(this.tree.look(this.known, Date.now()));
    this.#learn(found);
    return { found: plain(found), everything: plain(everything) };
  }

  #learn({ fresh, gone }: Walk): void {
    for (const path of gone) this.known.delete(path);
    for (const [path, mark] of fresh) this.known.set(path, mark);
  }
}

function plain({ fresh, gone, repositories, truncated, unkept }: Walk) {
  return {
    fresh: [...fresh].sort(([a], [b]) => (a < b ? -1 : 1)),
    gone: [...gone].sort(),
    repositories: [...repositories].sort(),
    ...{ truncated, unkept },
  };
}

/** Numbers from a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

function pathsBelow(place: Place, path = ''): readonly string[] {
  return readdirSync(place.path(path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.includes('\ufffd')) return [];
    const at = path === '' ? entry.name : `${path}/${entry.name}`;
    return entry.isDirectory() ? [at, ...pathsBelow(place, at)] : [at];
  });
}

/** One change of an existing entry, or a new entry. */
function change(place: Place, pick: (below: number) => number, round: number): void {
  const all = pathsBelow(place).filter((path) => !path.split('/').includes('node_modules'));
  const any = () => all[pick(all.length)] ?? '';
  const isFolder = (path: string) => lstatSync(place.path(path)).isDirectory();
  const files = all.filter((path) => lstatSync(place.path(path)).isFile());
  const file = () => place.path(files[pick(files.length)] ?? '');
  const folders = ['', ...all.filter(isFolder)];
  const fresh = () => place.path(`${folders[pick(folders.length)]}/n${round}-${pick(1e6)}`);
  const changes: readonly (() => void)[] = [
    () => writeFileSync(file(), `x${round}`),
    // The same size and the same dates as before; only the date of its metadata differs.
    () => {
      const path = file();
      const { atime, mtime, size } = lstatSync(path);
      writeFileSync(path, 'y'.repeat(size));
      utimesSync(path, atime, mtime);
    },
    () => writeFileSync(fresh(), 'new'),
    () => mkdirSync(fresh()),
    () => symlinkSync('a', fresh()),
    () => linkSync(file(), fresh()),
    () => unlinkSync(file()),
    () => chmodSync(file(), pick(2) === 0 ? 0o600 : 0o755),
    () => chmodSync(place.path(folders[pick(folders.length)] ?? ''), pick(2) === 0 ? 0o755 : 0o700),
    () => {
      const [from, to] = [place.path(any()), fresh()];
      if (!to.startsWith(`${from}/`)) renameSync(from, to);
    },
    () => rmSync(place.path(any()), { recursive: true }),
    () => {
      const path = place.path(any());
      const isDirectory = lstatSync(path).isDirectory();
      rmSync(path, { recursive: true });
      if (isDirectory) writeFileSync(path, 'was a folder');
      else mkdirSync(path);
    },
    // Two folders are swapped: the dates of their entries do not change.
    () => {
      const [a = '', b = ''] = [folders[pick(folders.length)], folders[pick(folders.length)]];
      if (a === '' || b === '' || `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`)) return;
      renameSync(place.path(a), place.path('aside'));
      renameSync(place.path(b), place.path(a));
      renameSync(place.path('aside'), place.path(b));
    },
    () => writeFileSync(Buffer.concat([Buffer.from(`${place.workspace}/caf`), Buffer.from([0xe9])]), 'x'),
    () => {
      mkdirSync(`${fresh()}/node_modules/p/sub`, { recursive: true });
    },
  ];
  changes[pick(changes.length)]?.();
}

describe('a look at a workspace that was looked at before', () => {
  const seeds = [1, 2, 3, 4, 5, 6].map((seed) => ({ seed, place: new Place(`random-${seed}`) }));
  const repository = new Place('repository');
  const another = new Place('another');
  const linked = new Place('linked');
  const object = (letter: string) => `.git/objects/ab/${letter.repeat(38)}`;

  beforeAll(async () => {
    for (const { place } of seeds) {
      for (let index = 0; index < 60; index++) {
        mkdirSync(place.path(`d${index % 4}/e${index % 7}`), { recursive: true });
        writeFileSync(place.path(`d${index % 4}/e${index % 7}/f${index}`), 'first');
      }
      writeFileSync(place.path('empty'), '');
    }
    mkdirSync(repository.path('.git/objects/ab'), { recursive: true });
    mkdirSync(repository.path('.git/refs/heads'), { recursive: true });
    writeFileSync(repository.path('.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(repository.path(object('c')), 'object');
    for (const place of [repository, another]) writeFileSync(place.path('a'), 'a');
    mkdirSync(linked.path('d/e'), { recursive: true });
    writeFileSync(linked.path('d/e/f'), 'f');
    mkdirSync(join(folder, 'outside/e'), { recursive: true });
    writeFileSync(join(folder, 'outside/e/secret'), 'x');
    await sleep(settleMs);
    for (const place of [...seeds.map((one) => one.place), repository, another, linked]) await place.look();
  });

  test('finds what a look at everything finds, whatever was changed', { timeout: 60_000 }, async () => {
    const everywhere = vi.spyOn(Walking.prototype, 'everything');
    const rounds = 25;
    for (const { seed, place } of seeds) {
      const pick = random(seed);
      for (let round = 0; round < rounds; round++) {
        for (let count = pick(4); count >= 0; count--) change(place, pick, round);
        const { found, everything } = await place.look();
        expect(found, `seed ${seed}, round ${round}`).toEqual(everything);
      }
    }
    // One of the two scans of each round is complete; the other is so only in rare cases.
    const compared = rounds * seeds.length;
    expect(everywhere.mock.calls.length).toBeGreaterThanOrEqual(compared);
    expect(everywhere.mock.calls.length).toBeLessThan(compared * 1.1);
    everywhere.mockRestore();
  });

  test('finds nothing where nothing changed', async () => {
    const nothing = { fresh: [], gone: [], truncated: false, unkept: [] };
    expect((await repository.look()).found).toEqual({ ...nothing, repositories: ['.git'] });
  });

  test('finds what changed in the data of a repository', async () => {
    writeFileSync(repository.path('.git/refs/heads/main'), 'x'.repeat(40));
    writeFileSync(repository.path(object('d')), 'another');
    unlinkSync(repository.path(object('c')));
    writeFileSync(repository.path('.git/HEAD'), 'ref: refs/heads/mine\n');
    const { found, everything } = await repository.look();
    expect(found).toEqual(everything);
    expect(found).toMatchObject({ gone: [object('c')], repositories: ['.git'] });
    rmSync(repository.path('.git'), { recursive: true });
    const removed = await repository.look();
    expect(removed.found).toEqual(removed.everything);
    expect(removed.found).toMatchObject({ repositories: [] });
  });

  test('finds what changed in a file that became known in between', async () => {
    writeFileSync(another.path('restored'), 'one');
    another.known.set('restored', markOf(lstatSync(another.path('restored'))));
    expect((await another.look()).found).toMatchObject({ fresh: [] });
    await sleep(settleMs);
    await another.look();
    // By now its folder is unchanged, and only the file itself shows it.
    writeFileSync(another.path('restored'), 'two');
    expect((await another.look()).found).toMatchObject({ fresh: [['restored', { size: 3 }]] });
  });

  test('is at everything when another process has written the index', async () => {
    const index = join(folder, 'another.store/stat-index/index');
    expect(existsSync(index)).toBe(true);
    writeFileSync(index, 'no index');
    writeFileSync(another.path('a'), 'b');
    expect((await another.look()).found).toMatchObject({ fresh: [['a', { size: 1 }]], gone: [] });
  });

  test('follows no folder that became a link', async () => {
    rmSync(linked.path('d'), { recursive: true });
    symlinkSync(join(folder, 'outside'), linked.path('d'));
    const { found, everything } = await linked.look();
    expect(found).toEqual(everything);
    expect(found).toMatchObject({ gone: ['d/e', 'd/e/f'] });
  });
});

describe('an index of dates', () => {
  test('has no file that changed just now, nor a name that is no UTF-8', () => {
    const file = join(folder, 'dated');
    writeFileSync(file, 'x');
    const found = lstatSync(file);
    expect(new StatIndex(Date.now()).add('dated', found)).toBe(false);
    expect(new StatIndex(Date.now() + 10_000).add('dated', found)).toBe(true);
    expect(new StatIndex(Date.now() + 10_000).add('caf\udce9', found)).toBe(false);
  });

  test('is answered for by git, or by nothing', () => {
    const answer = (text: string) => flaggedIn(Buffer.from(text));
    expect(answer('a\0.git/sallyport-canary\0b\0')).toEqual(['a', 'b']);
    expect(answer('')).toBeNull();
    expect(answer('a\0')).toBeNull();
    expect(flaggedIn(null)).toBeNull();
    expect(findGit()).toMatch(/\/git$/);
  });
});
