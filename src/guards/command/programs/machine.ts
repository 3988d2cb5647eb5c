// Programs that look at machines, delete them and start something in them, as data.

import type { Card } from './card.ts';
import { type Table, table } from './tables.ts';

export const force = 'f/force y/yes';
export const forced = { flags: 'f force y yes' };

/** Each noun with each verb. */
export const paired = (nouns: string, verbs: string): string =>
  nouns
    .split(' ')
    .flatMap((noun) => verbs.split(' ').map((verb) => `${noun} ${verb}`))
    .join(' | ');

type Machine = Omit<Table, 'does'> & {
  readonly looks: string;
  readonly deletes: string;
  readonly runs?: string;
};

/** A program that looks at machines, deletes them, starts something in them, and else changes what can be had again. */
export function machine({ looks, deletes, runs = 'exec | ssh | shell | console', ...rest }: Machine): Card {
  return table({
    options: force,
    readings: forced,
    does: [
      ['', looks],
      ['container <next> (delete) force?', deletes],
      ['container <next> (kill)', 'stop* --force'],
      ['container <next> (exec)', runs],
    ],
    rest: 'container <next> (change) reversible',
    ...rest,
  });
}
