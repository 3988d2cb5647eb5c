// Made by npm run api.

// ── Exports of 'sallyport'

/** The output of a model. */
interface Answer {
  /** Each text that would be shown: its answer, its reasoning, the arguments of its tool calls. */
  readonly texts: readonly string[];
  /** Its usage, in the provider's own format. */
  readonly usage?: JsonObject;
}

/** How a model is asked for an answer of several texts, and for whom. */
interface AnswerRequest<A extends Answer> extends Pick<GenerateOptions<A>, 'ask'> {
  readonly context?: CallContext;
}

/** JSON Schema, or a Standard Schema that can say itself as one. */
type AnySchema = JsonObject | StandardSchema;

/** A pending or given approval, as a verdict shows it. */
interface ApprovalNotice {
  readonly id: string;
  readonly expiresAt: string;
  /** How to approve. */
  readonly how: string;
}

/** The role of an argument. */
type ArgumentRole = (typeof argumentRoles)[number];

/** The role of one argument, and the positions of ids in its text. */
interface ArgumentSpec {
  readonly role: ArgumentRole;
  /** Places of the user's id in a URL or a path: `?name` in the query, `/users/{}` among the segments. */
  readonly user?: readonly string[];
  readonly tenant?: readonly string[];
}

/** One call of the model. */
interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  /** What to add to the system prompt; null the first time. */
  readonly instructions: string | null;
}

/** Who calls and where. From the program's own session, never from the model. */
interface CallContext {
  /** Without it nobody is authenticated, and tools that touch data of a user are refused. */
  readonly userId?: string;
  readonly tenantId?: string;
  readonly sessionId?: string;
  readonly agent?: string;
  /** The folder that the agent works in; default: the current one. */
  readonly workspace?: string;
  /** One of the four modes, or a host's word for one; any other word is `default`. */
  readonly permissionMode?: string;
}

/** One call that the code started. */
interface CallRecord {
  /** From 1, in the order in which they were made; 0 where a limit refused it before it was counted. */
  readonly call: number;
  readonly tool: string;
  readonly ms: number;
  readonly status: CallStatus;
  /** Absent where it was answered; else why not. */
  readonly error?: string;
  /** Only if it was open when the run ended: its known state. */
  readonly note?: string;
}

/** The outcome of a call: it was answered, it failed after it was sent, or it never reached the tool. */
type CallStatus = 'done' | 'failed' | 'never_sent';

/** Code that a model wrote, and the tools that it may call. */
interface CodeJob extends Omit<RunJob, 'context' | 'tools'> {
  /** By name, such as `github.list_issues`: a server, a dot, and the tool; without a dot it is a tool of the program. */
  readonly tools: Readonly<Record<string, ToolFunction>>;
  readonly context?: CallContext;
}

/** Runs code on threads of its own. */
interface CodeRunner {
  /** Starts threads ahead of the first run. */
  warm(): Promise<void>;
  /**
   * Judges code, and each call that it makes, and runs it in a sandbox; what the code does is in the result, without
   * secrets, and with a `warning` where something in it tries to command a model.
   */
  run(job: CodeJob): Promise<RedactedRun>;
  /** Goes on with code that waits for approval, here or in another program on the same store, once. */
  resume(job: WaitingJob): Promise<RedactedRun>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Texts of one answer that are judged while they are streamed, each in a channel of its own, under one record. */
interface DecisionStream {
  readonly decisionId: string;
  /** A finding stopped the stream; nothing more is shown of any channel. */
  readonly blocked: boolean;
  /**
   * The end of the text that may be shown may be the beginning of a secret that another channel continues: a caller
   * that shows the channels as one message holds it back until this is false, or the stream has ended.
   */
  readonly awaits: boolean;
  /**
   * Takes a chunk and returns the text that may be shown now; after a block, always the empty text. A caller that
   * receives a promise awaits it before the next chunk.
   */
  push(piece: string, channel?: string): MaybePromise<StreamPiece>;
  /** The end of one channel: returns its rest; more text in it afterwards blocks. */
  finish(channel?: string): MaybePromise<StreamPiece>;
  /** Stops the stream: its input cannot be read, or was rejected elsewhere. */
  stop(why: string | readonly Finding[]): void;
  /** The end of all channels, once: returns the rest of the unnamed channel and the verdict on the whole. */
  end(closing?: JsonObject): Promise<{
    readonly emit: string;
    readonly verdict: Verdict;
  }>;
}

/** One rule's hit. */
interface Finding {
  readonly rule: string;
  readonly guard: Finder;
  readonly decision: Weight;
  /** For people; holds no payload beyond names such as a host. */
  readonly message: string;
  readonly contract?: string;
  /** Layer 1 to 3 of a command finding. */
  readonly layer?: 1 | 2 | 3;
  /** The position in the action: a JSON Pointer, and UTF-16 offsets in the text there. */
  readonly pointer?: string;
  readonly span?: readonly [number, number];
  readonly suggestion?: string;
  readonly confidence?: number;
  /** The effect that a permission would have to name to lift this finding; absent if none may. */
  readonly grant?: string;
  /** Lines that the person must see to answer, and that the answer is bound to; never recorded. */
  readonly shows?: string;
}

/** A prompt, how a model is asked with it, and for whom. */
interface GenerateRequest {
  /** What the user said; it is checked first, and handed to `ask` as it may go to the model. */
  readonly prompt?: string;
  readonly context?: CallContext;
  /** Asks the model. From the second time on there are instructions, to be added to the system prompt. */
  ask(
    attempt: Attempt & {
      readonly prompt: string;
    },
  ): Promise<string | ModelAnswer>;
}

/** The output that may be shown. */
interface Generated<A extends Answer> {
  /** The texts of the answer, as they may be shown; only the refusal if there is no answer. */
  readonly texts: readonly string[];
  /** The answer that passed; null if the model violated a guideline each time. */
  readonly answer: A | null;
  readonly attempts: number;
  /** The total of all attempts. */
  readonly usage: JsonObject;
}

/** An answer that may be shown. */
interface GuardedAnswer {
  readonly text: string;
  /** The model went against a guideline each time, and this is the refusal. */
  readonly refused: boolean;
  readonly attempts: number;
  /** Of all attempts together. */
  readonly usage: JsonObject;
}

/** Something was stopped, or waits for approval. */
class GuardrailError extends SallyportError {
  readonly findings: readonly Finding[];
  /** Where a person can say yes; null where nobody can. */
  readonly approval: ApprovalNotice | null;
  constructor(message: string, findings: readonly Finding[], approval: ApprovalNotice | null, hint?: string);
  /** The rule that decided. */
  get rule(): string | undefined;
}

/** The guardrails of the user's own home. */
const Guardrails: {
  readonly input: {
    /** Judges a text or a file before a model reads it; never throws: what cannot be judged is blocked. */
    readonly check: (request: InputRequest) => Promise<TextCheck>;
  };
  readonly output: {
    /** Judges a text that a model wrote; never throws: what cannot be judged is blocked. */
    readonly check: (request: OutputRequest) => Promise<TextCheck>;
  };
  readonly tool: {
    /** Judges one call; never throws: what cannot be judged is blocked. */
    readonly validate: (request: ValidateRequest) => Promise<Validation>;
  };
  /** Closes what the first call opened. */
  readonly close: () => Promise<void>;
};

/** A text, or a file, that is about to go to a model. */
interface InputRequest {
  readonly text?: string;
  /** A file instead of a text, in base64. */
  readonly contentBase64?: string;
  /** `user` where it is absent: what tools and files bring is another's. */
  readonly origin?: Origin;
  /** The name of the file, or of the tool that answered. */
  readonly name?: string;
  readonly context?: CallContext;
}

/** The inputs that make a run repeatable: the clock at its start, its random seed, and the clock at each answer. */
interface Journal {
  readonly now: number;
  readonly seed: number;
  /** By the number of the call, from 1. */
  readonly answers: Readonly<Record<number, number>>;
}

/** How much a run of code may use. */
interface Limits {
  /** Wall time, including waits for tools and for a free thread. */
  readonly timeoutMs: number;
  /** Time that the code itself takes. */
  readonly cpuMs: number;
  readonly maxToolCalls: number;
  /** Calls beyond these wait. */
  readonly maxConcurrentCalls: number;
  readonly maxArgumentBytes: number;
  readonly maxResultBytes: number;
  readonly maxTotalResultBytes: number;
  /** The returned value is truncated to this, with a note. */
  readonly maxOutputChars: number;
  /** Log output beyond this is dropped, and the run reports it. */
  readonly maxLogChars: number;
  readonly maxTimers: number;
  readonly memoryMb: number;
  readonly stackKb: number;
}

/** What a model said, and what it cost in the provider's own words. */
interface ModelAnswer {
  readonly text: string;
  readonly usage?: JsonObject;
}

/** Whose a text is. */
type Origin = 'user' | 'tool' | 'file' | 'image';

/** A text that a model wrote. */
interface OutputRequest {
  readonly text: string;
  readonly context?: CallContext;
}

/** A run, and the note for a model on a text in it that tries to command it. */
type RedactedRun = RunResult & {
  readonly warning?: string;
};

/** The output of a model may not be shown; carries the verdict on it. */
class ResponseRefused extends SallyportError {
  readonly verdict: Verdict;
  constructor(message: string, verdict: Verdict);
}

/** Gives back what the user gave, where an answer has the placeholders of the session. */
interface Restorer {
  /** A piece of one text of the answer, as far as no placeholder is cut. */
  push(channel: string, piece: string): string;
  /** What was held of a text that ends. */
  rest(channel: string): string;
  /** A whole text. */
  whole(text: string): string;
  /** The other way round: what was given back before, as the model may see it again. */
  hide(text: string): string;
}

/** A run of code, or why there was none. */
type RunResult =
  | ({
      readonly verdict: Verdict;
    } & SandboxResult)
  | WaitingRun
  | {
      readonly verdict: Verdict;
      /** It may not run. */
      readonly status: 'blocked';
      readonly error: {
        readonly code: string;
        readonly message: string;
      };
    };

/** Sallyport, open in a program. */
interface Sallyport {
  readonly input: {
    /** Judges a text or a file before a model reads it; never throws: what cannot be judged is blocked. */
    check(request: InputRequest): Promise<TextCheck>;
  };
  readonly output: {
    /** Judges a text that a model wrote; never throws: what cannot be judged is blocked. */
    check(request: OutputRequest): Promise<TextCheck>;
    /** Opens a guard for the texts of one answer while they flow, each in a channel of its own. */
    stream(context?: CallContext): Promise<DecisionStream>;
    /** Gives back what the user gave, where one answer has the placeholders of the session. */
    restorer(context?: CallContext): Promise<Restorer>;
  };
  readonly tool: {
    /** Judges one call; never throws: what cannot be judged is blocked. */
    validate(request: ValidateRequest): Promise<Validation>;
  };
  /** Asks a model under guard: again without its secrets, or under stricter instructions, at most twice. */
  generate(request: GenerateRequest): Promise<GuardedAnswer>;
  /** The same for an answer that has several texts, such as what a model thought and the calls that it makes. */
  answer<A extends Answer>(request: AnswerRequest<A>): Promise<Generated<A>>;
  /** Makes a runner for code that calls tools. */
  createRunner(options?: SandboxOptions): Promise<CodeRunner>;
  /** The same with further tools. */
  withTools(tools: readonly ToolDefinition[]): Sallyport;
  /** Writes what waits and closes the store. */
  close(): Promise<void>;
}

/** How Sallyport is opened. */
interface SallyportOptions {
  /** Where keys, records and configuration are; default: $SALLYPORT_HOME, else ~/.sallyport. */
  readonly home?: string;
  /** Tools of the program, beside those of the configuration and of known hosts. */
  readonly tools?: readonly ToolDefinition[];
}

/** How code is run: its limits, and the threads for it. */
interface SandboxOptions {
  readonly pool?: Partial<PoolOptions>;
  readonly limits?: Partial<Limits>;
}

/** A model repeatedly wrote a secret into its answer. */
class SecretInResponse extends ResponseRefused {}

/** A schema of any library that follows the Standard Schema and can say itself as JSON Schema. */
interface StandardSchema {
  readonly '~standard': {
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => unknown;
    };
  };
}

/** The result for a chunk: the text that may be shown now, and the findings. */
interface StreamPiece {
  readonly emit: string;
  readonly findings: readonly Finding[];
}

/** What became of a text. It may go on only if it is neither blocked nor needs approval, and as it stands here. */
interface TextCheck {
  readonly blocked: boolean;
  readonly needsApproval: boolean;
  /** The text as it may go on; empty where it may not. */
  readonly text: string;
  /** Null where the text could not even be read. */
  readonly verdict: Verdict | null;
  /** What to throw or to show: which rule, why, and what to do instead. */
  toUserError(): GuardrailError;
}

/** A call that a model wants, in the words of any of the usual libraries. */
interface ToolCall {
  readonly name?: string;
  readonly toolName?: string;
  readonly server?: string;
  /** The arguments as an object, or as the JSON text that the model wrote. */
  readonly arguments?: unknown;
  readonly args?: unknown;
  readonly input?: unknown;
  /** Why the model wants it. */
  readonly justification?: string;
}

/** A tool of the program, as it is registered. */
interface ToolDefinition extends Omit<ToolSpec, 'schema' | 'definition'> {
  readonly schema?: AnySchema;
}

/** The effect of a tool on the world. */
type ToolEffect = (typeof toolEffects)[number];

/** The implementation of a tool; `signal` is aborted when no caller waits for the result any more. */
type ToolFunction = (
  args: JsonObject,
  options: {
    readonly signal: AbortSignal;
  },
) => Promise<unknown> | unknown;

/** A call to be judged, and who makes it. */
interface ValidateRequest {
  readonly toolCall: ToolCall;
  readonly context?: CallContext;
}

/** What became of a call. It may run only if it is neither blocked nor needs approval, and with these arguments. */
interface Validation {
  readonly blocked: boolean;
  readonly needsApproval: boolean;
  /** The arguments to call the tool with; not always those that the model wrote. */
  readonly arguments: JsonObject;
  /** Null where the call could not even be read. */
  readonly verdict: Verdict | null;
  /** What to throw or to show: which rule, why, and what to do instead. */
  toUserError(): GuardrailError;
}

/** The outcome for one action. */
interface Verdict {
  readonly decision: Decision;
  readonly findings: readonly Finding[];
  readonly explanation: string;
  /** The action as rewritten; this one runs, never the original. */
  readonly action: Action;
  readonly decisionId: string;
  readonly approval: ApprovalNotice | null;
  /** Written files whose references were not looked up; absent where there are none. */
  readonly unchecked?: readonly Unchecked[];
}

/** Code that waits for approval, and the tools that it may call. */
interface WaitingJob extends Omit<ResumeJob, 'context' | 'tools'>, Pick<CodeJob, 'context' | 'tools'> {}

/** Needs approval first: to the code, or to calls that it made. */
interface WaitingRun {
  readonly verdict: Verdict;
  readonly status: 'waiting';
  /** The paused run, for `resume`; null if it is the code that waits, which is then run again. */
  readonly run: string | null;
  /** The questions for the user. */
  readonly approvals: readonly ApprovalNotice[];
  readonly error: {
    readonly code: 'needs_approval';
    readonly message: string;
  };
  /** The activity of the code so far. */
  readonly logs: readonly Log[];
  readonly calls: readonly CallRecord[];
}

/** Asks a model under the guardrails of the user's own home. */
function guardedGenerate(request: GenerateRequest): Promise<GuardedAnswer>;

/** Opens Sallyport in this program. */
function sallyport(options?: SallyportOptions): Promise<Sallyport>;

// ── Exports of 'sallyport/ai'

/** Who guards a set of tools, for whom, and what each of them does. */
interface GuardOptions<TOOLS extends ToolSet> {
  readonly guard: Sallyport;
  readonly context: CallContext | (() => MaybePromise<CallContext>);
  /** What each tool does. One that is not named here is taken for destructive, and asks each time. */
  readonly effects?: {
    readonly [NAME in keyof TOOLS]?: Partial<Omit<ToolDefinition, 'name' | 'schema'>> &
      Pick<ToolDefinition, 'effect'>;
  };
}

/** Tools that run only what passed, and the function that says so before. */
interface GuardedTools<TOOLS extends ToolSet> {
  readonly tools: TOOLS;
  readonly toolApproval: (options: {
    readonly toolCall: {
      readonly toolName: string;
      readonly toolCallId: string;
      readonly input: unknown;
    };
  }) => Promise<ToolApprovalStatus>;
}

/** Who guards a model, and for whom. */
interface MiddlewareOptions {
  readonly guard: Sallyport;
  readonly context: CallContext | (() => MaybePromise<CallContext>);
}

/**
 * Guards a set of tools. Each alone is enough to keep a call from running; together they also tell the model why.
 * Tools that a provider runs on its own side pass neither.
 *
 * @example const guarded = await guardTools(tools, { guard, context: { userId } });
 *          await generateText({ model, prompt, ...guarded });
 */
function guardTools<TOOLS extends ToolSet>(
  tools: TOOLS,
  { guard, context, effects }: GuardOptions<TOOLS>,
): Promise<GuardedTools<TOOLS>>;

/**
 * Guards a model: `wrapLanguageModel({ model, middleware: sallyportMiddleware({ guard, context }) })`.
 * What may not go to it throws `GuardrailError` before it is called, but for the result of a tool: a note stands for that,
 * since the next step repeats it. Calls of tools are judged where they are executed. Personal data that the user gave goes to
 * the model as a placeholder and is back in what the model says and in what it calls tools with.
 */
function sallyportMiddleware({ guard, context }: MiddlewareOptions): Middleware;

// ── Exports of 'sallyport/query'

/** The page does not exist: it expired, made room for others, or is not of this session. */
class PageGone extends SallyportError {}

/** The database account has more privileges than any query should. */
class PostureRefused extends SallyportError {}

/** Validates queries, and runs those that have a token. */
interface Queries {
  readonly validateGraphqlQuery: Validate;
  readonly validateSqlQuery: Validate;
  /** The query is a JSON object with method, url, headers and body. */
  readonly validateRestRequest: Validate;
  /** Runs what a validation gave a token for, once. */
  executeQuery(
    query: string,
    token: string,
    context: QueryContext,
    variables?: JsonObject,
    signal?: AbortSignal,
  ): Promise<QueryResult>;
  /** The next page of a result, by its `next_page`, with the query and the token of its run. Throws `PageGone`. */
  nextPage(
    query: string,
    token: string,
    page: string,
    context: QueryContext,
    variables?: JsonObject,
  ): Promise<QueryResult>;
  /** Writes what waits and closes the store. */
  close(): Promise<void>;
}

/** Whether a query may run, why not, and the token to run it with. */
interface QueryAnswer {
  readonly valid: boolean;
  readonly explanation: string;
  readonly risk_level: RiskWord;
  /** Permits exactly this query to run once; null if it may not, or approval is pending. */
  readonly approval_token: string | null;
  /** Null if the query could not be read. */
  readonly action: string | null;
  readonly auto_approved: boolean;
  readonly warnings: readonly string[];
  readonly violations: readonly Violation[];
  readonly validated_code_hash: string;
  readonly metadata: {
    readonly is_read_only: boolean;
    readonly accessed_types: readonly string[];
    readonly accessed_fields: readonly string[];
    readonly validation_time_ms: number;
  };
  /** The question that waits for approval. */
  readonly approval?: {
    readonly id: string;
    readonly url: string | null;
    readonly how: string;
    readonly expires_at: string;
  };
}

/** Who asks, from the program's own session, and which source. A query without a user is refused. */
interface QueryContext extends CallContext {
  readonly userId: string;
  /** By its name in the configuration. */
  readonly source: string;
}

/** The source rejected the query, or disconnected; its own words are passed on only as far as they are harmless. */
class QueryFailed extends SallyportError {}

/** How the pipeline is opened. */
interface QueryPipelineOptions {
  /** Where keys, records and configuration are; default: $SALLYPORT_HOME, else ~/.sallyport. */
  readonly home?: string;
  /** Read instead of the home's sallyport.toml. */
  readonly file?: string;
}

/** The query was refused; carries the verdict. */
class QueryRefused extends SallyportError {
  readonly verdict: Verdict;
  constructor(verdict: Verdict);
}

/** The redacted result of a query. */
interface QueryResult {
  readonly data: JsonValue;
  /** Rows of this page, or how many a change touched; null if it has no rows. */
  readonly rows: number | null;
  /** Rows of all pages, where there are several. */
  readonly total_rows?: number;
  /** Reads the next page; absent on the last one. */
  readonly next_page?: string;
  /** Whether there was more than may be read. */
  readonly truncated: boolean;
  readonly warnings: readonly string[];
  /** How many of each kind were taken out. */
  readonly redactions: Redactions;
}

/** The query exceeded its time limit and was cancelled. */
class QueryTimedOut extends SallyportError {}

/** What became of a query. */
interface QueryValidation extends QueryAnswer {
  readonly isValid: boolean;
}

/** A token does not permit this query; carries the named problem. */
class TokenError extends SallyportError {
  readonly problem: TokenProblem;
  constructor(problem: TokenProblem, message: string);
}

/** The reason why a token is invalid. */
type TokenProblem = (typeof tokenProblems)[number];

/** What goes with a query. */
interface ValidateOptions {
  readonly variables?: JsonObject;
  /** Asks nobody, records nothing, gives no token. */
  readonly dryRun?: boolean;
}

/** One thing that is wrong with a query. */
interface Violation {
  /** The violated policies: built-in ones, those of the source, or the user's own. */
  readonly policy: 'baseline' | 'server' | 'custom';
  readonly rule: string;
  readonly message: string;
  readonly suggestion: string | null;
}

/** Opens the pipeline; throws `ConfigError` where the configuration cannot be used. */
function createQueryPipeline({ home: named, file }?: QueryPipelineOptions): Promise<Queries>;

// ── Types without an export; reach them through others, such as Verdict['decision']

type Action = ActionOf<Kind>;

/** The possible verdicts on an action. */
type Decision = (typeof decisions)[number];

/** The author of a finding: a guard, the policy, or the request path itself if a check failed. */
type Finder = (typeof guardNames)[number] | 'policy' | 'path';

interface GenerateOptions<A extends Answer> {
  readonly decider: Pick<Decider, 'decide'>;
  readonly ledger: Pick<Records, 'record'>;
  readonly world: Pick<World, 'now'>;
  readonly context: Context;
  ask(attempt: Attempt): Promise<A>;
}

type JsonObject = {
  readonly [key: string]: JsonValue;
};

type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

interface Log {
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  readonly text: string;
}

/** A value that is there, or comes later. */
type MaybePromise<T> = T | Promise<T>;

type Middleware = LanguageModelMiddleware;

interface PoolOptions {
  /** Threads that are started in advance for the next run. */
  readonly min: number;
  readonly max: number;
  /** A thread is replaced after so many runs. */
  readonly runsPerWorker: number;
}

/** How many of each kind were taken out. */
type Redactions = Readonly<Record<string, number>>;

/** A paused run to check again: it is resumed if a question was answered. */
interface ResumeJob extends Pick<RunJob, 'tools' | 'context' | 'signal' | 'waitMs'> {
  /** The id that the run was given when it paused. */
  readonly run: string;
}

type RiskWord = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

interface RunJob {
  /** The body of an async function. */
  readonly source: string;
  /** The default is TypeScript. */
  readonly language?: 'js' | 'ts';
  /** By name, such as `github.list_issues`: a server, a dot, and the tool; without a dot it is a tool of the program. */
  readonly tools: Readonly<Record<string, ToolFunction | ClearedTool>>;
  /** From the authenticated session. */
  readonly context: Context;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  /** An earlier run, whose clock and random numbers this one shall have. */
  readonly journal?: Journal;
  /** How long to wait here for the user before the answer is `waiting`; the default is not at all. */
  readonly waitMs?: number;
}

/** Everything that Sallyport refuses on purpose; anything else thrown is a fault of ours. */
class SallyportError extends Error {
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
  constructor(
    message: string,
    options?: {
      hint?: string;
      exitCode?: ExitCode;
      cause?: unknown;
    },
  );
}

interface SandboxResult {
  readonly status: 'ok' | 'error' | 'timeout' | 'limit' | 'fault' | 'aborted';
  /** The value that the code returned; absent if there is none. It may have returned before something else failed. */
  readonly value?: JsonValue;
  readonly truncated: boolean;
  readonly error?: RunError;
  readonly logs: readonly Log[];
  readonly logsDropped: boolean;
  /** Every call that the code started, awaited or not. */
  readonly calls: readonly CallRecord[];
  /** Further calls that were never sent, beyond those that are listed individually. */
  readonly callsOmitted: number;
  readonly stats: {
    readonly wallMs: number;
    readonly cpuMs: number;
    readonly toolMs: number;
  };
  readonly journal: Journal;
}

interface ToolSpec {
  /** Its name; a `*` at the end matches any suffix. */
  readonly name: string;
  /** The server that has it; absent for a tool of the host or the program itself. */
  readonly server?: string;
  readonly description?: string;
  /** JSON Schema 2020-12 of its arguments; without one, any arguments fit. */
  readonly schema?: JsonObject;
  readonly effect: ToolEffect;
  /** False if no snapshot restores what it changes. */
  readonly checkpointable?: boolean;
  /** Whether it touches data of a user, so that it needs one. */
  readonly userData?: boolean;
  /** The roles of arguments, by JSON Pointer; in it, `*` is any one step and `**` any number of steps. */
  readonly arguments?: Readonly<Record<string, ArgumentSpec>>;
  /** The source of a query, and its language. */
  readonly target?: string;
  readonly language?: 'graphql' | 'sql' | 'rest';
  /**
   * Hash of the definition as a server gave it. It must be approved before it is used, and again when it changes;
   * absent for definitions that the user or the program itself wrote.
   */
  readonly definition?: string;
}

/** A written file whose references were not looked up. */
type Unchecked = {
  readonly path: string;
  readonly why: UncheckedReason;
};

type Validate = (query: string, context: QueryContext, options?: ValidateOptions) => Promise<QueryValidation>;

/** How a rule weighs: a decision, or `warn`, which shows and decides nothing. */
type Weight = Decision | 'warn';

/** The role of an argument. */
const argumentRoles: readonly [
  /** Words that go nowhere by themselves. */
  'text',
  /** A file: read or written, by the tool's effect. */
  'path',
  /** A file that is deleted. */
  'delete',
  /** A file's new content. */
  'content',
  /** The old and the new text of an edit; a pair has one position. */
  'old',
  'new',
  /** A patch in the form that begins with "*** Begin Patch". */
  'patch',
  /** The folder that a command starts in. */
  'folder',
  /** A shell command: a text, or a program with its arguments. */
  'command',
  /** A Python program. */
  'python',
  /** A JavaScript or TypeScript program. */
  'code',
  'query',
  'variables',
  'url',
  /** A text that may hold URLs which the tool fetches. */
  'urls',
  'method',
  'headers',
  'body',
  'user_id',
  'tenant_id',
  /** The recipient of a message. */
  'recipient',
  /** The model's reason; shown to the approver. */
  'justification',
  /** A call of another tool: its name and its arguments. */
  'call',
];

const tokenProblems: readonly [
  'TokenExpired',
  'TokenInvalid',
  'CodeMismatch',
  'ContextChanged',
  'UserMismatch',
  'AlreadyUsed',
];

/** The effect of a tool. */
const toolEffects: readonly [
  'read',
  'own',
  'write',
  'shell',
  'python',
  'code',
  'query',
  'fetch',
  'calls',
  'message',
  'deploy',
  'billing',
  'database',
  'push',
  'network',
  'destructive',
];
