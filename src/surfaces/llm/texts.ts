// Which strings of a provider's JSON are text, and which only name things.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

/** Keys whose strings name a thing or a state: ids, types, models. The provider writes them, not the model. */
const names: ReadonlySet<string> = new Set([
  ...['id', 'object', 'type', 'model', 'role', 'status', 'phase', 'system_fingerprint', 'service_tier'],
  ...[
    'item_id',
    'response_id',
    'message_id',
    'call_id',
    'tool_call_id',
    'tool_use_id',
    'approval_request_id',
  ],
  ...['container_id', 'file_id', 'previous_response_id', 'request_id', 'event_id', 'conversation_id'],
  ...['finish_reason', 'stop_reason', 'reason', 'code', 'format', 'media_type', 'detail'],
  ...['effort', 'verbosity', 'truncation', 'tool_choice', 'ttl', 'inference_geo', 'speed'],
  ...['finishReason', 'blockReason', 'modelVersion', 'responseId', 'mimeType', 'mime_type', 'language'],
]);

/** Strings that nobody but the provider can read, and that break when touched. */
const sealed: ReadonlySet<string> = new Set([
  ...['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout', 'thought_signature'],
  'thoughtSignature',
]);

const nameLike = /^[\w.:/@+=,-]{0,256}$/;

/** Whether a string at a key is one that is passed on as it is. */
export function isName(key: string, value: string): boolean {
  return value === '' || sealed.has(key) || (names.has(key) && nameLike.test(value));
}

/** Members that repeat a text token by token, so that a text which was taken out could be read there. */
export function isTokenList(key: string): boolean {
  return key === 'logprobs' || key === 'logprobsResult';
}

/** Whether an object is a sealed block of the provider's: its `data` is not text. */
export function isSealed(value: JsonObject): boolean {
  const type = value['type'];
  return type === 'redacted_thinking' || type === 'compaction';
}

/** Whether a value holds any string that is text. */
export function carriesText(value: JsonValue | undefined, key = ''): boolean {
  if (typeof value === 'string') return !isName(key, value);
  if (Array.isArray(value)) return value.some((member) => carriesText(member, key));
  if (!isJsonObject(value)) return false;
  const seal = isSealed(value);
  for (const name in value) {
    if (seal && name === 'data') continue;
    if (!nameLike.test(name) || carriesText(value[name], name)) return true;
  }
  return false;
}

/** A text of a whole answer, and where it stands. */
export interface Leaf {
  readonly place: readonly (string | number)[];
  readonly text: string;
}

/** Keys that nobody could take for a text; any other one, a model may have chosen. */
export const plainKey = /^[A-Za-z_][\w-]{0,31}$/;

/** Every text of a whole answer, and every key that may be one. */
export function* leavesOf(value: JsonValue, place: Leaf['place'] = []): Generator<Leaf> {
  if (typeof value === 'string') {
    const key = place.findLast((part) => typeof part === 'string');
    if (!isName(String(key ?? ''), value)) yield { place, text: value };
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* leavesOf(member, [...place, index]);
  } else if (isJsonObject(value)) {
    const seal = isSealed(value);
    for (const [key, member] of Object.entries(value)) {
      if (!plainKey.test(key)) yield { place: [...place, key, 'key'], text: key };
      if ((seal && key === 'data') || isTokenList(key)) continue;
      yield* leavesOf(member, [...place, key]);
    }
  }
}

/**
 * An answer with its texts as they may be shown. Tokens with their odds tell the text, so they stay only where every
 * text stands as it came; what a model thought is sealed by a signature, so it is shown as it came or not at all.
 */
export function withTexts(value: JsonValue, leaves: readonly Leaf[], texts: readonly string[]): JsonValue {
  const shown = new Map(leaves.map(({ place }, at) => [JSON.stringify(place), texts[at] ?? '']));
  const changed = leaves.some(({ text }, at) => texts[at] !== text);
  const copy = (member: JsonValue, place: Leaf['place']): JsonValue | undefined => {
    if (typeof member === 'string') return shown.get(JSON.stringify(place)) ?? member;
    if (Array.isArray(member)) {
      return member.flatMap((one, index) => copy(one, [...place, index]) ?? []);
    }
    if (!isJsonObject(member)) return member;
    const made = Object.entries(member).map(([key, one]): [string, JsonValue] => {
      if (isTokenList(key) && changed) return [key, Array.isArray(one) ? [] : null];
      return [key, copy(one, [...place, key]) ?? null];
    });
    const object = Object.fromEntries(made);
    const thought = member['type'] === 'thinking' && object['thinking'] !== member['thinking'];
    return thought ? undefined : object;
  };
  return copy(value, []) ?? null;
}
