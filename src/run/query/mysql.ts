// A MySQL or MariaDB database's own description of its tables, as the SQL that creates them.

import { messageOf, SallyportError, visible } from '../../core/index.ts';
import { placeOf, SchemaUnavailable } from './remote.ts';

const connectMs = 5000;
const answerMs = 15_000;

type Row = Readonly<Record<string, unknown>>;

/** Tables, views and keys of the database that an address names. */
export async function describeMysql(url: string): Promise<{
  readonly schema: string;
  readonly warnings: readonly string[];
  readonly routines: readonly Row[];
}> {
  const { createConnection } = await driver();
  const place = placeOf(url);
  let connection: Awaited<ReturnType<typeof createConnection>>;
  try {
    connection = await createConnection({
      uri: url.replace(/^mariadb:/i, 'mysql:'),
      connectTimeout: connectMs,
      // Numbers and times are not looked at here, and texts can be compared.
      dateStrings: true,
      multipleStatements: false,
    });
  } catch (error) {
    throw new SchemaUnavailable(`cannot connect to ${place}: ${visible(messageOf(error), 200)}`, {
      hint: 'check the address, the account and its password',
      cause: error,
    });
  }
  try {
    const ask = async (sql: string): Promise<readonly Row[]> => {
      const [rows] = await connection.query({ sql, timeout: answerMs });
      return Array.isArray(rows) ? (rows as Row[]) : [];
    };
    await ask('SET SESSION TRANSACTION READ ONLY');
    const [columns, keys, views, routines] = [
      await ask(columnQuery),
      await ask(keyQuery),
      await ask(viewQuery),
      await ask(routineQuery),
    ];
    return { ...statementsOf(columns, keys, views), routines };
  } catch (error) {
    throw new SchemaUnavailable(`${place} does not tell its tables: ${visible(messageOf(error), 200)}`);
  } finally {
    connection.destroy();
  }
}

async function driver() {
  try {
    return await import('mysql2/promise');
  } catch (error) {
    throw new SallyportError('the package mysql2 is not installed', {
      hint: 'run npm install mysql2',
      cause: error,
    });
  }
}

const columnQuery = `SELECT c.table_name AS tbl, t.table_type AS kind, c.column_name AS col, c.column_type AS type,
    c.generation_expression AS generated
  FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.table_schema = DATABASE() ORDER BY c.table_name, c.ordinal_position`;

const keyQuery = `SELECT k.table_name AS tbl, k.constraint_name AS name, k.column_name AS col,
    k.referenced_table_name AS other, k.referenced_column_name AS theirs, k.referenced_table_schema AS place,
    DATABASE() AS here
  FROM information_schema.key_column_usage k
  WHERE k.table_schema = DATABASE() AND (k.constraint_name = 'PRIMARY' OR k.referenced_table_name IS NOT NULL)
  ORDER BY k.table_name, k.constraint_name, k.ordinal_position`;

const viewQuery = `SELECT table_name AS tbl, view_definition AS query FROM information_schema.views
  WHERE table_schema = DATABASE() ORDER BY table_name`;

const routineQuery = `SELECT routine_name AS name, is_deterministic AS fixed, sql_data_access AS access,
    security_type AS security
  FROM information_schema.routines WHERE routine_schema = DATABASE() AND routine_type = 'FUNCTION' ORDER BY routine_name`;

function quoted(name: unknown): string {
  return `\`${String(name).replaceAll('`', '``')}\``;
}

function grouped(rows: readonly Row[], key: string): ReadonlyMap<string, readonly Row[]> {
  return Map.groupBy(rows, (row) => String(row[key]));
}

function statementsOf(columns: readonly Row[], keys: readonly Row[], views: readonly Row[]) {
  const keysOf = grouped(keys, 'tbl');
  const queries = new Map(views.map(({ tbl, query }) => [String(tbl), String(query ?? '').trim()]));
  const [tables, shown]: [string[], string[]] = [[], []];
  const warnings: string[] = [];
  for (const [table, own] of grouped(columns, 'tbl')) {
    const query = queries.get(table);
    if (query === undefined) tables.push(tableText(table, own, keysOf.get(table) ?? []));
    else if (query === '') {
      warnings.push(
        `The account may not see the definition of the view ${visible(table, 100)}, so that it is left out: GRANT SHOW VIEW.`,
      );
    } else
      shown.push(
        `CREATE VIEW ${quoted(table)} (${own.map(({ col }) => quoted(col)).join(', ')}) AS ${query};`,
      );
  }
  return { schema: `${[...tables, ...shown].join('\n')}\n`, warnings };
}

function tableText(table: string, columns: readonly Row[], keys: readonly Row[]): string {
  const lines = columns.map(({ col, type, generated }) => {
    const expression = String(generated ?? '');
    const computed = expression === '' ? '' : ` GENERATED ALWAYS AS (${expression}) STORED`;
    return `  ${quoted(col)} ${String(type)}${computed}`;
  });
  for (const [name, parts] of grouped(keys, 'name')) {
    const own = parts.map(({ col }) => quoted(col)).join(', ');
    const [first] = parts;
    if (name === 'PRIMARY') lines.push(`  PRIMARY KEY (${own})`);
    else if (first !== undefined && first['place'] === first['here']) {
      const theirs = parts.map((part) => quoted(part['theirs'])).join(', ');
      lines.push(`  FOREIGN KEY (${own}) REFERENCES ${quoted(first['other'])} (${theirs})`);
    }
  }
  return `CREATE TABLE ${quoted(table)} (\n${lines.join(',\n')}\n);`;
}
