// Who calls: bearer credentials, and the short sessions that a person opens with the passphrase.

import { hash, randomBytes } from 'node:crypto';
import type { Signer as PersonsKey } from '../../config/index.ts';
import { SallyportError } from '../../core/index.ts';
import type { Ledger, Principal, Reader, Signer } from '../../ledger/index.ts';

/** No valid credential came with the request. */
export class NotAuthenticated extends SallyportError {}
/** Too many wrong passphrases; try later. */
export class TooManyAttempts extends SallyportError {}

export interface Caller {
  readonly principal: Principal;
  /** What of the ledger the caller may see. */
  readonly reader: Reader;
  /** The person's key, while a session holds it open. */
  readonly signer: Signer | null;
}

interface Session {
  readonly caller: Caller;
  readonly key: PersonsKey;
  readonly expiresAt: number;
}

const sessionLifeMs = 15 * 60 * 1000;
const mostSessions = 16;
const mostAttempts = 5;
const attemptWindowMs = 60 * 1000;

export interface CallersOptions {
  readonly ledger: Pick<Ledger, 'credentials'>;
  readonly owner: { readonly user: string; readonly tenant: string };
  readonly unlock: (passphrase: string) => Promise<PersonsKey>;
  /** Milliseconds that never go back. */
  readonly elapsed: () => number;
}

export class Callers {
  readonly #options: CallersOptions;
  readonly #sessions = new Map<string, Session>();
  #attempts: number[] = [];

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** The caller behind an Authorization header; throws `NotAuthenticated`. */
  async identify(authorization: string | null): Promise<Caller> {
    const token = /^Bearer ([\w-]{1,200})$/.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new NotAuthenticated('send a credential: Authorization: Bearer …');
    const session = this.#sessions.get(sessionKey(token));
    if (session !== undefined) {
      if (this.#options.elapsed() < session.expiresAt) return session.caller;
      this.#end(sessionKey(token), session);
    }
    const principal = await this.#options.ledger.credentials.find(token);
    if (principal === undefined) throw new NotAuthenticated('the credential is unknown or revoked');
    return { principal, reader: readerOf(principal), signer: null };
  }

  /** Opens a session for the person who knows the passphrase. */
  async open(passphrase: string): Promise<{ readonly token: string; readonly lifeMs: number }> {
    const now = this.#options.elapsed();
    this.#attempts = this.#attempts.filter((at) => now - at < attemptWindowMs);
    if (this.#attempts.length >= mostAttempts) {
      throw new TooManyAttempts('too many attempts', { hint: 'wait a minute' });
    }
    // Counted before the answer is known, so that attempts sent at once do not slip by.
    this.#attempts.push(now);
    const key = await this.#options.unlock(passphrase);
    this.#attempts = this.#attempts.filter((at) => at !== now);
    this.#forgetOldest();
    const token = `ss_${randomBytes(32).toString('base64url')}`;
    const principal: Principal = {
      credential: 'session',
      scope: 'admin',
      ...this.#options.owner,
      agent: null,
    };
    const expiresAt = this.#options.elapsed() + sessionLifeMs;
    const caller = { principal, reader: readerOf(principal), signer: key };
    this.#sessions.set(sessionKey(token), { caller, key, expiresAt });
    return { token, lifeMs: sessionLifeMs };
  }

  /** Ends every session and forgets the person's key. */
  close(): void {
    for (const [key, session] of this.#sessions) this.#end(key, session);
  }

  #forgetOldest(): void {
    for (const [key, session] of this.#sessions) {
      if (this.#sessions.size < mostSessions && this.#options.elapsed() < session.expiresAt) return;
      this.#end(key, session);
    }
  }

  #end(key: string, session: Session): void {
    this.#sessions.delete(key);
    session.key.forget();
  }
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
