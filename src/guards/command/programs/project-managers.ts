// Managers of a project's packages, as data: their words say what they do; any other command builds or runs the project.

import { loadingOptions } from './builds.ts';
import type { Advice, Card } from './card.ts';
import { type Table, table } from './tables.ts';

/** The card of a manager of packages; `programs` of one kind take the same words. */
export function projectManager({ facts = [], ...given }: Table): Card {
  const [name = ''] = given.names.split(' ');
  return table({
    rest: 'inert (project)',
    alone: 'inert (project)',
    ...given,
    facts: [...facts, loadingOptions(name)],
  });
}

/** What most of them do, by the words for it: `installs('add | install')`. */
export const installs = (commands: string) => ['package <next..> (install) reversible', commands] as const;
export const removes = (commands: string) => ['package <next..> (remove) reversible', commands] as const;
export const updates = (commands: string) => ['package <next..> (update) reversible', commands] as const;
export const publishes = (commands: string) => ['deploy <words> (publish)', commands] as const;
export const tries = (options: string) =>
  [
    'inert (dry-run)',
    options
      .split(' ')
      .map((option) => `… ${option}`)
      .join(' | '),
  ] as const;

/** What to try first where it would publish. */
export const tryFirst = (command: string): readonly Advice[] => [
  { rule: 'deployment', text: `Try it without publishing: \`${command} --dry-run\`.` },
];
