// Opens the person's key with the passphrase that they type at this terminal. Right or wrong, that is on record.

import { type KeyProof, proveKey, type Signer, unlockApprover, WrongPassphrase } from '../config/index.ts';
import { type Ledger, type PassphraseUse, passphraseEntry } from '../ledger/index.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openHome } from './open.ts';
import { askSecret } from './secret.ts';

/** Writes one use of the passphrase into the log. */
export type Recorder = (write: (ledger: Pick<Ledger, 'audit'>) => Promise<void>) => Promise<void>;

/** Asks for the passphrase and opens the key; `record` is how the log is reached, if not by opening it. */
export async function unlockHere(
  call: Call,
  command: string,
  record: Recorder = (write) => withLedger(call, write),
): Promise<Signer> {
  const { home } = openHome(call);
  const passphrase = await askSecret('Passphrase');
  return await recordedHere(call, command, () => unlockApprover(home, passphrase), record);
}

/** Tries a passphrase that was typed here, and records how that ended. */
export async function recordedHere<T>(
  call: Call,
  command: string,
  attempt: () => Promise<T>,
  record: Recorder = (write) => withLedger(call, write),
): Promise<T> {
  const opened = await refusalRecorded(attempt, () => note(call, command, 'passphrase_refused', record));
  await note(call, command, 'passphrase_accepted', record);
  return opened;
}

async function refusalRecorded<T>(attempt: () => Promise<T>, refused: () => Promise<void>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof WrongPassphrase) await refused();
    throw error;
  }
}

async function note(
  call: Call,
  command: string,
  type: 'passphrase_accepted' | 'passphrase_refused',
  record: Recorder,
): Promise<void> {
  const use: PassphraseUse = { surface: 'terminal', command };
  const { world } = openHome(call);
  await record((ledger) => ledger.audit.append(passphraseEntry(type, localAsker(), use, world.now())));
}

/** What a daemon is sent for a session: the passphrase, tried here, with the proof that it is no guess. */
export async function provenSecret(
  call: Call,
  home: string,
  passphrase: string,
  command: string,
): Promise<{ readonly passphrase: string; readonly proof: KeyProof }> {
  const { world } = openHome(call);
  // The daemon records that it was right.
  const signer = await refusalRecorded(
    () => unlockApprover(home, passphrase),
    () => note(call, command, 'passphrase_refused', (write) => withLedger(call, write)),
  );
  try {
    return { passphrase, proof: proveKey(signer, world.now()) };
  } finally {
    signer.forget();
  }
}

/** The recorder of a ledger that is open. */
export function recorderOf(ledger: Pick<Ledger, 'audit'>): Recorder {
  return (write) => write(ledger);
}
