// npm run pictures: takes a picture of every page of the console, light and dark, at a desk and on a phone, into
// docs/figures/console. They need Chromium and the program convert.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'docs', 'figures', 'console');
const taken = mkdtempSync(join(tmpdir(), 'sallyport-pictures-'));
/** Most bytes of all pictures together. */
const most = 3_000_000;

function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
}

try {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  run(process.execPath, [vitest, 'run', 'tests/browser/pages.test.ts'], { SALLYPORT_PICTURES: taken });
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(taken)) {
    const smaller = name.includes('-phone-') ? [] : ['-resize', '1080x'];
    const palette = ['+dither', '-colors', '64', '-strip', `PNG8:${join(target, name)}`];
    run('convert', [join(taken, name), ...smaller, ...palette]);
  }
  const names = readdirSync(target);
  const bytes = names.reduce((sum, name) => sum + statSync(join(target, name)).size, 0);
  process.stdout.write(`${names.length} pictures, ${Math.round(bytes / 1000)} KB\n`);
  if (names.length === 0 || bytes > most) throw new Error(`the pictures need 1 to ${most / 1000} KB`);
} finally {
  rmSync(taken, { recursive: true, force: true });
}
