// Calls by external processes, known only by their begin and end: each change is attributed once, and correctly.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  atOnce,
  type Cause,
  inTurns,
  type Limits,
  PathRefused,
  type Snapshot,
  Snapshots,
  workspacesIn,
} from './index.ts';
import { settledMark } from './mark.ts';

let folder: string;
let workspace: string;
let time = 1000;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-timeline-')));
  workspace = join(folder, 'work');
  mkdirSync(workspace);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const who = { user: 'ann', tenant: 'acme', agent: 'coder', run: 'r1', decisionId: 'd1' };
const cause: Cause = { action: 'tool', ...who };

function open(limits: Partial<Limits> = {}): Snapshots {
  return new Snapshots({
    store: join(folder, 'store'),
    workspace,
    personHome: '/home/ann',
    now: () => time++,
    limits,
  });
}

const put = (path: string, content: string) => {
  mkdirSync(join(workspace, path, '..'), { recursive: true });
  writeFileSync(join(workspace, path), content);
};
const read = (path: string) => readFileSync(join(workspace, path), 'utf8');
const begin = (snapshots: Snapshots, more: Partial<Cause> = {}) =>
  atOnce(snapshots.before({ ...cause, ...more })).id;
const end = (snapshots: Snapshots, id: string) => atOnce(snapshots.after(id));
const undo = (snapshots: Snapshots, snapshot: Snapshot | null) =>
  atOnce(snapshots.undo(snapshot?.id ?? '', who));
const pathsOf = (snapshot: Snapshot | null) => snapshot?.steps.map(({ path }) => path).sort() ?? [];
/** The names that the store has for the workspace. */
const stored = (): string[] =>
  !existsSync(join(folder, 'store'))
    ? []
    : readdirSync(join(folder, 'store', readdirSync(join(folder, 'store'))[0] ?? ''));

describe('calls that run at the same time', () => {
  test('have each change laid to one of them, which names the others', () => {
    const snapshots = open();
    const first = begin(snapshots, { run: 'one', tool: 'Bash' });
    put('a', '1');
    const second = begin(snapshots, { run: 'two', tool: 'Bash' });
    put('b', '2');
    const ofSecond = end(snapshots, second);
    put('c', '3');
    const ofFirst = end(snapshots, first);
    const made = snapshots.list().map((snapshot) => [snapshot.run, pathsOf(snapshot), snapshot.during]);
    expect(made).toEqual([
      ['one', ['c'], undefined],
      ['two', ['b'], [{ agent: 'coder', run: 'one', tool: 'Bash' }]],
      ['one', ['a'], undefined],
    ]);
    for (const snapshot of snapshots.list()) undo(snapshots, snapshot);
    expect(readdirSync(workspace)).toEqual([]);
    expect([ofFirst, ofSecond].map(pathsOf)).toEqual([['c'], ['b']]);
  });

  test('leave what nobody ran for alone', () => {
    const snapshots = open();
    end(snapshots, begin(snapshots));
    put('mine', 'x');
    expect(end(snapshots, begin(snapshots))).toBeNull();
    expect(end(snapshots, 'ended long ago')).toBeNull();
  });

  test('do not record again what a change of ours did meanwhile', () => {
    put('a', 'old');
    const snapshots = open();
    const id = begin(snapshots);
    const to = { type: 'file', bytes: Buffer.from('new'), mode: 0o644 } as const;
    atOnce(snapshots.change([{ path: 'a', to }], { ...cause, action: 'apply' }));
    put('b', 'command');
    expect(pathsOf(end(snapshots, id))).toEqual(['b']);
  });

  test('do not record it again where the clock was set back either, or all snapshots were dropped', () => {
    put('a', 'old');
    put('b', 'old');
    const snapshots = open();
    const to = { type: 'file', bytes: Buffer.from('new'), mode: 0o644 } as const;
    atOnce(snapshots.change([{ path: 'c', to }], { ...cause, action: 'apply' }));
    const held = snapshots.hold(['b'], { ...cause, action: 'apply' });
    const running = begin(snapshots);
    // The dates of files that were written before the clock was set back.
    for (const name of stored()) {
      const later = Date.now() / 1000 + 3600;
      utimesSync(join(folder, 'store', readdirSync(join(folder, 'store'))[0] ?? '', name), later, later);
    }
    snapshots.tidy({ bytes: 0 });
    atOnce(snapshots.change([{ path: 'a', to }], { ...cause, action: 'apply' }));
    atOnce(snapshots.change([{ path: 'b', to }], { ...cause, action: 'apply' }));
    expect(end(snapshots, held)).toBeNull();
    expect(end(snapshots, running)).toBeNull();
  });

  test('wait for one another, in one process and in two', async () => {
    const [one, two] = [open(), open()];
    const unlock = atOnce(one.lock());
    const waiting = two.before(cause);
    expect(waiting.next().value).toBe('busy');
    const later = inTurns(waiting);
    setTimeout(unlock, 20);
    expect((await later).complete).toBe(true);
  });
});

describe('a call whose files are known', () => {
  test('keeps these and nothing else, and gives folders that it made back too', () => {
    put('a', 'old');
    chmodSync(join(workspace, 'a'), 0o600);
    const snapshots = open();
    const id = snapshots.hold(['a', 'n/m/b', 'a'], { ...cause, action: 'apply' });
    put('a', 'new');
    put('n/m/b', 'b');
    put('other', 'x');
    const made = end(snapshots, id);
    expect(pathsOf(made)).toEqual(['a', 'n/m/b']);
    undo(snapshots, made);
    expect(readdirSync(workspace).sort()).toEqual(['a', 'other']);
    expect(read('a')).toBe('old');
  });

  test('that wrote nothing leaves nothing', () => {
    put('a', 'old');
    const snapshots = open();
    expect(end(snapshots, snapshots.hold(['a', 'b'], cause))).toBeNull();
    expect(stored().filter((name) => /held|snap|owed/.test(name))).toEqual([]);
  });

  test('is in nobody else’s snapshot, and two of one file are in one', () => {
    put('a', '0');
    const snapshots = open();
    const running = begin(snapshots, { tool: 'Bash' });
    const one = snapshots.hold(['a'], { ...cause, tool: 'Write' });
    const two = snapshots.hold(['a'], { ...cause, tool: 'Edit' });
    put('a', '1');
    expect(atOnce(open().catchUp())).toHaveLength(1);
    put('a', '2');
    const made = [end(snapshots, one), end(snapshots, two), end(snapshots, running)];
    expect(made.map(pathsOf)).toEqual([['a'], [], []]);
    for (const snapshot of snapshots.list()) undo(snapshots, snapshot);
    expect(read('a')).toBe('0');
  });

  test.each<[string, () => void]>([
    ['link', () => symlinkSync('/etc/passwd', join(workspace, 'link'))],
    ['hard', () => [put('a', 'x'), linkSync(join(workspace, 'a'), join(workspace, 'hard'))]],
    ['big', () => put('big', 'x'.repeat(200))],
    ['folder/x', () => symlinkSync('/etc', join(workspace, 'folder'))],
    ['../x', () => undefined],
  ])('may not go where %s cannot be kept', (path, prepare) => {
    prepare();
    const held = () => open({ fileBytes: 100 }).hold([path], cause);
    // A link itself can be stored; the write guard decides whether it may be written through.
    if (path === 'link') expect(held).not.toThrow();
    else expect(held).toThrow(PathRefused);
  });

  test('that was cut off before it began is none', () => {
    put('a', 'old');
    const snapshots = open();
    const id = snapshots.hold(['a'], cause);
    const file = join(folder, 'store', readdirSync(join(folder, 'store'))[0] ?? '', `${id}.held`);
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    put('a', 'new');
    expect(end(snapshots, id)).toBeNull();
  });
});

describe('what cannot be brought back', () => {
  test('is told where there are too many files, and none of them is taken for new', () => {
    for (let index = 0; index < 20; index++) put(`f${index}`, 'x');
    const snapshots = open({ files: 10 });
    const { id, complete, unkept } = atOnce(snapshots.before(cause));
    expect(complete).toBe(false);
    expect(unkept[0]?.why).toContain('beyond the 10 files');
    // Without these, the next scan reaches files that the one before did not.
    for (let index = 0; index < 20; index += 2) rmSync(join(workspace, `f${index}`));
    const made = end(snapshots, id);
    const appeared = made?.steps.filter(({ before }) => before === null) ?? [];
    expect(appeared.length).toBeGreaterThan(0);
    expect(appeared.filter(({ lost }) => lost !== true)).toEqual([]);
    undo(snapshots, made);
    // Files that may have existed before stay.
    for (const { path } of appeared) expect(existsSync(join(workspace, path))).toBe(true);
  });

  test('is told where there is no room for their bytes, until there is', () => {
    put('a', 'a'.repeat(60));
    put('b', 'b'.repeat(60));
    const { id, complete, unkept } = atOnce(open({ bytes: 100 }).before(cause));
    expect(complete).toBe(false);
    expect(unkept).toHaveLength(1);
    expect(end(open({ bytes: 100 }), id)).toBeNull();
    expect(atOnce(open().before(cause)).complete).toBe(true);
  });

  test('is named: a large file that a command made, and one that it changed', () => {
    const snapshots = open({ fileBytes: 100 });
    put('large', 'x'.repeat(200));
    const id = begin(snapshots);
    put('larger', 'x'.repeat(300));
    put('large', 'y'.repeat(200));
    const made = end(snapshots, id);
    expect(made?.steps.map(({ path, lost }) => [path, lost]).sort()).toEqual([
      ['large', true],
      ['larger', true],
    ]);
  });

  test('is no change while it stays as it is', () => {
    put('a', 'x');
    linkSync(join(workspace, 'a'), join(workspace, 'hard'));
    const snapshots = open();
    end(snapshots, begin(snapshots));
    expect(end(open(), begin(snapshots))).toBeNull();
  });

  test.each([
    ['cut off', (text: string) => text.slice(0, -5)],
    ['broken', (text: string) => text.replace('"version":4', '"version":2')],
  ])('is laid to nobody where the list is %s', (_, spoil) => {
    put('mine', 'x');
    const id = begin(open());
    const file = join(folder, 'store', readdirSync(join(folder, 'store'))[0] ?? '', 'list.jsonl');
    writeFileSync(file, spoil(readFileSync(file, 'utf8')));
    put('a', 'x');
    expect(end(open(), id)).toBeNull();
  });

  test('is the same for who has looked all along and for who reads the list anew', () => {
    for (let index = 0; index < 50; index++) put(`d/f${index}`, `${index}`);
    const snapshots = open();
    end(snapshots, begin(snapshots));
    for (let round = 0; round < 30; round++) {
      const id = begin(snapshots);
      put(`d/f${round}`, `changed ${round}`);
      if (round % 3 === 0) rmSync(join(workspace, `d/f${49 - round}`), { force: true });
      if (round % 5 === 0) put(`e${round}/new`, 'new');
      const made = end(round % 2 === 0 ? snapshots : open(), id);
      expect(pathsOf(made)).toContain(`d/f${round}`);
    }
    for (const snapshot of snapshots.list()) undo(snapshots, snapshot);
    expect(readdirSync(workspace)).toEqual(['d']);
    for (let index = 0; index < 50; index++) expect(read(`d/f${index}`)).toBe(`${index}`);
  });

  test('is laid to nobody where the look before is lost', () => {
    put('mine', 'x');
    const snapshots = open();
    const id = begin(snapshots);
    rmSync(join(folder, 'store', readdirSync(join(folder, 'store'))[0] ?? '', 'list.jsonl'));
    put('a', 'x');
    expect(end(open(), id)).toBeNull();
    expect(readdirSync(workspace).sort()).toEqual(['a', 'mine']);
  });
});

test('a file that has just changed is read again, for its dates may not show a second change', () => {
  const mark = { type: 'file', size: 1, mode: 0o644, content: 5, data: 1000, number: 1, names: 1 } as const;
  expect(settledMark(mark, 1050).data).toBe(0);
  expect(settledMark(mark, 2000)).toBe(mark);
  put('a', 'one');
  const snapshots = open();
  const id = begin(snapshots);
  put('a', 'two');
  utimesSync(join(workspace, 'a'), 1, 1);
  expect(pathsOf(end(snapshots, id))).toEqual(['a']);
});

describe('a process that is killed at any step', () => {
  const dying = (work: string, step: number) => {
    const script = `
      import { writeFileSync } from 'node:fs';
      import { atOnce, Snapshots } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
      let left = ${step};
      const step = () => { if (left-- === 0) process.kill(process.pid, 'SIGKILL'); };
      const snapshots = new Snapshots({ store: ${JSON.stringify(join(folder, 'store'))}, workspace: ${JSON.stringify(workspace)},
        personHome: '/home/ann', now: Date.now, onStep: step });
      const put = (name) => { step(); writeFileSync(${JSON.stringify(workspace)} + '/' + name, 'new'); step(); };
      const cause = ${JSON.stringify(cause)};
      ${work}
    `;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'inherit',
    });
    return signal === 'SIGKILL';
  };

  test.each([
    [
      'a write',
      `const id = snapshots.hold(['a', 'b'], cause); put('a'); put('b'); atOnce(snapshots.after(id));`,
    ],
    [
      'a command',
      `const { id } = atOnce(snapshots.before(cause)); put('a'); put('b'); atOnce(snapshots.after(id));`,
    ],
  ])('of %s loses nothing that can be undone, and owes one receipt', (_, work) => {
    let killed = true;
    let step = 0;
    for (; killed; step++) {
      rmSync(join(folder, 'store'), { recursive: true, force: true });
      rmSync(join(workspace, 'b'), { force: true });
      put('a', 'old');
      killed = dying(work, step);
      const changed = read('a') !== 'old';
      const snapshots = open();
      snapshots.recover();
      atOnce(snapshots.catchUp());
      expect(snapshots.owed()).toHaveLength(changed ? 1 : 0);
      for (const snapshot of snapshots.list()) undo(snapshots, snapshot);
      expect([step, readdirSync(workspace), read('a')]).toEqual([step, ['a'], 'old']);
      expect(stored().filter((name) => /\.(?:held|pending|open)$/.test(name))).toEqual([]);
    }
    expect(step).toBeGreaterThan(6);
  });
});

describe('what is kept', () => {
  test('owes receipts until they are settled', () => {
    const snapshots = open();
    for (const name of ['a', 'b']) {
      const id = begin(snapshots);
      put(name, 'x');
      end(snapshots, id);
    }
    const owed = snapshots.owed();
    expect(owed.map(pathsOf)).toEqual([['a'], ['b']]);
    for (const { id } of owed) snapshots.settled(id);
    expect(open().owed()).toEqual([]);
    expect(snapshots.list()).toHaveLength(2);
  });

  test('goes with its age, and the copy of a workspace when nobody works there', () => {
    const snapshots = open();
    for (const name of ['a', 'b', 'c']) {
      const id = begin(snapshots);
      put(name, 'x');
      end(snapshots, id);
    }
    const [newest] = snapshots.list();
    expect(snapshots.tidy({ since: newest?.time ?? 0 })).toBe(2);
    expect(snapshots.list().map(pathsOf)).toEqual([['c']]);
    expect(snapshots.owed()).toHaveLength(1);
    expect(stored()).toContain('list.jsonl');
    const running = begin(snapshots);
    expect(snapshots.tidy({ since: Date.now() + 1000 })).toBe(1);
    expect(stored()).toContain('list.jsonl');
    end(snapshots, running);
    snapshots.tidy({ since: Date.now() + 1000 });
    expect(stored().filter((name) => !['lock', 'workspace'].includes(name))).toEqual([]);
    expect(end(snapshots, begin(snapshots))).toBeNull();
  });

  test('is found by workspace', () => {
    expect(workspacesIn(folder)).toEqual([]);
    begin(open());
    expect(workspacesIn(join(folder, 'store'))).toEqual([workspace]);
    expect(existsSync(join(workspace, 'store'))).toBe(false);
  });
});

test('a disk that refuses is told to the work, which ends there', async () => {
  const done: string[] = [];
  function* work() {
    try {
      yield [999_999] as const;
      done.push('went on');
    } finally {
      done.push('cleaned up');
    }
  }
  expect(() => atOnce(work())).toThrow('EBADF');
  await expect(inTurns(work())).rejects.toThrow('EBADF');
  expect(done).toEqual(['cleaned up', 'cleaned up']);
});
