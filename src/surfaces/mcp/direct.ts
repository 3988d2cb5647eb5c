// A plain call is taken from Node's server and answered to it, since turning its request into one of the web and
// the answer back takes as long as judging the call. Whatever is not understood, or goes wrong, is handed on as it came.

import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { attempt, isPending, type MaybePromise, type Telemetry, whenReady } from '../../core/index.ts';
import { toSend } from '../../decide/index.ts';
import type { Principal } from '../../ledger/index.ts';
import { batchTick } from '../../run/batch-tick.ts';

interface Identified {
  readonly principal: Principal;
}

/** What answers a plain call; nothing where the call is not plain after all. */
interface PlainEndpoint {
  plain(
    incoming: IncomingMessage,
    bytes: Uint8Array,
    principal: Principal,
    stop: AbortController,
  ): Promise<string | undefined>;
}

export interface DirectOptions {
  readonly endpoint: () => Promise<PlainEndpoint>;
  /** Throws where a request did not come from where it must. */
  readonly admit: (incoming: IncomingMessage) => void;
  /** Who calls; throws where nobody is known. */
  readonly identify: (authorization: string | null) => MaybePromise<Identified>;
  readonly bodyLimitBytes: number;
  readonly telemetry: Telemetry | undefined;
  readonly stopping: AbortSignal;
  readonly answered: (status: number, started: number) => void;
}

/** The revision whose messages plain calls are. */
export const revision = '2026-07-28';
export const method = 'tools/call';

/** Takes the plain calls of the requests to `/mcp`; the listener is handed everything else. */
export function directly(options: DirectOptions, next: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const { method: verb, headers } = incoming;
    if (verb !== 'POST' || !looksPlain(headers, options.bodyLimitBytes)) return next(incoming, outgoing);
    const { telemetry } = options;
    const work = () => take(options, next, incoming, outgoing);
    void (telemetry === undefined ? work() : telemetry.within(headers, work));
  };
}

/** Whether a request says of itself that it is such a call, in so many bytes at most. */
export function looksPlain(headers: IncomingHttpHeaders, mostBytes: number): boolean {
  return (
    headers['mcp-method'] === method &&
    headers['mcp-protocol-version'] === revision &&
    headers['content-type'] === 'application/json' &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length']) <= mostBytes
  );
}

/** INVARIANT: never throws, and the sender of a whole request is answered once. */
async function take(
  options: DirectOptions,
  next: RequestListener,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const started = performance.now();
  await batchTick();
  // INVARIANT: of somebody whom nobody knows, no body is kept.
  const asking = known(options, incoming);
  const principal = isPending(asking) ? await asking : asking;
  if (principal === undefined) return next(incoming, outgoing);
  const body = cameWith(incoming) ?? (await wholeBody(incoming));
  // Nobody is there any more.
  if (body === undefined) return;
  const stop = new AbortController();
  const giveUp = () => stop.abort();
  outgoing.once('close', giveUp);
  let text: string | undefined;
  try {
    text = await (await options.endpoint()).plain(incoming, body, principal, stop);
  } catch {
    // The listener tells what is wrong.
  }
  outgoing.off('close', giveUp);
  if (text === undefined && !stop.signal.aborted) {
    // Where the body was read already, the listener finds it here.
    next(Object.assign(incoming, { rawBody: body }), outgoing);
    return;
  }
  const status = text === undefined ? 499 : 200;
  const answer = toSend(text ?? '');
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(options.stopping.aborted ? { connection: 'close' } : {}),
  });
  outgoing.end(answer);
  options.answered(status, started);
}

/** Who calls, if that is somebody whose calls are judged. */
function known(
  { admit, identify }: DirectOptions,
  incoming: IncomingMessage,
): MaybePromise<Principal | undefined> {
  return attempt(
    () => {
      admit(incoming);
      return whenReady(identify(incoming.headers.authorization ?? null), ({ principal }) =>
        principal.scope === 'decide' ? principal : undefined,
      );
    },
    () => undefined,
  );
}

/** The body, where all of it came with the head, as a short one does. */
function cameWith(incoming: IncomingMessage): Buffer | undefined {
  return incoming.complete && !incoming.destroyed ? (incoming.read() ?? undefined) : undefined;
}

/** INVARIANT: Node's server lets no more through than was declared, and that was looked at. */
function wholeBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    if (incoming.destroyed) resolve(undefined);
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.once('end', () => resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
    incoming.once('close', () => resolve(undefined));
    incoming.once('error', () => resolve(undefined));
  });
}
