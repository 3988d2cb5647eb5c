// Server-sent events: bytes cut anywhere into events, bounded; and events back into text.

import { SallyportError } from '../../core/index.ts';

/** One event as it came. */
export interface SseEvent {
  /** Empty where the event names no type. */
  readonly event: string;
  readonly data: string;
}

/** The stream is not one that can be judged: not UTF-8, or an event too long. */
export class BrokenStream extends SallyportError {}

/** Reads events from bytes. INVARIANT: holds no more than one event of at most `limit` characters. */
export class SseReader {
  readonly #limit: number;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #rest = '';
  #started = false;
  /** The rest ends in a carriage return. */
  #return = false;
  #event = '';
  #data: string[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes bytes; gives the events that end in them. A comment counts as an event of the type `:` without data. */
  push(bytes: Uint8Array): readonly SseEvent[] {
    return this.#take(this.#decode(bytes));
  }

  /** The end of the bytes. An event that has not ended never came. */
  end(): readonly SseEvent[] {
    this.#decode();
    // A carriage return at the very end ends its line after all.
    return this.#return ? this.#take('\n') : [];
  }

  #decode(bytes?: Uint8Array): string {
    try {
      return bytes === undefined ? this.#utf8.decode() : this.#utf8.decode(bytes, { stream: true });
    } catch (error) {
      throw new BrokenStream('the stream is not valid UTF-8', { cause: error });
    }
  }

  #take(more: string): readonly SseEvent[] {
    if (this.#started && !this.#return && !/[\r\n]/.test(more)) {
      this.#rest += more;
      if (this.#rest.length + this.#length > this.#limit) throw this.#tooLong();
      return [];
    }
    let text = this.#rest + more;
    if (!this.#started && text !== '') {
      this.#started = true;
      if (text.startsWith('\ufeff')) text = text.slice(1);
    }
    // Whether a carriage return at the end stands alone is not known yet.
    this.#return = text.endsWith('\r');
    if (text.includes('\r')) {
      text = `${text.slice(0, this.#return ? -1 : undefined).replace(/\r\n?/g, '\n')}${this.#return ? '\r' : ''}`;
    }
    const events: SseEvent[] = [];
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      this.#line(text.slice(at, end), events);
      at = end + 1;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length + this.#length > this.#limit) throw this.#tooLong();
    return events;
  }

  #line(line: string, events: SseEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push({ event: this.#event, data: this.#data.join('\n') });
      this.#event = '';
      this.#data = [];
      this.#length = 0;
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) {
      events.push({ event: ':', data: '' });
      return;
    }
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    // Any other field says nothing about the text; `id` and `retry` are about connections that are not ours.
    else return;
    this.#length += value.length;
    if (this.#length > this.#limit) throw this.#tooLong();
  }

  #tooLong(): BrokenStream {
    return new BrokenStream(`an event of the stream is longer than ${this.#limit} characters`);
  }
}

/** An event as it is sent. */
export function sseText(event: string, data: string): string {
  return event === '' ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}
