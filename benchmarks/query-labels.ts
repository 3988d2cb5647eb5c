// Labels of the corpora that our policy does not share, each with the reason; they are counted as disputed, and listed.

interface Dispute {
  readonly files: readonly string[];
  readonly query: RegExp;
  readonly reason: string;
}

const disputes: readonly Dispute[] = [
  {
    files: ['sql_crystaldba_safe_sql', 'sql_dbhub', 'sql_pg_regress_sample'],
    query: /^\s*EXPLAIN\s*\(?\s*ANALY[SZ]E\)?\s+SELECT id, name FROM users\s*$/i,
    reason: 'EXPLAIN ANALYZE of a read runs the read, which may run anyway.',
  },
];

/** Why a row's label is not ours; null where it is. */
export function queryLabels(file: string, query: string): string | null {
  return disputes.find((one) => one.files.includes(file) && one.query.test(query))?.reason ?? null;
}
