// The tarball of the package, packed from a copy of what is published.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Packs what is published, from a copy: the repository itself gets no dist/ of an old day. */
export function pack(folder: string): string {
  const stage = join(folder, 'stage');
  mkdirSync(stage);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of ['package.json', 'README.md', 'LICENSE', ...manifest.files]) {
    if (name !== 'dist') cpSync(join(root, name), join(stage, name), { recursive: true });
  }
  run(process.execPath, [join(root, 'scripts/build.mjs'), join(stage, 'dist')], root);
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], stage);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack made no tarball');
  return join(folder, tarball);
}

/** Runs a command; gives what it printed, or throws. */
export function run(command: string, args: readonly string[], folder: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr || stdout}`);
  return stdout;
}
