// The in-process API: the one path inside the user's own program, on the user's own home. It decides nothing itself.

import { type Config, homeFolder, loadConfig, type Settings, withTools } from '../../config/index.ts';
import {
  type Action,
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  modeFromHost,
  parseJson,
  type ToolSpec,
  type Verdict,
  whenReady,
} from '../../core/index.ts';
import {
  type Decider,
  type DecisionStream,
  type Request,
  readContext,
  readRequest,
  realWorld,
  withTelemetry,
} from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { ResumeJob, RunJob, SandboxOptions, ToolFunction } from '../../run/code/index.ts';
import type { RedactedRun } from '../../run/code/redacted.ts';
import { type Answer, type Generated, type GenerateOptions, generate } from '../../run/generate.ts';
import { judging } from '../../run/judge.ts';
import { restoredIn, type Vault, Vaults } from '../../run/placeholders.ts';
import { type CallContext, GuardrailError, refusedError } from './errors.ts';
import { type AnySchema, jsonSchemaOf } from './schema.ts';
import {
  checkInput,
  checkOutput,
  type GenerateRequest,
  type GuardedAnswer,
  guardGenerate,
  type InputRequest,
  type OutputRequest,
  openOutput,
  openRestorer,
  type Restorer,
  refusedText,
  type TextCheck,
  type TextParts,
} from './texts.ts';

export type {
  ApprovalNotice,
  ArgumentRole,
  ArgumentSpec,
  Finding,
  ToolEffect,
  Verdict,
} from '../../core/index.ts';
export type { DecisionStream, StreamPiece } from '../../decide/index.ts';
export type {
  CallRecord,
  CallStatus,
  Journal,
  Limits,
  RunResult,
  SandboxOptions,
  ToolFunction,
  WaitingRun,
} from '../../run/code/index.ts';
export type { RedactedRun } from '../../run/code/redacted.ts';
export { ResponseRefused, SecretInResponse } from '../../run/errors.ts';
export type { Answer, Attempt, Generated } from '../../run/generate.ts';
export { type CallContext, GuardrailError } from './errors.ts';
export type { AnySchema, StandardSchema } from './schema.ts';
export type {
  GenerateRequest,
  GuardedAnswer,
  InputRequest,
  ModelAnswer,
  Origin,
  OutputRequest,
  Restorer,
  TextCheck,
} from './texts.ts';

/** A tool of the program, as it is registered. */
export interface ToolDefinition extends Omit<ToolSpec, 'schema' | 'definition'> {
  readonly schema?: AnySchema;
}

/** How Sallyport is opened. */
export interface SallyportOptions {
  /** Where keys, records and configuration are; default: $SALLYPORT_HOME, else ~/.sallyport. */
  readonly home?: string;
  /** Tools of the program, beside those of the configuration and of known hosts. */
  readonly tools?: readonly ToolDefinition[];
}

/** A call that a model wants, in the words of any of the usual libraries. */
export interface ToolCall {
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

/** A call to be judged, and who makes it. */
export interface ValidateRequest {
  readonly toolCall: ToolCall;
  readonly context?: CallContext;
}

/** What became of a call. It may run only if it is neither blocked nor needs approval, and with these arguments. */
export interface Validation {
  readonly blocked: boolean;
  readonly needsApproval: boolean;
  /** The arguments to call the tool with; not always those that the model wrote. */
  readonly arguments: JsonObject;
  /** Null where the call could not even be read. */
  readonly verdict: Verdict | null;
  /** What to throw or to show: which rule, why, and what to do instead. */
  toUserError(): GuardrailError;
}

/** How a model is asked for an answer of several texts, and for whom. */
export interface AnswerRequest<A extends Answer> extends Pick<GenerateOptions<A>, 'ask'> {
  readonly context?: CallContext;
}

/** Code that a model wrote, and the tools that it may call. */
export interface CodeJob extends Omit<RunJob, 'context' | 'tools'> {
  /** By name, such as `github.list_issues`: a server, a dot, and the tool; without a dot it is a tool of the program. */
  readonly tools: Readonly<Record<string, ToolFunction>>;
  readonly context?: CallContext;
}

/** Code that waits for approval, and the tools that it may call. */
export interface WaitingJob
  extends Omit<ResumeJob, 'context' | 'tools'>,
    Pick<CodeJob, 'context' | 'tools'> {}

/** Runs code on threads of its own. */
export interface CodeRunner {
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

/** Sallyport, open in a program. */
export interface Sallyport {
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

/** Opens Sallyport in this program. */
export async function sallyport(options: SallyportOptions = {}): Promise<Sallyport> {
  const environment = process.env;
  const home = options.home ?? homeFolder(environment);
  const plain = realWorld({ ownHome: home });
  const config = await loadConfig({ home, environment, world: plain });
  const world = await withTelemetry(plain, config);
  const { openLedger } = await import('../../ledger/open.ts');
  const ledger = await openLedger(home, config.ledger);
  const judge = judging({ config, ledger, world, owner: { user: '', tenant: '' } });
  const parts = {
    config,
    ledger,
    decider: judge.decider,
    world: judge.world,
    closeJudge: judge.close,
    vaults: new Vaults(),
  };
  return facade(parts, options.tools ?? []);
}

interface Parts {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly decider: Decider;
  readonly world: ReturnType<typeof realWorld>;
  closeJudge(): Promise<void>;
  readonly vaults: Vaults;
}

function facade(parts: Parts, tools: readonly ToolDefinition[]): Sallyport {
  const { ledger, world } = parts;
  const specs = tools.map(({ schema, ...tool }): ToolSpec => {
    return schema === undefined ? tool : { ...tool, schema: jsonSchemaOf(schema) };
  });
  const settings = withSpecs(specs);
  const { settingsFor } = parts.config;
  const config: Config = {
    ...parts.config,
    settingsFor: (where) => whenReady(settingsFor(where), settings),
  };
  const decider = parts.decider.under({ settings });
  const contextOf = async (context: CallContext, action: JsonObject) =>
    (await read({ ...action, context: wireContext(context) }, context, { ...parts, config })).context;
  const texts: TextParts = { decider, ledger, world, contextOf, vaults: parts.vaults };
  return {
    input: { check: (request) => checkInput(request, texts) },
    output: {
      check: (request) => checkOutput(request, texts),
      stream: (context = {}) => openOutput(context, texts),
      restorer: (context = {}) => openRestorer(context, texts),
    },
    generate: (request) => guardGenerate(request, texts),
    answer: async ({ context = {}, ask }) =>
      await generate({ ...texts, ask, context: await contextOf(context, { kind: 'response', text: '' }) }),
    tool: { validate: (request) => validate(request, decider, { ...parts, config }) },
    createRunner: (options) => runnerOf(decider, { ...parts, config }, options),
    withTools: (more) => facade(parts, [...more, ...tools]),
    close: async () => {
      await parts.closeJudge();
      await ledger.close();
    },
  };
}

/** Gives an agent's settings with the program's tools in them. */
function withSpecs(specs: readonly ToolSpec[]): (settings: Settings) => Settings {
  const made = new WeakMap<Settings, Settings>();
  return (settings) => {
    const known = made.get(settings) ?? withTools(settings, specs);
    made.set(settings, known);
    return known;
  };
}

async function runnerOf(
  decider: Decider,
  { config, ledger, world }: Parts,
  options: SandboxOptions | undefined,
): Promise<CodeRunner> {
  // Loaded with the first runner: a caller that only judges does not pay for it.
  const { createRunner } = await import('../../run/code/index.ts');
  const runner = createRunner(decider, { ...options, pausing: { ledger, now: () => world.now() } });
  const contextOf = async (context: CallContext = {}) => {
    const asked = { asker: askerOf(context), folder: process.cwd(), config, world };
    return await readContext(wireContext(context), asked);
  };
  const { redactRun } = await import('../../run/code/redacted.ts');
  const judging = { config, ledger, world, decider };
  return {
    ...runner,
    run: async ({ context, ...job }) => {
      const whole = await contextOf(context);
      return await redactRun(judging, await runner.run({ ...job, context: whole }), whole);
    },
    resume: async ({ context, ...job }) => {
      const whole = await contextOf(context);
      return await redactRun(judging, await runner.resume({ ...job, context: whole }), whole);
    },
  };
}

function askerOf({ userId = '', tenantId = userId === '' ? '' : 'local' }: CallContext) {
  return { user: userId, tenant: tenantId, agent: null };
}

async function validate(
  { toolCall, context = {} }: ValidateRequest,
  decider: Decider,
  parts: Parts,
): Promise<Validation> {
  try {
    const { action: asked, context: whole } = await read(wireOf(toolCall, context), context, parts);
    // INVARIANT: egress and approval judge the value that the tool gets, and not what stands for it.
    const { verdict } = await decider.decide(givenBack(asked, parts.vaults.of(whole)), whole);
    return validationOf(verdict);
  } catch (error) {
    return refused(error);
  }
}

/** A call with the values of the session in the place of their placeholders. */
function givenBack(action: Action, vault: Vault): Action {
  if (action.kind !== 'tool' || action.arguments === undefined || vault.isEmpty) return action;
  const restored = restoredIn(action.arguments, vault);
  return isJsonObject(restored) ? { ...action, arguments: restored } : action;
}

/** Reads an action as strictly as any other that arrives; who asks is what the program says. */
async function read(wire: JsonObject, context: CallContext, { config, world }: Parts): Promise<Request> {
  return await readRequest(wire, { asker: askerOf(context), folder: process.cwd(), config, world });
}

function wireContext({ sessionId: session, agent, workspace, permissionMode }: CallContext): JsonObject {
  const mode = permissionMode === undefined ? {} : { mode: modeFromHost(permissionMode) };
  return { ...defined({ session, agent, workspace }), ...mode };
}

function wireOf(toolCall: ToolCall, context: CallContext): JsonObject {
  const { server, justification } = toolCall;
  return {
    kind: 'tool',
    tool: toolCall.name ?? toolCall.toolName ?? '',
    arguments: argumentsOf(toolCall.arguments ?? toolCall.args ?? toolCall.input ?? {}),
    ...defined({ server, justification }),
    context: wireContext(context),
  };
}

function defined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])),
  );
}

/** A text is read as strictly as any other JSON; what a program hands over as an object is checked behind this. */
function argumentsOf(given: unknown): JsonObject {
  const value = typeof given === 'string' ? parseJson(given) : (given as JsonValue);
  if (!isJsonObject(value)) throw new InputError('the arguments of a call are a JSON object');
  return value;
}

function validationOf(verdict: Verdict): Validation {
  const { decision, action, explanation, findings, approval } = verdict;
  return {
    blocked: decision === 'block',
    needsApproval: decision === 'approve',
    arguments: action.kind === 'tool' ? (action.arguments ?? {}) : {},
    verdict,
    toUserError: () => new GuardrailError(explanation, findings, approval, approval?.how),
  };
}

/** INVARIANT: what could not be judged is blocked. */
function refused(error: unknown): Validation {
  return {
    blocked: true,
    needsApproval: false,
    arguments: {},
    verdict: null,
    toUserError: () => refusedError(error),
  };
}

let standard: Promise<Sallyport> | undefined;

/** Sallyport on the user's own home, opened with the first call. */
async function own(): Promise<Sallyport> {
  standard ??= sallyport();
  try {
    return await standard;
  } catch (error) {
    // The next call tries again: what is broken now may be mended then.
    standard = undefined;
    throw error;
  }
}

/** The guardrails of the user's own home. */
export const Guardrails = {
  input: {
    /** Judges a text or a file before a model reads it; never throws: what cannot be judged is blocked. */
    check: async (request: InputRequest): Promise<TextCheck> =>
      await own().then((guard) => guard.input.check(request), refusedText),
  },
  output: {
    /** Judges a text that a model wrote; never throws: what cannot be judged is blocked. */
    check: async (request: OutputRequest): Promise<TextCheck> =>
      await own().then((guard) => guard.output.check(request), refusedText),
  },
  tool: {
    /** Judges one call; never throws: what cannot be judged is blocked. */
    validate: async (request: ValidateRequest): Promise<Validation> =>
      await own().then((guard) => guard.tool.validate(request), refused),
  },
  /** Closes what the first call opened. */
  async close(): Promise<void> {
    const opened = standard;
    standard = undefined;
    await (await opened)?.close();
  },
} as const;

/** Asks a model under the guardrails of the user's own home. */
export async function guardedGenerate(request: GenerateRequest): Promise<GuardedAnswer> {
  return await (await own()).generate(request);
}
