// An MCP server that wants a login, and the authorization server that it names: small, on two ports, speaking the wire.

import { hash, randomBytes } from 'node:crypto';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { listening } from './mcp.ts';
import { type ServerOptions, toolServer } from './mcp-tools.ts';

export interface ProtectedOptions extends ServerOptions {
  /** Makes a server listen, and stops it in the end; that of a test where nothing is said. */
  readonly listen?: (server: HttpServer) => Promise<string>;
  /** Seconds that an access token counts; nothing is said about it where it is undefined. */
  readonly expiresIn?: number;
  /** What the person does at the page. */
  readonly consents?: boolean;
  /** Changes what the two servers say about themselves. */
  readonly resource?: (told: Record<string, unknown>) => Record<string, unknown>;
  readonly metadata?: (told: Record<string, unknown>) => Record<string, unknown>;
  /** Answers a request to the authorization server in place of it; undefined leaves it alone. */
  readonly instead?: (path: string) => { readonly status: number; readonly body: string } | undefined;
}

/** A request as one of the two met it. */
export interface Met {
  readonly at: 'resource' | 'authorization';
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
}

export async function protectedServer(options: ProtectedOptions = {}) {
  const {
    consents = true,
    resource = same,
    metadata = same,
    instead = () => undefined,
    listen = listening,
  } = options;
  const met: Met[] = [];
  const access = new Set<string>();
  const refresh = new Map<string, { family: string; used: boolean }>();
  const codes = new Map<string, { challenge: string; redirect: string; client: string; resource: string }>();
  const clients = new Map<string, readonly string[]>();
  const secret = (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`;

  const tokens = (family: string) => {
    const given = { access_token: secret('access'), refresh_token: secret('refresh') };
    access.add(given.access_token);
    refresh.set(given.refresh_token, { family, used: false });
    const life = options.expiresIn === undefined ? {} : { expires_in: options.expiresIn };
    return { ...given, ...life, token_type: 'Bearer', scope: 'tickets:read' };
  };

  const authorization = createServer(async (request, response) => {
    const { url: at, body } = await note('authorization', request);
    const other = instead(at.pathname);
    if (other !== undefined) return void response.writeHead(other.status, json).end(other.body);
    const form = new URLSearchParams(body);
    switch (`${request.method} ${at.pathname}`) {
      case 'GET /.well-known/oauth-authorization-server':
        return say(response, 200, metadata(told()));
      case 'POST /register': {
        const id = secret('client');
        const wanted = JSON.parse(body) as { redirect_uris: string[] };
        clients.set(id, wanted.redirect_uris);
        return say(response, 201, { ...wanted, client_id: id });
      }
      case 'GET /authorize': {
        const given = (name: string) => at.searchParams.get(name) ?? '';
        const redirect = given('redirect_uri');
        const known = clients.get(given('client_id'))?.includes(redirect) === true;
        if (!known || given('code_challenge_method') !== 'S256')
          return say(response, 400, { error: 'invalid_request' });
        const back = new URL(redirect);
        back.searchParams.set('state', given('state'));
        if (consents) {
          const code = secret('code');
          codes.set(code, {
            ...{ challenge: given('code_challenge'), redirect, client: given('client_id') },
            resource: given('resource'),
          });
          back.searchParams.set('code', code);
          back.searchParams.set('iss', issuer);
        } else back.searchParams.set('error', 'access_denied');
        return void response.writeHead(302, { location: back.href }).end();
      }
      case 'POST /token':
        return form.get('grant_type') === 'refresh_token'
          ? refreshed(form, response)
          : exchanged(form, response);
      default:
        return say(response, 404, { error: 'not_found' });
    }
  });

  /** A code counts once, for who began with it. */
  function exchanged(form: URLSearchParams, response: ServerResponse): void {
    const code = form.get('code') ?? '';
    const begun = codes.get(code);
    codes.delete(code);
    const fits =
      begun !== undefined &&
      begun.challenge === hash('sha256', form.get('code_verifier') ?? '', 'base64url') &&
      begun.redirect === form.get('redirect_uri') &&
      begun.client === form.get('client_id') &&
      begun.resource === url;
    if (fits) say(response, 200, tokens(code));
    else say(response, 400, { error: 'invalid_grant' });
  }

  /** A token that was used before shows that it was stolen: all of its family end. */
  function refreshed(form: URLSearchParams, response: ServerResponse): void {
    const old = refresh.get(form.get('refresh_token') ?? '');
    if (old === undefined || old.used) {
      for (const [token, { family }] of refresh) if (family === old?.family) refresh.delete(token);
      say(response, 400, { error: 'invalid_grant', error_description: 'the token was used before' });
      return;
    }
    old.used = true;
    say(response, 200, tokens(old.family));
  }

  const handler = createMcpHandler(() => toolServer(options));
  const protectedPart = createAdaptorServer({
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const bearer = request.headers.get('authorization') ?? '';
      met.push({ at: 'resource', method: request.method, path: pathname, authorization: bearer, body: '' });
      if (pathname === '/.well-known/oauth-protected-resource/mcp') {
        const about = { resource: url, authorization_servers: [issuer], scopes_supported: ['tickets:read'] };
        return Response.json(resource(about));
      }
      if (!access.has(bearer.replace('Bearer ', ''))) {
        const place = new URL('/.well-known/oauth-protected-resource/mcp', url).href;
        const headers = { 'www-authenticate': `Bearer resource_metadata="${place}", scope="tickets:read"` };
        return Response.json({ error: 'invalid_token' }, { status: 401, headers });
      }
      return await handler.fetch(request);
    },
  }) as HttpServer;

  const issuer = await listen(authorization);
  const url = `${await listen(protectedPart)}/mcp`;

  const told = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  });

  async function note(at: Met['at'], request: IncomingMessage) {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString('utf8');
    const to = new URL(request.url ?? '/', issuer);
    const { method = '', headers } = request;
    met.push({ at, method, path: to.pathname, authorization: headers.authorization ?? '', body });
    return { url: to, body };
  }

  return {
    url,
    issuer,
    met,
    /** Every access token that was given out counts no longer. */
    expire: () => access.clear(),
    /** Nor does any refresh token. */
    revoke: () => {
      access.clear();
      refresh.clear();
    },
    secrets: () => [...access, ...refresh.keys()],
  };
}

const json = { 'content-type': 'application/json' };

function same(told: Record<string, unknown>): Record<string, unknown> {
  return told;
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, json).end(JSON.stringify(body));
}

/** A person's browser: opens the page, and goes where it leads. */
export async function browse(url: string): Promise<number> {
  const page = await fetch(url, { redirect: 'manual' });
  const next = page.headers.get('location');
  return next === null ? page.status : (await fetch(next)).status;
}
