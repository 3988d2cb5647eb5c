// What a request carries to the model, each with its place and its origin: texts, files, and addresses that the
// provider would fetch.

import { isJsonObject, type JsonValue } from '../../core/index.ts';
import { isName, isSealed } from './texts.ts';

export type Place = readonly (string | number)[];

/**
 * Who wrote a text; the agent itself wrote its system prompt, and its model the earlier answers. Undefined where that is
 * nobody whom the session should know, as in the description of a tool.
 */
export type Origin = 'user' | 'tool' | 'file' | 'agent' | undefined;

export type RequestPart =
  | { readonly is: 'text'; readonly place: Place; readonly origin: Origin; readonly text: string }
  | {
      readonly is: 'file';
      readonly place: Place;
      readonly origin: 'file' | 'image';
      readonly base64: string;
      readonly name: string | undefined;
    }
  | { readonly is: 'address'; readonly place: Place; readonly url: string };

const originOfRole: Readonly<Record<string, Origin>> = {
  ...{ user: 'user', tool: 'tool', function: 'tool' },
  ...{ system: 'agent', developer: 'agent', assistant: 'agent' },
};

/** Blocks that hold what the model thought; they are sealed by a signature and go back as they came. */
const thoughts = /^(?:thinking|redacted_thinking|reasoning)$/;
/** Blocks that hold what somebody other than the user wrote. */
const untrusted =
  /(?:_result|_output|tool_results?|tool_outputs?)$|^(?:search_result|mcp_call|mcp_list_tools)$/;
const fileLike = /^(?:document|file|input_file|container_upload)$/;
const imageLike = /^(?:image|image_url|input_image|computer_screenshot)$/;

/** Every part of one value of a request. */
export function* partsIn(value: JsonValue | undefined, place: Place, origin: Origin): Generator<RequestPart> {
  if (typeof value === 'string') {
    const key = String(place.findLast((part) => typeof part === 'string') ?? '');
    yield* leaf(value, key, place, origin);
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* partsIn(member, [...place, index], origin);
  } else if (isJsonObject(value)) {
    const { type, role } = value;
    const kind = typeof type === 'string' ? type : '';
    if (thoughts.test(kind) || isSealed(value)) return;
    let inside = origin;
    // Who speaks in a role that nobody knows is not known either.
    if (typeof role === 'string')
      inside = Object.hasOwn(originOfRole, role) ? (originOfRole[role] ?? 'tool') : 'tool';
    if (untrusted.test(kind)) inside = 'tool';
    else if (fileLike.test(kind) && inside !== 'tool') inside = 'file';
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'string' && isBytes(key, value)) {
        yield file(member, [...place, key], kind, value);
      } else yield* partsIn(member, [...place, key], inside);
    }
  }
}

function* leaf(value: string, key: string, place: Place, origin: Origin): Generator<RequestPart> {
  if (isName(key, value)) return;
  const addressed = /^(?:url|image_url|file_url|video_url)$/.test(key);
  if (addressed && /^data:/i.test(value)) {
    const comma = value.indexOf(',');
    const head = value.slice(5, comma < 0 ? undefined : comma);
    const body = comma < 0 ? '' : value.slice(comma + 1);
    const base64 = /;\s*base64\s*$/i.test(head) ? body : Buffer.from(decoded(body)).toString('base64');
    const kind = /^image\//i.test(head) || key === 'image_url' ? 'image' : 'file';
    yield { is: 'file', place, origin: kind, base64, name: undefined };
  } else if (addressed && /^[a-z][a-z0-9+.-]*:/i.test(value)) {
    yield { is: 'address', place, url: value };
  } else yield { is: 'text', place, origin, text: value };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a key holds the bytes of a file: `file_data`, or the data of a base64 source or of a sound. */
function isBytes(key: string, { type, format }: { readonly [key: string]: JsonValue }): boolean {
  if (key === 'file_data') return true;
  return key === 'data' && (type === 'base64' || format !== undefined);
}

function file(
  data: string,
  place: Place,
  kind: string,
  { media_type: media, filename }: { readonly [key: string]: JsonValue },
): RequestPart {
  const bare = data.replace(/^data:[^,]*,/i, '');
  const image = imageLike.test(kind) || (typeof media === 'string' && /^image\//i.test(media));
  return {
    is: 'file',
    place,
    origin: image ? 'image' : 'file',
    base64: bare,
    name: typeof filename === 'string' ? filename : undefined,
  };
}
