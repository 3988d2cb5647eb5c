// Who calls, and who may call what: bearer credentials, and the sessions that people open by signing the daemon's challenge
// with a key that comes of their passphrase, or with a passkey. The daemon receives neither passphrase nor private key.

import { hash, randomBytes } from 'node:crypto';
import { type Role, roles, type User, verifySignature, WrongPassphrase } from '../../config/index.ts';
import {
  type Kdf,
  LimitError,
  type MaybePromise,
  NotAllowed,
  SallyportError,
  sessionPayload,
  whenReady,
} from '../../core/index.ts';
import {
  scopes as allScopes,
  type Ledger,
  type Principal,
  type Reader,
  type Scope,
} from '../../ledger/index.ts';

/** No valid credential came with the request. */
export class NotAuthenticated extends SallyportError {}
/** Too many wrong passphrases; try later. */
export class TooManyAttempts extends LimitError {
  /** Whether it is the first such answer to a source for this person within a minute. */
  first = false;
}

export interface Caller {
  readonly principal: Principal;
  /** What of the ledger the caller may see. */
  readonly reader: Reader;
  /** Whether a person opened a session; what they approve is signed with their own key, call by call. */
  readonly person: boolean;
  /** What a user of the configuration may do; null for the owner and for credentials, whose scope says. */
  readonly role: Role | null;
}

/** A caller who signed in, until a time, and for as long as the key counts. */
interface Opened {
  readonly caller: Caller;
  readonly key: string;
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

/** What proves a session, and how long it lasts if nobody uses it. */
interface Token {
  readonly token: string;
  readonly lifeMs: number;
}

/** How somebody signs in: the public key that must have signed, and how it comes of a passphrase. */
export interface SignIn {
  /** The key that comes of a passphrase; null where the name is nobody's, so that nothing fits. */
  readonly login: string | null;
  /** The approver key of this person: a session that the passphrase opens ends with it. */
  readonly approver: string;
  readonly kdf: Kdf;
  /** Keys that no passphrase guesses: the approver's own, which a terminal opens, and passkeys. */
  readonly keys: readonly string[];
  /** Passkeys by the ids that the browser knows them by. */
  readonly credentials: readonly string[];
}

/** Who signed in, and with what. */
export interface SignedIn {
  readonly caller: Caller;
  /** The approver key with which the session ends: the passkey that signed, or the key that the passphrase opens. */
  readonly key: string;
  readonly user: User | null;
  readonly with: 'passphrase' | 'passkey' | 'key';
}

/** A challenge that was given and not answered yet. */
interface Challenge {
  /** Null for the owner, undefined for a name that nobody has. */
  readonly user: User | null | undefined;
  readonly signIn: SignIn;
  readonly until: number;
}

interface CallersOptions {
  readonly ledger: Pick<Ledger, 'credentials'>;
  readonly owner: { readonly user: string; readonly tenant: string };
  readonly users: readonly User[];
  /** How the owner signs in, or a user; throws where nobody vouched for the key. */
  readonly signInOf: (user: User | null) => Promise<SignIn>;
  /** Whether an approver key counts now. */
  readonly counts: (key: string) => MaybePromise<boolean>;
  /** What a name that nobody has is answered with; the same for the same name. */
  readonly decoy: (name: string) => SignIn;
  /** Milliseconds that never go back. */
  readonly elapsed: () => number;
}

const challengeLifeMs = 2 * 60 * 1000;
/** Enough that a client answers before others who ask have used them up. */
const mostChallenges = 10_000;

export class Callers {
  readonly #options: CallersOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #links = new Map<string, Opened>();
  readonly #challenges = new Map<string, Challenge>();
  /**
   * When wrong answers came, by where they came from and whose they were to be; those of names that nobody has count
   * as one person's. INVARIANT: the tries of one source never keep another from trying.
   */
  readonly #attempts = new Map<string, readonly number[]>();
  /** When a source was asked to wait, by the same. */
  readonly #told = new Map<string, number>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** The caller behind an Authorization header; throws `NotAuthenticated`. */
  identify(authorization: string | null): MaybePromise<Caller> {
    const token = tokenIn(authorization);
    if (token === undefined) throw new NotAuthenticated('send a credential: Authorization: Bearer …');
    const key = token.startsWith(sessionPrefix) ? sessionKey(token) : undefined;
    const session = key === undefined ? undefined : this.#sessions.get(key);
    if (key !== undefined && session !== undefined) {
      const now = this.#options.elapsed();
      if (now < session.expiresAt) {
        return whenReady(this.#options.counts(session.key), (counts) => {
          if (!counts) {
            this.#sessions.delete(key);
            throw new NotAuthenticated('the key that opened this session does not count any more', {
              hint: 'sign in again',
            });
          }
          const { idleMs, endsAt, expiresAt } = session;
          const later = Math.max(expiresAt, Math.min(endsAt, now + idleMs));
          if (this.#sessions.has(key)) this.#sessions.set(key, { ...session, expiresAt: later });
          return session.caller;
        });
      }
      this.#sessions.delete(key);
    }
    return whenReady(this.#options.ledger.credentials.find(token), (principal) => {
      if (principal === undefined) throw new NotAuthenticated('the credential is unknown or revoked');
      return { principal, reader: readerOf(principal), person: false, role: null };
    });
  }

  /** A challenge for the owner, or for the user of a name. */
  async challenge(name: string | null): Promise<{ readonly challenge: string } & SignIn> {
    const user = name === null ? null : this.userNamed(name);
    const signIn = user === undefined ? this.#options.decoy(name ?? '') : await this.#options.signInOf(user);
    const now = this.#options.elapsed();
    for (const [key, { until }] of this.#challenges) if (now >= until) this.#challenges.delete(key);
    const [oldest] = this.#challenges.keys();
    if (oldest !== undefined && this.#challenges.size >= mostChallenges) this.#challenges.delete(oldest);
    const challenge = randomBytes(32).toString('base64url');
    this.#challenges.set(challenge, { user, signIn, until: now + challengeLifeMs });
    return { challenge, ...signIn };
  }

  /** Whose challenge it is: the owner's or a user's; `nobody` where there is no such challenge, or no such name. */
  whose(challenge: string): User | 'owner' | 'nobody' {
    const given = this.#challenges.get(challenge);
    return given === undefined ? 'nobody' : given.user === null ? 'owner' : (given.user ?? 'nobody');
  }

  /** Opens a session for a caller who signed in: for a page that stays open, or for a few calls of a terminal. */
  open(signedIn: SignedIn, where: keyof typeof lives): Token {
    return this.#begin(signedIn, where);
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

  /** Whether anybody can sign in by a name. */
  get hasUsers(): boolean {
    return this.#options.users.length > 0;
  }

  /** The user of a name, if there is one. */
  userNamed(name: string): User | undefined {
    return this.#options.users.find((user) => user.name === name);
  }

  /** Gives a secret that opens a session of this caller, once and soon. */
  link({ caller, key }: SignedIn): { readonly secret: string; readonly lifeMs: number } {
    this.#makeRoom(this.#links, caller);
    const secret = randomBytes(32).toString('base64url');
    this.#links.set(sessionKey(secret), { caller, key, expiresAt: this.#options.elapsed() + linkLifeMs });
    return { secret, lifeMs: linkLifeMs };
  }

  /** Opens the session of a link. INVARIANT: a link counts once, and not after its time. */
  claim(secret: string): Token {
    const key = sessionKey(secret);
    const opened = this.#links.get(key);
    this.#links.delete(key);
    if (opened === undefined || this.#options.elapsed() >= opened.expiresAt) {
      throw new NotAuthenticated('this link was used before, or its minute is over', {
        hint: "'sallyport console' prints a new one",
      });
    }
    return this.#begin(opened, 'page');
  }

  /** Forgets a link that nobody was given. */
  unlink(secret: string): void {
    this.#links.delete(sessionKey(secret));
  }

  /** Whether a session is still open, or a credential was sent that needs none; looking does not put its end off. */
  isOpen(authorization: string | null): boolean {
    const token = tokenIn(authorization);
    const session = token === undefined ? undefined : this.#sessions.get(sessionKey(token));
    if (token === undefined || session === undefined) {
      return token !== undefined && !token.startsWith(sessionPrefix);
    }
    // Where the answer takes a while, the next look knows it.
    void whenReady(this.#options.counts(session.key), (counts) => {
      if (!counts) this.#sessions.delete(sessionKey(token));
    });
    return this.#sessions.has(sessionKey(token)) && this.#options.elapsed() < session.expiresAt;
  }

  /** Ends the session of a token, if it is one. */
  leave(authorization: string | null): void {
    const token = tokenIn(authorization);
    if (token !== undefined) this.#sessions.delete(sessionKey(token));
  }

  /** Ends every session. */
  close(): void {
    for (const held of [this.#sessions, this.#links, this.#challenges]) held.clear();
  }

  /** INVARIANT: a challenge is answered once, right or wrong, and wrong answers of one source are few. */
  signIn(challenge: string, signature: string, source: string): SignedIn {
    const given = this.#challenges.get(challenge);
    this.#challenges.delete(challenge);
    if (given === undefined || this.#options.elapsed() >= given.until) {
      throw new NotAuthenticated('this challenge was answered before, or its time is over', {
        hint: 'ask for another',
      });
    }
    const { user, signIn } = given;
    const fits = (key: string) => verifySignature(key, sessionPayload(challenge), signature);
    const strong = signIn.keys.find(fits);
    // INVARIANT: only keys that come of a passphrase can be guessed, so that nobody's guesses keep the others out.
    if (strong === undefined) {
      const whose = user === null ? 'owner' : `user ${user?.name ?? ''}`;
      this.#attempt(`${source} ${whose}`, () => fits(signIn.login ?? ''));
    }
    // INVARIANT: nobody's challenge fits no key; this says so to the compiler.
    if (user === undefined) throw new WrongPassphrase('the name or the passphrase is wrong');
    const caller = user === null ? this.#ownerCaller() : this.#userCaller(user);
    const by = strong === undefined ? 'passphrase' : strong.startsWith('passkey.') ? 'passkey' : 'key';
    return { caller, key: by === 'passkey' ? (strong ?? '') : signIn.approver, user, with: by };
  }

  /** Checks an answer, unless too many of the same person's from the same source were wrong. */
  #attempt(whose: string, fits: () => boolean): void {
    const now = this.#options.elapsed();
    const wrong = (this.#attempts.get(whose) ?? []).filter((at) => now - at < attemptWindowMs);
    if (wrong.length >= mostAttempts) {
      const error = new TooManyAttempts('too many attempts', {
        hint: "wait a minute; 'sallyport approve' at a terminal needs no waiting",
      });
      error.first = now - (this.#told.get(whose) ?? Number.NEGATIVE_INFINITY) >= attemptWindowMs;
      if (error.first) this.#told.set(whose, now);
      throw error;
    }
    if (fits()) return;
    this.#attempts.set(whose, [...wrong, now]);
    throw new WrongPassphrase('the name or the passphrase is wrong');
  }

  #ownerCaller(): Caller {
    const principal: Principal = {
      credential: 'session',
      scope: 'admin',
      ...this.#options.owner,
      agent: null,
    };
    return { principal, reader: readerOf(principal), person: true, role: null };
  }

  #userCaller({ name, role, tenant }: User): Caller {
    const principal: Principal = {
      credential: 'session',
      scope: role === 'admin' ? 'admin' : 'approve',
      user: name,
      tenant: tenant ?? this.#options.owner.tenant,
      agent: null,
    };
    return { principal, reader: tenant === null ? {} : { tenant }, person: true, role };
  }

  #begin({ caller, key }: Pick<Opened, 'caller' | 'key'>, where: keyof typeof lives): Token {
    this.#makeRoom(this.#sessions, caller);
    const token = `${sessionPrefix}${randomBytes(32).toString('base64url')}`;
    const { idleMs, lifeMs } = lives[where];
    const now = this.#options.elapsed();
    const first = idleMs === 0 ? lifeMs : idleMs;
    const until = { expiresAt: now + first, endsAt: now + lifeMs };
    this.#sessions.set(sessionKey(token), { caller, key, idleMs, ...until });
    return { token, lifeMs: first };
  }

  /** Ends what has run out, and the oldest of this person where there are too many; nobody ends another's. */
  #makeRoom(held: Map<string, Opened>, { role, principal: { user } }: Caller): void {
    for (const [key, { expiresAt }] of held) {
      if (this.#options.elapsed() >= expiresAt) held.delete(key);
    }
    const own = [...held].filter(([, { caller }]) => caller.role === role && caller.principal.user === user);
    for (const [key] of own.slice(0, Math.max(0, own.length - mostSessions + 1))) held.delete(key);
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

// ── Who may call a route: credentials by their scope, the owner, and users of the configuration by their role. A route says it
// where it is declared; one that does not say it does not compile.

export interface Rule {
  /** The scopes of the credentials that may; none where only people with a session may. */
  readonly scopes: readonly Scope[];
  /** What a credential of another scope is answered. */
  readonly refusal: string;
  /** The least role of the users who may; null where no user may. */
  readonly role: Role | null;
  /** It is about the whole installation, so a user of one tenant may not. */
  readonly whole?: true;
}

/** A rule; or nobody has to be known, or the proxy knows its callers in its own way: by what a provider's client sends. */
export type Access = Rule | 'open' | 'proxy';

/** Every credential, and users from a role on. */
export function anyone(role: Role, whole?: 'whole'): Rule {
  return scoped(allScopes, '', role, whole);
}

/** Credentials of some scopes, and users from a role on, or none. */
export function scoped(
  scopes: readonly Scope[],
  refusal: string,
  role: Role | null = null,
  whole?: 'whole',
): Rule {
  return { scopes, refusal, role, ...(whole === undefined ? {} : { whole: true }) };
}

/** People with a session alone: the owner, and users from a role on. */
export function people(does: string, role: Role, whole?: 'whole'): Rule {
  return scoped([], `only a person with the passphrase ${does}`, role, whole);
}

/** Throws `NotAllowed` where the caller may not. */
export function requireAccess(caller: Caller, rule: Rule): void {
  if (mayCall(caller, rule)) return;
  const { role } = caller;
  throw new NotAllowed(
    role === null ? rule.refusal : `${role === 'admin' ? 'an' : 'a'} ${role} may not do this here`,
  );
}

/** Whether a caller may. INVARIANT: a role goes before the scope that the session of a user has. */
export function mayCall(
  { role, person, principal, reader }: Caller,
  { scopes, whole, role: least }: Rule,
): boolean {
  if (role !== null) {
    if (least === null || (whole === true && reader.tenant !== undefined)) return false;
    return roles.indexOf(role) >= roles.indexOf(least);
  }
  return scopes.includes(principal.scope) || (person && scopes.length === 0);
}

/** Who asks for verdicts: agents, and an administrator. */
export const asksForDecisions = scoped(['decide', 'admin'], 'this credential may not ask for decisions');

/** Who verifies: it walks the whole log, and names what is wrong with anybody's part of it. */
export const verifies = scoped(['admin'], 'only an administrator verifies', 'admin', 'whole');
