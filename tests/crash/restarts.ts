// npm run restarts [rounds]: restarts PostgreSQL under the load of two daemons, and checks at the end that every
// decision that was acknowledged is in the log and that both chains are whole.

import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendCall } from '../../src/cli/client.ts';
import { Ledger } from '../../src/ledger/index.ts';
import { postgresMissing, startPostgres } from '../support/postgres.ts';
import { lostOf, startDaemon } from './daemon.ts';

const rounds = Number(process.argv[2] ?? 20);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write('Usage: npm run restarts [rounds]   (default 20)\n');
  process.exit(2);
}
if (postgresMissing !== null) {
  process.stderr.write(`${postgresMissing}\n`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-restarts-'));
const workspace = join(folder, 'workspace');
mkdirSync(workspace);
const key = 'ab'.repeat(32);
const server = await startPostgres();

async function start(name: string): Promise<{ child: ChildProcess; socket: string; home: string }> {
  const home = join(folder, name);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'sallyport.toml'), `store = "${server.url}"\n[ledger]\nkey = "${key}"\n`);
  return { home, ...(await startDaemon(home, workspace)) };
}

const daemons = [await start('a'), await start('b')];
const acknowledged: { readonly id: string }[] = [];
let refused = 0;
let running = true;
const load = daemons.flatMap(({ socket, home }) => {
  const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
  return Array.from({ length: 16 }, async () => {
    while (running) {
      const body = { kind: 'fetch', url: 'http://10.0.0.1/', context: { workspace } };
      const answer = await sendCall(socket, '/v1/decide', { token, body, timeoutMs: 30_000 });
      const verdict = answer?.body as { decisionId?: string; findings?: { rule: string }[] } | undefined;
      const recorded = answer?.status === 200 && verdict?.findings?.[0]?.rule === 'private_address';
      if (recorded && verdict?.decisionId !== undefined) acknowledged.push({ id: verdict.decisionId });
      else refused++;
    }
  });
});
for (let round = 1; round <= rounds; round++) {
  await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 500));
  await server.restart((['fast', 'immediate', 'kill'] as const)[round % 3] ?? 'fast');
  process.stderr.write(
    `${round} restarts, ${acknowledged.length} decisions acknowledged, ${refused} refused\n`,
  );
}
await new Promise((resolve) => setTimeout(resolve, 1000));
running = false;
await Promise.all(load);
for (const { child } of daemons) {
  if (child.exitCode !== null) throw new Error(`a daemon ended with ${child.exitCode}`);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
const ledger = await Ledger.open({
  store: { url: server.url, poolSize: 2, statementTimeoutMs: 30_000 },
  operatorKey: Buffer.from(key, 'hex'),
  chain: 'reader',
  check: () => false,
  now: Date.now,
});
const lost = (await lostOf(ledger, acknowledged)).length;
const { entries, problems, chains } = await ledger.verify();
await ledger.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });

process.stdout.write(
  `${rounds} restarts of PostgreSQL: ${acknowledged.length} decisions acknowledged, ${lost} lost, ${refused} refused; ` +
    `log verify: ${entries} entries in ${chains.length} chains, ${problems.length} problems\n`,
);
process.exitCode = lost === 0 && problems.length === 0 && acknowledged.length > 0 ? 0 : 1;
