// The routes of the console: the session of a person's page, what happens now, what happened, and what would happen.

import { existsSync } from 'node:fs';
import type { Hono } from 'hono';
import type { Config } from '../../config/index.ts';
import {
  type CommandView,
  decisions,
  InputError,
  NotAllowed,
  SallyportError,
  toWire,
  type World,
} from '../../core/index.ts';
import { type Decider, readRequest } from '../../decide/index.ts';
import type { DecisionCount, Ledger } from '../../ledger/index.ts';
import { hostNamed, hostNames } from '../hooks/index.ts';
import { Assets } from './assets.ts';
import { readJsonBody } from './body.ts';
import { type Callers, requirePerson } from './callers.ts';
import type { Durations } from './durations.ts';
import { Feed } from './feed.ts';
import { callsOf } from './roles.ts';
import type { Screen } from './screen.ts';
import { addSignIn, loginEvent, type SignInRoutes } from './sign-in.ts';
import { type Surface, whole } from './surface.ts';

/** The page of the console was not built. */
export class NoConsole extends SallyportError {}

/** One thing that was looked at in this installation. */
interface Check {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'fail';
  readonly says: string;
}

/** What a person can do about agent hosts from a page; the command line does it. */
export interface HostDesk {
  /** The files of hosts that name our client. */
  wired(): readonly { readonly host: string; readonly file: string }[];
  /** Provokes a block through every part of the installation. */
  examine(): Promise<readonly Check[]>;
  /** Wires a host in for the user. */
  wire(host: string): Promise<void>;
}

export interface ConsoleRoutes extends SignInRoutes {
  readonly screen: Screen;
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly config: Config;
  readonly world: World;
  readonly callers: Callers;
  readonly stopping: AbortSignal;
  readonly durations: Durations;
  readonly version: string;
  /** Where the files of the page are. */
  readonly consoleFolder?: string;
  readonly desk?: HostDesk;
}

const minuteMs = 60_000;

/** Adds what has to be there before the caller is known. */
export function addConsolePage(app: Hono<Surface>, options: ConsoleRoutes): void {
  const { consoleFolder } = options;
  const assets = consoleFolder === undefined ? undefined : new Assets(consoleFolder);
  const page = (path: string, accepts: string | undefined): Response | undefined => {
    if (assets === undefined || consoleFolder === undefined || !existsSync(consoleFolder)) {
      throw new NoConsole('the console is not built', { hint: "run 'npm run build'" });
    }
    return assets.answer(path, /\bgzip\b/.test(accepts ?? ''));
  };
  app.get('/', (call) => call.redirect('/console/'));
  app.get('/console', (call) => call.redirect('/console/'));
  app.get('/console/*', (call) => {
    const path = call.req.path.slice('/console/'.length);
    return page(path, call.req.header('accept-encoding')) ?? call.notFound();
  });

  addSignIn(app, options);
}

/** Adds the routes for callers that are known. */
export function addConsoleRoutes(app: Hono<Surface>, options: ConsoleRoutes): void {
  const { ledger, config, decider, world, callers, stopping, durations, version, desk, screen } = options;
  const feed = new Feed({ ledger, shown: (entry) => screen.entry(entry), stopping });

  app.get('/v1/session', (call) => {
    const caller = call.get('caller');
    const { user, tenant, scope } = caller.principal;
    const { person } = caller;
    const role = caller.role ?? (person ? 'admin' : null);
    return call.json({ user, tenant, scope, person, role, may: person ? callsOf(caller) : [], version });
  });
  app.delete('/v1/session', async (call) => {
    const { principal, role } = call.get('caller');
    callers.leave(call.req.header('authorization') ?? null);
    if (role !== null) {
      const { user, tenant } = principal;
      await ledger.audit.append(loginEvent('logout', { user, tenant, role }, world.now()));
    }
    return call.json({ left: true });
  });

  app.get('/v1/events', async (call) => {
    const { reader, principal } = call.get('caller');
    if (principal.scope === 'decide') throw new NotAllowed('this credential may not follow the log');
    const authorization = call.req.header('authorization') ?? null;
    const stream = await feed.follow(reader, () => callers.isOpen(authorization));
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  });

  app.get('/v1/overview', async (call) => {
    const { reader } = call.get('caller');
    const minutes = whole(call.req.query('minutes'), 'minutes', 5, 10_080) ?? 60;
    const pieceMs = Math.ceil(minutes / 60) * minuteMs;
    const now = world.now();
    const since = now - (now % pieceMs) - minutes * minuteMs + pieceMs;
    const counts = await ledger.audit.counts({ ...reader, since, pieceMs });
    const [approvals, changes] = await Promise.all([
      ledger.approvals.pending(reader, now),
      ledger.changes.list(reader, now),
    ]);
    return call.json({
      since: new Date(since).toISOString(),
      piece_seconds: pieceMs / 1000,
      ...summed(counts, since, now, pieceMs),
      waiting: {
        approvals: approvals.length,
        changes: changes.filter(({ state }) => state === 'staged').length,
      },
      latency_ms: durations.quantiles(),
    });
  });

  app.get('/v1/log/verify', async (call) => {
    // It walks the whole log, and names what is wrong with anybody's part of it.
    if (call.get('caller').principal.scope !== 'admin')
      throw new NotAllowed('only an administrator verifies');
    return call.json(await ledger.verify());
  });

  app.post('/v1/try', async (call) => {
    requirePerson(call.get('caller'), 'tries things out here');
    const { principal } = call.get('caller');
    const body = await readJsonBody(call.req.raw, config.daemon.bodyLimitBytes);
    const request = await readRequest(body, { asker: principal, folder: null, config, world });
    let view: CommandView | undefined;
    const observe = (seen: CommandView) => {
      view = seen;
    };
    const { verdict, facts } = await decider
      .under({ dry: true, observe })
      .decide(request.action, request.context);
    return call.json({ verdict: toWire(verdict, request.id), facts, view: view ?? null });
  });

  app.get('/v1/hosts', (call) => {
    requirePerson(call.get('caller'), 'sees the hosts');
    const wired = desk?.wired() ?? [];
    const hosts = hostNames.map((name) => ({
      host: name,
      title: hostNamed(name)?.title ?? name,
      files: wired.filter(({ host }) => host === name).map(({ file }) => file),
    }));
    return call.json({ hosts });
  });
  app.post('/v1/hosts/check', async (call) => {
    requirePerson(call.get('caller'), 'checks the hosts');
    return call.json({ checks: (await desk?.examine()) ?? [] });
  });
  app.post('/v1/hosts/:host/wire', async (call) => {
    requirePerson(call.get('caller'), 'wires hosts in');
    const host = hostNamed(call.req.param('host'));
    if (host === undefined || desk === undefined) throw new InputError('no such host');
    await desk.wire(call.req.param('host'));
    return call.json({ wired: true });
  });
}

/** Decisions piece by piece, and which guards and rules decided most of what did not pass. */
function summed(counts: readonly DecisionCount[], since: number, now: number, pieceMs: number) {
  const none = () => Object.fromEntries(decisions.map((name) => [name, 0]));
  const pieces = new Map<number, Record<string, number>>();
  for (let time = since; time <= now; time += pieceMs) pieces.set(time, none());
  const guards: Record<string, number> = {};
  const rules: Record<string, number> = {};
  for (const { time, decision, rules: names, count } of counts) {
    const piece = pieces.get(time);
    if (piece !== undefined && Object.hasOwn(piece, decision))
      piece[decision] = (piece[decision] ?? 0) + count;
    if (decision === 'pass') continue;
    for (const name of names) rules[name] = (rules[name] ?? 0) + count;
    for (const guard of new Set(names.map((name) => name.slice(0, name.indexOf('/')))))
      guards[guard] = (guards[guard] ?? 0) + count;
  }
  const most = (table: Record<string, number>) =>
    Object.entries(table)
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, 10);
  const series = [...pieces].map(([time, table]) => ({ time: new Date(time).toISOString(), ...table }));
  return { series, guards: most(guards), rules: most(rules) };
}
