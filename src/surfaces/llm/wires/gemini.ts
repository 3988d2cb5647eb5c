// Google's generateContent, streamGenerateContent and countTokens.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Answer, Draft } from '../answer.ts';
import { geminiCalls } from '../calls.ts';
import { toolDefinitions } from '../definitions.ts';
import { type Origin, type Place, partsIn, type RequestPart, type Withheld } from '../parts.ts';
import { carriesText, isName, plainKey } from '../texts.ts';
import {
  alike,
  type Frame,
  type Refusal,
  type StreamReader,
  type Usage,
  usageOf,
  type Wire,
} from './wire.ts';

export const gemini: Wire = {
  name: 'gemini',
  usageKey: 'usageMetadata',
  parts: (body) => [...requestParts(body, [])],
  calls: geminiCalls,
  prepared: (body) => body,
  instructed(body, instruction) {
    const key = Object.keys(body).find((name) => camel(name) === 'systemInstruction') ?? 'systemInstruction';
    const before = isJsonObject(body[key]) ? body[key] : {};
    const parts = Array.isArray(before['parts']) ? before['parts'] : [];
    return { ...body, [key]: { ...before, parts: [...parts, { text: instruction }] } };
  },
  open: (answer) => new GeminiStream(answer),
  joined(first, second) {
    const [before, after] = [chunkOf(first), chunkOf(second)];
    if (before === null || after === null || before.part['thought'] !== after.part['thought']) return null;
    if (!alike(first, second, varying) || !alike(before.candidate, after.candidate, varying)) return null;
    const part = { ...after.part, text: before.text + after.text };
    return { ...second, candidates: [{ ...after.candidate, content: { ...after.content, parts: [part] } }] };
  },
  usage: usageIn,
  refused: (refusal, last) => ({
    ...envelopeOf(last),
    candidates: [refusedCandidate(refusal, 0, [{ text: refusal.message }])],
    ...(last['usageMetadata'] === undefined ? {} : { usageMetadata: last['usageMetadata'] }),
    sallyport: { decision_id: refusal.decisionId },
  }),
  error: geminiError,
  failed: (message) => ({ event: '', data: geminiError(502, message) as Frame['data'] }),
  farewell: '',
};

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function geminiError(status: number, message: string): JsonObject {
  const name = statuses[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
  return { error: { code: status, message, status: name } };
}

function usageIn(usage: JsonValue | undefined): Usage | null {
  const input = ['promptTokenCount', 'toolUsePromptTokenCount'];
  return usageOf(usage, input, ['candidatesTokenCount', 'thoughtsTokenCount']);
}

function envelopeOf({ modelVersion, responseId }: JsonObject): JsonObject {
  return { modelVersion: modelVersion ?? '', responseId: responseId ?? 'sallyport' };
}

function refusedCandidate({ readable, message }: Refusal, index: number, parts: Draft[]) {
  const end = readable ? { finishReason: 'STOP' } : { finishReason: 'SAFETY', finishMessage: message };
  return { content: { role: 'model', parts }, ...end, index };
}

// ── what a request carries

/** The API takes each name in two spellings, `inlineData` and `inline_data`. */
function camel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function* requestParts(body: JsonObject, at: Place): Generator<RequestPart> {
  for (const [key, value] of Object.entries(body)) {
    const place = [...at, key];
    const name = camel(key);
    if (name === 'contents') yield* contentsParts(value, place);
    else if (name === 'systemInstruction') yield* contentParts(value, place, 'agent');
    else if (name === 'tools') yield* toolDefinitions(value, place);
    else if (name === 'generateContentRequest' && isJsonObject(value)) yield* requestParts(value, place);
  }
}

function* contentsParts(value: JsonValue, place: Place): Generator<RequestPart> {
  if (!Array.isArray(value)) yield* contentParts(value, place);
  else for (const [index, content] of value.entries()) yield* contentParts(content, [...place, index]);
}

const originOfRole: Readonly<Record<string, Origin>> = { user: 'user', model: 'agent', function: 'tool' };

function* contentParts(value: JsonValue, place: Place, known?: Origin): Generator<RequestPart> {
  if (!isJsonObject(value)) {
    yield* partsIn(value, place, known ?? 'user');
    return;
  }
  const { role = 'user', parts } = value;
  // Who speaks in a role that is not known is not trusted.
  const origin = known ?? originOfRole[String(role)] ?? 'tool';
  if (!Array.isArray(parts)) {
    yield* partsIn(parts, [...place, 'parts'], origin);
    return;
  }
  const answersCalls = parts.some((part) => isJsonObject(part) && Object.keys(part).some(isFunctionResponse));
  for (const [index, part] of parts.entries()) {
    const at = [...place, 'parts', index];
    // A file beside the result of a call is what the tool returned.
    const withheld: Withheld | undefined =
      answersCalls || origin === 'tool' ? { place: at, form: 'part' } : undefined;
    if (isJsonObject(part)) yield* partParts(part, at, origin, withheld);
    else yield* partsIn(part, at, origin);
  }
}

function isFunctionResponse(key: string): boolean {
  return camel(key) === 'functionResponse';
}

function* partParts(
  part: JsonObject,
  place: Place,
  origin: Origin,
  withheld: Withheld | undefined,
): Generator<RequestPart> {
  for (const [key, value] of Object.entries(part)) {
    const at = [...place, key];
    const name = camel(key);
    if (name === 'functionResponse' && isJsonObject(value)) yield* resultParts(value, at);
    else if (name === 'inlineData' && isJsonObject(value)) yield* blob(value, at, withheld);
    else if (name === 'fileData' && isJsonObject(value)) yield* address(value, at, withheld);
    else if (name === 'codeExecutionResult') yield* everyText(value, at, { place, form: 'part' });
    else if (name !== 'thoughtSignature') yield* partsIn(value, at, origin);
  }
}

/** What a tool returned. It wrote every key and every text in `response`, so none of them counts as a mere name. */
function* resultParts(result: JsonObject, place: Place): Generator<RequestPart> {
  const answers = typeof result['id'] === 'string' ? result['id'] : undefined;
  for (const [key, value] of Object.entries(result)) {
    const at = [...place, key];
    const name = camel(key);
    if (name === 'response') yield* everyText(value, at, { place: at, form: 'response' }, answers);
    else if (name === 'parts' && Array.isArray(value)) {
      for (const [index, part] of value.entries()) {
        const own = [...at, index];
        if (!isJsonObject(part)) continue;
        for (const [member, data] of Object.entries(part)) {
          const withheld: Withheld = { place: own, form: 'blob' };
          if (!isJsonObject(data)) yield* everyText(data, [...own, member], withheld);
          else if (camel(member) === 'fileData') yield* address(data, [...own, member], withheld);
          else yield* blob(data, [...own, member], withheld);
        }
      }
    } else if (name !== 'id' && name !== 'name') yield* everyText(value, at, { place: at, form: 'text' });
  }
}

/** Every text in a value of a tool's; where a key says something, all of it is withheld with that key. */
function* everyText(value: JsonValue, place: Place, all: Withheld, answers?: string): Generator<RequestPart> {
  if (typeof value === 'string') {
    const withheld: Withheld = { place, form: 'text' };
    const own = answers === undefined ? {} : { answers };
    if (value !== '') yield { is: 'text', place, origin: 'tool', text: value, withheld, ...own };
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* everyText(member, [...place, index], all, answers);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (!plainKey.test(key))
        yield { is: 'fixed', what: 'result', place: all.place, text: key, withheld: all };
      yield* everyText(member, [...place, key], all, answers);
    }
  }
}

function* blob(value: JsonObject, place: Place, withheld: Withheld | undefined): Generator<RequestPart> {
  const own = withheld === undefined ? {} : { withheld };
  const type = value['mimeType'] ?? value['mime_type'];
  const name = value['displayName'] ?? value['display_name'];
  for (const [key, data] of Object.entries(value)) {
    if (key !== 'data' || typeof data !== 'string') continue;
    yield {
      is: 'file',
      place: [...place, key],
      origin: typeof type === 'string' && /^image\//i.test(type) ? 'image' : 'file',
      base64: data,
      name: typeof name === 'string' ? name : undefined,
      ...own,
    };
  }
}

/** Files that were uploaded to the provider before have no other address than the provider's own. */
const uploaded = /^https:\/\/generativelanguage\.googleapis\.com\/(?:v1\w*\/)?files\/[\w-]+$/;

function* address(value: JsonObject, place: Place, withheld: Withheld | undefined): Generator<RequestPart> {
  const own = withheld === undefined ? {} : { withheld };
  for (const [key, url] of Object.entries(value)) {
    if (camel(key) !== 'fileUri' || typeof url !== 'string' || uploaded.test(url)) continue;
    yield { is: 'address', place: [...place, key], url, ...own };
  }
}

// ── an answer that flows

/** What differs from one chunk of a text to the next. */
const varying: ReadonlySet<string> = new Set(['candidates', 'usageMetadata', 'content']);

/** The one text that an event adds to, and nothing else; null where it says more, or something else. */
function chunkOf({ candidates }: JsonObject) {
  const candidate = Array.isArray(candidates) && candidates.length === 1 ? candidates[0] : undefined;
  if (!isJsonObject(candidate) || candidate['finishReason'] !== undefined) return null;
  const { content } = candidate;
  const parts = isJsonObject(content) ? content['parts'] : undefined;
  const part = Array.isArray(parts) && parts.length === 1 ? parts[0] : undefined;
  if (!isJsonObject(content) || !isJsonObject(part) || typeof part['text'] !== 'string') return null;
  const only = Object.keys(part).every((key) => key === 'text' || key === 'thought');
  return only ? { candidate, content, part, text: part['text'] } : null;
}

/** One candidate: its texts, and what waits for the end of it. */
interface Candidate {
  /** Channels with the part that their rest would come in. */
  readonly channels: Map<string, { readonly thought?: true }>;
  /** Calls and other parts that are no text: they are shown once everything before them was. */
  readonly waiting: Draft[];
  finished: boolean;
}

class GeminiStream implements StreamReader {
  readonly #answer: Answer;
  readonly #candidates = new Map<number, Candidate>();
  #envelope: JsonObject = {};
  #promptBlocked = false;
  broken = false;
  usage: Usage | null = null;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  get complete(): boolean {
    const all = [...this.#candidates.values()];
    return this.#promptBlocked || (all.length > 0 && all.every(({ finished }) => finished));
  }

  take(data: JsonObject): readonly Frame[] {
    const { candidates, ...more } = data;
    this.usage = usageIn(more['usageMetadata']) ?? this.usage;
    if (more['responseId'] !== undefined) this.#envelope = envelopeOf(more);
    if (more['error'] !== undefined) this.broken = true;
    const feedback = more['promptFeedback'];
    if (isJsonObject(feedback) && feedback['blockReason'] !== undefined) this.#promptBlocked = true;
    const envelope = carriesText(more) ? this.#answer.tree(more) : (more as Frame['data']);
    if (!Array.isArray(candidates) || candidates.length === 0) {
      return [{ event: '', data: envelope, last: more['error'] === undefined }];
    }
    return candidates.flatMap((candidate) =>
      isJsonObject(candidate) ? this.#candidate(candidate, envelope) : [],
    );
  }

  rest(): readonly Frame[] {
    return [];
  }

  blocked(refusal: Refusal): readonly Frame[] {
    const indexes = this.#candidates.size === 0 ? [0] : [...this.#candidates.keys()];
    const candidates = indexes.map((index) => {
      const separator = this.#hasShown(index) ? '\n\n' : '';
      return refusedCandidate(
        refusal,
        index,
        refusal.readable ? [{ text: separator + refusal.message }] : [],
      );
    });
    const sallyport = { decision_id: refusal.decisionId, explanation: refusal.message };
    return [{ event: '', data: { ...(this.#envelope as Frame['data']), candidates, sallyport } }];
  }

  /** The end of a candidate has at least one part, as the provider's own has. */
  stamp(data: { [key: string]: Draft }): void {
    const { candidates } = data;
    if (!Array.isArray(candidates)) return;
    for (const candidate of candidates) {
      if (!isDraftObject(candidate) || candidate['finishReason'] === undefined) continue;
      const { content } = candidate;
      if (!isDraftObject(content) || !Array.isArray(content['parts'])) continue;
      const said = content['parts'].filter((part) => !isDraftObject(part) || !isEmptyText(part));
      content['parts'] = said.length === 0 ? [{ text: '' }] : said;
    }
  }

  #hasShown(index: number): boolean {
    return (this.#answer.shown(`${index}/text`) ?? '') !== '';
  }

  #candidate(candidate: JsonObject, envelope: Frame['data']): Frame[] {
    const {
      index: at,
      content,
      finishReason: reason,
      logprobsResult: _,
      avgLogprobs: __,
      ...more
    } = candidate;
    const index = typeof at === 'number' ? at : 0;
    const known = this.#known(index);
    const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
    const frames = parts.flatMap((part) =>
      isJsonObject(part) ? this.#part(index, known, part, envelope) : [],
    );
    const around = this.#answer.tree(more);
    if (typeof reason === 'string') return [...frames, this.#end(index, known, reason, around, envelope)];
    if (Object.keys(around).length > 0) frames.push(frameOf(envelope, index, [], around));
    return frames;
  }

  #known(index: number): Candidate {
    const known = this.#candidates.get(index) ?? { channels: new Map(), waiting: [], finished: false };
    this.#candidates.set(index, known);
    return known;
  }

  /** A text flows in one channel to the end of its candidate, since clients join its chunks whatever stands between. */
  #part(index: number, known: Candidate, part: JsonObject, envelope: Frame['data']): Frame[] {
    const { text, ...more } = part;
    if (typeof text !== 'string') {
      known.waiting.push(this.#answer.tree(part));
      return [];
    }
    const thought = part['thought'] === true ? ({ thought: true } as const) : {};
    const channel = `${index}/${part['thought'] === true ? 'thought' : 'text'}`;
    known.channels.set(channel, thought);
    const shown: { [key: string]: Draft } = { ...this.#answer.tree(more), text: '' };
    const frame = frameOf(envelope, index, [shown]);
    frame.empty = part['thoughtSignature'] === undefined && part['thought_signature'] === undefined;
    this.#answer.push(channel, text, (piece) => {
      shown['text'] = piece;
      frame.empty = false;
    });
    return [frame];
  }

  #end(
    index: number,
    known: Candidate,
    reason: string,
    around: { [key: string]: Draft },
    envelope: Frame['data'],
  ): Frame {
    known.finished = true;
    const rests = [...known.channels].map(([channel, thought]) => {
      const part: { [key: string]: Draft } = { ...thought, text: '' };
      this.#answer.finish(channel, (text) => {
        part['text'] = text;
      });
      return part;
    });
    const end = { ...around, finishReason: isName('finishReason', reason) ? reason : 'STOP' };
    const frame = frameOf(envelope, index, [...rests, ...known.waiting.splice(0)], end);
    return { ...frame, last: true };
  }
}

function frameOf(
  envelope: Frame['data'],
  index: number,
  parts: Draft[],
  more: { [key: string]: Draft } = {},
): Frame {
  const candidate = { content: { role: 'model', parts }, ...more, index };
  return { event: '', data: { ...envelope, candidates: [candidate] } };
}

function isDraftObject(value: Draft | undefined): value is { [key: string]: Draft } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmptyText(part: { [key: string]: Draft }): boolean {
  return part['text'] === '' && Object.keys(part).every((key) => key === 'text' || key === 'thought');
}
