// The OpenAPI document of the HTTP surface.

import { actionSchema, type JsonObject, modes, verdictSchema } from '../../core/index.ts';
import { hostNames } from '../hooks/index.ts';

const errorSchema: JsonObject = {
  type: 'object',
  properties: { error: { type: 'string' }, name: { type: 'string' }, hint: { type: 'string' } },
  required: ['error', 'name'],
};

function jsonContent(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

function answer(description: string, schema: JsonObject = { type: 'object' }): JsonObject {
  return { description, content: jsonContent(schema) };
}

function operation(
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

function parameter(
  name: string,
  place: 'query' | 'path',
  schema: JsonObject,
  description: string,
): JsonObject {
  return { name, in: place, required: place === 'path', schema, description };
}

const text: JsonObject = { type: 'string' };
const id = parameter('id', 'path', text, 'The id');
const wait = parameter(
  'wait',
  'query',
  { type: 'integer', minimum: 0, maximum: 600 },
  'Seconds to wait for a person',
);

const hostName = parameter('host', 'path', { enum: hostNames }, 'The host');
const event = parameter('event', 'query', text, "The host's name of the moment, where the body has none");
const replySchema: JsonObject = {
  type: 'object',
  properties: { stdout: text, stderr: text, exit: { enum: [0, 2] } },
  required: ['stdout', 'stderr', 'exit'],
};

function proxied(api: string): JsonObject {
  return operation(
    `${api}, through the proxy (scope decide)`,
    { 200: answer('What the model says, as far as it may be shown, in the form of the provider') },
    { body: { type: 'object' } },
  );
}

/** Every path that the daemon serves, save `/llm/`, where the same is offered for every provider. */
export function openApi(version: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version,
      description: `One decision path for AI agents. Permission modes: ${modes.join(', ')}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: { securitySchemes: { credential: { type: 'http', scheme: 'bearer' } } },
    security: [{ credential: [] }],
    paths: {
      '/healthz': {
        get: operation('Whether the daemon is up', { 200: answer('It is') }, { open: true }),
      },
      '/openapi.json': { get: operation('This document', { 200: answer('It') }, { open: true }) },
      '/v1/decide': {
        post: operation(
          'Judge one action (scope decide)',
          { 200: answer('The verdict', verdictSchema) },
          { body: actionSchema, parameters: [wait] },
        ),
      },
      '/v1/hook/{host}': {
        post: operation(
          "Answer an agent host's hook in its own words (scope decide)",
          { 200: answer('What the hook prints, and what it ends with', replySchema) },
          { body: { type: 'object' }, parameters: [hostName, event] },
        ),
      },
      '/v1/chat/completions': { post: proxied('OpenAI Chat Completions') },
      '/v1/responses': { post: proxied('OpenAI Responses') },
      '/v1/messages': { post: proxied('Anthropic Messages') },
      '/v1/messages/count_tokens': { post: proxied('Anthropic token counting') },
      '/v1/models': {
        get: operation('The models of OpenAI, through the proxy', { 200: answer('As it says') }),
      },
      '/v1/session': {
        post: operation(
          'Open a session with the passphrase',
          { 200: answer('A token that lives a quarter of an hour') },
          {
            body: { type: 'object', properties: { passphrase: text }, required: ['passphrase'] },
            open: true,
          },
        ),
      },
      '/v1/approvals': {
        get: operation('The approvals that wait', { 200: answer('Those that the caller may see') }),
      },
      '/v1/approvals/{id}': {
        get: operation(
          'One approval, and how it stands',
          { 200: answer('The approval') },
          { parameters: [id] },
        ),
      },
      '/v1/approvals/{id}/answer': {
        post: operation(
          'Answer an approval (a session)',
          { 200: answer('The answered approval') },
          {
            parameters: [id],
            body: {
              type: 'object',
              properties: {
                answer: { enum: ['approve', 'deny'] },
                grant_seconds: { type: 'integer', minimum: 60, maximum: 2_592_000 },
              },
              required: ['answer'],
            },
          },
        ),
      },
      '/v1/grants': { get: operation('The grants that stand', { 200: answer('Those of the caller') }) },
      '/v1/grants/{id}': {
        delete: operation('Revoke a grant (a session)', { 200: answer('The grant') }, { parameters: [id] }),
      },
      '/v1/log': {
        get: operation(
          'Audit entries, newest first',
          { 200: answer('Those that the caller may see') },
          {
            parameters: [
              parameter(
                'limit',
                'query',
                { type: 'integer', minimum: 1, maximum: 1000 },
                'How many at the most',
              ),
              parameter('before', 'query', { type: 'integer', minimum: 1 }, 'Only entries before this one'),
              parameter('decision', 'query', text, 'Only this decision'),
              parameter('event_type', 'query', text, 'Only this event'),
              parameter('decision_id', 'query', text, 'Only this decision id'),
            ],
          },
        ),
      },
    },
  };
}
