// What the routes of the HTTP surface share: how a request came in, and how an answer is sent.

import type { Context as Call } from 'hono';
import { toSend } from '../../decide/index.ts';
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
