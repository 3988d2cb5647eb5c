// sallyport passphrase: chooses or changes the passphrase that approvals ask for.

import { changePassphrase, createApprover, prepareHome, readApprover } from '../../config/index.ts';
import { exitCodes, SallyportError, UsageError } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';
import { askSecret } from '../secret.ts';
import { recordedHere } from '../unlock.ts';

/** Nobody chose a passphrase yet. */
export class NoPassphrase extends SallyportError {}

/** Throws with the way out if no passphrase was chosen. */
export function requireApprover(home: string): void {
  if (readApprover(home) === null) {
    throw new NoPassphrase('no passphrase was chosen yet', { hint: "choose one: 'sallyport passphrase'" });
  }
}

export const command: Command = {
  usage: ['passphrase'],
  about:
    'Chooses the passphrase that approving asks for, or changes it. It is asked for at the terminal only:\n' +
    'an agent that can read files and variables still cannot approve.',
  options: {},
  async run(call) {
    onlyWords(call, []);
    const { home, world } = openHome(call);
    prepareHome(home);
    const changing = readApprover(home) !== null;
    const old = changing ? await askSecret('Current passphrase') : '';
    const chosen = await askSecret('New passphrase (8 characters or more)');
    if ((await askSecret('Once more')) !== chosen)
      throw new UsageError('the two do not match; nothing was changed');
    if (changing) await recordedHere(call, 'passphrase', () => changePassphrase(home, old, chosen));
    else await createApprover(home, chosen);
    // Somebody who moves the old key away and chooses a new passphrase leaves a trace at least.
    const { user, tenant } = localAsker();
    const event = changing ? 'passphrase_changed' : 'passphrase_chosen';
    const details = { public_key: readApprover(home)?.publicKey ?? '' };
    await withLedger(call, (ledger) =>
      ledger.audit.append({ time: world.now(), event_type: event, user, tenant, agent: '', details }),
    );
    if (call.flag('json')) call.io.json({ changed: changing });
    else call.io.print(changing ? 'The passphrase is changed.' : 'The passphrase is set.');
    return exitCodes.pass;
  },
};
