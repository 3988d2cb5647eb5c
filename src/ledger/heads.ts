// Signed tree heads, and the documents that prove statements about a log to a reader who has only its public key.

import { createPublicKey, KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, InputError, isJsonObject, messageOf, parseJson, visible } from '../core/index.ts';
import { choice, integer, list, object, readShape, type Shape, text } from '../core/shape.ts';
import { hexHash, leafHash, verifyConsistency, verifyInclusion } from './merkle.ts';

/** The state of a log at one moment. */
export interface TreeHead {
  readonly version: 1;
  /** The name of the log; a proof about one is not valid for another. */
  readonly chain: string;
  readonly size: number;
  /** The Merkle root of the first `size` leaves, in hexadecimal. */
  readonly root: string;
  /** When the head was signed, in milliseconds. */
  readonly time: number;
  /** The id of the key that signs. */
  readonly key: string;
}

/** A head with the signature of its key. */
export interface SignedHead extends TreeHead {
  /** Ed25519, in base64url. */
  readonly signature: string;
}

/** The proof that an entry is in a log. */
export interface InclusionDocument {
  readonly version: 1;
  readonly kind: 'inclusion';
  readonly head: SignedHead;
  readonly index: number;
  /** The exact text of the leaf. */
  readonly entry: string;
  /** Hashes in hexadecimal, lowest first. */
  readonly proof: readonly string[];
}

/** The proof that a log only grew from one head to the other. */
export interface ConsistencyDocument {
  readonly version: 1;
  readonly kind: 'consistency';
  readonly from: SignedHead;
  readonly to: SignedHead;
  /** Hashes in hexadecimal, lowest first. */
  readonly proof: readonly string[];
}

/** Any document that `checkProof` understands. */
export type ProofDocument = InclusionDocument | ConsistencyDocument;

/** Whether a document proves its statement, and the reason. */
export interface ProofCheck {
  readonly valid: boolean;
  readonly reason: string;
}

/** A public key: the 32 bytes of Ed25519 in base64url, or the key itself. */
export type HeadKey = string | KeyObject;

const keyLength = 32;
const signatureLength = 64;
/** The last millisecond that a date can represent. */
const lastTime = 8_640_000_000_000_000;
/** The longest proof about a log whose size is a safe integer. */
const longestProof = 64;

const anyVersion = integer(1, 1);
const version: Shape<1> = {
  ...anyVersion,
  read(value, path, report) {
    anyVersion.read(value, path, report);
    return 1;
  },
};
const count = integer(0, Number.MAX_SAFE_INTEGER);
const name = text({ min: 1, max: 256 });
const proof = list(hexHash, { max: longestProof });

const headFields = {
  version,
  chain: name,
  size: count,
  root: hexHash,
  time: integer(0, lastTime),
  key: name,
};
const headShape: Shape<TreeHead> = object(headFields);
const signedHeadShape: Shape<SignedHead> = object({
  ...headFields,
  // 64 bytes leave two bits for the last character, so it is one of four.
  signature: text({ pattern: /^[A-Za-z0-9_-]{85}[AQgw]$/, what: 'a signature of 64 bytes in base64url' }),
});

const proofKinds = choice(['inclusion', 'consistency']);
const proofShapes: { readonly [K in ProofDocument['kind']]: Shape<ProofDocument & { kind: K }> } = {
  inclusion: object({
    version,
    kind: choice(['inclusion']),
    head: signedHeadShape,
    index: count,
    entry: text(),
    proof,
  }),
  consistency: object({
    version,
    kind: choice(['consistency']),
    from: signedHeadShape,
    to: signedHeadShape,
    proof,
  }),
};

/** Signs a head; throws `InputError` for a malformed head, or a key of another kind. */
export function signHead(head: TreeHead, privateKey: KeyObject): SignedHead {
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'ed25519') {
    throw new InputError('a head is signed with a private Ed25519 key');
  }
  const { chain, size, root, time, key } = head;
  const signed = readShape(headShape, { version: head.version, chain, size, root, time, key });
  return { ...signed, signature: sign(null, payloadOf(signed), privateKey).toString('base64url') };
}

/** Whether this key signed this head; false for anything malformed. */
export function verifyHead(head: SignedHead, publicKey: HeadKey): boolean {
  try {
    const read = readShape(signedHeadShape, head);
    const key = verifyingKey(publicKey);
    const signature = decode(read.signature, signatureLength);
    return key !== null && signature !== null && verify(null, payloadOf(read), key, signature);
  } catch {
    return false;
  }
}

/** Reads one signed head; throws `InputError` that states what is wrong with it. */
export function readHead(source: string): SignedHead {
  return reading('the signed head cannot be read', () => readShape(signedHeadShape, parseJson(source)));
}

/** Reads signed heads, one on each line, skipping blank lines; an `InputError` names the line. */
export function readHeads(source: string): readonly SignedHead[] {
  return source
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [reading(`line ${index + 1}`, () => readHead(line))],
    );
}

/** Reads a proof document; throws `InputError` that states what is wrong with it. */
export function readProof(source: string): ProofDocument {
  return reading('the proof cannot be read', () => proofOf(parseJson(source)));
}

/**
 * Verifies a document with only public keys by their ids; a malformed document is not valid. INVARIANT: every member of
 * a valid document is either signed, or follows from signed data.
 */
export function checkProof(document: ProofDocument, publicKeys: ReadonlyMap<string, HeadKey>): ProofCheck {
  let read: ProofDocument;
  try {
    read = proofOf(document);
  } catch (error) {
    return invalid(`the proof cannot be read: ${messageOf(error)}`);
  }
  return read.kind === 'inclusion' ? checkInclusion(read, publicKeys) : checkConsistency(read, publicKeys);
}

function checkInclusion(document: InclusionDocument, keys: ReadonlyMap<string, HeadKey>): ProofCheck {
  const { head, index } = document;
  const problem = headProblem('head', head, keys);
  if (problem !== undefined) return invalid(problem);
  if (index >= head.size) {
    return invalid(`the head counts ${head.size} entries, so there is none at index ${index}`);
  }
  const included = verifyInclusion({
    leaf: leafHash(document.entry),
    index,
    size: head.size,
    root: bytesOf(head.root),
    proof: document.proof.map(bytesOf),
  });
  return included
    ? valid(`the entry stands at index ${index} of the ${head.size} that ${shown(head)}`)
    : invalid(`the proof does not lead from this entry at index ${index} to the root that ${shown(head)}`);
}

function checkConsistency(document: ConsistencyDocument, keys: ReadonlyMap<string, HeadKey>): ProofCheck {
  const { from, to } = document;
  const problem = headProblem('earlier head', from, keys) ?? headProblem('later head', to, keys);
  if (problem !== undefined) return invalid(problem);
  if (from.chain !== to.chain) {
    return invalid(`the heads are of two chains, "${visible(from.chain)}" and "${visible(to.chain)}"`);
  }
  if (from.size > to.size) {
    return invalid(`the earlier head counts ${from.size} entries, more than the ${to.size} of the later one`);
  }
  if (from.size === to.size && from.root !== to.root) {
    return invalid(`two heads of ${from.size} entries have different roots: the chain has two histories`);
  }
  const consistent = verifyConsistency({
    oldSize: from.size,
    oldRoot: bytesOf(from.root),
    newSize: to.size,
    newRoot: bytesOf(to.root),
    proof: document.proof.map(bytesOf),
  });
  return consistent
    ? valid(`the first ${from.size} entries stand unchanged in the ${to.size} that ${shown(to)}`)
    : invalid(`the proof does not show that the first ${from.size} of ${to.size} entries stand unchanged`);
}

function headProblem(what: string, head: SignedHead, keys: ReadonlyMap<string, HeadKey>): string | undefined {
  const key = keys.get(head.key);
  if (key === undefined) return `the ${what} is signed by the key "${visible(head.key)}", which is not known`;
  if (verifyHead(head, key)) return undefined;
  return `the signature of the ${what} is not of its content by the key "${visible(head.key)}"`;
}

function shown({ chain, key }: SignedHead): string {
  return `the key "${visible(key)}" signed for the chain "${visible(chain)}"`;
}

function valid(reason: string): ProofCheck {
  return { valid: true, reason };
}

function invalid(reason: string): ProofCheck {
  return { valid: false, reason };
}

function proofOf(value: unknown): ProofDocument {
  if (!isJsonObject(value)) throw new InputError('a proof must be a table');
  if (!Object.hasOwn(value, 'kind')) throw new InputError('"kind" is missing');
  const kind = proofKinds.read(value['kind'], ['kind'], ({ message }) => {
    throw new InputError(`/kind: ${message}`, { pointer: '/kind' });
  });
  return readShape<ProofDocument>(proofShapes[kind], value);
}

/** INVARIANT: every member of a head is signed; the version is part of the purpose. */
function payloadOf({ chain, size, root, time, key }: TreeHead): Buffer {
  return Buffer.from(canonicalJson(['sallyport.head.v1', chain, size, root, time, key]));
}

function verifyingKey(key: HeadKey): KeyObject | null {
  if (typeof key === 'string') {
    if (decode(key, keyLength) === null) return null;
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
  }
  const fits = key instanceof KeyObject && key.type === 'public' && key.asymmetricKeyType === 'ed25519';
  return fits ? key : null;
}

/** The bytes of strict base64url text, or null: any other encoding of them is refused. */
function decode(encoded: string, length: number): Buffer | null {
  const decoded = Buffer.from(encoded, 'base64url');
  return decoded.length === length && decoded.toString('base64url') === encoded ? decoded : null;
}

function bytesOf(digits: string): Uint8Array {
  return Buffer.from(digits, 'hex');
}

function reading<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { pointer } = error;
    throw new InputError(`${where}: ${error.message}`, {
      cause: error,
      ...(pointer === undefined ? {} : { pointer }),
    });
  }
}
