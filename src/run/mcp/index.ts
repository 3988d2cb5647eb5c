// The MCP servers of the configuration, as clients of them: their offers, and the cleared calls that are sent to them.

import { isAbsolute } from 'node:path';
import type {
  CallToolResult,
  Client,
  CompleteResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  RequestOptions,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/client';
import type { UpstreamServer } from '../../config/index.ts';
import { attempt, isPending, type MaybePromise, messageOf, spanned, visible } from '../../core/index.ts';
import { either, object, optional, readShape, record, text } from '../../core/shape.ts';
import { type Cleared, takeClearance } from '../../decide/cleared.ts';
import { type ChangedList, Connection, type ConnectionOptions, type Exchange } from './connection.ts';
import { BlockedByMcpPolicy, UpstreamFailed, UpstreamGone } from './errors.ts';
import { mostMembers, mostPages } from './limits.ts';
import { callBySdk, isAllowed, takeTools, type UpstreamTool } from './tools.ts';

export {
  BlockedByMcpPolicy,
  UpstreamAborted,
  UpstreamFailed,
  UpstreamGone,
  UpstreamTimedOut,
} from './errors.ts';
export type { UpstreamTool } from './tools.ts';

/** The tool names of reading a resource and getting a prompt in judgements: they are calls like those of tools. */
export const resourceRead = 'resources/read';
export const promptGet = 'prompts/get';
/** The tool name of requesting a server's completions. */
export const completion = 'completion/complete';
/** The tool name of sending a user's answer to a server. */
export const answerSend = 'elicitation/answer';

const resourceArguments = object({ uri: text({ min: 1, max: 8192 }) });
const promptArguments = object({
  name: text({ min: 1, max: 256 }),
  arguments: optional(record(text({ max: 65_536 }))),
});

const completionArguments = object({
  ref: either(object({ name: text({ min: 1, max: 256 }) }), object({ uri: text({ min: 1, max: 8192 }) })),
  argument: object({ name: text({ min: 1, max: 256 }), value: text({ max: 8192 }) }),
});

export interface UpstreamsOptions extends ConnectionOptions {
  readonly servers: readonly UpstreamServer[];
  /** Reports omitted members, and servers that could not be reached. */
  readonly onProblem?: (server: string, problem: string) => void;
}

/** Aborts a call, and asks the user the server's questions meanwhile; without a handler, the user is not asked. */
export type CallOptions = Exchange;

export interface Upstreams {
  /** The names of the servers. */
  readonly servers: readonly string[];
  /** The names of those that an agent may use. */
  serversFor(agent: string): readonly string[];
  /**
   * Allowed tools of one server, or of all, from a recent listing or, with `fresh`, a new one; an unreachable server
   * throws (one) or is omitted and reported (all).
   */
  tools(server?: string, options?: { readonly fresh?: boolean }): MaybePromise<readonly UpstreamTool[]>;
  /** Runs a cleared call; throws `BlockedByMcpPolicy`, and `Upstream…` errors. */
  call(cleared: Cleared<'tool'>, options: CallOptions): Promise<CallToolResult>;
  resources(server: string): Promise<readonly Resource[]>;
  resourceTemplates(server: string): Promise<readonly ResourceTemplateType[]>;
  prompts(server: string): Promise<readonly Prompt[]>;
  /** Runs a cleared call of `resourceRead`, whose argument is the `uri`. */
  readResource(cleared: Cleared<'tool'>, options: CallOptions): Promise<ReadResourceResult>;
  /** Runs a cleared call of `promptGet`, whose arguments are the `name` of the prompt and its `arguments`. */
  getPrompt(cleared: Cleared<'tool'>, options: CallOptions): Promise<GetPromptResult>;
  /** Runs a cleared call of `completion`, whose arguments are those of the protocol. */
  complete?(cleared: Cleared<'tool'>, options: CallOptions): Promise<CompleteResult>;
  /** The folders that the user named in the command of a server: its answers may contain them. */
  folders?(server: string): readonly string[];
  /** Notifies a listener of changed lists, until it is unsubscribed. */
  watch?(listener: (server: string, list: ChangedList) => void): () => void;
  /** Closes every connection and terminates every program. */
  close(): Promise<void>;
}

/** Opens the servers of the configuration; each is connected when it is first needed. */
export function openUpstreams(options: UpstreamsOptions): Upstreams {
  const onProblem = options.onProblem ?? (() => {});
  const listeners = new Set<(server: string, list: ChangedList) => void>();
  const changed = (server: string, list: ChangedList) => {
    for (const listener of listeners) listener(server, list);
  };
  const connections = new Map(
    options.servers.map((server) => [server.name, new Connection(server, { ...options, changed })]),
  );
  const names = [...connections.keys()];

  function connectionOf(server: string, tool = '*', agent?: string): Connection {
    const found = connections.get(server);
    if (found !== undefined && (agent === undefined || isFor(found.server, agent))) return found;
    const shown = visible(server, 80);
    throw new BlockedByMcpPolicy(shown, visible(tool, 80), `server '${shown}' not allowed`);
  }

  function toolsOf(connection: Connection, fresh = false): MaybePromise<readonly UpstreamTool[]> {
    const { name, tools: patterns } = connection.server;
    return connection.listed(
      'tools',
      async () => {
        const listed = await members(connection, 'tools', async (client, params, request) => {
          const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, request);
          return { members: tools, nextCursor };
        });
        return takeTools(name, listed, patterns, (problem) => onProblem(name, problem));
      },
      fresh,
    );
  }

  /** The connection for a cleared call. */
  function taken(cleared: Cleared<'tool'>): Connection {
    takeClearance(cleared);
    const { server = '', tool } = cleared.action;
    return connectionOf(server, tool, cleared.context.agent);
  }

  return {
    servers: names,
    serversFor: (agent) => names.filter((name) => isFor(connectionOf(name).server, agent)),
    tools(server, { fresh = false } = {}) {
      if (server !== undefined) return toolsOf(connectionOf(server), fresh);
      const lists = [...connections.values()].map((connection) =>
        attempt(
          () => toolsOf(connection, fresh),
          (error) => {
            onProblem(connection.server.name, messageOf(error));
            return [];
          },
        ),
      );
      return Promise.all(lists).then((all) => all.flat());
    },
    async call(cleared, exchange) {
      const connection = taken(cleared);
      const { tool, server = '', arguments: given = {} } = cleared.action;
      if (!isAllowed(tool, connection.server.tools)) {
        const shown = visible(tool, 80);
        throw new BlockedByMcpPolicy(server, shown, `tool '${shown}' not allowed`);
      }
      const listed = toolsOf(connection);
      const tools = isPending(listed) ? await listed : listed;
      const definition = tools.find(({ name }) => name === tool);
      if (definition === undefined) {
        throw new UpstreamFailed(`the MCP server "${server}" has no tool "${visible(tool, 80)}"`);
      }
      const about = { 'sallyport.decision_id': cleared.decisionId, 'sallyport.server': server };
      return await spanned(options.world.telemetry, 'sallyport.call', about, () =>
        connection.use(
          (client, request, plain) =>
            plain?.call(client, definition, given, request) ?? callBySdk(client, definition, given, request),
          exchange,
        ),
      );
    },
    async resources(server) {
      const connection = connectionOf(server);
      return await connection.listed('resources', () =>
        members(connection, 'resources', async (client, params, request) => {
          const page = await client.request({ method: 'resources/list', params }, request);
          return { members: page.resources, nextCursor: page.nextCursor };
        }),
      );
    },
    async resourceTemplates(server) {
      const connection = connectionOf(server);
      return await connection.listed('templates', () =>
        members(connection, 'resources', async (client, params, request) => {
          const page = await client.request({ method: 'resources/templates/list', params }, request);
          return { members: page.resourceTemplates, nextCursor: page.nextCursor };
        }),
      );
    },
    async prompts(server) {
      const connection = connectionOf(server);
      return await connection.listed('prompts', () =>
        members(connection, 'prompts', async (client, params, request) => {
          const page = await client.request({ method: 'prompts/list', params }, request);
          return { members: page.prompts, nextCursor: page.nextCursor };
        }),
      );
    },
    async readResource(cleared, options) {
      const connection = taken(cleared);
      const { uri } = readShape(resourceArguments, cleared.action.arguments);
      return await connection.use(
        (client, request) => client.request({ method: 'resources/read', params: { uri } }, request),
        options,
      );
    },
    async getPrompt(cleared, options) {
      const connection = taken(cleared);
      const { name, arguments: given = {} } = readShape(promptArguments, cleared.action.arguments);
      const params = { name, arguments: { ...given } };
      return await connection.use(
        (client, request) => client.request({ method: 'prompts/get', params }, request),
        options,
      );
    },
    async complete(cleared, options) {
      const connection = taken(cleared);
      const { ref, argument } = readShape(completionArguments, cleared.action.arguments);
      const whole =
        'name' in ref ? { type: 'ref/prompt' as const, ...ref } : { type: 'ref/resource' as const, ...ref };
      return await connection.use(async (client, request) => {
        if (client.getServerCapabilities()?.completions === undefined) return { completion: { values: [] } };
        const params = { ref: whole, argument };
        return await client.request({ method: 'completion/complete', params }, request);
      }, options);
    },
    folders: (server) => foldersOf(connections.get(server)?.server),
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

/** Absolute paths among the arguments of a program, and its working folder. */
function foldersOf(server: UpstreamServer | undefined): readonly string[] {
  if (server?.place.kind !== 'stdio') return [];
  const { args, cwd } = server.place;
  return [...args, ...(cwd === null ? [] : [cwd])].filter((path) => isAbsolute(path) && path.length > 1);
}

function isFor({ agents }: UpstreamServer, agent: string): boolean {
  return agents === null || agents.includes(agent);
}

/** A server's list of one kind; empty if the server reports that it has none. */
async function members<T>(
  connection: Connection,
  kind: 'tools' | 'resources' | 'prompts',
  load: (
    client: Client,
    params: { cursor?: string },
    request: RequestOptions,
  ) => Promise<{ readonly members: readonly T[]; readonly nextCursor: string | undefined }>,
): Promise<readonly T[]> {
  const wasOpen = connection.isOpen;
  const all = () =>
    connection.use(async (client, request) => {
      if (client.getServerCapabilities()?.[kind] === undefined) return [];
      return await pages(connection.server.name, (params) => load(client, params, request));
    });
  try {
    return await all();
  } catch (error) {
    // It has exited since the last request: a list may be requested again, which starts it again.
    if (!wasOpen || !(error instanceof UpstreamGone)) throw error;
    return await all();
  }
}

/** All members of a paginated list; one that does not end, or is too long, is refused. */
async function pages<T>(
  server: string,
  load: (params: {
    cursor?: string;
  }) => Promise<{ readonly members: readonly T[]; readonly nextCursor: string | undefined }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { members, nextCursor } = await load(cursor === undefined ? {} : { cursor });
    all.push(...members);
    if (all.length > mostMembers) break;
    if (nextCursor === undefined) return all;
    cursor = nextCursor;
  }
  throw new UpstreamFailed(`the MCP server "${server}" lists without end`);
}
