// Proposed changes on both engines: sealed, limited in size, decided by hunk, ended once, and with enforced budgets.

import { describe, expect, it } from 'vitest';
import { engines, newStore, type StorePlace } from '../../tests/support/ledger.ts';
import { InputError, type JsonObject } from '../core/index.ts';
import {
  ChangeBusy,
  ChangeEnded,
  type ChangeSet,
  type Ledger,
  StoreDamaged,
  TooManyChanges,
  UnknownChange,
} from './index.ts';
import { erasePerson, retain } from './maintenance.ts';

const start = 1_700_000_000_000;
const minute = 60_000;
const day = 24 * 60 * minute;

const context = {
  user: 'ann',
  tenant: 'acme',
  agent: 'coder',
  session: 'run-1',
  workspace: '/work',
  mode: 'default',
} as const;

const set: ChangeSet = {
  context,
  files: [
    {
      path: 'a.txt',
      to: null,
      op: 'edit',
      before: { type: 'file', hash: 'f'.repeat(64), mode: 0o644 },
      mode: null,
      guards: { write: 'pass', hallucination: 'warn', egress: 'pass' },
      hunks: [1, 2, 3].map((number) => ({
        number,
        kind: 'lines' as const,
        hunks: [{ start: number * 20, lines: [{ kind: '+' as const, text: 'hunter2hunter2\n' }] }],
        decision: null,
      })),
    },
  ],
  findings: [],
  reason: 'a person looks at every proposed change',
  justification: null,
  suggest: false,
  cost: { usd: 0, tokens_in: 0, tokens_out: 0 },
  models: [],
  missing: [],
};

/** The same, of another file. */
const of = (path: string, more: Partial<ChangeSet> = {}): ChangeSet => ({
  ...set,
  files: set.files.map((file) => ({ ...file, path })),
  ...more,
});

const usage = { files: 1, bytes: 10, costUsd: 0.5 };
const decisionsIn = (change: { readonly set: ChangeSet | null }) =>
  change.set?.files.flatMap(({ hunks }) => hunks.map(({ decision }) => decision));

function stage(ledger: Ledger, more: { now?: number; maxStaged?: number; set?: ChangeSet } = {}) {
  return ledger.changes.stage({
    set,
    usage,
    decisionId: 'decision',
    now: start,
    expiryMs: 5 * minute,
    maxStaged: 3,
    ...more,
  });
}

/** Two daemons of one store; in one process, an embedded store would wait for itself, so there it is one. */
async function daemonsOf(store: StorePlace): Promise<readonly [Ledger, Ledger]> {
  const one = await store.open('a');
  return [one, store.engine === 'postgres' ? await store.open('b') : one];
}

describe.each(engines)('proposed changes on %s', (engine) => {
  it('wait sealed, are decided about by hunk, and are erased with the end', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const { id } = await stage(ledger);
    expect(JSON.stringify(await store.rows('SELECT * FROM changes'))).not.toContain('hunter2');
    expect(await store.rows('SELECT tenant, workspace, run FROM changes')).toEqual([
      { tenant: 'acme', workspace: '/work', run: 'run-1' },
    ]);
    await ledger.changes.decide(id, new Set([1, 3]), 'accept', 'olga', {}, start);
    const decided = await ledger.changes.decide(id, new Set([3]), 'reject', 'olga', {}, start);
    expect(decisionsIn(decided)).toEqual(['accept', null, 'reject']);
    expect(decisionsIn(await ledger.changes.show(id, {}, start))).toEqual(['accept', null, 'reject']);
    await expect(ledger.changes.decide(id, new Set([4]), 'accept', 'olga', {}, start)).rejects.toThrow(
      InputError,
    );
    await ledger.changes.claim(id, {}, start);
    await ledger.changes.end(id, 'applied', 'olga', 'receipt-1', start);
    const [row] = await store.rows('SELECT state, sealed, receipt, ended_by FROM changes');
    expect(row).toEqual({ state: 'applied', sealed: null, receipt: 'receipt-1', ended_by: 'olga' });
    expect(await ledger.changes.show(id, {}, start)).toMatchObject({ state: 'applied', set: null });
    for (const again of [
      () => ledger.changes.claim(id, {}, start),
      () => ledger.changes.decide(id, new Set([1]), 'accept', 'olga', {}, start),
    ])
      await expect(again()).rejects.toThrow(ChangeEnded);
    const events = await ledger.audit.list({ limit: 10 });
    expect(events.map(({ event_type: type, details }) => [type, details['answer'] ?? ''])).toEqual([
      ['change_decided', 'apply'],
      ['change_decided', 'reject'],
      ['change_decided', 'accept'],
      ['change_staged', ''],
    ]);
    expect(await ledger.verify()).toMatchObject({ problems: [] });
  });

  it('that are proposed again are the same, with what is decided and what guards say now', async () => {
    const store = await newStore(engine);
    const [one, two] = await daemonsOf(store);
    const { id, expiresAt } = await stage(one);
    await one.changes.decide(id, new Set([1]), 'accept', 'olga', {}, start);
    const findings = [{ rule: 'r', guard: 'write', decision: 'warn', message: 'm' }];
    const told = { ...set, context: { ...context, session: 'run-2' }, justification: 'again', findings };
    const again = await stage(two, { set: told, now: start + minute });
    expect(again).toMatchObject({ id, expiresAt, run: 'run-1', set: { findings, context } });
    expect(decisionsIn(again)).toEqual(['accept', null, null]);
    expect(await one.changes.show(id, {}, start)).toEqual(again);
    const asked = await one.audit.list({ eventType: 'change_staged' });
    expect(asked.map(({ details }) => [details['change'], details['again'] ?? false])).toEqual([
      [id, true],
      [id, false],
    ]);
    await two.changes.claim(id, {}, start);
    await expect(stage(one)).rejects.toThrow(ChangeBusy);
    await two.changes.end(id, 'rejected', 'olga', null, start);
    expect((await stage(one)).id).not.toBe(id);
  });

  it('that do something else, or are of somebody else, are others', async () => {
    const ledger = await (await newStore(engine)).open();
    const [file] = set.files;
    const edited = (more: Partial<NonNullable<typeof file>>) => ({
      ...set,
      files: set.files.map((one) => ({ ...one, ...more })),
    });
    const others: readonly ChangeSet[] = [
      set,
      of('b'),
      { ...set, suggest: true },
      edited({ before: null }),
      edited({ mode: 0o755 }),
      edited({ to: 'c' }),
      edited({ hunks: file?.hunks.slice(1) ?? [] }),
      ...(['user', 'agent', 'workspace', 'tenant'] as const).map((who) => ({
        ...set,
        context: { ...context, [who]: 'other' },
      })),
    ];
    const ids = new Set<string>();
    for (const other of others) ids.add((await stage(ledger, { set: other, maxStaged: 100 })).id);
    expect(ids.size).toBe(others.length);
  });

  it('that come at the same moment from several daemons are one', async () => {
    const ledgers = await daemonsOf(await newStore(engine));
    const made = await Promise.all(Array.from({ length: 6 }, (_, n) => stage(ledgers[n % 2]!)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });

  it('are seen by those whose they are', async () => {
    const ledger = await (await newStore(engine)).open();
    const { id } = await stage(ledger);
    const others = [{ tenant: 'other' }, { tenant: 'acme', user: 'bob' }, { tenant: 'acme', agent: 'x' }];
    for (const reader of others) {
      expect(await ledger.changes.list(reader, start)).toEqual([]);
      for (const look of [
        () => ledger.changes.show(id, reader, start),
        () => ledger.changes.claim(id, reader, start),
        () => ledger.changes.decide(id, new Set([1]), 'accept', 'x', reader, start),
      ])
        await expect(look()).rejects.toThrow(UnknownChange);
    }
    const own = { tenant: 'acme', user: 'ann', agent: 'coder' };
    expect((await ledger.changes.list(own, start)).map((change) => change.id)).toEqual([id]);
    await expect(ledger.changes.show('nothing', {}, start)).rejects.toThrow(UnknownChange);
  });

  it('run out, and with them what they held', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const { id } = await stage(ledger);
    for (const now of [start + 5 * minute, start - 1]) {
      expect(await ledger.changes.show(id, {}, now)).toMatchObject({ state: 'expired', set: null });
      expect(await ledger.changes.list({}, now)).toEqual([]);
      await expect(ledger.changes.claim(id, {}, now)).rejects.toThrow(ChangeEnded);
    }
    await ledger.changes.sweep(start + 5 * minute);
    expect(await store.rows('SELECT state, sealed FROM changes')).toEqual([
      { state: 'expired', sealed: null },
    ]);
  });

  it('are so many at the most, and so large', async () => {
    const ledger = await (await newStore(engine)).open();
    await stage(ledger);
    await stage(ledger, { set: of('b') });
    await expect(stage(ledger, { set: of('c'), maxStaged: 2 })).rejects.toThrow(TooManyChanges);
    // A pending change does not count twice.
    await stage(ledger, { set: of('b'), maxStaged: 2 });
    await stage(ledger, { set: { ...set, context: { ...context, tenant: 'other' } }, maxStaged: 1 });
    const large = of('large', { justification: 'x'.repeat(9_000_000) });
    await expect(stage(ledger, { set: large })).rejects.toThrow('at most');
    expect(await ledger.changes.list({}, start)).toHaveLength(3);
    // Sealing this much takes seconds, so one engine runs it: the one whose sums are not numbers by themselves.
    if (engine !== engines.at(-1)) return;
    const heavy = (n: number) => of(`heavy ${n}`, { justification: 'x'.repeat(8_000_000) });
    for (let n = 0; n < 6; n++) await stage(ledger, { set: heavy(n), maxStaged: 100 });
    await expect(stage(ledger, { set: heavy(6), maxStaged: 100 })).rejects.toThrow('too large together');
    await stage(ledger, { now: start + 5 * minute, maxStaged: 1 });
  });

  it('are applied by one process at a time, and wait again where that fails or dies', async () => {
    const store = await newStore(engine);
    const [one, other] = await daemonsOf(store);
    const { id } = await stage(one);
    const tries = await Promise.allSettled(
      [one, other, one, other].map((ledger) => ledger.changes.claim(id, {}, start)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const tried of tries)
      if (tried.status === 'rejected') expect(tried.reason).toBeInstanceOf(ChangeBusy);
    await expect(one.changes.decide(id, new Set([1]), 'accept', 'x', {}, start)).rejects.toThrow(ChangeBusy);
    await other.changes.release(id);
    await one.changes.claim(id, {}, start);
    await expect(other.changes.claim(id, {}, start + minute - 1)).rejects.toThrow(ChangeBusy);
    await other.changes.claim(id, {}, start + minute);
  });

  it('that somebody exchanged do not open', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const [{ id }, { id: second }] = [await stage(ledger), await stage(ledger, { set: of('b') })];
    await store.tamper(
      `UPDATE changes SET sealed = (SELECT sealed FROM changes WHERE id = '${second}') WHERE id = '${id}'`,
    );
    await expect(ledger.changes.show(id, {}, start)).rejects.toThrow(StoreDamaged);
  });

  it('go with the person who made them, and with their time', async () => {
    const store = await newStore(engine);
    const ledger = await store.open();
    const { id } = await stage(ledger);
    await stage(ledger, { set: { ...set, context: { ...context, user: 'bob' } } });
    await ledger.changes.end(
      (await ledger.changes.list({ user: 'bob' }, start))[0]!.id,
      'rejected',
      'ann',
      null,
      start,
    );
    const operator = { user: 'olga', tenant: 'local' };
    expect(await erasePerson(ledger, { user: 'ann' }, operator, start)).toMatchObject({ changes: 2 });
    await expect(ledger.changes.show(id, {}, start)).rejects.toThrow(UnknownChange);
    expect(JSON.stringify(await store.rows('SELECT * FROM changes'))).not.toContain('ann');
    const told = await ledger.audit.list({ eventType: 'change_decided' });
    expect(JSON.stringify(told)).not.toContain('"ann"');
    expect(await retain(ledger, 30, operator, start + 2 * day)).toMatchObject({ changes: 1 });
    expect(await ledger.verify()).toMatchObject({ problems: [] });
  });
});

describe.each(engines)('budgets on %s', (engine) => {
  const budget = { files: 3, bytes: 1000, costCents: 200 };
  const wide = { files: 1000, bytes: 1_000_000, costCents: 1_000_000 };
  const take = (ledger: Ledger, more: JsonObject = {}, run = budget, perDay = wide, now = start) =>
    ledger.changes.reserve(
      { context: { ...context, session: String(more['run'] ?? 'run-1') } },
      { ...usage, ...more },
      { run, day: perDay },
      'decision',
      now,
    );

  it('are counted over a run and over a day, and say what was too much', async () => {
    const ledger = await (await newStore(engine)).open();
    for (let n = 0; n < 3; n++) expect(await take(ledger)).toHaveProperty('id');
    expect(await take(ledger)).toEqual({
      over: 'the budget of a run is 3 files, and with this it would be 4',
    });
    expect(await take(ledger, { run: 'run-2' })).toHaveProperty('id');
    expect(await take(ledger, { run: 'run-3' }, budget, { ...wide, files: 4 })).toEqual({
      over: 'the budget of a day is 4 files, and with this it would be 5',
    });
    const later = start + day;
    expect(await take(ledger, { run: 'run-3' }, budget, { ...wide, files: 4 }, later)).toHaveProperty('id');
    expect(await take(ledger, { run: 'b', bytes: 1001 })).toEqual({
      over: 'the budget of a run is 1000 bytes, and with this it would be 1001',
    });
    expect(await take(ledger, { run: 'c', costUsd: 2.01 })).toEqual({
      over: 'the budget of a run is 200 cents, and with this it would be 201',
    });
    expect(await take(ledger, { run: 'd', costUsd: Number.NaN })).toHaveProperty('over');
  });

  it('give back what was not applied, and are each workspace’s own', async () => {
    const ledger = await (await newStore(engine)).open();
    const taken = await take(ledger, { files: 3 });
    if (!('id' in taken)) throw new Error('the budget was not enough');
    expect(await take(ledger)).toHaveProperty('over');
    await ledger.changes.end(taken.id, 'rejected', 'autonomous', null, start);
    expect(await take(ledger, { files: 3 })).toHaveProperty('id');
  });

  it('hold where changes come at the same moment from several daemons', async () => {
    const store = await newStore(engine);
    const ledgers = await daemonsOf(store);
    const tries = await Promise.all(Array.from({ length: 10 }, (_, n) => take(ledgers[n % 2]!)));
    expect(tries.filter((tried) => 'id' in tried)).toHaveLength(3);
  });
});
