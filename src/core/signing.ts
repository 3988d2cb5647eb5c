// The data that an approver signs. The browser, the command line and the ledger build these lists with the same
// functions, so that a signature covers the same bytes everywhere.

import type { Action } from './action.ts';
import { InputError } from './errors.ts';
import { canonicalJson, type JsonObject, type JsonValue } from './json.ts';
import { type Permission, permissionFields } from './permission.ts';
import type { Context, Finding } from './verdict.ts';

/** A list whose first member names its purpose: a signature for one purpose never fits another. */
export type Payload = readonly [purpose: string, ...JsonValue[]];

/** Whether a stored value can have been signed. */
export function isPayload(value: unknown): value is Payload {
  return Array.isArray(value) && typeof value[0] === 'string' && value[0] !== '';
}

/** The purpose of each signature. */
export const purposes = {
  answer: 'sallyport.approval.v2',
  /** A permission as older versions signed it; newer ones are part of the answer, or made by themselves. */
  grant: 'sallyport.grant.v1',
  permission: 'sallyport.permission.v1',
  policies: 'sallyport.policies.v1',
  approver: 'sallyport.approver.v1',
  ending: 'sallyport.approver-end.v1',
  veto: 'sallyport.approver-veto.v1',
  session: 'sallyport.session.v1',
  disconnection: 'sallyport.disconnection.v1',
} as const;

/** How far the clocks of a client and a daemon may differ when something is signed, in milliseconds. */
export const clockSlackMs = 2 * 60 * 1000;

/** The question for an approver. */
export interface Question {
  readonly action: Action;
  readonly context: Context;
  readonly findings: readonly Finding[];
  /** Makes the digest of the question unguessable once the question is erased. */
  readonly nonce?: string;
  /** The keyed hash of all that the answer depends on: beside the action, settings, rules and files that would be run. */
  readonly binding?: string;
  /** The state outside the action that the answer depends on: what would be run, published or applied. */
  readonly state?: QuestionState;
  /** Pointers to the texts in which the model gives its reasons: they are shown, and an answer does not depend on them. */
  readonly reasons?: readonly string[];
}

/** The state that an action would run, publish or apply, at the time of the question. */
export interface QuestionState {
  /** The keyed hash of the same question about any state. */
  readonly about: string;
  /** Digests by what they are of: a file, a tree, an image; of a ref of git, the commit. */
  readonly parts: Readonly<Record<string, string>>;
}

/** The part of a question that an answer is bound to, in its canonical form. */
export function boundText({ action, context, nonce = '', binding = '', reasons = [] }: Question): string {
  const { justification: _, ...exact } = reasons.reduce<JsonObject>(
    (whole, pointer) => without(whole, pointer.split('/').slice(1)),
    action as unknown as JsonObject,
  );
  const { user, tenant, agent, workspace, mode, cwd = null } = context;
  return canonicalJson([nonce, binding, exact, user, tenant, agent, workspace, mode, cwd]);
}

/** The object with null at the place that the steps lead to; the object itself where they lead nowhere. */
function without(whole: JsonObject, [step = '', ...rest]: readonly string[]): JsonObject {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!Object.hasOwn(whole, name)) return whole;
  const value = whole[name];
  if (rest.length === 0) return { ...whole, [name]: null };
  if (typeof value !== 'object' || value === null) return whole;
  const inside = without(isList(value) ? Object.fromEntries(value.entries()) : value, rest);
  return { ...whole, [name]: isList(value) ? Object.values(inside) : inside };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The content of an approval. */
export interface Answered {
  readonly id: string;
  /** The digest of `boundText`. */
  readonly bound: string;
  /** The digest of the text from which the client showed the question. */
  readonly shown: string;
  readonly at: number;
  readonly until: number;
  readonly permissions: readonly Permission[];
}

export function answerPayload({ id, bound, shown, at, until, permissions }: Answered): Payload {
  return [purposes.answer, id, bound, shown, at, until, permissions.map(permissionFields)];
}

/** Permissions that are made by themselves, without a question. */
export function permissionPayload(permissions: readonly Permission[]): Payload {
  return [purposes.permission, permissions.map(permissionFields)];
}

/** How a passphrase is stretched. */
export interface Kdf {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
}

/**
 * The key derivation parameters of a client: neither so cheap that a passphrase could be guessed, nor beyond a
 * machine's limits.
 */
export const kdfLimits = { leastN: 16_384, mostN: 262_144, r: 8, mostP: 4, saltBytes: 16 } as const;

/** INVARIANT: a different use of the derived key than the one that wraps, so that neither reveals the other. */
export const loginPurpose = 'sallyport.login.v1';

/** The prefix of an Ed25519 private key, in hex, before its own 32 bytes (RFC 8410). */
export const privateKeyPrefix = '302e020100300506032b657004220420';

/** An approver's file without the key in it. */
export interface ApproverHeader {
  readonly version: number;
  readonly publicKey: string;
  readonly login?: string | undefined;
  readonly kdf: Kdf & { readonly name: string };
  readonly createdAt: string;
}

/** Everything in an approver's file that is not secret; it is sealed together with the key, so none of it can change. */
export function sealedText({ version, publicKey, login, kdf, createdAt }: ApproverHeader): string {
  const { name, N, r, p, salt } = kdf;
  const header = { version, publicKey, login, kdf: { name, N, r, p, salt }, createdAt };
  return canonicalJson(['sallyport.approver.v1', header]);
}

/** The bytes before the sealed key, and those after it, in an approver's file. */
export const sealing = { nonceBytes: 12, tagBytes: 16 } as const;

/** Proof of who opens a session: the challenge is the daemon's and counts once. */
export function sessionPayload(challenge: string): Payload {
  return [purposes.session, challenge];
}

export const approverKinds = ['owner', 'user', 'recovery', 'passkey'] as const;
export type ApproverKind = (typeof approverKinds)[number];

/** A key, whose it is and what it may sign. */
export interface ApproverStatement {
  /** The store that it counts on. */
  readonly store: string;
  readonly key: string;
  readonly kind: ApproverKind;
  readonly name: string;
  /** `owner`, or the role of a user. */
  readonly role: string;
  /** The only tenant that it counts for; null for all. */
  readonly tenant: string | null;
  /** The chain of the home that it belongs to. */
  readonly home: string;
  /** Of a passkey: the id by which the browser finds it. */
  readonly credential: string | null;
  /** The key that it takes the place of. */
  readonly replaces: string | null;
  readonly at: number;
}

/** INVARIANT: every field of a statement is signed. */
export function approverPayload(statement: ApproverStatement): Payload {
  const { store, key, kind, name, role, tenant, home, credential, replaces, at } = statement;
  return [purposes.approver, store, key, kind, name, role, tenant, home, credential, replaces, at];
}

/** The default port of the daemon. */
export const usualPort = 4719;

/** The address of the console: browsers refuse passkeys on an IP address. */
export function consoleOrigin(port: number): string {
  return `http://localhost:${port}`;
}

/** A passkey as approver keys name it; its origin is part of the name, so that pages of other ports cannot use it. */
export function passkeyName(spki: string, origin: string): string {
  const encoded = btoa(origin).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `passkey.${spki}.${encoded}`;
}

/** Ends a key, or stops a reset that waits. */
export function endingPayload(purpose: 'ending' | 'veto', store: string, key: string, at: number): Payload {
  return [purposes[purpose], store, key, at];
}

/** Disconnects one file of an agent host from the home with this chain. */
export function disconnectionPayload(
  store: string,
  home: string,
  host: string,
  file: string,
  at: number,
): Payload {
  return [purposes.disconnection, store, home, host, file, at];
}

/** The bytes that are signed. INVARIANT: nothing is signed that does not name its purpose. */
export function signedText(payload: Payload): string {
  if (!isPayload(payload)) throw new InputError('what is signed names its purpose first');
  return canonicalJson(payload);
}
