// Runs a chain: code that calls the tools of upstream servers, each call on the one request path, with the result as a
// model receives it. A run that failed is never reported as a success.

import {
  type ApprovalNotice,
  type Context,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Verdict,
} from '../../core/index.ts';
import type { Decider } from '../../decide/types.ts';
import { globalObjects } from '../../guards/code/names.ts';
import {
  type CallRecord,
  type ClearedTool,
  type CodeRunner,
  defaultLimits,
  type RunResult,
} from '../code/index.ts';
import { truncateJson } from '../code/truncate.ts';
import type { Upstreams } from '../mcp/index.ts';
import { judgeOutput, type OutputParts } from '../output.ts';
import type { Catalog } from './catalog.ts';
import type { CodeTool } from './names.ts';
import { failureOf, type MediaBlock, resultValue, splitMedia } from './result.ts';

export interface ChainParts extends OutputParts {
  readonly decider: Pick<Decider, 'decide' | 'session'>;
  readonly upstreams: Pick<Upstreams, 'call'>;
  readonly runner: Pick<CodeRunner, 'run' | 'resume'>;
}

export interface ChainRequest {
  /** The body of an async function, in TypeScript. */
  readonly code: string;
  /** Milliseconds, and characters; values above the bridge's own limits are reduced to those. */
  readonly timeout?: number;
  readonly maxOutputSize?: number;
}

/** A chain that waits for approval, to be checked again. */
export interface ResumeRequest extends Pick<ChainRequest, 'maxOutputSize'> {
  /** The id that it got when it paused. */
  readonly run: string;
}

/** The result of a chain, in the terms that scripts and models read. */
export interface ChainAnswer {
  readonly success: boolean;
  /** How it ended, in our own words: the code's own message is in `error`. */
  readonly status: RunResult['status'];
  /** The value that the code returned, without images and sounds; null if there is no other. */
  readonly nonMcpContentResults: JsonValue;
  readonly logs: readonly string[];
  /** Every call that the code started, whether it waited for it or not. */
  readonly calls: readonly Omit<CallRecord, 'call'>[];
  /** Only where calls are left out of that list: how many. */
  readonly calls_omitted?: number;
  /** Only where something was left out for its length. */
  readonly truncated?: true;
  /** Only where something in it tries to command its reader. */
  readonly warning?: string;
  /** Only where it is no success: why, and the code of that. */
  readonly error?: string;
  readonly error_code?: string;
  /** Only where the code was refused: each name or construct, where it is, and what to write instead. */
  readonly violations?: readonly string[];
  /** Only if it waits for approval: the questions, and the id to resume it with once they are answered. */
  readonly approvals?: readonly { readonly id: string; readonly how: string; readonly expires_at: string }[];
  readonly run?: string;
}

export interface ChainResult {
  readonly answer: ChainAnswer;
  readonly media: readonly MediaBlock[];
}

/**
 * Runs a chain for a caller, or resumes one; throws `EngineMissing` if there is no sandbox to run it in, and the
 * runner's errors for a run that cannot be resumed.
 */
export async function runChain(
  parts: ChainParts,
  catalog: Catalog,
  request: ChainRequest | ResumeRequest,
  context: Context,
  signal?: AbortSignal,
): Promise<ChainResult> {
  const { timeoutMs, maxOutputChars } = defaultLimits;
  const most = Math.min(request.maxOutputSize ?? maxOutputChars, maxOutputChars);
  const job = {
    tools: toolsOf(parts, 'code' in request ? mentioned(catalog, request.code) : catalog.tools, context),
    context,
    ...(signal === undefined ? {} : { signal }),
  };
  const result =
    'run' in request
      ? await parts.runner.resume({ ...job, run: request.run })
      : await parts.runner.run({
          ...job,
          source: request.code,
          // More than is handed on, so that no secret is cut in two before it is looked for.
          limits: {
            timeoutMs: Math.min(request.timeout ?? timeoutMs, timeoutMs),
            maxOutputChars: maxOutputChars + maxOutputChars / 4,
          },
        });
  const given: JsonObject = 'run' in request ? { run: request.run } : { code: request.code };
  return await handedOn(parts, resultOf(result), given, context, most);
}

/**
 * The result of a chain as it may be sent to a model: without secrets, with a warning about instructions in it, and
 * within the length limit.
 */
export async function handedOn(
  parts: OutputParts,
  { answer, media }: ChainResult,
  given: JsonObject,
  context: Context,
  most: number,
): Promise<ChainResult> {
  const { nonMcpContentResults, logs, error = '', error_code: code = '' } = answer;
  const output = { nonMcpContentResults, logs, error, code };
  const judged = await judgeOutput(parts, { tool: 'call_tool_chain', arguments: given, output }, context);
  const isWithheld = judged.does === 'withhold';
  // INVARIANT: texts are taken out of a value, and the value keeps its form.
  const value = !isWithheld && isJsonObject(judged.output) ? judged.output : {};
  const why = isWithheld
    ? { error: cut(judged.why), error_code: 'output_withheld' }
    : { error: cut(String(value['error'])), error_code: cut(String(value['code'])) };
  const shown: ChainAnswer = {
    ...answer,
    ...(isWithheld && answer.success ? { success: false, status: 'error' } : {}),
    nonMcpContentResults: value['nonMcpContentResults'] ?? null,
    logs: textsIn(value['logs']),
    ...(isWithheld || !answer.success ? why : {}),
    ...(isWithheld || judged.note === undefined ? {} : { warning: judged.note }),
  };
  return fitted({ answer: shown, media: isWithheld ? [] : media }, most);
}

/** The tools that code can mean: making some hundred that it does not name costs more than running it. */
function mentioned({ tools }: Catalog, code: string): readonly CodeTool[] {
  // Names may be written in other ways, too.
  if (code.includes('\\') || [...globalObjects].some((name) => code.includes(name))) return tools;
  const namespaces = new Map<string, boolean>();
  return tools.filter(({ name }) => {
    const namespace = name.slice(0, name.indexOf('.'));
    const isThere = namespaces.get(namespace) ?? code.includes(namespace);
    namespaces.set(namespace, isThere);
    return isThere;
  });
}

/** The tools of upstream servers by the names that code calls them by. */
function toolsOf(
  { upstreams, decider }: Pick<ChainParts, 'upstreams' | 'decider'>,
  tools: readonly CodeTool[],
  context: Context,
): Readonly<Record<string, ClearedTool>> {
  return Object.fromEntries(
    tools.map(({ name, tool: { server, name: tool } }) => [
      name,
      {
        server,
        tool,
        async call(cleared, options) {
          try {
            return resultValue(await upstreams.call(cleared, options));
          } catch (error) {
            const failure = failureOf(error);
            // A server's error message is as untrusted as its results.
            const session = await decider.session(context);
            await session.read(failure.message, { kind: 'tool', name });
            throw failure;
          }
        },
      } satisfies ClearedTool,
    ]),
  );
}

function resultOf(result: RunResult): ChainResult {
  const { status, error } = result;
  const { logs, calls } = 'logs' in result ? result : { logs: [], calls: [] };
  const { value = null, truncated, logsDropped, callsOmitted = 0 } = 'stats' in result ? result : {};
  const { media, rest } = splitMedia(value);
  const place =
    error !== undefined && 'line' in error ? ` (line ${error.line}, column ${error.column ?? 1})` : '';
  const lines = logs.map(({ level, text }) => logLine(level, text));
  if (logsDropped === true) {
    const last = lines.pop() ?? '';
    lines.push(last.slice(0, -margin), '… (what was logged beyond this is left out)');
  }
  return {
    media,
    answer: {
      success: status === 'ok',
      status,
      nonMcpContentResults: rest,
      logs: lines,
      calls: calls.map(({ call: _, ms, ...reported }) => ({ ...reported, ms: Math.round(ms * 10) / 10 })),
      ...(callsOmitted === 0 ? {} : { calls_omitted: callsOmitted }),
      ...(truncated === true ? { truncated } : {}),
      // INVARIANT: every result that is not a success has a reason.
      ...(status === 'ok'
        ? {}
        : { error: `${error?.message ?? status}${place}`, error_code: error?.code ?? status }),
      ...(status === 'blocked' ? violationsOf(result.verdict) : {}),
      ...(status === 'waiting' ? { approvals: asked(result.approvals) } : {}),
      ...(status === 'waiting' && result.run !== null ? { run: result.run } : {}),
    },
  };
}

const mostViolations = 20;

/** The names that refused code uses, and their replacements, as a model reads them. */
export function violationsOf({ findings }: Pick<Verdict, 'findings'>): Pick<ChainAnswer, 'violations'> {
  const lines = findings
    .filter(({ decision, guard }) => decision === 'block' && guard === 'code')
    .map(({ message, suggestion }) =>
      suggestion === undefined ? message : `${message}. Instead: ${suggestion}`,
    );
  return lines.length === 0 ? {} : { violations: [...new Set(lines)].slice(0, mostViolations) };
}

/** The question to the user, as a model reads it. */
export function asked(approvals: readonly ApprovalNotice[]): NonNullable<ChainAnswer['approvals']> {
  return approvals.map(({ id, how, expiresAt }) => ({ id, how, expires_at: expiresAt }));
}

/**
 * Text that the sandbox truncates may end in half of a secret that is no longer detected, so this much less of it is
 * shown.
 */
const margin = 500;
const longestError = 2000 - margin;

function cut(text: string): string {
  return text.length > longestError ? `${text.slice(0, longestError).toWellFormed()}…` : text;
}

function logLine(level: string, text: string): string {
  return level === 'log' ? text : `[${level}] ${text}`;
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** INVARIANT: the answer as JSON and the data beside it are no longer than they may be, and what is missing is named. */
function fitted({ answer, media }: ChainResult, most: number): ChainResult {
  const { calls_omitted: before = 0 } = answer;
  const omittable = before + answer.calls.length;
  const bare = {
    ...answer,
    nonMcpContentResults: null,
    logs: [],
    calls: [],
    calls_omitted: omittable,
    truncated: true,
  };
  let left = Math.max(0, most - JSON.stringify(bare).length);
  const fitting = <T>(members: readonly T[], lengthOf: (member: T) => number): readonly T[] =>
    members.filter((member) => {
      const length = lengthOf(member);
      if (length > left / 2) return false;
      left -= length;
      return true;
    });
  const calls = fitting(answer.calls, (call) => JSON.stringify(call).length + 1);
  // Half of an image is none.
  const kept = fitting(media, ({ data }) => data.length);
  const logs = truncateJson(JSON.stringify(answer.logs), Math.max(2, Math.floor(left / 4)));
  const value = truncateJson(
    JSON.stringify(answer.nonMcpContentResults),
    Math.max(4, left - logs.json.length),
  );
  const omitted = omittable - calls.length;
  const isCut = logs.truncated || value.truncated || omitted > before || kept.length < media.length;
  return {
    media: kept,
    answer: {
      ...answer,
      nonMcpContentResults: JSON.parse(value.json),
      logs: textsIn(JSON.parse(logs.json)),
      calls,
      ...(omitted === 0 ? {} : { calls_omitted: omitted }),
      ...(isCut ? { truncated: true as const } : {}),
    },
  };
}
