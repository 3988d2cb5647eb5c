// The resulting content of files: from patches, complete texts and text replacements, computed before anything is
// judged or written.

import { applyHunks, type FilePatch } from '../core/diff.ts';
import { type ActionOf, InputError } from '../core/index.ts';
import { type Content, PathRefused, type Snapshots, stateOf } from '../ledger/snapshots/index.ts';

/** A file as an agent requests it: by patch, complete, or by text replacements. */
export type Edit =
  | FilePatch
  | {
      readonly op: 'whole';
      readonly path: string;
      readonly content: string;
      readonly executable?: boolean;
    }
  | {
      readonly op: 'replace';
      readonly path: string;
      readonly pairs: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[];
    };

/** The result for one file. */
export interface Outcome {
  readonly path: string;
  readonly before: Content | null;
  readonly after: string | null;
  /** Its permissions after the change. */
  readonly mode: number;
  /** The original file, for a rename; it is removed. */
  readonly from?: string;
}

/** The permissions of a new file. */
export const plainMode = 0o644;

/** The resulting content of every file; throws `InputError` if an edit does not fit its file. */
export function outcomesOf(edits: readonly Edit[], snapshots: Snapshots): readonly Outcome[] {
  const outcomes = new Map<string, Outcome>();
  const known = (path: string): Outcome => {
    const found = outcomes.get(path);
    if (found !== undefined) return found;
    const before = look(snapshots, path);
    return {
      path,
      before,
      after: before === null ? null : textIn(before, path),
      mode: before?.mode ?? plainMode,
    };
  };
  for (const edit of edits) {
    const { path } = edit;
    const from = known(path);
    const text = editedText(edit, from);
    const mode = modeAfter(edit, from.mode);
    if (edit.op === 'rename' && edit.to !== undefined) {
      const to = known(edit.to);
      if (to.after !== null) throw new InputError(`${edit.to} is there already`);
      outcomes.set(path, { ...from, after: null });
      // A rename onto an existing file is a deletion and an edit.
      const moved = from.before === null || to.before !== null ? {} : { from: path };
      outcomes.set(edit.to, { ...to, after: text, mode, ...moved });
    } else outcomes.set(path, { ...from, after: text, mode });
  }
  return [...outcomes.values()];
}

/** The execute permission is set or removed for every user with the read permission. */
function modeAfter(edit: Edit, mode: number): number {
  if (!('executable' in edit) || edit.executable === undefined) return mode;
  return edit.executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

/** The entry at a path. A path that the guard refuses is still judged, as if there were none; it is never written. */
export function look(snapshots: Pick<Snapshots, 'look'>, path: string): Content | null {
  try {
    return snapshots.look(path);
  } catch (error) {
    if (error instanceof PathRefused) return null;
    throw error;
  }
}

function editedText(edit: Edit, { path, after }: Outcome): string | null {
  switch (edit.op) {
    case 'whole':
      return edit.content;
    case 'delete':
      return null;
    case 'create':
      if (after !== null) throw new InputError(`${path} is there already`);
      return patched('', edit, path);
    case 'rename':
    case 'edit':
      if (after === null) throw new InputError(`${path} is not there`);
      return patched(after, edit, path);
    case 'replace':
      if (after === null) throw new InputError(`${path} is not there`);
      return replaced(after, edit.pairs, path);
  }
}

function patched(text: string, { hunks }: FilePatch, path: string): string {
  const result = applyHunks(text, hunks);
  if ('text' in result) return result.text;
  const { hunk, line } = result.misfit;
  throw new InputError(
    `hunk ${hunk + 1} of ${path} does not fit: no place has "${line.slice(0, 60)}" and what follows`,
  );
}

function replaced(
  text: string,
  pairs: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[],
  path: string,
): string {
  let result = text;
  for (const { old, new: now, all } of pairs) {
    const parts = result.split(old);
    if (old === '' || parts.length === 1)
      throw new InputError(`the text to replace does not stand in ${path}`);
    if (parts.length > 2 && all !== true) {
      throw new InputError(`the text to replace stands ${parts.length - 1} times in ${path}`);
    }
    result = parts.join(now);
  }
  return result;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file; throws `InputError` if it is not text. */
export function textIn({ type, bytes }: Content, path: string): string {
  if (type === 'link') throw new PathRefused(`${path} is a link`);
  try {
    return strict.decode(bytes);
  } catch (error) {
    throw new InputError(`${path} is no text in UTF-8`, { cause: error });
  }
}

/** For display only. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The bytes to write; null if the file is deleted. */
export function contentOf({ after, mode }: Pick<Outcome, 'after' | 'mode'>): Content | null {
  return after === null ? null : { type: 'file', bytes: Buffer.from(after), mode };
}

/** The action that is judged: exactly the resulting content of every file. */
export function writeOf(outcomes: readonly Outcome[], justification: string | undefined): ActionOf<'write'> {
  return {
    kind: 'write',
    changes: outcomes.map(({ path, before, after, mode }) => {
      if (after === null) return { op: 'delete', path };
      const runs = mode !== (before?.mode ?? plainMode) ? { executable: (mode & 0o111) !== 0 } : {};
      return { op: before === null ? 'create' : 'edit', path, content: after, ...runs };
    }),
    ...(justification === undefined ? {} : { justification }),
  };
}

/** One file of a change, by the hashes of its content before and after. */
export function hashesOf(outcome: Outcome): {
  readonly path: string;
  readonly before_hash: string | null;
  readonly after_hash: string | null;
} {
  const { path, before } = outcome;
  const after = contentOf(outcome);
  return {
    path,
    before_hash: before === null ? null : stateOf(before).hash,
    after_hash: after === null ? null : stateOf(after).hash,
  };
}
