// Lines that hand what follows a mark to a shell: `!command`.

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
