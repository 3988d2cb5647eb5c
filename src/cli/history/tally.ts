// What a history comes to: how many calls passed, were asked about and blocked, by rule, by day and by where they are from,
// and the settings that would change most of that.

import type { Decision } from '../../core/index.ts';
import { type HistoryCall, type Origin, origins } from './call.ts';
import type { JudgedCall, Stop } from './judged.ts';

/** Counts of calls. */
export interface Counts {
  calls: number;
  asked: number;
  blocked: number;
}

export interface RuleRow {
  readonly rule: string;
  readonly asked: number;
  readonly blocked: number;
  /** What it said and of what, the most frequent first. */
  readonly examples: readonly { readonly what: string; readonly why: string; readonly times: number }[];
}

/** Takes calls in and counts. */
export class Tally {
  readonly total: Counts = { calls: 0, asked: 0, blocked: 0 };
  readonly byOrigin = new Map<Origin, Counts & { readonly sessions: Set<string> }>();
  /** By day, YYYY-MM-DD; calls without a time are left out. */
  readonly byDay = new Map<string, Counts>();
  readonly stops: Stop[] = [];
  from: number | null = null;
  to: number | null = null;

  add({ origin, at, session }: HistoryCall, { decision, stop }: JudgedCall): void {
    const own = this.byOrigin.get(origin) ?? { ...none(), sessions: new Set<string>() };
    this.byOrigin.set(origin, own);
    own.sessions.add(session);
    for (const counts of [this.total, own, ...this.#dayOf(at)]) count(counts, decision);
    if (stop !== null) this.stops.push(stop);
  }

  #dayOf(at: number | null): readonly Counts[] {
    if (at === null) return [];
    this.from = Math.min(this.from ?? at, at);
    this.to = Math.max(this.to ?? at, at);
    const day = new Date(at).toISOString().slice(0, 10);
    const counts = this.byDay.get(day) ?? none();
    this.byDay.set(day, counts);
    return [counts];
  }

  /** The rules that stopped calls, the most frequent first. */
  rules(): readonly RuleRow[] {
    const names = [...new Set(this.stops.flatMap(({ rules }) => rules))];
    return names
      .map((rule) => {
        const own = this.stops.filter(({ rules }) => rules.includes(rule));
        const blocked = own.filter(({ decision }) => decision === 'block').length;
        return { rule, blocked, asked: own.length - blocked, examples: examplesOf(rule, own) };
      })
      .sort((a, b) => b.asked + b.blocked - a.asked - a.blocked || a.rule.localeCompare(b.rule));
  }
}

function none(): Counts {
  return { calls: 0, asked: 0, blocked: 0 };
}

function count(counts: Counts, decision: Decision): void {
  counts.calls++;
  if (decision === 'approve') counts.asked++;
  if (decision === 'block') counts.blocked++;
}

/** Interruptions of a hundred calls. */
export function per100({ calls, asked, blocked }: Counts): number {
  return calls === 0 ? 0 : ((asked + blocked) * 100) / calls;
}

/** What calls are from, in words. */
export function originWords(tally: Tally): readonly string[] {
  return [...tally.byOrigin].map(([origin, { calls, sessions }]) => {
    const many = origin === 'shell' ? '' : ` in ${sessions.size} session${sessions.size === 1 ? '' : 's'}`;
    return `${origins[origin]} ${calls.toLocaleString('en-US')}${many}`;
  });
}

function examplesOf(rule: string, stops: readonly Stop[]): RuleRow['examples'] {
  const found = new Map<string, { what: string; why: string; times: number }>();
  for (const { what, rules, messages } of stops) {
    const known = found.get(what);
    if (known === undefined) found.set(what, { what, why: messages[rules.indexOf(rule)] ?? '', times: 1 });
    else known.times++;
  }
  return [...found.values()].sort((a, b) => b.times - a.times);
}
