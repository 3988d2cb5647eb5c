// sallyport redo: makes a change again that undo took back.

import { takeBackAndSay, workspaceOption, yesOption } from '../changes.ts';
import { type Command, onlyWords } from '../command.ts';

export const command: Command = {
  usage: ['redo'],
  about:
    'Makes the change again that the last undo reverted. A file that was changed since is left alone and named.\n' +
    'At a terminal it shows the files and asks.',
  examples: ['redo'],
  options: { ...workspaceOption, ...yesOption },
  async run(call) {
    onlyWords(call, []);
    return await takeBackAndSay(call, { redo: true }, true);
  },
};
