// What comes with connecting a host: somebody who can approve, and a record of it.

import { prepareHome, readApprover } from '../config/index.ts';
import type { Connection, Ledger } from '../ledger/index.ts';
import type { ConnectedHost, HostName } from '../surfaces/hooks/index.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openHome } from './open.ts';
import { NoTerminal, openTerminal } from './terminal.ts';
import { recorderOf, unlockHere } from './unlock.ts';

/**
 * Lets the person choose the passphrase before an agent can run: a first key that is made later counts after a day. Gives
 * what is left to do where nobody can be asked.
 */
export async function approverFirst(call: Call, home: string): Promise<string | null> {
  prepareHome(home);
  if ((await withLedger(call, (ledger) => ledger.approvers.first())) !== null) return null;
  const later =
    "Nobody can approve yet. Choose a passphrase: 'sallyport passphrase'. It counts after 24 hours, since a host is connected already.";
  if (call.flag('yes') || call.flag('json') || readApprover(home) !== null) return later;
  try {
    openTerminal('the passphrase is asked for at a terminal').close();
  } catch (error) {
    if (error instanceof NoTerminal) return later;
    throw error;
  }
  call.io.print('First choose the passphrase that approvals ask for. An agent never learns it.');
  const { choose } = await import('./commands/passphrase.ts');
  await choose(call, home);
  return null;
}

/**
 * Records that the person disconnects a file of a host. Once somebody can approve, that takes the passphrase: the daemon
 * restores hooks that go without it.
 */
export async function disconnect(call: Call, ledger: Ledger, wired: Pick<ConnectedHost, 'host' | 'file'>) {
  const isIt = ({ host, file }: Connection) => host === wired.host && file === wired.file;
  if (!(await ledger.connections.list()).some(isIt)) return;
  const signer =
    (await ledger.approvers.first()) === null
      ? null
      : await unlockHere(call, 'init --remove', recorderOf(ledger));
  try {
    const { world } = openHome(call);
    await ledger.connections.disconnect(wired, signer, { ...localAsker(), time: world.now() });
  } finally {
    signer?.forget();
  }
}

/** Records that settings of the machine connect a host: whoever becomes the first approver after that has to wait. */
export async function noteConnected(
  ledger: Pick<Ledger, 'audit'>,
  host: HostName,
  now: number,
): Promise<void> {
  const { user, tenant } = localAsker();
  const details = { host };
  await ledger.audit.append({ time: now, event_type: 'host_connected', user, tenant, agent: '', details });
}
