// The way into the console: a link that opens a session once and within a minute, for whoever holds the approver's key.

import type { Signer } from '../config/index.ts';
import { consoleOrigin, isJsonObject, SallyportError, sessionPayload } from '../core/index.ts';
import { object, readShape, text } from '../core/shape.ts';
import { askDaemon } from './client.ts';

/** The daemon refused to sign the person in. */
class NotSignedIn extends SallyportError {}

const linkShape = object({ secret: text({ min: 1 }), expiresAt: text() });

/** Signs a challenge of the daemon behind a socket and gives a link to its page; throws `NotSignedIn`. */
export async function consoleLink(
  socket: string,
  port: number,
  signer: Pick<Signer, 'sign'>,
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const ask = async (path: string, body: unknown): Promise<unknown> => {
    const answer = await askDaemon(socket, path, { body, timeoutMs: 10_000 });
    if (answer?.status !== 200) throw new NotSignedIn(whyNot(answer?.body));
    return answer.body;
  };
  const given = await ask('/v1/session/challenge', {});
  const challenge = isJsonObject(given) ? String(given['challenge']) : '';
  const signature = signer.sign(sessionPayload(challenge));
  const { secret, expiresAt } = readShape(linkShape, await ask('/v1/session/link', { challenge, signature }));
  // Passkeys work on a name and on no address of numbers.
  return { url: `${consoleOrigin(port)}/console/#${secret}`, expiresAt };
}

function whyNot(body: unknown): string {
  return isJsonObject(body) && typeof body['error'] === 'string'
    ? body['error']
    : 'the daemon did not answer';
}
