// The tools of a run: what the model sees of them, which tool a call means, and how a cleared call of our own is
// carried out.

import type { Settings } from '../config/index.ts';
import {
  type ActionOf,
  type JsonObject,
  type JsonValue,
  type Kind,
  SallyportError,
  type Verdict,
  type World,
} from '../core/index.ts';
import { type AnyCleared, type Cleared, type Decided, splitCleared, takeClearance } from '../decide/index.ts';
import { toolsOfHost } from '../guards/tool/registry.ts';
import {
  applyCleared,
  asItWouldRun,
  type CommandKind,
  type CommandOptions,
  type ReceiptOptions,
  runCommand,
  toolOutput,
  warningsIn,
} from '../run/index.ts';
import type { OfferedTool } from '../run/mcp/calls.ts';
import type { Offer } from './model.ts';

/** Our own tools, as the registry knows their host. */
export const ownServer = 'host:sallyport';

const sandboxed =
  'in a sandbox: the workspace is writable, there is no network, nothing is on standard input.';

const descriptions: Readonly<Record<string, string>> = {
  bash: `Runs a command in bash, ${sandboxed} Give the reason for anything that cannot be undone.`,
  runpy: `Runs a Python program, ${sandboxed}`,
  read_file: 'Reads a text file of the workspace; offset is the first line and limit how many of them.',
  write_file: 'Writes a whole text file of the workspace, by its path from there.',
  edit_file: 'Replaces a text that stands exactly once in a file of the workspace.',
  delete_file: 'Deletes a file of the workspace.',
};

/** What carrying out calls of our own tools stands on. */
export interface ToolParts {
  readonly settings: Settings;
  readonly world: World;
  readonly home: string;
  /** For the receipts of files that are written. */
  readonly receipts: () => Omit<ReceiptOptions, 'context'>;
  readonly sandboxPrograms?: readonly string[];
}

/** How one call is carried out. */
export interface Carrying {
  readonly signal: AbortSignal;
  /** Judges what a call turns out to be, and waits where an approval is needed. */
  readonly decide: (action: ActionOf<CommandKind>) => Promise<Decided<CommandKind>>;
}

/** The tools that a model may call. */
export interface Toolbox {
  readonly offers: readonly Offer[];
  /** The tool and its server, if it has one, that a name stands for; one that was not offered is none of any registry. */
  placeOf(name: string): { readonly tool: string; readonly server?: string };
}

/** Our own tools, and those of servers by the names that they are offered by. */
export function toolboxOf(offered: readonly OfferedTool[]): Toolbox {
  const own = toolsOfHost('sallyport').map(
    ({ name, shape }): Offer => ({
      name,
      description: descriptions[name] ?? '',
      inputSchema: shape.schema(),
    }),
  );
  const places = new Map(offered.map(({ exposed, name, server }) => [exposed, { tool: name, server }]));
  const theirs = offered.map(
    ({ exposed, description, inputSchema }): Offer => ({ name: exposed, description, inputSchema }),
  );
  return {
    offers: [...own, ...theirs],
    placeOf: (name) => places.get(name) ?? { tool: name, server: ownServer },
  };
}

/** Carries a call of one of our own tools out, by the one part that it is. */
export async function runOwnTool(
  cleared: Cleared<'tool'>,
  verdict: Verdict,
  parts: ToolParts,
  carrying: Carrying,
): Promise<JsonValue> {
  const { tool, arguments: given = {} } = cleared.action;
  const [part, second] = splitCleared(cleared);
  if (part === undefined || second !== undefined) {
    throw new SallyportError(`a call of ${tool} is not one thing to do`);
  }
  if (isOf(part, 'shell') || isOf(part, 'python')) return await runCommandPart(part, given, parts, carrying);
  if (isOf(part, 'write')) {
    const { snapshot } = await applyCleared(part, verdict, parts.receipts());
    const warnings = warningsIn(verdict.findings);
    return {
      changed: snapshot.steps.map(({ path }) => path),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  }
  if (isOf(part, 'read')) return readPart(part, given, parts.world);
  throw new SallyportError(`nothing here can carry out a ${part.action.kind}`);
}

function isOf<K extends Kind>(
  cleared: AnyCleared,
  kind: K,
): cleared is Extract<AnyCleared, { readonly action: { readonly kind: K } }> {
  return cleared.action.kind === kind;
}

async function runCommandPart(
  part: Cleared<CommandKind>,
  { timeout_ms: timeoutMs }: JsonObject,
  parts: ToolParts,
  { signal, decide }: Carrying,
): Promise<JsonValue> {
  const { settings, world, home, sandboxPrograms } = parts;
  const options: CommandOptions = {
    settings,
    world,
    home,
    signal,
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
    ...(sandboxPrograms === undefined ? {} : { sandboxPrograms }),
  };
  // Without a sandbox it is another action, with an approval of its own.
  const action = await asItWouldRun(part.action, settings, sandboxPrograms);
  if (action.sandbox === undefined) return { ...toolOutput(await runCommand(part, options)) };
  takeClearance(part);
  const { verdict, cleared } = await decide(action);
  if (cleared === null) throw new SallyportError(verdict.explanation);
  return { ...toolOutput(await runCommand(cleared, options)) };
}

function readPart(part: Cleared<'read'>, { offset = 1, limit }: JsonObject, world: World): JsonValue {
  takeClearance(part);
  const { path } = part.action;
  const text = world.readText(path.startsWith('/') ? path : `${part.context.workspace}/${path}`);
  if (text === null) throw new SallyportError(`there is no file ${path}`);
  if (offset === 1 && limit === undefined) return text;
  const first = Number(offset) - 1;
  const lines = text.split('\n');
  return lines.slice(first, limit === undefined ? undefined : first + Number(limit)).join('\n');
}
