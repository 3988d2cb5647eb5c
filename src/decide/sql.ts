// Loads the grammars of SQL on first use; both are compiled in advance, so that nothing is built on this machine.

import type { ParseSql } from '../core/index.ts';
import { find } from './packages.ts';

type PgQuery = typeof import('libpg-query');
type SqlParser = typeof import('@guanmingchiu/sqlparser-ts');

/** Creates the reader of PostgreSQL: its own grammar. Takes some 100 ms; call it once and reuse the result. */
export async function loadPostgres(): Promise<ParseSql> {
  const { loadModule, parseSync, hasSqlDetails } = find<PgQuery>('libpg-query', {}).load();
  await loadModule();
  return (text) => {
    try {
      return { tree: parseSync(text) };
    } catch (error) {
      const position = hasSqlDetails(error) ? error.sqlDetails?.cursorPosition : undefined;
      const message = error instanceof Error ? error.message : 'not SQL';
      return position === undefined
        ? { error: message }
        : { error: message, position: Math.max(0, position) };
    }
  };
}

/** Creates the reader of one of the other dialects. */
export async function loadDialect(dialect: 'mysql' | 'sqlite'): Promise<ParseSql> {
  const { init, parse } = find<SqlParser>('@guanmingchiu/sqlparser-ts', {}).load();
  await init();
  return (text) => {
    try {
      return { tree: parse(text, dialect) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : 'not SQL' };
    }
  };
}
