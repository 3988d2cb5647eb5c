// The shape of a guideline of the user's own, as it stands in [guidelines.categories.NAME] of sallyport.toml.

import {
  checked,
  describe,
  type Infer,
  list,
  object,
  optional,
  otherwise,
  type Path,
  type Problem,
  record,
  text,
} from '../core/shape.ts';
import { checkExamples } from './command.ts';

const texts = describe('At least one.', list(text({ min: 1, max: 4000 }), { max: 50 }));
const phrases = list(text({ min: 1, max: 2000 }), { max: 100 });

const category = object({
  reason: describe('What a response may not do, in one plain sentence.', text({ min: 1, max: 500 })),
  refusal: describe(
    'What is said instead, where this guideline has words of its own.',
    optional(text({ min: 1, max: 2000 })),
  ),
  phrases: describe(
    'Words of one sentence, in this order: `a|b` either, `a_b` both in a row, `a*` any ending, `...` others between.',
    otherwise([], phrases),
  ),
  unless: describe('Words that, in the same sentence, make a phrase harmless.', otherwise([], phrases)),
  patterns: describe('Regular expressions, for what words do not tell.', otherwise([], phrases)),
  examples: describe(
    'Texts that prove the guideline: it loads only if each "hit" is hit and no "miss" is.',
    object({ hit: texts, miss: texts }),
  ),
});

/** Guidelines as they are written. Whoever knows the guard proves their examples. */
export type GuidelineValues = Infer<typeof guidelineShape>;

export const guidelineShape = checked(record(category), (categories, path, report) => {
  const entries = Object.entries(categories);
  if (entries.length > 50) report({ path, message: 'there are more than 50 guidelines' });
  for (const [name, given] of entries) checkCategory(name, given, [...path, name], report);
  checkExamples(
    entries.map(([, { examples }]) => examples),
    path,
    report,
  );
});

function checkCategory(
  name: string,
  { phrases: given, patterns, examples }: Infer<typeof category>,
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

/** Something that no response may do. */
export type Guideline = { readonly name: string } & Infer<typeof category>;

/** The guidelines as the guard has them. */
export function readGuidelines(values: GuidelineValues): readonly Guideline[] {
  return Object.entries(values).map(([name, category]) => ({ name, ...category }));
}
