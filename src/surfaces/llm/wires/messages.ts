// Anthropic Messages.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Answer, Draft } from '../answer.ts';
import { messagesCalls } from '../calls.ts';
import { toolDefinitions } from '../definitions.ts';
import { partsIn } from '../parts.ts';
import { carriesText } from '../texts.ts';
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

export const messages: Wire = {
  name: 'messages',
  usageKey: 'usage',
  parts: (body) => [
    ...partsIn(body['system'], ['system'], 'agent'),
    ...partsIn(body['messages'], ['messages'], 'agent'),
    ...toolDefinitions(body['tools'], ['tools']),
  ],
  calls: messagesCalls,
  prepared: (body) => body,
  instructed(body, instruction) {
    const { system } = body;
    const more = { type: 'text', text: instruction };
    const blocks = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
    return { ...body, system: [...(Array.isArray(blocks) ? blocks : []), more] };
  },
  open: (answer, body) => new MessagesStream(answer, body),
  joined(first, second) {
    const [before, after] = [chunkOf(first), chunkOf(second)];
    if (before === null || after === null || before.key !== after.key) return null;
    if (!alike(first, second, varying) || before.type !== after.type) return null;
    return { ...second, delta: { type: after.type, [after.key]: before.text + after.text } };
  },
  usage: usageIn,
  refused: ({ message, decisionId, readable }, last) => ({
    ...envelopeOf(last),
    content: [{ type: 'text', text: message }],
    stop_reason: readable ? 'end_turn' : 'refusal',
    stop_sequence: null,
    usage: last['usage'] ?? { input_tokens: 0, output_tokens: 0 },
    sallyport: { decision_id: decisionId },
  }),
  error: messagesError,
  failed: (message) => ({
    event: 'error',
    data: messagesError(502, message, 'upstream_failed') as Frame['data'],
  }),
  farewell: '',
};

/** What differs from one piece of a text to the next. */
const varying: ReadonlySet<string> = new Set(['delta']);

/** The one text that an event adds to, and nothing else; null where it says more, or something else. */
function chunkOf({ type: event, delta }: JsonObject) {
  if (event !== 'content_block_delta' || !isJsonObject(delta)) return null;
  const { type, ...members } = delta;
  const [[key, text] = [], ...more] = Object.entries(members);
  if (more.length > 0 || key === undefined || typeof text !== 'string' || typeof type !== 'string')
    return null;
  return type === 'signature_delta' ? null : { type, key, text };
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function messagesError(status: number, message: string, code: string): JsonObject {
  const type = errorTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message, code } };
}

const inputKeys = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

function usageIn(usage: JsonValue | undefined): Usage | null {
  return usageOf(usage, inputKeys, ['output_tokens']);
}

function envelopeOf({ id, model }: JsonObject): JsonObject {
  return { id: id ?? 'msg_sallyport', type: 'message', role: 'assistant', model: model ?? '' };
}

/** A block that was begun and not ended: its channels, each with the delta that its rest would come in. */
interface Block {
  readonly thinks: boolean;
  readonly channels: Map<string, (text: string) => { [key: string]: Draft }>;
}

class MessagesStream implements StreamReader {
  readonly #answer: Answer;
  readonly #envelope: JsonObject;
  readonly #blocks = new Map<number, Block>();
  readonly #ended = new Set<number>();
  #begun = false;
  /** What the client has seen begin and not end. */
  readonly #open = new Set<number>();
  #opened = false;
  /** The index of the next block that the client has not seen. */
  #next = 0;
  complete = false;
  broken = false;
  usage: Usage | null = null;

  constructor(answer: Answer, { model }: JsonObject) {
    this.#answer = answer;
    this.#envelope = envelopeOf({ model: model ?? '' });
  }

  take(data: JsonObject): readonly Frame[] {
    const type = typeof data['type'] === 'string' ? data['type'] : '';
    const index = typeof data['index'] === 'number' ? data['index'] : 0;
    switch (type) {
      case 'content_block_delta':
        return isJsonObject(data['delta']) ? this.#delta(index, data, data['delta']) : [];
      case 'content_block_start':
        return this.#start(index, data);
      case 'content_block_stop':
        return [...this.#stop(index), { event: type, data: this.#answer.tree(data) }];
      case 'message_start': {
        const { message } = data;
        if (isJsonObject(message)) {
          this.#begun = true;
          this.usage = usageIn(message['usage']) ?? this.usage;
        }
        return [{ event: type, data: this.#answer.tree(data) }];
      }
      case 'message_delta': {
        const counted = usageIn(data['usage']);
        if (counted !== null) {
          this.usage = { input: Math.max(counted.input, this.usage?.input ?? 0), output: counted.output };
        }
        return [...this.rest(), { event: type, data: this.#answer.tree(data), last: true }];
      }
      case 'message_stop':
        this.complete = true;
        return [...this.rest(), { event: type, data: this.#answer.tree(data), last: true }];
      case 'error':
        this.broken = true;
        return [{ event: type, data: this.#answer.tree(data) }];
      default:
        return carriesText(data) ? [] : [{ event: type, data: data as Frame['data'] }];
    }
  }

  flowing(data: JsonObject): Flowing | null {
    const piece = chunkOf(data);
    const { delta: _, index, ...more } = data;
    const place = typeof index === 'number' ? index : 0;
    const known = this.#blocks.get(place);
    if (piece === null || piece.type === 'citations_delta' || known === undefined || carriesText(more))
      return null;
    const channel = `${place}/${piece.key}`;
    return {
      key: piece.key,
      more: (text, _number, put) =>
        this.#answer.push(channel, text, (shown) => {
          this.#checkThought(known, channel);
          put(shown);
        }),
    };
  }

  rest(): readonly Frame[] {
    return [...this.#blocks.keys()].flatMap((index) => this.#stop(index));
  }

  blocked({ message, decisionId, readable }: Refusal): readonly Frame[] {
    const opening: Frame[] = !this.#opened
      ? [framed('message_start', { message: { ...this.#envelope, content: [], ...unended } as Draft })]
      : [];
    const stops = [...this.#open].map((index) => framed('content_block_stop', { index }));
    const sallyport = { decision_id: decisionId, explanation: message };
    const reason = readable ? 'end_turn' : 'refusal';
    return [
      ...opening,
      ...stops,
      ...(readable ? textBlock(this.#next, message) : []),
      framed('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null, stop_details: null },
        usage: { output_tokens: this.usage?.output ?? 0 },
        sallyport,
      }),
      framed('message_stop', {}),
    ];
  }

  stamp({ type, index }: { [key: string]: Draft }): void {
    if (type === 'message_start') this.#opened = true;
    else if (type === 'content_block_start') {
      this.#open.add(Number(index));
      this.#next = Math.max(this.#next, Number(index) + 1);
    } else if (type === 'content_block_stop') this.#open.delete(Number(index));
  }

  #start(index: number, data: JsonObject): readonly Frame[] {
    const { content_block: block, ...more } = data;
    // A block that begins again could hold the other half of what its first end cut.
    if (this.#blocks.has(index) || this.#ended.has(index)) this.#answer.stop('a block that begins twice');
    if (!this.#begun) this.#answer.stop('a block before the message that it belongs to');
    const type = isJsonObject(block) ? block['type'] : undefined;
    const known: Block = { thinks: type === 'thinking', channels: new Map() };
    this.#blocks.set(index, known);
    const copy = this.#answer.tree(more);
    if (!isJsonObject(block))
      return [framed('content_block_start', { ...copy, content_block: block as Draft })];
    // What flows may begin here already.
    const flowing = type === 'thinking' ? 'thinking' : type === 'text' ? 'text' : undefined;
    const begun = flowing === undefined ? undefined : block[flowing];
    if (flowing === undefined || typeof begun !== 'string') {
      return [framed('content_block_start', { ...copy, content_block: this.#answer.tree(block) })];
    }
    const draft = this.#answer.tree({ ...block, [flowing]: '' });
    if (begun !== '') this.#flow(index, known, `${flowing}_delta`, flowing, begun, draft);
    return [framed('content_block_start', { ...copy, content_block: draft })];
  }

  #delta(index: number, data: JsonObject, delta: JsonObject): readonly Frame[] {
    const known = this.#blocks.get(index);
    if (known === undefined) {
      this.#answer.stop('a piece of a block that was not begun');
      return [];
    }
    const type = typeof delta['type'] === 'string' ? delta['type'] : '';
    const { delta: _, ...more } = data;
    const around = carriesText(more) ? this.#answer.tree(more) : (more as Frame['data']);
    // The signature is about everything that was thought, so that is shown first.
    if (type === 'signature_delta') {
      return [
        ...this.#rests(index, known),
        { event: 'content_block_delta', data: { ...around, delta: delta as Draft } },
      ];
    }
    if (type === 'citations_delta') {
      return [{ event: 'content_block_delta', data: { ...around, delta: this.#answer.tree(delta) } }];
    }
    const shown: { [key: string]: Draft } = { type };
    const frame: Frame = { event: 'content_block_delta', data: { ...around, delta: shown }, empty: true };
    for (const [key, value] of Object.entries(delta)) {
      if (key === 'type') continue;
      if (typeof value === 'string') this.#flow(index, known, type, key, value, shown, frame);
      else if (!carriesText(value, key)) shown[key] = value as Draft;
    }
    return [frame];
  }

  #flow(
    index: number,
    known: Block,
    type: string,
    key: string,
    piece: string,
    shown: { [key: string]: Draft },
    frame?: Frame,
  ): void {
    const channel = `${index}/${key}`;
    if (!known.channels.has(channel)) known.channels.set(channel, (text) => ({ type, [key]: text }));
    shown[key] = '';
    if (frame !== undefined && piece === '') frame.empty = false;
    this.#answer.push(channel, piece, (text) => {
      this.#checkThought(known, channel);
      shown[key] = text;
      if (frame !== undefined) frame.empty = false;
    });
  }

  /** What was thought cannot be shown changed, and what was shown cannot be taken back. */
  #checkThought({ thinks }: Block, channel: string): void {
    if (thinks && this.#answer.rewritten(channel))
      this.#answer.stop('what the model thought would be changed');
  }

  #stop(index: number): Frame[] {
    const known = this.#blocks.get(index);
    if (known === undefined) return [];
    const frames = this.#rests(index, known);
    this.#blocks.delete(index);
    this.#ended.add(index);
    return frames;
  }

  #rests(index: number, known: Block): Frame[] {
    const frames = [...known.channels].map(([channel, rest]) => {
      const held = { ...framed('content_block_delta', { index }), empty: true };
      this.#answer.finish(channel, (text) => {
        this.#checkThought(known, channel);
        held.data['delta'] = rest(text);
        held.empty = false;
      });
      return held;
    });
    known.channels.clear();
    return frames;
  }
}

const unended = { stop_reason: null, stop_sequence: null, usage: { input_tokens: 0, output_tokens: 0 } };

function textBlock(index: number, text: string): readonly Frame[] {
  return [
    framed('content_block_start', { index, content_block: { type: 'text', text: '' } }),
    framed('content_block_delta', { index, delta: { type: 'text_delta', text } }),
    framed('content_block_stop', { index }),
  ];
}

function framed(type: string, data: { [key: string]: Draft }): Frame {
  return { event: type, data: { type, ...data } };
}
