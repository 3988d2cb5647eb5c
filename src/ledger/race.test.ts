// Races between daemons on one store: an operation that may happen once happens once, and every daemon gets each
// notification.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  engines,
  enrolPerson,
  entry,
  isPerson,
  newStore,
  person,
  type StorePlace,
} from '../../tests/support/ledger.ts';
import { postgresMissing, sharedPostgres } from '../../tests/support/postgres.ts';
import { oneOf } from '../../tests/support/share.ts';
import { type AskOptions, type Bound, Ledger, type Question } from './index.ts';

const start = 1_700_000_000_000;
const minute = 60_000;
const rounds = 100 / oneOf(4);
const racersEach = 25;

const question: Question = {
  action: { kind: 'fetch', url: 'https://example.com/' },
  context: {
    user: 'ann',
    tenant: 'acme',
    agent: 'coder',
    session: 's1',
    workspace: '/work',
    mode: 'default',
  },
  findings: [],
};

function asking(binding: string): AskOptions {
  return { binding, question, decisionId: 'd', now: start, expiryMs: minute, maxPending: 1000 };
}

/** The commands for a daemon in a race, concurrently and many times over. */
type Order =
  | { readonly work: 'consume'; readonly asked: Bound }
  | { readonly work: 'token'; readonly id: string }
  | { readonly work: 'ask'; readonly options: AskOptions };

interface Daemon {
  /** Runs the work as many times concurrently; returns the result of each, or the name and text of its error. */
  race(times: number, order: Order): Promise<readonly unknown[]>;
}

/**
 * A daemon is a separate process: the embedded engine's lock blocks the process that waits for it, so two of them in
 * one process would only wait for each other.
 */
async function startDaemon({ options }: StorePlace, chain: string): Promise<Daemon> {
  const script = `
    import { Ledger } from ${JSON.stringify(fileURLToPath(new URL('index.ts', import.meta.url)))};
    const ledger = await Ledger.open({
      store: ${JSON.stringify(options.store)}, operatorKey: Buffer.alloc(32, 7), chain: ${JSON.stringify(chain)},
      check: () => true, now: () => ${start},
    });
    const works = {
      consume: ({ asked }) => ledger.approvals.consume(asked, 'd', ${start} + 1),
      token: ({ id }) => ledger.tokens.consume(id, ${start + minute}, ${start}),
      ask: async ({ options }) => (await ledger.approvals.ask(options)).id,
    };
    process.on('message', async ({ times, order }) => {
      const all = Array.from({ length: times }, () => works[order.work](order).catch(String));
      process.send(await Promise.all(all));
    });
    process.on('disconnect', () => ledger.close());
    process.send('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => ended(child));
  const answer = () => new Promise<unknown>((resolve) => child.once('message', resolve));
  expect(await answer()).toBe('ready');
  return {
    race(times, order) {
      const answered = answer();
      child.send({ times, order });
      return answered as Promise<readonly unknown[]>;
    },
  };
}

/** Lets a daemon close its ledger, so that its shutdown is part of the test too. */
async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await gone;
}

async function raceBoth(
  daemons: readonly Daemon[],
  times: number,
  order: Order,
): Promise<readonly unknown[]> {
  return (await Promise.all(daemons.map((daemon) => daemon.race(times, order)))).flat();
}

/** One true, and false for all others: no second winner, and no error either. */
function expectOneWinner(results: readonly unknown[]): void {
  expect(results.filter((result) => result !== false)).toEqual([true]);
  expect(results).toHaveLength(2 * racersEach);
}

describe.each(engines)('two daemons on %s', (engine) => {
  it(`use an approval once, whichever of ${2 * racersEach} callers is first`, async () => {
    const store = await newStore(engine);
    const ledger = await store.openEnrolled('c');
    const daemons = [await startDaemon(store, 'a'), await startDaemon(store, 'b')];
    for (let round = 0; round < rounds; round++) {
      const asked = { binding: `round ${round}`, question };
      const { id } = await ledger.approvals.ask(asking(asked.binding));
      await ledger.approvals.answer(id, 'approve', 'ann', person, {}, start);
      expectOneWinner(await raceBoth(daemons, racersEach, { work: 'consume', asked }));
    }
    const used = await ledger.audit.list({ eventType: 'approval_used', limit: 2 * rounds });
    expect(used).toHaveLength(rounds);
    expect(await ledger.verify()).toMatchObject({ entries: 3 * rounds + 1, problems: [] });
  });

  it(`use a token once, whichever of ${2 * racersEach} callers is first`, async () => {
    const store = await newStore(engine);
    const daemons = [await startDaemon(store, 'a'), await startDaemon(store, 'b')];
    for (let round = 0; round < rounds; round++) {
      expectOneWinner(await raceBoth(daemons, racersEach, { work: 'token', id: `round ${round}` }));
    }
  });

  it('ask the same question once when both come to it at the same moment', async () => {
    const store = await newStore(engine);
    const ledger = await store.open('c');
    const daemons = [await startDaemon(store, 'a'), await startDaemon(store, 'b')];
    for (let round = 0; round < 20; round++) {
      const options = asking(`round ${round}`);
      const ids = await raceBoth(daemons, 5, { work: 'ask', options });
      expect(new Set(ids).size).toBe(1);
      expect((await ledger.approvals.show(String(ids[0]), {}, start)).question).toMatchObject(question);
    }
    expect(await ledger.approvals.pending({}, start)).toHaveLength(20);
    expect(await ledger.verify()).toMatchObject({ entries: 20, problems: [] });
  });

  it('learn of an answer that the other one was given', async () => {
    const store = await newStore(engine);
    const [one, other] = [await store.openEnrolled('a'), await store.open('b')];
    const { id } = await one.approvals.ask(asking('binding'));
    const waiting = one.approvals.waitFor(id, 10_000, new AbortController().signal, () => start);
    await pause(200);
    await other.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await waiting).toBe(true);
    expect(await one.approvals.consume({ binding: 'binding', question }, 'd', start + 1)).toBe(true);
  });
});

describe.skipIf(postgresMissing)('two daemons that write at the same moment', () => {
  it('do not stop each other, whatever the order of what they write about', async () => {
    const store = await newStore('postgres');
    const ledgers = [await store.open('a'), await store.open('b')];
    const batch = (round: number) =>
      Array.from({ length: 50 }, (_, number) => entry(number, { user: `user ${round} ${number}` }));
    const results: unknown[] = [];
    for (let round = 0; round < 10; round++) {
      const orders = [batch(round), batch(round).reverse()];
      const written = ledgers.flatMap((ledger, index) =>
        (orders[index] ?? []).map((one) => ledger.audit.append(one).then(() => 'written', String)),
      );
      results.push(...(await Promise.all(written)));
    }
    expect([...new Set(results)]).toEqual(['written']);
    expect(await ledgers[0]!.verify()).toMatchObject({ entries: 1000, problems: [] });
  });
});

describe.skipIf(postgresMissing)('two daemons on a PostgreSQL that loses what they hear', () => {
  /** Two daemons, and a superuser who lists and terminates their connections. */
  async function twoDaemons() {
    const { url, name, server } = await sharedPostgres();
    const open = async (chain: string) => {
      const ledger = await Ledger.open({
        store: { url, poolSize: 4, statementTimeoutMs: 5000 },
        operatorKey: Buffer.alloc(32, 7),
        chain,
        check: isPerson,
        now: () => start,
      });
      onTestFinished(() => ledger.close());
      return ledger;
    };
    const [one, other] = [await open('a'), await open('b')];
    await enrolPerson(one);
    const superuser = new pg.Client(server.superuserUrl(name));
    await superuser.connect();
    onTestFinished(() => superuser.end());
    /** Terminates listening connections, as soon as there is one; returns their number. */
    const endListener = async (): Promise<number> => {
      const listening = `datname = '${name}' AND query LIKE 'LISTEN%'`;
      const ended = await superuser.query(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${listening}`,
      );
      if (ended.rows.length > 0) return ended.rows.length;
      await pause(20);
      return endListener();
    };
    return { one, other, superuser, endListener };
  }

  it('find an answer by looking when the connection that hears is ended', async () => {
    const { one, other, endListener } = await twoDaemons();
    const { id } = await one.approvals.ask(asking('binding'));
    const waiting = one.approvals.waitFor(id, 10_000, new AbortController().signal, () => start);
    expect(await endListener()).toBe(1);
    await other.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await waiting).toBe(true);
  });

  it('hear again soon after the connection was lost, however often that happens', async () => {
    const { one, other, endListener } = await twoDaemons();
    const { id } = await one.approvals.ask(asking('binding'));
    const waiting = one.approvals.waitFor(id, 20_000, new AbortController().signal, () => start);
    const found: number[] = [];
    for (let loss = 0; loss < 6; loss++) found.push(await endListener());
    await other.approvals.answer(id, 'approve', 'ann', person, {}, start);
    expect(await waiting).toBe(true);
    expect(found).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('wait for an answer from the moment the connection is lost', async () => {
    const { one, other, endListener } = await twoDaemons();
    const wait = (id: string) =>
      one.approvals.waitFor(id, 10_000, new AbortController().signal, () => start).catch(String);
    const { id: first } = await one.approvals.ask(asking('first'));
    const { id: second } = await one.approvals.ask(asking('second'));
    const waiting = [wait(first)];
    await pause(100);
    const ending = endListener();
    // Some of these begin before this process notices that its listener is disconnected.
    for (let number = 0; number < 50; number++) {
      waiting.push(wait(second));
      await pause(1);
    }
    await ending;
    for (const id of [first, second]) {
      await other.approvals.answer(id, 'approve', 'ann', person, {}, start);
    }
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
  });

  it('give the id of a question that was asked and answered elsewhere in the same moment', async () => {
    const { one, superuser } = await twoDaemons();
    await superuser.query('BEGIN');
    await superuser.query(
      `INSERT INTO approvals (id, binding, state, user_id, tenant, agent, decision_id, created_at, expires_at, answered_at)
       VALUES ('elsewhere', 'binding', 'denied', 'ann', 'acme', 'coder', 'd', $1, $2, $1)`,
      [start, start + minute],
    );
    const asked = one.approvals.ask(asking('binding'));
    await pause(300);
    await superuser.query('COMMIT');
    expect(await asked).toEqual({ id: 'elsewhere', expiresAt: start + minute });
  });
});

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
