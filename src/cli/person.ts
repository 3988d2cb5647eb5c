// A person's session with a daemon, from a terminal: signs in with the passphrase, and signs what a call has to have
// signed. For a daemon whose store this account cannot open. INVARIANT: the passphrase and the key stay in this process.

import { loginSigner, type Signer, unwrapKey } from '../config/index.ts';
import {
  isJsonObject,
  type JsonObject,
  type Payload,
  SallyportError,
  sessionPayload,
} from '../core/index.ts';
import { integer, object, readShape, text } from '../core/shape.ts';

/** The daemon refused what the person asked for. */
class Refused extends SallyportError {}

interface DaemonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends one call to the daemon; null where none answers. */
export type AskPersonsDaemon = (
  path: string,
  options: {
    readonly method?: string;
    readonly token?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  },
) => Promise<DaemonAnswer | null>;

/** What is asked for. */
interface PersonsCall {
  readonly method?: string;
  readonly body?: unknown;
}

/** What a call has to have signed, and the text that it is about. */
export interface Needed {
  readonly payload: Payload;
  readonly text: string | null;
}

/** A daemon at an address such as `http://127.0.0.1:4719`. */
export function daemonOver(origin: string): AskPersonsDaemon {
  return async (path, { method, token, body, headers }) => {
    const answer = await fetch(`${origin}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
}

const kdfShape = object({ N: integer(16_384, 262_144), r: integer(8, 8), p: integer(1, 4), salt: text() });

export class PersonSession {
  readonly #ask: AskPersonsDaemon;
  readonly #token: string;
  readonly #signer: Signer;

  private constructor(ask: AskPersonsDaemon, token: string, signer: Signer) {
    this.#ask = ask;
    this.#token = token;
    this.#signer = signer;
  }

  /** Signs the owner in; throws where the passphrase is wrong. */
  static async open(ask: AskPersonsDaemon, passphrase: string): Promise<PersonSession> {
    const given = await bodyOf(ask, '/v1/session/challenge', { body: {} });
    const challenge = String(given['challenge']);
    const login = await loginSigner(passphrase, readShape(kdfShape, given['kdf']));
    const signature = login.sign(sessionPayload(challenge));
    login.forget();
    const { token, key } = await bodyOf(ask, '/v1/session', { body: { challenge, signature } });
    return new PersonSession(ask, String(token), await unwrapKey(key, passphrase));
  }

  /** Sends a call; one that has to be signed is signed once `check` agreed to what the signature covers. */
  async send(
    path: string,
    options: PersonsCall = {},
    check: (needed: Needed) => void = () => undefined,
  ): Promise<DaemonAnswer | null> {
    const given = { ...options, token: this.#token };
    const first = await this.#ask(path, given);
    if (first?.status !== 428 || !isJsonObject(first.body)) return first;
    const { payload, at, text: shown } = first.body;
    const needed = { payload: payload as unknown as Payload, text: typeof shown === 'string' ? shown : null };
    check(needed);
    const headers = { 'sallyport-signature': `${Number(at)} ${this.#signer.sign(needed.payload)}` };
    return await this.#ask(path, { ...given, headers });
  }

  /** The same, for who wants the answer and nothing else; throws where the daemon refuses. */
  async call(...parameters: Parameters<PersonSession['send']>): Promise<JsonObject> {
    return accepted(await this.send(...parameters));
  }

  /** Signs out and forgets the key. */
  async close(): Promise<void> {
    this.#signer.forget();
    await this.#ask('/v1/session', { method: 'DELETE', token: this.#token });
  }
}

async function bodyOf(
  ask: AskPersonsDaemon,
  path: string,
  options: Parameters<AskPersonsDaemon>[1],
): Promise<JsonObject> {
  return accepted(await ask(path, options));
}

/** The answer where the daemon gave one; throws where it refuses. */
export function accepted(answer: DaemonAnswer | null): JsonObject {
  const body = answer?.body;
  if (answer === null || !isJsonObject(body)) throw new Refused('the daemon did not answer');
  if (answer.status >= 200 && answer.status < 300) return body;
  const { error, hint } = body;
  throw new Refused(
    typeof error === 'string' ? error : `the daemon answered with ${answer.status}`,
    typeof hint === 'string' ? { hint } : {},
  );
}
