// sallyport deny: a person's no. It needs no passphrase: refusing is always allowed.

import { exitCodes } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';

export const command: Command = {
  usage: ['deny ID'],
  about:
    'Says no to one waiting action. Trying it again is refused without asking until the approval would have expired.',
  options: {},
  async run(call) {
    const [id] = onlyWords(call, ['ID']);
    const { world } = openHome(call);
    await withLedger(call, (ledger) =>
      ledger.approvals.answer(id, 'deny', localAsker().user, null, {}, world.now()),
    );
    if (call.flag('json')) call.io.json({ id, answer: 'deny' });
    else call.io.print(`Denied: ${id}.`);
    return exitCodes.pass;
  },
};
