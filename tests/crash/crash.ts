// npm run crash [kills] [-- --engine sqlite|postgresql]: kills the daemon with SIGKILL at random moments under load and starts
// it again on the same home. At the end it prints which acknowledged decisions are not in the log, by kind, and how old
// the oldest of them was when the daemon was killed. It fails if one is lost or a chain has a problem.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printColumns } from '../../benchmarks/table.ts';
import { paths } from '../../src/config/index.ts';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { postgresMissing, startPostgres } from '../support/postgres.ts';
import { lostOf, startDaemon } from './daemon.ts';

const engines = ['sqlite', 'postgresql'] as const;
type Engine = (typeof engines)[number];

const usage =
  'Usage: npm run crash [kills] [-- --engine sqlite|postgresql]   (default 200 kills of each engine)\n';
const { kills, wanted } = read();

function read(): { readonly kills: number; readonly wanted: readonly Engine[] } {
  try {
    const { values, positionals } = parseArgs({
      options: { engine: { type: 'string' } },
      allowPositionals: true,
    });
    const count = Number(positionals[0] ?? 200);
    const chosen = engines.filter((engine) => (values.engine ?? engine) === engine);
    if (Number.isSafeInteger(count) && count > 0 && positionals.length < 2 && chosen.length > 0)
      return { kills: count, wanted: chosen };
  } catch {
    // The usage says what is possible.
  }
  process.stderr.write(usage);
  process.exit(2);
}

const writers = 24;
/** The daemon is killed so many milliseconds after the load began, at most. */
const longest = 1500;
const key = 'ab'.repeat(32);

interface Kind {
  /** Whether the entry is stored before the answer. */
  readonly durable: boolean;
  readonly decision: string;
  body(number: number): object;
}

/** Long enough to keep a thread busy for a while. */
const longText = 'The report lists what was sold in each town, by month and by shop. '.repeat(4000);

/** Most writers ask for what passes without an effect: those entries are the ones that are stored later. */
const kinds: Readonly<Record<string, Kind>> = {
  'pass without effect': {
    durable: false,
    decision: 'pass',
    body: (number) => ({ kind: 'shell', command: `ls -l part-${number}` }),
  },
  'long pass without effect': {
    durable: false,
    decision: 'pass',
    body: (number) => ({ kind: 'prompt', text: `${number}: ${longText}` }),
  },
  write: {
    durable: true,
    decision: 'pass',
    body: (number) => ({ kind: 'write', path: `part-${number}.txt`, content: 'text\n' }),
  },
  approval: {
    durable: true,
    decision: 'approve',
    body: () => ({ kind: 'fetch', url: 'https://example.com/' }),
  },
  block: { durable: true, decision: 'block', body: () => ({ kind: 'fetch', url: 'http://10.0.0.1/' }) },
};

/** What the writers ask for in turn. */
const turns = [
  ...Array.from({ length: 12 }, () => 'pass without effect'),
  'long pass without effect',
  ...['write', 'write', 'approval', 'block', 'block'],
];

interface Acknowledged {
  readonly id: string;
  readonly kind: string;
  /** When the answer had arrived, and when the daemon that gave it was killed, in milliseconds of one clock. */
  readonly at: number;
  readonly round: number;
}

interface Daemon {
  readonly socket: string;
  readonly token: string;
  readonly agent: Agent;
}

interface Answer {
  readonly decisionId: string;
  readonly decision: string;
}

/** Asks once; null where no answer came in full. */
function decide({ socket, token, agent }: Daemon, body: object): Promise<Answer | null> {
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
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        });
      },
    );
    sent.on('error', () => resolve(null));
    sent.end(JSON.stringify(body));
  });
}

/** Kills daemons of one home; gives whether everything held. */
async function crash(engine: Engine, url: string | null): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-crash-'));
  const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')];
  mkdirSync(workspace);
  mkdirSync(home, { mode: 0o700 });
  if (url !== null)
    writeFileSync(join(home, 'sallyport.toml'), `store = "${url}"\n[ledger]\nkey = "${key}"\n`);
  const acknowledged: Acknowledged[] = [];
  const killedAt: number[] = [];
  let cut = 0;
  let asked = 0;
  try {
    for (let round = 0; round < kills; round++) {
      const { child, socket } = await startDaemon(home, workspace);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
      const daemon = { socket, token, agent: new Agent({ keepAlive: true }) };
      let alive = true;
      const load = Array.from({ length: writers }, async (_, writer) => {
        for (let call = writer; alive; call++) {
          const name = turns[call % turns.length] ?? '';
          const kind = kinds[name];
          const answer = await decide(daemon, { ...kind?.body(asked++), context: { workspace } });
          if (answer === null) {
            cut++;
            return;
          }
          if (answer.decision !== kind?.decision) throw new Error(`${name} was answered ${answer.decision}`);
          acknowledged.push({ id: answer.decisionId, kind: name, at: performance.now(), round });
        }
      });
      setTimeout(() => {
        killedAt.push(performance.now());
        child.kill('SIGKILL');
      }, Math.random() * longest);
      await gone;
      alive = false;
      await Promise.all(load);
      daemon.agent.destroy();
      if (process.stderr.isTTY || (round + 1) % 20 === 0) {
        process.stderr.write(
          `${engine}: ${round + 1} kills, ${acknowledged.length} decisions acknowledged\n`,
        );
      }
    }
    const { keys, deferred } = paths(home);
    const ledger = await Ledger.open({
      store:
        url === null ? { file: join(home, 'ledger.db') } : { url, poolSize: 2, statementTimeoutMs: 30_000 },
      operatorKey: url === null ? operatorKeyIn(keys) : Buffer.from(key, 'hex'),
      chain: chainIn(keys),
      check: () => false,
      now: Date.now,
      deferred,
    });
    const lost = await lostOf(ledger, acknowledged);
    const { entries, problems } = await ledger.verify();
    await ledger.close();
    print(engine, acknowledged, lost, killedAt);
    process.stdout.write(
      `${kills} kills with SIGKILL on ${engine}: ${cut} calls were cut off; log verify: ${entries} entries, ${problems.length} problems\n\n`,
    );
    const everyKind = Object.keys(kinds).every((name) => acknowledged.some(({ kind }) => kind === name));
    return lost.length === 0 && problems.length === 0 && everyKind;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(
  engine: Engine,
  acknowledged: readonly Acknowledged[],
  lost: readonly Acknowledged[],
  killedAt: readonly number[],
): void {
  const of = (list: readonly Acknowledged[], name: string) => list.filter(({ kind }) => kind === name);
  const lines = Object.entries(kinds).map(([name, { durable }]) => {
    const ages = of(lost, name).map(({ at, round }) => (killedAt[round] ?? 0) - at);
    const oldest = ages.length === 0 ? '' : `${Math.max(...ages).toFixed(1)} ms`;
    const stored = durable ? 'before the answer' : 'later';
    return [name, stored, String(of(acknowledged, name).length), String(ages.length), oldest];
  });
  printColumns([engine, 'stored', 'acknowledged', 'lost', 'oldest lost, at the kill'], lines);
}

let held = true;
if (wanted.includes('sqlite')) held = (await crash('sqlite', null)) && held;
if (wanted.includes('postgresql')) {
  if (postgresMissing === null) {
    const server = await startPostgres();
    try {
      held = (await crash('postgresql', server.url)) && held;
    } finally {
      await server.stop();
    }
  } else {
    process.stdout.write(`PostgreSQL: not run. ${postgresMissing}\n`);
  }
}
process.exitCode = held ? 0 : 1;
