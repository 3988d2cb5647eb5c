// Tests that the PostgreSQL of the tests starts, fails and comes back as told, and leaves nothing behind.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, type ClientConfig } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type PostgresOptions,
  type PostgresServer,
  postgresMissing,
  postgresTlsMissing,
  processGone,
  sharedPostgres,
  startPostgres,
} from './postgres.ts';
import { oneOf } from './share.ts';

const inShare = (_: unknown, index: number) => index % oneOf(2) === 0;
const support = fileURLToPath(new URL('./postgres.ts', import.meta.url));

async function server(options: PostgresOptions = {}): Promise<PostgresServer> {
  const started = await startPostgres(options);
  onTestFinished(() => started.stop());
  return started;
}

async function connect(url: string, more: ClientConfig = {}): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, ...more });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

/** The first column of a query, on a connection of its own. */
async function ask(url: string, query: string, more: ClientConfig = {}): Promise<unknown[]> {
  const client = await connect(url, more);
  const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' });
  await client.end();
  return rows.map(([first]) => first);
}

/** A stranger that listens on the port, which must be free. */
function stranger(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const listening = createServer();
    listening.once('error', reject);
    listening.listen(port, '127.0.0.1', () => resolve(listening));
  });
}

async function soon(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !holds(); tries++) await sleep(50);
  expect(holds()).toBe(true);
}

describe.skipIf(postgresMissing)('a PostgreSQL server', () => {
  test('starts, answers, and leaves neither process nor folder behind', async () => {
    const postgres = await server();
    const { pid, folder, port } = postgres;
    expect(postgres.url).toMatch(
      new RegExp(`^postgres://sallyport:[\\w-]+@127\\.0\\.0\\.1:${port}/sallyport$`),
    );
    const [backend] = await ask(postgres.url, 'SELECT pg_backend_pid()');
    expect(await ask(postgres.url, 'SHOW fsync')).toEqual(['on']);
    expect(processGone(pid)).toBe(false);
    await postgres.stop();
    expect([pid, Number(backend)].map(processGone)).toEqual([true, true]);
    expect(existsSync(folder)).toBe(false);
    (await stranger(port)).close();
    await postgres.stop();
  });

  test('gives roles that row-level security binds, and databases closed to one another', async () => {
    const { server: postgres } = await sharedPostgres();
    const other = await postgres.createDatabase('an "other" one');
    const reader = await postgres.createRole('reader', 'sallyport');
    const bypass = 'SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user';
    expect(await ask(postgres.url, bypass)).toEqual([false]);
    expect(await ask(other, bypass)).toEqual([false]);
    expect(await ask(other, 'SELECT current_database()')).toEqual(['an "other" one']);
    expect(await ask(postgres.superuserUrl('sallyport'), bypass)).toEqual([true]);
    expect(await ask(reader, bypass)).toEqual([false]);
    await expect(ask(reader, 'CREATE TABLE mine (id int)')).rejects.toThrow('permission denied for schema');
    await expect(ask(postgres.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password');
  });

  test('takes settings, and a start that fails shows the log and leaves nothing', async () => {
    const postgres = await server({ settings: { max_connections: '7' } });
    expect(await ask(postgres.url, 'SHOW max_connections')).toEqual(['7']);
    await expect(startPostgres({ settings: { no_such_setting: '1' } })).rejects.toThrow(
      /ended while it started[\s\S]*no_such_setting/,
    );
  });

  test.each((['immediate', 'fast', 'kill'] as const).filter(inShare))(
    'keeps what was committed over a restart: %s',
    async (how) => {
      const { server: postgres, url } = await sharedPostgres();
      const { pid } = postgres;
      await ask(url, 'CREATE TABLE kept (id int)');
      await ask(url, 'INSERT INTO kept VALUES (1)');
      const open = await connect(url);
      await open.query('BEGIN');
      await open.query('INSERT INTO kept VALUES (2)');
      await postgres.restart(how);
      expect(postgres.pid).not.toBe(pid);
      await expect(open.query('COMMIT')).rejects.toThrow();
      expect(await ask(url, 'SELECT id FROM kept')).toEqual([1]);
    },
  );

  test('is away after a kill, frees its port, and recovers at the next start', async () => {
    const postgres = await server();
    const { pid, port, url } = postgres;
    const open = await connect(url);
    const { rows } = await open.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await ask(url, 'CREATE TABLE kept AS SELECT 1 AS id');
    await postgres.kill();
    expect([pid, rows[0]!.pid].map(processGone)).toEqual([true, true]);
    await expect(connect(url)).rejects.toThrow('ECONNREFUSED');
    const occupant = await stranger(port);
    const starting = postgres.start();
    await soon(() => postgres.logTail().includes('could not bind'));
    occupant.close();
    await starting;
    expect(await ask(url, 'SELECT id FROM kept')).toEqual([1]);
    expect(postgres.logTail()).toContain('was not properly shut down');
    await postgres.kill();
    await postgres.stop();
    expect(existsSync(postgres.folder)).toBe(false);
  });

  test('hangs while it is paused, old connections and new, and answers when it resumes', async () => {
    const { server: postgres, url } = await sharedPostgres();
    const open = await connect(url);
    await postgres.pause();
    const answers: string[] = [];
    const asked = [
      open.query('SELECT 1').then(() => answers.push('old')),
      ask(url, 'SELECT 1', { connectionTimeoutMillis: 0 }).then(() => answers.push('new')),
    ];
    await sleep(500);
    expect(answers).toEqual([]);
    await postgres.resume();
    await Promise.all(asked);
    expect(answers.toSorted()).toEqual(['new', 'old']);
  });

  test.each((['stop', 'kill'] as const).filter(inShare))(
    'can be ended while it is paused: %s',
    async (how) => {
      const postgres = await server();
      const { pid } = postgres;
      const [backend] = await ask(postgres.url, 'SELECT pg_backend_pid()');
      await postgres.pause();
      await postgres[how]();
      expect([pid, Number(backend)].map(processGone)).toEqual([true, true]);
    },
  );

  test('does not collide with another one', async () => {
    const [one, other] = await Promise.all([server(), server()]);
    expect(one.port).not.toBe(other.port);
    expect(one.folder).not.toBe(other.folder);
    await one.stop();
    expect(await ask(other.url, 'SELECT 1')).toEqual([1]);
  });

  const ends: readonly (readonly [string, string])[] = [
    ['it exits', 'process.exit(0)'],
    ['it has nothing left to do', ''],
    ['it is killed', "process.kill(process.pid, 'SIGKILL')"],
    ['it is killed while the server is paused', "await server.pause(); process.kill(process.pid, 'SIGKILL')"],
  ];
  test.each(ends.filter(inShare))('ends with the process that started it: %s', async (_case, end) => {
    const script = `
      import { sharedPostgres } from ${JSON.stringify(support)};
      const { server } = await sharedPostgres();
      console.log(JSON.stringify([server.pid, server.folder]));
      ${end}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await new Promise((resolve) => child.once('close', resolve));
    const [pid, folder]: [number, string] = JSON.parse(output);
    await soon(() => processGone(pid) && !existsSync(folder));
  });
});

describe.skipIf(postgresMissing)('the shared PostgreSQL server', () => {
  test('hands out a fresh database each time, from one server', async () => {
    const [one, other] = await Promise.all([sharedPostgres(), sharedPostgres()]);
    expect(one.server.pid).toBe(other.server.pid);
    expect(one.name).not.toBe(other.name);
    await ask(one.url, 'CREATE TABLE mine (id int)');
    await ask(other.url, 'CREATE TABLE mine (id int)');
    const intruder = one.url.replace(/[^/]+$/, other.name);
    await expect(ask(intruder, 'SELECT 1')).rejects.toThrow('permission denied for database');
  });
});

describe.skipIf(postgresTlsMissing)('a PostgreSQL server with TLS', () => {
  test('is trusted with its certificate only, and refuses plain connections', async () => {
    const postgres = await server({ tls: true });
    const ca = readFileSync(postgres.ca!, 'utf8');
    const encrypted = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    expect(await ask(postgres.url, encrypted, { ssl: { ca } })).toEqual([true]);
    expect(await ask(`${postgres.url}?sslmode=verify-full&sslrootcert=${postgres.ca}`, encrypted)).toEqual([
      true,
    ]);
    await expect(ask(postgres.url, encrypted, { ssl: true })).rejects.toThrow('self-signed certificate');
    await expect(ask(postgres.url, encrypted)).rejects.toThrow('no encryption');
    await postgres.restart('fast');
    expect(await ask(postgres.url, encrypted, { ssl: { ca } })).toEqual([true]);
  });
});
