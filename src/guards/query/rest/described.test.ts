// What a request and its answer say, by the types of the document.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../config/index.ts';
import { Budget, type JsonObject } from '../../../core/index.ts';
import { realWorld } from '../../../decide/index.ts';
import { queryGuard } from '../index.ts';
import { pruned } from './described.ts';

const document: JsonObject = {
  openapi: '3.0.3',
  servers: [{ url: 'https://api.example/v1' }],
  paths: {
    '/users/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getUser',
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } } },
        },
      },
    },
    '/users': {
      get: {
        operationId: 'listUsers',
        parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { type: 'array', items: { type: 'object', properties: { id: {} } } },
              },
            },
          },
        },
      },
      post: {
        operationId: 'createUser',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } } },
        responses: {},
      },
    },
    '/files/{path}': {
      get: {
        operationId: 'getFile',
        parameters: [
          { name: 'path', in: 'path', required: true, 'x-multi-segment': true, schema: { type: 'string' } },
        ],
        responses: {},
      },
    },
  },
  components: {
    schemas: {
      User: {
        allOf: [{ $ref: '#/components/schemas/Named' }],
        properties: {
          id: { type: 'string' },
          phone: { type: 'string' },
          friends: { type: 'array', items: { $ref: '#/components/schemas/User' } },
          shop: { $ref: '#/components/schemas/Shop' },
        },
      },
      Named: { properties: { name: { type: 'string' }, password: { type: 'string' } } },
      Shop: { properties: { phone: { type: 'string' } } },
    },
  },
};
const schema = JSON.stringify(document);

async function ask(request: JsonObject, mode: JsonObject = {}) {
  const source = { kind: 'rest', schema: '/s', code_mode: { openapi_allow_writes: true, ...mode } };
  const { findings, facts } = await queryGuard.check(
    { kind: 'query', target: 'shop', language: 'rest', text: JSON.stringify(request) },
    {
      settings: settingsFrom({}, { sources: { shop: source } }),
      world: { ...realWorld(), schemaText: () => schema },
      budget: new Budget(2_000_000),
      context: { user: 'ann', tenant: 'acme', agent: 'a', session: 's', workspace: '/', mode: 'default' },
      granted: () => false,
    },
  );
  return { rules: findings.map(({ rule }) => rule), facts };
}

describe('a request', () => {
  it('counts what its answer has', async () => {
    const { facts, rules } = await ask({ method: 'GET', url: '/users/1' });
    expect(facts['fields']).toContain('User.phone');
    expect(facts['sensitive']).toEqual(['Named.password']);
    expect(rules).toEqual(['query_risk']);
    expect((await ask({ method: 'GET', url: '/users' })).rules).toEqual([]);
    const named = await ask(
      { method: 'GET', url: '/users/1' },
      { sensitive_fields: ['User.phone', 'Named.password'] },
    );
    expect(named.facts['sensitive']).toEqual(['Named.password', 'User.phone']);
  });

  it('does not count what is taken out of its answer', async () => {
    const mode = { openapi_output_blocked_fields: ['password'] };
    expect((await ask({ method: 'GET', url: '/users/1' }, mode)).rules).toEqual([]);
  });

  it('counts what it says itself', async () => {
    const mode = { sensitive_fields: ['listUsers.q', 'User.phone'] };
    expect((await ask({ method: 'GET', url: '/users?q=a' }, mode)).facts['sensitive']).toEqual([
      'listUsers.q',
    ]);
    const body = { phone: '1', name: 'a' };
    const { facts } = await ask({ method: 'POST', url: '/users', body }, mode);
    expect(facts['sensitive']).toEqual(['User.phone']);
  });

  it('has no member in its body that the operation does not describe', async () => {
    const made = async (body: JsonObject) => (await ask({ method: 'POST', url: '/users', body })).rules;
    expect(await made({ name: 'a', isAdmin: true })).toEqual(['query_invalid']);
    expect(await made({ friends: [{ name: 'b', role: 'x' }] })).toEqual(['query_invalid']);
    expect(await made({ name: 'a', friends: [{ name: 'b' }] })).toEqual(['query_changes']);
  });

  it('may have a slash in a value of its query, and in a path that takes several steps', async () => {
    expect((await ask({ method: 'GET', url: '/users?q=a%2Fb%25' })).rules).toEqual([]);
    expect((await ask({ method: 'GET', url: '/files/src/index.js' })).rules).toEqual([]);
    for (const url of ['/users/a%2Fb', '/files/src%2Findex.js', '/files/src/../x', '/files', '/users?q=a%00'])
      expect((await ask({ method: 'GET', url })).rules, url).toEqual(['query_invalid']);
  });
});

describe('an answer', () => {
  const user = { $ref: '#/components/schemas/User' };
  const value = {
    id: 1,
    phone: 'x',
    shop: { phone: 'y' },
    friends: [{ phone: 'z', extra: 1 }],
    extra: { phone: 'w' },
  };
  it('is without what is blocked by its type', () => {
    const blocked = ['User.phone', 'customer.ssn'];
    expect(pruned(document, [user], value, { blocked, onlyDescribed: false })).toEqual({
      id: 1,
      shop: { phone: 'y' },
      friends: [{ extra: 1 }],
      // Nobody says of which type that is.
      extra: {},
    });
  });

  it('has only what is described, where that is asked for', () => {
    expect(pruned(document, [user], value, { blocked: [], onlyDescribed: true })).toEqual({
      id: 1,
      phone: 'x',
      shop: { phone: 'y' },
      friends: [{ phone: 'z' }],
    });
  });
});
