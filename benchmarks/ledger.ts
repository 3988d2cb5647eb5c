// The ledger on both engines: what group commit saves, how fast a log is verified, what a search in a long log takes.

import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { type EntryFilter, Ledger, type LedgerOptions, type NewEntry } from '../src/ledger/index.ts';
import { type PostgresServer, startPostgres } from '../tests/support/postgres.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const wanted = Number(process.env['BENCH_ENTRIES'] ?? 1_000_000);
const batch = 1024;
const rounds = 5;
const rare = 5;

export const ledger: Benchmark = async (progress) => {
  if (!Number.isSafeInteger(wanted) || wanted < 10_000)
    throw new Error('BENCH_ENTRIES must be 10000 or more');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const server = await startPostgres();
  try {
    const engines = [embedded(folder), shared(server)];
    const rows: Row[] = [];
    for (const engine of engines) {
      progress(`${engine.name}: appends`);
      rows.push(...(await appends(engine)));
      progress(`${engine.name}: an answer, from one daemon to another`);
      rows.push(await answers(engine));
    }
    for (const engine of engines) rows.push(...(await longLog(engine, progress)));
    return rows;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

// ---- The engines, through the ledger and past it ----

/** One row as the engine has it. */
type Values = readonly (string | number | null)[];

/** A connection past the ledger. */
interface Bare {
  rows(query: string): Promise<readonly Record<string, unknown>[]>;
  /** One statement, one commit. */
  insert(text: string, values: Values): Promise<void>;
  close(): Promise<void>;
}

/** A store of an engine: its options for the ledger, and the engine itself. */
interface Place {
  readonly store: LedgerOptions['store'];
  bare(): Promise<Bare>;
}

interface Engine {
  readonly name: string;
  place(name: string): Promise<Place>;
}

function embedded(folder: string): Engine {
  return {
    name: 'SQLite',
    place: async (name) => {
      const file = join(folder, `${name}.db`);
      return {
        store: { file },
        bare: async () => {
          const database = new DatabaseSync(file);
          database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
          return {
            rows: async (query) => database.prepare(query).all(),
            insert: async (text, values) => void database.prepare(text).run(...values),
            close: async () => database.close(),
          };
        },
      };
    },
  };
}

function shared(server: PostgresServer): Engine {
  return {
    name: 'PostgreSQL',
    place: async (name) => {
      const url = await server.createDatabase(name);
      return {
        store: { url, poolSize: 4, statementTimeoutMs: 60_000 },
        bare: async () => {
          const client = new pg.Client(server.superuserUrl(name));
          await client.connect();
          return {
            rows: async (query) => (await client.query(query)).rows,
            insert: async (text, values) => {
              let count = 0;
              const numbered = text.replace(/\?/g, () => `$${++count}`);
              await client.query({ name: 'insert', text: numbered, values: [...values] });
            },
            close: () => client.end(),
          };
        },
      };
    },
  };
}

function open({ store }: Place, chain = 'bench'): Promise<Ledger> {
  return Ledger.open({
    store,
    operatorKey: Buffer.alloc(32, 1),
    chain,
    check: () => true,
    now: Date.now,
  });
}

// ---- Answers ----

/** How long one daemon waits for an answer that another one was given. */
async function answers(engine: Engine): Promise<Row> {
  const place = await engine.place(`answers_${engine.name.toLowerCase()}`);
  const [asks, answered] = [await open(place, 'asks'), await open(place, 'answers')];
  await asks.enrolOwner({ publicKey: 'bench', sign: () => 'bench' }, { user: 'u', tenant: 't' });
  const context = {
    user: 'u',
    tenant: 't',
    agent: 'a',
    session: 's',
    workspace: '/',
    mode: 'default',
  } as const;
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const question = {
      action: { kind: 'fetch', url: `https://example.com/${round}` } as const,
      context,
      findings: [],
    };
    const now = Date.now();
    const { id } = await asks.approvals.ask({
      binding: `binding ${round}`,
      question,
      decisionId: 'd',
      now,
      expiryMs: 60_000,
      maxPending: 100,
    });
    const waiting = asks.approvals.waitFor(id, 10_000, new AbortController().signal, Date.now);
    // Not always in the same moment of whoever looks from time to time.
    await new Promise((resolve) => setTimeout(resolve, 50 + round * 7));
    const start = performance.now();
    await answered.approvals.answer(id, 'approve', 'bench', { sign: () => 'bench' }, {}, Date.now());
    if (!(await waiting)) throw new Error('the answer was not heard');
    times.push(performance.now() - start);
  }
  await asks.close();
  await answered.close();
  const worst = Math.max(...times);
  return {
    what: `${engine.name}: an answer reaches another daemon, the slowest of ${times.length}`,
    ours: `${short(worst)} ms`,
    floor: `median ${short(median(times))} ms`,
    ratio: '',
    goal: '≤ 200 ms',
    met: worst <= 200,
  };
}

// ---- Appends ----

/** Writers that each wait for their entry, against the same rows with one statement, and so one fsync, each. */
async function appends(engine: Engine): Promise<Row[]> {
  const place = await engine.place(`appends_${engine.name.toLowerCase()}`);
  const ours = await open(place);
  const makeEntry = entries(100_000);
  // One person's daemon in the middle of its work: what it writes about is known already.
  const same = { tenant: 'tenant', user: 'user', agent: 'agent' };
  let number = 0;
  const append = async (writers: number, each: number) => {
    const start = performance.now();
    await Promise.all(
      Array.from({ length: writers }, async () => {
        for (let round = 0; round < each; round++) {
          await ours.audit.append({ ...makeEntry(number++), ...same });
        }
      }),
    );
    return (writers * each * 1000) / (performance.now() - start);
  };
  await append(64, 100);

  const bare = await place.bare();
  const copied = await bare.rows('SELECT * FROM audit ORDER BY place LIMIT 300');
  const columns = Object.keys(copied[0] ?? {}).filter((column) => column !== 'place');
  const text = `INSERT INTO audit (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  let seq = 0;
  const single = async () => {
    const rows = copied.map((row) =>
      columns.map((column) => {
        if (column === 'chain') return 'bare';
        return column === 'seq' ? ++seq : (row[column] as string | number | null);
      }),
    );
    const start = performance.now();
    for (const row of rows) await bare.insert(text, row);
    return (rows.length * 1000) / (performance.now() - start);
  };

  const cases = [
    { writers: 1, each: 300, goal: 0.3, speeds: [] as number[], commits: 0 },
    { writers: 16, each: 60, goal: 3, speeds: [] as number[], commits: 0 },
    { writers: 64, each: 40, goal: 10, speeds: [] as number[], commits: 0 },
  ];
  const floors: number[] = [];
  for (let round = 0; round < rounds; round++) {
    floors.push(await single());
    for (const one of cases) {
      const before = ours.audit.commits;
      one.speeds.push(await append(one.writers, one.each));
      one.commits += ours.audit.commits - before;
    }
  }
  await bare.close();
  await ours.close();
  const floor = median(floors);
  return cases.map(({ writers, each, goal, speeds, commits }): Row => {
    const speed = median(speeds);
    const together = (writers * each * rounds) / commits;
    return {
      what: `${engine.name}: appends, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
      ours: `${short(speed)}/s (${short(together)} a commit)`,
      floor: `${short(floor)}/s (one INSERT and commit each)`,
      ratio: short(speed / floor),
      goal: `≥ ${goal}`,
      met: speed / floor >= goal,
    };
  });
}

// ---- A long log ----

/** The same log for every run and engine: tenants, users, agents, decisions, rules and texts of unequal weight. */
function entries(count: number): (number: number) => NewEntry {
  let state = 0x5a11;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** Small numbers come much more often than large ones. */
  const uneven = (below: number) => Math.floor(random() ** 2 * below);
  const every = Math.floor(count / rare);
  return (number) => {
    const tenant = uneven(50);
    const user = uneven(20);
    const weight = random();
    const decision = weight < 0.85 ? 'pass' : weight < 0.95 ? 'block' : 'approve';
    const isRare = number % every === 7;
    // A person works on few things, and so meets few of the rules.
    const rule = (tenant + 3 * user + uneven(5)) % 40;
    const finding = {
      rule: isRare ? 'rare_rule' : `rule_${rule}`,
      guard: `guard_${rule % 6}`,
      decision,
      message: `host-${number}.example is not listed`,
    };
    return {
      time: firstTime + number * apart + Math.floor(random() * apart),
      event_type: 'decision',
      user: `user-${tenant}-${user}`,
      tenant: `tenant-${tenant}`,
      agent: `agent-${(user + uneven(2)) % 8}`,
      decision_id: `decision-${number}`,
      decision,
      details: {
        kind: 'fetch',
        session: `session-${Math.floor(number / 50)}`,
        workspace: `/work/project-${tenant}-${uneven(5)}`,
        facts: { scheme: 'https', host: `host-${number}.example`, port: 443, method: 'GET' },
        findings: isRare || decision !== 'pass' ? [finding] : [],
        action: hash('sha256', String(number), 'base64url'),
        ...(isRare ? { note: 'a needle in the haystack' } : {}),
      },
    };
  };
}

const firstTime = 1_700_000_000_000;
/** A million entries in about ninety days. */
const apart = 7_776;
const hour = 3_600_000;

async function longLog(engine: Engine, progress: (text: string) => void): Promise<Row[]> {
  const place = await engine.place(`long_${engine.name.toLowerCase()}`);
  const log = await open(place);
  try {
    progress(`${engine.name}: ${wanted.toLocaleString('en')} entries`);
    const start = performance.now();
    await build(log);
    const took = performance.now() - start;
    const bare = await place.bare();
    // What autovacuum does by itself within a minute.
    if (engine.name === 'PostgreSQL') await bare.rows('VACUUM ANALYZE');
    const page = await bare.rows('SELECT body, salt, content, hash FROM audit ORDER BY place LIMIT 5000');
    await bare.close();
    progress(`  built in ${short(took / 1000)} s; verify`);
    const rows = [await verifying(engine, log, page)];
    progress('  search');
    rows.push(...(await searches(engine, log)));
    return rows;
  } finally {
    await log.close();
  }
}

/** A valid chain, as fast as the ledger takes it. */
async function build(log: Ledger): Promise<void> {
  const makeEntry = entries(wanted);
  for (let number = 0; number < wanted; ) {
    const end = Math.min(number + batch, wanted);
    const written: Promise<void>[] = [];
    for (; number < end; number++) written.push(log.audit.append(makeEntry(number)));
    await Promise.all(written);
  }
}

/** Verification against hashing alone what it must hash: each entry's content, link and leaf. */
async function verifying(
  engine: Engine,
  log: Ledger,
  page: readonly Record<string, unknown>[],
): Promise<Row> {
  let start = performance.now();
  const { entries: count, problems } = await log.verify();
  const speed = (count * 1000) / (performance.now() - start);
  if (count !== wanted || problems.length > 0) {
    throw new Error(`the log is not what was written: ${count} entries, ${JSON.stringify(problems[0])}`);
  }
  const texts = page.map(({ body, salt, content, hash: link }) => [
    `${salt}${body}`,
    `${link}${content}`,
    String(link),
  ]);
  const repeats = 20;
  start = performance.now();
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const parts of texts) for (const text of parts) hash('sha256', text);
  }
  const floor = (texts.length * repeats * 1000) / (performance.now() - start);
  return {
    what: `${engine.name}: verify ${wanted.toLocaleString('en')} entries`,
    ours: `${short(speed)}/s`,
    floor: `${short(floor)}/s (SHA-256 of the same bytes)`,
    ratio: short(speed / floor),
    goal: '≥ 0.1',
    met: speed / floor >= 0.1,
  };
}

/** How long a search may take before a person waits for it, in milliseconds. */
const patience = 200;

async function searches(engine: Engine, log: Ledger): Promise<Row[]> {
  const middle = firstTime + Math.floor(wanted / 2) * apart;
  const cases: readonly { what: string; filter: EntryFilter; finds?: number }[] = [
    { what: 'newest page', filter: {} },
    { what: 'page in the depth', filter: { before: Math.floor(wanted / 10) } },
    { what: 'by tenant', filter: { tenant: 'tenant-3' } },
    { what: 'by tenant and user', filter: { tenant: 'tenant-40', user: 'user-40-15' } },
    {
      what: 'by tenant and user in the depth',
      filter: { tenant: 'tenant-40', user: 'user-40-15', before: wanted / 4 },
    },
    { what: 'by a tenant that is not there', filter: { tenant: 'nobody' }, finds: 0 },
    { what: 'by agent', filter: { agent: 'agent-7' } },
    { what: 'by decision', filter: { decision: 'approve' } },
    { what: 'by guard', filter: { guard: 'guard_5' } },
    { what: 'by rule', filter: { rule: 'rule_7' }, finds: 50 },
    { what: 'by rare rule', filter: { rule: 'rare_rule' }, finds: rare },
    { what: 'by an hour long ago', filter: { since: middle, until: middle + hour } },
    { what: 'by a day long ago', filter: { since: middle, until: middle + 24 * hour } },
    {
      what: 'by a day long ago and agent',
      filter: { since: middle, until: middle + 24 * hour, agent: 'agent-7' },
    },
    { what: 'by decision id', filter: { decisionId: `decision-${wanted / 2}` }, finds: 1 },
    { what: 'by text that many hold', filter: { text: '/work/project-7-' }, finds: 50 },
    { what: 'by rare text', filter: { text: 'needle in the hay' }, finds: rare },
    { what: 'by rare text of a tenant', filter: { text: 'needle in the hay', tenant: 'tenant-3' } },
    {
      what: 'by rare text of a day',
      filter: { text: 'needle in the hay', since: middle, until: middle + 24 * hour },
    },
  ];
  const rows: Row[] = [];
  let floor = 0;
  for (const { what, filter, finds } of cases) {
    const times: number[] = [];
    for (
      let round = 0;
      round < 2 * rounds && (round < 3 || times.length < 3 || median(times) < 500);
      round++
    ) {
      const start = performance.now();
      const found = await log.audit.list(filter);
      const took = performance.now() - start;
      if (finds !== undefined && found.length !== finds) {
        throw new Error(`${engine.name}, ${what}: found ${found.length} entries and not ${finds}`);
      }
      if (round > 0) times.push(took);
    }
    const took = median(times);
    if (what === 'newest page') floor = took;
    rows.push({
      what: `${engine.name}: search, ${what}`,
      ours: `${short(took)} ms`,
      floor: `${short(floor)} ms (newest page)`,
      ratio: short(took / floor),
      goal: `≤ ${patience} ms`,
      met: took <= patience,
    });
  }
  return rows;
}
