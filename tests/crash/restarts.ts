// npm run restarts [rounds]: restarts PostgreSQL under the load of two daemons, and checks at the end that every
// decision that was acknowledged is in the log and that both chains are whole.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askDaemon } from '../../src/cli/client.ts';
import { Ledger } from '../../src/ledger/index.ts';
import { postgresMissing, startPostgres } from '../support/postgres.ts';

const rounds = Number(process.argv[2] ?? 20);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write('Usage: npm run restarts [rounds]   (default 20)\n');
  process.exit(2);
}
if (postgresMissing !== null) {
  process.stderr.write(`${postgresMissing}\n`);
  process.exit(1);
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'sallyport-restarts-'));
const workspace = join(folder, 'workspace');
mkdirSync(workspace);
const key = 'ab'.repeat(32);
const server = await startPostgres();

function start(name: string): Promise<{ child: ChildProcess; socket: string; home: string }> {
  const home = join(folder, name);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'sallyport.toml'), `store = "${server.url}"\n[ledger]\nkey = "${key}"\n`);
  const child = spawn(
    process.execPath,
    [join(root, 'bin/sallyport.cjs'), 'up', '--port', '0', '--json', '--log', 'error'],
    {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: folder, SALLYPORT_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code} instead of starting`)));
    child.stdout?.once('data', (text: Buffer) =>
      resolve({ child, home, ...JSON.parse(text.toString('utf8')) }),
    );
  });
}

const daemons = [await start('a'), await start('b')];
const acknowledged: string[] = [];
let refused = 0;
let running = true;
const load = daemons.flatMap(({ socket, home }) => {
  const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
  return Array.from({ length: 16 }, async () => {
    while (running) {
      const body = { kind: 'fetch', url: 'http://10.0.0.1/', context: { workspace } };
      const answer = await askDaemon(socket, '/v1/decide', { token, body, timeoutMs: 30_000 });
      const verdict = answer?.body as { decisionId?: string; findings?: { rule: string }[] } | undefined;
      const recorded = answer?.status === 200 && verdict?.findings?.[0]?.rule === 'private_address';
      if (recorded && verdict?.decisionId !== undefined) acknowledged.push(verdict.decisionId);
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
const recorded = new Set<string>();
for (let before = Number.MAX_SAFE_INTEGER; ; ) {
  const page = await ledger.audit.list({ before, limit: 5000, eventType: 'decision' });
  for (const { decision_id: id } of page) if (id !== undefined) recorded.add(id);
  const last = page.at(-1);
  if (last === undefined) break;
  before = last.place;
}
const { entries, problems, chains } = await ledger.verify();
await ledger.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });

const lost = acknowledged.filter((id) => !recorded.has(id)).length;
process.stdout.write(
  `${rounds} restarts of PostgreSQL: ${acknowledged.length} decisions acknowledged, ${lost} lost, ${refused} refused; ` +
    `log verify: ${entries} entries in ${chains.length} chains, ${problems.length} problems\n`,
);
process.exitCode = lost === 0 && problems.length === 0 && acknowledged.length > 0 ? 0 : 1;
