// The symbol index beside universal-ctags, and the check of one file beside the compiler, in one run.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { parseModules } from '../src/decide/index.ts';
import { checkFile } from '../src/guards/symbols/check.ts';
import { overlay } from '../src/guards/symbols/overlay.ts';
import { SymbolStore } from '../src/ledger/symbols/index.ts';
import { walkSources } from '../src/ledger/symbols/walk.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const rounds = 3;
const fewestFiles = 5000;
const repository = dirname(dirname(fileURLToPath(import.meta.url)));

export const symbols: Benchmark = async (progress) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-symbols-')));
  try {
    const typescript = join(folder, 'typescript');
    progress(
      `a tree of ${copySources(typescript, /\.(?:c|m)?[jt]sx?$/, [join(repository, 'node_modules')])} TypeScript and JavaScript files`,
    );
    const python = join(folder, 'python');
    progress(
      `a tree of ${copySources(python, /\.pyi?$/, ['/usr/lib/python3.11', '/usr/lib/python3'])} Python files`,
    );
    const run = await bundle(folder);
    return [
      ...indexRows('TypeScript', 'TypeScript,JavaScript', run, typescript, join(folder, 'a'), 0.5),
      ...indexRows('Python', 'Python', run, python, join(folder, 'b'), 1),
      ...(await checkRows(python, progress)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Copies the sources below some folders, again under other names until there are enough. */
function copySources(to: string, wanted: RegExp, from: readonly string[]): number {
  const found = from
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => {
      const real = realpathSync(folder);
      return readdirSync(real, { recursive: true, encoding: 'utf8' })
        .filter((file) => wanted.test(file))
        .map((file) => [real, file] as const);
    });
  const files = found.filter(([folder, file]) => {
    const { size, mode } = statSync(join(folder, file), { throwIfNoEntry: false }) ?? { size: 0, mode: 0 };
    return size > 0 && size < 500_000 && (mode & 0o170000) === 0o100000;
  });
  mkdirSync(to, { recursive: true });
  let copied = 0;
  for (let copy = 0; files.length > 0 && copied < fewestFiles; copy++) {
    for (const [folder, file] of files) {
      const place = join(
        to,
        `copy-${copy}`,
        file.replaceAll('node_modules', 'modules').replaceAll('dist/', 'd/').replaceAll('build/', 'b/'),
      );
      mkdirSync(dirname(place), { recursive: true });
      cpSync(join(folder, file), place);
      copied++;
    }
  }
  return copied;
}

type Indexer = (root: string, store: string, how: 'cold' | 'warm') => Took;

interface Took {
  readonly files: number;
  readonly milliseconds: number;
  readonly megabytes: number;
  /** With the start of Node. */
  readonly wall: number;
}

/** The indexer in files of its own, as the product's bundle has it. */
async function bundle(folder: string): Promise<Indexer> {
  const dir = join(folder, 'bundle');
  await build({
    cwd: repository,
    input: { index: 'benchmarks/symbols-index.ts', thread: 'src/decide/symbols-worker.ts' },
    platform: 'node',
    logLevel: 'silent',
    output: { dir, format: 'esm', entryFileNames: '[name].mjs' },
  });
  symlinkSync(join(repository, 'node_modules'), join(dir, 'node_modules'));
  const [program, thread] = [join(dir, 'index.mjs'), join(dir, 'thread.mjs')];
  return (root, store, how) => {
    const start = performance.now();
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, root, store, how, thread], {
      encoding: 'utf8',
    });
    const wall = performance.now() - start;
    if (status !== 0) throw new Error(stderr);
    return { ...(JSON.parse(stdout) as Omit<Took, 'wall'>), wall };
  };
}

/** How long universal-ctags takes; null where it is not installed. */
function ctags(languages: string, root: string, tags: string): number | null {
  const start = performance.now();
  // It warns of every name that it cannot tell, which is more than a pipe is read of.
  const { status, error } = spawnSync('ctags', ['-R', `--languages=${languages}`, '-f', tags, root], {
    stdio: 'ignore',
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return null;
  if (status !== 0) throw new Error(`ctags failed: ${error?.message ?? status}`);
  return performance.now() - start;
}

function indexRows(
  name: string,
  languages: string,
  indexed: Indexer,
  root: string,
  store: string,
  goal: number,
): readonly Row[] {
  const cold: number[] = [];
  const warm: number[] = [];
  const memory: number[] = [];
  const peer: number[] = [];
  let files = 0;
  for (let round = 0; round < rounds; round++) {
    rmSync(store, { recursive: true, force: true });
    mkdirSync(store, { mode: 0o700 });
    const first = indexed(root, store, 'cold');
    files = first.files;
    cold.push(first.wall);
    memory.push(first.megabytes);
    warm.push(indexed(root, store, 'warm').milliseconds);
    const took = ctags(languages, root, join(store, 'tags'));
    if (took !== null) peer.push(took);
  }
  const floor = peer.length === 0 ? Number.NaN : median(peer);
  const against = (what: string, ours: number, most: number): Row => ({
    what,
    ours: `${short(ours)} ms`,
    floor: Number.isNaN(floor) ? 'ctags is not installed' : `ctags ${short(floor)} ms`,
    ratio: Number.isNaN(floor) ? '' : `${short(ours / floor)}`,
    goal: `≤ ${most}`,
    met: !Number.isNaN(floor) && ours / floor <= most,
  });
  const peak = Math.max(...memory);
  return [
    against(`${name} index, cold, ${files} files, with the start of Node`, median(cold), goal),
    against(`${name} index, warm`, median(warm), 0.05),
    {
      what: `${name} index, most memory`,
      ours: `${short(peak)} MB`,
      floor: '',
      ratio: '',
      goal: '≤ 400 MB',
      met: peak <= 400,
    },
  ];
}

/** One changed file at a time, in a process that has its index, as the daemon does. */
async function checkRows(python: string, progress: (text: string) => void): Promise<readonly Row[]> {
  progress('checks of one file');
  const typescript = await checkTimes(repository);
  const scripts = await checkTimes(python);
  progress('tsc --noEmit');
  const compile: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    spawnSync(join(repository, 'node_modules/.bin/tsc'), ['--noEmit', '-p', repository]);
    compile.push(performance.now() - start);
  }
  const ratio = median(compile) / median(typescript);
  const row = (name: string, times: readonly number[], goal: number): Row => {
    const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
    return {
      what: `check of one ${name} file, p95 of ${times.length}`,
      ours: `${short(p95)} ms`,
      floor: '',
      ratio: '',
      goal: `≤ ${goal} ms`,
      met: p95 <= goal,
    };
  };
  return [
    row('TypeScript', typescript, 5),
    row('Python', scripts, 10),
    {
      what: 'check of one changed file',
      ours: `${short(median(typescript))} ms`,
      floor: `tsc --noEmit ${short(median(compile))} ms`,
      ratio: `${short(ratio)} × faster`,
      goal: '≥ 50 ×',
      met: ratio >= 50,
    },
  ];
}

async function checkTimes(root: string): Promise<readonly number[]> {
  const reader = await parseModules();
  const store = new SymbolStore({ store: null, reader: async () => reader });
  await store.index(root);
  const files = [...(await walkSources(root, 100_000)).files.keys()]
    .filter((file) => !file.endsWith('/package.json'))
    .slice(0, 1000);
  const times: number[] = [];
  // The first round warms the process up.
  for (let round = 0; round < 2; round++) {
    for (const path of files) {
      const text = readFileSync(path, 'utf8');
      await new Promise((next) => setImmediate(next));
      const start = performance.now();
      const tree = await store.of(root, reader);
      if (tree !== null) checkFile(text, path, root, overlay(tree, new Map([[path, text]]), reader), reader);
      if (round > 0) times.push(performance.now() - start);
    }
  }
  return times;
}
