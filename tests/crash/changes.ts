// npm run crash:changes [sets]: kills a process at every step of change sets, ours and those that hosts make, recovers,
// and checks every byte and every receipt; then races writes against a folder that is swapped for a link all the while.

import { spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { replaceAt } from '../../src/ledger/snapshots/anchor.ts';
import { atOnce, type Change, type Content, inTurns, Snapshots } from '../../src/ledger/snapshots/index.ts';
import { leaveOwed } from '../../src/run/index.ts';

const cause = { action: 'apply', user: 'u', tenant: 't', agent: 'a', run: 'r', decisionId: 'd' } as const;
const { action: _, ...who } = cause;
const self = fileURLToPath(import.meta.url);
/** Compiled code for the many processes that die: they would take most of their time to compile it again. */
const compiled = join(tmpdir(), 'sallyport-crash-compiled');

/** A change set by its number: some files are made, some changed, some deleted. */
function setOf(number: number): {
  readonly before: Readonly<Record<string, string>>;
  readonly changes: readonly Change[];
} {
  const before: Record<string, string> = {};
  const changes: Change[] = [];
  const files = 1 + (number % 5);
  for (let index = 0; index < files; index++) {
    const path = `${index % 2 === 0 ? '' : `d${number % 3}/`}f${index}.txt`;
    const kind = (number + index) % 3;
    if (kind > 0) before[path] = `old ${number} ${index}\n`.repeat(1 + ((number * 7 + index) % 50));
    const to: Content = {
      type: 'file',
      bytes: Buffer.from(`new ${number} ${index}\n`.repeat(1 + (index % 9))),
      mode: 0o644,
    };
    changes.push({ path, to: kind === 2 ? null : to });
  }
  return { before, changes };
}

function open(folder: string, onStep?: (step: string) => void): Snapshots {
  return new Snapshots({
    store: join(folder, 'store'),
    workspace: join(folder, 'work'),
    personHome: '/home/nobody',
    now: Date.now,
    ...(onStep === undefined ? {} : { onStep }),
  });
}

/** Every file below a folder with its text. */
function filesIn(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const shown = below === '' ? name : `${below}/${name}`;
    if (statSync(path).isDirectory()) Object.assign(found, filesIn(path, shown));
    else found[shown] = readFileSync(path, 'utf8');
  }
  return found;
}

/** How a set is made: by us as one, by a host's write tool, or by a command that a host runs. */
const ways = ['ours', 'write', 'command'] as const;
type Way = (typeof ways)[number];

/** In a process of its own: makes the change and kills itself at the given step. */
function dieAt(folder: string, number: number, way: Way, step: number): void {
  let left = step;
  const tick = () => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
  };
  const snapshots = open(folder, tick);
  const { changes } = setOf(number);
  if (way === 'ours') {
    atOnce(snapshots.change(changes, cause));
    return;
  }
  const paths = changes.map(({ path }) => path);
  const id =
    way === 'write'
      ? snapshots.hold(paths, cause)
      : atOnce(snapshots.before({ ...cause, action: 'shell' })).id;
  // What the host does, by itself and not as one.
  for (const { path, to } of changes) {
    tick();
    const place = join(folder, 'work', path);
    mkdirSync(join(place, '..'), { recursive: true });
    if (to === null) rmSync(place);
    else writeFileSync(place, to.bytes);
  }
  tick();
  atOnce(snapshots.after(id));
}

interface Tally {
  kills: number;
  wrong: number;
  olds: number;
  receipts: number;
}

async function crashes(sets: number): Promise<number> {
  const tally: Tally = { kills: 0, wrong: 0, olds: 0, receipts: 0 };
  for (let number = 0; number < sets; number++) {
    for (const way of ways) {
      for (let step = 0; await crash(number, way, step, tally); step++);
    }
    if (number % 50 === 49) process.stderr.write(`  ${number + 1} change sets, ${tally.kills} kills\n`);
  }
  process.stdout.write(
    `${sets} change sets, each by us, by a host's write tool and by a host's command, ${tally.kills} kills with SIGKILL: ` +
      `${tally.olds} found the old state, ${tally.receipts} receipts left, ${tally.wrong} wrong.\n`,
  );
  return tally.wrong;
}

/** One set, killed at one step; false once the process outlives all of its steps. */
async function crash(number: number, way: Way, step: number, tally: Tally): Promise<boolean> {
  const { before, changes } = setOf(number);
  const after: Record<string, string> = { ...before };
  for (const { path, to } of changes) {
    if (to === null) delete after[path];
    else after[path] = Buffer.from(to.bytes).toString();
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-crash-')));
  const work = join(folder, 'work');
  const now = () => JSON.stringify(filesIn(work));
  const old = JSON.stringify(sorted(before));
  try {
    mkdirSync(work);
    for (const [path, text] of Object.entries(before)) {
      mkdirSync(join(work, path, '..'), { recursive: true });
      writeFileSync(join(work, path), text);
    }
    const { signal } = spawnSync(process.execPath, [self, 'die', folder, String(number), way, String(step)], {
      stdio: 'inherit',
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    });
    if (signal === 'SIGKILL') tally.kills++;
    const snapshots = open(folder);
    const left = snapshots.recover();
    await inTurns(snapshots.catchUp());
    const found = now();
    if (found === old) tally.olds++;
    // A host's own writes are not one step; but whatever they changed is known, and comes back.
    let good = left.length === 0 && (way !== 'ours' || [old, JSON.stringify(sorted(after))].includes(found));
    const owed = snapshots.owed().length;
    const receipts = owed === 0 ? 0 : await receiptsLeft(folder, snapshots);
    good &&= receipts === owed && owed === (way === 'ours' || found === old ? 0 : 1);
    tally.receipts += receipts;
    for (const { id } of snapshots.list()) await inTurns(snapshots.undo(id, who));
    good &&= now() === old;
    if (!good) {
      tally.wrong++;
      process.stdout.write(`set ${number}, ${way}, step ${step}: ${found.slice(0, 200)}\n`);
    }
    return signal === 'SIGKILL';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Leaves the receipts that are owed; gives how many there are, and none if they do not verify. */
async function receiptsLeft(folder: string, snapshots: Snapshots): Promise<number> {
  const keys = join(folder, 'keys');
  mkdirSync(keys, { mode: 0o700 });
  const ledger = await Ledger.open({
    store: { file: join(folder, 'ledger.db') },
    operatorKey: operatorKeyIn(keys),
    chain: chainIn(keys),
    check: () => false,
    now: Date.now,
  });
  try {
    const redact = (text: string) => ({ text, redactions: {} });
    await leaveOwed({ snapshots, ledger, redact, now: Date.now });
    const { valid, receipts } = await ledger.receipts.verify();
    return valid && snapshots.owed().length === 0 ? receipts : 0;
  } finally {
    await ledger.close();
  }
}

function sorted(files: Readonly<Record<string, string>>): Record<string, string> {
  // As a walk through folders gives them.
  const top = Object.keys(files).map((path) => ({ path, key: path.split('/').join('\u0000') }));
  return Object.fromEntries(
    top.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ path }) => [path, files[path] ?? '']),
  );
}

const racer = `
  import { existsSync, lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
  const [work, outside] = process.argv.slice(1);
  const [a, b, c] = ['swap', 'link', 'third'].map((name) => work + '/' + name);
  for (;;) {
    try {
      for (let i = 0; i < 100; i++) { renameSync(a, c); renameSync(b, a); renameSync(a, b); renameSync(c, a); }
    } catch {
      try {
        rmSync(a, { recursive: true, force: true });
        if (existsSync(c)) renameSync(c, a);
      } catch {}
      if (lstatSync(b, { throwIfNoEntry: false }) === undefined) symlinkSync(outside, b);
    }
  }
`;

function race(attempts: number, least: number): number {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-race-')));
  const [work, outside] = [join(folder, 'work'), join(folder, 'outside')];
  mkdirSync(join(work, 'swap'), { recursive: true });
  mkdirSync(outside);
  symlinkSync(outside, join(work, 'link'));
  const swapping = spawn(process.execPath, ['--input-type=module', '-e', racer, work, outside], {
    stdio: 'inherit',
  });
  let written = 0;
  let tried = 0;
  try {
    const end = Date.now() + 600_000;
    while ((tried < attempts || written < least) && Date.now() < end) {
      tried++;
      try {
        replaceAt(
          work,
          'swap/x.txt',
          { type: 'file', bytes: Buffer.from('x'), mode: 0o644 },
          `.scratch-${tried}`,
        );
        written++;
      } catch {
        // Refused, or the folder was gone: both are safe.
      }
    }
    const leaked = readdirSync(outside).length;
    process.stdout.write(
      `${tried} writes against a swapped folder, ${written} made, ${leaked} files outside.\n`,
    );
    return leaked + (tried < attempts || written < least ? 1 : 0);
  } finally {
    swapping.kill('SIGKILL');
    swapping.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
}

const [verb = '500', folder = '', number = '0', named = '', step = '0'] = process.argv.slice(2);
const way = ways.find((known) => known === named);
if (verb === 'die' && way !== undefined) dieAt(folder, Number(number), way, Number(step));
else {
  process.exitCode = (await crashes(Number(verb))) + race(100_000, 300) === 0 ? 0 : 1;
  rmSync(compiled, { recursive: true, force: true });
}
