// A receipt for external verifiers: an in-toto statement in a signed DSSE envelope.

import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../core/index.ts';
import type { Receipt } from './receipts.ts';

const payloadType = 'application/vnd.in-toto+json';
const predicateType = 'https://sallyport.dev/change-receipt/v1';

export interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** Signs a statement about the files after a change. */
export function signStatement(
  receipt: Receipt,
  { id, privateKey }: { readonly id: string; readonly privateKey: KeyObject },
): Envelope {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: receipt.files.map(({ path, after_hash: sha256 }) => ({
      name: path,
      digest: sha256 === null ? {} : { sha256 },
    })),
    predicateType,
    predicate: receipt,
  };
  const payload = Buffer.from(canonicalJson(statement));
  const sig = sign(null, encoded(payload), privateKey).toString('base64');
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid: id, sig }] };
}

/** Whether one of the signatures is that key's. */
export function checkStatement({ payloadType: type, payload, signatures }: Envelope, x: string): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const bytes = Buffer.from(payload, 'base64');
  return (
    type === payloadType &&
    signatures.some(({ sig }) => verify(null, encoded(bytes), key, Buffer.from(sig, 'base64')))
  );
}

/** The signed bytes of DSSE: the type and the payload with their lengths, so that neither is mistaken for the other. */
function encoded(payload: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
}
