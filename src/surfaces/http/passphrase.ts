// The owner's passphrase over HTTP: what a call sends, where it comes from, and the record of every use.

import type { Context as Call } from 'hono';
import { keyProofShape, WrongPassphrase } from '../../config/index.ts';
import type { World } from '../../core/index.ts';
import { object, optional, text } from '../../core/shape.ts';
import { type Ledger, type PassphraseUse, passphraseEntry } from '../../ledger/index.ts';
import { type Callers, TooManyAttempts } from './callers.ts';
import type { Surface } from './surface.ts';

/** What opens a session or a link: the passphrase, and the proof that it is no guess, which a terminal can give. */
export const passphraseShape = object({
  passphrase: text({ min: 1, max: 1024 }),
  proof: optional(keyProofShape),
});

interface RecordParts {
  readonly ledger: Pick<Ledger, 'audit'>;
  readonly world: Pick<World, 'now'>;
  readonly owner: { readonly user: string; readonly tenant: string };
}

/** What guesses of a call are counted by. */
export async function sourceOf(call: Call<Surface>, callers: Callers): Promise<string> {
  return await callers.sourceOf(call.req.header('authorization') ?? null, call.env.transport);
}

/**
 * Tries a passphrase and records how that ended. INVARIANT: nothing is opened that is not on record; where it cannot be
 * recorded, `undo` closes it again.
 */
export async function recordedUse<T>(
  { ledger, world, owner }: RecordParts,
  use: PassphraseUse,
  attempt: () => Promise<T>,
  undo: (opened: T) => void,
): Promise<T> {
  const note = (...[type, more]: [Parameters<typeof passphraseEntry>[0], Partial<PassphraseUse>?]) =>
    ledger.audit.append(passphraseEntry(type, owner, { ...use, ...more }, world.now()));
  let opened: T;
  try {
    opened = await attempt();
  } catch (error) {
    if (error instanceof WrongPassphrase) await note('passphrase_refused');
    // Once for each minute that a source has to wait, so that guessing does not fill the log.
    if (error instanceof TooManyAttempts && error.first) await note('passphrase_refused', { too_many: true });
    throw error;
  }
  try {
    await note('passphrase_accepted');
  } catch (error) {
    undo(opened);
    throw error;
  }
  return opened;
}

/** Records that a session of the owner is open; `undo` closes it where that cannot be recorded. */
export async function recordSession(
  { ledger, world, owner }: RecordParts,
  use: PassphraseUse,
  undo: () => void,
): Promise<void> {
  try {
    await ledger.audit.append(passphraseEntry('session_opened', owner, use, world.now()));
  } catch (error) {
    undo();
    throw error;
  }
}
