// sallyport apply: a patch becomes a change set that is judged, snapshotted, written as one, and receipted.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCodes, visible } from '../../core/index.ts';
import { readPatch } from '../../core/patch.ts';
import { createDecider } from '../../decide/index.ts';
import { applyChanges } from '../../run/index.ts';
import { changeOptions, workspaceOption } from '../changes.ts';
import { type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openConfig } from '../open.ts';
import { exitCodeOf, showVerdict } from '../show.ts';

export const command: Command = {
  usage: ['apply PATCH', 'apply - < PATCH'],
  about:
    'Applies a patch (a unified diff, or the form that begins with "*** Begin Patch") as one change: every file is\n' +
    'judged, what was there is kept, all files are written or none, and a receipt is left. Take it back with undo.',
  options: {
    ...workspaceOption,
    agent: { value: 'NAME', help: 'the agent whose settings count; default: default' },
    run: { value: 'ID', help: 'the run that the change belongs to' },
  },
  async run(call) {
    const [file] = onlyWords(call, ['PATCH']);
    const text = readFileSync(file === '-' ? 0 : resolve(call.io.folder(), file), 'utf8');
    const edits = readPatch(text);
    const opened = await openConfig(call);
    return await withLedger(call, async (ledger) => {
      const { config, world } = opened;
      const options = await changeOptions(call, opened, ledger);
      const decider = createDecider({ config, world, ledger });
      const { verdict, snapshot, receipt } = await applyChanges(edits, { ...options, decider });
      if (call.flag('json')) {
        call.io.json({
          decision: verdict.decision,
          explanation: verdict.explanation,
          approval: verdict.approval,
          snapshot: snapshot?.id ?? null,
          receipt,
        });
        return exitCodeOf(verdict.decision);
      }
      if (snapshot === null) {
        showVerdict(call.io, verdict);
        return exitCodeOf(verdict.decision);
      }
      for (const { path, before, after } of snapshot.steps) {
        const what = before === null ? 'created' : after === null ? 'deleted' : 'changed';
        call.io.print(`${what}  ${visible(path)}`);
      }
      call.io.print(`receipt ${receipt.receipt_id}; take it back: sallyport undo ${snapshot.id.slice(0, 8)}`);
      return exitCodes.pass;
    });
  },
};
