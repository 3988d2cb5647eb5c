// A foreign bridge: the code runs in that process, which our sandbox does not isolate. So it is judged before it is
// sent there, the tools of the bridge are called on the one request path, and its answers are interpreted
// pessimistically.

import type { CallToolResult } from '@modelcontextprotocol/client';
import {
  type ActionOf,
  type Context,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  SallyportError,
  type Verdict,
} from '../../core/index.ts';
import { takeClearance } from '../../decide/cleared.ts';
import type { Decider } from '../../decide/types.ts';
import { codeBlocked, defaultLimits } from '../code/index.ts';
import { limitMessages } from '../code/limits.ts';
import type { Upstreams } from '../mcp/index.ts';
import type { OutputParts } from '../output.ts';
import type { ToolInfo } from './catalog.ts';
import {
  asked,
  type ChainAnswer,
  type ChainRequest,
  handedOn,
  type ResumeRequest,
  violationsOf,
} from './chain.ts';
import { contentValue, failureIn, failureOf, resultValue, splitMedia } from './result.ts';

/** A tool as a bridge describes it. */
export type FoundTool = Pick<ToolInfo, 'name' | 'description' | 'typescript_interface'>;

/** A bridge, as one run uses it. */
export interface CodeServer {
  readonly server: string;
  /** The notice to show before it is used; null for our own. */
  readonly boundary: string | null;
  search(task: string, limit: number, signal: AbortSignal): Promise<readonly FoundTool[]>;
  /** The names of all tools, with some descriptions; only our own bridge lists them. */
  readonly catalog?: {
    names(): Promise<readonly string[]>;
    info(names: readonly string[]): Promise<readonly FoundTool[]>;
  };
  /** Judges code and runs it; a failed run is an answer without success. */
  chain(request: ChainRequest | ResumeRequest, signal: AbortSignal): Promise<ChainAnswer>;
}

export interface ForeignParts extends OutputParts {
  readonly upstreams: Upstreams;
  readonly decider: Pick<Decider, 'decide' | 'session'>;
  readonly context: Context;
}

/** The notice for the user before code runs on a foreign bridge. */
export function sandboxBoundary(server: string): string {
  return `The code runs in the process of the MCP server '${server}', which Sallyport's sandbox does not isolate.`;
}

/** A call of the bridge's own tools that may not be made. */
export class CallRefused extends SallyportError {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(verdict.explanation);
    this.verdict = verdict;
  }

  /** The question to the user, if one can approve it. */
  get approvals(): NonNullable<ChainAnswer['approvals']> {
    const { decision, approval } = this.verdict;
    return decision === 'approve' && approval !== null ? asked([approval]) : [];
  }
}

export function foreignBridge(parts: ForeignParts, server: string): CodeServer {
  const { upstreams, decider, context } = parts;
  let found: readonly FoundTool[] = [];

  async function call(
    tool: 'search_tools' | 'call_tool_chain',
    given: JsonObject,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const action: ActionOf<'tool'> = { kind: 'tool', server, tool, arguments: given };
    const { verdict, cleared } = await decider.decide(action, context);
    if (cleared === null) throw new CallRefused(verdict);
    signal.throwIfAborted();
    const result = await upstreams.call(cleared, { signal });
    const session = await decider.session(context);
    await session.read(JSON.stringify(result), { kind: 'tool', name: `${server}.${tool}` });
    return result;
  }

  async function ran(
    code: string,
    timeoutMs: number,
    most: number,
    signal: AbortSignal,
  ): Promise<ChainAnswer> {
    // The bridge receives the limit, and may enforce it or not.
    const late = AbortSignal.timeout(timeoutMs + grace);
    const given = { code, timeout: timeoutMs, max_output_size: most };
    try {
      return answerIn(await call('call_tool_chain', given, AbortSignal.any([signal, late])));
    } catch (error) {
      if (error instanceof CallRefused) return refused(error.verdict, error.message);
      if (signal.aborted) return ended('aborted', 'the run was given up');
      if (late.aborted) return ended('timeout', limitMessages.timeout({ ...defaultLimits, timeoutMs }));
      const { code: failed, message } = failureOf(error);
      return { ...nothing, error: message, error_code: failed };
    }
  }

  return {
    server,
    boundary: sandboxBoundary(server),
    async search(task, limit, signal) {
      const result = await call('search_tools', { task_description: task, limit }, signal);
      found = toolsIn(resultValue(result)).slice(0, limit);
      return found;
    },
    async chain(request, signal) {
      if ('run' in request) throw new SallyportError('a foreign bridge keeps no run of ours');
      const { code, timeout, maxOutputSize } = request;
      const { timeoutMs, maxOutputChars } = defaultLimits;
      const tools = found.map(({ name }) => name);
      const { verdict, cleared } = await decider.decide({ kind: 'code', source: code, tools }, context);
      if (cleared === null) return refused(verdict, codeBlocked(verdict));
      takeClearance(cleared);
      const most = Math.min(maxOutputSize ?? maxOutputChars, maxOutputChars);
      // As it was judged: without types, which not every bridge can read.
      const answer = await ran(
        cleared.action.source,
        Math.min(timeout ?? timeoutMs, timeoutMs),
        most,
        signal,
      );
      return (await handedOn(parts, { answer, media: [] }, { code }, context, most)).answer;
    },
  };
}

const nothing: ChainAnswer = {
  success: false,
  status: 'error',
  nonMcpContentResults: null,
  logs: [],
  calls: [],
};

/** How long after its limit a bridge is still listened to, in milliseconds. */
const grace = 2000;

function ended(status: 'aborted' | 'timeout', error: string): ChainAnswer {
  return { ...nothing, status, error, error_code: status };
}

function refused(verdict: Verdict, blocked: string): ChainAnswer {
  const { decision, explanation, approval } = verdict;
  if (decision !== 'approve') {
    return { ...nothing, status: 'blocked', error: blocked, error_code: 'blocked', ...violationsOf(verdict) };
  }
  const approvals = asked(approval === null ? [] : [approval]);
  return { ...nothing, status: 'waiting', error: explanation, error_code: 'needs_approval', approvals };
}

/** The tools in the answer of a search; an unreadable entry is dropped. */
function toolsIn(value: unknown): readonly FoundTool[] {
  const tools = isJsonObject(value) ? value['tools'] : value;
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJsonObject).flatMap((tool) => {
    const { name, description, typescript_interface: declared } = tool;
    if (typeof name !== 'string' || name === '' || name.length > 512) return [];
    return [{ name, description: textIn(description), typescript_interface: textIn(declared) }];
  });
}

const longestText = 8000;

function textIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, longestText).toWellFormed() : '';
}

/** The answer of a bridge. INVARIANT: it is a success only if nothing in it says otherwise. */
function answerIn(result: CallToolResult): ChainAnswer {
  // INVARIANT: a message was JSON before it was read, and so is every part of it.
  const value = contentValue(result) as JsonValue;
  const envelope = [value, ...(Array.isArray(value) ? value : [])]
    .filter(isJsonObject)
    .find((part) => typeof part['success'] === 'boolean');
  const { success = true, nonMcpContentResults = null, logs, error = null } = envelope ?? {};
  const lines = Array.isArray(logs)
    ? logs.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    : [];
  const given = envelope === undefined ? value : nonMcpContentResults;
  const answer = { ...nothing, nonMcpContentResults: splitMedia(given).rest, logs: lines };
  if (success === true && error === null && result.isError !== true) {
    return { ...answer, success: true, status: 'ok' };
  }
  const message =
    typeof error === 'string' ? error : error === null ? failureIn(result) : JSON.stringify(error);
  return { ...answer, error: message.slice(0, 2000).toWellFormed(), error_code: 'chain_failed' };
}

/** The result of a chain, as one text. */
export function spokenOf({ status, nonMcpContentResults, error = '' }: ChainAnswer): string {
  if (status === 'blocked') return error;
  if (status !== 'ok') return `Code-mode execution failed: ${error}`;
  if (nonMcpContentResults === null || nonMcpContentResults === '') {
    return 'Code-mode execution completed with empty output.';
  }
  return JSON.stringify(nonMcpContentResults);
}
