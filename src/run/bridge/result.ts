// The result of an upstream server's tool, as code receives it; and the non-JSON part of the code's own result.

import type { CallToolResult } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonValue, parseJson, SallyportError } from '../../core/index.ts';
import {
  BlockedByMcpPolicy,
  UpstreamAborted,
  UpstreamFailed,
  UpstreamGone,
  UpstreamTimedOut,
} from '../mcp/index.ts';

/** A call that gave nothing; code catches it by its code. */
export class ToolFailed extends SallyportError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** An image or a sound, which a model sees as such and not as text. */
export interface MediaBlock {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
}

type Content = CallToolResult['content'][number];

/** The value of a result; throws `ToolFailed` if the tool reports a failure. */
export function resultValue(result: CallToolResult): unknown {
  if (result.isError === true) throw new ToolFailed('tool_error', failureIn(result));
  return contentValue(result);
}

/** The value of a result, whether or not it is a failure. */
export function contentValue({ content = [], structuredContent }: CallToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const values = content.map(blockValue);
  return values.length > 1 ? values : (values[0] ?? null);
}

const longestFailure = 2000;

/** A tool's message about its failure. */
export function failureIn({ content = [] }: CallToolResult): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const message = texts.join('\n').trim();
  return message === ''
    ? 'the tool failed and does not say why'
    : message.slice(0, longestFailure).toWellFormed();
}

function blockValue(block: Content): unknown {
  return block.type === 'text' ? textValue(block.text) : block;
}

/** The value that a text is in JSON; a text that would not come back the same stays a text. */
function textValue(text: string): JsonValue {
  try {
    const value = parseJson(text);
    return typeof value === 'number' && String(value) !== text.trim() ? text : value;
  } catch {
    return text;
  }
}

/** The error of a call on the way to a tool, with a code of its own. */
export function failureOf(error: unknown): ToolFailed {
  if (error instanceof ToolFailed) return error;
  const [, code] = codes.find(([kind]) => error instanceof kind) ?? [];
  // The message of a foreign error may reveal internals.
  if (code === undefined || !(error instanceof Error)) {
    return new ToolFailed('tool_error', 'the tool could not be called');
  }
  return new ToolFailed(code, error.message);
}

const codes = [
  [BlockedByMcpPolicy, 'blocked'],
  [UpstreamGone, 'server_gone'],
  [UpstreamTimedOut, 'tool_timeout'],
  [UpstreamAborted, 'aborted'],
  [UpstreamFailed, 'tool_error'],
] as const;

/** The code's result, split: images and sounds, and the rest. */
export function splitMedia(value: JsonValue): {
  readonly media: readonly MediaBlock[];
  readonly rest: JsonValue;
} {
  const whole = mediaIn(value);
  if (whole !== null) return { media: [whole], rest: null };
  if (!Array.isArray(value)) return { media: [], rest: value };
  const media = value.map(mediaIn);
  const rest = value.filter((_, index) => media[index] === null);
  if (rest.length === value.length) return { media: [], rest: value };
  return { media: media.filter((block) => block !== null), rest: rest.length === 0 ? null : rest };
}

function mediaIn(value: JsonValue): MediaBlock | null {
  if (!isJsonObject(value)) return null;
  const { type, data, mimeType } = value;
  if (type !== 'image' && type !== 'audio') return null;
  if (typeof data !== 'string' || typeof mimeType !== 'string') return null;
  const isWhole = /^[A-Za-z0-9+/]+={0,2}$/.test(data) && data.length % 4 === 0;
  const isNamed = /^(?:image|audio)\/[a-z0-9.+-]{1,80}$/.test(mimeType) && mimeType.startsWith(type);
  return isWhole && isNamed ? { type, data, mimeType } : null;
}
