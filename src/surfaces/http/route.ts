// A route of the HTTP surface, declared once: how it is called, who may call it, what it takes, what it answers and what it
// does. Dispatch, the check of roles, the OpenAPI document, the reference page and the types of clients come from that.

import type { Context as Call } from 'hono';
import type { ApproverFile, Config, HomePaths } from '../../config/index.ts';
import {
  decodeUtf8,
  InputError,
  type JsonObject,
  type JsonValue,
  parseJson,
  SallyportError,
  type World,
} from '../../core/index.ts';
import { type Infer, named, optional, readShape, reply, type Shape, texts, words } from '../../core/shape.ts';
import { type Decider, toSend, turnFor } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Captures } from '../../run/index.ts';
import type { HookFiles, HostSessions } from '../hooks/index.ts';
import type { LlmProxy, ProxyCall } from '../llm/serve.ts';
import { type Access, type Caller, type Callers, type Rule, requireAccess } from './callers.ts';
import type { Feed } from './feed.ts';
import type { HostControl } from './host-control.ts';
import type { Durations } from './log.ts';
import type { Screen } from './screen.ts';
import type { Streams } from './streams.ts';

// ── What the routes of the HTTP surface share: how a request came in, how its body is read, and how an answer is sent.

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

// ── What a route takes beside its body: steps of its path, members of the query, and headers. Each is declared once; it is
// read, described in the document and typed for the handler by that.

export interface Parameter<T> {
  readonly in: 'path' | 'query' | 'header';
  /** What it is called over the wire, where that is not its key. */
  readonly name?: string;
  readonly schema: JsonObject;
  readonly says: string;
  /** A call without it is refused; a step of the path is always there. */
  readonly required?: true;
  /** The answers that it may lead to, by status. */
  readonly leadsTo?: Readonly<Record<number, string>>;
  /** Throws where a value does not fit, or must be there and is not. */
  read(value: string | undefined, name: string): T;
}

/** A whole number in the query. */
export function wholeNumber(min: number, max: number, says: string): Parameter<number | undefined> {
  const most = max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max };
  return {
    in: 'query',
    schema: { type: 'integer', minimum: min, ...most },
    says,
    read: (value, name) => (value === undefined ? undefined : wholeIn(value, name, min, max)),
  };
}

/** A whole number as a step of the path. */
export function numberedStep(min: number, max: number, says: string): Parameter<number> {
  const schema = { type: 'integer' };
  return { in: 'path', schema, says, read: (value, name) => wholeIn(value ?? '', name, min, max) };
}

/** Words in the query; none where it is empty. */
export function wordsIn(says: string): Parameter<string | undefined> {
  return { in: 'query', schema: { type: 'string' }, says, read: (value) => value || undefined };
}

/** A time in the query, in milliseconds; over the wire such as 2026-01-31T10:00:00Z. */
export function time(says: string): Parameter<number | undefined> {
  return {
    in: 'query',
    schema: { type: 'string', format: 'date-time' },
    says,
    read: (value, name) => {
      if (value === undefined || value === '') return undefined;
      const at = Date.parse(value);
      if (Number.isNaN(at)) throw new InputError(`"${name}" must be a time such as 2026-01-31T10:00:00Z`);
      return at;
    },
  };
}

function wholeIn(value: string, name: string, min: number, max: number): number {
  const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new InputError(`"${name}" must be a whole number between ${min} and ${max}`);
  }
  return number;
}

// ── the route

/** What every refusal says. */
export const refusal = named('Error', reply({ ...texts('error', 'name'), hint: optional(words) }));
export type Refusal = Infer<typeof refusal>;

/** What the handlers of routes work with. */
export interface Parts {
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly config: Config;
  readonly world: World;
  readonly paths: Pick<HomePaths, 'snapshots' | 'sessions'>;
  readonly captures: Captures;
  readonly hookFiles: HookFiles;
  readonly hostSessions: () => HostSessions;
  readonly streams: Streams;
  readonly callers: Callers;
  readonly owner: { readonly user: string; readonly tenant: string };
  /** The owner's wrapped key, which a passphrase opens. */
  readonly wrappedKey: () => ApproverFile;
  readonly stopping: AbortSignal;
  readonly durations: Durations;
  readonly screen: Screen;
  readonly feed: Feed;
  readonly version: string;
  readonly hostControl?: HostControl;
  /** The port of the TCP listener, once it is known. */
  readonly port: () => number;
  /** Loaded with the first call to a model. */
  readonly llm: () => Promise<Pick<LlmProxy, 'serve'>>;
  /** What a caller may call, by the names of routes. */
  readonly callsOf: (caller: Caller) => readonly string[];
  readonly document: () => JsonObject;
}

/** A method, and a path whose steps that vary begin with a colon. */
export type RouteName = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;

type StepsOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Step}/${infer More}`
    ? Step | StepsOf<More>
    : Rest
  : never;
type Parameters = Readonly<Record<string, Parameter<unknown>>>;
type Given<Name extends string, P extends Parameters> = {
  readonly [K in Exclude<StepsOf<Name>, keyof P>]: string;
} & { readonly [K in keyof P]: ReturnType<P[K]['read']> };

/** A call of a route, as its handler sees it. */
interface Asked<Name extends string, P extends Parameters, Body, A> {
  readonly call: Call<Surface>;
  readonly caller: A extends Rule ? Caller : null;
  readonly given: Given<Name, P>;
  readonly body: Body;
}

interface Declaration<Name extends string, P extends Parameters, Body, Answer, A extends Access> {
  readonly summary: string;
  readonly access: A;
  /** Rights beyond those of the route that something in its body needs, by what it is called with. */
  readonly rights?: Readonly<Record<string, Rule>>;
  readonly parameters?: P;
  /** Its shape, and the longest that it may be in bytes, where that is less than the configuration says. */
  readonly body?: Shape<Body> | readonly [Shape<Body>, number];
  readonly answer: readonly [says: string, shape: Shape<Answer>];
  /** What the answer is, where that is not JSON. */
  readonly contentType?: string;
  /** The status of the answer, where that is not 200. */
  readonly status?: 201;
  /** Other answers by status: with the shape of an error, unless they have one of their own. */
  readonly also?: Readonly<Record<number, string | readonly [says: string, shape: Shape<unknown>]>>;
  /** An agent asks by it: it is there on the socket for agents. */
  readonly asking?: true;
  /** It gives a verdict, whatever is wrong: a block that says why. */
  readonly verdict?: true;
  handle(
    parts: Parts,
    asked: Asked<Name, P, Body, A>,
  ): NoInfer<Answer> | Sent | Promise<NoInfer<Answer> | Sent>;
}

/** An answer that is not the usual one: of another status or type, or sent already. */
export class Sent {
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
  }
}

/** A route as what serves and describes it knows it. */
export interface Route extends Omit<Declaration<string, Parameters, unknown, unknown, Access>, 'handle'> {
  readonly name: RouteName;
  readonly method: string;
  readonly path: string;
  readonly parameters: Parameters;
  serve(call: Call<Surface>, parts: Parts): Promise<Response>;
}

/** A route, with the types that its clients use. */
interface TypedRoute<Name extends RouteName, Answer> extends Route {
  readonly name: Name;
  readonly answer: readonly [says: string, shape: Shape<Answer>];
}

/** Declares a route. */
export function route<
  const Name extends RouteName,
  Answer,
  const A extends Access,
  P extends Parameters = Record<never, never>,
  Body = undefined,
>(name: Name, declared: Declaration<Name, P, Body, Answer, A>): TypedRoute<Name, Answer> {
  const { handle, access, status = 200 } = declared;
  // The proxy reads what it is sent by itself.
  const [shape, bodyLimit] = access === 'proxy' ? [] : bodyOf(declared.body);
  const [method = '', path = ''] = name.split(' ');
  const steps = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, step = '']) => [step, anyStep]));
  const parameters: Parameters = { ...steps, ...declared.parameters };
  const readers = Object.entries(parameters);

  async function serve(call: Call<Surface>, parts: Parts): Promise<Response> {
    const caller = typeof access === 'string' ? null : await admitted(call, parts, access);
    // Other calls than those for verdicts are refused where nothing can be recorded.
    const refused = caller === null || declared.verdict ? null : parts.ledger.refused();
    if (refused !== null) throw refused;
    const given = Object.fromEntries(readers.map(([key, reader]) => [key, readFrom(call, key, reader)]));
    const body =
      shape === undefined
        ? undefined
        : readShape(shape, await readJsonBody(call.req.raw, bodyLimit ?? parts.config.daemon.bodyLimitBytes));
    // INVARIANT: each of them was made by what the declaration's types say.
    const answer = await handle(parts, { call, caller, given, body } as Asked<Name, P, Body, A>);
    return answer instanceof Sent ? answer.response : jsonAnswer(call, answer, status);
  }
  return { ...declared, name, method, path, parameters, serve };
}

/** The shape of a body, and its limit where it has one of its own. */
export function bodyOf<T>(
  body: Shape<T> | readonly [Shape<T>, number] | undefined,
): readonly [shape?: Shape<T>, limit?: number] {
  return body === undefined ? [] : 'read' in body ? [body] : body;
}

const anyStep: Parameter<string> = {
  in: 'path',
  schema: { type: 'string' },
  says: 'The id',
  read: (value) => value ?? '',
};

async function admitted(call: Call<Surface>, { callers }: Parts, rule: Rule): Promise<Caller> {
  const caller = await callers.identify(call.req.header('authorization') ?? null);
  requireAccess(caller, rule);
  return caller;
}

function readFrom({ req }: Call<Surface>, key: string, { in: place, name = key, read }: Parameter<unknown>) {
  const value = place === 'header' ? req.header(name) : place === 'query' ? req.query(name) : req.param(name);
  return read(value, name);
}
