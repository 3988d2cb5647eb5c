// Buffered responses, streamed responses, and the failures of both.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exchangeBuffered } from './buffered-exchange.ts';
import { FetchTooLarge } from './errors.ts';

async function asking(respond: (out: ServerResponse) => void, most = 1000) {
  const server = createServer((_, out) => respond(out));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });
  const stop = new AbortController();
  const flows = (headers: NodeJS.Dict<string | string[]>) => headers['content-type'] === 'text/event-stream';
  const ask = () =>
    exchangeBuffered(pool, { method: 'GET', path: '/' }, { signal: stop.signal, flows, most });
  return { ask, stop };
}

const flowing = { 'content-type': 'text/event-stream' };

describe('a short answer', () => {
  it.each([
    ['in one piece', ['all of it']],
    ['in several', ['all ', 'of ', 'it']],
  ])('is given whole, %s', async (_, pieces) => {
    const { ask } = await asking(async (out) => {
      out.writeEarlyHints({ link: '</a>; rel=preload' });
      out.writeHead(201, { 'x-one': '1' });
      for (const piece of pieces) {
        out.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      out.end();
    });
    const { status, headers, body } = await ask();
    expect([status, headers['x-one'], String(body)]).toEqual([201, '1', 'all of it']);
  });

  it('may be empty', async () => {
    const { ask } = await asking((out) => out.writeHead(204).end());
    expect(await ask()).toMatchObject({ status: 204, body: Buffer.alloc(0) });
  });

  it('is not taken beyond its limit', async () => {
    const { ask } = await asking((out) => out.end('x'.repeat(1001)));
    await expect(ask()).rejects.toThrow(FetchTooLarge);
  });

  it('fails with the connection', async () => {
    const { ask } = await asking((out) => {
      out.writeHead(200, { 'content-length': '10' }).write('half');
      setTimeout(() => out.destroy(), 20);
    });
    await expect(ask()).rejects.toThrow(/closed|terminated/);
  });

  it.each([
    ['before it is asked for', true],
    ['while it is waited for', false],
  ])('is given up %s', async (_, before) => {
    const came = Promise.withResolvers<void>();
    const { ask, stop } = await asking((out) => {
      out.write('half');
      came.resolve();
    });
    const reason = new Error('enough');
    if (before) stop.abort(reason);
    const asked = ask();
    asked.catch(() => undefined);
    if (!before) await came.promise;
    stop.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });
});

describe('an answer that flows', () => {
  it('comes in pieces, however much it is, and no faster than it is read', async () => {
    const { ask } = await asking((out) => {
      out.writeHead(200, flowing);
      Readable.from(Array.from({ length: 64 }, () => 'y'.repeat(16_384))).pipe(out);
    });
    const { body } = await ask();
    if (!(body instanceof Readable)) throw new Error('it does not flow');
    let size = 0;
    for await (const piece of body) {
      size += piece.length;
      expect(body.readableLength).toBeLessThan(1_000_000);
    }
    expect(size).toBe(64 * 16_384);
  });

  it('ends at the other side when nobody reads it', async () => {
    const closed = Promise.withResolvers<void>();
    const { ask } = await asking((out) => {
      out.writeHead(200, flowing).write('one');
      out.once('close', closed.resolve);
    });
    const { body } = await ask();
    if (body instanceof Readable) body.destroy();
    await expect(closed.promise).resolves.toBeUndefined();
  });

  it.each(['lost', 'given up'])('fails for its reader once it is %s', async (how) => {
    const { ask, stop } = await asking((out) => {
      out.writeHead(200, flowing).write('one');
      if (how === 'lost') setTimeout(() => out.destroy(), 20);
    });
    const { body } = await ask();
    if (!(body instanceof Readable)) throw new Error('it does not flow');
    const read = body.toArray();
    read.catch(() => undefined);
    if (how === 'given up') stop.abort(new Error('enough'));
    await expect(read).rejects.toThrow(how === 'lost' ? /closed|terminated/ : 'enough');
  });
});
