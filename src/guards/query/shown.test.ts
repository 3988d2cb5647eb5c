// What a model is shown of a source is what it may ask for.

import { describe, expect, it } from 'vitest';
import { codeModeFrom, type SourceKind } from '../../config/sources.ts';
import { realWorld } from '../../decide/index.ts';
import { shownSchema } from './shown.ts';

const { readers } = realWorld();
const shown = (kind: SourceKind, schema: string | null, mode: Parameters<typeof codeModeFrom>[0] = {}) =>
  shownSchema({ kind, mode: codeModeFrom(mode, 'shop') }, schema, readers);

describe('GraphQL', () => {
  const schema = `
    schema { query: Root mutation: Changes subscription: Events }
    type Root { me: User secret: Int }
    type Changes { add: Int drop: Int }
    type Events { added: Int }
    interface Named { name: String ssn: String }
    type User implements Named { name: String ssn: String }
    extend type User { ssn2: String }
    input Filter { name: String ssn: String }
    enum Kind { A }
  `;

  it('shows what may be read, and nothing that changes or streams', async () => {
    const text = await shown('graphql', schema);
    expect(text).toContain('me: User');
    expect(text).toContain('enum Kind');
    expect(text).not.toMatch(/Changes|Events|add|drop/);
  });

  it.each([
    [{ allow_mutations: true, allowed_mutations: ['add'] }, /add: Int/, /drop|Events/],
    [{ allow_mutations: true, blocked_mutations: ['drop'] }, /add: Int/, /drop/],
    [{ blocked_queries: ['secret'] }, /me: User/, /secret/],
    [{ allowed_queries: ['secret'] }, /secret: Int/, /me: User/],
    [
      { blocked_fields: ['User.ssn', 'Named.ssn', 'User.ssn2'], blocked_input_fields: ['Filter.ssn'] },
      /name/,
      /ssn/,
    ],
  ])('follows %j', async (mode, there, gone) => {
    const text = await shown('graphql', schema, mode);
    expect(text).toMatch(there);
    expect(text).not.toMatch(gone);
  });
});

describe.each(['postgres', 'sqlite', 'mysql'] as const)('%s', (kind) => {
  const schema =
    'CREATE TABLE users (id int, ssn text); CREATE TABLE orders (id int); CREATE TABLE secrets (a int);';

  it('shows tables and columns that may be asked for', async () => {
    expect(await shown(kind, schema)).toBe('users (id, ssn)\norders (id)\nsecrets (a)\n');
    const mode = { sql_blocked_tables: ['secrets'], sql_blocked_columns: ['ssn'] };
    expect(await shown(kind, schema, mode)).toBe('users (id)\norders (id)\n');
    expect(await shown(kind, schema, { sql_allowed_tables: ['orders'] })).toBe('orders (id)\n');
    expect(await shown(kind, schema, { sql_allowed_tables: ['none'] })).toBe('');
    expect(await shown(kind, null)).toBe('');
  });

  it('shows nothing that it cannot read', async () => {
    await expect(shown(kind, 'this is no schema')).rejects.toMatchObject({ name: 'SchemaUnreadable' });
  });
});

describe('an API', () => {
  const schema = JSON.stringify({
    openapi: '3.0.0',
    paths: {
      '/users/{id}': {
        parameters: [],
        get: { operationId: 'getUser' },
        delete: { operationId: 'dropUser' },
        put: {},
      },
      '/admin/keys': { get: {} },
      '/orders': { post: { operationId: 'createOrder' } },
    },
    components: {
      schemas: { User: { properties: { id: {}, ssn: {}, card: { properties: { number: {} } } } } },
    },
  });

  it('shows operations that may be called, and fields that are not taken out', async () => {
    const plain = await shown('rest', schema);
    expect(plain).toContain('getUser');
    expect(plain).not.toMatch(/dropUser|createOrder|"put"|"\/orders"/);
    const mode = {
      openapi_blocked_paths: ['/admin/**'],
      openapi_allowed_writes: ['createOrder'],
      openapi_internal_blocked_fields: ['ssn'],
      openapi_output_blocked_fields: ['card.number'],
    };
    const text = await shown('rest', schema, mode);
    expect(text).toContain('createOrder');
    expect(text).not.toMatch(/admin|ssn|number/);
  });

  it('shows nothing that it cannot read', async () => {
    await expect(shown('rest', '[]')).rejects.toMatchObject({ name: 'SchemaUnreadable' });
    await expect(shown('rest', '{')).rejects.toThrow();
  });
});
