// What comes with connecting a host: somebody who can approve, and a record of it.

import { prepareHome, readApprover, type Signer } from '../config/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { ConnectedHost, HostName } from '../surfaces/hooks/index.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker } from './open.ts';
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
    "No approver yet. Choose a passphrase: 'sallyport passphrase'. It counts after 24 hours, since a host is connected already.";
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
 * The key that signs for the disconnection of files of hosts; null where none is needed. Once somebody can approve, it
 * takes the passphrase: the daemon restores hooks that go without it.
 */
export async function signerToDisconnect(
  call: Call,
  files: readonly Pick<ConnectedHost, 'host' | 'file'>[],
  command: string,
): Promise<Signer | null> {
  return await withLedger(call, async (ledger) => {
    const connected = await Promise.all(files.map((one) => isConnected(ledger, one)));
    if (!connected.includes(true) || (await ledger.approvers.first()) === null) return null;
    return await unlockHere(call, command, recorderOf(ledger));
  });
}

/** Whether the log says that a file of a host is connected: the daemon then restores its hooks. */
export async function isConnected(
  ledger: Pick<Ledger, 'connections'>,
  { host, file }: Pick<ConnectedHost, 'host' | 'file'>,
): Promise<boolean> {
  return (await ledger.connections.list()).some((one) => one.host === host && one.file === file);
}

/** Records that settings of the machine connect a host: the first approver after that has to wait. */
export async function noteConnected(
  ledger: Pick<Ledger, 'audit'>,
  host: HostName,
  now: number,
): Promise<void> {
  const { user, tenant } = localAsker();
  const details = { host };
  await ledger.audit.append({ time: now, event_type: 'host_connected', user, tenant, agent: '', details });
}
