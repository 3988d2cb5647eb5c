// A daemon from the bundle, in a home of its own, for benchmarks that talk to one.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export interface Bench {
  readonly home: string;
  /** Starts a script of this folder that says its port in its first line. */
  start(script: string, ...args: readonly string[]): Promise<number>;
  /** Starts the daemon with what its file says, and with a script of this folder loaded before it. */
  daemon(
    configuration: string,
    preload?: string,
  ): Promise<{ readonly port: number; readonly token: string; readonly pid: number }>;
  /** The words and the environment that start a command of the bundle. */
  readonly command: { readonly words: readonly string[]; readonly env: NodeJS.ProcessEnv };
  /** Runs a command to its end, in a folder. */
  run(args: readonly string[], folder: string): { readonly status: number | null; readonly stderr: string };
}

/** Builds the command line as it is published into a folder; gives the program to start. */
export function bundleIn(folder: string): string {
  for (const part of ['bin', 'package.json']) spawnSync('cp', ['-r', join(root, part), join(folder, part)]);
  spawnSync('ln', ['-s', join(root, 'node_modules'), join(folder, 'node_modules')]);
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/build.mjs'), join(folder, 'dist')],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`the command line could not be built: ${stderr}`);
  return join(folder, 'bin/sallyport.cjs');
}

/** Builds the bundle, lets a benchmark work with it, and ends and removes everything. */
export async function withBundle<T>(
  progress: (text: string) => void,
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const home = join(folder, 'home');
  const children: ChildProcess[] = [];
  const own = { PATH: process.env['PATH'], HOME: folder, SALLYPORT_HOME: home };
  const start = (args: readonly string[], env = process.env): Promise<number> => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
      child.stdout?.once('data', (text: Buffer) => resolve(JSON.parse(text.toString('utf8')).port));
    });
  };
  try {
    progress('bundle');
    const program = bundleIn(folder);
    mkdirSync(home, { mode: 0o700 });
    return await work({
      home,
      start: (script, ...args) => start([join(root, 'benchmarks', script), ...args]),
      async daemon(configuration, preload) {
        writeFileSync(join(home, 'sallyport.toml'), configuration, { mode: 0o600 });
        const args = ['up', '--port', '0', '--json', '--log', 'error'];
        const before = preload === undefined ? [] : ['--import', join(root, 'benchmarks', preload)];
        const port = await start([...before, program, ...args], own);
        const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
        return { port, token, pid: children.at(-1)?.pid ?? 0 };
      },
      command: { words: [process.execPath, program], env: own },
      run: (args, cwd) =>
        spawnSync(process.execPath, [program, ...args], { cwd, env: own, encoding: 'utf8' }),
    });
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(
      children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))),
    );
    rmSync(folder, { recursive: true, force: true });
  }
}
