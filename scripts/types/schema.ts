// The named schemas of an OpenAPI document as a small tree that every language's types are written from.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/index.ts';

export type Type =
  | { readonly is: 'any' | 'text' | 'integer' | 'number' | 'flag' }
  /** One word, or one number, of a closed list. */
  | { readonly is: 'words'; readonly words: readonly (string | number)[] }
  | { readonly is: 'table' | 'nullable'; readonly of: Type }
  /** With a length where it has always the same. */
  | { readonly is: 'list'; readonly of: Type; readonly length?: number }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'union'; readonly of: readonly Type[] }
  | { readonly is: 'record'; readonly members: readonly Member[] };

export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly required: boolean;
}

/** A named type, and the words of hosts for its own where it has such. */
export interface Named {
  readonly name: string;
  readonly type: Type;
  readonly hostWords: Readonly<Record<string, string>> | null;
}

/** The named types of a document; throws on a schema that this does not know. */
export function namedTypes(document: JsonObject): readonly Named[] {
  return Object.entries(objectAt(objectAt(document, 'components'), 'schemas')).map(([name, schema]) => {
    const words = objectOf(schema, name)['x-host-words'];
    return {
      name,
      type: typeAt(objectOf(schema, name), name),
      hostWords: isJsonObject(words) ? (words as Readonly<Record<string, string>>) : null,
    };
  });
}

/** The type of a schema; `place` is for the message where it is not known. */
export function typeAt(schema: JsonObject, place: string): Type {
  const { $ref: reference, enum: words, oneOf, anyOf = oneOf, type } = schema;
  if (typeof reference === 'string') return { is: 'name', name: reference.split('/').at(-1) ?? '' };
  if (Array.isArray(words)) return wordsOf(words, place);
  if (Array.isArray(anyOf)) return unionOf(anyOf, place);
  if (Array.isArray(type))
    return unionOf(
      type.map((one) => ({ ...schema, type: one })),
      place,
    );
  switch (type) {
    case undefined:
      return { is: 'any' };
    case 'string':
      return { is: 'text' };
    case 'integer':
    case 'number':
      return { is: type };
    case 'boolean':
      return { is: 'flag' };
    case 'array':
      return listType(schema, place);
    case 'object':
      return objectType(schema, place);
    default:
      throw new Error(`${place}: a type that is not known: ${JSON.stringify(type)}`);
  }
}

function listType(schema: JsonObject, place: string): Type {
  const { items, minItems, maxItems } = schema;
  const of = typeAt(objectOf(items, place), place);
  const fixed = typeof minItems === 'number' && minItems === maxItems;
  return { is: 'list', of, ...(fixed ? { length: minItems } : {}) };
}

function wordsOf(words: readonly JsonValue[], place: string): Type {
  const fit = words.filter((word) => typeof word === 'string' || typeof word === 'number');
  if (fit.length !== words.length) throw new Error(`${place}: a list of words that holds something else`);
  return { is: 'words', words: fit };
}

function unionOf(schemas: readonly JsonValue[], place: string): Type {
  const some = schemas.map((one) => objectOf(one, place));
  const rest = some.filter((one) => one['type'] !== 'null').map((one) => typeAt(one, place));
  const [only] = rest;
  const type: Type = rest.length === 1 && only !== undefined ? only : { is: 'union', of: rest };
  return rest.length === some.length ? type : { is: 'nullable', of: type };
}

function objectType(schema: JsonObject, place: string): Type {
  const { properties, additionalProperties: others, required = [] } = schema;
  if (isJsonObject(others)) return { is: 'table', of: typeAt(others, place) };
  if (!isJsonObject(properties)) return { is: 'table', of: { is: 'any' } };
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    type: typeAt(objectOf(member, `${place}.${name}`), `${place}.${name}`),
    required: Array.isArray(required) && required.includes(name),
  }));
  return { is: 'record', members };
}

function objectOf(value: JsonValue | undefined, place: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${place}: no schema`);
  return value;
}

function objectAt(value: JsonObject, key: string): JsonObject {
  return objectOf(value[key], key);
}
