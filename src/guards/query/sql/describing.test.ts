// Statements that ask the server what there is: they pass where their answer can hold no name that the source hides.

import { describe, expect, it } from 'vitest';
import { askGuard, type SqlAsked } from '../../../../tests/support/sql-guard.ts';
import type { JsonObject } from '../../../core/index.ts';

const tables = `
  CREATE TABLE users (id int PRIMARY KEY, name text, ssn text);
  CREATE TABLE orders (id int PRIMARY KEY, user_id int, total numeric);
  CREATE TABLE secrets (id int);
  CREATE VIEW cards AS SELECT id, ssn AS code FROM users;
  CREATE VIEW vault AS SELECT id FROM secrets;
`;
const hidden = { sql_blocked_columns: ['users.ssn'], sql_blocked_tables: ['secrets'] };

async function isDenied(text: string, asked: Partial<SqlAsked> = {}) {
  const { findings } = await askGuard(text, { schema: tables, ...asked });
  return findings.some(({ decision }) => decision === 'block');
}

const discovery = [
  "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
  "SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'users' ORDER BY ordinal_position",
  'SELECT * FROM information_schema.columns',
  "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
  "SELECT c.relname, n.nspname FROM pg_catalog.pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'",
  "SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attrelid = 'public.users'::regclass AND a.attnum > 0 AND NOT a.attisdropped",
  "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'orders'::regclass",
  "SELECT kcu.column_name FROM information_schema.table_constraints tc JOIN information_schema.key_column_usage kcu ON tc.constraint_name = kcu.constraint_name WHERE tc.constraint_type = 'PRIMARY KEY'",
  "SELECT obj_description('users'::regclass)",
  "SELECT col_description('users'::regclass, 1)",
  "SELECT enumlabel FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid WHERE t.typname = 'mood'",
  'SELECT indexname, indexdef FROM pg_indexes',
  'SELECT conrelid::regclass, confrelid::regclass FROM pg_constraint',
  'SELECT schema_name FROM information_schema.schemata',
  "SELECT count(*) FROM orders WHERE EXISTS (SELECT 1 FROM information_schema.tables WHERE table_name = 'orders')",
];

describe('PostgreSQL', () => {
  it.each(discovery)('tells what there is where nothing is hidden: %s', async (text) => {
    const { findings } = await askGuard(text, { schema: tables });
    expect(findings).toEqual([]);
    expect(await isDenied(text, { schema: null })).toBe(false);
  });

  it.each([
    // They hold values, code, rights, other people's work, or settings.
    'SELECT * FROM pg_stats',
    'SELECT * FROM pg_stat_activity',
    'SELECT rolname FROM pg_authid',
    'SELECT prosrc FROM pg_proc',
    'SELECT * FROM pg_settings',
    'SELECT * FROM pg_roles',
    'SELECT definition FROM pg_rules',
    "SELECT pg_get_functiondef('f'::regproc)",
    "SELECT current_setting('a')",
    'SELECT * FROM pg_largeobject',
    'SELECT * FROM information_schema.routines',
    'SELECT * FROM information_schema.user_mapping_options',
    'DELETE FROM pg_class',
    'UPDATE orders SET total = 1 FROM pg_class WHERE pg_class.oid = orders.id',
  ])('tells nothing but names: %s', async (text) => {
    const mode = { sql_allow_writes: true, sql_allow_deletes: true };
    expect(await isDenied(text, { mode })).toBe(true);
  });

  const held = [
    "SELECT column_name FROM information_schema.columns WHERE table_name = 'orders'",
    "SELECT column_name FROM information_schema.columns WHERE 'public' = table_schema AND table_name IN ('orders', 'ORDERS')",
    "SELECT table_name FROM information_schema.tables WHERE table_name = 'users'",
    "SELECT c.column_name FROM information_schema.columns c WHERE c.table_name = 'orders' AND c.column_name LIKE '%id'",
    "SELECT attname FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attnum > 0",
    "SELECT a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relname = 'orders'",
    "SELECT a.attname FROM pg_class c LEFT JOIN pg_attribute a ON c.oid = a.attrelid WHERE c.relname = 'orders'",
    "SELECT a.attname FROM pg_attribute a, pg_class c, pg_index i WHERE a.attrelid = c.oid AND i.indrelid = c.oid AND c.oid = 'orders'::regclass",
    'SELECT nspname FROM pg_namespace',
  ];
  it.each(held)('tells of what may be told, held to it by a condition: %s', async (text) => {
    const { findings } = await askGuard(text, { schema: tables, mode: hidden });
    expect(findings).toEqual([]);
  });

  it.each([
    ...discovery.filter((text) => !/schemata|= 'orders'|'users'::regclass\)|::regclass, 1/.test(text)),
    "SELECT column_name FROM information_schema.columns WHERE table_name = 'users'",
    "SELECT column_name FROM information_schema.columns WHERE table_name = 'Users'",
    "SELECT column_name FROM information_schema.columns WHERE table_name = 'cards'",
    "SELECT table_name FROM information_schema.tables WHERE table_name = 'secrets'",
    "SELECT table_name FROM information_schema.tables WHERE table_name = 'vault'",
    "SELECT table_name FROM information_schema.tables WHERE table_name = 'orders' OR true",
    "SELECT table_name FROM information_schema.tables WHERE NOT table_name = 'orders'",
    "SELECT table_name FROM information_schema.tables WHERE table_name <> 'orders'",
    "SELECT table_name FROM information_schema.tables WHERE table_name IN ('orders', 'sec' || 'rets')",
    'SELECT table_name FROM information_schema.tables WHERE table_name = $1',
    "SELECT b.table_name FROM information_schema.tables a, information_schema.tables b WHERE a.table_name = 'orders'",
    "SELECT b.table_name FROM information_schema.tables a RIGHT JOIN information_schema.tables b ON b.table_name = 'orders'",
    "SELECT a.table_name FROM information_schema.tables a FULL JOIN orders ON a.table_name = 'orders'",
    "SELECT (SELECT max(table_name) FROM information_schema.tables) FROM information_schema.tables WHERE table_name = 'orders'",
    "SELECT attname FROM pg_attribute WHERE attrelid = 'users'::regclass",
    'SELECT attname FROM pg_attribute WHERE attrelid = 16400',
    "SELECT attname FROM pg_attribute WHERE attrelid = '16400'::regclass",
    "SELECT a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid <> c.oid WHERE c.relname = 'orders'",
    "SELECT a.attname FROM pg_attribute a LEFT JOIN pg_class c ON a.attrelid = c.oid AND c.relname = 'orders'",
    "SELECT 'secrets'::regclass",
    "SELECT '16400'::regclass",
    'SELECT generate_series(16384, 16500)::oid::regclass',
    "SELECT to_regclass('secrets')",
    'SELECT pg_get_viewdef(16400)',
  ])('tells no hidden name: %s', async (text) => {
    expect(await isDenied(text, { mode: hidden })).toBe(true);
  });

  it('allows no more with a schema than without one', async () => {
    for (const text of [...held, ...discovery]) {
      for (const mode of [hidden, { sql_blocked_columns: ['ssn'] }, { sql_allowed_tables: ['orders'] }])
        if (await isDenied(text, { mode, schema: null }))
          expect(await isDenied(text, { mode }), text).toBe(true);
    }
  });

  it.each<[JsonObject, string, boolean]>([
    [{ sql_allowed_tables: ['orders'] }, "table_name = 'orders'", false],
    [{ sql_allowed_tables: ['orders'] }, "table_name = 'users'", true],
    [{ sql_allowed_tables: ['orders'] }, 'true', true],
    [{ sql_blocked_tables: ['hr.pay'] }, "table_schema = 'public'", false],
    [{ sql_blocked_tables: ['hr.pay'] }, "table_schema = 'hr'", true],
    [{ sql_blocked_tables: ['pay'] }, "table_schema = 'public'", true],
    [{ sql_blocked_columns: ['ssn'] }, "table_name = 'orders'", true],
    [{ tenant_column: 'tenant', tenant_tables: ['orders'] }, 'true', false],
  ])('follows %j where %s', async (mode, where, denied) => {
    const text = `SELECT column_name FROM information_schema.columns WHERE ${where}`;
    expect(await isDenied(text, { mode, schema: null })).toBe(denied);
  });

  it('reads no catalog that may hold values where rows are of many tenants', async () => {
    const mode = { tenant_column: 'tenant', tenant_tables: ['orders'] };
    expect(await isDenied('SELECT relpartbound FROM pg_class', { mode })).toBe(true);
    expect(await isDenied("SELECT pg_get_expr('', 0)", { mode })).toBe(true);
  });
});

describe('SQLite and MySQL', () => {
  const schema = 'CREATE TABLE users (id int, ssn text); CREATE TABLE orders (id int);';
  it.each<[NonNullable<SqlAsked['kind']>, string, JsonObject, boolean]>([
    ['sqlite', "SELECT name FROM sqlite_master WHERE type = 'table'", {}, false],
    ['sqlite', 'SELECT m.name, tbl_name FROM sqlite_schema m ORDER BY 1', {}, false],
    ['sqlite', 'SELECT sql FROM sqlite_master', {}, true],
    ['sqlite', 'SELECT * FROM sqlite_master', {}, true],
    ['sqlite', 'SELECT rootpage FROM sqlite_master', {}, true],
    ['sqlite', 'SELECT name FROM sqlite_master', { sql_blocked_tables: ['users'] }, true],
    ['sqlite', 'SELECT name FROM sqlite_sequence', {}, true],
    ['sqlite', "PRAGMA table_info('orders')", { sql_blocked_columns: ['users.ssn'] }, false],
    ['sqlite', "PRAGMA table_info('users')", { sql_blocked_columns: ['users.ssn'] }, true],
    ['sqlite', "PRAGMA index_list('users')", { sql_blocked_tables: ['users'] }, true],
    ['sqlite', 'PRAGMA table_list', { sql_blocked_tables: ['users'] }, true],
    ['sqlite', 'PRAGMA database_list', {}, true],
    ['mysql', 'SELECT column_name FROM information_schema.columns', {}, false],
    ['mysql', 'SELECT column_name FROM information_schema.columns', { sql_blocked_columns: ['ssn'] }, true],
    ['mysql', 'SELECT * FROM information_schema.processlist', {}, true],
    ['mysql', 'SHOW COLUMNS FROM users', { sql_blocked_columns: ['users.ssn'] }, true],
    ['mysql', 'SHOW TABLES', {}, false],
  ])('%s: %s with %j', async (kind, text, mode, denied) => {
    expect(await isDenied(text, { kind, mode, schema })).toBe(denied);
  });
});
