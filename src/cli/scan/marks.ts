// Marks: comments by which a file says that a finding is known and wanted there, such as a fixture.
//
//   sallyport:allow              what is found on this line
//   sallyport:allow-next-line    what is found on the next line
//   sallyport:allow-file         what is found in this file; stands in its first five lines
//
// Each may name rules, with commas between, and then holds for those alone; anything else behind it is the reason.

/** How many characters of a line to each side of a finding are searched for a mark. */
export const markReach = 1000;

/** How many lines at the top of a file are searched for a mark that holds for all of it. */
export const fileMarkLines = 5;

export type MarkPlace = 'line' | 'next-line' | 'file';

const suffixes: Readonly<Record<MarkPlace, string>> = { line: '', 'next-line': '-next-line', file: '-file' };

/** Whether a text holds a mark of this form for a rule. */
export function isMarked(
  text: string,
  place: MarkPlace,
  rule: string,
  isRule: (word: string) => boolean,
): boolean {
  const word = `sallyport:allow${suffixes[place]}`;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const rest = text.slice(at + word.length, at + word.length + markReach);
    if (/^[\w-]/.test(rest)) continue;
    const named = (/^[ \t]+([\w,-]+)/.exec(rest)?.[1] ?? '').split(',');
    if (!named.every(isRule) || named.includes(rule)) return true;
  }
  return false;
}
