// Opens the approver's key with the passphrase that is typed at this terminal. Right or wrong, that is on record.

import { type Signer, unlockApprover, WrongPassphrase } from '../config/index.ts';
import { type Ledger, NotVouchedFor, type PassphraseUse, passphraseEntry } from '../ledger/index.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openHome } from './open.ts';
import { askSecret } from './secret.ts';

/** Writes one use of the passphrase into the log. */
export type Recorder = (
  write: (ledger: Pick<Ledger, 'audit' | 'approvers'>) => Promise<void>,
) => Promise<void>;

/** Asks for the passphrase and opens the key; `record` is how the log is reached, if not by opening it. */
export async function unlockHere(
  call: Call,
  command: string,
  record: Recorder = (write) => withLedger(call, write),
): Promise<Signer> {
  const { home } = openHome(call);
  const passphrase = await askSecret('Passphrase');
  const signer = await recordedHere(call, command, () => unlockApprover(home, passphrase), record);
  // INVARIANT: a key that somebody put in the place of the owner's opens, and does nothing.
  await record(async ({ approvers }) => {
    const keys = await approvers.list();
    if (keys.length === 0 || keys.some(({ key, state }) => key === signer.publicKey && state === 'counts'))
      return;
    signer.forget();
    throw new NotVouchedFor('no approver vouched for the key of this home, so it does not count', {
      hint: "'sallyport approvers' lists whose approval counts",
    });
  });
  return signer;
}

/** Tries a passphrase that was typed here, and records how that ended. */
export async function recordedHere<T>(
  call: Call,
  command: string,
  attempt: () => Promise<T>,
  record: Recorder = (write) => withLedger(call, write),
): Promise<T> {
  const { world } = openHome(call);
  const use: PassphraseUse = { surface: 'terminal', command };
  const note = (type: 'passphrase_accepted' | 'passphrase_refused') =>
    record((ledger) => ledger.audit.append(passphraseEntry(type, localAsker(), use, world.now())));
  let opened: T;
  try {
    opened = await attempt();
  } catch (error) {
    if (error instanceof WrongPassphrase) await note('passphrase_refused');
    throw error;
  }
  await note('passphrase_accepted');
  return opened;
}

/** The recorder of a ledger that is open. */
export function recorderOf(ledger: Pick<Ledger, 'audit' | 'approvers'>): Recorder {
  return (write) => write(ledger);
}
