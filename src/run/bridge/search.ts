// Finds tools by the words of a task. The same words and tools give the same list, and no data leaves the machine.

import { editDistance } from '../../core/text.ts';
import type { CodeTool } from './names.ts';
import { propertiesOf, textsOf } from './schema.ts';
import { type Deed, deedBy, deedOf, isDeed, meaningsOf, saidIn, wordsOf } from './stems.ts';

/** The weight of a word by its field; it counts once per field, however often it occurs. */
const weights = { name: 4, server: 2, title: 2, keys: 1, opening: 2, description: 0.8, schema: 0.6 } as const;

/** How well a word of the task fits one of a tool. */
const fits = { same: 1, begins: 0.7, means: 0.65, nearly: 0.5 } as const;

/** How far a word that only means the same is as rare as it is alone. */
const alone = 0.3;

/** The maximum penalty of a tool for words in its name that are not in the task. */
const unsaid = 0.4;
/** The factor for a tool if the task names another server. */
const elsewhere = 0.4;
/** The factor for a tool that changes something if the task only asks. */
const changed = 0.5;
/** The factor for a tool that only reads if the task orders a change. */
const onlyRead = 0.75;
/** The bonus for the tools of the server that is best for some part of a task: a task concerns few servers. */
const gathered = 1.3;
/** A task of more parts is looked at as a whole in every second round only. */
const fewParts = 2;

interface Entry {
  readonly tool: CodeTool;
  /** The weight of each word. */
  readonly words: ReadonlyMap<string, number>;
  readonly name: readonly string[];
  readonly server: readonly string[];
  readonly deed: Deed | undefined;
}

interface Index {
  readonly entries: readonly Entry[];
  /** The number of tools with each word. */
  readonly spread: ReadonlyMap<string, number>;
  /** Words of the names of servers. */
  readonly servers: ReadonlySet<string>;
}

/** A word of tools that a word of the task may mean. */
interface Term {
  readonly fit: number;
  /** The inverse document frequency: a word that few tools have counts more. */
  readonly rare: number;
}

const indexes = new WeakMap<readonly CodeTool[], Index>();

/** The tools that fit a task, the best first; a task of several parts finds the tools of each. */
export function searchTools(tools: readonly CodeTool[], task: string, limit: number): readonly CodeTool[] {
  const index = indexes.get(tools) ?? indexOf(tools);
  indexes.set(tools, index);
  const said = task.slice(0, longestTask);
  const whole = scored(index, said);
  const parts = partsOf(said);
  if (parts.length < 2) return ranked(index, whole).slice(0, limit);
  return inTurns(ranked(index, whole), gatheredLists(index, parts), limit);
}

/** The tools for each part, those of servers that are best for some part a little before the others. */
function gatheredLists(index: Index, parts: readonly string[]): readonly (readonly CodeTool[])[] {
  const scores = parts.map((part) => scored(index, part));
  const best = scores.flatMap((list) => ranked(index, list).slice(0, 1));
  const servers = new Set(best.map(({ tool }) => tool.server));
  const gain = index.entries.map(({ tool }) => (servers.has(tool.tool.server) ? gathered : 1));
  return scores.map((list) =>
    ranked(
      index,
      list.map((score, place) => score * (gain[place] ?? 1)),
    ),
  );
}

/** The share of other tools that may have the name of a server as a word. */
const mostShared = 0.03;
const longestTask = 4000;
const mostWords = 64;
const mostParts = 8;
/** Of one tool. */
const mostKeys = 200;
const longestDescription = 4000;
const longestSchema = 4000;

/** The score of each tool for a text. */
function scored(index: Index, text: string): readonly number[] {
  const said = [...saidIn(text)].slice(0, mostWords);
  const wanted = said.map(([word]) => meant(word, index));
  const servers = new Set(said.flatMap(([word]) => serversSaid(word, index)));
  const all = said.reduce((sum, [, weight]) => sum + weight, 0);
  const deed = deedOf(text);
  return index.entries.map((entry) => {
    let [score, met] = [0, 0];
    for (const [place, [, weight]] of said.entries()) {
      const best = bestOf(wanted[place] ?? new Map(), entry.words);
      score += weight * best;
      if (best > 0) met += weight;
    }
    const isElsewhere = servers.size > 0 && !entry.server.some((word) => servers.has(word));
    const fit = (isElsewhere ? elsewhere : 1) * deedFit(deed, entry.deed);
    const whole = score * Math.sqrt(met / Math.max(1, all)) * nameShare(entry, wanted) * fit;
    return whole + named(entry.tool, text);
  });
}

/** The words of servers' names that a word equals, or is a prefix of. */
function serversSaid(word: string, { servers, spread }: Index): readonly string[] {
  if (servers.has(word)) return [word];
  return spread.has(word) ? [] : [...servers].filter((name) => isBeginning(word, name));
}

function deedFit(task: Deed | undefined, tool: Deed | undefined): number {
  if (task === 'reads' && tool === 'changes') return changed;
  return task === 'changes' && tool === 'reads' ? onlyRead : 1;
}

function ranked({ entries }: Index, scores: readonly number[]): readonly CodeTool[] {
  return entries
    .flatMap(({ tool }, place) => ((scores[place] ?? 0) > 0 ? [{ tool, score: scores[place] ?? 0 }] : []))
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

/** The first of each list, then the second of each, and so on; the list for the whole task takes part in its turn. */
function inTurns(
  whole: readonly CodeTool[],
  parts: readonly (readonly CodeTool[])[],
  limit: number,
): readonly CodeTool[] {
  const found = new Set<CodeTool>();
  const longest = Math.max(whole.length, ...parts.map(({ length }) => length));
  for (let place = 0; place < longest && found.size < limit; place++) {
    const isTurn = parts.length <= fewParts || place % 2 === 1;
    for (const list of isTurn ? [whole, ...parts] : parts) {
      const tool = list[place];
      if (tool !== undefined && found.size < limit) found.add(tool);
    }
  }
  return [...found];
}

/** The steps that a task names; the destination in a task of several steps is a step too. */
function partsOf(said: string): readonly string[] {
  const steps = said
    .split(/[;,\n]+|[.:](?=\s|$)|\b(?:and|then|afterwards|finally|also|next|before|after|plus)\b/i)
    .filter((part) => /\S\s+\S/.test(part.trim()) && wordsOf(part).length > 0);
  const parts = steps.length < 2 ? steps : steps.flatMap((step) => [step, ...targetOf(step)]);
  return parts.slice(0, mostParts);
}

/** The source and the destination of a step that moves data. */
function targetOf(step: string): readonly string[] {
  const [, verb = '', source = '', target] = /(\w+)\s+(\S.*)\sinto\s+(\S+\s.+)$/i.exec(step) ?? [];
  if (target === undefined) return [];
  return [`write ${target}`, ...(/^(?:copy|move)$/i.test(verb) ? [`read ${source}`] : [])];
}

/** A tool that is named exactly is intended, whatever other words there are. */
function named({ name, tool }: CodeTool, said: string): number {
  const isNamed =
    said.includes(name) || (tool.name.length > 3 && /[_A-Z-]/.test(tool.name) && said.includes(tool.name));
  return isNamed ? 40 : 0;
}

/** Of two tools with the words of a task, the one with no other words in its name is intended. */
function nameShare({ name }: Entry, wanted: readonly ReadonlyMap<string, Term>[]): number {
  if (name.length === 0) return 1;
  const met = name.filter((word) => wanted.some((terms) => terms.has(word))).length;
  return 1 - unsaid * (1 - met / name.length);
}

function indexOf(tools: readonly CodeTool[]): Index {
  const entries = tools.map((tool): Entry => {
    const [name, server] = [tool.tool.name, tool.tool.server].map((text) => [...new Set(wordsOf(text))]);
    return { tool, words: weighed(tool), name: name ?? [], server: server ?? [], deed: deedBy(name ?? []) };
  });
  const spread = new Map<string, number>();
  for (const { words } of entries) {
    for (const word of words.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  // The name of a server that is a word of many other tools names no server.
  const servers = new Set(
    entries
      .flatMap(({ server }) => server)
      .filter((word) => {
        const own = entries.filter(({ server }) => server.includes(word)).length;
        return (spread.get(word) ?? 0) - own <= entries.length * mostShared;
      }),
  );
  return { entries, spread, servers };
}

function weighed({ tool }: CodeTool): ReadonlyMap<string, number> {
  const keys = Object.keys(propertiesOf(tool.inputSchema)).slice(0, mostKeys);
  const described = tool.description.trim().slice(0, longestDescription);
  const opening = openingOf(described);
  const schema = wordsOf(textsOf(tool.inputSchema).join(' ').slice(0, longestSchema));
  const counts = new Map<string, number>();
  const count = (words: readonly string[], weight: number) => {
    // A text that contains every word must not be found by all of them.
    const share = 1 / (1 + words.length / 60);
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + weight * share);
  };
  count(wordsOf(tool.name), weights.name);
  count(wordsOf(tool.server), weights.server);
  count(wordsOf(tool.title ?? ''), weights.title);
  count(wordsOf(keys.join(' ')), weights.keys);
  count(wordsOf(opening), weights.opening);
  count(wordsOf(described.slice(opening.length)), weights.description);
  count(schema, weights.schema);
  return counts;
}

/** The first sentence of a description that is more than a heading. */
function openingOf(described: string): string {
  let end = 0;
  while (end < described.length) {
    const sentence = /^.*?(?:[.!?](?=\s)|\n|$)/s.exec(described.slice(end))?.[0] ?? '';
    end += Math.max(1, sentence.length);
    if (wordsOf(sentence).length > 2) break;
  }
  return described.slice(0, end);
}

/** The words of the tools that a word may mean, each with how well it fits. */
function meant(word: string, { spread, entries }: Index): ReadonlyMap<string, Term> {
  const terms = new Map<string, number>();
  const add = (term: string, fit: number) => {
    if (spread.has(term)) terms.set(term, Math.max(fit, terms.get(term) ?? 0));
  };
  add(word, fits.same);
  for (const other of meaningsOf(word)) add(other, fits.means);
  for (const term of spread.keys()) if (isBeginning(word, term)) add(term, fits.begins);
  if (terms.size === 0) for (const term of spread.keys()) if (isNear(word, term)) add(term, fits.nearly);
  const rareness = (count: number) => Math.log(1 + entries.length / Math.max(1, count));
  // Synonyms are nearly as common as all of them together; verbs are less specific than their objects.
  const all = [...terms.keys()].reduce((sum, term) => sum + (spread.get(term) ?? 0), 0);
  const together = rareness(Math.min(all, entries.length));
  return new Map(
    [...terms].map(([term, fit]) => {
      const own = term !== word ? alone : isDeed(word) ? 0 : 1;
      return [term, { fit, rare: own * rareness(spread.get(term) ?? 0) + (1 - own) * together }];
    }),
  );
}

function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length > 3 && long.startsWith(short);
}

/** Whether one may be a misspelling of the other: a mistake in four letters, two in eight. */
function isNear(word: string, term: string): boolean {
  const mistakes = Math.min(2, Math.floor(word.length / 4));
  if (mistakes === 0 || Math.abs(word.length - term.length) > mistakes) return false;
  return editDistance(word, term) <= mistakes;
}

/** The weight of the best of some words in a tool. */
function bestOf(terms: ReadonlyMap<string, Term>, words: Entry['words']): number {
  let best = 0;
  for (const [term, { fit, rare }] of terms) best = Math.max(best, fit * rare * (words.get(term) ?? 0));
  return best;
}
