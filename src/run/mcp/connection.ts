// One MCP server: connected when it is first needed, and again after it has died, with longer and longer pauses. What
// it asks of us is refused; what it does wrong becomes an error with a name, and touches no other server.

import type { AuthProvider, Client, RequestOptions, SdkError, Transport } from '@modelcontextprotocol/client';
import type { Environment, ServerPlace, UpstreamServer } from '../../config/index.ts';
import { SallyportError, visible } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { FetchFailed } from '../errors.ts';
import { unlessStopped } from '../exchange.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { NotLoggedIn, UpstreamAborted, UpstreamFailed, UpstreamGone, UpstreamTimedOut } from './errors.ts';
import type { ServerFetch } from './http.ts';
import { listLifeMs, lostCode } from './limits.ts';

export interface ConnectionOptions extends Pick<UpstreamOptions, 'world' | 'owner' | 'guards'> {
  readonly ledger: UpstreamOptions['ledger'] & Pick<Ledger, 'logins'>;
  /** Ours, of which a server gets next to nothing. */
  readonly environment: Environment;
  readonly version: string;
}

interface Opened {
  readonly client: Client;
  /** Why it is gone, once it is. */
  readonly fault: () => Error;
  close(): Promise<void>;
}

/** A connection that is being made, or is there. */
interface Opening {
  readonly opened: Promise<Opened>;
}

/** A list as it was last asked for. */
interface Listed {
  readonly at: number;
  readonly value: Promise<unknown>;
  loading: boolean;
}

type Sdk = typeof import('@modelcontextprotocol/client');

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** How long a program may be silent before it is spoken to in the older way. */
const probeMs = 3000;

export class Connection {
  readonly server: UpstreamServer;
  readonly #options: ConnectionOptions;
  readonly #lists = new Map<string, Listed>();
  #opening: Opening | undefined;
  #failures = 0;
  #pauseEnds = 0;
  #closed = false;

  constructor(server: UpstreamServer, options: ConnectionOptions) {
    this.server = server;
    this.#options = options;
  }

  /** Asks the server for something; throws an error with a name of ours, whatever goes wrong. */
  async use<T>(
    work: (client: Client, options: RequestOptions) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    let opened: Opened | undefined;
    try {
      opened = await (signal === undefined ? this.#open() : unlessStopped(this.#open(), signal));
      const timeout = this.server.callTimeoutMs;
      const result = await work(opened.client, {
        timeout,
        maxTotalTimeout: timeout,
        ...(signal === undefined ? {} : { signal }),
      });
      this.#failures = 0;
      return result;
    } catch (error) {
      throw signal?.aborted
        ? new UpstreamAborted(`the call to "${this.server.name}" was given up`, { cause: error })
        : this.#named(error, opened);
    }
  }

  /** What a list of the server holds, until it says that it has changed, or for a short time; `fresh` asks it anew. */
  async listed<T>(name: string, load: () => Promise<T>, fresh = false): Promise<T> {
    const now = performance.now();
    const known = this.#lists.get(name);
    if (known !== undefined && (known.loading || (!fresh && now - known.at < listLifeMs))) {
      // INVARIANT: a name is asked for with one type only.
      return (await known.value) as T;
    }
    const value = load();
    const entry = { at: now, value, loading: true };
    this.#lists.set(name, entry);
    const settled = (failed: boolean): void => {
      entry.loading = false;
      if (failed && this.#lists.get(name) === entry) this.#lists.delete(name);
    };
    value.then(
      () => settled(false),
      () => settled(true),
    );
    return await value;
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
      const opening: Opening = { opened: this.#connect(() => this.#lost(opening)) };
      this.#opening = opening;
      opening.opened.catch((error: unknown) => this.#lost(opening, error));
    }
    return this.#opening.opened;
  }

  /** The connection is gone: whoever needs it next makes another, at once the first time. */
  #lost(opening: Opening, error?: unknown): void {
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    this.#lists.clear();
    // It waits for a person and not for the server, and is there as soon as they have logged in.
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
      // Some older programs end when they are asked what they speak; those are told the older way at once.
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
      fault: reach.fault,
      // INVARIANT: whoever asks after this is given another connection.
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
    const changed = { autoRefresh: false, debounceMs: 0, onChanged: () => this.#lists.clear() };
    // INVARIANT: no capability is told and no handler is there, so nothing that a server asks of us is answered.
    const client = new sdk.Client(
      { name: 'sallyport', version: this.#options.version },
      {
        capabilities: {},
        versionNegotiation: { mode, probe: { timeoutMs: Math.min(probeMs, this.server.startTimeoutMs / 2) } },
        inputRequired: { autoFulfill: false },
        listChanged: { tools: changed, prompts: changed, resources: changed },
      },
    );
    client.onerror = () => {};
    return client;
  }

  /** The way to the server, and what became of it. */
  async #reach(
    sdk: Sdk,
  ): Promise<{ transport: Transport; fault: () => Error; gone: () => boolean; close: () => Promise<void> }> {
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
    const url = new URL(place.url);
    const own = serverFetch(this.server, url, this.#options);
    const login = loginFetch(this.server, url, this.#options);
    const transport = new sdk.StreamableHTTPClientTransport(url, {
      fetch: own.fetch,
      requestInit: { headers: place.headers, redirect: 'manual' },
      onInsufficientScope: 'throw',
      ...(await this.#tokens(place, login)),
    });
    const fault = () => new UpstreamGone('the connection was lost');
    const close = async () => void (await Promise.all([own.close(), login.close()]));
    return { transport, fault, gone: () => false, close };
  }

  /** What a login gives to be sent along; nothing where the user's file says what is sent. */
  async #tokens(
    { url, headers }: Extract<ServerPlace, { kind: 'http' }>,
    { fetch }: ServerFetch,
  ): Promise<{ authProvider?: AuthProvider }> {
    if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return {};
    const { ServerTokens } = await import('./tokens.ts');
    const { world, ledger } = this.#options;
    const authProvider = new ServerTokens({ server: this.server, url, logins: ledger.logins, world, fetch });
    await authProvider.prepare();
    return { authProvider };
  }

  /** An error by a name of ours. What a server says in it is shown so that it cannot deceive. */
  #named(error: unknown, opened: Opened | undefined): SallyportError {
    const who = `the MCP server "${this.server.name}"`;
    const cause = { cause: error };
    if (error instanceof UpstreamGone || error instanceof UpstreamFailed) {
      const told = error.message.includes(who) ? error.message : `${who}: ${error.message}`;
      return error instanceof UpstreamGone ? new UpstreamGone(told, cause) : new UpstreamFailed(told, cause);
    }
    if (error instanceof FetchFailed) return new UpstreamGone(`${who}: ${error.message}`, cause);
    if (error instanceof SallyportError) return error;
    const code = isSdkError(error) ? error.code : undefined;
    // Errors of our own come back wrapped where they are met before both sides agreed on what they speak.
    if (error instanceof Error && error.cause instanceof SallyportError)
      return this.#named(error.cause, opened);
    switch (code) {
      case 'REQUEST_TIMEOUT':
        return new UpstreamTimedOut(`${who} did not answer in time`, cause);
      case 'CONNECTION_CLOSED':
      case 'NOT_CONNECTED':
      case 'SEND_FAILED':
        return opened === undefined
          ? new UpstreamGone(`${who} has gone`, cause)
          : this.#named(opened.fault(), undefined);
      case 'UNSUPPORTED_RESULT_TYPE':
        return new UpstreamFailed(`${who} asks for something before it answers, and that is refused`, cause);
      case 'LIST_PAGINATION_EXCEEDED':
        return new UpstreamFailed(`${who} lists without end`, cause);
    }
    // It takes another login, for more than this one allows.
    if (error instanceof Error && 'requiredScope' in error) return new NotLoggedIn(this.server.name, cause);
    if (error instanceof Error && 'code' in error && error.code === lostCode) {
      return new UpstreamGone(`${who}: the connection was lost`, cause);
    }
    const status = isSdkError(error) ? statusOf(error.data) : undefined;
    if (status !== undefined) {
      // A server that has forgotten the session is met anew the next time.
      if (status === 404) void opened?.close();
      return new UpstreamGone(`${who} answered with the status ${status}`, cause);
    }
    const said = error instanceof Error ? visible(error.message, 300) : 'something that is no error';
    return new UpstreamFailed(`${who} answered with an error: ${said}`, cause);
  }
}

function isSdkError(error: unknown): error is SdkError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'data' in error;
}

function statusOf(data: unknown): number | undefined {
  const status = typeof data === 'object' && data !== null && 'status' in data ? data.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** What speaks MCP is an optional part of the package. */
async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (error) {
    throw new SallyportError('what speaks MCP (@modelcontextprotocol/client) is not installed', {
      hint: 'run npm install @modelcontextprotocol/client',
      cause: error,
    });
  }
}
