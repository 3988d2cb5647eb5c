// The MCP server of the CodeMode bridge: five tools over those of the upstream servers, and none that adds to them.

import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import {
  type Context,
  InputError,
  type JsonObject,
  messageOf,
  parseJson,
  SallyportError,
  visible,
} from '../../core/index.ts';
import { describe, type Infer, integer, list, object, optional, readShape, text } from '../../core/shape.ts';
import type {
  Bridge,
  ChainAnswer,
  ChainRequest,
  ChainResult,
  ResumeRequest,
} from '../../run/bridge/index.ts';
import { defaultLimits } from '../../run/code/index.ts';
import { asksByForm, asksByUrl } from './asking.ts';

export interface BridgeServerParts {
  readonly bridge: Bridge;
  /** Who asks, from the session and never from what a client says. */
  readonly context: Context;
  readonly version: string;
  /** Where a person sees a question; null where there is no such place. */
  readonly approvalUrl: (id: string) => string | null;
}

const { timeoutMs, maxOutputChars, maxToolCalls } = defaultLimits;
/** Names that one call asks about, and tools that one search finds, at most. */
const mostNames = 50;
const name = text({ min: 1, max: 512 });

const inputs = {
  search: object({
    task_description: describe('What the code shall do, in plain words.', text({ min: 1, max: 10_000 })),
    limit: describe('The maximum number of tools; default 10.', optional(integer(1, mostNames))),
  }),
  list: object({ server: describe('Only the tools of this server.', optional(text({ min: 1, max: 256 }))) }),
  info: object({ tool_names: describe('Names as they stand in code.', list(name, { max: mostNames })) }),
  keys: object({ tool_name: describe('A name as it stands in code.', name) }),
  chain: object({
    code: describe(
      'The body of an async function in TypeScript; what it returns is the result.',
      optional(text()),
    ),
    run: describe(
      'Instead of code: the id of a run that waits for approval, to go on with it.',
      optional(text({ min: 1, max: 128 })),
    ),
    timeout: describe(
      `Milliseconds, waits for tools included; at most and by default ${timeoutMs}.`,
      optional(integer(1, Number.MAX_SAFE_INTEGER)),
    ),
    max_output_size: describe(
      `Characters of the answer; at most and by default ${maxOutputChars}.`,
      optional(integer(1000, Number.MAX_SAFE_INTEGER)),
    ),
  }),
};

const instructions = [
  'Look for tools with search_tools first; each result has its TypeScript declaration.',
  'Then write one piece of code that calls them and returns what is wanted, and run it with call_tool_chain.',
  'The code is the body of an async function. Tools are functions of namespaces, such as await github.list_issues({ … }).',
  `It may call tools ${maxToolCalls} times. There are no imports, no files, no processes, no network and no eval.`,
  'A call that fails throws an error with a code and a message. Await every call: a failed call that is not awaited fails the run.',
].join('\n');

const looks = { readOnlyHint: true, openWorldHint: false } as const;

/** Makes the server. INVARIANT: it has exactly these five tools. */
export async function createBridgeServer({
  bridge,
  context,
  version,
  approvalUrl,
}: BridgeServerParts): Promise<McpServer> {
  const { McpServer, fromJsonSchema, inputRequired } = await import('@modelcontextprotocol/server');
  const server = new McpServer({ name: 'sallyport-code', version }, { instructions });

  server.registerTool(
    'search_tools',
    {
      title: 'Find tools',
      description: 'Finds the tools that fit a task, with the TypeScript that declares them.',
      inputSchema: fromJsonSchema<JsonObject>(inputs.search.schema()),
      annotations: looks,
    },
    (input) =>
      answered(async () => {
        const { task_description: task, limit = 10 } = readShape(inputs.search, input);
        const found = await bridge.search(task, limit, context);
        return { tools: found.map((tool) => ({ ...tool })) };
      }),
  );

  server.registerTool(
    'list_tools',
    {
      title: 'List tools',
      description: 'The names of all tools that code may call.',
      inputSchema: fromJsonSchema<JsonObject>(inputs.list.schema()),
      annotations: looks,
    },
    (input) =>
      answered(async () => ({ tools: await bridge.list(context, readShape(inputs.list, input).server) })),
  );

  server.registerTool(
    'tools_info',
    {
      title: 'Describe tools',
      description: 'What some tools do, with the TypeScript that declares them.',
      inputSchema: fromJsonSchema<JsonObject>(inputs.info.schema()),
      annotations: looks,
    },
    (input) =>
      answered(async () => {
        const { tools, unknown } = await bridge.info(readShape(inputs.info, input).tool_names, context);
        return { tools: tools.map((tool) => ({ ...tool })), unknown };
      }),
  );

  server.registerTool(
    'get_required_keys_for_tool',
    {
      title: 'Keys of a tool',
      description: 'The keys that the arguments of a tool must have, and those that they may have.',
      inputSchema: fromJsonSchema<JsonObject>(inputs.keys.schema()),
      annotations: looks,
    },
    (input) =>
      answered(async () => ({ ...(await bridge.keys(readShape(inputs.keys, input).tool_name, context)) })),
  );

  server.registerTool(
    'call_tool_chain',
    {
      title: 'Run code that calls tools',
      description:
        'Judges code and runs it in a sandbox where it can call tools and nothing else. Gives what it returned, what it logged, and what became of each call that it made: done, failed or never_sent.',
      inputSchema: fromJsonSchema<JsonObject>(inputs.chain.schema()),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    async (input, ctx) => {
      try {
        const { inputResponses, requestState, signal } = ctx.mcpReq;
        const before = inputResponses === undefined ? undefined : stateIn(requestState<string>());
        const request = chainRequest(readShape(inputs.chain, input), before?.run);
        const ended = await bridge.chain(request, context, signal);
        const { status, approvals = [], error = '', run } = ended.answer;
        const asked = approvals.map(({ id }) => id);
        // A client is asked to show each question once; what counts is the answer that a person gives to us.
        const isNew = asked.some((id) => before?.asked.includes(id) !== true);
        if (status === 'waiting' && isNew) {
          const inputRequests = questionsOf(approvals, error);
          const state = JSON.stringify({ ...(run === undefined ? {} : { run }), asked });
          if (inputRequests !== null) return inputRequired({ inputRequests, requestState: state });
        }
        return chainResult(ended);
      } catch (error) {
        return failure(error);
      }
    },
  );

  /** The questions as this client can show them; null where it can show none. */
  function questionsOf(approvals: NonNullable<ChainAnswer['approvals']>, why: string) {
    const capabilities = server.server.getClientCapabilities();
    const requests = approvals.flatMap(({ id, how }) => {
      const message = `${visible(why, 1500)}\nTo allow it once, run: ${how}\nThen go on here.`;
      const url = approvalUrl(id);
      if (url !== null && asksByUrl(capabilities)) {
        return [[id, inputRequired.elicitUrl({ message, url })] as const];
      }
      if (!asksByForm(capabilities)) return [];
      const requestedSchema = { type: 'object', properties: {} } as const;
      return [[id, inputRequired.elicit({ message, requestedSchema })] as const];
    });
    return requests.length === 0 ? null : Object.fromEntries(requests);
  }

  return server;
}

const stateShape = object({ run: optional(name), asked: list(name, { max: mostNames }) });

/** What a client brings back of its first call. Whose run it is, the ledger knows: an id alone opens nothing. */
function stateIn(text: string | undefined): Infer<typeof stateShape> | undefined {
  return text === undefined ? undefined : readShape(stateShape, parseJson(text));
}

/** A chain to begin, or one to go on with. */
function chainRequest(
  { code, run, timeout, max_output_size: size }: Infer<typeof inputs.chain>,
  waited: string | undefined,
): ChainRequest | ResumeRequest {
  if ((code === undefined) === (run === undefined)) {
    throw new InputError('a chain has either "code" or the id of a "run"');
  }
  const most = size === undefined ? {} : { maxOutputSize: size };
  const id = waited ?? run;
  if (id !== undefined) return { run: id, ...most };
  return { code: code ?? '', ...(timeout === undefined ? {} : { timeout }), ...most };
}

async function answered(work: () => Promise<Readonly<Record<string, unknown>>>): Promise<CallToolResult> {
  try {
    return result(await work(), false);
  } catch (error) {
    return failure(error);
  }
}

function result(content: Readonly<Record<string, unknown>>, isError: boolean): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content, isError };
}

/** INVARIANT: what is no success is an error to the client too. */
function chainResult({ answer, media }: ChainResult): CallToolResult {
  const told = result({ ...answer }, !answer.success);
  return { ...told, content: [...media.map((block) => ({ ...block })), ...told.content] };
}

/** An error as a model sees it: by its name, and nothing of what is behind it. */
function failure(error: unknown): CallToolResult {
  const isOurs = error instanceof SallyportError;
  const hint = isOurs && error.hint !== undefined ? { hint: error.hint } : {};
  const message = isOurs ? messageOf(error) : 'the call could not be handled';
  return result(
    { success: false, error: message, error_code: isOurs ? error.name : 'InternalError', ...hint },
    true,
  );
}
