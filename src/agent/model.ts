// A model as the harness sees it: one turn in, what it says and wants to call out. Which library speaks to it stays behind.

import { type JsonObject, type JsonValue, SallyportError } from '../core/index.ts';

/** A tool as a model sees it. */
export interface Offer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** A call that a model wants. */
export interface ModelCall {
  /** The model's own name of it. */
  readonly id: string;
  readonly tool: string;
  /** As the model wrote them; an object where it kept to the form. */
  readonly arguments: JsonValue;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a model said in one turn. */
export interface Turn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ModelCall[];
  readonly usage: Usage;
  /** The turn in the words of the library that took it, for it to read back. */
  readonly said?: unknown;
}

/** A part of a file that the user gives along. */
export type Given =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'picture'; readonly mediaType: string; readonly base64: string };

/** One message of the conversation so far. */
export type Message =
  | { readonly role: 'user'; readonly text: string; readonly given?: readonly Given[] }
  | { readonly role: 'assistant'; readonly turn: Turn }
  | {
      readonly role: 'tool';
      readonly results: readonly { readonly call: ModelCall; readonly output: string }[];
    };

export interface TurnRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Offer[];
  readonly signal: AbortSignal;
}

export interface Model {
  /** What receipts name it by. */
  readonly name: string;
  /** Takes one turn; throws `ModelFailed`, or what the signal was aborted with. */
  turn(request: TurnRequest): Promise<Turn>;
  close(): Promise<void>;
}

/** The model gave no turn: it cannot be reached, refuses, or is not there. */
export class ModelFailed extends SallyportError {}
