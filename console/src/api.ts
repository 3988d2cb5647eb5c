// Talks to the daemon. The session's token lives in sessionStorage and goes into a header: a cookie would go to every
// other server on this machine, since cookies ignore ports.

import type { Decision, Finding } from './question.ts';

export interface Approval {
  readonly id: string;
  readonly state: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decisionId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The question as it is shown and signed; null where it cannot be shown. */
  readonly text: string | null;
}

export interface Entry {
  readonly place: number;
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  readonly time: number;
  readonly event_type: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decision_id?: string;
  readonly decision?: Decision;
  readonly details: Readonly<Record<string, unknown>>;
}

export type Outcome = 'pass' | 'warn' | 'fail';

export interface ChangeSummary {
  readonly id: string;
  readonly state: string;
  readonly user: string;
  readonly agent: string;
  readonly workspace: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly hunks: number;
  readonly undecided: number;
  readonly files: readonly { readonly path: string; readonly op: string }[];
}

export interface ChangeHunk {
  readonly number: number;
  readonly kind: string;
  readonly decision: 'accept' | 'reject' | null;
  readonly diff: string;
}

export interface ChangeFile {
  readonly path: string;
  readonly to: string | null;
  readonly op: 'create' | 'edit' | 'delete' | 'rename';
  readonly mode: string | null;
  readonly guards: { readonly write: Outcome; readonly hallucination: Outcome; readonly egress: Outcome };
  readonly hunks: readonly ChangeHunk[];
  /** What of this file is not shown, by kind. */
  readonly redactions: Readonly<Record<string, number>>;
}

/** A name that a change refers to and that is not there. */
export interface Missing {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  readonly near?: readonly string[];
}

export interface Change extends Omit<ChangeSummary, 'files' | 'hunks'> {
  readonly files: readonly ChangeFile[];
  readonly findings: readonly (Finding & { readonly path?: string })[];
  readonly missing_references: readonly Missing[];
  readonly justification: string | null;
  readonly suggest: boolean;
  /** What applying would write; no hash where files have changed since. */
  readonly result: { readonly hash: string | null; readonly stale: readonly string[] };
  readonly redactions: Readonly<Record<string, number>>;
}

export interface Receipt {
  readonly receipt_id: string;
  readonly timestamp: string;
  readonly user_id: string;
  readonly run_id: string;
  readonly action: 'apply' | 'rollback' | 'reject';
  readonly applied: boolean;
  readonly files: readonly { readonly path: string }[];
  readonly snapshot_id: string | null;
  readonly guards: Readonly<Record<string, Outcome>>;
  readonly self_hash: string;
}

export interface Overview {
  readonly since: string;
  readonly piece_seconds: number;
  readonly series: readonly ({ readonly time: string } & Readonly<Record<Decision, number>>)[];
  readonly guards: readonly { readonly name: string; readonly count: number }[];
  readonly rules: readonly { readonly name: string; readonly count: number }[];
  readonly waiting: { readonly approvals: number; readonly changes: number };
  readonly latency_ms: { readonly count: number; readonly p50: number | null; readonly p99: number | null };
}

/** A key that may approve, as the log knows it. */
export interface ApproverKey {
  readonly key: string;
  readonly kind: 'owner' | 'user' | 'recovery' | 'passkey';
  readonly name: string;
  readonly role: string;
  readonly tenant: string | null;
  readonly home: string;
  readonly credential: string | null;
  readonly since: number;
  readonly vouchedBy: string | null;
  readonly state: 'counts' | 'waits' | 'ended' | 'not vouched for';
  readonly countsFrom: number | null;
  readonly endedAt: number | null;
}

/** Whose approval counts, and a reset of a passphrase that waits. */
export interface Approvers {
  readonly approvers: readonly ApproverKey[];
  readonly reset: { readonly key: string; readonly name: string; readonly countsFrom: number } | null;
}

/** What the daemon refused, in its words. */
export class Refused extends Error {
  readonly status: number;
  override readonly name: string;
  readonly hint: string | undefined;
  /** All that it said. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const { error, name, hint } = body;
    super(typeof error === 'string' ? error : `the daemon answered with ${status}`);
    this.status = status;
    this.name = typeof name === 'string' ? name : 'Refused';
    this.hint = typeof hint === 'string' ? hint : undefined;
    this.body = body;
  }
}

const place = 'sallyport.session';
const namePlace = 'sallyport.name';

export const session = {
  token: () => sessionStorage.getItem(place),
  /** The name that a user signed in with; null for the owner. */
  name: () => sessionStorage.getItem(namePlace),
  keep: (token: string, name: string | null) => {
    sessionStorage.setItem(place, token);
    if (name === null) sessionStorage.removeItem(namePlace);
    else sessionStorage.setItem(namePlace, name);
  },
  forget: () => {
    sessionStorage.removeItem(place);
    sessionStorage.removeItem(namePlace);
  },
};

/** What every part of the page hears when the session is over. */
export const signedOut = 'sallyport-signed-out';

/** Forgets the session, and says so to the page. */
export function endSession(): void {
  session.forget();
  window.dispatchEvent(new Event(signedOut));
}

export interface AskOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Of another session than the page's; null for none. */
  readonly token?: string | null;
}

/** Sends one request; throws `Refused` for what the daemon refuses. */
export async function ask<T>(path: string, options: AskOptions = {}): Promise<T> {
  const { body, headers, signal, method = body === undefined ? 'GET' : 'POST' } = options;
  const own = session.token();
  const token = options.token === undefined ? own : options.token;
  const answer = await fetch(path, {
    method,
    cache: 'no-store',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.ok) return (await answer.json()) as T;
  // A refusal without words is one all the same; an answer that ended half way is none.
  const said: unknown = await answer.json().catch(() => ({}));
  if (answer.status === 401 && token !== null && token === own) endSession();
  throw new Refused(answer.status, typeof said === 'object' && said !== null ? { ...said } : {});
}

/** Who is signed in, and what they may do: calls as the daemon names them. */
export interface Who {
  readonly user: string;
  readonly tenant: string;
  readonly role: string | null;
  readonly may: readonly string[];
  readonly version: string;
}

/** Opens the session of a link; its secret is in the fragment and is removed from the address at once. */
export async function claimLink(): Promise<void> {
  const secret = location.hash.slice(1);
  if (secret === '' || secret.startsWith('/')) return;
  history.replaceState(null, '', '#/overview');
  const { token } = await ask<{ token: string }>('/v1/session/claim', { token: null, body: { secret } });
  session.keep(token, null);
}
