// Sends a query to a GraphQL server or an API, by the guarded fetch: the request itself is judged on the one request
// path.

import type { DocumentNode, SelectionSetNode } from 'graphql';
import { isJsonObject, type JsonObject, type JsonValue, messageOf, visible } from '../../core/index.ts';
import type { Cleared } from '../../decide/cleared.ts';
import { carrierGuards } from '../../guards/index.ts';
import { apiFrom } from '../../guards/query/rest/api.ts';
import { pruned } from '../../guards/query/rest/described.ts';
import { operationOf } from '../../guards/query/rest/read.ts';
import { shownSchema } from '../../guards/query/shown.ts';
import { FetchTimedOut } from '../errors.ts';
import { type FetchResult, guardedFetch } from '../fetch.ts';
import { QueryFailed, QueryRefused, QueryTimedOut } from './errors.ts';
import type { ExecuteOptions } from './result.ts';
import { fitted, type Raw, withoutFields } from './result.ts';

export async function runGraphql(cleared: Cleared<'query'>, options: ExecuteOptions): Promise<Raw> {
  const { source } = options;
  const { operations } = cleared.facts;
  const asksForSchema = Array.isArray(operations) && operations.some((name) => String(name).startsWith('__'));
  if (asksForSchema) return await introspected(cleared, options);
  if (source.url === null) throw new QueryFailed('nothing says where the server is');
  const { text, variables = {} } = cleared.action;
  const response = await send(cleared, options, source.url, 'POST', {
    headers: {
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: text, variables }),
  });
  const answer = jsonOf(response);
  if (!isJsonObject(answer) || (answer['data'] === undefined && answer['errors'] === undefined)) {
    throw new QueryFailed(
      `the server answered with status ${response.status}, and not in the words of GraphQL`,
    );
  }
  const { parse } = await import('graphql');
  const { value, truncated } = fitted(answer['data'] ?? null, source.mode);
  const errors = Array.isArray(answer['errors']) ? answer['errors'] : [];
  return {
    data: {
      data: selected(value, parse(text)),
      ...(errors.length === 0 ? {} : { errors: errors.map(publicError) }),
    },
    rows: null,
    truncated,
    warnings: [],
  };
}

/**
 * The answer to a question for the schema. INVARIANT: it is made of what is shown of the schema, and not by the server,
 * so that it holds no name that the source hides.
 */
async function introspected(cleared: Cleared<'query'>, { source, world }: ExecuteOptions): Promise<Raw> {
  const { buildSchema, execute, parse } = await import('graphql');
  const { text, variables = {} } = cleared.action;
  const schema = source.schema === null ? null : (world.schemaText ?? world.readText)(source.schema);
  const shown = await shownSchema(source, schema, world.readers);
  const answer = await execute({
    schema: buildSchema(shown, { assumeValid: true }),
    document: parse(text),
    variableValues: variables,
  });
  // Its result has no prototypes, and is JSON.
  const data = JSON.parse(JSON.stringify(answer)) as JsonObject;
  const { value, truncated } = fitted(data, source.mode);
  return { data: value, rows: null, truncated, warnings: [] };
}

/** The message of an error for users; any other data that a server puts into one is dropped. */
function publicError(error: JsonValue): JsonObject {
  const { message, path } = isJsonObject(error) ? error : {};
  return {
    message: typeof message === 'string' ? visible(message, 300) : 'the server gave an error',
    ...(Array.isArray(path) ? { path } : {}),
  };
}

/**
 * Of an answer what the query selects, and nothing that a server adds. INVARIANT: a field that is blocked is not
 * selected, or the query had not been cleared; so it is not in here either.
 */
function selected(data: JsonValue, document: DocumentNode): JsonValue {
  const fragments = new Map(
    document.definitions.flatMap((one) =>
      one.kind === 'FragmentDefinition' ? [[one.name.value, one.selectionSet] as const] : [],
    ),
  );
  const keysOf = (
    sets: readonly SelectionSetNode[],
    keys = new Map<string, SelectionSetNode[]>(),
    seen = new Set<string>(),
  ) => {
    for (const selection of sets.flatMap(({ selections }) => selections)) {
      if (selection.kind === 'Field') {
        const key = selection.alias?.value ?? selection.name.value;
        keys.set(key, [
          ...(keys.get(key) ?? []),
          ...(selection.selectionSet ? [selection.selectionSet] : []),
        ]);
      } else if (selection.kind === 'InlineFragment') keysOf([selection.selectionSet], keys, seen);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        keysOf(
          [fragments.get(selection.name.value)].filter((set) => set !== undefined),
          keys,
          seen,
        );
      }
    }
    return keys;
  };
  const only = (value: JsonValue, sets: readonly SelectionSetNode[]): JsonValue => {
    if (sets.length === 0) return value;
    if (Array.isArray(value)) return value.map((member) => only(member, sets));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      [...keysOf(sets)].flatMap(([key, below]) => {
        const member = Object.hasOwn(value, key) ? value[key] : undefined;
        return member === undefined ? [] : [[key, only(member, below)]];
      }),
    );
  };
  const operations = document.definitions.filter((one) => one.kind === 'OperationDefinition');
  return only(
    data,
    operations.map(({ selectionSet }) => selectionSet),
  );
}

export async function runRest(cleared: Cleared<'query'>, options: ExecuteOptions): Promise<Raw> {
  const { source, world } = options;
  const { rest } = source.mode;
  const schema = source.schema === null ? null : (world.schemaText ?? world.readText)(source.schema);
  const api = apiFrom(schema ?? '');
  const base = source.url === null ? api.base : URL.parse(source.url);
  if (base === null) throw new QueryFailed('nothing says where the API is');
  // INVARIANT: the guard has read this text as a request to the API, so it is one.
  const {
    method,
    url,
    headers = {},
    body,
  } = JSON.parse(cleared.action.text) as {
    readonly method: string;
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: JsonValue;
  };
  const address = url.startsWith('/') ? `${base.origin}${base.pathname.replace(/\/$/, '')}${url}` : url;
  const type = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const response = await send(cleared, options, address, method.toUpperCase(), {
    headers: { ...headers, ...(body === undefined || type ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const hidden = [...rest.internalBlockedFields, ...rest.outputBlockedFields];
  const content = response.body.length === 0 ? null : contentOf(response, hidden);
  const { answers } = operationOf(api, method.toUpperCase(), url, base);
  const described = pruned(api.document, answers, content, {
    blocked: hidden,
    onlyDescribed: rest.onlyDescribed,
  });
  const kept = withoutFields(described, hidden);
  const { status } = response;
  if (Array.isArray(kept)) {
    const rows = kept.slice(0, source.mode.maxResultRows);
    const list = { rows, wrap: (some: readonly JsonValue[]) => ({ status, body: [...some] }) };
    const truncated = rows.length < kept.length;
    return { data: list.wrap(rows), rows: rows.length, truncated, warnings: [], list };
  }
  const { value, truncated } = fitted(kept, source.mode);
  return { data: { status, body: value }, rows: null, truncated, warnings: [] };
}

/** JSON as such; a text only where nothing has to be taken out of it by name. */
function contentOf(response: FetchResult, hidden: readonly string[]): JsonValue {
  const type = response.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return jsonOf(response);
  if (hidden.length === 0 && /^text\//i.test(type)) return textOf(response);
  throw new QueryFailed('the API answered with something that is not JSON');
}

function jsonOf(response: FetchResult): JsonValue {
  try {
    return JSON.parse(textOf(response)) as JsonValue;
  } catch {
    throw new QueryFailed(`the source answered with status ${response.status}, and not in JSON`);
  }
}

function textOf({ body }: FetchResult): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new QueryFailed('the source answered with something that is no text');
  }
}

async function send(
  { context }: Cleared<'query'>,
  { decider, source, settings, signal }: ExecuteOptions,
  url: string,
  method: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
): Promise<FetchResult> {
  const origin = URL.parse(source.url ?? url)?.origin ?? url;
  const [own = [], ...others] = settings.egressAllowlists;
  // The user's own file names the source, and so the place that it is at; a workspace's list may still leave it out.
  const listing = { ...settings, egressAllowlists: [[...own, withPort(origin)], ...others] };
  const carrier = decider.under({ settings: () => listing, guards: carrierGuards });
  // The source's own headers take precedence: a model must not choose the identity of its requests.
  const theirs = Object.entries(request.headers).filter(
    ([name]) => !Object.keys(source.headers).some((own) => own.toLowerCase() === name.toLowerCase()),
  );
  const action = {
    kind: 'fetch',
    url,
    method,
    headers: { ...Object.fromEntries(theirs), ...source.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
  } as const;
  const { verdict, cleared } = await carrier.decide(action, context);
  if (cleared === null) throw new QueryRefused(verdict);
  try {
    return await guardedFetch(cleared, {
      decider: carrier,
      // A source that leads elsewhere is not the source of the configuration.
      settings: { ...settings.fetch, timeoutMs: source.mode.timeoutMs, maxRedirects: 0 },
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (error instanceof FetchTimedOut) throw new QueryTimedOut(error.message, { cause: error });
    throw new QueryFailed(`the source did not answer: ${messageOf(error)}`, { cause: error });
  }
}

/** An origin in the format of allowlists: always with its port, so that no other one matches. */
function withPort(origin: string): string {
  if (/:\d+$/.test(origin)) return origin;
  return `${origin}:${origin.startsWith('https:') ? 443 : 80}`;
}
