// The complete schema of sallyport.toml. Each key is declared once, in `sections/`, with its shape, its default, and
// how far a workspace file may change it: adding a key is adding one entry there.

import { isJsonObject, type JsonObject } from '../core/index.ts';
import {
  checked,
  describe,
  type Infer,
  list,
  object,
  type Path,
  type Problem,
  record,
  type Shape,
} from '../core/shape.ts';
import { isKey } from './key.ts';
import { llmShape } from './llm.ts';
import { programsShape } from './programs.ts';
import { agent, agentName, prompt, workspace, workspacePath } from './sections/agents.ts';
import {
  changes,
  dayBudget,
  egress,
  fetch,
  guidelines,
  policy,
  rules,
  runBudget,
  write,
} from './sections/guards.ts';
import {
  approvals,
  auditor,
  checkHostNames,
  daemon,
  detect,
  hook,
  host,
  judgeSection,
  ledger,
  notify,
  packages,
  place,
  proposals,
  run,
  sandbox,
  snapshots,
  telemetry,
  transactionalShell,
} from './sections/machine.ts';
import { serversShape, toolsShape } from './servers.ts';
import { codeModeShape, sourcesShape } from './sources.ts';
import { usersShape } from './users.ts';

/**
 * Which files may have a section: only the user's own, for machine-wide settings; also a trusted workspace file; or any
 * workspace file, as far as its keys may be narrowed.
 */
type Reach = 'own' | 'trusted' | 'any';

/** A part of the file. */
type Section<S> = S & { readonly optional: true; readonly reach: Reach };

function section<S extends Shape<unknown>>(reach: Reach, says: string, shape: S): Section<S> {
  return { ...describe(says, shape), optional: true, reach };
}

/** The shape of the whole file. */
export const fileShape = object({
  daemon: section('own', 'The daemon that hooks and clients talk to.', object(daemon)),
  store: { ...place.store, reach: 'own' as const },
  approvals: section('own', 'Questions that wait for a person.', object({ ...approvals, ...proposals })),
  notify: section('own', 'Notifications of waiting questions.', object(notify)),
  ledger: section('own', 'The records and how they are kept.', object(ledger)),
  snapshots: section('own', 'Snapshots for undo.', object(snapshots)),
  hooks: section('own', 'Your own programs, asked in this order.', list(hook, { max: 50 })),
  hosts: section(
    'own',
    'Agent hosts that Sallyport is installed in, by name.',
    checked(record(object(host)), checkHostNames),
  ),
  llm: section(
    'own',
    'Model providers of the proxy. `openai`, `anthropic` and `gemini` are built in.',
    llmShape,
  ),
  fetch: section('any', 'Requests to the network.', object(fetch)),
  detect: section('own', 'Detection in texts.', object(detect)),
  auditor: section('own', 'The static auditor.', object(auditor)),
  egress: section(
    'any',
    'Redaction of texts that leave: to a browser, a model, the records.',
    object(egress),
  ),
  guidelines: section('any', 'Guidelines for model responses.', object(guidelines)),
  judge: section(
    'own',
    'A model that judges responses by the guidelines, in addition to the rules.',
    judgeSection,
  ),
  sandbox: section('own', 'How commands are run.', object(sandbox)),
  shell: section('own', 'The transactional shell.', object(transactionalShell)),
  run: section('own', 'Defaults of `sallyport run`.', object(run)),
  telemetry: section('own', 'OpenTelemetry.', object(telemetry)),
  write: section('any', 'Files that agents change.', object(write)),
  changes: section('any', 'Changes that agents propose.', object({ ...changes, ...runBudget, ...dayBudget })),
  packages: section('own', 'Packages that agents add to manifests.', object(packages)),
  rules: { ...rules, reach: 'any' as const },
  policy: section('any', 'Policies in Cedar over the whole decision.', object(policy)),
  agents: section(
    'any',
    'Settings of each agent; "default" applies to every agent, key by key.',
    record(object({ ...agent, ...prompt }), agentName),
  ),
  programs: section('trusted', 'Your own program cards.', programsShape),
  tools: section('trusted', 'Tools of your own.', toolsShape),
  code_mode: section('own', 'Limits of queries, unless a source has its own.', codeModeShape),
  sources: section('own', 'Where queries may go, by name.', sourcesShape),
  servers: section('own', 'MCP servers that calls are handed on to, by name.', serversShape),
  users: section('own', 'People who come in to the console by a name and a passphrase.', usersShape),
  workspaces: section(
    'trusted',
    'What is added in a workspace, by its absolute real path.',
    record(object(workspace), workspacePath),
  ),
} satisfies Record<string, Section<Shape<unknown>>>);

/** The tables that have a key, as a file writes them: a table of names is listed with NAME. */
export function tablesWith(key: string): readonly string[] {
  const parts: Readonly<Record<string, Shape<unknown>>> = fileShape.fields;
  return Object.entries(parts).flatMap(([table, part]) => {
    if (hasKey(part, key)) return [`[${table}]`];
    return 'item' in part && hasKey(part.item, key) ? [`[${table}.NAME]`] : [];
  });
}

function hasKey(shape: unknown, key: string): boolean {
  const fields = typeof shape === 'object' && shape !== null && 'fields' in shape ? shape.fields : null;
  return typeof fields === 'object' && fields !== null && Object.hasOwn(fields, key);
}

/** The content of a file, as it was read. */
export type ConfigFile = Infer<typeof fileShape>;

/** The settings of a workspace file that are not permitted, given its content by the shape of the file. */
export function workspaceProblems(file: ConfigFile, trusted: boolean): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (problem: Problem) => problems.push(problem);
  for (const [name, value] of Object.entries(file)) {
    const part = partNamed(name);
    if (part?.reach === 'own') {
      const message = `"${name}" belongs in your own file; a workspace file may not have it`;
      report({ path: [name], message });
    } else if (!trusted) checkNarrowing(part?.reach === 'any' ? part : undefined, value, [name], report);
  }
  return problems;
}

/** Reports what a file that is not trusted may not say; a table may have those of its keys that can be narrowed. */
function checkNarrowing(
  shape: Shape<unknown> | undefined,
  value: unknown,
  path: Path,
  report: (problem: Problem) => void,
): void {
  if (shape !== undefined && isKey(shape)) {
    if (shape.tighten !== null) return void shape.tighten.shape.read(value, path, report);
  } else if (isJsonObject(value) && (shape?.fields ?? shape?.item) !== undefined) {
    for (const [name, inner] of Object.entries(value)) {
      checkNarrowing(shape?.item ?? shape?.fields?.[name], inner, [...path, name], report);
    }
    return;
  }
  const message = 'a workspace file that is not trusted may only narrow what you allow';
  report({ path, message: `"${path.at(-1)}" is refused here: ${message}` });
}

/** A part of the file by its name. */
export function partNamed(name: string): Section<Shape<unknown>> | undefined {
  const parts: Readonly<Record<string, Section<Shape<unknown>>>> = fileShape.fields;
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
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
