// Tests of programs that run in a sandbox: what a hostile one can access.

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerSandbox } from '../../config/index.ts';
import { findSandbox } from '../sandbox.ts';
import { StdioTransport } from './stdio.ts';

const hasSandbox = 'program' in (await findSandbox());

/** Answers the first message with its capabilities. */
const hostile = `
import { readFileSync, writeFileSync } from 'node:fs';
const [outside, inside, port] = process.argv.slice(2);
const can = async (work) => { try { await work(); return true; } catch { return false; } };
process.stdin.once('data', async () => {
  const result = {
    readsOutside: await can(() => readFileSync(outside + '/secret.txt')),
    writesOutside: await can(() => writeFileSync(outside + '/made.txt', 'x')),
    writesInside: await can(() => writeFileSync(inside + '/made.txt', 'x')),
    changesItself: await can(() => writeFileSync(import.meta.filename, 'x')),
    sends: await can(() => fetch('http://127.0.0.1:' + port)),
    secret: process.env.SECRET ?? null,
  };
  console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
});`;

/**
 * The capabilities that the program reports; the folder of its package, and those outside and inside of its sandbox.
 */
async function attempts(sandbox: (folders: readonly string[]) => ServerSandbox | undefined) {
  const folders = ['package', 'outside', 'inside'].map((name) =>
    realpathSync(mkdtempSync(join(tmpdir(), `sallyport-test-${name}-`))),
  );
  const [home = '', outside = '', inside = ''] = folders;
  const file = join(home, 'server.mjs');
  writeFileSync(file, hostile);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  const web = createServer((_, response) => response.end('reached'));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const walls = sandbox(folders);
  const args = [file, outside, inside, String(port)];
  const own = { kind: 'stdio', command: process.execPath, args, env: {}, cwd: null } as const;
  const transport = new StdioTransport({
    place: walls === undefined ? own : { ...own, sandbox: walls },
    environment: { ...process.env, SECRET: 'told' },
    parse: (line) => JSON.parse(line) as JSONRPCMessage,
  });
  onTestFinished(async () => {
    await transport.close();
    web.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  await transport.start();
  const answered = new Promise<JSONRPCMessage>((resolve) => {
    transport.onmessage = resolve;
  });
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return { answer: await answered, file };
}

const walled = ([home = '', , inside = '']: readonly string[]): ServerSandbox => ({
  read: [home, realpathSync(process.execPath)],
  write: [inside],
  network: 'off',
});

describe('a program', () => {
  it('without a sandbox reaches what its user does', async () => {
    const { answer } = await attempts(() => undefined);
    expect(answer).toMatchObject({
      result: { readsOutside: true, writesOutside: true, sends: true, secret: null },
    });
  });

  it.skipIf(!hasSandbox)('in a sandbox reaches what is named, and nothing else', async () => {
    const { answer, file } = await attempts(walled);
    expect(answer).toMatchObject({
      result: {
        readsOutside: false,
        writesOutside: false,
        writesInside: true,
        changesItself: false,
        sends: false,
        secret: null,
      },
    });
    expect(readFileSync(file, 'utf8')).toBe(hostile);
  });

  it.skipIf(!hasSandbox)('in a sandbox with the network reaches that too', async () => {
    const { answer } = await attempts((folders) => ({ ...walled(folders), network: 'host' }));
    expect(answer).toMatchObject({ result: { readsOutside: false, writesOutside: false, sends: true } });
  });

  it.skipIf(!hasSandbox)('is not started where it could change the home of its user', async () => {
    await expect(attempts(() => ({ read: [], write: ['/root', '/home'], network: 'off' }))).rejects.toThrow(
      'cannot be the workspace',
    );
  });
});
