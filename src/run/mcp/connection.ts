// One MCP server: connected when it is first needed, and reconnected after it has exited, with exponential backoff. Its
// questions to the user are passed to the call during which it asks, and all other requests are refused; its errors
// become named errors, and affect no other server.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuthProvider, Client, RequestOptions, SdkError, Transport } from '@modelcontextprotocol/client';
import type { Environment, ServerPlace, UpstreamServer } from '../../config/index.ts';
import { type MaybePromise, SallyportError, visible, type World } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { FetchFailed } from '../errors.ts';
import { unlessStopped } from '../exchange.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { NotLoggedIn, UpstreamAborted, UpstreamFailed, UpstreamGone, UpstreamTimedOut } from './errors.ts';
import type { ServerFetch } from './http.ts';
import { listLifeMs, lostCode } from './limits.ts';
import type { PlainCalls } from './plain.ts';
import type { Progress } from './progress.ts';
import type { Answered, Asked } from './questions.ts';

export interface ConnectionOptions extends Pick<UpstreamOptions, 'decider' | 'owner'> {
  readonly ledger: Pick<Ledger, 'logins'>;
  readonly world: World;
  /** Our environment, of which a server gets next to nothing. */
  readonly environment: Environment;
  readonly version: string;
  /** Called when a server reports a changed list. */
  readonly changed?: (server: string, list: ChangedList) => void;
}

/** A list of a server that may change. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

interface Opened {
  readonly client: Client;
  /** Makes calls without the SDK, if the transport supports it. */
  readonly plain: PlainCalls | undefined;
  /** The reason of its end, once it has ended. */
  readonly fault: () => Error;
  close(): Promise<void>;
}

/** A call in progress, and the handler that asks the user the server's questions. */
export interface Exchange {
  readonly signal: AbortSignal;
  readonly ask?: ((asked: Asked) => Promise<Answered>) | undefined;
  readonly onProgress?: Progress | undefined;
}

/** A request to the server. */
type Work<T> = (client: Client, options: RequestOptions, plain: PlainCalls | undefined) => Promise<T>;

/** The transport to the server, and its state. */
interface Reach {
  readonly transport: Transport;
  readonly plain?: PlainCalls;
  fault(): Error;
  gone(): boolean;
  close(): Promise<void>;
}

/** A connection that is being opened, or is open. */
interface Opening {
  readonly opened: Promise<Opened>;
  /** The established connection: later callers do not wait. */
  ready?: Opened;
}

/** A list as it was last read. */
interface Listed {
  readonly at: number;
  value: unknown;
  loading: boolean;
}

type Sdk = typeof import('@modelcontextprotocol/client');

/** INVARIANT: only a question to the user is answered: no other capability is declared, no other handler is set. */
const capabilities = { elicitation: { form: {}, url: {} } };

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** How long a program may be silent before the older protocol is tried. */
const probeMs = 3000;
/** How long the user may take to answer a server's question. */
export const longestAnswerMs = 10 * 60 * 1000;

export class Connection {
  readonly server: UpstreamServer;
  readonly #options: ConnectionOptions;
  readonly #lists = new Map<string, Listed>();
  /** The current call; messages from a program have none. */
  readonly #current = new AsyncLocalStorage<Exchange>();
  readonly #exchanges = new Set<Exchange>();
  #opening: Opening | undefined;
  #failures = 0;
  #pauseEnds = 0;
  #closed = false;

  constructor(server: UpstreamServer, options: ConnectionOptions) {
    this.server = server;
    this.#options = options;
  }

  /** Sends a request to the server; every failure is thrown as a named error of ours. */
  async use<T>(work: Work<T>, exchange?: Exchange): Promise<T> {
    if (exchange === undefined) return await this.#used(work);
    // The user takes longer to answer than a server, and that time is not part of the server's timeout.
    const clock = new CallClock(this.server.callTimeoutMs, exchange.signal);
    const { ask } = exchange;
    const asking = ask === undefined ? {} : { ask: (asked: Asked) => clock.outside(() => ask(asked)) };
    const own: Exchange = { ...exchange, signal: clock.signal, ...asking };
    this.#exchanges.add(own);
    try {
      return await this.#current.run(own, () => this.#used(work, own));
    } catch (error) {
      throw clock.over
        ? new UpstreamTimedOut(`the MCP server "${this.server.name}" did not answer in time`)
        : error;
    } finally {
      this.#exchanges.delete(own);
      clock.stop();
    }
  }

  async #used<T>(work: Work<T>, exchange?: Exchange): Promise<T> {
    const { signal, onProgress } = exchange ?? {};
    let opened: Opened | undefined;
    try {
      opened =
        (this.#closed ? undefined : this.#opening?.ready) ??
        (await (signal === undefined ? this.#open() : unlessStopped(this.#open(), signal)));
      const timeout = this.server.callTimeoutMs + (exchange?.ask === undefined ? 0 : longestAnswerMs);
      const options: RequestOptions = {
        timeout,
        maxTotalTimeout: timeout,
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined
          ? {}
          : { onprogress: ({ progress, total, message }) => onProgress(progress, total, message) }),
      };
      const result = await work(opened.client, options, opened.plain);
      this.#failures = 0;
      return result;
    } catch (error) {
      if (signal?.aborted)
        throw new UpstreamAborted(`the call to "${this.server.name}" was given up`, { cause: error });
      const named = this.#named(error, opened);
      // The exit of a program may be noticed with a delay; no later caller gets this connection.
      if (named instanceof UpstreamGone && this.server.place.kind === 'stdio') void opened?.close();
      throw named;
    }
  }

  /** A list of the server, cached until it reports a change, or for a short time; `fresh` reads it again. */
  listed<T>(name: string, load: () => Promise<T>, fresh = false): MaybePromise<T> {
    const now = performance.now();
    const known = this.#lists.get(name);
    if (known !== undefined && (known.loading || (!fresh && now - known.at < listLifeMs))) {
      // INVARIANT: a name is used with one type only.
      return known.value as MaybePromise<T>;
    }
    const loading = load();
    const entry: Listed = { at: now, value: loading, loading: true };
    this.#lists.set(name, entry);
    loading.then(
      (value) => {
        entry.value = value;
        entry.loading = false;
      },
      () => {
        entry.loading = false;
        if (this.#lists.get(name) === entry) this.#lists.delete(name);
      },
    );
    return loading;
  }

  /** Whether there is a connection, as far as is known. */
  get isOpen(): boolean {
    return this.#opening?.ready !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opening?.opened.catch(() => undefined);
    await opened?.close();
  }

  #open(): Promise<Opened> {
    const { name } = this.server;
    if (this.#closed)
      return Promise.reject(new UpstreamGone(`the MCP server "${name}" is not served any more`));
    if (this.#opening === undefined) {
      const left = this.#pauseEnds - performance.now();
      if (left > 0) {
        const seconds = Math.ceil(left / 1000);
        const message = `the MCP server "${name}" failed ${this.#failures} times and is tried again in ${seconds} s`;
        return Promise.reject(new UpstreamGone(message));
      }
      // It outlives the call that opens it, so that its messages do not belong to that call.
      const opened = this.#current.exit(() => this.#connect(() => this.#lost(opening)));
      const opening: Opening = { opened };
      this.#opening = opening;
      opened.then(
        (ready) => {
          opening.ready = ready;
        },
        (error: unknown) => this.#lost(opening, error),
      );
    }
    return this.#opening.opened;
  }

  /** The connection has ended: the next caller opens another, the first time at once. */
  #lost(opening: Opening, error?: unknown): void {
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    this.#lists.clear();
    // It waits for a login and not for the server, and is ready as soon as the user has logged in.
    if (error instanceof NotLoggedIn) return;
    this.#failures++;
    const pause =
      this.#failures === 1 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failures - 2));
    this.#pauseEnds = performance.now() + pause;
  }

  async #connect(lost: () => void): Promise<Opened> {
    const sdk = await loadSdk();
    const deadline = AbortSignal.timeout(this.server.startTimeoutMs);
    try {
      return await this.#attempt(sdk, deadline, 'auto', lost);
    } catch (error) {
      // Some older programs exit when they receive a version request; the older protocol is tried with those at once.
      const again = this.server.place.kind === 'stdio' && error instanceof UpstreamGone && !deadline.aborted;
      if (!again) throw error;
      return await this.#attempt(sdk, deadline, 'legacy', lost);
    }
  }

  async #attempt(
    sdk: Sdk,
    deadline: AbortSignal,
    mode: 'auto' | 'legacy',
    lost: () => void,
  ): Promise<Opened> {
    const { name, startTimeoutMs: timeout } = this.server;
    const client = this.#client(sdk, mode);
    const reach = await this.#reach(sdk);
    let connected = false;
    const opened: Opened = {
      client,
      plain: reach.plain,
      fault: reach.fault,
      // INVARIANT: later callers get another connection.
      close: async () => {
        if (connected) lost();
        await client.close();
        await reach.close();
      },
    };
    client.onclose = () => void opened.close();
    try {
      await unlessStopped(client.connect(reach.transport, { timeout }), deadline);
      connected = true;
      if (reach.gone()) throw reach.fault();
      return opened;
    } catch (error) {
      await opened.close();
      if (deadline.aborted) throw new UpstreamTimedOut(`the MCP server "${name}" did not start in time`);
      throw this.#named(reach.gone() ? reach.fault() : error, undefined);
    }
  }

  #client(sdk: Sdk, mode: 'auto' | 'legacy'): Client {
    const changed = (list: ChangedList) => ({
      autoRefresh: false,
      debounceMs: 0,
      onChanged: () => {
        this.#lists.clear();
        this.#options.changed?.(this.server.name, list);
      },
    });
    // Over HTTP nothing ends a server that is slow to start, and a silent one is not tried with another protocol.
    const { place, startTimeoutMs } = this.server;
    const probe = place.kind === 'http' ? startTimeoutMs : Math.min(probeMs, startTimeoutMs / 2);
    const client = new sdk.Client(this.#identity(), {
      capabilities,
      versionNegotiation: { mode, probe: { timeoutMs: probe } },
      listChanged: { tools: changed('tools'), prompts: changed('prompts'), resources: changed('resources') },
    });
    client.onerror = () => {};
    client.setRequestHandler('elicitation/create', ({ params }) => this.#asked(params));
    return client;
  }

  /** The requester. */
  #identity() {
    return { name: 'sallyport', version: this.#options.version };
  }

  /** Passes a question to the call that it belongs to. INVARIANT: if that is unknown, the user is not asked. */
  async #asked(asked: Asked): Promise<Answered> {
    const current = this.#current.getStore();
    const [first, ...others] = this.#exchanges;
    const exchange = current ?? (others.length === 0 ? first : undefined);
    const ask = exchange !== undefined && this.#exchanges.has(exchange) ? exchange.ask : undefined;
    return ask === undefined ? { action: 'decline' } : await ask(asked);
  }

  async #reach(sdk: Sdk): Promise<Reach> {
    const { place } = this.server;
    if (place.kind === 'stdio') {
      const { StdioTransport } = await import('./stdio.ts');
      const { environment } = this.#options;
      const transport = new StdioTransport({ place, environment, parse: sdk.deserializeMessage });
      return {
        transport,
        fault: () => transport.fault,
        gone: () => transport.gone,
        close: () => transport.close(),
      };
    }
    const { loginFetch, serverFetch } = await import('./http.ts');
    const { PlainCalls } = await import('./plain.ts');
    const url = new URL(place.url);
    const own = serverFetch(this.server, url, this.#options);
    const login = loginFetch(this.server, url, this.#options);
    const { headers } = place;
    const tokens = await this.#tokens(place, login);
    const clientInfo = this.#identity();
    const plain = new PlainCalls({ sdk, url, own, headers, tokens, clientInfo, capabilities });
    const transport = new sdk.StreamableHTTPClientTransport(url, {
      fetch: plain.fetch,
      requestInit: { headers, redirect: 'manual' },
      onInsufficientScope: 'throw',
      ...(tokens === undefined ? {} : { authProvider: tokens }),
    });
    const fault = () => new UpstreamGone('the connection was lost');
    const close = async () => void (await Promise.all([own.close(), login.close()]));
    return { transport, plain, fault, gone: () => false, close };
  }

  /** The authorization to send by a login; none if the user's file sets the header. */
  async #tokens(
    { url, headers }: Extract<ServerPlace, { kind: 'http' }>,
    { fetch }: Pick<ServerFetch, 'fetch'>,
  ): Promise<AuthProvider | undefined> {
    if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
    const { ServerTokens } = await import('./tokens.ts');
    const { world, ledger } = this.#options;
    const tokens = new ServerTokens({ server: this.server, url, logins: ledger.logins, world, fetch });
    await tokens.prepare();
    return tokens;
  }

  /** Converts an error to a named one of ours. The server's words in it are escaped so that they cannot deceive. */
  #named(error: unknown, opened: Opened | undefined): SallyportError {
    const who = `the MCP server "${this.server.name}"`;
    const cause = { cause: error };
    if (error instanceof UpstreamGone || error instanceof UpstreamFailed) {
      const message = error.message.includes(who) ? error.message : `${who}: ${error.message}`;
      if (error instanceof UpstreamGone) return new UpstreamGone(message, cause);
      const code = error.code === undefined ? {} : { code: error.code };
      return new UpstreamFailed(message, { ...cause, ...code });
    }
    if (error instanceof FetchFailed) return new UpstreamGone(`${who}: ${error.message}`, cause);
    if (error instanceof SallyportError) return error;
    // Our own errors are wrapped if they occur before the protocol version is negotiated.
    if (error instanceof Error && error.cause instanceof SallyportError)
      return this.#named(error.cause, opened);
    const code = isSdkError(error) ? error.code : undefined;
    if (code !== undefined && lostCodes.has(code))
      return opened === undefined
        ? new UpstreamGone(`${who} has gone`, cause)
        : this.#named(opened.fault(), undefined);
    const known = sdkErrors.get(code ?? '');
    return known === undefined ? this.#unnamed(error, opened, who) : known(who, cause);
  }

  /** An error that neither we nor the SDK have a name for. */
  #unnamed(error: unknown, opened: Opened | undefined, who: string): SallyportError {
    const cause = { cause: error };
    // It requires another login, with a wider scope than this one.
    if (error instanceof Error && 'requiredScope' in error) return new NotLoggedIn(this.server.name, cause);
    if (error instanceof Error && 'code' in error && error.code === lostCode) {
      return new UpstreamGone(`${who}: the connection was lost`, cause);
    }
    const status = isSdkError(error) ? statusOf(error.data) : undefined;
    if (status !== undefined) {
      // A server that has forgotten the session is connected again the next time.
      if (status === 404) void opened?.close();
      return new UpstreamGone(`${who} answered with the status ${status}`, cause);
    }
    const said = error instanceof Error ? visible(error.message, 300) : 'something that is no error';
    const code =
      error instanceof Error && 'code' in error && typeof error.code === 'number' ? { code: error.code } : {};
    return new UpstreamFailed(`${who} answered with an error: ${said}`, { ...cause, ...code });
  }
}

/** The SDK's messages for a closed connection. */
const lostCodes: ReadonlySet<string> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);

/** Our errors for the SDK's. */
const sdkErrors: ReadonlyMap<string, (who: string, cause: { readonly cause: unknown }) => SallyportError> =
  new Map([
    ['REQUEST_TIMEOUT', (who, cause) => new UpstreamTimedOut(`${who} did not answer in time`, cause)],
    [
      'UNSUPPORTED_RESULT_TYPE',
      (who, cause) =>
        new UpstreamFailed(`${who} asks for something before it answers, and that is refused`, cause),
    ],
    ['LIST_PAGINATION_EXCEEDED', (who, cause) => new UpstreamFailed(`${who} lists without end`, cause)],
  ]);

/** The timer of a call: it is paused while the user is asked. */
class CallClock {
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal;
  readonly #giveUp = () => this.#stop.abort(this.#outer.reason);
  #timer: NodeJS.Timeout | undefined;
  #left: number;
  #since = 0;
  #asking = 0;
  #stopped = false;
  over = false;

  constructor(ms: number, outer: AbortSignal) {
    this.#left = ms;
    this.#outer = outer;
    if (outer.aborted) this.#giveUp();
    else outer.addEventListener('abort', this.#giveUp, { once: true });
    this.#run();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Work during which a timer is paused. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    if (this.#asking++ === 0) {
      clearTimeout(this.#timer);
      this.#left -= performance.now() - this.#since;
    }
    try {
      return await work();
    } finally {
      if (--this.#asking === 0) this.#run();
    }
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#giveUp);
  }

  #run(): void {
    if (this.#stopped) return;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.over = true;
      this.#stop.abort();
    }, this.#left);
  }
}

function isSdkError(error: unknown): error is SdkError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'data' in error;
}

function statusOf(data: unknown): number | undefined {
  const status = typeof data === 'object' && data !== null && 'status' in data ? data.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** The MCP package is an optional dependency. */
async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (error) {
    throw new SallyportError('the package @modelcontextprotocol/client is not installed', {
      hint: 'run npm install @modelcontextprotocol/client',
      cause: error,
    });
  }
}
