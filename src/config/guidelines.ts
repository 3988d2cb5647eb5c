// The shape of a guideline of the user's own, as it stands in [guidelines.categories.NAME] of sallyport.toml.

import {
  checked,
  describe,
  type Infer,
  list,
  object,
  optional,
  type Path,
  type Problem,
  record,
  text,
} from '../core/shape.ts';
import type { Guideline } from './settings.ts';

const texts = list(text({ min: 1, max: 4000 }), { max: 50 });
const phrases = list(text({ min: 1, max: 2000 }), { max: 100 });

const category = object({
  reason: describe('What a response may not do, in one plain sentence.', text({ min: 1, max: 500 })),
  refusal: describe(
    'What is said instead, where this guideline has words of its own.',
    optional(text({ min: 1, max: 2000 })),
  ),
  phrases: describe(
    'Words of one sentence, in this order: `a|b` either, `a_b` both in a row, `a*` any ending, `...` others between.',
    optional(phrases),
  ),
  unless: describe('Words that, in the same sentence, make a phrase harmless.', optional(phrases)),
  patterns: describe('Regular expressions, for what words do not tell.', optional(phrases)),
  examples: describe(
    'Texts that prove the guideline: it loads only if each "hit" is hit and no "miss" is.',
    object({ hit: texts, miss: texts }),
  ),
});

/** Guidelines as they are written. Whoever knows the guard proves their examples. */
export type GuidelineValues = Infer<typeof guidelineShape>;

/** What all examples together may have: they are read whenever the file is first used, and agents write such files too. */
const mostCharacters = 65_536;

export const guidelineShape = checked(record(category), (categories, path, report) => {
  const entries = Object.entries(categories);
  if (entries.length > 50) report({ path, message: 'there are more than 50 guidelines' });
  for (const [name, given] of entries) checkCategory(name, given, [...path, name], report);
  const size = entries
    .flatMap(([, { examples }]) => [...examples.hit, ...examples.miss])
    .reduce((sum, example) => sum + example.length, 0);
  if (size > mostCharacters) {
    report({ path, message: `the examples have more than ${mostCharacters} characters together` });
  }
});

function checkCategory(
  name: string,
  { phrases: given = [], patterns = [], examples }: Infer<typeof category>,
  path: Path,
  report: (problem: Problem) => void,
): void {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) {
    report({ path, message: 'a guideline has a name of small letters, digits and "_"' });
  }
  if (given.length + patterns.length === 0) {
    report({ path, message: 'a guideline has "phrases" or "patterns"' });
  }
  for (const expected of ['hit', 'miss'] as const) {
    if (examples[expected].length === 0) {
      report({ path: [...path, 'examples', expected], message: 'must have at least one text' });
    }
  }
}

/** The guidelines as the guard has them. */
export function readGuidelines(values: GuidelineValues): readonly Guideline[] {
  return Object.entries(values).map(
    ([name, { reason, refusal, phrases: given, unless, patterns, examples }]) => ({
      name,
      reason,
      ...(refusal === undefined ? {} : { refusal }),
      phrases: given ?? [],
      unless: unless ?? [],
      patterns: patterns ?? [],
      examples,
    }),
  );
}
