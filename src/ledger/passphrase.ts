// What is recorded when somebody uses the owner's passphrase: right or wrong, and on which surface. Never the passphrase.

import type { JsonObject } from '../core/index.ts';
import type { NewEntry } from './audit.ts';

/** Where the passphrase was given. */
export interface PassphraseUse {
  /** `terminal` and the command, or the HTTP surface and what the call came by. */
  readonly surface: 'terminal' | 'http' | 'console';
  readonly command?: string;
  readonly source?: string;
  /** What proved who it was. */
  readonly with?: 'passphrase' | 'passkey' | 'key';
  /** Refused unread, since there were too many wrong ones. */
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
