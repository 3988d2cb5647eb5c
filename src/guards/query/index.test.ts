// What the rules' own examples do not show: names as the servers read them, every place that a call can stand in, and
// what happens when something is missing.

import { describe, expect, it } from 'vitest';
import { configOf, settingsFrom } from '../../config/index.ts';
import { Budget, BudgetExceeded, type JsonObject, type World } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { queryGuard } from './index.ts';

const world = realWorld();

const shop = `
  interface Person { id: ID! ssn: String }
  type User implements Person { id: ID! name: String ssn: String friends(first: Int): [User!]! }
  type Query { me: User users(first: Int, filter: JSON): [User!]! person: Person _service: JSON }
  type Mutation { add(n: Int): Int }
  scalar JSON
`;
const tables = `
  CREATE TABLE users (id int, name text, email text, ssn text, tenant_id text);
  CREATE TABLE orders (id int, user_id int, total numeric, tenant_id text);
  CREATE TYPE mood AS ENUM ('sad', 'happy');
`;

interface Asked {
  readonly kind?: string;
  readonly mode?: JsonObject;
  readonly schema?: string | null;
  readonly variables?: JsonObject;
  readonly world?: Partial<World>;
  readonly tenant?: string;
}

async function ask(
  text: string,
  { kind = 'postgres', mode = {}, schema = tables, variables = {}, tenant = 'acme', ...more }: Asked = {},
) {
  const source = { kind, code_mode: mode, ...(schema === null ? {} : { schema: '/schema' }) };
  const settings = settingsFrom({}, { sources: { shop: source } });
  const language = kind === 'graphql' || kind === 'rest' ? kind : 'sql';
  return await queryGuard.check(
    { kind: 'query', target: 'shop', language, text, variables },
    {
      settings,
      world: { ...world, schemaText: () => schema, ...more.world },
      budget: new Budget(2_000_000),
      context: { user: 'ann', tenant, agent: 'default', session: 's', workspace: '/', mode: 'default' },
      granted: () => false,
    },
  );
}

const rules = async (text: string, asked?: Asked) => [
  ...new Set((await ask(text, asked)).findings.map(({ rule }) => rule)),
];
const graphql = (text: string, mode: JsonObject = {}, variables: JsonObject = {}) =>
  rules(text, { kind: 'graphql', schema: shop, mode, variables });

describe('a call of what is not known', () => {
  it.each([
    'SELECT evil()',
    'SELECT 1 WHERE evil() IS NULL',
    'SELECT * FROM evil()',
    'SELECT * FROM ROWS FROM (evil(), evil())',
    'SELECT * FROM users, LATERAL evil(users.id) x',
    'VALUES (evil())',
    'SELECT 1 ORDER BY evil()',
    'SELECT 1 LIMIT evil()',
    'SELECT 1 OFFSET (SELECT evil())',
    'SELECT count(*) FILTER (WHERE evil()) FROM users',
    'SELECT sum(1) OVER (PARTITION BY evil())',
    'SELECT sum(1) OVER w FROM users WINDOW w AS (ORDER BY evil())',
    'SELECT sum(id) OVER (ROWS evil() PRECEDING) FROM users',
    'SELECT array_agg(id ORDER BY evil()) FROM users',
    'SELECT CASE WHEN true THEN evil() END',
    'SELECT CASE evil() WHEN 1 THEN 2 END',
    'SELECT ARRAY[evil()]',
    'SELECT (ARRAY[1,2])[evil()]',
    'SELECT ROW(evil())',
    'SELECT COALESCE(evil(), 1)',
    'SELECT GREATEST(1, evil())',
    'SELECT NULLIF(1, evil())',
    'SELECT evil() IS NULL',
    'SELECT evil() IS TRUE',
    'SELECT 1 BETWEEN evil() AND 2',
    'SELECT 1 IN (evil())',
    'SELECT 1 = ANY (ARRAY[evil()])',
    'SELECT evil()::text',
    'SELECT evil() COLLATE "C"',
    'SELECT EXISTS (SELECT evil())',
    'SELECT ARRAY(SELECT evil())',
    'WITH x AS (SELECT evil()) SELECT 1',
    'SELECT 1 UNION SELECT evil()',
    'SELECT DISTINCT ON (evil()) 1 FROM users',
    'SELECT 1 GROUP BY GROUPING SETS ((evil()))',
    'SELECT 1 HAVING evil()',
    'SELECT 1 FROM users JOIN orders ON evil()',
    'SELECT * FROM users TABLESAMPLE BERNOULLI (evil())',
    'SELECT * FROM users TABLESAMPLE evil (1)',
    'SELECT xmlelement(name a, evil())',
    "SELECT json_object('a' VALUE evil())",
    'SELECT JSON_ARRAY(evil())',
    'SELECT JSON_ARRAY(SELECT evil())',
    "SELECT JSON_VALUE(evil(), '$.a')",
    "SELECT * FROM JSON_TABLE(evil(), '$' COLUMNS (a int PATH '$.a'))",
    "SELECT * FROM XMLTABLE('/a' PASSING evil() COLUMNS a text)",
    'SELECT percentile_cont(evil()) WITHIN GROUP (ORDER BY id) FROM users',
    'SELECT lower(VARIADIC evil())',
    'EXPLAIN SELECT evil()',
    'SELECT "EVIL"()',
    'SELECT U&"\\0065vil"()',
    'SELECT pg_catalog.evil()',
    'SELECT public.lower(1)',
    'SELECT users.evil FROM users',
    'SELECT (users).evil FROM users',
    'SELECT (SELECT users FROM users LIMIT 1).row_to_json',
    'SELECT id OPERATOR(evil.=) 1 FROM users',
    "SELECT 'x'::evil",
    "SELECT 'x'::evil.mood",
    'SELECT id FROM users ORDER BY id USING OPERATOR(evil.<)',
    "SELECT 'users'::regproc",
  ])('is denied: %s', async (text) => {
    expect(await rules(text)).toEqual(['unsupported_statement']);
  });

  it('is allowed where the source names the function', async () => {
    expect(await rules('SELECT gis.area(1)', { mode: { sql_allowed_functions: ['gis.area'] } })).toEqual([]);
    expect(await rules('SELECT evil.area(1)', { mode: { sql_allowed_functions: ['gis.area'] } })).toEqual([
      'unsupported_statement',
    ]);
  });

  it('is none of a type that the schema makes', async () => {
    expect(await rules("SELECT 'sad'::mood")).toEqual([]);
  });
});

describe('a column that is not to be read', () => {
  const mode = { sql_blocked_columns: ['users.ssn'] };
  it.each([
    'SELECT SSN FROM users',
    'SELECT "ssn" FROM public.users',
    'SELECT u.ssn FROM users AS u',
    'SELECT users.* FROM users',
    'TABLE users',
    'SELECT to_json(u) FROM users u',
    'SELECT u.*::text FROM users u',
    'SELECT x.a FROM (SELECT ssn AS a FROM users) x',
    'SELECT d FROM users AS u(a, b, c, d)',
    'SELECT id FROM users NATURAL JOIN orders',
    'SELECT 1 FROM users a JOIN users b USING (ssn)',
    'SELECT (SELECT u.ssn) FROM users u',
    'SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM users WHERE ssn = orders.id::text)',
    'SELECT id FROM users ORDER BY ssn',
    'SELECT x FROM users x',
    'SELECT j.ssn FROM (users JOIN orders ON true) AS j',
    'WITH users AS (SELECT * FROM users) SELECT id FROM users',
  ])('is not read by %s', async (text) => {
    expect(await rules(text, { mode })).toContain('blocked_column');
  });

  it.each([
    'SELECT id FROM users',
    "SELECT 'ssn' FROM users",
    'SELECT name AS ssn FROM users',
    'SELECT orders.* FROM orders JOIN users ON users.id = orders.user_id',
    'SELECT count(u) FROM users u',
    'SELECT count(*) FROM users',
    'SELECT * FROM (SELECT id, name FROM users) x',
    'WITH ssn AS (SELECT id FROM users) SELECT ssn FROM ssn',
  ])('is not read by %s, which passes', async (text) => {
    expect(await rules(text, { mode })).toEqual([]);
  });

  it('may be behind every star where the columns are not known', async () => {
    expect(await rules('SELECT * FROM users', { mode, schema: null })).toContain('blocked_column');
    expect(await rules('SELECT id FROM users', { mode, schema: null })).toEqual([]);
    expect(await rules('SELECT users.name FROM users', { mode, schema: null })).toContain('blocked_column');
  });
});

describe('a tenant', () => {
  const mode = { tenant_column: 'tenant_id', tenant_tables: ['orders'] };
  it.each([
    ["SELECT id FROM orders WHERE tenant_id = 'acme'", []],
    ["SELECT id FROM orders WHERE 'acme' = tenant_id AND total > 5", []],
    ["SELECT id FROM orders WHERE tenant_id = 'other'", ['tenant_missing']],
    ["SELECT id FROM orders WHERE tenant_id = 'acme' OR total > 5", ['tenant_missing']],
    ["SELECT id FROM orders WHERE tenant_id IN ('acme', 'other')", ['tenant_missing']],
    ["SELECT o.id FROM orders o JOIN users u ON u.id = o.user_id AND o.tenant_id = 'acme'", []],
    ["SELECT o.id FROM users u LEFT JOIN orders o ON o.tenant_id = 'acme'", ['tenant_missing']],
    ["SELECT a.id FROM orders a, orders b WHERE a.tenant_id = 'acme'", ['tenant_missing']],
    ["SELECT id FROM (SELECT id, tenant_id FROM orders) x WHERE tenant_id = 'acme'", ['tenant_missing']],
    ["SELECT id FROM orders WHERE tenant_id = 'acme' UNION SELECT id FROM orders", ['tenant_missing']],
  ])('holds: %s', async (text, expected) => {
    expect(await rules(text, { mode })).toEqual(expected);
  });
});

describe('what is made out of little', () => {
  it.each([
    "SELECT repeat('x', 1000000000)",
    "SELECT repeat(repeat('x', 10000), 10000)",
    "SELECT repeat('x', 10000 * 100000)",
    'SELECT array_fill(1, ARRAY[10000, 10000])',
    "SELECT lpad('', 1000000000)",
    'SELECT count(*) FROM users a, users b, users c, users d',
    'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT n FROM t',
  ])('costs too much: %s', async (text) => {
    expect(await rules(text)).toEqual(['excessive_cost']);
  });

  it('is rows too many', async () => {
    expect(await rules('SELECT * FROM generate_series(1, 1000000)')).toEqual(['excessive_rows']);
    expect(await rules(`SELECT ${'('.repeat(300)}1${')'.repeat(300)}`)).toEqual(['excessive_depth']);
  });

  it('ends for fragments that unfold without end', async () => {
    const fragments = Array.from(
      { length: 26 },
      (_, n) => `fragment F${n} on User { ...F${n + 1} ...F${n + 1} }`,
    );
    const bomb = `{ me { ...F0 } } ${fragments.join(' ')} fragment F26 on User { id }`;
    expect(await graphql(bomb)).toEqual(['excessive_fields']);
  });
});

describe('GraphQL', () => {
  it.each([
    ['{ users(first: -1) { id } }', ['unsupported_statement']],
    ['query($n: Int) { users(first: $n) { id } }', ['excessive_cost'], { n: 100_000 }],
    ['query($n: Int = 100000) { users(first: $n) { id } }', ['excessive_cost']],
    ['{ _service }', ['introspection']],
    ['{ me { id } } fragment Unused on User { id }', ['query_invalid']],
    ['{ a: me { id } b: me { ssn } }', ['query_risk']],
    ['query($x: Int) { me { id } }', ['query_invalid']],
    ['{ me { id } }', [], {}],
    ['{ me { id } }', ['query_invalid'], { stray: 1 }],
  ])('%s', async (text, expected, variables = {}) => {
    expect(await graphql(text, {}, variables)).toEqual(expected);
  });

  it('reads a field that a filter without a type names', async () => {
    const mode = { blocked_fields: ['User.ssn'] };
    expect(await graphql('{ users(first: 1, filter: { ssn: "1" }) { id } }', mode)).toEqual([
      'blocked_field',
    ]);
    const text = 'query($f: JSON) { users(first: 1, filter: $f) { id } }';
    expect(await graphql(text, mode, { f: { and: [{ ssn: '1' }] } })).toEqual(['blocked_field']);
    expect(await graphql(text, mode, { f: { name: 'ssn' } })).toEqual([]);
  });

  it('tells nothing of names that are near', async () => {
    const { findings } = await ask('{ me { nam } }', { kind: 'graphql', schema: shop });
    expect(findings.map(({ message }) => message).join()).not.toMatch(/name|mean/i);
  });
});

describe('what a person is told', () => {
  it('names what is read and what is sensitive', async () => {
    const { facts } = await ask('SELECT id, ssn FROM users LIMIT 5');
    expect(facts['explanation']).toBe(
      'Reads id and ssn of users, at most 5 rows. It touches what is sensitive: users.ssn.',
    );
    expect(facts['risk']).toBe('medium');
  });

  it.each([
    ['SELECT id FROM users', 'low', {}],
    ["UPDATE users SET name = 'a' WHERE id = 1", 'medium', { sql_allow_writes: true }],
    ["UPDATE users SET name = 'a'", 'high', { sql_allow_writes: true, sql_require_where_on_writes: false }],
    ['INSERT INTO users (id) SELECT id FROM orders', 'high', { sql_allow_writes: true }],
    ['DELETE FROM users WHERE id = 1', 'high', { sql_allow_deletes: true }],
    ['TRUNCATE users', 'critical', { sql_allow_deletes: true, sql_require_where_on_writes: false }],
    ['DROP TABLE users', 'critical', { sql_allow_ddl: true }],
  ])('%s is a risk: %s', async (text, risk, mode) => {
    expect((await ask(text, { mode })).facts['risk']).toBe(risk);
  });
});

describe('two spellings of one query', () => {
  const canonical = async (text: string, asked?: Asked) => (await ask(text, asked)).facts['canonical'];

  it.each([
    ['SELECT id FROM users', 'select  id\nfrom "users" -- all of them'],
    ["SELECT 'a;b' FROM users;", "SELECT/**/'a;b'FROM users"],
  ])('are one: %s', async (one, other) => {
    expect(await canonical(one)).toBe(await canonical(other));
  });

  it.each([
    ["SELECT id FROM users WHERE name = 'a'", "SELECT id FROM users WHERE name = 'A'"],
    ["SELECT 'a\n b'", "SELECT 'a b'"],
  ])('are two: %s', async (one, other) => {
    expect(await canonical(one)).not.toBe(await canonical(other));
  });
});

describe('what is missing', () => {
  it('denies: a source, its language, its schema', async () => {
    expect(
      await rules('{ me { id } }', { kind: 'graphql', schema: shop, world: { schemaText: () => null } }),
    ).toEqual(['schema_missing']);
  });

  it('throws, which blocks: a grammar, a schema that is none', async () => {
    const readers = { python: async () => null, javascript: async () => null };
    await expect(ask('SELECT 1', { world: { readers } })).rejects.toThrow('libpg-query');
    await expect(ask('SELECT 1', { kind: 'sqlite', world: { readers } })).rejects.toThrow('sqlparser-ts');
    await expect(ask('SELECT 1', { schema: 'no SQL' })).rejects.toThrow('schema of the source');
    await expect(ask('{"method":"GET","url":"/"}', { kind: 'rest', schema: '{}' })).rejects.toThrow(
      'OpenAPI',
    );
    await expect(ask('{ a }', { kind: 'graphql', schema: 'no SDL' })).rejects.toThrow();
  });

  it('denies a request whose parameters nobody can check', async () => {
    const schema = JSON.stringify({
      openapi: '3.1.0',
      servers: [{ url: 'https://api.example/v1' }],
      paths: { '/a': { get: { operationId: 'a' } } },
    });
    const asked = { kind: 'rest', schema } as const;
    expect(await rules('{"method":"GET","url":"/a"}', asked)).toEqual([]);
    const { schemas: _, ...blind } = world;
    const settings = settingsFrom({}, { sources: { shop: { kind: 'rest', schema: '/schema' } } });
    const { findings } = await queryGuard.check(
      { kind: 'query', target: 'shop', language: 'rest', text: '{"method":"GET","url":"/a"}' },
      {
        settings,
        world: { ...blind, schemaText: () => schema },
        budget: new Budget(2_000_000),
        context: { user: 'ann', tenant: '', agent: 'default', session: 's', workspace: '/', mode: 'default' },
        granted: () => false,
      },
    );
    expect(findings.map(({ rule }) => rule)).toEqual(['unsupported_statement']);
  });

  it('stops at its budget', async () => {
    const settings = settingsFrom({}, { sources: { shop: { kind: 'postgres' } } });
    const check = queryGuard.check(
      { kind: 'query', target: 'shop', language: 'sql', text: `SELECT ${Array(500).fill('1').join('+')}` },
      {
        settings,
        world,
        budget: new Budget(50),
        context: { user: 'ann', tenant: '', agent: 'default', session: 's', workspace: '/', mode: 'default' },
        granted: () => false,
      },
    );
    await expect(check).rejects.toThrow(BudgetExceeded);
  });
});

it('leaves no value of a query in the records', async () => {
  const { testDecider } = await import('../../../tests/support/decide.ts');
  const { openTestLedger } = await import('../../../tests/support/ledger.ts');
  const ledger = await openTestLedger();
  const settings = settingsFrom({}, { sources: { shop: { kind: 'postgres' } } });
  const config = { ...configOf(() => settings), hooks: [] };
  const decider = testDecider({ config, ledger, world });
  const context = {
    user: 'ann',
    tenant: 'acme',
    agent: 'a',
    session: 's',
    workspace: '/',
    mode: 'default',
  } as const;
  const text = "DELETE FROM users WHERE name = 'a quiet value'";
  const { facts } = await decider.decide({ kind: 'query', target: 'shop', language: 'sql', text }, context);
  expect(facts['canonical']).toContain('a quiet value');
  const entries = await ledger.audit.list({});
  expect(entries).toHaveLength(1);
  expect(JSON.stringify(entries)).toContain('"relations":["users"]');
  expect(JSON.stringify(entries)).not.toContain('quiet');
});
