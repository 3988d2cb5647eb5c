// A call of a tool that holds nothing unusual is read and answered here, since the SDK takes longer to read and
// write a message than judging it takes. Whatever is not understood to its last key is left to the SDK.

import type { CallToolResult, ClientCapabilities } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { holdsOnly, isPlainText } from '../../run/mcp/plain.ts';
import type { ToolAnswer, ToolCall } from './call.ts';
import { method, revision } from './direct.ts';

type Sdk = Pick<
  typeof import('@modelcontextprotocol/server'),
  | 'classifyInboundRequest'
  | 'CLIENT_CAPABILITIES_META_KEY'
  | 'CLIENT_INFO_META_KEY'
  | 'PROTOCOL_VERSION_META_KEY'
>;

/** A call that was read, and the id of its message. */
export interface PlainCall extends Pick<ToolCall, 'name' | 'arguments' | 'capabilities'> {
  readonly id: string | number;
}

/** A name that stands in a header as it stands in the message. */
const plainName = /^[\w./-]{1,128}$/;
/** What clients say about themselves with every message, and how much of that is remembered. */
const mostKnown = 256;
const longestKnown = 4096;

/** Reads calls. */
export class PlainCalls {
  readonly #sdk: Sdk;
  /** What clients say of themselves that the SDK has found good; it is the same with every call of a client. */
  readonly #known = new Set<string>();

  constructor(sdk: Sdk) {
    this.#sdk = sdk;
  }

  /** The call in a message whose headers look like one, and name the tool; undefined where the SDK has to look at it. */
  read(toolNamed: unknown, body: JsonValue): PlainCall | undefined {
    if (!isJsonObject(body) || !holdsOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
    const { jsonrpc, id, method: named, params } = body;
    if (jsonrpc !== '2.0' || named !== method || !isId(id)) return undefined;
    if (!isJsonObject(params) || !holdsOnly(params, ['name', 'arguments', '_meta'])) return undefined;
    const { name, arguments: given = {}, _meta: meta } = params;
    if (typeof name !== 'string' || !plainName.test(name) || toolNamed !== name) return undefined;
    if (!isJsonObject(given) || !isJsonObject(meta) || !this.#isKnown(meta, body)) return undefined;
    // INVARIANT: the SDK has found it to be what it says.
    const capabilities = meta[this.#sdk.CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities;
    return { id, name, arguments: given, capabilities };
  }

  /** Whether it says which revision it speaks, who the client is and what it can do, and nothing else. */
  #isKnown(meta: JsonObject, body: JsonObject): boolean {
    const { PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY } = this.#sdk;
    const said = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
    if (!holdsOnly(meta, said) || meta[PROTOCOL_VERSION_META_KEY] !== revision) return false;
    const key = JSON.stringify(meta);
    if (this.#known.has(key)) return true;
    const found = this.#sdk.classifyInboundRequest({
      httpMethod: 'POST',
      protocolVersionHeader: revision,
      mcpMethodHeader: method,
      body,
    });
    if (found.kind !== 'modern' || found.messageKind !== 'request') return false;
    if (key.length > longestKnown) return true;
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.add(key);
    return true;
  }
}

/** The answer as text; undefined where the SDK has to write it. */
export function plainAnswer(
  id: string | number,
  answer: ToolAnswer,
  serverInfo: { readonly key: string; readonly value: JsonObject },
): string | undefined {
  // INVARIANT: what came of a call is JSON.
  const result = answer as CallToolResult & JsonObject;
  if (!holdsOnly(result, ['content', 'isError', 'structuredContent', '_meta'])) return undefined;
  const { content, isError, _meta: meta } = result;
  if (!Array.isArray(content) || !content.every(isPlainText)) return undefined;
  if (isError !== undefined && typeof isError !== 'boolean') return undefined;
  const stamped = { ...meta, [serverInfo.key]: serverInfo.value };
  return JSON.stringify({
    result: { ...result, resultType: 'complete', _meta: stamped },
    jsonrpc: '2.0',
    id,
  });
}

function isId(id: JsonValue | undefined): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
