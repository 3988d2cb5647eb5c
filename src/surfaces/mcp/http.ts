// MCP over streamable HTTP: says who asks, and hands the request to the server that its path names. Clients of today are
// served request by request, and their plain calls without a server made for each; older ones in sessions.

import { randomUUID } from 'node:crypto';
import type { McpHttpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import type { Config } from '../../config/index.ts';
import { type Context, type JsonObject, type JsonValue, SallyportError } from '../../core/index.ts';
import type { Principal } from '../../ledger/index.ts';
import { type ContextParts, contextFrom } from '../context.ts';
import { readJsonBody } from '../http/body.ts';
import type { ToolAnswer, ToolCall } from './call.ts';
import { type PlainCall, PlainCalls, plainAnswer } from './plain.ts';
import { Sessions } from './sessions.ts';

/** The server for a path behind `/mcp`, such as `query/shop`, and for who asks; null where there is none. */
export type ServerFor = (path: string, context: Context) => Promise<McpServer | Server | null>;

/** What stands at `/mcp` itself. */
export interface Gateway {
  /** Who answers. */
  readonly identity: JsonObject;
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

  /** Answers one request of a caller who was identified already. */
  async serve(request: Request, principal: Principal): Promise<Response> {
    const path = new URL(request.url).pathname.replace(/^\/mcp\/?/, '');
    const limit = this.#options.config.daemon.bodyLimitBytes;
    // Read here, strictly: what two readers could take for two things is refused before anybody acts on it.
    const body = request.method === 'POST' ? await readJsonBody(request, limit) : undefined;
    // Clients of today name the method in a header; whether another is one of them takes reading its message twice.
    const today = request.headers.has('mcp-method');
    if (!today && (await this.#sdk.isLegacyRequest(request, body))) {
      return await this.#older(request, body, path, principal);
    }
    const context = await this.#contextOf(request, principal, `mcp-${principal.credential}`);
    const call = today && path === '' ? this.#plain?.read(request.headers, body) : undefined;
    if (call !== undefined) return await this.#answer(request, body, call, context);
    const server = await this.#options.serverFor(path, context);
    return server === null ? notFound() : await this.#served(request, body, server);
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

  /** Makes a plain call, and answers it; what came of it otherwise than plainly is told by the SDK. */
  async #answer(
    request: Request,
    body: JsonValue | undefined,
    { id, ...call }: PlainCall,
    context: Context,
  ): Promise<Response> {
    const { gateway } = this.#options;
    const { signal } = request;
    const stop = new AbortController();
    const giveUp = () => stop.abort(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    this.#calls.add(stop);
    const made = gateway.call({ ...call, signal: stop.signal }, context);
    const answer = await made.catch(() => undefined);
    this.#calls.delete(stop);
    signal.removeEventListener('abort', giveUp);
    // Nobody reads it.
    if (stop.signal.aborted) return new Response(null, { status: 499 });
    const serverInfo = { key: this.#sdk.SERVER_INFO_META_KEY, value: gateway.identity };
    const text = answer === undefined ? undefined : plainAnswer(id, answer, serverInfo);
    if (text === undefined) return await this.#served(request, body, await gateway.answering(made, context));
    return new Response(text, { headers: { 'content-type': 'application/json' } });
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
    const context = await this.#contextOf(request, principal, `mcp-${fresh}`);
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

  async #contextOf({ headers }: Request, principal: Principal, session: string): Promise<Context> {
    const header = (name: string) => {
      const value = headers.get(name);
      return value === null || value === '' || value.length > 256 ? undefined : value;
    };
    return await contextFrom(header, principal, this.#options, session);
  }
}

function notFound(): Response {
  return refused(404, 'there is no such MCP server');
}

/** A refusal as clients that speak JSON-RPC read it. */
function refused(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_001, message }, id: null }, { status });
}

/** What speaks MCP is an optional part of the package. */
async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (error) {
    throw new SallyportError('what speaks MCP (@modelcontextprotocol/server) is not installed', {
      hint: 'run npm install @modelcontextprotocol/server',
      cause: error,
    });
  }
}
