// Snapshots on a real disk: atomic changes, undo that restores every byte, conflicts, crashes and races.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  atOnce,
  type Cause,
  Conflict,
  type Content,
  type Limits,
  NoWorkspace,
  PathRefused,
  Snapshots,
  UnknownSnapshot,
} from './index.ts';

let folder: string;
let workspace: string;
let time = 1000;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-snapshots-')));
  workspace = join(folder, 'work');
  mkdirSync(workspace);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(onStep?: (step: string) => void, limits: Partial<Limits> = {}) {
  const snapshots = new Snapshots({
    store: join(folder, 'store'),
    workspace,
    personHome: '/home/ann',
    now: () => time++,
    limits,
    ...(onStep === undefined ? {} : { onStep }),
  });
  return {
    change: (...given: Parameters<Snapshots['change']>) => atOnce(snapshots.change(...given)),
    undo: (...given: Parameters<Snapshots['undo']>) => atOnce(snapshots.undo(...given)),
    catchUp: () => atOnce(snapshots.catchUp()),
    begin: (more: Partial<Cause> = {}) => atOnce(snapshots.before({ ...shell, ...more })).id,
    end: (id: string) => atOnce(snapshots.after(id)),
    list: () => snapshots.list(),
    recover: () => snapshots.recover(),
    tidy: (...given: Parameters<Snapshots['tidy']>) => snapshots.tidy(...given),
  };
}

const cause = {
  action: 'apply',
  user: 'ann',
  tenant: 'acme',
  agent: 'coder',
  run: 'r1',
  decisionId: 'd1',
} as const;
const { action: _, ...who } = cause;
const text = (content: string, mode = 0o644): Content => ({
  type: 'file',
  bytes: Buffer.from(content),
  mode,
});
const put = (path: string, content: string) => {
  mkdirSync(join(workspace, path, '..'), { recursive: true });
  writeFileSync(join(workspace, path), content);
};

/** Everything in the workspace: names, bytes, permissions, links. */
function all(at = workspace, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(at).sort()) {
    const path = join(at, name);
    const shown = below === '' ? name : `${below}/${name}`;
    const is = lstatSync(path);
    if (is.isSymbolicLink()) found[shown] = `→ ${readlinkSync(path)}`;
    else if (is.isDirectory()) Object.assign(found, { [shown]: 'folder' }, all(path, shown));
    else found[shown] = `${(is.mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`;
  }
  return found;
}

describe('a change', () => {
  test('creates, edits and deletes as one, and is taken back and made again exactly', () => {
    put('a.txt', 'old a');
    put('b/c.txt', 'old c');
    chmodSync(join(workspace, 'b/c.txt'), 0o755);
    const before = all();
    const snapshots = open();
    const made = snapshots.change(
      [
        { path: 'a.txt', to: text('new a') },
        { path: 'b/c.txt', to: null },
        { path: 'd/e/f.txt', to: text('new f', 0o600) },
      ],
      cause,
    );
    const after = all();
    expect(after).toEqual({
      'a.txt': '644 new a',
      b: 'folder',
      d: 'folder',
      'd/e': 'folder',
      'd/e/f.txt': '600 new f',
    });
    const { snapshot: back, left } = snapshots.undo(made.id, who);
    expect(all()).toEqual(before);
    expect(left).toEqual([]);
    expect(back).toMatchObject({ action: 'rollback', of: made.id, run: 'r1' });
    snapshots.undo(back.id, who);
    expect(all()).toEqual(after);
    expect(snapshots.list().map(({ action }) => action)).toEqual(['rollback', 'rollback', 'apply']);
  });

  test('that was judged on other bytes is refused, and nothing is written', () => {
    put('a.txt', 'now');
    const from = { type: 'file', hash: '0'.repeat(64), mode: 0o644 } as const;
    expect(() =>
      open().change(
        [
          { path: 'b.txt', to: text('x') },
          { path: 'a.txt', to: text('y'), from },
        ],
        cause,
      ),
    ).toThrow(Conflict);
    expect(() => open().change([{ path: 'a.txt', to: text('y'), from: null }], cause)).toThrow(Conflict);
    expect(all()).toEqual({ 'a.txt': '644 now' });
  });

  test('that names a file twice is refused', () => {
    expect(() =>
      open().change(
        [
          { path: 'a', to: text('1') },
          { path: 'a', to: text('2') },
        ],
        cause,
      ),
    ).toThrow(Conflict);
  });

  test('that fails half way leaves everything as it was', () => {
    put('a.txt', 'old');
    mkdirSync(join(workspace, 'folder'));
    const before = all();
    const snapshots = open((step) => {
      if (step === 'apply 1') mkdirSync(join(workspace, 'n/b.txt'), { recursive: true });
    });
    expect(() =>
      snapshots.change(
        [
          { path: 'a.txt', to: text('new') },
          { path: 'n/b.txt', to: text('x') },
        ],
        cause,
      ),
    ).toThrow(PathRefused);
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('old');
    rmSync(join(workspace, 'n'), { recursive: true });
    expect(all()).toEqual(before);
    expect(snapshots.list()).toEqual([]);
  });

  test.each(['../x', '/etc/x', 'a/../b', './a', 'a//b', '', 'a/\u0000'])('to %j is refused', (path) => {
    expect(() => open().change([{ path, to: text('x') }], cause)).toThrow(PathRefused);
  });

  test.each<[string, () => void]>([
    ['link/x', () => symlinkSync(folder, join(workspace, 'link'))],
    ['file/x', () => put('file', 'x')],
    ['folder', () => mkdirSync(join(workspace, 'folder'))],
    [
      'hard',
      () => {
        writeFileSync(join(folder, 'outside'), 'x');
        linkSync(join(folder, 'outside'), join(workspace, 'hard'));
      },
    ],
    [
      'suid',
      () => {
        put('suid', 'x');
        chmodSync(join(workspace, 'suid'), 0o4755);
      },
    ],
    ['pipe', () => spawnSync('mkfifo', [join(workspace, 'pipe')])],
  ])('to %s is refused', (path, prepare) => {
    prepare();
    const before = readdirSync(folder);
    expect(() => open().change([{ path, to: text('x') }], cause)).toThrow(PathRefused);
    expect(readdirSync(folder).filter((name) => name !== 'store')).toEqual(before);
  });
});

describe('undo', () => {
  test('does not overwrite what somebody did since', () => {
    put('a.txt', 'old');
    put('b.txt', 'old');
    const snapshots = open();
    const { id } = snapshots.change(
      [
        { path: 'a.txt', to: text('new') },
        { path: 'b.txt', to: text('new') },
      ],
      cause,
    );
    put('b.txt', 'my own work');
    const { left } = snapshots.undo(id, who);
    expect(left).toEqual([{ path: 'b.txt', why: 'it was changed since' }]);
    expect(all()).toEqual({ 'a.txt': '644 old', 'b.txt': '644 my own work' });
    expect(() => snapshots.undo(id, who)).toThrow(expect.objectContaining({ paths: ['b.txt'] }));
  });

  test('names every file that was changed since', () => {
    const snapshots = open();
    const { id } = snapshots.change(
      ['a', 'b', 'c'].map((path) => ({ path, to: text('new') })),
      cause,
    );
    for (const path of ['a', 'b', 'c']) put(path, 'mine');
    expect(() => snapshots.undo(id, who)).toThrow(expect.objectContaining({ paths: ['a', 'b', 'c'] }));
    expect(all()).toEqual({ a: '644 mine', b: '644 mine', c: '644 mine' });
  });

  test('never deletes what it did not record', () => {
    const snapshots = open();
    const { id } = snapshots.change([{ path: 'new/a.txt', to: text('a') }], cause);
    put('new/mine.txt', 'mine');
    snapshots.undo(id, who);
    expect(all()).toEqual({ new: 'folder', 'new/mine.txt': '644 mine' });
  });

  test('goes from the last change to the first, whatever the clock said', () => {
    const snapshots = open();
    for (const content of ['1', '2', '3']) {
      snapshots.change([{ path: 'a', to: text(content) }], cause);
      time -= 100;
    }
    const made = snapshots.list();
    expect(made.map(({ time: at }) => at)).toEqual(made.map(({ time: at }) => at).toSorted((a, b) => a - b));
    for (const { id } of made) snapshots.undo(id, who);
    expect(all()).toEqual({});
  });

  test('takes snapshots whose ids do not count by their time, as older than all that do', () => {
    const snapshots = open();
    const made = ['1', '2', '3'].map((content) =>
      snapshots.change([{ path: 'a', to: text(content) }], cause),
    );
    const [snapshotStore = ''] = readdirSync(join(folder, 'store'));
    const renamed = made.slice(0, 2).map(({ id }, index) => {
      const plain = `${index}${id.slice(1, 14)}4${id.slice(15, 24)}${'f'.repeat(12 - index)}${'0'.repeat(index)}`;
      const place = join(folder, 'store', snapshotStore, `${id}.snap`);
      const header = readFileSync(place, 'utf8').replace(id, plain);
      writeFileSync(join(folder, 'store', snapshotStore, `${plain}.snap`), header);
      rmSync(place);
      return plain;
    });
    expect(snapshots.list().map(({ id }) => id)).toEqual([made[2]?.id, renamed[1], renamed[0]]);
  });

  test('knows only snapshots of this workspace', () => {
    expect(() => open().undo('nothing', who)).toThrow(UnknownSnapshot);
  });
});

/** Runs something in a separate process, which kills itself at one of its steps. */
function inProcess(work: string, killedAt = Number.POSITIVE_INFINITY): void {
  const script = `
    import { atOnce, Snapshots } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    let left = ${killedAt};
    const snapshots = new Snapshots({ store: ${JSON.stringify(join(folder, 'store'))}, workspace: ${JSON.stringify(workspace)},
      personHome: '/home/ann', now: Date.now, onStep: () => { if (left-- === 0) process.kill(process.pid, 'SIGKILL'); } });
    const text = (content) => ({ type: 'file', bytes: Buffer.from(content), mode: 0o644 });
    ${work}
  `;
  spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
}

const shell = { ...cause, action: 'shell' } as const;

describe('an opaque command', () => {
  test('that deletes, edits, creates, links and changes rights is taken back byte for byte', () => {
    put('keep.txt', 'same');
    put('edit.txt', 'old');
    put('.env', 'KEY=1');
    put('deep/er/gone.bin', '\u0000\u0001');
    put('run.sh', 'echo');
    symlinkSync('keep.txt', join(workspace, 'link'));
    put('node_modules/x/index.js', 'made by tools');
    const before = all();
    const snapshots = open();
    const id = snapshots.begin();
    spawnSync(
      'sh',
      [
        '-c',
        'rm -r deep .env link; echo new > edit.txt; chmod 700 run.sh; mkdir -p n/m; echo x > n/m/x; ln -s / root',
      ],
      {
        cwd: workspace,
      },
    );
    const made = snapshots.end(id);
    expect(made?.steps.map(({ path }) => path).sort()).toEqual(
      [
        ...['.env', 'deep', 'deep/er', 'deep/er/gone.bin', 'edit.txt', 'link'],
        ...['n', 'n/m', 'n/m/x', 'root', 'run.sh'],
      ].sort(),
    );
    snapshots.undo(made?.id ?? '', who);
    expect(all()).toEqual(before);
  });

  test('that changes nothing leaves no snapshot', () => {
    put('a.txt', 'a');
    const snapshots = open();
    expect(snapshots.end(snapshots.begin())).toBeNull();
    expect(snapshots.list()).toEqual([]);
  });

  test('finds an edit that keeps size and date', () => {
    put('a.txt', 'one');
    const snapshots = open();
    snapshots.end(snapshots.begin());
    const { atime, mtime } = statSync(join(workspace, 'a.txt'));
    const id = snapshots.begin();
    spawnSync('sh', ['-c', `printf two > a.txt; touch -d '${mtime.toISOString()}' a.txt`], {
      cwd: workspace,
    });
    expect(atime).toBeDefined();
    expect(snapshots.end(id)?.steps.map(({ path }) => path)).toEqual(['a.txt']);
  });

  test('whose process was killed is ended later', () => {
    put('a.txt', 'a');
    inProcess(`
      atOnce(snapshots.before(${JSON.stringify(shell)}));
      process.kill(process.pid, 'SIGKILL');
    `);
    rmSync(join(workspace, 'a.txt'));
    const snapshots = open();
    const [ended] = snapshots.catchUp();
    snapshots.undo(ended?.id ?? '', who);
    expect(all()).toEqual({ 'a.txt': '644 a' });
    put('a.txt', 'mine');
    expect(snapshots.catchUp()).toEqual([]);
  });

  test('that still runs is caught up with, and goes on', () => {
    put('a.txt', 'a');
    const snapshots = open();
    const id = snapshots.begin();
    put('a.txt', 'b');
    const [first] = open().catchUp();
    put('a.txt', 'c');
    const second = snapshots.end(id);
    expect([first?.steps.length, second?.steps.length]).toEqual([1, 1]);
    snapshots.undo(second?.id ?? '', who);
    expect(all()).toEqual({ 'a.txt': '644 b' });
    snapshots.undo(first?.id ?? '', who);
    expect(all()).toEqual({ 'a.txt': '644 a' });
  });

  test('a file that was not kept is named, and the rest comes back', () => {
    put('a.txt', 'a');
    put('big.bin', 'x'.repeat(2000));
    const snapshots = open(undefined, { fileBytes: 1000 });
    const id = snapshots.begin();
    rmSync(join(workspace, 'big.bin'));
    put('a.txt', 'b');
    const made = snapshots.end(id);
    expect(made?.preImage).toMatchObject({ complete: false, unkept: [{ path: 'big.bin' }] });
    const { left } = snapshots.undo(made?.id ?? '', who);
    expect(left).toEqual([{ path: 'big.bin', why: 'what it was before is not kept' }]);
    expect(all()).toEqual({ 'a.txt': '644 a' });
  });

  test('a damaged cache is begun anew', () => {
    put('a.txt', 'a');
    const snapshots = open();
    snapshots.end(snapshots.begin());
    const [key = ''] = readdirSync(join(folder, 'store'));
    writeFileSync(join(folder, 'store', key, 'list.jsonl'), '{"version":1,');
    const id = snapshots.begin();
    put('a.txt', 'b');
    snapshots.undo(snapshots.end(id)?.id ?? '', who);
    expect(all()).toEqual({ 'a.txt': '644 a' });
  });

  test('many workspaces of many shapes come back', () => {
    const name = fc.stringMatching(/^[a-z]{1,3}$/);
    const files = fc.dictionary(
      fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
      fc.string(),
      { maxKeys: 8 },
    );
    fc.assert(
      fc.property(files, files, (first, second) => {
        rmSync(workspace, { recursive: true });
        mkdirSync(workspace);
        const fill = (some: Readonly<Record<string, string>>) => {
          for (const [path, content] of Object.entries(some)) {
            try {
              put(path, content);
            } catch {
              // A file exists at the path of a folder: the shape is simply smaller.
            }
          }
        };
        fill(first);
        const filesOf = () =>
          Object.fromEntries(Object.entries(all()).filter(([, what]) => what !== 'folder'));
        const before = filesOf();
        const snapshots = open();
        const id = snapshots.begin();
        for (const path of Object.keys(first))
          if (path.length % 2 === 0) rmSync(join(workspace, path), { force: true, recursive: true });
        fill(second);
        const made = snapshots.end(id);
        if (made !== null) snapshots.undo(made.id, who);
        expect(filesOf()).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

describe('recovery', () => {
  /** A change in a process that kills itself at one of its steps. */
  function crashAt(step: number): void {
    inProcess(
      `atOnce(snapshots.change([{ path: 'a.txt', to: text('new') }, { path: 'b.txt', to: null }, { path: 'n/c.txt', to: text('new') }], ${JSON.stringify(cause)}));`,
      step,
    );
  }

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('after a kill at step %i finds the old or the new', (step) => {
    put('a.txt', 'old');
    put('b.txt', 'old');
    crashAt(step);
    const snapshots = open();
    expect(snapshots.recover()).toEqual([]);
    const old = { 'a.txt': '644 old', 'b.txt': '644 old' };
    const made = { 'a.txt': '644 new', n: 'folder', 'n/c.txt': '644 new' };
    const whole = step >= 6;
    expect(all()).toEqual(whole ? made : old);
    expect(snapshots.list()).toHaveLength(whole ? 1 : 0);
    const [snapshot] = snapshots.list();
    if (snapshot !== undefined) snapshots.undo(snapshot.id, who);
    expect(all()).toEqual(old);
  });

  test('leaves alone what somebody changed since', () => {
    put('a.txt', 'old');
    put('b.txt', 'old');
    crashAt(2);
    put('a.txt', 'mine');
    expect(open().recover()).toEqual(['a.txt']);
    expect(all()).toEqual({ 'a.txt': '644 mine', 'b.txt': '644 old' });
  });

  test('drops a snapshot that was cut off: nothing had begun', () => {
    put('a.txt', 'old');
    put('b.txt', 'old');
    crashAt(1);
    const [key = ''] = readdirSync(join(folder, 'store'));
    const names = readdirSync(join(folder, 'store', key));
    const file = join(folder, 'store', key, names.find((name) => name.endsWith('.open')) ?? '');
    writeFileSync(file, readFileSync(file).subarray(0, -2));
    expect(open().recover()).toEqual([]);
    expect(existsSync(file)).toBe(false);
    expect(all()).toEqual({ 'a.txt': '644 old', 'b.txt': '644 old' });
  });
});

describe('where snapshots are kept', () => {
  test.each(['/', '/home', '/home/ann'])('%s is no workspace', (place) => {
    expect(
      () => new Snapshots({ store: '/s', workspace: place, personHome: '/home/ann', now: Date.now }),
    ).toThrow(NoWorkspace);
  });

  test('never inside the workspace', () => {
    expect(
      () =>
        new Snapshots({ store: '/w/.sallyport', workspace: '/w', personHome: '/home/ann', now: Date.now }),
    ).toThrow(NoWorkspace);
  });

  test('the oldest go when there is no room', () => {
    const snapshots = open();
    for (let index = 0; index < 5; index++) {
      put('a.txt', `${index}`.repeat(10_000));
      snapshots.change([{ path: 'a.txt', to: text(`new ${index}`) }], cause);
    }
    expect(snapshots.tidy({ bytes: 25_000 })).toBe(3);
    expect(snapshots.list()).toHaveLength(2);
  });
});

test('a folder that is swapped for a link all the while never lets a byte out', () => {
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  mkdirSync(join(workspace, 'swap'));
  symlinkSync(outside, join(workspace, 'link'));
  // Between two renames the folder is missing, and the writer may create it: then the race starts again.
  const racer = `
    import { existsSync, lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
    const [a, b, c] = ['swap', 'link', 'third'].map((name) => ${JSON.stringify(workspace)} + '/' + name);
    const end = Date.now() + 1500;
    while (Date.now() < end) {
      try {
        for (let i = 0; i < 100; i++) { renameSync(a, c); renameSync(b, a); renameSync(a, b); renameSync(c, a); }
      } catch {
        try {
          rmSync(a, { recursive: true, force: true });
          if (existsSync(c)) renameSync(c, a);
        } catch {}
        if (lstatSync(b, { throwIfNoEntry: false }) === undefined) symlinkSync(${JSON.stringify(outside)}, b);
      }
    }
  `;
  const script = `
    import { spawn } from 'node:child_process';
    import { replaceAt } from ${JSON.stringify(new URL('./anchor.ts', import.meta.url).href)};
    const racer = spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(racer)}], { stdio: 'inherit' });
    let over = false;
    racer.on('exit', () => { over = true; });
    let tried = 0, written = 0;
    while (!over) {
      for (let i = 0; i < 50; i++) {
        tried++;
        try { replaceAt(${JSON.stringify(workspace)}, 'swap/x.txt', { type: 'file', bytes: Buffer.from('x'), mode: 0o644 }, '.scratch'); written++; } catch {}
      }
      await new Promise((done) => setImmediate(done));
    }
    process.stdout.write(JSON.stringify({ tried, written }));
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const { tried, written } = JSON.parse(stdout);
  expect(readdirSync(outside)).toEqual([]);
  expect(tried).toBeGreaterThan(100);
  expect(written).toBeGreaterThan(0);
});
