// Shapes: the schema of an input, as data. One description reads the input strictly, reports every problem with its
// position, and yields the JSON Schema that editors and clients use.

import { InputError } from './errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, jsonPointer, maxJsonDepth } from './json.ts';
import { nearest, visible } from './text.ts';

// ── the shapes of input

export type Path = readonly (string | number)[];

/** One thing that is wrong with an input, and where. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
}

export interface Shape<T> {
  /** The JSON Schema (2020-12) of this shape, made when it is asked for: most programs only read. */
  readonly schema: () => JsonObject;
  readonly optional: boolean;
  /** The default of this member in an object. */
  readonly absent?: JsonValue;
  /** The members of a table with known keys. */
  readonly fields?: Fields;
  /** The shape of each member of a table with the user's own keys. */
  readonly item?: Shape<unknown>;
  /** Whether a value is never shown. */
  readonly secret?: true;
  /** Returns the value, or reports problems; the returned value is valid only if none were reported. */
  read(value: unknown, path: Path, report: (problem: Problem) => void): T;
}

export type Infer<S> = S extends Shape<infer T> ? T : never;

function shape<T>(schema: () => JsonObject, read: Shape<T>['read']): Shape<T> {
  return { schema: once(schema), optional: false, read };
}

/** INVARIANT: a shape has one schema, so that those who refer to it know it again. */
function once(make: () => JsonObject): () => JsonObject {
  let made: JsonObject | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The longest text that is read, in UTF-16 units, unless specified. */
export const longestText = 4_194_304;

/** Text, with limits on its length and, where given, a pattern that it matches whole. */
export function text(
  options: { min?: number; max?: number; pattern?: RegExp; what?: string } = {},
): Shape<string> {
  const { min = 0, max = longestText, pattern, what = 'text' } = options;
  const schema = (): JsonObject => ({
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    ...(Number.isFinite(max) ? { maxLength: max } : {}),
    ...(pattern ? { pattern: pattern.source } : {}),
  });
  return shape(schema, (value, path, report) => {
    if (typeof value !== 'string') report({ path, message: `must be ${what}, not ${nameOf(value)}` });
    else if (!value.isWellFormed()) report({ path, message: 'must not have a lone surrogate' });
    else if (value === '' && min > 0) report({ path, message: 'must not be empty' });
    else if (value.length < min) report({ path, message: `must have at least ${min} characters` });
    else if (value.length > max) report({ path, message: `must have at most ${max} characters` });
    else if (pattern && !pattern.test(value)) report({ path, message: `must be ${what}` });
    return value as string;
  });
}

/** The bounds of a number that has some. */
function bounds(min: number, max: number): JsonObject {
  return {
    ...(Number.isFinite(min) ? { minimum: min } : {}),
    ...(Number.isFinite(max) ? { maximum: max } : {}),
  };
}

/** A whole number between two bounds. */
export function integer(min: number, max: number): Shape<number> {
  return shape(
    () => ({ type: 'integer', ...bounds(min, max) }),
    (value, path, report) => {
      if (!Number.isSafeInteger(value)) {
        report({ path, message: `must be a whole number, not ${nameOf(value)}` });
      } else if ((value as number) < min || (value as number) > max) {
        report({ path, message: `must be between ${min} and ${max}, not ${value}` });
      }
      return value as number;
    },
  );
}

/** A number between two bounds, whole or not. */
export function number(min: number, max: number): Shape<number> {
  return shape(
    () => ({ type: 'number', ...bounds(min, max) }),
    (value, path, report) => {
      if (typeof value !== 'number' || !(value >= min && value <= max)) {
        report({ path, message: `must be a number between ${min} and ${max}` });
      }
      return value as number;
    },
  );
}

/** True or false. */
export function flag(): Shape<boolean> {
  return shape(
    () => ({ type: 'boolean' }),
    (value, path, report) => {
      if (typeof value !== 'boolean')
        report({ path, message: `must be true or false, not ${nameOf(value)}` });
      return value as boolean;
    },
  );
}

/** One word of a closed list. */
export function choice<const T extends string>(words: readonly T[]): Shape<T> {
  return shape(
    () => ({ enum: words }),
    (value, path, report) => {
      if (!words.includes(value as T)) {
        const near = typeof value === 'string' ? nearest(value, words) : undefined;
        const given = typeof value === 'string' ? `"${visible(value, 40)}"` : nameOf(value);
        const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
        report({ path, message: `must be one of ${words.join(', ')}, not ${given}${meant}` });
      }
      return value as T;
    },
  );
}

/** A list of one shape. */
export function list<T>(item: Shape<T>, options: { max?: number } = {}): Shape<readonly T[]> {
  const { max = 10_000 } = options;
  return shape(
    () => ({ type: 'array', items: item.schema(), ...(Number.isFinite(max) ? { maxItems: max } : {}) }),
    (value, path, report) => {
      if (!Array.isArray(value)) {
        report({ path, message: `must be a list, not ${nameOf(value)}` });
        return [];
      }
      if (value.length > max) report({ path, message: `must have at most ${max} items` });
      return value.slice(0, max).map((member, index) => item.read(member, [...path, index], report));
    },
  );
}

/** A table whose keys are names of the user's own; `name` restricts the names, if not any is valid. */
export function record<T>(
  item: Shape<T>,
  name?: { readonly fits: (name: string) => boolean; readonly message: string },
): Shape<Readonly<Record<string, T>>> {
  const read = shape(
    () => ({ type: 'object', additionalProperties: item.schema() }),
    (value, path, report) => {
      const result: Record<string, T> = {};
      if (!isJsonObject(value)) report({ path, message: `must be a table, not ${nameOf(value)}` });
      else {
        for (const key of Object.keys(value)) {
          // Assigning to it would set the prototype, and the member would be invisible.
          if (key === '__proto__')
            report({ path: [...path, key], message: 'the key "__proto__" is refused' });
          else result[key] = item.read(value[key], [...path, key], report);
          if (name?.fits(key) === false) report({ path: [...path, key], message: name.message });
        }
      }
      return result;
    },
  );
  return { ...read, item };
}

/** Any JSON value, held to the same strictness as JSON text. */
export function json(): Shape<JsonValue> {
  return shape(
    () => ({}),
    (value, path, report) => {
      checkJson(value, [...path], (problem) => report({ ...problem, path: [...problem.path] }));
      return value as JsonValue;
    },
  );
}

/** The path is one list for the whole value; the reader of a problem copies it. */
function checkJson(value: unknown, path: (string | number)[], report: (problem: Problem) => void): void {
  if (path.length > maxJsonDepth) {
    report({ path, message: `nested deeper than ${maxJsonDepth}` });
  } else if (typeof value === 'string') {
    if (!value.isWellFormed()) report({ path, message: 'must not have a lone surrogate' });
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      report({ path, message: 'must be a number that JSON holds exactly' });
    }
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      path.push(index);
      checkJson(member, path, report);
      path.pop();
    }
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      path.push(key);
      if (key === '__proto__') report({ path, message: 'the key "__proto__" is refused' });
      else if (key.isWellFormed()) checkJson(value[key], path, report);
      else report({ path: path.slice(0, -1), message: 'must not have a lone surrogate in a key' });
      path.pop();
    }
  } else if (value !== null && typeof value !== 'boolean') {
    report({ path, message: `must be a JSON value, not ${nameOf(value)}` });
  }
}

/** A value that other code reads, or that is only output: described by its schema, and not checked here. */
export function described<T = JsonValue>(schema: () => JsonObject): Shape<T> {
  return shape(schema, (value) => value as T);
}

/** The first of two shapes that the value fits. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return shape<A | B>(
    () => ({ anyOf: [first.schema(), second.schema()] }),
    (value, path, report) => {
      let fits = true;
      const read = first.read(value, path, () => {
        fits = false;
      });
      return fits ? read : second.read(value, path, report);
    },
  );
}

/** The shape, or null. */
export function nullable<T>(inner: Shape<T>): Shape<T | null> {
  return shape<T | null>(
    () => ({ anyOf: [inner.schema(), { type: 'null' }] }),
    (value, path, report) => (value === null ? null : inner.read(value, path, report)),
  );
}

/** The shape, and a further check of values that fit it. */
export function checked<T>(
  inner: Shape<T>,
  check: (value: T, path: Path, report: (problem: Problem) => void) => void,
): Shape<T> {
  return {
    ...inner,
    read: (value, path, report) => {
      let fits = true;
      const result = inner.read(value, path, (problem) => {
        fits = false;
        report(problem);
      });
      if (fits) check(result, path, report);
      return result;
    },
  };
}

/** A member that may be absent. */
export function optional<T>(inner: Shape<T>): Shape<T> & { readonly optional: true } {
  return { ...inner, optional: true };
}

/** A member that may be absent, and is this then. */
export function otherwise<T extends JsonValue>(absent: NoInfer<T>, inner: Shape<T>): Shape<T> {
  return { ...inner, absent, schema: once(() => ({ ...inner.schema(), default: absent })) };
}

/** The same shape, for values that are never shown. */
export function secret<S extends Shape<unknown>>(inner: S): S {
  return { ...inner, secret: true };
}

/** The same shape with a sentence for the reader of its schema. */
export function describe<S extends Shape<unknown>>(description: string, inner: S): S {
  return { ...inner, schema: once(() => ({ ...inner.schema(), description })) };
}

/** The same shape under a name, by which a document refers to it. */
export function named<S extends Shape<unknown>>(title: string, inner: S): S {
  return { ...inner, schema: once(() => ({ title, ...inner.schema() })) };
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<F> = { [K in keyof F]: F[K] extends { optional: true } ? K : never }[keyof F];
type Simplify<T> = { readonly [K in keyof T]: T[K] };
/** The members that a set of fields reads to. */
export type Members<F extends Fields> = Simplify<
  { [K in Exclude<keyof F, OptionalKeys<F>>]: Infer<F[K]> } & { [K in OptionalKeys<F>]?: Infer<F[K]> }
>;

export interface ObjectShape<F extends Fields> extends Shape<Members<F>> {
  readonly fields: F;
}

/** A table with known keys; an unknown one is a problem that names the nearest known key, unless the table is open. */
export function object<const F extends Fields>(
  fields: F,
  { open = false }: { readonly open?: boolean } = {},
): ObjectShape<F> {
  const keys = Object.keys(fields);
  const filled = keys.filter((key) => fields[key]?.absent !== undefined);
  const required = keys.filter((key) => !fields[key]?.optional && !filled.includes(key));
  const schema = (): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, fields[key]?.schema() ?? {}])),
    ...(required.length > 0 ? { required } : {}),
    ...(open ? {} : { additionalProperties: false }),
  });
  const read: Shape<Members<F>>['read'] = (value, path, report) => {
    const result: Record<string, unknown> = {};
    if (!isJsonObject(value)) {
      report({ path, message: `must be a table, not ${nameOf(value)}` });
      return result as Members<F>;
    }
    for (const key of Object.keys(value)) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field) result[key] = field.read(value[key], [...path, key], report);
      else if (!open) report({ path: [...path, key], message: unknownKey(key, keys) });
    }
    for (const key of required) {
      if (!Object.hasOwn(value, key)) report({ path, message: `"${key}" is missing` });
    }
    for (const key of filled) result[key] ??= fields[key]?.absent;
    return result as Members<F>;
  };
  return { ...shape(schema, read), fields };
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  const shown = visible(key, 60);
  return near === undefined
    ? `unknown key "${shown}"; known here: ${known.join(', ')}`
    : `unknown key "${shown}"; did you mean "${near}"?`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'text', number: 'a number', boolean: 'true or false', object: 'a table' }[
      typeof value as 'string'
    ] ?? typeof value
  );
}

/** Reads a value by its shape; the first problem is thrown as an `InputError` with its pointer. */
export function readShape<T>(expected: Shape<T>, value: unknown): T {
  const problems: Problem[] = [];
  const result = expected.read(value, [], (problem) => problems.push(problem));
  const first = problems[0];
  if (first === undefined) return result;
  const pointer = jsonPointer(first.path);
  throw new InputError(pointer === '' ? first.message : `${pointer}: ${first.message}`, { pointer });
}

// ── The shapes of output: answers and records. They describe it and give its type; a reader may be of another version,
// so they limit nothing and permit additional members.

const any = Number.POSITIVE_INFINITY;

/** Any text. */
export const words = text({ max: any });
export const count = integer(0, any);
export const amount = number(0, any);
/** A time, as people and agents read it. */
export const moment = described<string>(() => ({ type: 'string', format: 'date-time' }));
/** A time in milliseconds since 1970. */
export const milliseconds = described<number>(() => ({
  type: 'integer',
  description: 'Milliseconds since 1970',
}));
/** A table of something that no client has to know more of. */
export const anything = <T extends object>(): Shape<T> => described<T>(() => ({ type: 'object' }));

export const listOf = <T>(item: Shape<T>): Shape<readonly T[]> => list(item, { max: any });

/** An answer, to which later versions may add. */
export function reply<const F extends Readonly<Record<string, Shape<unknown>>>>(fields: F) {
  return object(fields, { open: true });
}

/** Members that are texts. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  // INVARIANT: it has the members that its type names.
  return Object.fromEntries(names.map((name) => [name, words])) as { readonly [N in Name]: typeof words };
}
