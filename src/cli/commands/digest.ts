// sallyport digest: what the agents did while nobody looked: passed, asked, blocked, changed and undone, by session.

import { exitCodes, isJsonObject, type JsonObject, visible } from '../../core/index.ts';
import type { Entry, Ledger } from '../../ledger/index.ts';
import { type Call, type Command, onlyWords, timeIn, timeOption } from '../command.ts';
import { localTime, rulesOf, whatOf } from '../entries.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';

/** What happened in one session. */
interface SessionDigest {
  readonly agent: string;
  readonly session: string;
  readonly workspace: string;
  from: number;
  to: number;
  passed: number;
  redacted: number;
  asked: number;
  blocked: number;
  files: number;
  undone: number;
  /** What was asked about or blocked, with the rule and how often. */
  readonly stops: Map<string, number>;
}

const mostStops = 5;
const page = 1000;

export const command: Command = {
  usage: ['digest [--since yesterday]'],
  about:
    'Sums up what agents did, by session: what passed, what was asked about, what was blocked and why, which files\n' +
    'changed and what was undone; and what still waits for you. Probes of sallyport doctor do not count.',
  examples: ['digest', 'digest --since 8h', 'digest --since 2026-11-15 --json'],
  options: {
    since: { value: 'TIME', help: 'from this time on: 8h (ago), yesterday (the default), 2026-11-15' },
  },
  async run(call) {
    onlyWords(call, []);
    const { world } = openHome(call);
    const now = world.now();
    const since = timeOption(call, 'since') ?? timeIn('yesterday', now);
    await withLedger(
      call,
      async (ledger) => {
        const sessions = await sessionsSince(ledger, since);
        const waiting = await ledger.approvals.pending({}, now);
        if (call.flag('json')) {
          const plain = sessions.map(({ stops, ...rest }) => ({ ...rest, stops: Object.fromEntries(stops) }));
          call.io.json({ since, sessions: plain, waiting: waiting.map(({ id }) => id) });
        } else print(call, sessions, since, waiting.length);
      },
      'show',
    );
    return exitCodes.pass;
  },
};

/** The sessions of a time, the oldest first. */
async function sessionsSince(ledger: Ledger, since: number): Promise<readonly SessionDigest[]> {
  const sessions = new Map<string, SessionDigest>();
  /** Whose a decision was, for what came of it. */
  const ofDecision = new Map<string, SessionDigest>();
  let after = 0;
  for (;;) {
    const entries = await ledger.audit.list({ since, after, limit: page });
    for (const entry of entries.toReversed()) count(entry, sessions, ofDecision);
    after = entries[0]?.place ?? after;
    if (entries.length < page) break;
  }
  return [...sessions.values()].sort((a, b) => a.from - b.from);
}

function count(
  entry: Entry,
  sessions: Map<string, SessionDigest>,
  ofDecision: Map<string, SessionDigest>,
): void {
  const { details, time, event_type: type, decision_id: id = '' } = entry;
  if (type === 'receipt') {
    const receipt = isJsonObject(details['receipt']) ? details['receipt'] : {};
    const whose = ofDecision.get(id);
    if (whose === undefined) return;
    const files = Array.isArray(receipt['files']) ? receipt['files'].length : 0;
    if (receipt['action'] === 'rollback') whose.undone += files;
    else if (receipt['action'] === 'apply') whose.files += files;
    return;
  }
  if (type !== 'decision' || details['session'] === 'doctor') return;
  const digest = sessionOf(entry, sessions);
  ofDecision.set(id, digest);
  digest.to = Math.max(digest.to, time);
  digest.from = Math.min(digest.from, time);
  const counters = { pass: 'passed', redact: 'redacted', approve: 'asked', block: 'blocked' } as const;
  const counter = counters[entry.decision as keyof typeof counters];
  if (counter !== undefined) digest[counter] += 1;
  if (counter !== 'asked' && counter !== 'blocked') return;
  const stop = `${counter}  ${whatOf(details)}  (${rulesOf(entry).join(', ')})`;
  digest.stops.set(stop, (digest.stops.get(stop) ?? 0) + 1);
}

function sessionOf({ agent, time, details }: Entry, sessions: Map<string, SessionDigest>): SessionDigest {
  const text = (name: keyof typeof details): string => textIn(details, name);
  const key = JSON.stringify([agent, text('session'), text('workspace')]);
  const known = sessions.get(key);
  if (known !== undefined) return known;
  const made: SessionDigest = {
    ...{ agent, session: text('session'), workspace: text('workspace'), from: time, to: time },
    ...{ passed: 0, redacted: 0, asked: 0, blocked: 0, files: 0, undone: 0, stops: new Map() },
  };
  sessions.set(key, made);
  return made;
}

function textIn(details: JsonObject, name: string | number): string {
  const value = details[name];
  return typeof value === 'string' ? value : '';
}

function print(call: Call, sessions: readonly SessionDigest[], since: number, waiting: number): void {
  const { io } = call;
  if (sessions.length === 0) io.print(`No agent did anything since ${localTime(since)}.`);
  for (const one of sessions) {
    const { agent, workspace, session, from, to, passed, redacted, asked, blocked, files, undone } = one;
    io.print(
      `${io.paint('bold', visible(agent, 60))} in ${visible(workspace, 200)} (session ${visible(session, 60)})`,
    );
    io.print(`  ${localTime(from)} to ${localTime(to)}`);
    io.print(
      `  ${passed} passed, ${redacted} redacted, ${asked} asked, ${blocked} blocked; ${files} files changed, ${undone} undone`,
    );
    const stops = [...one.stops].sort(([, a], [, b]) => b - a);
    for (const [stop, times] of stops.slice(0, mostStops)) io.print(`    ${times} × ${stop}`);
    if (stops.length > mostStops)
      io.print(`    and ${stops.length - mostStops} more: sallyport log --since …`);
  }
  if (waiting > 0)
    io.print(
      `${waiting} ${waiting === 1 ? 'question waits' : 'questions wait'} for you: sallyport approvals`,
    );
}
