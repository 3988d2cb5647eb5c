// How often the query guard is right about labelled queries, each corpus on its own, beside what runs on npm.

import { join } from 'node:path';
import { settingsFrom } from '../src/config/index.ts';
import { type JsonObject, type JsonValue, readAction, type Verdict } from '../src/core/index.ts';
import { realWorld } from '../src/decide/index.ts';
import { context, deciderFor } from './parts.ts';
import { installPeers } from './peers.ts';
import { disputeOf } from './query-labels.ts';
import { type GraphqlPeer, graphqlArmor } from './query-peers.ts';
import { printColumns, printNote } from './table.ts';
import { corpora, corpus } from './texts.ts';

/** A query of a corpus, and what its source is like. */
export interface CorpusQuery {
  readonly query: string | JsonObject;
  readonly lang: string;
  readonly config: JsonObject;
  readonly variables?: JsonObject;
}

interface Row extends CorpusQuery {
  readonly expect: string;
}

interface Set {
  readonly file: string;
  /** Shares that must be reached, of what can be read: denials and passes. */
  readonly deny: number;
  readonly allow: number;
  /** What the source allows beside what the rows say. */
  readonly mode?: JsonObject;
}

const sets: readonly Set[] = [
  { file: 'sql_bypass_curated', deny: 1, allow: 0.98 },
  { file: 'graphql_bypass_curated', deny: 1, allow: 0.98 },
  { file: 'rest_bypass_curated', deny: 1, allow: 0.98 },
  { file: 'sql_hardened_writes', deny: 1, allow: 1 },
  { file: 'benign_sql_defog', deny: 1, allow: 0.99, mode: { sql_max_joins: 20 } },
  { file: 'benign_sql_spider', deny: 1, allow: 0.99, mode: { sql_max_joins: 20 } },
  {
    file: 'benign_graphql_github_generated',
    deny: 1,
    allow: 0.99,
    mode: { max_field_count: 1000, max_cost: 1_000_000, max_depth: 20 },
  },
  { file: 'sql_crystaldba_safe_sql', deny: 0, allow: 0 },
  { file: 'sql_dbhub', deny: 0, allow: 0 },
  {
    file: 'sql_pg_regress_sample',
    deny: 1,
    allow: 0.9,
    mode: { sql_max_joins: 20, sql_allow_catalogs: true },
  },
];

/** The dialects that a source can have here. */
const kinds: Readonly<Record<string, string>> = {
  graphql: 'graphql',
  rest: 'rest',
  'sql:postgres': 'postgres',
  'sql:mysql': 'mysql',
  'sql:mariadb': 'mysql',
  'sql:sqlite': 'sqlite',
};

/** Runs all sets; true when every goal is met. */
export async function queryAccuracy(progress: (text: string) => void): Promise<boolean> {
  const misses = process.argv.includes('--misses');
  installPeers(progress);
  const armor = graphqlArmor();
  const lines: string[][] = [];
  let good = true;
  for (const set of sets) {
    const rows = corpus<Row>(`query/${set.file}.jsonl`);
    if (rows.length === 0) {
      printNote(`${set.file} is not at ../shared/corpora: skipped`);
      continue;
    }
    progress(`${set.file} (${rows.length})`);
    const count = { deny: 0, denied: 0, allow: 0, allowed: 0, unread: 0, left: 0, disputed: 0 };
    const theirs = { denied: 0, allowed: 0 };
    for (const row of rows) {
      const verdict = await judge(row, set.mode ?? {});
      if (verdict === null) {
        count.left++;
        continue;
      }
      const text = textOf(row);
      const expected = row.expect.startsWith('deny') ? 'deny' : 'allow';
      const reason =
        expected === 'allow' || set.file === 'sql_crystaldba_safe_sql'
          ? disputeOf(set.file, text, verdict)
          : null;
      if (reason !== null) {
        count.disputed++;
        if (misses)
          process.stdout.write(`disputed ${set.file}: ${JSON.stringify(text).slice(0, 120)}  ${reason}\n`);
        continue;
      }
      const refused = verdict.decision === 'block';
      // A row that does not parse, or does not fit its schema, says nothing about what is harmless.
      if (expected === 'allow' && verdict.findings.some(({ rule }) => rule === 'query_invalid')) {
        count.unread++;
        continue;
      }
      count[expected]++;
      if (row.lang === 'graphql' && lets(armor, text, row, set.mode ?? {}) === (expected === 'allow'))
        theirs[expected === 'allow' ? 'allowed' : 'denied']++;
      if (refused === (expected === 'deny')) count[refused ? 'denied' : 'allowed']++;
      else if (misses) {
        const why = [...new Set(verdict.findings.map(({ rule, message }) => `${rule}: ${message}`))].join(
          ' | ',
        );
        process.stdout.write(
          `${set.file} ${expected}: ${JSON.stringify(text).slice(0, 200)}  ${why.slice(0, 200)}\n`,
        );
      }
    }
    const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
    const met = share(count.denied, count.deny) >= set.deny && share(count.allowed, count.allow) >= set.allow;
    good &&= met;
    lines.push([
      set.file,
      `${count.denied}/${count.deny}`,
      percent(set.deny),
      `${count.allowed}/${count.allow}`,
      percent(set.allow),
      String(count.unread),
      String(count.disputed),
      String(count.left),
      met ? 'met' : 'MISSED',
    ]);
    if (rows.some(({ lang }) => lang === 'graphql')) {
      const shares = [`${theirs.denied}/${count.deny}`, '', `${theirs.allowed}/${count.allow}`];
      lines.push(['  graphql-armor on it', ...shares, '', '', '', '', '']);
    }
  }
  printColumns(
    ['query guard', 'denied', 'goal', 'allowed', 'goal', 'unread', 'disputed', 'no dialect', ''],
    lines,
  );
  return good;
}

/** Whether the peer lets a row pass that we can read. */
function lets(peer: GraphqlPeer, text: string, row: Row, more: JsonObject): boolean {
  const { schema, file } = schemaOf('graphql', row.config);
  const found = file === null ? schema : (world.schemaText?.(file) ?? null);
  return peer(text, found ?? '', { ...modeOf(row.config), ...more });
}

const percent = (share: number) => (share === 0 ? 'listed' : `${100 * share} %`);

const world = realWorld();

/** A row as an action, with the source that it is for and the source's schema, as a text or in a file. */
export function queryCase(row: CorpusQuery, more: JsonObject, folder = corpora) {
  const kind = kinds[row.lang];
  if (kind === undefined) return null;
  const { schema, file } = schemaOf(kind, row.config, folder);
  const source = {
    kind,
    ...(schema === null && file === null ? {} : { schema: schemaPath }),
    code_mode: { max_query_length: 1_000_000, ...modeOf(row.config), ...more },
  };
  const { action } = readAction({
    kind: 'query',
    target: 'shop',
    language: kind === 'graphql' || kind === 'rest' ? kind : 'sql',
    text: textOf(row),
    variables: row.variables ?? {},
  });
  return { action, sources: { shop: source }, schema, file };
}

/** Where the schema of a source is, in the workspace of examples. */
const schemaPath = '/workspace/schema';

function textOf({ query }: CorpusQuery): string {
  return typeof query === 'string' ? query : JSON.stringify(query);
}

async function judge(row: Row, more: JsonObject): Promise<Verdict | null> {
  const found = queryCase(row, more);
  if (found === null) return null;
  const { action, sources, schema, file } = found;
  const decider = deciderFor(settingsFrom({}, { sources }), {
    world: {
      ...world,
      schemaText: (path) =>
        file === null || path !== schemaPath ? schema : (world.schemaText?.(file) ?? null),
    },
  });
  const tenant = typeof row.config['tenant'] === 'string' ? row.config['tenant'] : 'acme';
  return (await decider.decide(action, { ...context, tenant })).verdict;
}

/** What a row's configuration says, in the words of ours. */
const words: Readonly<Record<string, string>> = {
  blockedFields: 'blocked_fields',
  blockedInputFields: 'blocked_input_fields',
  maxDepth: 'max_depth',
  maxAliases: 'max_aliases',
  maxDirectives: 'max_directives',
  maxTokens: 'max_tokens',
  maxCost: 'max_cost',
  allowedMutations: 'allowed_mutations',
  blockedMutations: 'blocked_mutations',
  requirePageSize: 'require_page_size',
  allowIntrospection: 'allow_introspection',
  blockedColumns: 'sql_blocked_columns',
  blockedTables: 'sql_blocked_tables',
  maxRows: 'sql_max_rows',
  tenantColumn: 'tenant_column',
  tenantTables: 'tenant_tables',
  blockedPaths: 'openapi_blocked_paths',
};

function modeOf(config: JsonObject): JsonObject {
  const known = Object.entries(config).flatMap(([key, value]) => {
    const name = words[key];
    return name === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(known),
    ...(config['mode'] === 'read-write' ? { allow_mutations: true } : {}),
  };
}

function schemaOf(
  kind: string,
  config: JsonObject,
  folder = corpora,
): { readonly schema: string | null; readonly file: string | null } {
  const named = config['schema'];
  if (kind === 'rest') return { schema: apiOf(config), file: null };
  if (kind === 'graphql')
    return { schema: null, file: join(folder, 'query/schemas', `${String(named)}.graphql`) };
  if (typeof named !== 'string') return { schema: null, file: null };
  const tables = [...named.matchAll(/(\w+)\(([^)]*)\)/g)].map(([, table, columns = '']) => {
    const made = columns.split(',').map((column) => `${column.trim()} text`);
    return `CREATE TABLE ${table} (${made.join(', ')});`;
  });
  return { schema: tables.join('\n'), file: null };
}

/** The rows name their operations; the parameters are those that the harmless ones use. */
function apiOf(config: JsonObject): string {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const [id, place] of Object.entries(config['operations'] as Record<string, string>)) {
    const [method = '', path = ''] = place.split(' ');
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', pattern: '^[A-Za-z0-9-]{1,64}$' },
    }));
    const inQuery =
      id === 'listOrders'
        ? [
            { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000 } },
            { name: 'status', in: 'query', schema: { type: 'string', enum: ['paid', 'open'] } },
          ]
        : [];
    const body =
      method === 'POST' || method === 'PATCH'
        ? { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } }
        : {};
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: id,
        parameters: [...inPath, ...inQuery],
        ...body,
        responses: {},
      },
    };
  }
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'shop', version: '1' },
    servers: [{ url: config['baseUrl'] ?? '' }],
    paths,
  });
}
