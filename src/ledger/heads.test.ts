// Heads and proof documents: a signed head is enforced, and any tampering is reported.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, InputError } from '../core/index.ts';
import {
  type ConsistencyDocument,
  checkProof,
  type HeadKey,
  type InclusionDocument,
  type ProofDocument,
  readHead,
  readHeads,
  readProof,
  type SignedHead,
  signHead,
  type TreeHead,
  verifyHead,
} from './heads.ts';
import { consistencyProof, emptyRoot, inclusionProof, leafHash, rootOf } from './merkle.ts';

const pair = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const rawKey = (key: KeyObject): string => key.export({ format: 'jwk' }).x!;
const publicText = rawKey(pair.publicKey);
const keys = new Map<string, HeadKey>([
  ['k1', publicText],
  ['k2', stranger.publicKey],
]);

const entries = Array.from({ length: 13 }, (_, index) => canonicalJson({ number: index, text: 'ä\n"' }));
const leaves = entries.map((text) => leafHash(text));
const source = {
  size: leaves.length,
  leaves: async (start: number, end: number) => leaves.slice(start, end),
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const otherRoot = hex(leafHash('another root'));

function headOf(size: number, changes: Partial<TreeHead> = {}, key = pair.privateKey): SignedHead {
  const root = hex(rootOf(leaves.slice(0, size)));
  return signHead(
    { version: 1, chain: 'main', size, root, time: 1_700_000_000_000, key: 'k1', ...changes },
    key,
  );
}

async function inclusion(index: number, size: number): Promise<InclusionDocument> {
  const proof = (await inclusionProof(source, index, size)).map(hex);
  return { version: 1, kind: 'inclusion', head: headOf(size), index, entry: entries[index]!, proof };
}

async function consistency(oldSize: number, newSize: number): Promise<ConsistencyDocument> {
  const proof = (await consistencyProof(source, oldSize, newSize)).map(hex);
  return { version: 1, kind: 'consistency', from: headOf(oldSize), to: headOf(newSize), proof };
}

const head = headOf(13);
const included = await inclusion(5, 13);
const grown = await consistency(5, 13);

/** Replaces one character by another of base64url and hexadecimal. */
function swap(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
}

/** The same bytes, encoded with bits that strict base64url does not have. */
function strayBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const loose = text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)!) + 1];
  expect(Buffer.from(loose, 'base64url')).toEqual(Buffer.from(text, 'base64url'));
  return loose;
}

/** Every way to corrupt one member of a head, with the reader's message if it cannot even be read. */
const spoiled: readonly [string, Record<string, unknown>, string | null][] = [
  ['another version', { version: 2 }, '/version: must be between 1 and 1, not 2'],
  ['another chain', { chain: 'other' }, null],
  ['no chain', { chain: '' }, '/chain: must not be empty'],
  ['a chain that is no text', { chain: 7 }, '/chain: must be text'],
  ['a chain with half a character', { chain: '\ud800' }, '/chain: must not have a lone surrogate'],
  ['a larger size', { size: 14 }, null],
  ['a smaller size', { size: 12 }, null],
  ['a negative size', { size: -1 }, '/size: must be between'],
  ['a broken size', { size: 12.5 }, '/size: must be a whole number'],
  ['a size in text', { size: '13' }, '/size: must be a whole number'],
  ['another root', { root: otherRoot }, null],
  ['a root in capitals', { root: head.root.toUpperCase() }, '/root: must be 64 lower-case hexadecimal'],
  ['a short root', { root: head.root.slice(2) }, '/root: must be 64 lower-case hexadecimal'],
  ['a root with a line end', { root: `${head.root}\n` }, '/root: must be 64 lower-case hexadecimal'],
  ['another time', { time: head.time + 1 }, null],
  ['a broken time', { time: 0.5 }, '/time: must be a whole number'],
  ['a time beyond all dates', { time: 8.64e15 + 1 }, '/time: must be between'],
  ['no key', { key: '' }, '/key: must not be empty'],
  ['another signature', { signature: swap(head.signature, 10) }, null],
  ['a signature by nobody', { signature: 'A'.repeat(86) }, null],
  ['no signature', { signature: '' }, '/signature: must be a signature'],
  ['a short signature', { signature: head.signature.slice(0, -2) }, '/signature: must be a signature'],
  ['a padded signature', { signature: `${head.signature}==` }, '/signature: must be a signature'],
  [
    'a signature with stray bits',
    { signature: strayBits(head.signature) },
    '/signature: must be a signature',
  ],
  [
    'a signature in base64',
    { signature: `${'+/'.repeat(42)}A${head.signature.at(-1)}` },
    '/signature: must be a signature',
  ],
  ['an unknown member', { note: 'not signed' }, '/note: unknown key'],
];

describe('a signed head', () => {
  it('verifies with the key in both forms, and with no other key', () => {
    expect(verifyHead(head, pair.publicKey)).toBe(true);
    expect(verifyHead(head, publicText)).toBe(true);
    expect(verifyHead(head, stranger.publicKey)).toBe(false);
    expect(verifyHead(head, rawKey(stranger.publicKey))).toBe(false);
  });

  it('signs the purpose and every member', () => {
    const payload = ['sallyport.head.v1', 'main', 13, head.root, head.time, 'k1'];
    const expected = sign(null, Buffer.from(canonicalJson(payload)), pair.privateKey).toString('base64url');
    expect(head.signature).toBe(expected);
  });

  it('reads back from its text and still verifies', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        fc.nat({ max: 8.64e15 }),
        (chain, size, time) => {
          const signed = headOf(0, { chain, size, time });
          const read = readHead(JSON.stringify(signed));
          expect(read).toEqual(signed);
          expect(verifyHead(read, publicText)).toBe(true);
        },
      ),
    );
  });

  it('is signed anew from its members alone', () => {
    expect(signHead(head, pair.privateKey)).toEqual(head);
  });

  it.each(spoiled)('does not verify with %s', (_, changes) => {
    expect(verifyHead({ ...head, ...changes } as SignedHead, publicText)).toBe(false);
  });

  it('does not verify with another key id', () => {
    expect(verifyHead({ ...head, key: 'k2' }, publicText)).toBe(false);
  });

  it.each(Object.keys(head))('does not verify without its %s', (member) => {
    const rest = Object.fromEntries(Object.entries(head).filter(([key]) => key !== member));
    expect(verifyHead(rest as unknown as SignedHead, publicText)).toBe(false);
    expect(() => readHead(JSON.stringify(rest))).toThrow(`"${member}" is missing`);
  });

  it('does not verify a signature for another purpose', () => {
    const payload = ['sallyport.approval.v1', 'main', 13, head.root, head.time, 'k1'];
    const signature = sign(null, Buffer.from(canonicalJson(payload)), pair.privateKey).toString('base64url');
    expect(verifyHead({ ...head, signature }, publicText)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no text', ''],
    ['text that is no key', 'not a key'],
    ['a padded key', `${publicText}=`],
    ['a key with stray bits', strayBits(publicText)],
    ['a short key', publicText.slice(0, -4)],
    ['a private key', pair.privateKey],
    ['a key of another kind', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
    ['a table', {}],
  ])('does not verify with %s for a key', (_, key) => {
    expect(verifyHead(head, key as HeadKey)).toBe(false);
  });

  it('does not verify with a key of another kind that did sign it', () => {
    // 512 bits make a signature as long as one of Ed25519.
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 512 });
    const payload = ['sallyport.head.v1', 'main', 13, head.root, head.time, 'k1'];
    const signature = sign(null, Buffer.from(canonicalJson(payload)), privateKey).toString('base64url');
    expect(signature).toHaveLength(head.signature.length);
    expect(verifyHead({ ...head, signature }, publicKey)).toBe(false);
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (thing, key) => {
        expect(verifyHead(thing as SignedHead, key as HeadKey)).toBe(false);
        expect(verifyHead(thing as SignedHead, publicText)).toBe(false);
      }),
    );
  });

  it.each<[string, Partial<Record<keyof TreeHead, unknown>>]>([
    ['a broken size', { size: 1.5 }],
    ['a root in capitals', { root: head.root.toUpperCase() }],
    ['no chain', { chain: '' }],
    ['another version', { version: 2 }],
  ])('is not made with %s', (_, changes) => {
    expect(() => headOf(1, changes as Partial<TreeHead>)).toThrow(InputError);
  });

  it('is not signed with a key of another kind', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => headOf(1, {}, privateKey)).toThrow('a head is signed with a private Ed25519 key');
    expect(() => headOf(1, {}, pair.publicKey)).toThrow('a head is signed with a private Ed25519 key');
  });
});

describe('reading heads', () => {
  it.each(spoiled)('speaks clearly of %s', (_, changes, message) => {
    const text = JSON.stringify({ ...head, ...changes });
    if (message === null) {
      expect(verifyHead(readHead(text), publicText)).toBe(false);
      return;
    }
    expect(() => readHead(text)).toThrow(InputError);
    // Half a surrogate pair is refused while the JSON is read, before positions are known.
    if (!text.includes('\\ud800')) {
      expect(() => readHead(text)).toThrow(`the signed head cannot be read: ${message}`);
    }
  });

  it.each([
    ['no JSON', 'head', 'the signed head cannot be read: not readable as JSON'],
    ['no table', '[]', 'the signed head cannot be read: must be a table, not a list'],
    ['a member twice', '{"size":1,"size":2}', 'the key "size" stands twice'],
    ['two heads', `${JSON.stringify(head)}${JSON.stringify(head)}`, 'unexpected text after the value'],
  ])('refuses %s', (_, text, message) => {
    expect(() => readHead(text)).toThrow(InputError);
    expect(() => readHead(text)).toThrow(message);
  });

  it('reads one head a line and skips blank lines', () => {
    const heads = [headOf(1), headOf(2), headOf(3)];
    const [one, two, three] = heads.map((each) => JSON.stringify(each));
    expect(readHeads(`\n${one}\n  \n${two}\r\n\r\n${three}`)).toEqual(heads);
    expect(readHeads('')).toEqual([]);
    expect(readHeads(' \n\n')).toEqual([]);
  });

  it('names the line that cannot be read', () => {
    const text = `${JSON.stringify(head)}\n\n${JSON.stringify({ ...head, size: -1 })}\n`;
    expect(() => readHeads(text)).toThrow(InputError);
    expect(() => readHeads(text)).toThrow('line 3: the signed head cannot be read: /size: must be between');
    expect(() => readHeads(`${JSON.stringify(head)}\n{`)).toThrow('line 2: the signed head cannot be read');
  });
});

describe('a proof document', () => {
  it('is valid for every entry and every growth, offline and from its text', async () => {
    for (let size = 1; size <= 13; size++) {
      for (let index = 0; index < size; index++) {
        const document = readProof(JSON.stringify(await inclusion(index, size)));
        expect(checkProof(document, keys)).toEqual({
          valid: true,
          reason: `the entry stands at index ${index} of the ${size} that the key "k1" signed for the chain "main"`,
        });
      }
      for (let oldSize = 0; oldSize <= size; oldSize++) {
        const document = readProof(JSON.stringify(await consistency(oldSize, size)));
        expect(checkProof(document, keys)).toEqual({
          valid: true,
          reason: `the first ${oldSize} entries stand unchanged in the ${size} that the key "k1" signed for the chain "main"`,
        });
      }
    }
  });

  it('is valid across a change of keys', () => {
    const to = headOf(13, { key: 'k2' }, stranger.privateKey);
    expect(checkProof({ ...grown, to }, keys).valid).toBe(true);
  });

  const wholeProof = included.proof;
  it.each<[string, Record<string, unknown>, string]>([
    ['another version', { version: 2 }, 'the proof cannot be read: /version'],
    ['another kind', { kind: 'consistency' }, 'the proof cannot be read'],
    ['an unknown kind', { kind: 'inclusive' }, 'must be one of inclusion, consistency, not "inclusive"'],
    ['another index', { index: 4 }, 'the proof does not lead from this entry at index 4 to the root'],
    ['an index at the end', { index: 13 }, 'the head counts 13 entries, so there is none at index 13'],
    ['a negative index', { index: -1 }, 'the proof cannot be read: /index'],
    ['another entry', { entry: entries[4] }, 'the proof does not lead from this entry at index 5'],
    [
      'a changed entry',
      { entry: `${included.entry} ` },
      'the proof does not lead from this entry at index 5',
    ],
    ['an entry that is no text', { entry: { number: 5 } }, 'the proof cannot be read: /entry'],
    ['an entry with half a character', { entry: '\ud800' }, 'the proof cannot be read: /entry'],
    ['a changed hash', { proof: wholeProof.with(1, swap(wholeProof[1]!, 3)) }, 'the proof does not lead'],
    ['a shorter proof', { proof: wholeProof.slice(0, -1) }, 'the proof does not lead'],
    ['a longer proof', { proof: [...wholeProof, otherRoot] }, 'the proof does not lead'],
    ['an empty proof', { proof: [] }, 'the proof does not lead'],
    ['a proof in another order', { proof: wholeProof.toReversed() }, 'the proof does not lead'],
    ['a hash in capitals', { proof: wholeProof.map((hash) => hash.toUpperCase()) }, '/proof/0: must be 64'],
    ['a proof without end', { proof: Array(65).fill(otherRoot) }, '/proof: must have at most 64 items'],
    ['an older head', { head: headOf(12) }, 'the proof does not lead'],
    ['an unsigned root', { head: { ...head, root: otherRoot } }, 'the signature of the head is not'],
    ['a signed root of another log', { head: headOf(13, { root: otherRoot }) }, 'the proof does not lead'],
    ['an unknown key', { head: headOf(13, { key: 'k9' }) }, 'signed by the key "k9", which is not known'],
    [
      "a head in another key's name",
      { head: headOf(13, { key: 'k2' }) },
      'is not of its content by the key "k2"',
    ],
    ['an empty log', { head: headOf(0) }, 'the head counts 0 entries'],
    ['no head', { head: null }, 'the proof cannot be read: /head'],
    ['an unknown member', { note: 'not signed' }, 'the proof cannot be read: /note'],
  ])('of inclusion is invalid with %s', (_, changes, reason) => {
    const result = checkProof({ ...included, ...changes } as ProofDocument, keys);
    expect(result).toEqual({ valid: false, reason: expect.stringContaining(reason) });
  });

  const steps = grown.proof;
  it.each<[string, Record<string, unknown>, string]>([
    ['another version', { version: 0 }, 'the proof cannot be read: /version'],
    ['another kind', { kind: 'inclusion' }, 'the proof cannot be read'],
    ['an older head', { from: headOf(4) }, 'that the first 4 of 13 entries stand unchanged'],
    ['another later head', { to: headOf(12) }, 'that the first 5 of 12 entries stand unchanged'],
    [
      'the heads exchanged',
      { from: grown.to, to: grown.from },
      'the earlier head counts 13 entries, more than',
    ],
    [
      'another chain',
      { to: headOf(13, { chain: 'other' }) },
      'the heads are of two chains, "main" and "other"',
    ],
    ['an earlier head of another chain', { from: headOf(5, { chain: 'x' }) }, 'the heads are of two chains'],
    ['two histories', { from: headOf(13, { root: otherRoot }), proof: [] }, 'the chain has two histories'],
    [
      'a rewritten log',
      { to: headOf(13, { root: otherRoot }) },
      'that the first 5 of 13 entries stand unchanged',
    ],
    ['a false beginning', { from: headOf(0, { root: otherRoot }), proof: [] }, 'the first 0 of 13 entries'],
    ['a changed hash', { proof: steps.with(0, swap(steps[0]!, 3)) }, 'the proof does not show'],
    ['a shorter proof', { proof: steps.slice(1) }, 'the proof does not show'],
    ['a longer proof', { proof: [...steps, otherRoot] }, 'the proof does not show'],
    ['an empty proof', { proof: [] }, 'the proof does not show'],
    ['no list', { proof: otherRoot }, 'the proof cannot be read: /proof'],
    [
      'an unknown key before',
      { from: headOf(5, { key: 'k9' }) },
      'the earlier head is signed by the key "k9"',
    ],
    ['an unknown key after', { to: headOf(13, { key: 'k9' }) }, 'the later head is signed by the key "k9"'],
    ['a false signature before', { from: { ...grown.from, time: 1 } }, 'the signature of the earlier head'],
    ['a false signature after', { to: { ...grown.to, time: 1 } }, 'the signature of the later head'],
    ['an unknown member', { head }, 'the proof cannot be read: /head'],
  ])('of consistency is invalid with %s', (_, changes, reason) => {
    const result = checkProof({ ...grown, ...changes } as ProofDocument, keys);
    expect(result).toEqual({ valid: false, reason: expect.stringContaining(reason) });
  });

  it.each(spoiled)('is invalid if a head has %s', (_, changes) => {
    const documents = [
      { ...included, head: { ...included.head, ...changes } },
      { ...grown, from: { ...grown.from, ...changes } },
      { ...grown, to: { ...grown.to, ...changes } },
    ];
    for (const document of documents) {
      const result = checkProof(document as ProofDocument, keys);
      expect(result.valid).toBe(false);
      expect(result.reason).toMatch(/cannot be read|signature/);
    }
  });

  it.each(['inclusion', 'consistency'] as const)('of %s is invalid without any of its members', (kind) => {
    const document = kind === 'inclusion' ? included : grown;
    for (const member of Object.keys(document)) {
      const rest = Object.fromEntries(Object.entries(document).filter(([key]) => key !== member));
      const reason = `the proof cannot be read: "${member}" is missing`;
      expect(checkProof(rest as unknown as ProofDocument, keys)).toEqual({ valid: false, reason });
      expect(() => readProof(JSON.stringify(rest))).toThrow(reason);
    }
  });

  it('from nothing is valid only with the root of nothing', async () => {
    const document = await consistency(0, 13);
    expect(document.from.root).toBe(hex(emptyRoot));
    expect(checkProof(document, keys).valid).toBe(true);
  });

  it('shows a name that could deceive the eye as what it is', () => {
    const { reason } = checkProof({ ...included, head: headOf(13, { key: 'k\u202e\n' }) }, keys);
    expect(reason).toContain('"k\\u{202e}\\n"');
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (thing) => {
        expect(checkProof(thing as ProofDocument, keys).valid).toBe(false);
      }),
    );
  });

  it('is not valid after any single change to its text', () => {
    for (const document of [included, grown]) {
      const text = JSON.stringify(document);
      fc.assert(
        fc.property(fc.nat({ max: text.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }), (at, by) => {
          fc.pre(text[at] !== by);
          const changed = text.slice(0, at) + by + text.slice(at + 1);
          let read: ProofDocument;
          try {
            read = readProof(changed);
          } catch (error) {
            expect(error).toBeInstanceOf(InputError);
            return;
          }
          expect(checkProof(read, keys).valid).toBe(false);
        }),
        { numRuns: 500 },
      );
    }
  });

  it.each([
    ['no JSON', 'proof', 'the proof cannot be read: not readable as JSON'],
    ['no table', '[]', 'the proof cannot be read: a proof must be a table'],
    ['no kind', '{}', 'the proof cannot be read: "kind" is missing'],
    ['an unknown kind', '{"kind":"inclusio"}', 'did you mean "inclusion"?'],
    ['a kind that is no text', '{"kind":1}', '/kind: must be one of inclusion, consistency, not a number'],
  ])('is not read from %s', (_, text, message) => {
    expect(() => readProof(text)).toThrow(InputError);
    expect(() => readProof(text)).toThrow(message);
  });
});
