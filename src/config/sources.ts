// What [code_mode] and [sources.NAME] may say: where queries go, and what each place allows of them.

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
  type Path,
  type Problem,
  record,
  text,
} from '../core/shape.ts';
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

const switches = {
  enabled: describe('False registers nothing of this.', optional(flag())),
  allow_mutations: describe('Whether GraphQL may change anything.', optional(flag())),
  allowed_mutations: describe('The only mutations; empty: any that are not blocked.', optional(names)),
  blocked_mutations: describe('Mutations that never run.', optional(names)),
  blocked_fields: describe('Fields that are never read: "Type.field".', optional(fields)),
  blocked_input_fields: describe('Fields of inputs that are never given: "Input.field".', optional(fields)),
  allowed_queries: describe(
    'The only root fields that are read; empty: any that are not blocked.',
    optional(names),
  ),
  blocked_queries: describe('Root fields that are never read.', optional(names)),
  allow_introspection: describe('Whether a query may ask for the schema.', optional(flag())),
  require_page_size: describe('Whether every list of GraphQL must say how much of it.', optional(flag())),
  max_depth: describe('How deep fields may lie in one another.', optional(integer(1, 100))),
  max_field_count: describe(
    'How many fields, each alias and each use of a fragment counted.',
    optional(integer(1, 100_000)),
  ),
  max_aliases: describe('How many aliases.', optional(integer(0, 10_000))),
  max_directives: describe('How many directives.', optional(integer(0, 10_000))),
  max_tokens: describe(
    'How many words and signs a GraphQL document may have.',
    optional(integer(10, 100_000)),
  ),
  max_cost: describe(
    'How much a query may cost: each field once for every row that it is read for.',
    optional(integer(1, 1_000_000_000)),
  ),
  max_query_length: describe('How many characters a query may have.', optional(integer(1, 1_048_576))),
  max_result_rows: describe('How many rows a result may have.', optional(integer(1, 10_000_000))),
  query_timeout_seconds: describe('How long a query may run.', optional(integer(1, 3600))),
  token_secret: describe(
    'What approval tokens are signed with: an environment variable, "env:VAR"; without it, by a key that daemons on one store share.',
    optional(text({ min: 32, max: 1024, what: 'a secret of 32 characters or more' })),
  ),
  token_previous_secrets: describe(
    'Secrets that token_secret has replaced; what they signed counts for one token_ttl_seconds after the start.',
    optional(list(text({ min: 32, max: 1024, what: 'a secret of 32 characters or more' }), { max: 4 })),
  ),
  allow_inline_token_secret_for_dev: describe(
    'Whether those secrets may stand in this file itself.',
    optional(flag()),
  ),
  token_ttl_seconds: describe('How long an approval token counts.', optional(integer(1, 3600))),
  auto_approve_levels: describe('Risks that need no person.', optional(list(choice(riskLevels), { max: 4 }))),
  four_eyes: describe('Whether nobody may approve what they asked for themselves.', optional(flag())),
  server_id: describe('The name of the server in policies.', optional(text({ min: 1, max: 256 }))),
  sensitive_fields: describe('Fields whose reading is a risk: "Type.field", or a name.', optional(names)),
  tenant_column: describe('The column that names the tenant of a row.', optional(text({ min: 1, max: 256 }))),
  tenant_tables: describe('Tables whose every use is held to one tenant.', optional(names)),
  sql_reads_enabled: describe('Whether SQL may read.', optional(flag())),
  sql_allow_writes: describe('Whether SQL may insert and update.', optional(flag())),
  sql_allow_deletes: describe('Whether SQL may delete.', optional(flag())),
  sql_allow_ddl: describe('Whether SQL may change tables.', optional(flag())),
  sql_allowed_statements: describe('The only statements, by their first word.', optional(names)),
  sql_blocked_statements: describe('Statements that never run.', optional(names)),
  sql_allowed_tables: describe('The only tables.', optional(names)),
  sql_blocked_tables: describe('Tables that are never touched.', optional(names)),
  sql_blocked_columns: describe('Columns that are never read: "table.column", or a name.', optional(names)),
  sql_allow_catalogs: describe(
    'Whether a read may look at what the server tells of itself: its catalogs, but not its secrets.',
    optional(flag()),
  ),
  sql_allowed_functions: describe(
    'Functions of the database that a read may call beside the ones that only compute.',
    optional(names),
  ),
  sql_max_rows: describe('How many rows a statement may ask for.', optional(integer(1, 10_000_000))),
  sql_max_joins: describe('How many joins.', optional(integer(0, 1000))),
  sql_require_where_on_writes: describe('Whether a change must say of which rows.', optional(flag())),
  sql_require_limit: describe('Whether a read must say how many rows.', optional(flag())),
  openapi_reads_enabled: describe('Whether an API may be read.', optional(flag())),
  openapi_allow_writes: describe('Whether an API may be written to.', optional(flag())),
  openapi_allowed_writes: describe('Operations that may write even so.', optional(names)),
  openapi_blocked_writes: describe('Operations that never write.', optional(names)),
  openapi_allow_deletes: describe('Whether an API may delete.', optional(flag())),
  openapi_allowed_deletes: describe('Operations that may delete even so.', optional(names)),
  openapi_blocked_paths: describe(
    'Paths that are never asked for; `*` is anything within a step, `**` across.',
    optional(names),
  ),
  openapi_internal_blocked_fields: describe(
    'Fields that are taken out of answers before anything reads them.',
    optional(names),
  ),
  openapi_output_blocked_fields: describe(
    'Fields that are taken out of answers before a model sees them.',
    optional(names),
  ),
};

/** The same limits under the names that policies use. */
const policies = checked(
  object({
    block_introspection: optional(flag()),
    block_subscriptions: optional(flag()),
    block_mutations: optional(flag()),
    max_depth: switches.max_depth,
    max_field_count: switches.max_field_count,
  }),
  ({ block_subscriptions: subscriptions }, path, report) => {
    if (subscriptions === false) {
      const message = 'subscriptions are always blocked; this cannot be switched off';
      report({ path: [...path, 'block_subscriptions'], message });
    }
  },
);

/** What a source may say for itself. */
const modeFields = {
  ...switches,
  policies: describe('Limits by the names of the baseline.', optional(policies)),
};

/** What `[code_mode]` says for all sources: there is one place for policies. */
export const codeModeShape = checked(
  object({
    ...modeFields,
    policy_engine: describe(
      'Where policies that are no files are kept: "cedar", in the ledger; "avp", in Amazon Verified Permissions.',
      optional(choice(['cedar', 'avp'])),
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
    'The absolute path of its schema: GraphQL SDL, SQL that makes its tables, or an OpenAPI document in JSON.',
    optional(text({ max: 4096, pattern: /^\/[^\0]+$/, what: 'an absolute path' })),
  ),
  url: describe(
    'Where it is: an address, or the absolute path of a SQLite file.',
    optional(text({ min: 1, max: 4096 })),
  ),
  headers: describe(
    'What is sent with every request to it, such as its own credential: "env:VAR".',
    optional(record(text({ max: 8192, pattern: /^[\t\x20-\x7e\x80-\uffff]*$/, what: 'one line of text' }))),
  ),
  code_mode: describe('What differs from [code_mode] here.', optional(sourceModeShape)),
});

type SourceValue = Infer<typeof sourceFields>;

/** The table of sources. */
export const sourcesShape = checked(record(sourceFields), checkSources);

function checkSources(
  sources: Readonly<Record<string, SourceValue>>,
  path: Path,
  report: (problem: Problem) => void,
): void {
  for (const [name, { kind, schema, headers }] of Object.entries(sources)) {
    if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
      const message = 'a source has a name of 1 to 64 letters, digits, ".", "_" and "-"';
      report({ path: [...path, name], message });
    }
    // Without it nobody knows what a field of a query is.
    if ((kind === 'graphql' || kind === 'rest') && schema === undefined) {
      report({ path: [...path, name], message: `a source of the kind "${kind}" has a schema` });
    }
    if (headers !== undefined && kind !== 'graphql' && kind !== 'rest') {
      const message = `a source of the kind "${kind}" has no headers`;
      report({ path: [...path, name, 'headers'], message });
    }
  }
}

interface SecretTables {
  readonly code_mode?: CodeModeValue | undefined;
  readonly sources?: Readonly<Record<string, SourceValue>> | undefined;
}

/** Secrets of tokens that stand in the file itself; `isBorrowed` tells which values came from the environment. */
export function inlineSecrets(
  { code_mode: defaults, sources = {} }: SecretTables,
  isBorrowed: (path: Path) => boolean,
): readonly Problem[] {
  const tables: readonly (readonly [Path, CodeModeValue | undefined])[] = [
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

/** What one source allows. */
export interface CodeMode {
  readonly enabled: boolean;
  readonly serverId: string;
  readonly graphql: {
    readonly allowMutations: boolean;
    readonly allowedMutations: readonly string[];
    readonly blockedMutations: readonly string[];
    readonly allowedQueries: readonly string[];
    readonly blockedQueries: readonly string[];
    readonly blockedFields: readonly string[];
    readonly blockedInputFields: readonly string[];
    readonly allowIntrospection: boolean;
    readonly requirePageSize: boolean;
    readonly maxDepth: number;
    readonly maxFields: number;
    readonly maxAliases: number;
    readonly maxDirectives: number;
    readonly maxTokens: number;
  };
  readonly sql: {
    readonly reads: boolean;
    readonly writes: boolean;
    readonly deletes: boolean;
    readonly ddl: boolean;
    readonly allowedStatements: readonly string[];
    readonly blockedStatements: readonly string[];
    readonly allowedTables: readonly string[];
    readonly blockedTables: readonly string[];
    readonly blockedColumns: readonly string[];
    readonly catalogs: boolean;
    readonly allowedFunctions: readonly string[];
    readonly maxRows: number;
    readonly maxJoins: number;
    readonly requireWhere: boolean;
    readonly requireLimit: boolean;
    readonly tenantColumn: string | null;
    readonly tenantTables: readonly string[];
    readonly naming: Naming;
  };
  readonly rest: {
    readonly reads: boolean;
    readonly writes: boolean;
    readonly allowedWrites: readonly string[];
    readonly blockedWrites: readonly string[];
    readonly deletes: boolean;
    readonly allowedDeletes: readonly string[];
    readonly blockedPaths: readonly string[];
    readonly internalBlockedFields: readonly string[];
    readonly outputBlockedFields: readonly string[];
  };
  readonly maxCost: number;
  readonly maxLength: number;
  readonly maxResultRows: number;
  readonly timeoutMs: number;
  /** Null: a key of the ledger's. */
  readonly tokenSecret: string | null;
  /** Those that it replaced. */
  readonly previousSecrets: readonly string[];
  readonly tokenTtlMs: number;
  readonly autoApprove: readonly RiskLevel[];
  readonly fourEyes: boolean;
  readonly sensitiveFields: readonly string[];
}

/** A place that queries go to. */
export interface Source {
  readonly name: string;
  readonly kind: SourceKind;
  /** Absolute path of what describes it; null where nothing does. */
  readonly schema: string | null;
  readonly url: string | null;
  /** Sent with every request to it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mode: CodeMode;
}

/** The sources of a file; `[code_mode]` holds for each of them where it says nothing itself. */
export function sourcesFrom(
  sources: Readonly<Record<string, SourceValue>> | undefined,
  defaults: CodeModeValue | undefined,
): readonly Source[] {
  return Object.entries(sources ?? {}).map(([name, { kind, schema, url, headers, code_mode: own }]) => ({
    name,
    kind,
    schema: schema ?? null,
    url: url ?? null,
    headers: headers ?? {},
    mode: codeModeFrom(
      { ...defaults, ...own, policies: { ...defaults?.policies, ...own?.policies } },
      name,
      namingOf(kind, url ?? null),
    ),
  }));
}

/** What is in force; of two names for one limit the stricter counts. */
export function codeModeFrom(value: CodeModeValue, name: string, naming = noNaming): CodeMode {
  const policies = value.policies ?? {};
  return {
    enabled: value.enabled ?? true,
    serverId: value.server_id ?? name,
    graphql: {
      allowMutations: (value.allow_mutations ?? false) && policies.block_mutations !== true,
      allowedMutations: value.allowed_mutations ?? [],
      blockedMutations: value.blocked_mutations ?? [],
      allowedQueries: value.allowed_queries ?? [],
      blockedQueries: value.blocked_queries ?? [],
      blockedFields: value.blocked_fields ?? [],
      blockedInputFields: value.blocked_input_fields ?? [],
      allowIntrospection: (value.allow_introspection ?? false) && policies.block_introspection !== true,
      requirePageSize: value.require_page_size ?? false,
      maxDepth: Math.min(value.max_depth ?? 10, policies.max_depth ?? 100),
      maxFields: Math.min(value.max_field_count ?? 100, policies.max_field_count ?? 100_000),
      maxAliases: value.max_aliases ?? 30,
      maxDirectives: value.max_directives ?? 30,
      maxTokens: value.max_tokens ?? 2000,
    },
    sql: {
      reads: value.sql_reads_enabled ?? true,
      writes: value.sql_allow_writes ?? false,
      deletes: value.sql_allow_deletes ?? false,
      ddl: value.sql_allow_ddl ?? false,
      allowedStatements: value.sql_allowed_statements ?? [],
      blockedStatements: value.sql_blocked_statements ?? [],
      allowedTables: value.sql_allowed_tables ?? [],
      blockedTables: value.sql_blocked_tables ?? [],
      blockedColumns: value.sql_blocked_columns ?? [],
      catalogs: value.sql_allow_catalogs ?? false,
      allowedFunctions: value.sql_allowed_functions ?? [],
      maxRows: Math.min(value.sql_max_rows ?? 10_000, value.max_result_rows ?? 10_000_000),
      maxJoins: value.sql_max_joins ?? 5,
      requireWhere: value.sql_require_where_on_writes ?? true,
      requireLimit: value.sql_require_limit ?? false,
      tenantColumn: value.tenant_column ?? null,
      tenantTables: value.tenant_tables ?? [],
      naming,
    },
    rest: {
      reads: value.openapi_reads_enabled ?? true,
      writes: value.openapi_allow_writes ?? false,
      allowedWrites: value.openapi_allowed_writes ?? [],
      blockedWrites: value.openapi_blocked_writes ?? [],
      deletes: value.openapi_allow_deletes ?? false,
      allowedDeletes: value.openapi_allowed_deletes ?? [],
      blockedPaths: value.openapi_blocked_paths ?? [],
      internalBlockedFields: value.openapi_internal_blocked_fields ?? [],
      outputBlockedFields: value.openapi_output_blocked_fields ?? [],
    },
    maxCost: value.max_cost ?? 1000,
    maxLength: value.max_query_length ?? 10_000,
    maxResultRows: value.max_result_rows ?? 10_000,
    timeoutMs: 1000 * (value.query_timeout_seconds ?? 30),
    tokenSecret: value.token_secret ?? null,
    previousSecrets: value.token_previous_secrets ?? [],
    tokenTtlMs: 1000 * (value.token_ttl_seconds ?? 300),
    autoApprove: value.auto_approve_levels ?? ['low'],
    fourEyes: value.four_eyes ?? false,
    sensitiveFields: value.sensitive_fields ?? [],
  };
}
