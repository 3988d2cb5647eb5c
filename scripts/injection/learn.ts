// What the model learns from: the corpus without what is held out, and the grammar; and where its thresholds lie.

import type { Model } from '../../src/detect/injection/model.ts';
import { isBare, lineageOf, lineages, type Text } from './corpus.ts';
import { type Example, exampleOf, fitWeights, scoreExample, type Weights } from './fit.ts';
import { attackSentence, benignSentence, type Chance, chanceFrom, indirectAttack, pick } from './grammar.ts';

/** So many texts of one source at most, lest the large ones drown the rest. */
const mostOfSource = 1800;
const grammarTexts = { attack: 4000, benign: 8000, indirect: 2000 };

const examples = new WeakMap<Text, Example>();

/** The example of a text, made once. */
function exampleFrom(text: Text): Example {
  const made = examples.get(text) ?? exampleOf(text.text, text.attack);
  examples.set(text, made);
  return made;
}

/** Everything to learn from, given the texts that may be seen. */
function learningSet(seen: readonly Text[]): Example[] {
  const chance = chanceFrom(7);
  const set: Example[] = [];
  for (const source of new Set(seen.map((text) => text.source))) {
    const texts = seen.filter((text) => text.source === source && !isBare(text));
    const part = Math.min(1, mostOfSource / texts.length);
    for (const text of texts) if (chance() < part) set.push(exampleFrom(text));
  }
  const carriers = seen.filter(({ attack, text }) => !attack && text.length > 120 && text.length < 4000);
  const sentences = (make: (chance: Chance) => { text: string }, count: number, attack: boolean) => {
    for (let made = 0; made < count; made++) set.push(exampleOf(make(chance).text, attack));
  };
  sentences(attackSentence, grammarTexts.attack, true);
  sentences(benignSentence, grammarTexts.benign, false);
  for (let made = 0; made < grammarTexts.indirect; made++)
    set.push(exampleOf(indirectAttack(pick(carriers, chance).text, chance), true));
  return set;
}

export function learn(seen: readonly Text[]): Weights {
  return fitWeights(learningSet(seen));
}

/** A harmless text's score by a model that never saw its lineage or, for a hard lineage, never saw the text. */
export interface FreshScore {
  readonly lineage: string;
  readonly words: number;
  readonly score: number;
}

export interface LeaveOneOut {
  /** By lineage: the weights learned without it. */
  readonly weights: ReadonlyMap<string, Weights>;
  /** The weights learned from four fifths of every lineage. */
  readonly split: Weights;
  readonly scores: readonly FreshScore[];
}

/**
 * Lineages that give commands to a model or quote attacks. Without them a model takes all such texts for attacks, which
 * says nothing about one that has learned them; so they set the threshold by their texts that it did not see.
 */
const hardLineages: ReadonlySet<string> = new Set([
  'acp',
  'cursorrules',
  'dair_guide',
  'promptfoo_sec',
  'tm_dialog_md',
]);

/** Whether the text is in the fifth that the split model does not see. */
export function isSplitOff({ text }: Text): boolean {
  let hash = 0;
  for (let index = 0; index < Math.min(text.length, 200); index++)
    hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return (hash >>> 4) % 5 === 0;
}

/** One model for each lineage, learned from all the others, and one that has seen four fifths of each. */
export function leaveOneOut(texts: readonly Text[], progress: (text: string) => void): LeaveOneOut {
  progress('learning from four fifths');
  const split = learn(texts.filter((text) => !isSplitOff(text)));
  const weights = new Map<string, Weights>();
  const scores: FreshScore[] = [];
  for (const lineage of Object.keys(lineages)) {
    progress(`learning without ${lineage}`);
    const without = learn(texts.filter(({ source }) => lineageOf(source) !== lineage));
    weights.set(lineage, without);
    const isHard = hardLineages.has(lineage);
    const harmless = texts.filter(
      (text) => !text.attack && lineageOf(text.source) === lineage && (!isHard || isSplitOff(text)),
    );
    for (const example of [...harmless.map(exampleFrom), ...longTexts(harmless)])
      scores.push({ lineage, words: example.words, score: scoreExample(example, isHard ? split : without) });
  }
  return { weights, split, scores };
}

/** Lengths in characters that texts of one source are joined to. */
const longLengths = [4000, 16_000] as const;

/** Texts of one source, one after the other, as long as wanted. */
export function joinedTexts(texts: readonly Text[], length: number): string[] {
  const joined: string[] = [];
  let current = '';
  for (const { text } of texts) {
    current += `${text}\n\n`;
    if (current.length < length) continue;
    joined.push(current.slice(0, length));
    current = '';
  }
  return joined;
}

function longTexts(texts: readonly Text[]): Example[] {
  return longLengths.flatMap((length) =>
    joinedTexts(texts, length)
      .slice(0, 150)
      .map((text) => exampleOf(text, false)),
  );
}

/** Upper ends, in words, of the classes of length that have a threshold each. */
const lengthClasses = [12, 40, 120, 280, 800, 4000] as const;
/** The share of harmless texts that may score above the threshold. */
const allowed = 0.0015;

/** Three times as many words have three times as many windows: by so much the threshold rises at least. */
const leastRise = 0.45;

/** The threshold for each class of length, from scores of harmless texts. */
export function thresholdsFrom(scores: readonly FreshScore[]): Model['thresholds'] {
  let least = Number.NEGATIVE_INFINITY;
  let lower = 0;
  return lengthClasses.map((words) => {
    const sorted = scores
      .filter((one) => one.words > lower && one.words <= words)
      .map(({ score }) => score)
      .sort((one, other) => one - other);
    lower = words;
    least = Math.max(least + leastRise, sorted[Math.floor(sorted.length * (1 - allowed))] ?? least);
    return [words, Math.round(least * 1000) / 1000] as const;
  });
}
