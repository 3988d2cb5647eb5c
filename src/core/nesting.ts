// Rejects texts for the module parser that nest so deeply that they would end the process. The parser is recursive, and
// a stack that overflows there cannot be caught.

/** A shorter text cannot nest too deeply. */
const shortest = 4000;
/** Most brackets and tags that are open at a time, tokens that follow one another without an end, and `<` without `>`. */
const mostOpen = 1000;
const mostTags = 2000;
const mostTokens = 6000;
const mostAngles = 3000;

/** Whether a text nests too deeply. One pass; texts and comments are stepped over. */
export function isTooDeep(text: string): boolean {
  if (text.length < shortest) return false;
  /** How many tokens precede each open bracket since the last end; their sum is the possible depth of a parser. */
  const outer: number[] = [];
  let sum = 0;
  let tokens = 0;
  /** Tokens before the last end: code after `else` is nested inside of them. */
  let before = 0;
  let angles = 0;
  let tags = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32) continue;
    if (isWordPart(code)) {
      tokens = isElse(text, at) ? before + 1 : tokens + 1;
      while (isWordPart(text.charCodeAt(at + 1))) at++;
      if (sum + tokens > mostTokens) return true;
      continue;
    }
    if (code === 34 || code === 39 || code === 96) at = textEnd(text, at, code);
    else if (code === 47 && text.charCodeAt(at + 1) === 47) at = lineEnd(text, at);
    else if (code === 47 && text.charCodeAt(at + 1) === 42) at = commentEnd(text, at);
    else if (code === 40 || code === 91 || code === 123) {
      outer.push(tokens);
      sum += tokens;
      tokens = 0;
      before = 0;
    } else if (code === 41 || code === 93 || code === 125) {
      tokens = outer.pop() ?? 0;
      sum -= tokens;
      // A block that closes with a brace at the end of a line is a statement of its own.
      if (code === 125 && isBreak(text, at + 1)) [before, tokens] = [tokens, 0];
    } else if (code === 59 || code === 44) [before, tokens] = [tokens, 0];
    else {
      tokens++;
      const next = text.charCodeAt(at + 1);
      if (code === 60) {
        angles++;
        if (next === 47) tags--;
        else if (!isWordPart(text.charCodeAt(at - 1)) && (isWordPart(next) || next === 62)) tags++;
      } else if (code === 62 && angles > 0 && text.charCodeAt(at - 1) !== 61) angles--;
      else if (code === 47 && next === 62) tags--;
      if (tags < 0) tags = 0;
    }
    if (outer.length > mostOpen || tags > mostTags) return true;
    if (sum + tokens > mostTokens || angles > mostAngles) return true;
  }
  return false;
}

const words = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w$]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** False behind the end of a text, where there is no code. */
function isWordPart(code: number): boolean {
  return code < 128 ? words[code] === 1 : code > 127;
}

function isElse(text: string, at: number): boolean {
  return text.charCodeAt(at) === 101 && text.startsWith('else', at);
}

function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 10 || code === 13;
}

/**
 * The closing quote of a string; one that does not end on its line is not a string, such as an apostrophe between tags.
 */
function textEnd(text: string, start: number, quote: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === 92) at++;
    else if (code === 10 && quote !== 96) return start;
    // A template substitution may contain further templates, so it is scanned as code.
    else if (quote === 96 && code === 36 && text.charCodeAt(at + 1) === 123) return at;
  }
  return start;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function commentEnd(text: string, at: number): number {
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? text.length : end + 1;
}
