// Long values whose beginning has been decided: what takes the rest of them as it comes.

/** Takes what belongs to the value from a place on; keeps its own state between calls. */
export type TailMatcher = (
  text: string,
  from: number,
) => { readonly taken: number; readonly done: boolean; readonly overran?: boolean };

/** Most units of a key's body; a 16,384-bit RSA key has 12,700. */
const longestBody = 32_768;

/** Where in a key's body the next unit stands. */
type Place =
  /** At the start of a line, or in its indentation, quotes and signs of a continued string. */
  | 'margin'
  /** In base64, or in the name of a header line. */
  | 'line'
  /** After a blank or a sign that joins strings: only the line's end or a quote may follow. */
  | 'after'
  | 'header'
  | 'escape'
  /** In the dashes before END, in that line, in the dashes after it. */
  | 'dashes'
  | 'closing'
  | 'closed';

/**
 * The body of a PEM or PGP block, after its first characters: header lines, base64, line ends also as escapes,
 * strings put together over several lines, until the closing line. It ends before what cannot be part of one.
 * `inHeader`: the first characters ended in a header line.
 */
export function pemBody(inHeader: boolean): TailMatcher {
  let place: Place = inHeader ? 'header' : 'line';
  let length = 0;
  let dashes = 0;
  /** The header lines are over: a line has ended that was none. */
  let inBody = false;

  /** The place after a unit, or null if the unit cannot belong to a key. */
  const step = (unit: string): Place | null => {
    if (place === 'escape') {
      if (unit === 'n' || unit === 'r' || unit === '\n' || unit === '\r') return 'margin';
      return unit === 't' || unit === '"' || unit === "'" || unit === '\\' ? 'margin' : null;
    }
    if (place === 'header') return unit === '\n' ? 'margin' : unit === '\\' ? 'escape' : 'header';
    if (unit === '-') {
      dashes = place === 'dashes' || place === 'closed' ? dashes + 1 : 1;
      return place === 'closing' || place === 'closed'
        ? 'closed'
        : place === 'line' && !inBody
          ? 'line'
          : 'dashes';
    }
    if (place === 'dashes') return unit === 'E' && dashes >= 4 ? 'closing' : null;
    if (place === 'closing') return /[A-Z ]/.test(unit) ? 'closing' : null;
    if (unit === '\n' || unit === '\r') {
      if (place === 'line') inBody = true;
      return 'margin';
    }
    if (unit === '\\') {
      if (place === 'line') inBody = true;
      return 'escape';
    }
    if (unit === ' ' || unit === '\t') return place === 'margin' ? 'margin' : 'after';
    if (place === 'line' && unit === ':' && !inBody) return 'header';
    if (unit === '"' || unit === "'" || unit === '`') return 'margin';
    // A line of a key may begin with a plus, as may the next piece of a text put together.
    if (/[,;.]/.test(unit) || (unit === '+' && place === 'after')) return 'after';
    if (place === 'after') return null;
    if (place === 'margin' && /[|>#*/]/.test(unit)) return 'margin';
    return /[A-Za-z0-9+/=]/.test(unit) ? 'line' : null;
  };

  return (text, from) => {
    let at = from;
    for (; at < text.length; at++) {
      if (length++ >= longestBody) return { taken: at - from, done: true, overran: true };
      const next = step(text[at] ?? '');
      if (next === null) return { taken: at - from, done: true };
      place = next;
      if (place === 'closed' && dashes === 5) return { taken: at + 1 - from, done: true };
    }
    return { taken: at - from, done: false };
  };
}
