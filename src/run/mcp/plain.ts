// Sends and reads a call directly if a server over HTTP answers it plainly, since the SDK takes longer for that than
// the server does. Any other answer is passed to the SDK, as if that had sent the call. INVARIANT: a call is sent once.

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type {
  AuthProvider,
  CallToolResult,
  Client,
  FetchLike,
  RequestOptions,
} from '@modelcontextprotocol/client';
import { isJsonObject, isPending, type JsonObject, type MaybePromise } from '../../core/index.ts';
import type { ShortAnswer, UpstreamAnswer } from '../upstream.ts';
import { UpstreamFailed } from './errors.ts';
import { flows, idOf, responseOf, type ServerFetch, textOf } from './http.ts';
import { callBySdk, type UpstreamTool } from './tools.ts';

type Sdk = Pick<
  typeof import('@modelcontextprotocol/client'),
  'CLIENT_CAPABILITIES_META_KEY' | 'CLIENT_INFO_META_KEY' | 'PROTOCOL_VERSION_META_KEY'
>;

export interface PlainOptions {
  readonly sdk: Sdk;
  readonly url: URL;
  readonly own: ServerFetch;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tokens: AuthProvider | undefined;
  /** Our client information. */
  readonly clientInfo: JsonObject;
  readonly capabilities: JsonObject;
}

/** A response that the SDK has to read, and the id of its request message. */
interface Held {
  readonly id: string;
  readonly answer: Pick<UpstreamAnswer, 'status' | 'headers' | 'body'>;
}

/** The header by which the SDK's request finds the existing response; it is never sent. */
const heldHeader = 'x-sallyport-held';
const types = ['application/json', 'text/event-stream'];

export class PlainCalls {
  readonly #options: PlainOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #held = new Map<string, Held>();
  /** Whether parameters of a tool are sent in headers too. */
  readonly #inHeaders = new WeakMap<UpstreamTool, boolean>();
  #flows = false;

  constructor(options: PlainOptions) {
    this.#options = options;
    const headers = Object.fromEntries(new Headers(options.headers));
    const accepted = headers['accept']?.split(',').map((type) => type.trim().toLowerCase()) ?? [];
    const accept = [...new Set([...accepted, ...types])].join(', ');
    this.#headers = { ...headers, accept, 'content-type': 'application/json', 'mcp-method': 'tools/call' };
  }

  /** Calls a tool. */
  async call(
    client: Client,
    tool: UpstreamTool,
    given: Readonly<Record<string, unknown>>,
    request: RequestOptions,
  ): Promise<CallToolResult> {
    const version = client.getNegotiatedProtocolVersion();
    const plain = client.getProtocolEra() === 'modern' && request.onprogress === undefined && !this.#flows;
    if (!plain || version === undefined || this.#mirrors(tool)) {
      return await callBySdk(client, tool, given, request);
    }
    const id = randomUUID();
    const answer = await this.#send(id, version, tool.name, given, request.signal);
    const type = answer.headers.find(([name]) => name === 'content-type')?.[1];
    this.#flows = flows(type);
    const read = this.#flows ? undefined : wholeOf(answer.body, this.#options.url);
    const whole = isPending(read) ? await read : read;
    if (whole !== undefined && answer.status === 200 && isJson(type)) {
      const result = plainResult(whole, id);
      if (result !== undefined) return result;
    }
    const body = whole === undefined ? streamOf(answer.body) : streamOf(Buffer.from(whole));
    this.#held.set(id, { id, answer: { ...answer, body } });
    try {
      return await callBySdk(client, tool, given, { ...request, headers: { [heldHeader]: id } });
    } finally {
      if (this.#held.delete(id)) body.destroy();
    }
  }

  #send(
    id: string,
    version: string,
    name: string,
    given: Readonly<Record<string, unknown>>,
    signal = new AbortController().signal,
  ): Promise<ShortAnswer> {
    const { sdk, url, own, tokens, clientInfo, capabilities } = this.#options;
    const meta = {
      [sdk.PROTOCOL_VERSION_META_KEY]: version,
      [sdk.CLIENT_INFO_META_KEY]: clientInfo,
      [sdk.CLIENT_CAPABILITIES_META_KEY]: capabilities,
    };
    const params = { name, arguments: given, _meta: meta };
    const headers = { ...this.#headers, 'mcp-protocol-version': version, 'mcp-name': name };
    const body = JSON.stringify({ method: 'tools/call', params, jsonrpc: '2.0', id });
    const send = (token?: string) =>
      own.sendShort({
        method: 'POST',
        path: url.pathname + url.search,
        headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
        body,
        signal,
      });
    return tokens === undefined ? send() : tokens.token().then(send);
  }

  /**
   * The fetch function for the SDK: a request for a call that was sent is answered with its existing response, once.
   */
  readonly fetch: FetchLike = async (input, init = {}) => {
    const { own, url } = this.#options;
    const headers = new Headers(init.headers);
    const name = headers.get(heldHeader);
    if (name === null) return await own.fetch(input, init);
    headers.delete(heldHeader);
    const held = this.#held.get(name);
    this.#held.delete(name);
    // It was answered and is requested again, as after a 401: only now it is sent once more.
    if (held === undefined) return await own.fetch(input, { ...init, headers });
    const id = idOf(String(init.body));
    if (id === undefined) throw new UpstreamFailed('a call came back without its id');
    const body = Readable.from(renamed(held.answer.body, held.id, id));
    return await responseOf({ ...held.answer, body }, url, () => id);
  };

  #mirrors(tool: UpstreamTool): boolean {
    let known = this.#inHeaders.get(tool);
    if (known === undefined) {
      known = JSON.stringify(tool.inputSchema).includes('x-mcp-header');
      this.#inHeaders.set(tool, known);
    }
    return known;
  }
}

/** A body with the id of a message replaced. The id is a JSON text of its own, and part of no other. */
async function* renamed(body: Readable, from: string, to: string | number): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  const taken = (end: number): Uint8Array => {
    const text = rest.slice(0, end).replaceAll(JSON.stringify(from), JSON.stringify(to));
    rest = rest.slice(end);
    return Buffer.from(text);
  };
  for await (const piece of body) {
    rest += decoder.decode(piece, { stream: true });
    // No id is longer than a line.
    yield taken(rest.lastIndexOf('\n') + 1);
  }
  yield taken(rest.length);
}

/** The text of a body that is not streamed; a compressed one arrives in chunks. */
function wholeOf(body: ShortAnswer['body'], url: URL): MaybePromise<string> {
  return Buffer.isBuffer(body) ? body.toString('utf8') : textOf(body, url);
}

function streamOf(body: ShortAnswer['body']): Readable {
  return Buffer.isBuffer(body) ? Readable.from([body]) : body;
}

function isJson(type: string | undefined): boolean {
  return type?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** The result in a response with only texts and data; undefined for any other. */
function plainResult(text: string, id: string): CallToolResult | undefined {
  const message = parsed(text);
  if (!isJsonObject(message) || !holdsOnly(message, ['jsonrpc', 'id', 'result'])) return undefined;
  const { jsonrpc, id: answered, result } = message;
  if (jsonrpc !== '2.0' || answered !== id || !isJsonObject(result)) return undefined;
  if (!holdsOnly(result, ['resultType', 'content', 'isError', 'structuredContent', '_meta']))
    return undefined;
  const { resultType, content, isError, structuredContent, _meta: meta } = result;
  if (resultType !== 'complete' || !Array.isArray(content) || !content.every(isPlainText)) return undefined;
  if (isError !== undefined && typeof isError !== 'boolean') return undefined;
  if (structuredContent !== undefined && !isJsonObject(structuredContent)) return undefined;
  if (meta !== undefined && !isJsonObject(meta)) return undefined;
  const { resultType: _, ...rest } = result;
  return rest as CallToolResult;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a block of a result is only a text. */
export function isPlainText(block: unknown): boolean {
  if (!isJsonObject(block) || !holdsOnly(block, ['type', 'text'])) return false;
  return block['type'] === 'text' && typeof block['text'] === 'string';
}

export function holdsOnly(value: object, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
