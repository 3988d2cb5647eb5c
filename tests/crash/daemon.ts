// What both crash scripts share: a daemon in a process of its own, and what its ledger holds afterwards.

import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../src/ledger/index.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Starts a daemon on a home and waits until it says where it listens. */
export function startDaemon(
  home: string,
  workspace: string,
): Promise<{ child: ChildProcess; socket: string }> {
  const child = spawn(
    process.execPath,
    [join(root, 'bin/sallyport.cjs'), 'up', '--port', '0', '--json', '--log', 'error'],
    {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: dirname(home), SALLYPORT_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code} instead of starting`)));
    child.stdout?.once('data', (text: Buffer) => resolve({ child, ...JSON.parse(text.toString('utf8')) }));
  });
}

/** Those of the acknowledged decisions that are not in the log. */
export async function lostOf<T extends { readonly id: string }>(
  ledger: Ledger,
  acknowledged: readonly T[],
): Promise<readonly T[]> {
  const recorded = new Set<string>();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await ledger.audit.list({ before, limit: 5000, eventType: 'decision' });
    for (const { decision_id: id } of page) if (id !== undefined) recorded.add(id);
    const last = page.at(-1);
    if (last === undefined) break;
    before = last.place;
  }
  return acknowledged.filter(({ id }) => !recorded.has(id));
}
