// Rule: what a query may do is what the source allows, by the real name of each thing it asks for: every root field,
// every statement, the operation of the request. An alias, an operation's name or the first of several says nothing.

import type { CodeMode } from '../../../config/sources.ts';
import type { Finding, Rule } from '../../../core/index.ts';
import type { QueryFacts, QueryOperation } from '../facts.ts';
import { graphql, postgres, rest } from './examples.ts';
import { blockingRule, found } from './rule.ts';

export const operationRules = {
  allow_mutations: blockingRule({
    id: 'allow_mutations',
    reason: 'This source is read-only.',
    suggestion: 'Ask the user to make the change.',
    examples: {
      hit: [
        graphql('mutation { createOrder(total: 1) { id } }'),
        graphql('mutation { ...M } fragment M on Mutation { deleteOrder(id: 1) }'),
      ],
      miss: [
        graphql('{ me { id } }'),
        graphql('mutation { createOrder(total: 1) { id } }', { allow_mutations: true }),
      ],
    },
  }),
  blocked_mutation: blockingRule({
    id: 'blocked_mutation',
    reason: 'This mutation is never run.',
    examples: {
      hit: [
        graphql('mutation createOrder { createOrder: deleteOrder(id: 1) }', {
          allow_mutations: true,
          blocked_mutations: ['deleteOrder'],
        }),
      ],
      miss: [
        graphql('mutation { createOrder(total: 1) { id } }', {
          allow_mutations: true,
          blocked_mutations: ['deleteOrder'],
        }),
      ],
    },
  }),
  mutation_not_allowed: blockingRule({
    id: 'mutation_not_allowed',
    reason: 'Only the mutations that the source lists are run.',
    examples: {
      hit: [
        graphql('mutation { a: createOrder(total: 1) { id } b: deleteOrder(id: 1) }', {
          allow_mutations: true,
          allowed_mutations: ['createOrder'],
        }),
      ],
      miss: [
        graphql('mutation { createOrder(total: 1) { id } }', {
          allow_mutations: true,
          allowed_mutations: ['createOrder'],
        }),
      ],
    },
  }),
  blocked_query: blockingRule({
    id: 'blocked_query',
    reason: 'This root field is never read.',
    examples: {
      hit: [graphql('{ me: customers(first: 1) { id } }', { blocked_queries: ['customers'] })],
      miss: [graphql('{ customers: me { id } }', { blocked_queries: ['customers'] })],
    },
  }),
  query_not_allowed: blockingRule({
    id: 'query_not_allowed',
    reason: 'Only the root fields that the source lists are read.',
    examples: {
      hit: [graphql('{ me { id } customers(first: 1) { id } }', { allowed_queries: ['me'] })],
      miss: [graphql('{ me { id } __typename }', { allowed_queries: ['me'] })],
    },
  }),
  blocked_statement: blockingRule({
    id: 'blocked_statement',
    reason: 'This statement is never run.',
    examples: {
      hit: [postgres('EXPLAIN SELECT 1', { sql_blocked_statements: ['EXPLAIN'] })],
      miss: [postgres('SELECT 1', { sql_blocked_statements: ['EXPLAIN'] })],
    },
  }),
  statement_not_allowed: blockingRule({
    id: 'statement_not_allowed',
    reason: 'Only the statements that the source lists are run.',
    examples: {
      hit: [postgres('EXPLAIN SELECT 1', { sql_allowed_statements: ['SELECT'] })],
      miss: [postgres('SELECT 1', { sql_allowed_statements: ['select'] })],
    },
  }),
  reads_disabled: blockingRule({
    id: 'reads_disabled',
    reason: 'This source may not be read.',
    examples: {
      hit: [
        postgres('SELECT 1', { sql_reads_enabled: false }),
        rest('{"method":"GET","url":"/orders"}', { openapi_reads_enabled: false }),
      ],
      miss: [postgres('SELECT 1'), rest('{"method":"GET","url":"/orders"}')],
    },
  }),
  writes_disabled: blockingRule({
    id: 'writes_disabled',
    reason: 'This source may not be written to.',
    suggestion: 'Ask the user to make the change.',
    examples: {
      hit: [
        postgres("INSERT INTO customers (id, name) VALUES (1, 'a')"),
        postgres("WITH x AS (UPDATE customers SET name = 'a' WHERE id = 1 RETURNING id) SELECT id FROM x"),
      ],
      miss: [
        postgres('SELECT id FROM customers'),
        postgres("UPDATE customers SET name = 'a' WHERE id = 1", { sql_allow_writes: true }),
      ],
    },
  }),
  deletes_disabled: blockingRule({
    id: 'deletes_disabled',
    reason: 'Nothing may be deleted here.',
    suggestion: 'Ask the user to delete it.',
    examples: {
      hit: [
        postgres('DELETE FROM customers WHERE id = 1', { sql_allow_writes: true }),
        rest('{"method":"DELETE","url":"/orders/1"}', { openapi_allow_writes: true }),
      ],
      miss: [postgres('DELETE FROM customers WHERE id = 1', { sql_allow_deletes: true })],
    },
  }),
  ddl_disabled: blockingRule({
    id: 'ddl_disabled',
    reason: 'Tables, roles and settings are not changed here.',
    suggestion: 'Ask the user to change it.',
    examples: {
      hit: [
        postgres('DROP TABLE customers', { sql_allow_deletes: true, sql_allow_writes: true }),
        postgres('CREATE TABLE copied (id int)', { sql_allow_writes: true }),
      ],
      miss: [postgres('SELECT id FROM customers')],
    },
  }),
  blocked_method: blockingRule({
    id: 'blocked_method',
    reason: 'This operation may not be used.',
    suggestion: 'Use one that reads.',
    examples: {
      hit: [
        rest('{"method":"POST","url":"/orders","body":{"total":1}}'),
        rest('{"method":"POST","url":"/orders","body":{"total":1}}', {
          openapi_allow_writes: true,
          openapi_blocked_writes: ['createOrder'],
        }),
      ],
      miss: [
        rest('{"method":"GET","url":"/orders"}'),
        rest('{"method":"POST","url":"/orders","body":{"total":1}}', {
          openapi_allowed_writes: ['createOrder'],
        }),
      ],
    },
  }),
} as const;

/** What the source says about each thing that the query asks for. */
export function operationFindings(facts: QueryFacts, mode: CodeMode): readonly Finding[] {
  return facts.operations.flatMap((operation) => {
    const rule = ruleFor(facts.language, operation, mode, facts);
    return rule === undefined ? [] : [found(rule, `${operation.verb} ${operation.name}: ${rule.reason}`)];
  });
}

function ruleFor(
  language: QueryFacts['language'],
  operation: QueryOperation,
  mode: CodeMode,
  facts: QueryFacts,
): Rule | undefined {
  if (language === 'graphql') return graphqlRule(operation, mode.graphql);
  return language === 'sql' ? sqlRule(operation, mode.sql, facts) : restRule(operation, mode.rest);
}

function graphqlRule({ name, verb }: QueryOperation, mode: CodeMode['graphql']): Rule | undefined {
  if (verb === 'mutation') {
    if (!mode.allowMutations) return operationRules.allow_mutations;
    if (mode.blockedMutations.includes(name)) return operationRules.blocked_mutation;
    return listed(mode.allowedMutations, name) ? undefined : operationRules.mutation_not_allowed;
  }
  if (mode.blockedQueries.includes(name)) return operationRules.blocked_query;
  // What asks for the schema is a matter of its own rule.
  if (name.startsWith('__')) return undefined;
  return listed(mode.allowedQueries, name) ? undefined : operationRules.query_not_allowed;
}

function listed(allowed: readonly string[], name: string): boolean {
  return allowed.length === 0 || allowed.includes(name);
}

function sqlRule(
  { action, verb }: QueryOperation,
  mode: CodeMode['sql'],
  facts: QueryFacts,
): Rule | undefined {
  const named = (list: readonly string[]) => list.some((word) => word.toUpperCase() === verb);
  if (named(mode.blockedStatements)) return operationRules.blocked_statement;
  if (mode.allowedStatements.length > 0 && !named(mode.allowedStatements)) {
    return operationRules.statement_not_allowed;
  }
  if (action === 'read') return mode.reads ? undefined : operationRules.reads_disabled;
  if (action === 'write') return mode.writes ? undefined : operationRules.writes_disabled;
  if (action === 'delete' && !facts.flags.has('schema_change')) {
    return mode.deletes ? undefined : operationRules.deletes_disabled;
  }
  return mode.ddl ? undefined : operationRules.ddl_disabled;
}

function restRule({ name, action }: QueryOperation, mode: CodeMode['rest']): Rule | undefined {
  if (action === 'read') return mode.reads ? undefined : operationRules.reads_disabled;
  if (action === 'delete') {
    return mode.deletes || mode.allowedDeletes.includes(name) ? undefined : operationRules.deletes_disabled;
  }
  if (mode.blockedWrites.includes(name)) return operationRules.blocked_method;
  return mode.writes || mode.allowedWrites.includes(name) ? undefined : operationRules.blocked_method;
}
