// sallyport undo: takes changes back, exactly or not at all.

import { UsageError } from '../../core/index.ts';
import { takeBackAndSay, workspaceOption } from '../changes.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  usage: ['undo', 'undo SNAPSHOT_ID', 'undo --run ID'],
  about:
    'Takes back the last change in this workspace, one by its id, or all of a run, the latest first. Files that\n' +
    'were created are deleted, deleted ones come back, changed ones are as they were. A file that was changed since is\n' +
    'a conflict: then nothing is done. An undo is a change itself, and undo takes it back too. What a command did\n' +
    'outside the workspace, or over the network, does not come back.',
  options: { ...workspaceOption, run: { value: 'ID', help: 'take back everything that this run changed' } },
  async run(call) {
    const [snapshot, ...more] = call.words;
    const run = call.value('run');
    if (more.length > 0 || (snapshot !== undefined && run !== undefined))
      throw new UsageError('name one change or one run');
    if (snapshot !== undefined) return await takeBackAndSay(call, { snapshot });
    return await takeBackAndSay(call, run === undefined ? { last: true } : { run });
  },
};
