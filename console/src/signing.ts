// Signing in, and signing what the person approves: with a passkey of this browser, with the key that is open in this tab, or
// after the person was asked for the passphrase. INVARIANT: neither the passphrase nor a private key leaves the page.

import { type Payload, sessionPayload } from '../../src/core/signing.ts';
import { type AnswerOf, type AskOptions, ask, Refused, type RouteName, session, signedOut } from './api.ts';
import type { Needed } from './checks.ts';
import { KeyHolder, loginKey, type OpenKey, openWrapped, signWith, stretch, userKey } from './keys.ts';
import { PasskeyNotUsed, passkeysHere, passkeysWork, signWithPasskey } from './passkeys.ts';
import { createStore } from './store.ts';

/** The key of this tab. It does not outlive the session or the page. */
export const heldKey = new KeyHolder();
for (const end of [signedOut, 'pagehide']) window.addEventListener(end, () => heldKey.forget());

// ── signing in

/** A challenge for the owner, or for a user by name. */
async function challengeFor(name: string | null): Promise<AnswerOf<'POST /v1/session/challenge'>> {
  const body = name === null ? {} : { name };
  return await ask('POST /v1/session/challenge', { token: null, body });
}

/** The passkeys of a person that can be used on this page. */
export async function passkeysOf(name: string | null): Promise<readonly string[]> {
  return passkeysWork() ? (await challengeFor(name)).credentials : [];
}

async function openSession(challenge: string, signature: string) {
  const body = { challenge, signature, page: true };
  return await ask('POST /v1/session', { token: null, body });
}

/** Proves to know a passphrase: a session, and the key that the passphrase opens. */
async function withPassphrase(
  name: string | null,
  passphrase: string,
): Promise<{ readonly token: string; readonly opened: OpenKey }> {
  const { challenge, kdf } = await challengeFor(name);
  const stretched = await stretch(passphrase, kdf);
  try {
    const login = await (name === null ? loginKey : userKey)(stretched);
    const { token, key } = await openSession(challenge, await signWith(login, sessionPayload(challenge)));
    const opened = name === null ? await openWrapped(key, stretched) : { key: login, publicKey: null };
    return { token, opened };
  } finally {
    stretched.fill(0);
  }
}

/** Signs in; the key is open from then on. */
export async function signIn(name: string | null, passphrase: string): Promise<void> {
  const { token, opened } = await withPassphrase(name, passphrase);
  session.keep(token, name);
  heldKey.hold(opened);
}

/** Signs in with a passkey, which also signs each approval. */
export async function signInWithPasskey(name: string | null): Promise<void> {
  const { challenge, credentials } = await challengeFor(name);
  if (credentials.length === 0) {
    throw new PasskeyNotUsed(`${name ?? 'The owner'} has no passkey. Sign in with the passphrase.`);
  }
  const signature = await signWithPasskey(credentials, sessionPayload(challenge));
  session.keep((await openSession(challenge, signature)).token, name);
}

/** Opens the key for somebody who is signed in already; the session stays the one that it was. */
export async function openKey(passphrase: string): Promise<void> {
  const { token, opened } = await withPassphrase(session.name(), passphrase);
  heldKey.hold(opened);
  await ask('DELETE /v1/session', { token }).catch(() => undefined);
}

// ── signing what the person approves

type Sign = (payload: Payload) => Promise<string>;

/** What the person is asked for: the passphrase, or one touch of a passkey. */
export interface Request {
  /** What the signature is for, as the end of "To …". */
  readonly purpose: string;
  /** What went wrong before. */
  readonly problem: string | undefined;
  /** The passkeys that may sign instead. */
  readonly passkeys: readonly string[];
  readonly answer: (signer: 'key' | 'passkey') => void;
  readonly cancel: () => void;
}

/** The request that the person has to answer now. */
export const request = createStore<Request | null>(null);

/** The person closed the dialog. */
class Cancelled extends Error {}

/** Asks the person; `passkeys` may sign instead of the key. */
async function askPerson(
  purpose: string,
  passkeys: readonly string[],
  problem?: string,
): Promise<'key' | 'passkey'> {
  request.get()?.cancel();
  const { promise, resolve, reject } = Promise.withResolvers<'key' | 'passkey'>();
  const cancel = () => reject(new Cancelled('Nothing was signed: you closed the dialog.'));
  const own: Request = { purpose, problem, passkeys, answer: resolve, cancel };
  request.set(own);
  return await promise.finally(() => {
    if (request.get() === own) request.set(null);
  });
}

/** The key of this tab, after the person was asked for the passphrase where it is closed. */
export async function requireKey(purpose: string): Promise<OpenKey> {
  if (heldKey.current() === null) await askPerson(purpose, []);
  const opened = heldKey.current();
  if (opened === null) throw new Cancelled('Nothing was signed: the key is closed.');
  return opened;
}

/** A call that has to be signed, and how the page checks what it signs. */
export interface SignedCall {
  /** What the signature is for, as the end of "To …". */
  readonly purpose: string;
  readonly check: (needed: Needed, now: number) => Payload;
  /** Whether a passkey may sign it. */
  readonly passkeys?: boolean;
}

/**
 * Sends a call; where the daemon wants it signed, checks and signs that and sends the call again. INVARIANT: what is signed
 * is what `check` returned.
 */
export async function askSigned<R extends RouteName>(
  route: R,
  options: AskOptions<R>,
  call: SignedCall,
): Promise<AnswerOf<R>> {
  const send = (at: number, signature: string) =>
    ask<R>(route, {
      ...options,
      headers: { ...options.headers, 'sallyport-signature': `${at} ${signature}` },
    });
  const signed = async (needed: Needed, sign: Sign) =>
    send(Number(needed.at), await sign(call.check(needed, Date.now())));
  const first = await attempt<R>(route, options);
  if ('answer' in first) return first.answer;
  // A lie is refused before the person is asked for anything.
  call.check(first.needed, Date.now());
  const here = call.passkeys === false ? [] : passkeysHere.list();
  if (here.length === 0 && heldKey.current() !== null)
    return await signed(first.needed, (payload) => heldKey.sign(payload));
  const passkeys = call.passkeys === false ? [] : await passkeysOf(session.name());
  const own = passkeys.filter((id) => here.includes(id));
  let problem: string | undefined;
  if (own.length > 0) {
    try {
      return await signed(first.needed, (payload) => signWithPasskey(own, payload));
    } catch (error) {
      // Somebody who does not touch it may not want to sign at all, so an open key does not sign instead.
      if (!(error instanceof PasskeyNotUsed)) throw error;
      problem = error.message;
    }
  }
  const chosen = await askPerson(call.purpose, passkeys, problem);
  // The time that is signed is that of the answer, and the person may have taken a while.
  const second = await attempt<R>(route, options);
  if ('answer' in second) return second.answer;
  return await signed(second.needed, (payload) =>
    chosen === 'key' ? heldKey.sign(payload) : signWithPasskey(passkeys, payload),
  );
}

/** The answer of the daemon, or what it wants signed. */
async function attempt<R extends RouteName>(
  route: R,
  options: AskOptions<R>,
): Promise<{ readonly answer: AnswerOf<R> } | { readonly needed: Needed }> {
  try {
    return { answer: await ask<R>(route, options) };
  } catch (error) {
    if (!(error instanceof Refused) || error.name !== 'SignatureNeeded') throw error;
    const { payload, at, text } = error.body;
    return { needed: { payload, at, text } };
  }
}
