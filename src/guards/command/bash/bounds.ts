// The linear look at a script before it is parsed: refuses sizes and shapes on which parsing would take too long.

/** Longest script that is parsed, in UTF-16 units. */
export const maxSourceLength = 65_536;
/** Deepest nesting of brackets of any kind. */
const maxDepth = 96;
/** Sum over all characters of the depth in which they stand: every level is read once more by the parser. */
const maxDepthSum = 1_500_000;
/** Openings of the old arithmetic form, on which the parser is quadratic. */
const maxOldArithmetic = 48;
/** Sum over all words of their length times the braces that they leave open. */
const maxBraceWork = 2_000_000;
/** Characters that end a command. */
const maxSeparators = 6000;
/** Redirections of all kinds, and here-documents among them. */
const maxRedirections = 4000;
const maxHereDocuments = 256;
/** Dollar signs, and quotes of both kinds. */
const maxDollars = 6000;
const maxQuotes = 20_000;
/** Words that open a command inside another. */
const maxKeywords = 1500;
/** Substitutions of all kinds. */
const maxSubstitutions = 6000;

const code = (character: string): number => character.charCodeAt(0);
const newline = code('\n');
const space = code(' ');
const tab = code('\t');
const dollar = code('$');
const openRound = code('(');
const closeRound = code(')');
const openCurly = code('{');
const closeCurly = code('}');
const openSquare = code('[');
const backtick = code('`');
const backslash = code('\\');
const less = code('<');
const quotes: ReadonlySet<number> = new Set([code('"'), code("'")]);
const greater = code('>');
const separators: ReadonlySet<number> = new Set([newline, code(';'), code('|'), code('&')]);

const keywords = /\b(?:coproc|if|elif|while|until|for|case|select|function|time)\s/g;

/** Why the source must not be parsed, in plain words; null where it may be. */
export function refuseSource(source: string): string | null {
  if (source.length > maxSourceLength) return 'the command is too long to be followed';
  let depth = 0;
  let depthSum = 0;
  let deepest = 0;
  let oldArithmetic = 0;
  let separatorCount = 0;
  let substitutions = 0;
  let redirections = 0;
  let dollars = 0;
  let quoteCount = 0;
  let hereDocuments = 0;
  let wordStart = 0;
  let wordBraces = 0;
  let openBraces = 0;
  let braceWork = 0;
  for (let index = 0; index < source.length; index++) {
    const unit = source.charCodeAt(index);
    const previous = index === 0 ? 0 : source.charCodeAt(index - 1);
    if (unit === backslash) {
      if (source.charCodeAt(index + 1) === backtick) substitutions += 1;
      index += 1;
      continue;
    }
    if (separators.has(unit)) separatorCount += 1;
    if (unit === dollar) dollars += 1;
    if (quotes.has(unit)) quoteCount += 1;
    if (unit === less || unit === greater) {
      redirections += 1;
      if (unit === less && previous === less) hereDocuments += 1;
    }
    if (unit === newline || unit === space || unit === tab) {
      braceWork += wordBraces * (index - wordStart);
      wordBraces = 0;
      wordStart = index + 1;
    } else if (unit === openRound) {
      depth += 1;
      if (previous === dollar || previous === less || previous === greater) substitutions += 1;
    } else if (unit === closeRound) {
      depth = Math.max(0, depth - 1);
    } else if (unit === openCurly) {
      openBraces += 1;
      if (previous === dollar) substitutions += 1;
      else wordBraces += 1;
    } else if (unit === closeCurly) {
      openBraces = Math.max(0, openBraces - 1);
    } else if (unit === openSquare && previous === dollar) {
      oldArithmetic += 1;
    } else if (unit === backtick) {
      substitutions += 1;
    }
    depthSum += depth + openBraces;
    deepest = Math.max(deepest, depth + openBraces);
  }
  braceWork += wordBraces * (source.length - wordStart);
  if (deepest > maxDepth || depthSum > maxDepthSum) return 'the command is nested too deeply to be followed';
  if (oldArithmetic > maxOldArithmetic) return 'the command has too much arithmetic in the form $[ ]';
  if (braceWork > maxBraceWork) return 'the command has too many braces in one word';
  if (dollars > maxDollars || quoteCount > maxQuotes) return 'the command has too many parts';
  if (redirections > maxRedirections || hereDocuments > maxHereDocuments)
    return 'the command has too many parts';
  if (separatorCount > maxSeparators || substitutions > maxSubstitutions)
    return 'the command has too many parts';
  if (source.length > maxKeywords && (source.match(keywords)?.length ?? 0) > maxKeywords)
    return 'the command has too many parts';
  return null;
}

/** Words and signs, by which the time of a parser goes. */
export function tokensIn(source: string): number {
  let tokens = 0;
  let word = false;
  for (let index = 0; index < source.length; index++) {
    const unit = source.charCodeAt(index);
    const before = word;
    word =
      (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95;
    if (word ? !before : unit > 32) tokens++;
  }
  return tokens;
}
