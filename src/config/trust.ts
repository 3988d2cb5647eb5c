// Which workspace files the user trusts: a list of hashes, each signed with the user's own key.

import { canonicalJson, messageOf, type Payload, parseJson, visible } from '../core/index.ts';
import { type Infer, list, object, readShape, text } from '../core/shape.ts';
import { parseApprover, type Signer } from './approver.ts';
import { ConfigError, HomeError } from './errors.ts';
import { type ConfigWorld, diskWorld, paths, writePrivate } from './home.ts';
import { verifySignature } from './signature.ts';

const entryShape = object({
  path: text({ min: 1, max: 4096 }),
  sha256: text({ pattern: /^[0-9a-f]{64}$/, what: 'a SHA-256 in hex' }),
  at: text({ max: 40 }),
  signature: text({ max: 128 }),
});

/** One trusted file, as listed in trust.json. */
export type TrustEntry = Infer<typeof entryShape>;

const fileShape = list(entryShape, { max: 10_000 });

/** Whether a file is trusted, and if not, why not. */
export type Trust = { readonly trusted: true } | { readonly trusted: false; readonly reason: string };

/** The file to be judged: its real path and its text as it was read. */
export interface TrustQuestion {
  readonly home: string;
  readonly path: string;
  readonly text: string;
  readonly readText: ConfigWorld['readText'];
  /** The keys with a valid signature; that of approver.json without a ledger. */
  readonly approverKeys?: (() => readonly string[] | null) | undefined;
}

/**
 * Whether the user signed exactly this text at exactly this real path. INVARIANT: anything broken, missing or changed
 * means false.
 */
export function isTrusted(question: TrustQuestion): Trust {
  try {
    return judge(question);
  } catch (error) {
    return { trusted: false, reason: messageOf(error) };
  }
}

function judge({ home, path, text: found, readText, approverKeys }: TrustQuestion): Trust {
  const entry = readEntries(home, readText).findLast((candidate) => candidate.path === path);
  if (entry === undefined) return { trusted: false, reason: 'it was not trusted' };
  if (entry.sha256 !== sha256(found)) {
    return { trusted: false, reason: 'it changed since it was trusted' };
  }
  const keys = approverKeys?.() ?? keysIn(home, readText);
  if (keys.length === 0) return { trusted: false, reason: 'there is no approver key to check its signature' };
  return signedByAny(keys, entry)
    ? { trusted: true }
    : { trusted: false, reason: 'its signature in trust.json is not by the approver key' };
}

/** Records that the person trusts a file as it is now; `file` is resolved to its real path. */
export function trustFile(home: string, file: string, signer: Signer): TrustEntry {
  const path = diskWorld.realPath(file);
  const found = path === null ? null : diskWorld.readText(path);
  if (path === null || found === null) throw new ConfigError(`${visible(file)} does not exist`);
  const hash = sha256(found);
  const signature = signer.sign(signedPayload(path, hash));
  const entry = { path, sha256: hash, at: new Date().toISOString(), signature };
  const others = readEntries(home, diskWorld.readText).filter((candidate) => candidate.path !== path);
  writeEntries(home, [...others, entry]);
  return entry;
}

/** Revokes the trust in a file; returns whether there was any. */
export function untrustFile(home: string, file: string): boolean {
  const path = diskWorld.realPath(file) ?? file;
  const entries = readEntries(home, diskWorld.readText);
  const others = entries.filter((candidate) => candidate.path !== path);
  if (others.length === entries.length) return false;
  writeEntries(home, others);
  return true;
}

/** Every entry, with whether its signature holds; throws `HomeError` if trust.json is broken. */
export function listTrusted(home: string): readonly (TrustEntry & { readonly valid: boolean })[] {
  const entries = readEntries(home, diskWorld.readText);
  const keys = keysIn(home, diskWorld.readText);
  return entries.map((entry) => ({ ...entry, valid: signedByAny(keys, entry) }));
}

/** The problems of trust.json or the approver's file, one sentence each. */
export function listTrustProblems(home: string, readText: ConfigWorld['readText']): readonly string[] {
  try {
    const entries = readEntries(home, readText);
    const keys = keysIn(home, readText);
    if (keys.length === 0)
      return entries.length === 0 ? [] : ['trust.json has entries, and there is no approver key'];
    return entries
      .filter((entry) => !signedByAny(keys, entry))
      .map(({ path }) => `the signature of ${visible(path)} in trust.json is not by the approver key`);
  } catch (error) {
    return [messageOf(error)];
  }
}

function signedByAny(keys: readonly string[], { path, sha256: hash, signature }: TrustEntry): boolean {
  return keys.some((key) => verifySignature(key, signedPayload(path, hash), signature));
}

function signedPayload(path: string, hash: string): Payload {
  return ['sallyport.trust.v1', path, hash];
}

function readEntries(home: string, readText: ConfigWorld['readText']): readonly TrustEntry[] {
  const { trust } = paths(home);
  try {
    const found = readText(trust);
    return found === null ? [] : readShape(fileShape, parseJson(found));
  } catch (error) {
    throw new HomeError(`trust.json cannot be used: ${messageOf(error)}`, {
      cause: error,
      hint: `move ${visible(trust)} away and trust your files again`,
    });
  }
}

function writeEntries(home: string, entries: readonly TrustEntry[]): void {
  writePrivate(paths(home).trust, `${canonicalJson(entries)}\n`);
}

function keysIn(home: string, readText: ConfigWorld['readText']): readonly string[] {
  const found = readText(paths(home).approver);
  return found === null ? [] : [parseApprover(found).publicKey];
}

/** Reading preserves a byte order mark and refuses invalid UTF-8, so the text represents the bytes exactly. */
function sha256(found: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', found, 'hex');
}
