// Which tool a call is judged as: the registered one, or, on the hook of an agent host, what can be read of a tool or an
// argument that nobody has written down, together with the question whether it is known now.

import type { Settings } from '../../config/settings.ts';
import type {
  ActionOf,
  ArgumentSpec,
  Budget,
  Context,
  Finding,
  JsonObject,
  SchemaProblem,
  ToolEffect,
  ToolSpec,
} from '../../core/index.ts';
import { changesByName, effectByName, type Guess, guessIn } from './guess.ts';
import { isHostsOwn, lookUp, type Registered } from './registry.ts';
import { unknownArgumentFinding, unknownHostToolFinding } from './rules/hosts.ts';

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
