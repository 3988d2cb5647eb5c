// Reads a patch in the form that begins with "*** Begin Patch" into the changes that it makes.

import type { ActionOf } from '../../core/index.ts';

type Changes = NonNullable<ActionOf<'write'>['changes']>;
type Change = Changes[number];

const heading = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/;
const longestPath = 4096;

/** The changes of a patch; null where it cannot be read, and so might change anything. */
export function readPatch(text: string): Changes | null {
  const lines = text.trim().split(/\r?\n/);
  if (lines[0]?.trim() !== '*** Begin Patch' || lines.at(-1)?.trim() !== '*** End Patch') return null;
  const changes: Change[] = [];
  let open: { op: Change['op']; path: string; to?: string; old: string[]; new: string[] } | undefined;
  const close = () => {
    if (open !== undefined) changes.push(changeOf(open));
    open = undefined;
  };
  for (const line of lines.slice(1, -1)) {
    const [, kind, path = ''] = heading.exec(line) ?? [];
    if (kind === undefined) {
      if (line.startsWith('***')) {
        if (line.trim() === '*** End of File') continue;
        return null;
      }
      if (open === undefined || !takes(open, line)) return null;
    } else if (path.length > longestPath || path.trim() === '') return null;
    else if (kind === 'Move to') {
      if (open?.op !== 'edit' || open.to !== undefined) return null;
      open.to = path.trim();
    } else {
      close();
      const op = kind === 'Add File' ? 'create' : kind === 'Delete File' ? 'delete' : 'edit';
      open = { op, path: path.trim(), old: [], new: [] };
    }
  }
  close();
  return changes.length === 0 ? null : changes;
}

/** Takes one line of a change's body; false where such a line cannot stand there. */
function takes(change: { op: Change['op']; old: string[]; new: string[] }, line: string): boolean {
  if (change.op === 'delete') return line.trim() === '';
  const sign = line.charAt(0);
  const rest = line.slice(1);
  if (sign === '+') change.new.push(rest);
  else if (change.op === 'create') return line === '';
  else if (sign === '-') change.old.push(rest);
  else if (sign === ' ' || line === '') {
    change.old.push(rest);
    change.new.push(rest);
  } else return line.startsWith('@@');
  return true;
}

function changeOf(open: {
  op: Change['op'];
  path: string;
  to?: string;
  old: string[];
  new: string[];
}): Change {
  const { op, path, to } = open;
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  if (op === 'create') return { op, path, content: text(open.new) };
  if (op === 'delete') return { op, path };
  const edits = open.old.length + open.new.length === 0 ? [] : [{ old: text(open.old), new: text(open.new) }];
  return to === undefined ? { op, path, edits } : { op: 'rename', path, to, edits };
}
