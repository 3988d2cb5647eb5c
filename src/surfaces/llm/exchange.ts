// One exchange with a model: the request goes to the provider, and the answer comes back under guard, whole or as it
// flows. It is opened and closed in the records, however it ends.

import type { ServerResponse } from 'node:http';
import {
  type Context,
  countTokens,
  decodeUtf8,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  SallyportError,
  type Verdict,
  type World,
} from '../../core/index.ts';
import type { Decider, DecisionStream } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import {
  askAgain,
  FetchAborted,
  FetchRefused,
  FetchTimedOut,
  generate,
  ResponseRefused,
  recordRejection,
  type Upstream,
  type UpstreamAnswer,
} from '../../run/index.ts';
import { PieceRestorer, restoredIn, type Vault } from '../../run/placeholders.ts';
import { Answer } from './answer.ts';
import { Flow } from './flow.ts';
import { sseText } from './sse.ts';
import { type Leaf, leavesOf, withTexts } from './texts.ts';
import type { Refusal, StreamReader, Usage, Wire } from './wires/wire.ts';

export interface Exchange {
  readonly decider: Decider;
  readonly ledger: Pick<Ledger, 'record'>;
  readonly world: Pick<World, 'now' | 'telemetry'>;
  readonly context: Context;
  readonly wire: Wire;
  readonly upstream: Upstream;
  readonly maxBytes: number;
  /** What the user gave and the model does not see. */
  readonly vault: Vault;
  /** What stands behind the provider's base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request, judged. */
  readonly body: JsonObject;
  /** Ends when the client goes or the daemon stops. */
  readonly signal: AbortSignal;
  /** Whether the client wants the answer as it flows. */
  readonly streams: boolean;
  /** Whether a stopped answer ends as a text, as agent hosts need it. */
  readonly readable: boolean;
  readonly out: ServerResponse;
  /** What the opening record says of it. */
  readonly opening: JsonObject;
}

/** How an exchange ended. */
type Ending = 'complete' | 'blocked' | 'client_gone' | 'daemon_stopped' | 'provider_failed';

/** An answer of the provider's that is no answer of the model's. */
class ProviderSaid extends SallyportError {
  readonly status: number;
  readonly headers: UpstreamAnswer['headers'];
  readonly body: JsonObject | null;

  constructor({ status, headers }: UpstreamAnswer, body: JsonObject | null) {
    super(`the provider answered ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Headers of the provider's that a client may want; any other is about a connection that is not the client's. */
const passedOn =
  /^(?:request-id|x-request-id|retry-after|x-should-retry|openai-(?:model|version|processing-ms|organization)|x-ratelimit-[a-z-]+|anthropic-(?:ratelimit-[a-z-]+|organization-id))$/;

export async function runExchange(exchange: Exchange): Promise<void> {
  const { decider, context, opening, out, wire } = exchange;
  // INVARIANT: nothing goes to the provider before the exchange is on record.
  const stream = await decider.decideStream('response', context, opening);
  const account: Account = { usage: null, attempts: 0 };
  let ending: Ending = 'provider_failed';
  try {
    if (stream.blocked) {
      ending = 'blocked';
      const { verdict } = await stream.end({ ended: ending });
      sendError(out, wire, 403, verdict.explanation, 'refused');
      return;
    }
    ending = await (exchange.streams
      ? streamed(exchange, stream, account)
      : whole(exchange, stream, account));
  } catch (error) {
    ending = endingOf(exchange.signal);
    await failWith(exchange, error);
  } finally {
    const { usage, attempts } = account;
    await stream.end({ ended: ending, usage: usage === null ? null : { ...usage }, attempts });
    if (usage !== null) countTokens(exchange.world.telemetry, usage, String(opening['provider'] ?? ''));
    if (!out.writableEnded) out.end();
  }
}

function endingOf({ aborted, reason }: AbortSignal): Ending {
  if (!aborted) return 'provider_failed';
  return reason instanceof FetchAborted ? 'daemon_stopped' : 'client_gone';
}

/** What an exchange has cost so far. */
interface Account {
  usage: Usage | null;
  attempts: number;
}

async function send(exchange: Exchange, body: JsonObject, account: Account): Promise<UpstreamAnswer> {
  const { upstream, path, headers, signal } = exchange;
  const answer = await upstream.send({
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  account.attempts += answer.attempts;
  return answer;
}

// ── whole answers

async function whole(exchange: Exchange, stream: DecisionStream, account: Account): Promise<Ending> {
  const { decider, ledger, world, context, wire, body, out } = exchange;
  let last: JsonObject = {};
  try {
    const { answer, texts, usage } = await generate({
      decider,
      ledger,
      world,
      context,
      async ask({ instructions }) {
        const asked = instructions === null ? body : wire.instructed(body, instructions);
        const got = await send(exchange, asked, account);
        const came = await readAnswer(got, exchange);
        const restored = restoredIn(came, exchange.vault);
        const said = isJsonObject(restored) ? restored : came;
        last = said;
        const leaves: readonly Leaf[] = [...leavesOf(said)];
        const used = said[wire.usageKey];
        account.usage = added(account.usage, wire.usage(used));
        return {
          texts: leaves.map(({ text }) => text),
          ...(isJsonObject(used) ? { usage: used } : {}),
          got,
          said,
          leaves,
        };
      },
    });
    account.usage = wire.usage(usage) ?? account.usage;
    const refusal = { message: texts[0] ?? '', decisionId: stream.decisionId, readable: exchange.readable };
    if (answer === null) stream.stop([guidelineFinding(refusal.message)]);
    const shown =
      answer === null ? wire.refused(refusal, last) : withTexts(answer.said, answer.leaves, texts);
    const { verdict } = await stream.end(closing(answer === null ? 'blocked' : 'complete', account));
    if (answer !== null && verdict.decision === 'block') {
      sendError(out, wire, 403, verdict.explanation, 'refused');
      return 'blocked';
    }
    sendJson(out, 200, shown, answer?.got.headers ?? [], stream.decisionId);
    return answer === null ? 'blocked' : 'complete';
  } catch (error) {
    if (error instanceof ProviderSaid) return await passOn(exchange, error, stream);
    if (!(error instanceof ResponseRefused)) throw error;
    stream.stop(error.verdict.findings);
    await stream.end(closing('blocked', account));
    const refusal = refusalOf(exchange, error.message, stream.decisionId);
    if (exchange.readable) sendJson(out, 200, wire.refused(refusal, last), [], stream.decisionId);
    else sendError(out, wire, 400, error.message, 'content_filter');
    return 'blocked';
  }
}

function guidelineFinding(message: string) {
  return { rule: 'refused', guard: 'response', decision: 'block', contract: 'AG-OUT-2', message } as const;
}

function closing(ended: Ending, { usage, attempts }: Account): JsonObject {
  return { ended, usage: usage === null ? null : { ...usage }, attempts };
}

function added(before: Usage | null, more: Usage | null): Usage | null {
  if (before === null || more === null) return more ?? before;
  return { input: before.input + more.input, output: before.output + more.output };
}

/** The model's answer; throws `ProviderSaid` where the provider has something else to say. */
async function readAnswer(answer: UpstreamAnswer, exchange: Exchange): Promise<JsonObject> {
  const { upstream, maxBytes, signal } = exchange;
  const text = decodeUtf8(await upstream.whole(answer.body, maxBytes, signal));
  let value: JsonValue | null = null;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // Told below: what is no JSON is no answer.
  }
  const body = isJsonObject(value) ? value : null;
  if (answer.status !== 200 || body === null) throw new ProviderSaid(answer, body);
  return body;
}

/** What the provider says of itself goes on, if it may be shown. */
async function passOn(
  exchange: Exchange,
  said: ProviderSaid,
  stream: DecisionStream,
): Promise<'provider_failed'> {
  const { wire, out } = exchange;
  if (said.body !== null && said.status !== 200 && (await mayShow(exchange, said.body))) {
    sendJson(out, said.status, said.body, said.headers, stream.decisionId);
  } else {
    const status = said.status >= 400 ? said.status : 502;
    sendError(
      out,
      wire,
      status,
      `the provider answered ${said.status} with something unreadable`,
      'upstream_failed',
    );
  }
  return 'provider_failed';
}

/** Whether a whole JSON text may be shown as it is. */
export async function mayShow(
  { decider, context }: Pick<Exchange, 'decider' | 'context'>,
  body: JsonObject,
): Promise<boolean> {
  const text = JSON.stringify(body);
  const { cleared } = await decider.decide({ kind: 'response', text }, context);
  return cleared !== null && cleared.action.text === text;
}

// ── answers that flow

/** An answer that flowed, or did not; what was stopped has not reached the client yet. */
type Flowed =
  | { readonly ended: Exclude<Ending, 'blocked'> }
  | {
      readonly ended: 'blocked';
      readonly flow: Flow;
      readonly answer: Answer;
      readonly reader: StreamReader;
      readonly verdict: Verdict;
    };

/** An answer that is stopped before any of it was shown is asked for once more; after that it ends for the client. */
async function streamed(exchange: Exchange, stream: DecisionStream, account: Account): Promise<Ending> {
  const first = await flowed(exchange, exchange.body, stream, account);
  if (first.ended !== 'blocked') return first.ended;
  const instructions = first.flow.isHeld ? askAgain(first.verdict.findings) : null;
  if (instructions === null) return await endBlocked(exchange, first);
  await recordRejection(exchange, first.verdict, 1);
  const body = exchange.wire.instructed(exchange.body, instructions);
  const opening = { ...exchange.opening, regenerates: stream.decisionId };
  const again = await exchange.decider.decideStream('response', exchange.context, opening);
  const own: Account = { usage: null, attempts: 0 };
  let ending: Ending = 'provider_failed';
  try {
    const second = await flowed(exchange, body, again, own);
    ending = second.ended;
    return second.ended === 'blocked' ? await endBlocked(exchange, second) : second.ended;
  } finally {
    account.usage = added(account.usage, own.usage);
    await again.end(closing(ending, own));
  }
}

async function endBlocked(
  exchange: Exchange,
  { flow, answer, reader, verdict }: Extract<Flowed, { ended: 'blocked' }>,
): Promise<'blocked'> {
  const { wire, body, readable } = exchange;
  const refusal = refusalOf(exchange, verdict.explanation, verdict.decisionId);
  // A host could take the beginning of a call that it sees for a call; where nothing was shown, nothing is.
  const isFresh = readable && flow.discard();
  const frames = (isFresh ? wire.open(answer, body) : reader).blocked(refusal);
  await flow.write(frames, wire.farewell);
  return 'blocked';
}

/** Lets one answer flow from the provider to the client, to its end or to where it is stopped. */
async function flowed(
  exchange: Exchange,
  body: JsonObject,
  stream: DecisionStream,
  account: Account,
): Promise<Flowed> {
  const { wire, out, maxBytes } = exchange;
  const got = await send(exchange, wire.prepared(body), account);
  const type = got.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (got.status !== 200 || !/^text\/event-stream\b/i.test(type)) {
    const said = await readAnswer(got, exchange).catch((error: unknown) => {
      if (error instanceof ProviderSaid) return error;
      throw error;
    });
    const problem = said instanceof ProviderSaid ? said : new ProviderSaid(got, null);
    return { ended: await passOn(exchange, problem, stream) };
  }
  const answer = new Answer(stream, maxBytes, new PieceRestorer(exchange.vault));
  const reader = wire.open(answer, body);
  const begin = () => writeHead(out, 200, 'text/event-stream; charset=utf-8', got.headers, stream.decisionId);
  const flow = new Flow({ ...exchange, begin }, answer, reader);
  try {
    await flow.pump(got.body);
  } finally {
    got.body.destroy();
    account.usage = reader.usage;
  }
  if (!answer.blocked && !flow.complete) {
    // A stream that merely stops would look complete to some clients.
    await flow.write(reader.broken ? [] : [wire.failed('the provider ended the answer early')]);
    return { ended: 'provider_failed' };
  }
  await flow.finish();
  const { verdict } = await stream.end(closing(answer.blocked ? 'blocked' : 'complete', account));
  if (verdict.decision === 'block') return { ended: 'blocked', flow, answer, reader, verdict };
  await flow.write(flow.last, wire.farewell);
  return { ended: 'complete' };
}

// ── what the client receives

/** Why an answer was stopped. An agent host shows the text to its user, so it names us and says where to look. */
function refusalOf({ readable }: Exchange, why: string, decisionId: string): Refusal {
  const message = readable
    ? `[Sallyport stopped this answer of the model. ${why} Details: sallyport why ${decisionId}]`
    : why;
  return { message, decisionId, readable };
}

async function failWith({ wire, out, signal }: Exchange, error: unknown): Promise<void> {
  if (signal.aborted && !(signal.reason instanceof FetchAborted)) return;
  const known = error instanceof SallyportError;
  const message = known ? messageOf(error) : 'the exchange with the provider failed';
  const status = error instanceof FetchTimedOut ? 504 : error instanceof FetchRefused ? 403 : 502;
  if (!out.headersSent) sendError(out, wire, status, message, 'upstream_failed');
  else if (!out.writableEnded && !out.destroyed) {
    const { event, data } = wire.failed(message);
    out.write(sseText(event, JSON.stringify(data)));
  }
}

export function sendError(
  out: ServerResponse,
  wire: Pick<Wire, 'error'>,
  status: number,
  message: string,
  code: string,
): void {
  sendJson(out, status, wire.error(status, message, code), [], null);
}

export function sendJson(
  out: ServerResponse,
  status: number,
  body: JsonValue,
  headers: UpstreamAnswer['headers'],
  decisionId: string | null,
): void {
  if (out.headersSent || out.destroyed) return;
  writeHead(out, status, 'application/json', headers, decisionId);
  out.end(JSON.stringify(body));
}

function writeHead(
  out: ServerResponse,
  status: number,
  type: string,
  headers: UpstreamAnswer['headers'],
  decisionId: string | null,
): void {
  for (const [name, value] of headers) if (passedOn.test(name)) out.setHeader(name, value);
  if (decisionId !== null) out.setHeader('x-sallyport-decision', decisionId);
  out.setHeader('cache-control', 'no-store');
  out.setHeader('x-content-type-options', 'nosniff');
  out.setHeader('content-type', type);
  out.writeHead(status);
}
