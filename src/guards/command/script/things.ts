// What a value of a script may be, as far as that can be known without running it: the domain of the abstract machine.

import type { Origin, Value } from '../effects.ts';
import type { FunctionCode } from './program.ts';

/** Stands in a text where a part of it is not known. A source that holds it is only less known for it. */
export const hole = '\uE000';

/** At most so many alternatives are kept of a text. */
const mostTexts = 16;
/** At most so many alternatives are kept of anything else. */
const mostOptions = 8;
/** At most so many things are joined one by one. */
const mostJoined = 32;
/** Longer texts are cut, with a hole at their end. */
const longestText = 65_536;

export interface TextThing {
  readonly kind: 'text';
  /** The alternatives; each may have holes. */
  readonly texts: readonly string[];
  readonly form: 'string' | 'bytes' | 'path';
  readonly origins: readonly Origin[];
  /** It stands for many names, as from a pattern or a listing. */
  readonly many: boolean;
}
export interface NumberThing {
  readonly kind: 'number';
  readonly value: number;
}
export interface TruthThing {
  readonly kind: 'truth';
  readonly value: boolean;
}
export interface NoneThing {
  readonly kind: 'none';
}
/** The items of a list at one moment. */
export interface RowThing {
  readonly kind: 'row';
  readonly items: readonly Thing[];
  /** False: any number of items, each like one of these. */
  readonly exact: boolean;
}
/** A list, tuple, set or array; its row stands in the cell, so that changes are seen by all who hold it. */
export interface ListThing {
  readonly kind: 'list';
  readonly cell: Cell;
}
export interface MapThing {
  readonly kind: 'map';
  readonly entries: Cell;
}
/** A name of a library, in full: `os.path.join`. */
export interface MemberThing {
  readonly kind: 'member';
  readonly name: string;
}
export interface FunctionThing {
  readonly kind: 'function';
  readonly code: FunctionCode;
  readonly scope: Scope;
  readonly self: Thing | null;
  readonly owner: ClassThing | null;
}
export interface ClassThing {
  readonly kind: 'class';
  readonly name: string;
  readonly bases: readonly Thing[];
  readonly fields: Cell;
}
export interface InstanceThing {
  readonly kind: 'instance';
  readonly of: ClassThing;
  readonly fields: Cell;
}
/** An object of a library: an open file, a socket, a response. */
export interface HandleThing {
  readonly kind: 'handle';
  readonly type: string;
  readonly fields: Cell;
}
/** A method of a thing, not called yet. */
interface BoundThing {
  readonly kind: 'bound';
  readonly receiver: Thing;
  readonly name: string;
}
interface PartialThing {
  readonly kind: 'partial';
  readonly callee: Thing;
  readonly args: readonly Thing[];
  readonly keywords: ReadonlyMap<string, Thing>;
}
interface EitherThing {
  readonly kind: 'either';
  readonly options: readonly Thing[];
}
export interface UnknownThing {
  readonly kind: 'unknown';
  readonly origins: readonly Origin[];
  /** It may be any function of a library: to call it is to run what cannot be followed. */
  readonly dynamic: boolean;
}

export type Thing =
  | TextThing
  | NumberThing
  | TruthThing
  | NoneThing
  | RowThing
  | ListThing
  | MapThing
  | MemberThing
  | FunctionThing
  | ClassThing
  | InstanceThing
  | HandleThing
  | BoundThing
  | PartialThing
  | EitherThing
  | UnknownThing;

/** Names and what they hold. */
export type Cell = Map<string, Thing>;

export interface Scope {
  readonly names: Cell;
  readonly parent: Scope | null;
  /** Names that belong to an outer scope by declaration. */
  readonly outer: Map<string, Scope>;
}

/** The key of a map under which what its unnamed entries hold stands. */
export const restKey = '\u0000rest';

export const none: NoneThing = { kind: 'none' };
export const unknown: UnknownThing = { kind: 'unknown', origins: [], dynamic: false };
/** Any function of any library. */
export const dynamic: UnknownThing = { kind: 'unknown', origins: ['unknown'], dynamic: true };

export function unknownFrom(origins: readonly Origin[]): UnknownThing {
  return origins.length === 0 ? unknown : { kind: 'unknown', origins, dynamic: false };
}

export function member(name: string): MemberThing {
  return { kind: 'member', name };
}

export function number(value: number): NumberThing | UnknownThing {
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? { kind: 'number', value }
    : unknown;
}

export function truth(value: boolean): TruthThing {
  return { kind: 'truth', value };
}

function cut(text: string): string {
  return text.length <= longestText ? text : text.slice(0, longestText) + hole;
}

export function texts(
  alternatives: readonly string[],
  { form = 'string', origins = [], many = false }: Partial<Omit<TextThing, 'kind' | 'texts'>> = {},
): TextThing {
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined)
    return { kind: 'text', texts: [cut(only)], form, origins, many };
  const distinct = [...new Set(alternatives)];
  const kept = distinct.length <= mostTexts ? distinct : [commonPrefix(distinct) + hole];
  return { kind: 'text', texts: kept.map(cut), form, origins, many };
}

export function text(literal: string, like: Partial<Omit<TextThing, 'kind' | 'texts'>> = {}): TextThing {
  return texts([literal], like);
}

export function list(items: readonly Thing[], exact = true): ListThing {
  return { kind: 'list', cell: new Map([['items', { kind: 'row', items, exact }]]) };
}

export function map(entries: Iterable<readonly [string, Thing]>, rest?: Thing): MapThing {
  const cell: Cell = new Map(entries);
  if (rest) cell.set(restKey, rest);
  return { kind: 'map', entries: cell };
}

export function handle(type: string, fields: Readonly<Record<string, Thing>> = {}): HandleThing {
  const cell: Cell = new Map();
  for (const name in fields) if (fields[name] !== undefined) cell.set(name, fields[name]);
  return { kind: 'handle', type, fields: cell };
}

export function rowOf({ cell }: ListThing): RowThing {
  const row = cell.get('items');
  return row?.kind === 'row' ? row : { kind: 'row', items: [unknown], exact: false };
}

function commonPrefix(alternatives: readonly string[]): string {
  const [first = '', ...others] = alternatives;
  let length = first.length;
  for (const other of others) {
    let index = 0;
    while (index < length && first[index] === other[index]) index++;
    length = index;
  }
  const prefix = first.slice(0, length);
  const at = prefix.indexOf(hole);
  return at < 0 ? prefix : prefix.slice(0, at);
}

export function merge(...sets: readonly (readonly Origin[])[]): readonly Origin[] {
  const first = sets.find(({ length }) => length > 0);
  if (!first) return [];
  const all = new Set(sets.flat());
  return all.size === first.length ? first : [...all];
}

/** Where the data in a thing came from. */
export function originsOf(thing: Thing | undefined, depth = 6): readonly Origin[] {
  if (!thing || depth === 0) return [];
  switch (thing.kind) {
    case 'text':
    case 'unknown':
      return thing.origins;
    case 'row':
      return merge(...thing.items.slice(0, 256).map((item) => originsOf(item, depth - 1)));
    case 'list':
      return originsOf(rowOf(thing), depth - 1);
    case 'map':
      return merge(...[...thing.entries.values()].slice(0, 256).map((entry) => originsOf(entry, depth - 1)));
    case 'instance':
    case 'handle':
      return merge(...[...thing.fields.values()].map((field) => originsOf(field, depth - 1)));
    case 'bound':
      return originsOf(thing.receiver, depth - 1);
    case 'partial':
      return merge(...thing.args.map((argument) => originsOf(argument, depth - 1)));
    case 'either':
      return merge(...thing.options.map((option) => originsOf(option, depth - 1)));
    default:
      return [];
  }
}

/** The same thing, known to come also from elsewhere. */
export function tainted(thing: Thing, origins: readonly Origin[]): Thing {
  if (origins.length === 0) return thing;
  if (thing.kind === 'text' || thing.kind === 'unknown')
    return { ...thing, origins: merge(thing.origins, origins) };
  return thing;
}

/** Every alternative of a thing. */
export function optionsOf(thing: Thing): readonly Thing[] {
  return thing.kind === 'either' ? thing.options : [thing];
}

/** What a place holds when it is not known which of two ways was taken. */
export function join(left: Thing, right: Thing): Thing {
  if (left === right || same(left, right)) return left;
  if (left.kind === 'text' && right.kind === 'text' && left.form === right.form) {
    return texts([...left.texts, ...right.texts], {
      form: left.form,
      origins: merge(left.origins, right.origins),
      many: left.many || right.many,
    });
  }
  if (left.kind === 'row' && right.kind === 'row') return joinRows(left, right);
  if (left.kind === 'unknown' && right.kind === 'unknown') {
    return {
      kind: 'unknown',
      origins: merge(left.origins, right.origins),
      dynamic: left.dynamic || right.dynamic,
    };
  }
  if (same(left, right)) return left;
  if (isPlain(left) && right.kind === 'unknown') return right;
  if (isPlain(right) && left.kind === 'unknown') return left;
  const options: Thing[] = [];
  for (const option of [...optionsOf(left), ...optionsOf(right)]) {
    const index = options.findIndex((other) => same(option, other) || alike(option, other));
    const other = options[index];
    if (other === undefined) options.push(option);
    else if (!same(option, other)) options[index] = join(other, option);
  }
  const [only] = options;
  if (options.length === 1 && only) return only;
  if (options.length <= mostOptions) return { kind: 'either', options };
  return unknownFrom(merge(...options.map((option) => originsOf(option))));
}

/** Values that matter to nothing once another may stand in their place. */
function isPlain({ kind }: Thing): boolean {
  return kind === 'number' || kind === 'truth' || kind === 'none';
}

/** Whether two alternatives can be one thing after a join. */
function alike(left: Thing, right: Thing): boolean {
  if (left.kind === 'text' && right.kind === 'text') return left.form === right.form;
  return left.kind === 'unknown' && right.kind === 'unknown';
}

function joinRows(left: RowThing, right: RowThing): RowThing {
  const [longer, shorter] = left.items.length >= right.items.length ? [left, right] : [right, left];
  const exact = left.exact && right.exact && longer.items.length === shorter.items.length;
  const items = longer.items.map((item, index) => {
    const other = shorter.items[index];
    return other === undefined ? item : join(item, other);
  });
  return { kind: 'row', items, exact };
}

export function same(left: Thing, right: Thing): boolean {
  if (left === right) return true;
  if (left.kind === 'number' && right.kind === 'number') return left.value === right.value;
  if (left.kind === 'truth' && right.kind === 'truth') return left.value === right.value;
  if (left.kind === 'member' && right.kind === 'member') return left.name === right.name;
  if (left.kind === 'none' && right.kind === 'none') return true;
  if (left.kind === 'text' && right.kind === 'text') {
    return (
      left.form === right.form &&
      left.texts.length === right.texts.length &&
      left.texts.every((alternative, index) => alternative === right.texts[index]) &&
      left.origins.length === right.origins.length
    );
  }
  return false;
}

/** The join of many; beyond a few dozen only what the first are is kept, beside an unknown. */
export function joinAll(things: readonly Thing[]): Thing {
  const [first, ...others] =
    things.length <= mostJoined
      ? things
      : [
          ...things.slice(0, mostJoined),
          unknownFrom(merge(...things.slice(0, 1024).map((thing) => originsOf(thing)))),
        ];
  return first === undefined ? unknown : others.reduce(join, first);
}

/** What a place holds after any number of rounds that each changed it. */
export function widen(before: Thing, after: Thing): Thing {
  if (same(before, after)) return before;
  if (before.kind === 'text' && after.kind === 'text' && before.form === after.form) {
    return text(commonPrefix([...before.texts, ...after.texts]) + hole, {
      form: before.form,
      origins: merge(before.origins, after.origins),
      many: before.many || after.many,
    });
  }
  if (before.kind === 'number' && after.kind === 'number') return unknown;
  if (before.kind === 'row' && after.kind === 'row') return { ...joinRows(before, after), exact: false };
  return join(before, after);
}

/** The alternatives of a text where all of them are fully known. */
export function literals(thing: Thing | undefined): readonly string[] | null {
  if (thing?.kind !== 'text' || thing.texts.some((alternative) => alternative.includes(hole))) return null;
  return thing.texts;
}

/** The one text that it is, or null. */
export function literal(thing: Thing | undefined): string | null {
  const known = literals(thing);
  return known?.length === 1 ? (known[0] ?? null) : null;
}

/** The texts that a thing may be; what is no text is a hole. */
export function textsOf(thing: Thing | undefined): readonly string[] {
  if (!thing) return [hole];
  if (thing.kind === 'text') return thing.texts;
  if (thing.kind === 'number') return [String(thing.value)];
  if (thing.kind === 'either') return thing.options.flatMap(textsOf).slice(0, mostTexts);
  return [hole];
}

/** A text as the vocabulary of effects speaks of it. */
export function asValue(alternatives: readonly string[]): Value {
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) {
    const at = only.indexOf(hole);
    if (at < 0) return { kind: 'literal', text: only };
    return at === 0 ? { kind: 'unknown' } : { kind: 'prefix', text: only.slice(0, at) };
  }
  if (alternatives.length > 0 && alternatives.every((alternative) => !alternative.includes(hole)))
    return { kind: 'choice', texts: alternatives };
  const prefix = commonPrefix(alternatives);
  return prefix === '' ? { kind: 'unknown' } : { kind: 'prefix', text: prefix };
}

/** The truth of a thing where it is known. */
export function truthOf(thing: Thing): boolean | null {
  switch (thing.kind) {
    case 'truth':
      return thing.value;
    case 'number':
      return thing.value !== 0;
    case 'none':
      return false;
    case 'text': {
      const known = literals(thing);
      if (thing.form === 'path') return true;
      if (known?.every((alternative) => alternative === '')) return false;
      return thing.texts.every((alternative) => alternative.replaceAll(hole, '') !== '') ? true : null;
    }
    case 'list': {
      const { items, exact } = rowOf(thing);
      return exact ? items.length > 0 : null;
    }
    case 'member':
    case 'function':
    case 'class':
      return true;
    default:
      return null;
  }
}

/** Applies to every alternative of a text; null where one has a hole or the function cannot say. */
export function mapTexts(
  thing: Thing | undefined,
  apply: (literal: string) => string | null,
  like?: Partial<Omit<TextThing, 'kind' | 'texts'>>,
): TextThing | null {
  const known = literals(thing);
  if (!known || thing?.kind !== 'text') return null;
  const results: string[] = [];
  for (const alternative of known) {
    const result = apply(alternative);
    if (result === null) return null;
    results.push(result);
  }
  return texts(results, { form: thing.form, origins: thing.origins, many: thing.many, ...like });
}

/** Every combination of the parts, one after the other. */
export function concat(
  parts: readonly (readonly string[])[],
  like?: Partial<Omit<TextThing, 'kind' | 'texts'>>,
): TextThing {
  if (parts.every(({ length }) => length === 1)) return text(parts.map(([only = '']) => only).join(''), like);
  let results: readonly string[] = [''];
  for (const part of parts) {
    if (results.length * part.length > mostTexts) {
      results = [commonPrefix(results.flatMap((start) => part.map((end) => start + end))) + hole];
    } else {
      results = results.flatMap((start) => part.map((end) => cut(start + end)));
    }
  }
  return texts(results, like);
}

/** The bytes of a list of numbers; null for anything else. */
export function bytesOf(thing: Thing | undefined): Thing | null {
  if (thing?.kind !== 'list') return null;
  const { items, exact } = rowOf(thing);
  const bytes = items.flatMap((item) =>
    item.kind === 'number' ? [String.fromCharCode(item.value & 0xff)] : [],
  );
  return exact && bytes.length === items.length ? text(bytes.join(''), { form: 'bytes' }) : null;
}

/** A text with only its origin known. */
export function some(things: readonly (Thing | undefined)[], form: TextThing['form'] = 'string'): TextThing {
  return text(hole, { form, origins: merge(...things.map((thing) => originsOf(thing))) });
}
