// The session of a person. Signing in: the daemon gives a challenge, the client signs it with a key that comes of the passphrase, or with a passkey.
// Every try is on record, right or wrong, with the surface that it came by.

import type { Context as Call } from 'hono';
import { type ApproverFile, type Role, roles, WrongPassphrase } from '../../config/index.ts';
import {
  anything,
  choice,
  count,
  flag,
  listOf,
  moment,
  nullable,
  object,
  optional,
  reply,
  text,
  words,
} from '../../core/shape.ts';
import { type NewEntry, type PassphraseUse, passphraseEntry, scopes } from '../../ledger/index.ts';
import { anyone, type Callers, type SignedIn, TooManyAttempts } from './callers.ts';
import { type Parts, route, type Surface } from './route.ts';

/** The answer to a challenge. */
const signInShape = object({
  challenge: text({ min: 1, max: 100 }),
  signature: text({ min: 1, max: 8192 }),
  page: optional(flag()),
});

const smallBody = 16_384;

/** Who signed in, tried to, or signed out. */
function loginEvent(
  type: 'login' | 'login_failed' | 'logout',
  { user, tenant, role }: { readonly user: string; readonly tenant: string; readonly role: Role | null },
  now: number,
  details: { readonly [name: string]: string } = {},
): NewEntry {
  const said = role === null ? details : { ...details, role };
  return { time: now, event_type: type, user, tenant, agent: '', details: said };
}

const expiry = ({ world }: Parts, lifeMs: number) => new Date(world.now() + lifeMs).toISOString();
const opened = { token: words, expiresAt: moment };

/** The routes by which people sign in; they are there before the caller is known. */
export const signInRoutes = [
  route('GET /v1/session/login', {
    summary: 'Whether users can sign in by name',
    access: 'open',
    answer: ['Whether', reply({ users: flag() })],
    handle: ({ callers }) => ({ users: callers.hasUsers }),
  }),
  route('POST /v1/session/challenge', {
    summary:
      'Ask for a challenge, as the owner or by name; it is signed with the key that comes of the passphrase',
    access: 'open',
    /** Who wants to sign in: a user of the configuration by name, or the owner. */
    body: [object({ name: optional(text({ min: 1, max: 64 })) }), smallBody],
    answer: [
      'The challenge, how the passphrase is stretched, and the ids of passkeys',
      reply({
        challenge: words,
        kdf: reply({ N: count, r: count, p: count, salt: words }),
        credentials: listOf(words),
      }),
    ],
    handle: async ({ callers }, { body }) => {
      const { challenge, kdf, credentials } = await callers.challenge(body.name ?? null);
      return { challenge, kdf, credentials };
    },
  }),
  route('POST /v1/session', {
    summary: 'Open a session with a signed challenge',
    access: 'open',
    body: [signInShape, smallBody],
    answer: [
      'A token, and for the owner the wrapped key that the passphrase opens',
      reply({ ...opened, key: optional(anything<ApproverFile>()) }),
    ],
    handle: async (parts, { call, body: { page = false, ...said } }) => {
      const { callers, ledger, wrappedKey } = parts;
      const signedIn = await recorded(parts, call, page ? 'console' : 'http', said);
      // A user signs in for a page; what the owner does at a terminal is over soon.
      const { token, lifeMs } = callers.open(signedIn, page || signedIn.user !== null ? 'page' : 'terminal');
      await orLeave(callers, token, () => ledger.audit.append(opening(parts, call, page, signedIn)));
      // INVARIANT: the wrapped key goes to nobody but who proved to know the passphrase that opens it.
      const key = signedIn.user === null && signedIn.with === 'passphrase' ? { key: wrappedKey() } : {};
      return { token, expiresAt: expiry(parts, lifeMs), ...key };
    },
  }),
  route('POST /v1/session/link', {
    summary: 'Open the session of a page, to be claimed once within a minute',
    access: 'open',
    body: [signInShape, smallBody],
    answer: ['The secret of the link', reply({ secret: words, expiresAt: moment })],
    handle: async (parts, { call, body }) => {
      const { secret, lifeMs } = parts.callers.link(await recorded(parts, call, 'console', body));
      return { secret, expiresAt: expiry(parts, lifeMs) };
    },
  }),
  route('POST /v1/session/claim', {
    summary: 'Claim the session of a link',
    access: 'open',
    /** What claims a link: its secret. */
    body: [object({ secret: text({ min: 1, max: 200 }) }), smallBody],
    answer: ['A token that lives while it is used, at most 12 hours', reply(opened)],
    handle: async (parts, { call, body }) => {
      const { callers, ledger, owner, world } = parts;
      const { token, lifeMs } = callers.claim(body.secret);
      const use = { surface: 'console', source: call.env.transport } as const;
      await orLeave(callers, token, () =>
        ledger.audit.append(passphraseEntry('session_opened', owner, use, world.now())),
      );
      return { token, expiresAt: expiry(parts, lifeMs) };
    },
  }),
  route('GET /v1/session', {
    summary: 'Who calls',
    access: anyone('viewer'),
    answer: [
      'The user, the tenant, the scope, the role, and what a person may call',
      reply({
        user: words,
        tenant: words,
        scope: choice(scopes),
        person: flag(),
        role: nullable(choice(roles)),
        may: listOf(words),
        version: words,
      }),
    ],
    handle: ({ callsOf, version }, { caller }) => {
      const { user, tenant, scope } = caller.principal;
      const { person } = caller;
      const role = caller.role ?? (person ? 'admin' : null);
      return { user, tenant, scope, person, role, may: person ? callsOf(caller) : [], version };
    },
  }),
  route('DELETE /v1/session', {
    summary: 'Sign out',
    access: anyone('viewer'),
    answer: ['The session is over', reply({ left: flag() })],
    handle: async ({ callers, ledger, world }, { call, caller: { principal, role } }) => {
      callers.leave(call.req.header('authorization') ?? null);
      if (role !== null) {
        const { user, tenant } = principal;
        await ledger.audit.append(loginEvent('logout', { user, tenant, role }, world.now()));
      }
      return { left: true };
    },
  }),
] as const;

/** INVARIANT: no session is open that is not on record. */
async function orLeave(callers: Callers, token: string, record: () => Promise<void>): Promise<void> {
  try {
    await record();
  } catch (error) {
    callers.leave(`Bearer ${token}`);
    throw error;
  }
}

/** Checks the answer to a challenge, and records a wrong one, or how a right one was given. */
async function recorded(
  { callers, ledger, world, owner }: Parts,
  call: Call<Surface>,
  surface: PassphraseUse['surface'],
  { challenge, signature }: { readonly challenge: string; readonly signature: string },
): Promise<SignedIn> {
  const source = await callers.sourceOf(call.req.header('authorization') ?? null, call.env.transport);
  const whose = callers.whose(challenge);
  const wrong = (tooMany: boolean): NewEntry => {
    if (whose === 'owner') {
      const use = { surface, source, ...(tooMany ? { too_many: true as const } : {}) };
      return passphraseEntry('passphrase_refused', owner, use, world.now());
    }
    // A name that nobody has may be a passphrase in the wrong field: it is not written down.
    const who =
      whose === 'nobody'
        ? { user: 'nobody', tenant: owner.tenant, role: null }
        : { user: whose.name, tenant: whose.tenant ?? owner.tenant, role: whose.role };
    return loginEvent('login_failed', who, world.now(), { surface, source });
  };
  let signedIn: SignedIn;
  try {
    signedIn = callers.signIn(challenge, signature, source);
  } catch (error) {
    if (error instanceof WrongPassphrase) await ledger.audit.append(wrong(false));
    // Once for each minute that a source has to wait, so that guessing does not fill the log.
    if (error instanceof TooManyAttempts && error.first) await ledger.audit.append(wrong(true));
    throw error;
  }
  if (signedIn.user === null) {
    const use = { surface, source, with: signedIn.with };
    await ledger.audit.append(passphraseEntry('passphrase_accepted', owner, use, world.now()));
  }
  return signedIn;
}

function opening(
  { owner, world }: Parts,
  call: Call<Surface>,
  page: boolean,
  { user, with: by }: SignedIn,
): NewEntry {
  if (user === null) {
    const use = { surface: page ? 'console' : 'http', source: call.env.transport, with: by } as const;
    return passphraseEntry('session_opened', owner, use, world.now());
  }
  const { name, role, tenant } = user;
  return loginEvent('login', { user: name, tenant: tenant ?? owner.tenant, role }, world.now(), { with: by });
}
