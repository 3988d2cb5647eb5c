// Reading a request's body: bounded, valid UTF-8, strict JSON.

import { decodeUtf8, InputError, type JsonValue, parseJson, SallyportError } from '../../core/index.ts';
import { turnFor } from '../../decide/index.ts';

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
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) throw new InputError('the body is missing');
  const turn = turnFor(bytes.length);
  if (turn !== undefined) await turn;
  const value = parseJson(decodeUtf8(bytes));
  // What is made of it takes its time too.
  if (turn !== undefined) await turnFor(bytes.length);
  return value;
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new BodyTooLarge(`the body is larger than ${limit} bytes`);
  const declared = request.headers.get('content-length');
  // The server lets no more through than was declared, so a declared length is taken at its word, and read at once.
  if (declared !== null) {
    if (!(Number(declared) <= limit)) throw tooLarge();
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
