// Folders, and patterns of names, that a script filled: what lies there came from where the script took it.

import type { Origin } from '../../effects.ts';
import { matches, readPattern } from '../patterns.ts';
import { hole, isHoleOnly, mergeOrigins } from '../values.ts';

/** What is known of a place that a script filled without naming it. */
export interface Held {
  readonly origins: readonly Origin[];
  /** It lies where the script began, so it may have been there before and may have been replaced. */
  readonly beforehand: boolean;
}

/** Most folders, and most patterns, that are kept apart; more are one at the root. */
const mostTrees = 64;

/** Whether a path stands for several, or is known in part. */
export function isPattern(path: string): boolean {
  return /[*?[\uE000]/.test(path);
}

/** Whether a pattern may stand for a path. */
export function mayBe(pattern: string, path: string): boolean {
  return matches(readPattern(pattern.replaceAll(hole, '*')), path);
}

/** Whether two paths that are known in part may be one: what is known of them agrees. */
function mayAgree(one: string, other: string): boolean {
  if (one === other) return true;
  const [a = '', b = ''] = [one, other].map((path) => path.split(hole, 1)[0]);
  return a === '' || b === '' ? a === b && isHoleOnly(one) : a.startsWith(b) || b.startsWith(a);
}

/** The folders and patterns that one script filled. */
export class Trees {
  readonly #start: string;
  readonly #folders = new Map<string, readonly Origin[]>();
  readonly #patterns = new Map<string, readonly Origin[]>();

  constructor(start: string) {
    this.#start = start;
  }

  get empty(): boolean {
    return this.#folders.size === 0 && this.#patterns.size === 0;
  }

  /** Everything in a folder came from there. */
  fill(folder: string, origins: readonly Origin[]): void {
    const place = this.#folders.size < mostTrees ? folder : '/';
    this.#folders.set(place, mergeOrigins(this.#folders.get(place) ?? [], origins));
  }

  /** Everything with such a name came from there. */
  match(pattern: string, origins: readonly Origin[]): void {
    if (this.#patterns.size >= mostTrees) this.fill('/', origins);
    else this.#patterns.set(pattern, mergeOrigins(this.#patterns.get(pattern) ?? [], origins));
  }

  /** Where what lies at a place came from; null where the script did not fill it. */
  at(path: string): Held | null {
    if (this.empty) return null;
    const open = path.includes(hole);
    const known = open && !path.startsWith(hole) ? path.slice(0, path.indexOf(hole)) : path;
    let beforehand: Held | null = null;
    for (const [folder, origins] of this.#folders) {
      if (known !== folder && !known.startsWith(folder === '/' ? '/' : `${folder}/`)) continue;
      if (!this.#holdsStart(folder)) return { origins, beforehand: false };
      beforehand = { origins, beforehand: true };
    }
    for (const [pattern, origins] of this.#patterns) {
      // A name that is known is hardly the one that is not.
      const fits = pattern.includes(hole) ? open && mayAgree(pattern, path) : mayBe(pattern, path);
      if (fits) return { origins, beforehand: false };
    }
    return beforehand;
  }

  /** Whether a pattern may stand for something that the script filled. */
  meets(pattern: string): boolean {
    return [...this.#folders.keys()].some((folder) => folder !== '/' && mayBe(pattern, folder));
  }

  /** The folders at a place or below it, each by the rest of its path. */
  below(place: string): readonly (readonly [rest: string, origins: readonly Origin[]])[] {
    return [...this.#folders].flatMap(([folder, origins]) =>
      folder === place || folder.startsWith(`${place}/`)
        ? [[folder.slice(place.length), origins] as const]
        : [],
    );
  }

  #holdsStart(folder: string): boolean {
    return folder === '/' || this.#start === folder || this.#start.startsWith(`${folder}/`);
  }
}
