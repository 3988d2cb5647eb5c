// To filter, to order or to choose by a field is to read it, in a request as well.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../config/index.ts';
import { Budget, type JsonObject } from '../../../core/index.ts';
import { realWorld } from '../../../decide/index.ts';
import { queryGuard } from '../index.ts';

const text = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
const items = { type: 'array', items: { type: 'object', properties: { id: {}, name: {} } } };
const answer = { 200: { content: { 'application/json': { schema: items } } } };
const document: JsonObject = {
  openapi: '3.0.3',
  servers: [{ url: 'https://api.example/v1' }],
  paths: {
    '/users': {
      get: {
        operationId: 'listUsers',
        parameters: ['sort', 'filter', 'fields', 'q', 'search'].map(text),
        responses: answer,
      },
    },
  },
  components: { schemas: { User: { type: 'object', properties: { id: {}, homePhone: {} } } } },
};
const world = { ...realWorld(), schemaText: () => JSON.stringify(document) };

async function judged(url: string, mode: JsonObject) {
  const sources = { shop: { kind: 'rest', schema: '/api.json', code_mode: mode } };
  const { facts, findings } = await queryGuard.check(
    { kind: 'query', target: 'shop', language: 'rest', text: JSON.stringify({ method: 'GET', url }) },
    {
      ...{
        settings: settingsFrom({}, { sources }),
        world,
        budget: new Budget(100_000),
        granted: () => false,
      },
      context: { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: '/w', mode: 'default' },
    },
  );
  return { sensitive: facts['sensitive'], rules: findings.map(({ rule }) => rule) };
}

describe('a request that chooses by a field', () => {
  it.each(['sort=home_phone', 'sort=name,-homePhone', 'fields=id,homePhone', 'filter=homePhone%20eq%201'])(
    'reads it: %s',
    async (query) => {
      const sensitive = await judged(`/users?${query}`, { sensitive_fields: ['User.homePhone'] });
      expect(sensitive).toEqual({ sensitive: ['User.homePhone'], rules: ['query_risk'] });
      const hidden = await judged(`/users?${query}`, { openapi_output_blocked_fields: ['User.homePhone'] });
      expect(hidden.rules).toEqual(['unsupported_statement']);
    },
  );

  it.each(['sort=name', 'q=homePhone', 'search=homePhone', "filter=name%20eq%20'homePhone'", 'filter=phone'])(
    'and another does not: %s',
    async (query) => {
      const lists = ['User.homePhone'];
      const mode = { sensitive_fields: lists, openapi_output_blocked_fields: lists };
      expect(await judged(`/users?${query}`, mode)).toEqual({ sensitive: [], rules: [] });
    },
  );
});
