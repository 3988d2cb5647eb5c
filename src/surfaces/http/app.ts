// The HTTP surface: translates requests into actions and verdicts into answers. It decides nothing.

import type { IncomingMessage } from 'node:http';
import { type Context as Call, Hono } from 'hono';
import { ApproverError, ConfigError, WrongPassphrase } from '../../config/index.ts';
import {
  ConflictError,
  InputError,
  LimitError,
  NotAllowed,
  NotFoundError,
  SallyportError,
  UsageError,
} from '../../core/index.ts';
import { NotVouchedFor, StoreError } from '../../ledger/index.ts';
import { Conflict, NoWorkspace, PathRefused } from '../../ledger/snapshots/index.ts';
import { EvaluationError } from '../../policy/engine.ts';
import { PolicyChanged } from '../../policy/keeper.ts';
import { type HostSessions, openHostSessions } from '../hooks/index.ts';
import type { McpEndpoint } from '../mcp/http.ts';
import { NotAuthenticated } from './callers.ts';
import { addConsolePage } from './console.ts';
import { Feed } from './feed.ts';
import { type Log, logRequest } from './log.ts';
import { openApi } from './openapi.ts';
import { VersionMissing } from './policies.ts';
import { BodyTooLarge, NotJson, type Parts, type Surface } from './route.ts';
import { callsOf, routes } from './routes.ts';
import { Screen } from './screen.ts';
import { proxied, said } from './service.ts';
import { SignatureNeeded } from './signing.ts';

/** A request that did not come from where it must. */
class WrongOrigin extends SallyportError {}

/** What the application makes by itself for its routes. */
type Made = 'screen' | 'feed' | 'hostSessions' | 'callsOf' | 'document';

export interface AppOptions extends Omit<Parts, Made> {
  readonly log: Log;
  /** Where the files of the page are. */
  readonly consoleFolder?: string;
  /** Loaded with the first client that speaks MCP. */
  readonly mcp: () => Promise<Pick<McpEndpoint, 'serve'>>;
}

/** Builds the application that both listeners serve. */
export function createApp(options: AppOptions): Hono<Surface> {
  const { ledger, world, callers, log, version, stopping } = options;
  const screen = new Screen(options);
  let hostSessions: HostSessions | undefined;
  const parts: Parts = {
    ...options,
    screen,
    feed: new Feed({ ledger, shown: (entry) => screen.entry(entry), stopping }),
    hostSessions: () => {
      hostSessions ??= openHostSessions(options.paths.sessions, options);
      return hostSessions;
    },
    callsOf,
    document: () => openApi(version),
  };
  const app = new Hono<Surface>();

  app.onError((error, call) => failure(error, call, log));
  app.notFound(async (call) => {
    // Who is not known does not learn what is there.
    if (call.req.path.startsWith('/v1/')) await callers.identify(call.req.header('authorization') ?? null);
    return call.json({ error: 'there is nothing here', name: 'NotFound' }, 404);
  });

  app.use(async (call, next) => {
    if (call.env.transport === 'tcp') checkOrigin(call.env.incoming, options.port());
    const started = performance.now();
    const { telemetry } = world;
    if (telemetry === undefined) await next();
    else await telemetry.within(call.req.header(), next);
    // Set on the answer that is there: through the call, its body would be made a stream, and sent after its head.
    const { headers } = call.res;
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    headers.set('x-content-type-options', 'nosniff');
    // A connection that is kept alive would keep the daemon from stopping.
    if (stopping.aborted) headers.set('connection', 'close');
    logRequest(log, call.req, call.res.status, started);
  });

  for (const route of routes) app.on(route.method, route.path, (call) => route.serve(call, parts));
  addConsolePage(app, options.consoleFolder);
  app.all('/llm/*', (call) => proxied(options, call));

  const spoken = async (call: Call<Surface>): Promise<Response> => {
    const { principal } = await callers.identify(call.req.header('authorization') ?? null);
    if (principal.scope !== 'decide') throw new NotAllowed('agents hold a credential of scope decide');
    return await (await options.mcp()).serve(call.req.raw, principal, call.env.incoming);
  };
  app.all('/mcp', spoken);
  app.all('/mcp/*', spoken);
  return app;
}

/**
 * A browser page of another origin, or a name that was rebound to this machine, must not speak for the user.
 * INVARIANT: over TCP the Host names this machine and this port, and an Origin, where there is one, is ours.
 */
export function checkOrigin({ headers: { host, origin } }: IncomingMessage, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !hosts.includes(host)) {
    throw new WrongOrigin('the Host header does not name this daemon');
  }
  if (origin !== undefined && !hosts.some((own) => origin === `http://${own}`)) {
    throw new WrongOrigin('requests from other origins are refused');
  }
}

type Status = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 428 | 429 | 500 | 503;

const statuses: readonly (readonly [new (...parts: never[]) => Error, Status])[] = [
  [InputError, 400],
  [NotFoundError, 404],
  [ConflictError, 409],
  [LimitError, 429],
  [UsageError, 400],
  [NotAuthenticated, 401],
  [WrongPassphrase, 401],
  [ApproverError, 409],
  [ConfigError, 409],
  [NotAllowed, 403],
  [WrongOrigin, 403],
  [PolicyChanged, 412],
  [VersionMissing, 428],
  [SignatureNeeded, 428],
  [NotVouchedFor, 403],
  [NoWorkspace, 400],
  [PathRefused, 400],
  [BodyTooLarge, 413],
  [NotJson, 415],
  [StoreError, 503],
  [EvaluationError, 503],
];

function failure(error: unknown, call: Call<Surface>, log: Log): Response {
  const status = statuses.find(([type]) => error instanceof type)?.[1] ?? 500;
  const known = error instanceof SallyportError;
  if (status >= 500)
    log('error', 'request_failed', { name: error instanceof Error ? error.name : 'unknown', status });
  if (status === 401) call.header('www-authenticate', 'Bearer');
  if (status === 413) call.header('connection', 'close');
  return call.json(
    {
      ...(known
        ? said(error)
        : { error: 'an error of ours; the request was refused', name: 'InternalError' }),
      ...(error instanceof Conflict ? { paths: error.paths } : {}),
      ...(error instanceof SignatureNeeded ? { payload: error.payload, at: error.at, text: error.text } : {}),
    },
    status,
  );
}
