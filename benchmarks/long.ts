// What small decisions wait beside long inputs: those are judged on threads of their own, and the rest of them takes turns.
// The longest turn of the daemon's event loop is measured in processor time, which other load on the machine does not change.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ownerOf } from '../tests/support/person.ts';
import { withBundle } from './daemon.ts';
import { passphrase, sayYes } from './gateway.ts';
import type { LongPlace } from './long-load.ts';
import { type Benchmark, median, printNote, type Row, short } from './table.ts';

/** How often each load is sent, and how long the daemon is watched while it is idle, in milliseconds. */
const times = 5;
const idleFor = 3000;
/** Small decisions that are under way at once, and the pause between two, in milliseconds. */
const probes = 2;
const pause = 2;
/** Longest turn, and so longest that a small decision may be held up, in milliseconds. */
const goal = 50;

export const long: Benchmark = (progress) =>
  withBundle(progress, async ({ home, start, daemon }) => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-long-')));
    const [provider, upstream] = [await start('llm-provider.ts'), await start('gateway-upstream.ts')];
    await ownerOf({ home }, passphrase);
    const { port, token, pid } = await daemon(
      `[llm.openai]\nform = "openai"\nbase_url = "http://127.0.0.1:${provider}/v1"\nkey_env = "HOME"\n` +
        `[servers.up]\nurl = "http://127.0.0.1:${upstream}/mcp"\n`,
      'turns.ts',
    );
    const origin = `http://127.0.0.1:${port}`;
    const headers = { authorization: `Bearer ${token}` };
    await sayYes({ url: `${origin}/mcp`, tool: 'up__echo', headers }, origin);
    const place: LongPlace = { port, token, workspace };
    const load = new Worker(new URL('./long-load.ts', import.meta.url), { workerData: place });
    try {
      return await measured(place, load, () => longestTurn(home, pid), progress);
    } finally {
      await load.terminate();
      rmSync(workspace, { recursive: true, force: true });
    }
  });

/** The longest turn of the daemon since this was asked last, in milliseconds of processor time. */
async function longestTurn(home: string, pid: number): Promise<number> {
  const file = join(home, 'longest-turn');
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await sleep(20);
    try {
      return Number(readFileSync(file, 'utf8'));
    } catch {
      // The daemon has not come to it yet.
    }
  }
}

async function measured(
  place: LongPlace,
  load: Worker,
  longest: () => Promise<number>,
  progress: (text: string) => void,
): Promise<readonly Row[]> {
  const said = <T>() =>
    new Promise<T>((resolve, reject) => {
      load.once('message', resolve);
      load.once('error', reject);
    });
  load.setMaxListeners(0);
  const names = await said<readonly string[]>();
  // Until the compiler has done with a small decision.
  await smallBeside(place, () => sleep(idleFor));
  progress('  idle');
  await longest();
  const idle = await smallBeside(place, () => sleep(idleFor));
  const idleTurn = await longest();
  const rows: Row[] = [];
  for (const name of names) {
    progress(`  ${name}`);
    const took: number[] = [];
    const beside = await smallBeside(place, async () => {
      for (let time = 0; time < times; time++) {
        const answered = said<number>();
        load.postMessage(name);
        took.push(await answered);
      }
    });
    rows.push(rowOf(name, median(took), { beside, idle, turn: await longest(), idleTurn }));
  }
  printNote(
    `the longest turn of the event loop in processor time (small decisions: p50, p99 and longest in ms); load average ${loadavg().map(short).join(', ')}`,
  );
  return rows;
}

interface Measured {
  readonly beside: readonly number[];
  readonly idle: readonly number[];
  readonly turn: number;
  readonly idleTurn: number;
}

function rowOf(name: string, took: number, { beside, idle, turn, idleTurn }: Measured): Row {
  return {
    what: `beside ${name} (${short(took)} ms)`,
    ours: `${short(turn)} ms (${shown(beside)})`,
    floor: `${short(idleTurn)} ms (${shown(idle)}), idle`,
    ratio: short(turn / idleTurn),
    goal: `≤ ${goal} ms`,
    met: turn <= goal,
  };
}

function shown(latencies: readonly number[]): string {
  return [share(latencies, 0.5), share(latencies, 0.99), Math.max(...latencies)].map(short).join(', ');
}

function share(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** How long small decisions took while some work was done, in milliseconds. */
async function smallBeside(place: LongPlace, work: () => Promise<unknown>): Promise<readonly number[]> {
  const latencies: number[] = [];
  const agent = new Agent({ keepAlive: true });
  let done = false;
  const probing = Array.from({ length: probes }, async () => {
    while (!done) {
      const start = performance.now();
      await small(place, agent);
      latencies.push(performance.now() - start);
      await sleep(pause);
    }
  });
  const ended = () => {
    done = true;
  };
  await Promise.all([work().finally(ended), ...probing]);
  agent.destroy();
  return latencies;
}

function small({ port, token, workspace }: LongPlace, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const where = { host: '127.0.0.1', port, path: '/v1/decide', method: 'POST', agent, headers };
    const sent = request(where, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
      answer.resume().once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ kind: 'shell', command: 'ls -l', context: { workspace, session: 'small' } }));
  });
}
