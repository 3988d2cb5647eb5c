import { buildSchema, parse, specifiedRules, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { firstError } from './validate.ts';

const schema = buildSchema(`
  directive @defer(if: Boolean, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean, label: String, initialCount: Int) on FIELD
  directive @note(text: String!) repeatable on FIELD | QUERY
  interface Node { id: ID! }
  type User implements Node { id: ID! name: String friends(first: Int = 3, where: Filter): [User!]! pet: Pet }
  type Cat implements Node { id: ID! lives: Int! name: String! }
  type Dog implements Node { id: ID! name: String tricks(kind: Kind!): [String] }
  union Pet = Cat | Dog
  enum Kind { EASY HARD }
  input Filter { name: String and: [Filter!] kind: Kind = EASY only: Range }
  input Range @oneOf { above: Int below: Int }
  type Query { me: User node(id: ID!): Node pets(kinds: [Kind!]): [Pet] }
  type Mutation { rename(id: ID!, name: String!): User }
  type Subscription { renamed: User moved: User }
`);

const fitting = [
  '{ me { id name friends(first: 2, where: { name: "a", and: [{ kind: HARD }] }) { id } } }',
  'query Q($n: Int, $w: Filter = { name: "a" }) { me { friends(first: $n, where: $w) { id } } }',
  'query Q($id: ID!) { node(id: $id) { id ... on User { name } ...C } } fragment C on Cat { lives }',
  '{ pets(kinds: [EASY, HARD]) { __typename ... on Dog { tricks(kind: EASY) } ... on Node { id } } }',
  'query Q($s: Boolean!) { me @skip(if: $s) { id @note(text: "a") @note(text: "b") } }',
  '{ me { friends @stream(initialCount: 1, label: "a") { id } ... @defer(label: "b") { name } } }',
  'mutation { rename(id: 1, name: "a") { id } }',
  'subscription { renamed { id } }',
  '{ __schema { types { name } } }',
  '"A description." query Q { me { friends(where: { only: { above: 1 } }) { id } } }',
];

const unfitting: readonly (readonly [string, string])[] = [
  ['another kind of definition', '{ me { id } } type A { a: Int }'],
  ['an unknown field', '{ me { ssn } }'],
  ['an unknown field in a fragment', '{ me { ...F } } fragment F on User { ssn }'],
  ['an unknown argument', '{ me { friends(last: 1) { id } } }'],
  ['an argument twice', '{ node(id: 1, id: 2) { id } }'],
  ['a missing argument', '{ node { id } }'],
  ['a value of another type', '{ me { friends(first: "a") { id } } }'],
  ['a value of another type, deep inside', '{ me { friends(where: { and: [{ kind: "x" }] }) { id } } }'],
  ['two members where one may be', '{ me { friends(where: { only: { above: 1, below: 2 } }) { id } } }'],
  ['a member of an input twice', '{ me { friends(where: { name: "a", name: "b" }) { id } } }'],
  ['an unknown member of an input', '{ me { friends(where: { ssn: "a" }) { id } } }'],
  ['no selection', '{ me }'],
  ['a selection of a scalar', '{ me { id { a } } }'],
  ['an unknown fragment', '{ me { ...F } }'],
  ['an unused fragment', '{ me { id } } fragment F on User { id }'],
  ['a fragment twice', '{ me { ...F } } fragment F on User { id } fragment F on User { name }'],
  ['a fragment in itself', '{ me { ...F } } fragment F on User { friends { ...F } }'],
  ['a fragment on no type', '{ me { ... on Nothing { id } } }'],
  ['a fragment on a scalar', '{ me { ... on String { id } } }'],
  ['a fragment that cannot be', '{ me { ... on Cat { id } } }'],
  ['an unknown variable', '{ node(id: $id) { id } }'],
  [
    'an unknown variable in a fragment',
    'query Q { me { ...F } } fragment F on User { friends(first: $n) { id } }',
  ],
  ['an unused variable', 'query Q($n: Int) { me { id } }'],
  ['a variable twice', 'query Q($n: Int, $n: Int) { me { friends(first: $n) { id } } }'],
  ['a variable of an output type', 'query Q($n: User) { me { friends(first: $n) { id } } }'],
  ['a variable in the wrong place', 'query Q($n: String) { me { friends(first: $n) { id } } }'],
  ['a wrong default', 'query Q($n: Int = "a") { me { friends(first: $n) { id } } }'],
  ['an unknown directive', '{ me @nothing { id } }'],
  ['a directive in the wrong place', 'query Q @skip(if: true) { me { id } }'],
  ['a directive twice', '{ me @skip(if: true) @skip(if: true) { id } }'],
  ['a directive without its argument', '{ me @note { id } }'],
  ['a label twice', '{ me { ... @defer(label: "a") { id } ... @defer(label: "a") { name } } }'],
  ['a stream of one', '{ me @stream { id } }'],
  ['a deferred root', 'mutation { ... @defer { rename(id: 1, name: "a") { id } } }'],
  ['fields that differ', '{ me { name: id name } }'],
  ['fields that differ by an argument', '{ me { friends(first: 1) { id } friends(first: 2) { id } } }'],
  ['two root fields of a subscription', 'subscription { renamed { id } moved { id } }'],
  ['two operations, one without a name', '{ me { id } } query Q { me { id } }'],
  ['two operations of one name', 'query Q { me { id } } query Q { me { name } }'],
  [
    'a deep introspection',
    '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  ],
];

/** What graphql-js says first. */
function expected(text: string) {
  const [error] = validate(schema, parse(text), specifiedRules, { maxErrors: 1, hideSuggestions: true });
  return error === undefined ? undefined : [error.message, error.positions];
}

function found(text: string) {
  const error = firstError(schema, parse(text), text);
  return error === undefined ? undefined : [error.message, error.positions];
}

describe('a document', () => {
  it.each(fitting)('fits: %s', (text) => {
    expect(expected(text)).toBeUndefined();
    expect(found(text)).toBeUndefined();
  });

  it.each(unfitting)('does not fit for the reason that graphql-js gives: %s', (_, text) => {
    expect(expected(text)).toBeDefined();
    expect(found(text)).toEqual(expected(text));
  });

  it('is not searched without end where fragments are spread again and again', () => {
    const spreads = Array.from({ length: 300 }, (_, at) => `...F${at}`).join(' ');
    const fragments = Array.from({ length: 300 }, (_, at) => `fragment F${at} on User { ${spreads} }`);
    const text = `query Q($n: Int) { me { ${spreads} } } ${fragments.join(' ')}`;
    expect(found(text)).toEqual(expected(text));
  });
});
