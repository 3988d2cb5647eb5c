// The auditor on small agents: what it proves, what it finds and where, and what it cannot tell.

import { describe, expect, it } from 'vitest';
import { type AuditResult, audit, type ConfiguredGuard, parserReaders, rules } from './index.ts';

const readers = parserReaders();

async function auditText(
  text: string,
  path = 'agent.ts',
  guards: readonly ConfiguredGuard[] = [],
): Promise<AuditResult> {
  return await audit({ files: [{ path, text }], readers, guards });
}

/** What is violated, as `rule:line`. */
function violated({ findings }: AuditResult): readonly string[] {
  return findings.filter(({ answer }) => answer === 'violated').map(({ rule, line }) => `${rule}:${line}`);
}

const head = `import OpenAI from 'openai';
import { Guardrails } from 'sallyport';
import { exec } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
const client = new OpenAI();
const ask = (input) => client.responses.create({ model: 'm', input });
`;
/** Where the text of a case begins. */
const first = head.split('\n').length;

const safe = `const checked = await Guardrails.input.check({ text, context });
  if (checked.blocked || checked.needsApproval) throw checked.toUserError();`;

const helper =
  'const guard = async () => { const checked = await Guardrails.input.check({ text, context }); if (checked.blocked) throw checked.toUserError(); };';

const input = [
  ['nothing checks', 'await ask(text);', ['AG-IN-1:0', 'AG-IN-2:0']],
  ['the raw text goes on', `${safe}\n  await ask(text);`, ['AG-IN-2:0']],
  [
    'a test that lets all through',
    `${safe.replace('throw checked.toUserError()', 'console.error(1)')}\n  await ask(text);`,
    ['AG-IN-1:0', 'AG-IN-2:0'],
  ],
  [
    'a test with a way around',
    `${safe.replace('checked.blocked ||', 'context.strict && checked.blocked ||')}\n  await ask(text);`,
    ['AG-IN-1:0', 'AG-IN-2:0'],
  ],
  [
    'the test is turned round',
    `${safe.replace('checked.blocked || checked.needsApproval', '!checked.blocked')}\n  await ask(text);`,
    ['AG-IN-1:0', 'AG-IN-2:0'],
  ],
  [
    'the promise is dropped',
    'Guardrails.input.check({ text, context }).catch(() => null);\n  await ask(text);',
    ['AG-IN-1:0', 'AG-IN-2:0'],
  ],
  [
    'a helper that is not waited for',
    `${helper}\n  guard();\n  await ask(text);`,
    ['AG-IN-1:1', 'AG-IN-2:1'],
  ],
  [
    'helpers that are gathered and not waited for',
    `${helper}\n  Promise.all([guard()]);\n  await ask(text);`,
    ['AG-IN-1:1', 'AG-IN-2:1'],
  ],
  [
    'gathered checks whose promise is tested',
    `const all = Promise.all([Guardrails.input.check({ text, context })]);
  if (all[0].blocked) throw all[0].toUserError();
  await ask(text);`,
    ['AG-IN-1:0', 'AG-IN-2:0'],
  ],
  [
    'a check that throws where others may be waited for instead',
    'await Promise.race([promptInjectionDetector.assertSafe(text), context.timeout]);\n  await ask(text);',
    ['AG-IN-1:0', 'AG-IN-2:0'],
  ],
  [
    'a check that throws, waited for among others',
    'await Promise.all([promptInjectionDetector.assertSafe(text), context.ready]);\n  await ask(text);',
    ['AG-IN-2:0'],
  ],
  [
    'a decision that decides nothing',
    `const { cleared } = await context.decider.decide({ kind: 'prompt', text }, context);
  console.error(cleared);
  await ask(text);`,
    ['AG-IN-1:0', 'AG-IN-2:0'],
  ],
  [
    'a decision on something else',
    `const { cleared } = await context.decider.decide({ kind: 'response', text }, context);
  if (cleared === null) return null;
  await ask(text);`,
    ['AG-IN-1:2', 'AG-IN-2:2'],
  ],
] as const;

const clean = [
  ['the checked text', `${safe}\n  await ask(checked.text);`],
  ['a constant', "await ask('hello');"],
  [
    'a verdict kept in a variable',
    `const checked = await Guardrails.input.check({ text, context });
  const ok = !checked.blocked && !checked.needsApproval;
  if (!ok) return null;
  await ask(checked.text);`,
  ],
  [
    'a helper that says yes or no',
    `const fine = async (given) => {
    const checked = await Guardrails.input.check({ text: given, context });
    if (checked.blocked) return null;
    return checked.text;
  };
  const passed = await fine(text);
  if (passed === null) return null;
  await ask(passed);`,
  ],
  [
    'promises for all',
    `const [checked] = await Promise.all([Guardrails.input.check({ text, context })]);
  if (checked.blocked) throw checked.toUserError();
  await ask(checked.text);`,
  ],
  [
    'promises that are kept and waited for later',
    `const all = Promise.all([Guardrails.input.check({ text, context })]);
  const [checked] = await all;
  if (checked.blocked) throw checked.toUserError();
  await ask(checked.text);`,
  ],
  [
    'a decision of the same process',
    `const action = { kind: 'prompt', text, origin: 'user' };
  const { verdict, cleared } = await context.decider.decide(action, context);
  if (cleared === null) throw new Error(verdict.explanation);
  await ask(cleared.action.text);`,
  ],
] as const;

it('says where it does not see what a decision is about', async () => {
  const result = await auditText(`${head}export async function run(text, context) {
  const { cleared } = await context.decider.decide(context.actionOf(text), context);
  if (cleared === null) return null;
  await ask(text);
}
`);
  expect(result.findings).toContainEqual(
    expect.objectContaining({ answer: 'unknown', message: expect.stringContaining('is not seen') }),
  );
});

describe('what goes to a model', () => {
  it.each(input)('%s', async (_, body, expected) => {
    const result = await auditText(`${head}export async function run(text, context) {\n  ${body}\n}\n`);
    const lines = violated(result).map((one) =>
      one.replace(/\d+$/, (line) => String(Number(line) - first - 1)),
    );
    expect(lines.toSorted()).toEqual([...expected]);
  });

  it.each(clean)('proves %s', async (_, body) => {
    const result = await auditText(`${head}export async function run(text, context) {\n  ${body}\n}\n`);
    expect(violated(result)).toEqual([]);
    expect(result.models).toBe(1);
  });
});

const acts = [
  ['AG-OUT-1', 'const r = await ask("x"); console.log(r.output_text);'],
  ['AG-OUT-2', 'const r = await ask("x"); return r.output_text;'],
  ['AG-OUT-3', 'const r = await ask("x"); eval(r.output_text);'],
  ['AG-OUT-3', 'const r = await ask("x"); exec(r.output_text);'],
  [
    'AG-OUT-4',
    "const s = await client.responses.create({ model: 'm', input: 'x', stream: true }); for await (const e of s) context.res.write(e.delta);",
  ],
  [
    'AG-TOOL-1',
    'const r = await ask("x"); for (const call of r.tool_calls) await tools[call.name](call.args);',
  ],
  [
    'AG-TOOL-2',
    'const r = await ask("x"); const [call] = r.tool_calls; await writeFile(call.args.path, call.args.content);',
  ],
  [
    'AG-TOOL-5',
    'const r = await ask("x"); const [call] = r.tool_calls; await context.docs.read({ userId: call.args.user_id });',
  ],
  ['AG-TOOL-6', 'const r = await ask("x"); const [call] = r.tool_calls; await fetch(call.args.url);'],
] as const;

describe('what a model says', () => {
  it.each(acts)('%s: %s', async (rule, body) => {
    const result = await auditText(`${head}export async function run(context, tools) {\n  ${body}\n}\n`);
    expect(violated(result)).toContain(`${rule}:${first + 1}`);
  });

  it('may name the path of an address whose host is fixed', async () => {
    const body =
      'const r = await ask("x"); const [call] = r.tool_calls; await fetch(`https://api.example.com/${call.args.city}`);';
    const result = await auditText(`${head}export async function run(context) {\n  ${body}\n}\n`);
    expect(violated(result).filter((one) => one.startsWith('AG-TOOL-6'))).toEqual([]);
  });
});

describe('an audit', () => {
  it('says the same of Python', async () => {
    const text = `from openai import OpenAI
client = OpenAI()
def run(text, context):
    return client.responses.create(model="m", input=text).output_text
`;
    expect(violated(await auditText(text, 'agent.py'))).toEqual([
      'AG-IN-1:4',
      'AG-IN-2:4',
      'AG-OUT-1:4',
      'AG-OUT-2:4',
    ]);
  });

  it('follows a helper into another file', async () => {
    const files = [
      {
        path: 'src/a.ts',
        text: "import { pass } from './b.ts';\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function run(text) {\n  await client.responses.create({ input: await pass(text) });\n}\n",
      },
      {
        path: 'src/b.ts',
        text: "import { Guardrails } from 'sallyport';\nexport async function pass(text) {\n  const checked = await Guardrails.input.check({ text });\n  if (checked.blocked) throw checked.toUserError();\n  return checked.text;\n}\n",
      },
    ];
    expect(violated(await audit({ files, readers }))).toEqual([]);
    const [a, b] = files;
    const broken = [
      a,
      { path: 'src/b.ts', text: b?.text.replace('return checked.text', 'return text') ?? '' },
    ];
    expect(violated(await audit({ files: broken.flatMap((file) => file ?? []), readers }))).toEqual([
      'AG-IN-2:3',
    ]);
  });

  it('takes a guard that the configuration names', async () => {
    const body = `${head}export async function run(text) {\n  house.screen(text);\n  await ask(text);\n}\n`;
    const guard = { name: 'house.screen', rules: ['AG-IN-1', 'AG-IN-2'], throws: true };
    expect(violated(await auditText(body))).toHaveLength(2);
    expect(violated(await auditText(body, 'agent.ts', [guard]))).toEqual([]);
  });

  it('gives the way, a fix and the line', async () => {
    const { findings } = await auditText(
      `${head}export async function run(text) {\n  const list = [text];\n  await ask(list);\n}\n`,
    );
    expect(findings[0]).toMatchObject({ rule: 'AG-IN-1', excerpt: 'const list = [text];' });
    expect(findings[0]?.fix).toContain('Guardrails.input.check');
    expect(findings[0]?.path.map(({ line }) => line)).toEqual([first, first + 1, 6]);
  });

  it('keeps quiet where a comment says why, and not where it does not', async () => {
    const text = (comment: string) =>
      `${head}export async function run(text) {\n  // ${comment}\n  await ask(text);\n}\n`;
    const marked = await auditText(text('sallyport:audit-ignore AG-IN-1,AG-IN-2 a test of the model alone'));
    expect(marked.findings.map(({ suppressed }) => suppressed)).toEqual([
      'a test of the model alone',
      'a test of the model alone',
    ]);
    expect(marked.answers.every((answer) => answer.violated === 0)).toBe(true);
    const bare = await auditText(text('sallyport:audit-ignore AG-IN-1'));
    expect(bare.findings.every(({ suppressed }) => suppressed === undefined)).toBe(true);
  });

  it('cannot tell what it cannot read, and says so', async () => {
    const { findings } = await auditText('import OpenAI from "openai"; const = ;');
    expect(findings).toMatchObject([{ rule: 'AG', answer: 'unknown' }]);
    const deep = await auditText(
      `import OpenAI from 'openai';\nconst x = ${'('.repeat(20_000)}1${')'.repeat(20_000)};\n`,
    );
    expect(deep.findings).toMatchObject([{ answer: 'unknown' }]);
  });

  it('cannot tell whether tools of others write', async () => {
    const body = `for (const call of (await ask('x')).tool_calls) {
    const v = await Guardrails.tool.validate({ toolCall: call });
    if (v.blocked || v.needsApproval) continue;
    await mcp.callTool({ name: call.name, arguments: v.arguments });
  }`;
    const result = await auditText(`${head}export async function run(mcp) {\n  ${body}\n}\n`);
    expect(violated(result)).toEqual([]);
    expect(result.findings).toMatchObject([{ rule: 'AG-TOOL-2', answer: 'unknown' }]);
  });

  it('ends where there is more than it may follow', async () => {
    const many = Array.from(
      { length: 14 },
      (_, index) =>
        `const f${index} = (x) => { f${index + 1}(x); f${index + 1}(x); f${index + 1}(x); f${index + 1}(x); };`,
    );
    const text = `${head}export async function run(text) { f0(text); await ask('x'); }\n${many.join('\n')}\nconst f14 = (x) => x;\n`;
    const { findings, unfollowed } = await auditText(text);
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'AG', answer: 'unknown', line: first }));
    expect(unfollowed).toBe(1);
  });

  it('still follows what stands beside something that is too much', async () => {
    const many = Array.from(
      { length: 14 },
      (_, index) => `const f${index} = () => { ${`f${index + 1}(); `.repeat(4)} };`,
    );
    const text = `${head}const f14 = () => 1;\n${many.toReversed().join('\n')}
const shape = f0();
export const run = async (text) => await ask(text);
`;
    const result = await auditText(text);
    const line = text.split('\n').length - 1;
    expect(violated(result)).toEqual([
      `AG-IN-1:${line}`,
      `AG-IN-2:${line}`,
      `AG-OUT-1:${line}`,
      `AG-OUT-2:${line}`,
    ]);
    expect(result.unfollowed).toBe(1);
  });

  it('takes a common name for a call of a model only where there are tools', async () => {
    const body = 'export async function main(args, llm) {\n  if (args.name === "x") start(args);\n}\n';
    expect(violated(await auditText(`import OpenAI from 'openai';\n${body}`))).toEqual([]);
    const among = await auditText(`import OpenAI from 'openai';\nconst tools = [];\n${body}`);
    expect(violated(among)).toEqual(['AG-TOOL-1:4']);
  });

  it('takes the name of a call for a choice, and its shape for none', async () => {
    const text = (by: string) => `import OpenAI from 'openai';
export async function visit(toolCall, llm) {
  switch (toolCall.${by}) {
    case 'a':
      return start(toolCall);
  }
}
`;
    expect(violated(await auditText(text('kind')))).toEqual([]);
    expect(violated(await auditText(text('name')))).toEqual(['AG-TOOL-1:5']);
  });

  it('takes a line at the end of a log for a record, and a file that the model names for a change', async () => {
    const text = (target: string) => `import { appendFile } from 'node:fs/promises';
export async function handle(toolCall) {
  await appendFile(${target}, JSON.stringify(toolCall));
}
`;
    expect(violated(await auditText(text("'calls.jsonl'")))).toEqual([]);
    expect(violated(await auditText(text('toolCall.path')))).toEqual(['AG-TOOL-2:3']);
  });

  it('knows every rule of the contract', () => {
    expect(rules.map(({ id }) => id)).toEqual([
      ...[1, 2, 3, 4].map((number) => `AG-IN-${number}`),
      ...[1, 2, 3, 4].map((number) => `AG-OUT-${number}`),
      ...[1, 2, 3, 4, 5, 6].map((number) => `AG-TOOL-${number}`),
    ]);
  });
});

describe('where a guard that is there belongs', () => {
  it('is at what starts it, each time that it is started', async () => {
    const text = `${head}export async function say(context, mcp) {
  const history = [];
  for (let turn = 0; turn < 8; turn++) {
    const { calls } = await ask(history);
    for (const call of calls) {
      history.push(await use(call, mcp, context));
    }
  }
}


async function use(call, mcp, context) {
  const result = await mcp.callTool(call);
  let seen = result.content;
  void (async () => {
    seen = (await Guardrails.input.check({ text: seen, origin: 'tool', context })).text;
  })();
  return seen;
}
`;
    const lines = violated(await auditText(text)).filter((one) => one.startsWith('AG-IN-1'));
    expect(lines).toEqual([`AG-IN-1:${first + 14}`]);
  });

  it('is before what it comes too late for', async () => {
    const late = `import httpx
from openai import OpenAI
client = OpenAI()
def run(tools):
    message = client.responses.create(model="m", input="x")
    for call in message.tool_calls:
        try:
            tools[call.name](call.arguments)
            done.append(call)
        finally:
            allowed = httpx.post(
                "http://127.0.0.1:7777/v1/decide",
                json={"kind": "tool", "tool": call.name, "arguments": call.arguments},
            ).json()
            if allowed["decision"] != "pass":
                continue
`;
    const lines = violated(await auditText(late, 'agent.py')).filter((one) => one.startsWith('AG-TOOL-1'));
    expect(lines).toContain('AG-TOOL-1:8');
  });
});

describe('what nobody outside wrote', () => {
  const own = `import OpenAI from 'openai';
const client = new OpenAI();
const tools = [{ name: 'sh' }];
`;
  const ask = "await client.responses.create({ input: 'x', tools });";
  it.each<[string, string, readonly string[]]>([
    [
      'a key and a number among the options of a model',
      `export async function run(apiKey, reserveTokens) {
  const max = Math.floor(0.8 * reserveTokens);
  await client.responses.create({ input: 'x', max }, { apiKey });
}`,
      [],
    ],
    [
      'headers in one of two records of options',
      `export async function run(headers, context) {
  const options = context.high ? { headers, reasoning: context.level } : { headers };
  await client.responses.create({ input: 'x' }, options);
}`,
      [],
    ],
    [
      'a text in one of two records',
      `export async function run(headers, focus, context) {
  await client.responses.create(context.high ? { headers, input: focus } : { headers, input: 'x' });
}`,
      ['AG-IN-1', 'AG-IN-2'],
    ],
    [
      'a text among them',
      `export async function run(apiKey, focus) {
  await client.responses.create({ input: focus }, { apiKey });
}`,
      ['AG-IN-1', 'AG-IN-2'],
    ],
    [
      'the arguments of a program',
      `import { spawn } from 'node:child_process';
export async function execCommand(command, args) {
  ${ask}
  return spawn(command, args);
}`,
      [],
    ],
    [
      'the arguments of a call',
      `import { spawn } from 'node:child_process';
export async function execTool(tool, args) {
  ${ask}
  return spawn('sh', args);
}`,
      ['AG-OUT-3', 'AG-TOOL-2'],
    ],
    [
      'the name of a file that a call is about',
      `import { basename, dirname } from 'node:path';
export async function labelOf(args) {
  ${ask}
  if (basename(args.path) === 'SKILL.md') return basename(dirname(args.path));
  return null;
}`,
      [],
    ],
    [
      'the file itself',
      `import { basename } from 'node:path';
export async function textOf(args, notes) {
  ${ask}
  if (basename(args.path) === 'SKILL.md') return notes.open(args.path);
  return null;
}`,
      ['AG-TOOL-1'],
    ],
  ])('%s', async (_, body, expected) => {
    const found = violated(await auditText(`${own}${body}\n`)).map((one) => one.split(':')[0] ?? '');
    expect([...new Set(found)].toSorted()).toEqual(expected);
  });
});
