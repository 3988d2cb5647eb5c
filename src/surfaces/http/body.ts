// Reading a request's body: bounded, valid UTF-8, strict JSON.

import { decodeUtf8, InputError, type JsonValue, parseJson, SallyportError } from '../../core/index.ts';

/** The body is larger than the daemon takes. */
export class BodyTooLarge extends SallyportError {}
/** The body is not declared as JSON. */
export class NotJson extends SallyportError {}

/** Reads a JSON body of at most `limit` bytes; a longer one is refused without being read to its end. */
export async function readJsonBody(request: Request, limit: number): Promise<JsonValue> {
  const type = request.headers.get('content-type') ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new NotJson('the body must have the content type application/json');
  }
  const tooLarge = () => new BodyTooLarge(`the body is larger than ${limit} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  if (request.body === null) throw new InputError('the body is missing');
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return parseJson(decodeUtf8(Buffer.concat(chunks)));
}
