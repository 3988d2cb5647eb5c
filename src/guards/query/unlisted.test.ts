// A name in a list that the schema does not have is told to the person who wrote it.

import { expect, it } from 'vitest';
import { settingsFrom } from '../../config/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { unlistedNames } from './unlisted.ts';

const { readers } = realWorld();
const files: Readonly<Record<string, string>> = {
  '/shop.sql': `CREATE TABLE public.suppliers (id int, home_phone text, tenant_id text); CREATE TABLE hr.staff (id int, ssn text);
    CREATE VIEW cards AS SELECT 1 AS n;`,
  '/plain.sql': 'CREATE TABLE suppliers (id int, home_phone text);',
  '/film.graphql':
    'type Query { allFilms: [Film] } type Film { id: ID director: String } input Filter { name: String }',
  '/broken.sql': 'no SQL',
  '/api.json': JSON.stringify({
    openapi: '3.0.3',
    paths: {
      '/users/{id}': {
        get: {
          operationId: 'getUser',
          responses: {
            200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } } },
          },
        },
        delete: { operationId: 'deleteUser', responses: {} },
      },
      '/users': { post: { operationId: 'createUser', responses: {} } },
    },
    components: { schemas: { User: { properties: { phone: {}, shop: { properties: { owner: {} } } } } } },
  }),
};

const told = async (
  kind: string,
  schema: string,
  mode: JsonObject,
  more: JsonObject = {},
  all: JsonObject = {},
) =>
  await unlistedNames(
    settingsFrom({}, { code_mode: all, sources: { shop: { kind, schema, code_mode: mode }, ...more } })
      .sources,
    (path) => files[path] ?? null,
    readers,
  );

it.each([
  [
    'postgres',
    '/shop.sql',
    { sql_blocked_tables: ['suppliers', 'public.suppliers', '"Suppliers"', 'hr.staff', 'staff'] },
  ],
  [
    'postgres',
    '/shop.sql',
    { sql_allowed_tables: ['public.suppliers', 'pg_class', 'information_schema.tables'] },
  ],
  [
    'postgres',
    '/shop.sql',
    { sql_blocked_columns: ['ssn', 'hr.staff.ssn', 'public.suppliers.home_phone', 'cards.n'] },
  ],
  ['postgres', '/shop.sql', { tenant_column: 'tenant_id', tenant_tables: ['suppliers'] }],
  [
    'sqlite',
    '/plain.sql',
    { sql_blocked_tables: ['main.Suppliers'], sql_blocked_columns: ['suppliers.HOME_PHONE'] },
  ],
  ['graphql', '/film.graphql', { blocked_fields: ['Film.director'], blocked_queries: ['allFilms'] }],
  ['graphql', '/film.graphql', { blocked_input_fields: ['Filter.name'], sensitive_fields: ['director'] }],
  ['rest', '/api.json', { openapi_allowed_writes: ['createUser'], openapi_allowed_deletes: ['deleteUser'] }],
  ['rest', '/api.json', { openapi_blocked_paths: ['/users/*', '/users/admin', '/**'] }],
  [
    'rest',
    '/api.json',
    { openapi_output_blocked_fields: ['User.phone', 'phone', 'shop.owner'], sensitive_fields: ['owner'] },
  ],
])('says nothing of what the schema has: %s %s %j', async (kind, schema, mode) => {
  expect(await told(kind, schema, mode)).toEqual([]);
});

it.each([
  [
    'postgres',
    '/shop.sql',
    { sql_blocked_tables: ['supliers'] },
    'sql_blocked_tables has "supliers", which its schema does not; did you mean "suppliers"?',
  ],
  [
    'postgres',
    '/shop.sql',
    { sql_blocked_tables: ['hr.suppliers'] },
    'sql_blocked_tables has "hr.suppliers"',
  ],
  ['postgres', '/shop.sql', { sql_allowed_tables: ['"Suppliers"'] }, 'sql_allowed_tables has'],
  [
    'postgres',
    '/shop.sql',
    { sql_blocked_columns: ['supplier.home_phone'] },
    'did you mean "suppliers.home_phone"?',
  ],
  ['postgres', '/shop.sql', { sensitive_fields: ['hr.staff.snn'] }, 'did you mean "hr.staff.ssn"?'],
  [
    'postgres',
    '/shop.sql',
    { tenant_column: 'tenant', tenant_tables: ['suppliers'] },
    'tenant_column has "tenant"',
  ],
  [
    'postgres',
    '/shop.sql',
    { tenant_column: 'tenant_id', tenant_tables: ['orders'] },
    'tenant_tables has "orders"',
  ],
  ['mysql', '/plain.sql', { sql_blocked_tables: ['nowhere'] }, 'sql_blocked_tables has "nowhere"'],
  ['graphql', '/film.graphql', { blocked_fields: ['Flim.director'] }, 'did you mean "Film.director"?'],
  ['graphql', '/film.graphql', { blocked_queries: ['allFilmz'] }, 'did you mean "allFilms"?'],
  ['rest', '/api.json', { openapi_blocked_writes: ['createUsr'] }, 'did you mean "createUser"?'],
  ['rest', '/api.json', { openapi_blocked_paths: ['/usres/*'] }, 'openapi_blocked_paths has "/usres/*"'],
  ['rest', '/api.json', { openapi_output_blocked_fields: ['User.fone'] }, 'did you mean "User.phone"?'],
  ['rest', '/api.json', { sensitive_fields: ['passwort'] }, 'sensitive_fields has "passwort"'],
  ['rest', '/broken.sql', {}, 'its schema cannot be read'],
  [
    'rest',
    '/api.json',
    { sql_blocked_tables: ['users'] },
    'sql_blocked_tables has no effect on a source of the kind "rest"',
  ],
  ['postgres', '/shop.sql', { blocked_fields: ['User.ssn'] }, 'blocked_fields has no effect'],
  ['postgres', '/broken.sql', {}, 'its schema cannot be read'],
  ['postgres', '/gone.sql', {}, 'its schema cannot be read'],
])('names what it does not have: %s %s %j', async (kind, schema, mode, message) => {
  const problems = await told(kind, schema, mode);
  expect(problems.some((one) => one.startsWith('sources.shop: ') && one.includes(message))).toBe(true);
});

it('is content with a name of all sources that one of them has', async () => {
  const other = { other: { kind: 'sqlite', schema: '/plain.sql' } };
  const all = { sql_blocked_columns: ['ssn'] };
  expect(await told('postgres', '/shop.sql', {}, other, all)).toEqual([]);
  expect(
    await told('postgres', '/shop.sql', {}, other, { sql_blocked_columns: ['cpf_number'] }),
  ).toHaveLength(2);
  expect(await told('sqlite', '/plain.sql', {}, {}, all)).toHaveLength(1);
});
