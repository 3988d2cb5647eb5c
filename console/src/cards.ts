// Cards that a person answers, as data: they stay where they are while they are looked at, and none is found by its place.

/** A card; one whose question has ended stays where it is, so that no other slides under a pointer or a key. */
export interface Card<T> {
  readonly item: T;
  /** When it was gone from what waits, in milliseconds; null while it waits. */
  readonly endedAt: number | null;
}

interface Named {
  readonly id: string;
}

/** The cards with what waits now: known ones keep their places, what is new comes last, what is gone has ended. */
export function keepInPlace<T extends Named>(
  cards: readonly Card<T>[],
  waiting: readonly T[],
  now: number,
): readonly Card<T>[] {
  const live = new Map(waiting.map((item) => [item.id, item]));
  const known = new Set(cards.map(({ item }) => item.id));
  return [
    ...cards.map(({ item, endedAt }) => {
      const fresh = live.get(item.id);
      return fresh === undefined ? { item, endedAt: endedAt ?? now } : { item: fresh, endedAt: null };
    }),
    ...waiting.filter(({ id }) => !known.has(id)).map((item) => ({ item, endedAt: null })),
  ];
}

/** The cards without those that ended at this time or before. */
export function withoutEnded<T>(cards: readonly Card<T>[], until: number): readonly Card<T>[] {
  return cards.some(({ endedAt }) => endedAt !== null && endedAt <= until)
    ? cards.filter(({ endedAt }) => endedAt === null || endedAt > until)
    : cards;
}

/**
 * The nearest card that still waits, on from one in a direction: that one itself where there is none further, and without
 * a start the first or the last.
 */
export function nextWaiting<T extends Named>(
  cards: readonly Card<T>[],
  from: string | undefined,
  step: 1 | -1,
): string | undefined {
  const at = cards.findIndex(({ item }) => item.id === from);
  const behind = step === 1 ? cards.slice(at + 1) : cards.slice(0, at === -1 ? cards.length : at).reverse();
  const own = cards[at];
  return [...behind, ...(own === undefined ? [] : [own])].find(({ endedAt }) => endedAt === null)?.item.id;
}

/** Whether something is on the screen: all of it, or half of the screen full of it. */
export function isOnScreen(box: { readonly top: number; readonly bottom: number }, height: number): boolean {
  const seen = Math.min(box.bottom, height) - Math.max(box.top, 0);
  // Browsers place boxes in fractions of a pixel.
  return seen > 0 && seen >= Math.min(box.bottom - box.top, height / 2) - 1;
}

/** How long a card must have stood still before it takes an answer, in milliseconds. */
export const stillMs = 500;

/** Since when each card is as it is and where it is. */
export class Stillness {
  readonly #cards = new Map<string, { readonly look: string; readonly since: number }>();

  /** Notes how a card looks now: its place and what it says. */
  note(id: string, look: string, now: number): void {
    if (this.#cards.get(id)?.look !== look) this.#cards.set(id, { look, since: now });
  }

  /** Forgets cards that are not there any more. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#cards.keys()) if (!ids.has(id)) this.#cards.delete(id);
  }

  isStill(id: string, now: number): boolean {
    const card = this.#cards.get(id);
    return card !== undefined && now - card.since >= stillMs;
  }
}
