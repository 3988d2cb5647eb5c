// Judging and running a command from the command line, as `exec` and `shell` do.

import { homedir } from 'node:os';
import type { Profile } from '../config/index.ts';
import {
  type ActionOf,
  type Context,
  exitCodes,
  type JsonObject,
  messageOf,
  UsageError,
} from '../core/index.ts';
import { createDecider, createDryDecider, readRequest } from '../decide/index.ts';
import {
  Captures,
  type CommandKind,
  type CommandResult,
  createRunner,
  refusal,
  toolOutput,
} from '../run/index.ts';
import { shownChanges } from '../run/shell/summary.ts';
import type { Transaction } from '../run/shell/transaction.ts';
import type { Ran, RunnerParts } from '../run/tools.ts';
import { captureChanges, changeOptions } from './changes.ts';
import type { Call } from './command.ts';
import type { Io } from './io.ts';
import { withLedger } from './ledger.ts';
import { localAsker, type Opened } from './open.ts';
import { exitCodeOf, showVerdict } from './show.ts';

export interface Executing
  extends Pick<NonNullable<RunnerParts['transactions']>, 'isAlways' | 'isTrial' | 'homes' | 'inspect'> {
  readonly timeoutMs: number | undefined;
  readonly network?: 'off' | undefined;
  readonly profile: Profile;
}

/** A command with the context that its options name. */
interface CommandRequest {
  readonly action: ActionOf<CommandKind>;
  readonly context: Context;
}

/** Reads the request for a command, in the workspace and as the agent that the options name. */
export async function requestOf(
  call: Call,
  { config, world }: Opened,
  wanted: ActionOf<CommandKind>,
): Promise<CommandRequest> {
  const folder = call.io.folder();
  const agent = call.value('agent');
  const workspace = call.value('workspace') ?? folder;
  const { action, context } = await readRequest(
    { ...wanted, context: { workspace, ...(agent === undefined ? {} : { agent }) } },
    { asker: localAsker(), folder, config, world },
  );
  if (action.kind !== 'shell' && action.kind !== 'python') throw new Error('a request changed its kind');
  return { action, context };
}

/** Judges a command, and runs it if its verdict lets it; its output is passed on unless JSON is wanted. */
export async function execute(
  call: Call,
  opened: Opened,
  { action, context }: CommandRequest,
  { timeoutMs, network, profile, ...transactions }: Executing,
): Promise<number> {
  const { config, world } = opened;
  const signal = stopSignal();
  return await withLedger(call, async (ledger) => {
    const captures = new Captures({
      ...{ store: opened.paths.snapshots, personHome: homedir(), config, ledger, world },
      report: (event, error) => call.io.warn(`sallyport: ${event}: ${messageOf(error)}`),
    });
    const run = createRunner({
      ...{ config, world, profile },
      decider: createDecider({
        ...{ config, ledger },
        world: { ...world, unreviewed: (asked) => captures.unreviewed(asked) },
      }),
      capture: async (cleared) =>
        await captureChanges(cleared, await changeOptions(call, opened, ledger), captures.integrity),
      transactions: {
        ...transactions,
        ...(transactions.isTrial === true
          ? { decide: createDryDecider({ config, world }).under({ profile }).decide }
          : {}),
        receipts: () => changeOptions(call, opened, ledger),
      },
    });
    const ran = await run(action, context, {
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(network === undefined ? {} : { network }),
      ...(call.flag('json') ? {} : { onOutput: (stream, text) => call.io.pass(stream, text) }),
    });
    return sayEnd(call, ran);
  });
}

/** Ends the command, and all that it started, when this process is asked to end. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

/** A word that a shell reads as this word and nothing else. */
export function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export function timeOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, number = '', unit = ''] = /^([0-9]{1,9})(ms|s|m|h)$/.exec(value) ?? [];
  const time = Number(number) * (units[unit] ?? 0);
  if (time === 0) throw new UsageError('--timeout is a time such as 500ms, 60s or 5m');
  return time;
}

/** Says what became of a command; gives the exit code. */
function sayEnd(call: Call, { verdict, result, transaction }: Ran): number {
  const discarded = transaction !== undefined && transaction.discarded !== null;
  const { decision, decisionId } = (discarded ? transaction.verdict : null) ?? verdict;
  if (call.flag('json')) {
    const answer = result === null ? refusal(verdict) : toolOutput(result);
    call.io.json({
      decision,
      decisionId,
      ...answer,
      ...(transaction === undefined ? {} : shownOf(transaction)),
    });
  } else if (result === null) showVerdict({ ...call.io, print: call.io.warn }, verdict);
  else {
    showEnd(call.io, result);
    if (transaction?.isTrial === true && transaction.verdict !== null)
      showVerdict(call.io, transaction.verdict);
  }
  if (result === null) return exitCodeOf(decision);
  if (!discarded || transaction.isTrial) return result.exitCode;
  return decision === 'approve' ? exitCodes.waiting : exitCodes.failed;
}

/** A transaction as machines are given it. */
function shownOf({ difference, snapshot, discarded, verdict }: Transaction): JsonObject {
  return {
    changes: shownChanges(difference).map((change) => ({ ...change })),
    committed: snapshot?.id ?? null,
    discarded,
    ...(discarded !== null && verdict?.approval != null
      ? { waiting: verdict.explanation, approval: { ...verdict.approval } }
      : {}),
  };
}

/** What the output does not say by itself. */
function showEnd(io: Io, { timedOut, limit, redactions, notes }: CommandResult): void {
  if (timedOut) io.warn('sallyport: ended, for its time was up');
  if (limit !== null) io.warn(`sallyport: ended, for it used more ${limit} than it may`);
  for (const note of notes) io.warn(`sallyport: ${note}`);
  const taken = Object.entries(redactions).map(([kind, count]) => `${count} ${kind}`);
  if (taken.length > 0) io.warn(`sallyport: redacted in the output: ${taken.join(', ')}`);
}
