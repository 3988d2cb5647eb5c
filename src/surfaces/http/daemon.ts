// The daemon: one per home, listening on 127.0.0.1 and on a Unix socket that only its user can reach.

import { chmodSync, chownSync, existsSync, rmSync, unlinkSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import {
  account,
  diskWorld,
  existingFile,
  type HomePaths,
  isTrusted,
  worksForAnother,
  writePrivate,
} from '../../config/index.ts';
import { consoleOrigin, type JsonObject, messageOf, SallyportError } from '../../core/index.ts';
import { HomeSettings } from '../../run/integrity/home.ts';
import {
  HookFiles,
  type HookFilesOptions,
  hooksSeal,
  hostNames,
  machineFiles,
  managedClients,
  SessionWorkspaces,
} from '../hooks/index.ts';
import type { LlmProxy } from '../llm/serve.ts';
import { directly } from '../mcp/direct.ts';
import type { McpEndpoint } from '../mcp/http.ts';
import { type AppOptions, checkOrigin, createApp } from './app.ts';
import { isAsking, notHere } from './asking.ts';
import { Callers } from './callers.ts';
import { Keeper } from './keeper.ts';
import { decoyFor, signInOf, userKey } from './keys.ts';
import { lockHome } from './lock.ts';
import { Durations, logRequest } from './log.ts';
import { Notifier } from './notify.ts';
import type { Bindings } from './route.ts';
import { sinceLastStart } from './started.ts';
import { Streams } from './streams.ts';

/** The daemon cannot listen where it should. */
class CannotListen extends SallyportError {}

type Given = 'config' | 'ledger' | 'decider' | 'world' | 'captures' | 'owner' | 'version' | 'hostControl';

export interface DaemonOptions extends Pick<AppOptions, Given | 'log' | 'consoleFolder'> {
  readonly home: string;
  readonly paths: HomePaths;
  readonly port: number;
  /** The texts that the client of a host may have. */
  readonly clients?: HookFilesOptions['clients'];
}

export interface Daemon {
  readonly port: number;
  readonly socket: string;
  /** Takes no new calls, ends those under way, writes everything, lets go of the home. */
  stop(): Promise<void>;
}

/** How long calls under way may take when the daemon stops, in milliseconds. */
const stopGrace = 10_000;

/** Starts the daemon; throws `AlreadyRunning` or `CannotListen` and leaves nothing behind. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { paths, ledger, log, world, owner } = options;
  const release = lockHome(paths.lock);
  const stopping = new AbortController();
  const callers = new Callers({
    ledger,
    owner,
    users: options.config.users,
    signInOf: (user) => signInOf(options.home, ledger, user, consoleOrigin(port)),
    decoy: (name) => decoyFor(ledger, name),
    counts: (key) => ledger.approvers.counts(key),
    elapsed: () => performance.now(),
  });
  let port = options.port;
  let proxy: Promise<LlmProxy> | undefined;
  const llm = (): Promise<LlmProxy> => {
    proxy ??= import('../llm/serve.ts').then(({ LlmProxy }) => {
      const identify = async (credential: string) =>
        (await callers.identify(`Bearer ${credential}`)).principal;
      return new LlmProxy({ ...options, identify });
    });
    return proxy;
  };
  let endpoint: Promise<McpEndpoint> | undefined;
  const mcp = (): Promise<McpEndpoint> => {
    endpoint ??= import('../mcp/serve.ts').then(({ openMcp }) => openMcp({ ...options, port: () => port }));
    return endpoint;
  };
  const { home: userHome, uid } = account();
  const { shell } = await options.config.settingsFor({ agent: 'claude', workspace: userHome });
  const isShellWanted = shell.transactional;
  const managed = managedClients(uid);
  const hookFiles = new HookFiles({
    paths,
    userHome,
    owner,
    integrity: options.captures.integrity,
    clients: options.clients ?? (async () => []),
    connections: {
      list: () => ledger.connections.list(),
      connect: (connection) => ledger.connections.connect(connection, { ...owner, time: world.now() }),
      seal: (hooks) => hooksSeal(ledger, hooks),
    },
    // Agents cannot write the home of another user id.
    ...(worksForAnother() ? {} : { own: homeSettings(options) }),
    isShellWanted: () => isShellWanted,
    machine: (host) => {
      const where = { platform: process.platform, uid };
      return existsSync(join(managed, host)) ? machineFiles(host, where, world.readText) : [];
    },
    report: failed,
  });
  const streams = new Streams();
  const durations = new Durations();
  const decider = durations.around(options.decider);
  const app = createApp({
    ...options,
    decider,
    durations,
    callers,
    streams,
    hookFiles,
    wrappedKey: () => existingFile(options.home),
    stopping: stopping.signal,
    port: () => port,
    llm,
    mcp,
  });
  const timed = (listener: RequestListener) => {
    const server = createServer(listener);
    server.headersTimeout = 10_000;
    server.requestTimeout = 60_000;
    return server;
  };
  const serve = (transport: Bindings['transport']) => {
    const listener = getRequestListener((request, env) => app.fetch(request, { ...env, transport }));
    const plain = directly(
      {
        endpoint: mcp,
        admit: (incoming) => {
          if (transport === 'tcp') checkOrigin(incoming, port);
        },
        identify: (authorization) => callers.identify(authorization),
        bodyLimitBytes: options.config.daemon.bodyLimitBytes,
        telemetry: world.telemetry,
        stopping: stopping.signal,
        answered: (status, started) => logRequest(log, { method: 'POST', path: '/mcp' }, status, started),
      },
      listener,
    );
    return timed((incoming, outgoing) => (incoming.url === '/mcp' ? plain : listener)(incoming, outgoing));
  };
  const [tcp, unix] = [serve('tcp'), serve('unix')];
  const ask =
    paths.ask === paths.socket
      ? null
      : timed(
          getRequestListener((request, env) =>
            isAsking(request) ? app.fetch(request, { ...env, transport: 'unix' }) : notHere(),
          ),
        );
  const servers = ask === null ? [tcp, unix] : [tcp, unix, ask];

  const sockets = [paths.socket, paths.ask];
  let sizeBefore: number;
  try {
    sizeBefore = await ledger.audit.size();
    port = await listenTcp(tcp, options.port);
    await listenUnix(unix, paths.socket);
    if (ask !== null) {
      await listenUnix(ask, paths.ask);
      // INVARIANT: the folder is the daemon's, so the account can connect to the socket and not replace it.
      const { uid, gid } = account();
      chownSync(paths.ask, uid, gid);
    }
    writePrivate(
      paths.daemon,
      `${JSON.stringify({ pid: process.pid, port, socket: paths.socket, version: options.version })}\n`,
    );
    await ledger.approvers.keepUsers(options.config.users.map(userKey), owner);
    const since = await sinceLastStart(ledger, diskWorld.readText(paths.config));
    await ledger.audit.append(event('daemon_started', { port, ...since.details }));
    if (since.hasOtherSettings) {
      const why = "it holds Sallyport's own settings, and it changed since the daemon last started";
      const who = { ...owner, agent: '', run: '', decisionId: '' };
      await options.captures.integrity.note(paths.config, why, who);
    }
  } catch (error) {
    await Promise.all(servers.map(closed));
    for (const socket of sockets) rmSync(socket, { force: true });
    release();
    throw error;
  }
  const keeper = new Keeper({
    ledger,
    config: options.config.ledger,
    owner,
    now: world.now,
    log,
    sizeBefore,
  });
  keeper.start();
  const notifier = Notifier.isWanted(options.config.notify)
    ? new Notifier({ ledger, config: options.config.notify, now: world.now, log, port })
    : null;
  await notifier?.start();
  options.captures.start();
  void watchHooks(hookFiles, paths.sessions, failed);
  const forget = world.telemetry?.observe('sallyport.approvals.waiting', async () => {
    return (await ledger.approvals.pending({}, world.now())).length;
  });
  log('info', 'started', { port, pid: process.pid });

  function failed(what: string, error: unknown): void {
    log('error', what, { name: error instanceof Error ? error.name : 'unknown' });
  }

  function event(type: 'daemon_started' | 'daemon_stopped', details: JsonObject) {
    return {
      time: world.now(),
      event_type: type,
      ...owner,
      agent: '',
      details: { ...details, pid: process.pid, version: options.version },
    } as const;
  }

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    forget?.();
    const force = setTimeout(() => {
      for (const server of servers) server.closeAllConnections();
    }, stopGrace);
    // An answer that flows would keep its connection for as long as it likes.
    await Promise.all([
      ...servers.map(closed),
      proxy?.then((opened) => opened.close()),
      endpoint?.then((opened) => opened.close()),
    ]);
    clearTimeout(force);
    callers.close();
    const steps: readonly (() => Promise<void>)[] = [
      async () => notifier?.stop(),
      () => streams.close(),
      () => hookFiles.stop(),
      () => ledger.audit.append(event('daemon_stopped', { port })),
      () => options.captures.stop(),
      () => keeper.stop(),
      () => ledger.close(),
    ];
    // INVARIANT: a step that fails keeps no later one from being taken: a daemon whose store is gone ends as well.
    for (const step of steps) await step().catch((error: unknown) => failed('stop_failed', error));
    rmSync(paths.daemon, { force: true });
    for (const socket of sockets) rmSync(socket, { force: true });
    release();
    log('info', 'stopped', { pid: process.pid });
  }

  return {
    port,
    socket: paths.socket,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Looks after the settings of the home; one that the owner signed for with `config trust` stays. */
function homeSettings({ home, paths, captures, ledger, owner }: DaemonOptions): HomeSettings {
  const file = diskWorld.realPath(paths.config) ?? paths.config;
  return new HomeSettings({
    file,
    owner,
    integrity: captures.integrity,
    isBusy: () => captures.isBusy(),
    isSigned: (text) =>
      isTrusted({
        ...{ home, path: file, text },
        readText: (path) => diskWorld.readText(path),
        approverKeys: () => ledger.approvers.ownerKeys(),
      }).trusted,
  });
}

async function listenTcp(server: Server, port: number): Promise<number> {
  const hint = "choose another with 'sallyport up --port N' or [daemon] port";
  await reachable(`127.0.0.1:${port}`, hint, () => listening(server, () => server.listen(port, '127.0.0.1')));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function listenUnix(server: Server, socket: string): Promise<void> {
  const hint = 'the path of a socket may have about 100 characters; choose a shorter SALLYPORT_HOME';
  // INVARIANT: the lock is ours, so a socket file that is there belongs to a daemon that is gone.
  if (existsSync(socket)) unlinkSync(socket);
  await reachable(socket, hint, () => listening(server, () => server.listen(socket)));
  chmodSync(socket, 0o600);
}

async function reachable(where: string, hint: string, listen: () => Promise<void>): Promise<void> {
  try {
    await listen();
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const why = taken ? 'another program has it' : messageOf(error);
    throw new CannotListen(`cannot listen on ${where}: ${why}`, { hint, cause: error });
  }
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen();
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** Watches what can unhook the hosts of this home, in the projects that they last worked in too. */
async function watchHooks(
  files: HookFiles,
  sessions: string,
  failed: (what: string, error: unknown) => void,
): Promise<void> {
  await files.start();
  try {
    for (const { agent, workspace } of new SessionWorkspaces(sessions).recent()) {
      const host = hostNames.find((name) => name === agent);
      if (host !== undefined && existsSync(workspace)) await files.visit(host, workspace);
    }
  } catch (error) {
    failed('hook_files_failed', error);
  }
}
