// Rule: a query asks for no more than the source gives at once, counted as it will be run: every alias, every use of
// a fragment, every row of a page.

import type { CodeMode } from '../../../config/sources.ts';
import type { Estimate, Finding, Rule } from '../../../core/index.ts';
import type { QueryFacts } from '../facts.ts';
import { graphql, livePostgres, postgres, tables } from './examples.ts';
import { natureRules } from './nature.ts';
import { blockingRule, found } from './rule.ts';

export const limitRules = {
  excessive_tokens: blockingRule({
    id: 'excessive_tokens',
    reason: 'It has too many tokens.',
    examples: {
      hit: [graphql(`{ me { ${'id '.repeat(50)} } }`, { max_tokens: 20 })],
      miss: [graphql('{ me { id } }', { max_tokens: 20 })],
    },
  }),
  excessive_depth: blockingRule({
    id: 'excessive_depth',
    reason: 'The query is nested too deeply.',
    suggestion: 'Ask in two queries.',
    examples: {
      hit: [
        graphql('{ me { friends(first: 1) { friends(first: 1) { id } } } }', { max_depth: 3 }),
        graphql('{ me { ...F } } fragment F on Customer { friends(first: 1) { friends(first: 1) { id } } }', {
          max_depth: 3,
        }),
      ],
      miss: [graphql('{ me { friends(first: 1) { id } } }', { max_depth: 3 })],
    },
  }),
  excessive_fields: blockingRule({
    id: 'excessive_fields',
    reason: 'It selects more fields than one query may.',
    suggestion: 'Select only what you need.',
    examples: {
      hit: [
        graphql(
          '{ ...F a: me { ...G } } fragment F on Query { me { ...G } } fragment G on Customer { id name }',
          { max_field_count: 5 },
        ),
      ],
      miss: [graphql('{ me { id name } }', { max_field_count: 5 })],
    },
  }),
  excessive_aliases: blockingRule({
    id: 'excessive_aliases',
    reason: 'The query has too many aliases.',
    examples: {
      hit: [graphql('{ a: me { id } b: me { id } }', { max_aliases: 1 })],
      miss: [graphql('{ a: me { id } }', { max_aliases: 1 })],
    },
  }),
  excessive_directives: blockingRule({
    id: 'excessive_directives',
    reason: 'The query has too many directives.',
    examples: {
      hit: [graphql('{ me { id @skip(if: false) @include(if: true) } }', { max_directives: 1 })],
      miss: [graphql('{ me { id @skip(if: false) } }', { max_directives: 1 })],
    },
  }),
  excessive_cost: blockingRule({
    id: 'excessive_cost',
    reason: 'It costs the server more than one query may.',
    suggestion: 'Ask for fewer rows.',
    examples: {
      hit: [
        graphql('{ customers(first: 1000000) { id } }'),
        graphql('query($n: Int) { customers(first: $n) { id } }', {}, { n: 5000 }),
      ],
      miss: [graphql('{ customers(first: 10) { id orders(first: 5) { id } } }')],
    },
  }),
  missing_page_size: blockingRule({
    id: 'missing_page_size',
    reason: 'The list has no page size.',
    suggestion: 'Say how many: first: 10.',
    examples: {
      hit: [graphql('{ customers { id } }', { require_page_size: true })],
      miss: [graphql('{ customers(first: 10) { id } }', { require_page_size: true })],
    },
  }),
  excessive_joins: blockingRule({
    id: 'excessive_joins',
    reason: 'The query has too many joins.',
    examples: {
      hit: [postgres('SELECT 1 FROM orders a, orders b, orders c', { sql_max_joins: 1 })],
      miss: [
        postgres('SELECT 1 FROM orders a JOIN customers c ON c.id = a.customer_id', { sql_max_joins: 1 }),
      ],
    },
  }),
  excessive_rows: blockingRule({
    id: 'excessive_rows',
    reason: 'It asks for more rows than a result may have.',
    suggestion: 'Lower the LIMIT.',
    examples: {
      hit: [postgres('SELECT id FROM customers LIMIT 1000', { sql_max_rows: 100 })],
      miss: [postgres('SELECT id FROM customers LIMIT 100', { sql_max_rows: 100 })],
    },
  }),
  excessive_estimate: blockingRule({
    id: 'excessive_estimate',
    reason: 'The database estimates too much work.',
    suggestion: 'Join by a condition, filter first, or ask for fewer rows.',
    examples: {
      hit: [
        livePostgres('SELECT count(*) FROM orders a, orders b WHERE a.id > b.id', {
          schema: tables,
          estimate: { rows: 1, most: 1e10, cost: 1e8 },
        }),
        livePostgres(
          'SELECT id FROM orders',
          { schema: tables, estimate: { rows: 1000, most: 1000, cost: 500 } },
          { sql_max_estimated_cost: 100 },
        ),
      ],
      miss: [
        livePostgres('SELECT id FROM orders', {
          schema: tables,
          estimate: { rows: 1000, most: 1000, cost: 500 },
        }),
        postgres('SELECT id FROM orders'),
      ],
    },
  }),
  missing_limit: blockingRule({
    id: 'missing_limit',
    reason: 'The read has no LIMIT.',
    suggestion: 'Add a LIMIT.',
    examples: {
      hit: [postgres('SELECT id FROM customers', { sql_require_limit: true })],
      miss: [
        postgres('SELECT id FROM customers LIMIT 5', { sql_require_limit: true }),
        postgres('SELECT count(*) FROM customers', { sql_require_limit: true }),
      ],
    },
  }),
  missing_where: blockingRule({
    id: 'missing_where',
    reason: 'The change has no WHERE.',
    suggestion: 'Say which rows.',
    examples: {
      hit: [
        postgres("UPDATE customers SET name = 'a'", { sql_allow_writes: true }),
        postgres('DELETE FROM customers WHERE true', { sql_allow_deletes: true }),
      ],
      miss: [postgres("UPDATE customers SET name = 'a' WHERE id = 1", { sql_allow_writes: true })],
    },
  }),
} as const;

/** The rule of a limit that was held while the query was read. */
export const limitRule: ReadonlyMap<string, Rule> = new Map(
  Object.values(limitRules).map((rule) => [rule.id, rule]),
);

/** What the source says about how much the query asks for. */
export function limitFindings(facts: QueryFacts, mode: CodeMode): readonly Finding[] {
  const findings: Finding[] = [];
  const over = (rule: Rule, what: string, value: number, most: number) => {
    if (value > most) findings.push(found(rule, `It has ${value} ${what}; ${most} are allowed.`));
  };
  const { graphql: fields, sql } = mode;
  over(limitRules.excessive_cost, 'units of cost', facts.cost, mode.maxCost);
  if (facts.language === 'graphql') {
    over(limitRules.excessive_depth, 'levels', facts.depth, fields.maxDepth);
    over(limitRules.excessive_fields, 'fields', facts.selections, fields.maxFields);
    over(limitRules.excessive_aliases, 'aliases', facts.aliases, fields.maxAliases);
    over(limitRules.excessive_directives, 'directives', facts.directives, fields.maxDirectives);
    if (fields.requirePageSize && facts.flags.has('unpaged')) {
      findings.push(found(limitRules.missing_page_size, 'A list has no size.'));
    }
  }
  if (facts.language === 'sql') {
    over(limitRules.excessive_joins, 'joins', facts.joins, sql.maxJoins);
    over(limitRules.excessive_rows, 'rows', facts.rows ?? 0, sql.maxRows);
    if (sql.requireLimit && facts.flags.has('no_limit')) {
      findings.push(found(limitRules.missing_limit, 'It reads without a LIMIT.'));
    }
    if (sql.requireWhere && facts.flags.has('no_where')) {
      findings.push(found(limitRules.missing_where, 'It changes every row.'));
    }
  }
  return findings;
}

/** What the source says about what the database expects of the query. */
export function estimateFindings(estimate: Estimate | null, { sql }: CodeMode): readonly Finding[] {
  if (estimate === null) return [];
  if ('refused' in estimate)
    return [found(natureRules.query_invalid, `The database refuses it: ${estimate.refused}.`)];
  const over = (what: string, value: number, most: number) =>
    value > most
      ? [found(limitRules.excessive_estimate, `The database expects ${what}; ${most} are allowed.`)]
      : [];
  return [
    ...over(`about ${rounded(estimate.most)} rows in one step`, estimate.most, sql.maxEstimatedRows),
    ...over(`a cost of about ${rounded(estimate.cost)}`, estimate.cost, sql.maxEstimatedCost),
  ];
}

/** A number as people say it: of one over a thousand, two digits count. */
export function rounded(value: number): string {
  const kept = value < 1000 ? Math.round(value) : Number(value.toPrecision(2));
  return kept.toLocaleString('en-US');
}
