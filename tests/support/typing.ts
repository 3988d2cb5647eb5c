// Types answers at the prompts of a program that runs at a terminal of its own.

import type { ChildProcess } from 'node:child_process';

/** Puts the words of a command, which follow these, at a terminal that `script` makes. */
export const terminalWrapper: readonly string[] = [
  'sh',
  '-c',
  `SALLYPORT_TEST_COMMAND=$(printf "'%s' " "$0" "$@"); export SALLYPORT_TEST_COMMAND; exec 'script' '-qec' 'eval "$SALLYPORT_TEST_COMMAND"' '/dev/null'`,
];

/** A prompt at the end of what is shown: a secret, a page that goes on, a yes or no, or a list of keys. */
const prompt =
  /((?:assphrase|ecovery code)[^\n]*|Once more|q quit|Enter [^\n]*): $|\[y\/n\] $|q quits\.\r\n$/;

/** Gives the answer to what is shown since the last one; undefined leaves the prompt open. */
export type Typist = (shown: string) => string | undefined;

/** Types an answer at each prompt of a program; `look` sees what is shown since the last answer. */
export function typeAnswers(child: ChildProcess, typist: Typist, look?: (shown: string) => void): void {
  let shown = '';
  child.stdin?.on('error', () => undefined);
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    look?.(shown);
    if (!prompt.test(shown)) return;
    const answer = typist(shown);
    shown = '';
    // A single key is an answer by itself.
    if (answer !== undefined) child.stdin?.write(answer.length === 1 ? answer : `${answer}\r`);
  });
}
