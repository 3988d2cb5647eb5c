// A key of sallyport.toml, declared once: its shape, its default, its documentation, how far a workspace file, which
// agents can write, may change it, and its name in the settings. Reading, merging, the reference page and the schema
// derive from that.

import type { JsonValue } from '../core/index.ts';
import { type Infer, integer, type Shape } from '../core/shape.ts';

/** One key of the file: its shape, and how the levels make one effective value of it. */
export interface Key<Value, Effective = Value, Name extends string = never> extends Shape<Value> {
  readonly optional: true;
  /** The value if no file has the key. */
  readonly initial: Effective;
  /** Its name in the settings; undefined: its own name in camel case. */
  readonly to: Name | undefined;
  /** Converts a value for the settings. */
  own(value: Value): Effective;
  /** Combines the value of a trusted workspace file with the value below it. */
  merge(below: Effective, value: Value): Effective;
  /** How a file that is not trusted may move it, never to anything looser; null if it may not have the key. */
  readonly tighten: {
    /** The values that the file may set, if they are fewer than in the user's own. */
    readonly shape: Shape<unknown>;
    apply(below: Effective, value: Value): Effective;
  } | null;
}

interface KeySpec<Value, Effective, Name> {
  readonly says: string;
  readonly shape: Shape<Value>;
  readonly fallback?: NoInfer<Value>;
  /** Its name in the settings, if that is not its own name in camel case. */
  readonly to?: Name | undefined;
  readonly tighten?: {
    readonly shape?: Shape<unknown>;
    apply(below: NoInfer<Effective>, value: NoInfer<Value>): NoInfer<Effective>;
  };
}

interface WithDefault<Value, Effective, Name> extends KeySpec<Value, Effective, Name> {
  readonly fallback: NoInfer<Value>;
}

/** A key whose value is that of the highest level. */
export function key<Value extends JsonValue, const Name extends string = never>(
  spec: WithDefault<Value, Value, Name>,
): Key<Value, Value, Name> {
  return converted(spec, (value) => value);
}

/** A key without a default: null if no file has it. */
export function unset<Value extends JsonValue, const Name extends string = never>(
  spec: Omit<KeySpec<Value, Value | null, Name>, 'fallback'>,
): Key<Value, Value | null, Name> {
  const levels = {
    initial: null,
    own: (value: Value) => value,
    merge: (_: Value | null, value: Value) => value,
  };
  return declared<Value, Value | null, Name>(spec, levels);
}

/** A key whose value the settings hold as something else. */
export function converted<Value extends JsonValue, Effective, const Name extends string = never>(
  spec: WithDefault<Value, Effective, Name>,
  own: (value: Value) => Effective,
): Key<Value, Effective, Name> {
  return keyWith(spec, own, (_, value) => own(value));
}

/** A key in seconds that the settings hold in milliseconds. */
export function seconds<const Name extends string>(to: Name, says: string, fallback: number, most: number) {
  return converted({ says, shape: integer(1, most), fallback, to }, (value) => value * 1000);
}

/** A key to whose list every level adds; `own` gives the items, and an untrusted file may say what fits `narrow`. */
export function added<Value extends JsonValue, Item, const Name extends string = never>(
  spec: WithDefault<Value, readonly Item[], Name>,
  own: (value: Value) => readonly Item[],
  narrow: Shape<unknown> = spec.shape,
): Key<Value, readonly Item[], Name> {
  const apply = (below: readonly Item[], value: Value) => [...below, ...own(value)];
  return keyWith({ ...spec, tighten: { shape: narrow, apply } }, own, apply);
}

/** A key whose value is computed from the levels rather than taken from one. */
export function keyWith<Value extends JsonValue, Effective, const Name extends string = never>(
  spec: WithDefault<Value, Effective, Name>,
  own: (value: Value) => Effective,
  merge: (below: Effective, value: Value) => Effective,
): Key<Value, Effective, Name> {
  return declared(spec, { initial: own(spec.fallback), own, merge });
}

function declared<Value extends JsonValue, Effective, Name extends string>(
  { says, shape, fallback, to, tighten }: KeySpec<Value, Effective, Name>,
  levels: Pick<Key<Value, Effective>, 'initial' | 'own' | 'merge'>,
): Key<Value, Effective, Name> {
  const standard = fallback === undefined ? {} : { default: fallback };
  return {
    ...shape,
    schema: () => ({ ...shape.schema(), description: says, ...standard }),
    optional: true,
    to,
    ...levels,
    tighten: tighten === undefined ? null : { shape: tighten.shape ?? shape, apply: tighten.apply },
  };
}

/** The items of a list as they are written. */
export const same = <Item>(items: readonly Item[]): readonly Item[] => items;

/** A workspace file may only lower it. */
export const lower = { apply: Math.min };

/** A workspace file may only make it this. */
export function only<Value>(strict: Value): { apply(below: Value, value: Value): Value } {
  return { apply: (below, value) => (value === strict ? value : below) };
}

type Camel<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Name;

export type Keys = Readonly<Record<string, Key<unknown, unknown, string>>>;

/** Whether a shape is a key's. */
export function isKey(shape: Shape<unknown>): shape is Key<unknown, unknown, string> {
  return 'tighten' in shape;
}

/** The values of some keys at one level. */
type Said<K extends Keys> = { readonly [Name in keyof K]?: Infer<K[Name]> | undefined };

/** The effective values of some keys, by their names in the settings. */
export type InForce<K extends Keys> = {
  readonly [Name in keyof K & string as [NonNullable<K[Name]['to']>] extends [never]
    ? Camel<Name>
    : NonNullable<K[Name]['to']>]: ReturnType<K[Name]['own']>;
};

/** The effective values of some keys: by the user's own file, and by a workspace's on top of it. */
export function inForce<K extends Keys>(
  keys: K,
  own: Said<K> = {},
  theirs: Said<K> = {},
  trusted = false,
): InForce<K> {
  const values = Object.entries(keys).map(([name, key]) => {
    const to = key.to ?? name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return [to, effective(key, own[name], theirs[name], trusted)];
  });
  // INVARIANT: every key gives the one member that its type names.
  return Object.fromEntries(values) as InForce<K>;
}

/** One key's value from the levels that have it. */
export function effective<Value, Effective>(
  key: Key<Value, Effective, string>,
  own: Value | undefined,
  theirs: Value | undefined,
  trusted: boolean,
): Effective {
  const below = own === undefined ? key.initial : key.own(own);
  if (theirs === undefined) return below;
  if (trusted) return key.merge(below, theirs);
  // INVARIANT: values that an untrusted file may not set were refused when it was read.
  return key.tighten === null ? below : key.tighten.apply(below, theirs);
}
