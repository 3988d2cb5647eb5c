// A real daemon in this process, on a free port and a home of its own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createApprover,
  leastCost,
  loadConfig,
  paths,
  prepareHome,
  readApprover,
  verifyByApprover,
} from '../../src/config/index.ts';
import type { World } from '../../src/core/index.ts';
import { createDecider, realWorld, SessionMemory } from '../../src/decide/index.ts';
import type { AnyGuard } from '../../src/guards/index.ts';
import { chainIn, Ledger, operatorKeyIn, type Principal } from '../../src/ledger/index.ts';
import { Captures } from '../../src/run/index.ts';
import { createLog, type HostDesk, startDaemon } from '../../src/surfaces/http/index.ts';
import { type Engine, emptyPostgres, temporaryFolder } from './ledger.ts';

export const passphrase = 'correct horse battery staple';

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the daemon says as it comes
  readonly body: any;
}

export interface CallOptions {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Bytes to send as they are. */
  readonly raw?: Uint8Array | string;
  readonly socket?: boolean;
}

/** Starts a daemon; it is stopped when the test is over. */
export async function testDaemon(
  options: {
    passphrase?: boolean;
    configuration?: string | ((workspace: string) => string);
    engine?: Engine;
    world?: Partial<World>;
    guards?: readonly AnyGuard[];
    environment?: Record<string, string>;
    consoleFolder?: string;
    desk?: HostDesk;
  } = {},
) {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  prepareHome(home);
  if (options.passphrase) await createApprover(home, passphrase, leastCost);
  const { configuration, engine = 'sqlite' } = options;
  const file = typeof configuration === 'function' ? configuration(workspace) : configuration;
  if (file) writeFileSync(join(home, 'sallyport.toml'), file);
  const places = paths(home);
  const world = { ...realWorld(), ...options.world };
  const ledger = await Ledger.open({
    store:
      engine === 'sqlite'
        ? { file: places.ledger }
        : { url: (await emptyPostgres()).url, poolSize: 4, statementTimeoutMs: 10_000 },
    operatorKey: operatorKeyIn(places.keys),
    chain: chainIn(places.keys),
    check: verifyByApprover,
    now: world.now,
  });
  const approver = readApprover(home);
  if (approver !== null) await ledger.approvers.set('home', approver.publicKey, world.now());
  const config = await loadConfig({ home, environment: options.environment ?? {}, world });
  const lines: string[] = [];
  const captures = new Captures({
    store: places.snapshots,
    personHome: homedir(),
    config,
    ledger,
    world,
    report: (event, error) => lines.push(`${event} ${String(error)}`),
  });
  const memory = new SessionMemory(world);
  const daemon = await startDaemon({
    memory,
    home,
    paths: places,
    config,
    ledger,
    world,
    captures,
    decider: createDecider({
      config,
      world: { ...world, restorable: (place) => captures.covers(place) },
      ledger,
      memory,
      ...(options.guards === undefined ? {} : { guards: options.guards }),
    }),
    owner: { user: 'owner', tenant: 'local' },
    log: createLog((line) => lines.push(line), 'debug', world.now),
    version: '0.0.0-test',
    port: 0,
    ...(options.consoleFolder === undefined ? {} : { consoleFolder: options.consoleFolder }),
    ...(options.desk === undefined ? {} : { desk: options.desk }),
  });
  onTestFinished(() => daemon.stop());

  const credential = async (more: Partial<Omit<Principal, 'credential'>> = {}): Promise<string> => {
    const owner = { scope: 'decide', user: 'ann', tenant: 'acme', agent: null, ...more } as const;
    return (await ledger.credentials.make(owner, world.now())).token;
  };

  function call(path: string, given: CallOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const payload = given.raw ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
      const where = given.socket ? { socketPath: daemon.socket } : { host: '127.0.0.1', port: daemon.port };
      const sent = request(
        {
          ...where,
          path,
          method: given.method ?? (payload === undefined ? 'GET' : 'POST'),
          agent: false,
          headers: {
            ...(given.token === undefined ? {} : { authorization: `Bearer ${given.token}` }),
            ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
            ...given.headers,
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: answer.headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text,
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  /** Asks for a decision about an address. */
  const decide = (token: string, url: string, more: CallOptions = {}) =>
    call('/v1/decide', { token, body: { kind: 'fetch', url, context: { workspace } }, ...more });

  async function session(): Promise<string> {
    return (await call('/v1/session', { body: { passphrase } })).body.token;
  }

  return { daemon, ledger, world, call, decide, credential, session, workspace, home, paths: places, lines };
}
