// What comes with connecting a host: somebody who can approve, and a record of it.

import { prepareHome, readApprover } from '../config/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { HostName } from '../surfaces/hooks/index.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker } from './open.ts';
import { NoTerminal, openTerminal } from './terminal.ts';

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

/** Records that a host is connected: whoever becomes the first approver after that has to wait. */
export async function noteConnected(
  ledger: Pick<Ledger, 'audit'>,
  host: HostName,
  now: number,
): Promise<void> {
  const { user, tenant } = localAsker();
  const details = { host };
  await ledger.audit.append({ time: now, event_type: 'host_connected', user, tenant, agent: '', details });
}
