// Logging in to a server: the user consents on a page of the authorization server that it names, and is redirected to
// an address of this machine with a code that is worthless without a secret of this process.

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import type { UpstreamServer } from '../../config/index.ts';
import { type JsonObject, SallyportError, visible, type World } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { unlessStopped } from '../exchange.ts';
import type { ConnectionOptions } from './connection.ts';
import { isForLogin, loginFetch, type ServerFetch } from './http.ts';
import { endOf, type LoginContent } from './tokens.ts';

/** The login failed. */
class LoginFailed extends SallyportError {}

export interface LoginOptions extends Pick<ConnectionOptions, 'decider' | 'owner'> {
  readonly server: UpstreamServer;
  readonly ledger: Ledger;
  readonly world: World;
  /** The requested scope, if the server does not specify it. */
  readonly scope?: string;
  /** Shows the user the page to open. */
  readonly show: (page: URL) => void;
  readonly signal: AbortSignal;
}

/** Logs in, and stores the tokens; throws `LoginFailed`, or the signal's reason. */
export async function logIn(options: LoginOptions): Promise<void> {
  const { server, ledger, world, owner, signal } = options;
  const { name, place } = server;
  if (place.kind !== 'http') {
    throw new LoginFailed(`"${name}" is a program, and takes no login`, {
      hint: 'give it what it needs in "env"',
    });
  }
  const url = new URL(place.url);
  const { fetch, close } = loginFetch(server, url, options);
  const listener = await listen();
  try {
    const visit = new Visit(options, url, `${listener.address}/callback`);
    const content = await unlessStopped(visit.complete(fetch, listener), signal);
    const kept = content as unknown as JsonObject;
    await ledger.logins.save({ server: name, url: place.url }, owner, kept, world.now());
  } catch (error) {
    if (error instanceof SallyportError || signal.aborted) throw error;
    throw await failure(name, error);
  } finally {
    listener.close();
    await close();
  }
}

/** One authorization flow; the state that the SDK would store between its steps is stored here, and ends with it. */
class Visit implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly #options: LoginOptions;
  readonly #url: URL;
  readonly #state = randomBytes(32).toString('base64url');
  #verifier = '';
  #client: OAuthClientInformationMixed | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #resource: string | null = null;
  #tokens: OAuthTokens | undefined;

  constructor(options: LoginOptions, url: URL, redirectUrl: string) {
    this.#options = options;
    this.#url = url;
    this.redirectUrl = redirectUrl;
  }

  async complete(fetchFn: ServerFetch['fetch'], listener: Listener): Promise<LoginContent> {
    const { auth } = await import('@modelcontextprotocol/client');
    const { server, world } = this.#options;
    const asked = await this.#challenge(fetchFn);
    const scope = this.#options.scope ?? asked.scope;
    const common = { serverUrl: this.#url, fetchFn, ...(scope === undefined ? {} : { scope }) };
    const { resourceMetadataUrl } = asked;
    await auth(this, { ...common, ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }) });
    const { code, iss } = await listener.answer(this.#state);
    const answered = { ...common, authorizationCode: code, ...(iss === null ? {} : { iss }) };
    await auth(this, answered);
    const [client, tokens, discovery] = [this.#client, this.#tokens, this.#discovery];
    if (client === undefined || tokens === undefined || discovery === undefined) {
      throw new LoginFailed(`"${server.name}" gave nothing for the login`);
    }
    return {
      issuer: String(discovery.authorizationServerUrl),
      metadata: discovery.authorizationServerMetadata ?? null,
      client,
      resource: this.#resource,
      tokens,
      expiresAt: endOf(tokens, world.now()),
    };
  }

  /** The server's response to a request without a login. */
  async #challenge(fetchFn: ServerFetch['fetch']) {
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
    const { server, signal } = this.#options;
    const response = await fetchFn(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      signal,
    });
    await response.body?.cancel();
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== this.#url.origin) {
      throw new LoginFailed(`"${server.name}" describes itself at another address than its own`);
    }
    return { resourceMetadataUrl, scope };
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Sallyport',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveResourceUrl(url: string): void {
    this.#resource = url;
  }

  redirectToAuthorization(page: URL): void {
    if (!isForLogin(page, this.#url)) {
      throw new LoginFailed(`"${this.#options.server.name}" sends people to an address that is not opened`);
    }
    this.#options.show(page);
  }
}

interface Listener {
  readonly address: string;
  /** The redirect parameters for the flow that began with this state. */
  answer(state: string): Promise<{ readonly code: string; readonly iss: string | null }>;
  close(): void;
}

/** Listens for the redirect; on this machine alone, and until it arrives. */
async function listen(): Promise<Listener> {
  let answered: (query: URLSearchParams) => boolean = () => false;
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const taken = request.method === 'GET' && pathname === '/callback' && answered(searchParams);
    const text = taken ? 'Done. You can close this page.' : 'There is nothing here.';
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
    response.writeHead(taken ? 200 : 404, headers).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (state) =>
      new Promise((resolve, reject) => {
        answered = (query) => {
          // Any page of this machine could send a request here; only the opened one knows the state.
          if (query.get('state') !== state) return false;
          const code = query.get('code');
          if (code !== null) resolve({ code, iss: query.get('iss') });
          else reject(new LoginFailed(`the login was refused${codeOf(query.get('error'))}`));
          return true;
        };
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The error in words of ours: those of the other side may contain data that was sent to it. */
async function failure(name: string, error: unknown): Promise<LoginFailed> {
  const { OAuthError } = await import('@modelcontextprotocol/client');
  const code = error instanceof OAuthError ? codeOf(error.code) : '';
  return new LoginFailed(`the login to "${name}" did not succeed${code}`, {
    hint: 'the server, or the authorization server that it names, does not speak OAuth as MCP has it',
    cause: error,
  });
}

/** The name of an OAuth error, if it has the form of one. */
function codeOf(code: string | null): string {
  return code !== null && /^[a-z_]{1,40}$/.test(code) ? ` (${visible(code)})` : '';
}
