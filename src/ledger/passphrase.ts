// The record of a use of the owner's passphrase: right or wrong, and on which surface. Never the passphrase.

import type { JsonObject } from '../core/index.ts';
import type { NewEntry } from './audit.ts';

/** The surface on which the passphrase was entered. */
export interface PassphraseUse {
  /** `terminal` and the command, or the HTTP surface and the transport of the call. */
  readonly surface: 'terminal' | 'http' | 'console';
  readonly command?: string;
  readonly source?: string;
  /** The proof of identity. */
  readonly with?: 'passphrase' | 'passkey' | 'key';
  /** Refused without a check, because of too many wrong attempts. */
  readonly too_many?: true;
}

/** The entry for one use of the passphrase. */
export function passphraseEntry(
  type: 'passphrase_accepted' | 'passphrase_refused' | 'session_opened',
  { user, tenant }: { readonly user: string; readonly tenant: string },
  use: PassphraseUse,
  now: number,
): NewEntry {
  const details: JsonObject = { ...use };
  return { time: now, event_type: type, user, tenant, agent: '', details };
}
