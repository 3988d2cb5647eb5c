// How a value is assigned to a name, in whatever language or file: between the name and the value.

import { itemsOf, parsePattern } from './pattern.ts';

/** What may stand between a word in a name and the operator, and what an operator is made of. */
const nameRest = String.raw`\w .\t\-`;
const nameEnd = String.raw`\\"'\x60\s\])}`;
const operator = '=:>,|?<+(';

/** Most units before the operator. */
const longestName = 45;
const [beforeOperator, inOperator] = [1, 2];
const assignmentUnits = Uint8Array.from({ length: 128 }, (_, code) => {
  const unit = String.fromCharCode(code);
  if (operator.includes(unit)) return inOperator;
  return new RegExp(`[${nameRest}${nameEnd}]`).test(unit) ? beforeOperator : 0;
});

/** Whether an assignment may follow from a place on: cheaper than its pattern, and nearly always no. */
export function mayAssign(text: string, at: number): boolean {
  const end = Math.min(text.length, at + longestName + 1);
  for (let index = at; index < end; index++) {
    const kind = assignmentUnits[text.charCodeAt(index)] ?? 0;
    if (kind !== beforeOperator) return kind === inOperator;
  }
  return end === text.length;
}

/**
 * Between a word in a name and the value assigned to it: the rest of the name, what closes it, a type, the operator,
 * what opens the value. No part before the operator can take what that starts with.
 */
export const assignment = itemsOf(
  parsePattern(
    [
      `[${nameRest}]{0,40}[${nameEnd}]{0,5}`,
      // A type: `: string =`, `: &'static str =`.
      String.raw`(?::[ \t]{0,2}[&*]?(?:'[a-z]{1,8} )?[A-Za-z]{2,12}[?]?[ \t]{0,2}(?==))?`,
      String.raw`(?:[=:>,?<(]{1,4}|\|\|[:=]{0,2}|\+=)`,
      String.raw`[\\"'\x60\s=@({\[]{0,16}`,
      // A block of YAML.
      String.raw`(?:[>|][-+]?\s{1,16})?`,
    ].join(''),
  ),
);
