// What each wire format must say: where a request's texts stand, and how an answer is read, shown, blocked and failed.

import type { JsonObject, JsonValue } from '../../../core/index.ts';
import type { Answer, Draft, Put } from '../answer.ts';
import type { RepeatedCalls } from '../calls.ts';
import type { RequestPart } from '../parts.ts';

/** One event of a stream on its way to the client. */
export interface Frame {
  readonly event: string;
  data: { [key: string]: Draft };
  /** Not sent unless something was put into it. */
  empty?: boolean;
  /** Says that the answer is complete, so it waits for the verdict on the whole. */
  readonly last?: boolean;
}

/** Tokens, as the provider counts them. */
export interface Usage {
  readonly input: number;
  readonly output: number;
}

/** Why the client gets no answer of the model. */
export interface Refusal {
  readonly message: string;
  readonly decisionId: string;
  /** Whether the answer ends as a text that the model might have said; otherwise it ends as what the provider stopped. */
  readonly readable: boolean;
}

/** The one text that an event adds to, which is all that matters in it. */
export interface Flowing {
  readonly key: string;
  /** The key of a number before it that may differ from one event to the next. */
  readonly number?: string;
  /** Takes another piece of the text, from an event that is like this one in all else but the number. */
  more(piece: string, number: number, put: Put): void;
}

/** One answer that flows. */
export interface StreamReader {
  /** Reads an event; gives what goes to the client instead. */
  take(data: JsonObject): readonly Frame[];
  /** The text that an event adds to, which was taken just now; null where it says anything else. */
  flowing?(data: JsonObject): Flowing | null;
  /** Whether the provider said that the answer is complete. */
  readonly complete: boolean;
  /** Whether the provider reported an error of its own. */
  readonly broken: boolean;
  readonly usage: Usage | null;
  /** The end of a stream that is complete: what is still held. */
  rest(): readonly Frame[];
  /** How the stream ends in the place of what was stopped. */
  blocked(refusal: Refusal): readonly Frame[];
  /** Last changes to an event that is really sent. */
  stamp?(data: { [key: string]: Draft }): void;
}

/** One wire format. */
export interface Wire {
  readonly name: 'chat' | 'responses' | 'messages' | 'gemini';
  /** The member of a whole answer that says what it cost. */
  readonly usageKey: 'usage' | 'usageMetadata';
  /** The texts, files and addresses of a request. */
  parts(body: JsonObject): readonly RequestPart[];
  /** The calls of tools that a request repeats. */
  calls(body: JsonObject): RepeatedCalls;
  /** The request with whatever the proxy needs in it. */
  prepared(body: JsonObject): JsonObject;
  /** The request with one more instruction to the model. */
  instructed(body: JsonObject, instruction: string): JsonObject;
  open(answer: Answer, body: JsonObject): StreamReader;
  /** Two pieces of one text that came one after the other, as one; null where they are not that. */
  joined(first: JsonObject, second: JsonObject): JsonObject | null;
  /** What an answer cost, from the member at `usageKey`. */
  usage(usage: JsonValue | undefined): Usage | null;
  /** An answer of the provider's form that refuses. */
  refused(refusal: Refusal, last: JsonObject): JsonObject;
  error(status: number, message: string, code: string): JsonObject;
  /** What ends a stream with an error. */
  failed(message: string): Frame;
  /** Sent when a stream is over; empty where nothing is. */
  readonly farewell: string;
}

/** Whether two events have the same members with the same plain values, save at some keys. */
export function alike(first: JsonObject, second: JsonObject, save: ReadonlySet<string>): boolean {
  let members = 0;
  for (const key in second) {
    members++;
    if (!save.has(key) && first[key] !== second[key]) return false;
  }
  for (const _ in first) members--;
  return members === 0;
}

/** The counts of a provider's `usage`, by the names it uses; null where it counts nothing. */
export function usageOf(usage: unknown, input: readonly string[], output: readonly string[]): Usage | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const counts = usage as Readonly<Record<string, unknown>>;
  const sum = (keys: readonly string[]) =>
    keys.reduce((total, key) => {
      const count = counts[key];
      return total + (typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0);
    }, 0);
  return { input: sum(input), output: sum(output) };
}
