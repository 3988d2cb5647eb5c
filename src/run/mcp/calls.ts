// Calls of MCP servers on the one request path: a server's descriptions of its tools are judged before a model reads
// them, a call is judged by the same definition, and a result is judged before it is passed on.

import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '@modelcontextprotocol/client';
import type { Config, Settings } from '../../config/index.ts';
import {
  type ActionOf,
  attempt,
  type Context,
  isJsonObject,
  isPending,
  type JsonObject,
  type MaybePromise,
  messageOf,
  SallyportError,
  type ToolSpec,
  type Verdict,
  type World,
  whenReady,
} from '../../core/index.ts';
import { takeClearance } from '../../decide/cleared.ts';
import { egressIn } from '../../decide/egress.ts';
import type { Cleared, Decider } from '../../decide/index.ts';
import { mcpTool } from '../../guards/tool/mcp.ts';
import type { Ledger } from '../../ledger/index.ts';
import { definitionProblem } from '../definition.ts';
import { type JudgedOutput, judgeOutput } from '../output.ts';
import { NotLoggedIn, UpstreamFailed } from './errors.ts';
import {
  answerSend,
  type CallOptions,
  completion,
  promptGet,
  resourceRead,
  type Upstreams,
} from './index.ts';
import { exposed, textsIn, uniquely } from './names.ts';
import { poisonIn, telling } from './poison.ts';
import { judgedProgress } from './progress.ts';
import { type Answered, type Asked, questionOf } from './questions.ts';
import { isAllowed, type UpstreamTool } from './tools.ts';

export interface McpCallsOptions {
  readonly config: Pick<Config, 'settingsFor'> & Partial<Pick<Config, 'hooks'>>;
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly world: World;
  readonly upstreams: Upstreams;
  /** Servers that the program itself provides, so that the user need not review the descriptions of their tools. */
  readonly ownServers?: readonly string[];
  /** Reports omitted members, and servers that could not be reached. */
  readonly onProblem?: (server: string, problem: string) => void;
}

/** A tool as a model may see it, under a unique name. */
export interface OfferedTool extends UpstreamTool {
  readonly exposed: string;
}

/** What a caller may learn about an unreachable server. */
export interface NotReached {
  readonly unreachable: string;
}

/** How long lists are awaited, and the callback for a non-empty one that arrives later. */
export interface Patience {
  readonly ms: number;
  readonly late: () => void;
}

const unreachable = 'the server of this tool cannot be reached now; the log of the daemon says why';

/** The outcome of a call: a verdict that stopped it, or its result. */
export type Called =
  | { readonly verdict: Verdict; readonly output: null }
  | { readonly verdict: Verdict; readonly output: JudgedOutput };

/** The offered members of a list, under settings. */
interface Offer {
  readonly from: readonly UpstreamTool[];
  /** All lists, with the time when they were read. */
  readonly generation: number;
  tools: MaybePromise<readonly OfferedTool[]>;
}

/** The server of unknown names; no server can have this name. */
const nobody = '(none)';

/** Cached judgements of definitions. */
const mostJudged = 10_000;

export class McpCalls {
  readonly #options: McpCallsOptions;
  readonly #decider: Decider;
  readonly #config: McpCallsOptions['config'];
  /** The registry's facts about each server, as it was last listed. */
  readonly #listed = new Map<string, readonly UpstreamTool[]>();
  readonly #settings = new WeakMap<Settings, { readonly from: number; readonly settings: Settings }>();
  readonly #offers = new WeakMap<Settings, Map<string, Offer>>();
  readonly #safe = new Map<string, Promise<boolean>>();
  #generation = 0;

  constructor(options: McpCallsOptions) {
    const { config, decider } = options;
    this.#options = options;
    this.#config = {
      ...config,
      settingsFor: (where) => whenReady(config.settingsFor(where), (found) => this.#with(found)),
    };
    this.#decider = decider.under({ settings: (settings) => this.#with(settings) });
  }

  /** Judges with the servers' listings in the registry. */
  get decider(): Decider {
    return this.#decider;
  }

  /** The tools that an agent may see, now or a moment ago. */
  async tools(
    context: Context,
    { fresh = true, patience }: { readonly fresh?: boolean; readonly patience?: Patience } = {},
  ): Promise<readonly OfferedTool[]> {
    const before = this.#generation;
    const lists = await this.each(context, (server) => this.#offered(server, context, fresh), patience);
    if (this.#generation === before) return lists.flat();
    // A server's statements about the tools of another are known once both are listed.
    const there = new Set(lists.flat().map(({ server }) => server));
    return (
      await this.each(context, (server) => (there.has(server) ? this.#offered(server, context) : []))
    ).flat();
  }

  /** The tools of one server that may be shown, with the registry's view of each. */
  async offered(
    server: string,
    context: Context,
  ): Promise<readonly { readonly tool: OfferedTool; readonly spec: ToolSpec }[]> {
    const tools = await this.#offered(server, context);
    const { tools: own } = await this.#options.config.settingsFor(context);
    return tools.map((tool) => ({ tool, spec: this.#specOf(this.#asListed(tool), own) }));
  }

  /** A tool as its server lists it: a description of the user's own is not part of its definition. */
  #asListed(tool: OfferedTool): UpstreamTool {
    return this.#listed.get(tool.server)?.find(({ name }) => name === tool.name) ?? tool;
  }

  /** The members that each server of an agent offers; an unreachable one offers none, and is reported. */
  async each<T>(
    context: Context,
    load: (server: string) => MaybePromise<readonly T[]>,
    patience?: Patience,
  ): Promise<(readonly T[])[]> {
    const { upstreams, onProblem } = this.#options;
    const lists = upstreams.serversFor(context.agent).map((server) =>
      attempt(
        () => load(server),
        (error): readonly T[] => {
          onProblem?.(server, messageOf(error));
          return [];
        },
      ),
    );
    return await (patience === undefined ? Promise.all(lists) : thoseInTime(lists, patience));
  }

  /** The tool behind an offered name; if its server is unreachable, and so the tool unknown, the message about that. */
  find(name: string, context: Context): MaybePromise<OfferedTool | NotReached | undefined> {
    const { upstreams, onProblem } = this.#options;
    const server = name.split('__')[0] ?? '';
    if (!upstreams.serversFor(context.agent).includes(server)) return undefined;
    return attempt(
      () => whenReady(this.#offered(server, context), (tools) => tools.find((tool) => tool.exposed === name)),
      (error) => {
        onProblem?.(server, messageOf(error));
        // INVARIANT: a server's error message was not judged, so no model reads it.
        return { unreachable: error instanceof NotLoggedIn ? error.message : unreachable };
      },
    );
  }

  /**
   * Judges a call; if allowed, runs it, and judges its result. Questions of the server meanwhile are passed to `ask`.
   */
  call(
    { server, name }: Pick<UpstreamTool, 'server' | 'name'>,
    given: JsonObject,
    context: Context,
    { ask, onProgress, ...others }: CallOptions,
  ): Promise<Called> {
    const progress =
      onProgress === undefined
        ? undefined
        : judgedProgress(onProgress, (text) => this.#shownWords(server, name, text, context));
    const options = {
      ...others,
      ...(progress === undefined ? {} : { onProgress: progress.onProgress }),
      ...(ask === undefined ? {} : { ask: (asked: Asked) => this.#put(server, name, asked, context, ask) }),
    };
    return this.#run({ kind: 'tool', tool: name, server, arguments: given }, context, async (cleared) => {
      try {
        return outputOf(await this.#options.upstreams.call(cleared, options));
      } finally {
        await progress?.settled();
      }
    });
  }

  /** The part of a server's text during a call that may be shown; empty for a text with instructions. */
  async #shownWords(
    server: string,
    tool: string,
    text: string,
    context: Context,
  ): Promise<string | undefined> {
    const { ledger, world } = this.#options;
    const { settingsFor } = this.#config;
    const parts = { config: { settingsFor }, decider: this.#decider, ledger, world };
    const folders = this.#foldersOf(server);
    const judged = await judgeOutput(parts, { tool, server, arguments: {}, output: text, folders }, context);
    const isShown = judged.does === 'pass' && judged.note === undefined;
    return isShown && typeof judged.output === 'string' ? judged.output : undefined;
  }

  #foldersOf(server: string | undefined): readonly string[] {
    return server === undefined ? [] : (this.#options.upstreams.folders?.(server) ?? []);
  }

  /** Asks the user a server's question, if allowed, and returns the answer, if that may be disclosed. */
  async #put(
    server: string,
    tool: string,
    asked: Asked,
    context: Context,
    ask: (asked: Asked) => Promise<Answered>,
  ): Promise<Answered> {
    const refuse = (problem: string): Answered => {
      this.#options.onProblem?.(server, `what "${tool}" asks is not put to a person: ${problem}`);
      return { action: 'decline' };
    };
    const question = questionOf(server, asked);
    if (typeof question === 'string') return refuse(question);
    const problem = await this.#problemOf(`${server}/${tool}`, question.text, context);
    if (problem !== undefined) return refuse(problem);
    const answer = await ask(question.params);
    if (answer.action !== 'accept' || answer.content === undefined) return answer;
    // INVARIANT: an answer of a form is JSON.
    const content = answer.content as JsonObject;
    const egress = await egressIn(await this.#config.settingsFor(context), this.#options.world, context);
    const { redactions } = await egress.value(content);
    if (Object.keys(redactions).length > 0) return refuse('the answer holds something secret');
    const action = { kind: 'tool', tool: answerSend, server, arguments: content } as const;
    const { verdict, cleared } = await this.#decider.decide(action, context);
    if (cleared === null) return refuse(verdict.explanation);
    takeClearance(cleared);
    return { action: 'accept', content: cleared.action.arguments as NonNullable<Answered['content']> };
  }

  /** A call of an unknown name; it is judged and recorded like any other. */
  async unknown(name: string, given: JsonObject, context: Context): Promise<Verdict> {
    const action: ActionOf<'tool'> = {
      kind: 'tool',
      tool: name.slice(0, 256),
      server: nobody,
      arguments: given,
    };
    return (await this.#decider.decide(action, context)).verdict;
  }

  async readResource(server: string, uri: string, context: Context, signal: AbortSignal): Promise<Called> {
    return await this.#run(
      { kind: 'tool', tool: resourceRead, server, arguments: { uri } },
      context,
      (cleared) => this.#options.upstreams.readResource(cleared, { signal }).then(outputOf),
    );
  }

  async getPrompt(
    server: string,
    name: string,
    given: JsonObject,
    context: Context,
    signal: AbortSignal,
  ): Promise<Called> {
    return await this.#run(
      { kind: 'tool', tool: promptGet, server, arguments: { name, arguments: given } },
      context,
      (cleared) => this.#options.upstreams.getPrompt(cleared, { signal }).then(outputOf),
    );
  }

  /** A server's suggestions for an argument of a prompt or of an address. */
  async complete(
    server: string,
    ref: { readonly name: string } | { readonly uri: string },
    argument: { readonly name: string; readonly value: string },
    context: Context,
    signal: AbortSignal,
  ): Promise<Called> {
    const given = { ref: { ...ref }, argument: { ...argument } };
    return await this.#run(
      { kind: 'tool', tool: completion, server, arguments: given },
      context,
      async (cleared) => {
        const result = await this.#options.upstreams.complete?.(cleared, { signal });
        return result === undefined ? { completion: { values: [] } } : outputOf(result);
      },
    );
  }

  /** The members of a list whose texts may be shown to a model; omitted ones are reported. */
  async shown<T extends object>(
    server: string,
    members: readonly T[],
    nameOf: (member: T) => string,
    context: Context,
  ): Promise<readonly T[]> {
    const kept = await Promise.all(
      members.map(async (member) =>
        (await this.#isSafe(server, nameOf(member), member, context)) ? [member] : [],
      ),
    );
    return kept.flat();
  }

  async #run(
    action: ActionOf<'tool'>,
    context: Context,
    execute: (cleared: Cleared<'tool'>) => Promise<JsonObject>,
  ): Promise<Called> {
    const { verdict, cleared } = await this.#decider.decide(action, context);
    if (cleared === null) return { verdict, output: null };
    const output = await execute(cleared).catch((error: unknown): JsonObject => {
      if (!(error instanceof SallyportError)) throw error;
      // An error may contain the server's own words, which are judged like any others.
      const code = error instanceof UpstreamFailed && error.code !== undefined ? { code: error.code } : {};
      return { isError: true, content: [{ type: 'text', text: messageOf(error) }], ...code };
    });
    const { ledger, world } = this.#options;
    const parts = { config: this.#config, decider: this.#decider, ledger, world };
    const { tool, server, arguments: given = {} } = cleared.action;
    const folders = this.#foldersOf(server);
    const call = { tool, server, arguments: given, output, folders };
    return { verdict, output: await judgeOutput(parts, call, context) };
  }

  #offered(server: string, context: Context, fresh = false): MaybePromise<readonly OfferedTool[]> {
    return whenReady(this.#options.upstreams.tools(server, { fresh }), (tools) => {
      if (this.#listed.get(server) !== tools) {
        this.#listed.set(server, tools);
        this.#generation++;
      }
      return whenReady(this.#config.settingsFor(context), (settings) =>
        this.#offeredUnder(settings, server, tools, context),
      );
    });
  }

  /** The tools of a list that may be shown under some settings. */
  #offeredUnder(
    settings: Settings,
    server: string,
    tools: readonly UpstreamTool[],
    context: Context,
  ): Offer['tools'] {
    const { onProblem } = this.#options;
    const offers = this.#offers.get(settings) ?? new Map<string, Offer>();
    this.#offers.set(settings, offers);
    const known = offers.get(server);
    const generation = this.#generation;
    if (known?.from === tools && known.generation === generation) return known.tools;
    const shown = tools.map((tool) => {
      const spec = settings.tools.find((one) => one.server === server && one.name === tool.name);
      const description = spec?.description ?? tool.description;
      return { ...tool, description, exposed: exposed(server, tool.name) };
    });
    const distinct = uniquely(shown, (problem) => onProblem?.(server, problem));
    const offered = this.shown(server, distinct, ({ name }) => name, context);
    const offer: Offer = { from: tools, generation, tools: offered };
    offers.set(server, offer);
    offered.then(
      (list) => {
        offer.tools = list;
      },
      // Settings that could not be read may exist the next time.
      () => offers.delete(server),
    );
    return offered;
  }

  /** Whether no text in a definition tries to instruct the model or to hide from its reader; judged once. */
  async #isSafe(server: string, name: string, definition: object, context: Context): Promise<boolean> {
    const { version } = await this.#config.settingsFor(context);
    const texts = textsIn(definition);
    const text = texts?.join('\n');
    // Deeper nesting than any reader handles is not read here either.
    if (texts === undefined || text === undefined) return false;
    const poison = poisonIn(definition, texts, () => this.#others(server));
    if (poison !== undefined) {
      this.#options.onProblem?.(server, `what it says about "${name}" is not shown to models: ${poison}`);
      return false;
    }
    const key = hash('sha256', JSON.stringify([version, server, name, text]));
    let known = this.#safe.get(key);
    if (known === undefined) {
      known = this.#judge(server, name, text, context);
      this.#safe.set(key, known);
      const [oldest] = this.#safe.keys();
      if (this.#safe.size > mostJudged && oldest !== undefined) this.#safe.delete(oldest);
    }
    return await known;
  }

  /** The tools of other servers, by names that are unambiguous. */
  #others(server: string): ReadonlySet<string> {
    const own = new Set((this.#listed.get(server) ?? []).map(({ name }) => name.toLowerCase()));
    const names = [...this.#listed].flatMap(([other, tools]) =>
      other === server ? [] : tools.flatMap(({ name }) => telling(other, name)),
    );
    return new Set(names.filter((name) => !own.has(name)));
  }

  async #judge(server: string, name: string, text: string, context: Context): Promise<boolean> {
    const problem = await this.#problemOf(`${server}/${name}`, text, context);
    if (problem === undefined) return true;
    this.#options.onProblem?.(server, `what it says about "${name}" is not shown to models: ${problem}`);
    return false;
  }

  /** The reason why a text of a server is not shown unchanged. */
  async #problemOf(name: string, text: string, context: Context): Promise<string | undefined> {
    const action = { kind: 'prompt', text, origin: 'tool', name } as const;
    const { verdict } = await this.#decider.decide(action, context);
    return definitionProblem(verdict);
  }

  /**
   * The settings with the servers' listings. INVARIANT: an approval is bound to a definition by the question about it.
   */
  #with(settings: Settings): Settings {
    const from = this.#generation;
    const known = this.#settings.get(settings);
    if (known?.from === from) return known.settings;
    const tools = this.#options.upstreams.servers.flatMap((server) => [
      ...(this.#listed.get(server) ?? []).map((tool) => this.#specOf(tool, settings.tools)),
      { name: resourceRead, server, effect: 'read', arguments: { '/uri': { role: 'text' } } } as const,
      { name: promptGet, server, effect: 'read', arguments: { '/**': { role: 'text' } } } as const,
      { name: completion, server, effect: 'read', arguments: { '/**': { role: 'text' } } } as const,
      { name: answerSend, server, effect: 'read', arguments: { '/**': { role: 'text' } } } as const,
    ]);
    const merged = { ...settings, tools: [...tools, ...settings.tools] };
    this.#settings.set(settings, { from, settings: merged });
    return merged;
  }

  /**
   * A tool in the registry; the user's settings for it take precedence, and a change of the definition is still
   * detected.
   */
  #specOf(tool: UpstreamTool, own: readonly ToolSpec[]): ToolSpec {
    const { definition, ...registered } = mcpTool(tool.server, tool, (text) => hash('sha256', text));
    const users = own.find(({ server, name }) => server === tool.server && isAllowed(tool.name, [name]));
    const ours = this.#options.ownServers?.includes(tool.server) === true;
    const seen = ours || definition === undefined ? {} : { definition };
    return { ...registered, ...seen, ...users, name: tool.name };
  }
}

/** The lists that arrive in time; the client is notified of the others when they arrive. */
async function thoseInTime<T>(
  lists: readonly MaybePromise<readonly T[]>[],
  { ms, late }: Patience,
): Promise<(readonly T[])[]> {
  const timer = new AbortController();
  const over = pause(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  const found = await Promise.all(
    lists.map(async (list) => {
      if (!isPending(list)) return list;
      const first = await Promise.race([list, over]);
      if (first !== undefined) return first;
      void list.then((members) => {
        if (members.length > 0) late();
      });
      return [];
    }),
  );
  timer.abort();
  return found;
}

/** An answer as JSON, without the members that only concern the protocol between us and the server. */
function outputOf(
  result: CallToolResult | ReadResourceResult | GetPromptResult | CompleteResult,
): JsonObject {
  // INVARIANT: a message was parsed from JSON, and so was every part of it.
  const { _meta: meta, ...output } = result as JsonObject;
  const forwarded = isJsonObject(meta)
    ? Object.entries(meta).filter(
        ([key]) => !key.startsWith('io.modelcontextprotocol/') && key !== 'progressToken',
      )
    : [];
  return forwarded.length === 0 ? output : { ...output, _meta: Object.fromEntries(forwarded) };
}
