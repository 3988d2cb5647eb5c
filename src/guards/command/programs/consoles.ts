// Consoles of frameworks, to which code is given behind an option or on the standard input.

import type { Inner, Language } from '../bash/executors/inner.ts';
import { singleText } from '../bash/values.ts';
import { type Examples, type Fact, textWords } from './card.ts';
import { readOptions } from './options.ts';

/** The fact that a subcommand takes code; `script`: only where the first word is such a script. */
export function consoleFact(
  language: Language,
  subcommands: string,
  options: string,
  script: RegExp | null,
  examples: Examples,
): Fact {
  const verbs = subcommands.split(' ');
  const names = options.split(' ');
  return {
    what: 'runs code in the console of the project',
    starts: ({ args, fed }) => {
      if (script !== null && !script.test(singleText(args[0]))) return [];
      const at = args.findIndex((arg) => verbs.includes(singleText(arg)));
      if (at === -1) return [];
      const given = readOptions(`${names.join('/')}=`, {}, args.slice(at + 1), textWords);
      const code = given.all(...names).map((text): Inner => ({ kind: 'code', language, text }));
      return code.length === 0 && fed ? [{ kind: 'input', language }] : code;
    },
    examples,
  };
}
