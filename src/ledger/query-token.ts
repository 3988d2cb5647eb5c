// The token of an approved query: a signed statement of exactly what may run once, for whom, where and until when.
//
//   sp1.<key id>.<base64url of the claims>.<base64url of the HMAC-SHA256>
//
// There is no field for an algorithm, and so no choice. Every claim that the caller's own state determines is compared,
// not trusted; the store determines whether it was used before.

import {
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { longestTokenSeconds } from '../config/sources.ts';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  SallyportError,
} from '../core/index.ts';

const tokenProblems = [
  'TokenExpired',
  'TokenInvalid',
  'CodeMismatch',
  'ContextChanged',
  'UserMismatch',
  'AlreadyUsed',
] as const;
/** The reason why a token is invalid. */
export type TokenProblem = (typeof tokenProblems)[number];

/** A token does not permit this query; carries the named problem. */
export class TokenError extends SallyportError {
  readonly problem: TokenProblem;

  constructor(problem: TokenProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The query to run, as its runner sees it now. */
export interface Bound {
  readonly language: string;
  /** Equal for every spelling of one query. */
  readonly canonical: string;
  /** The text as it was written. */
  readonly text: string;
  readonly variables: JsonObject;
  readonly user: string;
  readonly tenant: string;
  /** The session, or the client where the transport has none. */
  readonly client: string;
  /** The source, and the server that offers it. */
  readonly target: string;
  readonly server: string;
  /** Digests of the inputs to the judgement of the query. */
  readonly schema: string;
  readonly policy: string;
  /** The effect of the query, and its risk for the user. */
  readonly action: string;
  readonly risk: string;
}

export interface Issue {
  /** A token of a dry run permits no execution. */
  readonly purpose: 'execute' | 'dry_run';
  /** The approver; null if the source allows this risk without approval. */
  readonly approver: string | null;
  readonly now: number;
  readonly ttlMs: number;
}

/** The verified claims of a token. */
export interface Verified {
  readonly id: string;
  readonly expiresAt: number;
  readonly approver: string | null;
}

/** A key by its name; a replaced one is valid until its grace period is over. */
export interface TokenKey {
  readonly id: string;
  readonly secret: Uint8Array;
  /** Milliseconds since 1970; null: it is the current signing key. */
  readonly until: number | null;
}

const shortestSecret = 32;
const longestToken = 4096;
/** Maximum difference between two clocks. */
const skewMs = 60_000;
const longestTtlMs = longestTokenSeconds * 1000;

export class QueryTokens {
  readonly #keys: ReadonlyMap<string, { readonly mac: KeyObject; readonly until: number | null }>;
  readonly #current: string;

  /** The first key signs; the others are its predecessors. */
  constructor(keys: readonly TokenKey[]) {
    const [first] = keys;
    if (first === undefined || first.until !== null)
      throw new SallyportError('there is no key that signs tokens');
    this.#current = first.id;
    this.#keys = new Map(
      keys.map(({ id, secret, until }) => {
        if (secret.length < shortestSecret) {
          throw new SallyportError(
            `the secret of tokens has ${secret.length} bytes; it needs ${shortestSecret}`,
          );
        }
        if (!/^[\w-]{1,64}$/.test(id))
          throw new SallyportError('the id of a key is letters, digits, "_" and "-"');
        // A separate key for this purpose: its signatures are valid for nothing else. A key object: a plain buffer
        // would be converted to one at every call.
        const mac = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'sallyport.approval.v1', 32)));
        return [id, { mac, until }];
      }),
    );
  }

  sign(bound: Bound, { purpose, approver, now, ttlMs }: Issue): string {
    const claims = {
      ...claimsOf(bound),
      jti: randomBytes(16).toString('base64url'),
      purpose,
      approver,
      iat: now,
      exp: now + Math.min(ttlMs, longestTtlMs),
    };
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `sp1.${this.#current}.${body}.${this.#mac(this.#current, body).toString('base64url')}`;
  }

  /** The claims of the token, if it is for exactly this query; throws `TokenError`. This does not use the token. */
  verify(token: string, bound: Bound, now: number, ttlMs: number): Verified {
    const claims = this.#open(token, now);
    const { jti, iat, exp, approver, purpose } = claims;
    if (typeof jti !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') throw invalid();
    if (iat > now + skewMs || exp - iat > Math.min(ttlMs, longestTtlMs)) throw invalid();
    if (now >= exp)
      throw new TokenError('TokenExpired', 'The approval has expired. Validate the query again.');
    if (purpose !== 'execute')
      throw new TokenError('TokenInvalid', 'The token is of a dry run, and lets nothing run.');
    const live = claimsOf(bound);
    for (const [problem, names, message] of comparisons) {
      if (names.some((name) => claims[name] !== live[name])) throw new TokenError(problem, message);
    }
    return { id: jti, expiresAt: exp, approver: typeof approver === 'string' ? approver : null };
  }

  /** The claims of a token with a valid signature. INVARIANT: nothing of it is read before. */
  #open(token: string, now: number): JsonObject {
    if (token.length > longestToken) throw invalid();
    const [version, id = '', body = '', mac = '', ...rest] = token.split('.');
    const key = this.#keys.get(id);
    if (version !== 'sp1' || rest.length > 0 || key === undefined) throw invalid();
    if (key.until !== null && now >= key.until) throw invalid();
    const given = Buffer.from(mac, 'base64url');
    const wanted = this.#mac(id, body);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw invalid();
    // Only one encoding is valid: another one of the same bytes would be a different token in a comparison of texts.
    const bytes = Buffer.from(body, 'base64url');
    if (given.toString('base64url') !== mac || bytes.toString('base64url') !== body) throw invalid();
    const text = bytes.toString('utf8');
    let claims: JsonValue;
    try {
      claims = JSON.parse(text);
    } catch {
      throw invalid();
    }
    // Our encoding is unique: a repeated claim, or an escape, was written by another program.
    if (JSON.stringify(claims) !== text) throw invalid();
    if (!isJsonObject(claims)) throw invalid();
    return claims;
  }

  #mac(id: string, body: string): Buffer {
    const key = this.#keys.get(id);
    if (key === undefined) throw invalid();
    return createHmac('sha256', key.mac).update(`sallyport.approval.v1\0${id}.${body}`).digest();
  }
}

function invalid(): TokenError {
  return new TokenError('TokenInvalid', 'The token is not one of ours.');
}

type Claim = keyof ReturnType<typeof claimsOf>;

/** The purpose of each claim; the first that differs is reported. */
const comparisons: readonly (readonly [TokenProblem, readonly Claim[], string])[] = [
  ['UserMismatch', ['sub', 'ten'], 'The approval was given to another user.'],
  [
    'CodeMismatch',
    ['lang', 'qh', 'rh', 'vh'],
    'The query or its variables are not the ones that were approved.',
  ],
  [
    'ContextChanged',
    ['cid', 'target', 'aud', 'sch', 'pol', 'act', 'risk'],
    'The session, the source, its schema or the policies are not the ones of the approval. Validate the query again.',
  ],
];

function claimsOf(bound: Bound) {
  return {
    lang: bound.language,
    qh: digest(bound.canonical),
    rh: digest(bound.text),
    vh: digest(canonicalJson(bound.variables)),
    sub: bound.user,
    ten: bound.tenant,
    cid: bound.client,
    target: bound.target,
    aud: bound.server,
    sch: bound.schema,
    pol: bound.policy,
    act: bound.action,
    risk: bound.risk,
  };
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
