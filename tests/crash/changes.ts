// npm run crash:changes [sets]: kills a process at every step of change sets, ours and those that hosts make, recovers,
// and checks every byte and every receipt; then races writes against a folder that is swapped for a link all the while.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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
import { build } from 'rolldown';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { replaceAt } from '../../src/ledger/snapshots/anchor.ts';
import {
  Conflict,
  type Content,
  inTurns,
  type Snapshots,
  stateOf,
} from '../../src/ledger/snapshots/index.ts';
import { leavePendingReceipts } from '../../src/run/apply.ts';
import { afterOf, cause, commitOf, open, setOf, type Task, type Way, ways } from './dying.ts';

const { action: _, ...who } = cause;
/** One file for the many processes that die, and its compiled code: else they would take most of their time to load it. */
const made = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-crash-')));
const dying = join(made, 'dying.mjs');
const env = { ...process.env, NODE_COMPILE_CACHE: join(made, 'compiled') };

async function prepare(): Promise<void> {
  const input = fileURLToPath(new URL('./dying.ts', import.meta.url));
  await build({ input, platform: 'node', logLevel: 'warn', output: { file: dying } });
  // One that is given nothing to do ends by itself, and so leaves its compiled code.
  const { status } = spawnSync(process.execPath, [dying], { input: '', env, stdio: ['pipe', 2, 2] });
  if (status !== 0) throw new Error('the process that shall die does not start');
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

/** Processes that are started and wait for their task: the next start while others die and are checked. */
const ready: ChildProcess[] = [];
const mostReady = 2;

/** Has a process make a change and die; gives the signal that it died of, null where it outlived the change. */
async function die(task: Task): Promise<NodeJS.Signals | null> {
  while (ready.length <= mostReady) {
    ready.push(spawn(process.execPath, [dying], { env, stdio: ['pipe', 'inherit', 'inherit'] }));
  }
  const child = ready.shift();
  if (child === undefined) throw new Error('no process is ready');
  const ended = once(child, 'exit');
  child.stdin?.end(JSON.stringify(task));
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`a process ended with ${code ?? signal}`);
  return signal;
}

interface Tally {
  kills: number;
  wrong: number;
  olds: number;
  receipts: number;
}

/** How many sets are made at once: while one waits for a disk or a process, another goes on. */
const lanes = 3;

async function crashes(sets: number): Promise<number> {
  const tally: Tally = { kills: 0, wrong: 0, olds: 0, receipts: 0 };
  let [next, done] = [0, 0];
  const lane = async () => {
    for (let number = next++; number < sets; number = next++) {
      for (const way of ways) {
        for (let step = 0; await crash(number, way, step, tally); step++);
      }
      if (++done % 50 === 0) process.stderr.write(`  ${done} change sets, ${tally.kills} kills\n`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  process.stdout.write(
    `${sets} change sets, each by us, by a host's write tool, by a host's command, by a commit of the transactional shell and by one through a host's prefix, ${tally.kills} kills with SIGKILL: ` +
      `${tally.olds} found the old state, ${tally.receipts} receipts left, ${tally.wrong} wrong.\n`,
  );
  return tally.wrong;
}

/** One set, killed at one step; false once the process outlives all of its steps. */
async function crash(number: number, way: Way, step: number, tally: Tally): Promise<boolean> {
  const isCommit = way === 'commit' || way === 'prefix';
  const { before, after } = isCommit ? commitOf(number) : plainOf(number);
  const isOne = way === 'ours' || isCommit;
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
    const signal = await die({ folder, number, way, step });
    if (signal === 'SIGKILL') tally.kills++;
    const snapshots = open(folder);
    const left = snapshots.recover();
    await inTurns(snapshots.catchUp());
    const found = now();
    if (found === old) tally.olds++;
    // A host's own writes are not one step; but whatever they changed is known, and comes back.
    let good = left.length === 0 && (!isOne || [old, JSON.stringify(sorted(after))].includes(found));
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

function plainOf(number: number) {
  const { before, changes } = setOf(number);
  return { before, after: afterOf(before, changes) };
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
    await leavePendingReceipts({ snapshots, ledger, redact, now: Date.now });
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

/**
 * A person who saves a file all the while, in place and by a rename in turn, and says in `count` how often that is done.
 * The text that is saved is its number.
 */
const editor = `
  import { renameSync, writeFileSync, openSync, writeSync } from 'node:fs';
  const [file, count] = process.argv.slice(1);
  const counter = openSync(count, 'w');
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let number = 1; ; number++) {
    const text = 'person ' + String(number).padStart(12, '0');
    if (number % 2 === 0) writeFileSync(file, text);
    else { writeFileSync(file + '~', text); renameSync(file + '~', file); }
    writeSync(counter, String(number).padStart(12, '0'), 0);
    Atomics.wait(clock, 0, 0, number % 40);
  }
`;

/** Commits against a person's edits of the same file: none of them may be replaced without being in the pre-image. */
async function editRace(rounds: number, least: number): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-edits-')));
  const work = join(folder, 'work');
  const [file, count] = [join(work, 'file.txt'), join(folder, 'count')];
  mkdirSync(work);
  writeFileSync(file, 'person 000000000000');
  writeFileSync(count, '000000000000');
  const editing = spawn(process.execPath, ['--input-type=module', '-e', editor, file, count], {
    stdio: 'inherit',
  });
  const snapshots = open(folder);
  let [committed, conflicts, lost] = [0, 0, 0];
  try {
    for (let round = 0; round < rounds; round++) {
      // The overlay is made now; the command takes a moment.
      writeFileSync(join(folder, 'start'), '');
      const { ctimeMs } = statSync(join(folder, 'start'));
      await new Promise((resolve) => setTimeout(resolve, round % 12));
      const to: Content = { type: 'file', bytes: Buffer.from(`ours ${round}`), mode: 0o644 };
      const commits = [{ path: 'file.txt', to, after: stateOf(to) }];
      try {
        const { id } = await inTurns(
          snapshots.commit(
            commits,
            { ...cause, action: 'shell' },
            (found) => found === null || found.ctimeMs < ctimeMs,
          ),
        );
        committed++;
        const saved = Number(readFileSync(count, 'utf8'));
        const isOurs = readFileSync(file, 'utf8') === `ours ${round}`;
        const before = Buffer.from(snapshots.contentBefore(id, 'file.txt') ?? []).toString();
        const last = /^person (\d+)$/.exec(before)?.[1];
        // Where our text stands, every edit that was done before came before it, so the pre-image has the last of them.
        if (isOurs && last !== undefined && Number(last) < saved) lost++;
        if (round % 50 === 0) snapshots.tidy({ bytes: 0 });
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        conflicts++;
      }
    }
    process.stdout.write(
      `${rounds} commits against a person who saves the same file: ${committed} made, ${conflicts} conflicts, ${lost} edits lost.\n`,
    );
    return lost + (committed < least || conflicts < least ? 1 : 0);
  } finally {
    editing.kill('SIGKILL');
    editing.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
}

try {
  await prepare();
  const wrong = await crashes(Number(process.argv[2] ?? '500'));
  process.exitCode = wrong + race(100_000, 300) + (await editRace(2000, 100)) === 0 ? 0 : 1;
} finally {
  const left = ready.map((child) => once(child, 'exit'));
  for (const child of ready) child.stdin?.end();
  await Promise.all(left);
  rmSync(made, { recursive: true, force: true });
}
