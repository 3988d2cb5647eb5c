// The way into the console: a link that opens a session once and within a minute, for the holder of the approver's key.

import type { Signer } from '../config/index.ts';
import { consoleOrigin, SallyportError, sessionPayload } from '../core/index.ts';
import { askDaemon } from './client.ts';

/** The daemon refused to sign the person in. */
class NotSignedIn extends SallyportError {}

/** Signs a challenge of the daemon behind a socket and gives a link to its page; throws `NotSignedIn`. */
export async function consoleLink(
  socket: string,
  port: number,
  signer: Pick<Signer, 'sign'>,
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const ask = async <R extends 'POST /v1/session/challenge' | 'POST /v1/session/link'>(
    route: R,
    body: unknown,
  ) => {
    const answer = await askDaemon(socket, route, { body });
    if (answer?.status === 200) return answer.body;
    throw new NotSignedIn(answer?.body.error ?? 'the daemon did not answer');
  };
  const { challenge = '' } = await ask('POST /v1/session/challenge', {});
  const signature = signer.sign(sessionPayload(challenge));
  const { secret, expiresAt } = await ask('POST /v1/session/link', { challenge, signature });
  if (secret === undefined || expiresAt === undefined) throw new NotSignedIn('the daemon gave no link');
  // Passkeys work on a name and on no address of numbers.
  return { url: `${consoleOrigin(port)}/console/#${secret}`, expiresAt };
}
