// The LLM proxy: agents point their base URL at it. It knows who calls, judges what goes to a model and what comes
// back, and speaks to each client in its provider's own words. It decides nothing.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config, Provider } from '../../config/index.ts';
import {
  type Context,
  decodeUtf8,
  InputError,
  isJsonObject,
  type JsonObject,
  messageOf,
  NotAllowed,
  parseJson,
  SallyportError,
  spanned,
  type World,
} from '../../core/index.ts';
import { type Decider, turnFor } from '../../decide/index.ts';
import type { Ledger, Principal } from '../../ledger/index.ts';
import { FetchAborted, Upstream } from '../../run/index.ts';
import { Vaults } from '../../run/placeholders.ts';
import { contextFrom } from '../context.ts';
import { type Exchange, mayShow, runExchange, sendError, sendJson } from './exchange.ts';
import { hostOf } from './hosts.ts';
import { judgeRequest, KnownTexts } from './request.ts';
import { chat } from './wires/chat.ts';
import { gemini } from './wires/gemini.ts';
import { messages } from './wires/messages.ts';
import { responses } from './wires/responses.ts';
import type { Wire } from './wires/wire.ts';

export interface ProxyOptions {
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly config: Pick<Config, 'providers' | 'settingsFor'>;
  readonly world: World;
  readonly owner: { readonly user: string; readonly tenant: string };
  /** Who holds a credential; throws where nobody does. */
  readonly identify: (credential: string) => Promise<Principal>;
}

/** A call as Node's server hands it over. */
export interface ProxyCall {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** One thing that a provider offers, and how it is asked for. */
interface Offer {
  readonly method: 'GET' | 'POST';
  readonly wire: Wire;
  /** Whether a model answers, or the provider itself. */
  readonly model: boolean;
  /** Whether the answer always flows; otherwise the request says so in `stream`. */
  readonly streams?: true;
}

/** What stands behind the version in the client's request, by the provider's form; `*` stands for the name of a model. */
const offers: Readonly<Record<Provider['form'], Readonly<Record<string, Offer>>>> = {
  openai: {
    '/chat/completions': { method: 'POST', wire: chat, model: true },
    '/responses': { method: 'POST', wire: responses, model: true },
    '/models': { method: 'GET', wire: chat, model: false },
  },
  anthropic: {
    '/messages': { method: 'POST', wire: messages, model: true },
    '/messages/count_tokens': { method: 'POST', wire: messages, model: false },
    '/models': { method: 'GET', wire: messages, model: false },
  },
  gemini: {
    '/models/*:generateContent': { method: 'POST', wire: gemini, model: true },
    '/models/*:streamGenerateContent': { method: 'POST', wire: gemini, model: true, streams: true },
    '/models/*:countTokens': { method: 'POST', wire: gemini, model: false },
    '/models': { method: 'GET', wire: gemini, model: false },
  },
};

/** The wire whose form an error has where nothing is offered. */
const usualWire: Readonly<Record<Provider['form'], Wire>> = { openai: chat, anthropic: messages, gemini };

/** What a client may say to a provider beside its request; any other header stays here. */
const passedOn =
  /^(?:accept|user-agent|openai-(?:organization|project|beta)|anthropic-(?:version|beta)|idempotency-key|x-client-request-id|x-stainless-[a-z-]+|http-referer|x-title|x-app|x-goog-api-client)$/;

/** What is wrong with a call, as its client reads it. */
class CallRefused extends SallyportError {
  readonly status: number;
  readonly code: string;

  constructor(
    status: number,
    code: string,
    message: string,
    options: { hint?: string; cause?: unknown } = {},
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

export class LlmProxy {
  readonly #options: ProxyOptions;
  readonly #upstreams = new Map<string, Upstream>();
  readonly #known = new KnownTexts();
  readonly #vaults = new Vaults();
  readonly #active = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** Answers one call, in the words of the provider that it is for. */
  async serve(call: ProxyCall): Promise<void> {
    const served = this.#serve(call);
    this.#active.add(served);
    try {
      await served;
    } finally {
      this.#active.delete(served);
    }
  }

  /** Ends what is under way, each with its record, and lets go of every connection. */
  async close(): Promise<void> {
    this.#stopping.abort(new FetchAborted('the daemon stops'));
    await Promise.allSettled(this.#active);
    await Promise.all([...this.#upstreams.values()].map((upstream) => upstream.close()));
  }

  async #serve({ incoming, outgoing }: ProxyCall): Promise<void> {
    const route = routeOf(incoming.url ?? '');
    const provider = this.#options.config.providers.find(({ name }) => name === route?.provider);
    const form = provider?.form ?? (route?.path.startsWith('/messages') ? 'anthropic' : 'openai');
    const known = route === null ? undefined : offerOf(form, route);
    const wire = known?.wire ?? usualWire[form];
    try {
      if (route === null || provider === undefined) {
        throw new CallRefused(404, 'not_found', 'no such provider is configured', {
          hint: 'see [llm.NAME] in the configuration',
        });
      }
      if (known === undefined || known.method !== incoming.method) {
        throw new CallRefused(404, 'not_found', `the proxy does not offer ${incoming.method} ${route.path}`);
      }
      if (known.streams === true && route.query.get('alt') !== 'sse') {
        throw new InputError('an answer flows as server-sent events only: add alt=sse to the address');
      }
      const principal = await this.#caller(incoming, route, provider);
      const context = await contextFrom((name) => text(incoming, name), principal, this.#options);
      const headers = requestHeaders(incoming, provider, route);
      const body = known.method === 'GET' ? null : await readBody(incoming, provider.maxRequestBytes);
      await this.#exchange({ incoming, outgoing }, { ...known, route }, provider, context, headers, body);
    } catch (error) {
      if (outgoing.headersSent) throw error;
      const { status, code, message } = refusal(error);
      sendError(outgoing, wire, status, message, code);
      // What the client still sends is not read any more.
      if (!incoming.complete) incoming.resume();
    }
  }

  async #exchange(
    { incoming, outgoing }: ProxyCall,
    { wire, model, method, route, ...offer }: Offer & { readonly route: Route },
    provider: Provider,
    context: Context,
    headers: Readonly<Record<string, string>>,
    asked: JsonObject | null,
  ): Promise<void> {
    const { decider, ledger, world } = this.#options;
    const upstream = this.#upstream(provider);
    const behind = pathBehind(provider.form, route);
    const gone = new AbortController();
    const leave = (): void => {
      if (!outgoing.writableFinished) gone.abort(new Error('the client is gone'));
    };
    outgoing.once('close', leave);
    incoming.once('error', leave);
    const signal = AbortSignal.any([gone.signal, this.#stopping.signal]);
    let body: JsonObject | null = asked;
    let withheld = 0;
    const vault = this.#vaults.of(context);
    if (asked !== null) {
      const said = { body: asked, parts: wire.parts(asked), calls: wire.calls(asked) };
      const judged = await judgeRequest(said, context, {
        ...this.#options,
        known: this.#known,
        vault,
      });
      if ('refused' in judged) {
        const { explanation } = judged.refused;
        throw new CallRefused(400, 'content_filter', `Sallyport: ${explanation} (at ${judged.pointer})`);
      }
      ({ body, withheld } = judged);
      if (withheld > 0) outgoing.setHeader('x-sallyport-withheld', String(withheld));
    }
    if (!model || body === null) {
      await this.#plain(
        { decider, context, wire, upstream, provider, method, path: behind, headers, body, signal },
        outgoing,
      );
      return;
    }
    const streams = offer.streams ?? body['stream'] === true;
    const named = route.model ?? body['model'];
    const host = hostOf(incoming.headers);
    const opening = {
      surface: 'llm',
      provider: provider.name,
      wire: wire.name,
      model: typeof named === 'string' ? named.slice(0, 200) : null,
      streamed: streams,
      ...(host === null ? {} : { host }),
      ...(withheld === 0 ? {} : { withheld }),
    };
    const exchange: Exchange = {
      decider,
      ledger,
      world,
      context,
      wire,
      upstream,
      maxBytes: provider.maxAnswerBytes,
      vault,
      path: behind,
      headers,
      body,
      signal,
      streams,
      readable: host !== null,
      out: outgoing,
      opening,
    };
    const about = { 'gen_ai.provider.name': provider.name, 'sallyport.wire': wire.name };
    await spanned(world.telemetry, 'sallyport.llm', about, async (span) => {
      await runExchange(exchange);
      span.set({
        'http.response.status_code': outgoing.statusCode,
        'sallyport.streamed': opening.streamed,
        // The client chose this word; one that is no plain name is not repeated.
        ...(/^[\w.:/@-]{1,100}$/.test(opening.model ?? '')
          ? { 'gen_ai.request.model': opening.model ?? '' }
          : {}),
      });
    });
  }

  /** What the provider itself answers: judged as one text, and shown as it is or not at all. */
  async #plain(
    call: Pick<Exchange, 'decider' | 'context' | 'wire' | 'upstream' | 'path' | 'headers' | 'signal'> & {
      readonly provider: Provider;
      readonly method: 'GET' | 'POST';
      readonly body: JsonObject | null;
    },
    out: ServerResponse,
  ): Promise<void> {
    const { upstream, path, headers, signal, method, body, provider, wire } = call;
    const answer = await upstream.send({
      method,
      path,
      headers: body === null ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === null ? null : JSON.stringify(body),
      signal,
    });
    const bytes = await upstream.whole(answer.body, provider.maxAnswerBytes, signal);
    const said = parseJson(decodeUtf8(bytes));
    if (isJsonObject(said) && (await mayShow(call, said)))
      sendJson(out, answer.status, said, answer.headers, null);
    else sendError(out, wire, 502, 'what the provider answered may not be shown', 'content_filter');
  }

  #upstream(provider: Provider): Upstream {
    let upstream = this.#upstreams.get(provider.name);
    if (upstream === undefined) {
      const { decider, world, owner } = this.#options;
      upstream = new Upstream({ provider, purpose: 'llm', decider, world, owner });
      this.#upstreams.set(provider.name, upstream);
    }
    return upstream;
  }

  /** Who calls: by a header of our own, by a part of the path, or by the key, where the provider's own is configured. */
  async #caller(incoming: IncomingMessage, route: Route, provider: Provider): Promise<Principal> {
    const own = text(incoming, 'x-sallyport-key') ?? route.credential;
    const credential = own ?? (provider.key === null ? undefined : keyOf(incoming, route));
    if (credential === undefined) {
      throw new CallRefused(401, 'invalid_api_key', 'no Sallyport credential came with the request', {
        hint: 'send it in the header x-sallyport-key',
      });
    }
    const principal = await this.#options.identify(credential);
    if (principal.scope !== 'decide') throw new NotAllowed('agents hold a credential of scope decide');
    return principal;
  }
}

interface Route {
  readonly provider: string;
  readonly credential: string | undefined;
  /** The version of the API that the client named. */
  readonly version: string | undefined;
  /** Behind the version. */
  readonly path: string;
  /** The model, where the path names it. */
  readonly model: string | undefined;
  readonly query: URLSearchParams;
}

const named =
  /^\/llm\/([a-z][a-z0-9_-]{0,31})(?:\/as\/([\w-]{1,200}))?(?:\/(v1(?:beta|alpha)?))?(\/[a-z_/]+(?:\/([\w.-]{1,128}):[A-Za-z]+)?)$/;
const plain = /^\/(v1)(\/[a-z_/]+)$/;

/** Where a call leads; null where it leads nowhere. */
function routeOf(url: string): Route | null {
  const [target = '', search = ''] = url.split('?', 2);
  const query = new URLSearchParams(search);
  const [, provider, credential, version, path, model] = named.exec(target) ?? [];
  if (provider !== undefined && path !== undefined)
    return { provider, credential, version, path, model, query };
  const [, usualVersion, behind] = plain.exec(target) ?? [];
  if (behind === undefined) return null;
  const usual = behind.startsWith('/messages') ? 'anthropic' : 'openai';
  return {
    provider: usual,
    credential: undefined,
    version: usualVersion,
    path: behind,
    model: undefined,
    query,
  };
}

function offerOf(form: Provider['form'], { path, model, version }: Route): Offer | undefined {
  const isOffered = form === 'gemini' || version === undefined || version === 'v1';
  const key = model === undefined ? path : path.replace(`/${model}:`, '/*:');
  return isOffered && Object.hasOwn(offers[form], key) ? offers[form][key] : undefined;
}

/** INVARIANT: no parameter carries a key or a credential to the provider; `requestHeaders` sends the key. */
function pathBehind(form: Provider['form'], { path, version, query }: Route): string {
  const passed = [...query].filter(([name, value]) => name !== 'key' && !ownCredential.test(value));
  const search = passed.length === 0 ? '' : `?${new URLSearchParams(passed)}`;
  const before = { openai: '', anthropic: '/v1', gemini: `/${version ?? 'v1beta'}` }[form];
  return `${before}${path}${search}`;
}

const ownCredential = /^s[ps]_/;

/** A header's text of at most 256 characters; one that came twice is none. */
function text(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : undefined;
}

/** The key that the client sent, as any provider's clients send it. */
function keyOf(incoming: IncomingMessage, { query }: Pick<Route, 'query'>): string | undefined {
  const { authorization, 'x-api-key': key, 'x-goog-api-key': google } = incoming.headers;
  const bearer = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? '')?.[1];
  const sent = bearer ?? key ?? google ?? query.get('key');
  return typeof sent === 'string' && /^[\x21-\x7e]{1,4096}$/.test(sent) ? sent : undefined;
}

/** The header in which a provider takes its key; null for `authorization`. */
const keyHeaders: Readonly<Record<Provider['form'], string | null>> = {
  openai: null,
  anthropic: 'x-api-key',
  gemini: 'x-goog-api-key',
};

/** INVARIANT: a credential of ours never goes to a provider, and a key of the provider's goes nowhere else. */
function requestHeaders(
  incoming: IncomingMessage,
  provider: Provider,
  route: Route,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string' && passedOn.test(name)) headers[name] = value;
  }
  const key = provider.key === null ? keyOf(incoming, route) : provider.key();
  if (key === undefined || ownCredential.test(key)) {
    throw new CallRefused(401, 'invalid_api_key', `no key for ${provider.name} came with the request`, {
      hint: `configure one with key_env or key_file in [llm.${provider.name}]`,
    });
  }
  const own = keyHeaders[provider.form];
  // A client that sends a token of its own, as after a login, goes on with that.
  const isBearer = provider.key === null && incoming.headers.authorization !== undefined;
  if (own === null || isBearer) headers['authorization'] = `Bearer ${key}`;
  else headers[own] = key;
  return headers;
}

async function readBody(incoming: IncomingMessage, limit: number): Promise<JsonObject> {
  const type = incoming.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new CallRefused(415, 'invalid_request', 'the body must have the content type application/json');
  }
  const coding = incoming.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') {
    throw new CallRefused(415, 'invalid_request', 'the body must not be compressed');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit)
      throw new CallRefused(413, 'request_too_large', `the body is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  const turn = turnFor(size);
  if (turn !== undefined) await turn;
  const value = parseJson(decodeUtf8(Buffer.concat(chunks)));
  if (!isJsonObject(value)) throw new InputError('the body is no JSON object');
  return value;
}

function refusal(error: unknown): {
  readonly status: number;
  readonly code: string;
  readonly message: string;
} {
  if (!(error instanceof SallyportError)) {
    return { status: 500, code: 'internal_error', message: 'an error of ours; the request was refused' };
  }
  const message = error.hint === undefined ? messageOf(error) : `${messageOf(error)}; ${error.hint}`;
  if (error instanceof CallRefused) return { status: error.status, code: error.code, message };
  if (error.name === 'NotAuthenticated') return { status: 401, code: 'invalid_api_key', message };
  if (error instanceof NotAllowed) return { status: 403, code: 'not_allowed', message };
  if (error instanceof InputError) return { status: 400, code: 'invalid_request', message };
  return { status: 502, code: 'upstream_failed', message };
}
