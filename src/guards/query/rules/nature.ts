// Rule: a query that cannot be read, that asks what there is, that does not end, or that holds anything unknown, is
// refused: what was not understood was not judged.

import type { CodeMode } from '../../../config/sources.ts';
import type { Finding } from '../../../core/index.ts';
import type { QueryFacts } from '../facts.ts';
import { graphql, livePostgres, postgres, rest, tables } from './examples.ts';
import { blockingRule, found } from './rule.ts';

const shown = 60;
const useInstead = {
  listed: 'Read the schema of the source, and use the names in it.',
  described:
    'Read the schema of the source, or use the tools search_schema and describe: they tell what may be asked for.',
} as const;

const drifted =
  'CREATE TABLE customers (id int, name text, email text, ssn text, tenant_id int, later text);';

export const natureRules = {
  source_unknown: blockingRule({
    id: 'source_unknown',
    reason: 'The configuration has no such source for this language.',
    suggestion: 'Name the source under [sources] in sallyport.toml.',
    examples: {
      hit: [{ action: { kind: 'query', target: 'nowhere', language: 'graphql', text: '{ me { id } }' } }],
      miss: [graphql('{ me { id } }')],
    },
  }),
  source_disabled: blockingRule({
    id: 'source_disabled',
    reason: 'This source takes no queries.',
    examples: {
      hit: [graphql('{ me { id } }', { enabled: false })],
      miss: [graphql('{ me { id } }', { enabled: true })],
    },
  }),
  schema_missing: blockingRule({
    id: 'schema_missing',
    reason: 'The schema is missing, so the query cannot be checked.',
    suggestion: 'Check the path under `schema` of the source.',
    examples: {
      hit: [
        {
          action: { kind: 'query', target: 'shop', language: 'graphql', text: '{ me { id } }' },
          given: { sources: { shop: { kind: 'graphql', schema: '/workspace/gone.graphql' } } },
        },
      ],
      miss: [graphql('{ me { id } }')],
    },
  }),
  schema_drift: blockingRule({
    id: 'schema_drift',
    reason: 'The schema file differs from the database, so the query cannot be checked.',
    suggestion: 'Write the schema file anew: sallyport sources refresh NAME.',
    examples: {
      hit: [livePostgres('SELECT * FROM customers', { schema: drifted })],
      miss: [
        livePostgres('SELECT id FROM customers', { schema: drifted }),
        livePostgres('SELECT * FROM orders', { schema: tables }),
      ],
    },
  }),
  query_too_long: blockingRule({
    id: 'query_too_long',
    reason: 'A query that is too long to read cannot be reviewed.',
    examples: {
      hit: [graphql('{ me { id name } }', { max_query_length: 10 })],
      miss: [graphql('{ me { id } }')],
    },
  }),
  query_invalid: blockingRule({
    id: 'query_invalid',
    reason: 'The query does not fit the language and the schema.',
    suggestion: 'Read the schema again, and write the query by it.',
    examples: {
      hit: [
        graphql('{ me { id }'),
        graphql('{ me { nickname } }'),
        graphql('query A { me { id } } query B { me { name } }'),
        graphql('{ ...A } fragment A on Query { ...A me { id } }'),
        graphql('query($id: ID!) { person(id: $id) { id } }'),
        postgres('SELECT * FROM'),
        rest('{"method":"GET"}'),
      ],
      miss: [graphql('{ me { id } }'), graphql('{ ...A } fragment A on Query { me { id } }')],
    },
  }),
  introspection: blockingRule({
    id: 'introspection',
    reason: 'Introspection is not allowed.',
    suggestion: 'Use the tools search_schema and describe, or read the schema resource.',
    examples: {
      hit: [
        graphql('{ __schema { types { name } } }'),
        graphql('{ ...F } fragment F on Query { t: __type(name: "Order") { name } }'),
      ],
      miss: [
        graphql('{ __typename me { __typename id } }'),
        graphql('{ __schema { queryType { name } } }', { allow_introspection: true }),
      ],
    },
  }),
  subscription: blockingRule({
    id: 'subscription',
    reason: 'A subscription does not end, so its results cannot be checked as a whole.',
    suggestion: 'Ask again with a query.',
    examples: {
      hit: [graphql('subscription { orderCreated { id } }')],
      miss: [graphql('{ orders(first: 1) { id } }')],
    },
  }),
  incremental: blockingRule({
    id: 'incremental',
    reason: 'Incremental answers cannot be checked.',
    suggestion: 'Leave out @defer and @stream.',
    examples: {
      hit: [graphql('{ me { ... @defer { name } } }')],
      miss: [graphql('query($x: Boolean!) { me { id name @include(if: $x) } }', {}, { x: true })],
    },
  }),
  unsupported_statement: blockingRule({
    id: 'unsupported_statement',
    reason: 'It has a construct that is not known to be harmless.',
    suggestion: 'Write it more simply.',
    examples: {
      hit: [
        postgres("SELECT pg_read_file('/etc/passwd')"),
        postgres("SELECT * FROM pg_ls_dir('/')"),
        postgres('COPY customers TO PROGRAM $$cat$$'),
        postgres('SELECT 1; SELECT 2'),
        postgres('SELECT id INTO copied FROM customers'),
        postgres('SELECT id FROM customers FOR UPDATE'),
        postgres('SELECT "SSN" FROM customers'),
        postgres('SELECT id FROM other.customers'),
      ],
      miss: [
        postgres('SELECT id, upper(name) FROM customers'),
        postgres('SELECT name AS n FROM public.customers ORDER BY n'),
        postgres('SELECT 1'),
      ],
    },
  }),
  tenant_missing: blockingRule({
    id: 'tenant_missing',
    reason: 'A multi-tenant table can be read for one tenant only.',
    suggestion: 'Restrict every use of the table to your tenant in the WHERE.',
    examples: {
      hit: [
        postgres('SELECT id FROM orders', { tenant_column: 'tenant_id', tenant_tables: ['orders'] }),
        postgres('SELECT id FROM orders WHERE tenant_id = 1 OR true', {
          tenant_column: 'tenant_id',
          tenant_tables: ['orders'],
        }),
      ],
      miss: [postgres('SELECT id FROM customers', { tenant_column: 'tenant_id', tenant_tables: ['orders'] })],
    },
  }),
} as const;

/** What the query is, whatever it asks for. */
export function natureFindings(
  facts: QueryFacts,
  { graphql: { allowIntrospection }, sql: { tenantColumn } }: CodeMode,
  source: string,
): readonly Finding[] {
  const findings: Finding[] = [];
  const { flags } = facts;
  if (flags.has('subscription')) {
    findings.push(found(natureRules.subscription, 'Subscriptions are not run.'));
  }
  if (flags.has('introspection') && !allowIntrospection) {
    findings.push(found(natureRules.introspection, 'It asks for the schema.'));
  }
  if (flags.has('incremental')) {
    findings.push(found(natureRules.incremental, 'It asks for an answer in pieces.'));
  }
  for (const { what, span, instead } of facts.unknowns
    .filter(({ isDrift }) => isDrift !== true)
    .slice(0, shown)) {
    const finding = found(natureRules.unsupported_statement, `It holds ${what}.`, span);
    findings.push(instead === undefined ? finding : { ...finding, suggestion: useInstead[instead] });
  }
  if (facts.unknowns.some(({ isDrift }) => isDrift === true)) {
    const message = 'The schema file is older than the database: they differ in what the statement names.';
    const suggestion = `Ask a person to run: sallyport sources refresh ${source}`;
    findings.push({ ...found(natureRules.schema_drift, message), suggestion });
  }
  for (const table of facts.tenantless) {
    const suggestion = `Hold every use of "${table}" to your own tenant in the WHERE: ${tenantColumn} = …`;
    const message = `"${table}" is used for more than one tenant.`;
    findings.push({ ...found(natureRules.tenant_missing, message), suggestion });
  }
  return findings;
}
