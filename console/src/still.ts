// INVARIANT: a card takes an answer only once it stood still, unchanged, for half a second: what a person reads, points at
// and answers is the same thing.

import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Stillness } from './cards.ts';

/** How often is looked, in milliseconds. */
const lookEvery = 50;

/** Where an element stands in the document: scrolling moves nothing in it. */
function placeOf(element: HTMLElement): string {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + scrollX, top + scrollY, width, height].map(Math.round).join(' ');
}

export interface Still {
  /** Cards that take an answer now, for what is drawn. */
  readonly ids: ReadonlySet<string>;
  /** Looks once more, at the moment of the answer. */
  readonly check: (id: string) => boolean;
}

/** Follows the elements below a list that have `data-card`, their id, and `data-says`, what they say. */
export function useStill(list: RefObject<HTMLElement | null>): Still {
  const known = useRef<Stillness>(undefined);
  known.current ??= new Stillness();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const look = useCallback(() => {
    const now = performance.now();
    const found = new Set<string>();
    for (const element of list.current?.querySelectorAll<HTMLElement>('[data-card]') ?? []) {
      const { card = '', says = '' } = element.dataset;
      found.add(card);
      known.current?.note(card, `${placeOf(element)} ${says}`, now);
    }
    known.current?.keepOnly(found);
    const still = [...found].filter((id) => known.current?.isStill(id, now));
    setIds((old) => (old.size === still.length && still.every((id) => old.has(id)) ? old : new Set(still)));
  }, [list]);
  // Before what was just rendered is painted: a card that grew never looks as if it took an answer.
  useLayoutEffect(look);
  useEffect(() => {
    const timer = setInterval(look, lookEvery);
    return () => clearInterval(timer);
  }, [look]);
  const check = useCallback(
    (id: string) => {
      look();
      return known.current?.isStill(id, performance.now()) === true;
    },
    [look],
  );
  return { ids, check };
}
