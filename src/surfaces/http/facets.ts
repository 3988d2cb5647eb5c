// How many entries of the log have which value of what a person filters by.

import { rulesOf } from '../../core/entry-text.ts';
import type { Entry, EntryFilter, Ledger } from '../../ledger/index.ts';

export const facetNames = ['decision', 'agent', 'rule', 'session', 'event_type'] as const;
type FacetName = (typeof facetNames)[number];

/** Most entries that are counted, the newest: beyond that the counts are those of a sample, and say so. */
const mostCounted = 5000;
const page = 1000;
/** Most values that are named of a facet. */
const mostValues = 12;

/** A table with one member for each name. */
export function mapOf<N extends string, T>(
  names: readonly N[],
  make: (name: N) => T,
): Readonly<Record<N, T>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Readonly<Record<N, T>>;
}

/** The newest entries of a search, as many as are counted. */
export async function newest(
  audit: Pick<Ledger['audit'], 'list'>,
  filter: EntryFilter,
): Promise<{ readonly entries: readonly Entry[]; readonly complete: boolean }> {
  const entries: Entry[] = [];
  for (;;) {
    const last = entries.at(-1);
    const before = last === undefined ? {} : { before: last.place };
    const more = await audit.list({ ...filter, ...before, limit: page });
    entries.push(...more);
    if (more.length < page) return { entries, complete: true };
    if (entries.length >= mostCounted) return { entries, complete: false };
  }
}

/** The values that an entry has of a facet. */
function valuesOf(entry: Entry, name: FacetName): readonly string[] {
  switch (name) {
    case 'decision':
      return entry.decision === undefined ? [] : [entry.decision];
    case 'agent':
      return entry.agent === '' ? [] : [entry.agent];
    case 'event_type':
      return [entry.event_type];
    case 'rule':
      return rulesOf(entry);
    case 'session': {
      const { session } = entry.details;
      return typeof session === 'string' && session !== '' ? [session] : [];
    }
  }
}

/** Each facet counted over the entries that fit the other ones, so that a choice shows what else could be chosen. */
export function facetsOf(
  entries: readonly Entry[],
  wanted: Readonly<Partial<Record<FacetName, string>>>,
): Readonly<Record<FacetName, readonly { readonly name: string; readonly count: number }[]>> {
  const table = entries.map((entry) => mapOf(facetNames, (name) => valuesOf(entry, name)));
  return mapOf(facetNames, (name) => {
    const others = facetNames.filter((other) => other !== name && wanted[other] !== undefined);
    const counts = new Map<string, number>();
    for (const row of table) {
      if (!others.every((other) => row[other].includes(wanted[other] ?? ''))) continue;
      for (const value of row[name]) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts]
      .map(([value, count]) => ({ name: value, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, mostValues);
  });
}

/** What names a session, and what came of its decisions: answers and receipts name only those. Oldest first. */
export async function entriesOfSession(
  audit: Pick<Ledger['audit'], 'list'>,
  session: string,
  reader: Pick<EntryFilter, 'tenant' | 'user'>,
): Promise<readonly Entry[]> {
  const own = await audit.list({ ...reader, session, limit: page });
  const since = own.at(-1)?.time;
  if (since === undefined) return [];
  const decisions = new Set(own.map(({ decision_id: id }) => id));
  const { entries } = await newest(audit, { ...reader, since });
  const known = new Set(own.map(({ place }) => place));
  const more = entries.filter(
    ({ decision_id: id, place }) => id !== undefined && decisions.has(id) && !known.has(place),
  );
  return [...own, ...more].sort((a, b) => a.place - b.place);
}
