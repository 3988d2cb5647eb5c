// The help of every command shows calls that the command itself can read.

import { describe, expect, it } from 'vitest';
import { exampleLine, helpOf, readCall } from './command.ts';
import type { Io } from './io.ts';
import { commands } from './main.ts';

/** The words of an example, and of the last call of Sallyport in a line with others. */
function wordsOf(example: string): readonly string[] {
  const line = exampleLine(example);
  const [, call = ''] = /.*\bsallyport (.*)$/.exec(line) ?? [];
  return [...call.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('the examples in a help', () => {
  it.each(Object.entries(commands))('of %s are calls of it that can be read', async (name, { load }) => {
    const { command } = await load();
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) {
      expect(helpOf(command)).toContain(`\n  ${exampleLine(example)}\n`);
      const [first, ...words] = wordsOf(example);
      expect(first).toBe(name);
      expect(() => readCall(name, command, words, {} as Io), example).not.toThrow();
    }
  });

  it('would notice an option that there is not', async () => {
    const { command } = await commands['test']!.load();
    expect(() => readCall('test', command, wordsOf('test --prompd x').slice(1), {} as Io)).toThrow(
      'did you mean --prompt',
    );
  });
});
