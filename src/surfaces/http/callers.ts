// Who calls: bearer credentials, and the sessions that a person opens: the owner with the passphrase, at a terminal or
// by a link, and a user of the configuration with a name and a passphrase of their own.

import { hash, randomBytes } from 'node:crypto';
import {
  type KeyProof,
  type Signer as PersonsKey,
  type Role,
  type User,
  WrongPassphrase,
} from '../../config/index.ts';
import { NotAllowed, SallyportError, whenReady } from '../../core/index.ts';
import type { Ledger, Principal, Reader, Signer } from '../../ledger/index.ts';

/** No valid credential came with the request. */
export class NotAuthenticated extends SallyportError {}
/** Too many wrong passphrases; try later. */
export class TooManyAttempts extends SallyportError {
  /** Whether it is the first that a source is told so for this person within a minute. */
  first = false;
}

export interface Caller {
  readonly principal: Principal;
  /** What of the ledger the caller may see. */
  readonly reader: Reader;
  /** The person's key, while a session holds it open. */
  readonly signer: Signer | null;
  /** What a user of the configuration may do; null for the owner and for credentials, whose scope says. */
  readonly role: Role | null;
}

/** The key of the person who calls; throws `NotAllowed` where no person with the passphrase does. */
export function asPerson({ signer }: Caller, does: string): Signer {
  if (signer === null) throw new NotAllowed(`only a person with the passphrase ${does}`);
  return signer;
}

/** A person's key that is held open for them. */
interface Opened {
  readonly caller: Caller;
  readonly key: PersonsKey;
  readonly expiresAt: number;
}

interface Session extends Opened {
  /** With every call it is put off by so much, up to its end. */
  readonly idleMs: number;
  readonly endsAt: number;
}

/** A session for a few answers, and one for a page that stays open. */
const lives = {
  terminal: { idleMs: 0, lifeMs: 15 * 60 * 1000 },
  page: { idleMs: 30 * 60 * 1000, lifeMs: 12 * 60 * 60 * 1000 },
} as const;
const sessionPrefix = 'ss_';
const linkLifeMs = 60 * 1000;
/** Of one person. */
const mostSessions = 16;
const mostAttempts = 5;
const attemptWindowMs = 60 * 1000;

/** Who tries a passphrase: what guesses are counted by, and the proof that it is no guess. */
export interface Attempt {
  readonly source: string;
  readonly proof?: KeyProof | undefined;
}

/** What proves a session, and how long it lasts if nobody uses it. */
export interface Token {
  readonly token: string;
  readonly lifeMs: number;
}

export interface CallersOptions {
  readonly ledger: Pick<Ledger, 'credentials'>;
  readonly owner: { readonly user: string; readonly tenant: string };
  readonly unlock: (passphrase: string) => Promise<PersonsKey>;
  readonly users: readonly User[];
  readonly unlockUser: (user: User | undefined, passphrase: string) => Promise<PersonsKey>;
  /** Whether a proof is of the owner's key, and fresh. */
  readonly proves: (proof: KeyProof) => boolean;
  /** Milliseconds that never go back. */
  readonly elapsed: () => number;
}

export class Callers {
  readonly #options: CallersOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #links = new Map<string, Opened>();
  /**
   * When passphrases were tried, by where the tries came from and whose they are; those of names that nobody has count
   * as one person's. INVARIANT: the tries of one source never keep another from trying.
   */
  readonly #attempts = new Map<string, readonly number[]>();
  /** When a source was told to wait, by the same. */
  readonly #told = new Map<string, number>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** The caller behind an Authorization header; throws `NotAuthenticated`. */
  identify(authorization: string | null): Caller | Promise<Caller> {
    const token = tokenIn(authorization);
    if (token === undefined) throw new NotAuthenticated('send a credential: Authorization: Bearer …');
    const key = token.startsWith(sessionPrefix) ? sessionKey(token) : undefined;
    const session = key === undefined ? undefined : this.#sessions.get(key);
    if (key !== undefined && session !== undefined) {
      const now = this.#options.elapsed();
      if (now < session.expiresAt) {
        const { idleMs, endsAt, expiresAt } = session;
        const later = Math.max(expiresAt, Math.min(endsAt, now + idleMs));
        this.#sessions.set(key, { ...session, expiresAt: later });
        return session.caller;
      }
      this.#end(this.#sessions, key);
    }
    return whenReady(this.#options.ledger.credentials.find(token), (principal) => {
      if (principal === undefined) throw new NotAuthenticated('the credential is unknown or revoked');
      return { principal, reader: readerOf(principal), signer: null, role: null };
    });
  }

  /** Opens a session for the person who knows the passphrase. */
  async open(passphrase: string, by: Attempt): Promise<Token> {
    return this.#begin(await this.#unlock(passphrase, by), 'terminal');
  }

  /** What the guesses of a call are counted by: its credential, where it has one that counts, or how it came in. */
  async sourceOf(authorization: string | null, transport: string): Promise<string> {
    try {
      const { credential } = (await this.identify(authorization)).principal;
      return credential === 'session' ? transport : `credential ${credential}`;
    } catch (error) {
      if (error instanceof NotAuthenticated) return transport;
      throw error;
    }
  }

  /** Whether anybody can come in by a name. */
  get hasUsers(): boolean {
    return this.#options.users.length > 0;
  }

  /** The user of a name, if there is one. */
  userNamed(name: string): User | undefined {
    return this.#options.users.find((user) => user.name === name);
  }

  /** Opens the session of a user's page; the same error for a wrong name as for a wrong passphrase. */
  async login(user: User | undefined, passphrase: string, source: string): Promise<Token> {
    const { owner, unlockUser } = this.#options;
    const key = await this.#attempt(`${source} user ${user?.name ?? ''}`, () => unlockUser(user, passphrase));
    // INVARIANT: nobody's key opens; this says so to the compiler.
    if (user === undefined) throw new WrongPassphrase('the name or the passphrase is wrong');
    const { name, role, tenant } = user;
    const principal: Principal = {
      credential: 'session',
      scope: role === 'admin' ? 'admin' : 'approve',
      user: name,
      tenant: tenant ?? owner.tenant,
      agent: null,
    };
    const reader = tenant === null ? {} : { tenant };
    return this.#begin({ caller: { principal, reader, signer: key, role }, key }, 'page');
  }

  /** Opens the key for whoever claims it with the secret, once and soon. */
  async link(passphrase: string, by: Attempt): Promise<{ readonly secret: string; readonly lifeMs: number }> {
    const opened = await this.#unlock(passphrase, by);
    this.#makeRoom(this.#links, opened.caller);
    const secret = randomBytes(32).toString('base64url');
    this.#links.set(sessionKey(secret), { ...opened, expiresAt: this.#options.elapsed() + linkLifeMs });
    return { secret, lifeMs: linkLifeMs };
  }

  /** Opens the session of a link. INVARIANT: a link counts once, and not after its time. */
  claim(secret: string): Token {
    const key = sessionKey(secret);
    const opened = this.#links.get(key);
    this.#links.delete(key);
    if (opened === undefined || this.#options.elapsed() >= opened.expiresAt) {
      opened?.key.forget();
      throw new NotAuthenticated('this link was used before, or its minute is over', {
        hint: "'sallyport console' prints a new one",
      });
    }
    return this.#begin(opened, 'page');
  }

  /** Forgets a link that nobody was given. */
  unlink(secret: string): void {
    this.#end(this.#links, sessionKey(secret));
  }

  /** Whether a session is still open, or a credential was sent that needs none; looking does not put its end off. */
  isOpen(authorization: string | null): boolean {
    const token = tokenIn(authorization);
    const session = token === undefined ? undefined : this.#sessions.get(sessionKey(token));
    if (session === undefined) return token !== undefined && !token.startsWith(sessionPrefix);
    return this.#options.elapsed() < session.expiresAt;
  }

  /** Ends the session of a token, if it is one. */
  leave(authorization: string | null): void {
    const token = tokenIn(authorization);
    if (token !== undefined) this.#end(this.#sessions, sessionKey(token));
  }

  /** Ends every session and forgets the person's key. */
  close(): void {
    for (const held of [this.#sessions, this.#links]) for (const key of held.keys()) this.#end(held, key);
  }

  /** Tries a passphrase, unless too many of the same person's from the same source were wrong. */
  async #attempt(whose: string, unlock: () => Promise<PersonsKey>): Promise<PersonsKey> {
    const now = this.#options.elapsed();
    const recent = (this.#attempts.get(whose) ?? []).filter((at) => now - at < attemptWindowMs);
    if (recent.length >= mostAttempts) {
      const error = new TooManyAttempts('too many attempts', {
        hint: "wait a minute; 'sallyport approve' and 'sallyport console' at a terminal need no waiting",
      });
      error.first = now - (this.#told.get(whose) ?? Number.NEGATIVE_INFINITY) >= attemptWindowMs;
      if (error.first) this.#told.set(whose, now);
      throw error;
    }
    // Counted before the answer is known, so that attempts sent at once do not slip by.
    this.#attempts.set(whose, [...recent, now]);
    const key = await unlock();
    this.#attempts.set(
      whose,
      (this.#attempts.get(whose) ?? []).filter((at) => at !== now),
    );
    return key;
  }

  async #unlock(passphrase: string, { source, proof }: Attempt): Promise<Omit<Opened, 'expiresAt'>> {
    const { unlock, proves } = this.#options;
    // INVARIANT: who proves that they hold the key does not guess, so that nobody's guesses keep them out.
    const known = proof !== undefined && proves(proof);
    const key = known
      ? await unlock(passphrase)
      : await this.#attempt(`${source} owner`, () => unlock(passphrase));
    const principal: Principal = {
      credential: 'session',
      scope: 'admin',
      ...this.#options.owner,
      agent: null,
    };
    return { caller: { principal, reader: readerOf(principal), signer: key, role: null }, key };
  }

  #begin({ caller, key }: Omit<Opened, 'expiresAt'>, where: keyof typeof lives): Token {
    this.#makeRoom(this.#sessions, caller);
    const token = `${sessionPrefix}${randomBytes(32).toString('base64url')}`;
    const { idleMs, lifeMs } = lives[where];
    const now = this.#options.elapsed();
    const first = idleMs === 0 ? lifeMs : idleMs;
    const session = { caller, key, idleMs, expiresAt: now + first, endsAt: now + lifeMs };
    this.#sessions.set(sessionKey(token), session);
    return { token, lifeMs: first };
  }

  /** Ends what has run out, and the oldest of this person where there are too many; nobody ends another's. */
  #makeRoom(held: Map<string, Opened>, { role, principal: { user } }: Caller): void {
    for (const [key, { expiresAt }] of held) {
      if (this.#options.elapsed() >= expiresAt) this.#end(held, key);
    }
    const own = [...held].filter(([, { caller }]) => caller.role === role && caller.principal.user === user);
    for (const [key] of own.slice(0, Math.max(0, own.length - mostSessions + 1))) this.#end(held, key);
  }

  #end(held: Map<string, Opened>, key: string): void {
    held.get(key)?.key.forget();
    held.delete(key);
  }
}

function tokenIn(authorization: string | null): string | undefined {
  return /^Bearer ([\w-]{1,200})$/.exec(authorization ?? '')?.[1];
}

function sessionKey(token: string): string {
  return hash('sha256', token);
}

/** An agent sees its own; an approver its tenant's; an administrator everything. */
function readerOf({ scope, tenant, user, agent }: Principal): Reader {
  if (scope === 'admin') return {};
  if (scope === 'approve') return { tenant };
  return { tenant, user, ...(agent === null ? {} : { agent }) };
}
