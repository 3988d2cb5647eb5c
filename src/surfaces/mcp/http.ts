// MCP over streamable HTTP: says who asks, and hands the request to the server that its path names. Clients of today are
// served request by request; older ones in sessions.

import { randomUUID } from 'node:crypto';
import type { McpHttpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import type { Config } from '../../config/index.ts';
import { type Context, type JsonValue, SallyportError } from '../../core/index.ts';
import type { Principal } from '../../ledger/index.ts';
import { type ContextParts, contextFrom } from '../context.ts';
import { readJsonBody } from '../http/body.ts';
import { Sessions } from './sessions.ts';

/** The server for a path behind `/mcp`, such as `query/shop`, and for who asks; null where there is none. */
export type ServerFor = (path: string, context: Context) => Promise<McpServer | Server | null>;

export interface EndpointOptions extends ContextParts {
  readonly config: ContextParts['config'] & Pick<Config, 'daemon'>;
  readonly serverFor: ServerFor;
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

  private constructor(options: EndpointOptions, sdk: Sdk) {
    this.#options = options;
    this.#sdk = sdk;
    this.#today = sdk.createMcpHandler(({ authInfo }) => authInfo?.extra?.[carried] as McpServer | Server, {
      legacy: 'reject',
      maxSubscriptions: 256,
    });
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
    const server = await this.#serverFor(request, path, principal, `mcp-${principal.credential}`);
    if (server === null) return notFound();
    const authInfo = { token: '', clientId: principal.credential, scopes: [], extra: { [carried]: server } };
    return await this.#today.fetch(request, { authInfo, parsedBody: body });
  }

  /** Ends every session and every request. */
  async close(): Promise<void> {
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
    const server = await this.#serverFor(request, path, principal, `mcp-${fresh}`);
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

  async #serverFor(
    { headers }: Request,
    path: string,
    principal: Principal,
    session: string,
  ): Promise<McpServer | Server | null> {
    const header = (name: string) => {
      const value = headers.get(name);
      return value === null || value === '' || value.length > 256 ? undefined : value;
    };
    const context = await contextFrom(header, principal, this.#options, session);
    return await this.#options.serverFor(path, context);
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
