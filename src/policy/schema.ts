// The vocabulary of policies: who (Agent of a User of a Tenant), what (an action by its effect), on what (a Tool of a
// ToolServer, a Host, the Workspace, or the CodeMode::Server of a query), and the context that the guards derived from
// the action.

import { type Kind, kinds, once, SallyportError } from '../core/index.ts';

/** Effects of tools that no snapshot reverts; each is an action beside the kinds. */
export const irreversible = [
  'message',
  'deploy',
  'billing',
  'database',
  'push',
  'network',
  'destructive',
] as const;

/** Effects of tools that stay with the agent: its own notes, and calls of other tools. */
const inward = ['own', 'calls'] as const;

export type PolicyAction = Exclude<Kind, 'query'> | (typeof irreversible)[number] | (typeof inward)[number];

/** Kinds that are actions themselves; a query is one of `queryActions` instead. */
const plainKinds = kinds.filter((kind) => kind !== 'query');

export const actions: readonly PolicyAction[] = [...plainKinds, ...inward, ...irreversible];

/** The namespace of queries, and what they may do. */
export const codeMode = 'CodeMode';
export const queryActions = ['Read', 'Write', 'Delete', 'Admin'] as const;
export type QueryAction = (typeof queryActions)[number];

/** The group that all irreversible actions are in. */
export const irreversibleGroup = 'irreversible';

export const risks = ['low', 'medium', 'high', 'critical'] as const;
export type Risk = (typeof risks)[number];

function named(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** The attributes of every action; a policy without an action in its scope may use these alone. */
const common = `  mode: String,           // default, acceptEdits, plan, auto
  risk: String,           // ${risks.join(', ')}
  decision: String,       // of the guards: pass, redact, approve, block
  changes: Bool,          // whether the guards found a side effect
  rules: Set<String>,     // ids of the rules that hit
  contracts: Set<String>, // clauses of the agent contract that hit
  workspace: String,      // absolute path
  programs: Set<String>,  // that a command would start
  effects: Set<String>,   // that a command would have
  tool?: String,
  server?: String,
  host?: String,
  method?: String,
  path?: String,          // in the workspace where it lies there, else absolute
`;

/** The schema in Cedar's own language; every policy and every request is held to it. */
export const schemaText = `entity Tenant;
entity User in [Tenant];
// The principal: the agent that acts, in the user it acts for.
entity Agent in [User];

entity Workspace;
entity ToolServer;
// A tool by its name, in the server that offers it and in the workspace that it is called in.
entity Tool in [ToolServer, Workspace];
// A name or an address; "api.example.com" is in "example.com" and in "com".
entity Host in [Host];

type Asked = {
${common}};

action "${irreversibleGroup}";
action ${named([...plainKinds.filter((kind) => kind !== 'fetch'), ...inward])} appliesTo {
  principal: Agent, resource: [Tool, Workspace], context: Asked
};
action "fetch" appliesTo {
  principal: Agent, resource: [Tool, Workspace, Host], context: Asked
};
action ${named(irreversible)} in ["${irreversibleGroup}"] appliesTo {
  principal: Agent, resource: [Tool, Workspace], context: Asked
};

// Queries to the sources of the configuration.
namespace ${codeMode} {
// The source by its server_id, in the workspace that the query comes from.
entity Server in [Workspace];

type Query = {
${common}  source: String,         // its name in the configuration
  language: String,       // graphql, sql, rest
  operations: Set<String>, // root fields, statements, operations of an API
  verbs: Set<String>,     // query, mutation; SELECT, UPDATE; GET, POST
  relations: Set<String>, // types, tables, paths
  fields: Set<String>,    // Type.field, table.column
  inputs: Set<String>,    // Input.field
  functions: Set<String>,
  sensitive: Set<String>, // those of the fields that are
  flags: Set<String>,     // introspection, subscription, incremental, unpaged, schema_change, no_where, no_limit, many_rows
  depth: Long,
  selections: Long,
  aliases: Long,
  directives: Long,
  joins: Long,
  cost: Long,
  rows?: Long,            // the most that it can ask for, where it says
  limits: {               // of the source
    depth: Long, selections: Long, aliases: Long, directives: Long, joins: Long, cost: Long, rows: Long,
  },
};

action ${named(queryActions)} appliesTo {
  principal: Agent, resource: Server, context: Query
};
}
`;

// ── The engine: Cedar as WebAssembly, with our schema read once. Loaded with the first question.

export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

/** The name under which the engine keeps our schema. */
export const schemaName = 'sallyport';

/** The engine is not installed or does not work; whatever needs a policy is refused. */
class PolicyEngineUnavailable extends SallyportError {}

/** Loads the engine; throws `PolicyEngineUnavailable`, and tries again when asked again. */
export const loadCedar = once(async (): Promise<Cedar> => {
  let cedar: Cedar;
  try {
    cedar = await import('@cedar-policy/cedar-wasm/nodejs');
  } catch (error) {
    throw new PolicyEngineUnavailable('the policy engine is not installed', {
      cause: error,
      hint: 'install @cedar-policy/cedar-wasm beside Sallyport',
    });
  }
  const read = cedar.preparseSchema(schemaName, schemaText);
  if (read.type === 'failure') {
    throw new PolicyEngineUnavailable(`the schema cannot be read: ${read.errors[0]?.message ?? ''}`);
  }
  return cedar;
});
