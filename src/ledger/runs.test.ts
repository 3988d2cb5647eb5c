// Paused runs on both engines: limited in size, stored for as long as they can be resumed, and deleted with their user.

import { describe, expect, it } from 'vitest';
import { context } from '../../tests/support/decide.ts';
import { engines, newStore, person } from '../../tests/support/ledger.ts';
import { type Ledger, RunExpired, RunTaken, TooMuchPaused, UnknownRun } from './index.ts';
import { erasePerson, retain } from './maintenance.ts';
import type { ParkOptions } from './runs.ts';

const start = 1_700_000_000_000;
const minute = 60_000;
const day = 24 * 60 * minute;

async function ask(ledger: Ledger, binding = 'b'): Promise<string> {
  const question = { action: { kind: 'read', path: 'x' }, context, findings: [] } as const;
  const options = { binding, question, decisionId: 'd', now: start, expiryMs: minute, maxPending: 10 };
  return (await ledger.approvals.ask(options)).id;
}

function park(ledger: Ledger, approvals: readonly string[], more: Partial<ParkOptions> = {}) {
  const content = new Uint8Array(10).fill(7);
  const run = { id: null, context, code: 'c', approvals, decisionId: 'd', content, now: start, ...more };
  return ledger.runs.park(run);
}

describe.each(engines)('paused runs on %s', (engine) => {
  it('are opened while one of their questions can be answered, and taken once', async () => {
    const ledger = await (await newStore(engine)).open();
    const [one, two] = [await ask(ledger), await ask(ledger, 'c')];
    const id = await park(ledger, [one, two]);
    const opened = await ledger.runs.open(id, {}, start);
    expect(opened).toMatchObject({ answers: 'pending', round: 1, expiresAt: start + 2 * minute });
    expect([...opened.content]).toEqual(Array(10).fill(7));
    await ledger.approvals.answer(two, 'deny', 'olga', person, {}, start + minute - 1);
    // The other one has expired; this one is enough.
    expect(await ledger.runs.open(id, {}, start + minute)).toMatchObject({ answers: 'answered' });
    await expect(ledger.runs.open(id, {}, start + 2 * minute - 1)).rejects.toThrow(RunExpired);
    await ledger.runs.take(opened, start + minute);
    await expect(ledger.runs.take(opened, start + minute)).rejects.toThrow(RunTaken);
    await expect(ledger.runs.open(id, {}, start + minute)).rejects.toThrow(RunTaken);
    expect(await park(ledger, [one], { id })).toBe(id);
    expect(await ledger.runs.open(id, {}, start)).toMatchObject({ round: 2 });
    // A state that was opened before the run paused again belongs to an earlier round.
    await expect(ledger.runs.take(opened, start)).rejects.toThrow(RunTaken);
  });

  it('are not made of what is not under way', async () => {
    const ledger = await (await newStore(engine)).open();
    const approval = await ask(ledger);
    await expect(park(ledger, [approval], { id: 'unknown' })).rejects.toThrow(UnknownRun);
    const id = await park(ledger, [approval]);
    await expect(park(ledger, [approval], { id })).rejects.toThrow(UnknownRun);
    await expect(ledger.runs.take({ id: 'unknown', round: 1 }, start)).rejects.toThrow(UnknownRun);
    await expect(ledger.runs.open('unknown', {}, start)).rejects.toThrow(UnknownRun);
    // A question that does not exist cannot be answered.
    const lost = await park(ledger, ['nothing']);
    await expect(ledger.runs.open(lost, {}, start)).rejects.toThrow(RunExpired);
  });

  it('hold so much at the most, alone and together', async () => {
    const ledger = await (await newStore(engine)).open();
    const approval = await ask(ledger);
    const content = new Uint8Array(8_388_609);
    await expect(park(ledger, [approval], { content })).rejects.toThrow(TooMuchPaused);
    // Sealing this much takes seconds, so one engine runs it: the one whose sums are not numbers by themselves.
    if (engine !== engines.at(-1)) return;
    const large = { content: content.subarray(1) };
    for (let n = 0; n < 5; n++) await park(ledger, [approval], large);
    await expect(park(ledger, [approval], large)).rejects.toThrow('together');
    await park(ledger, [approval], { ...large, context: { ...context, tenant: 'other' } });
  });

  it('go with the person whose they are, and with their time', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const approval = await ask(ledger);
    await park(ledger, [approval]);
    await park(ledger, [approval], { context: { ...context, user: 'bob' } });
    const operator = { user: 'olga', tenant: 'local' };
    expect(await erasePerson(ledger, { user: 'ann' }, operator, start)).toMatchObject({ runs: 1 });
    expect(await store.rows('SELECT user_id FROM runs')).toEqual([{ user_id: 'bob' }]);
    expect(await retain(ledger, 30, operator, start + 2 * day)).toMatchObject({ runs: 1 });
    expect(await store.rows('SELECT user_id FROM runs')).toEqual([]);
  });
});
