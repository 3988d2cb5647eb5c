// Talks to the daemon. The session's token lives in sessionStorage and goes into a header: a cookie would go to every
// other server on this machine, since cookies ignore ports.

export type Decision = 'pass' | 'redact' | 'approve' | 'block';

export interface Finding {
  readonly rule: string;
  readonly guard: string;
  readonly decision: Decision | 'warn';
  readonly message: string;
  readonly suggestion?: string;
  readonly span?: readonly [number, number];
  readonly pointer?: string;
  readonly contract?: string;
  readonly shows?: string;
}

export interface Action {
  readonly kind: string;
  readonly justification?: string;
  readonly [name: string]: unknown;
}

interface Context {
  readonly workspace: string;
  readonly session: string;
  readonly mode: string;
}

export interface Approval {
  readonly id: string;
  readonly state: string;
  readonly user: string;
  readonly tenant: string;
  readonly agent: string;
  readonly decisionId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly question: {
    readonly action: Action;
    readonly context: Context;
    readonly findings: readonly Finding[];
  } | null;
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

/** What the daemon refused, in its words. */
export class Refused extends Error {
  readonly status: number;
  override readonly name: string;
  readonly hint: string | undefined;

  constructor(status: number, body: { error?: string; name?: string; hint?: string }) {
    super(body.error ?? `the daemon answered with ${status}`);
    this.status = status;
    this.name = body.name ?? 'Refused';
    this.hint = body.hint;
  }
}

const place = 'sallyport.session';

export const session = {
  token: () => sessionStorage.getItem(place),
  keep: (token: string) => sessionStorage.setItem(place, token),
  forget: () => sessionStorage.removeItem(place),
};

/** Sends one request; throws `Refused` for what the daemon refuses. */
export async function ask<T>(
  path: string,
  options: { method?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<T> {
  const { body, headers, signal, method = body === undefined ? 'GET' : 'POST' } = options;
  const token = session.token();
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
  // A refusal without words is one all the same; an answer that was given up half way is none.
  const said: unknown = await answer.json().catch(() => ({}));
  if (answer.status === 401 && token !== null) {
    session.forget();
    window.dispatchEvent(new Event('sallyport-left'));
  }
  throw new Refused(answer.status, said as { error?: string });
}

/** Who is here, and what they may do: calls as the daemon names them. */
export interface Who {
  readonly user: string;
  readonly tenant: string;
  readonly role: string | null;
  readonly may: readonly string[];
  readonly version: string;
}

/** Comes in by name. */
export async function login(name: string, passphrase: string): Promise<void> {
  const { token } = await ask<{ token: string }>('/v1/session/login', { body: { name, passphrase } });
  session.keep(token);
}

/** Opens the session of a link, whose secret stands in the fragment and goes out of the address at once. */
export async function claimLink(): Promise<void> {
  const secret = location.hash.slice(1);
  if (secret === '' || secret.startsWith('/')) return;
  history.replaceState(null, '', '#/overview');
  const { token } = await ask<{ token: string }>('/v1/session/claim', { body: { secret } });
  session.keep(token);
}
