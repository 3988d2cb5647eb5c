// The way into the console: a link that counts once and for a minute, given for the passphrase.

import type { KeyProof } from '../config/index.ts';
import { isJsonObject, SallyportError } from '../core/index.ts';
import { object, readShape, text } from '../core/shape.ts';
import { askDaemon } from './client.ts';

/** The daemon did not let the person in. */
class NotLetIn extends SallyportError {}

const linkShape = object({ secret: text({ min: 1 }), expiresAt: text() });

/** Asks the daemon behind a socket for a link to its page; throws `NotLetIn`. */
export async function consoleLink(
  socket: string,
  port: number,
  given: { readonly passphrase: string; readonly proof: KeyProof },
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const answer = await askDaemon(socket, '/v1/session/link', {
    body: { ...given, proof: { ...given.proof } },
    timeoutMs: 10_000,
  });
  if (answer?.status !== 200) throw new NotLetIn(whyNot(answer?.body));
  const { secret, expiresAt } = readShape(linkShape, answer.body);
  return { url: `http://127.0.0.1:${port}/console/#${secret}`, expiresAt };
}

function whyNot(body: unknown): string {
  return isJsonObject(body) && typeof body['error'] === 'string'
    ? body['error']
    : 'the daemon did not answer';
}
