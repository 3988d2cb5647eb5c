// The content of [code_mode] and [sources.NAME]: the destinations of queries, and what each allows of them.

import { resolve } from 'node:path';
import {
  checked,
  choice,
  describe,
  flag,
  type Infer,
  integer,
  list,
  object,
  optional,
  otherwise,
  type Path,
  type Problem,
  record,
  secret,
  text,
} from '../core/shape.ts';
import { type InForce, inForce, key, seconds, unset } from './key.ts';
import { headers } from './servers.ts';
import { type Naming, namingOf, noNaming } from './sql-names.ts';

const sourceKinds = ['graphql', 'postgres', 'mysql', 'sqlite', 'rest'] as const;
export type SourceKind = (typeof sourceKinds)[number];

const riskLevels = ['low', 'medium', 'high', 'critical'] as const;
export type RiskLevel = (typeof riskLevels)[number];

const names = list(text({ min: 1, max: 256 }), { max: 1000 });
const fields = list(
  text({
    max: 256,
    pattern: /^[^.\s]+(?:\.[^.\s]+){1,2}$/,
    what: 'a field with its type or table, "Type.field"',
  }),
  { max: 1000 },
);

const awsName = text({ max: 200, pattern: /^[\w-]+$/, what: 'letters, digits and "-"' });

const allows = <Name extends string = never>(says: string, fallback: boolean, to?: Name) =>
  key({ says, shape: flag(), fallback, to });
const most = <Name extends string = never>(
  says: string,
  fallback: number,
  [least, limit]: readonly [number, number],
  to?: Name,
) => key({ says, shape: integer(least, limit), fallback, to });
const listed = <Name extends string = never>(says: string, to?: Name, shape = names) =>
  key({ says, shape, fallback: [], to });

const depth = [1, 100] as const;
const count = [1, 100_000] as const;
const rows = [1, 10_000_000] as const;
/** The longest that an approval token may count. */
export const longestTokenSeconds = 3600;
const tokenSecret = secret(text({ min: 32, max: 1024, what: 'a secret of 32 characters or more' }));

/** The GraphQL settings of a source. */
const graphql = {
  allow_mutations: allows('Allow GraphQL mutations.', false),
  allowed_mutations: listed('Allowed mutations; empty: all that are not blocked.'),
  blocked_mutations: listed('Blocked mutations.'),
  allowed_queries: listed('Allowed root fields; empty: all that are not blocked.'),
  blocked_queries: listed('Blocked root fields.'),
  blocked_fields: listed('Blocked fields: "Type.field".', 'blockedFields', fields),
  blocked_input_fields: listed('Blocked input fields: "Input.field".', 'blockedInputFields', fields),
  allow_introspection: allows('Allow introspection of the filtered schema.', false),
  require_page_size: allows('Require a page size for every list.', false),
  max_depth: most('Deepest nesting of fields.', 10, depth),
  max_field_count: most('Most fields, counting aliases and fragment uses.', 100, count, 'maxFields'),
  max_aliases: most('How many aliases.', 30, [0, 10_000]),
  max_directives: most('How many directives.', 30, [0, 10_000]),
  max_tokens: most('Most tokens of a document.', 2000, [10, 100_000]),
};

/** Its SQL settings. */
const sql = {
  sql_reads_enabled: allows('Allow reads.', true, 'reads'),
  sql_allow_writes: allows('Allow INSERT and UPDATE.', false, 'writes'),
  sql_allow_deletes: allows('Allow DELETE.', false, 'deletes'),
  sql_allow_ddl: allows('Allow schema changes.', false, 'ddl'),
  sql_allowed_statements: listed('Allowed statements, by their first word.', 'allowedStatements'),
  sql_blocked_statements: listed('Blocked statements.', 'blockedStatements'),
  sql_allowed_tables: listed('Allowed tables.', 'allowedTables'),
  sql_blocked_tables: listed('Blocked tables.', 'blockedTables'),
  sql_blocked_columns: listed('Blocked columns: "table.column", or a name.', 'blockedColumns'),
  sql_allow_catalogs: allows(
    'Allow all catalogs except secrets; otherwise only names that are not hidden.',
    false,
    'catalogs',
  ),
  sql_allowed_functions: listed('Further functions that a read may call.', 'allowedFunctions'),
  sql_max_rows: most('Most rows of a statement.', 10_000, rows, 'maxRows'),
  sql_max_joins: most('Most joins.', 20, [0, 1000], 'maxJoins'),
  sql_max_estimated_rows: most(
    'Most rows that PostgreSQL expects in any step.',
    50_000_000,
    [1, 1_000_000_000_000],
    'maxEstimatedRows',
  ),
  sql_max_estimated_cost: most(
    'Highest planner cost on PostgreSQL.',
    5_000_000,
    [1, 1_000_000_000_000],
    'maxEstimatedCost',
  ),
  sql_require_where_on_writes: allows('Require WHERE on changes.', true, 'requireWhere'),
  sql_require_limit: allows('Require LIMIT on reads.', false, 'requireLimit'),
  tenant_column: unset({
    says: 'The column that names the tenant of a row.',
    shape: text({ min: 1, max: 256 }),
  }),
  tenant_tables: listed("Tables restricted to the caller's tenant."),
};

/** Its API settings. */
const rest = {
  openapi_reads_enabled: allows('Allow reads.', true, 'reads'),
  openapi_allow_writes: allows('Allow writes.', false, 'writes'),
  openapi_allowed_writes: listed('Allowed write operations.', 'allowedWrites'),
  openapi_blocked_writes: listed('Blocked write operations.', 'blockedWrites'),
  openapi_allow_deletes: allows('Allow deletes.', false, 'deletes'),
  openapi_allowed_deletes: listed('Allowed delete operations.', 'allowedDeletes'),
  openapi_blocked_paths: listed('Blocked paths; `*` within a segment, `**` across.', 'blockedPaths'),
  openapi_internal_blocked_fields: listed('Fields removed from answers at once.', 'internalBlockedFields'),
  openapi_output_blocked_fields: listed(
    'Fields removed from answers before a model sees them.',
    'outputBlockedFields',
  ),
  openapi_only_described: allows(
    'Remove members that the document does not describe.',
    false,
    'onlyDescribed',
  ),
};

/** Its settings for every query. */
const queries = {
  enabled: allows('False disables the sources.', true),
  max_cost: most('Most cost of a query: each field, once per row.', 1000, [1, 1_000_000_000]),
  max_query_length: most('Longest query, in characters.', 10_000, [1, 1_048_576], 'maxLength'),
  max_result_rows: most('Most rows of a result.', 10_000, rows),
  max_result_bytes: most('Largest page of a result, as JSON.', 262_144, [1024, 10_485_760]),
  redact_personal_data: allows('Redact personal data in results.', false, 'redactPersonal'),
  query_timeout_seconds: seconds('timeoutMs', 'Time limit of a query.', 30, 3600),
  token_secret: unset({
    says: 'Secret that signs tokens, as "env:VAR"; default: a key in the store.',
    shape: tokenSecret,
  }),
  token_previous_secrets: listed(
    'Replaced secrets; their tokens stay valid for token_ttl_seconds after the start.',
    'previousSecrets',
    secret(list(tokenSecret, { max: 4 })),
  ),
  token_ttl_seconds: seconds('tokenTtlMs', 'Lifetime of a token.', 300, longestTokenSeconds),
  auto_approve_levels: key({
    says: 'Risks that need no approval.',
    shape: list(choice(riskLevels), { max: 4 }),
    fallback: ['low'],
    to: 'autoApprove',
  }),
  four_eyes: allows('You cannot approve your own queries.', false),
  sensitive_fields: listed('Fields that raise the risk: "Type.field", or a name.'),
};

/** The same limits under the names that policies use. */
const policies = checked(
  object({
    block_introspection: optional(flag()),
    block_subscriptions: optional(flag()),
    block_mutations: optional(flag()),
    max_depth: optional(integer(...depth)),
    max_field_count: optional(integer(...count)),
  }),
  ({ block_subscriptions: subscriptions }, path, report) => {
    if (subscriptions === false) {
      const message = 'subscriptions are always blocked; this cannot be switched off';
      report({ path: [...path, 'block_subscriptions'], message });
    }
  },
);

/** The settings of a single source. */
const modeFields = {
  ...queries,
  ...graphql,
  ...sql,
  ...rest,
  server_id: describe(
    'Name of the server in policies; default: the source.',
    optional(text({ min: 1, max: 256 })),
  ),
  allow_inline_token_secret_for_dev: allows('Allow literal token secrets in this file.', false),
  policies: describe('Further limits.', optional(policies)),
};

/** The settings of `[code_mode]` for all sources: there is one policy setting. */
export const codeModeShape = checked(
  object({
    ...modeFields,
    policy_engine: describe(
      'Store of policies: "cedar" the ledger, "avp" Amazon Verified Permissions.',
      otherwise('cedar', choice(['cedar', 'avp'])),
    ),
    policy_store_id: describe('The policy store of Amazon Verified Permissions.', optional(awsName)),
    region: describe('The region of that store.', optional(awsName)),
  }),
  ({ policy_engine: engine, policy_store_id: store, region }, path, report) => {
    for (const [name, value] of [
      ['policy_store_id', store],
      ['region', region],
    ] as const) {
      const missing = engine === 'avp' && value === undefined;
      const idle = engine !== 'avp' && value !== undefined;
      if (missing) report({ path: [...path, 'policy_engine'], message: `"avp" needs ${name}` });
      if (idle) report({ path: [...path, name], message: 'goes with policy_engine = "avp"' });
    }
  },
);

const sourceModeShape = object(modeFields);

type CodeModeValue = Infer<typeof codeModeShape>;
type SourceModeValue = Infer<typeof sourceModeShape>;

/** A policy store of Amazon Verified Permissions. */
export interface PolicyStore {
  readonly id: string;
  readonly region: string;
}

/** The policy store that takes the place of the ledger's; null: the ledger has them. */
export function policyStoreFrom(defaults: CodeModeValue | undefined): PolicyStore | null {
  const { policy_store_id: id, region } = defaults ?? {};
  return id === undefined || region === undefined ? null : { id, region };
}

const sourceFields = object({
  kind: describe('What it is.', choice(sourceKinds)),
  schema: describe(
    'Path of its schema, relative to this file: GraphQL SDL, SQL DDL, or OpenAPI in JSON or YAML.',
    optional(text({ max: 4096, pattern: /^[^\0]+$/, what: 'a path' })),
  ),
  schema_from: describe(
    'Where `sources refresh` reads the schema; default: the source.',
    optional(text({ min: 1, max: 4096 })),
  ),
  url: describe(
    'Address, or the path of a SQLite file, relative to this file.',
    optional(text({ min: 1, max: 4096 })),
  ),
  headers,
  code_mode: describe('Overrides of [code_mode].', optional(sourceModeShape)),
});

type SourceValue = Infer<typeof sourceFields>;

const source = checked(sourceFields, ({ kind, schema, schema_from: from, headers }, path, report) => {
  // Without it the meaning of a query's fields is unknown.
  if ((kind === 'graphql' || kind === 'rest') && schema === undefined) {
    report({ path, message: `a source of the kind "${kind}" has a schema` });
  }
  if (from !== undefined && kind !== 'graphql' && kind !== 'rest') {
    const message = `a source of the kind "${kind}" is asked for its schema itself`;
    report({ path: [...path, 'schema_from'], message });
  }
  if (headers !== undefined && kind !== 'graphql' && kind !== 'rest') {
    report({ path: [...path, 'headers'], message: `a source of the kind "${kind}" has no headers` });
  }
});

/** The table of sources. */
export const sourcesShape = record(source, {
  fits: (name) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name),
  message: 'a source has a name of 1 to 64 letters, digits, ".", "_" and "-"',
});

interface SecretTables {
  readonly code_mode?: CodeModeValue | undefined;
  readonly sources?: Readonly<Record<string, SourceValue>> | undefined;
}

/** Plaintext secrets of tokens in the file itself; `isBorrowed` states which values came from the environment. */
export function inlineSecrets(
  { code_mode: defaults, sources = {} }: SecretTables,
  isBorrowed: (path: Path) => boolean,
): readonly Problem[] {
  const tables: readonly (readonly [Path, SourceModeValue | undefined])[] = [
    [['code_mode'], defaults],
    ...Object.entries(sources).map(
      ([name, { code_mode: own }]) => [['sources', name, 'code_mode'], own] as const,
    ),
  ];
  return tables.flatMap(([path, table]) => {
    const allowed = { ...defaults, ...table }.allow_inline_token_secret_for_dev ?? false;
    if (allowed) return [];
    const places = [
      ...(table?.token_secret === undefined ? [] : [[...path, 'token_secret']]),
      ...(table?.token_previous_secrets ?? []).map((_, at) => [...path, 'token_previous_secrets', at]),
    ];
    const message = 'a secret does not stand in a file; write "env:VAR" and set that variable';
    return places.filter((place) => !isBorrowed(place)).map((place) => ({ path: place, message }));
  });
}

/** The limits of one source. */
export interface CodeMode extends InForce<typeof queries> {
  readonly serverId: string;
  readonly graphql: InForce<typeof graphql>;
  readonly sql: InForce<typeof sql> & { readonly naming: Naming };
  readonly rest: InForce<typeof rest>;
}

/** A place that queries go to. */
export interface Source {
  readonly name: string;
  readonly kind: SourceKind;
  /** Absolute path of what describes it; null where nothing does. */
  readonly schema: string | null;
  /**
   * The location from which the schema is refreshed: an address, or an absolute path; null: the source itself is
   * queried.
   */
  readonly schemaFrom: string | null;
  readonly url: string | null;
  /** Sent with every request to it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mode: CodeMode;
  /** Keys that the source sets itself, and that mean nothing to a source of its kind. */
  readonly idle: readonly string[];
}

/** Keys by the language that they are about. */
const keysOf = { graphql: Object.keys(graphql), sql: Object.keys(sql), rest: Object.keys(rest) };

function idleKeys(kind: SourceKind, own: SourceModeValue | undefined): readonly string[] {
  const language = kind === 'graphql' || kind === 'rest' ? kind : 'sql';
  const others = Object.entries(keysOf).flatMap(([of, keys]) => (of === language ? [] : keys));
  return Object.entries(own ?? {}).flatMap(([name, value]) =>
    value !== undefined && others.includes(name) ? [name] : [],
  );
}

/**
 * The sources of a file; `[code_mode]` gives the defaults of each. Paths are relative to the folder that contains the
 * file.
 */
export function sourcesFrom(
  sources: Readonly<Record<string, SourceValue>> | undefined,
  defaults: CodeModeValue | undefined,
  folder: string | null = null,
): readonly Source[] {
  const placed = (path: string | undefined) =>
    path === undefined ? null : folder === null ? path : resolve(folder, path);
  const isAddress = (from: string | undefined) => from !== undefined && /^https?:/i.test(from);
  return Object.entries(sources ?? {}).map(([name, said]) => {
    const { kind, schema, schema_from: from, url, headers, code_mode: own } = said;
    return {
      name,
      kind,
      schema: placed(schema),
      schemaFrom: isAddress(from) ? (from ?? null) : placed(from),
      url: kind === 'sqlite' ? placed(url) : (url ?? null),
      headers: headers ?? {},
      idle: idleKeys(kind, own),
      mode: codeModeFrom(
        { ...defaults, ...own, policies: { ...defaults?.policies, ...own?.policies } },
        name,
        namingOf(kind, url ?? null),
      ),
    };
  });
}

/** The effective limits; of two names for one limit the stricter is used. */
export function codeModeFrom(value: SourceModeValue, name: string, naming = noNaming): CodeMode {
  const { policies = {} } = value;
  const [ofGraphql, ofSql] = [inForce(graphql, value), inForce(sql, value)];
  return {
    ...inForce(queries, value),
    serverId: value.server_id ?? name,
    graphql: {
      ...ofGraphql,
      allowMutations: ofGraphql.allowMutations && policies.block_mutations !== true,
      allowIntrospection: ofGraphql.allowIntrospection && policies.block_introspection !== true,
      maxDepth: Math.min(ofGraphql.maxDepth, policies.max_depth ?? depth[1]),
      maxFields: Math.min(ofGraphql.maxFields, policies.max_field_count ?? count[1]),
    },
    sql: { ...ofSql, maxRows: Math.min(ofSql.maxRows, value.max_result_rows ?? rows[1]), naming },
    rest: inForce(rest, value),
  };
}
