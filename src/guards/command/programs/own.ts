// Program cards of the user's own: data from sallyport.toml becomes cards, and each is proven by its examples.

import type { OwnProgram } from '../../../config/programs.ts';
import type { Problem } from '../../../core/shape.ts';
import type { Effect, Value } from '../effects.ts';
import type { At, Io } from '../tools/tool.ts';
import { type Card, cardEffects } from './card.ts';
import { draftOf, exampleProblems } from './check.ts';
import { fact, PhraseError } from './phrases.ts';

/** The card of a program; throws `PhraseError` where a fact cannot be read. */
export function cardOfOwn({ name, options, verbs, facts }: OwnProgram): Card {
  return {
    names: name,
    options,
    ...(Object.keys(verbs).length === 0 ? {} : { verbs }),
    readings: draftOf(options),
    facts: facts.map(({ what, verbs: only, with: needed, without, says, examples }) =>
      fact({
        what,
        says,
        ...(only === undefined ? {} : { verbs: only }),
        ...(needed === undefined ? {} : { with: needed }),
        ...(without === undefined ? {} : { without }),
        examples,
      }),
    ),
  };
}

/** The cards of the user's own, by their names. */
export class OwnCards {
  readonly #cards = new Map<string, Card>();

  constructor(programs: readonly OwnProgram[]) {
    for (const program of programs) this.#cards.set(program.name, cardOfOwn(program));
  }

  get(program: string): Card | undefined {
    return this.#cards.get(program);
  }

  /** What a call does by the card; null where there is none. */
  effectsOf(program: string, args: readonly Value[], io: Io, at: At): readonly Effect[] | null {
    const card = this.#cards.get(program);
    return card === undefined ? null : cardEffects(card, { program, args, io, at });
  }
}

const made = new WeakMap<readonly OwnProgram[], OwnCards>();

/** The cards of some settings, made once. */
export function ownCards(programs: readonly OwnProgram[]): OwnCards {
  const known = made.get(programs);
  if (known !== undefined) return known;
  const cards = new OwnCards(programs);
  made.set(programs, cards);
  return cards;
}

/** What is wrong with cards of the user's own, each problem with its place below `programs`. */
export function programProblems(programs: readonly OwnProgram[]): readonly Problem[] {
  return programs.flatMap((program) =>
    program.facts.flatMap((one, index): readonly Problem[] => {
      const path = [program.name, 'facts', index];
      const unknown = (one.verbs ?? []).filter(
        (verb) => !Object.keys(program.verbs).some((list) => list.split(' | ')[0] === verb),
      );
      if (unknown.length > 0)
        return [
          { path: [...path, 'verbs'], message: `"verbs" of the program does not have "${unknown[0]}"` },
        ];
      try {
        const card = cardOfOwn({ ...program, facts: [one] });
        return card.facts.flatMap((fact) =>
          exampleProblems(card, fact).map(({ of, text, expected, found }) => ({
            path: [...path, 'examples', of, of === 'hit' ? text : one.examples.miss.indexOf(text)],
            message:
              found === null
                ? `is another program's command: it must begin with "${program.name}"`
                : `the card says "${found}" of it, and not "${expected}", against its example`,
          })),
        );
      } catch (error) {
        if (!(error instanceof PhraseError)) throw error;
        return [{ path: [...path, 'says'], message: `cannot be read: ${error.message}` }];
      }
    }),
  );
}
