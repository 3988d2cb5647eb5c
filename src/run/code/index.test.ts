// Tests of the runner: code is judged first, harmless code runs, and each of its calls takes the one request path.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { context } from '../../../tests/support/decide.ts';
import { attacks, harmless, snippetTools } from '../../../tests/support/snippets.ts';
import { configOf, settingsFrom, withTools } from '../../config/index.ts';
import type { ToolSpec } from '../../core/index.ts';
import { createDryDecider, type Decider, realWorld } from '../../decide/index.ts';
import { type CodeRunner, createRunner, type RunJob, type ToolFunction } from './index.ts';

const specs = snippetTools.map((tool): ToolSpec => {
  const [server, name] = tool.split('.');
  return name === undefined ? { name: tool, effect: 'read' } : { name, server: server!, effect: 'read' };
});

function deciderWith(tools: readonly ToolSpec[]): Decider {
  const settings = withTools(settingsFrom({ egress_allowlist: ['example.com'] }), tools);
  return createDryDecider({
    config: configOf(() => settings),
    world: { ...realWorld(), resolve: async () => ['93.184.215.14'] },
  });
}

const answer: ToolFunction = async (args) => ({ ...args, items: [{ title: 'a' }], total: 3 });
const tools = Object.fromEntries(snippetTools.map((name) => [name, answer]));

let runner: CodeRunner;
const decider = deciderWith(specs);
beforeAll(async () => {
  runner = createRunner(decider, { limits: { cpuMs: 20_000 } });
  await runner.warm();
});
afterAll(async () => {
  await runner.close();
});

function run(source: string, more: Partial<RunJob> = {}) {
  return runner.run({ source, tools, context, ...more });
}

describe('harmless code', () => {
  it.each(harmless)('%s', async (source) => {
    const result = await run(source);
    const wanted = source.startsWith('throw') ? 'error' : 'ok';
    expect([result.status, 'error' in result ? result.error : undefined]).toEqual([
      wanted,
      wanted === 'ok' ? undefined : expect.objectContaining({ message: 'no such order' }),
    ]);
  });
});

describe('code that is refused', () => {
  it.each(attacks)('%s: %s', async (_, source) => {
    const call = vi.fn(answer);
    const result = await run(source, { tools: Object.fromEntries(snippetTools.map((name) => [name, call])) });
    expect(result.status).toBe('blocked');
    expect(call).not.toHaveBeenCalled();
  });

  it.each([
    ["import 'fs'", 'module import'],
    ['eval("1")', 'dynamic code execution api'],
    ['', 'empty generated code'],
    ['search();\n'.repeat(31), 'tool-call count 31 exceeds cap 30'],
  ])('%j says why in the words that scripts match on', async (source, reason) => {
    expect(await run(source)).toMatchObject({
      error: { code: 'blocked', message: `Code-mode guardrail blocked execution: ${reason}` },
    });
  });
});

describe('calls', () => {
  it('are judged by the registry, and what is refused can be caught', async () => {
    const strict = createRunner(deciderWith([{ name: 'drop', server: 'db', effect: 'destructive' }]));
    const drop = vi.fn(answer);
    const source =
      'try { return await db.drop({ table: "orders" }) } catch (error) { return [error.code, error.message] }';
    const result = await strict.run({ source, tools: { 'db.drop': drop }, context });
    await strict.close();
    expect(result).toMatchObject({
      status: 'ok',
      value: ['needs_approval', expect.stringMatching(/./)],
      calls: [{ tool: 'db.drop', error: 'needs_approval' }],
    });
    expect(drop).not.toHaveBeenCalled();
  });

  it('are made with the arguments as they were judged', async () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
    const typed = createRunner(deciderWith([{ name: 'get', server: 'shop', effect: 'read', schema }]));
    const get = vi.fn(answer);
    const job = { tools: { 'shop.get': get }, context };
    expect(await typed.run({ ...job, source: 'return await shop.get({ id: 1 })' })).toMatchObject({
      status: 'ok',
    });
    expect(get.mock.calls[0]?.[0]).toEqual({ id: 1 });
    expect(await typed.run({ ...job, source: 'return await shop.get({ id: "x" })' })).toMatchObject({
      status: 'error',
      error: { code: 'blocked' },
    });
    await typed.close();
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('tell the session what they read', async () => {
    const own = { ...context, session: 'reads' };
    const session = await decider.session(own);
    const read = vi.spyOn(session, 'read');
    const same = { decide: decider.decide.bind(decider), session: async () => session };
    const watched = createRunner(same);
    await watched.run({ source: 'await search({ q: 1 })', tools, context: own });
    await watched.close();
    expect(read).toHaveBeenCalledWith(expect.stringContaining('"total":3'), { kind: 'tool', name: 'search' });
  });

  it('that were cleared too late are not made', async () => {
    const late = Promise.withResolvers<void>();
    const slow: Pick<Decider, 'decide' | 'session'> = {
      session: (where) => decider.session(where),
      decide: async (action, where) => {
        if (action.kind === 'tool') await late.promise;
        return await decider.decide(action, where);
      },
    };
    const waiting = createRunner(slow);
    const search = vi.fn(answer);
    const job = { source: 'await search({})', tools: { search }, context, limits: { timeoutMs: 200 } };
    expect(await waiting.run(job)).toMatchObject({ status: 'timeout' });
    late.resolve();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await waiting.close();
    expect(search).not.toHaveBeenCalled();
  });
});

it('runs TypeScript as it was judged, and tells places in it', async () => {
  const source =
    'interface Row { total: number }\nconst row = (await search({})) as Row;\nconst none: any = null; none!.x;';
  expect(await run(source)).toMatchObject({
    status: 'error',
    error: { code: 'TypeError', line: 3, column: 25 },
  });
  expect(await run('const o = {};\n  o.missing.call()')).toMatchObject({ error: { line: 2, column: 3 } });
  expect(await run('const o: any = {};\n  await o.missing({})')).toMatchObject({
    error: { line: 2, message: 'not a function: o.missing' },
  });
  expect(await run('const a: number = 1', { language: 'js' })).toMatchObject({ status: 'blocked' });
});

it('waits for approval where the policy asks', async () => {
  const verdict = { decision: 'approve', findings: [], explanation: 'a person decides' };
  const asking = createRunner({
    session: (where) => decider.session(where),
    decide: (async () => ({ verdict, facts: {}, cleared: null })) as unknown as Decider['decide'],
  });
  expect(await asking.run({ source: 'return 1', tools, context })).toMatchObject({
    status: 'waiting',
    error: { code: 'needs_approval', message: 'a person decides' },
  });
  await asking.close();
});
