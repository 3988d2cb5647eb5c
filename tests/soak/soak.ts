// npm run soak [--minutes N] [--seed S] [--engine sqlite|postgresql] [--json]: the daemon from the bundle under load from every surface while things go
// wrong, half of the time on SQLite and half on PostgreSQL where there is one; then everything is compared with the ledger.

import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { bundleIn } from '../../benchmarks/daemon.ts';
import { printColumns } from '../../benchmarks/table.ts';
import { prepareHome, verifySignature } from '../../src/config/index.ts';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { type Random, seeded } from '../metamorphic/random.ts';
import { ownerOf } from '../support/person.ts';
import { postgresMissing, startPostgres } from '../support/postgres.ts';
import { type Check, checksOf, type Findings, type Reached, type Recorded } from './checks.ts';
import { DaemonSeries, freePort, gone, processesWith, startScript } from './daemon-series.ts';
import { type Fault, type FaultTargets, faultsFor, lookAfter, startAgain } from './faults.ts';
import { agent, Notes, reviewer, type Site, sayYes, surfaces } from './load.ts';

const usage =
  'Usage: npm run soak [-- --minutes N] [--seed S] [--engine sqlite|postgresql] [--json]   (10 minutes where nothing is said)\n';
const values = read();
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (
  !(minutes > 0) ||
  !Number.isSafeInteger(seed) ||
  !['sqlite', 'postgresql', undefined].includes(values.engine)
)
  misused();

function read() {
  const options = {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch {
    return misused();
  }
}

function misused(): never {
  process.stderr.write(usage);
  process.exit(2);
}

const wanted = (['SQLite', 'PostgreSQL'] as const).filter(
  (engine) => values.engine === undefined || engine.toLowerCase() === values.engine,
);
const agents = 6;
const pauseMs = 60;
/** Share of a phase in which no daemon ends, so that its memory can be watched. */
const calm = 0.5;
const diskBytes = 256 * 1024 * 1024;
const storeKey = 'ab'.repeat(32);
const passphrase = 'correct horse battery staple';
const inside = process.env['SALLYPORT_SOAK_DISK'];

/** Runs this again where one folder is a small disk of its own; false where that cannot be had. */
function withSmallDisk(): boolean {
  if (spawnSync('bwrap', ['--version']).status !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-soak-disk-'));
  const around = ['--dev-bind', '/', '/', '--size', String(diskBytes), '--tmpfs', folder];
  const rights = process.getuid?.() === 0 ? ['--cap-add', 'ALL'] : [];
  // Whatever happens to it, nothing of it lives on: its processes are a world of their own.
  const wrapped = [...around, ...rights, '--unshare-pid', '--proc', '/proc', '--die-with-parent', '--'];
  try {
    if (spawnSync('bwrap', [...wrapped, 'true']).status !== 0) return false;
    const self = fileURLToPath(import.meta.url);
    const { status } = spawnSync('bwrap', [...wrapped, process.execPath, self, ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, SALLYPORT_SOAK_DISK: folder },
    });
    process.exitCode = status ?? 1;
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function say(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r${text}\u001b[K` : `${text}\n`);
}

/** What one phase leaves. */
type Phase = Omit<Findings, 'processesLeft' | 'foldersLeft'>;

interface Stage {
  readonly folder: string;
  readonly program: string;
  readonly mark: string;
  readonly disk: string | null;
  readonly random: Random;
  readonly server: Awaited<ReturnType<typeof startPostgres>> | null;
}

const table = 'CREATE TABLE marks (mark text);\n';

async function phase(name: 'SQLite' | 'PostgreSQL', stage: Stage, lastsMs: number): Promise<Phase> {
  const { random, mark, server } = stage;
  const isPostgres = name === 'PostgreSQL';
  const folder = join(stage.folder, name);
  const home = join(stage.disk ?? folder, `home-${name}`);
  const place = (file: string) => join(folder, file);
  for (const own of ['workspace', 'reviewed', 'tmp']) mkdirSync(place(own), { recursive: true });
  const [workspace, reviewed] = [realpathSync(place('workspace')), realpathSync(place('reviewed'))];
  writeFileSync(join(workspace, 'a.txt'), 'a\n');
  for (const file of ['one.txt', 'two.txt']) writeFileSync(join(reviewed, file), `${file} first\n`);
  writeFileSync(place('schema.sql'), table);
  const shop = new DatabaseSync(place('shop.db'));
  shop.exec(table);
  shop.close();
  const warehouse =
    server === null ? null : await server.createDatabase(`warehouse_${isPostgres ? 'b' : 'a'}`);
  if (warehouse !== null) await onPostgres(warehouse, (client) => client.query(table));
  const [mcpPort, llmPort, port] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: place('tmp'),
    SALLYPORT_SOAK: mark,
    PROVIDER_KEY: 'k',
  };
  const upstream = fileURLToPath(new URL('./upstream.ts', import.meta.url));
  prepareHome(home);
  const source = (kind: string, url: string) =>
    `kind = "${kind}"\nschema = "${place('schema.sql')}"\nurl = "${url}"\ncode_mode = { sql_allow_writes = true }\n`;
  writeFileSync(
    join(home, 'sallyport.toml'),
    [
      isPostgres ? `store = "${server?.url}"\n[ledger]\nkey = "${storeKey}"\n` : '',
      '[approvals]\nmax_pending = 1000\nmax_changes = 100\n',
      `[llm.openai]\nform = "openai"\nbase_url = "http://127.0.0.1:${llmPort}/v1"\nkey_env = "PROVIDER_KEY"\n`,
      `[servers.up]\nurl = "http://127.0.0.1:${mcpPort}/mcp"\n`,
      `[servers.program]\ncommand = "${process.execPath}"\nargs = ["${upstream}", "stdio", "${place('program.log')}"]\nenv = { SALLYPORT_SOAK = "${mark}" }\n`,
      `[sources.shop]\n${source('sqlite', place('shop.db'))}`,
      warehouse === null ? '' : `[sources.warehouse]\n${source('postgres', warehouse)}`,
    ].join('\n'),
  );
  await ownerOf({ home }, passphrase);
  const [clock, mood] = [place('clock'), place('mood')];
  writeFileSync(clock, '0');
  writeFileSync(mood, 'well');
  for (const log of ['mcp.log', 'program.log', 'llm.log']) writeFileSync(place(log), '');
  const daemons = new DaemonSeries(
    { program: stage.program, home, port, clock, memory: place('memory'), env },
    isPostgres ? 1000 : 0,
  );
  const serverArgs = ['http', place('mcp.log'), String(mcpPort)];
  const provider = await startScript('provider.ts', [place('llm.log'), mood, String(llmPort)], env);
  const targets: FaultTargets = {
    ...{ daemons, random, clock, mood, serverArgs, env, disk: stage.disk, programs: place('program.log') },
    postgres: isPostgres ? server : null,
    server: await startScript('upstream.ts', serverArgs, env),
  };
  const notes = new Notes();
  let running = true;
  const site: Site = {
    ...{ daemons, notes, random, workspace, reviewed, passphrase, running: () => running },
    sources: warehouse === null ? ['shop'] : ['shop', 'warehouse'],
  };
  try {
    await startAgain(daemons);
    if (!(await sayYes(site))) throw new Error('the tools could not be approved');
    const faults = faultsFor(targets);
    for (const used of [...surfaces, 'mcp program', ...faults.map((fault) => fault.name)]) notes.use(used, 0);
    const ends = performance.now() + lastsMs;
    const load = [...Array.from({ length: agents }, () => agent(site, pauseMs)), reviewer(site)];
    await misfortunes(name, targets, notes, faults, ends, lastsMs * calm);
    running = false;
    await Promise.all(load);
    // The last start looks after what is left, in its first round, by a clock that is right.
    writeFileSync(clock, '0');
    await daemons.kill();
    await startAgain(daemons);
    await sleep(4000);
    const stopped = await daemons.stop();
    if (!stopped) notes.forbidden.push('the daemon did not stop by itself');
    return {
      ...(await judged(stage, home, isPostgres, notes, daemons)),
      ...(await reachedIn(place, warehouse, notes)),
    };
  } finally {
    running = false;
    for (const child of [provider, targets.server]) {
      child.kill('SIGKILL');
      await gone(child);
    }
    await daemons.stop();
  }
}

/** Lets things go wrong, one after the other, until the time is up; at the end none that ends a daemon. */
async function misfortunes(
  name: string,
  targets: FaultTargets,
  notes: Notes,
  faults: readonly Fault[],
  ends: number,
  calmMs: number,
): Promise<void> {
  for (let turn = 0; performance.now() < ends; turn++) {
    await lookAfter(targets.daemons);
    const left = ends - performance.now();
    const possible = left > calmMs ? faults : faults.filter((fault) => !fault.ends);
    const fault = possible[turn % possible.length];
    if (fault !== undefined && (await fault.happen(targets))) notes.use(fault.name);
    const done = notes.acknowledged.length;
    say(
      `${name}: ${Math.max(0, Math.round(left / 1000))} s left, ${done} verdicts, ${notes.cut} calls cut off, ${Math.round(targets.daemons.samples.at(-1)?.kept ?? 0)} MB kept, last: ${fault?.name}`,
    );
    await sleep(Math.min(Math.max(0, ends - performance.now()), 1500 + targets.random.below(2500)));
  }
}

async function onPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What upstreams and databases saw. */
async function reachedIn(
  place: (file: string) => string,
  warehouse: string | null,
  notes: Notes,
): Promise<Pick<Phase, 'reached' | 'rowsMissing'>> {
  const lines = (file: string) =>
    readFileSync(place(file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  const shop = new DatabaseSync(place('shop.db'), { readOnly: true });
  const rows = shop
    .prepare('SELECT mark FROM marks')
    .all()
    .map(({ mark }) => String(mark));
  shop.close();
  const more =
    warehouse === null
      ? []
      : await onPostgres(warehouse, async (client) =>
          (await client.query('SELECT mark FROM marks')).rows.map(({ mark }) => String(mark)),
        );
  const reached: Reached[] = [
    ...[...lines('mcp.log'), ...lines('program.log')].map((line) => {
      const [, session = ''] = line.split(' ');
      return { where: 'mcp', session } as const;
    }),
    ...lines('llm.log').map((session) => ({ where: 'llm', session }) as const),
    ...[...rows, ...more].map((session) => ({ where: 'query', session }) as const),
  ];
  const there = new Set([...rows.map((mark) => `shop ${mark}`), ...more.map((mark) => `warehouse ${mark}`)]);
  return { reached, rowsMissing: notes.rows.filter((row) => !there.has(row)) };
}

/** What the ledger says. */
async function judged(
  { server }: Stage,
  home: string,
  isPostgres: boolean,
  notes: Notes,
  daemons: DaemonSeries,
): Promise<Omit<Phase, 'reached' | 'rowsMissing'>> {
  const keys = join(home, 'keys');
  const ledger = await Ledger.open({
    store: isPostgres
      ? { url: server?.url ?? '', poolSize: 2, statementTimeoutMs: 30_000 }
      : { file: join(home, 'ledger.db') },
    operatorKey: isPostgres ? Buffer.from(storeKey, 'hex') : operatorKeyIn(keys),
    chain: isPostgres ? 'reader' : chainIn(keys),
    check: verifySignature,
    now: Date.now,
  });
  try {
    const recorded: Recorded[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const page = await ledger.audit.list({ before, limit: 5000 });
      for (const { event_type, decision_id, decision, details } of page) {
        if (decision_id === undefined) continue;
        recorded.push({
          event: event_type,
          id: decision_id,
          decision: decision ?? '',
          session: String(details['session'] ?? ''),
          kind: String(details['kind'] ?? ''),
        });
      }
      const last = page.at(-1);
      if (last === undefined) break;
      before = last.place;
    }
    const { entries, problems } = await ledger.verify();
    const { receipts, mismatch } = await ledger.receipts.verify();
    const [open] = await ledger.store.read((sql) => sql.all('SELECT count(*) AS open FROM open_work'));
    return {
      acknowledged: notes.acknowledged,
      recorded,
      entries,
      receipts,
      chainProblems: problems.map(({ seq, problem }) => `entry ${seq}: ${problem}`),
      receiptProblems: mismatch.map(({ problem }) => problem),
      files: notes.files,
      deaths: daemons.deaths,
      openWork: Number(open?.['open']),
      samples: daemons.samples,
      forbidden: notes.forbidden,
      uses: notes.uses,
    };
  } finally {
    await ledger.close();
  }
}

/** Two phases as one. */
function mergePhases(phases: readonly Phase[]): Phase {
  const all = <K extends keyof Phase>(key: K) => phases.flatMap((one) => one[key] as never[]);
  const sum = (key: 'entries' | 'receipts' | 'openWork') =>
    phases.reduce((total, one) => total + one[key], 0);
  const uses: Record<string, number> = {};
  for (const one of phases)
    for (const [name, times] of Object.entries(one.uses)) uses[name] = (uses[name] ?? 0) + times;
  return {
    ...{
      acknowledged: all('acknowledged'),
      reached: all('reached'),
      recorded: all('recorded'),
    },
    ...{ chainProblems: all('chainProblems'), receiptProblems: all('receiptProblems'), files: all('files') },
    ...{
      rowsMissing: all('rowsMissing'),
      samples: all('samples'),
      forbidden: all('forbidden'),
      deaths: all('deaths'),
      uses,
    },
    ...{ entries: sum('entries'), receipts: sum('receipts'), openWork: sum('openWork') },
  };
}

async function main(): Promise<void> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-soak-'));
  const mark = `soak-${process.pid}-${Date.now()}`;
  const random = seeded(seed);
  say('making the bundle');
  let server: Stage['server'] = null;
  let findings: Findings;
  try {
    const program = bundleIn(folder);
    server = postgresMissing === null ? await startPostgres() : null;
    const stage: Stage = { folder, program, mark, disk: inside ?? null, random, server };
    const engines = wanted.filter((engine) => engine === 'SQLite' || server !== null);
    const phases: Phase[] = [];
    for (const engine of engines)
      phases.push(await phase(engine, stage, (minutes * 60_000) / engines.length));
    findings = {
      ...mergePhases(phases),
      processesLeft: processesWith(mark),
      foldersLeft: engines.flatMap((engine) => readdirSync(join(folder, engine, 'tmp'))),
    };
  } finally {
    await server?.stop();
    if (process.env['SALLYPORT_SOAK_KEEP'] === undefined) rmSync(folder, { recursive: true, force: true });
  }
  const checks = checksOf(findings);
  const took = Math.round((performance.now() - started) / 1000);
  report(checks, findings, took, server !== null);
  process.exitCode = checks.every(({ holds }) => holds) ? 0 : 1;
}

function report(
  checks: readonly Check[],
  { uses, entries }: Findings,
  seconds: number,
  postgres: boolean,
): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify({ seed, minutes, seconds, postgres, disk: inside !== undefined, entries, uses, checks })}\n`,
    );
    return;
  }
  printColumns(
    ['what', 'times'],
    Object.entries(uses).map(([name, times]) => [name, times.toLocaleString('en')]),
  );
  printColumns(
    ['check', '', ''],
    checks.map(({ name, holds, says }) => [name, holds ? 'holds' : 'FAILS', says]),
  );
  const lacking = [...(postgres ? [] : ['PostgreSQL']), ...(inside === undefined ? ['a small disk'] : [])];
  if (lacking.length > 0) process.stdout.write(`not to be had here, and left out: ${lacking.join(', ')}\n`);
  process.stdout.write(`seed ${seed}, ${minutes} minutes (${seconds} s in all)\n`);
}

if (inside !== undefined || !withSmallDisk()) await main();
