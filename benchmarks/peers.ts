// Installs the peers when a benchmark or an evaluation first needs them, so that the project itself stays light.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));

/** Makes sure that the peers of the lock file are there. */
export function installPeers(progress: (text: string) => void): void {
  const wanted = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const stamp = join(folder, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  progress('installing the peers …');
  // All of them run as they come; what a peer would do while it is installed is not ours to allow.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['ci', ...quiet], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the peers could not be installed');
  writeFileSync(stamp, wanted);
}
