// The events of one stream, from the provider to the client: read, judged, and shown as they may be.

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { isJsonObject, type JsonObject, type JsonValue, type MaybePromise } from '../../core/index.ts';
import type { Answer } from './answer.ts';
import { takeBatches } from './batches.ts';
import { ResponseTemplate } from './response-template.ts';
import { BrokenStream, type SseEvent, SseReader, sseText } from './sse.ts';
import type { Frame, StreamReader, Wire } from './wires/wire.ts';

/** What a stream is about. */
interface FlowOptions {
  readonly wire: Pick<Wire, 'joined'>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly out: Pick<ServerResponse, 'write' | 'destroyed' | 'once' | 'off'>;
  /** Called before the first event is sent. */
  readonly begin?: () => void;
}

/** Most events that wait for the verdict on a whole stream. */
const mostLast = 256;

/** Most events whose template is learned in vain: those of some providers are never alike. */
const mostTrials = 8;

/** Most events that wait for the text after them. */
const mostAwaiting = 4096;

/** Events before the first text are held so long, and so many characters of them. */
const longestHeldMs = 10_000;
const mostHeld = 65_536;

export class Flow {
  readonly #options: FlowOptions;
  readonly #answer: Answer;
  readonly #reader: StreamReader;
  /** Events that say that the answer is complete. */
  readonly last: Frame[] = [];
  #done = false;
  /**
   * Events that are not sent yet; null once some were. While nothing of the model's was shown, its answer can be stopped
   * and asked for again without a trace.
   */
  #held: string | null = '';
  /** Events that wait for the text after them, with which they could tell a secret. */
  #awaiting: Frame[] = [];
  readonly #began = performance.now();
  /** How the event before looked, if that is all that need be known of the next. */
  #template: ResponseTemplate | null = null;
  #trials = mostTrials;

  constructor(options: FlowOptions, answer: Answer, reader: StreamReader) {
    this.#options = options;
    this.#answer = answer;
    this.#reader = reader;
  }

  /** Whether the client has seen nothing yet. */
  get isHeld(): boolean {
    return this.#held !== null;
  }

  /** Drops what is held; says whether everything was. */
  discard(): boolean {
    if (this.#held === null) return false;
    this.#held = '';
    return true;
  }

  get complete(): boolean {
    return this.#done || this.#reader.complete;
  }

  /** Takes everything that the provider sends, until it ends or something stops it. */
  async pump(body: Readable): Promise<void> {
    const events = new SseReader(this.#options.maxBytes);
    try {
      await takeBatches(body, (chunks) => {
        const came = chunks.flatMap((chunk) => events.push(chunk));
        const taken = this.#takeAlike(came) ?? this.#take(came);
        return typeof taken === 'string' ? this.#pass(taken) : taken.then((text) => this.#pass(text));
      });
      if (!this.#over) events.end();
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      this.#answer.stop(error.message);
    }
  }

  /** Whether what else the provider sends does not matter. */
  get #over(): boolean {
    return this.#answer.blocked || this.#done;
  }

  /** Sends a text on; says whether more is wanted. */
  #pass(text: string): MaybePromise<boolean> {
    return this.#send(this.#taken(text))?.then(() => !this.#over) ?? !this.#over;
  }

  /** What goes to the client for an event that came alone and is like the one before; null where it is another. */
  #takeAlike(events: readonly SseEvent[]): string | Promise<string> | null {
    const [event] = events;
    const template = this.#template;
    if (event === undefined || template === null || this.#awaiting.length > 0 || this.#answer.awaits) {
      return null;
    }
    const piece = events.length === 1 ? template.read(event) : null;
    if (piece === null) {
      this.#template = null;
      return null;
    }
    this.#trials = mostTrials;
    let shown = '';
    template.flowing.more(piece.text, Number(piece.number), (text) => {
      shown = text;
    });
    // INVARIANT: of an event in which something was found, nothing is shown.
    const written = () => (this.#answer.blocked || shown === '' ? '' : template.written(piece, shown));
    return this.#answer.settled()?.then(written) ?? written();
  }

  /** Learns how an event looks that came alone, for those that may come after it. */
  #learn(event: SseEvent, value: JsonObject | null, [frame, ...others]: readonly Frame[]): void {
    if (value === null || frame === undefined || others.length > 0 || this.#trials === 0) return;
    const flowing = this.#reader.flowing?.(value) ?? null;
    if (flowing === null) return;
    this.#trials--;
    const sent = { event: frame.event, data: JSON.stringify(frame.data) };
    this.#template = ResponseTemplate.of(event, JSON.stringify(value), sent, flowing);
  }

  /** What goes to the client for events that came together; nothing waits where no check does. */
  #take(events: readonly SseEvent[], from = 0, before = ''): MaybePromise<string> {
    let text = before;
    let ahead: JsonObject | null = null;
    for (let at = from; at < events.length && !this.#over; at++) {
      const { event = '', data = '' } = events[at] ?? {};
      // A comment only keeps the connection alive.
      if (event === ':') text += ':\n\n';
      else if (data === '[DONE]') this.#done = true;
      else {
        let value = ahead ?? readEvent(data);
        ahead = null;
        // Pieces of one text that came together are judged and shown together.
        for (let next = events[at + 1]; value !== null && next !== undefined; next = events[at + 1]) {
          ahead = next.event === ':' || next.data === '[DONE]' ? null : readEvent(next.data);
          const joined = ahead === null ? null : this.#options.wire.joined(value, ahead);
          if (joined === null) break;
          value = joined;
          ahead = null;
          at++;
        }
        const frames = this.#read(value);
        const waiting = this.#answer.settled();
        if (waiting !== undefined) {
          return waiting.then(() => this.#take(events, at + 1, text + this.#shown(frames)));
        }
        text += this.#shown(frames);
        if (events.length === 1) this.#learn({ event, data }, value, frames);
      }
    }
    return text;
  }

  #read(value: JsonObject | null): readonly Frame[] {
    if (value !== null) return this.#reader.take(value);
    this.#answer.stop('an event of the stream is no JSON object');
    return [];
  }

  /** INVARIANT: of an event in which something was found, nothing is shown. */
  #shown(frames: readonly Frame[]): string {
    if (this.#answer.blocked) return '';
    for (const frame of frames) (frame.last === true ? this.last : this.#awaiting).push(frame);
    if (this.last.length > mostLast) this.#answer.stop('the stream ends again and again');
    if (this.#awaiting.length > mostAwaiting) this.#answer.stop('too many texts that do not end');
    return this.#answer.awaits ? '' : this.#rendered();
  }

  /** The events that waited, as they are sent. */
  #rendered(): string {
    const text = this.#awaiting.map((frame) => this.#render(frame)).join('');
    this.#awaiting = [];
    return text;
  }

  /** Ends every text; what was still held comes before the last events. */
  async finish(): Promise<void> {
    if (this.#answer.blocked) return;
    const frames = this.#reader.rest();
    await this.#answer.settled();
    if (this.#answer.blocked) return;
    if (this.#answer.awaits) this.#awaiting.push(...frames);
    else await this.write(frames);
  }

  /** Sends events behind all that waited. */
  async write(frames: readonly Frame[], farewell = ''): Promise<void> {
    // INVARIANT: of events that waited for a text in which something was found, nothing is shown.
    if (this.#answer.blocked) this.#awaiting = [];
    this.#awaiting.push(...frames);
    await this.#send(this.#released(this.#rendered() + farewell));
  }

  /** A text that may be sent, with what was held before it; empty while more is held. */
  #taken(text: string): string {
    if (this.#held === null) return text;
    const isOver = performance.now() - this.#began > longestHeldMs || this.#held.length > mostHeld;
    if (this.#answer.hasShown || isOver) return this.#released(text);
    this.#held += text;
    return '';
  }

  #released(text: string): string {
    if (this.#held === null) return text;
    const all = this.#held + text;
    this.#held = null;
    this.#options.begin?.();
    return all;
  }

  #render(frame: Frame): string {
    if (frame.empty === true) return '';
    this.#reader.stamp?.(frame.data);
    return sseText(frame.event, JSON.stringify(frame.data));
  }

  /** INVARIANT: nothing more is read from the provider until the client has taken what was written. */
  #send(text: string): Promise<void> | undefined {
    const { out, signal } = this.#options;
    if (text === '' || out.destroyed || out.write(text)) return undefined;
    return new Promise<void>((resolve, reject) => {
      const stop = (): void => settle(() => reject(signal.reason));
      const go = (): void => settle(resolve);
      const settle = (then: () => void): void => {
        out.off('drain', go);
        signal.removeEventListener('abort', stop);
        then();
      };
      out.once('drain', go);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }
}

function readEvent(data: string): JsonObject | null {
  try {
    const value = JSON.parse(data) as JsonValue;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
