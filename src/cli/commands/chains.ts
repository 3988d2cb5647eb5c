// sallyport chains: code that stands still at a call which a person must allow.

import { exitCodes, visible } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';

export const command: Command = {
  usage: ['chains'],
  about:
    'Lists code that waits for you, oldest first, and what it waits for. Answer with sallyport approve ID or sallyport deny ID;\n' +
    'the program that ran the code then continues it. Only that program can, since the tools are its own.',
  examples: ['chains'],
  options: {},
  async run(call) {
    onlyWords(call, []);
    const now = openHome(call).world.now();
    const runs = await withLedger(call, (ledger) => ledger.runs.list({}, now));
    if (call.flag('json')) call.io.json(runs);
    else if (runs.length === 0) call.io.print('No code waits for you.');
    else {
      for (const { id, user, agent, approvals, expiresAt } of runs) {
        call.io.print(`${id}  of ${visible(user)}, agent ${visible(agent)}`);
        call.io.print(
          `          waits for ${approvals.join(', ')}, until ${new Date(expiresAt).toISOString()}`,
        );
      }
    }
    return exitCodes.pass;
  },
};
