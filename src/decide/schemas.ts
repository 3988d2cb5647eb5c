// Compiles the JSON Schemas of tools with Ajv: once for each schema, cached, and none with unbounded evaluation.

import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type CheckValue,
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type SchemaProblem,
  type SchemaRefusal,
  visible,
} from '../core/index.ts';
import { refuseExplosions } from '../detect/explosion.ts';
import { itemsOf, parsePattern } from '../detect/pattern.ts';

/** Bounds of a schema: characters, depth, and paths through a pattern. */
const longestSchema = 65_536;
const deepestSchema = 40;
const longestPattern = 512;
const mostWays = 1000;
/** Bounds that are added to a schema: longest text that a pattern reads, most items that must differ. */
const longestMatched = 4096;
const mostUnique = 256;
/** Most evaluations of one value. */
const mostSteps = 2_000_000;
const cacheLimit = 512;

const ajv = new Ajv2020({
  strict: false,
  allErrors: false,
  // Members of the prototype do not belong to the value.
  ownProperties: true,
  // Formats are annotations, as in the standard; each would be a foreign pattern.
  validateFormats: false,
  logger: false,
});

/** A schema that is not used, with the reason. */
class Unusable extends Error {}

const kept = new Map<string, CheckValue | SchemaRefusal>();
const known = new WeakMap<JsonObject, CheckValue | SchemaRefusal>();

/** The compiled check of a schema, or the reason why there is none. */
export function checkFor(schema: JsonObject): CheckValue | SchemaRefusal {
  let check = known.get(schema);
  if (check !== undefined) return check;
  let key: string;
  try {
    key = canonicalJson(schema);
    if (key.length > longestSchema) throw new Unusable(`it has more than ${longestSchema} characters`);
  } catch (error) {
    return refusal(error);
  }
  check = kept.get(key) ?? make(schema);
  if (kept.size >= cacheLimit) kept.clear();
  kept.set(key, check);
  known.set(schema, check);
  return check;
}

function make(schema: JsonObject): CheckValue | SchemaRefusal {
  try {
    const bounded = boundedSchema(schema, 0);
    if (!isJsonObject(bounded)) throw new Unusable('it is no object');
    const { $schema: _, ...rest } = bounded;
    const costs = new Costs(rest);
    costs.of(deepestValue);
    try {
      return checkWith(ajv.compile(rest), costs);
    } finally {
      ajv.removeSchema(rest);
    }
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): SchemaRefusal {
  // Ajv's messages may contain parts of the schema; ours do not.
  return { refused: error instanceof Unusable ? error.message : 'it is no JSON Schema of draft 2020-12' };
}

function checkWith(validate: ValidateFunction, costs: Costs): CheckValue {
  return (value) => {
    const { depth, nodes } = sizeOf(value);
    if (costs.of(depth) * nodes > mostSteps) return { pointer: '', message: 'is too large to be checked' };
    if (validate(value)) return null;
    return problemOf(validate.errors?.[0]);
  };
}

/** Describes what a keyword expected; the value itself is never shown. */
function problemOf(error: ErrorObject | undefined): SchemaProblem {
  if (error === undefined) return { pointer: '', message: 'does not fit' };
  const { instancePath: pointer, keyword, params, message = 'does not fit' } = error;
  const text = (name: string): string => visible(String(params[name]), 60);
  switch (keyword) {
    case 'required':
      return { pointer, message: `"${text('missingProperty')}" is missing` };
    case 'additionalProperties':
      return { pointer, message: `has no argument "${text('additionalProperty')}"` };
    case 'unevaluatedProperties':
      return { pointer, message: `has no argument "${text('unevaluatedProperty')}"` };
    case 'enum':
      return { pointer, message: `must be one of ${visible(JSON.stringify(params['allowedValues']), 200)}` };
    case 'const':
      return { pointer, message: `must be ${visible(JSON.stringify(params['allowedValue']), 100)}` };
    default:
      return { pointer, message: visible(message, 200) };
  }
}

// ── bounds

const refs = ['$ref', '$dynamicRef'];
/** Keywords whose value is data, not a schema. */
const data = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', 'type']);
/** Keywords whose members are schemas under arbitrary names. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** The schema with bounds on pattern input and on items that must differ; throws on an unsupported schema. */
function boundedSchema(schema: JsonValue, depth: number): JsonValue {
  if (depth > deepestSchema) throw new Unusable(`it is nested deeper than ${deepestSchema}`);
  if (Array.isArray(schema)) return schema.map((item) => boundedSchema(item, depth + 1));
  if (!isJsonObject(schema)) return schema;
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$id' || key === '$anchor' || key === '$dynamicAnchor' || key === '$recursiveRef') {
      if (key === '$id' && depth === 0) continue;
      throw new Unusable(`it uses ${key}`);
    }
    if (refs.includes(key) && !(typeof value === 'string' && /^#(?:\/|$)/.test(value))) {
      throw new Unusable('it refers to something outside of itself');
    }
    if (key === 'pattern') checkPattern(value);
    if (data.has(key)) result[key] = value;
    else if (named.has(key) && isJsonObject(value)) result[key] = namedSchemas(key, value, depth);
    else result[key] = boundedSchema(value, depth + 1);
  }
  if ('pattern' in schema) result['maxLength'] = least(schema['maxLength'], longestMatched);
  if (schema['uniqueItems'] === true) result['maxItems'] = least(schema['maxItems'], mostUnique);
  return result;
}

function namedSchemas(key: string, schemas: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (key === 'patternProperties') checkPattern(name);
      return [name, boundedSchema(schema, depth + 2)];
    }),
  );
}

function least(value: JsonValue | undefined, most: number): number {
  return typeof value === 'number' ? Math.min(value, most) : most;
}

function checkPattern(pattern: JsonValue): void {
  if (typeof pattern !== 'string' || pattern.length > longestPattern) {
    throw new Unusable(`it has a pattern of more than ${longestPattern} characters`);
  }
  try {
    refuseExplosions(itemsOf(parsePattern(pattern)), mostWays);
  } catch {
    throw new Unusable('it has a pattern that is not understood or could take too long');
  }
}

/** Deepest value that is checked: the maximum for JSON. */
const deepestValue = 64;

function sizeOf(value: JsonValue): { depth: number; nodes: number } {
  let nodes = 1;
  let deepest = 0;
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) {
      const inner = sizeOf(member);
      nodes += inner.nodes;
      deepest = Math.max(deepest, inner.depth);
    }
  }
  return { depth: deepest + 1, nodes };
}

/** Keywords whose schemas apply to the members of a value, and so one level deeper. */
const deeper = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'contains', 'unevaluatedItems'],
]);
/** Keywords whose schemas apply to the same value. */
const beside = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

/**
 * The number of evaluations that a value of some depth may need along one path through it, counted from the schema, so
 * that references which double at each step are detected before they are followed.
 */
class Costs {
  readonly #root: JsonObject;
  readonly #known = new Map<JsonValue, Map<number, number>>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Throws if a reference leads to itself without descending into the value. */
  of(depth: number): number {
    // From the shallow end, so that no descent is longer than the schema itself.
    for (let at = 0; at < depth; at++) this.#cost(this.#root, at, new Set());
    return this.#cost(this.#root, depth, new Set());
  }

  #cost(schema: JsonValue, depth: number, under: ReadonlySet<JsonValue>): number {
    if (!isJsonObject(schema)) return 1;
    const costs = this.#known.get(schema) ?? new Map<number, number>();
    this.#known.set(schema, costs);
    const found = costs.get(depth);
    if (found !== undefined) return found;
    if (under.has(schema)) throw new Unusable('it refers to itself without an end');
    const path = new Set(under).add(schema);
    let cost = 1;
    for (const key of refs) {
      const to = schema[key];
      if (typeof to === 'string') cost += this.#cost(this.#at(to), depth, path);
    }
    for (const key of beside) {
      for (const inner of schemasIn(key, schema[key])) cost += this.#cost(inner, depth, path);
    }
    if (depth > 0) {
      for (const key of deeper) {
        for (const inner of schemasIn(key, schema[key])) cost += this.#cost(inner, depth - 1, new Set());
      }
    }
    cost = Math.min(cost, mostSteps + 1);
    costs.set(depth, cost);
    return cost;
  }

  #at(pointer: string): JsonValue {
    let at: JsonValue = this.#root;
    for (const step of pointer.split('/').slice(1)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      const next: JsonValue | undefined = Array.isArray(at)
        ? at[Number(key)]
        : isJsonObject(at) && Object.hasOwn(at, key)
          ? at[key]
          : undefined;
      if (next === undefined) throw new Unusable('it refers to missing names');
      at = next;
    }
    return at;
  }
}

function schemasIn(key: string, value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  return named.has(key) && isJsonObject(value) ? Object.values(value) : [value];
}
