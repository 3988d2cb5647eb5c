// npm run crash [rounds]: kills the daemon with SIGKILL at random moments under load, starts it again on the same home,
// and checks at the end that every decision that was acknowledged is in the log and that the chain is whole.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { countLost, startDaemon } from './daemon.ts';

const rounds = Number(process.argv[2] ?? 200);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  process.stderr.write('Usage: npm run crash [rounds]   (default 200)\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-crash-'));
const home = join(folder, 'home');
const workspace = join(folder, 'workspace');
mkdirSync(workspace);
const callers = 32;
const longest = 400;

/** Most loads block; some wait for a person, so that approvals are being written too when the end comes. */
const urls = ['http://10.0.0.1/', 'http://169.254.169.254/', 'http://127.0.0.1/', 'https://example.com/'];

/** Asks once; the decision's id if an answer came in full. */
function decide(socket: string, token: string, url: string, agent: Agent): Promise<string | null> {
  return new Promise((resolve) => {
    const sent = request(
      {
        socketPath: socket,
        path: '/v1/decide',
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', () => resolve(null));
        answer.on('close', () => resolve(null));
        answer.on('end', () => {
          if (!answer.complete) return resolve(null);
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')).decisionId);
        });
      },
    );
    sent.on('error', () => resolve(null));
    sent.end(JSON.stringify({ kind: 'fetch', url, context: { workspace } }));
  });
}

const acknowledged: string[] = [];
let underWay = 0;
for (let round = 1; round <= rounds; round++) {
  const { child, socket } = await startDaemon(home, workspace);
  const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  let alive = true;
  const agent = new Agent({ keepAlive: true });
  const load = Array.from({ length: callers }, async (_, caller) => {
    for (let call = caller; alive; call++) {
      underWay++;
      const id = await decide(socket, token, urls[call % urls.length] ?? '', agent);
      if (id === null) return;
      acknowledged.push(id);
      underWay--;
    }
  });
  setTimeout(() => child.kill('SIGKILL'), Math.random() * longest);
  await gone;
  alive = false;
  await Promise.all(load);
  agent.destroy();
  if (process.stderr.isTTY || round % 20 === 0) {
    process.stderr.write(`${round} kills, ${acknowledged.length} decisions acknowledged\n`);
  }
}

const keys = join(home, 'keys');
const ledger = await Ledger.open({
  store: { file: join(home, 'ledger.db') },
  operatorKey: operatorKeyIn(keys),
  chain: chainIn(keys),
  check: () => false,
  now: Date.now,
});
const lost = await countLost(ledger, acknowledged);
const { entries, problems } = await ledger.verify();
await ledger.close();
rmSync(folder, { recursive: true, force: true });

process.stdout.write(
  `${rounds} kills with SIGKILL: ${acknowledged.length} decisions acknowledged, ${lost} lost; ` +
    `${underWay} calls were cut off; log verify: ${entries} entries, ${problems.length} problems\n`,
);
process.exitCode = lost === 0 && problems.length === 0 && acknowledged.length > 0 ? 0 : 1;
