// To filter, to order or to group by a field is to read it, however the schema spells that.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../../config/index.ts';
import { Budget, type JsonObject } from '../../../core/index.ts';
import { realWorld } from '../../../decide/index.ts';
import { queryGuard } from '../index.ts';

const schema = `
  scalar JSON
  type users { id: ID name: String ssn: String birthDate: String orders(where: orders_bool_exp): [orders] }
  type orders { id: ID total: Float name: String user: users }
  type users_aggregate { nodes: [users] count: Int }
  type usersConnection { edges: [usersEdge] } type usersEdge { node: users }
  input String_exp { _like: String _eq: String }
  input users_bool_exp { _and: [users_bool_exp] _not: users_bool_exp id: String_exp name: String_exp ssn: String_exp orders: orders_bool_exp ssn_starts_with: String }
  input orders_bool_exp { name: String_exp user: users_bool_exp ssn: String_exp total_gt: Float }
  enum order { asc desc } enum users_columns { id ssn } enum UsersOrderBy { ID_ASC SSN_DESC BIRTH_DATE_ASC }
  input users_order { id: order ssn: order max_ssn: order }
  input users_input { name: String ssn: String }
  type Query {
    users(where: users_bool_exp, order_by: [users_order], distinct_on: [users_columns], first: Int, raw: JSON, sort: [String]): [users]
    users_aggregate(where: users_bool_exp): users_aggregate
    usersConnection(filter: users_bool_exp, orderBy: [UsersOrderBy]): usersConnection
    orders(where: orders_bool_exp): [orders]
    userBySsn(ssn: String): users
    count(where: users_bool_exp): Int
  }
  type Mutation { create(input: users_input, ssn: String): users update(where: users_bool_exp, set: users_input): users }
`;
const world = { ...realWorld(), schemaText: () => schema };

async function rules(text: string, variables: JsonObject = {}, mode: JsonObject = {}) {
  const code = {
    blocked_fields: ['users.ssn', 'users.birthDate', 'users.name'],
    allow_mutations: true,
    ...mode,
  };
  const { findings, facts } = await queryGuard.check(
    { kind: 'query', target: 'shop', language: 'graphql', text, variables },
    {
      settings: settingsFrom({}, { sources: { shop: { kind: 'graphql', schema: '/s', code_mode: code } } }),
      world,
      budget: new Budget(2_000_000),
      context: { user: 'ann', tenant: 'acme', agent: 'a', session: 's', workspace: '/', mode: 'default' },
      granted: () => false,
    },
  );
  return { rules: [...new Set(findings.map(({ rule }) => rule))], facts };
}

type Row = [text: string, variables?: JsonObject];

describe('a blocked field is read', () => {
  it.each<Row>([
    ['{ users(where: { ssn: { _like: "1%" } }) { id } }'],
    ['{ users(where: { _and: [{ _not: { ssn: { _eq: "1" } } }] }) { id } }'],
    ['{ users(where: { ssn_starts_with: "1" }) { id } }'],
    ['query($w: users_bool_exp) { users(where: $w) { id } }', { w: { ssn: { _like: '1%' } } }],
    ['query($w: users_bool_exp = { ssn: { _like: "1%" } }) { users(where: $w) { id } }'],
    ['query($v: String_exp) { users(where: { ssn: $v }) { id } }', { v: { _eq: '1' } }],
    ['{ users(order_by: [{ ssn: asc }]) { id } }'],
    ['{ users(order_by: [{ max_ssn: asc }]) { id } }'],
    ['{ users(distinct_on: [ssn]) { id } }'],
    ['query($c: [users_columns]) { users(distinct_on: $c) { id } }', { c: ['ssn'] }],
    ['{ usersConnection(orderBy: [SSN_DESC]) { edges { node { id } } } }'],
    ['{ usersConnection(orderBy: [BIRTH_DATE_ASC]) { edges { node { id } } } }'],
    ['{ usersConnection(filter: { ssn: { _eq: "1" } }) { edges { node { id } } } }'],
    ['{ users_aggregate(where: { ssn: { _eq: "1" } }) { count } }'],
    ['{ orders(where: { user: { ssn: { _eq: "1" } } }) { id } }'],
    ['{ orders(where: { user: { name: { _eq: "1" } } }) { id } }'],
    ['{ orders(where: { ssn: { _eq: "1" } }) { id } }'],
    ['{ users { id orders(where: { user: { ssn: { _eq: "1" } } }) { id } } }'],
    ['{ users(raw: { ssn: "1" }) { id } }'],
    ['query($r: JSON) { users(raw: $r) { id } }', { r: { or: [{ ssn: 1 }] } }],
    ['{ users(sort: ["ssn:asc"]) { id } }'],
    ['query($s: [String]) { users(sort: $s) { id } }', { s: ['-ssn'] }],
    ['{ userBySsn(ssn: "1") { id } }'],
    ['{ count(where: { ssn: { _eq: "1" } }) }'],
    ['{ ...F } fragment F on Query { users(where: { ssn: { _eq: "1" } }) { id } }'],
    ['mutation { update(where: { ssn: { _eq: "1" } }, set: { ssn: "2" }) { id } }'],
  ])('by %s', async (text, variables = {}) => {
    expect((await rules(text, variables)).rules).toEqual(['blocked_field']);
  });
});

describe('and is not', () => {
  it.each<Row>([
    ['{ users(where: { id: { _eq: "ssn" } }, order_by: [{ id: asc }], first: 1) { id } }'],
    ['{ users(distinct_on: [id], sort: ["id:desc"]) { id } }'],
    // Another type has a field of that name.
    ['{ orders(where: { name: { _eq: "x" } }) { id } }'],
    ['{ orders(where: { total_gt: 5 }) { id name } }'],
    ['{ usersConnection(orderBy: [ID_ASC]) { edges { node { id } } } }'],
    ['query($w: orders_bool_exp) { orders(where: $w) { id } }', { w: { name: { _eq: 'x' } } }],
  ])('by %s', async (text, variables = {}) => {
    expect((await rules(text, variables)).rules).toEqual([]);
  });

  it('by what a change writes', async () => {
    expect((await rules('mutation { create(input: { ssn: "1" }, ssn: "2") { id } }')).rules).toEqual([
      'query_changes',
    ]);
  });
});

it('counts a filter by what is sensitive as reading it', async () => {
  const mode = { blocked_fields: [], sensitive_fields: ['users.name'] };
  const { facts, rules: found } = await rules('{ users(where: { name: { _eq: "a" } }) { id } }', {}, mode);
  expect(facts['sensitive']).toEqual(['users.name']);
  expect(found).toEqual(['query_risk']);
  const own = await rules('{ users(order_by: [{ ssn: asc }]) { id } }', {}, { blocked_fields: [] });
  expect(own.facts['sensitive']).toEqual(['users.ssn']);
});
