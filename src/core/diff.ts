// Differences between texts, line by line: found, shown as hunks, read from a patch and applied.

import { InputError } from './errors.ts';
import { visible } from './text.ts';

// ── Lines that differ between two texts, as hunks with the lines around them; and texts with hunks put into them.

/** One line of a hunk: unchanged, removed or added. */
interface HunkLine {
  readonly kind: ' ' | '-' | '+';
  /** With its line end, where it has one. */
  readonly text: string;
}

/** A range of changed lines; `start` counts from 1 in the old text, 0 if nothing precedes it. */
export interface Hunk {
  readonly start: number;
  readonly lines: readonly HunkLine[];
}

/** A text in lines, each with its end. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

const around = 3;
/** Beyond this many differing lines the search for the shortest edit script costs more than it is worth. */
const mostEdits = 1000;

/** The hunks that lead from one text to another. */
export function diffLines(before: string, after: string): readonly Hunk[] {
  const old = linesOf(before);
  const now = linesOf(after);
  let top = 0;
  while (top < old.length && top < now.length && old[top] === now[top]) top++;
  let end = 0;
  while (end < old.length - top && end < now.length - top && old.at(-1 - end) === now.at(-1 - end)) end++;
  if (top === old.length && top === now.length) return [];
  const middle = edits(old.slice(top, old.length - end), now.slice(top, now.length - end));
  const lines: HunkLine[] = [
    ...old.slice(0, top).map((text) => ({ kind: ' ', text }) as const),
    ...middle,
    ...old.slice(old.length - end).map((text) => ({ kind: ' ', text }) as const),
  ];
  return grouped(lines);
}

/** Every line of both, in order: the shortest way from one to the other, by Myers' greedy walk. */
function edits(old: readonly string[], now: readonly string[]): readonly HunkLine[] {
  const whole = (): readonly HunkLine[] => [
    ...old.map((text) => ({ kind: '-', text }) as const),
    ...now.map((text) => ({ kind: '+', text }) as const),
  ];
  if (old.length === 0 || now.length === 0) return whole();
  const most = Math.min(old.length + now.length, mostEdits);
  const trace: Int32Array[] = [];
  const reach = new Int32Array(2 * most + 3);
  const at = (k: number): number => reach[k + most + 1] ?? 0;
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice());
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < old.length && x - k < now.length && old[x] === now[x - k]) x++;
      reach[k + most + 1] = x;
      if (x >= old.length && x - k >= now.length) return walkBack(old, now, trace, most);
    }
  }
  return whole();
}

function walkBack(
  old: readonly string[],
  now: readonly string[],
  trace: readonly Int32Array[],
  most: number,
): readonly HunkLine[] {
  const lines: HunkLine[] = [];
  let x = old.length;
  let y = now.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d];
    const at = (k: number): number => reach?.[k + most + 1] ?? 0;
    const k = x - y;
    const from = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const startX = d === 0 ? 0 : at(from);
    const startY = d === 0 ? 0 : startX - from;
    while (x > startX && y > startY && x > 0 && y > 0) {
      lines.push({ kind: ' ', text: old[--x] ?? '' });
      y--;
    }
    if (d === 0) break;
    if (x === startX) lines.push({ kind: '+', text: now[--y] ?? '' });
    else lines.push({ kind: '-', text: old[--x] ?? '' });
  }
  return lines.reverse();
}

/** Cuts a run of lines into hunks with a few lines around every change. */
function grouped(lines: readonly HunkLine[]): readonly Hunk[] {
  const near = new Uint8Array(lines.length);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === ' ') continue;
    near.fill(1, Math.max(0, index - around), Math.min(lines.length, index + around + 1));
  }
  const hunks: { start: number; lines: HunkLine[] }[] = [];
  let line = 0;
  let open = false;
  for (const [index, part] of lines.entries()) {
    if (part.kind !== '+') line++;
    if (near[index] !== 1) {
      open = false;
      continue;
    }
    if (!open) hunks.push({ start: line, lines: [] });
    open = true;
    hunks.at(-1)?.lines.push(part);
  }
  // Only a hunk before an empty text begins at line 0.
  return hunks.map(({ start, lines: own }) => ({
    start: own.some(({ kind }) => kind !== '+') ? Math.max(1, start) : start,
    lines: own,
  }));
}

/**
 * The text with those hunks of `diffLines` put into it that are wanted, exactly where they belong.
 * INVARIANT: all of them give the text that was compared, none of them the text itself.
 */
export function takeHunks(before: string, hunks: readonly Hunk[], wanted: (hunk: number) => boolean): string {
  const old = linesOf(before);
  const text: string[] = [];
  let at = 0;
  for (const [index, { start, lines }] of hunks.entries()) {
    const kept = lines.filter(({ kind }) => kind !== '+').length;
    const from = kept === 0 ? start : start - 1;
    const left = wanted(index) ? '-' : '+';
    text.push(old.slice(at, from).join(''));
    for (const line of lines) if (line.kind !== left) text.push(line.text);
    at = from + kept;
  }
  return text.join('') + old.slice(at).join('');
}

/** Why a hunk does not fit, by its number from 0. */
interface Misfit {
  readonly hunk: number;
  readonly line: string;
}

/**
 * The text with hunks applied. A hunk whose lines are elsewhere is moved to the nearest matching position; one without
 * a match is a misfit, and nothing is changed.
 */
export function applyHunks(before: string, hunks: readonly Hunk[]): { text: string } | { misfit: Misfit } {
  let lines = linesOf(before);
  const crlf = lines.length > 0 && lines.every((line) => line.endsWith('\r\n'));
  let shift = 0;
  let done = 0;
  for (const [index, hunk] of hunks.entries()) {
    const ended = crlf ? hunk.lines.map(withCarriage) : hunk.lines;
    const old = ended.filter(({ kind }) => kind !== '+').map(({ text }) => text);
    const now = ended.filter(({ kind }) => kind !== '-').map(({ text }) => text);
    const wanted = Math.max(0, (old.length === 0 ? hunk.start : hunk.start - 1) + shift);
    const at = placeFor(lines, old, wanted, done);
    if (at === null) return { misfit: { hunk: index, line: (old[0] ?? '').trimEnd() } };
    lines = lines.slice(0, at).concat(now, lines.slice(at + old.length));
    shift += now.length - old.length + (at - wanted);
    done = at + now.length;
  }
  return { text: joined(lines) };
}

function withCarriage({ kind, text }: HunkLine): HunkLine {
  return { kind, text: text.endsWith('\n') && !text.endsWith('\r\n') ? `${text.slice(0, -1)}\r\n` : text };
}

/** A line without an end may only be the last one. */
function joined(lines: readonly string[]): string {
  return lines
    .map((line, index) => (index < lines.length - 1 && !line.endsWith('\n') ? `${line}\n` : line))
    .join('');
}

function placeFor(
  lines: readonly string[],
  old: readonly string[],
  wanted: number,
  from: number,
): number | null {
  if (old.length === 0) return Math.min(Math.max(wanted, from), lines.length);
  const fits = (at: number): boolean =>
    at >= from && old.every((text, offset) => isLine(lines[at + offset], text));
  const last = lines.length - old.length;
  for (let away = 0; away <= lines.length; away++) {
    if (wanted - away >= 0 && wanted - away <= last && fits(wanted - away)) return wanted - away;
    if (wanted + away <= last && fits(wanted + away)) return wanted + away;
  }
  return null;
}

/** The last line of a text may lack its end in one of the two. */
function isLine(line: string | undefined, text: string): boolean {
  return line === text || (line !== undefined && line.replace(/\r?\n$/, '') === text.replace(/\r?\n$/, ''));
}

/** Hunks as people read them. */
export function showHunks(path: string, hunks: readonly Hunk[]): string {
  let shift = 0;
  const shown = hunks.map((hunk) => {
    const text = showHunk(hunk, shift);
    shift += hunk.lines.reduce((sum, { kind }) => sum + (kind === '+' ? 1 : kind === '-' ? -1 : 0), 0);
    return text;
  });
  return `--- a/${path}\n+++ b/${path}\n${shown.join('')}`;
}

/** One hunk as people read it; `shift` is by how many lines those before it made the text longer. */
export function showHunk({ start, lines }: Hunk, shift = 0): string {
  const old = lines.filter(({ kind }) => kind !== '+').length;
  const now = lines.filter(({ kind }) => kind !== '-').length;
  const body = lines.map(({ kind, text }) =>
    text.endsWith('\n') ? `${kind}${text}` : `${kind}${text}\n\\ No newline at end of file\n`,
  );
  return `@@ -${start},${old} +${old === 0 ? start + 1 + shift : start + shift},${now} @@\n${body.join('')}`;
}

// ── Patches: the resulting files, from unified diffs and from the format that begins with "*** Begin Patch".

/** The effect of a patch on one file. */
export interface FilePatch {
  readonly op: 'create' | 'edit' | 'delete' | 'rename';
  readonly path: string;
  /** The new path of the file, for a rename. */
  readonly to?: string;
  /** Whether the file is executable afterwards, if the patch sets it. */
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

/** Git's headers for a file before its lines, or instead of them. */
interface GitHead {
  /** Both names, as written after `diff --git`. */
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
    } else if (line.startsWith('@@ ')) throw lines.fail('a hunk precedes the name of its file');
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

/** The single name that occurs twice after `diff --git`, once for each side. */
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
