// What a request carries to the model, each with its place and its origin: texts, files, and addresses that the
// provider would fetch.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { answeredBy } from './calls.ts';
import { isName, isSealed } from './texts.ts';

export type Place = readonly (string | number)[];

/** Who wrote a text; the agent itself wrote its system prompt and describes its tools, its model the earlier answers. */
export type Origin = 'user' | 'tool' | 'file' | 'agent';

/** Where a note goes that stands for a part of a tool's result which may not reach the model. */
export interface Withheld {
  readonly place: Place;
  /**
   * What stands there: a text, a block in a list of them, the definition of a tool, or the picture of a screen, which no
   * text can stand for; in a Gemini request a part of a content, a file in the result of a call, or the whole result.
   */
  readonly form: 'text' | 'block' | 'definition' | 'screen' | 'part' | 'blob' | 'response';
}

interface Part {
  readonly place: Place;
  /** Undefined where the part is none of a tool's result: then the whole request is refused with it. */
  readonly withheld?: Withheld;
}

export type RequestPart =
  | (Part & {
      readonly is: 'text';
      readonly origin: Origin;
      readonly text: string;
      /** The id of the call whose result it is part of. */
      readonly answers?: string;
    })
  | (Part & {
      readonly is: 'file';
      readonly origin: 'file' | 'image';
      readonly base64: string;
      readonly name: string | undefined;
    })
  | (Part & { readonly is: 'address'; readonly url: string })
  /** A text that is sent as it is or not at all, such as what an MCP server says about a tool; null if it cannot be read. */
  | (Part & { readonly is: 'fixed'; readonly what: 'definition' | 'result'; readonly text: string | null });

/** What is known of a value from what it stands in. */
interface Around {
  readonly origin: Origin;
  /** The type of the object that it is a member of. */
  readonly kind: string;
  /** The block of a tool's result that it is a part of. */
  readonly block: Place | undefined;
  /** The call that it answers. */
  readonly answers?: string | undefined;
}

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
const screen = 'computer_screenshot';
const imageLike = /^(?:image|image_url|input_image|computer_screenshot)$/;
/** Objects that tell where something was found; nobody fetches their addresses. */
const sourceLike = /_result$|citation|_location$/;

/** Every part of one value of a request. */
export function partsIn(value: JsonValue | undefined, place: Place, origin: Origin): Iterable<RequestPart> {
  return parts(value, place, { origin, kind: '', block: undefined });
}

function* parts(value: JsonValue | undefined, place: Place, around: Around): Generator<RequestPart> {
  if (typeof value === 'string') {
    const key = String(place.findLast((part) => typeof part === 'string') ?? '');
    yield* leaf(value, key, place, around);
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* parts(member, [...place, index], around);
  } else if (isJsonObject(value)) {
    const kind = kindOf(value);
    if (thoughts.test(kind) || isSealed(value)) return;
    const inside = {
      origin: originIn(value, kind, around.origin),
      kind,
      block: blockAt(value, place, around),
      // INVARIANT: what a tool returned does not say which call it answers.
      answers: around.answers ?? answeredBy(value),
    };
    for (const [key, member] of Object.entries(value)) {
      const at = [...place, key];
      if (typeof member === 'string' && isBytes(key, value)) {
        yield file(member, at, value, inside);
      } else yield* parts(member, at, inside);
    }
  }
}

function kindOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : '';
}

function originIn({ role }: JsonObject, kind: string, outside: Origin): Origin {
  if (untrusted.test(kind)) return 'tool';
  // Who speaks in a role that nobody knows is not known either.
  const origin = typeof role === 'string' ? (originOfRole[role] ?? 'tool') : outside;
  return fileLike.test(kind) && origin !== 'tool' ? 'file' : origin;
}

/** The innermost block of a list that an object is or is part of; a message, or a result itself, is none. */
function blockAt(value: JsonObject, place: Place, { block }: Around): Place | undefined {
  const kind = kindOf(value);
  if (typeof value['role'] === 'string' || untrusted.test(kind)) return undefined;
  return kind !== '' && typeof place.at(-1) === 'number' ? place : block;
}

function* leaf(value: string, key: string, place: Place, around: Around): Generator<RequestPart> {
  if (isName(key, value)) return;
  const addressed = /^(?:url|image_url|file_url|video_url)$/.test(key) && !sourceLike.test(around.kind);
  if (addressed && /^data:/i.test(value)) {
    const comma = value.indexOf(',');
    const head = value.slice(5, comma < 0 ? undefined : comma);
    const body = comma < 0 ? '' : value.slice(comma + 1);
    const base64 = /;\s*base64\s*$/i.test(head) ? body : Buffer.from(decoded(body)).toString('base64');
    const kind = /^image\//i.test(head) || key === 'image_url' ? 'image' : 'file';
    yield { is: 'file', place, origin: kind, base64, name: undefined, ...withheldIn(place, around) };
  } else if (addressed && /^[a-z][a-z0-9+.-]*:/i.test(value)) {
    yield { is: 'address', place, url: value, ...withheldIn(place, around) };
  } else {
    const { origin, answers } = around;
    const own =
      origin === 'tool'
        ? { withheld: { place, form: 'text' } as const, ...(answers === undefined ? {} : { answers }) }
        : {};
    yield { is: 'text', place, origin, text: value, ...own };
  }
}

/** Where a note for a file or an address goes. */
function withheldIn(place: Place, { origin, kind, block }: Around): Pick<Part, 'withheld'> {
  if (origin !== 'tool') return {};
  if (block !== undefined) return { withheld: { place: block, form: 'block' } };
  return { withheld: { place, form: kind === screen ? 'screen' : 'text' } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a key holds the bytes of a file: `file_data`, or the data of a base64 source or of a sound. */
function isBytes(key: string, { type, format }: JsonObject): boolean {
  if (key === 'file_data') return true;
  return key === 'data' && (type === 'base64' || format !== undefined);
}

function file(data: string, place: Place, value: JsonObject, around: Around): RequestPart {
  const { media_type: media, filename } = value;
  const bare = data.replace(/^data:[^,]*,/i, '');
  const image = imageLike.test(around.kind) || (typeof media === 'string' && /^image\//i.test(media));
  return {
    is: 'file',
    place,
    origin: image ? 'image' : 'file',
    base64: bare,
    name: typeof filename === 'string' ? filename : undefined,
    ...withheldIn(place, around),
  };
}
