// What a patch in the arguments of a call does to files, as the changes that are judged.

import { type FilePatch, readPatch } from '../../core/diff.ts';
import { type ActionOf, InputError } from '../../core/index.ts';

type Change = NonNullable<ActionOf<'write'>['changes']>[number];

/** The changes of a patch; null where it cannot be read, and so might change anything. */
export function changesIn(text: string): readonly Change[] | null {
  try {
    return readPatch(text).map(changeOf);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

function changeOf({ op, path, to, hunks, executable }: FilePatch): Change {
  const edits = hunks.map(({ lines }) => {
    const side = (kind: '-' | '+') => lines.filter((line) => line.kind === ' ' || line.kind === kind);
    const text = (kind: '-' | '+') =>
      side(kind)
        .map((line) => line.text)
        .join('');
    return { old: text('-'), new: text('+') };
  });
  const mode = executable === undefined ? {} : { executable };
  if (op === 'create') return { op, path, content: edits.map((edit) => edit.new).join(''), ...mode };
  if (op === 'delete') return { op, path };
  return op === 'edit' || to === undefined
    ? { op: 'edit', path, edits, ...mode }
    : { op, path, to, edits, ...mode };
}
