// A real MariaDB server on loopback for tests, ended with the test that started it.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './ledger.ts';

export const mariadbMissing =
  spawnSync('sh', ['-c', 'command -v mariadbd && command -v mariadb-install-db']).status !== 0;
if (mariadbMissing) process.stderr.write('Skipped: tests with MySQL need a server (mariadb-server).\n');

/** MariaDB refuses to run as root, so root lends it the user `nobody`. */
const nobody = 65534;
const isRoot = process.getuid?.() === 0;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Starts a server with one database, `shop`, and its administrator's address. */
export async function startMariadb(): Promise<{ readonly url: string; readonly port: number }> {
  const folder = temporaryFolder();
  if (isRoot) {
    chmodSync(folder, 0o755);
    chownSync(folder, nobody, nobody);
  }
  const data = join(folder, 'data');
  mkdirSync(data);
  if (isRoot) chownSync(data, nobody, nobody);
  const common = ['--no-defaults', `--datadir=${data}`, ...(isRoot ? ['--user=nobody'] : [])];
  const made = spawnSync('mariadb-install-db', [
    ...common,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
  if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stderr}`);
  const port = await freePort();
  const server = spawn(
    'mariadbd',
    [...common, '--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(folder, 's')}`],
    { stdio: 'ignore' },
  );
  onTestFinished(async () => {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    if (server.exitCode === null && server.kill('SIGKILL')) await gone;
  });
  const url = `mysql://root@127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    try {
      const root = await createConnection({ uri: url });
      await root.query('CREATE DATABASE shop');
      await root.end();
      return { url: `${url}/shop`, port };
    } catch (error) {
      if (tries >= 100 || server.exitCode !== null) throw error;
      await sleep(100);
    }
  }
}
