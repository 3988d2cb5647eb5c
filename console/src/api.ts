// Talks to the daemon. The session's token lives in sessionStorage and goes into a header: a cookie would go to every
// other server on this machine, since cookies ignore ports.

import type { Routes, Types } from './routes.ts';

export type Approval = Types['Approval'];
export type Entry = Types['Entry'];
export type Receipt = Types['Receipt'];
export type Change = Types['Change'];
export type ApproverKey = Types['ApproverKey'];
export type Policy = Types['Policy'];

export type RouteName = keyof Routes;
export type AnswerOf<R extends RouteName> = Routes[R]['answer'];

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

/** What a route takes: steps of its path and a body where it has them, and as much of its query as one wants. */
type Taken<R extends RouteName> = {
  readonly [K in Exclude<keyof Routes[R], 'answer' | 'query'>]: Routes[R][K];
} & { readonly [K in Extract<keyof Routes[R], 'query'>]?: Routes[R][K] };

/** How a call is made beside that. */
interface Way {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Of another session than the page's; null for none. */
  readonly token?: string | null;
}

export type AskOptions<R extends RouteName> = Way & Taken<R>;
/** The routes that can be called with nothing. */
export type PlainRoute = {
  [R in RouteName]: Record<never, never> extends Taken<R> ? R : never;
}[RouteName];

export interface Sent extends Way {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** Where a call of a route goes. */
export function addressOf(route: RouteName, { path = {}, query = {} }: Sent = {}): string {
  const [, pattern = ''] = route.split(' ');
  const filled = pattern.replace(/:(\w+)/g, (_, step: string) => encodeURIComponent(path[step] ?? ''));
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`]],
  );
  return members.length === 0 ? filled : `${filled}?${new URLSearchParams(members)}`;
}

/** Calls a route; throws `Refused` for what the daemon refuses. */
export async function ask<R extends PlainRoute>(route: R): Promise<AnswerOf<R>>;
export async function ask<R extends RouteName>(route: R, options: AskOptions<R>): Promise<AnswerOf<R>>;
export async function ask(route: RouteName, options: Sent = {}): Promise<unknown> {
  return await send(route, options);
}

/** Calls a route with whatever it is given; throws `Refused`. */
export async function send<R extends RouteName>(route: R, sent: Sent): Promise<AnswerOf<R>> {
  const { body, headers, signal } = sent;
  const own = session.token();
  const token = sent.token === undefined ? own : sent.token;
  const answer = await fetch(addressOf(route, sent), {
    method: route.slice(0, route.indexOf(' ')),
    cache: 'no-store',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.ok) return await answer.json();
  // A refusal without words is one all the same; an answer that ended half way is none.
  const said: unknown = await answer.json().catch(() => ({}));
  if (answer.status === 401 && token !== null && token === own) endSession();
  throw new Refused(answer.status, typeof said === 'object' && said !== null ? { ...said } : {});
}

/** Opens the session of a link; its secret is in the fragment and is removed from the address at once. */
export async function claimLink(): Promise<void> {
  const secret = location.hash.slice(1);
  if (secret === '' || secret.startsWith('/')) return;
  history.replaceState(null, '', '#/overview');
  const { token } = await ask('POST /v1/session/claim', { token: null, body: { secret } });
  session.keep(token, null);
}
