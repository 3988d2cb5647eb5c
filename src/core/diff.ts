// Lines that differ between two texts, as hunks with the lines around them; and texts with hunks put into them.

/** One line of a hunk: kept, taken away or added. */
export interface HunkLine {
  readonly kind: ' ' | '-' | '+';
  /** With its line end, where it has one. */
  readonly text: string;
}

/** A stretch of changed lines; `start` counts from 1 in the old text, 0 where nothing stands before. */
export interface Hunk {
  readonly start: number;
  readonly lines: readonly HunkLine[];
}

/** A text in lines, each with its end. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

const around = 3;
/** Beyond this many differing lines the search for the shortest way costs more than it tells. */
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
  // Only what stands before an empty text begins at line 0.
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
export interface Misfit {
  readonly hunk: number;
  readonly line: string;
}

/**
 * The text with hunks put into it. A hunk whose lines stand elsewhere is moved to the nearest place where they stand;
 * one that stands nowhere is a misfit, and nothing is changed.
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
