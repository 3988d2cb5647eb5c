// sallyport approve: a person's yes, given with the passphrase at a terminal.

import { exitCodes, SallyportError, UsageError } from '../../core/index.ts';
import { longestGrantMs } from '../../ledger/grants.ts';
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

const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs };
const longest = `${longestGrantMs / dayMs}d`;

export const command: Command = {
  usage: ['approve ID [--grant 8h]'],
  about:
    'Says yes to one waiting action. The agent may then do exactly that, once, before the approval expires.\n' +
    'With --grant, the same effect in the same workspace is not asked for again until the time is over.',
  options: {
    grant: { value: 'TIME', help: `make it a standing permission: 30m, 8h, 7d (at most ${longest})` },
  },
  async run(call) {
    const [given] = onlyWords(call, ['ID']);
    const lifeMs = readLife(call.value('grant'));
    const here = systemHere(call.io.environment);
    if (here?.as === 'account') {
      const { approveThere } = await import('../system/answering.ts');
      return await approveThere(call, here.daemon, given);
    }
    const { home, world } = openHome(call);
    return await withLedger(call, async (ledger) => {
      const id = waitingId(call, given, await ledger.approvals.pending({}, world.now()));
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
        if (lifeMs === undefined) await ledger.approvals.answer(id, 'approve', by, signer, {}, world.now());
        else await ledger.approveWithGrant(id, by, signer, {}, lifeMs, world.now());
      } finally {
        signer.forget();
      }
      if (call.flag('json')) call.io.json({ id, answer: 'approve' });
      else call.io.print(`Approved: ${id}. The agent may try again.`);
      return exitCodes.pass;
    });
  },
};

/** The question, whole, at the terminal where the passphrase is then asked for, wherever standard output goes. */
async function showAtTerminal(call: Call, approval: Approval, now: number): Promise<void> {
  const { head, what, tail } = questionLines(call.io.paint, approval, now);
  const terminal = openTerminal('the passphrase is asked for at a terminal');
  try {
    if (await readWhole(terminal, [...head, ...what, ...tail], indent)) return;
  } finally {
    terminal.close();
  }
  throw new Cancelled('the question was not read to its end, so nothing was approved');
}

function readLife(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9][0-9]{0,4})([mhd])$/.exec(text) ?? [];
  const lifeMs = Number(count) * (unitMs[unit ?? ''] ?? Number.NaN);
  if (!(lifeMs <= longestGrantMs)) {
    throw new UsageError(`--grant takes a time such as 30m, 8h or 7d, at most ${longest}, not "${text}"`);
  }
  return lifeMs;
}
