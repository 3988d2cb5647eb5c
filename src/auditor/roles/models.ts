// What asks a model, what of such a call is the prompt, and what of the answer is what.

const models: readonly RegExp[] = [
  /[.:)]chat\.completions\.(create|parse|stream|runTools|new|newStreaming)$/,
  /\.responses\.(create|parse|stream|new|newStreaming)$/,
  /(^openai|client)[^:]*:.*\.completions\.create$/,
  /\bChatCompletion\.a?create$/,
  /^(?!twilio|@?slack)[^:]*:.*\.messages\.(create|stream|toolRunner|tool_runner|new|newStreaming)$/,
  /\.(generateContent|generateContentStream|generate_content|generate_content_async|generate_content_stream)$/,
  /^(@google|google)[^:]*:.*\.(sendMessage|sendMessageStream|send_message|send_message_async)$/,
  /\.chat\.(complete|stream|complete_async|stream_async)$/,
  /^(cohere|cohere-ai|ollama|groq)[^:]*:.*\.(chat|chatStream|chat_stream|generate)$/,
  /\.(createChatCompletion|createCompletion)(Stream)?$/,
  /^github\.com\/google\/generative-ai-go[^:]*:.*\.(sendMessage|sendMessageStream)$/,
  /^github\.com\/(ollama|cohere-ai|gage-technologies)[^:]*:.*\.(chat|chatStream|generate)$/,
  /^github\.com\/tmc\/langchaingo\/(llms|chains|agents)[^:]*:.*(generateFromSinglePrompt|\.(generateContent|call|run|predict|generate))$/,
  /\.(invokeModel|invokeModelWithResponseStream|converse|converseStream)$/,
  /\.(invoke_model|invoke_model_with_response_stream|converse|converse_stream)$/,
  /:(\*\.)?(InvokeModelCommand|InvokeModelWithResponseStreamCommand|ConverseCommand|ConverseStreamCommand)$/,
  /^litellm:(\*\.)?a?completion$/,
  /^ai:(\*\.)?(generateText|streamText|generateObject|streamObject)$/,
  /^ai:(\*\.)?\w*Agent\(\)\.(generate|stream|respond)$/,
  /^(@langchain|langchain|langgraph)[^:]*:.*(Chat[A-Z]\w*|LLM|OpenAI|Anthropic|Ollama|Bedrock|VertexAI|Gemini|init_?[cC]hat_?[mM]odel|create_?\w*[aA]gent\w*|AgentExecutor|LLMChain|ConversationChain)\w*(\.\w+)?\(\).*\.(a?invoke|a?stream|a?batch|call|a?run|a?predict|streamEvents|a?stream_events|__call__)$/,
  /^[^:]*[/@_-](ai|llms?):(\*\.)?(stream|complete|generate|chat)(Simple|Text|Completion|Message)?$/,
  /^(?!.*twilio).*\.(createMessage|create_message|requestSampling|request_sampling|sample)$/,
  /^:(.*\.)?(llm|model|language_?[mM]odel|chat_?[mM]odel|lm|provider|openai|anthropic)(\(\))?\.(complete|completion|generate|chat|a?invoke|ask|predict|stream|a?stream|generate_?[tT]ext|stream_?[tT]ext|call|create|respond|acomplete|agenerate|query|send|get_?[rR]esponse|getStreamedResponse|stream_?[rR]esponse)$/,
  /^:(.*\.)?(call|ask|query|prompt|invoke)_?([mM]odel|[lL][lL][mM]|[cC]laude|[gG][pP][tT]|[oO]pen[aA][iI])$/,
];

/** Answers piece by piece. */
const streaming = /stream/i;

export function isModel(path: string): boolean {
  return models.some((pattern) => pattern.test(path));
}

export function isStreaming(path: string): boolean {
  return streaming.test(path.slice(path.lastIndexOf('.') + 1)) || /:(\*\.)?stream(Text|Object)$/.test(path);
}

/** Runs the tools that it is given by itself. */
export function runsTools(path: string): boolean {
  return /^ai:|^(@langchain|langchain|langgraph)[^:]*:.*(create_?\w*[aA]gent|AgentExecutor)|\.(runTools|toolRunner|tool_runner)$/.test(
    path,
  );
}

/** Addresses at which models answer. */
export const modelAddress =
  /api\.(openai|anthropic|mistral|groq|cohere|deepseek|together|fireworks|perplexity|x)\.(com|ai|xyz)|generativelanguage\.googleapis|openrouter\.ai|:11434|\/v\d(beta)?\/(chat\/completions|messages|responses|completions)\b|:generateContent|bedrock-runtime|\/api\/(chat|generate)$/;

/** What of a call of a model is no part of the prompt. */
export const notPrompt: ReadonlySet<string> = new Set([
  ...[
    'model',
    'tools',
    'tool_choice',
    'toolChoice',
    'temperature',
    'max_tokens',
    'maxTokens',
    'maxOutputTokens',
  ],
  ...[
    'stream',
    'signal',
    'abortSignal',
    'user',
    'metadata',
    'headers',
    'apiKey',
    'api_key',
    'config',
    'callbacks',
  ],
  ...[
    'stopWhen',
    'onFinish',
    'onStepFinish',
    'onChunk',
    'functions',
    'response_format',
    'toolApproval',
    'timeout',
  ],
  ...[
    'max_completion_tokens',
    'top_p',
    'topP',
    'seed',
    'stop',
    'maxSteps',
    'maxRetries',
    'providerOptions',
    'url',
  ],
  ...[
    'method',
    'schema',
    'experimental_telemetry',
    'modelId',
    'model_id',
    'modelName',
    'baseURL',
    'base_url',
  ],
  ...['thread_id', 'configurable', 'store', 'reasoning', 'context', 'runId', 'max_output_tokens', 'strategy'],
]);

/** What of a model's answer is no text of its. */
export const answerFacts: ReadonlySet<string> = new Set([
  ...[
    'usage',
    'id',
    'model',
    'finish_reason',
    'finishReason',
    'stop_reason',
    'stopReason',
    'role',
    'created',
  ],
  ...[
    'type',
    'length',
    'status',
    'ok',
    'statusText',
    'usage_metadata',
    'response_metadata',
    'index',
    'object',
  ],
  ...[
    'tool_call_id',
    'toolCallId',
    'call_id',
    'callId',
    'status_code',
    'statusCode',
    'headers',
    'totalUsage',
    'system_fingerprint',
  ],
]);

/** What of a model's answer is a call that it wants. */
export const answerCalls: ReadonlySet<string> = new Set([
  ...[
    'tool_calls',
    'toolCalls',
    'function_call',
    'functionCall',
    'function_calls',
    'functionCalls',
    'tool_call',
  ],
  ...['function', 'arguments', 'args', 'input', 'name', 'toolName', 'tool_use', 'parameters', 'tool_uses'],
]);

/** What of a call is what the model wrote for the tool. */
export const callArguments: ReadonlySet<string> = new Set([
  'arguments',
  'args',
  'input',
  'parameters',
  'kwargs',
]);

/** What makes one text of a stream. */
export const finalText: ReadonlySet<string> = new Set([
  ...[
    'finalMessage',
    'finalText',
    'finalContent',
    'get_final_message',
    'get_final_text',
    'finalChatCompletion',
  ],
  ...['consumeStream', 'getFinalResponse', 'finalOutput'],
]);

/** The part of a stream that is one text after an await. */
export const wholeText: ReadonlySet<string> = new Set(['text', 'content', 'output', 'object', 'response']);
