// What the routes of the HTTP surface share: how a request came in, how its body is read, and how an answer is sent.

import type { Context as Call } from 'hono';
import { decodeUtf8, InputError, type JsonValue, parseJson, SallyportError } from '../../core/index.ts';
import { toSend, turnFor } from '../../decide/index.ts';
import type { ProxyCall } from '../llm/serve.ts';

/** How the request came in. */
export interface Bindings extends ProxyCall {
  readonly transport: 'tcp' | 'unix';
}

export type Surface = { Bindings: Bindings };

/** An answer in JSON, however long it is. */
export function jsonAnswer(
  call: Call<Surface>,
  value: unknown,
  status: 200 | 201 | 409 | 503 = 200,
): Response {
  return call.body(toSend(JSON.stringify(value)), status, { 'content-type': 'application/json' });
}

/** A receipt as an agent sees it: what happened to which files, and no line of them. */
export function withoutLines<R extends { readonly diffs?: unknown }>(receipt: R): R {
  return { ...receipt, diffs: [] };
}

// ── Reading a request's body: bounded, valid UTF-8, strict JSON.

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
