// Ids as people type and read them: any beginning that only one of them has.

import { NotFoundError } from './errors.ts';
import { visible } from './text.ts';

/** The kind of object, for the message if none or several match. */
export interface Named {
  /** Such as "snapshot". */
  readonly what: string;
  readonly hint?: string;
  readonly Unknown?: new (message: string, options: { hint?: string }) => NotFoundError;
}

/** The fewest characters of an id that are shown. */
export const shortestId = 8;
/** How many ids are listed if several match. */
const mostNamed = 5;

/** The id that a text names: that id itself, or the only one with that prefix. Throws if none or several match. */
export function namedId(given: string, ids: Iterable<string>, named: Named): string {
  const { what, hint, Unknown = NotFoundError } = named;
  const found = given === '' ? [] : [...new Set(ids)].filter((id) => id.startsWith(given));
  const [only] = found.includes(given) ? [given] : found;
  const shown = visible(given, 60);
  if (only === undefined)
    throw new Unknown(`there is no ${what} ${shown}`, hint === undefined ? {} : { hint });
  if (only === given || found.length === 1) return only;
  const short = shortIds(found);
  const names = found.slice(0, mostNamed).map((id) => visible(short(id), 80));
  const rest = found.length > mostNamed ? ' and others' : '';
  throw new Unknown(`more than one ${what} begins with ${shown}: ${names.join(', ')}${rest}`, {
    hint: 'type more of the id',
  });
}

/** The shortest beginnings that distinguish ids from each other, all of one length. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const longest = Math.max(shortestId, ...ids.map((id) => id.length));
  for (let length = shortestId; length < longest; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size)
      return (id) => id.slice(0, length);
  }
  return (id) => id;
}
