// Patches: what files become, from unified diffs and from the form that begins with "*** Begin Patch".

import type { Hunk, HunkLine } from './diff.ts';
import { InputError } from './errors.ts';
import { visible } from './text.ts';

/** What a patch does to one file. */
export interface FilePatch {
  readonly op: 'create' | 'edit' | 'delete' | 'rename';
  readonly path: string;
  /** Where the file goes, for a rename. */
  readonly to?: string;
  /** Whether the file can be run afterwards, where the patch says so. */
  readonly executable?: boolean;
  readonly hunks: readonly Hunk[];
}

const mostFiles = 1000;

/** Reads a patch; throws `InputError` where it is none or holds what cannot be applied as text. */
export function readPatch(text: string): readonly FilePatch[] {
  const patches = /^\*\*\* Begin Patch/m.test(text) ? readEnvelope(text) : readUnified(text);
  if (patches.length === 0) throw new InputError('the patch changes no file');
  if (patches.length > mostFiles) throw new InputError(`the patch changes more than ${mostFiles} files`);
  if (patches.some(({ path, to }) => path === '' || to === ''))
    throw new InputError('a file of the patch has no name');
  return patches;
}

/** Takes lines one after the other. */
class Lines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(text: string) {
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    this.#lines = lines;
  }

  get number(): number {
    return this.#at;
  }

  peek(): string | undefined {
    return this.#lines[this.#at];
  }

  next(): string | undefined {
    return this.#lines[this.#at++];
  }

  fail(what: string): InputError {
    return new InputError(`line ${this.#at} of the patch: ${what}`);
  }
}

// ── unified diffs

/** What git says about a file before its lines, or instead of them. */
interface GitHead {
  /** Both names, as they stand behind `diff --git`. */
  readonly names?: string;
  readonly from?: string;
  readonly to?: string;
  readonly mode?: string;
  readonly op?: 'create' | 'delete';
}

const modeLine = /^(new file mode|deleted file mode|new mode) (\d+)$/;

function readUnified(text: string): readonly FilePatch[] {
  const lines = new Lines(text);
  const patches: FilePatch[] = [];
  let head: GitHead = {};
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (line.startsWith('GIT binary patch') || /^Binary files .* differ$/.test(line)) {
      throw lines.fail('binary files are not patched');
    }
    const [, what, mode] = modeLine.exec(line) ?? [];
    if (line.startsWith('diff --git ')) {
      patches.push(...withoutLines(head, lines));
      head = { names: line.slice(11) };
    } else if (line.startsWith('rename from ')) head = { ...head, from: named(line.slice(12), lines) };
    else if (line.startsWith('rename to ')) head = { ...head, to: named(line.slice(10), lines) };
    else if (mode !== undefined && head.names !== undefined) {
      if (!/^100/.test(mode)) throw lines.fail('only plain files are patched');
      const op = what === 'new file mode' ? 'create' : what === 'deleted file mode' ? 'delete' : undefined;
      head = { ...head, mode, ...(op === undefined ? {} : { op }) };
    } else if (line.startsWith('--- ') && lines.peek()?.startsWith('+++ ') === true) {
      patches.push({ ...readFile(line, lines), ...executableIn(head) });
      head = {};
    } else if (line.startsWith('@@ ')) throw lines.fail('a hunk stands before the name of its file');
  }
  return [...patches, ...withoutLines(head, lines)];
}

/** A file whose lines stay as they are: it is renamed, made or deleted empty, or can be run from now on or no longer. */
function withoutLines(head: GitHead, lines: Lines): readonly FilePatch[] {
  const { from, to, mode, op, names } = head;
  if (from !== undefined && to !== undefined)
    return [{ op: 'rename', path: from, to, hunks: [], ...executableIn(head) }];
  if (mode === undefined || names === undefined) return [];
  return [{ op: op ?? 'edit', path: sameName(names, lines), hunks: [], ...executableIn(head) }];
}

function executableIn({ mode, op }: GitHead): { readonly executable?: boolean } {
  return mode === undefined || op === 'delete' ? {} : { executable: mode === '100755' };
}

/** The one name that stands twice behind `diff --git`, once for each side. */
function sameName(names: string, lines: Lines): string {
  const middle = names.startsWith('"') ? names.indexOf('" "') + 1 : (names.length - 1) / 2;
  const [old, now] = [named(names.slice(0, middle), lines), named(names.slice(middle + 1), lines)];
  if (!old.startsWith('a/') || !now.startsWith('b/') || old.slice(2) !== now.slice(2))
    throw lines.fail('the name of the file is not readable');
  return old.slice(2);
}

function readFile(first: string, lines: Lines): FilePatch {
  const old = fileName(first.slice(4), 'a/', lines);
  const now = fileName((lines.next() ?? '').slice(4), 'b/', lines);
  const hunks: Hunk[] = [];
  while (lines.peek()?.startsWith('@@ ') === true) hunks.push(readHunk(lines));
  if (hunks.length === 0) throw lines.fail('the file has no hunk');
  if (old === null && now === null) throw lines.fail('the file has no name');
  if (old === null) return { op: 'create', path: now ?? '', hunks };
  if (now === null) return { op: 'delete', path: old, hunks };
  return old === now ? { op: 'edit', path: old, hunks } : { op: 'rename', path: old, to: now, hunks };
}

function readHunk(lines: Lines): Hunk {
  const head = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines.next() ?? '');
  if (head === null) throw lines.fail('the head of a hunk is not readable');
  const [, start = '0', oldCount = '1', newCount = '1'] = head;
  let old = Number(oldCount);
  let now = Number(newCount);
  const found: HunkLine[] = [];
  while (old > 0 || now > 0) {
    const line = lines.next();
    // Some editors take away the blank of an empty line.
    const kind = line === '' ? ' ' : line?.charAt(0);
    if (line === undefined || (kind !== ' ' && kind !== '-' && kind !== '+'))
      throw lines.fail('the hunk ends too early');
    if (kind !== '+') old--;
    if (kind !== '-') now--;
    if (old < 0 || now < 0) throw lines.fail('the hunk has more lines than it says');
    const isCut = lines.peek()?.startsWith('\\') === true;
    if (isCut) lines.next();
    found.push({ kind, text: isCut ? line.slice(1) : `${line.slice(1)}\n` });
  }
  return { start: Number(start), lines: found };
}

/** The name behind `--- ` or `+++ `; null for no file. */
function fileName(text: string, side: 'a/' | 'b/', lines: Lines): string | null {
  const name = named(text.replace(/\t.*$/, ''), lines);
  if (name === '/dev/null') return null;
  return name.startsWith(side) ? name.slice(2) : name;
}

/** A name as git writes it: in quotes with escapes where it is not plain. */
function named(text: string, lines: Lines): string {
  const name = text.trim();
  if (!name.startsWith('"')) return name;
  if (!/^"(?:[^"\\]|\\(?:[abtnvfr"\\]|[0-7]{3}))*"$/.test(name))
    throw lines.fail(`the name ${visible(name, 60)} is not readable`);
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/g)) {
    if (/^\\\d/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8) & 0xff);
    else if (part.startsWith('\\')) bytes.push(escapes[part.charAt(1)] ?? part.charCodeAt(1));
    else for (const byte of encoder.encode(part)) bytes.push(byte);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

// ── *** Begin Patch

function readEnvelope(text: string): readonly FilePatch[] {
  const lines = new Lines(text);
  while (lines.peek() !== undefined && !/^\*\*\* Begin Patch\s*$/.test(lines.peek() ?? '')) lines.next();
  lines.next();
  const patches: FilePatch[] = [];
  for (;;) {
    const line = lines.next();
    if (line === undefined) throw lines.fail('"*** End Patch" is missing');
    if (/^\*\*\* End Patch\s*$/.test(line)) return patches;
    const head = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line);
    if (head === null) throw lines.fail('the name of a file is expected');
    const [, what, name = ''] = head;
    const path = name.trim();
    if (what === 'Delete') patches.push({ op: 'delete', path, hunks: [] });
    else if (what === 'Add') patches.push({ op: 'create', path, hunks: [addedHunk(lines)] });
    else patches.push(updated(path, lines));
  }
}

function addedHunk(lines: Lines): Hunk {
  const found: HunkLine[] = [];
  for (let line = lines.peek(); line !== undefined && !line.startsWith('*** '); line = lines.peek()) {
    if (!line.startsWith('+')) throw lines.fail('a new file has lines with "+" only');
    lines.next();
    found.push({ kind: '+', text: `${line.slice(1)}\n` });
  }
  return { start: 0, lines: found };
}

function updated(path: string, lines: Lines): FilePatch {
  const moved = /^\*\*\* Move to: (.+)$/.exec(lines.peek() ?? '')?.[1]?.trim();
  if (moved !== undefined) lines.next();
  const hunks: { start: number; lines: HunkLine[] }[] = [];
  for (let line = lines.peek(); line !== undefined; line = lines.peek()) {
    if (line.startsWith('*** ') && line.trim() !== '*** End of File') break;
    lines.next();
    if (line.startsWith('@@')) hunks.push({ start: 1, lines: [] });
    else if (line.trim() !== '*** End of File') {
      if (hunks.length === 0) hunks.push({ start: 1, lines: [] });
      const kind = line === '' ? ' ' : line.charAt(0);
      if (kind !== ' ' && kind !== '-' && kind !== '+')
        throw lines.fail('a line of a hunk begins with " ", "-" or "+"');
      hunks.at(-1)?.lines.push({ kind, text: `${line.slice(1)}\n` });
    }
  }
  const filled = hunks.filter((hunk) => hunk.lines.length > 0);
  if (moved !== undefined) return { op: 'rename', path, to: moved, hunks: filled };
  if (filled.length === 0) throw lines.fail('the file has no hunk');
  return { op: 'edit', path, hunks: filled };
}
