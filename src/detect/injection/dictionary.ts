// Words by which a text in disguise is known for language: those of the rules and the most frequent ones.

import { lexicon } from './lexicon.ts';
import { phraseRules } from './rules/index.ts';

const frequent = `
  the and you your that this with from have what when will must should please following into about tell there their would
  write give make answer question text story code data file email user access granted password secret system prompt now only just
  instead then here been more other some than them they were which
  as is it in my we us be by so no on or an at if me do go he up of to
  regra gesamten meaning alphabetical order first sentence chat
  um uma para com que nao voce isso este esta mais como quando seu sua todas agora
  una los las del con por pero ahora todas esta
  une des les pour avec dans est vous que toutes sont
  und der die das ist nicht ein eine mit fur auf alle jetzt sie`;

let words: ReadonlySet<string> | undefined;

/** All of them, folded; made when first asked for. */
export function dictionary(): ReadonlySet<string> {
  words ??= new Set(
    [
      frequent,
      ...Object.values(lexicon),
      ...phraseRules.flatMap(({ phrases, together = [] }) => [
        ...phrases,
        ...together.flatMap(({ all }) => all),
      ]),
    ]
      .flatMap((line) => line.split(/[\s|?~]+/))
      .filter((word) => /^[a-z]{2,}$|^[aio]$/.test(word)),
  );
  return words;
}
