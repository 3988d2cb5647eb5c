// The authorization for a server that requires a login: the user's token for it, refreshed before it expires, and by
// one process at a time.

import type {
  AuthorizationServerMetadata,
  AuthProvider,
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import type { UpstreamServer } from '../../config/index.ts';
import type { JsonObject, World } from '../../core/index.ts';
import type { Ledger, Login, LoginPlace } from '../../ledger/index.ts';
import { NotLoggedIn, UpstreamGone } from './errors.ts';
import type { ServerFetch } from './http.ts';

/** The content of a login, sealed. */
export interface LoginContent {
  /** The issuer of the tokens, and how others are requested. */
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata | null;
  readonly client: OAuthClientInformationMixed;
  /** The audience of the tokens, by the server's own name. */
  readonly resource: string | null;
  /** Null: they are no longer valid. */
  readonly tokens: OAuthTokens | null;
  /** Expiry of the access token; null if unknown. */
  readonly expiresAt: number | null;
}

export interface TokensOptions {
  readonly server: Pick<UpstreamServer, 'name'>;
  readonly url: string;
  readonly logins: Pick<Ledger['logins'], 'find' | 'claim' | 'renew'>;
  readonly world: Pick<World, 'now'>;
  /** The fetch function for the authorization server. */
  readonly fetch: ServerFetch['fetch'];
}

/** A token is refreshed when it has less than this left, in milliseconds. */
const soonMs = 30_000;
/** How long another process may take to refresh a login, and the polling interval. */
const patienceMs = 35_000;
const lookEveryMs = 100;

export class ServerTokens implements AuthProvider {
  readonly #options: TokensOptions;
  readonly #place: LoginPlace;
  /** Whether the server has required a login, or there is one; others are not looked up repeatedly. */
  #wanted = false;
  #sent: string | undefined;
  #renewing: Promise<Login> | undefined;

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#place = { server: options.server.name, url: options.url };
  }

  /** Looks up a login, before the first request. */
  async prepare(): Promise<void> {
    this.#wanted = (await this.#options.logins.find(this.#place)) !== undefined;
  }

  async token(): Promise<string | undefined> {
    if (!this.#wanted) return undefined;
    const login = await this.#found();
    const { expiresAt, tokens } = contentOf(login);
    const ends = expiresAt !== null && expiresAt - soonMs <= this.#options.world.now();
    const current = ends && tokens?.refresh_token !== undefined ? await this.#renewed(login) : login;
    this.#sent = current.mark;
    return contentOf(current).tokens?.access_token;
  }

  /** The server rejected the authorization: another token exists already, or is requested, or there is none. */
  async onUnauthorized(): Promise<void> {
    this.#wanted = true;
    const login = await this.#found();
    if (login.mark === this.#sent) await this.#renewed(login);
  }

  async #found(): Promise<Login> {
    const login = await this.#options.logins.find(this.#place);
    if (login === undefined || contentOf(login).tokens === null) throw new NotLoggedIn(this.#place.server);
    return login;
  }

  #renewed(login: Login): Promise<Login> {
    this.#renewing ??= this.#renew(login).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(login: Login): Promise<Login> {
    const { logins, world } = this.#options;
    const until = performance.now() + patienceMs;
    while (!(await logins.claim(login, world.now()))) {
      const now = await this.#found();
      if (now.mark !== login.mark) return now;
      if (performance.now() > until) throw new UpstreamGone('the login could not be renewed');
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    const content = await this.#asked(contentOf(login)).catch(async (error: unknown) => {
      // The next caller may try again at once.
      await logins.renew(login, login.content, world.now());
      // INVARIANT: the other side's message is not shown, because it may contain data that was sent to it.
      throw new UpstreamGone('the login could not be renewed', { cause: error });
    });
    await logins.renew(login, content as unknown as JsonObject, world.now());
    return await this.#found();
  }

  /** The content with other tokens; without any if the current ones are rejected. */
  async #asked(content: LoginContent): Promise<LoginContent> {
    const { issuer, metadata, client, resource, tokens } = content;
    if (tokens?.refresh_token === undefined) return { ...content, tokens: null };
    const { refreshAuthorization, OAuthError, assertSecureTokenEndpoint } = await import(
      '@modelcontextprotocol/client'
    );
    try {
      if (metadata !== null) assertSecureTokenEndpoint(metadata.token_endpoint);
      const fresh = await refreshAuthorization(issuer, {
        ...(metadata === null ? {} : { metadata }),
        ...(resource === null ? {} : { resource }),
        clientInformation: client,
        refreshToken: tokens.refresh_token,
        fetchFn: this.#options.fetch,
      });
      return { ...content, tokens: fresh, expiresAt: endOf(fresh, this.#options.world.now()) };
    } catch (error) {
      const refused = error instanceof OAuthError && refusals.has(error.code);
      if (!refused) throw error;
      return { ...content, tokens: null };
    }
  }
}

/** The errors that mean that no other token can be obtained, however often it is requested. */
const refusals: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** Expiry of an access token; null if unknown. */
export function endOf({ expires_in: seconds }: OAuthTokens, now: number): number | null {
  return seconds === undefined ? null : now + Math.floor(seconds * 1000);
}

/** INVARIANT: what is sealed was made here. */
function contentOf({ content }: Login): LoginContent {
  return content as unknown as LoginContent;
}
