// For the AI SDK 7: a middleware that judges what goes to a model and what comes from it, whole or as it flows.

import type { LanguageModelMiddleware } from 'ai';
import { type JsonObject, type MaybePromise, parseJson, type Verdict } from '../../core/index.ts';
import type { DecisionStream } from '../../decide/index.ts';
import type { Answer, Attempt } from '../../run/generate.ts';
import { withheldNote } from '../../run/withheld.ts';
import { type CallContext, GuardrailError } from './errors.ts';
import type { InputRequest, Sallyport } from './index.ts';
import type { Restorer } from './texts.ts';

/** Who guards a model, and for whom. */
export interface MiddlewareOptions {
  readonly guard: Sallyport;
  readonly context: CallContext | (() => MaybePromise<CallContext>);
}

type Middleware = LanguageModelMiddleware;
type Params = Parameters<NonNullable<Middleware['transformParams']>>[0]['params'];
type Message = Params['prompt'][number];
type GenerateResult = Awaited<ReturnType<NonNullable<Middleware['wrapGenerate']>>>;
type Content = GenerateResult['content'][number];
type StreamPart =
  Awaited<ReturnType<NonNullable<Middleware['wrapStream']>>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;
type ToolOutput = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output'];

/**
 * Guards a model: `wrapLanguageModel({ model, middleware: sallyportMiddleware({ guard, context }) })`.
 * What may not go to it throws `GuardrailError` before it is called, but for the result of a tool: a note stands for that,
 * since the next step repeats it. Calls of tools are judged where they are executed. Personal data that the user gave goes to
 * the model as a placeholder and is back in what the model says and in what it calls tools with.
 */
export function sallyportMiddleware({ guard, context }: MiddlewareOptions): Middleware {
  const who = async () => (typeof context === 'function' ? await context() : context);
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => {
      const caller = await who();
      const judge = inputJudge(guard, caller);
      const prompt: Message[] = [];
      for (const message of params.prompt) prompt.push(await judgedMessage(message, judge));
      // What the user's later words name is hidden in the model's earlier ones as well.
      const back = await guard.output.restorer(caller);
      return { ...params, prompt: prompt.map((message) => hiddenMessage(message, back)) };
    },
    wrapGenerate: async ({ doGenerate, model, params }) => {
      const ask = async ({
        instructions,
      }: Attempt): Promise<Answer & { readonly result: GenerateResult }> => {
        const result = await (instructions === null
          ? doGenerate()
          : model.doGenerate(withInstructions(params, instructions)));
        const back = await guard.output.restorer(await who());
        const content = result.content.map((part) => restoredPart(part, back));
        return {
          result: { ...result, content },
          texts: content.flatMap(textsOf),
          usage: plainUsage(result.usage),
        };
      };
      const { answer, texts, usage } = await guard.answer({ context: await who(), ask });
      const total = usage as unknown as GenerateResult['usage'];
      if (answer !== null) return { ...answer.result, usage: total };
      return {
        content: texts.map((text) => ({ type: 'text', text })),
        finishReason: filtered,
        usage: total,
        warnings: [],
      };
    },
    wrapStream: async ({ doStream }) => {
      const caller = await who();
      const opened = await guard.output.stream(caller);
      try {
        const { stream, ...rest } = await doStream();
        const back = await guard.output.restorer(caller);
        const given = ReadableStream.from(restoredParts(stream, back));
        return { ...rest, stream: ReadableStream.from(shown(given, opened)) };
      } catch (error) {
        opened.stop('the model could not be asked');
        await opened.end();
        throw error;
      }
    },
  };
}

const filtered: GenerateResult['finishReason'] = { unified: 'content-filter', raw: 'sallyport' };

type JudgeInput = (request: Omit<InputRequest, 'context'>) => Promise<string>;

/** Judges a text or a file, and gives the text as it may go on; throws `GuardrailError` for what may not. */
function inputJudge(guard: Sallyport, context: CallContext): JudgeInput {
  return async (request) => {
    const check = await guard.input.check({ ...request, context });
    if (check.blocked || check.needsApproval) throw check.toUserError();
    return check.text;
  };
}

/** A message as it may go to the model. The system's own words are the program's, and the model's were judged before. */
async function judgedMessage(message: Message, judge: JudgeInput): Promise<Message> {
  if (message.role === 'user') {
    const content: typeof message.content = [];
    for (const part of message.content) {
      content.push(
        part.type === 'text'
          ? { ...part, text: await judge({ text: part.text }) }
          : await judgedFile(part, judge),
      );
    }
    return { ...message, content };
  }
  if (message.role === 'tool') {
    const content: typeof message.content = [];
    for (const part of message.content) content.push(await judgedResult(part, judge));
    return { ...message, content };
  }
  if (message.role !== 'assistant') return message;
  const content: typeof message.content = [];
  for (const part of message.content) content.push(await judgedResult(part, judge));
  return { ...message, content };
}

/** What the model said before, without the values that were given back in it. */
function hiddenMessage(message: Message, back: Restorer): Message {
  if (message.role !== 'assistant') return message;
  const content = message.content.map((part) => {
    if (part.type === 'text') return { ...part, text: back.hide(part.text) };
    if (part.type !== 'tool-call') return part;
    const written = JSON.stringify(part.input) ?? 'null';
    const hidden = back.hide(written);
    return hidden === written ? part : { ...part, input: jsonOf(hidden) };
  });
  return { ...message, content };
}

type FilePart = Extract<Extract<Message, { role: 'user' }>['content'][number], { type: 'file' }>;

async function judgedFile(part: FilePart, judge: JudgeInput): Promise<FilePart> {
  const { data, mediaType, filename } = part;
  const name = filename === undefined ? {} : { name: filename };
  const origin = mediaType.startsWith('image') ? 'image' : 'file';
  if (data.type === 'text') {
    return { ...part, data: { ...data, text: await judge({ text: data.text, origin: 'file', ...name }) } };
  }
  // What a provider would fetch by itself, nobody here has read.
  if (data.type !== 'data') throw unread(`a file that the provider would read from elsewhere (${data.type})`);
  const bytes = data.data;
  const contentBase64 = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('base64');
  const text = await judge({ contentBase64, origin, ...name });
  return text === '' ? part : { ...part, data: { type: 'text', text } };
}

function unread(what: string): GuardrailError {
  return new GuardrailError(`Blocked: ${what} cannot be checked.`, [], null, 'hand over its bytes');
}

/** A part with the result of a tool in it, as it may go to the model; any other as it is. */
async function judgedResult<Part extends { readonly type: string }>(
  part: Part,
  judge: JudgeInput,
): Promise<Part> {
  if (part.type !== 'tool-result') return part;
  const { output, toolName } = part as unknown as { readonly output: ToolOutput; readonly toolName: string };
  return { ...part, output: await judgedOutput(output, toolName, judge) };
}

/** What may go to the model, or a note that stands for what may not. */
async function orNote<Shown>(judged: Promise<Shown>, asNote: (note: string) => Shown): Promise<Shown> {
  try {
    return await judged;
  } catch (error) {
    if (!(error instanceof GuardrailError)) throw error;
    return asNote(withheldNote(error));
  }
}

async function judgedOutput(output: ToolOutput, name: string, judge: JudgeInput): Promise<ToolOutput> {
  const read = (text: string) => orNote(judge({ text, origin: 'tool', name }), (note) => note);
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { ...output, value: await read(output.value) };
    case 'json':
    case 'error-json': {
      const written = JSON.stringify(output.value) ?? 'null';
      const text = await read(written);
      return text === written ? output : { ...output, value: jsonOf(text) as typeof output.value };
    }
    case 'content': {
      const value: typeof output.value = [];
      for (const part of output.value) {
        if (part.type === 'text') value.push({ ...part, text: await read(part.text) });
        else if (part.type === 'file') {
          const judged = judgedFile(part as FilePart, judge) as Promise<(typeof value)[number]>;
          value.push(await orNote(judged, (text) => ({ type: 'text', text })));
        } else value.push(part);
      }
      return { ...output, value };
    }
    default:
      return output;
  }
}

/** JSON in which something was taken out; as a text, where that broke it. */
function jsonOf(text: string) {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The call with instructions behind those that the system has. */
function withInstructions(params: Params, instructions: string): Params {
  const behind = params.prompt.findLastIndex(({ role }) => role === 'system') + 1;
  const added: Message = { role: 'system', content: instructions };
  return { ...params, prompt: [...params.prompt.slice(0, behind), added, ...params.prompt.slice(behind)] };
}

/** The usage as plain JSON: what a provider did not count is left out. */
function plainUsage(usage: GenerateResult['usage']): JsonObject {
  return JSON.parse(JSON.stringify(usage)) as JsonObject;
}

/** The texts of a part that a reader would see, or that a tool is called with. */
function textsOf(part: Content | StreamPart): readonly string[] {
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
function restoredPart<Part extends Content | StreamPart>(part: Part, back: Restorer): Part {
  if (part.type === 'text') return { ...part, text: back.whole(part.text) };
  if (part.type === 'tool-call') return { ...part, input: back.whole(part.input) };
  return part;
}

/** The parts of a stream with every value back, wherever a placeholder is cut. INVARIANT: what is judged is what is shown. */
async function* restoredParts(
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
async function* shown(
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
  const inputs = new Map<string, string>();
  let wholes = 0;
  let ended = false;
  const end = async () => {
    ended = true;
    return (await opened.end()).verdict;
  };
  const whole = async (texts: readonly string[]) => {
    for (const text of texts) {
      const channel = `whole ${wholes++}`;
      await opened.push(text, channel);
      await opened.finish(channel);
    }
  };
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (bare.has(part.type)) yield part;
      else if (
        part.type === 'text-delta' ||
        part.type === 'reasoning-delta' ||
        part.type === 'tool-input-delta'
      ) {
        if (part.type === 'tool-input-delta') inputs.set(part.id, (inputs.get(part.id) ?? '') + part.delta);
        const { emit } = await opened.push(part.delta, channelOf(part));
        if (emit !== '') yield { ...part, delta: emit };
      } else if (
        part.type === 'text-end' ||
        part.type === 'reasoning-end' ||
        part.type === 'tool-input-end'
      ) {
        if (part.type === 'text-end' && part.citations !== undefined)
          await whole([JSON.stringify(part.citations)]);
        const { emit } = await opened.finish(channelOf(part));
        if (emit !== '') yield { type: deltaOf[part.type], id: part.id, delta: emit };
        if (!opened.blocked) yield part;
      } else if (
        part.type === 'text-start' ||
        part.type === 'reasoning-start' ||
        part.type === 'tool-input-start'
      ) {
        yield part;
      } else if (part.type === 'finish') {
        const verdict = await end();
        if (verdict.decision === 'pass') yield part;
        else yield* stopped(verdict, part.usage);
        return;
      } else if (part.type !== 'raw') {
        const streamed = part.type === 'tool-call' && inputs.get(part.toolCallId) === part.input;
        if (!streamed) await whole(textsOf(part));
        if (!opened.blocked) yield part;
      }
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
