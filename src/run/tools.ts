// Our own tools `bash` and `runpy`: judged under the strict profile unless the agent's own says otherwise, then run.

import type { Config, Profile } from '../config/index.ts';
import {
  type ActionOf,
  type ApprovalNotice,
  type Context,
  type JsonObject,
  longestCommandMs,
  type Verdict,
  type World,
} from '../core/index.ts';
import { integer, object, optional, readShape, text } from '../core/shape.ts';
import { type Decider, insideWorkspace } from '../decide/index.ts';
import { type CommandError, commandError } from '../guards/command/error.ts';
import {
  asItWouldRun,
  type CommandKind,
  type CommandOptions,
  type CommandResult,
  runCommand,
} from './command.ts';
import { NotUndoable } from './errors.ts';
import { wayOf } from './shell/judged.ts';
import { notesOf } from './shell/summary.ts';
import {
  OverlayUnavailable,
  type Transaction,
  type TransactionOptions,
  transact,
} from './shell/transaction.ts';

export interface RunnerParts extends Pick<CommandOptions, 'capture' | 'sandboxPrograms'> {
  readonly config: Pick<Config, 'settingsFor' | 'home'>;
  readonly decider: Pick<Decider, 'under'>;
  readonly world: World;
  /** The profile of an agent for which the configuration names none; strict unless given. */
  readonly profile?: Profile;
  /** Runs commands as transactions if the settings say so, or always if `isAlways`. */
  readonly transactions?: Omit<TransactionOptions, 'decide'> & {
    readonly isAlways?: boolean;
    /** Judges the changes instead of the decider that judges commands: a trial is not recorded. */
    readonly decide?: TransactionOptions['decide'];
  };
}

/** The result of a command. */
export interface Ran {
  readonly verdict: Verdict;
  /** Null if it was not run. */
  readonly result: CommandResult | null;
  /** Its changes, if it ran as a transaction. */
  readonly transaction?: Transaction;
}

/** Judges an action; if allowed, runs it. */
export type Runner = (
  action: ActionOf<CommandKind>,
  context: Context,
  options?: Pick<CommandOptions, 'timeoutMs' | 'network' | 'signal' | 'onOutput'>,
) => Promise<Ran>;

/** Creates the runner. A call throws what `runCommand` throws, `ConfigError`, and `InputError` for a wrong folder. */
export function createRunner({
  config,
  decider,
  world,
  profile = 'strict',
  capture,
  sandboxPrograms,
  transactions,
}: RunnerParts): Runner {
  const profiled = withProfile(config, profile);
  const { decide } = decider.under({ profile });
  const { decide: decideAside } = decider.under({ profile, world: { runsAside: true } });
  return async (action, context, options = {}) => {
    const settings = await profiled.settingsFor(context);
    const placed = insideWorkspace(action, context.workspace, world);
    const isAlways = transactions?.isAlways === true;
    /** Why commands cannot be transactions here, once that is known. */
    let unavailable: string | null = null;
    const attempt = async (whole: ActionOf<CommandKind>): Promise<Ran> => {
      const isOn = isAlways || (settings.shell.transactional && whole.sandbox !== 'none');
      const canWait = transactions !== undefined && isOn && unavailable === null;
      let { verdict, cleared } = await (canWait ? decideAside : decide)(whole, context);
      // INVARIANT: a question is deferred only for a command that runs on an overlay.
      if (cleared?.facts['deferred'] === true && wayOf(cleared, isAlways) !== 'aside')
        ({ verdict, cleared } = await decide(whole, context));
      if (cleared === null) return { verdict, result: null };
      const command = {
        ...{ ...options, settings, world, home: config.home },
        ...(sandboxPrograms === undefined ? {} : { sandboxPrograms }),
      };
      const way = isOn ? wayOf(cleared, isAlways) : 'plain';
      if (transactions !== undefined && way === 'aside' && unavailable === null) {
        const transaction = await transact(cleared, command, { decide, ...transactions });
        const notes = [...transaction.result.notes, ...notesOf(transaction)];
        return { verdict, result: { ...transaction.result, notes }, transaction };
      }
      const result = await runCommand(cleared, {
        ...command,
        ...(capture === undefined ? {} : { capture }),
        isReadOnly: way === 'read',
      });
      const notes = unavailable === null ? result.notes : [...result.notes, unavailable];
      return { verdict, result: { ...result, notes } };
    };
    // INVARIANT: a command that is always a transaction never runs without a sandbox, nor on the real folders.
    for (let whole = isAlways ? placed : await asItWouldRun(placed, settings, sandboxPrograms); ; ) {
      try {
        return await attempt(whole);
      } catch (error) {
        const isFallback = error instanceof OverlayUnavailable && !isAlways;
        // Only now is it known that not all changes can be reverted: it is judged once more with that fact.
        if (error instanceof NotUndoable && whole.undo !== 'none') whole = { ...whole, undo: 'none' };
        else if (isFallback && unavailable === null) unavailable = withoutTransaction(error);
        else throw error;
      }
    }
  };
}

function withoutTransaction({ why: { problem, hint } }: OverlayUnavailable): string {
  return `ran without a transaction: ${problem} (${hint})`;
}

/** The configuration, with a profile for agents that have none of their own. */
export function withProfile<C extends Pick<Config, 'settingsFor'>>(config: C, profile: Profile): C {
  return { ...config, settingsFor: (where) => config.settingsFor({ profile, ...where }) };
}

const timeout = optional(integer(1, longestCommandMs));
const inputs = {
  bash: object({
    command: text({ min: 1 }),
    timeout_ms: timeout,
    cwd: optional(text({ min: 1, max: 4096, what: 'a path' })),
  }),
  runpy: object({ source: text({ min: 1 }), timeout_ms: timeout }),
};

const where = 'in a sandbox: the workspace is writable, there is no network, nothing is on standard input.';

/** The tools, as a model sees them. */
export const commandTools: readonly {
  readonly name: keyof typeof inputs;
  readonly description: string;
  readonly inputSchema: JsonObject;
}[] = [
  { name: 'bash', description: `Runs a command in bash, ${where}`, inputSchema: inputs.bash.schema() },
  { name: 'runpy', description: `Runs a Python program, ${where}`, inputSchema: inputs.runpy.schema() },
];

/** The answer of a tool if approval is required. */
export interface ToolWaits {
  readonly waiting: string;
  /** Null if no approver can be asked. */
  readonly approval: ApprovalNotice | null;
}

/** The answer of a tool if the command ran. */
export interface ToolOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly limit: CommandResult['limit'];
  readonly truncated: boolean;
  readonly redactions: CommandResult['redactions'];
  /** Only if there are any. */
  readonly notes?: readonly string[];
}

export type ToolAnswer = CommandError | ToolWaits | ToolOutput;

/** One call of a tool; throws `InputError` for invalid arguments, and any error of the runner. */
export async function callTool(
  run: Runner,
  name: keyof typeof inputs,
  input: unknown,
  context: Context,
  signal?: AbortSignal,
): Promise<ToolAnswer> {
  const { action, timeout_ms: timeoutMs } = readInput(name, input);
  const { verdict, result } = await run(action, context, {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(signal === undefined ? {} : { signal }),
  });
  return result === null ? refusal(verdict) : toolOutput(result);
}

function readInput(
  name: keyof typeof inputs,
  input: unknown,
): { readonly action: ActionOf<CommandKind>; readonly timeout_ms?: number } {
  if (name === 'runpy') {
    const { source, ...rest } = readShape(inputs.runpy, input);
    return { action: { kind: 'python', source }, ...rest };
  }
  const { command, cwd, ...rest } = readShape(inputs.bash, input);
  return { action: { kind: 'shell', command, ...(cwd === undefined ? {} : { cwd }) }, ...rest };
}

/** The answer for a refused command: the refusal of the lowest layer, or how to approve it. */
export function refusal({ decision, findings, explanation, approval }: Verdict): CommandError | ToolWaits {
  if (decision === 'approve') return { waiting: explanation, approval };
  const [first] = findings
    .filter((finding) => finding.decision === decision)
    .toSorted((a, b) => (a.layer ?? 0) - (b.layer ?? 0));
  // INVARIANT: a block has a finding that blocks.
  if (first === undefined) throw new Error('a refusal without a reason');
  return commandError(first);
}

/** A result in the format for tools and machines. */
export function toolOutput(result: CommandResult): ToolOutput {
  const { stdout, stderr, exitCode, signal, timedOut, limit, truncated, redactions, notes } = result;
  const output = {
    stdout,
    stderr,
    exit_code: exitCode,
    signal,
    timed_out: timedOut,
    limit,
    truncated,
    redactions,
  };
  return notes.length === 0 ? output : { ...output, notes };
}
