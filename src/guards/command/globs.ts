// What a pattern of names stands for: the paths on the disk that fit it, and whether it could mean a certain path.

import type { Listed } from '../../core/index.ts';
import { matches, readPattern } from './bash/patterns.ts';
import { below, isPattern, isWithin, type Manner, matchesStars, namesOf, type PathScope } from './where.ts';

/** The paths that fit a pattern now. */
export interface Matched {
  /** By their names, and by their real paths where a link leads elsewhere. */
  readonly paths: readonly string[];
  /** Whether these are all. */
  readonly complete: boolean;
}

/** Most paths that a pattern is followed to, and folders that `**` is followed into. */
const mostPaths = 1000;
const mostFolders = 100;
/** Longer patterns are not tried. */
const longestPattern = 128;

const known = new WeakMap<PathScope, Map<string, Matched>>();

/** The paths on the disk that a path with patterns in it stands for; `follow`: a link at the end leads on. */
export function matchedBy(
  pathScope: PathScope,
  path: string,
  { follow }: Manner = { follow: true },
): Matched {
  const before = known.get(pathScope) ?? new Map<string, Matched>();
  known.set(pathScope, before);
  const key = `${follow} ${path}`;
  let found = before.get(key);
  if (found === undefined) {
    found = search(pathScope, path, follow);
    before.set(key, found);
  }
  return found;
}

function search(pathScope: PathScope, path: string, follow: boolean): Matched {
  if (pathScope.list === undefined) return { paths: [], complete: false };
  const found = new Search(pathScope);
  let folders: readonly string[] = ['/'];
  for (const [index, name] of namesOf(path).entries()) {
    const leads = follow || index < namesOf(path).length - 1;
    if (name === '**') folders = found.descend(folders);
    else if (isPattern(name)) folders = found.fitting(folders, name, leads);
    else folders = folders.map((folder) => below(folder, name));
  }
  // What was just listed is there.
  const last = path.slice(path.lastIndexOf('/') + 1);
  const paths = isPattern(last) && last !== '**' ? [...new Set(folders)] : found.standing(folders);
  return { paths, complete: found.complete };
}

/** One look for the paths of a pattern; once it has seen too much it goes no further. */
class Search {
  readonly #pathScope: PathScope;
  complete = true;

  constructor(pathScope: PathScope) {
    this.#pathScope = pathScope;
  }

  /** What fits a pattern in some folders, and where its links lead. */
  fitting(folders: readonly string[], pattern: string, follow: boolean): readonly string[] {
    const fits = fitter(this.#pathScope, pattern);
    const found: string[] = [];
    for (const folder of folders) {
      for (const { name, link } of this.#list(folder)) {
        if (!fits(name)) continue;
        if (found.length >= mostPaths) {
          this.complete = false;
          return found;
        }
        found.push(...this.#followed(below(folder, name), link && follow));
      }
    }
    return found;
  }

  /** The folders and all below them that no link leads to. */
  descend(folders: readonly string[]): readonly string[] {
    const found = [...folders];
    for (let index = 0; index < found.length; index++) {
      if (index >= mostFolders) {
        this.complete = false;
        break;
      }
      const folder = found[index] ?? '/';
      for (const { name, link } of this.#list(folder)) if (!link) found.push(below(folder, name));
    }
    return found;
  }

  /** Those of the paths at which something is. */
  standing(paths: readonly string[]): readonly string[] {
    const all = paths.flatMap((path) => {
      this.#pathScope.spend(1);
      const real = this.#pathScope.realPath(path);
      if (real === undefined) this.complete = false;
      if (real === undefined || real === null) return [];
      return real === path ? [path] : [path, real];
    });
    return [...new Set(all)];
  }

  #list(folder: string): readonly Listed[] {
    const listed = this.#pathScope.list?.(folder) ?? null;
    if (listed === null) this.complete = false;
    this.#pathScope.spend(1 + ((listed?.length ?? 0) >> 4));
    return listed ?? [];
  }

  #followed(path: string, link: boolean): readonly string[] {
    const real = link ? this.#pathScope.realPath(path) : path;
    if (real === undefined) this.complete = false;
    return real === undefined || real === null || real === path ? [path] : [path, real];
  }
}

/** Whether a pattern could mean this path, or a folder that holds it: its names, compared one by one. */
export function couldMean(pathScope: PathScope, pattern: string, path: string): 'it' | 'above' | null {
  const wanted = namesOf(pattern);
  const names = namesOf(path);
  if (wanted.includes('**')) {
    const start = `/${wanted.slice(0, wanted.indexOf('**')).join('/')}`;
    return isWithin(path, start) || isWithin(start, path) ? 'it' : null;
  }
  const fits = wanted
    .slice(0, names.length)
    .every((name, index) =>
      isPattern(name) ? fitter(pathScope, name)(names[index] ?? '') : name === names[index],
    );
  if (!fits) return null;
  return wanted.length < names.length ? 'above' : 'it';
}

/** Whether names fit a pattern; one that begins with a dot is meant only by a pattern that says so. */
function fitter({ globbing }: PathScope, text: string): (name: string) => boolean {
  if (text.length > longestPattern) return () => true;
  const fold = (name: string): string => (globbing?.anyCase === true ? name.toLowerCase() : name);
  const wanted = fold(text);
  const pattern = /[[(\\]/.test(wanted) ? readPattern(wanted) : null;
  const dots = globbing?.dots === true || /^[.[]|^[@+*?!]\(/.test(text);
  return (name) =>
    (dots || !name.startsWith('.')) &&
    (pattern === null ? matchesStars(wanted, fold(name)) : matches(pattern, fold(name)));
}
