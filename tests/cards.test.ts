// The program cards: each fact holds for its examples, the index is current, and the guard uses what a card says.

import { describe, expect, it } from 'vitest';
import { cardFiles, indexOf, problemsIn } from '../scripts/cards.ts';
import { innersOf } from '../src/guards/command/bash/shell/tools.ts';
import { loadParts } from '../src/guards/command/need.ts';
import type { Card } from '../src/guards/command/programs/card.ts';
import { callOf, examplesOf, problemsOf, readExample } from '../src/guards/command/programs/check.ts';
import { shownEffects, shownInners } from '../src/guards/command/programs/notation.ts';
import { effectsOf } from '../src/guards/command/tools/index.ts';

await loadParts();
const files = await cardFiles();
const cards = files.flatMap((file) => file.cards);

describe('cards', () => {
  it.each(cards.map((card): [string, Card] => [card.names, card]))('%s', (_, card) => {
    expect(problemsOf(card).join('\n')).toBe('');
  });

  it('have an index that is current, and no name on two cards', () => {
    expect(problemsIn(files).join('\n')).toBe('');
  });

  it('are what the guard asks', () => {
    for (const { facts } of cards)
      for (const { effects, starts, examples } of facts)
        for (const [text, said] of examplesOf(examples.hit)) {
          const example = readExample(text);
          const { program, args, io, at } = callOf(example);
          const asked = [
            ...(effects ? [shownEffects(effectsOf(program, args, io, at) ?? [])] : []),
            ...(starts ? [shownInners(innersOf(example) ?? [])] : []),
          ].join('; ');
          if (asked !== '')
            for (const one of said.split('; '))
              expect([text, asked]).toEqual([text, expect.stringContaining(one)]);
        }
  });
});

describe('a card', () => {
  const first = cards.find(({ names }) => names.startsWith('curl'));
  const broken = (change: Partial<Card>): readonly string[] =>
    first === undefined ? [] : problemsOf({ ...first, ...change });

  it('with a fact that its examples do not prove is refused', () => {
    const facts =
      first?.facts.map((fact) => ({ ...fact, effects: () => [], starts: () => [], prints: () => null })) ??
      [];
    expect(broken({ facts }).length).toBeGreaterThan(facts.length);
  });

  it('with an option that is read in another way is refused', () => {
    const options = first?.options.replace(/=/, '') ?? '';
    expect(broken({ options }).join('\n')).toContain('is not read as the readings say');
  });

  it('without examples is refused', () => {
    const facts = first?.facts.map((fact) => ({ ...fact, examples: { hit: {}, miss: [] } })) ?? [];
    expect(broken({ facts }).join('\n')).toMatch(/no example hits[\s\S]*no example misses/);
  });

  it('that is new changes the index', () => {
    expect(indexOf([...files, { file: 'new.ts', cards: [] }])).not.toBe(indexOf(files));
  });
});
