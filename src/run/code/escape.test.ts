// What unjudged hostile code can reach: every attack, known escapes from other sandboxes, and bombs. The host is
// neither visible nor changed, and the threads serve the next run.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attacks, oddities, snippetTools } from '../../../tests/support/snippets.ts';
import type { Limits } from './limits.ts';
import { Sandbox, type SandboxResult } from './sandbox.ts';

const canary = 'canary-4242';
const limits = { cpuMs: 10_000, timeoutMs: 20_000, memoryMb: 32 };
let sandbox: Sandbox;
let called: string[] = [];

beforeAll(async () => {
  process.env['SANDBOX_CANARY'] = canary;
  sandbox = new Sandbox({ limits, pool: { min: 1, max: 2 } });
  await sandbox.warm();
});

afterAll(async () => {
  delete process.env['SANDBOX_CANARY'];
  await sandbox.close();
});

async function run(source: string, own: Partial<Limits> = {}): Promise<SandboxResult> {
  called = [];
  const result = await sandbox.run({
    source,
    tools: snippetTools,
    tenant: 'attacker',
    limits: own,
    call: async (tool, args) => {
      called.push(tool);
      return { tool, args, a: 'constructor', b: 'constructor' };
    },
  });
  if (result.status === 'paused') throw new Error('nothing waits for approval here');
  return result;
}

/** The state that code could change here if it escaped. */
function shapeOfHost(): readonly unknown[] {
  return [
    Object.getOwnPropertyNames(globalThis).length,
    ...[
      Object.prototype,
      Array.prototype,
      Function.prototype,
      Promise.prototype,
      String.prototype,
      Error,
    ].map((object) => Reflect.ownKeys(object).length),
    process.exitCode,
    process.listenerCount('exit'),
  ];
}

async function expectContained(source: string, own?: Partial<Limits>): Promise<SandboxResult> {
  const before = shapeOfHost();
  const result = await run(source, own);
  expect(shapeOfHost()).toEqual(before);
  expect(JSON.stringify(result)).not.toMatch(/canary-4242|ESCAPED|node:internal|node_modules|worker\.[tc]/);
  expect(called.filter((tool) => !snippetTools.includes(tool))).toEqual([]);
  expect(result.status).not.toBe('fault');
  return result;
}

async function expectUsable(): Promise<void> {
  expect(await run('return (await search({ n: 1 })).args.n + 1')).toMatchObject({ status: 'ok', value: 2 });
}

describe('attacks that nothing judged', () => {
  it.each([...attacks, ...oddities])('%s: %s', async (_, source) => {
    await expectContained(source);
  });

  it('leave the threads usable', expectUsable);
});

/** Reports an escape if a value is an object of the host. */
const seen = `
const seen = (value) => {
  try { if (value && (value.process || value.require || value.Buffer || value.fetch || value.Worker || value.mainModule)) return 'ESCAPED'; } catch {}
  return 'inside';
};
const attempt = (work) => { try { return work(); } catch (error) { return String(error); } };
`;

const escapes: readonly (readonly [string, string])[] = [
  ['the globals', 'return seen(globalThis)'],
  ['this of a sloppy function', 'return seen((function () { return this })())'],
  ['Function', 'return attempt(() => seen((() => {}).constructor("return this")()))'],
  ['AsyncFunction', 'return attempt(() => (async () => {}).constructor("return this")())'],
  ['GeneratorFunction', 'return attempt(() => (function* () {}).constructor("yield this")().next())'],
  ['indirect eval', 'return attempt(() => seen((0, globalThis.eval)("this")))'],
  [
    'the constructor of a tool',
    'return attempt(() => seen(github.list_issues.constructor("return this")()))',
  ],
  [
    'the prototype of a tool',
    'return attempt(() => seen(Object.getPrototypeOf(github.list_issues).constructor("return this")()))',
  ],
  [
    'the constructor of a promise of a tool',
    'const p = github.list_issues({}); await p; return attempt(() => seen(p.constructor.constructor("return this")()))',
  ],
  [
    'the constructor of a result',
    'const r = await github.list_issues({}); return attempt(() => seen(r.constructor.constructor("return this")()))',
  ],
  [
    'the constructor of an error of a tool',
    'try { await github.list_issues(1) } catch (e) { return attempt(() => seen(e.constructor.constructor("return this")())) }',
  ],
  ['the constructor of the console', 'return attempt(() => seen(console.log.constructor("return this")()))'],
  ['the constructor of a timer', 'return attempt(() => seen(setTimeout.constructor("return this")()))'],
  [
    'prepareStackTrace',
    'Error.prepareStackTrace = (_, sites) => sites; const s = new Error("x").stack; return seen(s?.[0]?.getThis?.())',
  ],
  ['callers', 'return attempt(() => { const f = function () { return f.caller }; return seen(f()) })'],
  [
    'arguments.callee.caller',
    'return attempt(() => seen((function () { return arguments.callee.caller })()))',
  ],
  [
    'a stack overflow in a call of a tool',
    'const deep = (n) => { try { return deep(n + 1) } catch (e) { return attempt(() => seen(e.constructor.constructor("return this")())) } }; return deep(0)',
  ],
  [
    'a stack overflow around a tool',
    'const deep = async () => { try { await search({}); return deep() } catch (e) { return String(e) } }; return await deep()',
  ],
  ['toJSON of arguments', 'return await search({ toJSON() { return { stack: new Error().stack } } })'],
  ['a getter of arguments', 'return await search({ get a() { return new Error().stack } })'],
  ['toString of an argument', 'return await search({ a: { toString() { return "x" } } })'],
  [
    '__proto__ in arguments',
    `return attempt(() => 1) && await search(JSON.parse('{"__proto__":{"polluted":1}}')).catch((e) => e.code)`,
  ],
  ['constructor in arguments', 'return await search({ constructor: { prototype: { polluted: 1 } } })'],
  ['a thenable result', 'return { then(resolve) { resolve(seen(resolve)) } }'],
  ['a thenable that never settles is a deadlock', 'return { then() {} }'],
  [
    'JSON that was replaced',
    'JSON.stringify = () => "{}"; JSON.parse = () => "ESC" + "APED"; return { a: (await search({ q: 1 })).args.q }',
  ],
  [
    'then that was replaced',
    'const then = Promise.prototype.then; Promise.prototype.then = function (a, b) { return then.call(this, (v) => a?.(seen(v)), b) }; return await search({})',
  ],
  [
    'Promise that was replaced',
    'globalThis.Promise = class { constructor(run) { run(() => {}, () => {}) } }; return await search({})',
  ],
  [
    'call and apply that were replaced',
    'Function.prototype.call = Function.prototype.apply = function () { return seen(this) }; return await search({})',
  ],
  [
    'setters on the prototype of objects',
    'let got = []; for (const k of ["resolve", "reject", "run", "value", "0"]) Object.defineProperty(Object.prototype, k, { set(v) { got.push(typeof v) }, get() { return undefined }, configurable: true }); await search({}); return got.length',
  ],
  [
    'setters on the prototype of arrays',
    'let got = 0; Object.defineProperty(Array.prototype, "0", { set(v) { got++ }, configurable: true }); await search({}); console.log(1); return got',
  ],
  [
    'iteration that was replaced',
    'Array.prototype[Symbol.iterator] = function () { return { next: () => ({ done: false, value: "ESC" + "APED" }) } }; try { await github.list_issues(1) } catch (e) { return e.code }',
  ],
  [
    'species',
    'class P extends Promise { static get [Symbol.species]() { return function (run) { run(seen, seen) } } } return await P.resolve(1).then((x) => x)',
  ],
  ['import()', 'return await import("node:fs").then(() => "ESC" + "APED", (e) => String(e))'],
  [
    'import() of data',
    'return await import("data:text/javascript,export default 1").then(() => "ESC" + "APED", (e) => String(e))',
  ],
  [
    'import() of a name with a loader',
    'return await import("file:///etc/passwd").then(() => "ESC" + "APED", (e) => String(e))',
  ],
  ['require', 'return typeof require + typeof module + typeof exports'],
  ['getBuiltinModule', 'return attempt(() => seen(process.getBuiltinModule("fs")))'],
  ['SharedArrayBuffer', 'return typeof SharedArrayBuffer + typeof Atomics'],
  ['WebAssembly', 'return typeof WebAssembly'],
  ['Proxy and Reflect', 'return typeof Proxy + typeof Reflect'],
  ['the loop of events', 'return typeof setImmediate + typeof MessageChannel + typeof postMessage'],
  [
    'std and os of the engine',
    'return typeof std + typeof os + typeof scriptArgs + typeof print + typeof gc',
  ],
  [
    'a break out of the wrapper',
    '} }); globalThis.leak = seen(globalThis); (function () { return async () => { return leak',
  ],
  [
    'a result that is forged',
    'globalThis.finish?.("ok", "1"); globalThis.send?.(0, "{}"); return typeof finish + typeof send + typeof run + typeof settle',
  ],
  ['a call that is forged', 'return attempt(() => typeof waiting) + attempt(() => typeof timers)'],
  [
    'names behind the code in a stack',
    'try { await search({ toJSON() { throw new Error("x") } }) } catch (e) { return /prelude|worker|told|settle|offer/.test(e.stack) ? "ESC" + "APED" : "inside" }',
  ],
  [
    'names behind the code in a getter of an error',
    'const e = new Error("x"); Object.defineProperty(e, "message", { get() { return new Error("y").stack } }); throw e',
  ],
  ['the text of a tool', 'return github.list_issues.toString()'],
  [
    'a tool that is replaced',
    'return attempt(() => { github.list_issues = () => "x"; }) + attempt(() => { globalThis.github = 1; return typeof github })',
  ],
  [
    'properties of a namespace',
    'return Object.getOwnPropertyNames(github).join() + String(Object.getPrototypeOf(github))',
  ],
  ['custom inspection', 'return { [Symbol.for("nodejs.util.inspect.custom")]: (d, o, i) => seen(i), a: 1 }'],
  ['a symbol and a bigint as a result', 'return attempt(() => 1) && 10n'],
  ['a ring as a result', 'const a = {}; a.a = a; return a'],
  ['a result with a key __proto__', `return JSON.parse('{"__proto__":{"polluted":1}}')`],
  [
    'an error that is no error',
    'throw { get message() { throw 1 }, get name() { throw 2 }, get stack() { throw 3 } }',
  ],
  ['an error that throws as a text', 'throw { toString() { throw new Error("x") } }'],
  ['a lone surrogate in arguments', 'return await search({ a: "\\ud800" }).catch((e) => e.code)'],
  ['finalisers', 'new FinalizationRegistry((held) => seen(held)).register({}, globalThis); return 1'],
];

describe('ways out', () => {
  it('are many', () => {
    expect(escapes.length).toBeGreaterThanOrEqual(40);
  });

  it.each(escapes)('%s', async (_, source) => {
    await expectContained(seen + source);
  });

  it.each([
    'return (() => {}).constructor("return 1")()',
    'return (async () => {}).constructor("return 1")()',
    'return [...(function* () {}).constructor("yield 1")()]',
    'return (async function* () {}).constructor("yield 1")()',
    'return new Function("return 1")()',
    'return Function.prototype.constructor("return 1")()',
    'return Function`return 1```',
  ])('make no code: %s', async (source) => {
    const { status, error } = await expectContained(source);
    expect([status, error?.message]).toEqual(['error', 'eval is not supported']);
  });

  it('leave nothing for the next run', async () => {
    await run(
      'globalThis.left = 1; Object.prototype.left = 1; Array.prototype.push = null; Math.random = () => 1; return 1',
    );
    expect(await run('return [typeof left, typeof [].push, Math.random() === 1]')).toMatchObject({
      value: ['undefined', 'function', false],
    });
  });

  it('leave the threads usable', expectUsable);
});

const bombs: readonly (readonly [string, string, string])[] = [
  ['a loop', 'while (true) {}', 'cpu_limit'],
  [
    'a loop that catches',
    'while (true) { try { while (true) {} } catch {} finally { continue } }',
    'cpu_limit',
  ],
  ['a loop after a wait', 'await search({}); for (;;) {}', 'cpu_limit'],
  // Braces: a step that returned its promise would keep the whole chain, and memory might end it first.
  [
    'microtasks',
    'const again = () => { Promise.resolve().then(again) }; again(); await new Promise(() => {})',
    'cpu_limit',
  ],
  ['waits without end', 'for (;;) await null', 'cpu_limit'],
  [
    'queueMicrotask',
    'const again = () => queueMicrotask(again); again(); await new Promise(() => {})',
    'cpu_limit',
  ],
  ['recursion', 'const f = (n) => 1 + f(n + 1); return f(0)', 'stack_limit'],
  ['recursion of getters', 'const o = { get a() { return this.a } }; return o.a', 'stack_limit'],
  ['deep JSON', 'let s = "[".repeat(2e5) + "]".repeat(2e5); return JSON.parse(s)', 'stack_limit'],
  ['arrays', 'const a = []; for (;;) a.push(new Array(1e5).fill(1.5))', 'memory_limit'],
  ['typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(1e6))', 'memory_limit'],
  ['one large buffer', 'return new ArrayBuffer(1e9).byteLength', 'memory_limit'],
  ['texts', 'const a = []; for (let i = 0; ; i++) a.push(String(i).repeat(1e5))', 'memory_limit'],
  ['a builtin that nothing interrupts', 'return "a".repeat(4e6).indexOf("a".repeat(2e6) + "b")', 'cpu_limit'],
  ['a pattern that explodes', 'return /^(a+)+$/.test("a".repeat(40) + "b")', 'cpu_limit'],
  ['big integers', 'let n = 3n; for (;;) n = (n * n + 1n) % 2n ** 90000n', 'cpu_limit'],
  ['a sort', 'for (;;) Array.from({ length: 2e5 }, (_, i) => -i).sort((a, b) => a - b)', 'cpu_limit'],
  ['a promise that never settles', 'await new Promise(() => {})', 'deadlock'],
  ['a tool that is never awaited and a promise', 'search({}); await new Promise(() => {})', 'deadlock'],
  ['timers', 'for (;;) setTimeout(() => {}, 1)', 'timer_limit'],
  ['an interval without end', 'setInterval(() => {}, 1); await new Promise(() => {})', 'timeout'],
  ['calls', 'for (;;) await search({})', 'tool_call_limit'],
  ['calls at once', 'await Promise.all(Array.from({ length: 1e4 }, () => search({})))', 'tool_call_limit'],
  ['calls that catch', 'for (;;) { try { await search({}) } catch {} }', 'cpu_limit'],
  ['large arguments', 'await search({ a: "x".repeat(1e6) })', 'argument_limit'],
];

describe('bombs', () => {
  it('are many', () => {
    expect(bombs.length).toBeGreaterThanOrEqual(16);
  });

  it.each(bombs)('%s', async (_, source, code) => {
    let ticks = 0;
    const clock = setInterval(() => ticks++, 5);
    const own = code === 'cpu_limit' ? { cpuMs: 300 } : code === 'timeout' ? { timeoutMs: 300 } : {};
    const result = await expectContained(source, own);
    clearInterval(clock);
    expect(result.error?.code).toBe(code);
    // The host kept running while the code computed until it was stopped.
    if (code === 'cpu_limit') expect(ticks).toBeGreaterThan(3);
    await expectUsable();
  });

  it('of output end in a result that is cut', async () => {
    const result = await expectContained('return "x".repeat(5e6)');
    expect(result).toMatchObject({ status: 'ok', truncated: true });
    expect(JSON.stringify(result.value).length).toBeLessThanOrEqual(200_000);
    await expectUsable();
  });

  it('of logs are cut', async () => {
    const result = await expectContained(
      'for (let i = 0; i < 5000; i++) console.log("x".repeat(1000)); return 1',
    );
    expect(result).toMatchObject({ status: 'ok', logsDropped: true });
    expect(result.logs.map(({ text }) => text).join('').length).toBeLessThanOrEqual(20_000);
    await expectUsable();
  });
});
