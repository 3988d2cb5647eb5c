// What stands behind a mark in the little languages of programs: `!command`, `%pipe%command`.

import { bareShell, type Inner, maxSearched, shellCode } from '../bash/executors/inner.ts';
import { knownText, type Text } from '../bash/values.ts';

/** The commands in lines of some words; a mark alone starts a shell. */
export function commandsIn(words: readonly Text[], pattern = /^!(.*)$/): readonly Inner[] {
  const lines = words.flatMap(({ alternatives }) =>
    alternatives.flatMap((text) => text.slice(0, maxSearched).split('\n')),
  );
  return lines.flatMap((line): readonly Inner[] => {
    const found = pattern.exec(line.trim())?.[1];
    if (found === undefined) return [];
    return [found.trim() === '' ? bareShell : shellCode(knownText(found))];
  });
}

/** What stands behind a mark in some words. */
export function markedTexts(
  words: readonly Text[],
  pattern: RegExp,
  start: (text: Text) => Inner,
): readonly Inner[] {
  return words
    .flatMap(({ alternatives }) => alternatives)
    .flatMap((text): readonly Inner[] => {
      if (text.length > maxSearched) return [{ kind: 'unknown' }];
      const found = pattern.exec(text)?.[1];
      return found === undefined ? [] : [start(knownText(found))];
    });
}

/** Macros of rpm that are commands or code. */
export function rpmMacros(words: readonly Text[]): readonly Inner[] {
  return [
    ...markedTexts(words, /%\((.*)\)/s, (text) => shellCode(text)),
    ...markedTexts(words, /%\{lua:(.*)\}/s, (text) => ({ kind: 'code', language: 'other', text })),
  ];
}
