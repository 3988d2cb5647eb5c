// The surroundings of the rules' examples: a shop behind GraphQL, in a database, and as an API.

import type { ActionOf, Example, Given, JsonObject } from '../../../core/index.ts';

export const graphqlSchema = `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  interface Person { id: ID! name: String ssn: String }
  type Customer implements Person { id: ID! name: String ssn: String email: String friends(first: Int): [Customer!]! orders(first: Int): [Order!]! }
  type Order { id: ID! total: Float customer: Customer }
  input OrderFilter { above: Float ssn: String and: [OrderFilter!] }
  type Query { me: Customer person(id: ID!): Person customers(first: Int): [Customer!]! orders(first: Int, filter: OrderFilter): [Order!]! }
  type Mutation { createOrder(total: Float!): Order deleteOrder(id: ID!): Boolean }
  type Subscription { orderCreated: Order }
`;

export const tables = `
  CREATE TABLE customers (id int PRIMARY KEY, name text, email text, ssn text, tenant_id int);
  CREATE TABLE orders (id int PRIMARY KEY, customer_id int, total numeric, tenant_id int);
  CREATE TABLE secrets (id int, value text);
`;

export const api = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://api.shop.example/v1' }],
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } }],
        responses: { 200: { description: 'orders' } },
      },
      post: {
        operationId: 'createOrder',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { total: { type: 'number' } },
                required: ['total'],
                additionalProperties: false,
              },
            },
          },
        },
        responses: { 201: { description: 'the order' } },
      },
    },
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { operationId: 'getOrder', responses: { 200: { description: 'the order' } } },
      delete: { operationId: 'deleteOrder', responses: { 204: { description: 'gone' } } },
    },
    '/admin/reset': { post: { operationId: 'reset', responses: { 204: { description: 'done' } } } },
  },
});

function to(kind: string, file: string, content: string, language: ActionOf<'query'>['language']) {
  return (text: string, mode: JsonObject = {}, variables: JsonObject = {}): Example => ({
    action: { kind: 'query', target: 'shop', language, text, variables },
    given: {
      sources: { shop: { kind, schema: `/workspace/${file}`, code_mode: mode } },
      files: { [file]: content },
    },
  });
}

/** A GraphQL query to the shop. */
export const graphql = to('graphql', 'schema.graphql', graphqlSchema, 'graphql');
/** A statement on the shop's PostgreSQL. */
export const postgres = to('postgres', 'tables.sql', tables, 'sql');
/** The same where the database is asked about itself. */
export function livePostgres(
  text: string,
  database: NonNullable<Given['database']>,
  mode: JsonObject = {},
): Example {
  const { action, given } = postgres(text, mode);
  return { action, given: { ...given, database } };
}
/** A request to the shop's API: a JSON object with method, url, headers and body. */
export const rest = to('rest', 'openapi.json', api, 'rest');
