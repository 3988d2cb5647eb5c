// The HTTP surface: translates requests into actions and verdicts into answers. It decides nothing.

import type { IncomingMessage } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context as Call, Hono } from 'hono';
import type { HomePaths } from '../../config/index.ts';
import { ApproverError, ConfigError, WrongPassphrase } from '../../config/index.ts';
import {
  InputError,
  isJsonObject,
  NotAllowed,
  SallyportError,
  toWire,
  UsageError,
} from '../../core/index.ts';
import { choice, integer, object, optional, readShape } from '../../core/shape.ts';
import { readRequest } from '../../decide/index.ts';
import {
  AlreadyAnswered,
  type Approval,
  ApprovalExpired,
  ChangeBusy,
  ChangeEnded,
  type Entry,
  longestGrantMs,
  NotGrantable,
  NotVouchedFor,
  StoreError,
  TooManyChanges,
  UnknownApproval,
  UnknownChange,
  UnknownGrant,
  UnknownReceipt,
} from '../../ledger/index.ts';
import { Conflict, NoWorkspace, PathRefused, UnknownSnapshot } from '../../ledger/snapshots/index.ts';
import { EvaluationError } from '../../policy/engine.ts';
import { PolicyChanged, PolicyExists, UnknownPolicy } from '../../policy/keeper.ts';
import { afterAnswer, type Captures, ResultChanged, WorkspaceGone } from '../../run/index.ts';
import {
  type HookFiles,
  type HostSessions,
  hookWaitMs,
  hostNamed,
  openHostSessions,
  plainReply,
  serveHook,
} from '../hooks/index.ts';
import type { LlmProxy } from '../llm/serve.ts';
import type { McpEndpoint } from '../mcp/http.ts';
import { TooManySessions } from '../mcp/sessions.ts';
import { addApproverRoutes } from './approvers.ts';
import { BodyTooLarge, NotJson, readJsonBody } from './body.ts';
import { NotAuthenticated, requirePerson, TooManyAttempts } from './callers.ts';
import { addChangeRoutes } from './changes.ts';
import { addConsolePage, addConsoleRoutes, type ConsoleRoutes, NoConsole } from './console.ts';
import { TooManyReaders } from './feed.ts';
import { type Log, logRequest } from './log.ts';
import { openApi } from './openapi/index.ts';
import { addPolicyRoutes, VersionMissing } from './policies.ts';
import { grantCall, requireRole, routeOf } from './roles.ts';
import { Screen } from './screen.ts';
import { SignatureNeeded, signerIn } from './signing.ts';
import { addStreamRoutes, type Streams, TooManyStreams, UnknownStream } from './streams.ts';
import { jsonAnswer, type Surface, whole, withoutLines } from './surface.ts';

/** A request that did not come from where it must. */
class WrongOrigin extends SallyportError {}

export interface AppOptions extends Omit<ConsoleRoutes, 'screen'> {
  readonly paths: Pick<HomePaths, 'snapshots' | 'sessions'>;
  readonly captures: Captures;
  readonly hookFiles: HookFiles;
  readonly streams: Streams;
  readonly log: Log;
  /** The port of the TCP listener, once it is known. */
  readonly port: () => number;
  /** Loaded with the first call to a model. */
  readonly llm: () => Promise<Pick<LlmProxy, 'serve'>>;
  /** Loaded with the first client that speaks MCP. */
  readonly mcp: () => Promise<Pick<McpEndpoint, 'serve'>>;
}

const answerBody = object({
  answer: choice(['approve', 'deny']),
  grant_seconds: optional(integer(60, longestGrantMs / 1000)),
});

/** Builds the application that both listeners serve. */
export function createApp(options: AppOptions): Hono<Surface> {
  const { decider, ledger, config, world, callers, log, version, stopping } = options;
  const screen = new Screen(options);
  const app = new Hono<Surface>();

  /** An approval as people and agents see it; the reader decided already who sees it. */
  async function shown({ createdAt, expiresAt, question, ...rest }: Approval) {
    const { seen, text } = await screen.asked(rest.id, question);
    return {
      ...rest,
      question:
        seen === null ? null : { action: seen.action, context: seen.context, findings: seen.findings },
      text,
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }

  app.onError((error, call) => failure(error, call, log));
  app.notFound((call) => call.json({ error: 'there is nothing here', name: 'NotFound' }, 404));

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

  app.get('/livez', (call) => call.json({ status: 'ok', version, pid: process.pid }));
  app.get('/healthz', async (call) => {
    const refused = ledger.refused();
    const { integrity } = options.captures;
    const counts = {
      alarms: integrity.alarms().length,
      unreviewed: integrity.waiting(),
      connected: options.hookFiles.connected(),
    };
    if (refused === null) {
      const reset = await ledger.approvers.pendingReset();
      const until = reset === null ? {} : { passphrase_reset: new Date(reset.countsFrom).toISOString() };
      return call.json({ status: 'ok', version, pid: process.pid, ...counts, ...until });
    }
    return call.json({ status: 'refused', version, pid: process.pid, ...counts, ...said(refused) }, 503);
  });
  app.get('/openapi.json', (call) => call.json(openApi(version)));
  addConsolePage(app, { ...options, screen });

  // The proxy knows its callers in its own way: a client of a provider sends what that provider takes.
  const proxied = async (call: Call<Surface>): Promise<Response> => {
    await (await options.llm()).serve(call.env);
    return RESPONSE_ALREADY_SENT;
  };
  app.all('/llm/*', proxied);
  app.post('/v1/chat/completions', proxied);
  app.post('/v1/responses', proxied);
  app.post('/v1/messages', proxied);
  app.post('/v1/messages/count_tokens', proxied);
  app.get('/v1/models', proxied);

  const spoken = async (call: Call<Surface>): Promise<Response> => {
    const { principal } = await callers.identify(call.req.header('authorization') ?? null);
    if (principal.scope !== 'decide') throw new NotAllowed('agents hold a credential of scope decide');
    return await (await options.mcp()).serve(call.req.raw, principal, call.env.incoming);
  };
  app.all('/mcp', spoken);
  app.all('/mcp/*', spoken);

  app.use('/v1/*', async (call, next) => {
    const caller = await callers.identify(call.req.header('authorization') ?? null);
    requireRole(caller, routeOf(call));
    call.set('caller', caller);
    // Verdicts are blocks that say why; whoever else asks is told at once.
    const refused = ledger.refused();
    if (refused !== null && !givesVerdicts.test(call.req.path)) throw refused;
    await next();
  });

  app.post('/v1/decide', async (call) => {
    const { principal } = call.get('caller');
    if (principal.scope === 'approve') throw new NotAllowed('this credential may not ask for decisions');
    const wait = whole(call.req.query('wait'), 'wait', 0, 600) ?? 0;
    const body = await readJsonBody(call.req.raw, config.daemon.bodyLimitBytes);
    const request = await readRequest(body, { asker: principal, folder: null, config, world });
    const decided = await decider.decide(request.action, request.context);
    const { verdict } = await afterAnswer(options, request, decided, wait * 1000);
    return jsonAnswer(call, toWire(verdict, request.id));
  });

  let hostSessions: HostSessions | undefined;
  app.post('/v1/hook/:host', async (call) => {
    const { principal } = call.get('caller');
    if (principal.scope !== 'decide') throw new NotAllowed('hooks hold a credential of scope decide');
    const host = hostNamed(call.req.param('host'));
    if (host === undefined) throw new InputError('no such host');
    const body = await readJsonBody(call.req.raw, config.daemon.bodyLimitBytes);
    const event = call.req.query('event') || null;
    hostSessions ??= openHostSessions(options.paths.sessions);
    const service = { ...options, ...hostSessions, files: options.hookFiles, waitMs: hookWaitMs(host) };
    const reply = await serveHook(service, host, { asker: principal, event, body });
    if (call.req.header('accept') !== 'text/plain') return jsonAnswer(call, reply);
    return call.text(
      plainReply(
        reply,
        ledger.fingerprint('hook reply', () => principal.credential),
      ),
    );
  });

  app.get('/v1/approvals', async (call) => {
    const { reader } = call.get('caller');
    const pending = await ledger.approvals.pending(reader, world.now());
    return call.json({ approvals: await Promise.all(pending.map(shown)) });
  });
  app.get('/v1/approvals/:id', async (call) => {
    const { reader } = call.get('caller');
    return call.json(await shown(await ledger.approvals.show(call.req.param('id'), reader, world.now())));
  });
  app.post('/v1/approvals/:id/answer', async (call) => {
    const { reader, principal } = call.get('caller');
    requirePerson(call.get('caller'), 'answers approvals');
    const body = readShape(answerBody, await readJsonBody(call.req.raw, 4096));
    const now = world.now();
    const id = call.req.param('id');
    const by = principal.user;
    const { text } = await shown(await ledger.approvals.show(id, reader, now));
    const signer = signerIn(call, now, text);
    if (body.grant_seconds === undefined) {
      return call.json(await shown(await ledger.approvals.answer(id, body.answer, by, signer, reader, now)));
    }
    requireRole(call.get('caller'), grantCall);
    if (body.answer === 'deny') throw new InputError('a grant goes with an approval, not with a denial');
    const lifeMs = body.grant_seconds * 1000;
    const { approval } = await ledger.approveWithGrant(id, by, signer, reader, lifeMs, now);
    return call.json(await shown(approval));
  });

  app.get('/v1/grants', async (call) => {
    const { reader } = call.get('caller');
    return call.json({ grants: await ledger.grants.list(reader, world.now()) });
  });
  app.delete('/v1/grants/:id', async (call) => {
    const { reader } = call.get('caller');
    requirePerson(call.get('caller'), 'revokes grants');
    return call.json(await ledger.grants.revoke(call.req.param('id'), reader, world.now()));
  });

  app.get('/v1/log', async (call) => {
    const { reader, principal } = call.get('caller');
    const query = call.req.query();
    const before = whole(query['before'], 'before', 1, Number.MAX_SAFE_INTEGER);
    const entries = await ledger.audit.list({
      ...(query['decision'] === undefined ? {} : { decision: query['decision'] }),
      ...(query['event_type'] === undefined ? {} : { eventType: query['event_type'] }),
      ...(query['decision_id'] === undefined ? {} : { decisionId: query['decision_id'] }),
      ...named(query, ['agent', 'user', 'guard', 'rule', 'text']),
      ...times(query),
      ...(before === undefined ? {} : { before }),
      limit: whole(query['limit'], 'limit', 1, 1000) ?? 50,
      ...reader,
    });
    const seen = principal.scope === 'decide' ? entries.map(withoutReceiptLines) : entries;
    return call.json({ entries: seen.map((entry) => screen.entry(entry)) });
  });

  addStreamRoutes(app, options);
  addChangeRoutes(app, { ...options, screen });
  addConsoleRoutes(app, { ...options, screen });
  addPolicyRoutes(app, options);
  addApproverRoutes(app, options);
  return app;
}

/** What a query says of some names, and nothing of the others. */
function named<N extends string>(
  query: Record<string, string>,
  names: readonly N[],
): { readonly [name in N]?: string } {
  const given = names.filter((name) => query[name] !== undefined && query[name] !== '');
  return Object.fromEntries(given.map((name) => [name, query[name]])) as { [name in N]?: string };
}

/** From when on and until when, in milliseconds; each as a time such as 2026-01-31T10:00:00Z. */
function times(query: Record<string, string>): { readonly since?: number; readonly until?: number } {
  const given = Object.entries(named(query, ['since', 'until'])).map(([name, value]) => {
    const time = Date.parse(String(value));
    if (Number.isNaN(time)) throw new InputError(`"${name}" must be a time such as 2026-01-31T10:00:00Z`);
    return [name, time] as const;
  });
  return Object.fromEntries(given);
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

function withoutReceiptLines(entry: Entry): Entry {
  const { receipt } = entry.details;
  if (!isJsonObject(receipt)) return entry;
  return { ...entry, details: { ...entry.details, receipt: withoutLines(receipt) } };
}

type Status = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 428 | 429 | 500 | 503;

const statuses: readonly (readonly [new (...parts: never[]) => Error, Status])[] = [
  [InputError, 400],
  [UsageError, 400],
  [NotAuthenticated, 401],
  [WrongPassphrase, 401],
  [ApproverError, 409],
  [ConfigError, 409],
  [NotAllowed, 403],
  [WrongOrigin, 403],
  [UnknownApproval, 404],
  [UnknownGrant, 404],
  [UnknownChange, 404],
  [UnknownReceipt, 404],
  [UnknownPolicy, 404],
  [PolicyExists, 409],
  [PolicyChanged, 412],
  [VersionMissing, 428],
  [SignatureNeeded, 428],
  [NotVouchedFor, 403],
  [UnknownSnapshot, 404],
  [UnknownStream, 404],
  [NoWorkspace, 400],
  [PathRefused, 400],
  [AlreadyAnswered, 409],
  [ChangeEnded, 409],
  [ChangeBusy, 409],
  [ResultChanged, 409],
  [WorkspaceGone, 409],
  [Conflict, 409],
  [NotGrantable, 409],
  [ApprovalExpired, 409],
  [BodyTooLarge, 413],
  [NotJson, 415],
  [NoConsole, 404],
  [TooManyAttempts, 429],
  [TooManyReaders, 429],
  [TooManyChanges, 429],
  [TooManyStreams, 429],
  [TooManySessions, 429],
  [StoreError, 503],
  [EvaluationError, 503],
];

/** The calls that are answered with a verdict, whatever is wrong. */
const givesVerdicts = /^\/v1\/(?:decide|hook\/[^/]+)$/;

/** What an error says over the wire. */
function said({ message, name, hint }: SallyportError): { error: string; name: string; hint?: string } {
  return { error: message, name, ...(hint === undefined ? {} : { hint }) };
}

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
