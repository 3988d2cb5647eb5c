// A PostgreSQL database's own description of its tables, as the SQL that creates them. It is read from the catalogs and
// not from plans: planning can run functions, and plans can contain values.

import { escapeIdentifier, escapeLiteral } from 'pg';
import type { OwnFunction } from '../../guards/query/sql/postgres/own-functions.ts';

/** As much of a connection as is needed here. */
export interface Asked {
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** Objects below this number are the server's own. */
const firstOwn = 16_384;
const kinds = `('r', 'p', 'v', 'm', 'f')`;
const own = `n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'`;

/**
 * A text that differs where anything differs that `describePostgres` reads. It is cheap: numbers of rows and of the
 * transactions that wrote them, no names and no definitions.
 */
export async function catalogStamp(client: Asked): Promise<string> {
  const sum = (from: string, id: string, where: string) =>
    `(SELECT count(*)::text || '.' || coalesce(sum(pg_catalog.hashtextextended(${id} || '.' || xmin::text, 0)), 0)::text
      FROM pg_catalog.${from} WHERE ${where})`;
  const parts = [
    sum('pg_namespace', `oid::text || nspname`, 'true'),
    sum('pg_class', `oid::text || relname`, `oid >= ${firstOwn} AND relkind IN ${kinds}`),
    sum('pg_attribute', `attrelid::text || '.' || attnum::text`, `attrelid >= ${firstOwn} AND attnum > 0`),
    sum('pg_attrdef', 'oid::text', `oid >= ${firstOwn}`),
    sum('pg_rewrite', 'oid::text', `ev_class >= ${firstOwn}`),
    sum('pg_inherits', `inhrelid::text || '.' || inhparent::text`, 'true'),
    sum('pg_type', 'oid::text || typname', `oid >= ${firstOwn} AND typtype IN ('c', 'd', 'e')`),
    sum('pg_enum', 'oid::text', 'true'),
    sum('pg_constraint', 'oid::text', `oid >= ${firstOwn} AND contype IN ('p', 'u', 'f')`),
    sum('pg_description', `objoid::text || '.' || objsubid::text || description`, `objoid >= ${firstOwn}`),
  ];
  const { rows } = await client.query(`SELECT concat_ws(' ', ${parts.join(', ')}) AS stamp`);
  return String(rows[0]?.['stamp'] ?? '');
}

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly generated: string | null;
  readonly comment: string | null;
}

/** The statements that make the schemas, types, tables and views, in an order in which they can be read. */
export async function describePostgres(client: Asked): Promise<string> {
  // Without a search path the server writes every name in full.
  await client.query("SELECT pg_catalog.set_config('search_path', '', true)");
  const [schemas, types, relations, constraints] = [
    await client.query(schemaQuery),
    await client.query(typeQuery),
    await client.query(relationQuery),
    await client.query(constraintQuery),
  ].map(({ rows }) => rows);
  const lines = (schemas ?? []).map(({ name }) => `CREATE SCHEMA ${quoted(String(name))};`);
  for (const type of types ?? []) lines.push(typeText(type));
  const tables = (relations ?? []).filter(({ definition }) => definition === null);
  const views = (relations ?? []).filter(({ definition }) => definition !== null);
  for (const table of parentsFirst(tables)) lines.push(tableText(table));
  for (const { relation, definition } of constraints ?? [])
    lines.push(`ALTER TABLE ONLY ${nameText(relation)} ADD ${String(definition)};`);
  // A view may refer to a later one; its reader resolves that.
  for (const view of views) lines.push(viewText(view));
  for (const relation of relations ?? []) lines.push(...commentTexts(relation));
  return `${lines.join('\n')}\n`;
}

const functionQuery = `SELECT n.nspname::text AS schema, p.proname::text AS name, p.provolatile::text AS volatility,
    p.prokind::text AS kind, p.prosecdef AS definer, l.lanname::text AS language, e.extname::text AS extension,
    p.prosrc AS body,
    EXISTS (SELECT FROM pg_catalog.pg_proc s WHERE s.proname = p.proname
      AND s.pronamespace = 'pg_catalog'::regnamespace) AS shadowed
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_catalog.pg_language l ON l.oid = p.prolang
  LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
  WHERE ${own} AND p.oid >= ${firstOwn} AND p.prokind IN ('f', 'a', 'w')
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.typtype = 'p' AND t.typname IN
      ('internal', 'cstring', 'trigger', 'event_trigger', 'language_handler', 'fdw_handler', 'index_am_handler',
       'table_am_handler', 'tsm_handler')
      AND (t.oid = p.prorettype OR t.oid = ANY (p.proargtypes)))
  ORDER BY 1, 2, p.oid`;

const volatilities: Readonly<Record<string, OwnFunction['volatility']>> = { i: 'immutable', s: 'stable' };

/** The functions that a query could call beside PostgreSQL's own. */
export async function postgresFunctions(client: Asked): Promise<readonly OwnFunction[]> {
  const { rows } = await client.query(functionQuery);
  return rows.map((row) => ({
    schema: String(row['schema']),
    name: String(row['name']),
    volatility: volatilities[String(row['volatility'])] ?? 'volatile',
    isAggregate: row['kind'] !== 'f',
    isDefiner: row['definer'] === true,
    language: String(row['language']),
    extension: typeof row['extension'] === 'string' ? row['extension'] : null,
    body: String(row['body']),
    isShadowed: row['shadowed'] === true,
  }));
}

/** How many tables and views there are, and how many of them the account may read in part. */
export async function readableTables(
  client: Asked,
): Promise<{ readonly all: number; readonly readable: number }> {
  const { rows } = await client.query(`SELECT count(*)::int AS all, count(*) FILTER (
      WHERE pg_catalog.has_any_column_privilege(c.oid, 'SELECT') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    )::int AS readable
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE ${own} AND c.relkind IN ${kinds}`);
  return { all: Number(rows[0]?.['all'] ?? 0), readable: Number(rows[0]?.['readable'] ?? 0) };
}

const nameOf = (schema: string, name: string) => `ARRAY[${schema}::text, ${name}::text]`;

const schemaQuery = `SELECT n.nspname::text AS name FROM pg_catalog.pg_namespace n
  WHERE ${own} AND n.nspname <> 'public' ORDER BY 1`;

const typeQuery = `SELECT ${nameOf('n.nspname', 't.typname')} AS type, t.typtype::text AS kind,
    pg_catalog.format_type(t.typbasetype, t.typtypmod) AS base,
    ARRAY(SELECT e.enumlabel::text FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder) AS labels,
    (SELECT json_agg(json_build_array(a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
      FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) AS parts
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
  WHERE ${own} AND (t.typtype IN ('d', 'e') OR (t.typtype = 'c' AND c.relkind = 'c')) ORDER BY t.oid`;

const relationQuery = `SELECT ${nameOf('n.nspname', 'c.relname')} AS relation, c.relkind::text AS kind,
    CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END AS definition,
    pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS bound, pg_catalog.pg_get_partkeydef(c.oid) AS key,
    (SELECT json_agg(json_build_array(pn.nspname, p.relname) ORDER BY i.inhseqno) FROM pg_catalog.pg_inherits i
      JOIN pg_catalog.pg_class p ON p.oid = i.inhparent JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
      WHERE i.inhrelid = c.oid) AS parents,
    (SELECT json_agg(json_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
        'generated', CASE WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END,
        'comment', pg_catalog.col_description(c.oid, a.attnum)) ORDER BY a.attnum)
      FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
    pg_catalog.obj_description(c.oid, 'pg_class') AS comment
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE ${own} AND c.relkind IN ${kinds} ORDER BY c.oid`;

const constraintQuery = `SELECT ${nameOf('n.nspname', 'c.relname')} AS relation,
    pg_catalog.pg_get_constraintdef(k.oid) AS definition
  FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE ${own} AND k.contype IN ('p', 'u', 'f') AND k.conparentid = 0 ORDER BY k.contype <> 'p', k.oid`;

type Row = Readonly<Record<string, unknown>>;

/** Quoted only if necessary, for readability. */
function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : escapeIdentifier(name);
}

/** Words that are no names without quotes; to quote one too many does no harm. */
const reserved = new Set(
  'all analyse analyze and any array as asc asymmetric authorization between binary both case cast check coalesce collate collation column concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct do else end except exists false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right row select session_user similar some symmetric system_user table tablesample then to trailing true union unique user using values variadic verbose when where window with'.split(
    ' ',
  ),
);

function nameText(parts: unknown): string {
  return (Array.isArray(parts) ? parts : []).map((part) => quoted(String(part))).join('.');
}

function columnsOf({ columns }: Row): readonly Attribute[] {
  return Array.isArray(columns) ? columns : [];
}

function typeText({ type, kind, base, labels, parts }: Row): string {
  const name = nameText(type);
  if (kind === 'd') return `CREATE DOMAIN ${name} AS ${String(base)};`;
  if (kind === 'e') {
    const words = Array.isArray(labels) ? labels.map((label) => escapeLiteral(String(label))) : [];
    return `CREATE TYPE ${name} AS ENUM (${words.join(', ')});`;
  }
  const fields = (Array.isArray(parts) ? parts : []).map(([field, of]) => `${quoted(String(field))} ${of}`);
  return `CREATE TYPE ${name} AS (${fields.join(', ')});`;
}

function tableText(row: Row): string {
  const { relation, kind, parents, bound, key } = row;
  const columns = columnsOf(row).map(({ name, type, generated }) => {
    const computed = generated === null ? '' : ` GENERATED ALWAYS AS (${generated}) STORED`;
    return `  ${quoted(name)} ${type}${computed}`;
  });
  const list = (Array.isArray(parents) ? parents : []).map(nameText);
  const name = nameText(relation);
  const server = kind === 'f' ? ' SERVER elsewhere' : '';
  const parted = typeof key === 'string' ? ` PARTITION BY ${key}` : '';
  const made = `CREATE ${kind === 'f' ? 'FOREIGN ' : ''}TABLE ${name} (\n${columns.join(',\n')}\n)`;
  if (typeof bound === 'string')
    return `${made}${parted}${server};\nALTER TABLE ONLY ${list[0]} ATTACH PARTITION ${name} ${bound};`;
  return `${made}${list.length === 0 ? '' : ` INHERITS (${list.join(', ')})`}${parted}${server};`;
}

function viewText(row: Row): string {
  const { relation, kind, definition } = row;
  const columns = columnsOf(row).map(({ name }) => quoted(name));
  const what = kind === 'm' ? 'MATERIALIZED VIEW' : 'VIEW';
  const query = String(definition).trim().replace(/;$/, '');
  return `CREATE ${what} ${nameText(relation)} (${columns.join(', ')}) AS\n${query};`;
}

function commentTexts(row: Row): readonly string[] {
  const { relation, kind, comment } = row;
  const name = nameText(relation);
  const what =
    kind === 'v' ? 'VIEW' : kind === 'm' ? 'MATERIALIZED VIEW' : kind === 'f' ? 'FOREIGN TABLE' : 'TABLE';
  return [
    ...(typeof comment === 'string' ? [`COMMENT ON ${what} ${name} IS ${escapeLiteral(comment)};`] : []),
    ...columnsOf(row).flatMap((column) =>
      column.comment === null
        ? []
        : [`COMMENT ON COLUMN ${name}.${quoted(column.name)} IS ${escapeLiteral(column.comment)};`],
    ),
  ];
}

/** Tables after those that they inherit from. */
function parentsFirst(tables: readonly Row[]): readonly Row[] {
  const byName = new Map(tables.map((table) => [nameText(table['relation']), table]));
  const sorted = new Set<Row>();
  const add = (table: Row): void => {
    if (sorted.has(table)) return;
    for (const parent of Array.isArray(table['parents']) ? table['parents'] : []) {
      const found = byName.get(nameText(parent));
      if (found !== undefined) add(found);
    }
    sorted.add(table);
  };
  for (const table of tables) add(table);
  return [...sorted];
}
