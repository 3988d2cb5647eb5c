// Signatures that clients make: the daemon says what is to be signed, the client checks and signs it, and sends the same
// call again with the signature in a header. INVARIANT: no passphrase and no private key reaches the daemon.

import type { Context as Call } from 'hono';
import { InputError, type Payload, SallyportError } from '../../core/index.ts';
import { digestOf, type Signer } from '../../ledger/index.ts';
import type { Surface } from './surface.ts';

/** The header that carries a signature, and when it was made. */
export const signatureHeader = 'sallyport-signature';

/** The call has to be signed; it names what the signature must cover. */
export class SignatureNeeded extends SallyportError {
  readonly payload: Payload;
  readonly at: number;
  /** The text of the question that the payload is about, where it is about one. */
  readonly text: string | null;

  constructor(payload: Payload, at: number, text: string | null) {
    super('this call has to be signed', {
      hint: `sign the payload and send the call again with the header ${signatureHeader}: ${at} SIGNATURE`,
    });
    this.payload = payload;
    this.at = at;
    this.text = text;
  }
}

/**
 * What signs in a call: the signature that it carries, or nothing, so that the caller learns what to sign. `shown` is the
 * text that the client shows, if the call answers a question.
 */
export function signerIn(
  call: Call<Surface>,
  now: number,
  shown: string | null = null,
): Signer & { readonly elsewhere: { readonly at: number; readonly shown?: string } } {
  const header = call.req.header(signatureHeader);
  const [, time, signature] = /^(\d{1,16}) ([\w.-]{1,8192})$/.exec(header ?? '') ?? [];
  if (header !== undefined && signature === undefined) {
    throw new InputError(`the header ${signatureHeader} must be a time in milliseconds and a signature`);
  }
  const at = time === undefined ? now : Number(time);
  return {
    elsewhere: { at, ...(shown === null ? {} : { shown: digestOf(shown) }) },
    sign: (payload) => {
      if (signature === undefined) throw new SignatureNeeded(payload, at, shown);
      return signature;
    },
  };
}
