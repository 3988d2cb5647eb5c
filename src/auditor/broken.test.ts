// Guards that stand there and do not hold, each beside its twin that does.

import { describe, expect, it } from 'vitest';
import { audit, parserReaders } from './index.ts';

const readers = parserReaders();

const head = `import OpenAI from 'openai';
import { Guardrails } from 'sallyport';
import { WorkspaceSnapshot } from './snapshot.ts';
const client = new OpenAI();
const ask = (input) => client.responses.create({ model: 'm', input });
`;

/** The rules that are violated, or of which it cannot be told. */
async function rulesOf(
  body: string,
  answer: 'violated' | 'unknown' = 'violated',
): Promise<readonly string[]> {
  const text = `${head}export async function run(text, context, tools, mcp) {\n${body}\n}\n`;
  const { findings } = await audit({ files: [{ path: 'agent.ts', text }], readers });
  return [...new Set(findings.filter((one) => one.answer === answer).map(({ rule }) => rule))];
}

const check = 'Guardrails.input.check({ text, context })';
const test = 'if (checked.blocked || checked.needsApproval) throw checked.toUserError();';
const yes = '{ blocked: false, needsApproval: false, text }';

const input: readonly (readonly [string, string, string])[] = [
  [
    'a guard that may not be there',
    `const checked = await context.guard?.input.check({ text, context });
    if (checked?.blocked) throw checked.toUserError();
    await ask(checked?.text ?? text);`,
    `const checked = await context.guard.input.check({ text, context });
    if (checked?.blocked) throw checked.toUserError();
    await ask(checked.text);`,
  ],
  [
    'a clock that passes where it should throw',
    `const checked = await Promise.race([${check}, new Promise((done) => setTimeout(() => done(${yes}), 9))]);
    ${test}
    await ask(checked.text);`,
    `const checked = await Promise.race([${check}, new Promise((_, fail) => setTimeout(() => fail(new Error('late')), 9))]);
    ${test}
    await ask(checked.text);`,
  ],
  [
    'only the beginning of a text is checked',
    `const short = text.slice(0, 99);
    const checked = await Guardrails.input.check({ text: short, context });
    ${test}
    await ask(text);`,
    `const short = text.slice(0, 99);
    const checked = await Guardrails.input.check({ text: short, context });
    ${test}
    await ask(checked.text);`,
  ],
  [
    'what was refused goes on',
    `const checked = await ${check};
    if (!checked.blocked && !checked.needsApproval) return null;
    await ask(checked.text);`,
    `const checked = await ${check};
    if (!checked.blocked && !checked.needsApproval) await ask(checked.text);`,
  ],
  [
    'on one way nobody was asked',
    `let checked = ${yes};
    if (context.strict) checked = await ${check};
    ${test}
    await ask(checked.text);`,
    `let checked = null;
    if (context.strict) checked = await ${check};
    if (checked === null || checked.blocked || checked.needsApproval) throw new Error('refused');
    await ask(checked.text);`,
  ],
  [
    'something that is started and left alone',
    `let passed = text;
    const guard = async () => { const checked = await ${check}; ${test} passed = checked.text; };
    void guard();
    await ask(passed);`,
    `let passed = '';
    const guard = async () => { const checked = await ${check}; ${test} passed = checked.text; };
    await guard();
    await ask(passed);`,
  ],
  [
    'a guard that was replaced',
    `Guardrails.input.check = async (given) => ({ blocked: false, text: given.text });
    const checked = await ${check};
    ${test}
    await ask(checked.text);`,
    `Guardrails.input.timeout = 5;
    const checked = await ${check};
    ${test}
    await ask(checked.text);`,
  ],
];

describe('what goes to a model', () => {
  it.each(input)('%s', async (_, broken, whole) => {
    expect(await rulesOf(broken)).toContain('AG-IN-1');
    expect(await rulesOf(whole)).toEqual([]);
  });
});

const dispatch = `const { tool_calls } = await ask('x');
    for (const call of tool_calls) {
      const validation = await Guardrails.tool.validate({ toolCall: call, context });
      if (validation.blocked || validation.needsApproval) continue;`;

describe('what a tool needs', () => {
  it('is not spared by a setting, and is by what the tool does', async () => {
    const capture = 'await WorkspaceSnapshot.capture(context.workspace);';
    const run = 'await mcp.callTool({ name: call.name, arguments: validation.arguments });\n    }';
    expect(await rulesOf(`${dispatch} if (process.env.WRITE_SNAPSHOTS) ${capture} ${run}`)).toEqual([
      'AG-TOOL-2',
    ]);
    expect(await rulesOf(`${dispatch} if (tools[call.name].writes) ${capture} ${run}`)).toEqual([]);
  });

  it('is not asked of a store, a pattern or a function that only makes a text', async () => {
    const short = 'const short = (path) => (path.startsWith("/") ? path.slice(1) : path);';
    for (const use of [
      'await context.sql.run("insert", call.args.id);',
      'if (call.name === "read") context.label = short(call.args.path);',
      'if (call.name === "read") context.found = /x/.exec(call.args.path);',
    ]) {
      const body = `${short}\n const { tool_calls } = await ask('x'); for (const call of tool_calls) { ${use} }`;
      expect(await rulesOf(body), use).toEqual([]);
    }
    const body = `const { tool_calls } = await ask('x'); for (const call of tool_calls) await context.runner.run(call);`;
    expect(await rulesOf(body)).toContain('AG-TOOL-1');
  });

  it('is the id of the session, whatever the model puts beside it', async () => {
    const read = (given: string) =>
      `${dispatch} if (call.name === 'read') await context.docs.read(${given}); }`;
    expect(await rulesOf(read('{ userId: context.userId, ...call.args }'))).toEqual(['AG-TOOL-5']);
    expect(await rulesOf(read('{ ...call.args, userId: context.userId }'))).toEqual([]);
  });

  it('is an approval with a record of why, where something is destroyed', async () => {
    const call = `const { tool_calls } = await ask('x');
    for (const call of tool_calls) {
      const valid = await context.ToolRegistry.validate(call);
      if (!valid.ok) continue;
      if (!(await context.askApproval(call))) continue;`;
    const remove =
      "if (call.name === 'delete_account') await context.accounts.deleteAccount(call.args.id); }";
    expect(await rulesOf(`${call} ${remove}`)).toEqual([]);
    expect(await rulesOf(`${call} ${remove}`, 'unknown')).toContain('AG-TOOL-4');
    const record = 'await context.audit.record({ call, why: call.args.reason });';
    expect(await rulesOf(`${call} ${record} ${remove}`, 'unknown')).not.toContain('AG-TOOL-4');
  });
});

describe('what is read', () => {
  const agent = `${head}export async function run(text) {\n  await ask(text);\n}\n`;

  it('is no test, unless a part of the agent uses it', async () => {
    const test = { path: 'agent.test.ts', text: agent };
    expect((await audit({ files: [test], readers })).read).toBe(0);
    const user = {
      path: 'main.ts',
      text: "import { run } from './agent.test.ts';\nexport const llm = run;\n",
    };
    expect((await audit({ files: [test, user], readers })).read).toBe(2);
  });

  it('is followed from whoever was too much at first', async () => {
    const steps = Array.from({ length: 60 }, (_, index) => `  list.push(f(${index}, list));`).join('\n');
    const text = `${head}const f = (index, list) => [index, list.length, [index, [index, [index]]]].concat(list);
export async function main(text, context) {
  const list = [];
${steps}
  const checked = await ${check};
  ${test}
  return await relay.pass(checked.text);
}
const relay = { pass: async (given) => { await ask(given); } };
`;
    const { findings } = await audit({ files: [{ path: 'agent.ts', text }], readers });
    expect(findings).toEqual([]);
  });
});
