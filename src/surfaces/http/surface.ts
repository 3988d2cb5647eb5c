// What the routes of the HTTP surface share: how a request came in, who calls, and how a number is read.

import type { Context as Call } from 'hono';
import { InputError } from '../../core/index.ts';
import { toSend } from '../../decide/index.ts';
import type { ProxyCall } from '../llm/serve.ts';
import type { Caller } from './callers.ts';

/** How the request came in. */
export interface Bindings extends ProxyCall {
  readonly transport: 'tcp' | 'unix';
}

export type Surface = { Bindings: Bindings; Variables: { caller: Caller } };

/** A whole number from the query, if it is there. */
export function whole(value: string | undefined, name: string, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new InputError(`"${name}" must be a whole number between ${min} and ${max}`);
  }
  return number;
}

/** An answer in JSON, however long it is. */
export function jsonAnswer(call: Call<Surface>, value: unknown): Response {
  return call.body(toSend(JSON.stringify(value)), 200, { 'content-type': 'application/json' });
}

/** A receipt as an agent sees it: what happened to which files, and no line of them. */
export function withoutLines<R extends { readonly diffs?: unknown }>(receipt: R): R {
  return { ...receipt, diffs: [] };
}
