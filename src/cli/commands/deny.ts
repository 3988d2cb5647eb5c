// sallyport deny: a person's no. It needs no passphrase: refusing is always allowed. Only a system daemon has the person
// sign in first, since its store is closed to the account.

import { exitCodes } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';
import { systemHere } from '../system/here.ts';
import { waitingId } from '../waiting.ts';

export const command: Command = {
  usage: ['deny ID'],
  about:
    'Denies one waiting action. Until the question would have expired, the same action is refused without asking.',
  examples: ['deny mwphdfce'],
  options: {},
  async run(call) {
    const [given] = onlyWords(call, ['ID']);
    const here = systemHere(call.io.environment);
    if (here?.as === 'account') {
      const { denyThere } = await import('../system/answering.ts');
      return await denyThere(call, here.daemon, given);
    }
    const { world } = openHome(call);
    const { id } = await withLedger(call, async (ledger) => {
      const waiting = waitingId(call, given, await ledger.approvals.pending({}, world.now()));
      return await ledger.approvals.answer(waiting, 'deny', localAsker().user, null, {}, world.now());
    });
    if (call.flag('json')) call.io.json({ id, answer: 'deny' });
    else call.io.print(`Denied: ${id}.`);
    return exitCodes.pass;
  },
};
