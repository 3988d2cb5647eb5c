// A client that disconnects before its answer: the approved query can be requested again, and no change is made twice.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newStore } from '../../../tests/support/ledger.ts';
import { context, problemOf, type Shop, shopOn, yes } from '../../../tests/support/shop.ts';
import type { JsonObject } from '../../core/index.ts';
import { Deliveries } from './deliveries.ts';
import type { QueryResult } from './execute.ts';

const result: QueryResult = { data: [], rows: 0, truncated: false, warnings: [], redactions: {} };
const terms = { expiresAt: 100_000, reads: true };
const change = { expiresAt: 100_000, reads: false };

/** A disconnected client. */
function gone(): AbortSignal {
  return AbortSignal.abort();
}

describe('a delivery', () => {
  it('leaves nothing where the client has its answer', async () => {
    const deliveries = new Deliveries(() => 0);
    const here = new AbortController();
    expect(await deliveries.run('a', terms, here.signal, async () => result)).toBe(result);
    expect(deliveries.take('a', undefined)).toBeUndefined();
    await deliveries.run('b', terms, undefined, async () => result);
    expect(deliveries.take('b', undefined)).toBeUndefined();
  });

  it('is handed to the next client, and kept where that one goes too', async () => {
    const deliveries = new Deliveries(() => 0);
    const [leaving, other] = [new AbortController(), new AbortController()];
    await deliveries.run('a', change, leaving.signal, async () => {
      leaving.abort();
      return result;
    });
    const left = deliveries.take('a', other.signal);
    // While another client waits for it no other one gets it.
    expect(deliveries.take('a', undefined)).toBeUndefined();
    other.abort();
    expect(left === 'start again' ? left : await left?.outcome).toBe(result);
    const again = deliveries.take('a', new AbortController().signal);
    expect(again === 'start again' ? again : await again?.outcome).toBe(result);
    expect(deliveries.take('a', undefined)).toBeUndefined();
  });

  it('of a read that was stopped starts again, once', async () => {
    const deliveries = new Deliveries(() => 0);
    const leaving = new AbortController();
    const run = deliveries.run('a', terms, leaving.signal, async (signal) => {
      leaving.abort();
      signal?.throwIfAborted();
      return result;
    });
    await expect(run).rejects.toThrow();
    expect(deliveries.take('a', undefined)).toBe('start again');
    expect(deliveries.take('a', undefined)).toBeUndefined();
  });

  it("of a read that is being stopped starts again at once: its failure is nobody else's", async () => {
    const deliveries = new Deliveries(() => 0);
    const leaving = new AbortController();
    const stopped = Promise.withResolvers<QueryResult>();
    const run = deliveries.run('a', terms, leaving.signal, () => stopped.promise);
    leaving.abort();
    expect(deliveries.take('a', new AbortController().signal)).toBe('start again');
    stopped.reject(new Error('it was given up'));
    await expect(run).rejects.toThrow('it was given up');
  });

  it('of a change goes on without its client, and its outcome is kept, a failure too', async () => {
    for (const fails of [false, true]) {
      const deliveries = new Deliveries(() => 0);
      const leaving = new AbortController();
      let started = 0;
      const work = async (signal: AbortSignal | undefined) => {
        started++;
        expect(signal).toBeUndefined();
        leaving.abort();
        if (fails) throw new Error('it failed');
        return result;
      };
      await deliveries.run('a', change, leaving.signal, work).catch(() => undefined);
      const left = deliveries.take('a', undefined);
      if (left === undefined || left === 'start again') throw new Error('nothing was kept');
      expect(await left.outcome.catch(({ message }) => message)).toBe(fails ? 'it failed' : result);
      expect(started).toBe(1);
    }
  });

  it('of what did not start starts for the next client', async () => {
    const deliveries = new Deliveries(() => 0);
    const never = async () => {
      throw new Error('it started');
    };
    await expect(deliveries.run('a', change, gone(), never)).rejects.toThrow('given up');
    expect(deliveries.take('a', undefined)).toBe('start again');
  });

  it('is kept until the token expires, and as one of a few', async () => {
    let now = 0;
    const deliveries = new Deliveries(() => now);
    for (let at = 0; at < 40; at++)
      await deliveries.run(`${at}`, change, gone(), async () => result).catch(() => 0);
    expect(deliveries.take('0', undefined)).toBeUndefined();
    expect(deliveries.take('39', undefined)).toBe('start again');
    now = change.expiresAt;
    expect(deliveries.take('38', undefined)).toBeUndefined();
  });
});

describe('a query whose client goes away', () => {
  const slow =
    '(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 400000) SELECT 1 + 0 * max(x) FROM c)';

  async function approved(mode: JsonObject, text: string): Promise<{ shop: Shop; token: string }> {
    const shop = await shopOn(await newStore('sqlite'), mode);
    const query = { target: 'shop', text };
    const first = await shop.pipeline.validate(query, context);
    if (first.approval !== undefined) await yes(shop, first.approval.id);
    const { approval_token: token, violations } = await shop.pipeline.validate(query, context);
    if (token === null) throw new Error(JSON.stringify(violations));
    return { shop, token };
  }

  /** Runs with a client that leaves after a time. */
  async function leave({ pipeline }: Shop, text: string, token: string, ms: number): Promise<string> {
    const leaving = new AbortController();
    const run = problemOf(pipeline.execute({ target: 'shop', text }, token, context, leaving.signal));
    await sleep(ms);
    leaving.abort();
    return await run;
  }

  it.each([0, 5, 40, 120])('changes what it changes once, when it goes after %s ms', async (ms) => {
    const text = `UPDATE orders SET total = total + ${slow} WHERE id = 1`;
    const { shop, token } = await approved({ sql_allow_writes: true, max_cost: 100_000_000 }, text);
    await leave(shop, text, token, ms);
    const query = { target: 'shop', text };
    const here = new AbortController();
    expect(await shop.pipeline.execute(query, token, context, here.signal)).toMatchObject({ rows: 1 });
    expect(await problemOf(shop.pipeline.execute(query, token, context))).toBe('AlreadyUsed');
    const database = new DatabaseSync(shop.file, { readOnly: true });
    expect(database.prepare('SELECT total FROM orders WHERE id = 1').get()).toEqual({ total: 11 });
    database.close();
  });

  it.each([0, 40, 120])(
    'is read for who comes back, when it goes after %s ms, without another yes',
    async (ms) => {
      const text = `SELECT ssn, ${slow} AS one FROM customers WHERE id = 1`;
      const { shop, token } = await approved({}, text);
      await leave(shop, text, token, ms);
      const query = { target: 'shop', text };
      const other = { ...context, user: 'bob' };
      expect(await problemOf(shop.pipeline.execute(query, token, other))).toBe('UserMismatch');
      const here = new AbortController();
      expect(await shop.pipeline.execute(query, token, context, here.signal)).toMatchObject({
        data: [{ ssn: '1', one: 1 }],
      });
      expect(await problemOf(shop.pipeline.execute(query, token, context))).toBe('AlreadyUsed');
    },
  );

  it('is judged again: what the source blocks by then is not handed over', async () => {
    const text = `SELECT id, ${slow} AS one FROM orders WHERE id = 1`;
    const { shop, token } = await approved({}, text);
    await leave(shop, text, token, 40);
    shop.set({ sql_blocked_tables: ['orders'] });
    expect(await problemOf(shop.pipeline.execute({ target: 'shop', text }, token, context))).not.toBe('ran');
  });
});
