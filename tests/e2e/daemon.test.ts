// The daemon as a person starts, meets and stops it, and what it survives.

import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { sendCall } from '../../src/cli/client.ts';
import { loadConfig } from '../../src/config/index.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { cli, ended, newPlace, type Place, startCli } from '../support/cli.ts';
import { testDaemon } from '../support/daemon.ts';
import { hurry } from '../support/ledger.ts';

const socketOf = (place: Place) => join(place.home, 'run', 'sallyport.sock');

/** Starts a daemon in a process of its own and waits until it says where it listens. */
async function up(place: Place, args: readonly string[] = []) {
  const child = startCli(place, ['up', '--port', '0', '--json', ...args]);
  const end = ended(child);
  const started = await new Promise<{ pid: number; port: number }>((resolve, reject) => {
    child.stdout?.once('data', (text: string) => {
      const said = JSON.parse(text);
      if ('pid' in said) resolve(said);
      else reject(new Error(said.error));
    });
    child.once('close', () => end.then(({ stderr }) => reject(new Error(stderr))));
  });
  return { child, end, ...started };
}

function ask(place: Place, path: string, body?: object) {
  const token = readFileSync(join(place.home, 'keys', 'decide.token'), 'utf8').trim();
  return sendCall(socketOf(place), path, { token, ...(body === undefined ? {} : { body }) });
}

function decide(place: Place, url = 'http://169.254.169.254/') {
  return ask(place, '/v1/decide', { kind: 'fetch', url, context: { workspace: place.workspace } });
}

async function kill9(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await gone;
}

describe('sallyport up', () => {
  it('says where it listens and what to do next, and stops on a signal', async () => {
    const place = newPlace();
    const child = startCli(place, ['up', '--port', '0']);
    const end = ended(child);
    await new Promise((resolve) =>
      child.stdout?.on('data', (text: string) => text.includes('Ctrl-C') && resolve(0)),
    );
    expect(await decide(place)).toMatchObject({ status: 200, body: { decision: 'block' } });
    child.kill('SIGINT');
    const { status, stdout, stderr } = await end;
    expect(status).toBe(0);
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    expect(stdout).toContain('npx sallyport doctor');
    const events = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    expect(events).toEqual(['started', 'stopped']);
    expect(existsSync(socketOf(place))).toBe(false);
  });

  it('is seen by status, and ended by down', async () => {
    const place = newPlace();
    const { pid, port, end } = await up(place);
    expect(JSON.parse((await cli(place, ['status', '--json'])).stdout)).toMatchObject({
      running: true,
      pid,
      port,
    });
    expect(await cli(place, ['down'])).toMatchObject({ status: 0, stdout: 'Stopped.\n' });
    expect((await end).status).toBe(0);
    const types = JSON.parse(
      `[${(await cli(place, ['log', '--json'])).stdout.trim().split('\n').join(',')}]`,
    ).map((entry: { event_type: string }) => entry.event_type);
    expect(types[0]).toBe('daemon_stopped');
    expect(types).toContain('daemon_started');
  });

  it('runs behind with --detach', async () => {
    const place = newPlace();
    const started = await cli(place, ['up', '--port', '0', '--detach', '--json']);
    expect(started.stderr).toBe('');
    const { pid } = JSON.parse(started.stdout);
    expect(await decide(place)).toMatchObject({ status: 200 });
    expect(JSON.parse((await cli(place, ['down', '--json'])).stdout)).toEqual({ stopped: true, pid });
  });

  it('refuses to start twice for one home, and the first goes on', async () => {
    const place = newPlace();
    await up(place);
    const second = await cli(place, ['up', '--port', '0']);
    expect(second).toMatchObject({ status: 1, stdout: '' });
    expect(second.stderr).toContain('a daemon is running already');
    const behind = await cli(place, ['up', '--port', '0', '--detach']);
    expect(behind).toMatchObject({ status: 1, stderr: expect.stringContaining('daemon.log') });
    expect(behind.stderr).toContain('the daemon did not start: a daemon is running already');
    expect(await decide(place)).toMatchObject({ status: 200 });
  });

  it('of two that start at once, lets one win', async () => {
    const place = newPlace();
    const tries = await Promise.allSettled([up(place), up(place), up(place)]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await decide(place)).toMatchObject({ status: 200 });
  });

  it('says so when the port is taken, and leaves nothing behind', async () => {
    const place = newPlace();
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    const tried = await cli(place, ['up', '--port', String(port)]);
    other.close();
    expect(tried).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`127.0.0.1:${port}: another program has it`),
    });
    expect(existsSync(socketOf(place))).toBe(false);
    const { child } = await up(place);
    expect(child.exitCode).toBeNull();
  });

  it('says so when the home has too long a path for a socket', async () => {
    const place = newPlace();
    const long = { ...place, home: join(place.home, 'x'.repeat(120)) };
    const tried = await cli(long, ['up', '--port', '0']);
    expect(tried).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('choose a shorter SALLYPORT_HOME'),
    });
  });

  it('takes over the files of a daemon that was killed', async () => {
    const place = newPlace();
    const { child } = await up(place);
    const verdict = await decide(place);
    await kill9(child);
    expect(existsSync(socketOf(place))).toBe(true);
    expect(await cli(place, ['status'])).toMatchObject({ status: 1 });
    expect(await cli(place, ['down'])).toMatchObject({ status: 0, stdout: 'It is not running.\n' });
    await up(place);
    const body = verdict?.body as { decisionId: string };
    expect((await cli(place, ['why', body.decisionId])).status).toBe(0);
    expect(JSON.parse((await cli(place, ['log', 'verify', '--json'])).stdout)).toMatchObject({ clean: true });
  });

  it('closes, as blocked, a stream that a killed daemon left open', async () => {
    const place = newPlace();
    const { child } = await up(place);
    const opened = await ask(place, '/v1/streams', { context: { workspace: place.workspace } });
    const { id } = opened!.body as { id: string };
    const pushed = await ask(place, `/v1/streams/${id}/push`, { piece: 'Half of an ans' });
    expect(pushed).toMatchObject({ status: 200, body: { blocked: false } });
    await kill9(child);
    await up(place);
    expect(await ask(place, `/v1/streams/${id}/push`, { piece: 'wer' })).toMatchObject({ status: 404 });
    const closing = async () => {
      const log = await ask(place, `/v1/log?decision_id=${id}&event_type=stream_closed`);
      return (log!.body as { entries: readonly object[] }).entries;
    };
    while ((await closing()).length === 0) await new Promise((go) => setTimeout(go, 50));
    expect(await closing()).toMatchObject([
      { decision: 'block', details: { orphan_of: expect.any(String) } },
    ]);
  });

  it('never ends a stranger whose number stands in a stale file', async () => {
    const place = newPlace();
    mkdirSync(join(place.home, 'run'), { recursive: true, mode: 0o700 });
    writeFileSync(join(place.home, 'run', 'daemon.json'), JSON.stringify({ pid: process.pid, port: 1 }));
    expect(await cli(place, ['down'])).toMatchObject({ status: 0, stdout: 'It is not running.\n' });
    expect(await cli(place, ['status'])).toMatchObject({ status: 1 });
    await up(place);
  });

  it('refuses everything while its store is locked, and works again afterwards', async () => {
    // In this process, whose clock can be hurried.
    const { credential, decide: ask, paths } = await testDaemon();
    const token = await credential();
    const other = new DatabaseSync(paths.ledger);
    other.exec('BEGIN IMMEDIATE');
    hurry();
    const refused = await ask(token, 'https://example.com/');
    other.exec('ROLLBACK');
    other.close();
    expect(refused.body).toMatchObject({ decision: 'block', findings: [{ rule: 'record_failed' }] });
    expect((await ask(token, 'https://example.com/')).body).toMatchObject({ decision: 'approve' });
  });

  it('loses nothing that it acknowledged when it is told to stop under load', async () => {
    const place = newPlace();
    const { child, end } = await up(place);
    const acknowledged: string[] = [];
    const callers = Array.from({ length: 16 }, async () => {
      for (;;) {
        const answer = await decide(place);
        if (answer === null || answer.status !== 200) return;
        acknowledged.push((answer.body as { decisionId: string }).decisionId);
      }
    });
    while (acknowledged.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGTERM');
    await Promise.all(callers);
    expect((await end).status).toBe(0);
    const log = (await cli(place, ['log', '--json', '--limit', '10000'])).stdout;
    expect(acknowledged.filter((id) => !log.includes(id))).toEqual([]);
    expect(JSON.parse((await cli(place, ['log', 'verify', '--json'])).stdout)).toMatchObject({ clean: true });
  });

  it('makes its credential anew when the ledger is a new one and the loss is accepted', async () => {
    const place = newPlace();
    const first = await up(place);
    const token = readFileSync(join(place.home, 'keys', 'decide.token'), 'utf8');
    first.child.kill('SIGTERM');
    await first.end;
    const second = await up(place);
    expect(readFileSync(join(place.home, 'keys', 'decide.token'), 'utf8')).toBe(token);
    second.child.kill('SIGTERM');
    await second.end;
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(place.home, `ledger.db${suffix}`), { force: true });
    await expect(up(place)).rejects.toThrow('was removed');
    const { ledger } = await loadConfig({ home: place.home, environment: {} });
    const acceptedBy = { user: 'ann', tenant: 'local' };
    await (await openLedger(place.home, ledger, { acceptedBy })).close();
    await up(place);
    expect(readFileSync(join(place.home, 'keys', 'decide.token'), 'utf8')).not.toBe(token);
    expect(await decide(place)).toMatchObject({ status: 200 });
  });
});
