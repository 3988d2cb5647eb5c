// For the AI SDK 7: a middleware that judges what goes to a model and what comes from it, whole or as it flows.

import type { LanguageModelMiddleware } from 'ai';
import { type JsonObject, type MaybePromise, parseJson } from '../../core/index.ts';
import type { Answer, Attempt } from '../../run/generate.ts';
import { withheldNote } from '../../run/withheld.ts';
import { type CallContext, GuardrailError } from './errors.ts';
import type { InputRequest, Sallyport } from './index.ts';
import { filtered, type GenerateResult, restoredPart, restoredParts, shown, textsOf } from './streamed.ts';
import type { Restorer } from './texts.ts';

/** Who guards a model, and for whom. */
export interface MiddlewareOptions {
  readonly guard: Sallyport;
  readonly context: CallContext | (() => MaybePromise<CallContext>);
}

type Middleware = LanguageModelMiddleware;
type Params = Parameters<NonNullable<Middleware['transformParams']>>[0]['params'];
type Message = Params['prompt'][number];
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
