// OpenAI Responses.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Answer, Draft, Known } from '../answer.ts';
import { responsesCalls } from '../calls.ts';
import { toolDefinitions } from '../definitions.ts';
import { partsIn, type RequestPart } from '../parts.ts';
import { carriesText } from '../texts.ts';
import { openaiError } from './openai.ts';
import {
  alike,
  type Frame,
  type Refusal,
  type StreamReader,
  type Usage,
  usageOf,
  type Wire,
} from './wire.ts';

export const responses: Wire = {
  name: 'responses',
  usageKey: 'usage',
  parts: (body) => [
    ...partsIn(body['instructions'], ['instructions'], 'agent'),
    ...inputParts(body['input']),
    ...partsIn(variablesOf(body), ['prompt', 'variables'], 'user'),
    ...toolDefinitions(body['tools'], ['tools']),
  ],
  calls: responsesCalls,
  prepared: (body) => body,
  instructed: (body, instruction) => ({
    ...body,
    instructions:
      typeof body['instructions'] === 'string' ? `${body['instructions']}\n\n${instruction}` : instruction,
  }),
  open: (answer) => new ResponsesStream(answer),
  joined(first, second) {
    const [before, after] = [first['delta'], second['delta']];
    if (typeof before !== 'string' || typeof after !== 'string') return null;
    return alike(first, second, varying) ? { ...second, delta: before + after } : null;
  },
  usage: usageIn,
  refused: ({ message, decisionId, readable }, last) => ({
    ...envelopeOf(last),
    ...(readable ? completed : incomplete),
    output: [
      readable
        ? messageItem([outputText(message)])
        : { ...messageItem([{ type: 'refusal', refusal: message }]), status: 'incomplete' },
    ],
    ...(last['usage'] === undefined ? {} : { usage: last['usage'] }),
    sallyport: { decision_id: decisionId },
  }),
  error: openaiError,
  failed: (message) => ({
    event: 'error',
    data: { type: 'error', code: 'upstream_failed', message, param: null, sequence_number: 0 },
  }),
  farewell: '',
};

/** What differs from one piece of a text to the next. */
const varying: ReadonlySet<string> = new Set(['delta', 'logprobs', 'obfuscation', 'sequence_number']);

const completed = { status: 'completed', incomplete_details: null } as const;
const incomplete = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } } as const;

function* inputParts(input: JsonValue | undefined): Generator<RequestPart> {
  if (typeof input === 'string') yield { is: 'text', place: ['input'], origin: 'user', text: input };
  else if (!Array.isArray(input)) yield* partsIn(input, ['input'], 'agent');
  else {
    for (const [index, item] of input.entries()) {
      const place = ['input', index];
      if (isJsonObject(item) && item['type'] === 'tool_search_output') {
        // The client looked up definitions that it had not sent before.
        const { tools, ...more } = item;
        yield* partsIn(more, place, 'agent');
        yield* toolDefinitions(tools, [...place, 'tools']);
      } else yield* partsIn(item, place, 'agent');
    }
  }
}

function messageItem(content: Draft[]): Frame['data'] & JsonObject {
  return { type: 'message', id: 'msg_sallyport', role: 'assistant', status: 'completed', content };
}

function outputText(text: string) {
  return { type: 'output_text', text, annotations: [] };
}

function variablesOf({ prompt }: JsonObject): JsonValue | undefined {
  return isJsonObject(prompt) ? prompt['variables'] : undefined;
}

function usageIn(usage: JsonValue | undefined): Usage | null {
  return usageOf(usage, ['input_tokens'], ['output_tokens']);
}

function envelopeOf({ id, created_at: created, model }: JsonObject): JsonObject {
  return { id: id ?? 'resp_sallyport', object: 'response', created_at: created ?? 0, model: model ?? '' };
}

/** Where in its item the text of a kind of delta stands; one that is not here is judged in each place for itself. */
const placeOf: Readonly<Record<string, (event: JsonObject) => readonly JsonValue[]>> = {
  output_text: ({ content_index: at }) => ['content', at ?? 0, 'text'],
  refusal: ({ content_index: at }) => ['content', at ?? 0, 'refusal'],
  reasoning_text: ({ content_index: at }) => ['content', at ?? 0, 'text'],
  reasoning_summary_text: ({ summary_index: at }) => ['summary', at ?? 0, 'text'],
  function_call_arguments: () => ['arguments'],
  mcp_call_arguments: () => ['arguments'],
  custom_tool_call_input: () => ['input'],
  code_interpreter_call_code: () => ['code'],
};

const indexKeys = /_index$/;

/** A channel that has not ended: the delta that its rest would come in. */
interface Open {
  readonly item: number;
  readonly template: JsonObject;
}

class ResponsesStream implements StreamReader {
  readonly #answer: Answer;
  readonly #open = new Map<string, Open>();
  readonly #items = new Map<number, { readonly item: { [key: string]: Draft }; readonly done: boolean }>();
  #response: { [key: string]: Draft } = {};
  #sent = 0;
  #created = false;
  complete = false;
  broken = false;
  usage: Usage | null = null;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  take(data: JsonObject): readonly Frame[] {
    const { obfuscation: _, ...event } = data;
    const type = typeof event['type'] === 'string' ? event['type'] : '';
    if (type.endsWith('.delta') && typeof event['delta'] === 'string') return this.#delta(type, event);
    if (isJsonObject(event['response'])) return this.#whole(type, event, event['response']);
    if (isJsonObject(event['item'])) return this.#item(type, event, event['item']);
    if (isJsonObject(event['part'])) return this.#part(type, event, event['part']);
    if (type.endsWith('.done')) return this.#done(type, event);
    if (type === 'error') {
      this.broken = true;
      return [{ event: type, data: this.#answer.tree(event) }];
    }
    return carriesText(event) ? [] : [{ event: type, data: event as Frame['data'] }];
  }

  rest(): readonly Frame[] {
    return this.#rests(() => true);
  }

  blocked({ message, decisionId, readable }: Refusal): readonly Frame[] {
    const output = [...this.#items.keys()].flatMap((index) => this.#itemSoFar(index));
    const sallyport = { decision_id: decisionId, explanation: message };
    const envelope = envelopeOf(this.#response as JsonObject) as Frame['data'];
    const base = { ...envelope, ...this.#response };
    if (!readable) {
      const response = { ...base, ...incomplete, output, sallyport };
      return [numbered('response.incomplete', { response })];
    }
    const said = messageItem([outputText(message)]);
    const index = Math.max(-1, ...this.#items.keys()) + 1;
    const response = { ...base, ...completed, output: [...output, said], sallyport };
    return [
      ...(this.#created ? [] : [numbered('response.created', { response: { ...base, output: [] } })]),
      ...this.#interrupted(),
      ...itemEvents(index, said, message),
      numbered('response.completed', { response }),
    ];
  }

  /** The end of each message that the client has seen begin and not end. */
  #interrupted(): Frame[] {
    return [...this.#items].flatMap(([index, { done }]) =>
      done
        ? []
        : this.#itemSoFar(index).map((item) =>
            numbered('response.output_item.done', { output_index: index, item }),
          ),
    );
  }

  /** Events were added and left out, so they are counted anew. */
  stamp(data: { [key: string]: Draft }): void {
    if (data['type'] === 'response.created') this.#created = true;
    if (data['sequence_number'] !== undefined) data['sequence_number'] = this.#sent++;
  }

  #delta(type: string, event: JsonObject): readonly Frame[] {
    const { delta, logprobs, ...more } = event;
    const channel = channelOf(type, event);
    const item = typeof event['output_index'] === 'number' ? event['output_index'] : 0;
    if (!this.#open.has(channel)) this.#open.set(channel, { item, template: more });
    const around = carriesText(more) ? this.#answer.tree(more) : (more as Frame['data']);
    const quiet = logprobs === undefined ? {} : { logprobs: [] };
    const frame: Frame = { event: type, data: { ...around, delta: '', ...quiet }, empty: delta !== '' };
    this.#answer.push(channel, String(delta), (text) => {
      frame.data['delta'] = text;
      frame.empty = false;
    });
    return [frame];
  }

  /** The end of a text, which repeats it. */
  #done(type: string, event: JsonObject): readonly Frame[] {
    const channel = channelOf(type, event);
    const frames = this.#rests((name) => name === channel);
    const copy: Frame['data'] = {};
    this.#answer.later(() => {
      const known: Known = ([key, ...deeper]) =>
        deeper.length === 0 && repeats.has(String(key)) ? this.#answer.shown(channel) : undefined;
      Object.assign(copy, this.#answer.tree(event, known));
    });
    return [...frames, { event: type, data: copy }];
  }

  #part(type: string, event: JsonObject, part: JsonObject): readonly Frame[] {
    const { part: _, ...more } = event;
    const item = numberAt(event, 'output_index');
    const at =
      event['summary_index'] === undefined
        ? ['content', numberAt(event, 'content_index')]
        : ['summary', numberAt(event, 'summary_index')];
    const prefix = `${item}/${at.join('/')}`;
    const frames = type.endsWith('.done') ? this.#rests((name) => name.startsWith(`${prefix}/`)) : [];
    const copy: Frame['data'] = { ...this.#answer.tree(more) };
    this.#fill(copy, 'part', part, (path) => `${prefix}/${path.join('/')}`);
    return [...frames, { event: type, data: copy }];
  }

  #item(type: string, event: JsonObject, item: JsonObject): readonly Frame[] {
    const { item: _, ...more } = event;
    const index = numberAt(event, 'output_index');
    const done = type.endsWith('.done');
    const frames = done ? this.#rests((name) => name.startsWith(`${index}/`)) : [];
    const copy: Frame['data'] = { ...this.#answer.tree(more) };
    this.#fill(
      copy,
      'item',
      item,
      (path) => `${index}/${path.join('/')}`,
      (draft) => {
        this.#items.set(index, { item: draft, done });
      },
    );
    return [...frames, { event: type, data: copy }];
  }

  /** An event with the response as a whole: it begins, or it is over and repeats everything. */
  #whole(type: string, event: JsonObject, response: JsonObject): readonly Frame[] {
    const { response: _, ...more } = event;
    const over = /\.(?:completed|incomplete|failed|cancelled)$/.test(type);
    const frames = over ? this.#rests(() => true) : [];
    this.usage = usageIn(response['usage']) ?? this.usage;
    const copy: Frame['data'] = { ...this.#answer.tree(more) };
    const channel = (path: readonly (string | number)[]) =>
      path[0] === 'output' ? path.slice(1).join('/') : '';
    this.#fill(copy, 'response', response, channel, (draft) => {
      this.#response = draft;
    });
    if (over) this.complete = true;
    return [...frames, { event: type, data: copy, ...(over ? { last: true } : {}) }];
  }

  /** Puts a copy of a value in which each text that flowed is what was shown of it. */
  #fill(
    into: Frame['data'],
    key: string,
    value: JsonObject,
    channel: (path: readonly (string | number)[]) => string,
    done: (draft: { [key: string]: Draft }) => void = () => {},
  ): void {
    // A rest that is still judged belongs to what was shown, so the copy is made after it.
    into[key] = null;
    this.#answer.later(() => {
      const known: Known = (path) => this.#answer.shown(channel(path));
      const draft = this.#answer.tree(value, known);
      into[key] = draft;
      done(draft);
    });
  }

  /** Ends channels, and gives their rests, each in a delta of its own. */
  #rests(which: (channel: string) => boolean): Frame[] {
    const ending = [...this.#open].filter(([channel]) => which(channel));
    return ending.map(([channel, { template }]) => {
      this.#open.delete(channel);
      const type = String(template['type']);
      const frame: Frame = { event: type, data: { ...(template as Frame['data']), delta: '' }, empty: true };
      this.#answer.finish(channel, (text) => {
        frame.data['delta'] = text;
        frame.empty = false;
      });
      return frame;
    });
  }

  /** What a client has seen of an item; a call that is not complete is none. */
  #itemSoFar(index: number): Draft[] {
    const known = this.#items.get(index);
    if (known === undefined) return [];
    if (known.done) return [known.item];
    const text = this.#answer.shown(`${index}/content/0/text`);
    if (known.item['type'] !== 'message' || text === undefined) return [];
    const content = [{ type: 'output_text', text, annotations: [] }];
    return [{ ...known.item, status: 'incomplete', content }];
  }
}

function numbered(type: string, data: { [key: string]: Draft }): Frame {
  return { event: type, data: { type, sequence_number: 0, ...data } };
}

/** The events that say a whole message. */
function itemEvents(index: number, item: Frame['data'], text: string): readonly Frame[] {
  const where = { item_id: 'msg_sallyport', output_index: index, content_index: 0 };
  const begun = { ...item, status: 'in_progress', content: [] };
  return [
    numbered('response.output_item.added', { output_index: index, item: begun }),
    numbered('response.content_part.added', { ...where, part: outputText('') }),
    numbered('response.output_text.delta', { ...where, delta: text }),
    numbered('response.output_text.done', { ...where, text }),
    numbered('response.content_part.done', { ...where, part: outputText(text) }),
    numbered('response.output_item.done', { output_index: index, item }),
  ];
}

/** Keys in which the end of a text repeats it. */
const repeats: ReadonlySet<string> = new Set(['text', 'refusal', 'arguments', 'input', 'code', 'transcript']);

function numberAt(event: JsonObject, key: string): number {
  const value = event[key];
  return typeof value === 'number' ? value : 0;
}

/** The channel of a delta or of the event that ends it, by its place in the output. */
function channelOf(type: string, event: JsonObject): string {
  const kind = type.replace(/^response\./, '').replace(/\.(?:delta|done)$/, '');
  const item = numberAt(event, 'output_index');
  const place = Object.hasOwn(placeOf, kind) ? placeOf[kind]?.(event) : undefined;
  if (place !== undefined) return `${item}/${place.join('/')}`;
  const indexes = Object.keys(event)
    .filter((key) => indexKeys.test(key) && key !== 'output_index')
    .sort()
    .map((key) => `${key}=${String(event[key])}`);
  return `${item}/${[kind, ...indexes].join('/')}`;
}
