// What the table of tools says of a program, asked with the arguments as far as they are known.

import type { Effect, Value } from '../../effects.ts';
import type { Span } from '../findings.ts';
import { builtins } from '../programs.ts';
import { type Text, toValue } from '../values.ts';
import type { Frame } from './analysis.ts';
import { throughLinks } from './files.ts';

/** Most arguments that the table of tools gets; what is behind them is one that is not known. */
const maxArguments = 512;
/** Most ways to choose among the texts that arguments may be. */
const mostCases = 16;

/** Programs that are about a link and not about what it leads to. */
const namesLinks = /^(?:rm|rmdir|unlink|mv|ln|ls|readlink|stat|test|\[|find)$/;

/** What the table of tools says; the effects have their places still to be worked out. */
export function askTools(
  program: string,
  args: readonly Text[],
  stdin: Text,
  frame: Frame,
  span: Span,
  fed = false,
  values = valuesOf(args),
): readonly Effect[] | null {
  frame.analysis.spend(1 + (casesOf(args) - 1) * args.length);
  const { cwd, home } = frame.environment;
  if (args.length > maxArguments && !builtins.has(program))
    frame.analysis.noteUnknown(`more than ${maxArguments} arguments`, span);
  return frame.analysis.effectsOf(
    program,
    frame.analysis.links.size === 0
      ? values
      : valuesOf(args.map((arg) => throughLinks(arg, frame, namesLinks.test(program)))),
    { stdin: toValue(stdin), stdinOrigins: stdin.origins, stdinFed: fed },
    { span, through: frame.through, cwd, home },
  );
}

/** In how many ways a tool is asked about its arguments, of which each is looked at. */
function casesOf(args: readonly Text[]): number {
  let cases = 1;
  for (const { alternatives } of args)
    if (cases * alternatives.length <= mostCases) cases *= alternatives.length;
  return cases;
}

/** Arguments in the vocabulary of the effects, at most so many. */
export function valuesOf(args: readonly Text[]): readonly Value[] {
  if (args.length <= maxArguments) return args.map(toValue);
  // Options and places outside the folder are kept wherever they stand.
  const telling = args
    .slice(maxArguments / 2)
    .filter(({ alternatives }) => alternatives.some((text) => /^[-/~]|\.\./.test(text)))
    .slice(0, maxArguments / 2 - 1);
  const kept = [...args.slice(0, maxArguments - 1 - telling.length), ...telling];
  return [...kept.map(toValue), { kind: 'unknown' }];
}
