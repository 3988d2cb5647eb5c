// The command line as it is published, built once for all tests of a run: it starts seven times faster than the source.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The folder with bin and dist, built by the first test that asks for it; where that fails, it fails for all. */
export function bundleFolder(): string {
  const folder = inject('bundle');
  const [done, failed] = [join(folder, 'done'), join(folder, 'failed')];
  if (!existsSync(done)) {
    if (isFirst(folder)) buildOnce(folder, done, failed);
    else waitFor(done, failed);
  }
  return folder;
}

function buildOnce(folder: string, done: string, failed: string): void {
  try {
    build(folder);
    writeFileSync(done, '');
  } catch (error) {
    writeFileSync(failed, error instanceof Error ? error.message : String(error));
    throw error;
  }
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

function build(folder: string): void {
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
}

function waitFor(done: string, failed: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; !existsSync(done); waited += 50) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    if (waited > longestWait) throw new Error('the command line was not built in time');
    Atomics.wait(pause, 0, 0, 50);
  }
}
