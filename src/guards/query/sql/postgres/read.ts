// Reads a statement of PostgreSQL, as its own grammar does, into facts. Every node is either known or denied, in
// whatever place it stands; names are what the server will make of them.

import type { Reading } from '../../facts.ts';
import { sqlFacts } from '../input.ts';
import { type PostgresInput, Reader } from './reader.ts';
import type { Scope } from './scope.ts';
import { readSelect, walkStatement } from './statements.ts';
import { summaryOf } from './summary.ts';
import { canonicalText, childrenOf, nodeOf } from './tree.ts';

/** The facts of a parsed text. */
export function readStatement(input: PostgresInput): Reading {
  const reader = new Reader(input, { walkStatement, readSelect });
  const statements = childrenOf(input.tree, 'stmts');
  const [first, second] = statements;
  if (first === undefined)
    return { unreadable: { rule: 'query_invalid', message: 'There is no statement.' } };
  if (second !== undefined) reader.noteUnknown('more than one statement');
  const [plain, full] = [false, true].map((values) => summaryOf(input.tree, { values }));
  const scope: Scope = { outer: null, items: [], queries: new Map() };
  for (const statement of statements) walkStatement(reader, nodeOf(statement, 'stmt'), scope, true);
  const cost =
    reader.cost + Math.floor(reader.nodes / 1000) + (reader.crossed === 0 ? 0 : 20 ** reader.crossed);
  return {
    facts: sqlFacts(
      {
        operations: reader.operations,
        relations: reader.relations,
        described: reader.described,
        fields: reader.fields,
        functions: reader.functions,
        depth: reader.deepest,
        selections: reader.fields.size,
        joins: reader.joins,
        cost,
        rows: reader.rows,
        flags: reader.flags,
        tenantless: [...reader.tenantless].sort(),
        unknowns: reader.unknowns,
        ...(plain == null || full == null ? {} : { summary: { plain, full } }),
        canonical: canonicalText(statements),
      },
      reader.known,
    ),
  };
}
