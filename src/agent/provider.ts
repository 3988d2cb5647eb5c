// A model of a provider, through the AI SDK: its requests go over connections that the path has cleared, with the key of
// the configuration, and nowhere else.

import type { LanguageModel, ModelMessage, ToolSet, UserContent } from 'ai';
import type { Provider } from '../config/index.ts';
import { type JsonValue, messageOf, SallyportError, visible } from '../core/index.ts';
import { Upstream, type UpstreamOptions } from '../run/upstream.ts';
import { type Message, type Model, ModelFailed, type Offer, type Turn } from './model.ts';

export type ProviderParts = Pick<UpstreamOptions, 'decider' | 'world' | 'owner'>;

/** Opens a model; nothing is connected before the first turn. Throws `ModelFailed` where a package is missing. */
export async function openProvider(provider: Provider, name: string, parts: ProviderParts): Promise<Model> {
  const { generateText, jsonSchema, tool } = await needed('ai', () => import('ai'));
  // What the SDK has to remark is no part of a run, and it would write it on our terminal.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const upstream = new Upstream({ ...parts, provider, purpose: 'llm' });
  const model = await languageModel(provider, name, fetchOver(upstream, provider));
  const toolsOf = (offers: readonly Offer[]): ToolSet =>
    Object.fromEntries(
      offers.map((offer) => [
        offer.name,
        // INVARIANT: without a function of its own no tool is run by the SDK.
        tool({ description: offer.description, inputSchema: jsonSchema({ ...offer.inputSchema }) }),
      ]),
    );
  return {
    name: `${provider.name}/${name}`,
    async turn({ system, messages, tools, signal }): Promise<Turn> {
      try {
        const result = await generateText({
          model,
          instructions: system,
          messages: messages.flatMap(messagesOf),
          ...(tools.length === 0 ? {} : { tools: toolsOf(tools) }),
          abortSignal: signal,
          // What was put off is sent again by the connection, by the provider's own settings.
          maxRetries: 0,
        });
        const { text, reasoningText = '', toolCalls, usage, responseMessages } = result;
        return {
          text,
          reasoning: reasoningText,
          calls: toolCalls.map(({ toolCallId: id, toolName, input }) => ({
            id,
            tool: toolName,
            arguments: plain(input),
          })),
          usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
          // What the SDK says of calls that it could not read, it does not say in our place.
          said: responseMessages.filter(({ role }) => role === 'assistant'),
        };
      } catch (error) {
        signal.throwIfAborted();
        throw failure(provider, error);
      }
    },
    close: () => upstream.close(),
  };
}

async function languageModel(provider: Provider, name: string, fetch: Fetch): Promise<LanguageModel> {
  const { baseUrl: baseURL, form } = provider;
  const key = provider.key?.();
  if (form === 'anthropic') {
    const { createAnthropic } = await needed('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic'));
    if (key === undefined) {
      throw new ModelFailed(`llm.${provider.name} has no key`, {
        hint: `name one in your sallyport.toml: key_env or key_file under [llm.${provider.name}]`,
      });
    }
    return createAnthropic({ baseURL: `${baseURL}/v1`, apiKey: key, fetch })(name);
  }
  const { createOpenAICompatible } = await needed(
    '@ai-sdk/openai-compatible',
    () => import('@ai-sdk/openai-compatible'),
  );
  const given = key === undefined ? {} : { apiKey: key };
  return createOpenAICompatible({ name: provider.name, baseURL, fetch, ...given })(name);
}

/** A package that only those install who run models. */
async function needed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new ModelFailed(`running a model needs the package ${name}, which is not installed`, {
      hint: `run npm install ${name}`,
      cause: error,
    });
  }
}

type Fetch = typeof globalThis.fetch;

/** The fetch of the SDK, which reaches the provider and nobody else. */
function fetchOver(upstream: Upstream, { baseUrl, name, maxAnswerBytes }: Provider): Fetch {
  return async (input, init = {}) => {
    const url = String(input);
    const { method, body, headers } = init;
    if (!url.startsWith(`${baseUrl}/`) || method !== 'POST' || typeof body !== 'string') {
      throw new SallyportError(`requests to "${name}" go to its own address, with a text`);
    }
    const signal = init.signal ?? new AbortController().signal;
    const answer = await upstream.send({
      method,
      path: url.slice(baseUrl.length),
      headers: Object.fromEntries(new Headers(headers)),
      body,
      signal,
    });
    const bytes = await upstream.whole(answer.body, maxAnswerBytes, signal);
    return new Response(bytes.toString('utf8'), {
      status: answer.status,
      headers: answer.headers.map(([header, value]): [string, string] => [header, value]),
    });
  };
}

/** A message in the words of the SDK. */
function messagesOf(message: Message): readonly ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: contentOf(message) }];
    case 'assistant':
      // INVARIANT: only turns that this model took are read back to it.
      return message.turn.said as readonly ModelMessage[];
    case 'tool':
      return [
        {
          role: 'tool',
          content: message.results.map(({ call, output }) => ({
            type: 'tool-result',
            toolCallId: call.id,
            toolName: call.tool,
            output: { type: 'text', value: output },
          })),
        },
      ];
  }
}

/** What the user says, and the files that come with it, each as a part of its own. */
function contentOf({ text, given = [] }: Extract<Message, { role: 'user' }>): UserContent {
  if (given.length === 0) return text;
  return [
    { type: 'text', text },
    ...given.map((part) =>
      part.is === 'text'
        ? { type: 'text' as const, text: part.text }
        : { type: 'file' as const, mediaType: part.mediaType, data: part.base64 },
    ),
  ];
}

/** What the model wrote, as the JSON that it stands for. */
function plain(input: unknown): JsonValue {
  return JSON.parse(JSON.stringify(input) ?? 'null') as JsonValue;
}

/** Why there is no turn: our own word, or what the provider says, made visible. */
function failure({ name }: Provider, error: unknown): ModelFailed {
  const known = [error, error instanceof Error ? error.cause : undefined].find(
    (one) => one instanceof SallyportError,
  );
  const said = visible(messageOf(known ?? error), 300);
  return new ModelFailed(`the model of ${name} gave no answer: ${said}`, { cause: error });
}
