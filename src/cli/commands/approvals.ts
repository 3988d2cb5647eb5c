// sallyport approvals: what waits for a person; with --watch, asked and answered at this terminal.

import { unlockApprover } from '../../config/index.ts';
import { type ExitCode, exitCodes, UsageError } from '../../core/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openHome } from '../open.ts';
import { askSecret } from '../secret.ts';
import { listApproval } from '../show.ts';
import { Cancelled, openTerminal } from '../terminal.ts';
import { requireApprover } from './passphrase.ts';

export const command: Command = {
  usage: ['approvals', 'approvals --watch'],
  about:
    'Lists the approvals that wait, oldest first. Answer with sallyport approve ID or sallyport deny ID.\n' +
    'With --watch, each question is shown as it comes and answered with one key; the passphrase is asked for once.',
  options: { watch: { help: 'stay, and answer at this terminal' } },
  async run(call) {
    onlyWords(call, []);
    if (call.flag('watch')) return await watchHere(call);
    const { world } = openHome(call);
    const now = world.now();
    const pending = await withLedger(call, (ledger) => ledger.approvals.pending({}, now));
    if (call.flag('json')) call.io.json(pending);
    else if (pending.length === 0) call.io.print('Nothing waits for you.');
    else for (const approval of pending) listApproval(call.io, approval, now);
    return exitCodes.pass;
  },
};

async function watchHere(call: Call): Promise<ExitCode> {
  if (call.flag('json')) throw new UsageError('--watch is for a person at a terminal; it takes no --json');
  const { home, world } = openHome(call);
  requireApprover(home);
  const signer = await unlockApprover(home, await askSecret('Passphrase'));
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
