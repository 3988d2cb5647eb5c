// sallyport receipts: the records of changes, and the proof that nobody altered them.

import { type ExitCode, exitCodes, SallyportError, UsageError, visible } from '../../core/index.ts';
import { type Call, type Command, wholeNumber } from '../command.ts';
import { withLedger } from '../ledger.ts';

/** No receipt, or more than one, has this id. */
export class UnknownReceipt extends SallyportError {}

export const command: Command = {
  usage: ['receipts [list]', 'receipts show ID', 'receipts verify', 'receipts head', 'receipts export ID'],
  about:
    'Every change that was applied, taken back or refused leaves a receipt in the audit log.\n' +
    'verify checks every receipt, its link to the one before, and the log that holds them; head prints the newest\n' +
    "receipt's hash; export prints a signed statement (DSSE, in-toto) about one change.",
  options: { limit: { value: 'N', help: 'how many; default 20' } },
  async run(call) {
    const [verb = 'list', id, ...more] = call.words;
    if (more.length > 0) throw new UsageError(`unexpected argument "${more[0]}"`);
    if (verb === 'list') return await list(call);
    if (verb === 'verify') return await verify(call);
    if (verb === 'head') return await head(call);
    if (verb !== 'show' && verb !== 'export')
      throw new UsageError(`unknown word "${verb}"`, "see 'sallyport receipts --help'");
    if (id === undefined) throw new UsageError('the id of a receipt is missing');
    return await withLedger(call, async (ledger) => {
      const receipt = /^[0-9a-f-]{4,36}$/.test(id) ? await ledger.receipts.find(id) : null;
      if (receipt === null) throw new UnknownReceipt(`there is no one receipt ${visible(id, 60)}`);
      if (verb === 'export') call.io.json(await ledger.statementOf(receipt));
      else if (call.flag('json')) call.io.json(receipt);
      else call.io.print(visibleJson(receipt));
      return exitCodes.pass;
    });
  },
};

async function list(call: Call): Promise<ExitCode> {
  const most = wholeNumber(call, 'limit', 1, 100_000) ?? 20;
  const receipts = await withLedger(call, (ledger) => ledger.receipts.list({ limit: most }));
  if (call.flag('json')) call.io.json(receipts);
  else {
    for (const { receipt_id: id, timestamp, action, applied, files, guards } of receipts) {
      const shown = files.slice(0, 3).map(({ path }) => visible(path, 60));
      const rest = files.length > 3 ? ` and ${files.length - 3} more` : '';
      const failed = Object.entries(guards).filter(([, outcome]) => outcome !== 'pass');
      const notes = failed.map(([guard, outcome]) => `${guard} ${outcome}`).join(', ');
      call.io.print(
        `${id.slice(0, 8)}  ${timestamp.slice(0, 19).replace('T', ' ')}  ${action}${applied ? '' : ' (not applied)'}  ${shown.join(', ')}${rest}${notes === '' ? '' : `  [${notes}]`}`,
      );
    }
    if (receipts.length === 0) call.io.print('There are no receipts yet.');
  }
  return exitCodes.pass;
}

async function verify(call: Call): Promise<ExitCode> {
  const { receipts, log } = await withLedger(call, async (ledger) => ({
    receipts: await ledger.receipts.verify(),
    log: await ledger.verify(),
  }));
  const valid = receipts.valid && log.problems.length === 0;
  const mismatch = [...receipts.mismatch, ...log.problems];
  if (call.flag('json')) call.io.json({ valid, receipts: receipts.receipts, mismatch });
  else {
    for (const { receipt_id: id, problem } of receipts.mismatch) call.io.print(`${id}: ${problem}`);
    for (const problem of log.problems) call.io.print(visible(JSON.stringify(problem)));
    const problems = mismatch.length === 1 ? '1 problem' : `${mismatch.length} problems`;
    call.io.print(`${receipts.receipts} receipts, ${problems}.`);
  }
  return valid ? exitCodes.pass : exitCodes.failed;
}

async function head(call: Call): Promise<ExitCode> {
  const hash = await withLedger(call, (ledger) => ledger.receipts.head());
  if (call.flag('json')) call.io.json({ head: hash });
  else call.io.print(hash);
  return exitCodes.pass;
}

function visibleJson(value: object): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => visible(line))
    .join('\n');
}
