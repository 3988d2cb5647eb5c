// Who is who in an agent: what asks a model, what a person sees, what acts, and what guards; all as tables of names.
//
// A name is a path such as `openai:default().chat.completions.create`: the module, what is imported from it, members, and
// `()` where something was called or made. What is handed in from outside has no module: `:guard.input.check`.

import { folded } from './ir.ts';

/** What a guard can clear, one bit each. */
export const kinds = {
  injection: 1,
  pii: 2,
  secrets: 4,
  policy: 8,
  tool: 16,
  approval: 32,
  snapshot: 64,
  egress: 128,
  owner: 256,
} as const;
export type Kinds = number;

export const everything: Kinds = 511;

export interface Guard {
  readonly name: string;
  readonly kinds: Kinds;
  /** Its result is a promise; null where its name does not tell. */
  readonly async: boolean | null;
  /**
   * How it guards: by a result that is looked at or handed on, by what it does, by throwing, or by standing around the
   * model or the tools.
   */
  readonly form: 'result' | 'effect' | 'throws' | 'model' | 'tools' | 'stream' | 'generate';
  /** What a property of the result clears when it is tested. */
  readonly tests?: Readonly<Record<string, { readonly kinds: Kinds; readonly bad: boolean }>>;
  /** The properties whose value may go on as it is, and for what. */
  readonly values?: Readonly<Record<string, Kinds>>;
  /** A result that is true says yes; nobody knows where this is absent. */
  readonly yes?: boolean;
  /** It records what it refuses by itself. */
  readonly audits: boolean;
}

const { injection, pii, secrets, policy, tool, approval, snapshot, egress, owner } = kinds;

const checkedText = (cleared: Kinds) => ({
  async: true,
  form: 'result' as const,
  kinds: cleared,
  tests: {
    blocked: { kinds: cleared & ~pii, bad: true },
    needsApproval: { kinds: 0, bad: true },
    needs_approval: { kinds: 0, bad: true },
    decision: { kinds: cleared & ~pii, bad: false },
  },
  values: { text: cleared },
  audits: true,
});

const validated = {
  async: true,
  form: 'result' as const,
  kinds: tool | approval,
  tests: {
    blocked: { kinds: tool, bad: true },
    needsApproval: { kinds: approval, bad: true },
    needs_approval: { kinds: approval, bad: true },
  },
  values: { arguments: owner },
  audits: true,
};

interface NamedGuard extends Guard {
  readonly match: RegExp;
}

/** A path that ends so, from wherever the guard was handed in or imported; something made on the spot is another. */
function ending(names: string): RegExp {
  return new RegExp(`^(?!:\\w+\\(\\))(?!types:|unittest|collections:)[^:]*(:[^:]*)?:(.*\\.)?${names}$`);
}

/** The product's own guards, by their paths. */
const ownGuards: readonly NamedGuard[] = [
  { name: 'input.check', match: ending('input\\.check'), ...checkedText(injection | pii) },
  {
    name: 'output.check',
    match: ending('output\\.check'),
    ...checkedText(secrets | policy),
  },
  { name: 'tool.validate', match: ending('tool\\.validate'), ...validated },
  {
    name: 'output.stream',
    match: ending('output\\.stream'),
    kinds: secrets | policy,
    async: true,
    form: 'stream',
    // That nothing was found so far says nothing about a piece that went past it.
    tests: {},
    audits: true,
  },
  {
    name: 'guardedGenerate',
    match: /^sallyport[^:]*:(\*\.)?(guarded_?[gG]enerate|.*\(\)\.generate)$/,
    kinds: injection | pii | secrets | policy,
    async: true,
    form: 'generate',
    audits: true,
  },
  {
    name: 'sallyportMiddleware',
    match: /:(\*\.)?sallyport_?[mM]iddleware$/,
    kinds: injection | pii | secrets | policy,
    async: false,
    form: 'model',
    audits: true,
  },
  {
    name: 'guardTools',
    match: /:(\*\.)?guard_?[tT]ools$/,
    kinds: tool | approval | owner,
    async: true,
    form: 'tools',
    audits: true,
  },
  {
    name: 'guardedFetch',
    match: /:(.*\.)?(guarded_?[fF]etch|guarded_?[cC]lient(\(\))?\.\w+|guarded_http\.\w+)$/,
    kinds: egress,
    async: true,
    form: 'effect',
    audits: true,
  },
];

/** Guards that are known by name wherever they come from, written as they are folded. */
const namedGuards: Readonly<Record<string, { readonly kinds: Kinds; readonly methods?: RegExp }>> = {
  promptinjectiondetector: { kinds: injection },
  piiredactor: { kinds: pii },
  secretleakdetector: { kinds: secrets },
  policyviolationclassifier: { kinds: policy },
  toolregistry: { kinds: tool, methods: /^valid/ },
  workspacesnapshot: { kinds: snapshot, methods: /^(capture|create|take|begin)/ },
  requiresexplicitapproval: { kinds: approval },
  egressallowlist: { kinds: egress },
};

/** What is asked of a person; a yes is a result like any other. */
const asksPerson =
  /^(ask|request|require|await|wait_?for|get|need|seek|obtain)?_?(for_?)?(user|human|explicit|operator)?_?(approv(al|e|ed)|confirm(ation|ed)?|consent|permission)(_?from_?\w+)?$/i;

/** A method that throws instead of telling. */
const throwing =
  /^(assert|ensure|enforce|must|raise|throw|require)|(_or_raise|_or_throw|OrThrow|OrRaise|OrFail)$/;

/** A guard that the configuration names. */
export interface ConfiguredGuard {
  /** A dotted name, such as `security.checkPrompt`; any path that ends with it is this guard. */
  readonly name: string;
  /** The rules that it stands for. */
  readonly rules: readonly string[];
  /** It throws instead of giving a result. */
  readonly throws?: boolean;
}

/** What a guard clears that stands for a rule. */
const ofRule: Readonly<Record<string, Kinds>> = {
  'AG-IN-1': injection,
  'AG-IN-2': pii,
  'AG-IN-4': injection | pii,
  'AG-OUT-1': secrets,
  'AG-OUT-2': policy,
  'AG-OUT-3': tool,
  'AG-OUT-4': secrets,
  'AG-TOOL-1': tool,
  'AG-TOOL-2': snapshot,
  'AG-TOOL-3': approval,
  'AG-TOOL-4': approval,
  'AG-TOOL-5': owner,
  'AG-TOOL-6': egress,
};

/** Finds the guard that a callee's path names. */
export class Guards {
  readonly #configured: readonly { readonly ending: string; readonly guard: Guard }[];
  readonly #memory = new Map<string, Guard | null>();

  constructor(configured: readonly ConfiguredGuard[] = []) {
    this.#configured = configured.map(({ name, rules, throws = false }) => {
      const cleared = rules.reduce((all, rule) => all | (ofRule[rule] ?? 0), 0);
      const form = throws ? 'throws' : cleared === snapshot ? 'effect' : 'result';
      return { ending: folded(name), guard: { name, kinds: cleared, async: null, form, audits: false } };
    });
  }

  find(path: string): Guard | null {
    const known = this.#memory.get(path);
    if (known !== undefined) return known;
    const found = this.#look(path);
    this.#memory.set(path, found);
    return found;
  }

  #look(path: string): Guard | null {
    const plain = folded(path.replaceAll('()', ''));
    for (const { ending, guard } of this.#configured) {
      if (plain.endsWith(ending) && /(^|[.:*])$/.test(plain.slice(0, -ending.length))) return guard;
    }
    const own = ownGuards.find(({ match }) => match.test(path));
    if (own !== undefined) return own;
    const names = path.slice(path.lastIndexOf(':') + 1).split('.');
    const method = (names.at(-1) ?? '').replaceAll('()', '');
    for (const [index, written] of names.entries()) {
      const entry = namedGuards[folded(written.replaceAll('()', ''))];
      if (entry === undefined) continue;
      const last = index === names.length - 1;
      // Making a detector is not asking it.
      if (last && /^[A-Z]/.test(written) && !/^EGRESS|^[A-Z_]+$/.test(written)) return null;
      if (entry.methods !== undefined && (last || !entry.methods.test(folded(method)))) return null;
      const named = entry.methods === undefined && !last ? `${written.replaceAll('()', '')}.${method}` : '';
      return {
        name: named || names.slice(index).join('.').replaceAll('()', ''),
        kinds: entry.kinds,
        async: entry.kinds === snapshot ? !/Sync$/.test(method) : null,
        form: entry.kinds === snapshot ? 'effect' : last || !throwing.test(method) ? 'result' : 'throws',
        ...(entry.kinds === approval ? { tests: { '': { kinds: approval, bad: true } } } : {}),
        audits: false,
      };
    }
    if (asksPerson.test(method)) {
      return {
        name: method,
        kinds: approval,
        async: path !== ':confirm',
        form: 'result',
        yes: true,
        audits: false,
      };
    }
    return null;
  }
}

/** Whether a name is one of a guard, as in an import that nobody uses or in a comment. */
export function kindsNamed(text: string): Kinds {
  const plain = folded(text);
  let found = 0;
  for (const [name, { kinds: cleared }] of Object.entries(namedGuards))
    if (plain.includes(name)) found |= cleared;
  return found;
}

// ── results

/** Whether a property that is true says no, or yes; undefined where it tells nothing. */
export function saysNo(property: string): boolean | undefined {
  const name = folded(property);
  if (
    /^(is|has|was|should)?(block|flag|detect|refus|reject|violat|unsafe|malicious|injection|leak|secret|denied|deny|matche?[sd]|hit|finding|threat|suspicious|infected|triggered|pii|found|risk|error|requires|needs|jailbreak)/.test(
      name,
    )
  ) {
    return true;
  }
  if (
    /^(is|was|has)?(allow|ok|safe|pass|valid|clean|approv|accept|permit|grant|clear|confirmed|success)/.test(
      name,
    )
  )
    return false;
  return undefined;
}

const noWords: ReadonlySet<string> = new Set([
  'block',
  'blocked',
  'deny',
  'denied',
  'reject',
  'refuse',
  'approve',
  'unsafe',
  'flagged',
]);
const yesWords: ReadonlySet<string> = new Set([
  'pass',
  'allow',
  'allowed',
  'ok',
  'safe',
  'approved',
  'yes',
  'y',
  'redact',
]);

/** Whether a word that a result is compared with says no. */
export function wordSaysNo(word: unknown): boolean | undefined {
  if (typeof word !== 'string') return undefined;
  const plain = word.toLowerCase();
  return noWords.has(plain) ? true : yesWords.has(plain) ? false : undefined;
}

// ── models

const models: readonly RegExp[] = [
  /[.:)]chat\.completions\.(create|parse|stream|runTools)$/,
  /\.responses\.(create|parse|stream)$/,
  /(^openai|client)[^:]*:.*\.completions\.create$/,
  /\bChatCompletion\.a?create$/,
  /^(?!twilio|@?slack)[^:]*:.*\.messages\.(create|stream|toolRunner|tool_runner)$/,
  /\.(generateContent|generateContentStream|generate_content|generate_content_async|generate_content_stream)$/,
  /^(@google|google)[^:]*:.*\.(sendMessage|sendMessageStream|send_message|send_message_async)$/,
  /\.chat\.(complete|stream|complete_async|stream_async)$/,
  /^(cohere|cohere-ai|ollama|groq)[^:]*:.*\.(chat|chatStream|chat_stream|generate)$/,
  /\.(invoke_model|invoke_model_with_response_stream|converse|converse_stream)$/,
  /:(\*\.)?(InvokeModelCommand|InvokeModelWithResponseStreamCommand|ConverseCommand|ConverseStreamCommand)$/,
  /^litellm:(\*\.)?a?completion$/,
  /^ai:(\*\.)?(generateText|streamText|generateObject|streamObject)$/,
  /^ai:(\*\.)?\w*Agent\(\)\.(generate|stream|respond)$/,
  /^(@langchain|langchain|langgraph)[^:]*:.*(Chat[A-Z]\w*|LLM|OpenAI|Anthropic|Ollama|Bedrock|VertexAI|Gemini|init_?[cC]hat_?[mM]odel|create_?\w*[aA]gent\w*|AgentExecutor|LLMChain|ConversationChain)\w*(\.\w+)?\(\).*\.(a?invoke|a?stream|a?batch|call|a?run|a?predict|streamEvents|a?stream_events|__call__)$/,
  /\.(createMessage|create_message|requestSampling|request_sampling|sample)$/,
  /^:(.*\.)?(llm|model|language_?[mM]odel|chat_?[mM]odel|lm|provider|openai|anthropic)(\(\))?\.(complete|completion|generate|chat|a?invoke|ask|predict|stream|a?stream|generate_?[tT]ext|stream_?[tT]ext|call|create|respond|acomplete|agenerate|query|send)$/,
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

/** Where the product itself is asked over HTTP. */
export const decideAddress = /\/v1\/decide\b/;

/** Where the product itself is asked in the same process. */
export const decideCall = /(^|[.:])decider\.decide$/;

/** What a verdict clears, by the kind of the action. */
export const decideKinds: Readonly<Record<string, Kinds>> = {
  prompt: injection | pii,
  response: secrets | policy,
  tool: tool | approval | owner,
  fetch: egress,
};

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

/** What of a stream is one text once somebody waits for it. */
export const wholeText: ReadonlySet<string> = new Set(['text', 'content', 'output', 'object', 'response']);

// ── what acts

export type SinkKind = 'show' | 'interpret' | 'write' | 'delete' | 'http' | 'message';

const sinks: readonly { readonly kind: SinkKind; readonly match: RegExp }[] = [
  { kind: 'interpret', match: /^:(eval|exec|Function|execScript|compile)$/ },
  { kind: 'interpret', match: /^(node:)?vm:(.*\.)?(runIn\w+|Script|compileFunction)$/ },
  {
    kind: 'interpret',
    match: /^(node:)?child_process:(.*\.)?(exec|execSync|execFile|execFileSync|spawn|spawnSync|fork)(\(\))?$/,
  },
  { kind: 'interpret', match: /:(.*\.)?promisify\(\)$/ },
  { kind: 'interpret', match: /^(execa|zx|shelljs|cross-spawn):/ },
  { kind: 'interpret', match: /^:(Bun\.(spawn|spawnSync|\$)|Deno\.(Command|run))$/ },
  { kind: 'interpret', match: /^os:(\*\.)?(system|popen|exec\w+|spawn\w+)$/ },
  { kind: 'interpret', match: /^subprocess:(\*\.)?\w+$/ },
  { kind: 'interpret', match: /^asyncio(\.subprocess)?:(.*\.)?create_subprocess_(shell|exec)$/ },
  { kind: 'delete', match: /^(node:)?fs(\/promises|-extra)?:(.*\.)?(rm|rmdir|unlink|remove|rimraf)(Sync)?$/ },
  { kind: 'delete', match: /^(os|shutil):(\*\.)?(remove|unlink|rmdir|removedirs|rmtree)$/ },
  { kind: 'delete', match: /^(rimraf|del):/ },
  {
    kind: 'write',
    match:
      /^(node:)?fs(\/promises|-extra)?:(.*\.)?(writeFile|appendFile|createWriteStream|rename|copyFile|cp|truncate|outputFile|symlink|mkdir|write)(Sync)?$/,
  },
  { kind: 'write', match: /^:(Bun\.write|Deno\.writeTextFile|Deno\.writeFile)$/ },
  {
    kind: 'write',
    match:
      /(^:open|^aiofiles:(\*\.)?open|^(io|codecs):(\*\.)?open|\bPath\(\)(\.\w+)*\.open)\(\)\.(write|writelines)$/,
  },
  {
    kind: 'write',
    match: /\bPath\(\)([./]\w+(\(\))?)*\.(write_text|write_bytes|rename|replace|touch|mkdir)$/,
  },
  { kind: 'delete', match: /\bPath\(\)([./]\w+(\(\))?)*\.(unlink|rmdir)$/ },
  { kind: 'write', match: /\.(write_text|write_bytes)$/ },
  { kind: 'write', match: /^(os|shutil):(\*\.)?(rename|replace|makedirs|mkdir|copy\w*|move|truncate)$/ },
  {
    kind: 'message',
    match: /\.(sendMail|sendmail|send_message|send_mail|send_email|sendEmail|sendSms|send_sms)$/,
  },
  {
    kind: 'message',
    match:
      /^(twilio|@slack|slack_sdk|slack|stripe|resend|@sendgrid|sendgrid|nodemailer|smtplib|telegram)[^:]*:.*\.(create|send|postMessage|chat_postMessage|refund|charge|sendMessage)$/,
  },
  { kind: 'http', match: /^:(fetch|globalThis\.fetch|window\.fetch|axios(\.\w+)?)$/ },
  {
    kind: 'http',
    match: /^(axios|got|ky|node-fetch|superagent|undici|request|needle|phin|cross-fetch|ofetch):/,
  },
  { kind: 'http', match: /^(node:)?https?:(.*\.)?(request|get)$/ },
  {
    kind: 'http',
    match:
      /^(requests|httpx|urllib3|aiohttp):(\*\.)?((Async)?Client\(\)\.|(Client)?Session\(\)\.|PoolManager\(\)\.|session\(\)\.)?(get|post|put|patch|delete|head|request|stream|options)$/,
  },
  { kind: 'http', match: /^urllib(\.request)?:(.*\.)?(urlopen|urlretrieve|Request)$/ },
  { kind: 'show', match: /^:(console\.(log|info)|print|alert|input)$/ },
  {
    kind: 'show',
    match:
      /^(builtins|rich[^:]*|click|typer|streamlit|st|gradio|chainlit)?:(.*\.)?(print|echo|write|markdown|chat_message\(\)\.\w+|Message|success)$/,
  },
  { kind: 'show', match: /^(:process|(node:)?process:(\*|default|stdout)?)\.?(stdout\.)?write$/ },
  { kind: 'show', match: /^(:|sys:(\*\.)?)(sys\.)?stdout\.(write|writelines)$/ },
  {
    kind: 'show',
    match:
      /:(.*\.)?(Response|NextResponse|JSONResponse|StreamingResponse|PlainTextResponse|HTMLResponse|EventSourceResponse|jsonify|HttpResponse|JsonResponse|StreamingHttpResponse|make_response)(\.json)?$/,
  },
  {
    kind: 'show',
    match:
      /\.(send|json|reply|respond|enqueue|emit|send_text|send_json|send_str|send_message|sendMessage|sendText|editReply|followUp|say|postMessage|publish|sendToQueue|send_event|writeSSE|streamText)$/,
  },
  {
    kind: 'show',
    match:
      /^:(.*\.)?(res|response|reply|ctx|c|ws|socket|stream|writer|out|output|stdout|connection|channel|sse|raw)(\(\))?\.(write|end|text|html|render|put)$/,
  },
  {
    kind: 'show',
    match:
      /^:(.*\.)?(on_?(text|token|chunk|delta|message|output|answer|data|update|partial)|emit|send|reply|respond|write|show|display|render|output|say|callback|cb|yield_)$/i,
  },
];

export function sinkOf(path: string): SinkKind | undefined {
  return sinks.find(({ match }) => match.test(path))?.kind;
}

/** What runs a tool by its name. */
export const dispatches =
  /(^|\.|:|_)(call_?tools?|execute_?(tools?|function|call)?|run_?(tools?|function|call)?|invoke_?(tools?|function)?|ainvoke|arun|dispatch(_?(tool|call))*|handle_?(tool|call|function)\w*|perform(_?(tool|call))?|use_?tool|apply_?tool|exec_?tool|process_?tool_?call\w*)$/i;

/** What keeps a record. */
export const records =
  /(^|[._:])(audit\w*|ledger|journal|events?|telemetry|security_?log\w*|incident\w*)(\(\))?([._]\w+)*$|(^|[._:])(log|logger|logging)(\(\))?[._](warn|warning|error|critical|event|security|info|audit|record)$|(^|[._:])(record|report|log|emit|track)_?(event|attempt|incident|jailbreak|security|violation|audit)\w*$/i;

/** What a person typed, or a program was handed. */
export const inputs =
  /^:(input|prompt|raw_input)$|^(node:)?readline(\/promises)?:.*\.question$|^:(.*\.)?(rl|readline)(\(\))?\.question$|^(inquirer|prompts|enquirer|@inquirer[^:]*|@clack[^:]*):|^(click|typer):(\*\.)?prompt$|\.(receive_text|receive_json|get_json|formData|form|recv|receive|readline|readLine)$/;

export const inputValues =
  /^:process\.(argv|stdin)|^(node:)?process:(.*\.)?(argv|stdin)$|^sys:(\*\.)?(argv|stdin)$|^:sys\.(argv|stdin)$/;

/** What reads a file. */
export const readsFile =
  /^(node:)?fs(\/promises|-extra)?:(.*\.)?(readFile|readFileSync|createReadStream)$|^:open\(\)\.(read|readlines)$|\.(read_text|read_bytes)$|^:Deno\.read\w+$|^(pypdf|PyPDF2|pdfplumber|docx|unpdf|mammoth|pdf-parse|tesseract[^:]*|pytesseract|PIL)[^:]*:/;

// ── names of what is handed in

/** What is handed in by the program and not by a person. */
const contextual =
  /^(_+|ctx|context|tool_?context|cfg|config|options?|opts|settings|session|state|world|ledger|decider|services?|container|env|environment|client|model|llm|deps|dependencies|tools?|registry|system(_?prompt)?|signal|log(ger)?|history|memory|agent|db|conn(ection)?|guard(rails?)?|sally(port)?|res|response|reply|ws|socket|writer|controller|callback|cb|on[A-Z]\w*|on_\w+|emit|send|respond|output|next|self|cls|store|cache|workspace|cwd|root|approv\w*|mode|limits?|timeout\w*|temperature|ids?|\w+_?ids?|\w+Ids?|role|type|user|tenant|auth|principal|identity|who|profile|max\w*|retries|queue|publisher|producer|server|transport|openai|anthropic|provider|handlers?|middleware|hooks?|schema|clock|now|metrics|tracer|span|abort\w*|flags?|debug|verbose|dry_?run|index|i|count|api_?key|detector|redactor|snapshot|bus|app|router|executor|runner|sandbox|fetch|http|stdout|stdin|out)$/;

/** What is named as a text of somebody. */
const textual =
  /(^|_)(text|prompt|messages?|content|input|question|query|body|utterance|task|instruction|request|transcript|payload|data|line|comment|ticket|email|description|subject|argv|q)s?$|(Text|Prompt|Messages?|Content|Input|Question|Query|Body|Task|Request)$/i;

const uploaded =
  /(^|_)(files?|images?|img|uploads?|attachments?|screenshots?|documents?|docs?|pdfs?|photos?|pictures?|audio|scans?|blobs?|buffer|bytes)(_?(text|content|data|base64|bytes|buffer))?$|(File|Image|Upload|Attachment|Screenshot|Document|Pdf|Photo)s?(Text|Content|Data|Base64|Bytes|Buffer)?$/i;

export function isContext(name: string): boolean {
  return contextual.test(name);
}

export function isText(name: string): boolean {
  return textual.test(name) || uploaded.test(name);
}

export function isUpload(name: string): boolean {
  return uploaded.test(name) && !/(path|name|type|id|size|url)s?$/i.test(name);
}

/** A parameter that is a call which a model wants; names that mean much else say so only where there are tools. */
export function isCall(name: string, amongTools: boolean): boolean {
  return (
    /^tool_?(use|call|request|input|args|arguments)s?$|^function_?call$/i.test(name) ||
    (amongTools && /^(calls?|block|args|arguments)$/i.test(name))
  );
}

/** Names that only a program with tools has; a folder may be called so too. */
export const namesTools =
  /(?<![/.])\btools?\b(?!\/)|tool_?(calls?|use)|(call|register|run|execute|add)_?tool|function_?calls?/i;

/** A parameter that is a model's answer. */
export function isAnswer(name: string): boolean {
  return /^(completion|llm_?(response|output|answer)|model_?(response|output|answer|text)|assistant_?(message|text|reply)|ai_?message|generated|generation)$/i.test(
    name,
  );
}

/** An argument that says whose data it is. */
export function isOwner(name: string): boolean {
  return (
    /^(koder|user|tenant|account|customer|owner|org|organisation|organization|member|patient)_?(id|uid|uuid)$/i.test(
      name,
    ) || /^(uid|userId|tenantId)$/.test(name)
  );
}

// ── what tools do, by their names

export type Effect = 'write' | 'message' | 'delete' | 'http' | 'owner';

/** What a tool of this name may do. */
export function effectsOfName(name: string): readonly Effect[] {
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  const found: Effect[] = [];
  if (/(^|_)(write|edit|save|patch|append|move|rename|create_?file|put_?file|overwrite|apply)/.test(words))
    found.push('write');
  if (
    /(^|_)(send|e?mail|sms|slack|telegram|notify|post|publish|deploy|release|push|pay|charge|refund|bill|invoice|transfer|purchase|order|insert|update|upsert|execute_?sql|run_?sql|webhook)(_|$)/.test(
      words,
    )
  )
    found.push('message');
  if (/(^|_)(delete|remove|drop|truncate|destroy|wipe|purge|terminate|rm|uninstall|revoke)(_|$)/.test(words))
    found.push('delete');
  if (/(^|_)(shell|bash|exec|execute|command|terminal|run_?code|python|run_?command)(_|$)/.test(words))
    found.push('write', 'delete');
  return found;
}
