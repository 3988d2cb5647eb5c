// How an MCP server is reached over HTTP: by connections to the addresses that the path has cleared, to its own origin
// and no other. Redirects are not followed, and a response is taken up to a size.

import type { Readable } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { UpstreamServer } from '../../config/index.ts';
import { FetchRefused } from '../errors.ts';
import { Upstream, type UpstreamOptions } from '../upstream.ts';
import { UpstreamFailed } from './errors.ts';
import { mostBytes } from './limits.ts';

/** The fetch of one server, and the end of its connections. */
export interface ServerFetch {
  readonly fetch: FetchLike;
  close(): Promise<void>;
}

const methods = ['GET', 'POST', 'DELETE'] as const;
/** Statuses of responses that have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export function serverFetch(
  server: Pick<UpstreamServer, 'name' | 'startTimeoutMs' | 'callTimeoutMs'>,
  url: URL,
  options: Pick<UpstreamOptions, 'ledger' | 'world' | 'owner' | 'guards'>,
  /** Takes that a response broke off: whoever waits for the rest of it would wait for ever. */
  broken: () => void,
): ServerFetch {
  const upstream = new Upstream({
    ...options,
    purpose: 'mcp',
    provider: {
      name: server.name,
      baseUrl: url.origin,
      connectTimeoutMs: server.startTimeoutMs,
      firstByteTimeoutMs: server.callTimeoutMs,
      // A server that has nothing to say keeps its stream open; a call has its own clock.
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
      const { status } = answer;
      const headers = new Headers(answer.headers.map(([name, value]) => [name, value]));
      if (bodiless.has(status)) answer.body.destroy();
      return new Response(
        bodiless.has(status) ? null : bounded(answer.body, () => signal?.aborted || broken()),
        { status, headers },
      );
    },
    close: () => upstream.close(),
  };
}

/** The body as the SDK reads it; more than is allowed is an error in its place. */
function bounded(body: Readable, broken: () => void): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        size += value.length;
        if (size > mostBytes) throw new UpstreamFailed('the server sends more than anybody asked for');
        controller.enqueue(value);
      } catch (error) {
        body.destroy();
        broken();
        throw error;
      }
    },
    cancel() {
      body.destroy();
    },
  });
}
