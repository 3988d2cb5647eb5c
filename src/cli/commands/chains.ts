// sallyport chains: code that stands still at a call which a person must allow.

import { exitCodes, visible } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openHome } from '../open.ts';

export const command: Command = {
  usage: ['chains'],
  about:
    'Lists paused code and the approvals that it waits for, oldest first. After your answer, the program that ran the code\n' +
    'resumes it.',
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
