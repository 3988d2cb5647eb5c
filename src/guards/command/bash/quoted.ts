// Words in quotes: a text divided into its words, and words put into one text.

import { concatAll, knownText, type Text } from './values.ts';

/** Words of a text with quotes, as `env -S` and aliases of git divide it. */
export function splitQuoted(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (character === quote) quote = '';
    else if (character === '\\' && quote !== "'" && index + 1 < text.length) {
      index += 1;
      const escaped = text[index] ?? '';
      word = (word ?? '') + (quote !== '' && !/["\\$]/.test(escaped) ? `\\${escaped}` : escaped);
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (word !== null) words.push(word);
  return words;
}

/** Words as one shell text in which each stays one word. */
export function quoteWords(words: readonly Text[]): Text {
  return concatAll(
    words.map((word) => {
      const alternatives = word.alternatives.map((text) =>
        /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`,
      );
      return { ...knownText(''), alternatives, origins: word.origins };
    }),
    ' ',
  );
}
