// An OpenAPI document as far as requests are judged by it: its operations, and one schema for what each is given.

import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  SallyportError,
  visible,
} from '../../../core/index.ts';

/** The document cannot be used, so nothing can be asked of its API. */
class ApiUnusable extends SallyportError {}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: JsonObject;
  readonly required: boolean;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** What the document says that it does; empty where it says nothing. */
  readonly about: string;
  /** The steps of the path; one that takes a value is null here. */
  readonly steps: readonly (string | null)[];
  /** Which of them takes several steps of a path at once; null where none does. */
  readonly wide: number | null;
  readonly names: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Kinds of body that it takes; none: no body. */
  readonly bodies: readonly string[];
  readonly bodyRequired: boolean;
  /** Of an object with path, query, header and body. */
  readonly schema: JsonObject;
  /** Of the body, as the document has it; null where it takes none in JSON. */
  readonly body: JsonObject | null;
  /** Of the answers in JSON. */
  readonly answers: readonly JsonObject[];
}

export interface Api {
  readonly base: URL | null;
  readonly document: JsonObject;
  readonly operations: readonly Operation[];
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
const cacheLimit = 16;
const kept = new Map<string, Api>();

/** Reads a document, once for each text. */
export function apiFrom(text: string): Api {
  let api = kept.get(text);
  if (api === undefined) {
    api = read(text);
    const [oldest] = kept.keys();
    if (kept.size >= cacheLimit && oldest !== undefined) kept.delete(oldest);
    kept.set(text, api);
  }
  return api;
}

function read(text: string): Api {
  const document = parseJson(text);
  if (!isJsonObject(document) || !/^3\.[01]/.test(String(document['openapi']))) {
    throw new ApiUnusable('The schema of the source is not an OpenAPI 3 document in JSON.');
  }
  const [server] = listOf(document['servers']);
  const address = isJsonObject(server) ? server['url'] : undefined;
  const operations: Operation[] = [];
  for (const [path, given] of Object.entries(objectOf(document['paths']))) {
    const item = objectOf(resolved(document, given));
    for (const method of methods) {
      const operation = item[method];
      if (operation !== undefined)
        operations.push(operationOf(document, path, method, item, objectOf(operation)));
    }
  }
  return { base: typeof address === 'string' ? URL.parse(address) : null, document, operations };
}

function operationOf(
  document: JsonObject,
  path: string,
  method: string,
  item: JsonObject,
  operation: JsonObject,
): Operation {
  const parameters = new Map<string, Parameter>();
  for (const given of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = objectOf(resolved(document, given));
    const place = parameter['in'];
    const name = parameter['name'];
    // Cookies are the browser's; an operation that wants one gets none.
    if (typeof name !== 'string' || (place !== 'path' && place !== 'query' && place !== 'header')) continue;
    parameters.set(`${place} ${name}`, {
      name,
      in: place,
      schema: objectOf(parameter['schema']),
      required: place === 'path' || parameter['required'] === true,
    });
  }
  const body = objectOf(resolved(document, operation['requestBody'] ?? null));
  const content = objectOf(body['content']);
  const json = jsonIn(content);
  const responses = Object.values(objectOf(operation['responses']));
  const answers = responses.flatMap((one) => {
    const answer = jsonIn(objectOf(objectOf(resolved(document, one))['content']));
    return answer === undefined ? [] : [answer];
  });
  const steps = path.split('/').slice(1);
  const wide = steps.findIndex((step) => isWide(document, step, item, operation));
  const id = operation['operationId'];
  const all = [...parameters.values()];
  return {
    id: typeof id === 'string' ? id : `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    about: aboutOf(operation),
    steps: steps.map((step) => (/^\{[^{}]+\}$/.test(step) ? null : step)),
    wide: wide < 0 ? null : wide,
    names: steps.filter((step) => /^\{[^{}]+\}$/.test(step)).map((step) => step.slice(1, -1)),
    parameters: all,
    bodies: Object.keys(content),
    bodyRequired: body['required'] === true,
    schema: wholeSchema(document, all, json),
    body: json ?? null,
    answers,
  };
}

function aboutOf({ summary, description }: JsonObject): string {
  const text = typeof summary === 'string' ? summary : typeof description === 'string' ? description : '';
  return visible(text.trim().split(/(?<=[.!?])\s|\n/)[0] ?? '', 120);
}

/** The schema of the JSON in a map of media types. */
function jsonIn(content: JsonObject): JsonObject | undefined {
  const found = Object.entries(content).find(([type]) => /^application\/(?:[\w.+-]+\+)?json\b/.test(type));
  return found === undefined ? undefined : objectOf(objectOf(found[1])['schema']);
}

/** Whether a step of a path takes a path itself, as GitHub's document says of the paths of files. */
function isWide(document: JsonObject, step: string, item: JsonObject, operation: JsonObject): boolean {
  return [...listOf(item['parameters']), ...listOf(operation['parameters'])].some((given) => {
    const parameter = objectOf(resolved(document, given));
    return step === `{${parameter['name']}}` && parameter['x-multi-segment'] === true;
  });
}

/** One schema for everything that a request carries. */
function wholeSchema(
  document: JsonObject,
  parameters: readonly Parameter[],
  body: JsonObject | undefined,
): JsonObject {
  const used = new Map<string, JsonValue>();
  const part = (place: Parameter['in']): JsonObject => {
    const own = parameters.filter((parameter) => parameter.in === place);
    return {
      type: 'object',
      properties: Object.fromEntries(
        own.map(({ name, schema }) => [name, translated(document, schema, used, 0)]),
      ),
      required: own.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    };
  };
  const properties = {
    path: part('path'),
    query: part('query'),
    header: part('header'),
    ...(body === undefined ? {} : { body: translated(document, body, used, 0) }),
  };
  return { type: 'object', properties, $defs: Object.fromEntries(used) };
}

/** Words of OpenAPI that JSON Schema does not have. */
const notes = new Set([
  'example',
  'examples',
  'xml',
  'externalDocs',
  'discriminator',
  'deprecated',
  'readOnly',
  'writeOnly',
  'nullable',
]);

/** A schema of OpenAPI in the words of JSON Schema, with what it refers to put into `used`. */
function translated(
  document: JsonObject,
  value: JsonValue,
  used: Map<string, JsonValue>,
  depth: number,
): JsonValue {
  if (depth > 60) throw new ApiUnusable('A schema of the OpenAPI document lies too deep in others.');
  if (Array.isArray(value)) return value.map((item) => translated(document, item, used, depth + 1));
  if (!isJsonObject(value)) return value;
  const reference = value['$ref'];
  if (typeof reference === 'string') {
    const name = /^#\/components\/schemas\/([\w.-]+)$/.exec(reference)?.[1];
    if (name === undefined)
      throw new ApiUnusable('A schema of the OpenAPI document refers to what is not in it.');
    if (!used.has(name)) {
      used.set(name, true);
      used.set(name, translated(document, resolved(document, value), used, depth + 1));
    }
    return { $ref: `#/$defs/${name}` };
  }
  const rest = Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      notes.has(key) || key.startsWith('x-') ? [] : [[key, translated(document, inner, used, depth + 1)]],
    ),
  );
  return value['nullable'] === true && typeof value['type'] === 'string'
    ? { ...rest, type: [value['type'], 'null'] }
    : rest;
}

export function resolved(document: JsonObject, value: JsonValue | undefined): JsonValue {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference !== 'string') return value ?? null;
  let found: JsonValue | undefined = document;
  if (!reference.startsWith('#/')) throw new ApiUnusable('The OpenAPI document refers to what is not in it.');
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  if (found === undefined) throw new ApiUnusable('The OpenAPI document refers to what is not in it.');
  return found;
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
