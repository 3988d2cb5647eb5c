// The readers whose parser is not the server's own, and that of requests: what they do not know is refused.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../config/index.ts';
import { Budget, type JsonObject } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { queryGuard } from './index.ts';

const world = realWorld();
const tables = 'CREATE TABLE users (id int, name text, ssn text); CREATE TABLE orders (id int, user_id int);';
const api = JSON.stringify({
  openapi: '3.0.3',
  servers: [{ url: 'https://api.shop.example/v1' }],
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string', maxLength: 8 } },
        ],
      },
      post: {
        operationId: 'createOrder',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
      },
    },
    '/users/{id}': {
      get: { operationId: 'getUser', parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }] },
    },
    '/users/export': { get: { operationId: 'exportUsers' } },
  },
  components: {
    schemas: {
      Order: {
        type: 'object',
        properties: { total: { type: 'number' }, note: { type: 'string', nullable: true } },
        required: ['total'],
        additionalProperties: false,
      },
    },
  },
});

async function rules(kind: string, text: string, mode: JsonObject = {}): Promise<readonly string[]> {
  const settings = settingsFrom({}, { sources: { shop: { kind, schema: '/schema', code_mode: mode } } });
  const { findings } = await queryGuard.check(
    { kind: 'query', target: 'shop', language: kind === 'rest' ? 'rest' : 'sql', text },
    {
      settings,
      world: { ...world, schemaText: () => (kind === 'rest' ? api : tables) },
      budget: new Budget(2_000_000),
      context: { user: 'ann', tenant: '', agent: 'default', session: 's', workspace: '/', mode: 'default' },
      granted: () => false,
    },
  );
  return [...new Set(findings.map(({ rule }) => rule))];
}

describe('MySQL and SQLite', () => {
  it.each([
    ['sqlite', "SELECT load_extension('x')"],
    ['sqlite', "SELECT id FROM users WHERE readfile('/etc/passwd') IS NOT NULL"],
    ['sqlite', "SELECT id FROM users ORDER BY edit('x')"],
    ['sqlite', "SELECT * FROM fsdir('/')"],
    ['sqlite', 'SELECT * FROM sqlite_master'],
    ['sqlite', "ATTACH DATABASE '/tmp/x' AS y"],
    ['sqlite', 'PRAGMA writable_schema = 1'],
    ['sqlite', 'SHOW TABLES'],
    ['mysql', "SELECT load_file('/etc/passwd')"],
    ['mysql', 'SELECT `sleep`(10)'],
    ['mysql', 'SELECT @a := 1'],
    ['mysql', 'SELECT id FROM users FOR UPDATE'],
    ['mysql', 'SELECT 1 /*!50000 , 2 */'],
    ['mysql', 'SELECT user FROM mysql.user'],
    ['mysql', 'SELECT 1; SELECT 2'],
  ])('%s refuses %s', async (kind, text) => {
    expect(await rules(kind, text)).toEqual(['unsupported_statement']);
  });

  it.each([
    ['sqlite', 'SELECT upper(name), count(*) FROM users GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 LIMIT 5'],
    ['sqlite', 'WITH x AS (SELECT id FROM users) SELECT id FROM x WHERE id IN (SELECT user_id FROM orders)'],
    ['sqlite', 'PRAGMA user_version'],
    ['mysql', "SELECT `id` AS `delete`, 'x' FROM orders # a comment"],
    ['mysql', 'SHOW TABLES'],
  ])('%s lets %s pass', async (kind, text) => {
    expect(await rules(kind, text)).toEqual([]);
  });

  it.each([
    ['DELETE FROM users', ['deletes_disabled', 'missing_where']],
    ['REPLACE INTO users VALUES (1)', ['deletes_disabled']],
    ["UPDATE users SET name = 'a' WHERE id = 1", ['writes_disabled']],
    ['DROP TABLE users', ['ddl_disabled']],
    ['SELECT zeroblob(2000000000)', ['unsupported_statement', 'excessive_cost']],
    ['WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r', ['excessive_cost']],
  ])('know what %s does', async (text, expected) => {
    expect(await rules('sqlite', text)).toEqual(expected);
  });

  it.each([
    'SELECT ssn FROM users',
    'SELECT * FROM users',
    'SELECT u.* FROM users u',
    'SELECT id FROM users ORDER BY ssn',
  ])('do not read a blocked column by %s', async (text) => {
    expect(await rules('sqlite', text, { sql_blocked_columns: ['users.ssn'] })).toEqual(['blocked_column']);
  });
});

describe('REST', () => {
  const request = (method: string, url: string, more: object = {}) =>
    JSON.stringify({ method, url, ...more });

  it.each([
    request('GET', '/orders'),
    request('get', '/orders?limit=10&tag=a&tag=b'),
    request('GET', 'https://api.shop.example/v1/orders'),
    request('GET', '/users/42', { headers: { Accept: 'application/json' } }),
    request('GET', '/orders', { headers: { 'x-trace': 'abc' } }),
  ])('lets %s pass', async (text) => {
    expect(await rules('rest', text)).toEqual([]);
  });

  it.each([
    request('GET', '/orders?limit=10&limit=20'),
    request('GET', '/orders?limit=1000'),
    request('GET', '/orders?limit=1e2'),
    request('GET', '/orders?_method=DELETE'),
    request('GET', '/orders', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }),
    request('GET', '/orders', { headers: { 'X-Trace': 'too long a text' } }),
    request('GET', '/orders', { headers: { Accept: 'a\r\nX: y' } }),
    request('GET', '/orders', { body: { total: 1 } }),
    request('TRACE', '/orders'),
    request('GET', '/orders/../users/1'),
    request('GET', '/users/%2e%2e'),
    request('GET', '/users/a%2Fb'),
    request('GET', '//evil.example/orders'),
    request('GET', 'https://api.shop.example.evil.example/v1/orders'),
    request('GET', 'https://api.shop.example@evil.example/v1/orders'),
    request('GET', 'http://api.shop.example/v1/orders'),
    request('GET', '/orders#x'),
    request('GET', '/nowhere'),
    '{"method":"GET","url":"/orders","url":"/users/1"}',
    '{"method":"GET","url":"/orders","more":1}',
  ])('refuses %s', async (text) => {
    expect(await rules('rest', text)).toEqual(['query_invalid']);
  });

  it('knows a path by what it is once decoded', async () => {
    const mode = { openapi_blocked_paths: ['/users/export'] };
    expect(await rules('rest', request('GET', '/users/%65xport'), mode)).toEqual(['blocked_path']);
    expect(await rules('rest', request('GET', '/users/exports'), mode)).toEqual([]);
  });

  it.each([
    [{ total: 1, note: null }, ['query_changes']],
    [{ total: '1' }, ['query_invalid']],
    [{ total: 1, admin: true }, ['query_invalid']],
    ['{"total":1,"total":2}', ['query_invalid']],
    [undefined, ['query_invalid']],
  ])('holds a body to its schema: %j', async (body, expected) => {
    expect(await rules('rest', request('POST', '/orders', { body }), { openapi_allow_writes: true })).toEqual(
      expected,
    );
  });
});
