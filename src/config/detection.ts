// The shapes of the user's own detection rules and guidelines, in a pack or in sallyport.toml.

import {
  checked,
  choice,
  describe,
  flag,
  type Infer,
  integer,
  list,
  number,
  object,
  optional,
  otherwise,
  type Path,
  type Problem,
  record,
  text,
} from '../core/shape.ts';
import { checkExamples } from './command.ts';

// ── The shape of a user-defined guideline, in [guidelines.categories.NAME] of sallyport.toml.

const texts = describe('At least one.', list(text({ min: 1, max: 4000 }), { max: 50 }));
const phrases = list(text({ min: 1, max: 2000 }), { max: 100 });

const category = object({
  reason: describe('The forbidden content, in one sentence.', text({ min: 1, max: 500 })),
  refusal: describe('Refusal of this guideline.', optional(text({ min: 1, max: 2000 }))),
  phrases: describe(
    'Words of one sentence, in order: `a|b` either, `a_b` in a row, `a*` any ending, `...` others between.',
    otherwise([], phrases),
  ),
  unless: describe('Words that exempt the sentence.', otherwise([], phrases)),
  patterns: describe('Regular expressions.', otherwise([], phrases)),
  examples: describe(
    'Texts that must match (`hit`) and must not (`miss`).',
    object({ hit: texts, miss: texts }),
  ),
});

/** Guidelines as they are written. The guard proves their examples. */
type GuidelineValues = Infer<typeof guidelineShape>;

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

// ── The shape of a user-defined detection rule, in a pack or in sallyport.toml.

const words = (max = 60) => list(text({ min: 1, max }), { max: 100 });
const name = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const detectionRule = object({
  id: describe(
    'The name of the rule in findings.',
    text({ pattern: name, max: 60, what: 'an id such as "acme-token"' }),
  ),
  name: describe('What it finds, for people.', text({ min: 1, max: 120 })),
  kind: describe(
    'What the placeholder says.',
    text({ pattern: name, max: 40, what: 'a kind such as "api-key"' }),
  ),
  keywords: describe('Where to look: words that every match contains, in any case.', optional(words())),
  anchor: describe('Look at runs of digits instead of at keywords.', optional(choice(['digit']))),
  pattern: describe(
    'What to match; the secret is the group "secret", or all of it.',
    optional(text({ min: 1, max: 2000 })),
  ),
  assigned: describe(
    'Instead of a pattern: words in the name that a value is assigned to.',
    optional(words()),
  ),
  value: describe('With "assigned": what the value looks like.', optional(text({ min: 1, max: 1000 }))),
  loose: describe('The match may stand inside a word.', optional(flag())),
  check: describe('Validators by name.', optional(words())),
  entropy: describe('Least bits per character of the secret.', optional(number(0, 8))),
  allow: describe('Patterns over the secret that make it no finding.', optional(words(1000))),
  near: describe('One of these words must stand shortly before.', optional(words())),
  within: describe('How many characters before.', optional(integer(1, 96))),
  gate: describe('One of these words must have been seen before.', optional(words())),
  swallow: describe('How the rest of a long value is recognised.', optional(choice(['pem']))),
  common: describe('Everyday data that a scan reports only when asked.', optional(flag())),
  path: describe('Only in files whose path matches.', optional(text({ min: 1, max: 1000 }))),
  examples: describe(
    'Texts that must match (`hit`) and must not (`miss`); otherwise the rule does not load.',
    object({ hit: list(text({ min: 1, max: 8000 })), miss: list(text({ min: 1, max: 8000 })) }),
  ),
});

export type DetectionRule = Infer<typeof detectionRule>;
