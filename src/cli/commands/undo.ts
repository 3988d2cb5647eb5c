// sallyport undo: takes changes back, as far as nobody has changed the files since.

import { relative, resolve } from 'node:path';
import { UsageError, visible } from '../../core/index.ts';
import { type Ledger, UnknownReceipt } from '../../ledger/index.ts';
import { type Snapshots, shownPath, UnknownSnapshot } from '../../ledger/snapshots/index.ts';
import type { ReviewOptions, What } from '../../run/index.ts';
import { runIn, takeBackAndSay, workspaceOption, yesOption } from '../changes.ts';
import type { Call, Command } from '../command.ts';

export const command: Command = {
  usage: ['undo', 'undo ID', 'undo FILE…', 'undo --session [ID]'],
  about:
    'Undoes the last change in this workspace, one by the id of its snapshot or receipt, the last change of files or folders, or\n' +
    'a whole session. It restores files, and branches, index, stashes and work trees of git. A file that was changed since is\n' +
    'left alone and named. At a terminal it shows the files and asks. Changes outside the workspace are not undone.',
  examples: ['undo', 'undo 49c731fb', 'undo src/main.ts'],
  options: {
    ...workspaceOption,
    ...yesOption,
    session: {
      help: 'undo a session: the named one, or that of the last change',
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
        if (run !== undefined) return { run: runIn(snapshots, run, 'run') };
        const [session] = call.words;
        if (isSession)
          return session === undefined ? { lastRun: true } : { run: runIn(snapshots, session, 'session') };
        if (call.words.length === 0) return { last: true };
        return await namedIn(call, snapshots, ledger);
      },
      true,
    );
  },
};

/** The change or the files that words name. A word that names both is a file. */
async function namedIn(call: Call, snapshots: Snapshots, ledger: Ledger): Promise<What> {
  const all = snapshots.list();
  const paths = new Set(all.flatMap(({ steps }) => steps.map(({ path }) => shownPath(path))));
  const files = call.words.map((word) => fileOf(word, call, snapshots.workspace));
  const isKnown = (name: string) =>
    name === '' || paths.has(name) || [...paths].some((path) => path.startsWith(`${name}/`));
  const [first = ''] = call.words;
  if (call.words.length === 1 && !isKnown(files[0] ?? '') && /^[0-9a-f][0-9a-f-]{0,35}$/.test(first)) {
    if (all.some(({ id }) => id.startsWith(first))) return { snapshot: snapshots.find(first).id };
    return { snapshot: await snapshotOfReceipt(first, ledger) };
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

/** The snapshot of the change that a receipt is about. */
async function snapshotOfReceipt(given: string, ledger: Ledger): Promise<string> {
  const hint = "'sallyport snapshots' lists the changes of this workspace";
  try {
    const { snapshot_id: snapshot } = await ledger.receipts.find(given);
    if (snapshot !== null) return snapshot;
  } catch (error) {
    if (!(error instanceof UnknownReceipt)) throw error;
    throw new UnknownSnapshot(`there is no snapshot ${given} of this workspace, and ${error.message}`, {
      hint,
    });
  }
  throw new UnknownSnapshot(
    `the change of the receipt ${given} was not applied, so nothing is to be undone`,
    {
      hint,
    },
  );
}

/** A word as a path from the workspace on. */
function fileOf(word: string, call: Call, workspace: string): string {
  const path = relative(workspace, resolve(call.io.folder(), word));
  return path.startsWith('../') ? resolve(call.io.folder(), word) : path;
}
