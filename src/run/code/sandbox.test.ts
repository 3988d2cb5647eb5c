// Tests of the sandbox: what code can do, how each limit is reported, and the outcome of runs that are ended from
// outside.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InputError, type JsonObject } from '../../core/index.ts';
import { allowedGlobals } from '../../guards/code/names.ts';
import type { Limits } from './limits.ts';
import { defaultPool, EngineMissing, type Lane, Pool } from './pool.ts';
import { type CallTool, Sandbox, type SandboxJob, type SandboxResult } from './sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = new Sandbox({ limits: { cpuMs: 20_000 } });
  await sandbox.warm();
});

afterAll(async () => {
  await sandbox.close();
});

const echo: CallTool = async (tool, args) => ({ tool, args });

async function run(source: string, more: Partial<SandboxJob> = {}): Promise<SandboxResult> {
  const job = { source, tools: ['a.get', 'a.put', 'flat'], call: echo, tenant: 't', ...more };
  const result = await sandbox.run(job);
  if (result.status === 'paused') throw new Error('nothing waits for approval here');
  return result;
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

describe('a run', () => {
  it.each([
    ['return 1', 1],
    ['return { a: [1, "b", null, true] }', { a: [1, 'b', null, true] }],
    ['return null', null],
    ['return await a.get({ x: 1 })', { tool: 'a.get', args: { x: 1 } }],
    ['return await flat()', { tool: 'flat', args: {} }],
    ['return (await Promise.all([a.get({}), a.put({})])).map((r) => r.tool)', ['a.get', 'a.put']],
    ['return this === undefined', true],
    ['const { get } = a; return (await get({ y: 2 })).args.y', 2],
    [
      'return [typeof a.get, a.get.name, Object.isFrozen(a), Object.isFrozen(a.get)]',
      ['function', 'get', true, true],
    ],
    ['return "é🙂\\u2028"', 'é🙂\u2028'],
    ['return [NaN, undefined, () => 1]', [null, null, null]],
  ])('%s', async (source, value) => {
    expect(await run(source)).toMatchObject({ status: 'ok', value, truncated: false });
  });

  it('that returns nothing has no value', async () => {
    for (const source of ['', 'return', 'return undefined', 'return () => 1']) {
      const result = await run(source);
      expect([source, result.status, 'value' in result]).toEqual([source, 'ok', false]);
    }
  });

  it('has the globals that the guard allows, and no others', async () => {
    const { value } = await run('return Object.getOwnPropertyNames(globalThis)');
    const extra = ['globalThis', 'Function', 'a', 'flat'];
    expect(new Set(value as string[])).toEqual(new Set([...allowedGlobals, ...extra]));
  });

  it.each([
    'throw { name: "InternalError", message: "out of memory" }',
    'throw Object.assign(new Error("out of memory"), { name: "InternalError" })',
    'throw new Error("stack overflow in the kitchen")',
    'throw { name: "RangeError", message: "Maximum call stack size exceeded" }',
    'throw new RangeError("Maximum call stack size exceeded")',
    'throw Object.assign(Object.create(RangeError.prototype), { message: "stack overflow" })',
    'try { (1).toFixed(1000) } catch (error) { error.message = "stack overflow"; throw error }',
    'setTimeout(() => { throw new RangeError("stack overflow") }, 1); await new Promise(() => {})',
    'setTimeout(() => { throw { name: "InternalError", message: "out of memory" } }, 1); await new Promise(() => {})',
  ])('cannot claim a limit by what it throws: %s', async (source) => {
    expect(await run(source)).toMatchObject({ status: 'error' });
  });

  it('tells its calls, and what it computed', async () => {
    const { calls, stats } = await run('await a.get({}); await a.put({})');
    expect(calls).toMatchObject([
      { call: 1, tool: 'a.get' },
      { call: 2, tool: 'a.put' },
    ]);
    expect(stats.wallMs).toBeGreaterThanOrEqual(stats.toolMs);
    expect(stats.cpuMs).toBeGreaterThanOrEqual(0);
  });

  it('logs', async () => {
    const source =
      'console.log("a", { b: 1 }, [2], null, undefined, 3n); console.warn(); console.error(new Error("no"))';
    const { logs, logsDropped } = await run(source);
    expect(logs).toEqual([
      { level: 'log', text: 'a {"b":1} [2] null undefined 3n' },
      { level: 'warn', text: '' },
      { level: 'error', text: 'Error: no' },
    ]);
    expect(logsDropped).toBe(false);
  });

  it.each([
    ['throw new TypeError("no")', { code: 'TypeError', message: 'no', line: 1 }],
    ['const a1 = 1;\nnull.x', { code: 'TypeError', line: 2, column: 1 }],
    ['throw "text"', { code: 'Error', message: 'text' }],
    ['throw null', { code: 'Error', message: 'null' }],
    ['throw Object.assign(new Error("no"), { code: "E1" })', { code: 'E1', message: 'no' }],
    ['return (', { code: 'SyntaxError' }],
    ['const x = 1; const x = 2', { code: 'SyntaxError' }],
    ['return 10n', { code: 'TypeError' }],
    [
      'setTimeout(() => { throw new Error("late") }, 1); await new Promise(() => {})',
      { code: 'Error', message: 'late' },
    ],
    ['throw Object.assign(new Error("no"), { code: "cpu_limit" })', { code: 'cpu_limit', message: 'no' }],
  ])('that fails tells where: %s', async (source, error) => {
    expect(await run(source)).toMatchObject({ status: 'error', error });
  });
});

describe('calls', () => {
  it('run at the same time, as many as may', async () => {
    let active = 0;
    let most = 0;
    const all = gate();
    const call: CallTool = async () => {
      most = Math.max(most, ++active);
      if (active === 3) all.open();
      await all.opened;
      active--;
      return 1;
    };
    const source = 'return (await Promise.all(Array.from({ length: 9 }, () => a.get({})))).length';
    // Unless three are open at a time none of them ever ends.
    const result = await run(source, { call, limits: { maxConcurrentCalls: 3 } });
    expect(result).toMatchObject({ status: 'ok', value: 9 });
    expect(most).toBe(3);
  });

  it('fail in the code, by code and message', async () => {
    const call: CallTool = async (_, { kind }) => {
      if (kind === 'coded') throw Object.assign(new Error('not there'), { code: 'not_found' });
      throw new Error('broken');
    };
    const source = `
      const told = [];
      for (const kind of ['coded', 'plain']) {
        try { await a.get({ kind }) } catch (error) { told.push([error instanceof Error, error.name, error.code, error.message]) }
      }
      return told`;
    expect(await run(source, { call })).toMatchObject({
      value: [
        [true, 'ToolError', 'not_found', 'not there'],
        [true, 'ToolError', 'tool_error', 'broken'],
      ],
      calls: [{ error: 'not_found' }, { error: 'tool_error' }],
    });
    expect(await run('await a.get({})', { call })).toMatchObject({
      status: 'error',
      error: { code: 'tool_error' },
    });
  });

  it.each([
    '1',
    '"a"',
    'null',
    '[1]',
    'JSON.parse(\'{"__proto__":1}\')',
    '{ a: "\\ud800" }',
    '{ a: 2 ** 60 }',
  ])('take an object of plain JSON: %s', async (given) => {
    const call = vi.fn(echo);
    const result = await run(`await a.get(${given})`, { call });
    expect(result).toMatchObject({ status: 'error', error: { code: 'invalid_arguments' } });
    expect(call).not.toHaveBeenCalled();
  });

  it('that JSON cannot hold fail where they are made', async () => {
    expect(await run('await a.get(() => 1)')).toMatchObject({
      status: 'error',
      error: { code: 'TypeError' },
    });
    expect(await run('await a.get({ n: 1n })')).toMatchObject({
      status: 'error',
      error: { code: 'TypeError' },
    });
  });

  it('that give what JSON cannot hold fail', async () => {
    const ring: Record<string, unknown> = {};
    ring['a'] = ring;
    expect(await run('await a.get({})', { call: async () => ring })).toMatchObject({
      error: { code: 'tool_error' },
    });
    expect(await run('return await a.get({})', { call: async () => undefined })).toMatchObject({
      value: null,
    });
  });
});

describe('limits', () => {
  const large: CallTool = async () => 'x'.repeat(100);
  it.each<[string, string, Partial<Limits>, CallTool]>([
    ['tool_call_limit', 'await a.get({}); await a.get({})', { maxToolCalls: 1 }, echo],
    ['tool_call_limit', 'await a.get({})', { maxToolCalls: 0 }, echo],
    ['argument_limit', 'await a.get({ a: "xxxxxxxxxx" })', { maxArgumentBytes: 10 }, echo],
    ['result_limit', 'await a.get({})', { maxResultBytes: 50 }, large],
    ['total_result_limit', 'await a.get({}); await a.get({})', { maxTotalResultBytes: 150 }, large],
    ['timer_limit', 'setTimeout(() => {}); setTimeout(() => {})', { maxTimers: 1 }, echo],
    ['cpu_limit', 'for (;;) {}', { cpuMs: 50 }, echo],
    ['stack_limit', 'const f = () => f(); f()', {}, echo],
    ['memory_limit', 'new ArrayBuffer(1e9)', {}, echo],
    ['deadlock', 'await new Promise(() => {})', {}, echo],
  ])('%s is told by its name: %s', async (code, source, limits, call) => {
    const result = await run(source, { limits, call });
    expect(result).toMatchObject({ status: 'limit', error: { code, message: expect.any(String) } });
    expect(await run('return 1')).toMatchObject({ status: 'ok', value: 1 });
  });

  it('says the count and the cap', async () => {
    const source = 'for (;;) await a.get({})';
    const { error, calls } = await run(source);
    expect(error?.message).toBe('tool-call count 31 exceeds cap 30');
    expect(calls).toHaveLength(31);
    expect(calls.at(-1)).toEqual({
      call: 0,
      tool: 'a.get',
      ms: 0,
      status: 'never_sent',
      error: 'tool_call_limit',
    });
  });

  it('of calls can be caught, and hold all the same', async () => {
    const call = vi.fn(echo);
    const source =
      'let n = 0; for (let i = 0; i < 100; i++) try { await a.get({}) } catch (e) { if (e.code === "tool_call_limit") n++ } return n';
    expect(await run(source, { call, limits: { maxToolCalls: 5 } })).toMatchObject({
      status: 'ok',
      value: 95,
    });
    expect(call).toHaveBeenCalledTimes(5);
  });

  it('is not what a tool says it is', async () => {
    const call: CallTool = async () => {
      throw Object.assign(new Error('slow'), { code: 'timeout' });
    };
    expect(await run('await a.get({})', { call })).toMatchObject({
      status: 'error',
      error: { code: 'timeout' },
    });
  });

  it.each([
    { timeoutMs: 0 },
    { cpuMs: 1.5 },
    { maxToolCalls: -1 },
    { stackKb: 1000 },
    { memoryMb: Number.NaN },
    { other: 1 },
  ])('are numbers that limit: %j', async (limits) => {
    await expect(run('return 1', { limits })).rejects.toThrow(InputError);
    expect(() => new Sandbox({ limits })).toThrow(InputError);
  });

  it.each([
    [['a-b.c', 'a_b.c'], 'two tools have the same name in code'],
    [['a', 'a.b'], 'two tools have the same name in code'],
    [['JSON.parse'], 'a tool cannot be called "JSON"'],
    [['console'], 'a tool cannot be called "console"'],
  ])('hold for the names of tools: %j', async (tools, message) => {
    await expect(run('', { tools })).rejects.toThrow(message);
  });
});

describe('ends from outside', () => {
  it('a timeout stops the tool, drops its result, and starts no further call', async () => {
    const started: JsonObject[] = [];
    const signals: AbortSignal[] = [];
    const late = gate();
    const call: CallTool = async (_, args, signal, sent) => {
      sent();
      started.push(args);
      signals.push(signal);
      await late.opened;
      return 1;
    };
    const source = 'await Promise.all([a.get({ n: 1 }), a.get({ n: 2 })]); await a.get({ n: 3 })';
    const result = await run(source, { call, limits: { timeoutMs: 200, maxConcurrentCalls: 1 } });
    const told = [
      {
        call: 1,
        status: 'failed',
        error: 'no_answer',
        note: expect.stringContaining('may have taken effect'),
      },
      { call: 2, status: 'never_sent', error: 'timeout' },
    ];
    expect(result).toMatchObject({ status: 'timeout', error: { code: 'timeout' }, calls: told });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    late.open();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(started).toEqual([{ n: 1 }]);
    expect(result.calls).toMatchObject(told);
  });

  it('whoever started it may give it up, before and while it runs', async () => {
    expect(await run('return 1', { signal: AbortSignal.abort() })).toMatchObject({ status: 'aborted' });
    const stop = new AbortController();
    const call: CallTool = async () => {
      stop.abort();
      return await new Promise(() => {});
    };
    expect(await run('await a.get({})', { call, signal: stop.signal })).toMatchObject({ status: 'aborted' });
  });

  it('waiting for a thread takes time too, and the next one gets it', async () => {
    const small = new Sandbox({ pool: { max: 1 } });
    const hold = gate();
    const began = gate();
    const first = small.run({
      source: 'return await a.get({})',
      tools: ['a.get'],
      tenant: 't',
      call: async () => {
        began.open();
        await hold.opened;
        return 1;
      },
    });
    await began.opened;
    const job = { source: 'return 2', tools: [], tenant: 't', call: echo };
    const second = small.run({ ...job, limits: { timeoutMs: 50 } });
    const third = small.run(job);
    expect(await second).toMatchObject({ status: 'timeout' });
    hold.open();
    expect(await first).toMatchObject({ status: 'ok', value: 1 });
    expect(await third).toMatchObject({ status: 'ok', value: 2 });
    expect(small.threads).toBe(1);
    await small.close();
  });

  it('a thread that ends is a fault, and the next run has another', async () => {
    const taken = vi.spyOn(Pool.prototype, 'take');
    const call: CallTool = async () => {
      const lane: Lane = await taken.mock.results[0]?.value;
      lane.onEnd?.();
      return 1;
    };
    expect(await run('return await a.get({})', { call })).toMatchObject({
      status: 'fault',
      error: { code: 'fault' },
    });
    taken.mockRestore();
    expect(await run('return 1')).toMatchObject({ status: 'ok' });
  });

  it('a sandbox that is closed runs nothing', async () => {
    const closed = new Sandbox();
    await closed.close();
    await expect(closed.run({ source: '', tools: [], tenant: 't', call: echo })).rejects.toThrow(
      EngineMissing,
    );
  });
});

describe('clock and chance', () => {
  const source = `
    const seen = [Date.now(), new Date().toISOString(), Math.random(), performance.now() >= 0];
    await a.get({});
    seen.push(Date.now(), Math.random());
    await new Promise((resolve) => setTimeout(resolve, 10));
    seen.push(Date.now(), new Date(0).getTimezoneOffset());
    return seen`;

  it('are those of the journal', async () => {
    const journal = { now: 1000, seed: 7, answers: { 1: 5000 } };
    const first = await run(source, { journal });
    expect(first.value).toMatchObject([
      1000,
      '1970-01-01T00:00:01.000Z',
      expect.any(Number),
      true,
      5000,
      expect.any(Number),
      5010,
      0,
    ]);
    expect((await run(source, { journal })).value).toEqual(first.value);
    expect((await run(source, { journal: { ...journal, seed: 8 } })).value).not.toEqual(first.value);
  });

  it('of any run can be had again', async () => {
    const first = await run(source);
    expect((await run(source, { journal: first.journal })).value).toEqual(first.value);
  });

  it('chance is fair enough', async () => {
    const { value } = await run(
      'let sum = 0; for (let i = 0; i < 1e4; i++) sum += Math.random(); return sum / 1e4',
    );
    expect(Math.abs(Number(value) - 0.5)).toBeLessThan(0.05);
  });
});

describe('timers', () => {
  it('run in order, repeat and stop', async () => {
    const timers = `
      const seen = [];
      setTimeout((x) => seen.push(x), 30, 'late');
      setTimeout(() => seen.push('soon'));
      clearTimeout(setTimeout(() => seen.push('never'), 5));
      clearTimeout(12345);
      await new Promise((done) => { let n = 0; const id = setInterval(() => { if (++n === 3) { clearInterval(id); done() } }, 1) });
      await new Promise((done) => setTimeout(done, 60));
      return seen`;
    expect(await run(timers)).toMatchObject({ status: 'ok', value: ['soon', 'late'] });
  });

  it.each(['setTimeout("work()")', 'setInterval({})', 'setTimeout()'])(
    'take a function: %s',
    async (source) => {
      expect(await run(source)).toMatchObject({ status: 'error', error: { code: 'TypeError' } });
    },
  );
});

describe('threads', () => {
  const never = new AbortController().signal;
  const limits = { memoryMb: 32, stackKb: 256 };

  it('serve one tenant alone', async () => {
    const pool = new Pool({ ...defaultPool, min: 0, max: 1 }, limits);
    const first = await pool.take('a', never);
    pool.give(first, true);
    const again = await pool.take('a', never);
    expect(again).toBe(first);
    pool.give(again, true);
    const other = await pool.take('b', never);
    expect(other).not.toBe(first);
    expect(pool.size).toBe(1);
    pool.give(other, true);
    await pool.close();
  });

  it('are replaced after a fault, and after enough runs', async () => {
    const pool = new Pool({ min: 0, max: 1, runsPerWorker: 2 }, limits);
    const first = await pool.take('a', never);
    pool.give(first, false);
    const second = await pool.take('a', never);
    expect(second).not.toBe(first);
    pool.give(second, true);
    expect(await pool.take('a', never)).toBe(second);
    pool.give(second, true);
    const third = await pool.take('a', never);
    expect(third).not.toBe(second);
    pool.give(third, true);
    await pool.close();
  });

  it('that come too late for one are there for another', async () => {
    const pool = new Pool({ ...defaultPool, min: 0, max: 1 }, limits);
    const stop = new AbortController();
    const late = pool.take('a', stop.signal);
    stop.abort();
    await expect(late).rejects.toThrow();
    const lane = await pool.take('a', never);
    expect(lane.isBusy).toBe(true);
    pool.give(lane, true);
    await pool.close();
  });
});
