// Tests of the guarded fetch against real servers on the loopback interface; the guard is the real one too.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { settingsFrom } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { type Action, type ActionOf, Budget, type Context, exitCodes, strongest } from '../core/index.ts';
import { type Cleared, clear, NotCleared } from '../decide/cleared.ts';
import type { Decided, Decider } from '../decide/types.ts';
import { fetchGuard } from '../guards/fetch/index.ts';
import {
  FetchAborted,
  FetchFailed,
  FetchRefused,
  type FetchResult,
  FetchTimedOut,
  FetchTooLarge,
  guardedFetch,
  TooManyRedirects,
} from './index.ts';

/** Sets environment variables until the test is over. */
function setEnvironment(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    const before = process.env[name];
    process.env[name] = value;
    cleanups.push(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

/** A key and a self-signed certificate, for one subject; undefined if there is no openssl. */
function certificateFor(subject: string): { key: Buffer; cert: Buffer } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-tls-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  const names = ['-subj', '/CN=test', '-addext', `subjectAltName=${subject}`];
  try {
    execFileSync('openssl', [...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

/** Trusts a certificate until the test is over. */
function trust(cert: Buffer): void {
  const known = getCACertificates();
  cleanups.push(() => setDefaultCACertificates(known));
  setDefaultCACertificates([...known, cert.toString()]);
}

const context: Context = {
  user: 'u',
  tenant: 't',
  agent: 'a',
  session: 's',
  workspace: '/w',
  mode: 'default',
};

const sections = { fetch: { timeout_ms: 10_000, max_response_bytes: 100_000, max_redirects: 3 } };
const { fetch: limits } = settingsFrom({}, sections);

/** The addresses of a name for each successive resolution; the last answer is repeated. */
type Names = Record<string, readonly (readonly string[])[]>;

/** A decider of the fetch guard alone. */
function makeDecider(list: readonly string[], names: Names = {}) {
  const asked: ActionOf<'fetch'>[] = [];
  const turns = new Map<string, number>();
  const settings = settingsFrom({ egress_allowlist: list }, sections);
  const resolve = async (name: string): Promise<readonly string[]> => {
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const answers = names[name] ?? [];
    return answers[Math.min(turn, answers.length - 1)] ?? [];
  };
  async function decideFetch(action: ActionOf<'fetch'>): Promise<Decided<'fetch'>> {
    asked.push(action);
    const judged = await fetchGuard.check(action, {
      context,
      settings,
      world: { now: () => 0, resolve, realPath: () => null, readText: () => null, look: () => null },
      budget: new Budget(10_000),
      granted: () => false,
    });
    const { findings, facts } = judged;
    const decision = strongest(findings.map((finding) => finding.decision));
    const rewritten = judged.rewritten ?? action;
    const explanation = findings.map((finding) => finding.message).join(' ');
    const approval = decision === 'approve' ? { id: '1', expiresAt: '', how: 'sallyport approve 1' } : null;
    return {
      verdict: { decision, findings, explanation, action: rewritten, decisionId: 'd', approval },
      facts,
      parts: [],
      cleared:
        decision === 'pass' ? clear<'fetch'>({ action: rewritten, context, facts, decisionId: 'd' }) : null,
    };
  }
  const decider: Pick<Decider, 'decide'> = {
    decide: async <A extends Action>(action: A) => {
      if (action.kind !== 'fetch') throw new Error('not a fetch');
      return (await decideFetch(action)) as unknown as Decided<A['kind']>;
    },
  };
  return { decider, asked, decideFetch };
}

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function listening(server: Server | ReturnType<typeof createSocketServer>, host: string): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  cleanups.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return new Promise((resolve) => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

interface Serving {
  readonly port: number;
  readonly origin: string;
  readonly requests: IncomingMessage[];
  readonly bodies: string[];
}

/** A real HTTP server that records its requests. */
async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<Serving> {
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push(request);
      bodies.push(body);
      listener(request, response);
    });
  });
  const port = await listening(server, host);
  return { port, origin: `http://127.0.0.1:${port}`, requests, bodies };
}

/** A server that sends raw bytes. */
async function serveBytes(onSocket: (socket: Socket) => void): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    onSocket(socket);
  });
  return { port: await listening(server, '127.0.0.1'), sockets };
}

interface Go extends Partial<Settings['fetch']> {
  readonly list?: readonly string[];
  readonly names?: Names;
  readonly signal?: AbortSignal;
}

/** Decides on a request and sends it. */
async function go(
  url: string,
  given: Go = {},
  rest: Partial<ActionOf<'fetch'>> = {},
): Promise<FetchResult & { asked: readonly ActionOf<'fetch'>[] }> {
  const { list = ['localhost:*'], names, signal, ...some } = given;
  const { decider, asked, decideFetch } = makeDecider(list, names);
  const { cleared, verdict } = await decideFetch({ ...rest, kind: 'fetch', url });
  if (cleared === null) throw new Error(`not cleared: ${verdict.explanation}`);
  const settings = { ...limits, ...some };
  const result = await guardedFetch(cleared, {
    decider,
    settings,
    ...(signal === undefined ? {} : { signal }),
  });
  return { ...result, asked };
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A clearance as only the request path creates it, with facts of the test's own. */
function cleared(url: string, facts: Cleared['facts']): Cleared<'fetch'> {
  return clear<'fetch'>({ action: { kind: 'fetch', url }, context, facts, decisionId: 'd' });
}

describe('a response', () => {
  it('comes with status, headers and body', async () => {
    const { origin, requests } = await serve((_, response) => {
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.writeHead(404, { 'X-A': 'b' });
      response.end('hello');
    });
    const result = await go(`${origin}/path?query#fragment`);
    expect(result).toMatchObject({ url: `${origin}/path?query#fragment`, status: 404, redirects: [] });
    expect(text(result.body)).toBe('hello');
    expect(result.headers).toContainEqual(['x-a', 'b']);
    expect(result.headers.filter(([name]) => name === 'set-cookie')).toHaveLength(2);
    expect(requests[0]?.url).toBe('/path?query');
    expect(requests[0]?.headers).toMatchObject({
      host: origin.slice(7),
      'accept-encoding': 'identity',
      connection: 'close',
      'user-agent': 'sallyport',
    });
  });

  it('answers the method, headers and body that were cleared', async () => {
    const { origin, requests, bodies } = await serve((_, response) => response.end());
    await go(
      origin,
      {},
      { method: 'post', headers: { 'X-Token': 't', 'Accept-Encoding': 'gzip' }, body: 'é' },
    );
    expect(requests[0]?.method).toBe('POST');
    expect(requests[0]?.headers).toMatchObject({
      'x-token': 't',
      'accept-encoding': 'identity',
      'content-length': '2',
    });
    expect(bodies).toEqual(['é']);
  });

  it('may be without a body', async () => {
    const { origin } = await serve((request, response) => {
      response.writeHead(request.url === '/none' ? 204 : 200, { 'content-encoding': 'gzip' });
      response.end();
    });
    expect((await go(origin, {}, { method: 'HEAD' })).body).toHaveLength(0);
    expect(await go(`${origin}/none`)).toMatchObject({ status: 204 });
  });

  it('is not harmed by odd header names', async () => {
    const { port } = await serveBytes((socket) => {
      socket.on('data', () => {
        socket.end(
          'HTTP/1.1 200 OK\r\n__proto__: a\r\n__proto__: b\r\nconstructor: c\r\nContent-Length: 2\r\n\r\nok',
        );
      });
    });
    const outcome = await go(`http://127.0.0.1:${port}/`).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(FetchFailed);
    else expect(outcome).toMatchObject({ status: 200 });
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

describe('clearance', () => {
  it('is refused when forged, copied or used up', async () => {
    const { origin, requests } = await serve((_, response) => response.end());
    const { decider, decideFetch } = makeDecider(['localhost:*']);
    const real = (await decideFetch({ kind: 'fetch', url: origin })).cleared!;
    const options = { decider, settings: limits };
    const forged = { ...real } as Cleared<'fetch'>;
    await expect(guardedFetch(forged, options)).rejects.toBeInstanceOf(NotCleared);
    await guardedFetch(real, options);
    await expect(guardedFetch(real, options)).rejects.toBeInstanceOf(NotCleared);
    expect(requests).toHaveLength(1);
  });

  it('without a sound address connects to nothing', async () => {
    const { port, requests } = await serve((_, response) => response.end());
    const { decider } = makeDecider([]);
    const cases = [
      {},
      { addresses: [] },
      { addresses: 'x' },
      { addresses: ['localhost'] },
      { addresses: [7] },
    ];
    for (const facts of cases) {
      const error = await failure(
        guardedFetch(cleared(`http://localhost:${port}/`, facts), { decider, settings: limits }),
      );
      expect(error).toBeInstanceOf(FetchRefused);
    }
    expect(requests).toEqual([]);
  });

  it('of another scheme is refused', async () => {
    const { decider } = makeDecider([]);
    const ftp = cleared('ftp://example.com/', { addresses: ['127.0.0.1'] });
    await expect(guardedFetch(ftp, { decider, settings: limits })).rejects.toBeInstanceOf(FetchRefused);
  });
});

describe('pinning', () => {
  it('connects to the address that was checked, whatever the name resolves to later', async () => {
    const first = await serve((_, response) => response.end('first'));
    const names = { 'app.localhost': [['127.0.0.1'], ['127.0.0.2']] };
    const url = `http://app.localhost:${first.port}/`;
    const result = await go(url, { list: ['*.localhost:*'], names });
    expect(text(result.body)).toBe('first');
    expect(first.requests[0]?.headers.host).toBe(`app.localhost:${first.port}`);
  });

  it('connects to no other address than the checked one, even for a name that exists', async () => {
    const { port, requests } = await serve((_, response) => response.end());
    const { decider } = makeDecider([]);
    const elsewhere = cleared(`http://localhost:${port}/`, { addresses: ['127.0.0.9'] });
    await expect(guardedFetch(elsewhere, { decider, settings: limits })).rejects.toBeInstanceOf(FetchFailed);
    expect(requests).toEqual([]);
  });

  it('goes to the next checked address when one does not answer', async () => {
    const { port } = await serve((_, response) => response.end('there'));
    const { decider } = makeDecider([]);
    const several = cleared(`http://app.localhost:${port}/`, { addresses: ['127.0.0.9', '127.0.0.1'] });
    expect(text((await guardedFetch(several, { decider, settings: limits })).body)).toBe('there');
  });

  it('ignores proxies of the environment', async () => {
    const proxy = await serve((_, response) => response.end('proxy'));
    const { origin } = await serve((_, response) => response.end('direct'));
    setEnvironment({ HTTP_PROXY: proxy.origin, http_proxy: proxy.origin, NODE_USE_ENV_PROXY: '1' });
    expect(text((await go(origin)).body)).toBe('direct');
    expect(proxy.requests).toEqual([]);
  });

  it('resolves each hop anew and pins it', async () => {
    const { port, requests } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next' });
      response.end();
    });
    const names = { 'app.localhost': [['127.0.0.1'], ['10.0.0.5']] };
    const error = await failure(go(`http://app.localhost:${port}/`, { list: ['*.localhost:*'], names }));
    expect(error).toBeInstanceOf(FetchRefused);
    expect(error).toMatchObject({ verdict: { findings: [{ rule: 'localhost_elsewhere' }] } });
    expect(requests).toHaveLength(1);
  });
});

describe('TLS', () => {
  it('names the host, not the address, in its greeting', async () => {
    const greetings: Buffer[] = [];
    const { port } = await serveBytes((socket) => {
      socket.once('data', (chunk) => {
        greetings.push(chunk);
        socket.destroy();
      });
    });
    const names = { 'app.localhost': [['127.0.0.1']] };
    const error = await failure(go(`https://app.localhost:${port}/`, { list: ['*.localhost:*'], names }));
    expect(error).toBeInstanceOf(FetchFailed);
    expect(greetings[0]?.includes('app.localhost')).toBe(true);
    await failure(go(`https://127.0.0.1:${port}/`));
    expect(greetings[1]?.includes('127.0.0.1')).toBe(false);
  });

  it('trusts a certificate only of a known authority and for the host', async ({ skip }) => {
    const options = certificateFor('DNS:app.localhost') ?? skip('no openssl');
    const server = createSecureServer(options, (_, response) => response.end('secret'));
    const port = await listening(server, '127.0.0.1');
    const names = { 'app.localhost': [['127.0.0.1']], 'other.localhost': [['127.0.0.1']] };
    const ask = (name: string) =>
      go(`https://${name}.localhost:${port}/`, { list: ['*.localhost:*'], names });
    setEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(await failure(ask('app'))).toBeInstanceOf(FetchFailed);
    trust(options.cert);
    expect(text((await ask('app')).body)).toBe('secret');
    expect(await failure(ask('other'))).toBeInstanceOf(FetchFailed);
  });
});

describe('redirects', () => {
  it('are followed through the path, hop by hop', async () => {
    const { origin, requests } = await serve((request, response) => {
      const next = { '/a': '/b', '/b': `${origin}/c` }[request.url ?? ''];
      if (next !== undefined) response.writeHead(301, { location: next });
      response.end('end');
    });
    const result = await go(`${origin}/a`);
    expect(result).toMatchObject({ url: `${origin}/c`, redirects: [`${origin}/b`, `${origin}/c`] });
    expect(result.asked.map(({ url }) => url)).toEqual([`${origin}/a`, `${origin}/b`, `${origin}/c`]);
    expect(requests).toHaveLength(3);
  });

  const refused: readonly (readonly [string, string])[] = [
    ['http://169.254.169.254/latest/meta-data/', 'metadata_address'],
    ['http://[::ffff:169.254.169.254]/', 'metadata_address'],
    ['//10.0.0.5/', 'private_address'],
    ['http://2852039166/', 'metadata_address'],
    ['https://example.com/', 'host_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['http://user:hunter2@127.0.0.1/', 'url_credentials'],
    [`http://127.0.0.1/${'a'.repeat(9000)}`, 'url_too_long'],
  ];
  for (const [location, rule] of refused) {
    it(`to ${location.slice(0, 50)} are refused without connecting`, async () => {
      const { origin, requests } = await serve((_, response) => {
        response.writeHead(302, { location });
        response.end();
      });
      const error = await failure(go(origin));
      expect(error).toBeInstanceOf(FetchRefused);
      if (!(error instanceof FetchRefused)) return;
      expect(error.verdict?.findings.map((finding) => finding.rule)).toContain(rule);
      expect(error.exitCode).toBe(
        error.verdict?.decision === 'approve' ? exitCodes.waiting : exitCodes.failed,
      );
      expect(error.message).not.toContain('hunter2');
      expect(requests).toHaveLength(1);
    });
  }

  it('that a person must allow say how', async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(302, { location: 'https://example.com/' });
      response.end();
    });
    expect(await failure(go(origin))).toMatchObject({
      hint: 'sallyport approve 1',
      message: expect.stringContaining('example.com'),
    });
  });

  it('that cannot be read, or lead to several places, are refused', async () => {
    const { origin, requests } = await serve((request, response) => {
      response.setHeader('location', request.url === '/two' ? ['/a', '/b'] : 'http://[');
      response.writeHead(302);
      response.end();
    });
    expect(await failure(go(`${origin}/two`))).toBeInstanceOf(FetchRefused);
    expect(requests).toHaveLength(1);
    expect(await failure(go(`${origin}/broken`))).toBeInstanceOf(FetchRefused);
  });

  it('without a location are responses', async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(302);
      response.end('stay');
    });
    expect(await go(origin)).toMatchObject({ status: 302 });
  });

  it('in a loop end, and so does the first where none is allowed', async () => {
    const { origin, requests } = await serve((_, response) => {
      response.writeHead(307, { location: '/' });
      response.end();
    });
    expect(await failure(go(origin))).toBeInstanceOf(TooManyRedirects);
    expect(requests).toHaveLength(1 + limits.maxRedirects);
    expect(await failure(go(origin, { maxRedirects: 0 }))).toBeInstanceOf(TooManyRedirects);
    expect(requests).toHaveLength(2 + limits.maxRedirects);
  });

  it('never leave https for http', async ({ skip }) => {
    const options = certificateFor('IP:127.0.0.1') ?? skip('no openssl');
    const plain = await serve((_, response) => response.end());
    const server = createSecureServer(options, (_, response) => {
      response.writeHead(302, { location: plain.origin });
      response.end();
    });
    const port = await listening(server, '127.0.0.1');
    trust(options.cert);
    const error = await failure(go(`https://127.0.0.1:${port}/`));
    expect(error).toBeInstanceOf(FetchRefused);
    expect(error).toMatchObject({ message: expect.stringContaining('leave https'), verdict: undefined });
    expect(plain.requests).toEqual([]);
  });

  const methods: readonly (readonly [number, string, string, boolean])[] = [
    [301, 'POST', 'GET', false],
    [302, 'POST', 'GET', false],
    [303, 'POST', 'GET', false],
    [303, 'PUT', 'GET', false],
    [301, 'PUT', 'PUT', true],
    [302, 'DELETE', 'DELETE', true],
    [307, 'POST', 'POST', true],
    [308, 'PUT', 'PUT', true],
  ];
  for (const [status, before, after, keeps] of methods) {
    it(`${status} makes ${before} ${after}`, async () => {
      const { origin, requests, bodies } = await serve((request, response) => {
        if (request.url === '/') response.writeHead(status, { location: '/next' });
        response.end();
      });
      const headers = { 'Content-Type': 'text/plain', 'X-A': 'b', Authorization: 'token' };
      await go(`${origin}/`, {}, { method: before, body: 'body', headers });
      expect(requests.map((request) => request.method)).toEqual([before, after]);
      expect(bodies).toEqual(['body', keeps ? 'body' : '']);
      expect(requests[1]?.headers['content-type']).toBe(keeps ? 'text/plain' : undefined);
      expect(requests[1]?.headers).toMatchObject({ 'x-a': 'b', authorization: 'token' });
    });
  }

  it('keep HEAD and GET as they are', async () => {
    const { origin, requests } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(303, { location: '/next' });
      response.end();
    });
    await go(`${origin}/`, {}, { method: 'HEAD' });
    await go(`${origin}/`);
    expect(requests.map((request) => request.method)).toEqual(['HEAD', 'HEAD', 'GET', 'GET']);
  });

  it('to another origin carry no header that could be a credential', async () => {
    const other = await serve((_, response) => response.end());
    const { origin } = await serve((_, response) => {
      response.writeHead(302, { location: other.origin });
      response.end();
    });
    const headers = {
      Authorization: 'secret',
      cookie: 'secret',
      'X-Api-Key': 'secret',
      'PRIVATE-TOKEN': 'secret',
      Accept: 'text/plain',
      'User-Agent': 'me',
    };
    await go(origin, {}, { headers });
    expect(JSON.stringify(other.requests[0]?.rawHeaders)).not.toContain('secret');
    expect(other.requests[0]?.headers).toMatchObject({ accept: 'text/plain', 'user-agent': 'me' });
  });

  it('hold no cookies', async () => {
    const { origin, requests } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next', 'set-cookie': 'a=1; Path=/' });
      response.end();
    });
    await go(`${origin}/`);
    expect(requests[1]?.headers.cookie).toBeUndefined();
  });

  it('that change something outside wait for a person', async () => {
    const { origin, requests } = await serve((_, response) => {
      response.writeHead(308, { location: 'http://8.8.8.8/' });
      response.end();
    });
    const given = { list: ['localhost:*', '8.8.8.8'] };
    const error = await failure(go(origin, given, { method: 'POST', body: 'a' }));
    expect(error).toMatchObject({ verdict: { findings: [{ rule: 'state_changing_request' }] } });
    expect(requests).toHaveLength(1);
  });

  it('end where the decider fails', async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(302, { location: '/next' });
      response.end();
    });
    const { decideFetch } = makeDecider(['localhost:*']);
    const real = (await decideFetch({ kind: 'fetch', url: origin })).cleared!;
    const decider: Pick<Decider, 'decide'> = {
      decide: () => Promise.reject(new Error('broken')),
    };
    await expect(guardedFetch(real, { decider, settings: limits })).rejects.toThrow('broken');
  });

  it('are run only with a clearance that is fresh', async () => {
    const { origin, requests } = await serve((_, response) => {
      response.writeHead(302, { location: '/next' });
      response.end();
    });
    const { decider, decideFetch } = makeDecider(['localhost:*']);
    const real = (await decideFetch({ kind: 'fetch', url: origin })).cleared!;
    const { verdict } = await decideFetch({ kind: 'fetch', url: origin });
    const lying = {
      ...decider,
      decide: async () => ({ verdict, facts: {}, parts: [], cleared: { ...real } as never }),
    };
    await expect(guardedFetch(real, { decider: lying, settings: limits })).rejects.toBeInstanceOf(NotCleared);
    expect(requests).toHaveLength(1);
  });
});

describe('limits', () => {
  it('hold for a body that says how long it is', async () => {
    const { origin } = await serve((_, response) => response.end('a'.repeat(1001)));
    expect(await failure(go(origin, { maxResponseBytes: 1000 }))).toBeInstanceOf(FetchTooLarge);
    expect((await go(origin, { maxResponseBytes: 1001 })).body).toHaveLength(1001);
  });

  it('hold for a body that never ends', async () => {
    const { origin } = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('a'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    expect(await failure(go(origin))).toBeInstanceOf(FetchTooLarge);
  });

  const compressions = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync };
  for (const [coding, compress] of Object.entries(compressions)) {
    it(`hold for a ${coding} bomb, and a small body is read`, async () => {
      const { origin } = await serve((request, response) => {
        response.setHeader('content-encoding', coding.toUpperCase());
        response.end(compress(Buffer.alloc(request.url === '/bomb' ? 50_000_000 : 50_000)));
      });
      expect(await failure(go(`${origin}/bomb`))).toBeInstanceOf(FetchTooLarge);
      const { body, headers } = await go(`${origin}/`);
      expect(body).toHaveLength(50_000);
      expect(headers.map(([name]) => name)).not.toContain('content-encoding');
      expect(headers.map(([name]) => name)).not.toContain('content-length');
    });
  }

  it('hold for a stream that decompresses to nothing for ever', async () => {
    const nothing = gzipSync('');
    const { origin } = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.concat(new Array<Buffer>(500).fill(nothing))));
      };
      response.on('drain', more);
      more();
    });
    expect(await failure(go(origin))).toBeInstanceOf(FetchTooLarge);
  });

  it('refuse codings that are stacked or unknown, and broken ones fail', async () => {
    const { origin } = await serve((request, response) => {
      response.setHeader('content-encoding', decodeURIComponent(request.url?.slice(1) ?? ''));
      response.end('not compressed');
    });
    for (const coding of ['zstd', 'gzip, gzip', 'compress']) {
      expect(await failure(go(`${origin}/${encodeURIComponent(coding)}`)), coding).toBeInstanceOf(
        FetchRefused,
      );
    }
    expect(await failure(go(`${origin}/gzip`))).toBeInstanceOf(FetchFailed);
    expect(text((await go(`${origin}/identity`)).body)).toBe('not compressed');
  });

  it('hold for headers, in bytes and in number', async () => {
    const { port } = await serveBytes((socket) => {
      socket.once('data', (chunk) => {
        const long = chunk.toString().startsWith('GET /long');
        const lines = long ? `X-A: ${'a'.repeat(70_000)}\r\n` : 'X-A: b\r\n'.repeat(300);
        socket.end(`HTTP/1.1 200 OK\r\n${lines}Content-Length: 0\r\n\r\n`);
      });
    });
    expect(await failure(go(`http://127.0.0.1:${port}/long`))).toBeInstanceOf(FetchTooLarge);
    expect(await failure(go(`http://127.0.0.1:${port}/many`))).toBeInstanceOf(FetchTooLarge);
  });

  it('hold for time: a server that says nothing, or a byte now and then', async () => {
    const silent = await serveBytes(() => {});
    expect(await failure(go(`http://127.0.0.1:${silent.port}/`, { timeoutMs: 100 }))).toBeInstanceOf(
      FetchTimedOut,
    );
    const drip = (start: string) => (socket: Socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write('a'), 5);
      socket.on('close', () => clearInterval(timer));
    };
    const slowHeaders = await serveBytes(drip('HTTP/1.1 200 OK\r\nX-A: '));
    const slowBody = await serveBytes(drip('HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n'));
    for (const { port } of [slowHeaders, slowBody]) {
      expect(await failure(go(`http://127.0.0.1:${port}/`, { timeoutMs: 100 }))).toBeInstanceOf(
        FetchTimedOut,
      );
    }
  });

  it('hold for time over all redirects, and for a decider that does not answer', async () => {
    const { origin } = await serve((_, response) => {
      setTimeout(() => {
        response.writeHead(302, { location: '/' });
        response.end();
      }, 20);
    });
    const given = { timeoutMs: 150, maxRedirects: 1_000_000 };
    expect(await failure(go(origin, given))).toBeInstanceOf(FetchTimedOut);
    const { decideFetch } = makeDecider(['localhost:*']);
    const real = (await decideFetch({ kind: 'fetch', url: origin })).cleared!;
    const decider: Pick<Decider, 'decide'> = {
      decide: () => new Promise(() => {}),
    };
    const settings = { ...limits, timeoutMs: 150 };
    await expect(guardedFetch(real, { decider, settings })).rejects.toBeInstanceOf(FetchTimedOut);
  });

  it('close the connection', async () => {
    const closed: Promise<void>[] = [];
    const { port } = await serveBytes((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    });
    await go(`http://127.0.0.1:${port}/`);
    await failure(go(`http://127.0.0.1:${port}/`, { maxResponseBytes: 1 }));
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
  });
});

describe('the end', () => {
  it('comes when the caller gives up, before or during the fetch', async () => {
    const { origin, requests } = await serve(() => abort.abort());
    const abort = new AbortController();
    expect(await failure(go(origin, { signal: abort.signal }))).toBeInstanceOf(FetchAborted);
    expect(requests).toHaveLength(1);
    expect(await failure(go(origin, { signal: AbortSignal.abort() }))).toBeInstanceOf(FetchAborted);
    expect(requests).toHaveLength(1);
  });

  it('comes for an address that cannot be connected to at all', async () => {
    const { decider } = makeDecider([]);
    for (const scheme of ['http', 'https']) {
      const nowhere = cleared(`${scheme}://example.com/`, { addresses: ['255.255.255.255'] });
      const error = await failure(
        guardedFetch(nowhere, { decider, settings: { ...limits, timeoutMs: 2000 } }),
      );
      expect(error instanceof FetchFailed || error instanceof FetchTimedOut).toBe(true);
    }
  });

  it('has a name for each way in which a connection fails', async () => {
    const { port: closed } = await serve(() => {});
    for (const cleanup of cleanups.splice(0)) await cleanup();
    const replies = [
      '',
      'garbage\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab',
      'HTTP/1.1 101 S\r\n\r\n',
    ];
    const { port } = await serveBytes((socket) =>
      socket.once('data', () => socket.end(replies.shift() ?? '')),
    );
    const ports = [closed, port, port, port, port];
    for (const one of ports) {
      const error = await failure(go(`http://127.0.0.1:${one}/secret?secret`));
      expect(error).toBeInstanceOf(FetchFailed);
      expect(String(error)).not.toContain('secret');
    }
  });
});
