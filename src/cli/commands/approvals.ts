// sallyport approvals: what waits for a person.

import { exitCodes } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';
import { showApproval } from '../show.ts';

export const command: Command = {
  usage: ['approvals'],
  about:
    'Lists the approvals that wait, oldest first. Answer with sallyport approve ID or sallyport deny ID.',
  options: {},
  async run(call) {
    onlyWords(call, []);
    const { world } = openHome(call);
    const now = world.now();
    const pending = await withLedger(call, (ledger) => ledger.approvals.pending({}, now));
    if (call.flag('json')) call.io.json(pending);
    else if (pending.length === 0) call.io.print('Nothing waits for you.');
    else for (const approval of pending) showApproval(call.io, approval, now);
    return exitCodes.pass;
  },
};
