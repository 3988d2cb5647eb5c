// The in-process API: the one path inside the user's own program, on the user's own home. It decides nothing itself.

import { type Config, homeFolder, loadConfig, withTools } from '../../config/index.ts';
import {
  type ApprovalNotice,
  type Finding,
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  modeFromHost,
  parseJson,
  SallyportError,
  type ToolSpec,
  type Verdict,
} from '../../core/index.ts';
import { createDecider, type Decider, readContext, readRequest, realWorld } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { RunJob, RunResult, SandboxOptions } from '../../run/code/index.ts';
import { type AnySchema, jsonSchemaOf } from './schema.ts';

export type {
  ApprovalNotice,
  ArgumentRole,
  ArgumentSpec,
  Finding,
  ToolEffect,
  Verdict,
} from '../../core/index.ts';
export type { Journal, Limits, RunResult, SandboxOptions, ToolFunction } from '../../run/code/index.ts';
export type { AnySchema, StandardSchema } from './schema.ts';

/** A tool of the program, as it is registered. */
export interface ToolDefinition extends Omit<ToolSpec, 'schema' | 'definition'> {
  readonly schema?: AnySchema;
}

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

/** Who calls and where. From the program's own session, never from the model. */
export interface CallContext {
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

/** A call was stopped, or waits for a person. */
export class GuardrailError extends SallyportError {
  readonly findings: readonly Finding[];
  /** Where a person can say yes; null where nobody can. */
  readonly approval: ApprovalNotice | null;

  constructor(message: string, findings: readonly Finding[], approval: ApprovalNotice | null, hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.findings = findings;
    this.approval = approval;
  }

  /** The rule that decided. */
  get rule(): string | undefined {
    const strongest = this.approval === null ? 'block' : 'approve';
    return (this.findings.find(({ decision }) => decision === strongest) ?? this.findings[0])?.rule;
  }
}

/** Code that a model wrote, and the tools that it may call. */
export interface CodeJob extends Omit<RunJob, 'context'> {
  readonly context?: CallContext;
}

/** Runs code on threads of its own. */
export interface CodeRunner {
  /** Starts threads ahead of the first run. */
  warm(): Promise<void>;
  /** Judges code, and each call that it makes, and runs it in a sandbox; what the code does is in the result. */
  run(job: CodeJob): Promise<RunResult>;
  /** Ends the threads. */
  close(): Promise<void>;
}

export interface Sallyport {
  readonly tool: {
    /** Judges one call; never throws: what cannot be judged is blocked. */
    validate(request: ValidateRequest): Promise<Validation>;
  };
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
  const world = realWorld();
  const config = await loadConfig({ home, environment, world });
  const { openLedger } = await import('../../ledger/open.ts');
  const ledger = await openLedger(home, config.ledger);
  return facade({ config, ledger, world }, options.tools ?? []);
}

interface Parts {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly world: ReturnType<typeof realWorld>;
}

function facade(parts: Parts, tools: readonly ToolDefinition[]): Sallyport {
  const { ledger, world } = parts;
  const specs = tools.map(({ schema, ...tool }): ToolSpec => {
    return schema === undefined ? tool : { ...tool, schema: jsonSchemaOf(schema) };
  });
  const config = withSpecs(parts.config, specs);
  const decider = createDecider({ config, ledger, world });
  return {
    tool: { validate: (request) => validate(request, decider, { ...parts, config }) },
    createRunner: (options) => runnerOf(decider, { ...parts, config }, options),
    withTools: (more) => facade(parts, [...more, ...tools]),
    close: () => ledger.close(),
  };
}

/** The configuration with the program's tools in every agent's settings. */
function withSpecs(config: Config, specs: readonly ToolSpec[]): Config {
  const made = new WeakMap<object, ReturnType<typeof withTools>>();
  const add = (settings: Parameters<typeof withTools>[0]) => {
    const known = made.get(settings) ?? withTools(settings, specs);
    made.set(settings, known);
    return known;
  };
  return {
    ...config,
    settingsFor: (where) => {
      const settings = config.settingsFor(where);
      return settings instanceof Promise ? settings.then(add) : add(settings);
    },
  };
}

async function runnerOf(
  decider: Decider,
  { config, world }: Parts,
  options: SandboxOptions | undefined,
): Promise<CodeRunner> {
  // Loaded with the first runner: whoever only judges does not pay for it.
  const { createRunner } = await import('../../run/code/index.ts');
  const runner = createRunner(decider, options);
  return {
    ...runner,
    run: async ({ context = {}, ...job }) => {
      const asked = { asker: askerOf(context), folder: process.cwd(), config, world };
      return await runner.run({ ...job, context: await readContext(saidOf(context), asked) });
    },
  };
}

function askerOf({ userId = '', tenantId = userId === '' ? '' : 'local' }: CallContext) {
  return { user: userId, tenant: tenantId, agent: null };
}

async function validate(
  { toolCall, context = {} }: ValidateRequest,
  decider: Decider,
  { config, world }: Parts,
): Promise<Validation> {
  try {
    const { action, context: whole } = await readRequest(wireOf(toolCall, context), {
      asker: askerOf(context),
      folder: process.cwd(),
      config,
      world,
    });
    const { verdict } = await decider.decide(action, whole);
    return validationOf(verdict);
  } catch (error) {
    return refused(error);
  }
}

function wireOf(toolCall: ToolCall, context: CallContext): JsonObject {
  const { server, justification } = toolCall;
  return {
    kind: 'tool',
    tool: toolCall.name ?? toolCall.toolName ?? '',
    arguments: argumentsOf(toolCall.arguments ?? toolCall.args ?? toolCall.input ?? {}),
    ...defined({ server, justification }),
    context: saidOf(context),
  };
}

function saidOf({ sessionId: session, agent, workspace, permissionMode }: CallContext) {
  const mode = permissionMode === undefined ? {} : { mode: modeFromHost(permissionMode) };
  return { ...defined({ session, agent, workspace }), ...mode };
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
  const known = error instanceof SallyportError;
  const message = known ? messageOf(error) : 'the check failed, and what was not checked does not pass';
  return {
    blocked: true,
    needsApproval: false,
    arguments: {},
    verdict: null,
    toUserError: () => new GuardrailError(`Blocked: ${message}.`, [], null, known ? error.hint : undefined),
  };
}

let standard: Promise<Sallyport> | undefined;

/** The guardrails of the user's own home, opened with the first call. */
export const Guardrails = {
  tool: {
    /** Judges one call; never throws: what cannot be judged is blocked. */
    async validate(request: ValidateRequest): Promise<Validation> {
      try {
        standard ??= sallyport();
        return await (await standard).tool.validate(request);
      } catch (error) {
        // The next call tries again: what is broken now may be mended then.
        standard = undefined;
        return refused(error);
      }
    },
  },
  /** Closes what the first call opened. */
  async close(): Promise<void> {
    const opened = standard;
    standard = undefined;
    await (await opened)?.close();
  },
} as const;
