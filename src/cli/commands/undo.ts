// sallyport undo: takes changes back, as far as nobody has changed the files since.

import { relative, resolve } from 'node:path';
import { UsageError, visible } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type Snapshots, shownPath, UnknownSnapshot } from '../../ledger/snapshots/index.ts';
import type { ReviewOptions, What } from '../../run/index.ts';
import { takeBackAndSay, workspaceOption, yesOption } from '../changes.ts';
import type { Call, Command } from '../command.ts';

export const command: Command = {
  usage: ['undo', 'undo ID', 'undo FILE…', 'undo --session [ID]'],
  about:
    'Takes back the last change in this workspace, one by the id of its snapshot or receipt, the last change of files\n' +
    'or folders, or everything that a session changed, the latest first. Files that were created are deleted, deleted\n' +
    'ones come back, changed ones are as they were, and so are branches, index, stashes and work trees of git. A file\n' +
    'that was changed since is left as it is, and named. At a terminal the files are shown first, and you are asked.\n' +
    'An undo is a change itself: redo makes the change again. What a command did outside the workspace, or over the\n' +
    'network, does not come back.',
  options: {
    ...workspaceOption,
    ...yesOption,
    session: {
      help: 'take back everything that a session changed: the one named, or that of the last change',
    },
    run: { value: 'ID', help: 'the same for a run by its id' },
  },
  async run(call) {
    const run = call.value('run');
    const isSession = call.flag('session');
    if (run !== undefined && (isSession || call.words.length > 0))
      throw new UsageError('name one change, files or one run');
    if (isSession && call.words.length > 1) throw new UsageError('name one session');
    return await takeBackAndSay(
      call,
      async ({ snapshots }: ReviewOptions, ledger: Ledger) => {
        if (run !== undefined) return { run };
        if (isSession) return sessionIn(call, snapshots);
        if (call.words.length === 0) return { last: true };
        return await namedIn(call, snapshots, ledger);
      },
      true,
    );
  },
};

/** The session that is named by an unmistakable beginning of its id, or that of the last change. */
function sessionIn({ words: [given] }: Call, snapshots: Snapshots): What {
  if (given === undefined) return { lastRun: true };
  const runs = [...new Set(snapshots.list().map(({ run }) => run))];
  const found = runs.filter((run) => run === given || run.startsWith(given));
  const [run] = found.includes(given) ? [given] : found;
  if (run === undefined || (found.length > 1 && !found.includes(given)))
    throw new UsageError(`there is no one session ${visible(given, 60)} that changed something here`);
  return { run };
}

/** The change or the files that words name. A word that names both is a file. */
async function namedIn(call: Call, snapshots: Snapshots, ledger: Ledger): Promise<What> {
  const all = snapshots.list();
  const paths = new Set(all.flatMap(({ steps }) => steps.map(({ path }) => shownPath(path))));
  const files = call.words.map((word) => fileOf(word, call, snapshots.workspace));
  const isKnown = (name: string) =>
    name === '' || paths.has(name) || [...paths].some((path) => path.startsWith(`${name}/`));
  const [first = ''] = call.words;
  if (call.words.length === 1 && !isKnown(files[0] ?? '') && /^[0-9a-f][0-9a-f-]{3,35}$/.test(first)) {
    if (all.some(({ id }) => id.startsWith(first))) return { snapshot: snapshots.find(first).id };
    const receipt = await ledger.receipts.find(first);
    if (receipt?.snapshot_id != null) return { snapshot: receipt.snapshot_id };
    throw new UnknownSnapshot(`there is no snapshot ${first} of this workspace`, {
      hint: "'sallyport snapshots' lists them",
    });
  }
  const unknown = files.findIndex((name) => !isKnown(name));
  if (unknown >= 0) {
    throw new UnknownSnapshot(`no change of ${visible(call.words[unknown] ?? '', 200)} is known here`, {
      hint: "'sallyport snapshots' lists the changes with their files",
    });
  }
  // The workspace itself stands for everything in it.
  return { files: files.includes('') ? [...paths].map((path) => path.split('/')[0] ?? path) : files };
}

/** A word as a path from the workspace on. */
function fileOf(word: string, call: Call, workspace: string): string {
  const path = relative(workspace, resolve(call.io.folder(), word));
  return path.startsWith('../') ? resolve(call.io.folder(), word) : path;
}
