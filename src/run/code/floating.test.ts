// Calls that the code starts and does not await: each is settled within the limits of the run and reported.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallStatus } from './calls.ts';
import type { Limits } from './limits.ts';
import { type CallTool, Sandbox, type SandboxJob, type SandboxResult } from './sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = new Sandbox({ limits: { cpuMs: 20_000 }, pool: { min: 1, max: 2 } });
  await sandbox.warm();
});

afterAll(async () => {
  await sandbox.close();
});

/** A host that answers, fails, or leaves a call open, as the arguments say; it counts what it received. */
function host() {
  const received: unknown[] = [];
  const call: CallTool = async (_, args, signal, sent) => {
    if (args['deny'] === true) throw Object.assign(new Error('not allowed'), { code: 'blocked' });
    sent();
    received.push(args['n']);
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (args['hang'] === true) await new Promise((_, reject) => signal.addEventListener('abort', reject));
    if (args['fail'] === true) throw new Error('it broke');
    return args['n'] ?? null;
  };
  return { call, received };
}

async function run(source: string, more: Partial<SandboxJob> = {}): Promise<SandboxResult> {
  const job = { source, tools: ['a.put', 'a.get'], call: host().call, tenant: 't', ...more };
  const result = await sandbox.run(job);
  if (result.status === 'paused') throw new Error('nothing waits for approval here');
  return result;
}

/** Waits for a thread, so that its start does not count in the time of the next run. */
async function ready(): Promise<void> {
  expect(await run('return 1')).toMatchObject({ status: 'ok' });
}

function statuses({ calls }: SandboxResult): readonly CallStatus[] {
  return calls.toSorted((a, b) => a.call - b.call).map(({ status }) => status);
}

describe('calls that nobody waits for are made and told', () => {
  it.each<[string, string, number]>([
    ['a bare call', 'a.put({ n: 1 }); return "x"', 1],
    ['void', 'void a.put({ n: 1 }); return "x"', 1],
    ['forEach with async', '[1, 2].forEach(async (n) => { await a.put({ n }) }); return "x"', 2],
    ['map without Promise.all', '[1, 2, 3].map((n) => a.put({ n })); return "x"', 3],
    [
      'main()',
      'async function main() { await a.put({ n: 1 }); await a.put({ n: 2 }) } main(); return "x"',
      2,
    ],
    ['an async IIFE', '(async () => { await a.get({}); await a.put({ n: 2 }) })(); return "x"', 2],
    ['then', 'a.get({}).then((n) => a.put({ n })).then(() => a.put({ n: 3 })); return "x"', 3],
    ['a call in finally', 'a.get({}).finally(() => a.put({ n: 1 })); return "x"', 2],
    ['a call in catch', 'a.get({ fail: true }).catch(() => a.put({ n: 1 })); return "x"', 2],
    ['a timer', 'setTimeout(() => a.put({ n: 1 }), 20); return "x"', 1],
    ['a timer after a timer', 'setTimeout(() => setTimeout(() => a.put({}), 5), 5); return "x"', 1],
    [
      'sleep between calls',
      'const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); (async () => { for (const n of [1, 2]) { await sleep(5); await a.put({ n }) } })(); return "x"',
      2,
    ],
    ['a microtask', 'Promise.resolve().then(() => a.put({})); return "x"', 1],
    [
      'queueMicrotask',
      'if (typeof queueMicrotask === "function") queueMicrotask(() => a.put({})); else a.put({}); return "x"',
      1,
    ],
    [
      'the loser of a race',
      'await Promise.race([a.get({}), a.put({}).then(() => a.put({}))]); return "x"',
      3,
    ],
    ['Promise.any', 'await Promise.any([a.get({ n: 1 }), a.put({ n: 2 })]); return "x"', 2],
    [
      'a generator',
      'async function* g() { yield a.put({}); yield a.put({}) } (async () => { for await (const x of g()); })(); return "x"',
      2,
    ],
    [
      'after return',
      'const p = (async () => { for (let n = 0; n < 5; n++) await a.put({ n }) })(); await a.get({}); return "x"',
      6,
    ],
    ['try and finally', 'try { return "x" } finally { a.put({}) }', 1],
    ['a thenable', 'const t = { then(done) { a.put({}).then(done) } }; Promise.resolve(t); return "x"', 1],
    [
      'a getter of what is returned',
      'return { get x() { a.put({}); return 1 }, toJSON() { return (this.x, "x") } }',
      1,
    ],
  ])('%s', async (_, source, count) => {
    const { call, received } = host();
    const result = await run(source, { call });
    expect(result).toMatchObject({ status: 'ok', value: 'x', callsOmitted: 0 });
    expect(received).toHaveLength(count);
    expect(result.calls).toHaveLength(count);
  });

  it('more at once than may be are made in turn', async () => {
    const { call, received } = host();
    const source = 'for (let n = 0; n < 20; n++) a.put({ n }); return 1';
    const result = await run(source, { call, limits: { maxConcurrentCalls: 2 } });
    expect(result).toMatchObject({ status: 'ok', value: 1 });
    expect([received.length, new Set(statuses(result))]).toEqual([20, new Set(['done'])]);
  });

  it('those of code that throws are settled too', async () => {
    const { call, received } = host();
    const result = await run(
      'a.put({ n: 1 }); await a.put({ n: 2 }); a.put({ n: 3 }); throw new Error("no")',
      {
        call,
      },
    );
    expect(result).toMatchObject({ status: 'error', error: { message: 'no' } });
    expect(received).toEqual([1, 2, 3]);
    expect(statuses(result)).toEqual(['done', 'done', 'done']);
  });

  it('those of a timer that throws are settled too', async () => {
    const source = 'setTimeout(() => { a.put({}); throw new Error("late") }, 1); await a.get({}); return 1';
    const result = await run(source, { call: host().call });
    expect(result).toMatchObject({ status: 'error', error: { message: expect.stringContaining('late') } });
    expect(statuses(result)).toEqual(['done', 'done']);
  });
});

describe('nothing else is waited for', () => {
  const withTimeout =
    'const timeout = new Promise((_, reject) => setTimeout(() => reject(new Error("slow")), 25_000));';
  it.each<[string, string]>([
    [
      'the timer of a race that is over',
      `${withTimeout} return await Promise.race([a.get({ n: "x" }), timeout])`,
    ],
    [
      'a timer that computes',
      'setTimeout(() => { let n = 0; for (let i = 0; i < 1000; i++) n += i }, 25_000); return "x"',
    ],
    ['a timer that throws', 'setTimeout(() => { throw new Error("late") }, 25_000); return "x"'],
    ['timers without end', 'const tick = () => setTimeout(tick, 10_000); tick(); return "x"'],
    ['an interval', 'setInterval(() => a.put({}), 25_000); return "x"'],
    [
      'a promise that nothing settles',
      '(async () => { await new Promise(() => {}); await a.put({}) })(); return "x"',
    ],
  ])('%s', async (_, source) => {
    const result = await run(source, { limits: { timeoutMs: 20_000 } });
    expect(result).toMatchObject({ status: 'ok', value: 'x', logs: [] });
  });

  it('what a timer does ahead of time leaves no trace', async () => {
    const source = `
      const seen = [];
      const first = setTimeout(() => { seen.push("early"); console.log(seen.length); clearTimeout(second) }, 5);
      const second = setTimeout(() => { seen.push(Date.now() > 0); a.put({ n: seen }) }, 10);
      const third = setTimeout(() => { a.put({ n: seen }) }, 30);
      return "x"`;
    const { call, received } = host();
    const result = await run(source, { call });
    expect(result).toMatchObject({ status: 'ok', value: 'x', logs: [{ text: '1' }] });
    expect(received).toEqual([['early']]);
  });
});

describe('a call that fails and that nobody waits for is no success', () => {
  it.each<[string, string, string]>([
    ['a bare call', 'a.put({ fail: true }); return "x"', 'floating_call_failed'],
    [
      'forEach',
      '[1].forEach(async () => { await a.put({ fail: true }) }); return "x"',
      'floating_call_failed',
    ],
    ['then', 'a.put({ fail: true }).then(() => 1); return "x"', 'floating_call_failed'],
    ['finally', 'a.put({ fail: true }).finally(() => {}); return "x"', 'floating_call_failed'],
    ['refused', 'a.put({ deny: true }); return "x"', 'floating_call_failed'],
    [
      'before the end',
      'a.put({ fail: true }); await a.get({}); await a.get({}); return "x"',
      'floating_call_failed',
    ],
    ['no call', '(async () => { null.x; await a.put({}) })(); return "x"', 'unhandled_rejection'],
    ['no error', 'Promise.reject({ toString() { throw 1 } }); return "x"', 'unhandled_rejection'],
    ['no arguments that JSON can hold', 'a.put({ n: 1n }); return "x"', 'unhandled_rejection'],
  ])('%s', async (_, source, code) => {
    const result = await run(source);
    expect(result).toMatchObject({ status: 'error', error: { code }, value: 'x' });
    if (code === 'floating_call_failed') expect(result.error?.message).toContain('a.put');
  });

  it.each<[string, string]>([
    ['try', 'try { await a.put({ fail: true }) } catch {} return "x"'],
    ['catch', 'a.put({ fail: true }).catch(() => {}); return "x"'],
    [
      'catch later',
      'const p = a.put({ fail: true }); await a.get({}); await a.get({}); try { await p } catch {} return "x"',
    ],
    ['allSettled', 'await Promise.allSettled([a.put({ fail: true }), a.get({})]); return "x"'],
    ['a race', 'await Promise.race([a.get({}), a.put({ fail: true })]).catch(() => {}); return "x"'],
    [
      'try in a floating function',
      '[1].forEach(async () => { try { await a.put({ fail: true }) } catch {} }); return "x"',
    ],
  ])('one that the code handles is: %s', async (_, source) => {
    const result = await run(source);
    expect(result).toMatchObject({ status: 'ok', value: 'x' });
    expect(statuses(result)).toContain('failed');
  });
});

describe('limits hold for calls that nobody waits for', () => {
  it.each<[string, string, Partial<Limits>, object, readonly CallStatus[]]>([
    [
      'time',
      'a.put({}); a.put({ hang: true }); return "x"',
      { timeoutMs: 1500 },
      { status: 'timeout', value: 'x' },
      ['done', 'failed'],
    ],
    [
      'time, and a call that waits for its turn',
      'a.put({ hang: true }); a.put({}); return "x"',
      { timeoutMs: 1500, maxConcurrentCalls: 1 },
      { status: 'timeout', value: 'x' },
      ['failed', 'never_sent'],
    ],
    [
      'calls',
      'for (let n = 0; n < 4; n++) a.put({ n }); return "x"',
      { maxToolCalls: 3 },
      { status: 'limit', error: { code: 'tool_call_limit' }, value: 'x' },
      ['never_sent', 'done', 'done', 'done'],
    ],
    [
      'calls, after the end',
      '(async () => { for (;;) await a.put({}) })(); return "x"',
      { maxToolCalls: 3 },
      { status: 'limit', error: { code: 'tool_call_limit' }, value: 'x' },
      ['never_sent', 'done', 'done', 'done'],
    ],
    [
      'arguments',
      'a.put({ a: "xxxxxxxxxx" }); return "x"',
      { maxArgumentBytes: 10 },
      { status: 'limit', error: { code: 'argument_limit' } },
      ['never_sent'],
    ],
    [
      'results',
      'a.put({ n: "xxxxxxxxxx" }); return "x"',
      { maxResultBytes: 5 },
      { status: 'limit' },
      ['failed'],
    ],
    ['computing', 'a.put({}); for (;;) {}', { cpuMs: 500 }, { status: 'limit' }, ['never_sent']],
    [
      'computing after the end',
      'a.get({}).then(() => { a.put({}); for (;;) {} }); return "x"',
      { cpuMs: 500 },
      { status: 'limit', error: { code: 'cpu_limit' }, value: 'x' },
      ['done', 'never_sent'],
    ],
    ['stack', 'a.put({}); const f = () => f(); f()', {}, { status: 'limit' }, ['never_sent']],
    ['memory', 'a.put({}); new ArrayBuffer(1e9)', {}, { status: 'limit' }, ['never_sent']],
    [
      'memory, with a call under way',
      'a.put({ hang: true }); await a.get({}); new ArrayBuffer(1e9)',
      {},
      { status: 'limit', error: { code: 'memory_limit' } },
      ['failed', 'done'],
    ],
  ])('%s', async (_, source, limits, ended, told) => {
    const { call, received } = host();
    await ready();
    const result = await run(source, { call, limits });
    expect(result).toMatchObject(ended);
    expect(statuses(result)).toEqual(told);
    expect(received).toHaveLength(told.filter((status) => status !== 'never_sent').length);
    expect(await run('return 1')).toMatchObject({ status: 'ok', value: 1 });
  });

  it('a call that got no answer may have taken effect, and says so', async () => {
    await ready();
    const result = await run('a.put({ hang: true }); return 1', { limits: { timeoutMs: 1500 } });
    expect(result.calls).toMatchObject([
      { status: 'failed', error: 'no_answer', note: expect.stringContaining('may have taken effect') },
    ]);
  });

  it('a flood is counted and not listed', async () => {
    const result = await run('for (let n = 0; n < 1000; n++) a.put({}).catch(() => {}); return 1', {
      limits: { maxToolCalls: 2 },
    });
    expect(result).toMatchObject({ status: 'ok', callsOmitted: 898 });
    expect(result.calls).toHaveLength(102);
  });

  it('calls of a thread that is stopped while it computes are counted', async () => {
    await ready();
    const result = await run('a.put({}); a.put({}); for (;;) {}', { limits: { timeoutMs: 1500 } });
    expect(result).toMatchObject({ status: 'timeout' });
    expect(result.calls.length + result.callsOmitted).toBe(2);
  });

  it('whoever gives the run up is told of them', async () => {
    const stop = new AbortController();
    const call: CallTool = async (_, args, __, sent) => {
      sent();
      if (args['n'] === 2) stop.abort();
      return await new Promise(() => {});
    };
    const source = 'a.put({ n: 1 }); a.put({ n: 2 }); a.put({ n: 3 }); return "x"';
    const result = await run(source, { call, signal: stop.signal, limits: { maxConcurrentCalls: 2 } });
    expect(result).toMatchObject({ status: 'aborted' });
    expect(statuses(result)).toEqual(['failed', 'failed', 'never_sent']);
  });
});

/** A program that starts calls in random ways, and how many it starts. */
interface Program {
  readonly source: string;
  readonly calls: number;
}

const given = fc.constantFrom('{}', '{ fail: true }', '{ deny: true }');
const { program } = fc.letrec<{ program: Program; statement: Program }>((tie) => {
  const one = given.map((args): Program => ({ source: `a.put(${args})`, calls: 1 }));
  const wrap = (how: (inner: string) => string) =>
    tie('program').map(({ source, calls }) => ({ source: how(source), calls }));
  return {
    program: fc.array(tie('statement'), { minLength: 1, maxLength: 3 }).map((all) => ({
      source: all.map(({ source }) => `${source};`).join(' '),
      calls: all.reduce((sum, { calls }) => sum + calls, 0),
    })),
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      one.map(({ source, calls }) => ({ source: `try { await ${source} } catch {}`, calls })),
      one,
      one.map(({ source, calls }) => ({ source: `${source}.catch(() => {})`, calls })),
      one.map(({ source, calls }) => ({ source: `await Promise.race([${source}, 1])`, calls })),
      wrap((inner) => `(async () => { ${inner} })()`),
      wrap((inner) => `try { await (async () => { ${inner} })() } catch {}`),
      wrap((inner) => `[0].forEach(async () => { ${inner} })`),
      wrap((inner) => `Promise.resolve().then(async () => { ${inner} })`),
      wrap((inner) => `setTimeout(async () => { ${inner} }, 1)`),
      wrap((inner) => `await Promise.race([(async () => { ${inner} })(), 1])`),
    ),
  };
});

describe('whatever the code does', () => {
  it('all calls that it starts are told, and those that the host received are told as sent', async () => {
    await fc.assert(
      fc.asyncProperty(program, async ({ source, calls }) => {
        const { call, received } = host();
        const result = await run(`${source} return 1`, { call });
        const never =
          result.calls.filter(({ status }) => status === 'never_sent').length + result.callsOmitted;
        const told = result.calls.length + result.callsOmitted;
        expect(told).toBe(received.length + never);
        expect(told).toBe(calls);
        const isLoud = result.status !== 'ok';
        const areAllDone = result.calls.every(({ status }) => status === 'done');
        if (isLoud) expect(areAllDone).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
