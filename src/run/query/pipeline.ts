// Queries that a model wrote: validated, approved by the source's approvers, and run once with the resulting token.
// Nothing is decided here: every validation and every run is a decision of the one request path.

import { createHash } from 'node:crypto';
import type { Settings, Where } from '../../config/index.ts';
import type { Source } from '../../config/sources.ts';
import {
  type ActionOf,
  type Context,
  canonicalJson,
  type Facts,
  type JsonObject,
  type Verdict,
  type World,
} from '../../core/index.ts';
import { type Decider, pathRules, type Terms } from '../../decide/index.ts';
import { languages } from '../../guards/query/languages.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type Bound, QueryTokens, TokenError, type Verified } from '../../ledger/query-token.ts';
import { answerOf, type QueryAnswer, textOf } from './answer.ts';
import { Deliveries } from './deliveries.ts';
import { QueryRefused } from './errors.ts';
import { type QueryResult, readPage, runQuery } from './execute.ts';
import { databaseOf } from './live.ts';
import { PageGone, PageStore } from './pages.ts';

export interface PipelineParts {
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly world: World;
  /** Where a user sees a question; null if there is no such place. */
  readonly approvalUrl?: (id: string) => string | null;
}

/** A query as a model hands it in. */
export interface Query {
  /** The source that it is sent to, by its name in the configuration. */
  readonly target: string;
  readonly text: string;
  readonly variables?: JsonObject;
}

export interface QueryPipeline {
  /** Judges a query. A dry run asks for no approval, records nothing and issues no token. */
  validate(query: Query, context: Context, options?: { readonly dryRun?: boolean }): Promise<QueryAnswer>;
  /** Runs a query with the token of its validation; throws `TokenError`, `QueryRefused` and what a source throws. */
  execute(query: Query, token: string, context: Context, signal?: AbortSignal): Promise<QueryResult>;
  /**
   * The next page of a result, by the handle that the page before has, with the query and the token of its run; nothing
   * runs again. Throws `PageGone`.
   */
  nextPage(query: Query, token: string, handle: string, context: Context): Promise<QueryResult>;
}

export function createQueryPipeline(parts: PipelineParts): QueryPipeline {
  const { ledger, world, approvalUrl = () => null } = parts;
  // Sources that can be asked about themselves are.
  const live = { database: databaseOf };
  const decider = parts.decider.under({ world: live });
  const settingsFor = (where: Where) => decider.settingsFor(where, 'query');
  const asking = parts.decider.under({ world: live, approvals: withoutUse });
  const dry = parts.decider.under({ world: live, dry: true });
  const again = parts.decider.under({ world: live, approvals: alreadyUsed });
  const deliveries = new Deliveries(() => world.now());

  const opened = world.now();
  const pages = new PageStore();
  const keysOf = new WeakMap<Source['mode'], QueryTokens>();

  /** The settings in force, the source where there is one, and the action that the query is. */
  async function placed({ target, text, variables = {} }: Query, context: Context) {
    const settings = await settingsFor(context);
    const source = settings.sources.find(({ name }) => name === target);
    // An unknown source has no language; the guard refuses it in any case.
    const language = source === undefined ? 'sql' : languages[source.kind];
    const action: ActionOf<'query'> = { kind: 'query', target, language, text, variables };
    return { settings, source, action };
  }

  /** INVARIANT: a call takes one stamp of a policy store, and all of it is judged and bound under that. */
  function stamped(judge: Decider, settings: Settings): Decider {
    return settings.policy.store === undefined ? judge : judge.under({ inForce: settings });
  }

  async function validate(query: Query, context: Context, { dryRun = false } = {}): Promise<QueryAnswer> {
    const started = performance.now();
    const { settings, source, action } = await placed(query, context);
    const { verdict, facts } = await stamped(dryRun ? dry : asking, settings).decide(action, context);
    const answer = answerOf(verdict, facts, query.text, performance.now() - started);
    if (!answer.valid || source === undefined || textOf(facts['canonical']) === undefined)
      return { ...answer, valid: false };
    // A token for what nothing here runs would only be used up.
    if (!runs(source)) return { ...answer, warnings: [...answer.warnings, notRun] };
    if (dryRun) return { ...answer, auto_approved: verdict.decision !== 'approve' };
    const bound = boundOf(action, facts, context, source, settings);
    if (bound === null) return { ...answer, valid: false };
    const token = (approver: string | null) =>
      tokensOf(source).sign(bound, {
        purpose: 'execute',
        approver,
        now: world.now(),
        ttlMs: source.mode.tokenTtlMs,
      });
    if (verdict.decision !== 'approve') {
      return { ...answer, auto_approved: true, approval_token: token(null) };
    }
    const isOwn = (person: string) => source.mode.fourEyes && person === context.user;
    return await answered(answer, verdict, isOwn, token);
  }

  /** INVARIANT: a token is issued only after approval, and after a second one if two approvers are required. */
  async function answered(
    answer: QueryAnswer,
    { approval }: Verdict,
    isOwn: (person: string) => boolean,
    token: (approver: string) => string,
  ): Promise<QueryAnswer> {
    // There is no approver: then there is no approval.
    if (approval === null) return refusedAnswer(answer, pathRules.approvalsUnavailable);
    const { id, expiresAt, how } = approval;
    const { state, answeredBy } = await ledger.approvals.show(id, {}, world.now());
    if (state === 'denied') return refusedAnswer(answer, pathRules.approvalDenied);
    if (state === 'approved' && answeredBy !== null) {
      if (isOwn(answeredBy)) return refusedAnswer(answer, ownApproval);
      return { ...answer, approval_token: token(answeredBy) };
    }
    return { ...answer, approval: { id, url: approvalUrl(id), how, expires_at: expiresAt } };
  }

  async function execute(
    query: Query,
    token: string,
    context: Context,
    signal?: AbortSignal,
  ): Promise<QueryResult> {
    const { settings, source, action } = await placed(query, context);
    // A query that runs is judged by the current tables.
    if (source !== undefined) databaseOf(source)?.forget();
    const judged = await stamped(dry, settings).decide(action, context);
    const bound = source === undefined ? null : boundOf(action, judged.facts, context, source, settings);
    if (source === undefined || bound === null) return await refuse(action, context);
    const check = (live: Bound): Promise<Verified> =>
      recordTokenErrors(context, source, () =>
        tokensOf(source).verify(token, live, world.now(), source.mode.tokenTtlMs),
      );
    const { id, expiresAt, approver } = await check(bound);
    if (judged.verdict.decision === 'block') return await refuse(action, context);
    await recordTokenErrors(context, source, () => {
      if (judged.verdict.decision !== 'approve') return;
      if (approver === null)
        throw new TokenError('TokenInvalid', 'It needs approval, and the token has none.');
      if (source.mode.fourEyes && approver === context.user)
        throw new TokenError('UserMismatch', 'Who asks for a query does not approve it here.');
    });
    // INVARIANT: the token is used before anything runs, and regardless of the result.
    const first = await ledger.tokens.consume(id, expiresAt, world.now());
    const left = first ? undefined : deliveries.take(id, signal);
    await recordTokenErrors(context, source, () => {
      if (!first && left === undefined)
        throw new TokenError('AlreadyUsed', 'The approval was used before. Validate the query again.');
    });
    if (left !== undefined && left !== 'start again') return await left.outcome;
    const { verdict, facts, cleared } = await stamped(first ? decider : again, settings).decide(
      action,
      context,
    );
    if (cleared === null) throw new QueryRefused(verdict);
    // The schema may have changed since the token was checked; the token is for the cleared query.
    await check(boundOf(cleared.action, facts, context, source, settings) ?? { ...bound, canonical: '' });
    const reads = facts['action'] === 'read';
    return await deliveries.run(id, { expiresAt, reads }, signal, (stop) =>
      runQuery(cleared, {
        ...parts,
        source,
        settings,
        pages: { store: pages, token },
        ...(stop === undefined ? {} : { signal: stop }),
      }),
    );
  }

  async function nextPage(
    query: Query,
    token: string,
    handle: string,
    context: Context,
  ): Promise<QueryResult> {
    const { settings, source, action } = await placed(query, context);
    if (source === undefined) throw new PageGone('there is no such source any more');
    return await readPage(handle, action, context, {
      ...parts,
      source,
      settings,
      pages: { store: pages, token },
    });
  }

  /** Puts on record what cannot run. */
  async function refuse(action: ActionOf<'query'>, context: Context): Promise<never> {
    throw new QueryRefused((await asking.decide(action, context)).verdict);
  }

  /** Puts on record which token did not fit. */
  async function recordTokenErrors<T>(context: Context, source: Source, work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      if (error instanceof TokenError) {
        const { user, tenant, agent } = context;
        const details = { problem: error.problem, target: source.name };
        const entry = {
          time: world.now(),
          event_type: 'token_refused',
          user,
          tenant,
          agent,
          details,
        } as const;
        await ledger.record(entry, true);
      }
      throw error;
    }
  }

  /** The keys of a source: its secret, and its predecessors for the lifetime of a token. */
  function tokensOf({ mode }: Source): QueryTokens {
    const known = keysOf.get(mode);
    if (known !== undefined) return known;
    const { tokenSecret, previousSecrets, tokenTtlMs } = mode;
    const secret = tokenSecret === null ? ledger.secretFor('query tokens') : Buffer.from(tokenSecret);
    const replaced = previousSecrets.filter((text) => text !== tokenSecret).map((text) => Buffer.from(text));
    const made = new QueryTokens([
      { id: keyId(secret), secret, until: null },
      ...replaced.map((old) => ({ id: keyId(old), secret: old, until: opened + tokenTtlMs })),
    ]);
    keysOf.set(mode, made);
    return made;
  }

  /** The data that a token is bound to; null if the query could not be read. */
  function boundOf(
    { text, variables = {}, language }: ActionOf<'query'>,
    facts: Facts,
    { user, tenant, agent, session }: Context,
    { name, schema }: Source,
    { version }: Settings,
  ): Bound | null {
    const [canonical, server, action, risk] = [
      facts['canonical'],
      facts['server'],
      facts['action'],
      facts['risk'],
    ].map(textOf);
    if (canonical === undefined || server === undefined || action === undefined || risk === undefined)
      return null;
    const described = schema === null ? null : (world.schemaText ?? world.readText)(schema);
    // Its approval covered the meaning of the names at that time.
    const meaning = canonicalJson([facts['relations'] ?? null, facts['fields'] ?? null]);
    return {
      language,
      canonical,
      text,
      variables,
      user,
      tenant,
      client: canonicalJson([agent, session]),
      target: name,
      server,
      schema: digestOf(`${described === null ? '' : digestOfText(described)} ${meaning}`),
      // With a plain hash, a holder of the token could guess what the settings hold.
      policy: ledger.fingerprint('query policy', () => version),
      action,
      risk,
    };
  }

  return { validate, execute, nextPage };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const mostDigests = 16;
const digests = new Map<string, string>();

/** The digest of a schema, made once for each text: a large one takes longer than the rest of the check. */
function digestOfText(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = digestOf(text);
  const [oldest] = digests.keys();
  if (digests.size >= mostDigests && oldest !== undefined) digests.delete(oldest);
  digests.set(text, digest);
  return digest;
}

const notRun = 'This source is judged, not run: there is no token.';

function runs({ kind, url }: Source): boolean {
  if (kind === 'mysql') return false;
  return url !== null || kind === 'rest';
}

const ownApproval = { id: 'four_eyes', reason: 'who asks for a query does not approve it here' };

/** Another secret has another name, so that its tokens are distinguished before they are looked at. */
function keyId(secret: Uint8Array): string {
  return createHash('sha256').update('sallyport.key.id.v1\0').update(secret).digest('hex').slice(0, 8);
}

/** The result of a query without the required approval. */
function refusedAnswer(
  answer: QueryAnswer,
  { id, reason }: { readonly id: string; readonly reason: string },
): QueryAnswer {
  const violation = { policy: 'baseline', rule: id, message: reason, suggestion: null } as const;
  return { ...answer, valid: false, violations: [...answer.violations, violation] };
}

/**
 * Approvals for a read that was stopped because its client disconnected. The approval was used when it began, and its
 * token, which names the approver, has been verified again.
 */
const alreadyUsed: NonNullable<Terms['approvals']> = {
  answered: async () => 'approve',
  consume: async () => true,
};

/** Approvals for validations: questions are asked and found again, and an approval is preserved for its run. */
const withoutUse: NonNullable<Terms['approvals']> = {
  answered: async () => undefined,
  consume: async () => false,
};
