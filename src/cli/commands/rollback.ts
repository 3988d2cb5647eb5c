// sallyport rollback: takes changes back, with what is meant said in full, for scripts.

import { UsageError } from '../../core/index.ts';
import type { What } from '../../run/index.ts';
import { runIn, takeBackAndSay, workspaceOption } from '../changes.ts';
import { type Command, onlyWords } from '../command.ts';

export const command: Command = {
  usage: ['rollback --snapshot ID', 'rollback --run ID', 'rollback --last'],
  about:
    'Undoes one change, all changes of a run, or the last change in this workspace, without asking.\n' +
    'Each undo leaves a receipt and can itself be undone.',
  examples: ['rollback --last'],
  options: {
    ...workspaceOption,
    snapshot: { value: 'ID', help: 'undo this change' },
    run: { value: 'ID', help: 'undo everything that this run changed' },
    last: { help: 'undo the last change' },
  },
  async run(call) {
    onlyWords(call, []);
    const snapshot = call.value('snapshot');
    const run = call.value('run');
    const given: readonly What[] = [
      ...(snapshot === undefined ? [] : [{ snapshot }]),
      ...(run === undefined ? [] : [{ run }]),
      ...(call.flag('last') ? [{ last: true } as const] : []),
    ];
    const [what] = given;
    if (what === undefined || given.length > 1)
      throw new UsageError('give exactly one of --snapshot, --run and --last');
    return await takeBackAndSay(call, async ({ snapshots }) =>
      'run' in what ? { run: runIn(snapshots, what.run, 'run') } : what,
    );
  },
};
