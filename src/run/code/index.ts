// Runs code that a model wrote: the code is judged first, and every call that it makes is an action of its own.

import type { ActionOf, Context, Finding, JsonObject, Verdict } from '../../core/index.ts';
import { SallyportError } from '../../core/index.ts';
import { type Cleared, takeClearance } from '../../decide/cleared.ts';
import type { Decider } from '../../decide/types.ts';
import { reasonOf } from '../../guards/code/rules.ts';
import type { Limits } from './limits.ts';
import { type Journal, Sandbox, type SandboxOptions, type SandboxResult } from './sandbox.ts';

export { defaultLimits, type LimitCode, type Limits } from './limits.ts';
export { EngineMissing, type PoolOptions } from './pool.ts';
export type { Log, RunError } from './protocol.ts';
export type { CallRecord, Journal, SandboxOptions } from './sandbox.ts';

/** What a tool does; `signal` is aborted when nobody waits for the result any more. */
export type ToolFunction = (
  args: JsonObject,
  options: { readonly signal: AbortSignal },
) => Promise<unknown> | unknown;

/** A tool that has another name than code calls it by, and runs a call as it was cleared. */
export interface ClearedTool {
  readonly server: string;
  readonly tool: string;
  /** Uses the clearance up. */
  call(cleared: Cleared<'tool'>, options: { readonly signal: AbortSignal }): Promise<unknown>;
}

export interface RunJob {
  /** The body of an async function. */
  readonly source: string;
  /** TypeScript where nothing is said. */
  readonly language?: 'js' | 'ts';
  /** By name, such as `github.list_issues`: a server, a dot, and the tool; without a dot it is a tool of the program. */
  readonly tools: Readonly<Record<string, ToolFunction | ClearedTool>>;
  /** From the authenticated session. */
  readonly context: Context;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  /** Of an earlier run, whose clock and chance this one shall have. */
  readonly journal?: Journal;
}

/** A run of code, or why there was none. */
export type RunResult =
  | ({ readonly verdict: Verdict } & SandboxResult)
  | {
      readonly verdict: Verdict;
      /** It may not run; or a person must say yes first. */
      readonly status: 'blocked' | 'waiting';
      readonly error: { readonly code: string; readonly message: string };
    };

export interface CodeRunner {
  /** Starts threads ahead of the first run; throws `EngineMissing`. */
  warm(): Promise<void>;
  /** Judges code and runs it; what the code does is in the result. Throws `EngineMissing` and `InputError`. */
  run(job: RunJob): Promise<RunResult>;
  close(): Promise<void>;
}

/** A call that may not be made; the code can catch it by its code. */
class CallRefused extends SallyportError {
  readonly code: 'blocked' | 'needs_approval';

  constructor({ decision, explanation }: Verdict) {
    super(explanation);
    this.code = decision === 'approve' ? 'needs_approval' : 'blocked';
  }
}

/** Makes a runner. Its threads are its own, and end with it. */
export function createRunner(
  decider: Pick<Decider, 'decide' | 'session'>,
  options: SandboxOptions = {},
): CodeRunner {
  const sandbox = new Sandbox(options);
  return {
    warm: () => sandbox.warm(),
    close: () => sandbox.close(),
    async run({ source, language, tools, context, limits, signal, journal }) {
      const action: ActionOf<'code'> = {
        kind: 'code',
        source,
        tools: Object.keys(tools),
        ...(language === undefined ? {} : { language }),
      };
      const { verdict, cleared } = await decider.decide(action, context);
      if (cleared === null) return refused(verdict);
      const result = await runCode(sandbox, cleared, {
        call: (name, args, stop) => callTool(decider, context, tools, name, args, stop),
        ...(limits === undefined ? {} : { limits }),
        ...(signal === undefined ? {} : { signal }),
        ...(journal === undefined ? {} : { journal }),
      });
      return { verdict, ...result };
    },
  };
}

/** Runs code that was cleared, as it was judged. */
async function runCode(
  sandbox: Sandbox,
  cleared: Cleared<'code'>,
  how: Pick<Parameters<Sandbox['run']>[0], 'call' | 'limits' | 'signal' | 'journal'>,
): Promise<SandboxResult> {
  takeClearance(cleared);
  const { action, context } = cleared;
  return await sandbox.run({
    source: action.source,
    tools: action.tools ?? [],
    tenant: JSON.stringify([context.tenant, context.user]),
    ...how,
  });
}

/** One call, by the one path: judged with what the session has read so far, and what it gives is read too. */
async function callTool(
  decider: Pick<Decider, 'decide' | 'session'>,
  context: Context,
  tools: RunJob['tools'],
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) throw new SallyportError(`there is no tool ${name}`);
  const action: ActionOf<'tool'> = { kind: 'tool', ...placeOf(name, tool), arguments: args };
  const { verdict, cleared } = await decider.decide(action, context);
  if (cleared === null) throw new CallRefused(verdict);
  // INVARIANT: a run that has ended starts no call, however long the decision took.
  signal.throwIfAborted();
  const result = await made(tool, cleared, signal);
  const session = await decider.session(context);
  session.read(JSON.stringify(result) ?? '', { kind: 'tool', name });
  return result;
}

/** The tool that a name in code stands for. */
function placeOf(
  name: string,
  tool: ToolFunction | ClearedTool,
): { readonly tool: string; readonly server?: string } {
  if (typeof tool === 'object') return { server: tool.server, tool: tool.tool };
  const dot = name.indexOf('.');
  return { tool: name.slice(dot + 1), ...(dot < 0 ? {} : { server: name.slice(0, dot) }) };
}

async function made(tool: ToolFunction | ClearedTool, cleared: Cleared<'tool'>, signal: AbortSignal) {
  if (typeof tool === 'object') return await tool.call(cleared, { signal });
  takeClearance(cleared);
  return await tool(cleared.action.arguments ?? {}, { signal });
}

function refused(verdict: Verdict): RunResult {
  const { decision, explanation } = verdict;
  if (decision === 'approve')
    return { verdict, status: 'waiting', error: { code: 'needs_approval', message: explanation } };
  return { verdict, status: 'blocked', error: { code: 'blocked', message: codeBlocked(verdict) } };
}

/** Why code was refused, in the words that scripts match on. */
export function codeBlocked({ findings, explanation }: Verdict): string {
  const [first]: readonly Finding[] = findings.filter((finding) => finding.decision === 'block');
  const reason = first === undefined ? explanation : reasonOf(first);
  return `Code-mode guardrail blocked execution: ${reason}`;
}
