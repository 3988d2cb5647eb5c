// npm run crash:changes [sets]: kills a process at every step of change sets, recovers, and checks every byte; then
// races writes against a folder that is swapped for a link all the while.

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
import { replaceAt } from '../../src/ledger/snapshots/anchor.ts';
import { type Change, type Content, Snapshots } from '../../src/ledger/snapshots/index.ts';

const cause = { action: 'apply', user: 'u', tenant: 't', agent: 'a', run: 'r', decisionId: 'd' } as const;
const { action: _, ...who } = cause;
const self = fileURLToPath(import.meta.url);

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

/** In a process of its own: makes the change and kills itself at the given step. */
function dieAt(folder: string, number: number, step: number): void {
  let left = step;
  open(folder, () => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
  }).change(setOf(number).changes, cause);
}

function crashes(sets: number): number {
  let kills = 0;
  let wrong = 0;
  let olds = 0;
  for (let number = 0; number < sets; number++) {
    const { before, changes } = setOf(number);
    const after: Record<string, string> = { ...before };
    for (const { path, to } of changes) {
      if (to === null) delete after[path];
      else after[path] = Buffer.from(to.bytes).toString();
    }
    for (let step = 0; step < changes.length + 2; step++) {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-crash-')));
      try {
        mkdirSync(join(folder, 'work'));
        for (const [path, text] of Object.entries(before)) {
          mkdirSync(join(folder, 'work', path, '..'), { recursive: true });
          writeFileSync(join(folder, 'work', path), text);
        }
        const { signal } = spawnSync(process.execPath, [self, 'die', folder, String(number), String(step)], {
          stdio: 'inherit',
        });
        if (signal === 'SIGKILL') kills++;
        const snapshots = open(folder);
        const left = snapshots.recover();
        const found = JSON.stringify(filesIn(join(folder, 'work')));
        const isOld = found === JSON.stringify(sorted(before));
        const isNew = found === JSON.stringify(sorted(after));
        if (isOld) olds++;
        let good = left.length === 0 && (isOld || isNew);
        const [made] = snapshots.list();
        if (made !== undefined) {
          snapshots.undo(made.id, who);
          good &&= JSON.stringify(filesIn(join(folder, 'work'))) === JSON.stringify(sorted(before));
        } else good &&= isOld;
        if (!good) {
          wrong++;
          process.stdout.write(`set ${number}, step ${step}: ${found.slice(0, 200)}\n`);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    if (number % 50 === 49) process.stderr.write(`  ${number + 1} change sets, ${kills} kills\n`);
  }
  process.stdout.write(
    `${sets} change sets, ${kills} kills with SIGKILL: ${olds} found the old state, ${wrong} wrong.\n`,
  );
  return wrong;
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

const [verb = '500', folder = '', number = '0', step = '0'] = process.argv.slice(2);
if (verb === 'die') dieAt(folder, Number(number), Number(step));
else process.exitCode = crashes(Number(verb)) + race(100_000, 300) === 0 ? 0 : 1;
