// Finds tools by what a task says. The same words and tools give the same list, and nothing leaves the machine.

import { editDistance } from '../../core/text.ts';
import type { CodeTool } from './names.ts';
import { propertiesOf, textsOf } from './schema.ts';
import { abbreviations, changingVerbs, empty, meanings } from './words.ts';

/** How much a word counts by the place that it stands in; however often it stands there, it counts once. */
const weights = { name: 4, server: 2, title: 2, keys: 1, opening: 2, description: 0.8, schema: 0.6 } as const;

/** How well a word of the task fits one of a tool. */
const fits = { same: 1, begins: 0.7, means: 0.65, nearly: 0.5 } as const;

/** What a tool loses at most for words in its name that the task does not say. */
const unsaid = 0.4;
/** What a tool keeps where the task names another server. */
const elsewhere = 0.4;
/** What a tool that changes something keeps where the task only asks. */
const changed = 0.5;
const questions =
  /^\s*(?:what|which|who|whose|where|when|how|why|is|are|was|were|did|does|do|has|have|can)\b/i;
/** How much the whole task counts where a part of it is looked at. */
const context = 0.3;

interface Entry {
  readonly tool: CodeTool;
  /** What each word counts. */
  readonly words: ReadonlyMap<string, number>;
  readonly name: readonly string[];
  readonly server: readonly string[];
  /** Whether its name says that it changes something. */
  readonly changes: boolean;
}

interface Index {
  readonly entries: readonly Entry[];
  /** In how many tools each word stands. */
  readonly spread: ReadonlyMap<string, number>;
  /** Words of the names of servers. */
  readonly servers: ReadonlySet<string>;
}

/** A word of tools that a word of the task may mean. */
interface Term {
  readonly fit: number;
  /** How much it tells: a word that few tools have counts more. */
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
  const lists =
    parts.length < 2
      ? [ranked(index, whole)]
      : [whole, ...parts.map((part) => joined(scored(index, part), whole))].map((scores) =>
          ranked(index, scores),
        );
  return inTurns(lists, limit);
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

/** What each tool scores for a text. */
function scored(index: Index, said: string): readonly number[] {
  const words = [...new Set(wordsOf(said))].slice(0, mostWords);
  const wanted = words.map((word) => meant(word, index));
  const servers = new Set(words.filter((word) => index.servers.has(word)));
  const isQuestion = questions.test(said);
  return index.entries.map((entry) => {
    const counts = wanted.map((terms) => bestOf(terms, entry.words));
    const score = counts.reduce((sum, count) => sum + count, 0);
    const share = counts.filter((count) => count > 0).length / Math.max(1, counts.length);
    const isElsewhere = servers.size > 0 && !entry.server.some((word) => servers.has(word));
    const fit = (isElsewhere ? elsewhere : 1) * (isQuestion && entry.changes ? changed : 1);
    const whole = score * Math.sqrt(share) * nameShare(entry, wanted) * fit;
    return whole + named(entry.tool, said);
  });
}

/** A part of a task, where the whole tells what it is about. */
function joined(part: readonly number[], whole: readonly number[]): readonly number[] {
  return part.map((score, place) => (score > 0 ? score + context * (whole[place] ?? 0) : 0));
}

function ranked({ entries }: Index, scores: readonly number[]): readonly CodeTool[] {
  return entries
    .flatMap(({ tool }, place) => ((scores[place] ?? 0) > 0 ? [{ tool, score: scores[place] ?? 0 }] : []))
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

/** The first of each list, then the second of each, and so on. */
function inTurns(lists: readonly (readonly CodeTool[])[], limit: number): readonly CodeTool[] {
  const found = new Set<CodeTool>();
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let place = 0; place < longest && found.size < limit; place++) {
    for (const list of lists) {
      const tool = list[place];
      if (tool !== undefined && found.size < limit) found.add(tool);
    }
  }
  return [...found];
}

/** The steps that a task names. */
function partsOf(said: string): readonly string[] {
  return said
    .split(/[.;,:\n]+|\b(?:and|then|afterwards|finally|also|next|before|after|plus)\b/i)
    .filter((part) => wordsOf(part).length > 1)
    .slice(0, mostParts);
}

/** A tool that is called by its name is meant, whatever else is said. */
function named({ name, tool }: CodeTool, said: string): number {
  const isNamed =
    said.includes(name) || (tool.name.length > 3 && /[_A-Z-]/.test(tool.name) && said.includes(tool.name));
  return isNamed ? 40 : 0;
}

/** Of two tools with the words of a task, the one whose name says nothing else is meant. */
function nameShare({ name }: Entry, wanted: readonly ReadonlyMap<string, Term>[]): number {
  if (name.length === 0) return 1;
  const met = name.filter((word) => wanted.some((terms) => terms.has(word))).length;
  return 1 - unsaid * (1 - met / name.length);
}

function indexOf(tools: readonly CodeTool[]): Index {
  const entries = tools.map((tool): Entry => {
    const [name, server] = [tool.tool.name, tool.tool.server].map((text) => [...new Set(wordsOf(text))]);
    const changes = name?.some((word) => changing.has(word)) ?? false;
    return { tool, words: weighed(tool), name: name ?? [], server: server ?? [], changes };
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
  const opening = /^.*?(?:[.!?](?=\s)|\n|$)/s.exec(described)?.[0] ?? '';
  const schema = wordsOf(textsOf(tool.inputSchema).join(' ').slice(0, longestSchema));
  const counts = new Map<string, number>();
  const count = (words: readonly string[], weight: number) => {
    // A text that holds every word there is shall not be found by all of them.
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
  // Words that mean the same are as common as all of them together.
  const all = [...terms.keys()].reduce((sum, term) => sum + (spread.get(term) ?? 0), 0);
  return new Map(
    [...terms].map(([term, fit]) => [
      term,
      { fit, rare: rareness(term === word ? (spread.get(term) ?? 0) : Math.min(all, entries.length)) },
    ]),
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

/** What the best of some words counts in a tool. */
function bestOf(terms: ReadonlyMap<string, Term>, words: Entry['words']): number {
  let best = 0;
  for (const [term, { fit, rare }] of terms) best = Math.max(best, fit * rare * (words.get(term) ?? 0));
  return best;
}

/** The words of a text in their plain form: no accents, no capitals, no endings. */
function wordsOf(text: string): readonly string[] {
  const apart = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
  const words = apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .flatMap((word) => abbreviations.get(word) ?? [word])
    .filter((word) => !empty.has(word))
    .flatMap((word) => (unspaced.test(word) ? pairsOf(word) : [stemOf(word.slice(0, 64))]));
}

/** Scripts that put no space between words: each two signs that stand together count as one. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(word: string): readonly string[] {
  const signs = [...word];
  return signs.length < 2 ? signs : signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

/** A word without its ending; crude, and the same for tasks and tools. */
function stemOf(word: string): string {
  if (word.length < 4) return word;
  const plain = word
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|x|ch|sh)es$/, '')
    .replace(/(?<![su])s$/, '');
  const bare = plain.replace(/(?<=[aeiouy].*)(?<=...)(?:ing|ed)$/, '');
  const single = bare === plain ? bare : bare.replace(/(?<=..)([^aeioulsz])\1$/, '$1');
  return single.replace(/(?<=..)e$/, '');
}

const changing: ReadonlySet<string> = new Set(changingVerbs.map(stemOf));
const stems: ReadonlyMap<string, ReadonlySet<string>> = stemmed();

function meaningsOf(word: string): ReadonlySet<string> {
  return stems.get(word) ?? new Set();
}

function stemmed(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const group of meanings) {
    const words = group.map(stemOf);
    for (const word of words) {
      const known = found.get(word) ?? new Set();
      found.set(word, known);
      for (const other of words) known.add(other);
    }
  }
  return found;
}
