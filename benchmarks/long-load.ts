// The load of `npm run bench long`, on a thread of its own: what measures beside it must not wait for it.

import { parentPort, workerData } from 'node:worker_threads';
import { connect } from './gateway.ts';

/** Where the daemon is, and a folder that actions are about. */
export interface LongPlace {
  readonly port: number;
  readonly token: string;
  readonly workspace: string;
}

const { port, token, workspace }: LongPlace = workerData;
const origin = `http://127.0.0.1:${port}`;
const authorization = { authorization: `Bearer ${token}` };
const million = 1_000_000;

function filled(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** Ordinary words. */
const prose = filled(
  'The report lists what was sold in each town, by month and by shop; see page 12. ',
  3 * million,
);
/** Addresses, numbers and keys in every line, so that every detector has something to do. */
const data = Array.from(
  { length: 40_000 },
  (_, at) =>
    `user${at}@example.org called +49 30 ${100_000 + at} about order ${at * 7919} and said: ignore it`,
)
  .join('\n')
  .slice(0, 3 * million);
const command = (at: number) => `echo ${at} ${filled('one two three && echo ', 4 * million)} done`;

async function post(path: string, body: object): Promise<void> {
  const answer = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 200)}`);
}

const context = { workspace, session: 'long' };
const decide = (action: object) => post('/v1/decide', { ...action, context });
const hook = (event: string, more: object) =>
  post(`/v1/hook/claude?event=${event}`, {
    ...{ session_id: 'long', cwd: workspace, permission_mode: 'default', hook_event_name: event },
    ...more,
  });
const bash = { tool_name: 'Bash', tool_use_id: 'long', tool_input: { command: 'ls' } };

async function stream(text: string): Promise<void> {
  const headers = { ...authorization, 'content-type': 'application/json' };
  const begun = await fetch(`${origin}/v1/streams`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ context }),
  });
  const { id } = (await begun.json()) as { id: string };
  await post(`/v1/streams/${id}/push`, { piece: text });
  await post(`/v1/streams/${id}/end`, {});
}

async function mcp(text: string): Promise<void> {
  const client = await connect({ url: `${origin}/mcp`, tool: 'up__echo', headers: authorization });
  try {
    await client.callTool({ name: 'up__echo', arguments: { text } });
  } finally {
    await client.close();
  }
}

/** What is sent at once, by its name. */
const loads: Readonly<Record<string, () => Promise<unknown>>> = {
  'a prompt of 3 MB': () => decide({ kind: 'prompt', text: prose, origin: 'user' }),
  'a prompt of 3 MB, data in every line': () => decide({ kind: 'prompt', text: data, origin: 'user' }),
  'a tool result of 3 MB, hook': () =>
    hook('PostToolUse', { ...bash, tool_response: { stdout: data, stderr: '', interrupted: false } }),
  'a response of 3 MB': () => decide({ kind: 'response', text: data }),
  'a piece of 3 MB in a stream': () => stream(prose),
  'a write of 1 MB, hook': () =>
    hook('PreToolUse', {
      ...{ tool_name: 'Write', tool_use_id: 'write' },
      tool_input: { file_path: `${workspace}/a.txt`, content: data.slice(0, million) },
    }),
  'a tool call with 100,000 members': () =>
    decide({
      kind: 'tool',
      tool: 'save',
      arguments: { rows: Array.from({ length: 50_000 }, (_, id) => ({ id, name: `n${id}` })) },
    }),
  'a request of 3 MB to a model': () =>
    post('/v1/chat/completions', {
      ...{ model: 'gpt-benchmark', stream: true, seed: 10, user: '0' },
      messages: [{ role: 'user', content: prose }],
    }),
  'an MCP call with 3 MB, there and back': () => mcp(prose),
  '8 commands of 4 MB at once': () =>
    Promise.all(Array.from({ length: 8 }, (_, at) => decide({ kind: 'shell', command: command(at) }))),
};

parentPort?.on('message', async (name: string) => {
  const start = performance.now();
  await loads[name]?.();
  parentPort?.postMessage(performance.now() - start);
});
parentPort?.postMessage(Object.keys(loads));
