// Requests to a configured place, such as a provider of models: over pooled connections, each of them cleared on the
// one request path when it is opened. Answers are streamed; a rejected request is retried before the first byte of its
// answer, and never after.

import type { Readable } from 'node:stream';
import type { Pool } from 'undici';
import { destinationOf, type Provider, settingsFrom } from '../config/index.ts';
import { type Context, isPending, type MaybePromise, type World } from '../core/index.ts';
import { takeClearance } from '../decide/cleared.ts';
import type { Decider } from '../decide/index.ts';
import { guards } from '../guards/index.ts';
import { batchTick } from './batch-tick.ts';
import { type Came, exchangeBuffered } from './buffered-exchange.ts';
import { FetchAborted, FetchFailed, FetchRefused, FetchTimedOut, FetchTooLarge } from './errors.ts';
import { decoderFor, dialAny, type Header, named, pinnedAddresses, responseHeaders } from './exchange.ts';

export interface UpstreamOptions {
  readonly provider: Pick<
    Provider,
    'name' | 'baseUrl' | 'connectTimeoutMs' | 'firstByteTimeoutMs' | 'idleTimeoutMs' | 'retries'
  >;
  /** The purpose of connections, as stated in the records. */
  readonly purpose: 'llm' | 'mcp';
  readonly decider: Pick<Decider, 'under'>;
  readonly world: Pick<World, 'telemetry'>;
  /** The owner of connections: the daemon itself. */
  readonly owner: { readonly user: string; readonly tenant: string };
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path of the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal;
}

/** An answer whose body has not been read. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Decompressed; a caller that does not read it destroys it. */
  readonly body: Readable;
  /** How often the request was sent. */
  readonly attempts: number;
}

/** A buffered answer, unless it is streamed. */
export interface ShortAnswer extends Omit<UpstreamAnswer, 'body'> {
  readonly body: Buffer | Readable;
}

/** Maximum number of connections to one place. */
const mostConnections = 1024;
/**
 * How long an idle connection is kept open. If the other side closes it at the moment of use, that request is lost: one
 * to a model is retried, a tool call is not, so its connection is closed before that can happen, unless the other side
 * has announced its own timeout.
 */
const keepAliveMs = { llm: 30_000, mcp: 1000 } as const;
const longestKeepAliveMs = 30_000;
/** If a provider asks for a longer pause than this, its answer is passed on instead. */
const longestPauseMs = 20_000;
const firstPauseMs = 500;
const putOff: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529]);

/** One place, and the connections to it. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #url: URL;
  /** The prefix of every path. */
  readonly #path: string;
  readonly #stopped = new AbortController();
  #pool: Pool | Promise<Pool> | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#url = new URL(options.provider.baseUrl);
    this.#path = this.#url.pathname.replace(/\/$/, '');
  }

  /** Sends a request, with retries, and returns the answer once its head has arrived. */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const { retries } = this.#options.provider;
    for (let attempts = 1; ; attempts++) {
      const last = attempts > retries;
      try {
        const answer = await this.#once(request);
        const pause = last ? undefined : pauseAfter(answer, attempts);
        if (pause === undefined) return { ...answer, attempts };
        answer.body.destroy();
        await waitFor(pause, request.signal);
      } catch (error) {
        const known = this.#named(error, request.signal);
        if (last || !(known instanceof FetchFailed)) throw known;
        await waitFor(firstPauseMs * 2 ** (attempts - 1), request.signal);
      }
    }
  }

  /** Sends a request once, and returns the buffered answer; a streamed one is returned as by `send`. */
  async sendShort(
    request: UpstreamRequest,
    { flows, most }: { readonly flows: (type: string) => boolean; readonly most: number },
  ): Promise<ShortAnswer> {
    const { signal } = request;
    try {
      const opened = this.#opened(signal);
      const pool = isPending(opened) ? await opened : opened;
      const came = await exchangeBuffered(pool, this.#asked(request), {
        signal,
        most,
        // An answer that is compressed without being requested is decompressed as a stream.
        flows: (given) => given['content-encoding'] !== undefined || flows(String(given['content-type'])),
      });
      await batchTick();
      const taken = this.#taken(came);
      return { ...(isPending(taken) ? await taken : taken), attempts: 1 };
    } catch (error) {
      throw this.#named(error, signal);
    }
  }

  /** The complete body; throws `FetchTooLarge` for one over the limit. */
  async whole(body: Readable, most: number, signal: AbortSignal): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const stop = () => body.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const piece of body) {
        pieces.push(piece);
        size += piece.length;
        if (size > most)
          throw new FetchTooLarge(`${this.#url.hostname} answers with more than ${most} bytes`);
      }
      signal.throwIfAborted();
      return Buffer.concat(pieces);
    } finally {
      signal.removeEventListener('abort', stop);
      body.destroy();
    }
  }

  /** The trace of a request, if the operator propagates it to this service. */
  #trace(): Readonly<Record<string, string>> {
    const { purpose, provider, world } = this.#options;
    return world.telemetry?.headersFor(`${purpose === 'llm' ? 'llm' : 'servers'}.${provider.name}`) ?? {};
  }

  /** Closes every connection, with its streams. */
  async close(): Promise<void> {
    this.#stopped.abort(new FetchAborted('the daemon stops'));
    const pool = await Promise.resolve(this.#pool).catch(() => undefined);
    await pool?.destroy(new FetchAborted('the daemon stops'));
  }

  async #once(request: UpstreamRequest): Promise<Omit<UpstreamAnswer, 'attempts'>> {
    const { signal } = request;
    const pool = await this.#opened(signal);
    const { statusCode: status, headers, body } = await pool.request({ ...this.#asked(request), signal });
    // A failure before the body is read must not end the process; the reader gets the error all the same.
    body.on('error', () => {});
    return await this.#taken<Readable>({ status, headers, body });
  }

  #asked({ method, path, headers, body }: UpstreamRequest) {
    return {
      method,
      path: this.#path + path,
      headers: { ...this.#trace(), ...headers, 'accept-encoding': 'identity' },
      body,
    };
  }

  /** An answer, unless it is a redirect. */
  #taken<B extends Buffer | Readable>({ status, headers, body }: Came<B>) {
    if (status >= 300 && status < 400) {
      if (!Buffer.isBuffer(body)) body.destroy();
      throw new FetchRefused(`${this.#url.hostname} leads elsewhere, and the request does not follow`);
    }
    const given = responseHeaders(headers);
    if (Buffer.isBuffer(body)) return { status, headers: given, body };
    return decoded(given, body).then((read) => ({ status, ...read }));
  }

  #opened(signal: AbortSignal): MaybePromise<Pool> {
    signal.throwIfAborted();
    this.#pool ??= this.#open().then((pool) => {
      this.#pool = pool;
      return pool;
    });
    return this.#pool;
  }

  async #open(): Promise<Pool> {
    const { Pool: ConnectionPool } = await import('undici');
    const { purpose, provider } = this.#options;
    const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = provider;
    return new ConnectionPool(this.#url.origin, {
      connect: (_, callback) => {
        this.#dial().then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error instanceof Error ? error : new Error('not connected'), null),
        );
      },
      connections: mostConnections,
      connectTimeout: connectTimeoutMs,
      headersTimeout: firstByteTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      keepAliveTimeout: keepAliveMs[purpose],
      keepAliveMaxTimeout: longestKeepAliveMs,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: 65_536,
    });
  }

  /**
   * Connects to an address that the request path has just cleared. The destination of the connection is judged: sending
   * prompts or calls there is the configured purpose of the place, and their content is judged separately.
   */
  async #dial() {
    const { provider, purpose, decider, owner } = this.#options;
    const settings = settingsFrom({
      profile: 'strict',
      egress_allowlist: [destinationOf(provider.baseUrl)],
    });
    const { decide } = decider.under({ settings: () => settings, guards });
    const context: Context = {
      ...owner,
      agent: 'sallyport',
      session: `${purpose}.${provider.name}`,
      workspace: '/',
      mode: 'default',
    };
    const { cleared, verdict } = await decide(
      { kind: 'fetch', url: `${this.#url.origin}/`, method: 'HEAD' },
      context,
    );
    if (cleared === null) {
      throw new FetchRefused(`the connection to ${provider.name} was not allowed: ${verdict.explanation}`, {
        verdict,
      });
    }
    takeClearance(cleared);
    const addresses = pinnedAddresses(cleared.facts['addresses'], this.#url.hostname);
    return await dialAny(this.#url, addresses, provider.connectTimeoutMs, this.#stopped.signal);
  }

  #named(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'UND_ERR_HEADERS_TIMEOUT') {
      return new FetchTimedOut(`${this.#url.hostname} did not begin to answer in time`, { cause: error });
    }
    return named(error, this.#url);
  }
}

/** How long to wait before a rejected request is retried; undefined if the answer is final. */
function pauseAfter(
  { status, headers }: Pick<UpstreamAnswer, 'status' | 'headers'>,
  attempts: number,
): number | undefined {
  const value = (wanted: string) => headers.find(([name]) => name === wanted)?.[1];
  if (!putOff.has(status) || value('x-should-retry') === 'false') return undefined;
  const after = value('retry-after');
  if (after === undefined) return firstPauseMs * 2 ** (attempts - 1);
  const seconds = /^\d{1,6}(?:\.\d+)?$/.test(after) ? Number(after) : Number.NaN;
  // A date requires synchronized clocks; such an answer is final.
  return seconds * 1000 <= longestPauseMs ? seconds * 1000 : undefined;
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** The decompressed body of an answer that the provider compressed without a request for it. */
async function decoded(
  headers: readonly Header[],
  body: Readable,
): Promise<{ headers: readonly Header[]; body: Readable }> {
  const coding =
    headers
      .find(([name]) => name === 'content-encoding')?.[1]
      .trim()
      .toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return { headers, body };
  const decoder = await decoderFor(coding).catch((error: unknown) => {
    body.destroy();
    throw error;
  });
  const { pipeline } = await import('node:stream');
  pipeline(body, decoder, () => {});
  const described = new Set(['content-encoding', 'content-length']);
  return { headers: headers.filter(([name]) => !described.has(name)), body: decoder };
}
