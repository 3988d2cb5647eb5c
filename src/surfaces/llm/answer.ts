// An answer under guard: each of its texts is a channel of one stream, or judged whole; wires read and write through it.

import {
  isJsonObject,
  isPending,
  type JsonObject,
  type JsonValue,
  type MaybePromise,
} from '../../core/index.ts';
import type { DecisionStream, StreamPiece } from '../../decide/index.ts';
import type { PieceRestorer } from '../../run/placeholders.ts';
import { isName, isSealed, isTokenList, plainKey } from './texts.ts';

/** A JSON value under construction. */
export type Draft = null | boolean | number | string | Draft[] | { [key: string]: Draft };

export type Put = (text: string) => void;

/** Where a text in a tree was shown already, in pieces; undefined where it was not. */
export type Known = (path: readonly (string | number)[]) => string | undefined;

/** Short texts that are judged again and again in one stream are judged once. */
const mostRemembered = 256;
const longestRemembered = 256;

export class Answer {
  readonly #stream: DecisionStream;
  readonly #shown = new Map<string, string>();
  /** What came through a channel and was not shown yet; null once something else was shown in its place. */
  readonly #held = new Map<string, string | null>();
  readonly #clean = new Set<string>();
  #waiting: Promise<void>[] = [];
  readonly #reactions: (() => void)[] = [];
  #changed = false;
  #wholes = 0;
  #kept = 0;
  readonly #limit: number;
  readonly #restorer: PieceRestorer | undefined;

  /** `limit`: most characters of all texts together that are kept to be repeated. */
  constructor(stream: DecisionStream, limit: number, restorer?: PieceRestorer) {
    this.#stream = stream;
    this.#restorer = restorer;
    this.#limit = limit;
  }

  get blocked(): boolean {
    return this.#stream.blocked;
  }

  /** Whether what was put last may be the beginning of a secret that another text goes on with. */
  get awaits(): boolean {
    return this.#stream.awaits;
  }

  /** Takes a piece of a channel; what may be shown now is put once it is judged. */
  push(channel: string, piece: string, put: Put): void {
    // INVARIANT: what the guards judge is what is shown, with every value back.
    this.#push(channel, this.#restorer?.push(channel, piece) ?? piece, put);
  }

  #push(channel: string, piece: string, put: Put): void {
    const held = this.#held.get(channel);
    if (held !== null) this.#held.set(channel, (held ?? '') + piece);
    this.#after(this.#stream.push(piece, channel), ({ emit }) => {
      this.#keep(channel, emit);
      if (emit !== '') put(emit);
    });
  }

  /** Ends a channel; its rest is put once it is judged. */
  finish(channel: string, put: Put): void {
    const rest = this.#restorer?.rest(channel) ?? '';
    if (rest !== '') this.#push(channel, rest, put);
    this.#after(this.#stream.finish(channel), ({ emit }) => {
      this.#keep(channel, emit);
      if (emit !== '') put(emit);
    });
  }

  /** All that was shown of a channel; undefined if nothing ever came through it. */
  shown(channel: string): string | undefined {
    return this.#shown.get(channel);
  }

  /** Whether anything that flowed may have been shown. */
  get hasShown(): boolean {
    return this.#kept > 0;
  }

  /** Whether something was shown of a channel that did not come. */
  rewritten(channel: string): boolean {
    return this.#held.get(channel) === null;
  }

  /** Stops the answer: what comes cannot be judged, or not be shown as it may be. */
  stop(why: string): void {
    this.#stream.stop(why);
  }

  /** Judges a text by itself, and puts it as it may be shown. */
  whole(came: string, put: Put): void {
    const text = this.#restorer?.whole(came) ?? came;
    if (this.#clean.has(text)) {
      put(text);
      return;
    }
    const channel = `whole/${this.#wholes++}`;
    this.#after(this.#whole(text, channel), ({ emit }) => {
      if (emit !== text) this.#change();
      else if (text.length <= longestRemembered && this.#clean.size < mostRemembered) this.#clean.add(text);
      put(emit);
    });
  }

  async #whole(text: string, channel: string): Promise<StreamPiece> {
    const pushed = await this.#stream.push(text, channel);
    const rest = await this.#stream.finish(channel);
    return { emit: pushed.emit + rest.emit, findings: [] };
  }

  /** A copy of a value in which every text is judged whole, or is what was shown of it already. */
  tree(value: JsonObject, known?: Known): { [key: string]: Draft };
  tree(value: JsonValue, known?: Known, path?: readonly (string | number)[]): Draft;
  tree(value: JsonValue, known: Known = () => undefined, path: readonly (string | number)[] = []): Draft {
    if (Array.isArray(value)) {
      const copy: Draft[] = [];
      for (const [index, member] of value.entries()) {
        this.#member(member, known, [...path, index], (draft) => {
          copy[index] = draft;
        });
      }
      return copy;
    }
    if (!isJsonObject(value)) return value as Draft;
    const copy: { [key: string]: Draft } = {};
    const seal = isSealed(value);
    for (const [key, member] of Object.entries(value)) {
      // A model may choose the keys where it writes an object.
      if (!plainKey.test(key)) this.whole(key, () => {});
      if (seal && key === 'data') copy[key] = member as Draft;
      else if (isTokenList(key)) {
        // The tokens of a text tell the text, so they stay only where every text stands as it came.
        copy[key] = member as Draft;
        this.#onChange(() => {
          copy[key] = Array.isArray(member) ? [] : null;
        });
      } else {
        this.#member(member, known, [...path, key], (draft) => {
          copy[key] = draft;
        });
      }
    }
    return copy;
  }

  /** Works once every text that is judged now has been put. */
  later(work: () => void): void {
    if (this.#waiting.length === 0) work();
    else this.#waiting.push(Promise.all(this.#waiting).then(work));
  }

  /** Resolves once every text that is still judged has been put; undefined if there is none. */
  settled(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    return Promise.all(waiting).then(() => this.settled());
  }

  #member(
    member: JsonValue,
    known: Known,
    path: readonly (string | number)[],
    put: (draft: Draft) => void,
  ): void {
    const key = path.findLast((part) => typeof part === 'string');
    const before = typeof member === 'string' ? known(path) : undefined;
    if (typeof member !== 'string') put(this.tree(member, known, path));
    else if (before !== undefined) put(before);
    else if (isName(String(key ?? ''), member)) put(member);
    else {
      // Its place is taken at once, so that the order of keys stays.
      put('');
      this.whole(member, put);
    }
  }

  #onChange(react: () => void): void {
    if (this.#changed) react();
    else this.#reactions.push(react);
  }

  #change(): void {
    this.#changed = true;
    for (const react of this.#reactions.splice(0)) react();
  }

  #keep(channel: string, emit: string): void {
    this.#kept += emit.length;
    if (this.#kept > this.#limit) {
      this.#stream.stop(`the answer has more than ${this.#limit} characters`);
      return;
    }
    this.#shown.set(channel, (this.#shown.get(channel) ?? '') + emit);
    const held = this.#held.get(channel);
    if (emit === '' || typeof held !== 'string') return;
    const same = held.startsWith(emit);
    this.#held.set(channel, same ? held.slice(emit.length) : null);
    if (!same) this.#change();
  }

  #after(step: MaybePromise<StreamPiece>, done: (step: StreamPiece) => void): void {
    if (isPending(step)) this.#waiting.push(step.then(done));
    else done(step);
  }
}
