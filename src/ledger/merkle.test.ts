// The Merkle log against the definitions of RFC 9162, implemented here literally and independently.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneOf } from '../../tests/support/share.ts';
import { InputError } from '../core/index.ts';
import {
  consistencyProof,
  emptyRoot,
  Frontier,
  type HashSource,
  inclusionProof,
  LeavesMissing,
  leafHash,
  nodeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts';

type Hashes = readonly Uint8Array[];

const sha256 = (...parts: readonly Uint8Array[]): Uint8Array =>
  createHash('sha256').update(Buffer.concat(parts)).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const split = (size: number): number => 2 ** ((size - 1).toString(2).length - 1);

/** Section 2.1.1, on leaf hashes. */
function naiveRoot(leaves: Hashes): Uint8Array {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return sha256(Uint8Array.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

/** Section 2.1.3.1. */
function naivePath(m: number, leaves: Hashes): Uint8Array[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
}

/** Section 2.1.4.1. */
function naiveSubproof(m: number, leaves: Hashes, known: boolean): Uint8Array[] {
  if (m === leaves.length) return known ? [] : [naiveRoot(leaves)];
  const k = split(leaves.length);
  return m <= k
    ? [...naiveSubproof(m, leaves.slice(0, k), known), naiveRoot(leaves.slice(k))]
    : [...naiveSubproof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
}

/** The side of each sibling of a path, lowest first. */
function sides(index: number, size: number): string {
  if (size === 1) return '';
  const k = split(size);
  return index < k ? `${sides(index, k)}R` : `${sides(index - k, size - k)}L`;
}

const most = 400;
const leaves: Hashes = Array.from({ length: most }, (_, index) => leafHash(`leaf ${index}`));
const roots: Hashes = Array.from({ length: most + 1 }, (_, size) => naiveRoot(leaves.slice(0, size)));

function sourceOf(all: Hashes): HashSource {
  return { size: all.length, leaves: async (start, end) => all.slice(start, end) };
}
const source = sourceOf(leaves);

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[(bit >> 3) % bytes.length]! ^= 1 << (bit & 7);
  return changed;
}

const replaced = (list: Hashes, at: number, value: Uint8Array): Hashes => list.with(at, value);
const bits = fc.nat({ max: 255 });

describe('the root', () => {
  // The test vectors of the reference implementation of RFC 6962.
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'];
  it.each([
    [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    [4, 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
    [5, '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
    [6, '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
    [7, 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ])('of %i known leaves is the published one', (size, expected) => {
    const known = [...inputs, '606162636465666768696a6b6c6d6e6f'].slice(0, size);
    expect(hex(rootOf(known.map((digits) => leafHash(Buffer.from(digits, 'hex')))))).toBe(expected);
  });

  it('of nothing is the hash of nothing', () => {
    expect(hex(emptyRoot)).toBe(hex(sha256()));
    expect(hex(new Frontier().root())).toBe(hex(emptyRoot));
  });

  it('keeps leaves and nodes apart by their first byte', () => {
    const [one, two] = [leafHash('one'), leafHash('two')];
    expect(hex(one)).toBe(hex(sha256(Uint8Array.of(0), Buffer.from('one'))));
    expect(hex(nodeHash(one, two))).toBe(hex(sha256(Uint8Array.of(1), one, two)));
    expect(hex(leafHash(Buffer.concat([one, two])))).not.toBe(hex(nodeHash(one, two)));
  });

  it('takes text as its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (data) => {
        expect(hex(leafHash(data))).toBe(hex(leafHash(Buffer.from(data))));
      }),
    );
  });

  it('refuses text whose bytes would be those of another text', () => {
    expect(() => leafHash('\ud800')).toThrow(InputError);
  });

  it('refuses hashes of another length', () => {
    expect(() => nodeHash(leaves[0]!, new Uint8Array(31))).toThrow(RangeError);
    expect(() => nodeHash(new Uint8Array(33), leaves[0]!)).toThrow(RangeError);
    expect(() => new Frontier().append(new Uint8Array(0))).toThrow(RangeError);
  });
});

describe('the frontier', () => {
  it('has the root of the definition at every size, also when it is stored and restored at each', () => {
    const kept = new Frontier();
    let restored = new Frontier();
    for (let size = 0; size <= 300; size++) {
      expect(kept.size).toBe(size);
      expect(hex(kept.root())).toBe(hex(roots[size]!));
      expect(restored.rootHex()).toBe(hex(roots[size]!));
      expect(kept.toJSON().hashes).toHaveLength(size.toString(2).replaceAll('0', '').length);
      kept.append(leaves[size]!);
      restored = Frontier.fromJSON(JSON.parse(JSON.stringify(restored)));
      restored.append(leaves[size]!);
    }
  });

  it('has the root of the definition for any leaves', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 64 }), (data) => {
        const hashes = data.map((bytes) => leafHash(bytes));
        expect(hex(rootOf(hashes))).toBe(hex(naiveRoot(hashes)));
      }),
    );
  });

  const hash = 'a'.repeat(64);
  it.each<[string, unknown, string]>([
    ['nothing', null, 'must be a table'],
    ['no size', { hashes: [] }, '"size" is missing'],
    ['a negative size', { size: -1, hashes: [] }, '/size'],
    ['a broken size', { size: 1.5, hashes: [hash] }, '/size'],
    ['a size too large to count', { size: 2 ** 53, hashes: [hash] }, '/size'],
    ['too few hashes', { size: 3, hashes: [hash] }, 'a frontier of 3 leaves has 2 hashes, not 1'],
    ['too many hashes', { size: 4, hashes: [hash, hash] }, 'a frontier of 4 leaves has 1 hashes, not 2'],
    ['a short hash', { size: 1, hashes: ['aa'] }, '/hashes/0'],
    ['a hash in capitals', { size: 1, hashes: ['A'.repeat(64)] }, '/hashes/0'],
    ['another key', { size: 0, hashes: [], more: 1 }, '/more'],
  ])('is not restored from %s', (_, stored, message) => {
    expect(() => Frontier.fromJSON(stored)).toThrow(InputError);
    expect(() => Frontier.fromJSON(stored)).toThrow(message);
  });
});

describe('the proof of inclusion', () => {
  it('is that of the definition and verifies, for every leaf of every size up to 64', async () => {
    for (let size = 1; size <= 64; size++) {
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(source, index, size);
        expect(proof.map(hex)).toEqual(naivePath(index, leaves.slice(0, size)).map(hex));
        expect(verifyInclusion({ leaf: leaves[index]!, index, size, proof, root: roots[size]! })).toBe(true);
      }
    }
  });

  const places = fc
    .integer({ min: 1, max: most })
    .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat({ max: size - 1 }) }));

  it('does not verify with a flipped bit, another length or another index', async () => {
    await fc.assert(
      fc.asyncProperty(places, bits, fc.nat(), async ({ size, index }, bit, choice) => {
        const proof: Hashes = await inclusionProof(source, index, size);
        const right = { leaf: leaves[index]!, index, size, proof, root: roots[size]! };
        expect(verifyInclusion(right)).toBe(true);
        const at = choice % Math.max(1, proof.length);
        const other = choice % most;
        const wrong = [
          { ...right, leaf: flip(right.leaf, bit) },
          { ...right, root: flip(right.root, bit) },
          { ...right, proof: [...proof, leaves[other]!] },
          { ...right, proof: [leaves[other]!, ...proof] },
          ...(proof.length === 0
            ? []
            : [
                { ...right, proof: replaced(proof, at, flip(proof[at]!, bit)) },
                { ...right, proof: proof.slice(0, -1) },
                { ...right, proof: proof.slice(1) },
                { ...right, proof: proof.toSpliced(at, 0, proof[at]!) },
              ]),
          ...(other === index ? [] : [{ ...right, index: other }]),
          ...(other === index ? [] : [{ ...right, leaf: leaves[other]! }]),
        ];
        for (const claim of wrong) expect(verifyInclusion(claim)).toBe(false);
      }),
    );
  });

  it('verifies for another size exactly if the leaf has the same siblings there', async () => {
    // This is why a size is valid only together with its root, as in a signed head.
    for (let size = 1; size <= 40; size++) {
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(source, index, size);
        for (let claimed = index + 1; claimed <= 70; claimed++) {
          const claim = { leaf: leaves[index]!, index, size: claimed, proof, root: roots[size]! };
          expect(verifyInclusion(claim)).toBe(sides(index, claimed) === sides(index, size));
        }
      }
    }
  });

  it('of a leaf never verifies for a node as if it were one', async () => {
    for (let size = 2; size <= 40; size++) {
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(source, index, size);
        const leaf = sides(index, size).startsWith('R')
          ? nodeHash(leaves[index]!, proof[0]!)
          : nodeHash(proof[0]!, leaves[index]!);
        for (let claimed = 0; claimed < size; claimed++) {
          const claim = { leaf, index: claimed, size, proof: proof.slice(1), root: roots[size]! };
          expect(verifyInclusion(claim)).toBe(false);
        }
      }
    }
  });

  it.each([
    ['an index at the end', 5, 5],
    ['a negative index', -1, 5],
    ['a broken index', 0.5, 5],
    ['an empty log', 0, 0],
    ['more than there is', 0, most + 1],
    ['a size that is no number', 0, Number.NaN],
  ])('is not made for %s', async (_, index, size) => {
    await expect(inclusionProof(source, index, size)).rejects.toThrow(InputError);
  });
});

describe('the proof of consistency', () => {
  it('verifies for every pair of sizes up to 130, and with no other root', async () => {
    const step = oneOf(3);
    for (let newSize = 0; newSize <= 130; newSize++) {
      for (let oldSize = newSize % step; oldSize <= newSize; oldSize += step) {
        const proof = await consistencyProof(source, oldSize, newSize);
        const right = { oldSize, oldRoot: roots[oldSize]!, newSize, newRoot: roots[newSize]!, proof };
        expect(verifyConsistency(right)).toBe(true);
        const bit = (oldSize * 131 + newSize) % 256;
        const at = newSize % Math.max(1, proof.length);
        const wrong = [
          { ...right, oldRoot: flip(right.oldRoot, bit) },
          { ...right, proof: [...proof, leaves[0]!] },
          // Every log starts empty, so a wrong new root is possible only from a non-empty one.
          ...(oldSize === 0 && newSize > 0 ? [] : [{ ...right, newRoot: flip(right.newRoot, bit) }]),
          ...(proof.length === 0
            ? []
            : [
                { ...right, proof: replaced(proof, at, flip(proof[at]!, bit)) },
                { ...right, proof: proof.slice(0, -1) },
                { ...right, proof: proof.slice(1) },
              ]),
        ];
        expect(wrong.map(verifyConsistency)).toEqual(wrong.map(() => false));
      }
    }
  });

  it('is that of the definition for every pair of sizes up to 40', async () => {
    for (let newSize = 1; newSize <= 40; newSize++) {
      for (let oldSize = 1; oldSize <= newSize; oldSize++) {
        const proof = await consistencyProof(source, oldSize, newSize);
        expect(proof.map(hex)).toEqual(naiveSubproof(oldSize, leaves.slice(0, newSize), true).map(hex));
      }
    }
  });

  it('does not verify for another old size', async () => {
    for (let newSize = 2; newSize <= 40; newSize++) {
      for (let oldSize = 1; oldSize < newSize; oldSize++) {
        const proof = await consistencyProof(source, oldSize, newSize);
        for (let claimed = 0; claimed <= newSize + 1; claimed++) {
          const claim = { oldRoot: roots[oldSize]!, newRoot: roots[newSize]!, newSize, proof };
          expect(verifyConsistency({ ...claim, oldSize: claimed })).toBe(claimed === oldSize);
        }
      }
    }
  });

  it('never shows a log in which an old leaf was changed, removed or put in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: most - 2 }),
        fc.nat(),
        fc.nat(),
        bits,
        fc.constantFrom('change', 'remove', 'insert'),
        async (oldSize, growth, choice, bit, how) => {
          const at = choice % oldSize;
          const whole = leaves.slice(0, oldSize + 1 + (growth % (most - oldSize - 1)));
          const stranger = leafHash('stranger');
          const forged = {
            change: replaced(whole, at, flip(whole[at]!, bit)),
            remove: whole.toSpliced(at, 1),
            insert: whole.toSpliced(at, 0, stranger),
          }[how];
          const newSize = forged.length;
          const claim = { oldSize, oldRoot: roots[oldSize]!, newSize, newRoot: rootOf(forged) };
          const theirs = await consistencyProof(sourceOf(forged), oldSize, newSize);
          const ours = await consistencyProof(source, oldSize, Math.min(newSize, most));
          expect(verifyConsistency({ ...claim, proof: theirs })).toBe(false);
          expect(verifyConsistency({ ...claim, proof: ours })).toBe(false);
        },
      ),
    );
  });

  it.each([
    ['sizes in the wrong order', 6, 5],
    ['a negative size', -1, 5],
    ['a broken size', 1.5, 5],
    ['more than there is', 1, most + 1],
    ['a size that is no number', Number.NaN, 5],
  ])('is not made for %s', async (_, oldSize, newSize) => {
    await expect(consistencyProof(source, oldSize, newSize)).rejects.toThrow(InputError);
  });
});

describe('the provers', () => {
  it('read a large log in bounded pages', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => leafHash(String(index)));
    const root = rootOf(many);
    let largest = 0;
    const paged: HashSource = {
      size: many.length,
      leaves: async (start, end) => {
        largest = Math.max(largest, end - start);
        return many.slice(start, end);
      },
    };
    const size = many.length;
    for (const index of [0, 1, 4095, 4096, 9999, 16_383, 16_384, 19_999]) {
      const proof = await inclusionProof(paged, index, size);
      expect(verifyInclusion({ leaf: many[index]!, index, size, proof, root })).toBe(true);
    }
    for (const oldSize of [1, 2, 4096, 4097, 9999, 16_384, 16_385, 19_999]) {
      const proof = await consistencyProof(paged, oldSize, size);
      const oldRoot = rootOf(many.slice(0, oldSize));
      expect(verifyConsistency({ oldSize, oldRoot, newSize: size, newRoot: root, proof })).toBe(true);
    }
    expect(largest).toBe(4096);
  });

  it.each<[string, (page: Hashes) => Hashes]>([
    ['fewer leaves', (page) => page.slice(1)],
    ['more leaves', (page) => [...page, page[0]!]],
    ['no leaves', () => []],
    ['a leaf of another length', (page) => replaced(page, 0, new Uint8Array(31))],
  ])('refuse a source that gives %s', async (_, change) => {
    const broken: HashSource = {
      size: most,
      leaves: async (start, end) => change(leaves.slice(start, end)),
    };
    await expect(inclusionProof(broken, 3, 10)).rejects.toThrow(LeavesMissing);
    await expect(consistencyProof(broken, 3, 10)).rejects.toThrow(LeavesMissing);
  });
});

describe('the verifiers', () => {
  // A log of equal leaves has one root for each size, so a proof about billions of them is quickly computed.
  const leaf = leafHash('the same');
  const uniform = new Map<number, Uint8Array>([[1, leaf]]);
  function uniformRoot(size: number): Uint8Array {
    const k = split(size);
    const root = uniform.get(size) ?? nodeHash(uniformRoot(k), uniformRoot(size - k));
    uniform.set(size, root);
    return root;
  }
  function uniformPath(index: number, size: number): Uint8Array[] {
    if (size === 1) return [];
    const k = split(size);
    return index < k
      ? [...uniformPath(index, k), uniformRoot(size - k)]
      : [...uniformPath(index - k, size - k), uniformRoot(k)];
  }
  function uniformSubproof(m: number, size: number, known: boolean): Uint8Array[] {
    if (m === size) return known ? [] : [uniformRoot(size)];
    const k = split(size);
    return m <= k
      ? [...uniformSubproof(m, k, known), uniformRoot(size - k)]
      : [...uniformSubproof(m - k, size - k, false), uniformRoot(k)];
  }
  const sizes = fc.oneof(
    fc.integer({ min: 2, max: Number.MAX_SAFE_INTEGER }),
    fc.integer({ min: 1, max: 52 }).map((power) => 2 ** power),
    fc.integer({ min: 2, max: 52 }).map((power) => 2 ** power + 1),
    fc.integer({ min: 2, max: 53 }).map((power) => 2 ** power - 1),
  );

  it('count far beyond 32 bits', () => {
    fc.assert(
      fc.property(sizes, sizes, bits, (one, two, bit) => {
        const [less, size] = [Math.min(one, two), Math.max(one, two)];
        const root = uniformRoot(size);
        const included = { leaf, index: less - 1, size, proof: uniformPath(less - 1, size), root };
        expect(verifyInclusion(included)).toBe(true);
        expect(verifyInclusion({ ...included, root: flip(root, bit) })).toBe(false);
        const grown = {
          oldSize: less,
          oldRoot: uniformRoot(less),
          newSize: size,
          newRoot: root,
          proof: uniformSubproof(less, size, true),
        };
        expect(verifyConsistency(grown)).toBe(true);
        expect(verifyConsistency({ ...grown, newRoot: flip(root, bit) })).toBe(false);
        expect(verifyConsistency({ ...grown, oldRoot: flip(grown.oldRoot, bit) })).toBe(false);
      }),
    );
  });

  const noCount = [
    -1,
    -0.5,
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    '1',
    1n,
    null,
    undefined,
    {},
  ];
  const noHash = [new Uint8Array(0), new Uint8Array(31), new Uint8Array(33), 'a'.repeat(32), null, undefined];
  const noProof = [
    null,
    undefined,
    'proof',
    {},
    7,
    new Uint8Array(32),
    [null],
    new Array(3),
    [new Uint8Array(31)],
  ];
  const moreThanHash = [...noHash, Array.from({ length: 32 }, () => 0), { length: 32 }, 7];

  it('say no to anything that is not a claim of inclusion', async () => {
    const proof = await inclusionProof(source, 2, 5);
    const right = { leaf: leaves[2]!, index: 2, size: 5, proof, root: roots[5]! };
    expect(verifyInclusion(right)).toBe(true);
    const wrong = [
      ...noCount.flatMap((value) => [{ index: value }, { size: value }]),
      ...moreThanHash.flatMap((value) => [{ leaf: value }, { root: value }]),
      ...noProof.map((value) => ({ proof: value })),
      ...moreThanHash.map((value) => ({ proof: [value, ...proof.slice(1)] })),
      { size: 0 },
      { index: 5 },
      { proof: Array.from({ length: 100_000 }, () => leaves[0]) },
    ];
    for (const change of wrong) {
      expect(verifyInclusion({ ...right, ...change } as typeof right)).toBe(false);
    }
  });

  it('say no to anything that is not a claim of consistency', async () => {
    const proof = await consistencyProof(source, 3, 5);
    const right = { oldSize: 3, oldRoot: roots[3]!, newSize: 5, newRoot: roots[5]!, proof };
    expect(verifyConsistency(right)).toBe(true);
    const wrong = [
      ...noCount.flatMap((value) => [{ oldSize: value }, { newSize: value }]),
      ...moreThanHash.flatMap((value) => [{ oldRoot: value }, { newRoot: value }]),
      ...noProof.map((value) => ({ proof: value })),
      ...moreThanHash.map((value) => ({ proof: [value, ...proof.slice(1)] })),
      { oldSize: 6 },
      { newSize: 2 },
      { proof: [] },
      { oldSize: 4, oldRoot: roots[4]!, proof: [] },
      { oldSize: 5, oldRoot: roots[4]!, proof: [] },
      { oldSize: 5, oldRoot: roots[5]!, proof },
      { oldSize: 0, proof: [] },
      { oldSize: 0, oldRoot: emptyRoot, proof },
      { oldSize: 0, oldRoot: leaves[0]!, newSize: 0, newRoot: leaves[0]!, proof: [] },
      { proof: Array.from({ length: 100_000 }, () => leaves[0]) },
    ];
    for (const change of wrong) {
      expect(verifyConsistency({ ...right, ...change } as typeof right)).toBe(false);
    }
  });

  it('say no to a root that was made to fit', () => {
    const [one, two] = [leaves[0]!, leaves[1]!];
    const tooLong = { leaf: one, index: 0, size: 1, proof: [two], root: nodeHash(two, one) };
    expect(verifyInclusion(tooLong)).toBe(false);
    expect(verifyInclusion({ ...tooLong, root: nodeHash(one, two) })).toBe(false);
    expect(verifyInclusion({ leaf: one, index: 1, size: 1, proof: [], root: one })).toBe(false);
    const shrunk = { oldSize: 2, oldRoot: one, newSize: 1, newRoot: one, proof: [] };
    expect(verifyConsistency(shrunk)).toBe(false);
    const unfinished = { oldSize: 2, oldRoot: one, newSize: 3, newRoot: one, proof: [] };
    expect(verifyConsistency(unfinished)).toBe(false);
    const root = nodeHash(two, nodeHash(one, two));
    const overlong = { oldSize: 1, oldRoot: one, newSize: 2, newRoot: root, proof: [two, two] };
    expect(verifyConsistency(overlong)).toBe(false);
  });

  it('never throw, whatever they are given', () => {
    const junk = fc.oneof(fc.anything(), fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat());
    const inclusion = fc.record({ leaf: junk, index: junk, size: junk, root: junk, proof: fc.array(junk) });
    const grown = { oldSize: junk, oldRoot: junk, newSize: junk, newRoot: junk, proof: fc.array(junk) };
    fc.assert(
      fc.property(inclusion, fc.record(grown), (included, consistent) => {
        expect(typeof verifyInclusion(included as never)).toBe('boolean');
        expect(typeof verifyConsistency(consistent as never)).toBe('boolean');
      }),
    );
  });
});
