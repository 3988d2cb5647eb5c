// sallyport undo: takes changes back, exactly or not at all.

import { exitCodes, UsageError, visible } from '../../core/index.ts';
import type { Snapshot, Snapshots } from '../../ledger/snapshots/index.ts';
import { Conflict } from '../../ledger/snapshots/index.ts';
import { takeBack } from '../../run/index.ts';
import { changeOptions, workspaceOption } from '../changes.ts';
import type { Call, Command } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { openConfig } from '../open.ts';

export const command: Command = {
  usage: ['undo', 'undo SNAPSHOT_ID', 'undo --run ID'],
  about:
    'Takes back the last change in this workspace, one by its id, or all of a run, the latest first. Files that\n' +
    'were created are deleted, deleted ones come back, changed ones are as they were. A file that was changed since is\n' +
    'a conflict: then nothing is done. An undo is a change itself, and undo takes it back too. What a command did\n' +
    'outside the workspace, or over the network, does not come back.',
  options: { ...workspaceOption, run: { value: 'ID', help: 'take back everything that this run changed' } },
  async run(call) {
    const opened = await openConfig(call);
    return await withLedger(call, async (ledger) => {
      const options = await changeOptions(call, opened, ledger);
      const wanted = chosen(call, options.snapshots);
      if (wanted.length === 0) {
        if (call.flag('json')) call.io.json({ undone: [] });
        else call.io.print('There is nothing to take back in this workspace.');
        return exitCodes.pass;
      }
      const undone: { snapshot: string; by: string; receipt: string; files: number }[] = [];
      for (const { id } of wanted) {
        try {
          const { snapshot, receipt } = await takeBack(id, options);
          undone.push({
            snapshot: id,
            by: snapshot.id,
            receipt: receipt.receipt_id,
            files: snapshot.steps.length,
          });
        } catch (error) {
          if (!(error instanceof Conflict)) throw error;
          if (call.flag('json'))
            call.io.json({ undone, conflict: { snapshot: id, paths: error.paths, error: error.message } });
          else {
            call.io.warn(`sallyport: ${error.message}, so ${id.slice(0, 8)} was not taken back:`);
            for (const path of error.paths) call.io.warn(`  ${visible(path)}`);
            if (error.hint !== undefined) call.io.warn(`  ${error.hint}`);
          }
          return exitCodes.failed;
        }
      }
      if (call.flag('json')) call.io.json({ undone });
      else
        for (const { snapshot, by, files } of undone) {
          call.io.print(
            `Took back ${snapshot.slice(0, 8)} (${files} file(s)); to have it again: sallyport undo ${by.slice(0, 8)}`,
          );
        }
      return exitCodes.pass;
    });
  },
};

/** What shall be taken back, the latest first. */
function chosen(call: Call, snapshots: Snapshots): readonly Snapshot[] {
  const [id, ...more] = call.words;
  const run = call.value('run');
  if (more.length > 0 || (id !== undefined && run !== undefined))
    throw new UsageError('name one change or one run');
  if (id !== undefined) return [snapshots.find(id)];
  const all = snapshots.list();
  const undone = new Set(all.flatMap(({ of }) => of ?? []));
  const open = all.filter((snapshot) => snapshot.action !== 'rollback' && !undone.has(snapshot.id));
  return run === undefined ? open.slice(0, 1) : open.filter((snapshot) => snapshot.run === run);
}
