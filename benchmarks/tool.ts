// What a decision about a tool call takes in process: registry, schema, ids, parts with their guards, modes.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { settingsFrom, withTools } from '../src/config/index.ts';
import type { Action, Context, JsonObject, ToolSpec } from '../src/core/index.ts';
import { context as anyone, deciderFor } from './parts.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const context: Context = { ...anyone, mode: 'auto' };

/** The goal of a whole decision, in microseconds. */
const goal = 500;

const schema: JsonObject = {
  type: 'object',
  properties: {
    user_id: { type: 'string' },
    doc: { type: 'string', pattern: '^[a-z0-9-]+$' },
    fields: { type: 'array', items: { enum: ['title', 'text', 'author'] } },
    filter: { type: 'object', properties: { owner_id: { type: 'string' }, since: { type: 'integer' } } },
  },
  required: ['doc'],
  additionalProperties: false,
};

/** A registry as a busy user has it: the tool that is called stands last. */
const tools: readonly ToolSpec[] = [
  ...Array.from({ length: 99 }, (_, index): ToolSpec => ({ name: `tool_${index}`, effect: 'read', schema })),
  {
    name: 'read_doc',
    effect: 'read',
    schema,
    arguments: { '/user_id': { role: 'user_id' }, '/filter/owner_id': { role: 'user_id' } },
  },
];
const given = { user_id: '999', doc: 'plan', fields: ['title'], filter: { owner_id: '7', since: 3 } };

export const tool: Benchmark = async (progress) => {
  const settings = withTools(settingsFrom({ egress_allowlist: ['8.8.8.8'] }), tools);
  const decider = deciderFor(settings);
  const decide = (action: Action) => async () => await decider.decide(action, context);
  const call = (name: string, args: JsonObject) => decide({ kind: 'tool', tool: name, arguments: args });
  const validate = new Ajv2020().compile(schema);
  const command = 'git status --short';

  const rows: Row[] = [];
  const measure = async (
    what: string,
    ours: Work,
    floor: Work,
    named: string,
    most = goal,
  ): Promise<void> => {
    progress(what);
    const [mine, bare] = await alternating(ours, floor);
    rows.push({
      what,
      ours: `${short(mine)} µs`,
      floor: `${short(bare)} µs (${named})`,
      ratio: short(mine / bare),
      goal: `≤ ${short(most)} µs`,
      met: mine <= most,
    });
  };
  await measure(
    'Bash, a short command',
    call('Bash', { command, description: 'see what changed' }),
    decide({ kind: 'shell', command }),
    'the command alone',
  );
  await measure(
    'a tool with a schema and ids, among 100',
    call('read_doc', given),
    async () => validate(given),
    'Ajv alone',
  );
  await measure(
    'WebFetch, a listed address',
    call('WebFetch', { url: 'https://8.8.8.8/', prompt: 'read it' }),
    decide({ kind: 'fetch', url: 'https://8.8.8.8/' }),
    'the request alone',
  );
  await measure(
    'a batch of 20 commands',
    call('batch', {
      tool_calls: Array.from({ length: 20 }, () => ({ tool: 'bash', parameters: { command } })),
    }),
    decide({ kind: 'shell', command: Array.from({ length: 20 }, () => command).join('\n') }),
    'one command of 20 lines',
    20 * goal,
  );
  return rows;
};

type Work = () => Promise<unknown>;

/** The middle of many single calls of each, in microseconds; they take turns, so that both see the same machine. */
async function alternating(ours: Work, floor: Work): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < 2200; round++) {
    for (const [index, work] of [ours, floor].entries()) {
      const start = performance.now();
      await work();
      const took = (performance.now() - start) * 1000;
      if (round >= 200) times[index]?.push(took);
    }
  }
  return [median(times[0]), median(times[1])];
}
