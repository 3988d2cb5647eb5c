// Whether a text only speaks about an attack: quotes one in a test or an article, or shows one in a block of code.

/** What remains of a rule that is only spoken about. */
export const mentionWeight = 0.35;

/** Words of those who write about attacks, some lines before one that they quote. */
export const aboutAttacks =
  /injection|jailbreak|attack|malicious|adversarial|vulnerab|payload|exploit|\bhack(?:s|ed|ing)?\b|red.team/i;

/** Words of those who test for attacks, in the line of one that they quote. */
const testing =
  /\b(?:expect|assert\w*|it|test|describe|detect\w*|is\w*|check\w*|contains|includes|match\w*|block\w*|flag\w*|scan\w*)\(|\b(?:tests?|asserts?|flags?|flagged|catches|matches|finds|classifier|refuses?|rejects?|detects?|blocks?|examples?|phrases?|patterns?|keywords?|strings?|testes?|exemplos?|ejemplos?|beispiele?|exemples?)\b/i;

const speaking =
  /\b(?:what does|what is|was bedeutet|o que significa|qu[eé] significa|que veut dire|meaning of|e\.g|i\.e|such as|for example|for instance|examples? of|phrases? like|like|says?|called|(?:got|received) (?:the|a|this) message|wrote|writes|typed|attacks?|attackers?|inject(?:ion|ions|ed)?|jailbreaks?|malicious|adversarial|por exemplo|por ejemplo|par exemple|zum beispiel|z\.b)\b[^\n]{0,60}$/i;

/** Whether the span is quoted, or shown in a block of code, by someone who speaks about such texts. */
export function isMentioned(text: string, fences: Fences, start: number, end: number): boolean {
  const open = quoteBefore(text, start);
  if (open >= 0 && /^[^\n]{0,240}?["'`*]/.test(text.slice(end, end + 241)))
    if (speaking.test(text.slice(Math.max(0, open - 100), open))) return true;
  if (open >= 0 && isQuoted(text, open, end)) {
    const before = text.slice(Math.max(0, open - 300), open);
    if (
      /^["'`] (?:attacks?|payloads?|phrases?|injections?|jailbreaks?|tricks?)\b/i.test(
        text.slice(text.indexOf(text.charAt(open), end)).slice(0, 24),
      )
    )
      return true;
    if (aboutAttacks.test(before) || testing.test(before.slice(before.lastIndexOf('\n') + 1))) return true;
  }
  const fence = fences(start);
  return fence >= 0 && showing.test(text.slice(Math.max(0, fence - 200), fence));
}

/** Whether the quotation that opens at a place also closes in its line, by the same sign. */
function isQuoted(text: string, open: number, end: number): boolean {
  const close = text.indexOf(text.charAt(open), end);
  return close >= 0 && close - end <= 400 && !text.slice(end, close).includes('\n');
}

/** Where a quotation mark opens in the same line, not far before the place, or -1. */
function quoteBefore(text: string, place: number): number {
  for (let at = place - 1; at >= 0 && place - at <= 60; at--) {
    const sign = text.charAt(at);
    if (sign === '\n') return -1;
    if (sign === '"' || sign === "'" || sign === '`' || sign === '*') return at;
  }
  return -1;
}

const showing =
  /\b(?:examples?|prompts?|attacks?|attackers?|injections?|jailbreaks?|exemplos?|ejemplos?|beispiele?|exemples?)\b/i;

/** Where the block of code opens that a place is in, or -1. */
export type Fences = (place: number) => number;

/** The blocks of code of a text, looked for when first asked. */
export function fencesOf(text: string): Fences {
  let places: readonly number[] | undefined;
  return (place) => {
    places ??= Array.from(text.matchAll(/```/g), ({ index }) => index);
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return low % 2 === 1 ? (places[low - 1] ?? -1) : -1;
  };
}

/** Whether the first quotation inside a span is one that only mentions an attack. */
export function isQuotation(text: string, fences: Fences, start: number, end: number): boolean {
  const at = text.slice(start, end).search(/["'`]/);
  return at >= 0 && isMentioned(text, fences, start + at + 1, Math.min(start + at + 20, end));
}
