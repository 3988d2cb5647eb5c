// Rule: what is not to be read is not read by any way to it: through a fragment, an interface, an alias, a star, a
// view of the row, or by asking only for the rows where it has some value.

import type { CodeMode } from '../../../config/sources.ts';
import { isColumnNamed, isTableAllowed, isTableNamed } from '../../../config/sql-names.ts';
import type { Finding } from '../../../core/index.ts';
import type { QueryFacts } from '../facts.ts';
import { graphql, postgres, rest } from './examples.ts';
import { blockingRule, found } from './rule.ts';

const blocked = { blocked_fields: ['Customer.ssn'] };

export const nameRules = {
  blocked_field: blockingRule({
    id: 'blocked_field',
    reason: 'This field is never read.',
    suggestion: 'Leave the field out.',
    examples: {
      hit: [
        graphql('{ me { ssn } }', blocked),
        graphql('{ me { name: ssn } }', blocked),
        graphql('{ person(id: 1) { ssn } }', blocked),
        graphql(
          '{ ...F } fragment F on Query { me { ... { ...G } } } fragment G on Customer { ssn }',
          blocked,
        ),
        graphql('query($x: Boolean!) { me { id ssn @include(if: $x) } }', blocked, { x: false }),
      ],
      miss: [graphql('{ me { ssn: name } }', blocked), graphql('{ me { id email } }', blocked)],
    },
  }),
  blocked_input: blockingRule({
    id: 'blocked_input',
    reason: 'Filtering by a field reads the field.',
    suggestion: 'Filter by something else.',
    examples: {
      hit: [
        graphql('{ orders(first: 1, filter: { ssn: "1" }) { id } }', {
          blocked_input_fields: ['OrderFilter.ssn'],
        }),
        graphql(
          'query($f: OrderFilter) { orders(first: 1, filter: $f) { id } }',
          { blocked_input_fields: ['OrderFilter.ssn'] },
          { f: { and: [{ ssn: '1' }] } },
        ),
      ],
      miss: [
        graphql('{ orders(first: 1, filter: { above: 5 }) { id } }', {
          blocked_input_fields: ['OrderFilter.ssn'],
        }),
      ],
    },
  }),
  blocked_table: blockingRule({
    id: 'blocked_table',
    reason: 'This table is never touched.',
    examples: {
      hit: [
        postgres('SELECT id FROM secrets', { sql_blocked_tables: ['secrets'] }),
        postgres('SELECT 1 WHERE EXISTS (SELECT 1 FROM public."secrets")', {
          sql_blocked_tables: ['secrets'],
        }),
        postgres('SELECT id FROM secrets', { sql_blocked_tables: ['public.secrets'] }),
      ],
      miss: [
        postgres('WITH secrets AS (SELECT 1 AS id) SELECT id FROM secrets', {
          sql_blocked_tables: ['secrets'],
        }),
      ],
    },
  }),
  table_not_allowed: blockingRule({
    id: 'table_not_allowed',
    reason: 'Only the tables that the source lists are touched.',
    examples: {
      hit: [postgres('SELECT id FROM orders', { sql_allowed_tables: ['customers'] })],
      miss: [postgres('SELECT id FROM customers', { sql_allowed_tables: ['customers'] })],
    },
  }),
  blocked_column: blockingRule({
    id: 'blocked_column',
    reason: 'This column is never read.',
    suggestion: 'Name the columns that you need, without it.',
    examples: {
      hit: [
        postgres('SELECT ssn FROM customers', { sql_blocked_columns: ['customers.ssn'] }),
        postgres('SELECT * FROM customers', { sql_blocked_columns: ['customers.ssn'] }),
        postgres('SELECT c FROM customers c', { sql_blocked_columns: ['customers.ssn'] }),
        postgres("SELECT id FROM customers WHERE ssn LIKE '1%'", { sql_blocked_columns: ['customers.ssn'] }),
        postgres('SELECT ssn FROM customers', { sql_blocked_columns: ['public.customers.ssn'] }),
      ],
      miss: [postgres('SELECT id, name FROM customers', { sql_blocked_columns: ['customers.ssn'] })],
    },
  }),
  blocked_path: blockingRule({
    id: 'blocked_path',
    reason: 'This path is never asked for.',
    examples: {
      hit: [
        rest('{"method":"POST","url":"/admin/reset"}', {
          openapi_allow_writes: true,
          openapi_blocked_paths: ['/admin/*'],
        }),
      ],
      miss: [rest('{"method":"GET","url":"/orders"}', { openapi_blocked_paths: ['/admin/*'] })],
    },
  }),
} as const;

/** What the source says about the names in the query. */
export function nameFindings(
  facts: QueryFacts,
  { graphql: fields, sql, rest: api }: CodeMode,
): readonly Finding[] {
  switch (facts.language) {
    case 'graphql':
      return [
        ...facts.fields
          .filter((field) => fields.blockedFields.includes(field))
          .map((field) => found(nameRules.blocked_field, `${field} is not to be read.`)),
        ...facts.inputs
          .filter((field) => fields.blockedInputFields.includes(field))
          .map((field) => found(nameRules.blocked_input, `${field} is not to be asked about.`)),
      ];
    case 'sql':
      return [
        ...facts.relations
          .filter((table) => isBlockedTable(table, sql))
          .map((table) => found(nameRules.blocked_table, `"${table}" is not to be touched.`)),
        // A view that is listed may show tables that are not: that is what it is for.
        ...(facts.named ?? facts).relations
          .filter((table) => !isListedTable(table, sql))
          .map((table) =>
            found(nameRules.table_not_allowed, `"${table}" is not among the tables of this source.`),
          ),
        ...facts.fields
          .filter((column) => isBlockedColumn(column, sql))
          .map((column) => found(nameRules.blocked_column, `"${column}" is not to be read.`)),
      ];
    case 'rest':
      return facts.relations
        .filter((path) => api.blockedPaths.some((pattern) => matchesPath(path, pattern)))
        .map((path) => found(nameRules.blocked_path, `${path} is not to be asked for.`));
  }
}

type Sql = CodeMode['sql'];

/** Whether a table is never touched. */
export function isBlockedTable(
  table: string,
  { blockedTables, naming }: Pick<Sql, 'blockedTables' | 'naming'>,
): boolean {
  return blockedTables.some((name) => isTableNamed(table, name, naming));
}

/** Whether a source that lists its tables lists this one. */
export function isListedTable(
  table: string,
  { allowedTables, naming }: Pick<Sql, 'allowedTables' | 'naming'>,
): boolean {
  return allowedTables.length === 0 || allowedTables.some((name) => isTableAllowed(table, name, naming));
}

/** Whether a column is never read. */
export function isBlockedColumn(
  column: string,
  { blockedColumns, naming }: Pick<Sql, 'blockedColumns' | 'naming'>,
): boolean {
  return blockedColumns.some((name) => isColumnNamed(column, name, naming));
}

/** `*` is anything within a step of the path, `**` any number of steps. */
export function matchesPath(path: string, pattern: string): boolean {
  const source = pattern.split('/').map((step) => {
    if (step === '**') return '.*';
    return step.replace(/[$()*+.?[\\\]^{|}]/g, (sign) => (sign === '*' ? '[^/]*' : `\\${sign}`));
  });
  return new RegExp(`^${source.join('/')}$`, 'i').test(path);
}
