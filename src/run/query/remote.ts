// The schema of a GraphQL server or an API, from the address that the user named.

import { isJsonObject, type JsonValue, messageOf, SallyportError, visible } from '../../core/index.ts';

const answerMs = 15_000;
const mostBytes = 16_777_216;

/** The schema could not be read from its place. */
export class SchemaUnavailable extends SallyportError {}

interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads a text by HTTP; redirects are not followed, since credentials go with the request. */
export async function readAddress({ url, headers }: Address, body?: string): Promise<Answer> {
  const place = placeOf(url);
  try {
    const response = await fetch(url, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: {
        accept: 'application/json, application/yaml, text/plain, */*',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMs),
    });
    return { status: response.status, text: await bounded(response, place) };
  } catch (error) {
    if (error instanceof SchemaUnavailable) throw error;
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new SchemaUnavailable(`cannot connect to ${place}: ${visible(messageOf(why), 200)}`, {
      hint: 'check the address, and that the server runs',
      cause: error,
    });
  }
}

async function bounded(response: Response, place: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw new SchemaUnavailable(`${place} sent more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** An address without what is secret about it. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return visible(url, 200);
  const { protocol, host, pathname } = new URL(url);
  return visible(`${protocol}//${host}${pathname}`, 200);
}

/** The schema of a GraphQL server as SDL, by introspection. */
export async function introspected(address: Address): Promise<string> {
  const { getIntrospectionQuery } = await import('graphql');
  const query = getIntrospectionQuery({ descriptions: true, inputValueDeprecation: false });
  const { status, text } = await readAddress(address, JSON.stringify({ query }));
  const place = placeOf(address.url);
  if (status === 401 || status === 403) throw notAllowed(place, status);
  const answer = jsonOf(text);
  const sdl = await sdlOfIntrospection(answer);
  if (sdl !== null) return sdl;
  throw new SchemaUnavailable(`${place} does not answer introspection (status ${status})`, {
    hint: 'allow introspection on the server for a moment, or add its SDL file instead',
  });
}

/** SDL from the answer to an introspection query; null if it is none. */
export async function sdlOfIntrospection(answer: JsonValue | undefined): Promise<string | null> {
  const data = isJsonObject(answer) && isJsonObject(answer['data']) ? answer['data'] : answer;
  if (!isJsonObject(data) || !isJsonObject(data['__schema'])) return null;
  const { buildClientSchema, printSchema } = await import('graphql');
  try {
    // INVARIANT: the function throws for any input other than an introspection result.
    return printSchema(buildClientSchema(data as unknown as Parameters<typeof buildClientSchema>[0]));
  } catch (error) {
    throw new SchemaUnavailable(
      `the introspection result is not complete: ${visible(messageOf(error), 200)}`,
    );
  }
}

export function notAllowed(place: string, status: number): SchemaUnavailable {
  return new SchemaUnavailable(`${place} refused the request (status ${status})`, {
    hint: "give a credential: --header 'authorization: env:VARIABLE'",
  });
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
