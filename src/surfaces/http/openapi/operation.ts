// How the document tells of one operation: what is sent, what comes back.

import type { JsonObject } from '../../../core/index.ts';
import { errorSchema } from './components.ts';

function jsonContent(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

/** An answer in JSON. */
export function answer(description: string, schema: JsonObject = { type: 'object' }): JsonObject {
  return { description, content: jsonContent(schema) };
}

/** One operation; every one may be refused. */
export function operation(
  summary: string,
  responses: JsonObject,
  more: { body?: JsonObject; parameters?: readonly JsonObject[]; open?: boolean } = {},
): JsonObject {
  return {
    summary,
    ...(more.parameters === undefined ? {} : { parameters: more.parameters }),
    ...(more.body === undefined ? {} : { requestBody: { required: true, content: jsonContent(more.body) } }),
    ...(more.open === true ? { security: [] } : {}),
    responses: { ...responses, default: answer('What was refused, and why', errorSchema) },
  };
}

/** A parameter in the path or in the query. */
export function parameter(
  name: string,
  place: 'query' | 'path',
  schema: JsonObject,
  description: string,
): JsonObject {
  return { name, in: place, required: place === 'path', schema, description };
}

/** Any text. */
export const text: JsonObject = { type: 'string' };
/** The parameter `id`. */
export const id = parameter('id', 'path', text, 'The id');

/** A list of one schema under a name. */
export function listOf(name: string, items: JsonObject): JsonObject {
  return { type: 'object', properties: { [name]: { type: 'array', items } }, required: [name] };
}
