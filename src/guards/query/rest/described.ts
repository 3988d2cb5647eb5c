// What an OpenAPI document says of the members of a value: which there are, and of which type each is.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import { listOf, objectOf, resolved } from './api.ts';

/** One schema that a value may be by. */
interface Part {
  /** The name that the document gives it; null for one without. */
  readonly type: string | null;
  readonly schema: JsonObject;
}

const deepest = 40;
const mostFields = 2000;

/** The schemas that together, or one of them, describe a value. */
function partsOf(document: JsonObject, schema: JsonObject, name: string | null, depth = 0): readonly Part[] {
  if (depth > deepest) return [];
  const reference = schema['$ref'];
  const type = typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : name;
  const found = typeof reference === 'string' ? objectOf(resolved(document, schema)) : schema;
  if (typeof found['$ref'] === 'string') return partsOf(document, found, type, depth + 1);
  const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => listOf(found[word]));
  return [
    { type, schema: found },
    ...inner.flatMap((one) => partsOf(document, objectOf(one), type, depth + 1)),
  ];
}

/** The schemas of a member of what several describe. */
function memberSchemas(parts: readonly Part[], key: string): readonly JsonObject[] {
  return parts.flatMap(({ schema }) => {
    const properties = objectOf(schema['properties']);
    if (Object.hasOwn(properties, key)) return [objectOf(properties[key])];
    const more = schema['additionalProperties'];
    return isJsonObject(more) ? [more] : [];
  });
}

function itemSchemas(parts: readonly Part[]): readonly JsonObject[] {
  return parts.flatMap(({ schema }) => ('items' in schema ? [objectOf(schema['items'])] : []));
}

/** Whether anything is said of the members at all. */
function hasMembers(parts: readonly Part[]): boolean {
  return parts.some(({ schema }) => 'properties' in schema);
}

function mayHaveMore(parts: readonly Part[]): boolean {
  return parts.some(({ schema }) => {
    const more = schema['additionalProperties'];
    return (more !== undefined && more !== false) || 'patternProperties' in schema;
  });
}

/** Every member that a schema describes, at any depth: `Type.field`, `name.field` where the type has none. */
export function describedFields(
  document: JsonObject,
  schemas: readonly JsonObject[],
  name: string,
): readonly string[] {
  const fields = new Set<string>();
  const seen = new Set<JsonObject>();
  const visit = (schema: JsonObject, called: string | null): void => {
    for (const part of partsOf(document, schema, called)) {
      if (seen.has(part.schema) || fields.size > mostFields) continue;
      seen.add(part.schema);
      for (const [key, member] of Object.entries(objectOf(part.schema['properties']))) {
        fields.add(`${part.type ?? name}.${key}`);
        visit(objectOf(member), null);
      }
      if ('items' in part.schema) visit(objectOf(part.schema['items']), null);
      if (isJsonObject(part.schema['additionalProperties'])) visit(part.schema['additionalProperties'], null);
    }
  };
  for (const schema of schemas) visit(schema, null);
  return [...fields];
}

/** The members that a value has, as `Type.field`. */
export function givenFields(
  document: JsonObject,
  schema: JsonObject,
  value: JsonValue,
  name: string,
): readonly string[] {
  const fields: string[] = [];
  walk(document, [schema], value, (parts, key) => {
    for (const type of new Set(parts.map((part) => part.type ?? name))) fields.push(`${type}.${key}`);
    return true;
  });
  return fields;
}

/** The first member of a value that its schema does not describe, where that describes members; null where none. */
export function undescribed(document: JsonObject, schema: JsonObject, value: JsonValue): string | null {
  let found: string | null = null;
  walk(document, [schema], value, (parts, key) => {
    const isKnown =
      !hasMembers(parts) ||
      mayHaveMore(parts) ||
      parts.some(({ schema: one }) => Object.hasOwn(objectOf(one['properties']), key));
    if (!isKnown) found ??= key;
    return true;
  });
  return found;
}

/** A value without the members that are named with their type, and, where asked, without those that nobody describes. */
export function pruned(
  document: JsonObject,
  schemas: readonly JsonObject[],
  value: JsonValue,
  { blocked, onlyDescribed }: { readonly blocked: readonly string[]; readonly onlyDescribed: boolean },
): JsonValue {
  const types = Object.keys(objectOf(objectOf(document['components'])['schemas'])).map((type) =>
    type.toLowerCase(),
  );
  // A name with another word before the dot is that of a member below a member.
  const names = blocked
    .map((name) => name.toLowerCase())
    .filter((name) => types.includes(name.slice(0, name.lastIndexOf('.'))));
  const bare = new Set(names.map((name) => name.slice(name.lastIndexOf('.') + 1)));
  return walk(document, schemas, value, (parts, key) => {
    const small = key.toLowerCase();
    // Of what is not described nobody knows the type.
    if (parts.length === 0) return !onlyDescribed && !bare.has(small);
    if (parts.some(({ type }) => type !== null && names.includes(`${type.toLowerCase()}.${small}`)))
      return false;
    return !onlyDescribed || memberSchemas(parts, key).length > 0 || !hasMembers(parts);
  });
}

/** A copy of a value with the members that are kept; each is shown with the schemas of what it is in. */
function walk(
  document: JsonObject,
  schemas: readonly JsonObject[],
  value: JsonValue,
  keep: (parts: readonly Part[], key: string) => boolean,
): JsonValue {
  const parts = schemas.flatMap((schema) => partsOf(document, schema, null));
  if (Array.isArray(value)) return value.map((one) => walk(document, itemSchemas(parts), one, keep));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      keep(parts, key) ? [[key, walk(document, memberSchemas(parts, key), member, keep)] as const] : [],
    ),
  );
}
