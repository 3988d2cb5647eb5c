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
  ...['finish_reason', 'stop_reason', 'reason', 'code', 'format', 'media_type', 'mime_type', 'detail'],
  ...['effort', 'verbosity', 'truncation', 'tool_choice', 'ttl', 'inference_geo', 'speed'],
]);

/** Strings that nobody but the provider can read, and that break when touched. */
const sealed: ReadonlySet<string> = new Set([
  ...['signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout', 'thought_signature'],
]);

const nameLike = /^[\w.:/@+=,-]{0,256}$/;

/** Whether a string at a key is one that is passed on as it is. */
export function isName(key: string, value: string): boolean {
  return value === '' || sealed.has(key) || (names.has(key) && nameLike.test(value));
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
