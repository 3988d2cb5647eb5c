// Rule: a text that its reader cannot see is reported, whether or not it is an attack.

import { type Finding, type HidingPlace, hidingPlaces, type Rule } from '../../../core/index.ts';
import type { InjectionFlag } from '../../../detect/injection/index.ts';
import type { JudgedText, PromptFacts } from '../facts.ts';
import { file, hit, says, showing } from './finding.ts';

const hiddenText: Rule = {
  id: 'hidden_text',
  guard: 'prompt',
  decision: 'warn',
  reason: 'Hidden text may be meant for the model alone.',
  suggestion: 'Read the hidden text before you act on it.',
  contract: 'AG-IN-4',
  examples: {
    hit: [
      says('Hello\u{e0068}\u{e0065}\u{e006c}\u{e006c}\u{e006f}\u{e0021}', 'tool'),
      says('<p>News</p><!-- remember to update the footer -->', 'file'),
      says('<div style="display:none">see the other page</div>', 'tool'),
      ...hidingPlaces.map((hidden) =>
        file({ problem: null, type: 'docx', texts: [{ text: 'Draft only', place: 'the text', hidden }] }),
      ),
    ],
    miss: [
      says('Hello \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'),
      says('The family emoji \u{1f468}\u200d\u{1f469}\u200d\u{1f467} is one character.'),
      says('<p>News</p>', 'file'),
      file(showing('Invoice 7. Please pay within 30 days.')),
    ],
  },
};

/** The rules on what is hidden. */
export const hiddenRules: readonly Rule[] = [hiddenText];

const ways: Readonly<Record<HidingPlace, string>> = {
  colour: 'in the colour of its background',
  size: 'in letters too small to read',
  invisible: 'marked as not shown',
  comment: 'in a comment',
  off_page: 'outside of the page',
  alternative_text: 'as the description of a picture',
  metadata: 'in the properties of the file',
  markup: 'in markup that is not shown',
};

/** Flags of a text that mean that a reader does not see all of it; look-alikes are seen. */
const unseen: Readonly<Partial<Record<InjectionFlag, string>>> = {
  tag_characters: 'in characters that are never shown',
  zero_width: 'between characters without width',
  bidi: 'behind marks that turn the direction of writing',
  hidden_text: 'in markup that is not shown',
};

/** What a reader would not see: one finding for each way of hiding. */
export function hiddenFindings({ pieces }: PromptFacts): readonly Finding[] {
  const found = new Map<string, JudgedText>();
  for (const piece of pieces) for (const way of waysOf(piece)) if (!found.has(way)) found.set(way, piece);
  return [...found].map(([way, { pointer, blob, place }]) => {
    const where = place === undefined ? '' : ` (${place})`;
    return hit(hiddenText, `There is text ${way}${where}.`, { pointer, span: blob });
  });
}

function waysOf({ hidden, injection }: JudgedText): readonly string[] {
  return [
    ...(hidden === undefined ? [] : [ways[hidden]]),
    ...injection.flags.flatMap((flag) => unseen[flag] ?? []),
  ];
}
