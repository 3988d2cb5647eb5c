// Reads a request that a model wrote against the API's own document. A request is one operation of the document,
// spelled the one way that every proxy and server on its way reads alike, or it is refused.

import type { CodeMode } from '../../../config/sources.ts';
import {
  type Budget,
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  type Schemas,
  visible,
} from '../../../core/index.ts';
import type { QueryAction, Reading, Unknown } from '../facts.ts';
import { choosing, naming, spelled } from '../spelling.ts';
import { listed, verbs } from '../words.ts';
import { type Api, apiFrom, type Operation, type Parameter } from './api.ts';
import { describedFields, givenFields, undescribed } from './described.ts';

export interface RestInput {
  /** A JSON object with method, url, headers and body. */
  readonly text: string;
  readonly schema: string;
  /** Where the API is, if its document does not say or says otherwise. */
  readonly url: string | null;
  readonly schemas: Schemas | undefined;
  readonly mode: CodeMode;
  readonly budget: Budget;
}

/** The request is none that can be judged. */
class Refused extends Error {}

/** The facts of a request. */
export async function readRest(input: RestInput): Promise<Reading> {
  try {
    return await read(input);
  } catch (error) {
    if (error instanceof Refused) return { unreadable: { rule: 'query_invalid', message: error.message } };
    throw error;
  }
}

async function read({ text, schema, url, schemas, budget, mode }: RestInput): Promise<Reading> {
  const api = apiFrom(schema);
  const request = requestOf(text);
  const base = url === null ? api.base : URL.parse(url);
  if (base === null) throw new Refused('Nothing says where the API is.');
  const { path, query } = placeOf(request.url, base);
  const operation = operationFor(api, request.method, path);
  const given = givenTo(operation, path, query, request);
  budget.spend(100 + text.length);
  const unknowns: Unknown[] = [];
  const check = await schemas?.checkFor(operation.schema);
  if (check === undefined || typeof check !== 'function') {
    unknowns.push({ what: 'an operation whose parameters cannot be checked' });
  } else {
    const problem = check(given);
    if (problem !== null)
      throw new Refused(`The request does not fit: ${problem.pointer || 'it'} ${problem.message}.`);
  }
  const unknown =
    operation.body === null || given['body'] === undefined
      ? null
      : undescribed(api.document, operation.body, given['body']);
  if (unknown !== null)
    throw new Refused(`The body has "${visible(unknown, 60)}", which the operation does not describe.`);
  for (const field of chosenBy(given, hiddenIn(mode)))
    unknowns.push({ what: `a choice by "${visible(field, 60)}", which is taken out of answers` });
  const action = actionOf(operation.method);
  return {
    facts: {
      language: 'rest',
      action,
      operations: [{ name: operation.id, action, verb: operation.method }],
      relations: [`/${path.join('/')}`],
      fields: fieldsOf(api, operation, given, mode),
      inputs: operation.parameters.map(({ in: place, name }) => `${place}.${name}`),
      functions: [],
      depth: path.length,
      selections: query.length,
      aliases: 0,
      directives: 0,
      joins: 0,
      cost: 1,
      rows: null,
      flags: new Set(),
      tenantless: [],
      unknowns,
      summary: {
        plain: summaryOf(operation, path, given, false),
        full: summaryOf(operation, path, given, true),
      },
      canonical: canonicalJson({
        operation: operation.id,
        method: operation.method,
        base: base.href,
        ...given,
      }),
    },
  };
}

/** Fields that are taken out of answers. */
function hiddenIn({ rest }: CodeMode): readonly string[] {
  return [...rest.internalBlockedFields, ...rest.outputBlockedFields];
}

/** What the answers have, without what is taken out of them, and what the request itself says. */
function fieldsOf(
  { document }: Api,
  { id, answers, body }: Operation,
  given: JsonObject,
  mode: CodeMode,
): readonly string[] {
  const hidden = hiddenIn(mode).map((name) => name.toLowerCase());
  const isHidden = (field: string) => {
    const small = field.toLowerCase();
    return hidden.some((name) => small === name || small.endsWith(`.${name}`));
  };
  const places = ['path', 'query', 'header'].flatMap((place) => {
    const values = given[place];
    return isJsonObject(values) ? Object.keys(values).map((name) => `${id}.${name}`) : [];
  });
  const content = given['body'];
  return [
    ...new Set([
      ...describedFields(document, answers, id).filter((field) => !isHidden(field)),
      ...places,
      ...(body === null || content === undefined ? [] : givenFields(document, body, content, id)),
      ...chosenBy(given, mode.sensitiveFields),
    ]),
  ].sort();
}

/**
 * Fields that a request filters, orders or chooses by: to do that is to read them. A text names a field outside of quotes
 * alone; what is searched for is no name.
 */
function chosenBy(given: JsonObject, fields: readonly string[]): readonly string[] {
  if (fields.length === 0) return [];
  const named = new Set<string>();
  const note = (value: JsonValue): void => {
    if (Array.isArray(value)) for (const one of value) note(one);
    else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        named.add(spelled(key));
        note(inner);
      }
    } else if (typeof value === 'string') {
      const bare = value.replace(/'[^']*'|"[^"]*"/g, ' ');
      for (const word of bare.split(/[^A-Za-z0-9_]+/)) named.add(spelled(word));
    }
  };
  for (const place of ['query', 'body']) {
    const values = given[place];
    if (!isJsonObject(values)) continue;
    for (const [name, value] of Object.entries(values))
      if (naming.test(name) || (choosing.test(name) && !/search|match/i.test(name))) note(value);
  }
  return fields.filter((field) => named.has(spelled(field.slice(field.lastIndexOf('.') + 1))));
}

/** What is asked of which path, with what is handed in, and the values of that where they are shown. */
function summaryOf(
  { method, about }: Operation,
  path: readonly string[],
  given: JsonObject,
  values: boolean,
): string {
  const parts = ['query', 'header', 'body'].flatMap((place) => {
    const value = given[place];
    if (!isJsonObject(value)) return value === undefined ? [] : [values ? shownValue(value) : place];
    return Object.entries(value).map(([name, one]) => (values ? `${name} = ${shownValue(one)}` : name));
  });
  const with_ = parts.length === 0 ? '' : ` with ${listed(parts)}`;
  const said = about === '' ? '' : ` (${about})`;
  return `${verbs[actionOf(method)]} /${path.join('/')}${with_}${said}`;
}

function shownValue(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: JsonObject;
  readonly body: JsonValue | undefined;
}

function requestOf(text: string): Request {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    throw new Refused('A request is a JSON object without repeated keys.');
  }
  if (!isJsonObject(value)) throw new Refused('A request is a JSON object.');
  const { method, url, headers = {}, body, ...rest } = value;
  if (Object.keys(rest).length > 0)
    throw new Refused('A request has method, url, headers and body, and nothing else.');
  if (typeof method !== 'string' || typeof url !== 'string' || !isJsonObject(headers)) {
    throw new Refused('A request has a method and a url, and headers are an object.');
  }
  return { method: method.toUpperCase(), url, headers, body };
}

export function actionOf(method: string): QueryAction {
  if (method === 'DELETE') return 'delete';
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}

/** The steps of the path behind the API's own, and the pairs of the query. */
function placeOf(
  url: string,
  base: URL,
): { readonly path: readonly string[]; readonly query: readonly (readonly [string, string])[] } {
  // What servers read in two ways, or not at all as a URL: then nobody knows which way this one does.
  if (!/^[A-Za-z0-9\-._~:/?@!$&'()*+,;=%]*$/.test(url))
    throw new Refused('The url holds signs that a URL has not, or only as %XX.');
  const [place = '', search, ...more] = url.split('?');
  if (more.length > 0) throw new Refused('The url has two queries.');
  // In a value of the query a slash is a slash; in the path it would be another path.
  const isHiding = /%(?![0-9A-Fa-f]{2})|%(?:00|0[aAdD])/;
  if (isHiding.test(url) || /%(?:2[eEfF]|5[cC]|25)/.test(place)) {
    throw new Refused('The url hides a slash, a dot or a control character.');
  }
  const own = base.pathname.replace(/\/$/, '');
  const relative = place.startsWith('/') ? place : behind(place, base, own);
  const steps = relative.split('/').slice(1);
  if (steps.some((step) => step === '' || step === '.' || step === '..')) {
    throw new Refused('The path has an empty step or a dotted one.');
  }
  return { path: steps.map(decoded), query: search === undefined ? [] : pairsOf(search) };
}

/** The path of a whole address, if it lies where the API does. */
function behind(address: string, base: URL, own: string): string {
  const parsed = URL.parse(address);
  const same =
    parsed !== null && parsed.origin === base.origin && parsed.username === '' && parsed.password === '';
  const path = parsed?.pathname ?? '';
  if (!same || !path.startsWith(`${own}/`) || parsed.href !== address) {
    throw new Refused('The url leads elsewhere than to the API.');
  }
  return path.slice(own.length);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    throw new Refused('The url is not UTF-8.');
  }
}

function pairsOf(search: string): readonly (readonly [string, string])[] {
  return search.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const name = decoded((at < 0 ? pair : pair.slice(0, at)).replaceAll('+', ' '));
    return [name, at < 0 ? '' : decoded(pair.slice(at + 1).replaceAll('+', ' '))] as const;
  });
}

/** The operation that a request is, by its method and the steps of its path. */
export function operationOf(api: Api, method: string, url: string, base: URL): Operation {
  return operationFor(api, method, placeOf(url, base).path);
}

/** The operation of a path: of several that fit, the one that names the most steps, as servers choose. */
function operationFor({ operations }: Api, method: string, path: readonly string[]): Operation {
  const fitting = operations
    .filter(({ steps, wide }) => {
      const given = wide === null ? path : narrowed(path, wide, steps.length);
      return steps.length === given.length && steps.every((step, at) => step === null || step === given[at]);
    })
    .sort((one, other) => rank(other).localeCompare(rank(one)));
  const best = fitting[0];
  if (best === undefined) throw new Refused('The API has no such path.');
  const operation = fitting.find((one) => one.method === method && one.path === best.path);
  if (operation === undefined) throw new Refused('The path has no such method.');
  return operation;
}

/** A path whose steps from one place on are one, as far as the rest of the steps leaves them. */
function narrowed(path: readonly string[], wide: number, size: number): readonly string[] {
  const behind = size - wide - 1;
  if (path.length < size) return path;
  const end = path.length - behind;
  return [...path.slice(0, wide), path.slice(wide, end).join('/'), ...path.slice(end)];
}

function rank({ steps }: Operation): string {
  return steps.map((step) => (step === null ? '0' : '1')).join('');
}

/** Headers that a request may have without being a parameter of the operation. */
const plainHeaders: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-type']);

/** Everything that the request carries, by the places of the operation's schema. */
function givenTo(
  operation: Operation,
  path: readonly string[],
  query: readonly (readonly [string, string])[],
  { headers, body }: Request,
): JsonObject {
  const taken: Record<'path' | 'query' | 'header', Record<string, JsonValue>> = {
    path: {},
    query: {},
    header: {},
  };
  const { steps, wide } = operation;
  const given = wide === null ? path : narrowed(path, wide, steps.length);
  const values = given.filter((_, at) => steps[at] === null);
  for (const [index, name] of operation.names.entries()) {
    const parameter = named(operation, 'path', name);
    taken.path[name] = valueFor(parameter, values[index] ?? '');
  }
  for (const [name, value] of query) {
    const parameter = named(operation, 'query', name);
    const list = isJsonObject(parameter.schema) && parameter.schema['type'] === 'array';
    const before = taken.query[name];
    if (before !== undefined && !list) throw new Refused('A parameter is given twice.');
    taken.query[name] = list
      ? [...(Array.isArray(before) ? before : []), itemFor(parameter, value)]
      : valueFor(parameter, value);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || /[\0\r\n]/.test(value))
      throw new Refused('A header is one line of text.');
    const lower = name.toLowerCase();
    if (lower === 'content-type') checkType(operation, value);
    if (plainHeaders.has(lower)) continue;
    const parameter = operation.parameters.find(
      (one) => one.in === 'header' && one.name.toLowerCase() === lower,
    );
    if (parameter === undefined) throw new Refused('A header is given that the operation does not take.');
    taken.header[parameter.name] = valueFor(parameter, value);
  }
  const content = bodyOf(operation, body);
  return { ...taken, ...(content === undefined ? {} : { body: content }) };
}

function named(operation: Operation, place: Parameter['in'], name: string): Parameter {
  const parameter = operation.parameters.find((one) => one.in === place && one.name === name);
  if (parameter === undefined) throw new Refused('A parameter is given that the operation does not take.');
  return parameter;
}

/** A text as its schema wants it; what is no number stays a text, and the schema refuses it. */
function valueFor({ schema }: Parameter, value: string): JsonValue {
  return typed(schema['type'], value);
}

function itemFor({ schema }: Parameter, value: string): JsonValue {
  const items = schema['items'];
  return typed(isJsonObject(items) ? items['type'] : undefined, value);
}

function typed(type: JsonValue | undefined, value: string): JsonValue {
  if (type === 'integer' && /^-?(?:0|[1-9]\d{0,14})$/.test(value)) return Number(value);
  if (type === 'number' && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function checkType({ bodies }: Operation, value: string): void {
  const type = value.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!bodies.some((known) => known.toLowerCase() === type))
    throw new Refused('The operation does not take such a body.');
}

/** A body is JSON: the one form that is checked by its schema. */
function bodyOf({ bodies, bodyRequired }: Operation, body: JsonValue | undefined): JsonValue | undefined {
  if (body === undefined) {
    if (bodyRequired) throw new Refused('The operation needs a body.');
    return undefined;
  }
  if (!bodies.some((type) => /^application\/(?:[\w.+-]+\+)?json\b/.test(type))) {
    throw new Refused('The operation takes no body that can be checked.');
  }
  if (typeof body !== 'string') return body;
  try {
    return parseJson(body);
  } catch {
    throw new Refused('The body is not JSON without repeated keys.');
  }
}
