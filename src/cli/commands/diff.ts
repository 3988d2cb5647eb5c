// sallyport diff: what one change did, as a unified diff.

import { diffLines, showHunks } from '../../core/diff.ts';
import { exitCodes, visible } from '../../core/index.ts';
import { shownWhole } from '../../core/text.ts';
import { openSnapshots, workspaceOption } from '../changes.ts';
import { type Command, onlyWords } from '../command.ts';
import { openConfig } from '../open.ts';

export const command: Command = {
  usage: ['diff SNAPSHOT_ID'],
  about: 'Shows how the files of a change differ now from what they were before it.',
  examples: ['diff 01a1e98d'],
  options: workspaceOption,
  async run(call) {
    const [id] = onlyWords(call, ['SNAPSHOT_ID']);
    const snapshots = openSnapshots(call, await openConfig(call));
    const snapshot = snapshots.find(id);
    const files = snapshot.steps.map(({ path, before, lost }) => {
      const old = before === null ? '' : textOf(snapshots.contentBefore(snapshot.id, path));
      const now = textOf(snapshots.look(path)?.bytes ?? null);
      const isText = old !== null && now !== null;
      return { path, lost: lost === true, diff: isText ? showHunks(path, diffLines(old, now)) : null };
    });
    if (call.flag('json')) call.io.json({ snapshot: snapshot.id, files });
    else {
      for (const { path, diff, lost } of files) {
        if (lost) call.io.print(`${visible(path)}: too large to keep`);
        else if (diff === null) call.io.print(`${visible(path)}: binary`);
        else for (const line of diff.trimEnd().split('\n')) call.io.print(shownWhole(line));
      }
    }
    return exitCodes.pass;
  },
};

/** Null for what is no text; nothing there is an empty one. */
function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null) return '';
  return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
}
