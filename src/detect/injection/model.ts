// The linear model: a weight for each known run of one to three words, found by its hash. A window of words scores the sum of its weights
// over the root of its length, so that every window is a difference of prefix sums; a text scores its best window.

import { base64Bytes } from './blobs.ts';
import type { Words } from './words.ts';

/** A table of pairs of a fingerprint and a weight; the number of a feature is its place and its fingerprint. */
export const slots = 1 << 16;
const fingerprintBits = 8;
/** Window lengths, in words. */
export const windows = [24, 64, 160] as const;

export interface Model {
  /** By slot: the fingerprint of the feature that has it, and the feature's weight, 0 for none. */
  readonly table: Int8Array;
  /** A weight of one stands for this much. */
  readonly scale: number;
  readonly bias: number;
  /** The score from which a text of so many words is a finding, growing with the words. */
  readonly thresholds: readonly (readonly [words: number, score: number])[];
}

/** The model as it is stored. */
export interface StoredModel extends Omit<Model, 'table' | 'thresholds'> {
  readonly table: string;
  readonly thresholds: readonly (readonly number[])[];
}

export function readModel({ table, scale, bias, thresholds }: StoredModel): Model {
  const bytes = base64Bytes(table);
  return {
    table: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
    scale,
    bias,
    thresholds: thresholds.map(([words = 0, score = 0]) => [words, score]),
  };
}

/** The three features of the word at an index: alone, with the one before, and with the two before. */
export function featuresOf({ hash }: Words, index: number, out: Int32Array, at: number): void {
  const here = hash[index] ?? 0;
  const before = index > 0 ? (hash[index - 1] ?? 0) : 0;
  const two = index > 1 ? (hash[index - 2] ?? 0) : 0;
  const pair = Math.imul(before, 0x9e3779b1) ^ here;
  out[at] = Math.imul(here, 0x85ebca6b) >>> 8;
  out[at + 1] = Math.imul(pair, 0xc2b2ae35) >>> 8;
  out[at + 2] = Math.imul(Math.imul(two, 0x27d4eb2f) ^ pair, 0x165667b1) >>> 8;
}

export function slotOf(feature: number): number {
  return feature >>> fingerprintBits;
}

export function fingerprintOf(feature: number): number {
  return feature & ((1 << fingerprintBits) - 1);
}

function weightOf(table: Int8Array, feature: number): number {
  const at = (feature >>> fingerprintBits) << 1;
  return ((table[at] ?? 0) & 0xff) === fingerprintOf(feature) ? (table[at + 1] ?? 0) : 0;
}

/** By word: the sum of the weights of all words before it, and of the word for the last. */
export function weightSums(features: Int32Array, count: number, table: Int8Array): Int32Array {
  const sums = new Int32Array(count + 1);
  let sum = 0;
  for (let index = 0, at = 0; index < count; index++) {
    sum += weightOf(table, features[at++] ?? 0);
    sum += weightOf(table, features[at++] ?? 0);
    sum += weightOf(table, features[at++] ?? 0);
    sums[index + 1] = sum;
  }
  return sums;
}

export interface BestWindow {
  readonly score: number;
  readonly from: number;
  readonly to: number;
}

/** The best window of a column of weight sums, one for each word: sums[i] is that of the words before i. */
export function bestWindow(sums: Float64Array | Int32Array, count: number): BestWindow {
  let score = Number.NEGATIVE_INFINITY;
  let from = 0;
  let to = 0;
  for (const window of windows) {
    const size = Math.min(window, count);
    const factor = 1 / Math.sqrt(size);
    for (let end = size; end <= count; end++) {
      const value = ((sums[end] ?? 0) - (sums[end - size] ?? 0)) * factor;
      if (value > score) {
        score = value;
        from = end - size;
        to = end;
      }
    }
    if (size === count) break;
  }
  return { score, from, to };
}

const ofOneWord = new Int32Array(3);

/** The best window of a text. */
export function scoreWords(words: Words, { table, scale, bias }: Model): BestWindow {
  const sums = new Int32Array(words.count + 1);
  let sum = 0;
  for (let index = 0; index < words.count; index++) {
    featuresOf(words, index, ofOneWord, 0);
    sum += weightOf(table, ofOneWord[0] ?? 0);
    sum += weightOf(table, ofOneWord[1] ?? 0);
    sum += weightOf(table, ofOneWord[2] ?? 0);
    sums[index + 1] = sum;
  }
  const best = bestWindow(sums, words.count);
  return { ...best, score: best.score * scale + bias };
}

/** The threshold for a text of so many words, between the points on a logarithmic scale. */
export function thresholdFor(thresholds: Model['thresholds'], words: number): number {
  let [lowWords, low] = thresholds[0] ?? [1, 0];
  for (const [highWords, high] of thresholds) {
    if (words <= highWords) {
      if (highWords <= lowWords) return high;
      const part = Math.log(Math.max(words, lowWords) / lowWords) / Math.log(highWords / lowWords);
      return low + (high - low) * part;
    }
    lowWords = highWords;
    low = high;
  }
  return low;
}
