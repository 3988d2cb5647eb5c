// The guarded fetch: sends a cleared request to the checked addresses and to no others. Every redirect is judged on the
// one request path again, and time, size and number of hops are limited.

import type { Settings } from '../config/settings.ts';
import { hostText, targetOf } from '../core/destination.ts';
import type { ActionOf, Verdict } from '../core/index.ts';
import { type Cleared, takeClearance } from '../decide/cleared.ts';
import type { Decider } from '../decide/types.ts';
import { FetchAborted, FetchRefused, FetchTimedOut, TooManyRedirects } from './errors.ts';
import { exchange, type Header, unlessStopped } from './exchange.ts';

/** The context for a guarded fetch beside the cleared action. */
export interface FetchOptions {
  readonly decider: Pick<Decider, 'decide'>;
  readonly settings: Settings['fetch'];
  readonly signal?: AbortSignal;
}

/** The response at the end of the redirects. */
export interface FetchResult {
  readonly url: string;
  readonly status: number;
  /** Names in lower case, in the order of arrival; a name may occur more than once. */
  readonly headers: readonly Header[];
  /** Decompressed. */
  readonly body: Uint8Array;
  /** The redirect targets, in order; the last one is `url`. */
  readonly redirects: readonly string[];
}

/**
 * Sends a cleared request and returns its response. INVARIANT: uses one clearance for each connection; connects only to
 * the addresses that a clearance holds.
 */
export async function guardedFetch(cleared: Cleared<'fetch'>, options: FetchOptions): Promise<FetchResult> {
  takeClearance(cleared);
  const { settings, signal } = options;
  const stop = new AbortController();
  const abort = (): void => stop.abort(new FetchAborted('the fetch was aborted'));
  const timer = setTimeout(() => {
    stop.abort(new FetchTimedOut(`the fetch took longer than ${settings.timeoutMs} ms`));
  }, settings.timeoutMs);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort);
  try {
    return await follow(cleared, options, stop.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function follow(
  first: Cleared<'fetch'>,
  { decider, settings }: FetchOptions,
  stop: AbortSignal,
): Promise<FetchResult> {
  const redirects: string[] = [];
  for (let current = first; ; ) {
    const { status, headers, body } = await exchange(
      current,
      { timeoutMs: settings.timeoutMs, maxBytes: settings.maxResponseBytes, skipBody: isRedirect },
      stop,
    );
    if (!isRedirect(status, headers)) {
      return { url: current.action.url, status, headers, body, redirects };
    }
    if (redirects.length >= settings.maxRedirects) {
      throw new TooManyRedirects(`the response redirects more than ${settings.maxRedirects} times`);
    }
    const next = redirected(current.action, status, headers);
    const decided = await unlessStopped(decider.decide(next, first.context), stop);
    if (decided.cleared === null) throw refusedBy(next.url, decided.verdict);
    takeClearance(decided.cleared);
    current = decided.cleared;
    redirects.push(current.action.url);
  }
}

function isRedirect(status: number, headers: readonly Header[]): boolean {
  return redirectStatuses.has(status) && headers.some(([name]) => name === 'location');
}

function refusedBy(url: string, verdict: Verdict): FetchRefused {
  const hint = verdict.approval?.how;
  return new FetchRefused(`the redirect to ${hostOf(url)} was not allowed: ${verdict.explanation}`, {
    verdict,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The host of a URL for a message; an invalid URL is not shown. */
function hostOf(url: string): string {
  const target = targetOf(new URL(url));
  return target === undefined ? 'another place' : hostText(target.host);
}

/** The headers that are preserved on a redirect to another origin; any other header could be a credential. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-language', 'cache-control', 'content-language', 'content-type', 'if-modified-since'],
  ...['if-none-match', 'pragma', 'range', 'user-agent'],
]);

/** The request for a redirect, by the method rules of the fetch standard. */
function redirected(
  action: ActionOf<'fetch'>,
  status: number,
  headers: readonly Header[],
): ActionOf<'fetch'> {
  const [location, ...more] = headers.filter(([name]) => name === 'location').map(([, value]) => value);
  if (location === undefined || more.length > 0) {
    throw new FetchRefused('the response redirects to several places at once');
  }
  const from = new URL(action.url);
  const to = URL.parse(location, from.href);
  if (to === null) throw new FetchRefused('the response redirects to something that is no URL');
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new FetchRefused(`the redirect to ${hostOf(to.href)} would leave https for http`);
  }
  const method = action.method ?? 'GET';
  const becomesGet =
    status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST';
  const kept = Object.entries(action.headers ?? {}).filter(([name]) => {
    const lower = name.toLowerCase();
    if (becomesGet && lower.startsWith('content-')) return false;
    return from.origin === to.origin || harmlessHeaders.has(lower);
  });
  const { justification } = action;
  return {
    kind: 'fetch',
    url: to.href,
    method: becomesGet ? 'GET' : method,
    ...(kept.length === 0 ? {} : { headers: Object.fromEntries(kept) }),
    ...(becomesGet || action.body === undefined ? {} : { body: action.body }),
    ...(justification === undefined ? {} : { justification }),
  };
}
