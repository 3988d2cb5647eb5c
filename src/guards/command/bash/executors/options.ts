import { concat, hole, knownText, singleText } from '../values.ts';
import { type Call, type Executor, type Inner, type Language, shellCode } from './inner.ts';
import { bySuffix, wrapper } from './shapes.ts';

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
