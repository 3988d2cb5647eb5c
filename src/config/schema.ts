// What sallyport.toml may say, as a whole. Each key stands in one place, in `sections/`, with its shape, its default, and
// how far a workspace file may move it: adding a key is adding one entry there.

import type { JsonObject } from '../core/index.ts';
import {
  checked,
  describe,
  type Infer,
  list,
  object,
  optional,
  type Path,
  type Problem,
  record,
  type Shape,
  text,
} from '../core/shape.ts';
import { llmShape } from './llm.ts';
import { agent, checkAgentNames, checkWorkspacePaths, workspace } from './sections/agents.ts';
import { changes, egress, fetch, guidelines, policy, rules, write } from './sections/guards.ts';
import {
  approvals,
  auditor,
  checkHostNames,
  daemon,
  detect,
  hook,
  host,
  judge,
  judgeSection,
  ledger,
  packages,
  run,
  sandbox,
  snapshots,
  telemetry,
} from './sections/machine.ts';
import { serversShape } from './servers.ts';
import { codeModeShape, sourcesShape } from './sources.ts';
import { checkTools, toolsShape } from './tools.ts';
import { usersShape } from './users.ts';

/** The keys of each section, and `rules`, which is a key of its own. */
export const keys = {
  daemon,
  approvals,
  ledger,
  snapshots,
  fetch,
  detect,
  auditor,
  egress,
  guidelines,
  judge,
  sandbox,
  run,
  telemetry,
  write,
  changes,
  packages,
  policy,
  agent,
  workspace,
  host,
  rules,
};

/** The shape of the whole file. */
export const fileShape = object({
  daemon: describe('The daemon that hooks and clients talk to.', optional(object(daemon))),
  store: describe(
    'Where records live: "sqlite", a file in the home, or postgres://user:password@host/database.',
    optional(
      text({
        max: 2048,
        pattern: /^(?:sqlite|postgres(?:ql)?:\/\/.+)$/,
        what: '"sqlite" or a postgres:// address',
      }),
    ),
  ),
  approvals: describe('Questions that wait for a person.', optional(object(approvals))),
  ledger: describe('The records and how they are kept.', optional(object(ledger))),
  snapshots: describe(
    'What files were before changes, and how long that is kept.',
    optional(object(snapshots)),
  ),
  hooks: describe(
    'Programs of your own that are asked at a moment of a session, in this order.',
    optional(list(hook, { max: 50 })),
  ),
  hosts: describe(
    'Agent hosts that Sallyport is installed in, by name.',
    optional(checked(record(object(host)), checkHostNames)),
  ),
  llm: describe(
    'Providers of models that the proxy sends requests to. `openai` and `anthropic` are there without a word.',
    optional(llmShape),
  ),
  fetch: describe('Requests to the network.', optional(object(fetch))),
  detect: describe('What texts are searched for.', optional(object(detect))),
  auditor: describe('What the static auditor knows of your agents.', optional(object(auditor))),
  egress: describe('What leaves: to a browser, to a model, into our records.', optional(object(egress))),
  guidelines: describe('What no response of a model may do.', optional(object(guidelines))),
  judge: describe(
    'A model that judges responses by the guidelines, beside the rules.',
    optional(judgeSection),
  ),
  sandbox: describe('How commands are run.', optional(object(sandbox))),
  run: describe('Tasks that `sallyport run` works on.', optional(object(run))),
  telemetry: describe('What a tracer of yours is told of the work.', optional(object(telemetry))),
  write: describe('Files that agents change.', optional(object(write))),
  changes: describe('Changes that agents propose.', optional(object(changes))),
  packages: describe('Packages that agents add to manifests.', optional(object(packages))),
  rules,
  policy: describe('Policies in Cedar over the whole decision.', optional(object(policy))),
  agents: describe(
    'What each agent may do; "default" speaks for every agent, key by key, unless its own section has the key.',
    optional(checked(record(object(agent)), checkAgentNames)),
  ),
  tools: describe('Tools of your own.', optional(checked(toolsShape, checkTools))),
  code_mode: describe(
    'What sources allow of queries, unless their own section says otherwise.',
    optional(codeModeShape),
  ),
  sources: describe('Where queries may go, by name.', optional(sourcesShape)),
  servers: describe('MCP servers that calls are handed on to, by name.', optional(serversShape)),
  users: describe('People who come in to the console by a name and a passphrase.', optional(usersShape)),
  workspaces: describe(
    'What is added in a workspace, by its absolute real path.',
    optional(checked(record(object(workspace)), checkWorkspacePaths)),
  ),
});

/** What a file says, as it was read. */
export type ConfigFile = Infer<typeof fileShape>;

/** Sections that speak for the whole machine: no workspace file may have them, trusted or not. */
const machineSections: readonly (keyof ConfigFile)[] = [
  ...([
    'daemon',
    'store',
    'approvals',
    'ledger',
    'snapshots',
    'hooks',
    'hosts',
    'llm',
    'judge',
    'detect',
    'auditor',
    'sandbox',
    'run',
    'telemetry',
    'packages',
    'code_mode',
    'sources',
    'servers',
    'users',
  ] as const),
];

/** What a workspace file says and may not, given what it says by the shape of the file. */
export function workspaceProblems(file: ConfigFile, trusted: boolean): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (problem: Problem) => problems.push(problem);
  for (const name of machineSections) {
    if (file[name] !== undefined) {
      report({
        path: [name],
        message: `"${name}" belongs in your own file; a workspace file may not have it`,
      });
    }
  }
  if (trusted) return problems;
  for (const name of ['workspaces', 'tools'] as const) {
    if (file[name] !== undefined) {
      report({ path: [name], message: `"${name}" is refused here: ${untrustedHint}` });
    }
  }
  tighteningProblems(fetch, file.fetch ?? {}, ['fetch'], report);
  tighteningProblems(egress, file.egress ?? {}, ['egress'], report);
  tighteningProblems(guidelines, file.guidelines ?? {}, ['guidelines'], report);
  tighteningProblems(write, file.write ?? {}, ['write'], report);
  tighteningProblems(changes, file.changes ?? {}, ['changes'], report);
  if (file.rules !== undefined) tighteningProblems({ rules }, { rules: file.rules }, [], report);
  tighteningProblems(policy, file.policy ?? {}, ['policy'], report);
  for (const [name, section] of Object.entries(file.agents ?? {})) {
    tighteningProblems(agent, section, ['agents', name], report);
  }
  return problems;
}

const untrustedHint = 'a workspace file that is not trusted may only narrow what you allow';

function tighteningProblems(
  known: Readonly<Record<string, { readonly tighten: { readonly shape: Shape<unknown> } | null }>>,
  section: Readonly<Record<string, unknown>>,
  path: Path,
  report: (problem: Problem) => void,
): void {
  for (const name of Object.keys(section)) {
    const tighten = known[name]?.tighten ?? null;
    if (tighten !== null) tighten.shape.read(section[name], [...path, name], report);
    else report({ path: [...path, name], message: `"${name}" is refused here: ${untrustedHint}` });
  }
}

/** The JSON Schema of the file, for editors. */
export function configSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Sallyport configuration',
    description: 'sallyport.toml: what agents may do on this machine.',
    ...fileShape.schema(),
  };
}
