// Finds tools by what a task says. The same words and tools give the same list, and nothing leaves the machine.

import { editDistance } from '../../core/text.ts';
import type { CodeTool } from './names.ts';
import { propertiesOf } from './schema.ts';

/** How much a word counts by the place that it stands in; however often it stands there, it counts once. */
const weights = { name: 4, server: 2, title: 2, keys: 1, description: 1 } as const;

/** Words that say nothing about what a task is. */
const empty: ReadonlySet<string> = new Set(
  (
    'a about after all an and any are as at be been before but by can could do does for from has have how i if in ' +
    'into is it its me my of on or our please should so some than that the their them then there these this those ' +
    'to up us was we were what when where which who will with would you your'
  ).split(' '),
);

/** Words that say the same of a tool. */
const sames: readonly (readonly string[])[] = [
  ['create', 'add', 'new', 'make', 'insert', 'open'],
  ['delete', 'remove', 'drop', 'erase'],
  ['update', 'edit', 'change', 'modify', 'set', 'patch', 'rename'],
  ['get', 'read', 'fetch', 'show', 'load', 'view', 'retrieve'],
  ['list', 'enumerate', 'every'],
  ['search', 'find', 'query', 'lookup'],
  ['send', 'post', 'publish', 'deliver'],
  ['run', 'execute', 'start', 'launch'],
  ['message', 'mail', 'email'],
  ['repository', 'repo'],
  ['directory', 'folder', 'dir'],
  ['person', 'people', 'user', 'member'],
];

/** How well a word of the task fits one of a tool. */
const fits = { same: 1, begins: 0.7, means: 0.6, nearly: 0.5 } as const;

interface Entry {
  readonly tool: CodeTool;
  /** What each word counts. */
  readonly words: ReadonlyMap<string, number>;
}

interface Index {
  readonly entries: readonly Entry[];
  /** In how many tools each word stands. */
  readonly spread: ReadonlyMap<string, number>;
}

const indexes = new WeakMap<readonly CodeTool[], Index>();

/** The tools that fit a task, the best first. */
export function searchTools(tools: readonly CodeTool[], task: string, limit: number): readonly CodeTool[] {
  const index = indexes.get(tools) ?? indexOf(tools);
  indexes.set(tools, index);
  const said = task.slice(0, longestTask);
  const wanted = [...new Set(wordsOf(said))].slice(0, mostWords).map((word) => meant(word, index));
  const found = index.entries.flatMap(({ tool, words }) => {
    const score = wanted.reduce((sum, terms) => sum + bestOf(terms, words, index), named(tool, said));
    return score > 0 ? [{ tool, score }] : [];
  });
  const order = (a: (typeof found)[number], b: (typeof found)[number]) =>
    b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1);
  return found
    .sort(order)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

const longestTask = 4000;
const mostWords = 64;
/** Of one tool. */
const mostKeys = 200;
const longestDescription = 4000;

/** A tool that is called by its name is meant, whatever else is said. */
function named({ name, tool }: CodeTool, said: string): number {
  const isNamed = said.includes(name) || (tool.name.length > 3 && said.includes(tool.name));
  return isNamed ? 20 : 0;
}

function indexOf(tools: readonly CodeTool[]): Index {
  const entries = tools.map((tool): Entry => ({ tool, words: weighed(tool) }));
  const spread = new Map<string, number>();
  for (const { words } of entries) {
    for (const word of words.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  return { entries, spread };
}

function weighed({ tool }: CodeTool): ReadonlyMap<string, number> {
  const keys = Object.keys(propertiesOf(tool.inputSchema)).slice(0, mostKeys);
  const description = wordsOf(tool.description.slice(0, longestDescription));
  // A description that holds every word there is shall not be found by all of them.
  const share = 1 / (1 + description.length / 100);
  const counts = new Map<string, number>();
  const count = (words: readonly string[], weight: number) => {
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  count(wordsOf(tool.name), weights.name);
  count(wordsOf(tool.server), weights.server);
  count(wordsOf(tool.title ?? ''), weights.title);
  count(wordsOf(keys.join(' ')), weights.keys);
  count(description, weights.description * share);
  return counts;
}

/** The words of the tools that a word may mean, each with how well it fits. */
function meant(word: string, { spread }: Index): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  const add = (term: string, fit: number) => {
    if (spread.has(term)) terms.set(term, Math.max(fit, terms.get(term) ?? 0));
  };
  add(word, fits.same);
  for (const other of meanings.get(word) ?? []) add(other, fits.means);
  for (const term of spread.keys()) if (isBeginning(word, term)) add(term, fits.begins);
  if (terms.size > 0) return terms;
  for (const term of spread.keys()) if (isNear(word, term)) add(term, fits.nearly);
  return terms;
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

/** What the best of some words counts in a tool; a word that few tools have counts more. */
function bestOf(
  terms: ReadonlyMap<string, number>,
  words: Entry['words'],
  { entries, spread }: Index,
): number {
  let best = 0;
  for (const [term, fit] of terms) {
    const weight = words.get(term);
    if (weight === undefined) continue;
    const rare = Math.log(1 + entries.length / (spread.get(term) ?? 1));
    best = Math.max(best, fit * weight * rare);
  }
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

const meanings: ReadonlyMap<string, readonly string[]> = new Map(
  sames.flatMap((words) => {
    const stems = words.map(stemOf);
    return stems.map((stem) => [stem, stems] as const);
  }),
);
