// A call of a tool through the gateway, whoever read it: made on the one path, and its verdict or its judged result told
// as a client takes it. It decides nothing.

import type { CallToolResult, ClientCapabilities, InputRequiredResult } from '@modelcontextprotocol/server';
import {
  type Context,
  canonicalJson,
  isClosed,
  isJsonObject,
  isPending,
  type JsonObject,
  type JsonValue,
  type Verdict,
  visible,
} from '../../core/index.ts';
import type { Called, McpCalls } from '../../run/mcp/calls.ts';
import type { CallOptions, Upstreams } from '../../run/mcp/index.ts';
import { exposedUri } from '../../run/mcp/names.ts';
import type { Answered, Asked } from '../../run/mcp/questions.ts';
import { asksByForm, asksByUrl } from './asking.ts';
import type { Conversations, Waiting } from './conversations.ts';

export interface GatewayParts {
  readonly calls: McpCalls;
  readonly conversations: Conversations;
  readonly upstreams: Upstreams;
  /** Who asks, from the session and never from what a client says. */
  readonly context: Context;
  readonly version: string;
  /** Where a person sees a question; null where there is no such place. */
  readonly approvalUrl: (id: string) => string | null;
}

/** What a client asks for. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
  /** What the client can show to a person. */
  readonly capabilities: ClientCapabilities | undefined;
  /** Which question the client comes back with, and what it says was answered. */
  readonly state?: string | undefined;
  readonly responses?: Readonly<Record<string, unknown>> | undefined;
  readonly onProgress?: CallOptions['onProgress'];
}

/** What came of it, or what a person is to be asked first. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

const tooLate = 'sallyport: the question of the server was not answered in time; make the call again';

/** Where a result says who wrote it. */
const originKey = 'sallyport/untrusted';

export async function callTool(parts: GatewayParts, call: ToolCall): Promise<ToolAnswer> {
  const { calls, conversations, context } = parts;
  const { name, arguments: input, signal, capabilities, state, responses, onProgress } = call;
  const found = calls.find(name, context);
  const tool = isPending(found) ? await found : found;
  if (tool === undefined) return refusal(await calls.unknown(name, input, context));
  if ('unreachable' in tool) return failure(`sallyport: ${tool.unreachable}`);
  if (state === undefined && !asksByForm(capabilities) && !asksByUrl(capabilities)) {
    // INVARIANT: where no question can be shown, whatever the server asks is declined.
    const called = await calls.call(tool, input, context, { signal, onProgress });
    return called.output === null
      ? await stopped(parts, call, called)
      : toolResult(called.output, tool.server);
  }
  // Whose call it is, and which: an answer counts for no other.
  const owner = (): string => {
    const { user, tenant, agent, session, workspace } = context;
    return canonicalJson([user, tenant, agent, session, workspace, name, input]);
  };
  const canShow = ({ mode }: Asked) => (mode === 'url' ? asksByUrl : asksByForm)(capabilities);
  const came =
    state === undefined
      ? await conversations.begin(owner, signal, canShow, (options) =>
          calls.call(tool, input, context, { ...options, onProgress }),
        )
      : await conversations.resume(state, owner(), signal, answerIn(responses));
  if (came === undefined) return failure(tooLate);
  if ('state' in came) return await shown(came);
  return came.output === null ? await stopped(parts, call, came) : toolResult(came.output, tool.server);
}

/** Why a call was not made, as a client takes it. */
async function stopped(
  parts: GatewayParts,
  call: ToolCall,
  { verdict }: Pick<Called, 'verdict'>,
): Promise<ToolAnswer> {
  return (await question(parts, call, verdict)) ?? refusal(verdict);
}

/** What a server asks, for the client to show. */
async function shown({ state, asked }: Waiting): Promise<InputRequiredResult> {
  const { inputRequired } = await import('@modelcontextprotocol/server');
  const ask =
    asked.mode === 'url'
      ? inputRequired.elicitUrl({ message: asked.message, url: asked.url })
      : inputRequired.elicit({ message: asked.message, requestedSchema: asked.requestedSchema });
  return inputRequired({ inputRequests: { ask }, requestState: state });
}

/** The question for a client that can show one, unless it was shown already. */
async function question(
  { approvalUrl }: GatewayParts,
  { capabilities, responses }: ToolCall,
  { decision, approval, explanation, findings }: Verdict,
): Promise<InputRequiredResult | undefined> {
  if (decision !== 'approve' || approval === null) return undefined;
  if (responses?.['approve'] !== undefined) return undefined;
  const url = approvalUrl(approval.id);
  const message = `${visible(explanation, 1500)}\nTo allow it once, run: ${approval.how}\nThen go on here.`;
  // These questions are answered at our own page, and in no client's form.
  const closed = findings.some((finding) => finding.decision === 'approve' && isClosed(finding));
  const byUrl = url !== null && asksByUrl(capabilities) && (closed || !asksByForm(capabilities));
  if (!byUrl && !asksByForm(capabilities)) return undefined;
  const { inputRequired } = await import('@modelcontextprotocol/server');
  const requestedSchema = { type: 'object', properties: {} } as const;
  const approve = byUrl
    ? inputRequired.elicitUrl({ message, url })
    : inputRequired.elicit({ message, requestedSchema });
  return inputRequired({ inputRequests: { approve } });
}

/** The person's answer as the client tells it; anything else is a no. */
function answerIn(responses: ToolCall['responses']): Answered {
  const answer: unknown = responses?.['ask'];
  const { action, content } = isJsonObject(answer) ? answer : {};
  if (action !== 'accept' && action !== 'cancel') return { action: 'decline' };
  // INVARIANT: whether it has the form that was asked for, the server of the question looks for itself.
  return {
    action,
    ...(isJsonObject(content) ? { content: content as NonNullable<Answered['content']> } : {}),
  };
}

function toolResult(output: Called['output'] & {}, server: string): CallToolResult {
  if (output.does === 'withhold') {
    return { ...failure(withheld(output.why)), _meta: { [originKey]: server } };
  }
  const { code: _, ...given } = isJsonObject(output.output) ? output.output : {};
  const note = noteOf(output).map((text) => ({ type: 'text', text }));
  const blocks = listIn(given, 'content').map((block) => followable(server, block));
  // INVARIANT: it was a result when it came, and redaction changes texts alone.
  return {
    ...given,
    content: [...note, ...blocks],
    _meta: metaOf(given, server),
  } as unknown as CallToolResult;
}

/** What a model receives for a text that tries to command it, if anything. */
export function noteOf({ note }: Extract<Called['output'] & {}, { does: 'pass' }>): readonly string[] {
  return note === undefined ? [] : [`sallyport: ${note}`];
}

/** What a server says beside its answer, and whose answer it is. */
export function metaOf(given: JsonObject, server: string): JsonObject {
  const { _meta: meta } = given;
  return { ...(isJsonObject(meta) ? addressed(meta, server) : {}), [originKey]: server };
}

/** Addresses of the interface of an app are resources of the server. */
export function addressed(meta: JsonObject, server: string): JsonObject {
  const visit = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return value.startsWith('ui://') ? exposedUri(server, value) : value;
    if (Array.isArray(value)) return value.map(visit);
    return isJsonObject(value) ? addressed(value, server) : value;
  };
  return Object.fromEntries(Object.entries(meta).map(([key, value]) => [key, visit(value)]));
}

/** A block of content whose address leads to a resource of the server through us. */
export function followable(server: string, block: JsonObject): JsonObject {
  const { type, uri, resource } = block;
  if (type === 'resource_link' && typeof uri === 'string') return { ...block, uri: exposedUri(server, uri) };
  if (type !== 'resource' || !isJsonObject(resource)) return block;
  const { uri: own } = resource;
  return typeof own === 'string'
    ? { ...block, resource: { ...resource, uri: exposedUri(server, own) } }
    : block;
}

function refusal(verdict: Verdict): CallToolResult {
  return failure(reasonOf(verdict));
}

/** Said so that the model can mend it. */
export function reasonOf({ decision, explanation, approval, findings, decisionId }: Verdict): string {
  const instead = findings.find((one) => one.decision === decision)?.suggestion;
  const how =
    approval === null
      ? (instead ?? '')
      : `A person allows it with: ${approval.how}. Then make exactly this call once more.`;
  const why = visible(explanation, 1500);
  return `sallyport: ${why}${how === '' || why.includes(how) ? '' : ` ${how}`} (sallyport why ${decisionId})`;
}

export function withheld(why: string): string {
  return `sallyport: what the server answered may not be shown: ${visible(why, 1500)}`;
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

export function listIn(value: JsonObject, name: string): readonly JsonObject[] {
  const list = value[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
