// What both wire formats of OpenAI share.

import type { JsonObject } from '../../../core/index.ts';

/** An error in OpenAI's form. */
export function openaiError(status: number, message: string, code: string): JsonObject {
  const type =
    status === 401 ? 'authentication_error' : status >= 500 ? 'api_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code } };
}
