// What a server makes of the rows of a type: the largest value of a field, the distinct ones, a sum. To read that is to
// read the field, though its type has another name: `users_max_fields.ssn`, `UserMinAggregateOutputType.ssn`,
// `UserAggregateResult.ssnMin`.

import { wordsOf } from '../spelling.ts';

/** Words that the names of such types and fields have beside those of the type or the field. */
const making = new Set(
  'min max avg average sum mode median stddev variance var pop samp sample population distinct aggregate aggregates aggregation group grouped by key keys bucket field fields output result values type'.split(
    ' ',
  ),
);
/** Those that say that values are made of values: a `UserResult` is no aggregate, and a `UserGroup` has a name of its own. */
const telling = new Set(
  'min max avg average sum median stddev variance distinct aggregate aggregates aggregation'.split(' '),
);

/** Whether a field of a type is made of the values of a field of another. */
export function isMadeOf(type: string, field: string, ofType: string, ofField: string): boolean {
  if (!letters(field).includes(letters(ofField)) || !letters(type).includes(letters(ofType).slice(0, -1)))
    return false;
  const more = wordsBeside(type, ofType);
  if (more === null || wordsBeside(field, ofField) === null) return false;
  return more.some((word) => telling.has(word)) || (more.includes('group') && more.includes('by'));
}

function letters(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** The words of aggregates in a name beside another name; null where it is not made of the two. */
function wordsBeside(name: string, of: string): readonly string[] | null {
  const [words, own] = [wordsOf(name), wordsOf(of)];
  const last = own.length - 1;
  for (let start = 0; start + own.length <= words.length; start++) {
    const fits = own.every((word, at) => isSame(words[start + at] ?? '', word, at === last));
    const rest = [...words.slice(0, start), ...words.slice(start + own.length)];
    if (fits && rest.every((word) => making.has(word))) return rest;
  }
  return null;
}

/** Whether two words are the same, or one is the plural of the other. */
function isSame(one: string, other: string, isLast: boolean): boolean {
  if (one === other) return true;
  return (
    isLast && (one === `${other}s` || other === `${one}s` || one === `${other}es` || other === `${one}es`)
  );
}
