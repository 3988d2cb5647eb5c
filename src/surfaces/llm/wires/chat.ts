// OpenAI Chat Completions.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Answer, Draft, Put } from '../answer.ts';
import { chatCalls } from '../calls.ts';
import { toolDefinitions } from '../definitions.ts';
import { partsIn } from '../parts.ts';
import { carriesText, isName } from '../texts.ts';
import { openaiError } from './openai.ts';
import {
  alike,
  type Flowing,
  type Frame,
  type Refusal,
  type StreamReader,
  type Usage,
  usageOf,
  type Wire,
} from './wire.ts';

export const chat: Wire = {
  name: 'chat',
  usageKey: 'usage',
  parts: (body) => [
    ...partsIn(body['messages'], ['messages'], 'agent'),
    ...partsIn(body['prediction'], ['prediction'], 'agent'),
    ...toolDefinitions(body['tools'], ['tools']),
    ...toolDefinitions(body['functions'], ['functions']),
  ],
  calls: chatCalls,
  // Without a word of the client's, a stream would not say what it cost.
  prepared: (body) => (countsForUs(body) ? { ...body, stream_options: { include_usage: true } } : body),
  instructed: (body, instruction) => ({
    ...body,
    messages: [
      ...(Array.isArray(body['messages']) ? body['messages'] : []),
      { role: 'system', content: instruction },
    ],
  }),
  open: (answer, body) => new ChatStream(answer, countsForUs(body)),
  joined(first, second) {
    const [before, after] = [chunkOf(first), chunkOf(second)];
    if (before === null || after === null || before.key !== after.key) return null;
    if (!alike(first, second, varying) || !alike(before.choice, after.choice, varying)) return null;
    const delta = { [after.key]: before.text + after.text };
    return { ...second, choices: [{ ...after.choice, delta }] };
  },
  usage: usageIn,
  refused: ({ message, decisionId, readable }, last) => ({
    ...envelopeOf(last),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: readable
          ? { role: 'assistant', content: message, refusal: null }
          : { role: 'assistant', content: null, refusal: message },
        logprobs: null,
        finish_reason: readable ? 'stop' : 'content_filter',
      },
    ],
    ...(last['usage'] === undefined ? {} : { usage: last['usage'] }),
    sallyport: { decision_id: decisionId },
  }),
  error: openaiError,
  failed: (message) => ({ event: '', data: openaiError(502, message, 'upstream_failed') as Frame['data'] }),
  farewell: 'data: [DONE]\n\n',
};

/** What differs from one piece of a text to the next. */
const varying: ReadonlySet<string> = new Set(['choices', 'delta', 'logprobs', 'created', 'obfuscation']);

/** The one text that an event adds to, and nothing else; null where it says more, or something else. */
function chunkOf({ choices }: JsonObject) {
  const choice = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(choice['delta'])) return null;
  const members = Object.entries(choice['delta']);
  const [key, text] = members[0] ?? [];
  if (members.length !== 1 || key === undefined || key === 'role' || typeof text !== 'string') return null;
  return choice['finish_reason'] == null ? { choice, key, text } : null;
}

function countsForUs({ stream, stream_options: options }: JsonObject): boolean {
  return stream === true && options === undefined;
}

function usageIn(usage: JsonValue | undefined): Usage | null {
  return usageOf(usage, ['prompt_tokens'], ['completion_tokens']);
}

function envelopeOf({ id, created, model }: JsonObject): JsonObject {
  return { id: id ?? 'chatcmpl-sallyport', created: created ?? 0, model: model ?? '' };
}

/** A channel of one choice, and the delta that its rest would come in. */
type Rest = (text: string) => { [key: string]: Draft };

class ChatStream implements StreamReader {
  readonly #answer: Answer;
  /** The client did not ask for the count of tokens, so it does not see it. */
  readonly #hidesUsage: boolean;
  readonly #choices = new Map<number, { readonly channels: Map<string, Rest>; finished: boolean }>();
  #envelope: JsonObject = {};
  broken = false;
  usage: Usage | null = null;

  constructor(answer: Answer, hidesUsage: boolean) {
    this.#answer = answer;
    this.#hidesUsage = hidesUsage;
  }

  get complete(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(({ finished }) => finished);
  }

  take(data: JsonObject): readonly Frame[] {
    const { choices, obfuscation: _, ...more } = data;
    this.usage = usageIn(more['usage'] ?? undefined) ?? this.usage;
    if (typeof data['id'] === 'string') this.#envelope = envelopeOf(data);
    if (more['error'] !== undefined) this.broken = true;
    const envelope = carriesText(more) ? this.#answer.tree(more) : { ...(more as Frame['data']) };
    if (!Array.isArray(choices) || choices.length === 0) {
      if (this.#hidesUsage && isJsonObject(more['usage'])) return [];
      const none = choices === undefined ? {} : { choices: [] };
      // An error is reported at once; its cost, with the end.
      return [{ event: '', data: { ...envelope, ...none }, last: more['error'] === undefined }];
    }
    if (this.#hidesUsage && !isJsonObject(more['usage'])) delete envelope['usage'];
    return choices.flatMap((choice) => (isJsonObject(choice) ? this.#choice(choice, envelope) : []));
  }

  flowing(data: JsonObject): Flowing | null {
    const piece = chunkOf(data);
    const { choices: _, usage, created, ...more } = data;
    if (piece === null || usage != null || more['error'] !== undefined || carriesText(more)) return null;
    const { index, delta: __, logprobs: ___, ...around } = piece.choice;
    if (carriesText(around)) return null;
    const channel = `${typeof index === 'number' ? index : 0}/${piece.key}`;
    const push = (text: string, put: Put) => this.#answer.push(channel, text, put);
    if (typeof created !== 'number') return { key: piece.key, more: (text, _number, put) => push(text, put) };
    return {
      key: piece.key,
      number: 'created',
      more: (text, number, put) => {
        this.#envelope = { ...this.#envelope, created: number };
        push(text, put);
      },
    };
  }

  rest(): readonly Frame[] {
    return [...this.#choices].flatMap(([index, { channels }]) => this.#rests(index, channels, this.#open()));
  }

  blocked({ message, decisionId, readable }: Refusal): readonly Frame[] {
    const indexes = this.#choices.size === 0 ? [0] : [...this.#choices.keys()];
    const chunk = (
      delta: (index: number) => { [key: string]: Draft },
      finish: string | null,
    ): Frame['data'] => ({
      ...this.#open(),
      choices: indexes.map((index) => ({
        index,
        delta: delta(index),
        logprobs: null,
        finish_reason: finish,
      })),
    });
    const sallyport = { decision_id: decisionId, explanation: message };
    if (!readable) return [{ event: '', data: { ...chunk(() => ({}), 'content_filter'), sallyport } }];
    const said = (index: number) => {
      const before = this.#answer.shown(`${index}/content`) ?? '';
      return { role: 'assistant', content: before === '' ? message : `\n\n${message}` };
    };
    return [
      { event: '', data: chunk(said, null) },
      { event: '', data: { ...chunk(() => ({}), 'stop'), sallyport } },
    ];
  }

  #open(): Frame['data'] {
    return { ...(this.#envelope as Frame['data']), object: 'chat.completion.chunk' };
  }

  #choice(choice: JsonObject, envelope: Frame['data']): Frame[] {
    const { index, delta, logprobs: _, finish_reason: reason, ...more } = choice;
    const place = typeof index === 'number' ? index : 0;
    let known = this.#choices.get(place);
    if (known === undefined) {
      known = { channels: new Map(), finished: false };
      this.#choices.set(place, known);
    }
    const around = carriesText(more) ? this.#answer.tree(more) : (more as Frame['data']);
    const chunk = (part: { [key: string]: Draft }, finish: Draft): Frame['data'] => ({
      ...envelope,
      choices: [{ index: place, ...around, delta: part, logprobs: null, finish_reason: finish }],
    });
    const finished = typeof reason === 'string';
    const frame: Frame = { event: '', data: envelope, empty: true };
    const shown = this.#delta(place, isJsonObject(delta) ? delta : {}, known.channels, frame);
    if (!finished && isJsonObject(delta) && Object.keys(delta).length === 0) frame.empty = false;
    frame.data = chunk(shown, null);
    const frames = [frame];
    if (!finished) return frames;
    known.finished = true;
    frames.push(...this.#rests(place, known.channels, envelope));
    known.channels.clear();
    const end = chunk({}, isName('finish_reason', reason) ? reason : 'stop');
    return [...frames, { event: '', data: end, last: true }];
  }

  /** The rests of a choice's channels, each in a delta of its own; they wait, since only the end proves it. */
  #rests(index: number, channels: ReadonlyMap<string, Rest>, envelope: Frame['data']): Frame[] {
    return [...channels].map(([channel, rest]) => {
      const frame: Frame = { event: '', data: { ...envelope }, empty: true, last: true };
      this.#answer.finish(channel, (text) => {
        frame.data['choices'] = [{ index, delta: rest(text), logprobs: null, finish_reason: null }];
        frame.empty = false;
      });
      return frame;
    });
  }

  /** What may be shown of a delta. Any string in it is text that flows; what nests deeper is known, or left out. */
  #delta(
    index: number,
    delta: JsonObject,
    channels: Map<string, Rest>,
    frame: Frame,
  ): { [key: string]: Draft } {
    const shown: { [key: string]: Draft } = {};
    for (const [key, value] of Object.entries(delta)) {
      if (typeof value === 'string' && key !== 'role') {
        this.#flow(`${index}/${key}`, value, channels, frame, shown, key, (text) => ({ [key]: text }));
      } else if (key === 'tool_calls' && Array.isArray(value)) {
        const calls = value.filter(isJsonObject);
        if (calls.length > 0) shown[key] = calls.map((call) => this.#call(index, call, channels, frame));
      } else if (key === 'function_call' && isJsonObject(value)) {
        const wrap = (part: { [key: string]: Draft }) => ({ [key]: part });
        shown[key] = this.#named(`${index}/function_call`, value, channels, frame, wrap);
      } else this.#plain(key, value, frame, shown);
    }
    return shown;
  }

  #call(
    index: number,
    call: JsonObject,
    channels: Map<string, Rest>,
    frame: Frame,
  ): { [key: string]: Draft } {
    const at = typeof call['index'] === 'number' ? call['index'] : 0;
    const shown: { [key: string]: Draft } = { index: at };
    for (const [key, value] of Object.entries(call)) {
      if (key === 'index') continue;
      if (isJsonObject(value)) {
        const wrap = (part: { [key: string]: Draft }) => ({ tool_calls: [{ index: at, [key]: part }] });
        shown[key] = this.#named(`${index}/tool_calls/${at}/${key}`, value, channels, frame, wrap);
      } else this.#plain(key, value, frame, shown);
    }
    return shown;
  }

  /** A function or a tool of its own: the name comes whole, every other string flows. */
  #named(
    channel: string,
    value: JsonObject,
    channels: Map<string, Rest>,
    frame: Frame,
    wrap: (part: { [key: string]: Draft }) => { [key: string]: Draft },
  ): { [key: string]: Draft } {
    const shown: { [key: string]: Draft } = {};
    for (const [key, member] of Object.entries(value)) {
      if (key === 'name' && typeof member === 'string') {
        shown[key] = '';
        frame.empty = false;
        this.#answer.whole(member, (text) => {
          shown[key] = text;
        });
      } else if (typeof member === 'string') {
        const rest = (text: string) => wrap({ [key]: text });
        this.#flow(`${channel}/${key}`, member, channels, frame, shown, key, rest);
      } else this.#plain(key, member, frame, shown);
    }
    return shown;
  }

  /** What flows nowhere is shown if it is no text. */
  #plain(key: string, value: JsonValue, frame: Frame, shown: { [key: string]: Draft }): void {
    if (carriesText(value, key)) return;
    shown[key] = value as Draft;
    if (value !== null) frame.empty = false;
  }

  #flow(
    channel: string,
    piece: string,
    channels: Map<string, Rest>,
    frame: Frame,
    shown: { [key: string]: Draft },
    key: string,
    rest: Rest,
  ): void {
    if (!channels.has(channel)) channels.set(channel, rest);
    shown[key] = '';
    if (piece === '') frame.empty = false;
    this.#answer.push(channel, piece, (text) => {
      shown[key] = text;
      frame.empty = false;
    });
  }
}
