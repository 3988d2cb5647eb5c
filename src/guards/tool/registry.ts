// The registry: which tool a call means, and whether its arguments fit the shape of a host's tool.

import type { Settings } from '../../config/settings.ts';
import {
  type ActionOf,
  type ArgumentSpec,
  type Budget,
  type Context,
  type Finding,
  type JsonObject,
  jsonPointer,
  type SchemaProblem,
  type ToolEffect,
  type ToolSpec,
} from '../../core/index.ts';
import type { Problem } from '../../core/shape.ts';
import { changesByName, effectByName, type Guess, guessIn } from './guess.ts';
import { captured } from './hosts/captured.ts';
import { claudeTools } from './hosts/claude.ts';
import { codexTools } from './hosts/codex.ts';
import { copilotTools } from './hosts/copilot.ts';
import { cursorTools } from './hosts/cursor.ts';
import { geminiTools } from './hosts/gemini.ts';
import type { HostTool } from './hosts/host.ts';
import { kiloTools, opencodeTools } from './hosts/opencode.ts';
import { qwenTools } from './hosts/qwen.ts';
import { sallyportTools } from './hosts/sallyport.ts';
import { unknownArgumentFinding, unknownHostToolFinding } from './rules/hosts.ts';

// ── All tools that come registered: one list for each host.

/** Made with the first call of a tool: a command that judges none starts sooner without. */
let made: ReadonlyMap<string, readonly HostTool[]> | undefined;

function byName(): ReadonlyMap<string, readonly HostTool[]> {
  made ??= Map.groupBy(
    [
      ...claudeTools(),
      ...codexTools(),
      ...geminiTools(),
      ...cursorTools(),
      ...copilotTools(),
      ...opencodeTools(),
      ...qwenTools(),
      ...kiloTools(),
      ...sallyportTools(),
    ],
    ({ name }) => name,
  );
  return made;
}

/** The tools of a name; several hosts, and several forms in one host, may have one. */
export function hostTools(name: string): readonly HostTool[] {
  return byName().get(name) ?? [];
}

/** The tools of one host, as a model sees them. */
export function toolsOfHost(host: string): readonly HostTool[] {
  return [...byName().values()].flat().filter((tool) => tool.host === host);
}

/** The names of all of them. */
export function hostToolNames(): readonly string[] {
  return [...byName().keys()];
}

/** The version of each host that its table was captured from by a real run; hosts without one are not among them. */
export function provenVersions(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(captured).map(([host, { version }]) => [host, version]));
}

// ── which tool a call means

/** The tool of a call, and what is wrong with its arguments as far as a shape tells. */
interface Registered {
  readonly tool: ToolSpec;
  readonly problem: SchemaProblem | null;
  /** The arguments of a host's tool that do not fit, or are missing. */
  readonly unfit: readonly string[];
}

/** `host:NAME` as the server says which host a call comes from. */
const hostPrefix = 'host:';

/** The host that a call comes from, and the MCP server that it goes to. */
function callerOf(server: string | undefined): {
  readonly host: string | undefined;
  readonly place: string | undefined;
} {
  const host = server?.startsWith(hostPrefix) ? server.slice(hostPrefix.length) : undefined;
  return { host, place: host === undefined ? server : undefined };
}

/** Finds the tool of a call; the user's own stand before those of the hosts. */
export function lookUp(
  { tool: name, server, arguments: given = {} }: ActionOf<'tool'>,
  { tools }: Pick<Settings, 'tools'>,
): Registered | undefined {
  const { host, place } = callerOf(server);
  const own = tools.find((tool) => tool.server === place && namesTool(tool.name, name));
  if (own !== undefined) return { tool: own, problem: null, unfit: [] };
  if (place !== undefined) return undefined;
  const forms = hostTools(name).filter((tool) => host === undefined || tool.host === host);
  return forms.length === 0 ? undefined : bestOf(forms, given);
}

function namesTool(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The form that the arguments fit; where they fit none, the one with the least wrong. */
function bestOf(forms: readonly HostTool[], given: JsonObject): Registered {
  const read = forms.map((tool) => ({ tool, problems: problemsOf(tool, given) }));
  const best = read.reduce((one, other) => (other.problems.length < one.problems.length ? other : one));
  const [first] = best.problems;
  const problem = first === undefined ? null : { pointer: jsonPointer(first.path), message: first.message };
  const unfit = best.problems.map(({ path, message }) => String(path[0] ?? message));
  return { tool: best.tool, problem, unfit: [...new Set(unfit)] };
}

function problemsOf({ shape }: HostTool, given: JsonObject): readonly Problem[] {
  const problems: Problem[] = [];
  shape.read(given, [], (problem) => problems.push(problem));
  return problems;
}

/** Names that the caller could call in the same place: tools of the same server, or of its own host. */
export function callableNames(
  { server }: Pick<ActionOf<'tool'>, 'server'>,
  { tools }: Pick<Settings, 'tools'>,
): readonly string[] {
  const { host, place } = callerOf(server);
  const own = tools.filter((tool) => tool.server === place && !tool.name.endsWith('*'));
  const ofHost = host === undefined ? [] : toolsOfHost(host);
  return [...own, ...ofHost].map(({ name }) => name);
}

/** Hosts that name tools of MCP servers as if they were their own, so that a new tool may be anybody's. */
const mixing: ReadonlySet<string> = new Set(['copilot', 'opencode', 'kilo']);

/** Whether a call that no registry knows is certainly of the host's own tools, and of no MCP server's. */
function isHostsOwn(server: string | undefined): boolean {
  const { host } = callerOf(server);
  return host !== undefined && !mixing.has(host);
}

// ── Which tool a call is judged as: the registered one, or, on the hook of an agent host, what can be read of a tool or an
// argument that nobody has written down, together with the question whether it is known now.

type ToolAction = ActionOf<'tool'>;

/** The tool of a call as it is judged. */
export interface Resolved {
  readonly tool: ToolSpec;
  /** Why the call cannot be judged as one of this tool. */
  readonly problem: SchemaProblem | null;
  /** Whether a registry has it. */
  readonly registered: boolean;
  /** What a person has to say before it counts as known. */
  readonly questions: readonly Finding[];
  /** Texts that are judged as commands as well. */
  readonly texts: Guess['texts'];
  /** The effect that the call has beside that of its parts, where it is not the tool's. */
  readonly effect: ToolEffect;
}

/** Finds the tool of a call; undefined if there is none and no approval can be asked for. */
export function resolve(
  action: ToolAction,
  { context, settings, budget }: { context: Context; settings: Pick<Settings, 'tools'>; budget: Budget },
): Resolved | undefined {
  const { host } = context;
  const found = lookUp(action, settings);
  if (found !== undefined && (found.problem === null || host === undefined)) {
    const { tool, problem } = found;
    return { tool, problem, registered: true, questions: [], texts: [], effect: tool.effect };
  }
  if (host === undefined) return undefined;
  // A call inside a call names no server: it is one of the same host.
  const server = action.server ?? `host:${host}`;
  if (found !== undefined) return withNewArguments(found, action, host, budget);
  return context.gateway === true ? ownGateway(action) : unknownTool({ ...action, server }, host, budget);
}

/** A call of Sallyport's own gateway, which judges it itself. */
function ownGateway({ tool: name, server }: ToolAction): Resolved {
  const tool: ToolSpec = {
    name,
    ...(server === undefined ? {} : { server }),
    effect: 'own',
    arguments: { '/**': { role: 'text' } },
  };
  return { tool, problem: null, registered: true, questions: [], texts: [], effect: 'own' };
}

function unknownTool(
  { tool: name, server, arguments: given = {} }: ToolAction & { readonly server: string },
  host: string,
  budget: Budget,
): Resolved {
  const changes = changesByName(name);
  const guess = guessIn(given, changes, budget);
  const hasContent = Object.values(guess.roles).some(({ role }) => role === 'content');
  const isHosts = isHostsOwn(server);
  return {
    tool: {
      name,
      server,
      effect: changes && hasContent ? 'write' : 'own',
      arguments: withTexts(guess.roles),
    },
    problem: null,
    registered: false,
    questions: [unknownHostToolFinding({ host, server, name, given, complete: guess.complete })],
    texts: guess.texts,
    effect: guess.changesData ? 'database' : effectByName(name, isHosts),
  };
}

/** A host's tool with arguments that it was not known to have: judged by those that are known, and by all of the others. */
function withNewArguments(
  { tool, unfit }: Registered,
  { arguments: given = {} }: ToolAction,
  host: string,
  budget: Budget,
): Resolved {
  const others: JsonObject = Object.fromEntries(
    Object.entries(given).filter(([name]) => unfit.includes(name)),
  );
  const guess = guessIn(others, tool.effect === 'write', budget);
  return {
    // What was read in the new arguments stands before the rule that everything else is text.
    tool: { ...tool, arguments: { ...guess.roles, ...tool.arguments } },
    problem: null,
    registered: true,
    questions: [
      unknownArgumentFinding({ host, name: tool.name, given: others, unfit, complete: guess.complete }),
    ],
    texts: guess.texts,
    effect: guess.changesData ? 'database' : tool.effect,
  };
}

function withTexts(roles: Guess['roles']): Readonly<Record<string, ArgumentSpec>> {
  return { ...roles, '/**': { role: 'text' } };
}
