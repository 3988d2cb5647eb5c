// A scripted model on loopback. It speaks the wire formats of the real providers, answers turn N of a conversation with
// step N of a script, and stores every tool result that a host sends back: what the model received is the judgement.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** One call of a tool, by the host's own name for it. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>> | string;
  /** The namespace of the tool, where the wire format has one (Responses). */
  readonly namespace?: string;
}

/** What a host sent with a request. */
export interface Asked {
  /** Every text of the request. */
  readonly text: string;
  /** The names of the tools that it offers. */
  readonly tools: readonly string[];
}

/** What the model answers in one turn: calls of tools, or the text that ends the conversation. */
type Answer = readonly ToolCall[] | string;

/** An answer, or how it is made of what the host sent. */
export type Turn = Answer | ((asked: Asked) => Answer | Promise<Answer>);

/** The prompt of a subagent contains this; such a conversation follows the second script. */
export const subagentMark = 'Work through the second list.';

type Json = Readonly<Record<string, unknown>>;

/** How one provider's wire format is read and written. */
interface Wire {
  readonly matches: (path: string) => boolean;
  /** Turns that the model has answered in this conversation so far, and what came back for their calls. */
  readonly read: (body: Json) => {
    readonly turns: number;
    readonly results: readonly string[];
    readonly tools: readonly string[];
    /** What the user, or the agent that started this one, said. */
    readonly prompts: string;
  };
  readonly answer: (
    turn: Answer,
    body: Json,
    path: string,
  ) => { readonly type: string; readonly body: string };
}

export class ScriptedModel {
  readonly #server: Server;
  readonly #script: readonly Turn[];
  readonly #subagentScript: readonly Turn[];
  /** The newest list of tool results that a host sent. */
  results: readonly string[] = [];
  /** The same of the newest subagent. */
  subagentResults: readonly string[] = [];
  /** Bodies that reached the address of the attacker. */
  readonly stolen: string[] = [];
  /** What it answered in the conversation, turn by turn. */
  readonly said: Answer[] = [];
  /** The addresses and texts of the requests that belong to the conversation. */
  readonly asked: { readonly url: string; readonly body: string }[] = [];
  constructor(script: readonly Turn[], subagentScript: readonly Turn[] = []) {
    this.#script = script;
    this.#subagentScript = subagentScript;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const { port } = this.#server.address() as AddressInfo;
        resolve(`http://127.0.0.1:${port}`);
      });
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const text = await bodyOf(request);
    if (path.startsWith('/evil')) {
      this.stolen.push(text);
      response.end('thanks\n');
      return;
    }
    const wire = wires.find(({ matches }) => matches(path));
    const body = jsonObject(text);
    if (wire === undefined || request.method !== 'POST') {
      this.#other(path, response);
      return;
    }
    const read = wire.read(body);
    if (read.tools.length > 0) this.asked.push({ url: request.url ?? '', body: text });
    const turn = await this.#turn(read, text);
    if (read.tools.length > 0) this.said.push(turn);
    const answer = wire.answer(turn, body, path);
    response.writeHead(200, { 'content-type': answer.type });
    // Events come one after another, as from a real model.
    for (const event of answer.type === stream ? answer.body.split(/(?<=\n\n)/) : [answer.body]) {
      response.write(event);
      await setTimeout(5);
    }
    response.end();
  }

  #turn(
    { turns, results, tools, prompts }: ReturnType<Wire['read']>,
    text: string,
  ): Answer | Promise<Answer> {
    // A host asks for titles and summaries without tools; those are not part of the conversation.
    if (tools.length === 0) return 'A title';
    const isSubagent = prompts.includes(subagentMark);
    if (isSubagent) this.subagentResults = results;
    else if (results.length >= this.results.length) this.results = results;
    const turn = (isSubagent ? this.#subagentScript : this.#script)[turns] ?? 'Done.';
    return typeof turn === 'function' ? turn({ text, tools }) : turn;
  }

  /** Lists of models, token counts and health checks. */
  #other(path: string, response: ServerResponse): void {
    const known = sideAnswers.find(([end]) => path.endsWith(end));
    sendJson(response, known?.[1] ?? {});
  }
}

/** What a host asks beside the conversation, by the end of the path. */
const sideAnswers: readonly (readonly [string, object])[] = [
  ['count_tokens', { input_tokens: 100 }],
  [':countTokens', { totalTokens: 100 }],
  ['/models', { object: 'list', data: [{ id: 'scripted', object: 'model' }] }],
];

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function jsonObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const word = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Every text inside a value, one below the other: whatever of it the model would see. */
function textsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textsOf).join('\n');
  return isObject(value) ? Object.values(value).map(textsOf).join('\n') : '';
}

const events = (all: readonly (readonly [string | null, object])[]): string =>
  all
    .map(([name, data]) => `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
    .join('');

/** A text in the small pieces that a real model sends. */
const chunks = (text: string): readonly string[] => text.match(/.{1,40}/gs) ?? [''];

const stream = 'text/event-stream';
let made = 0;
const newId = (prefix: string): string => `${prefix}_${String(++made).padStart(8, '0')}`;

const messages: Wire = {
  matches: (path) => path.endsWith('/v1/messages'),
  read: (body) => {
    const all = list(body['messages']);
    const blocks = all.flatMap(({ content }) => list(content));
    return {
      turns: all.filter(
        ({ role, content }) => role === 'assistant' && list(content).some(({ type }) => type === 'tool_use'),
      ).length,
      results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => textsOf(content)),
      tools: list(body['tools']).map(({ name }) => word(name)),
      prompts: textsOf(
        all
          .filter(({ role }) => role === 'user')
          .map(({ content }) =>
            typeof content === 'string' ? content : list(content).filter(({ type }) => type === 'text'),
          ),
      ),
    };
  },
  answer: (turn, body) => {
    const start = {
      id: newId('msg'),
      type: 'message',
      role: 'assistant',
      model: body['model'],
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1 },
    };
    const parts = typeof turn === 'string' ? [textBlock(turn)] : turn.map(toolBlock);
    const all: (readonly [string, object])[] = [['message_start', { type: 'message_start', message: start }]];
    for (const [index, { block, deltas }] of parts.entries()) {
      all.push(['content_block_start', { type: 'content_block_start', index, content_block: block }]);
      for (const delta of deltas)
        all.push(['content_block_delta', { type: 'content_block_delta', index, delta }]);
      all.push(['content_block_stop', { type: 'content_block_stop', index }]);
    }
    const reason = typeof turn === 'string' ? 'end_turn' : 'tool_use';
    all.push([
      'message_delta',
      {
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 5 },
      },
    ]);
    all.push(['message_stop', { type: 'message_stop' }]);
    if (body['stream'] === true) return { type: stream, body: events(all) };
    const content = parts.map(({ whole }) => whole);
    return { type: 'application/json', body: JSON.stringify({ ...start, content, stop_reason: reason }) };
  },
};

function textBlock(text: string) {
  return {
    block: { type: 'text', text: '' },
    deltas: chunks(text).map((chunk) => ({ type: 'text_delta', text: chunk })),
    whole: { type: 'text', text },
  };
}

function toolBlock({ tool, input }: ToolCall) {
  const block = { type: 'tool_use', id: newId('toolu'), name: tool };
  return {
    block: { ...block, input: {} },
    deltas: chunks(JSON.stringify(input)).map((chunk) => ({ type: 'input_json_delta', partial_json: chunk })),
    whole: { ...block, input },
  };
}

const responses: Wire = {
  matches: (path) => path.endsWith('/responses'),
  read: (body) => {
    const items = list(body['input']);
    const outputs = items.filter(({ type }) => word(type).endsWith('_output'));
    return {
      // Calls of one turn may come back in any order, so their ids carry the turn.
      turns: Math.max(0, ...outputs.map((output) => turnOf(word(output['call_id'])) + 1)),
      results: outputs.map(({ output }) => textsOf(output)),
      tools: list(body['tools']).map(({ name, type }) => word(name) || word(type)),
      prompts: textsOf(items.filter(({ role }) => role === 'user').map(({ content }) => content)),
    };
  },
  answer: (turn, body) => {
    const id = newId('resp');
    const { turns } = responses.read(body);
    const items = typeof turn === 'string' ? [messageItem(turn)] : turn.map((call) => callItem(call, turns));
    const response = {
      id,
      object: 'response',
      created_at: 0,
      status: 'completed',
      model: 'scripted',
      output: items,
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 15,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    };
    const all: (readonly [string, object])[] = [
      [
        'response.created',
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ],
    ];
    for (const [index, item] of items.entries()) {
      const begun = typeof turn === 'string' ? { ...item, content: [] } : item;
      all.push([
        'response.output_item.added',
        { type: 'response.output_item.added', output_index: index, item: begun },
      ]);
      for (const delta of typeof turn === 'string' ? chunks(turn) : []) {
        const type = 'response.output_text.delta';
        all.push([type, { type, item_id: item.id, output_index: index, content_index: 0, delta }]);
      }
      all.push([
        'response.output_item.done',
        { type: 'response.output_item.done', output_index: index, item },
      ]);
    }
    all.push(['response.completed', { type: 'response.completed', response }]);
    return { type: stream, body: events(all) };
  },
};

function messageItem(text: string) {
  return {
    id: newId('item'),
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

const turnOf = (callId: string): number => Number(/^call(\d+)_/.exec(callId)?.[1] ?? -1);

function callItem({ tool, input, namespace }: ToolCall, turn: number) {
  const own = { id: newId('item'), call_id: newId(`call${turn}`), status: 'completed' };
  // Codex searches its deferred tools with an item of its own kind.
  if (tool === 'tool_search')
    return { ...own, type: 'tool_search_call', execution: 'client', arguments: input };
  const common = { ...own, name: tool, ...(namespace === undefined ? {} : { namespace }) };
  return typeof input === 'string'
    ? { ...common, type: 'custom_tool_call', input }
    : { ...common, type: 'function_call', arguments: JSON.stringify(input) };
}

const chat: Wire = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) => {
    const all = list(body['messages']);
    return {
      turns: all.filter(({ role, tool_calls: calls }) => role === 'assistant' && list(calls).length > 0)
        .length,
      results: all.filter(({ role }) => role === 'tool').map(({ content }) => textsOf(content)),
      tools: list(body['tools']).map((tool) =>
        isObject(tool['function']) ? word(tool['function']['name']) : '',
      ),
      prompts: textsOf(all.filter(({ role }) => role === 'user').map(({ content }) => content)),
    };
  },
  answer: (turn, body) => {
    const common = { id: newId('chatcmpl'), created: 0, model: body['model'] };
    const calls =
      typeof turn === 'string'
        ? []
        : turn.map(({ tool, input }, index) => ({
            index,
            id: newId('call'),
            type: 'function',
            function: { name: tool, arguments: JSON.stringify(input) },
          }));
    const message =
      typeof turn === 'string'
        ? { role: 'assistant', content: turn }
        : { role: 'assistant', content: null, tool_calls: calls };
    const reason = typeof turn === 'string' ? 'stop' : 'tool_calls';
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    if (body['stream'] !== true) {
      const choices = [{ index: 0, message, finish_reason: reason }];
      return {
        type: 'application/json',
        body: JSON.stringify({ ...common, object: 'chat.completion', choices, usage }),
      };
    }
    const chunk = (delta: object, finish: string | null) => ({
      ...common,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const deltas =
      typeof turn === 'string' ? chunks(turn).map((content) => ({ ...message, content })) : [message];
    const all = [
      ...deltas.map((delta) => chunk(delta, null)),
      chunk({}, reason),
      { ...common, object: 'chat.completion.chunk', choices: [], usage },
    ];
    return { type: stream, body: `${events(all.map((data) => [null, data] as const))}data: [DONE]\n\n` };
  },
};

const gemini: Wire = {
  matches: (path) => /:(?:stream)?generateContent$/i.test(path),
  read: (body) => {
    const all = list(body['contents']);
    const parts = all.flatMap(({ parts: own }) => list(own));
    return {
      turns: all.filter(
        ({ role, parts: own }) => role === 'model' && list(own).some((part) => 'functionCall' in part),
      ).length,
      results: parts.filter((part) => 'functionResponse' in part).map((part) => textsOf(responseOf(part))),
      tools: list(body['tools']).flatMap((tool) =>
        list(tool['functionDeclarations']).map(({ name }) => word(name)),
      ),
      prompts: textsOf(
        all.filter(({ role }) => role === 'user').map(({ parts: own }) => list(own).map(({ text }) => text)),
      ),
    };
  },
  answer: (turn, _, path) => {
    const parts =
      typeof turn === 'string'
        ? [{ text: turn }]
        : turn.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } }));
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const whole = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata,
    };
    const chunk = (text: string) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }],
    });
    const before = typeof turn === 'string' ? chunks(turn).map(chunk) : [];
    const last = typeof turn === 'string' ? [{ text: '' }] : parts;
    const end = {
      ...whole,
      candidates: [{ ...whole.candidates[0], content: { role: 'model', parts: last } }],
    };
    return /stream/i.test(path)
      ? { type: stream, body: events([...before, end].map((data) => [null, data] as const)) }
      : { type: 'application/json', body: JSON.stringify(whole) };
  },
};

function responseOf(part: Json): unknown {
  return isObject(part['functionResponse']) ? part['functionResponse']['response'] : null;
}

const wires: readonly Wire[] = [messages, responses, chat, gemini];
