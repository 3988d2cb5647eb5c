// Changes of a text, and where a place in the changed text was before.

/** A part of a text and what replaces it; an empty part is an insertion. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with its edits applied. */
export interface Edited {
  readonly text: string;
  /** The place in the text as it was. */
  before(place: number): number;
}

/** Applies edits, which do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): Edited {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let last = 0;
  /** Where the text behind each edit that changes its length begins, before and after. */
  const shifts: { readonly before: number; readonly after: number; readonly from: number }[] = [];
  for (const edit of sorted) {
    result += text.slice(last, edit.start);
    const from = result.length;
    result += edit.text;
    last = edit.end;
    if (edit.text.length !== edit.end - edit.start) {
      shifts.push({ from, before: edit.end, after: result.length });
    }
  }
  result += text.slice(last);
  return { text: result, before: (place) => placeBefore(place, shifts) };
}

function placeBefore(
  place: number,
  shifts: readonly { readonly before: number; readonly after: number; readonly from: number }[],
): number {
  let [before, after] = [0, 0];
  for (const shift of shifts) {
    if (place < shift.from) break;
    if (place < shift.after) return shift.before;
    ({ before, after } = shift);
  }
  return before + place - after;
}

/** White space for a part of a text; line ends stay. */
export function whiteSpaceFor(part: string): string {
  return part.replace(/[^\n\r]/g, ' ');
}

/** The line ends of a part of a text, so that what replaces it has as many lines. */
export function lineEndsOf(part: string): string {
  return part.replace(/[^\n\r]/g, '');
}
