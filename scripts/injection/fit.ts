// Fits the linear model: for every text, the window that scores highest now is moved towards the text's label.

import { fold } from '../../src/detect/injection/fold.ts';
import {
  bestWindow,
  featuresOf,
  fingerprintOf,
  type Model,
  slotOf,
  slots,
  weightSums,
  windows,
} from '../../src/detect/injection/model.ts';
import { wordsOf } from '../../src/detect/injection/words.ts';
import { type Chance, chanceFrom } from './grammar.ts';

export interface Example {
  /** Three for each word. */
  readonly features: Int32Array;
  readonly words: number;
  readonly attack: boolean;
  readonly weight: number;
}

/** Longer texts teach nothing more. */
const mostWords = 3200;

export function exampleOf(text: string, attack: boolean, weight = 1): Example {
  const words = wordsOf(fold(text).text);
  const count = Math.min(words.count, mostWords);
  const features = new Int32Array(count * 3);
  for (let index = 0; index < count; index++) featuresOf(words, index, features, index * 3);
  return { features, words: count, attack, weight };
}

const epochs = 8;
const rate = 0.05;
const decay = 1e-4;
/** Features of fewer texts are chance. */
const fewestTexts = 6;
/** So many features are kept: those that tell most. */
const mostFeatures = 40_000;

export type Weights = Pick<Model, 'table' | 'scale' | 'bias'>;

/** Fits weights to the examples; the same examples give the same weights. */
export function fitWeights(examples: readonly Example[]): Weights {
  const chance = chanceFrom(20_240_607);
  const usable = examples.filter(({ words }) => words >= 2);
  const chosen = chooseFeatures(usable);
  const resolved = usable.map((example) => ({
    ...example,
    features: example.features.map((feature) => chosen.get(feature) ?? -1),
  }));
  const weights = new Float32Array(slots);
  const squares = new Float32Array(slots).fill(1e-3);
  let bias = -1;
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const example of shuffled(resolved, chance)) {
      for (const [from, to] of windowsToLearn(example, weights, epoch, chance)) {
        const factor = 1 / Math.sqrt(to - from);
        let sum = 0;
        for (let at = from * 3; at < to * 3; at++) sum += weights[example.features[at] ?? -1] ?? 0;
        const chanceOfAttack = 1 / (1 + Math.exp(-(sum * factor + bias)));
        const slope = (chanceOfAttack - (example.attack ? 1 : 0)) * example.weight;
        if (Math.abs(slope) < 0.01) continue;
        bias -= 0.002 * slope;
        const step = slope * factor;
        for (let at = from * 3; at < to * 3; at++) {
          const slot = example.features[at] ?? -1;
          if (slot < 0) continue;
          const weight = weights[slot] ?? 0;
          const gradient = step + decay * weight;
          const square = (squares[slot] ?? 0) + gradient * gradient;
          squares[slot] = square;
          weights[slot] = weight - (rate * gradient) / Math.sqrt(square);
        }
      }
    }
  }
  return quantised(weights, bias, chosen);
}

const allFeatures = 1 << 24;

/** The features that tell attacks from the rest best, each with a slot of its own. */
function chooseFeatures(examples: readonly Example[]): ReadonlyMap<number, number> {
  const counts = [new Uint16Array(allFeatures), new Uint16Array(allFeatures)] as const;
  const last = new Int32Array(allFeatures).fill(-1);
  const totals = [0, 0];
  examples.forEach(({ features, attack }, number) => {
    const side = attack ? 1 : 0;
    totals[side] = (totals[side] ?? 0) + 1;
    const column = counts[side];
    for (const feature of features) {
      if (last[feature] === number) continue;
      last[feature] = number;
      column[feature] = (column[feature] ?? 0) + 1;
    }
  });
  const [harmless = 1, attacks = 1] = totals;
  const told: { feature: number; value: number }[] = [];
  for (let feature = 0; feature < allFeatures; feature++) {
    const ones = counts[1][feature] ?? 0;
    const zeros = counts[0][feature] ?? 0;
    if (ones + zeros < fewestTexts) continue;
    // The share of attacks and of harmless texts that have it, apart, in units of its standard error.
    const value =
      Math.abs(ones / attacks - zeros / harmless) /
      Math.sqrt((ones + 1) / attacks ** 2 + (zeros + 1) / harmless ** 2);
    told.push({ feature, value });
  }
  told.sort((one, other) => other.value - one.value || one.feature - other.feature);
  const chosen = new Map<number, number>();
  const taken = new Uint8Array(slots);
  for (const { feature } of told) {
    if (chosen.size >= mostFeatures) break;
    const slot = slotOf(feature);
    if (taken[slot] === 1) continue;
    taken[slot] = 1;
    chosen.set(feature, slot);
  }
  return chosen;
}

/** The best window; of harmless texts another at random; at first, when no window is better, any. */
function windowsToLearn(
  { features, words, attack }: Example,
  weights: Float32Array,
  epoch: number,
  chance: Chance,
): [number, number][] {
  const size = Math.min(words, windows[Math.floor(chance() * windows.length)] ?? 24);
  const from = Math.floor(chance() * (words - size + 1));
  const random: [number, number] = [from, from + size];
  if (epoch === 0) return [words <= 64 ? [0, words] : random];
  const sums = new Float64Array(words + 1);
  for (let index = 0; index < words; index++) {
    sums[index + 1] =
      (sums[index] ?? 0) +
      (weights[features[index * 3] ?? -1] ?? 0) +
      (weights[features[index * 3 + 1] ?? -1] ?? 0) +
      (weights[features[index * 3 + 2] ?? -1] ?? 0);
  }
  const best = bestWindow(sums, words);
  return attack || words <= 24 ? [[best.from, best.to]] : [[best.from, best.to], random];
}

function shuffled<Item>(items: readonly Item[], chance: Chance): Item[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(chance() * (index + 1));
    [result[index], result[other]] = [result[other] as Item, result[index] as Item];
  }
  return result;
}

function quantised(weights: Float32Array, bias: number, chosen: ReadonlyMap<number, number>): Weights {
  const sizes = Float32Array.from(chosen.values(), (slot) => Math.abs(weights[slot] ?? 0)).sort();
  const scale = (sizes[Math.floor(sizes.length * 0.9995)] ?? 1) / 127;
  const table = new Int8Array(slots * 2);
  for (const [feature, slot] of chosen) {
    table[slot * 2] = fingerprintOf(feature);
    table[slot * 2 + 1] = Math.max(-127, Math.min(127, Math.round((weights[slot] ?? 0) / scale)));
  }
  return { table, scale, bias };
}

/** The best window's score of an example. */
export function scoreExample(
  { features, words }: Pick<Example, 'features' | 'words'>,
  { table, scale, bias }: Weights,
): number {
  if (words === 0) return Number.NEGATIVE_INFINITY;
  return bestWindow(weightSums(features, words, table), words).score * scale + bias;
}
