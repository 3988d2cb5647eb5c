// The changes of a command, in words and as data.

import { visible } from '../../core/index.ts';
import { filesIn } from '../../guards/write/rules/command.ts';
import { isGitData, shownPath } from '../../ledger/snapshots/index.ts';
import type { Changed, Difference } from './difference.ts';
import type { Settled } from './transaction.ts';

/** A change as machines are given it. */
export interface ShownChange {
  readonly op: Changed['op'];
  readonly path: string;
  readonly type: 'file' | 'link' | 'folder';
}

const verbs: Readonly<Record<Changed['op'], string>> = {
  create: 'creates',
  edit: 'edits',
  delete: 'deletes',
  mode: 'changes the permissions of',
};

/** The most paths that a sentence names. */
const mostNamed = 3;

/** All changes of files and links in one sentence; folders go with what is in them. */
export function summaryOf({ changes }: Difference): string {
  const files = changes.filter(isFile);
  const said = Object.entries(verbs).flatMap(([op, verb]) => {
    const paths = files.filter((change) => change.op === op).map(({ path }) => path);
    if (paths.length === 0) return [];
    if (paths.length > mostNamed) return [`${verb} ${filesIn(paths.map(shownPath))}`];
    return [`${verb} ${paths.map((path) => visible(shownPath(path), 200)).join(', ')}`];
  });
  if (said.length > 0) return said.join('; ');
  return changes.length === 0 ? 'changes nothing' : 'changes folders only';
}

/** The notes for a caller about a command's changes. */
export function notesOf({
  difference,
  elsewhere,
  discarded,
}: Pick<Settled, 'difference' | 'elsewhere' | 'discarded'>): readonly string[] {
  const lost = elsewhere.filter(({ changes }) => changes.length > 0);
  return [
    ...(discarded === null
      ? []
      : [
          `nothing that it changed was kept: ${discarded.replace(/\.$/, '')}. The command ${summaryOf(difference)}.`,
        ]),
    ...(difference.special.length === 0
      ? []
      : [`${difference.special.length} pipe(s), socket(s) or files with special rights were not kept`]),
    ...lost.map((one) => `what it changed in ${one.layer.lower} was not kept: it ${summaryOf(one)}`),
  ];
}

function isFile({ before, after }: Changed): boolean {
  return (after?.type ?? before) !== 'folder';
}

/** Every change as data; the data of git is left out, for one commit makes dozens of files. */
export function shownChanges({ changes }: Difference): readonly ShownChange[] {
  return changes
    .filter(({ path }) => !isGitData(path))
    .map(({ op, path, before, after }) => ({
      op,
      path: shownPath(path),
      type: after?.type ?? before ?? 'file',
    }));
}
