// What keeping changes costs: capture and restore beside git in a workspace of 10,000 files, and receipts beside one
// commit each.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { configOf, settingsFrom } from '../src/config/index.ts';
import { realWorld } from '../src/decide/index.ts';
import type { ReceiptBody } from '../src/ledger/index.ts';
import { type Cause, inTurns, type Snapshot, Snapshots } from '../src/ledger/snapshots/index.ts';
import { Captures } from '../src/run/captures.ts';
import { context, deciderFor, openLedger } from './parts.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const fileCount = 10_000;
const folderCount = 250;
const rounds = 7;
const cause: Cause = { action: 'tool', user: 'u', tenant: 't', agent: 'a', run: 'r', decisionId: 'd' };

export const captures: Benchmark = async (progress) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-bench-')));
  try {
    progress(`a workspace of ${fileCount.toLocaleString('en')} files`);
    const place = makePlace(folder);
    const rows: Row[] = [];
    progress('capture of a guarded write, and git stash create');
    rows.push(await guardedWrite(place));
    progress('capture around a command, and a commit of a shadow repository');
    rows.push(await aroundCommand(place));
    progress('restore of 100 files, and git');
    rows.push(await restore(place));
    progress('receipts');
    rows.push(await receipts(folder));
    for (const count of [20_000, 100_000]) {
      progress(`a workspace of ${count.toLocaleString('en')} files`);
      rows.push(...(await largeTree(folder, count)));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

interface Place {
  readonly workspace: string;
  readonly snapshots: Snapshots;
  path(index: number): string;
  change(indexes: readonly number[], word: string): void;
  /** Git in the workspace's own repository, or in one that shadows it. */
  git(where: 'own' | 'shadow', ...words: readonly string[]): string;
}

function makePlace(folder: string): Place {
  const workspace = join(folder, 'workspace');
  const path = (index: number) => `d${index % folderCount}/f${index}.txt`;
  const text = (index: number, word: string) =>
    `${word} ${index} ${'x'.repeat(40)}\n`.repeat(20 + (index % 160));
  const change: Place['change'] = (indexes, word) => {
    for (const index of indexes) writeFileSync(join(workspace, path(index)), text(index, word));
  };
  for (let index = 0; index < folderCount; index++)
    mkdirSync(join(workspace, `d${index}`), { recursive: true });
  change([...Array(fileCount).keys()], 'first');
  const git: Place['git'] = (where, ...words) => {
    const repository = where === 'own' ? join(workspace, '.git') : join(folder, 'shadow');
    const { status, stdout, stderr } = spawnSync(
      'git',
      [`--git-dir=${repository}`, `--work-tree=${workspace}`, ...words],
      {
        cwd: workspace,
        encoding: 'utf8',
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      },
    );
    if (status !== 0) throw new Error(`git ${words[0]}: ${stderr}`);
    return stdout.trim();
  };
  for (const where of ['own', 'shadow'] as const) {
    git(where, 'init', '--quiet');
    for (const [name, value] of [
      ['user.name', 'bench'],
      ['user.email', 'bench@example.com'],
      ['gc.auto', '0'],
    ] as const) {
      git(where, 'config', name, value);
    }
    git(where, 'add', '-A');
    git(where, 'commit', '--quiet', '-m', 'first');
  }
  const snapshots = new Snapshots({
    store: join(folder, 'store'),
    workspace,
    personHome: '/home/nobody',
    now: Date.now,
  });
  return { workspace, snapshots, path, change, git };
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** One file is about to be written: what it holds is kept and on disk; git keeps what has changed in the workspace. */
async function guardedWrite({ snapshots, path, change, git }: Place): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    change([round], `stash ${round}`);
    theirs.push(await timed(() => git('own', 'stash', 'create')));
    let id = '';
    ours.push(
      await timed(() => {
        id = snapshots.hold([path(round)], { ...cause, action: 'apply' });
      }),
    );
    await inTurns(snapshots.after(id));
  }
  return row('capture of a guarded write', ours, theirs, 'git stash create', 0.05);
}

/** A command changes one file: both looks against one commit that a tool with a shadow repository makes. */
async function aroundCommand({ snapshots, change, git }: Place): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  await inTurns(snapshots.after((await inTurns(snapshots.before(cause))).id));
  for (let round = 0; round < rounds; round++) {
    change([1000 + round], `ours ${round}`);
    theirs.push(
      await timed(() => {
        git('shadow', 'add', '-A');
        git('shadow', 'commit', '--quiet', '-m', `round ${round}`);
      }),
    );
    let id = '';
    const before = await timed(async () => {
      id = (await inTurns(snapshots.before(cause))).id;
    });
    change([2000 + round], `command ${round}`);
    let made: Snapshot | null = null;
    const after = await timed(async () => {
      made = await inTurns(snapshots.after(id));
    });
    expectSteps(made, 1);
    ours.push(before + after);
  }
  return row('both looks around a command', ours, theirs, 'git add -A; git commit', 3);
}

async function restore({ snapshots, change, git }: Place): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const hundred = Array.from({ length: 100 }, (_, index) => 3000 + index * 37);
  for (let round = 0; round < rounds; round++) {
    git('shadow', 'add', '-A');
    git('shadow', 'commit', '--quiet', '--allow-empty', '-m', `restore ${round}`);
    change(hundred, `restore ${round}`);
    theirs.push(await timed(() => git('shadow', 'restore', '--source=HEAD', '--', '.')));
    const { id } = await inTurns(snapshots.before(cause));
    change(hundred, `restore ${round}`);
    const made = await inTurns(snapshots.after(id));
    expectSteps(made, 100);
    ours.push(await timed(() => inTurns(snapshots.undo(made?.id ?? '', cause))));
    if (git('shadow', 'status', '--porcelain') !== '') throw new Error('not everything was restored');
  }
  return row('restore of 100 files', ours, theirs, 'git restore', 1);
}

/**
 * Both looks around a command in a large workspace beside the status that git gives of it, which reads as much: warm, in
 * turns, one file changed each time.
 */
async function largeTree(folder: string, count: number): Promise<readonly Row[]> {
  const workspace = join(folder, `tree-${count}`);
  const folders = Math.ceil(count / 40);
  const path = (index: number) => `d${index % 50}/e${index % folders}/f${index}.txt`;
  for (let index = 0; index < folders; index++)
    mkdirSync(join(workspace, `d${index % 50}/e${index}`), { recursive: true });
  const put = (index: number, word: string) => {
    const file = join(workspace, `d${(index % folders) % 50}/e${index % folders}/f${index}.txt`);
    writeFileSync(file, `${word} ${path(index)}\n`.repeat(1 + (index % 40)));
  };
  for (let index = 0; index < count; index++) put(index, 'first');
  const git = (...words: readonly string[]) => {
    const { status, stderr } = spawnSync('git', words, {
      cwd: workspace,
      encoding: 'utf8',
      env: { ...process.env, ...quietGit },
      maxBuffer: 1 << 28,
    });
    if (status !== 0) throw new Error(`git ${words[0]}: ${stderr}`);
  };
  git('init', '--quiet');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
  git('gc', '--quiet');
  const snapshots = new Snapshots({
    store: join(folder, `store-${count}`),
    workspace,
    personHome: '/home/nobody',
    now: Date.now,
  });
  const store = join(folder, `store-${count}`);
  const memory = heldMemory();
  const first = await timed(() => inTurns(snapshots.before(cause)));
  for (const { id } of snapshots.preImages()) await inTurns(snapshots.after(id));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await timed(() => git('status', '--porcelain', '-uall', '--ignored')));
    let id = '';
    const before = await timed(async () => {
      id = (await inTurns(snapshots.before(cause))).id;
    });
    put(1000 + round, `round ${round}`);
    let made: Snapshot | null = null;
    const after = await timed(async () => {
      made = await inTurns(snapshots.after(id));
    });
    expectSteps(made, 1);
    ours.push(before + after);
  }
  const grown = (heldMemory() - memory) / 1_048_576;
  const named = count.toLocaleString('en');
  process.stderr.write(
    `  ${named} files: first look ${short(first)} ms, ${short(grown)} MB of memory, ${short(diskOf(store))} MB on disk, ${short(snapshotSize(store))} kB a snapshot\n`,
  );
  const reading = await onlyReads(folder, workspace, named, median(theirs));
  rmSync(workspace, { recursive: true, force: true });
  return [row(`both looks, ${named} files`, ours, theirs, 'git status -uall --ignored', 1.5), reading];
}

/** How much memory is in use once everything is gone that nothing refers to. */
function heldMemory(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** How much a folder takes on the disk, in MB. */
function diskOf(folder: string): number {
  return Number(spawnSync('du', ['-sk', folder], { encoding: 'utf8' }).stdout.split('\t')[0]) / 1024;
}

/** How much a snapshot of one changed file takes, in kB. */
function snapshotSize(store: string): number {
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' });
  const sizes = files
    .filter((name) => name.endsWith('.snap'))
    .map((name) => statSync(join(store, name)).size);
  return median(sizes) / 1024;
}

/** Commands that are certain to only read: they are judged, and nothing is looked at or stored for them. */
async function onlyReads(folder: string, workspace: string, named: string, status: number): Promise<Row> {
  const store = join(folder, `reads-${named}`);
  mkdirSync(store);
  const config = configOf(() => settingsFrom({}));
  const decider = deciderFor(settingsFrom({}));
  const ledger = await openLedger(store);
  const captures = new Captures({
    ...{ store: join(store, 'snapshots'), personHome: '/home/nobody', config, ledger, world: realWorld() },
    report: (event, error) => {
      throw new Error(event, { cause: error });
    },
  });
  const asking = { ...context, workspace };
  const around = async (command: string) => {
    const decided = await decider.decide({ kind: 'shell', command, cwd: workspace }, asking);
    const call = { tool: 'Bash', arguments: { command } };
    return await timed(async () => {
      await captures.begin(call, asking, decided);
      await captures.end(call, asking);
    });
  };
  try {
    const ours: number[] = [];
    for (let round = 0; round < rounds; round++)
      for (const command of [
        'ls -la d1',
        'grep -rn first d1 | head -3',
        'git log --oneline -3',
        'cat d1/*/*',
      ])
        ours.push(await around(command));
    if (existsSync(join(store, 'snapshots')))
      throw new Error('something was stored for a command that reads');
    await around('make');
    if (!existsSync(join(store, 'snapshots')))
      throw new Error('nothing was stored for a command that may write');
    return row(
      `a command that only reads, ${named} files`,
      ours,
      [status],
      'git status -uall --ignored',
      0.01,
    );
  } finally {
    await captures.stop();
    await ledger.close();
  }
}

const quietGit = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'gc.auto', GIT_CONFIG_VALUE_0: '0' },
  ...{ GIT_AUTHOR_NAME: 'bench', GIT_AUTHOR_EMAIL: 'bench@example.com' },
  ...{ GIT_COMMITTER_NAME: 'bench', GIT_COMMITTER_EMAIL: 'bench@example.com' },
};

function expectSteps(made: Snapshot | null, count: number): void {
  if (made?.steps.length !== count)
    throw new Error(`${made?.steps.length ?? 0} files were seen to change, not ${count}`);
}

function row(
  what: string,
  ours: readonly number[],
  theirs: readonly number[],
  peer: string,
  most: number,
): Row {
  const [own, other] = [median(ours), median(theirs)];
  return {
    what,
    ours: `${short(own)} ms`,
    floor: `${short(other)} ms (${peer})`,
    ratio: short(own / other),
    goal: `≤ ${most}`,
    met: own / other <= most,
  };
}

/** Receipts that many callers wait for at once against one after the other, each with a commit of its own. */
async function receipts(folder: string): Promise<Row> {
  const ledger = await openLedger(folder);
  const owner = { user: 'u', tenant: 't', agent: 'a', decisionId: 'd' };
  const [alone, together] = [100, 2000];
  const ours: number[] = [];
  const theirs: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const single = await timed(async () => {
        for (let number = 0; number < alone; number++) await ledger.receipts.add(receipt(number), owner);
      });
      theirs.push((alone * 1000) / single);
      const grouped = await timed(() =>
        Promise.all(
          Array.from({ length: together }, (_, number) => ledger.receipts.add(receipt(number), owner)),
        ),
      );
      ours.push((together * 1000) / grouped);
    }
    const { valid, receipts: count } = await ledger.receipts.verify();
    if (!valid || count !== rounds * (alone + together))
      throw new Error('the receipts are not what was written');
  } finally {
    await ledger.close();
  }
  const [own, other] = [median(ours), median(theirs)];
  return {
    what: 'receipts, committed together',
    ours: `${short(own)}/s`,
    floor: `${short(other)}/s (one commit each)`,
    ratio: short(own / other),
    goal: '≥ 10',
    met: own / other >= 10,
  };
}

function receipt(number: number): ReceiptBody {
  const hash = String(number).padStart(64, '0');
  return {
    receipt_id: `receipt-${number}`,
    timestamp: '2026-11-16T00:00:00.000Z',
    user_id: 'u',
    workspace_id: 'w',
    run_id: 'r',
    action: 'apply',
    applied: true,
    files: [{ path: 'src/a.ts', before_hash: hash, after_hash: hash }],
    diffs: [{ path: 'src/a.ts', hunks: ['@@ -1 +1 @@\n-a\n+b\n'] }],
    snapshot_id: hash.slice(0, 36),
    symbols_checked: 3,
    missing_references: [],
    redactions: {},
    guards: { write: 'pass', hallucination: 'pass', egress: 'pass' },
    cost: { usd: 0, tokens_in: 0, tokens_out: 0 },
    models: [],
  };
}
