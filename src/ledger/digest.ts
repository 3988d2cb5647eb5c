// The activity of agents in a span of time, by session: a summary for the user.

import { isProbe, rulesOf, whatOf } from '../core/entry-text.ts';
import { isJsonObject, type JsonObject } from '../core/index.ts';
import type { Reader } from './approvals.ts';
import type { AuditLog, Entry } from './audit.ts';

/** The activity of one session. */
export interface SessionDigest {
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
  /** The actions that were asked about or blocked, with the rule and the count. */
  readonly stops: Map<string, number>;
}

const page = 1000;

/** The sessions of a time, the oldest first. */
export async function sessionsSince(
  audit: Pick<AuditLog, 'list'>,
  since: number,
  reader: Reader = {},
): Promise<readonly SessionDigest[]> {
  const sessions = new Map<string, SessionDigest>();
  /** The requester of a decision, and its result. */
  const ofDecision = new Map<string, SessionDigest>();
  let after = 0;
  for (;;) {
    const entries = await audit.list({ ...reader, since, after, limit: page });
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
  if (type !== 'decision' || isProbe(entry)) return;
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
