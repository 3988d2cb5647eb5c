// The spine: what the path costs, what group commit saves, what the daemon and the command line take.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settingsFrom } from '../src/config/index.ts';
import type { AnyGuard } from '../src/guards/index.ts';
import type { NewEntry } from '../src/ledger/index.ts';
import { context, deciderFor, openLedger } from './parts.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rounds = 7;

export const spine: Benchmark = async (progress) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  try {
    progress('path');
    const rows: Row[] = [await pathCost()];
    progress('audit');
    rows.push(...(await audit(folder)));
    progress('daemon');
    rows.push(...(await daemon(folder, progress)));
    progress('command line');
    rows.push(commandLine(folder, 'http://169.254.169.254/'));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** One decision with a guard that finds nothing and records that go nowhere: the path and nothing else. */
async function pathCost(): Promise<Row> {
  const settings = settingsFrom({});
  const idle = {
    name: 'fetch',
    kinds: ['fetch'],
    rules: [],
    check: () => ({ facts: {}, findings: [], sideEffect: false }),
  } as unknown as AnyGuard;
  const decider = deciderFor(settings, { guards: [idle] });
  const action = { kind: 'fetch', url: 'https://example.com/' } as const;
  const floor = async () => ({ verdict: action });
  const times: { ours: number[]; floor: number[] } = { ours: [], floor: [] };
  const count = 20_000;
  for (let round = 0; round < rounds + 2; round++) {
    let start = performance.now();
    for (let call = 0; call < count; call++) await decider.decide(action, context);
    const ours = ((performance.now() - start) * 1000) / count;
    start = performance.now();
    for (let call = 0; call < count; call++) await floor();
    if (round < 2) continue;
    times.ours.push(ours);
    times.floor.push(((performance.now() - start) * 1000) / count);
  }
  const [ours, bare] = [median(times.ours), median(times.floor)];
  return {
    what: 'one decision, no guards, no fsync',
    ours: `${short(ours)} µs`,
    floor: `${short(bare)} µs (an empty async call)`,
    ratio: short(ours / bare),
    goal: '≤ 20 µs',
    met: ours <= 20,
  };
}

function entry(number: number): NewEntry {
  return {
    time: 1_700_000_000_000 + number,
    event_type: 'decision',
    user: 'bench',
    tenant: 'bench',
    agent: 'bench',
    decision_id: `decision-${number}`,
    decision: 'block',
    details: {
      kind: 'fetch',
      session: 'bench',
      workspace: '/work/project',
      mode: 'default',
      facts: { scheme: 'https', host: 'example.com', port: 443, method: 'GET' },
      findings: [
        { rule: 'host_not_allowed', guard: 'fetch', decision: 'block', message: 'example.com is not listed' },
      ],
      action: 'keyed-hash-of-the-action-keyed-hash-of-the-a',
    },
  };
}

/** 64 writers that wait for each entry, against the same entries with one commit, and so one fsync, each. */
async function audit(folder: string): Promise<Row[]> {
  const writers = 64;
  const each = 40;
  const speeds: { ours: number[]; single: number[] } = { ours: [], single: [] };
  let commits = 0;
  let entries = 0;
  for (let round = 0; round < rounds; round++) {
    const open = (name: string) => {
      const place = join(folder, `${name}-${round}`);
      mkdirSync(place);
      return openLedger(place);
    };
    const grouped = await open('grouped');
    let start = performance.now();
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let number = 0; number < each; number++)
          await grouped.audit.append(entry(writer * each + number));
      }),
    );
    speeds.ours.push((writers * each * 1000) / (performance.now() - start));
    commits += grouped.audit.commits;
    entries += writers * each;
    await grouped.close();

    const single = await open('single');
    const few = 600;
    start = performance.now();
    for (let number = 0; number < few; number++) await single.audit.append(entry(number));
    speeds.single.push((few * 1000) / (performance.now() - start));
    await single.close();
  }
  const [ours, single] = [median(speeds.ours), median(speeds.single)];
  const syncs = countSyncs(folder);
  return [
    {
      what: 'audit appends, 64 writers',
      ours: `${short(ours)}/s`,
      floor: `${short(single)}/s (one fsync each)`,
      ratio: short(ours / single),
      goal: '≥ 10',
      met: ours / single >= 10,
    },
    {
      what: `fsyncs for ${short(entries / rounds)} appends${syncs === null ? ' (commits counted)' : ' (strace)'}`,
      ours: short(syncs?.ours ?? commits / rounds),
      floor: short(syncs?.single ?? entries / rounds),
      ratio: `1/${short((syncs?.single ?? entries) / (syncs?.ours ?? commits))}`,
      goal: '≤ 1/30',
      met: (syncs?.single ?? entries) / (syncs?.ours ?? commits) >= 30,
    },
  ];
}

/** Counts the system's own fsync calls of both ways in a child, where strace is there to count them. */
function countSyncs(folder: string): { ours: number; single: number } | null {
  const count = (way: string) => {
    const trace = join(folder, `strace-${way}`);
    const ended = spawnSync(
      'strace',
      [
        '-f',
        '-q',
        '-e',
        'trace=fsync,fdatasync',
        '-o',
        trace,
        process.execPath,
        join(root, 'benchmarks/appends.ts'),
        way,
        folder,
      ],
      { stdio: 'ignore' },
    );
    if (ended.status !== 0) return null;
    return readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /f(data)?sync\(/.test(line)).length;
  };
  const [ours, single] = [count('grouped'), count('single')];
  return ours === null || single === null ? null : { ours, single };
}

/** The daemon in a process of its own, asked over keep-alive connections, and over its socket once at a time. */
async function daemon(folder: string, progress: (text: string) => void): Promise<Row[]> {
  const home = join(folder, 'home');
  const child = spawn(
    process.execPath,
    [join(root, 'bin/sallyport.cjs'), 'up', '--port', '0', '--json', '--log', 'error'],
    {
      env: { PATH: process.env['PATH'], HOME: folder, SALLYPORT_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const { port, socket } = await new Promise<{ port: number; socket: string }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the daemon did not start')));
      child.stdout.once('data', (text: Buffer) => resolve(JSON.parse(text.toString('utf8'))));
    });
    const token = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
    const body = JSON.stringify({ kind: 'fetch', url: 'http://10.0.0.1/', context: { workspace: folder } });
    progress('  keep-alive');
    const decisions = await throughput(
      { host: '127.0.0.1', port, path: '/v1/decide', method: 'POST' },
      token,
      body,
    );
    const health = await throughput({ host: '127.0.0.1', port, path: '/healthz', method: 'GET' }, token, '');
    progress('  socket');
    const oneCall = () =>
      call({ socketPath: socket, path: '/v1/decide', method: 'POST', agent: false }, token, body);
    const times: { ours: number[]; spawned: number[] } = { ours: [], spawned: [] };
    for (let round = 0; round < 30; round++) {
      let start = performance.now();
      await oneCall();
      times.ours.push(performance.now() - start);
      start = performance.now();
      spawnSync(process.execPath, ['-e', '0']);
      times.spawned.push(performance.now() - start);
    }
    const [ours, spawned] = [median(times.ours), median(times.spawned)];
    return [
      {
        what: 'recorded decisions over HTTP, 32 keep-alive connections',
        ours: `${short(decisions)}/s`,
        floor: `${short(health)}/s (GET /healthz)`,
        ratio: short(decisions / health),
        goal: '≥ 0.25',
        met: decisions / health >= 0.25,
      },
      {
        what: 'one recorded decision over the socket',
        ours: `${short(ours)} ms`,
        floor: `${short(spawned)} ms (spawning node -e 0)`,
        ratio: short(ours / spawned),
        goal: '≤ 0.2',
        met: ours / spawned <= 0.2,
      },
    ];
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
}

type Target = RequestOptions;

function call(target: Target, token: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...target,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === '' ? {} : { 'content-type': 'application/json' }),
        },
      },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Answers a second over 32 keep-alive connections, after a warm-up. */
async function throughput(target: Target, token: string, body: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const run = async (count: number) => {
    let left = count;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        while (left-- > 0) await call({ ...target, agent }, token, body);
      }),
    );
    return (count * 1000) / (performance.now() - start);
  };
  await run(1000);
  const speed = median([await run(3000), await run(3000), await run(3000)]);
  agent.destroy();
  return speed;
}

/** Builds the command line as a published package has it: the bundle beside bin/, with package.json above. */
export function builtProgram(folder: string): string {
  for (const part of ['bin', 'package.json']) spawnSync('cp', ['-r', join(root, part), join(folder, part)]);
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), join(folder, 'dist')], {
    cwd: root,
  });
  if (status !== 0) throw new Error('the command line could not be built');
  return join(folder, 'bin/sallyport.cjs');
}

/** The bundled `sallyport test` of something that is blocked, against an empty Node. */
export function commandLine(folder: string, blocked: string): Row {
  const place = join(folder, 'package');
  mkdirSync(place);
  const program = builtProgram(folder);
  const run = (args: readonly string[]) => {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, args, {
      cwd: place,
      env: { PATH: process.env['PATH'], HOME: place },
    });
    return { took: performance.now() - start, status };
  };
  // A person who uses it has a home; the first command made it.
  run([program, 'log']);
  const times: { ours: number[]; empty: number[] } = { ours: [], empty: [] };
  for (let round = 0; round < 40; round++) {
    const test = run([program, 'test', blocked]);
    if (test.status !== 1) throw new Error(`sallyport test ended with ${test.status}, not with a block`);
    times.ours.push(test.took);
    times.empty.push(run(['-e', '0']).took);
  }
  const [ours, empty] = [median(times.ours), median(times.empty)];
  return {
    what: 'sallyport test, from the bundle',
    ours: `${short(ours)} ms`,
    floor: `${short(empty)} ms (node -e 0)`,
    ratio: short(ours / empty),
    goal: '≤ 1.6',
    met: ours / empty <= 1.6,
  };
}
