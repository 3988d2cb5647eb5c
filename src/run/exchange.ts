// One request and its response over one dedicated connection to a pinned address, closed after it.

import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { parseAddress } from '../core/destination.ts';
import { messageOf, SallyportError } from '../core/index.ts';
import type { Cleared } from '../decide/cleared.ts';
import { FetchFailed, FetchRefused, FetchTooLarge } from './errors.ts';

/** A header's name in lower case, and its value. */
export type Header = readonly [name: string, value: string];

/** The limits of one exchange. */
export interface ExchangeLimits {
  readonly timeoutMs: number;
  /** Most bytes of the body, on the wire and decompressed. */
  readonly maxBytes: number;
  /** Whether the body of such a response is ignored. */
  readonly skipBody: (status: number, headers: readonly Header[]) => boolean;
}

/** A response, its body decompressed. */
export interface Exchanged {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

const maxHeaderBytes = 65_536;
const maxHeaders = 256;

/** The promise's result, or the signal's reason if that comes first. */
export async function unlessStopped<T>(promise: Promise<T>, stop: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    onAbort = () => reject(stop.reason);
    if (stop.aborted) onAbort();
    else stop.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([stopped, promise]);
  } finally {
    stop.removeEventListener('abort', onAbort);
  }
}

/** Sends one cleared request to one of its pinned addresses; the clearance was used before. */
export async function exchange(
  { action, facts }: Cleared<'fetch'>,
  limits: ExchangeLimits,
  stop: AbortSignal,
): Promise<Exchanged> {
  stop.throwIfAborted();
  const url = new URL(action.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchRefused('only http and https are fetched');
  }
  const addresses = pinnedAddresses(facts['addresses'], url.hostname);
  // Loading it takes several times as long as starting Node, so it is loaded only for a fetch.
  const { Client } = await import('undici');
  const client = new Client(url.origin, {
    connect: (_, callback) => {
      dialAny(url, addresses, limits.timeoutMs, stop).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error instanceof Error ? error : new Error(messageOf(error)), null),
      );
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    // There is a single timeout, the caller's: it covers connecting, headers, body and redirects together.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const method = action.method ?? 'GET';
  const answer = async (): Promise<Exchanged> => {
    const response = await client.request({
      path: url.pathname + url.search,
      method,
      headers: requestHeaders(action.headers ?? {}),
      body: action.body ?? null,
      reset: true,
    });
    // The body's own failure is reported where it is read; for an unread body it is ignored.
    response.body.on('error', () => {});
    const headers = responseHeaders(response.headers);
    const status = response.statusCode;
    if (limits.skipBody(status, headers)) return { status, headers, body: new Uint8Array() };
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
    return { status, ...(await readBody(response.body, headers, hasBody, limits.maxBytes)) };
  };
  try {
    return await unlessStopped(answer(), stop);
  } catch (error) {
    throw named(error, url);
  } finally {
    await client.destroy();
  }
}

/** The addresses that the check pinned. INVARIANT: without at least one there is no connection. */
export function pinnedAddresses(value: unknown, host: string): readonly string[] {
  const addresses = Array.isArray(value) ? value : [];
  if (addresses.length === 0) {
    throw new FetchRefused(`${host} has no checked address to connect to`, {
      hint: 'the name does not exist, or was not resolved because the request was not allowed',
    });
  }
  return addresses.map((text: unknown) => {
    const address = typeof text === 'string' ? parseAddress(text) : undefined;
    if (address === undefined) throw new FetchRefused(`a checked address of ${host} cannot be read`);
    return address.text;
  });
}

/** Connects to the first address that answers; each gets its share of the time. */
export async function dialAny(
  url: URL,
  addresses: readonly string[],
  timeoutMs: number,
  stop: AbortSignal,
): Promise<Socket> {
  const share = Math.ceil(timeoutMs / addresses.length);
  let last: unknown;
  for (const address of addresses) {
    try {
      return await dial(url, address, share, stop);
    } catch (error) {
      last = error;
    }
    stop.throwIfAborted();
  }
  throw last;
}

async function dial(url: URL, address: string, timeoutMs: number, stop: AbortSignal): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const tls = secure ? await import('node:tls') : undefined;
  return await new Promise((resolve, reject) => {
    // INVARIANT: `host` is an address, so nothing is resolved again.
    const to = { host: address, port: Number(url.port === '' ? (secure ? 443 : 80) : url.port) };
    const socket = tls === undefined ? connect(to) : tls.connect({ ...to, ...tlsOptions(url) });
    const giveUp = (): void => {
      socket.destroy(new Error('connecting was given up'));
    };
    const timer = setTimeout(giveUp, timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', giveUp);
    };
    stop.addEventListener('abort', giveUp);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      settle();
      resolve(socket);
    });
    // Stays for the lifetime of the socket: an error between here and the client must not end the process.
    socket.on('error', (error) => {
      settle();
      reject(error);
    });
    if (stop.aborted) giveUp();
  });
}

function tlsOptions(url: URL): ConnectionOptions {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    // The certificate must match the name, whatever the address; an address has no server name.
    servername: parseAddress(name) === undefined ? name : '',
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Set explicitly, so that no environment variable switches it off.
    rejectUnauthorized: true,
  };
}

function requestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'sallyport', accept: '*/*' };
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
  // An uncompressed body cannot be a decompression bomb.
  headers['accept-encoding'] = 'identity';
  return headers;
}

export function responseHeaders(given: NodeJS.Dict<string | string[]>): readonly Header[] {
  const headers = Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): Header => [name.toLowerCase(), one]),
  );
  if (headers.length > maxHeaders) {
    throw new FetchTooLarge(`the response has more than ${maxHeaders} headers`);
  }
  return headers;
}

async function readBody(
  body: Readable,
  headers: readonly Header[],
  hasBody: boolean,
  maxBytes: number,
): Promise<{ headers: readonly Header[]; body: Uint8Array }> {
  const joined = (wanted: string): string =>
    headers
      .filter(([name]) => name === wanted)
      .map(([, value]) => value.trim().toLowerCase())
      .join(',');
  if (hasBody && Number(joined('content-length')) > maxBytes) throw tooLarge(maxBytes);
  const coding = joined('content-encoding');
  if (!hasBody || coding === '' || coding === 'identity') {
    return { headers, body: await collect(body, maxBytes) };
  }
  const decoder = await decoderFor(coding);
  const { pipeline } = await import('node:stream/promises');
  // Data that decompresses to nothing may still never end, so the wire is counted too.
  const decoded = await pipeline(counted(body, maxBytes), decoder, (source: AsyncIterable<Uint8Array>) =>
    collect(source, maxBytes),
  );
  const described = new Set(['content-encoding', 'content-length']);
  return { headers: headers.filter(([name]) => !described.has(name)), body: decoded };
}

export async function decoderFor(coding: string): Promise<NodeJS.ReadWriteStream & Readable> {
  const zlib = await import('node:zlib');
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    default:
      throw new FetchRefused('the response is compressed in a way that was not asked for and is not read');
  }
}

async function* counted(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

async function collect(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of counted(source, maxBytes)) chunks.push(chunk);
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function tooLarge(maxBytes: number): FetchTooLarge {
  return new FetchTooLarge(`the response has more than ${maxBytes} bytes`);
}

/** A named error of ours; the message of another's is not shown, because it may contain data that the server sent. */
export function named(error: unknown, url: URL): SallyportError {
  if (error instanceof SallyportError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new FetchTooLarge(`the headers of the response have more than ${maxHeaderBytes} bytes`);
  }
  return new FetchFailed(`the request to ${url.hostname} failed (${code})`, { cause: error });
}
