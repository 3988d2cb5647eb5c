// Finds entries of a schema by words that a model or a person would use for them: plural or not, in snake or camel case.

import { editDistance } from '../../core/text.ts';
import type { SchemaEntry, SchemaMember } from './entry.ts';

/** An entry that fits, with the members that made it fit. */
export interface Match {
  readonly entry: SchemaEntry;
  readonly members: readonly SchemaMember[];
  readonly score: number;
}

/** The words of a name or a sentence: small letters, one form for one and for many. */
export function wordsOf(text: string): readonly string[] {
  return text
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(singular);
}

function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word;
  if (/(?:x|ch|sh|ss|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** Words that say nothing of a schema. */
const empty: ReadonlySet<string> = new Set(
  'a an the of in on for to by with and or is are all any how what which who where when from me my get list show find table column field type id'.split(
    ' ',
  ),
);

interface Indexed {
  readonly entry: SchemaEntry;
  readonly name: readonly string[];
  readonly comment: ReadonlySet<string>;
  readonly members: readonly {
    readonly member: SchemaMember;
    readonly name: readonly string[];
    readonly more: ReadonlySet<string>;
  }[];
}

const indexes = new WeakMap<readonly SchemaEntry[], readonly Indexed[]>();

function indexOf(entries: readonly SchemaEntry[]): readonly Indexed[] {
  const known = indexes.get(entries);
  if (known !== undefined) return known;
  const index = entries.map((entry) => ({
    entry,
    name: wordsOf(entry.name),
    comment: new Set(wordsOf(`${entry.comment ?? ''} ${entry.type ?? ''}`)),
    members: entry.members.map((member) => ({
      member,
      name: wordsOf(member.name),
      more: new Set(wordsOf(`${member.comment ?? ''} ${member.values.join(' ')}`)),
    })),
  }));
  indexes.set(entries, index);
  return index;
}

/** How much a hit counts by where it is. */
const weights = { name: 10, member: 4, comment: 2, more: 1.5 } as const;
/** Entries that are parts of others. */
const partial: ReadonlySet<string> = new Set(['partition', 'scalar']);

/** The entries that fit best first; all of them where nothing was asked for. */
export function searchEntries(entries: readonly SchemaEntry[], text: string): readonly Match[] {
  const all = wordsOf(text);
  const meant = all.filter((word) => !empty.has(word));
  const wanted = [...new Set(meant.length > 0 ? meant : all)];
  const index = indexOf(entries);
  if (wanted.length === 0) return entries.map((entry) => ({ entry, members: [], score: 0 }));
  const found = index.map((one) => ({ one, hits: wanted.map((word) => hitOf(one, word)) }));
  // A word that few entries have says more than one that most of them have.
  const rarity = wanted.map((_, at) => {
    const having = found.filter(({ hits }) => (hits[at]?.score ?? 0) > 0).length;
    return Math.log(1 + entries.length / (1 + having));
  });
  return found
    .map(({ one: { entry, name }, hits }): Match => {
      const sum = hits.reduce((total, { score }, at) => total + score * (rarity[at] ?? 1), 0);
      const share = hits.filter(({ score }) => score > 0).length / wanted.length;
      const exact = name.length > 0 && name.every((word) => wanted.includes(word)) ? 2 : 1;
      const members = new Set(hits.flatMap((hit) => hit.members));
      return {
        entry,
        members: [...members],
        score: sum * share * exact * (partial.has(entry.kind) ? 0.5 : 1),
      };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.entry.name.length - b.entry.name.length);
}

function hitOf({ name, comment, members }: Indexed, word: string) {
  const inName = weights.name * Math.max(0, ...name.map((one) => likeness(one, word)));
  const fitting = members.map(({ member, name: words, more }) => ({
    member,
    score: Math.max(
      weights.member * Math.max(0, ...words.map((one) => likeness(one, word))),
      more.has(word) ? weights.more : 0,
    ),
  }));
  const inMembers = Math.max(0, ...fitting.map(({ score }) => score));
  const said = comment.has(word) ? weights.comment : 0;
  return {
    score: Math.max(inName, inMembers, said),
    members: fitting.filter(({ score }) => score > 0).map(({ member }) => member),
  };
}

/** 1 for the same word, less for one that begins or ends so, and for one that differs by a letter. */
function likeness(word: string, wanted: string): number {
  if (word === wanted) return 1;
  if (wanted.length < 3 || word.length < 3) return 0;
  if (word.startsWith(wanted)) return 0.6;
  if (wanted.startsWith(word) && word.length > 3) return 0.5;
  if (word.includes(wanted)) return 0.4;
  return wanted.length > 4 && Math.abs(word.length - wanted.length) < 2 && editDistance(word, wanted) === 1
    ? 0.5
    : 0;
}

/** The entry that a name means, however it is spelled; null where there is none. */
export function entryNamed(entries: readonly SchemaEntry[], name: string): SchemaEntry | null {
  const wanted = wordsOf(name).join(' ');
  const last = (text: string) => text.slice(text.lastIndexOf('.') + 1);
  return (
    entries.find((entry) => entry.name === name) ??
    entries.find((entry) => entry.kind === 'operation' && entry.type === name) ??
    entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase()) ??
    entries.find((entry) => entry.name === last(name) || last(entry.name) === name) ??
    entries.find((entry) => wordsOf(entry.name).join(' ') === wanted) ??
    // The name of a member stands for what it is a member of.
    entries.find((entry) => name.startsWith(`${entry.name}.`)) ??
    null
  );
}
