// Whether this machine lets a test mount a small disk in a mount namespace of its own.

import { spawnSync } from 'node:child_process';

export const unmountable = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /tmp']).status !== 0;

if (unmountable) {
  process.stderr.write(
    'Skipped: tests on a full and on a read-only disk need the right to mount (unshare -m).\n',
  );
}
