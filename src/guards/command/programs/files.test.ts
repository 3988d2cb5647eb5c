// The notation of tables: which words a deed is done to, and with which flags.

import { describe, expect, it } from 'vitest';
import { valueWords } from '../tools/tool.ts';
import { readCall } from './card.ts';
import { callOf, problemsOf, readExample } from './check.ts';
import { family, table } from './files.ts';
import { shownEffects } from './notation.ts';

function said(options: string, deeds: string, command: string): string {
  const [card] = table(`p | ${options} | \n  does it: ${deeds}`);
  const call = callOf(readExample(command));
  if (card === undefined) return '';
  const given = readCall(card, call.args, valueWords);
  return shownEffects(card.facts.flatMap(({ effects }) => effects?.(call, given) ?? []));
}

describe('a deed', () => {
  it.each<[string, string, string, string]>([
    ['', 'read…', 'p a b', 'read a; read b'],
    ['', 'read write', 'p a b c', 'read a; write b (overwrite)'],
    ['', 'skip read…', 'p a b c', 'read b; read c'],
    ['', 'read… write', 'p a', 'read a'],
    ['', 'read… write', 'p a b c', 'read a; read b; write c (overwrite)'],
    ['', 'read* write', 'p a', 'write a (overwrite)'],
    ['o=', 'o=write', 'p -o a b', 'write a (overwrite)'],
    ['l/list', 'list?list… !list?edit…', 'p -l a', 'read a (list)'],
    ['l/list', 'list?list… !list?edit…', 'p a', 'write a (edit)'],
    ['f/force', 'delete(shred)[force,+recursive]…', 'p -f a', 'delete a (shred) recursive force'],
    ['f/force', 'delete(shred)[force,+recursive]…', 'p a', 'delete a (shred) recursive'],
    ['y', 'delete[force=y]…', 'p -y a', 'delete a force'],
  ])('%s | %s: %s', (options, deeds, command, expected) => {
    expect(said(options, deeds, command)).toBe(expected);
  });

  it('that is not known is refused', () => {
    expect(() => table('p\n  does it: frobnicate…')).toThrow('there is no deed "frobnicate…"');
  });
});

describe('a family', () => {
  const common = '\n  reads files: read…\n    % a → read a\n    % → nothing\n';

  it('has its examples for each program, and more for one', () => {
    const cards = family(common, 'p\nq | o= | o\n  % -o a b → read b\n');
    expect(cards.map(({ facts: [fact] }) => Object.keys(fact?.examples.hit ?? {}))).toEqual([
      ['p a'],
      ['q a', 'q -o a b'],
    ]);
    expect(cards.flatMap(problemsOf)).toEqual([]);
  });

  it('is refused with an option that is read in another way', () => {
    expect(family(common, 'p | o= | x\n').flatMap(problemsOf).length).toBeGreaterThan(0);
  });
});
