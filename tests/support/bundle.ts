// The command line as it is published, built once for all tests of a run: it starts seven times faster than the source.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the command line is built to, when the first test asks for it. */
    readonly bundle: string;
  }
}

/** Names the folder at the start of a run, and takes it away at its end. */
export default function setup({ provide }: TestProject): () => void {
  // Below node_modules, so that what is not bundled is found from there.
  const folder = join(root, 'node_modules', '.cache', `sallyport-${process.pid}`);
  provide('bundle', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

const longestWait = 120_000;

/** The program to start. */
export function cliEntry(): string {
  return join(bundleFolder(), 'bin', 'sallyport.cjs');
}

/** The folder with bin and dist, after it was built by whoever came first. */
export function bundleFolder(): string {
  const folder = inject('bundle');
  const done = join(folder, 'done');
  if (!existsSync(done)) {
    if (isFirst(folder)) build(folder, done);
    else waitFor(done);
  }
  return folder;
}

function isFirst(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function build(folder: string, done: string): void {
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/build.mjs'), join(folder, 'dist')],
    { cwd: root, encoding: 'utf8' },
  );
  // A bundler that warns has found something that a user would meet.
  if (status !== 0 || stderr !== '') throw new Error(`the command line could not be built: ${stderr}`);
  // Homes of tests are new, so compiled code is kept for all of them.
  mkdirSync(join(folder, 'dist', 'cache'));
  writeFileSync(done, '');
}

function waitFor(file: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; !existsSync(file); waited += 50) {
    if (waited > longestWait) throw new Error('the command line was not built in time');
    Atomics.wait(pause, 0, 0, 50);
  }
}
