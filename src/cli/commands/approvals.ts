// sallyport approvals: what waits for approval; with --watch, asked and answered at this terminal.

import { type ExitCode, exitCodes, UsageError, visible } from '../../core/index.ts';
import { type Approval, inGroups } from '../../ledger/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';
import { listApproval } from '../show.ts';
import { needsRoot, systemHere } from '../system/here.ts';
import { Cancelled, openTerminal } from '../terminal.ts';
import { unlockHere } from '../unlock.ts';
import { requireApprover } from './passphrase.ts';

export const command: Command = {
  usage: ['approvals', 'approvals --watch'],
  about:
    "Lists waiting approvals, oldest first and grouped by kind. Answer with 'sallyport approve ID' or 'sallyport deny ID'.\n" +
    'With --watch, each question appears as it comes and is answered with one key; a digit shows another.',
  examples: ['approvals', 'approvals --watch'],
  options: { watch: { help: 'answer questions at this terminal as they come' } },
  async run(call) {
    onlyWords(call, []);
    const here = systemHere(call.io.environment);
    if (call.flag('watch')) {
      if (here?.as === 'account') throw needsRoot(['approvals', '--watch'], here.daemon);
      return await watchHere(call);
    }
    const { world } = openHome(call);
    const now = world.now();
    const pending =
      here?.as === 'account'
        ? await (await import('../system/answering.ts')).approvalsThere(here.daemon)
        : await withLedger(call, (ledger) => ledger.approvals.pending({}, now));
    if (call.flag('json')) call.io.json(pending);
    else if (pending.length === 0) call.io.print('Nothing waits for you.');
    else for (const group of inGroups(pending)) showGroup(call.io, group, now);
    return exitCodes.pass;
  },
};

/** How many questions of the same kind are shown; the others are named. */
const mostShown = 3;

/** Shows the first questions of a group and names the others, so that many of one kind do not hide another. */
function showGroup(io: Call['io'], group: readonly Approval[], now: number): void {
  for (const approval of group.slice(0, mostShown)) listApproval(io, approval, now);
  const others = group.slice(mostShown).map(({ id }) => id);
  if (others.length === 0) return;
  io.print(`${others.length} more of the same kind (${visible(group[0]?.group ?? '')}):`);
  io.print(`  ${others.join(' ')}`);
}

async function watchHere(call: Call): Promise<ExitCode> {
  if (call.flag('json')) throw new UsageError('--watch needs a terminal, and takes no --json');
  const { home, world } = openHome(call);
  requireApprover(home);
  const signer = await unlockHere(call, 'approvals --watch');
  const { watch, notifyDesktop } = await import('../watch.ts');
  const terminal = openTerminal('questions are asked at a terminal');
  try {
    await withLedger(call, (ledger) =>
      watch({
        ledger,
        terminal,
        signer,
        by: localAsker().user,
        now: world.now,
        paint: call.io.paint,
        notify: () => notifyDesktop(call.io.environment),
      }),
    );
  } catch (error) {
    // Ctrl-C is how people leave.
    if (!(error instanceof Cancelled)) throw error;
    terminal.write('\n');
  } finally {
    terminal.close();
    signer.forget();
  }
  return exitCodes.pass;
}
