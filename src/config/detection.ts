// The shape of a detection rule of the user's own, as it stands in a pack or in sallyport.toml.

import {
  choice,
  describe,
  flag,
  type Infer,
  integer,
  list,
  number,
  object,
  optional,
  text,
} from '../core/shape.ts';

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
    'Texts that prove the rule: it loads only if each "hit" is hit and no "miss" is.',
    object({ hit: list(text({ min: 1, max: 8000 })), miss: list(text({ min: 1, max: 8000 })) }),
  ),
});

export type DetectionRule = Infer<typeof detectionRule>;
