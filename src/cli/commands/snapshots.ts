// sallyport snapshots: what can be taken back in this workspace.

import { exitCodes, shortIds } from '../../core/index.ts';
import { openSnapshots, snapshotLine, workspaceOption } from '../changes.ts';
import { type Command, onlyWords, wholeNumber } from '../command.ts';
import { openConfig } from '../open.ts';

export const command: Command = {
  usage: ['snapshots', 'snapshots --keep-megabytes N'],
  about:
    'Lists the changes of this workspace that can be undone, newest first; with --keep-megabytes, drops the oldest.',
  examples: ['snapshots', 'snapshots --keep-megabytes 500'],
  options: {
    ...workspaceOption,
    'keep-megabytes': { value: 'N', help: 'drop the oldest changes until the rest fits' },
  },
  async run(call) {
    onlyWords(call, []);
    const snapshots = openSnapshots(call, await openConfig(call));
    const keep = wholeNumber(call, 'keep-megabytes', 0, 1_000_000);
    const dropped = keep === undefined ? 0 : snapshots.tidy({ bytes: keep * 1_048_576 });
    const found = snapshots.list();
    if (call.flag('json')) {
      call.io.json({ snapshots: found, dropped });
      return exitCodes.pass;
    }
    if (dropped > 0) call.io.print(`Dropped ${dropped}.`);
    const short = shortIds(found.map(({ id }) => id));
    for (const snapshot of found) call.io.print(snapshotLine(snapshot, short(snapshot.id)));
    if (found.length === 0) call.io.print('Nothing was changed here.');
    return exitCodes.pass;
  },
};
