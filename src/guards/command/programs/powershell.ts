// How cmdlets of PowerShell are told what to do: names with one dash, in any case, which may be cut short.

import type { Value } from '../effects.ts';
import { beginningOf, unknownValue } from '../tools/tool.ts';

/** What the words of a cmdlet say. */
export interface Parameters {
  readonly operands: readonly Value[];
  has(name: string): boolean;
  value(...names: readonly string[]): Value | undefined;
}

const switches =
  /^-(?:recurse|force|confirm|whatif|verbose|passthru|asjob|wait|append|nonewline|raw|hidden|directory|file(?!path)|usebasicparsing|asplaintext|shallow|keepall|computer)/i;

/** Parameters of PowerShell begin with one dash and may be cut short; switches take no value. */
export function parameters(args: readonly Value[]): Parameters {
  const operands: Value[] = [];
  const named = new Map<string, Value>();
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? unknownValue;
    const text = beginningOf(argument);
    if (!/^-[A-Za-z]/.test(text)) operands.push(argument);
    else if (switches.test(text) || /^-r(?:e|ec|ecu)?$|^-f(?:o|or)?$/i.test(text))
      named.set(text.slice(1).toLowerCase(), argument);
    else {
      at += 1;
      named.set(text.slice(1).toLowerCase(), args[at] ?? unknownValue);
    }
  }
  const find = (name: string): Value | undefined =>
    [...named].find(([given]) => name.startsWith(given) || given.startsWith(name))?.[1];
  return {
    operands,
    has: (name) => find(name) !== undefined,
    value: (...names) => names.map(find).find((value) => value !== undefined),
  };
}
