// What a person waits for: a command in a clone beside the same from the package, and the doctor.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtProgram } from './spine.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const clone = join(root, 'bin/sallyport.cjs');
const rounds = 30;
const visits = 5;
/** The most processor time that the doctor may take in our own processes, in seconds. */
const mostDoctor = 1;
/** How much longer a command may take in a clone than from the package. */
const mostClone = 2;

export const day: Benchmark = async (progress) => {
  // Below node_modules, so that the package finds what is not bundled.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const built = mkdtempSync(join(cache, 'sallyport-bench-'));
  const place = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const run = (program: string, args: readonly string[]) => {
    const start = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: place,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: place },
    });
    return { took: performance.now() - start, status, stdout, stderr };
  };
  const must = (program: string, args: readonly string[]) => {
    const ended = run(program, args);
    if (ended.status !== 0) throw new Error(`sallyport ${args[0]}: ${ended.stderr || ended.stdout}`);
    return ended;
  };
  try {
    progress('build');
    const program = builtProgram(built);
    bundleClone();
    // A person who uses it has a home; the first command made it.
    for (const one of [clone, program]) for (const command of ['log', 'test']) run(one, [command, 'ls']);
    progress('a command');
    const times: { clone: number[]; bundle: number[] } = { clone: [], bundle: [] };
    for (let round = 0; round < rounds; round++) {
      times.clone.push(must(clone, ['test', 'ls']).took);
      times.bundle.push(must(program, ['test', 'ls']).took);
    }
    progress('the doctor');
    must(program, ['up', '--detach', '--port', '0']);
    must(program, ['init', 'claude', '--yes', '--no-start']);
    const seconds = Array.from({ length: visits }, () => {
      const { processorSeconds, healthy } = JSON.parse(must(program, ['doctor', '--json']).stdout);
      if (!healthy) throw new Error('the doctor found something');
      return Number(processorSeconds.own);
    });
    const { pid } = JSON.parse(must(program, ['status', '--json']).stdout);
    process.kill(pid, 'SIGTERM');
    return [cloneRow(median(times.clone), median(times.bundle)), doctorRow(median(seconds))];
  } finally {
    for (const folder of [built, place]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

/** Makes the bundle of the clone that a command would make behind. */
function bundleClone(): void {
  const { stateOf } = createRequire(import.meta.url)('../scripts/source-bundle.cjs');
  const folder = join(root, 'node_modules/.cache/sallyport', stateOf(root).key);
  if (existsSync(folder)) return;
  const build = [join(root, 'scripts/build.mjs'), '--commands', folder];
  const { status } = spawnSync(process.execPath, build, { cwd: root });
  if (status !== 0 || !existsSync(folder)) throw new Error('the clone could not be bundled');
}

function cloneRow(ours: number, bundle: number): Row {
  return {
    what: 'sallyport test, in a clone',
    ours: `${short(ours)} ms`,
    floor: `${short(bundle)} ms (from the package)`,
    ratio: short(ours / bundle),
    goal: `≤ ${mostClone}`,
    met: ours / bundle <= mostClone,
  };
}

function doctorRow(seconds: number): Row {
  return {
    what: 'doctor, daemon and a host: our processes',
    ours: `${short(seconds)} s of processor`,
    floor: '',
    ratio: '',
    goal: `≤ ${mostDoctor} s`,
    met: seconds <= mostDoctor,
  };
}
