// The words that policies speak in: who (Agent of a User of a Tenant), what (an action by its effect), on what
// (a Tool of a Server, a Host, or the Workspace), and the context that the guards made of the action.

import { type Kind, kinds } from '../core/index.ts';

/** Effects of tools that no snapshot takes back; each is an action beside the kinds. */
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

export type PolicyAction = Kind | (typeof irreversible)[number] | (typeof inward)[number];

export const actions: readonly PolicyAction[] = [...kinds, ...inward, ...irreversible];

/** The group that all irreversible actions are in. */
export const irreversibleGroup = 'irreversible';

export const risks = ['low', 'medium', 'high', 'critical'] as const;
export type Risk = (typeof risks)[number];

function named(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** The schema in Cedar's own language; every policy and every request is held to it. */
export const schemaText = `entity Tenant;
entity User in [Tenant];
// The principal: the agent that acts, in the user it acts for.
entity Agent in [User];

entity Workspace;
entity Server;
// A tool by its name, in the server that offers it and in the workspace that it is called in.
entity Tool in [Server, Workspace];
// A name or an address; "api.example.com" is in "example.com" and in "com".
entity Host in [Host];

type Asked = {
  mode: String,           // default, acceptEdits, plan, auto
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
};

action "${irreversibleGroup}";
action ${named([...kinds.filter((kind) => kind !== 'fetch'), ...inward])} appliesTo {
  principal: Agent, resource: [Tool, Workspace], context: Asked
};
action "fetch" appliesTo {
  principal: Agent, resource: [Tool, Workspace, Host], context: Asked
};
action ${named(irreversible)} in ["${irreversibleGroup}"] appliesTo {
  principal: Agent, resource: [Tool, Workspace], context: Asked
};
`;
