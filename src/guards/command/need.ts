// What is loaded only when a command needs it: work that meets a part which is not there yet stops, and is done again.

import type { MaybePromise } from '../../core/index.ts';

/** Thrown where a part is needed that is not loaded. */
export class Needed extends Error {
  readonly part: Part<unknown>;

  constructor(part: Part<unknown>) {
    super('a part of the command guard is not loaded');
    this.part = part;
  }
}

const parts: Part<unknown>[] = [];

/** A part of the guard, and the way to load it. */
export class Part<Content> {
  readonly #import: () => Promise<Content>;
  #content: Content | undefined;
  #loading: Promise<Content> | undefined;

  constructor(load: () => Promise<Content>) {
    this.#import = load;
    parts.push(this);
  }

  /** What is in it; throws `Needed` where it is not loaded. */
  get content(): Content {
    if (this.#content === undefined) throw new Needed(this);
    return this.#content;
  }

  async load(): Promise<void> {
    if (this.#content !== undefined) return;
    this.#loading ??= this.#import();
    try {
      this.#content = await this.#loading;
    } finally {
      this.#loading = undefined;
    }
  }
}

/** Loads every part, for those who judge much or cannot wait in between. */
export async function loadParts(): Promise<void> {
  await Promise.all(parts.map((part) => part.load()));
}

/** Parts that are loaded one by one (a card is the smallest); work that needs more gets all, so that it is not done over and over. */
const mostAlone = 12;

/**
 * Does work that may need parts, until it needs no more.
 * INVARIANT: the work is pure, so that doing it again gives what it would have given.
 */
export function withParts<Result>(work: () => Result, alone = mostAlone): MaybePromise<Result> {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Needed)) throw error;
    const loading = alone > 0 ? error.part.load() : loadParts();
    return loading.then(() => withParts(work, alone - 1));
  }
}
