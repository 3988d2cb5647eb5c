// What builtins of the shell and everyday tools run because an option says so.

import { quoteWords } from '../quoted.ts';
import { concat, concatAll, hole, knownText, singleText, unknownText } from '../values.ts';
import { type Call, type Executor, type Inner, type Language, shellCode } from './inner.ts';
import { bySuffix, optionTexts, readLeading, wrapper } from './shapes.ts';

/** What a key runs, where it is bound to a command of the shell. */
export function boundKeys(call: Call): readonly Inner[] {
  const runs = call.args.some((arg) => /^-[a-z]*x/.test(singleText(arg)));
  return runs ? bySuffix(/^(?:-x)?[^:]*:\s*["']?([^"']+)/s)(call) : [];
}

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

/** With an option that it does not have it only says so. */
export function commandExecutor(call: Call): readonly Inner[] {
  const text = singleText(call.args[0]);
  if (/^-/.test(text) && !/^-(?:[pvV]*|-.*)$/.test(text) && !text.includes(hole))
    return [{ kind: 'nothing' }];
  return wrapper({ lookUp: '-v -V' })(call);
}

/** Words that the shell expands before it completes them. */
export function expandedWords({ args }: Call): readonly Inner[] {
  const at = args.findIndex((arg) => singleText(arg) === '-W');
  const words = args[at + 1];
  return at === -1 || words === undefined ? [] : [shellCode(concat(knownText('echo '), words))];
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
