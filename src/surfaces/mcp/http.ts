// MCP over streamable HTTP: says who asks, and hands the request to the server that its path names. Clients of today are
// served request by request, and their plain calls without a server made for each; older ones in sessions.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { McpHttpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import type { Config } from '../../config/index.ts';
import {
  type Context,
  decodeUtf8,
  isPending,
  type JsonObject,
  type JsonValue,
  type MaybePromise,
  parseJson,
  SallyportError,
} from '../../core/index.ts';
import { turnFor } from '../../decide/index.ts';
import type { Principal } from '../../ledger/index.ts';
import { type ContextParts, contextFrom } from '../context.ts';
import { readJsonBody } from '../http/route.ts';
import type { ToolAnswer, ToolCall } from './call.ts';
import { PlainCalls, plainAnswer } from './plain.ts';
import { Sessions } from './sessions.ts';

/** The server for a path behind `/mcp`, such as `query/shop`, and for who asks; null where there is none. */
export type ServerFor = (path: string, context: Context) => Promise<McpServer | Server | null>;

/** What stands at `/mcp` itself. */
export interface Gateway {
  /** Who answers. */
  identity(): JsonObject;
  call(call: ToolCall, context: Context): Promise<ToolAnswer>;
  /** A server that answers with what came of a call. */
  answering(made: Promise<ToolAnswer>, context: Context): Promise<Server>;
}

export interface EndpointOptions extends ContextParts {
  readonly config: ContextParts['config'] & Pick<Config, 'daemon'>;
  readonly serverFor: ServerFor;
  readonly gateway: Gateway;
  /** Ends what stands behind the servers. */
  readonly close?: () => Promise<void>;
}

type Sdk = typeof import('@modelcontextprotocol/server');

/** Where a request carries its server through the SDK. */
const carried = 'server';

export class McpEndpoint {
  readonly #options: EndpointOptions;
  readonly #sdk: Sdk;
  readonly #today: McpHttpHandler;
  readonly #sessions = new Sessions(() => performance.now());
  /** Undefined once it is closed. */
  #plain: PlainCalls | undefined;
  /** Plain calls that are under way. */
  readonly #calls = new Set<AbortController>();
  /** What becomes of the plain calls, by the requests that they came in. */
  readonly #made = new WeakMap<IncomingMessage, Promise<ToolAnswer>>();

  private constructor(options: EndpointOptions, sdk: Sdk) {
    this.#options = options;
    this.#sdk = sdk;
    this.#today = sdk.createMcpHandler(({ authInfo }) => authInfo?.extra?.[carried] as McpServer | Server, {
      legacy: 'reject',
      maxSubscriptions: 256,
    });
    this.#plain = new PlainCalls(sdk);
  }

  static async open(options: EndpointOptions): Promise<McpEndpoint> {
    return new McpEndpoint(options, await loadSdk());
  }

  /** Answers one request of a caller who was identified already, and reports the outcome of a call that was made in it. */
  async serve(request: Request, principal: Principal, incoming: IncomingMessage): Promise<Response> {
    const path = new URL(request.url).pathname.replace(/^\/mcp\/?/, '');
    const limit = this.#options.config.daemon.bodyLimitBytes;
    // Read here, strictly: what two readers could take for two things is refused before anybody acts on it.
    const body = request.method === 'POST' ? await readJsonBody(request, limit) : undefined;
    // Clients of today name the method in a header; whether another is one of them takes reading its message twice.
    const today = request.headers.has('mcp-method');
    if (!today && (await this.#sdk.isLegacyRequest(request, body))) {
      return await this.#older(request, body, path, principal);
    }
    const context = await this.#contextOf(headerOf(request), principal, `mcp-${principal.credential}`);
    const made = this.#made.get(incoming);
    const server =
      made === undefined
        ? await this.#options.serverFor(path, context)
        : await this.#options.gateway.answering(made, context);
    return server === null ? notFound() : await this.#served(request, body, server);
  }

  /**
   * Makes a plain call, and gives the answer as text; undefined where the SDK has to read the request, or to tell what came of
   * it. INVARIANT: a call is made once, and `serve` tells what came of it.
   */
  async plain(
    incoming: IncomingMessage,
    bytes: Uint8Array,
    principal: Principal,
    stop: AbortController,
  ): Promise<string | undefined> {
    const { gateway } = this.#options;
    const { headers } = incoming;
    const turn = turnFor(bytes.length);
    if (turn !== undefined) await turn;
    const read = this.#plain?.read(headers['mcp-name'], parseJson(decodeUtf8(bytes)));
    if (read === undefined) return undefined;
    const { id, ...call } = read;
    const header: Header = (name) => headers[name];
    const asking = this.#contextOf(header, principal, `mcp-${principal.credential}`);
    const context = isPending(asking) ? await asking : asking;
    this.#calls.add(stop);
    const made = gateway.call({ ...call, signal: stop.signal }, context);
    this.#made.set(incoming, made);
    try {
      const answer = await made;
      if (stop.signal.aborted) return undefined;
      return plainAnswer(id, answer, { key: this.#sdk.SERVER_INFO_META_KEY, value: gateway.identity() });
    } catch {
      return undefined;
    } finally {
      this.#calls.delete(stop);
    }
  }

  /** Lets the SDK answer a request with a server that is made for it. */
  async #served(
    request: Request,
    parsedBody: JsonValue | undefined,
    server: McpServer | Server,
  ): Promise<Response> {
    const authInfo = { token: '', clientId: '', scopes: [], extra: { [carried]: server } };
    return await this.#today.fetch(request, { authInfo, parsedBody });
  }

  /** Ends every session and every request. */
  async close(): Promise<void> {
    this.#plain = undefined;
    for (const call of this.#calls) call.abort();
    await Promise.all([this.#today.close(), this.#sessions.close()]);
    await this.#options.close?.();
  }

  async #older(
    request: Request,
    body: JsonValue | undefined,
    path: string,
    principal: Principal,
  ): Promise<Response> {
    const { credential } = principal;
    const id = request.headers.get('mcp-session-id');
    // A session of somebody else is none.
    if (id !== null) {
      const session = this.#sessions.find(id, credential, path);
      return session === undefined
        ? refused(404, 'there is no such session')
        : await session.handle(request, body);
    }
    if (!this.#sdk.isInitializeRequest(body)) return refused(400, 'a session begins with "initialize"');
    const fresh = randomUUID();
    const context = await this.#contextOf(headerOf(request), principal, `mcp-${fresh}`);
    const server = await this.#options.serverFor(path, context);
    if (server === null) return notFound();
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => fresh,
      onsessionclosed: () => this.#sessions.end(fresh),
    });
    const session = {
      credential,
      path,
      handle: (next: Request, parsedBody: unknown) =>
        transport.handleRequest(next, parsedBody === undefined ? {} : { parsedBody }),
      close: () => server.close(),
    };
    this.#sessions.add(fresh, session);
    await server.connect(transport);
    return await session.handle(request, body);
  }

  #contextOf(said: Header, principal: Principal, session: string): MaybePromise<Context> {
    const header = (name: string) => {
      const value = said(name);
      return typeof value !== 'string' || value === '' || value.length > 256 ? undefined : value;
    };
    return contextFrom(header, principal, this.#options, session);
  }
}

/** What a request says under a name. */
type Header = (name: string) => unknown;

function headerOf({ headers }: Request): Header {
  return (name) => headers.get(name);
}

function notFound(): Response {
  return refused(404, 'there is no such MCP server');
}

/** A refusal as clients that speak JSON-RPC read it. */
function refused(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_001, message }, id: null }, { status });
}

/** The MCP package is an optional part of the package. */
async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (error) {
    throw new SallyportError('the package @modelcontextprotocol/server is not installed', {
      hint: 'run npm install @modelcontextprotocol/server',
      cause: error,
    });
  }
}
