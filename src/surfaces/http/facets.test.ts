// What the log page counts: each facet under all the others; and what belongs to a session.

import { describe, expect, it } from 'vitest';
import type { Entry, EntryFilter } from '../../ledger/index.ts';
import { entriesOfSession, facetsOf, newest } from './facets.ts';

let place = 0;
const entry = (agent: string, decision: string, rule: string, session: string): Entry => ({
  ...{ place: ++place, seq: place, time: place, chain: 'a', hash: '', user: 'ann', tenant: 't', agent },
  ...{ event_type: 'decision', decision, decision_id: `d${place}` },
  details: { session, findings: rule === '' ? [] : [{ rule, decision }] },
});

const entries = [
  entry('claude', 'block', 'mass_deletion', 'one'),
  entry('claude', 'block', 'force_push', 'one'),
  entry('claude', 'pass', '', 'two'),
  entry('codex', 'block', 'mass_deletion', 'three'),
];

/** A log of entries, newest first, as the ledger lists it. */
const auditOf = (all: readonly Entry[]) => ({
  list: async ({ before = Number.MAX_SAFE_INTEGER, session, since = 0, limit = 50 }: EntryFilter) =>
    all
      .filter((one) => one.place < before && one.time >= since)
      .filter(({ details }) => session === undefined || details['session'] === session)
      .toReversed()
      .slice(0, limit),
});

describe('facets', () => {
  it('count what there is, the most first', () => {
    const { decision, agent, rule } = facetsOf(entries, {});
    expect(decision).toEqual([
      { name: 'block', count: 3 },
      { name: 'pass', count: 1 },
    ]);
    expect(agent.map(({ name }) => name)).toEqual(['claude', 'codex']);
    expect(rule[0]).toEqual({ name: 'mass_deletion', count: 2 });
  });

  it('count each under the others, and not under itself', () => {
    const { decision, agent, rule } = facetsOf(entries, { agent: 'codex', decision: 'block' });
    expect(agent).toEqual([
      { name: 'claude', count: 2 },
      { name: 'codex', count: 1 },
    ]);
    expect(decision).toEqual([{ name: 'block', count: 1 }]);
    expect(rule).toEqual([{ name: 'mass_deletion', count: 1 }]);
  });

  it('say where they count only the newest', async () => {
    const many = Array.from({ length: 5200 }, () => entry('claude', 'pass', '', 'many'));
    const found = await newest(auditOf(many), {});
    expect([found.entries.length, found.complete]).toEqual([5000, false]);
    expect((await newest(auditOf(entries), {})).complete).toBe(true);
  });
});

describe('a session', () => {
  it('has what names it and what came of its decisions, oldest first', async () => {
    const [first] = entries;
    const receipt: Entry = { ...entry('claude', '', '', ''), event_type: 'receipt', details: {} };
    const own = { ...receipt, decision_id: first!.decision_id! };
    const found = await entriesOfSession(auditOf([...entries, own]), 'one', {});
    expect(found.map((one) => one.place)).toEqual([entries[0]!.place, entries[1]!.place, own.place]);
    expect(await entriesOfSession(auditOf(entries), 'none', {})).toEqual([]);
  });
});
