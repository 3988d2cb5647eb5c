// sallyport approve: a person's yes, given with the passphrase at a terminal.

import { exitCodes, SallyportError, UsageError } from '../../core/index.ts';
import type { Approval } from '../../ledger/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';
import { readWhole } from '../pager.ts';
import { indent, questionLines } from '../show.ts';
import { systemHere } from '../system/here.ts';
import { Cancelled, openTerminal } from '../terminal.ts';
import { recorderOf, unlockHere } from '../unlock.ts';
import { waitingId } from '../waiting.ts';
import { requireApprover } from './passphrase.ts';

/** The approval was answered, used or ran out before. */
export class NotWaiting extends SallyportError {}

export const command: Command = {
  usage: ['approve [ID]'],
  about:
    'Approves one waiting action; without an ID, the only one that waits. The agent may then do exactly that, once, before\n' +
    'the approval expires.\n' +
    "To be asked less often, use 'sallyport allow ID'.",
  examples: ['approve', 'approve 62gn9rwr'],
  options: {},
  async run(call) {
    if (call.words.length > 1) onlyWords(call, ['ID']);
    const here = systemHere(call.io.environment);
    if (here?.as === 'account') {
      const { approveThere } = await import('../system/answering.ts');
      return await approveThere(call, here.daemon, onlyWords(call, ['ID'])[0]);
    }
    const { home, world } = openHome(call);
    return await withLedger(call, async (ledger) => {
      const pending = await ledger.approvals.pending({}, world.now());
      const id = waitingId(call, call.words[0] ?? onlyId(call, pending), pending);
      const waiting = await ledger.approvals.show(id, {}, world.now());
      if (waiting.state !== 'pending') {
        throw new NotWaiting(`approval ${id} is ${waiting.state} already`, {
          hint: "see 'sallyport approvals'",
        });
      }
      requireApprover(home);
      if (!call.flag('json')) await showAtTerminal(call, waiting, world.now());
      const signer = await unlockHere(call, 'approve', recorderOf(ledger));
      try {
        const by = localAsker().user;
        await ledger.approvals.answer(id, 'approve', by, signer, {}, world.now());
      } finally {
        signer.forget();
      }
      if (call.flag('json')) call.io.json({ id, answer: 'approve' });
      else call.io.print(`Approved: ${id}. The agent may try again.`);
      return exitCodes.pass;
    });
  },
};

/** The id of the only question that waits; throws where there is none, or where one has to be named. */
function onlyId(call: Call, pending: readonly Approval[]): string {
  const [only, ...others] = pending;
  if (only === undefined) throw new NotWaiting('nothing waits for you');
  if (others.length === 0 && !call.flag('json')) return only.id;
  const several = others.length === 0 ? '' : `: ${pending.length} questions wait`;
  throw new UsageError(`ID is missing${several}`, "see 'sallyport approvals'");
}

/** The question, whole, at the terminal where the passphrase is then asked for, wherever standard output goes. */
export async function showAtTerminal(call: Call, approval: Approval, now: number): Promise<void> {
  const { head, what, tail } = questionLines(call.io.paint, approval, now);
  const terminal = openTerminal('the passphrase is asked for at a terminal');
  try {
    if (await readWhole(terminal, [...head, ...what, ...tail], indent)) return;
  } finally {
    terminal.close();
  }
  throw new Cancelled('the question was not read to its end, so nothing was approved');
}
