// sallyport redo: makes a change again that undo took back.

import { takeBackAndSay, workspaceOption, yesOption } from '../changes.ts';
import { type Command, onlyWords } from '../command.ts';

export const command: Command = {
  usage: ['redo'],
  about:
    'Makes the change again that the last undo took back. A file that was changed since is left as it is, and named.\n' +
    'At a terminal the files are shown first, and you are asked.',
  examples: ['redo'],
  options: { ...workspaceOption, ...yesOption },
  async run(call) {
    onlyWords(call, []);
    return await takeBackAndSay(call, { redo: true }, true);
  },
};
