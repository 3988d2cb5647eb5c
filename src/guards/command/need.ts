// What is loaded only when a command needs it: work that meets a part which is not there yet stops, and is done again.

import type { MaybePromise } from '../../core/index.ts';
import { type Family, namesIn } from './tools/names.ts';
import type { Tool, Tools } from './tools/tool.ts';

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

// ── Who knows which programs: families of tools, each loaded when a program of it is first asked about.

/** The families by their names. */
export const families: Readonly<Record<Family, Part<Tools>>> = {
  packages: new Part(async () => (await import('./tools/packages/index.ts')).packageTools),
};

/** Programs that were asked about and are known: a table of all names would cost every start more than it saves. */
const known = new Map<string, Family>();

/** The family that knows a program; undefined where none does. */
export function knownTo(program: string): Family | undefined {
  const found = known.get(program);
  if (found !== undefined || program.includes(' ')) return found;
  for (const [family, names] of Object.entries(namesIn)) {
    const at = ` ${names} `.indexOf(` ${program} `);
    if (at < 0) continue;
    // The name from the list and not from the command, which would be kept alive by a part of it.
    known.set(names.slice(at, at + program.length), family as Family);
    return family as Family;
  }
  return undefined;
}

/** The tool of a program that a family knows. */
export function toolInFamily(program: string): Tool | undefined {
  const family = knownTo(program);
  return family === undefined ? undefined : families[family].content[program];
}

/** The names of all programs that families know. */
export function familyNames(): readonly string[] {
  return Object.values(families).flatMap(({ content }) => Object.keys(content));
}
