// Tests of plans as models give them, and of runs with an endpoint whose model answers imperfectly.

import { describe, expect, it, onTestFinished } from 'vitest';
import { agentSetup } from '../../tests/support/agent.ts';
import { answers, json, leadingTo, startProvider } from '../../tests/support/llm.ts';
import { httpServer } from '../../tests/support/mcp.ts';
import type { ServerOptions } from '../../tests/support/mcp-tools.ts';
import { createDecider } from '../decide/index.ts';
import { openUpstreams } from '../run/mcp/index.ts';
import { planIn } from './plan.ts';

const said = (text: string) => planIn({ calls: [], text });
const called = (given: unknown) =>
  planIn({ text: '', calls: [{ id: '1', tool: 'run_program', arguments: given as never }] });

describe('a plan', () => {
  it.each([
    ['alone', '{"code":"return 1","reasoning":"x"}'],
    ['in a fence', '```json\n{"code":"return 1"}\n```'],
    [
      'with words around it',
      'Here is the plan:\n\n{"code": "return 1", "confidence": 0.9}\n\nI hope this helps {really}.',
    ],
    ['after a draft', 'First {"code":"return 0"}, no, rather:\n{"code":"return 1"}'],
    ['with a comma at the end', '{"code":"return 1","reasoning":"x",}'],
    ['with comments', '{\n  // the plan, in short\n  "code": "return 1", /* done */\n}'],
    ['in single quotes', "{'code': 'return 1', 'reasoning': 'it is \\'one\\''}"],
    ['in typographic quotes', '{“code”: “return 1”}'],
    ['with names without quotes', '{code: "return 1", reasoning: "x: y"}'],
    ['in backticks', '{"code": `return 1`, "reasoning": `a "b" \\${c}`}'],
    ['inside of another object', '{"plan":{"code":"return 1","reasoning":"x"}}'],
    ['as lines', '{"code":["return 1"]}'],
    ['behind thoughts', '<think>a { b } c</think>\n~~~\n{"code":"return 1"}\n~~~'],
  ])('is read %s', (_, text) => {
    expect(said(text)).toEqual({ code: 'return 1' });
  });

  it('is read with line ends in its texts', () => {
    expect(said('{"code":"const a = 1;\n\treturn \\"a\\"","reasoning":"b\nc"}')).toEqual({
      code: 'const a = 1;\n\treturn "a"',
    });
  });

  it('is read with lines that go on, and in backticks with line ends', () => {
    expect(said('{"code":"return 1 +\\\n2"}')).toEqual({ code: 'return 1 +\n2' });
    expect(said('{"code":`const a = "b";\nreturn a`}')).toEqual({ code: 'const a = "b";\nreturn a' });
  });

  it('is read of a call', () => {
    expect(called({ code: 'return 1' })).toEqual({ code: 'return 1' });
    expect(called('{"code":"return 1",}')).toEqual({ code: 'return 1' });
  });

  it.each([
    '',
    'return 1',
    '```ts\nreturn 1\n```',
    '{"program":"return 1"}',
    '{"code":1}',
    '[1]',
    '{'.repeat(500),
  ])('is not the text that it is: %s', (text) => {
    expect(said(text)).toEqual({ problem: expect.any(String) });
  });
});

const shop: ServerOptions = {
  tools: () => [
    {
      name: 'list_orders',
      description: 'Lists the orders of a customer, with their totals.',
      inputSchema: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
    },
  ],
  call: (_, given) => ({
    content: [],
    structuredContent: {
      orders: [
        { id: 1, total: 7 },
        { id: 2, total: 5 },
      ],
      ...given,
    },
  }),
};

const sum =
  'const { orders } = await shop.list_orders({ customer: "bob" }); return orders.reduce((n, o) => n + o.total, 0)';
const plan = (code: string, more: object = { reasoning: 'It is asked for.' }) =>
  JSON.stringify({ code, ...more });

/** What the endpoint answers, one reply each time that it is asked: a text, the arguments of a call, or a status. */
type Reply = string | { readonly call: string; readonly tool?: string } | { readonly status: number };

const imperfect: readonly (readonly [way: string, replies: readonly Reply[], repairs: number])[] = [
  ['a fence around the JSON', [`\`\`\`json\n${plan(sum)}\n\`\`\``], 0],
  ['prose around the JSON', [`Sure! This is the program:\n\n${plan(sum)}\n\nIt adds up the totals.`], 0],
  ['keys that nobody asked for', [plan(sum, { reasoning: 'x', language: 'ts', steps: [1] })], 0],
  ['no reasoning', [plan(sum, {})], 0],
  ['line ends in the JSON', [plan(sum).replaceAll('; ', ';\n')], 0],
  ['a comma at the end', [plan(sum).replace(/\}$/, ',}')], 0],
  ['a fence around the code', [plan(`\`\`\`ts\n${sum}\n\`\`\``)], 0],
  ['arguments as a text', [{ call: plan(sum) }], 0],
  ['an endpoint that knows no tools', [{ status: 400 }, plan(sum)], 0],
  [
    'a main function and no return',
    [
      plan(
        `class Sum { private n: number = 0; constructor(readonly c: string) {} async run() { const { orders } = await shop.list_orders({ customer: this.c }); for (const o of orders) this.n += o.total; return this.n } }\nasync function main(): Promise<number> { return await new Sum("bob").run() }\nmain();`,
      ),
    ],
    0,
  ],
  ['prose alone', ['I would list the orders and add them up.', plan(sum)], 1],
  ['a name that is not there', [plan('return _.sum([1])'), plan(sum)], 1],
  ['a tool that is nearly there', [plan('return await shop.list_order({})'), plan(sum)], 1],
  ['the network', [{ call: plan('return await fetch("http://a")') }, { call: plan(sum) }], 1],
  [
    'a program that throws',
    [
      plan('const r = await shop.list_orders({ customer: "bob" }); return r.rows.map((x) => x.total)'),
      plan(sum),
    ],
    1,
  ],
  [
    'a program that returns nothing',
    [
      plan('const r = await shop.list_orders({ customer: "bob" }); r.orders.forEach((o) => { o.total });'),
      plan(sum),
    ],
    1,
  ],
  ['two programs that are wrong', [plan('return a'), plan('return ('), plan(sum)], 2],
];

async function endpoint(replies: readonly Reply[]) {
  const provider = await startProvider((_, response, count) => {
    const reply = replies[count - 1] ?? 'Nothing more.';
    if (typeof reply === 'string') return json(response, answers.chat({ text: [reply] }));
    if ('status' in reply)
      return json(response, { error: { message: 'tools are not supported' } }, reply.status);
    const body = JSON.stringify(answers.chat({ call: [reply.call] }));
    return json(
      response,
      JSON.parse(body.replace('"write_file"', JSON.stringify(reply.tool ?? 'run_program'))),
    );
  });
  const { url } = await httpServer(shop);
  const registered = '[tools.list_orders]\nserver = "shop"\neffect = "read"\n';
  const configuration = `${registered}[servers.shop]\nurl = "${url}"\n${leadingTo(provider.url)}`;
  const place = await agentSetup({ configuration, environment: { PROVIDER_KEY: 'the-key' } });
  const { config, ledger, world } = place;
  const upstreams = openUpstreams({
    ...{ servers: config.servers, decider: createDecider({ config, ledger, world }), ledger, world },
    ...{ owner: { user: 'ann', tenant: 'local' }, environment: {}, version: '0' },
  });
  onTestFinished(() => upstreams.close());
  await upstreams.tools();
  const options = { strategy: 'codemode', task: 'Add up the orders of bob.', mcp: true } as const;
  const { outcome } = await place.run('openai/m-1', { ...options, upstreams, ownServers: ['shop'] });
  return { outcome, provider };
}

describe('an endpoint whose model answers imperfectly', () => {
  it('is tried in many ways', () => {
    expect(imperfect.length).toBeGreaterThanOrEqual(12);
  });

  it.each(imperfect)('comes to the answer: %s', async (_, replies, repairs) => {
    const { outcome, provider } = await endpoint(replies);
    expect(outcome).toMatchObject({
      completed: true,
      answer: '12',
      telemetry: { codemode_repairs: repairs },
    });
    expect(provider.asked.length).toBe(replies.length);
    const [first] = provider.asked;
    expect(first?.body.tools?.[0]?.function?.name).toBe('run_program');
  });

  it('is told exactly what was wrong, and which calls were made', async () => {
    const wrong = 'await shop.list_orders({ customer: "bob" }); throw new Error("no rows")';
    const { provider } = await endpoint([plan('return await shop.list_order({})'), plan(wrong), plan(sum)]);
    const [, second, third] = provider.asked.map(({ body }) => JSON.stringify(body.messages));
    expect(second).toContain('the code may not call this tool: shop.list_order (line 1, column 14)');
    expect(second).toContain('Did you mean shop.list_orders?');
    expect(third).toContain('no rows');
    expect(third).toContain('- shop.list_orders: done');
  });

  it('knows the names of all tools, and may ask what they take', async () => {
    const look = { tool: 'describe_tools', call: '{"names":["shop.list_orders","shop.none"]}' };
    const { outcome, provider } = await endpoint([look, { call: plan(sum) }]);
    expect(outcome).toMatchObject({ completed: true, answer: '12', telemetry: { codemode_repairs: 0 } });
    const [first, second] = provider.asked.map(({ body }) => JSON.stringify(body.messages));
    expect(first).toContain('shop: list_orders');
    expect(second).toMatch(/"role":"tool".*list_orders/);
  });

  it('is asked three times at most', async () => {
    const { outcome, provider } = await endpoint([
      plan('return a'),
      plan('return b'),
      plan('return c'),
      plan(sum),
    ]);
    expect(provider.asked).toHaveLength(3);
    const error =
      'Code-mode guardrail blocked execution: neither the code nor the language nor a tool has this name';
    expect(outcome).toMatchObject({ completed: false, error, telemetry: { codemode_repairs: 2 } });
  });
});
