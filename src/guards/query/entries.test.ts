// What a model is told of a schema: what may be asked for with types, keys, values and comments, found by plain words.

import { describe, expect, it } from 'vitest';
import { context, testDecider } from '../../../tests/support/decide.ts';
import { configOf, settingsFrom } from '../../config/index.ts';
import type { SourceKind } from '../../config/sources.ts';
import type { JsonObject } from '../../core/index.ts';
import { realWorld } from '../../decide/index.ts';
import { entriesOf } from './entries.ts';
import { languages } from './languages.ts';
import { entryNamed, searchEntries, wordsOf } from './search.ts';

const { readers } = realWorld();
const settingsOf = (kind: SourceKind, mode: JsonObject) =>
  settingsFrom({}, { sources: { shop: { kind, schema: '/schema', code_mode: { ...mode } } } });
async function entries(kind: SourceKind, schema: string, mode: JsonObject = {}) {
  const [source] = settingsOf(kind, mode).sources;
  return await entriesOf(source!, schema, readers);
}

const postgres = `
  CREATE TYPE public.order_status AS ENUM ('open', 'paid');
  CREATE TABLE public.customers (id integer NOT NULL, full_name character varying(80) NOT NULL, ssn text, tier text CHECK (tier IN ('gold', 'silver')));
  CREATE TABLE public.order_items (id serial PRIMARY KEY, customer_id integer REFERENCES customers(id), status public.order_status DEFAULT 'open', price numeric(10,2), tags text[]);
  CREATE TABLE secrets (id int PRIMARY KEY, owner int REFERENCES customers(id));
  ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
  ALTER TABLE public.customers ADD COLUMN joined timestamp with time zone;
  CREATE VIEW paid AS SELECT id, price, status FROM order_items WHERE status = 'paid';
  CREATE VIEW cards AS SELECT ssn AS code, full_name FROM customers;
  COMMENT ON TABLE public.customers IS 'People who bought something.';
  COMMENT ON COLUMN public.customers.full_name IS 'First and last name.';
`;
const protectedMode = { sql_blocked_columns: ['customers.ssn'], sql_blocked_tables: ['secrets'] };

describe('PostgreSQL', () => {
  it('tells types, keys, values, comments and relations', async () => {
    const all = await entries('postgres', postgres);
    const customers = entryNamed(all, 'customers');
    expect(customers).toMatchObject({
      kind: 'table',
      comment: 'People who bought something.',
      members: [
        { name: 'id', type: 'integer', marks: ['primary key'] },
        { name: 'full_name', type: 'varchar(80)', comment: 'First and last name.', marks: ['required'] },
        { name: 'ssn', type: 'text', marks: ['sensitive'] },
        { name: 'tier', values: ['gold', 'silver'] },
        { name: 'joined', type: 'timestamp with time zone' },
      ],
      relations: [
        'order_items refers to it: order_items.customer_id = customers.id',
        'secrets refers to it: secrets.owner = customers.id',
      ],
    });
    expect(entryNamed(all, 'order_items')).toMatchObject({
      members: [
        { marks: ['primary key'] },
        {},
        { name: 'status', values: ['open', 'paid'] },
        { type: 'numeric(10, 2)' },
        { type: 'text[]' },
      ],
      relations: ['order_items.customer_id = customers.id'],
      example: 'SELECT id, customer_id, status, price FROM order_items LIMIT 10',
    });
    expect(entryNamed(all, 'paid')).toMatchObject({
      kind: 'view',
      members: [{}, { type: 'numeric(10, 2)' }, { values: ['open', 'paid'] }],
      relations: ['It shows order_items.'],
    });
  });

  it('tells nothing of what is blocked, by any name, and marks what is sensitive', async () => {
    const all = await entries('postgres', postgres, protectedMode);
    expect(all.map(({ name }) => name)).toEqual(['customers', 'order_items', 'paid', 'cards']);
    expect(JSON.stringify(all)).not.toMatch(/ssn|secrets|"code"/);
    const marked = await entries('postgres', postgres, { sensitive_fields: ['order_items.price'] });
    expect(entryNamed(marked, 'paid')?.members.map(({ marks }) => marks)).toEqual([[], ['sensitive'], []]);
  });

  it('says how a table of many tenants is asked for', async () => {
    const mode = { tenant_column: 'customer_id', tenant_tables: ['order_items'] };
    const found = entryNamed(await entries('postgres', postgres, mode), 'order_items');
    expect(found?.relations).toContain('Every use needs a condition on your own tenant: customer_id = …');
    expect(found?.example).toContain("WHERE customer_id = '…'");
  });
});

describe('MySQL and SQLite', () => {
  it.each([
    [
      'mysql',
      "CREATE TABLE a (id int NOT NULL, e enum('x','y'), v varchar(20) COMMENT 'why', b_id int, PRIMARY KEY (id), FOREIGN KEY (b_id) REFERENCES b (id)) COMMENT='all'; CREATE TABLE b (id int PRIMARY KEY)",
      {
        comment: 'all',
        members: [
          { type: 'int', marks: ['primary key'] },
          { type: 'enum', values: ['x', 'y'] },
          { type: 'varchar(20)', comment: 'why' },
          {},
        ],
        relations: ['a.b_id = b.id'],
      },
    ],
    [
      'sqlite',
      "CREATE TABLE a (id INTEGER PRIMARY KEY, e TEXT NOT NULL, b_id REFERENCES b(id), CHECK (e IN ('x', 'y'))); CREATE TABLE b (id INTEGER PRIMARY KEY)",
      {
        members: [
          { type: 'integer', marks: ['primary key'] },
          { type: 'text', marks: ['required'], values: ['x', 'y'] },
          { type: null },
        ],
        relations: ['a.b_id = b.id'],
      },
    ],
  ] as const)('%s tells the same', async (kind, schema, expected) => {
    expect(entryNamed(await entries(kind, schema), 'a')).toMatchObject(expected);
  });
});

const graphql = `
  type Query { orders(first: Int!, after: String): OrderConnection "One person." customer(id: ID!): Customer secret: Int me: Customer }
  type Mutation { createOrder(input: OrderInput!): Order }
  type OrderConnection { nodes: [Order!]! totalCount: Int! }
  "What was bought." type Order { id: ID! state: OrderState placedAt: String customer: Customer }
  type Customer { id: ID! fullName: String ssn: String }
  enum OrderState { OPEN PAID @deprecated(reason: "old") }
  input OrderInput { amount: Float! ssn: String }
`;

describe('GraphQL', () => {
  it('tells root fields, types, inputs and values, each with what it gives', async () => {
    const all = await entries('graphql', graphql);
    expect(entryNamed(all, 'customer')).toMatchObject({
      kind: 'query',
      comment: 'One person.',
      type: 'Customer',
      members: [{ name: 'id', type: 'ID!', marks: ['required'] }],
      example: 'query($id: ID!) { customer(id: $id) { id fullName } }',
    });
    expect(entryNamed(all, 'Order')).toMatchObject({
      kind: 'type',
      comment: 'What was bought.',
      members: [{}, { name: 'state', values: ['OPEN', 'PAID'] }, {}, { type: 'Customer' }],
    });
    expect(entryNamed(all, 'OrderState')?.members).toMatchObject([
      { name: 'OPEN' },
      { marks: ['deprecated'] },
    ]);
    expect(entryNamed(all, 'Customer')?.relations).toContain('The query me gives it.');
    expect(all.map(({ name }) => name)).not.toContain('createOrder');
  });

  it('tells nothing of what is blocked', async () => {
    const mode = {
      blocked_fields: ['Customer.ssn'],
      blocked_input_fields: ['OrderInput.ssn'],
      blocked_queries: ['secret'],
    };
    expect(JSON.stringify(await entries('graphql', graphql, mode))).not.toMatch(/ssn|"secret"|createOrder/);
  });
});

const api = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://api.shop.example' }],
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        summary: 'Lists orders.',
        parameters: [
          { name: 'status', in: 'query', required: true, schema: { type: 'string', enum: ['open'] } },
        ],
        responses: {
          200: {
            description: 'x',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
          },
        },
      },
      delete: { operationId: 'dropOrders', responses: {} },
    },
  },
  components: { schemas: { Order: { type: 'object', properties: { total: {}, iban: {} } } } },
});

describe('REST', () => {
  it('tells operations with their parameters and answers, without what is hidden', async () => {
    expect(await entries('rest', api, { openapi_output_blocked_fields: ['Order.iban'] })).toEqual([
      {
        name: 'listOrders',
        kind: 'operation',
        comment: 'Lists orders.',
        type: 'GET /orders',
        members: [
          {
            name: 'status',
            type: 'string in the query',
            comment: null,
            marks: ['required'],
            values: ['open'],
          },
        ],
        relations: ['It answers with Order.total.'],
        example: '{"method":"GET","url":"/orders?status={status}"}',
      },
    ]);
  });
});

describe('a search', () => {
  it.each([
    ['order items', 'order_items'],
    ['orderItem', 'order_items'],
    ['OrderItems', 'order_items'],
    ['customer names', 'customers'],
    ['who bought something', 'customers'],
    ['custmer', 'customers'],
    ['paid', 'paid'],
    ['which silver people', 'customers'],
    ['the prices of orders', 'order_items'],
  ])('for %j finds %s first', async (words, expected) => {
    const [first] = searchEntries(await entries('postgres', postgres, protectedMode), words);
    expect(first?.entry.name).toBe(expected);
  });

  it('shows the members that fit, and all entries where nothing is asked for', async () => {
    const all = await entries('graphql', graphql);
    const [first] = searchEntries(all, 'placed at');
    expect([first?.entry.name, first?.members.map(({ name }) => name)]).toEqual(['Order', ['placedAt']]);
    expect(searchEntries(all, '')).toHaveLength(all.length);
    expect(searchEntries(all, 'zebra')).toEqual([]);
  });

  it('never finds what is blocked', async () => {
    const all = await entries('postgres', postgres, protectedMode);
    expect(searchEntries(all, 'ssn')).toEqual([]);
    expect(searchEntries(all, 'secrets')).toEqual([]);
    expect(entryNamed(all, 'secrets')).toBeNull();
  });

  it('takes names apart as people write them', () => {
    expect(wordsOf('HTTPServers order_LINES addresses statuses status')).toEqual(
      'http server order line address statuse status'.split(' '),
    );
  });
});

describe('an example', () => {
  it.each([
    ['postgres', postgres, protectedMode],
    ['sqlite', 'CREATE TABLE a (id INTEGER PRIMARY KEY, "Odd name" TEXT)', {}],
    ['graphql', graphql, { blocked_fields: ['Customer.ssn'], blocked_queries: ['secret'] }],
    ['rest', api, { openapi_output_blocked_fields: ['Order.iban'] }],
  ] as const)('of %s passes the guard', async (kind, schema, mode) => {
    const settings = settingsOf(kind, mode);
    const world = { ...realWorld(), schemaText: () => schema };
    const decider = testDecider({ config: configOf(async () => settings), world });
    const examples = (await entries(kind, schema, mode)).flatMap(({ example }) => example ?? []);
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      const text = example.replace('{status}', 'open');
      const variables = Object.fromEntries(
        [...text.matchAll(/\$(\w+): (Int|ID)!/g)].map(([, name = '']) => [name, 5]),
      );
      const { verdict } = await decider.decide(
        { kind: 'query', target: 'shop', language: languages[kind], text, variables },
        context,
      );
      expect([example, verdict.decision, verdict.findings]).toEqual([example, 'pass', []]);
    }
  });
});
