// What builtins of the shell and everyday tools run because an option says so.

import { quoteWords } from '../quoted.ts';
import { concat, concatAll, knownText, singleText, unknownText } from '../values.ts';
import type { Call, Executor, Inner, Language } from './inner.ts';
import { optionTexts, readLeading } from './shapes.ts';

/** Options whose value is code. */
export function optionCode(language: Language, ...names: readonly string[]): Executor {
  return ({ args }) =>
    args.flatMap((text, index): readonly Inner[] =>
      names.includes(singleText(args[index - 1])) ? [{ kind: 'code', language, text }] : [],
    );
}

/** A program that is started for each file, with its path. */
export function filterProgram({ args }: Call): readonly Inner[] {
  return args.flatMap((arg, index): readonly Inner[] => {
    const attached = /^--pre=(.+)$/s.exec(singleText(arg))?.[1];
    const program = attached === undefined ? args[index + 1] : knownText(attached);
    const named = attached !== undefined || singleText(arg) === '--pre';
    return named && program !== undefined ? [{ kind: 'argv', argv: [program, unknownText()] }] : [];
  });
}

/** The command gets the name of each part, which begins as the last word says. */
export function splitFilter(call: Call): readonly Inner[] {
  const { rest } = readLeading(call.args, 'abClnt', ['filter', 'lines', 'bytes', 'number', 'suffix-length']);
  const name = concat(rest[1] ?? knownText('x'), knownText('aa'));
  const setting = concatAll([knownText('FILE='), quoteWords([name]), knownText('; ')]);
  return optionTexts(
    '--filter',
    '--filter=',
  )(call).map((inner) => (inner.kind === 'code' ? { ...inner, text: concat(setting, inner.text) } : inner));
}
