// What a script has set up so far: variables, functions, aliases, its folder and its open files, in layers for subshells.

import type { CommandNode } from 'unbash';
import type { Origin } from '../effects.ts';
import { someHome, usualPath } from '../variables.ts';
import { matches, readPattern } from './patterns.ts';
import {
  either,
  emptyText,
  hole,
  isHoleOnly,
  knownText,
  mapWithHoles,
  mergeOrigins,
  oneOf,
  type Text,
  unknownText,
} from './values.ts';

// ── Folders, and patterns of names, that a script filled: what lies there came from where the script took it.

/** What is known of a place that a script filled without naming it. */
interface Held {
  readonly origins: readonly Origin[];
  /** It lies where the script began, so it may have been there before and may have been replaced. */
  readonly beforehand: boolean;
}

/** Most folders, and most patterns, that are stored separately; more are one at the root. */
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

// ── the environment

/** A variable: a text, or the items of an array, or another name for a variable. */
interface Variable {
  readonly text: Text;
  readonly items?: ReadonlyMap<string, Text>;
  readonly reference?: string;
  /** What every text becomes that it is given: `declare -i`, `-l`, `-u`. */
  readonly attribute?: Attribute;
}

export type Attribute = 'integer' | 'lower' | 'upper';

/** A function, with the source in which its body stands. */
interface FunctionBody {
  readonly body: Extract<CommandNode, { readonly type: 'Function' }>['body'];
  readonly source: string;
  /** Where it stands inside a text that was not the action's own. */
  readonly span: readonly [number, number] | null;
}

/** What a file descriptor leads to. */
export type Descriptor =
  | { readonly kind: 'file'; readonly path: Text }
  | { readonly kind: 'network'; readonly host: Text }
  | { readonly kind: 'text'; readonly text: Text };

/** Most items of a list that are kept; what is behind them is not known. */
export const maxItems = 256;
/** Longest text that a variable keeps; a longer one ends in a hole. */
export const maxVariableLength = 8192;

/** A text as a variable keeps it. */
function boundedText(text: Text): Text {
  if (text.alternatives.every(({ length }) => length <= maxVariableLength)) return text;
  return mapWithHoles(text, (whole) =>
    whole.length > maxVariableLength ? whole.slice(0, maxVariableLength - 1) + hole : whole,
  );
}

/** Stands at the end of a list for all that was not kept. */
export const moreItems: Text = unknownText(['unknown']);

/** A list of which no more than so many items are known. */
export function boundedItems(items: readonly Text[]): readonly Text[] {
  if (items.length <= maxItems) return items;
  return [...items.slice(0, maxItems - 1), moreItems];
}

/** What a program reads. */
export class Input {
  text: Text;
  /** Whether the script itself put something there. */
  readonly fed: boolean;

  constructor(text: Text, fed: boolean) {
    this.text = text;
    this.fed = fed;
  }
}

const nothingWritten: ReadonlyMap<string, never> = new Map<string, never>();

/** A map over another map: reads fall through, writes stay here. */
class Layered<Item> {
  readonly #under: Layered<Item> | null;
  /** Made with the first write: most layers get none. */
  #own: Map<string, Item | null> | undefined;

  constructor(under: Layered<Item> | null = null) {
    this.#under = under;
  }

  get(key: string): Item | null {
    const own = this.#own?.get(key);
    if (own !== undefined) return own;
    return this.#under === null ? null : this.#under.get(key);
  }

  set(key: string, item: Item | null): void {
    this.#own ??= new Map();
    this.#own.set(key, item);
  }

  /** Whether nothing was written here or below. */
  get isEmpty(): boolean {
    return this.#own === undefined && (this.#under === null || this.#under.isEmpty);
  }

  /** What was written in this layer; null where it was taken away. */
  get written(): ReadonlyMap<string, Item | null> {
    return this.#own ?? nothingWritten;
  }
}

/** Names of variables that hold secrets, when the environment sets them. */
const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)(?:$|_)/;

/** The state of one shell. */
export class Environment {
  readonly variables: Layered<Variable>;
  readonly functions: Layered<FunctionBody>;
  readonly aliases: Layered<string>;
  readonly descriptors: Layered<Descriptor>;
  readonly home: string | null;
  /** The folder in which the action begins. */
  readonly start: string;
  /** The folder, with a hole where it is not known. */
  cwd: string;
  previousCwd: string;
  positional: readonly Text[];
  /** `$0`. */
  scriptName: Text;

  constructor(from: Environment | { readonly cwd: string; readonly home: string | null }) {
    const under = from instanceof Environment ? from : null;
    this.variables = new Layered(under?.variables ?? null);
    this.functions = new Layered(under?.functions ?? null);
    this.aliases = new Layered(under?.aliases ?? null);
    this.descriptors = new Layered(under?.descriptors ?? null);
    this.home = from.home;
    this.start = under?.start ?? from.cwd;
    this.cwd = from.cwd;
    this.previousCwd = under?.previousCwd ?? hole;
    this.positional = under?.positional ?? [];
    // A script is taken to lie in the folder in which it runs.
    this.scriptName = under?.scriptName ?? knownText(`./${hole}`);
  }

  /** Whether the script set no variable, function or alias yet. */
  get isUntouched(): boolean {
    return this.variables.isEmpty && this.functions.isEmpty && this.aliases.isEmpty;
  }

  /** A shell that starts as this one is and leaves it alone. */
  child(): Environment {
    return new Environment(this);
  }

  /** Takes over that each of the given shells, all children of this one, may be what happened. */
  joinBranches(branches: readonly Environment[], mayBeNone: boolean): void {
    const names = new Set(branches.flatMap((branch) => [...branch.variables.written.keys()]));
    for (const name of names) {
      const seen = branches.map((branch) => branch.variables.get(name));
      if (mayBeNone) seen.push(this.variables.get(name));
      this.variables.set(name, joinVariables(seen));
    }
    for (const branch of branches) {
      for (const [name, body] of branch.functions.written) this.functions.set(name, body);
      for (const [name, text] of branch.aliases.written) this.aliases.set(name, text);
      for (const [name, descriptor] of branch.descriptors.written) this.descriptors.set(name, descriptor);
    }
    const lists = branches.map((branch) => branch.positional);
    if (mayBeNone) lists.push(this.positional);
    this.positional = joinLists(lists);
    const folders = branches.map((branch) => branch.cwd);
    if (mayBeNone) folders.push(this.cwd);
    const [first] = folders;
    if (first !== undefined) this.cwd = folders.every((folder) => folder === first) ? first : hole;
  }

  /** The name that a name stands for, through references. */
  resolveName(name: string): string {
    let current = name;
    for (let round = 0; round < 8; round++) {
      const reference = this.variables.get(current)?.reference;
      if (reference === undefined) return current;
      current = reference;
    }
    return current;
  }

  /** The variable as the script set it, else as the environment has it; null where it need not have it. */
  lookUp(given: string): Variable | null {
    const name = this.resolveName(given);
    return this.variables.get(name) ?? this.#surrounding(name);
  }

  #surrounding(name: string): Variable | null {
    const text = this.#special(name);
    return text === null ? null : { text };
  }

  /** Where a folder of the person lies, if they have not moved it. */
  #special(name: string): Text | null {
    switch (name) {
      case 'HOME':
        return knownText(this.home ?? someHome);
      case 'PWD':
        return knownText(this.cwd);
      case 'OLDPWD':
        return knownText(this.previousCwd);
      case 'IFS':
        return knownText(' \t\n');
      case 'PATH':
        return knownText(`/${hole}`);
      case 'SHELL':
      case 'BASH':
        return oneOf(['/bin/bash', '/bin/sh']);
      case 'BASH_SOURCE':
        return this.scriptName;
      case 'OSTYPE':
        return oneOf(['linux-gnu', 'darwin']);
      case 'OPTIND':
        return knownText('1');
      default: {
        const path = usualPath(name, this.start, this.home);
        return path === null ? null : knownText(path);
      }
    }
  }

  set(given: string, variable: Variable): void {
    this.variables.set(this.resolveName(given), variable);
  }

  setText(name: string, text: Text): void {
    this.set(name, { text: boundedText(text) });
  }

  /** The items of an array in the order of their keys; a plain variable is an array of one. */
  itemsOf(name: string): readonly Text[] {
    const variable = this.lookUp(name);
    if (variable === null) return [];
    return variable.items === undefined ? [variable.text] : [...variable.items.values()];
  }
}

/** Where a variable of the environment came from. */
export function environmentOrigins(name: string): readonly Origin[] {
  return secretName.test(name) ? ['secret'] : [];
}

/** An array of the given items. */
export function arrayOf(items: ReadonlyMap<string, Text>): Variable {
  const indexed = [...items.keys()].every((key) => /^\d+$/.test(key));
  const ordered = indexed ? [...items].sort(([left], [right]) => Number(left) - Number(right)) : [...items];
  const kept = ordered.slice(0, maxItems).map(([key, text]) => [key, boundedText(text)] as const);
  const next = ordered[maxItems];
  if (next !== undefined) kept.push([next[0], unknownText()]);
  return { text: kept[0]?.[1] ?? emptyText, items: new Map(kept) };
}

/** Parameters that may be any of some lists: at each place what one of them has there. */
function joinLists(lists: readonly (readonly Text[])[]): readonly Text[] {
  const [first = []] = lists;
  if (lists.every((list) => list === first)) return first;
  const length = Math.max(...lists.map((list) => list.length));
  return Array.from({ length }, (_, place) => {
    const seen = new Set(lists.flatMap((list) => list[place] ?? []));
    return [...seen].reduce(either);
  });
}

function joinVariables(seen: readonly (Variable | null)[]): Variable | null {
  const [first] = seen;
  if (seen.every((variable) => variable === first)) return first ?? null;
  const present = seen.filter((variable) => variable !== null);
  const texts = present.map((variable) => variable.text);
  const joined = texts.reduce(either, texts[0] ?? emptyText);
  const [reference] = present.map((variable) => variable.reference);
  if (reference !== undefined && present.every((variable) => variable.reference === reference))
    return first ?? null;
  const lists = present.map((variable) => variable.items).filter((items) => items !== undefined);
  if (lists.length === 0) return { text: joined };
  const items = new Map<string, Text>();
  for (const list of lists) {
    for (const [key, text] of list) {
      const other = items.get(key);
      items.set(key, other === undefined ? text : either(other, text));
    }
  }
  return { text: joined, items };
}
