// Reads the JSON Schemas of tools: the target of a reference, and the arguments. A server wrote them, so they are
// untrusted.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

/** The target of a reference within a schema; undefined if it does not exist, or is elsewhere. */
export function pointedAt(root: JsonValue, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let place: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = stepOf(step);
    if (name === undefined || typeof place !== 'object' || place === null) return undefined;
    place = Object.hasOwn(place, name) ? (place as JsonObject)[name] : undefined;
  }
  return place;
}

function stepOf(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/** The properties of an object's schema, those of its parts included. */
export function propertiesOf(schema: JsonObject): JsonObject {
  const parts = [...partsOf(schema, schema, new Set(), ['allOf', 'anyOf', 'oneOf'])];
  return Object.fromEntries(
    parts.flatMap(({ properties }) => (isJsonObject(properties) ? Object.entries(properties) : [])),
  );
}

/** The texts in a schema: titles, descriptions and the literal values. */
export function textsOf(schema: JsonObject): readonly string[] {
  const texts: string[] = [];
  let seen = 0;
  const visit = (value: JsonValue): void => {
    if (++seen > mostSeen) return;
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isJsonObject(value)) return;
    for (const [key, one] of Object.entries(value)) {
      if ((key === 'description' || key === 'title') && typeof one === 'string') texts.push(one);
      else if (key === 'enum') texts.push(...listOf(one).filter((member) => typeof member === 'string'));
      else visit(one);
    }
  };
  visit(schema);
  return texts;
}

/** The keys that every value has which fits a schema. */
export function requiredOf(schema: JsonObject): readonly string[] {
  return [...required(schema, schema, { left: mostSeen })];
}

function required(root: JsonObject, schema: JsonValue, steps: { left: number }): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const part of partsOf(root, schema, new Set(), ['allOf'])) {
    if (steps.left-- <= 0) break;
    for (const key of listOf(part['required'])) if (typeof key === 'string') keys.add(key);
    for (const choice of ['anyOf', 'oneOf']) {
      const [first, ...others] = listOf(part[choice])
        .slice(0, mostParts)
        .map((way) => required(root, way, steps));
      for (const key of first ?? []) if (others.every((way) => way.has(key))) keys.add(key);
    }
  }
  return keys;
}

const mostParts = 100;
const mostSeen = 1000;

/** A schema and the schemas that it is made of, each once. */
function* partsOf(
  root: JsonObject,
  schema: JsonValue | undefined,
  seen: Set<JsonValue>,
  ways: readonly string[],
): Generator<JsonObject> {
  if (!isJsonObject(schema) || seen.has(schema) || seen.size > mostSeen) return;
  seen.add(schema);
  yield schema;
  const { $ref } = schema;
  if (typeof $ref === 'string') yield* partsOf(root, pointedAt(root, $ref), seen, ways);
  for (const way of ways) {
    for (const part of listOf(schema[way]).slice(0, mostParts)) yield* partsOf(root, part, seen, ways);
  }
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
