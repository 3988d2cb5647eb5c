// Runs that pause at a call which requires approval, and resume in another process: once, bound, within their limits.

import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { context } from '../../../tests/support/decide.ts';
import { type Engine, engines, newStore, person } from '../../../tests/support/ledger.ts';
import { configOf, settingsFrom, withTools } from '../../config/index.ts';
import type { Context, ToolSpec } from '../../core/index.ts';
import { createDecider, realWorld } from '../../decide/index.ts';
import {
  type Answer,
  type Ledger,
  RunExpired,
  RunTaken,
  StoreDamaged,
  UnknownRun,
} from '../../ledger/index.ts';
import {
  type CodeRunner,
  createRunner,
  OtherContext,
  OtherEngine,
  type RunJob,
  type RunResult,
  type ToolFunction,
  type WaitingRun,
} from './index.ts';
import { Held, type Journal, type PausedChain, Sandbox, type SandboxJob } from './sandbox.ts';

const start = 1_700_000_000_000;
const minute = 60_000;
const specs: readonly ToolSpec[] = [
  { name: 'drop', server: 'db', effect: 'destructive' },
  { name: 'list', server: 'db', effect: 'read' },
];

/** One process on a store: its own decider, sessions and threads. */
interface Process {
  readonly ledger: Ledger;
  readonly decider: ReturnType<typeof createDecider>;
  readonly runner: CodeRunner;
}

let now = start;

/** The threads of a process, which stay from test to test, since starting them takes longer than most of those. */
class Threads {
  #process: Pick<Process, 'ledger' | 'decider'> | undefined;
  readonly runner: CodeRunner;

  constructor() {
    const current = () => {
      if (this.#process === undefined) throw new Error('there is no process yet');
      return this.#process;
    };
    const decider: Parameters<typeof createRunner>[0] = {
      decide: (...given) => current().decider.decide(...given),
      session: (...given) => current().decider.session(...given),
    };
    const pausing = {
      get ledger() {
        return current().ledger;
      },
      now: () => now,
    };
    this.runner = createRunner(decider, { pausing, limits: { cpuMs: 20_000 }, pool: { min: 0, max: 1 } });
  }

  /** A process that begins on a store, with these threads. */
  processOn(ledger: Ledger): Process {
    const settings = withTools(settingsFrom({}), specs);
    const world = { ...realWorld(), now: () => now };
    const decider = createDecider({
      config: configOf(() => settings, { expirySeconds: 300 }),
      ledger,
      world,
    });
    this.#process = { ledger, decider };
    return { ledger, decider, runner: this.runner };
  }
}

const [threadsHere, threadsThere] = [new Threads(), new Threads()];
afterAll(() => Promise.all([threadsHere.runner.close(), threadsThere.runner.close()]));

/** Two processes on one store; an embedded one in one process would wait for itself, so there they share a ledger. */
async function place(engine: Engine) {
  now = start;
  const store = await newStore(engine);
  const ledger = await store.openEnrolled('a');
  const other = engine === 'postgres' ? await store.openEnrolled('b') : ledger;
  return { store, here: threadsHere.processOn(ledger), there: threadsThere.processOn(other) };
}

function toolsOf() {
  const drop = vi.fn<ToolFunction>(async ({ table }) => ({ dropped: table ?? null }));
  const list = vi.fn<ToolFunction>(async () => ['a', 'b']);
  return { drop, list, tools: { 'db.drop': drop, 'db.list': list } };
}

async function answer({ ledger }: Process, { approvals }: WaitingRun, said: Answer = 'approve', at = 0) {
  await ledger.approvals.answer(approvals[at]!.id, said, 'olga', person, {}, now);
}

function waitingOf(result: RunResult): WaitingRun & { readonly run: string } {
  expect(result).toMatchObject({ status: 'waiting', run: expect.any(String) });
  return result as WaitingRun & { readonly run: string };
}

const dropping =
  'const before = await db.list({}); const r = await db.drop({ table: "QuarterlyOrders" }); return [before, r]';

describe.each(engines)('a run on %s', (engine) => {
  it('waits for approval at a call, goes on in another process, and goes on once', async () => {
    const { store, here, there } = await place(engine);
    const { drop, list, tools } = toolsOf();
    const source = `console.log("start"); ${dropping}`;
    const paused = waitingOf(await here.runner.run({ source, tools, context }));
    expect(paused).toMatchObject({
      approvals: [{ id: expect.any(String), how: expect.stringContaining('sallyport approve') }],
      error: { code: 'needs_approval', message: expect.stringContaining('db.drop') },
      logs: [{ text: 'start' }],
      calls: [{ call: 1, tool: 'db.list' }],
    });
    expect(drop).not.toHaveBeenCalled();
    const [row] = await store.rows('SELECT * FROM runs');
    expect(JSON.stringify(row)).not.toContain('QuarterlyOrders');
    expect(row).toMatchObject({ state: 'waiting', tenant: 'acme', user_id: 'ann' });
    expect(await there.ledger.runs.list({ tenant: 'acme' }, now)).toMatchObject([
      { id: paused.run, approvals: paused.approvals.map(({ id }) => id) },
    ]);
    expect(await there.ledger.runs.list({ tenant: 'other' }, now)).toEqual([]);

    await answer(here, paused);
    const result = await there.runner.resume({ run: paused.run, tools, context });
    expect(result).toMatchObject({
      status: 'ok',
      value: [['a', 'b'], { dropped: 'QuarterlyOrders' }],
      logs: [{ text: 'start' }],
      calls: [{ call: 1 }, { call: 2, tool: 'db.drop' }],
      verdict: { decision: 'pass', action: { kind: 'code' } },
    });
    expect([drop.mock.calls.length, list.mock.calls.length]).toEqual([1, 1]);
    for (const process of [here, there])
      await expect(process.runner.resume({ run: paused.run, tools, context })).rejects.toThrow(RunTaken);
    expect(await store.rows('SELECT state, sealed FROM runs')).toEqual([{ state: 'ended', sealed: null }]);
    const events = (await here.ledger.audit.list({ limit: 50 })).map(({ event_type: type }) => type);
    expect(events.filter((type) => type.startsWith('run_') || type === 'approval_used')).toEqual([
      'approval_used',
      'run_resumed',
      'run_paused',
    ]);
    expect(await here.ledger.verify()).toMatchObject({ problems: [] });
  });

  it('waits at a call that the code does not wait for, and ends with what it returned', async () => {
    const { here, there } = await place(engine);
    const { drop, list, tools } = toolsOf();
    const source =
      '[1, 2].forEach(async (n) => { await db.list({ n }); await db.drop({ table: "t" }); await db.list({}) }); return "sent"';
    const paused = waitingOf(await here.runner.run({ source, tools, context }));
    expect(paused.calls).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect(drop).not.toHaveBeenCalled();
    await answer(here, paused);
    const next = waitingOf(await there.runner.resume({ run: paused.run, tools, context }));
    expect([drop.mock.calls.length, list.mock.calls.length]).toEqual([1, 3]);
    await answer(here, next, 'deny');
    const result = await there.runner.resume({ run: paused.run, tools, context });
    expect(result).toMatchObject({
      status: 'error',
      value: 'sent',
      error: { code: 'floating_call_failed', message: expect.stringContaining('db.drop') },
    });
    const { calls } = result as { calls: readonly { tool: string; status: string; error?: string }[] };
    expect(calls.filter(({ status }) => status === 'done')).toHaveLength(4);
    expect(calls.filter(({ status }) => status !== 'done')).toMatchObject([
      { tool: 'db.drop', status: 'never_sent', error: 'blocked' },
    ]);
  });

  it('still knows of a call that failed before it waited', async () => {
    const { here, there } = await place(engine);
    const { tools } = toolsOf();
    const list: ToolFunction = async () => {
      throw new Error('no such table');
    };
    const source = 'db.list({}); setTimeout(() => db.drop({}), 5); return "sent"';
    const job = { tools: { ...tools, 'db.list': list }, context };
    const paused = waitingOf(await here.runner.run({ ...job, source }));
    await answer(here, paused);
    expect(await there.runner.resume({ ...job, run: paused.run })).toMatchObject({
      status: 'error',
      value: 'sent',
      error: { code: 'floating_call_failed', message: expect.stringContaining('db.list') },
      calls: [{ status: 'failed' }, { status: 'done' }],
    });
  });

  it('hears a no as a call that is blocked', async () => {
    const { here, there } = await place(engine);
    const { drop, tools } = toolsOf();
    const source = 'try { return await db.drop({}) } catch (error) { return error.code }';
    const paused = waitingOf(await here.runner.run({ source, tools, context }));
    await answer(here, paused, 'deny');
    const result = await there.runner.resume({ run: paused.run, tools, context });
    expect(result).toMatchObject({ status: 'ok', value: 'blocked', calls: [{ error: 'blocked' }] });
    expect(drop).not.toHaveBeenCalled();
  });

  it('waits on while nobody has answered, and no longer than an answer could count', async () => {
    const { store, here, there } = await place(engine);
    const { tools } = toolsOf();
    const job = { source: dropping, tools, context };
    const [first, second] = [
      waitingOf(await here.runner.run(job)),
      waitingOf(await here.runner.run({ ...job, source: `${dropping};` })),
    ];
    // The same call of the same session is one question.
    expect(second.approvals).toEqual(first.approvals);
    expect(await there.runner.resume({ run: first.run, tools, context })).toEqual(first);
    // An answer at the last moment counts as long again.
    now = start + 5 * minute - 1;
    await answer(here, first);
    now += 5 * minute - 1;
    expect(await there.runner.resume({ run: first.run, tools, context })).toMatchObject({ status: 'ok' });
    now += 2;
    await expect(there.runner.resume({ run: second.run, tools, context })).rejects.toThrow(RunExpired);
    expect(await here.ledger.runs.list({}, now)).toEqual([]);
    await here.ledger.runs.sweep(now);
    expect(await store.rows(`SELECT state, sealed FROM runs WHERE id = '${second.run}'`)).toEqual([
      { state: 'expired', sealed: null },
    ]);
    await expect(there.runner.resume({ run: second.run, tools, context })).rejects.toThrow(RunExpired);
  });

  it('ends with a question that nobody answered in time', async () => {
    const { here, there } = await place(engine);
    const { tools } = toolsOf();
    const { run } = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    now = start + 5 * minute;
    await expect(there.runner.resume({ run, tools, context })).rejects.toThrow(RunExpired);
    now = start - 1;
    await expect(there.runner.resume({ run, tools, context })).rejects.toThrow(RunExpired);
  });

  it.each<[string, Partial<Context>, new (...parts: never[]) => Error]>([
    ['user', { user: 'bob' }, UnknownRun],
    ['tenant', { tenant: 'other' }, UnknownRun],
    ['agent', { agent: 'other' }, UnknownRun],
    ['session', { session: 's2' }, OtherContext],
    ['workspace', { workspace: '/other' }, OtherContext],
    ['mode', { mode: 'auto' }, OtherContext],
  ])('goes on for nobody with another %s', async (_, other, error) => {
    const { here, there } = await place(engine);
    const { drop, tools } = toolsOf();
    const paused = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    await answer(here, paused);
    const job = { run: paused.run, tools, context };
    await expect(there.runner.resume({ ...job, context: { ...context, ...other } })).rejects.toThrow(error);
    expect(drop).not.toHaveBeenCalled();
    // Nothing was taken by that.
    expect(await there.runner.resume(job)).toMatchObject({ status: 'ok' });
  });

  it.each([
    ['user', `UPDATE runs SET user_id = 'bob'`, { user: 'bob' }],
    ['tenant', `UPDATE runs SET tenant = 'other'`, { tenant: 'other' }],
    ['code', `UPDATE runs SET code = 'other'`, {}],
    ['questions', `UPDATE runs SET approvals = approvals || ' other'`, {}],
    ['time', 'UPDATE runs SET expires_at = expires_at + 1', {}],
    ['round', 'UPDATE runs SET round = 2', {}],
    ['memory', `UPDATE runs SET sealed = replace(sealed, 'A', 'B')`, {}],
    ['id', `UPDATE runs SET id = 'other'`, {}],
  ])('whose %s somebody changed does not open', async (what, statement, other) => {
    const { store, here, there } = await place(engine);
    const { drop, tools } = toolsOf();
    const paused = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    await answer(here, paused);
    await store.tamper(statement);
    const run = what === 'id' ? 'other' : paused.run;
    await expect(there.runner.resume({ run, tools, context: { ...context, ...other } })).rejects.toThrow(
      StoreDamaged,
    );
    expect(drop).not.toHaveBeenCalled();
  });

  it('is not exchanged for another', async () => {
    const { store, here, there } = await place(engine);
    const { tools } = toolsOf();
    const one = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    const two = waitingOf(await here.runner.run({ source: 'await db.drop({})', tools, context }));
    await answer(here, one);
    await store.tamper(
      `UPDATE runs SET sealed = (SELECT sealed FROM runs WHERE id = '${two.run}') WHERE id = '${one.run}'`,
    );
    await expect(there.runner.resume({ run: one.run, tools, context })).rejects.toThrow(StoreDamaged);
  });

  it('goes on for one of many who ask at the same moment', async () => {
    const { here, there } = await place(engine);
    const { drop, tools } = toolsOf();
    const paused = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    await answer(here, paused);
    const tries = await Promise.allSettled(
      [here, there, here, there, here].map(({ runner }) =>
        runner.resume({ run: paused.run, tools, context }),
      ),
    );
    const won = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []));
    expect(won).toMatchObject([{ status: 'ok' }]);
    for (const tried of tries) if (tried.status === 'rejected') expect(tried.reason).toBeInstanceOf(RunTaken);
    expect(drop).toHaveBeenCalledTimes(1);
  });

  it('of a process that died in the middle does not start again', async () => {
    const { here, there } = await place(engine);
    const { drop, tools } = toolsOf();
    const paused = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    await answer(here, paused);
    // All that a process does before it is killed.
    await here.ledger.runs.take({ id: paused.run, round: 1 }, now);
    await expect(there.runner.resume({ run: paused.run, tools, context })).rejects.toThrow(RunTaken);
    expect(drop).not.toHaveBeenCalled();
  });

  it('with two calls that wait goes on with the one that is answered', async () => {
    const { store, here, there } = await place(engine);
    const { drop, tools } = toolsOf();
    const source = `
      const done = [];
      const one = (table) => db.drop({ table }).then(() => done.push(table), (error) => done.push(error.code));
      await Promise.all([one('t1'), one('t2')]);
      return done`;
    const both = waitingOf(await here.runner.run({ source, tools, context }));
    expect(both.approvals).toHaveLength(2);
    await answer(here, both, 'approve', 1);
    const one = waitingOf(await there.runner.resume({ run: both.run, tools, context }));
    expect(one).toMatchObject({ run: both.run, approvals: [both.approvals[0]], calls: [{ call: 2 }] });
    expect(drop.mock.calls.map(([args]) => args)).toEqual([{ table: 't2' }]);
    expect(await store.rows('SELECT round, state FROM runs')).toEqual([{ round: 2, state: 'waiting' }]);
    await answer(there, one, 'deny');
    expect(await here.runner.resume({ run: both.run, tools, context })).toMatchObject({
      status: 'ok',
      value: ['t2', 'blocked'],
    });
    expect(drop).toHaveBeenCalledTimes(1);
  });

  it('needs a yes for each of two calls that are the same', async () => {
    const { here, there } = await place(engine);
    const { drop, tools } = toolsOf();
    const source = 'return (await Promise.all([db.drop({}), db.drop({})])).length';
    const both = waitingOf(await here.runner.run({ source, tools, context }));
    expect(both.approvals).toHaveLength(1);
    await answer(here, both);
    const one = waitingOf(await there.runner.resume({ run: both.run, tools, context }));
    expect(drop).toHaveBeenCalledTimes(1);
    expect(one.approvals).not.toEqual(both.approvals);
    await answer(here, one);
    expect(await there.runner.resume({ run: both.run, tools, context })).toMatchObject({ value: 2 });
    expect(drop).toHaveBeenCalledTimes(2);
  });

  it('that its caller waits for goes on in place', async () => {
    const { here, there } = await place(engine);
    const { tools } = toolsOf();
    const running = here.runner.run({ source: dropping, tools, context, waitMs: 20_000 });
    await vi.waitFor(async () => expect(await there.ledger.runs.list({}, now)).toHaveLength(1), 20_000);
    const [pending] = await there.ledger.approvals.pending({}, now);
    await there.ledger.approvals.answer(pending!.id, 'approve', 'olga', person, {}, now);
    expect(await running).toMatchObject({
      status: 'ok',
      value: [['a', 'b'], { dropped: 'QuarterlyOrders' }],
    });
  });

  it('is kept when its caller has waited long enough, or gives up', async () => {
    const { here } = await place(engine);
    const { tools } = toolsOf();
    const job = { source: dropping, tools, context };
    const late = waitingOf(await here.runner.run({ ...job, waitMs: 10 }));
    const stop = new AbortController();
    const waiting = here.runner.resume({ ...job, run: late.run, waitMs: 20_000, signal: stop.signal });
    stop.abort();
    expect(await waiting).toEqual(late);
  });
});

describe('a run that goes on', () => {
  async function onward(source: string, more: Partial<RunJob> = {}, later: Partial<RunJob> = {}) {
    const { here, there } = await place('sqlite');
    const all = toolsOf();
    const paused = waitingOf(await here.runner.run({ source, tools: all.tools, context, ...more }));
    await answer(here, paused);
    const job = { run: paused.run, tools: all.tools, context };
    return { ...all, here, there, paused, result: await there.runner.resume({ ...job, ...later }) };
  }

  it('has all that it had', async () => {
    const source = `
      class Counter { #n = 40; add(by) { this.#n += by; return this.#n } }
      const counter = new Counter();
      const map = new Map([[{ key: 1 }, 'é🙂']]);
      function* ids() { yield 1; yield 2 }
      const list = ids();
      list.next();
      const key = Symbol('k');
      const object = { [key]: 1n, when: new Date(0), re: /a(?<x>b)/g };
      const never = new Promise(() => {});
      const settled = Promise.race([never, db.drop({})]);
      const later = (async () => { await settled; return counter.add(2) })();
      await settled;
      return [await later, [...map.values()], list.next().value, Number(object[key]), object.when.toISOString(), 'ab'.replace(object.re, '$<x>')]`;
    const { result } = await onward(source);
    expect(result).toMatchObject({
      status: 'ok',
      value: [42, ['é🙂'], 2, 1, '1970-01-01T00:00:00.000Z', 'b'],
    });
  });

  it('stood still only once its other calls were done, and has their results', async () => {
    const { here, there } = await place('sqlite');
    const { drop, tools } = toolsOf();
    const gate = Promise.withResolvers<string>();
    const list = vi.fn<ToolFunction>(() => gate.promise);
    const source = 'return await Promise.all([db.drop({}), db.list({}), db.list({ n: 2 })])';
    const running = here.runner.run({ source, tools: { ...tools, 'db.list': list }, context });
    await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(2), 20_000);
    expect(await here.ledger.runs.list({}, now)).toEqual([]);
    gate.resolve('listed');
    const paused = waitingOf(await running);
    expect(paused.calls).toMatchObject([{ tool: 'db.list' }, { tool: 'db.list' }]);
    await answer(here, paused);
    const again = vi.fn<ToolFunction>();
    const job = { run: paused.run, tools: { 'db.drop': drop, 'db.list': again }, context };
    expect(await there.runner.resume(job)).toMatchObject({
      value: [{ dropped: null }, 'listed', 'listed'],
    });
    expect(again).not.toHaveBeenCalled();
  });

  it('goes on with its timers, which stood still', async () => {
    const source = `
      const fired = [];
      let n = 0;
      const every = setInterval(() => fired.push(++n), 30);
      const once = new Promise((resolve) => setTimeout(resolve, 200));
      clearTimeout(setTimeout(() => fired.push('never'), 90));
      await db.drop({});
      await once;
      clearInterval(every);
      return fired`;
    const { result } = await onward(source);
    const value = Array.from(
      { length: 'value' in result ? (result.value as []).length : 0 },
      (_, at) => at + 1,
    );
    expect(result).toMatchObject({ status: 'ok', value });
    expect(value.length).toBeGreaterThan(1);
  });

  it('has the clock of now, and its chance goes on', async () => {
    const source = `
      const seen = [Math.random(), Date.now()];
      await db.drop({});
      seen.push(Math.random(), Date.now());
      return seen`;
    const { result, there, drop } = await onward(source);
    expect(result.status).toBe('ok');
    const { value, journal } = result as unknown as { value: number[]; journal: Journal };
    expect(value[3]).toBeGreaterThanOrEqual(value[1]!);
    const call = async () => ({ dropped: null });
    const sandbox = new Sandbox();
    const same = await sandbox.run({ source, tools: ['db.drop'], call, tenant: 't', journal });
    await sandbox.close();
    expect(same).toMatchObject({ status: 'ok', value });
    expect([drop.mock.calls.length, typeof there]).toEqual([1, 'object']);
  });

  it('is judged with what it read before', async () => {
    const { here, there } = await place('sqlite');
    const { tools } = toolsOf();
    const paused = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    await answer(here, paused);
    const session = await there.decider.session(context);
    const read = vi.spyOn(session, 'read');
    await there.runner.resume({ run: paused.run, tools, context });
    expect(read.mock.calls.map(([text, { name }]) => [name, text])).toEqual([
      ['db.list', '["a","b"]'],
      ['db.drop', '{"dropped":"QuarterlyOrders"}'],
    ]);
  });

  it.each([
    ['tool_call_limit', { maxToolCalls: 2 }, 'await db.list({}); await db.drop({}); await db.list({})'],
    [
      'total_result_limit',
      { maxTotalResultBytes: 30 },
      'await db.list({}); await db.drop({}); await db.list({})',
    ],
    [
      'timer_limit',
      { maxTimers: 1 },
      'setTimeout(() => {}, 999); await db.drop({}); setTimeout(() => {}, 1)',
    ],
  ])('counts on: %s', async (code, limits, source) => {
    const { result } = await onward(source, { limits });
    expect(result).toMatchObject({ status: 'limit', error: { code } });
  });

  it('logs no more than it may', async () => {
    const source = 'console.log("x".repeat(8)); await db.drop({}); console.log("y".repeat(8)); return 1';
    const { result } = await onward(source, { limits: { maxLogChars: 12 } });
    expect(result).toMatchObject({
      status: 'ok',
      logs: [{ text: 'xxxxxxxx' }, { text: 'yyy' }],
      logsDropped: true,
    });
  });

  it('finds a tool gone, and can say so', async () => {
    const source = 'try { await db.drop({}) } catch (error) { return error.message }';
    const { result } = await onward(source, {}, { tools: {} });
    expect(result).toMatchObject({ status: 'ok', value: 'there is no tool db.drop' });
  });

  it('does so on the engine that it began on alone', async () => {
    const { here, there } = await place('sqlite');
    const { drop, tools } = toolsOf();
    const engine = vi.spyOn(Sandbox.prototype, 'engine').mockResolvedValue('another');
    const paused = waitingOf(await here.runner.run({ source: dropping, tools, context }));
    await answer(here, paused);
    await expect(there.runner.resume({ run: paused.run, tools, context })).rejects.toThrow(OtherEngine);
    engine.mockRestore();
    expect(drop).not.toHaveBeenCalled();
    expect(await there.runner.resume({ run: paused.run, tools, context })).toMatchObject({ status: 'ok' });
  });

  it('is not found by a runner that keeps none', async () => {
    const { here } = await place('sqlite');
    const plain = createRunner(here.decider);
    onTestFinished(() => plain.close());
    await expect(plain.resume({ run: 'x', tools: {}, context })).rejects.toThrow('no store');
  });
});

describe('a run that holds too much', () => {
  it('ends, and nobody is asked in vain', async () => {
    const { here } = await place('sqlite');
    const { tools } = toolsOf();
    // Incompressible data.
    const source = `
      const noise = new Uint32Array(2.5e6);
      let x = 1;
      for (let at = 0; at < noise.length; at++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; noise[at] = x }
      await db.drop({});
      return noise.length`;
    const result = await here.runner.run({ source, tools, context });
    expect(result).toMatchObject({
      status: 'limit',
      error: { code: 'pause_limit' },
      calls: [{ tool: 'db.drop', status: 'never_sent', error: 'pause_limit' }],
    });
    expect(await here.ledger.approvals.pending({}, now)).toEqual([]);
    expect(await here.ledger.runs.list({}, now)).toEqual([]);
  });
});

describe('limits that a standstill carries', () => {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = new Sandbox({ limits: { cpuMs: 20_000 } });
  });
  afterAll(() => sandbox.close());

  async function standing(source: string, more: Partial<SandboxJob> = {}): Promise<PausedChain> {
    const call = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Held({ id: 'a', expiresAt: '', how: '' });
    };
    const result = await sandbox.run({ source, tools: ['go'], call, tenant: 't', ...more });
    expect(result.status).toBe('paused');
    return result as PausedChain;
  }

  const busy =
    'let n = 0; for (let i = 0; i < 2e5; i++) n += i; await go({}); for (let i = 0; i < 2e6; i++) n += i; return 1';

  it('what it computed', async () => {
    const paused = await standing(busy);
    const { thread } = paused.standstill;
    expect(thread.used).toBeGreaterThan(0);
    const spent = { ...paused, standstill: { ...paused.standstill, thread: { ...thread, used: 20_000 } } };
    const job = { tenant: 't', call: async () => 1 };
    expect(await sandbox.resume({ ...job, paused: spent })).toMatchObject({
      status: 'limit',
      error: { code: 'cpu_limit' },
    });
    const whole = await sandbox.resume({ ...job, paused });
    expect(whole).toMatchObject({ status: 'ok', value: 1 });
    expect((whole as { stats: { cpuMs: number } }).stats.cpuMs).toBeGreaterThanOrEqual(
      Math.floor(thread.used),
    );
  });

  it('how long it took, without the time of the person', async () => {
    const paused = await standing('await go({}); return 1');
    expect(paused.state.wallMs).toBeGreaterThanOrEqual(20);
    expect(paused.state.wallMs).toBeLessThan(paused.state.limits.timeoutMs);
    const state = { ...paused.state, wallMs: paused.state.limits.timeoutMs };
    const late = sandbox.resume({
      paused: { ...paused, state },
      tenant: 't',
      call: () => new Promise(() => {}),
    });
    expect(await late).toMatchObject({ status: 'timeout' });
  });

  it('its timers, and what they still had to wait', async () => {
    const source = 'setInterval(() => {}, 900); clearTimeout(setTimeout(() => {}, 800)); await go({})';
    const { timers } = (await standing(source)).standstill.thread;
    expect(timers).toEqual([{ id: 1, left: expect.any(Number), wait: 900, repeat: true }]);
    expect(timers[0]?.left).toBeLessThan(900);
  });

  it.each([
    ['a little', 1],
    ['more than a new VM has', 1e5],
    ['more than a VM may keep', 2e6],
  ])('nothing of a run before, which held %s', async (_, size) => {
    const one = new Sandbox({ pool: { min: 0, max: 1 } });
    onTestFinished(() => one.close());
    const held = async () => {
      throw new Held({ id: 'a', expiresAt: '', how: '' });
    };
    const job = { tools: ['go'], tenant: 't', call: held };
    // The marker is computed while the code runs: its text is part of no code.
    const plant = `globalThis.left = ["pla", "nted"].join("") + "x".repeat(${size}); Array.prototype.push = null;`;
    const marks = async (source: string) => {
      const result = (await one.run({ ...job, source })) as PausedChain;
      return inflateRawSync(result.standstill.memory).includes('planted');
    };
    expect(await marks(`${plant} await go({})`)).toBe(true);
    expect(await one.run({ ...job, source: `${plant} return left.length` })).toMatchObject({ status: 'ok' });
    expect(await marks('await go({})')).toBe(false);
    expect(await one.run({ ...job, source: 'return [typeof left, typeof [].push]' })).toMatchObject({
      value: ['undefined', 'function'],
    });
    expect(one.threads).toBe(1);
  });

  it('of an earlier version, which kept less of its calls', async () => {
    const paused = await standing('await go({}); return 1', {
      call: async (_, { n }) => {
        if (n === 1) return 1;
        throw new Held({ id: 'a', expiresAt: '', how: '' });
      },
      source: 'await go({ n: 1 }); await go({}); return 1',
    });
    const { outcome: _, rejected: __, ...thread } = paused.standstill.thread;
    const { callsOmitted: ___, ...state } = paused.state;
    const calls = [{ call: 1, tool: 'go', ms: 1 }] as unknown as typeof state.calls;
    const old = { ...paused, standstill: { ...paused.standstill, thread }, state: { ...state, calls } };
    expect(await sandbox.resume({ paused: old, tenant: 't', call: async () => 1 })).toMatchObject({
      status: 'ok',
      value: 1,
      calls: [
        { call: 1, status: 'done' },
        { call: 2, status: 'done' },
      ],
      callsOmitted: 0,
    });
  });

  it('memory that is not what it was ends the thread, and the next run has another', async () => {
    const paused = await standing('await go({}); return 1');
    const { standstill } = paused;
    const broken = { ...standstill, memory: standstill.memory.slice(0, 100) };
    expect(
      await sandbox.resume({ paused: { ...paused, standstill: broken }, tenant: 't', call: async () => 1 }),
    ).toMatchObject({ status: 'fault' });
    expect(
      await sandbox.run({ source: 'return 1', tools: [], tenant: 't', call: async () => 1 }),
    ).toMatchObject({ status: 'ok' });
  });
});
