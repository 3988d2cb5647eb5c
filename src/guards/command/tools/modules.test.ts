// Modules that Python starts by their names, and calls that only ask for help.

import { describe, expect, it } from 'vitest';
import { loadParts } from '../need.ts';
import { effectsOf } from './index.ts';
import { literal } from './tool.ts';

await loadParts();

function kindsOf(words: string, through: readonly string[] = []): readonly string[] | null {
  const [program = '', ...args] = words.split(' ');
  const effects = effectsOf(
    program,
    args.map(literal),
    { stdin: { kind: 'unknown' }, stdinOrigins: [] },
    { span: [0, words.length], through, cwd: '/workspace', home: '/home/someone' },
  );
  return effects?.map(({ kind, detail }) => (kind === 'inert' ? kind : `${kind} ${detail}`)) ?? null;
}

describe('modules of Python', () => {
  it.each<[string, readonly string[] | null]>([
    ['json.tool a.json', ['inert']],
    ['py_compile a.py', ['inert']],
    ['venv --clear .venv', ['write create']],
    ['http.server --bind 8000', ['listen http']],
    ['zipfile -e a.zip /opt', ['write unpack']],
    ['cProfile -o out main.py', ['run script']],
    ['pdb -c next main.py', ['run inline']],
    ['timeit x', ['run inline']],
    ['code', ['run inline']],
    ['frobnicate', null],
  ])('python3 -m %s', (words, kinds) => {
    expect(kindsOf(words, ['python3'])).toEqual(kinds);
  });

  it('are no programs by themselves', () => {
    expect(kindsOf('json.tool a.json')).toBeNull();
  });
});

describe('help', () => {
  it.each([
    'chmod --help /',
    'git reset --hard --help',
    'git clean -fdx --help',
    'docker system prune --help',
    'kubectl delete pod --help',
  ])('%s only prints', (words) => {
    expect(kindsOf(words)).toEqual(['inert']);
  });

  it.each([
    'git reset --hard -- --help',
    'git clean -fdx -e --help',
    'docker container exec --help',
    'rm -rf / --help',
  ])('%s may do more', (words) => {
    expect(kindsOf(words)).not.toEqual(['inert']);
  });
});
