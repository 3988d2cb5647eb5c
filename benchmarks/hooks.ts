// Hooks: what one costs through the pinned client and the daemon, against a Node hook that loads the same guards itself.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hosts } from '../src/surfaces/hooks/index.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rounds = 40;

export const hooks: Benchmark = async (progress) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  try {
    progress('bundle');
    for (const part of ['bin', 'package.json']) {
      spawnSync('cp', ['-r', join(root, part), join(folder, part)]);
    }
    spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), join(folder, 'dist')], { cwd: root });
    return await measure(folder, progress);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

async function measure(folder: string, progress: (text: string) => void): Promise<readonly Row[]> {
  const entry = join(folder, 'bin/sallyport.cjs');
  const home = join(folder, 'home');
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const env = { PATH: process.env['PATH'], HOME: folder, SALLYPORT_HOME: home };
  const run = (args: readonly string[]) =>
    spawnSync(process.execPath, [entry, ...args], { cwd: workspace, env, encoding: 'utf8' });
  const wired = run(['init', 'claude', '--yes']);
  if (wired.status !== 0) throw new Error(`init failed: ${wired.stderr}`);
  const daemon = spawn(process.execPath, [entry, 'up', '--port', '0', '--json', '--log', 'error'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise<void>((resolve, reject) => {
      daemon.once('error', reject);
      daemon.once('exit', () => reject(new Error('the daemon did not start')));
      daemon.stdout.once('data', () => resolve());
    });
    progress('calls');
    const { event, value } = hosts.claude.provocation(workspace);
    const input = JSON.stringify(value);
    const client = join(home, 'bin', 'claude');
    const times: { ours: number[]; own: number[] } = { ours: [], own: [] };
    const timed = (list: number[], wanted: number, call: () => { status: number | null }) => {
      const start = performance.now();
      const { status } = call();
      list.push(performance.now() - start);
      if (status !== wanted) throw new Error(`a call ended with ${status}, not with ${wanted}`);
    };
    for (let round = 0; round < rounds; round++) {
      timed(times.ours, 2, () => spawnSync('/bin/sh', ['-c', `${client} ${event}`], { input }));
      // The same verdict in a process of its own, with the guards bundled as small as they go and nothing recorded.
      timed(times.own, 1, () => run(['test', 'rm -rf /']));
    }
    const [ours, own] = [median(times.ours), median(times.own)];
    return [
      {
        what: 'one hook through the client, recorded',
        ours: `${short(ours)} ms`,
        floor: `${short(own)} ms (a Node hook that loads the guards)`,
        ratio: short(ours / own),
        goal: '≤ 1/3',
        met: ours / own <= 1 / 3,
      },
    ];
  } finally {
    const gone = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill('SIGTERM');
    await gone;
  }
}
