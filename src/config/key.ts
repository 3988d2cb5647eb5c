// A key of sallyport.toml: its shape, its default, and how far a workspace file, which agents can write, may move it.

import type { JsonValue } from '../core/index.ts';
import type { Shape } from '../core/shape.ts';

/** How an untrusted workspace file may move a key: never to something looser than what is below. */
interface Tightening<Value, Effective> {
  /** What the file may say, where that is less than the user's own may. */
  readonly shape: Shape<unknown>;
  apply(below: Effective, value: Value): Effective;
}

/** One key of the file: its shape, and how the levels make one effective value of it. */
export interface Key<Value, Effective = Value> extends Shape<Value> {
  readonly optional: true;
  readonly fallback: Value;
  own(value: Value): Effective;
  /** What a trusted workspace file makes of the value below it. */
  merge(below: Effective, value: Value): Effective;
  /** Null if only a trusted file may have the key. */
  readonly tighten: Tightening<Value, Effective> | null;
}

interface KeySpec<Value extends JsonValue, Effective> {
  readonly says: string;
  readonly shape: Shape<Value>;
  readonly fallback: Value;
  readonly tighten?: { readonly shape?: Shape<unknown>; apply(below: Effective, value: Value): Effective };
}

/** A key whose value is what the strongest level says. */
export function key<Value extends JsonValue>(spec: KeySpec<Value, Value>): Key<Value> {
  return keyWith(spec, { own: (value) => value, merge: (_, value) => value });
}

/** A key of which the levels make something else than their values. */
export function keyWith<Value extends JsonValue, Effective>(
  spec: KeySpec<Value, Effective>,
  levels: Pick<Key<Value, Effective>, 'own' | 'merge'>,
): Key<Value, Effective> {
  const { says, shape, fallback, tighten } = spec;
  return {
    schema: () => ({ ...shape.schema(), description: says, default: fallback }),
    optional: true,
    read: shape.read,
    fallback,
    ...levels,
    tighten: tighten ? { shape: tighten.shape ?? shape, apply: tighten.apply } : null,
  };
}

/** A workspace file may only lower it. */
export const lower = { apply: Math.min };
