import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sendCall } from './client.ts';

function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'socket');
}

it('knows a daemon that does not run from one that does not answer', async () => {
  const socket = socketPath();
  expect(await sendCall(socket, '/healthz')).toBeNull();
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(socket, resolve));
  onTestFinished(() => void silent.close());
  await expect(sendCall(socket, '/healthz', { timeoutMs: 50 })).rejects.toThrow('has not answered for 0.05');
});

it('takes a daemon that ends while it is asked for one that does not run', async () => {
  const socket = socketPath();
  const ending = createServer((connection) => void connection.destroy());
  await new Promise<void>((resolve) => ending.listen(socket, resolve));
  onTestFinished(() => void ending.close());
  expect(await sendCall(socket, '/healthz')).toBeNull();
});
