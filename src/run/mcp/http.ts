// How an MCP server is reached over HTTP: by connections to the addresses that the request path has cleared, to its own
// origin and no other. Redirects are not followed, and the size of a response is limited.

import type { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { UpstreamServer } from '../../config/index.ts';
import { classifyAddress, isLocalName, isMetadataName, parseAddress } from '../../core/destination.ts';
import { FetchRefused, FetchTooLarge } from '../errors.ts';
import { named } from '../exchange.ts';
import {
  type ShortAnswer,
  Upstream,
  type UpstreamAnswer,
  type UpstreamOptions,
  type UpstreamRequest,
} from '../upstream.ts';
import { UpstreamFailed, UpstreamGone } from './errors.ts';
import { lostCode, mostBytes } from './limits.ts';

/** The fetch function of one server, and the shutdown of its connections. */
export interface ServerFetch {
  readonly fetch: FetchLike;
  /** Sends a request to the server's origin; a caller that does not read the body of the response destroys it. */
  sendShort(request: UpstreamRequest): Promise<ShortAnswer>;
  close(): Promise<void>;
}

const methods = ['GET', 'POST', 'DELETE'] as const;
/** Statuses of responses without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export function serverFetch(
  server: Pick<UpstreamServer, 'name' | 'startTimeoutMs' | 'callTimeoutMs'>,
  url: URL,
  options: Pick<UpstreamOptions, 'decider' | 'world' | 'owner'>,
): ServerFetch {
  const upstream = new Upstream({
    ...options,
    purpose: 'mcp',
    provider: {
      name: server.name,
      baseUrl: url.origin,
      connectTimeoutMs: server.startTimeoutMs,
      firstByteTimeoutMs: server.callTimeoutMs,
      // An idle server keeps its stream open; a call has its own timeout.
      idleTimeoutMs: 0,
      retries: 0,
    },
  });
  return {
    async fetch(input, init = {}) {
      const to = new URL(input);
      const method = methods.find((known) => known === (init.method ?? 'GET'));
      if (to.origin !== url.origin || method === undefined) {
        throw new FetchRefused(`requests to "${server.name}" go to its own address`);
      }
      const { body = null, signal } = init;
      if (body !== null && typeof body !== 'string') throw new FetchRefused('only text is sent');
      const answer = await upstream.send({
        method,
        path: to.pathname + to.search,
        headers: Object.fromEntries(new Headers(init.headers)),
        body,
        signal: signal ?? new AbortController().signal,
      });
      return await responseOf(answer, url, () => (body === null ? undefined : idOf(body)));
    },
    async sendShort(request) {
      try {
        return await upstream.sendShort(request, { flows, most: mostBytes });
      } catch (error) {
        throw error instanceof FetchTooLarge ? tooMuch() : error;
      }
    },
    close: () => upstream.close(),
  };
}

/**
 * The fetch function for a login: it requests the server, and the authorization server that it names. INVARIANT: a
 * server cannot make us send requests to this machine or its network, unless it is there itself.
 */
export function loginFetch(
  ...[server, url, options]: Parameters<typeof serverFetch>
): Omit<ServerFetch, 'sendShort'> {
  const places = new Map<string, ServerFetch>();
  return {
    async fetch(input, init = {}) {
      const to = new URL(input);
      if (!isForLogin(to, url)) {
        throw new FetchRefused(`"${server.name}" names an address for its login that is not asked`);
      }
      const place = places.get(to.origin) ?? serverFetch(server, new URL(to.origin), options);
      places.set(to.origin, place);
      const { body = null } = init;
      return await place.fetch(to, { ...init, body: body instanceof URLSearchParams ? String(body) : body });
    },
    async close() {
      await Promise.all([...places.values()].map((place) => place.close()));
    },
  };
}

/** Whether a login may lead there: to the host of the server, equally secured, or by https to a public one. */
export function isForLogin(to: URL, { hostname, protocol }: URL): boolean {
  if (to.username !== '' || to.password !== '') return false;
  if (to.hostname === hostname && protocol === 'http:' && to.protocol === 'http:') return true;
  const name = to.hostname.replace(/^\[(.*)\]$/, '$1');
  const address = parseAddress(name);
  const isPublic =
    address === undefined
      ? !isLocalName(name) && !isMetadataName(name)
      : classifyAddress(address) === 'public';
  return to.protocol === 'https:' && (isPublic || to.hostname === hostname);
}

/** A response as the SDK reads it; `id` is that of the request message. */
export async function responseOf(
  { status, headers: given, body }: Pick<UpstreamAnswer, 'status' | 'headers' | 'body'>,
  url: URL,
  id: () => string | number | undefined,
): Promise<Response> {
  const headers = new Headers(given.map(([name, value]) => [name, value]));
  if (bodiless.has(status)) {
    body.destroy();
    return new Response(null, { status, headers });
  }
  if (!flows(headers.get('content-type'))) return whole(await textOf(body, url), { status, headers });
  const answered = id();
  const last = answered === undefined ? '' : lostEvent(answered);
  return new Response(bounded(body, last), { status, headers });
}

/** The end of a stream: a caller waiting for an answer that is missing from it would wait until its timeout. */
function lostEvent(id: string | number): string {
  const error = { code: lostCode, message: 'the connection was lost' };
  return `\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
}

/** Whether a response of this type is a stream. */
export function flows(type: string | null | undefined): boolean {
  return type?.startsWith('text/event-stream') ?? false;
}

export function idOf(body: string): string | number | undefined {
  const message: unknown = JSON.parse(body);
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** A response whose body is complete. A web stream would cost more than the rest of a call. */
function whole(text: string, head: { readonly status: number; readonly headers: Headers }): Response {
  return Object.defineProperties(new Response(null, head), {
    text: { value: async () => text },
    json: { value: async () => JSON.parse(text) },
  });
}

function tooMuch(): UpstreamFailed {
  return new UpstreamFailed('the server sends more than anybody asked for');
}

export function textOf(body: Readable, url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    body.on('data', (piece: Buffer) => {
      size += piece.length;
      pieces.push(piece);
      if (size <= mostBytes) return;
      body.destroy();
      reject(tooMuch());
    });
    body.once('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    body.once('error', (error) => reject(named(error, url)));
    body.once('close', () => {
      if (!body.readableEnded) reject(new UpstreamGone('the connection was lost'));
    });
  });
}

/** The body as the SDK reads it, followed by `last`; a body over the limit is replaced by an error. */
function bounded(body: Readable, last: string): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let size = 0;
  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await pieces.next();
    if (done) return null;
    size += value.length;
    if (size > mostBytes) throw tooMuch();
    return value;
  };
  return new ReadableStream({
    async pull(controller) {
      const piece = await next().catch((error: unknown) => {
        body.destroy();
        if (last === '') throw error;
        return null;
      });
      if (piece !== null) return controller.enqueue(piece);
      if (last !== '') controller.enqueue(Buffer.from(last));
      controller.close();
    },
    cancel() {
      body.destroy();
    },
  });
}
