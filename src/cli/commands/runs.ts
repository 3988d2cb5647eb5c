// sallyport runs: what happened in the runs of the harness, as their transcripts tell it.

import { listRuns, readRun } from '../../agent/transcript.ts';
import { exitCodes, UsageError, visible } from '../../core/index.ts';
import { type Command, onlyWords } from '../command.ts';
import { showEvent } from '../events.ts';
import { openHome } from '../open.ts';

export const command: Command = {
  usage: ['runs', 'runs show ID'],
  about: "Lists the runs of 'sallyport run', newest first, or shows one of them.",
  examples: ['runs', 'runs show 01a1e98d'],
  options: {},
  async run(call) {
    const { io, words } = call;
    const { runs } = openHome(call).paths;
    const [what] = words;
    if (what !== undefined && what !== 'show') throw new UsageError(`unknown word "${visible(what, 80)}"`);
    if (what === 'show') {
      const [, id] = onlyWords(call, ['show', 'ID']);
      for (const event of readRun(runs, id)) {
        if (call.flag('json')) io.json(event);
        else showEvent(io, event);
      }
      return exitCodes.pass;
    }
    const known = listRuns(runs);
    if (call.flag('json')) for (const run of known) io.json(run);
    else if (known.length === 0) io.print('There were no runs.');
    else {
      for (const { runId, time, task, outcome } of known) {
        const became = outcome === null ? 'unfinished' : outcome.completed ? 'completed' : 'incomplete';
        io.print(
          `${runId}  ${time.slice(0, 19).replace('T', ' ')}  ${became.padEnd(10)}  ${visible(task, 80)}`,
        );
      }
    }
    return exitCodes.pass;
  },
};
