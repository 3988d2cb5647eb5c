// A provider of models on the loopback that says what a test wants, in each wire format, and remembers what it was asked.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the provider was sent as it comes
  readonly body: any;
}

export type Reply = (asked: Asked, response: ServerResponse, count: number) => void | Promise<void>;

/** Starts a provider; it is stopped when the test is over. */
export async function startProvider(reply: Reply) {
  const asked: Asked[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    open++;
    response.on('close', () => open--);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? null : JSON.parse(text),
      };
      asked.push(one);
      void reply(one, response, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${port}`, asked, open: () => open, server };
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1' });
  response.end(JSON.stringify(body));
}

/** Answers with events, one write each, as they are. */
export async function events(response: ServerResponse, texts: Iterable<string | Uint8Array>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' });
  for (const text of texts) {
    if (response.destroyed) return;
    if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

/** What a model says: pieces of text, of reasoning, and of the arguments of one call. */
export interface Script {
  readonly text?: readonly string[];
  readonly reasoning?: readonly string[];
  readonly call?: readonly string[];
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { type: string }) => `event: ${value.type}\n${data(value)}`;

/** The events of each wire format that say a script. */
export const streams = {
  chat({ text = [], reasoning = [], call = [] }: Script): string[] {
    const chunk = (delta: object, finish: string | null = null) =>
      data({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'gpt-test',
        system_fingerprint: 'fp_1',
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        obfuscation: 'xyz',
      });
    const named = { id: 'call_1', type: 'function', function: { name: 'write_file', arguments: '' } };
    return [
      chunk({ role: 'assistant', content: text.length > 0 ? '' : null, refusal: null }),
      ...reasoning.map((piece) => chunk({ reasoning_content: piece })),
      ...text.map((piece) => chunk({ content: piece })),
      ...(call.length > 0 ? [chunk({ tool_calls: [{ index: 0, ...named }] })] : []),
      ...call.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
      chunk({}, call.length > 0 ? 'tool_calls' : 'stop'),
      data({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'gpt-test',
        choices: [],
        usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
      }),
      'data: [DONE]\n\n',
    ];
  },

  responses({ text = [], reasoning = [], call = [] }: Script): string[] {
    let sequence = 0;
    const said: string[] = [];
    const say = (value: { type: string; [key: string]: unknown }) =>
      said.push(event({ ...value, sequence_number: sequence++ } as { type: string }));
    const base = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'gpt-test' };
    const output: object[] = [];
    say({ type: 'response.created', response: { ...base, status: 'in_progress', output: [], usage: null } });
    if (reasoning.length > 0) {
      const where = { item_id: 'rs_1', output_index: output.length, summary_index: 0 };
      const item = { id: 'rs_1', type: 'reasoning', summary: [] as object[] };
      say({ type: 'response.output_item.added', output_index: where.output_index, item });
      const part = (value: string) => ({ type: 'summary_text', text: value });
      say({ type: 'response.reasoning_summary_part.added', ...where, part: part('') });
      for (const delta of reasoning) say({ type: 'response.reasoning_summary_text.delta', ...where, delta });
      say({ type: 'response.reasoning_summary_text.done', ...where, text: reasoning.join('') });
      say({ type: 'response.reasoning_summary_part.done', ...where, part: part(reasoning.join('')) });
      const done = { ...item, summary: [part(reasoning.join(''))], encrypted_content: 'gAAAAsealed' };
      say({ type: 'response.output_item.done', output_index: where.output_index, item: done });
      output.push(done);
    }
    if (text.length > 0) {
      const where = { item_id: 'msg_1', output_index: output.length, content_index: 0 };
      const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
      say({ type: 'response.output_item.added', output_index: where.output_index, item });
      const part = (value: string) => ({ type: 'output_text', text: value, annotations: [], logprobs: [] });
      say({ type: 'response.content_part.added', ...where, part: part('') });
      for (const delta of text)
        say({ type: 'response.output_text.delta', ...where, delta, logprobs: [], obfuscation: 'ab' });
      say({ type: 'response.output_text.done', ...where, text: text.join(''), logprobs: [] });
      say({ type: 'response.content_part.done', ...where, part: part(text.join('')) });
      const done = { ...item, status: 'completed', content: [part(text.join(''))] };
      say({ type: 'response.output_item.done', output_index: where.output_index, item: done });
      output.push(done);
    }
    if (call.length > 0) {
      const where = { item_id: 'fc_1', output_index: output.length };
      const item = {
        id: 'fc_1',
        type: 'function_call',
        call_id: 'call_1',
        name: 'write_file',
        arguments: '',
      };
      say({ type: 'response.output_item.added', output_index: where.output_index, item });
      for (const delta of call) say({ type: 'response.function_call_arguments.delta', ...where, delta });
      say({ type: 'response.function_call_arguments.done', ...where, arguments: call.join('') });
      const done = { ...item, status: 'completed', arguments: call.join('') };
      say({ type: 'response.output_item.done', output_index: where.output_index, item: done });
      output.push(done);
    }
    const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
    say({ type: 'response.completed', response: { ...base, status: 'completed', output, usage } });
    return said;
  },

  messages({ text = [], reasoning = [], call = [] }: Script): string[] {
    const said: string[] = [];
    const say = (value: { type: string; [key: string]: unknown }) => said.push(event(value));
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', content: [] };
    const usage = { input_tokens: 7, output_tokens: 1 };
    say({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } });
    let index = 0;
    const block = (start: object, deltas: readonly object[]) => {
      say({ type: 'content_block_start', index, content_block: start });
      if (index === 0) say({ type: 'ping' });
      for (const delta of deltas) say({ type: 'content_block_delta', index, delta });
      say({ type: 'content_block_stop', index });
      index++;
    };
    if (reasoning.length > 0) {
      block({ type: 'thinking', thinking: '', signature: '' }, [
        ...reasoning.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'EqQBsealed' },
      ]);
    }
    if (text.length > 0) {
      block(
        { type: 'text', text: '' },
        text.map((piece) => ({ type: 'text_delta', text: piece })),
      );
    }
    if (call.length > 0) {
      block(
        { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {} },
        call.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      );
    }
    const reason = call.length > 0 ? 'tool_use' : 'end_turn';
    say({
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 5 },
    });
    say({ type: 'message_stop' });
    return said;
  },

  gemini({ text = [], reasoning = [], call = [] }: Script): string[] {
    const chunk = (parts: object[], more: object = {}, about: object = {}) =>
      data({
        candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
        modelVersion: 'gemini-test',
        responseId: 'resp-1',
        ...about,
      });
    return [
      ...reasoning.map((piece) => chunk([{ text: piece, thought: true }])),
      ...text.map((piece) => chunk([{ text: piece }])),
      ...geminiCall(call).map((part) => chunk([part])),
      chunk([{ text: '' }], { finishReason: 'STOP' }, { usageMetadata: geminiUsage }),
    ];
  },
};

const geminiUsage = { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 };

/** Gemini sends a call whole. */
function geminiCall(call: readonly string[]): object[] {
  if (call.length === 0) return [];
  const args = JSON.parse(call.join(''));
  return [{ functionCall: { name: 'write_file', args }, thoughtSignature: 'EqQBsealed' }];
}

export type WireName = keyof typeof streams;

/** Whole answers that say a script. */
export const answers = {
  chat: ({ text = [], reasoning = [], call = [] }: Script) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gpt-test',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text.length > 0 ? text.join('') : null,
          refusal: null,
          ...(reasoning.length > 0 ? { reasoning_content: reasoning.join('') } : {}),
          ...(call.length > 0
            ? {
                tool_calls: [
                  {
                    id: 'call_1',
                    type: 'function',
                    function: { name: 'write_file', arguments: call.join('') },
                  },
                ],
              }
            : {}),
        },
        logprobs: null,
        finish_reason: call.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
  }),
  responses(script: Script) {
    const last = streams.responses(script).at(-1) ?? '';
    return JSON.parse(last.slice(last.indexOf('data: ') + 6)).response;
  },
  messages: ({ text = [], reasoning = [], call = [] }: Script) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [
      ...(reasoning.length > 0
        ? [{ type: 'thinking', thinking: reasoning.join(''), signature: 'EqQBsealed' }]
        : []),
      ...(text.length > 0 ? [{ type: 'text', text: text.join('') }] : []),
      ...(call.length > 0
        ? [{ type: 'tool_use', id: 'toolu_1', name: 'write_file', input: JSON.parse(call.join('')) }]
        : []),
    ],
    stop_reason: call.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 5 },
  }),
  gemini: ({ text = [], reasoning = [], call = [] }: Script) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(reasoning.length > 0 ? [{ text: reasoning.join(''), thought: true }] : []),
            ...(text.length > 0 ? [{ text: text.join('') }] : []),
            ...geminiCall(call),
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: geminiUsage,
    modelVersion: 'gemini-test',
    responseId: 'resp-1',
  }),
};

/** The configuration that leads every provider to an address, with a key of their own. */
export function leadingTo(url: string, more = ''): string {
  return `[llm.openai]
form = "openai"
base_url = "${url}/v1"
key_env = "PROVIDER_KEY"
${more}
[llm.anthropic]
form = "anthropic"
base_url = "${url}"
key_env = "PROVIDER_KEY"
${more}
[llm.gemini]
form = "gemini"
base_url = "${url}"
key_env = "PROVIDER_KEY"
${more}
`;
}
