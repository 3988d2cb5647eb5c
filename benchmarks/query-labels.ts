// Labels of the corpora that our policy does not share, each with the reason; they are counted apart, and listed.

import type { Verdict } from '../src/core/index.ts';
import { pureFunctions } from '../src/guards/query/sql/postgres/names.ts';

interface Dispute {
  readonly files: readonly string[];
  readonly query: RegExp;
  readonly reason: string;
}

const disputes: readonly Dispute[] = [
  {
    files: ['sql_crystaldba_safe_sql'],
    query: /^\s*EXPLAIN\s+ANALYZE\s+SELECT id, name FROM users\s*$/i,
    reason: 'EXPLAIN ANALYZE of a read runs that read, which may run anyway.',
  },
];

/** Files whose label of a SELECT says how it is written, and nothing of what it calls. */
const byGrammarAlone: ReadonlySet<string> = new Set(['sql_pg_regress_sample']);

/** Why a row's label is not ours; null where it is. */
export function disputeOf(file: string, query: string, { findings }: Verdict): string | null {
  const listed = disputes.find((one) => one.files.includes(file) && one.query.test(query))?.reason;
  if (listed !== undefined || !byGrammarAlone.has(file)) return listed ?? null;
  const called = findings.flatMap(
    ({ message }) => /^It holds a call of (?:pg_catalog\.)?([\w.]+)\.$/.exec(message)?.[1] ?? [],
  );
  const foreign = called.filter((name) => !pureFunctions.has(name));
  return foreign.length === 0
    ? null
    : `It calls ${foreign[0]}, which is not PostgreSQL's own or changes something.`;
}
