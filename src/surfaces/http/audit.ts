// The routes of what was recorded: the log, its check, what is recorded now, and how much of what there was.

import { type Decision, decisions, isJsonObject } from '../../core/index.ts';
import { amount, count, flag, listOf, moment, nullable, reply, texts, words } from '../../core/shape.ts';
import {
  type DecisionCount,
  type Entry,
  entry,
  type SessionDigest,
  sessionsSince,
  verification,
} from '../../ledger/index.ts';
import { anyone, scoped, verifies } from './callers.ts';
import { entriesOfSession, facetNames, facetsOf, mapOf, newest } from './facets.ts';
import { route, Sent, time, wholeNumber, withoutLines, wordsIn } from './route.ts';

const minuteMs = 60_000;
const ranked = listOf(reply({ name: words, count }));
const facetParameters = mapOf(facetNames, (name) =>
  wordsIn(`Only entries of this ${name.replace('_', ' ')}`),
);
const sessionDigest = reply({
  ...texts('agent', 'session', 'workspace'),
  ...{ from: moment, to: moment },
  ...{ passed: count, redacted: count, asked: count, blocked: count, files: count, undone: count },
  stops: ranked,
});
/** The most of what was stopped that a digest names. */
const mostStops = 5;

export const auditRoutes = [
  route('GET /v1/log', {
    summary: 'Audit entries, newest first',
    access: anyone('viewer'),
    parameters: {
      limit: wholeNumber(1, 1000, 'How many at the most'),
      before: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'Only entries before this one'),
      decision: wordsIn('Only this decision'),
      event_type: wordsIn('Only this event'),
      decision_id: wordsIn('Only this decision id'),
      agent: wordsIn('Only this agent'),
      user: wordsIn('Only this user'),
      guard: wordsIn('Only this guard'),
      rule: wordsIn('Only this rule'),
      text: wordsIn('Only entries that hold this text'),
      session: wordsIn('Only entries of this session'),
      since: time('From this time on'),
      until: time('Before this time'),
    },
    answer: ['Those that the caller may see', reply({ entries: listOf(entry) })],
    handle: async ({ ledger, screen }, { caller: { reader, principal }, given }) => {
      const { limit = 50, event_type: eventType, decision_id: decisionId, ...rest } = given;
      const wanted = defined({ ...rest, eventType, decisionId });
      const entries = await ledger.audit.list({ ...wanted, limit, ...reader });
      const seen = principal.scope === 'decide' ? entries.map(withoutReceiptLines) : entries;
      return { entries: seen.map((one) => screen.entry(one)) };
    },
  }),
  route('GET /v1/log/facets', {
    summary: 'How many entries have which agent, decision, event, rule and session',
    access: anyone('viewer'),
    parameters: {
      ...facetParameters,
      text: wordsIn('Only entries that hold this text'),
      since: time('From this time on'),
      until: time('Before this time'),
    },
    answer: [
      'Each facet counted under all the others; of the newest entries where there are more',
      reply({
        ...{ entries: count, complete: flag() },
        facets: reply(mapOf(facetNames, () => ranked)),
      }),
    ],
    handle: async ({ ledger }, { caller: { reader }, given }) => {
      const { text, since, until, ...wanted } = given;
      const filter = { ...defined({ text, since, until }), ...reader };
      const { entries, complete } = await newest(ledger.audit, filter);
      return { entries: entries.length, complete, facets: facetsOf(entries, defined(wanted)) };
    },
  }),
  route('GET /v1/log/session', {
    summary: 'What a session did, and what came of it, oldest first',
    access: anyone('viewer'),
    parameters: { name: wordsIn('The session') },
    answer: ['Its newest entries', reply({ entries: listOf(entry) })],
    handle: async ({ ledger, screen }, { caller: { reader, principal }, given: { name } }) => {
      const entries = await entriesOfSession(ledger.audit, name ?? '', reader);
      const seen = principal.scope === 'decide' ? entries.map(withoutReceiptLines) : entries;
      return { entries: seen.map((one) => screen.entry(one)) };
    },
  }),
  route('GET /v1/digest', {
    summary: 'What agents did, by session',
    access: anyone('viewer'),
    parameters: { since: time('From this time on; a day ago where nothing is said') },
    answer: ['The sessions, the newest first', reply({ since: moment, sessions: listOf(sessionDigest) })],
    handle: async ({ ledger, world }, { caller: { reader }, given }) => {
      const since = given.since ?? world.now() - 24 * 60 * minuteMs;
      const sessions = await sessionsSince(ledger.audit, since, reader);
      return { since: new Date(since).toISOString(), sessions: sessions.map(digestOf).reverse() };
    },
  }),
  route('GET /v1/log/verify', {
    summary: 'Check every chain of the log',
    access: verifies,
    answer: ['What was found', verification],
    handle: ({ ledger }) => ledger.verify(),
  }),
  route('GET /v1/events', {
    summary: 'New audit entries as they come',
    access: scoped(['approve', 'admin'], 'this credential may not follow the log', 'viewer'),
    answer: ['Server-sent events', words],
    contentType: 'text/event-stream',
    handle: async ({ callers, feed }, { call, caller }) => {
      const authorization = call.req.header('authorization') ?? null;
      const stream = await feed.follow(caller.reader, () => callers.isOpen(authorization));
      return new Sent(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
    },
  }),
  route('GET /v1/overview', {
    summary: 'Decisions by time, guard and rule, how long they take, and what waits',
    access: anyone('viewer'),
    parameters: { minutes: wholeNumber(5, 10_080, 'How far back') },
    answer: [
      'The counts',
      reply({
        since: moment,
        piece_seconds: count,
        series: listOf(reply({ time: moment, pass: count, redact: count, approve: count, block: count })),
        guards: ranked,
        rules: ranked,
        waiting: reply({ approvals: count, changes: count }),
        latency_ms: reply({ count, p50: nullable(amount), p99: nullable(amount) }),
      }),
    ],
    handle: async ({ ledger, world, durations }, { caller: { reader }, given: { minutes = 60 } }) => {
      const bucketMs = Math.ceil(minutes / 60) * minuteMs;
      const now = world.now();
      const since = now - (now % bucketMs) - minutes * minuteMs + bucketMs;
      const counts = await ledger.audit.counts({ ...reader, since, bucketMs: bucketMs });
      const [approvals, changes] = await Promise.all([
        ledger.approvals.pending(reader, now),
        ledger.changes.list(reader, now),
      ]);
      return {
        since: new Date(since).toISOString(),
        piece_seconds: bucketMs / 1000,
        ...summed(counts, since, now, bucketMs),
        waiting: {
          approvals: approvals.length,
          changes: changes.filter(({ state }) => state === 'staged').length,
        },
        latency_ms: durations.quantiles(),
      };
    },
  }),
] as const;

function digestOf({ stops, from, to, ...rest }: SessionDigest) {
  const named = [...stops]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostStops)
    .map(([name, times]) => ({ name, count: times }));
  return { ...rest, from: new Date(from).toISOString(), to: new Date(to).toISOString(), stops: named };
}

/** The members of a table that are there. */
function defined<T extends object>(table: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined)) as T;
}

function withoutReceiptLines(one: Entry): Entry {
  const { receipt } = one.details;
  if (!isJsonObject(receipt)) return one;
  return { ...one, details: { ...one.details, receipt: withoutLines(receipt) } };
}

/** Decisions piece by piece, and which guards and rules decided most of what did not pass. */
function summed(counts: readonly DecisionCount[], since: number, now: number, pieceMs: number) {
  const pieces = new Map<number, Record<Decision, number>>();
  for (let at = since; at <= now; at += pieceMs) pieces.set(at, { pass: 0, redact: 0, approve: 0, block: 0 });
  const guards: Record<string, number> = {};
  const rules: Record<string, number> = {};
  for (const { time: at, decision, rules: names, count: times } of counts) {
    const piece = pieces.get(at);
    const known = decisions.find((name) => name === decision);
    if (piece !== undefined && known !== undefined) piece[known] += times;
    if (decision === 'pass') continue;
    for (const name of names) rules[name] = (rules[name] ?? 0) + times;
    for (const guard of new Set(names.map((name) => name.slice(0, name.indexOf('/')))))
      guards[guard] = (guards[guard] ?? 0) + times;
  }
  const most = (table: Record<string, number>) =>
    Object.entries(table)
      .map(([name, times]) => ({ name, count: times }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, 10);
  const series = [...pieces].map(([at, table]) => ({ time: new Date(at).toISOString(), ...table }));
  return { series, guards: most(guards), rules: most(rules) };
}
