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
  loginSigner,
  paths,
  prepareHome,
  type Signer,
  type User,
  unlockApprover,
  userSigner,
  verifySignature,
} from '../../src/config/index.ts';
import { sessionPayload, type World } from '../../src/core/index.ts';
import { createDecider, realWorld } from '../../src/decide/index.ts';
import type { AnyGuard } from '../../src/guards/index.ts';
import { chainIn, Ledger, operatorKeyIn, type Principal } from '../../src/ledger/index.ts';
import { Captures } from '../../src/run/index.ts';
import { createLog, type HostControl, startDaemon } from '../../src/surfaces/http/index.ts';
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
  /** Over the daemon's socket, or over the one for agents. */
  readonly socket?: boolean | 'ask';
}

/** Vouches for users of the configuration with the key of the owner. */
async function vouchForUsers(ledger: Ledger, users: readonly User[], home: string): Promise<void> {
  const owner = await unlockApprover(home, passphrase);
  for (const { name, role, tenant, passphrase: kept } of users) {
    const fields = { key: kept.publicKey, name, role, tenant };
    const statement = ledger.approvers.statement('user', fields);
    await ledger.approvers.add(statement, owner, { user: 'owner', tenant: 'local' });
  }
}

/** Starts a daemon; it is stopped when the test is over. */
export async function testDaemon(
  options: {
    passphrase?: boolean;
    /** Whether the owner vouches for the users of the configuration; so it is unless this is false. */
    vouch?: boolean;
    configuration?: string | ((workspace: string) => string);
    engine?: Engine;
    world?: Partial<World>;
    guards?: readonly AnyGuard[];
    environment?: Record<string, string>;
    consoleFolder?: string;
    hostControl?: HostControl;
    /** With a socket of their own for agents, as a system daemon has. */
    ask?: boolean;
  } = {},
) {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  prepareHome(home);
  const { configuration, engine = 'sqlite' } = options;
  const file = typeof configuration === 'function' ? configuration(workspace) : configuration;
  if (file) writeFileSync(join(home, 'sallyport.toml'), file);
  const own = paths(home);
  const places = options.ask ? { ...own, ask: join(own.run, 'ask.sock') } : own;
  const world = { ...realWorld(), ...options.world };
  const ledger = await Ledger.open({
    store:
      engine === 'sqlite'
        ? { file: places.ledger }
        : { url: (await emptyPostgres()).url, poolSize: 4, statementTimeoutMs: 10_000 },
    operatorKey: operatorKeyIn(places.keys),
    chain: chainIn(places.keys),
    check: verifySignature,
    now: world.now,
  });
  if (options.passphrase) {
    await createApprover(home, passphrase, leastCost);
    await ledger.enrolOwner(await unlockApprover(home, passphrase), { user: 'owner', tenant: 'local' });
  }
  const config = await loadConfig({ home, environment: options.environment ?? {}, world });
  if (options.passphrase && options.vouch !== false) await vouchForUsers(ledger, config.users, home);
  const lines: string[] = [];
  const captures = new Captures({
    store: places.snapshots,
    personHome: homedir(),
    config,
    ledger,
    world,
    report: (event, error) => lines.push(`${event} ${String(error)}`),
  });
  const daemon = await startDaemon({
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
      ...(options.guards === undefined ? {} : { guards: options.guards }),
    }),
    owner: { user: 'owner', tenant: 'local' },
    log: createLog((line) => lines.push(line), 'debug', world.now),
    version: '0.0.0-test',
    port: 0,
    ...(options.consoleFolder === undefined ? {} : { consoleFolder: options.consoleFolder }),
    ...(options.hostControl === undefined ? {} : { hostControl: options.hostControl }),
  });
  onTestFinished(() => daemon.stop());

  const credential = async (more: Partial<Omit<Principal, 'credential'>> = {}): Promise<string> => {
    const owner = { scope: 'decide', user: 'ann', tenant: 'acme', agent: null, ...more } as const;
    return (await ledger.credentials.make(owner, world.now())).token;
  };

  function send(path: string, given: CallOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const payload = given.raw ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
      const socketPath = given.socket === 'ask' ? places.ask : places.socket;
      const where = given.socket ? { socketPath } : { host: '127.0.0.1', port: daemon.port };
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

  /** Signs a challenge with the key that comes of the passphrase, as a page does. */
  async function answerTo(secret: string, name?: string): Promise<{ challenge: string; signature: string }> {
    const { challenge, kdf } = (
      await call('/v1/session/challenge', { body: name === undefined ? {} : { name } })
    ).body;
    const signer = await (name === undefined ? loginSigner : userSigner)(secret, kdf);
    return { challenge, signature: signer.sign(sessionPayload(challenge)) };
  }

  /** Signs in: the token, or what the daemon said instead. What the session has to sign is signed with the same key. */
  async function signIn(secret = passphrase, name?: string, more: CallOptions = {}): Promise<Answer> {
    const answer = await send('/v1/session', { ...more, body: await answerTo(secret, name) });
    const { token } = answer.body;
    if (token === undefined) return answer;
    const kept = config.users.find((user) => user.name === name)?.passphrase;
    keys.set(token, kept === undefined ? ownKey : () => userSigner(secret, kept));
    return answer;
  }

  async function session(): Promise<string> {
    return (await signIn()).body.token;
  }

  /** The keys that sessions sign with, as a page holds them. */
  const keys = new Map<string, () => Promise<Signer>>();

  /** Sends a call; one that has to be signed is sent again with the signature of its session. */
  async function call(path: string, given: CallOptions = {}): Promise<Answer> {
    const first = await send(path, given);
    const key = keys.get(given.token ?? '');
    if (key === undefined || first.status !== 428 || first.body.payload === undefined) return first;
    const signature = (await key()).sign(first.body.payload);
    const headers = { ...given.headers, 'sallyport-signature': `${first.body.at} ${signature}` };
    return await send(path, { ...given, headers });
  }

  /** The owner's key, open as a client holds it. */
  const ownKey = () => unlockApprover(home, passphrase);

  return {
    ...{ daemon, ledger, world, call, decide, credential, workspace, home, paths: places, lines },
    ...{ session, signIn, answerTo, send, ownKey },
  };
}
