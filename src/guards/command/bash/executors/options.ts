// What builtins of the shell and everyday tools run because an option says so.

import { singleText } from '../values.ts';
import type { Executor, Inner, Language } from './inner.ts';

/** Options whose value is code. */
export function optionCode(language: Language, ...names: readonly string[]): Executor {
  return ({ args }) =>
    args.flatMap((text, index): readonly Inner[] =>
      names.includes(singleText(args[index - 1])) ? [{ kind: 'code', language, text }] : [],
    );
}
