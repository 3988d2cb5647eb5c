// Signatures that clients make: the daemon says what is to be signed, the client checks and signs it, and sends the same
// call again with the signature in a header. INVARIANT: no passphrase and no private key reaches the daemon.

import { InputError, type Payload, SallyportError } from '../../core/index.ts';
import { digestOf, type Signer } from '../../ledger/index.ts';
import type { Parameter } from './route.ts';

/** The header that carries a signature, and when it was made. */
const signatureHeader = 'sallyport-signature';

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

/** A signature that came with a call, and when it was made. */
interface Signature {
  readonly at: number;
  readonly signature: string;
}

/** Where a call carries its signature; one that needs none, or is sent to learn what to sign, has no such header. */
export const signed: Parameter<Signature | undefined> = {
  in: 'header',
  name: signatureHeader,
  schema: { type: 'string' },
  says: 'When the payload was signed, in milliseconds since 1970, and the signature',
  leadsTo: { 428: 'What has to be signed: payload, at, and the text of the question if there is one' },
  read: (value) => {
    if (value === undefined) return undefined;
    const [, at, signature] = /^(\d{1,16}) ([\w.-]{1,8192})$/.exec(value) ?? [];
    if (signature === undefined) {
      throw new InputError(`the header ${signatureHeader} must be a time in milliseconds and a signature`);
    }
    return { at: Number(at), signature };
  },
};

/**
 * What signs in a call: the signature that it carries, or nothing, so that the caller learns what to sign. `shown` is the
 * text that the client shows, if the call answers a question.
 */
export function signerFor(
  given: Signature | undefined,
  now: number,
  shown: string | null = null,
): Signer & { readonly elsewhere: { readonly at: number; readonly shown?: string } } {
  const at = given?.at ?? now;
  return {
    elsewhere: { at, ...(shown === null ? {} : { shown: digestOf(shown) }) },
    sign: (payload) => {
      if (given === undefined) throw new SignatureNeeded(payload, at, shown);
      return given.signature;
    },
  };
}
