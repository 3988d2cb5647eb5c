// A Merkle log as in RFC 9162: the root of a growing list, and short proofs about it. Pure except for the leaves that a
// proof is computed from, which are read page by page.

import { hash } from 'node:crypto';
import { InputError, SallyportError } from '../core/index.ts';
import { type Infer, integer, list, object, readShape, text } from '../core/shape.ts';

/** A source returned other leaves than requested. */
export class LeavesMissing extends SallyportError {}

/** The source of leaf hashes for a prover, so that a log need not be in memory. */
export interface HashSource {
  /** The number of leaves. */
  readonly size: number;
  /** The leaf hashes from `start` up to but excluding `end`, all of them and in order. */
  leaves(start: number, end: number): Promise<readonly Uint8Array[]>;
}

/** Proof that a leaf is at an index of the log with this size and root. */
export interface InclusionClaim {
  /** The hash of the leaf, as `leafHash` computes it. */
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Proof that a log only grew from one size and root to another. */
export interface ConsistencyClaim {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly newSize: number;
  readonly newRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

const hashLength = 32;
/** The root of an empty log. */
export const emptyRoot: Uint8Array = hash('sha256', '', 'buffer');

/** How many leaves a prover holds in memory. */
const pageSize = 4096;
/** No log whose size is a safe integer has more complete subtrees than this. */
const mostHashes = 53;

/** A hash in hexadecimal, in its only valid spelling. */
export const hexHash = text({
  pattern: /^[0-9a-f]{64}$/,
  what: '64 lower-case hexadecimal digits',
});

const frontierShape = object({
  size: integer(0, Number.MAX_SAFE_INTEGER),
  hashes: list(hexHash, { max: mostHashes }),
});

/** A frontier as it is stored. */
export type StoredFrontier = Infer<typeof frontierShape>;

/**
 * The hash of one leaf. INVARIANT: leaves and nodes begin with different bytes, so neither is ever interpreted as the
 * other.
 */
export function leafHash(data: string | Uint8Array): Uint8Array {
  if (typeof data === 'string') {
    // Encoding would replace each lone surrogate with U+FFFD, and two different texts would be one leaf.
    if (!data.isWellFormed()) throw new InputError('a leaf must not have a lone surrogate');
    return hash('sha256', `\0${data}`, 'buffer');
  }
  const bytes = new Uint8Array(data.length + 1);
  bytes.set(data, 1);
  return hash('sha256', bytes, 'buffer');
}

// Overwritten for every node; one buffer is enough, since hashing is synchronous.
const node = new Uint8Array(1 + 2 * hashLength);
node[0] = 1;

/** The hash of two neighbours. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== hashLength || right.length !== hashLength) {
    throw new RangeError(`a hash has ${hashLength} bytes`);
  }
  node.set(left, 1);
  node.set(right, 1 + hashLength);
  return hash('sha256', node, 'buffer');
}

/**
 * The state needed to append to a log and to compute its root: one hash for each complete subtree. INVARIANT: the
 * hashes belong to subtrees of decreasing size, one for each 1 among the binary digits of the size.
 */
export class Frontier {
  #size = 0;
  readonly #hashes: Uint8Array[] = [];

  /** The stored frontier; throws `InputError` if it is malformed. */
  static fromJSON(stored: unknown): Frontier {
    const { size, hashes } = readShape(frontierShape, stored);
    const expected = subtrees(size);
    if (hashes.length !== expected) {
      throw new InputError(`a frontier of ${size} leaves has ${expected} hashes, not ${hashes.length}`);
    }
    const frontier = new Frontier();
    frontier.#size = size;
    for (const digits of hashes) frontier.#hashes.push(Buffer.from(digits, 'hex'));
    return frontier;
  }

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  /** Appends the hash of a leaf, joining the subtrees that it completes: one node for each leaf on average. */
  append(leaf: Uint8Array): void {
    if (leaf.length !== hashLength) throw new RangeError(`a hash has ${hashLength} bytes`);
    let joined = leaf;
    for (let rest = this.#size; isOdd(rest); rest = half(rest)) {
      const left = this.#hashes.pop();
      if (left !== undefined) joined = nodeHash(left, joined);
    }
    this.#hashes.push(joined);
    this.#size++;
  }

  /** The root of all leaves so far. */
  root(): Uint8Array {
    const smallest = this.#hashes.at(-1);
    if (smallest === undefined) return emptyRoot;
    return this.#hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), smallest);
  }

  /** The root in the format of a head. */
  rootHex(): string {
    return hexOf(this.root());
  }

  /** The frontier as it is stored. */
  toJSON(): StoredFrontier {
    return { size: this.#size, hashes: this.#hashes.map(hexOf) };
  }
}

/** The root of these leaf hashes. */
export function rootOf(leaves: Iterable<Uint8Array>): Uint8Array {
  const frontier = new Frontier();
  for (const leaf of leaves) frontier.append(leaf);
  return frontier.root();
}

type Range = readonly [start: number, end: number];

/** The hashes that prove the leaf at `index` to be in the log of the first `size` leaves, lowest first. */
export async function inclusionProof(source: HashSource, index: number, size: number): Promise<Uint8Array[]> {
  checkSize(source, size);
  if (!isCount(index) || index >= size) {
    throw new InputError(`there is no leaf at index ${index} of ${size}`);
  }
  const siblings: Range[] = [];
  let [start, end]: Range = [0, size];
  while (end - start > 1) {
    const middle = start + leftSize(end - start);
    if (index < middle) {
      siblings.push([middle, end]);
      end = middle;
    } else {
      siblings.push([start, middle]);
      start = middle;
    }
  }
  return hashesOf(source, siblings.reverse());
}

/** The hashes that prove the log of `newSize` leaves to begin with the `oldSize` leaves of an earlier one. */
export async function consistencyProof(
  source: HashSource,
  oldSize: number,
  newSize: number,
): Promise<Uint8Array[]> {
  checkSize(source, newSize);
  if (!isCount(oldSize) || oldSize > newSize) {
    throw new InputError(`a log of ${newSize} leaves has no earlier one of ${oldSize}`);
  }
  // Every log begins with the empty log, which needs no proof.
  if (oldSize === 0) return [];
  const parts: Range[] = [];
  let [start, end]: Range = [0, newSize];
  while (end !== oldSize) {
    const middle = start + leftSize(end - start);
    if (oldSize <= middle) {
      parts.push([middle, end]);
      end = middle;
    } else {
      parts.push([start, middle]);
      start = middle;
    }
  }
  // A range that begins at 0 is the whole earlier log, and the verifier has its root already.
  if (start > 0) parts.push([start, end]);
  return hashesOf(source, parts.reverse());
}

/**
 * Whether the proof shows the leaf at its index (RFC 9162, section 2.1.3.2); false for malformed input. INVARIANT: size
 * and root come from one signed head, because a root alone does not determine the size of its log.
 */
export function verifyInclusion({ leaf, index, size, root, proof }: InclusionClaim): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if (!isHash(leaf) || !isHash(root) || !isList(proof)) return false;
  let place = index;
  let last = size - 1;
  let reached = leaf;
  for (const sibling of proof) {
    if (last === 0 || !isHash(sibling)) return false;
    if (isOdd(place) || place === last) {
      reached = nodeHash(sibling, reached);
      while (!isOdd(place) && place !== 0) {
        place = half(place);
        last = half(last);
      }
    } else {
      reached = nodeHash(reached, sibling);
    }
    place = half(place);
    last = half(last);
  }
  return last === 0 && isSame(reached, root);
}

/**
 * Whether the proof shows that the log only grew (RFC 9162, section 2.1.4.2); false for malformed input. Every log
 * starts empty: from size 0 any new root follows, with an empty proof.
 */
export function verifyConsistency(claim: ConsistencyClaim): boolean {
  const { oldSize, oldRoot, newSize, newRoot, proof } = claim;
  if (!isCount(oldSize) || !isCount(newSize) || oldSize > newSize) return false;
  if (!isHash(oldRoot) || !isHash(newRoot) || !isList(proof)) return false;
  if (oldSize === 0 && !isSame(oldRoot, emptyRoot)) return false;
  if (oldSize === newSize) return proof.length === 0 && isSame(oldRoot, newRoot);
  if (oldSize === 0) return proof.length === 0;
  let place = oldSize - 1;
  let last = newSize - 1;
  while (isOdd(place)) {
    place = half(place);
    last = half(last);
  }
  // The index is 0 exactly if the old size is a power of two; its root is then the first hash itself.
  const isWhole = place === 0;
  const first = isWhole ? oldRoot : proof[0];
  if (!isHash(first)) return false;
  let reachedOld = first;
  let reachedNew = first;
  for (let at = isWhole ? 0 : 1; at < proof.length; at++) {
    const next = proof[at];
    if (last === 0 || !isHash(next)) return false;
    if (isOdd(place) || place === last) {
      reachedOld = nodeHash(next, reachedOld);
      reachedNew = nodeHash(next, reachedNew);
      while (!isOdd(place) && place !== 0) {
        place = half(place);
        last = half(last);
      }
    } else {
      reachedNew = nodeHash(reachedNew, next);
    }
    place = half(place);
    last = half(last);
  }
  return last === 0 && isSame(reachedOld, oldRoot) && isSame(reachedNew, newRoot);
}

async function hashesOf(source: HashSource, ranges: readonly Range[]): Promise<Uint8Array[]> {
  const hashes: Uint8Array[] = [];
  for (const range of ranges) hashes.push(await rangeRoot(source, range));
  return hashes;
}

async function rangeRoot(source: HashSource, [start, end]: Range): Promise<Uint8Array> {
  const frontier = new Frontier();
  for (let at = start; at < end; at += pageSize) {
    const until = Math.min(at + pageSize, end);
    const page = await source.leaves(at, until);
    if (page.length !== until - at || !page.every(isHash)) {
      throw new LeavesMissing(`the log does not give the ${until - at} leaves from index ${at}`, {
        hint: "run 'sallyport log verify'",
      });
    }
    for (const leaf of page) frontier.append(leaf);
  }
  return frontier.root();
}

function checkSize(source: HashSource, size: number): void {
  if (!isCount(size) || size > source.size) {
    throw new InputError(`the log has ${source.size} leaves, so there is no proof for a size of ${size}`);
  }
}

/** The leaves of the left subtree: the largest power of two below the size. */
function leftSize(size: number): number {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

/** The number of complete subtrees of a log of this size. */
function subtrees(size: number): number {
  let count = 0;
  for (let rest = size; rest > 0; rest = half(rest)) count += rest % 2;
  return count;
}

// Arithmetic, not bit operators: those would truncate a size to 32 bits.
function half(count: number): number {
  return Math.floor(count / 2);
}

function isOdd(count: number): boolean {
  return count % 2 === 1;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === hashLength;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
