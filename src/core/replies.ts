// The shapes of what goes out: answers and records. They describe it and give its type; a reader may be of another version,
// so they bound nothing and leave room for more.

import { described, integer, list, number, object, type Shape, text } from './shape.ts';

const any = Number.POSITIVE_INFINITY;

/** Any text. */
export const words = text({ max: any });
export const count = integer(0, any);
export const amount = number(0, any);
/** A time, as people and agents read it. */
export const moment = described<string>(() => ({ type: 'string', format: 'date-time' }));
/** A time in milliseconds since 1970. */
export const milliseconds = described<number>(() => ({
  type: 'integer',
  description: 'Milliseconds since 1970',
}));
/** A table of something that no client has to know more of. */
export const anything = <T extends object>(): Shape<T> => described<T>(() => ({ type: 'object' }));

export const listOf = <T>(item: Shape<T>): Shape<readonly T[]> => list(item, { max: any });

/** An answer, to which later versions may add. */
export function reply<const F extends Readonly<Record<string, Shape<unknown>>>>(fields: F) {
  return object(fields, { open: true });
}

/** Members that are texts. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  // INVARIANT: it has the members that its type names.
  return Object.fromEntries(names.map((name) => [name, words])) as { readonly [N in Name]: typeof words };
}
