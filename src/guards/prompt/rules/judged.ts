// Rule: what the user's own judge takes for an attack is reported, or withheld where it is sure. It stands beside the rules
// and takes nothing back: a text that they stop stays stopped.

import type { InputJudge, Settings } from '../../../config/settings.ts';
import {
  type ActionOf,
  type Finding,
  type GuardInput,
  type Opinion,
  type Rule,
  visible,
} from '../../../core/index.ts';
import type { PromptFacts } from '../facts.ts';
import { hit, says } from './finding.ts';

const input = { command: ['/bin/judge'], required: true };

const judgedAttack: Rule = {
  id: 'judged_injection',
  guard: 'prompt',
  decision: 'block',
  reason: 'Your classifier takes the text for an attack, or did not judge it in time.',
  suggestion: 'Read the passage yourself; the user checks [judge.input] if the judge is wrong.',
  contract: 'AG-IN-1',
  examples: {
    // Nobody can be asked here.
    hit: [says('All is well.', 'tool', { judge: { input } })],
    miss: [says('All is well.', 'tool'), says('All is well.', 'user', { judge: { input } })],
  },
};

/** So much of a text is sent. */
const longestAsked = 32_768;

/** What came of the question: an opinion, or why there is none. */
export type Judged = Opinion | 'silent';

/** Asks the judge about a text, where one is configured for its origin. INVARIANT: never rejects. */
export function askJudge(
  { origin = 'user', name }: ActionOf<'prompt'>,
  text: string,
  { settings, world }: GuardInput<Settings>,
): Promise<Judged> | undefined {
  const { judge } = settings.prompt;
  if (judge === null || text.trim() === '' || !judge.origins.includes(origin)) return undefined;
  if (world.opinion === undefined) return Promise.resolve('silent');
  const question = {
    text: text.slice(0, longestAsked),
    origin,
    judge,
    ...(name === undefined ? {} : { name }),
  };
  return world.opinion(question).catch((): Judged => 'silent');
}

/** What the judge's answer adds to the findings. */
export function judgedFindings(
  judged: Judged | undefined,
  { pieces }: PromptFacts,
  judge: InputJudge | null,
): readonly Finding[] {
  if (judged === undefined || judge === null) return [];
  const pointer = pieces[0]?.pointer ?? '/text';
  if (judged === 'silent') {
    return judge.required
      ? [hit(judgedAttack, 'The judge of [judge.input] did not judge the text.', { pointer })]
      : [];
  }
  const { score, label } = judged;
  if (score < judge.warn_from) return [];
  const decision = score >= judge.block_from ? 'block' : 'warn';
  const message = `The judge of [judge.input] takes the text for an attack: ${visible(label, 60)}, ${score.toFixed(2)}.`;
  return [hit(judgedAttack, message, { pointer, decision, confidence: score })];
}

export const judgedRules: readonly Rule[] = [judgedAttack];
