// Signing in: the daemon gives a challenge, the client signs it with a key that comes of the passphrase, or with a passkey.
// Every try is on record, right or wrong, with the surface that it came by.

import type { Context as Call, Hono } from 'hono';
import { type ApproverFile, type Role, WrongPassphrase } from '../../config/index.ts';
import type { World } from '../../core/index.ts';
import { flag, object, optional, readShape, text } from '../../core/shape.ts';
import { type Ledger, type NewEntry, type PassphraseUse, passphraseEntry } from '../../ledger/index.ts';
import { readJsonBody } from './body.ts';
import { type Callers, type SignedIn, TooManyAttempts } from './callers.ts';
import type { Surface } from './surface.ts';

export interface SignInRoutes {
  readonly callers: Callers;
  readonly ledger: Pick<Ledger, 'audit'>;
  readonly world: Pick<World, 'now'>;
  readonly owner: { readonly user: string; readonly tenant: string };
  /** The owner's wrapped key, which a passphrase opens. */
  readonly wrappedKey: () => ApproverFile;
}

/** Who wants to sign in: a user of the configuration by name, or the owner. */
export const challengeShape = object({ name: optional(text({ min: 1, max: 64 })) });

/** The answer to a challenge. */
export const signInShape = object({
  challenge: text({ min: 1, max: 100 }),
  signature: text({ min: 1, max: 8192 }),
  page: optional(flag()),
});

/** What claims a link: its secret. */
export const claimShape = object({ secret: text({ min: 1, max: 200 }) });

const smallBody = 16_384;

/** Who signed in, tried to, or signed out. */
export function loginEvent(
  type: 'login' | 'login_failed' | 'logout',
  { user, tenant, role }: { readonly user: string; readonly tenant: string; readonly role: Role | null },
  now: number,
  details: { readonly [name: string]: string } = {},
): NewEntry {
  const said = role === null ? details : { ...details, role };
  return { time: now, event_type: type, user, tenant, agent: '', details: said };
}

/** Adds the routes that are there before the caller is known. */
export function addSignIn(app: Hono<Surface>, options: SignInRoutes): void {
  const { callers, ledger, world, wrappedKey } = options;
  const expiry = (lifeMs: number) => new Date(world.now() + lifeMs).toISOString();

  app.get('/v1/session/login', (call) => call.json({ users: callers.hasUsers }));

  app.post('/v1/session/challenge', async (call) => {
    const { name } = readShape(challengeShape, await readJsonBody(call.req.raw, smallBody));
    const { challenge, kdf, credentials } = await callers.challenge(name ?? null);
    return call.json({ challenge, kdf, credentials });
  });

  app.post('/v1/session', async (call) => {
    const { page = false, ...said } = readShape(signInShape, await readJsonBody(call.req.raw, smallBody));
    const signedIn = await recorded(options, call, page ? 'console' : 'http', said);
    // A user signs in for a page; what the owner does at a terminal is over soon.
    const { token, lifeMs } = callers.open(signedIn, page || signedIn.user !== null ? 'page' : 'terminal');
    await orLeave(callers, token, () => ledger.audit.append(opened(options, call, page, signedIn)));
    // INVARIANT: the wrapped key goes to nobody but who proved to know the passphrase that opens it.
    const key = signedIn.user === null && signedIn.with === 'passphrase' ? { key: wrappedKey() } : {};
    return call.json({ token, expiresAt: expiry(lifeMs), ...key });
  });

  app.post('/v1/session/link', async (call) => {
    const { page: _, ...said } = readShape(signInShape, await readJsonBody(call.req.raw, smallBody));
    const { secret, lifeMs } = callers.link(await recorded(options, call, 'console', said));
    return call.json({ secret, expiresAt: expiry(lifeMs) });
  });

  app.post('/v1/session/claim', async (call) => {
    const { secret } = readShape(claimShape, await readJsonBody(call.req.raw, smallBody));
    const { token, lifeMs } = callers.claim(secret);
    const use = { surface: 'console', source: call.env.transport } as const;
    await orLeave(callers, token, () =>
      ledger.audit.append(passphraseEntry('session_opened', options.owner, use, world.now())),
    );
    return call.json({ token, expiresAt: expiry(lifeMs) });
  });
}

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
  { callers, ledger, world, owner }: SignInRoutes,
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

function opened(
  { owner, world }: SignInRoutes,
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
