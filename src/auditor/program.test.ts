// Which files an audit reads: those that have to do with a model, and those that they use.

import { expect, it } from 'vitest';
import { concerned } from './program.ts';

const paths = (...files: readonly (readonly [string, string])[]) =>
  concerned(files.map(([path, text]) => ({ path, text }))).map(({ path }) => path);

it('takes what a file uses, and leaves the rest', () => {
  expect(
    paths(
      ['agent.ts', "import { run } from './tools.js';\nimport OpenAI from 'openai';"],
      ['tools.ts', 'export const run = 1;'],
      ['other.ts', 'export const a = 1;'],
    ),
  ).toEqual(['agent.ts', 'tools.ts']);
});

it('reads imports behind any number of empty lines', () => {
  const empty = '\n'.repeat(300_000);
  expect(paths(['a.py', `${empty}    from b import run\nimport openai\n`], ['b.py', 'run = 1\n'])).toEqual([
    'a.py',
    'b.py',
  ]);
});
