// What both wire formats of OpenAI share.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Place, RequestPart } from '../parts.ts';

/** An error in OpenAI's form. */
export function openaiError(status: number, message: string, code: string): JsonObject {
  const type =
    status === 401 ? 'authentication_error' : status >= 500 ? 'api_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code } };
}

/** How the client describes its tools to the model: orders belong there, so they are reported and not blocked. */
export function* toolDescriptions(value: JsonValue | undefined, place: Place): Generator<RequestPart> {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* toolDescriptions(member, [...place, index]);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const at = [...place, key];
      if (key === 'description' && typeof member === 'string' && member !== '') {
        yield { is: 'text', place: at, origin: 'agent', text: member };
      } else yield* toolDescriptions(member, at);
    }
  }
}
