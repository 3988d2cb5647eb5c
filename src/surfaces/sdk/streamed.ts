// What a model says through the AI SDK 7, whole or as it flows: its texts, and the parts that may be shown.

import type { LanguageModelMiddleware } from 'ai';
import type { Verdict } from '../../core/index.ts';
import type { DecisionStream } from '../../decide/index.ts';
import { GuardrailError } from './errors.ts';
import type { Restorer } from './texts.ts';

type Middleware = LanguageModelMiddleware;
export type GenerateResult = Awaited<ReturnType<NonNullable<Middleware['wrapGenerate']>>>;
type Content = GenerateResult['content'][number];
type StreamPart =
  Awaited<ReturnType<NonNullable<Middleware['wrapStream']>>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

/** Why an answer ends that was stopped. */
export const filtered: GenerateResult['finishReason'] = { unified: 'content-filter', raw: 'sallyport' };

/** The texts of a part that a reader would see, or that a tool is called with. */
export function textsOf(part: Content | StreamPart): readonly string[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.text];
    case 'tool-call':
      return [part.input];
    case 'file':
    case 'reasoning-file':
      return part.data.type === 'data' && part.mediaType.startsWith('text') ? [textIn(part.data.data)] : [];
    default: {
      const { type: _, providerMetadata: __, ...rest } = part as { type: string; providerMetadata?: unknown };
      return [JSON.stringify(rest)];
    }
  }
}

function textIn(data: string | Uint8Array): string {
  return (typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data)).toString('utf8');
}

/** A part with the values that the user gave, in the place of what stood for them; what a model thought stays as it came. */
export function restoredPart<Part extends Content | StreamPart>(part: Part, back: Restorer): Part {
  if (part.type === 'text') return { ...part, text: back.whole(part.text) };
  if (part.type === 'tool-call') return { ...part, input: back.whole(part.input) };
  return part;
}

/** The parts of a stream with every value back, wherever a placeholder is cut. INVARIANT: what is judged is what is shown. */
export async function* restoredParts(
  source: ReadableStream<StreamPart>,
  back: Restorer,
): AsyncGenerator<StreamPart> {
  for await (const part of source) {
    if (part.type === 'text-delta' || part.type === 'tool-input-delta') {
      const delta = back.push(channelOf(part), part.delta);
      if (delta !== '' || part.delta === '') yield { ...part, delta };
      continue;
    }
    if (part.type === 'text-end' || part.type === 'tool-input-end') {
      const delta = back.rest(channelOf(part));
      if (delta !== '') yield { type: deltaOf[part.type], id: part.id, delta };
    }
    yield restoredPart(part, back);
  }
}

/** Parts without any text of the model's. */
const bare: ReadonlySet<string> = new Set(['stream-start', 'response-metadata', 'ping', 'error']);

/**
 * The parts of a stream as they may be shown. What is found ends it with an error and the reason `content-filter`; what
 * comes in no known form is not handed on.
 */
export async function* shown(
  source: ReadableStream<StreamPart>,
  opened: DecisionStream,
): AsyncGenerator<StreamPart> {
  let awaiting: StreamPart[] = [];
  // What another text could make a secret of waits for that text; where something was found in it, it is not shown.
  for await (const part of judged(source, opened)) {
    if (part.type === 'error') awaiting = [];
    awaiting.push(part);
    if (opened.awaits) continue;
    yield* awaiting;
    awaiting = [];
  }
  if (!opened.blocked) yield* awaiting;
}

async function* judged(
  source: ReadableStream<StreamPart>,
  opened: DecisionStream,
): AsyncGenerator<StreamPart> {
  const reader = source.getReader();
  const texts = new StreamTexts(opened);
  let ended = false;
  const end = async () => {
    ended = true;
    return (await opened.end()).verdict;
  };
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (part.type === 'finish') {
        const verdict = await end();
        if (verdict.decision === 'pass') yield part;
        else yield* stopped(verdict, part.usage);
        return;
      }
      yield* texts.judged(part);
      if (opened.blocked) break;
    }
    const verdict = await end();
    if (verdict.decision !== 'pass') yield* stopped(verdict, unknownUsage);
  } finally {
    // The reader went away, or the model broke off: the record is closed all the same.
    if (!ended) await end();
    await reader.cancel().catch(() => undefined);
  }
}

/** The texts of one stream, each judged in its channel. */
class StreamTexts {
  readonly #opened: DecisionStream;
  /** What was said so far to each tool. */
  readonly #inputs = new Map<string, string>();
  #wholes = 0;

  constructor(opened: DecisionStream) {
    this.#opened = opened;
  }

  /** A part as it may be shown: with the text that may be, or not at all. */
  async *judged(part: StreamPart): AsyncGenerator<StreamPart> {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        yield* this.#delta(part);
        return;
      case 'text-end':
      case 'reasoning-end':
      case 'tool-input-end':
        yield* this.#end(part);
        return;
      case 'text-start':
      case 'reasoning-start':
      case 'tool-input-start':
        yield part;
        return;
      case 'raw':
        return;
      default:
        if (!bare.has(part.type) && !this.#hasFlowed(part)) await this.#whole(textsOf(part));
        if (bare.has(part.type) || !this.#opened.blocked) yield part;
    }
  }

  async *#delta(
    part: Extract<StreamPart, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>,
  ): AsyncGenerator<StreamPart> {
    const { type, id, delta } = part;
    if (type === 'tool-input-delta') this.#inputs.set(id, (this.#inputs.get(id) ?? '') + delta);
    const { emit } = await this.#opened.push(delta, channelOf(part));
    if (emit !== '') yield { ...part, delta: emit };
  }

  async *#end(
    part: Extract<StreamPart, { type: 'text-end' | 'reasoning-end' | 'tool-input-end' }>,
  ): AsyncGenerator<StreamPart> {
    if (part.type === 'text-end' && part.citations !== undefined) {
      await this.#whole([JSON.stringify(part.citations)]);
    }
    const { emit } = await this.#opened.finish(channelOf(part));
    if (emit !== '') yield { type: deltaOf[part.type], id: part.id, delta: emit };
    if (!this.#opened.blocked) yield part;
  }

  /** Whether a part repeats what flowed before it. */
  #hasFlowed(part: StreamPart): boolean {
    return part.type === 'tool-call' && this.#inputs.get(part.toolCallId) === part.input;
  }

  async #whole(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const channel = `whole ${this.#wholes++}`;
      await this.#opened.push(text, channel);
      await this.#opened.finish(channel);
    }
  }
}

const deltaOf = {
  'text-end': 'text-delta',
  'reasoning-end': 'reasoning-delta',
  'tool-input-end': 'tool-input-delta',
} as const;

/** Each text of an answer is a channel of its own. */
function channelOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.replace(/-(?:delta|end)$/, '')} ${id}`;
}

type Usage = GenerateResult['usage'];
const unknownUsage: Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function* stopped({ explanation, findings, approval }: Verdict, usage: Usage): Generator<StreamPart> {
  yield { type: 'error', error: new GuardrailError(explanation, findings, approval) };
  yield { type: 'finish', finishReason: filtered, usage };
}
