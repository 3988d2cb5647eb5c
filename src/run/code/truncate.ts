// A truncated value is still valid JSON, is marked as truncated, and is within its limit.

import type { JsonValue } from '../../core/index.ts';

/** A JSON text within the limit; `truncated` states whether anything is missing. */
export function truncateJson(
  json: string,
  max: number,
): { readonly json: string; readonly truncated: boolean } {
  if (json.length <= max) return { json, truncated: false };
  const value: JsonValue = JSON.parse(json);
  // The omissions are counted, so some of the limit is reserved for the note.
  for (let room = max; room > 0; room = Math.floor(room * 0.8)) {
    const cut = JSON.stringify(fitValue(value, room, 0).value);
    if (cut.length <= max) return { json: cut, truncated: true };
  }
  return { json: 'null', truncated: true };
}

/** Deepest value that is retained when truncation is needed. */
const deepest = 100;

interface Fitted {
  readonly value: JsonValue;
  readonly length: number;
}

/** As much of a value as has room. */
function fitValue(value: JsonValue, room: number, depth: number): Fitted {
  if (typeof value === 'string') return fitText(value, room);
  if (typeof value !== 'object' || value === null) return { value, length: String(value).length };
  if (depth > deepest) return fitText('… (nested too deeply)', room);
  return Array.isArray(value)
    ? fitList(value, room, depth + 1)
    : fitObject(Object.entries(value), room, depth + 1);
}

function fitText(text: string, room: number): Fitted {
  const length = JSON.stringify(text).length;
  if (length <= room) return { value: text, length };
  // A character may take six in JSON.
  const share = Math.max(0, Math.floor((text.length * room) / length) - 32);
  const shown = text.slice(0, share).toWellFormed();
  const value = `${shown}… (${text.length - shown.length} more characters)`;
  return { value, length: JSON.stringify(value).length };
}

function fitList(items: readonly JsonValue[], room: number, depth: number): Fitted {
  const kept: JsonValue[] = [];
  let length = 2;
  for (const [index, item] of items.entries()) {
    const left = room - length - 1;
    const fitted = left < 8 ? null : fitValue(item, left, depth);
    if (fitted === null || fitted.length > left) {
      const rest = `… (${items.length - index} more items)`;
      kept.push(rest);
      length += rest.length + 3;
      break;
    }
    kept.push(fitted.value);
    length += fitted.length + 1;
  }
  return { value: kept, length };
}

function fitObject(entries: readonly (readonly [string, JsonValue])[], room: number, depth: number): Fitted {
  const kept: Record<string, JsonValue> = Object.create(null);
  let length = 2;
  for (const [index, [key, item]] of entries.entries()) {
    const left = room - length - JSON.stringify(key).length - 2;
    const fitted = left < 8 ? null : fitValue(item, left, depth);
    if (fitted === null || fitted.length > left) {
      const rest = `(${entries.length - index} more keys)`;
      kept['…'] = rest;
      length += rest.length + 7;
      break;
    }
    kept[key] = fitted.value;
    length = room - left + fitted.length;
  }
  return { value: kept, length };
}
