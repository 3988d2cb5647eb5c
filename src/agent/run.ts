// One run of the harness: a task, a model, a strategy, with layers 1 to 3 always on. What it changes is grouped by its
// id, so that it can be reverted as one.

import { homedir } from 'node:os';
import { type Config, type Profile, paths, type Settings } from '../config/index.ts';
import {
  type Context,
  type JsonObject,
  messageOf,
  SallyportError,
  spanned,
  type World,
} from '../core/index.ts';
import { egressRuleset } from '../decide/detection.ts';
import { egressHere } from '../decide/egress.ts';
import { type Decider, runHooks } from '../decide/index.ts';
import { createEgress, type Egress } from '../guards/egress/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { Captures, type Notice, snapshotsOf } from '../run/index.ts';
import { McpCalls, type OfferedTool } from '../run/mcp/calls.ts';
import { openUpstreams, type Upstreams } from '../run/mcp/index.ts';
import { withProfile } from '../run/tools.ts';
import { type BridgeOptions, onBridge } from './bridge.ts';
import { bypassesIn } from './bypasses.ts';
import { codemodeStrategy } from './codemode.ts';
import type { RunEvent, RunOutcome, Strategy } from './events.ts';
import { userFile } from './files.ts';
import { toolCallStrategy } from './loop.ts';
import type { Model } from './model.ts';
import { openModel } from './models.ts';
import { toolboxOf } from './toolbox.ts';
import { openTranscript } from './transcript.ts';
import { RunFailed, Work } from './work.ts';

export interface RunTask {
  readonly task: string;
  /** Absolute paths of files that come with it. */
  readonly files?: readonly string[];
  readonly strategy: Strategy;
  readonly mcp: boolean;
  readonly mcpServer?: string;
  /** How many turns the model has. */
  readonly steps: number;
  /** PROVIDER/MODEL with a provider under [llm], or script:FILE. */
  readonly model: string;
  /** The real path of the folder that it works in. */
  readonly workspace: string;
  /** Who asks; the run is its session. */
  readonly context: Context;
  /** Stops the run at once. */
  readonly signal?: AbortSignal;
  /** Told of what happens, without what may not be shown. */
  readonly onEvent?: (event: RunEvent) => void;
}

export interface RunParts {
  readonly config: Config;
  readonly decider: Decider;
  readonly ledger: Ledger;
  readonly world: World;
  /** The MCP servers whose tools the run may use; their opener closes them. */
  readonly upstreams?: Upstreams;
  /** Those of the servers that the program itself brings, so that no person has to see what they say of their tools. */
  readonly ownServers?: readonly string[];
  /** The profile of an agent for which the configuration names none; strict unless given. */
  readonly profile?: Profile;
  /** How long a call waits for approval, in milliseconds; as the configuration says unless given. */
  readonly waitMs?: number;
  /** A model instead of the one that the task names. */
  readonly openModel?: typeof openModel;
  /** Where bubblewrap is looked for instead of its usual places. */
  readonly sandboxPrograms?: readonly string[];
}

const day = 86_400_000;

/** Runs a task to its end; what goes wrong on the way is in the outcome. Throws where a run cannot even begin. */
export async function runTask(task: RunTask, parts: RunParts): Promise<RunOutcome> {
  const { world } = parts;
  const config = withProfile(parts.config, parts.profile ?? 'strict');
  const runId = parts.ledger.newId();
  const context: Context = { ...task.context, workspace: task.workspace, session: runId };
  const settings = await config.settingsFor(context);
  const ruleset = await egressRuleset(settings, world);
  const egress = createEgress({ workspace: context.workspace, ruleset });
  const screen = await egressHere(settings, world, { workspace: context.workspace, part: 'secrets' });
  const owner = { user: context.user, tenant: context.tenant };
  const model = await (parts.openModel ?? openModel)(task.model, { ...parts, owner });
  const began = performance.now();
  const since = world.now() - config.snapshots.keepDays * day;
  const transcript = openTranscript(paths(config.home).runs, runId, since);
  const emit = (event: RunEvent): void => {
    // An event is JSON by construction; this says so to the compiler in one place.
    const shown = egress.value(event as unknown as JsonObject).value as unknown as RunEvent;
    transcript.add(shown);
    // To the user of a terminal paths are no secret.
    task.onEvent?.(screen.value(event as unknown as JsonObject).value as unknown as RunEvent);
  };
  try {
    emit({
      type: 'start',
      runId,
      time: new Date(world.now()).toISOString(),
      task: task.task,
      strategy: task.strategy,
      model: model.name,
      workspace: context.workspace,
      mode: context.mode,
    });
    const begun = { ...parts, config, context, settings, egress, model, emit };
    const about = { 'sallyport.strategy': task.strategy, 'sallyport.run': runId };
    const { end, work } = await spanned(world.telemetry, 'sallyport.run', about, async (span) => {
      const done = await worked(task, begun);
      span.set({ 'sallyport.completed': done.end.completed, 'sallyport.steps': done.work.step });
      return done;
    });
    const outcome: RunOutcome = {
      runId,
      ...end,
      steps: work.step,
      waiting: work.waiting,
      usage: work.usage,
      durationSeconds: Math.round(performance.now() - began) / 1000,
      telemetry: {
        harness_strategy: task.strategy,
        mcp_enabled: task.mcp,
        mcp_server: work.server ?? task.mcpServer ?? null,
        ...work.counts,
        guardrail_bypasses: await bypassesIn(parts.ledger, work.ran),
      },
    };
    emit({ type: 'end', outcome });
    return outcome;
  } finally {
    transcript.close();
    await model.close();
  }
}

interface Begun extends Omit<RunParts, 'openModel'> {
  readonly context: Context;
  readonly settings: Settings;
  readonly egress: Egress;
  readonly model: Model;
  readonly emit: (event: RunEvent) => void;
}

type End = Pick<RunOutcome, 'completed' | 'answer' | 'error'>;

/** The work on a task, and how it ended. */
async function worked(task: RunTask, begun: Begun): Promise<{ readonly end: End; readonly work: Work }> {
  const { config, ledger, context, settings, egress, model, emit } = begun;
  const store = paths(config.home).snapshots;
  const onProblem = (what: string, problem: string) => emit({ type: 'note', text: `${what}: ${problem}` });
  const captures = new Captures({
    store,
    personHome: homedir(),
    config,
    ledger,
    world: begun.world,
    report: (event) => onProblem('what a call changed', event),
  });
  const world: World = { ...begun.world, ...captures.forGuards };
  const upstreams = (task.mcp ? begun.upstreams : undefined) ?? noServers(begun);
  const { ownServers = [] } = begun;
  const calls = new McpCalls({
    ...{ config, ledger, world, upstreams, ownServers, onProblem },
    decider: begun.decider.under({ profile: begun.profile ?? 'strict', world: captures.forGuards }),
  });
  const { decider } = calls;
  const signal = task.signal ?? new AbortController().signal;
  const snapshots = snapshotsOf({ store, config, world }, context.workspace);
  const work: Work = new Work({
    config,
    ledger,
    world,
    decider,
    captures,
    upstreams,
    model,
    context,
    signal,
    emit,
    strategy: task.strategy,
    steps: task.steps,
    waitMs: begun.waitMs ?? config.run.waitSeconds * 1000,
    tools: {
      settings,
      world,
      home: config.home,
      receipts: () => ({
        snapshots,
        ledger,
        redact: (text) => egress.text(text),
        now: () => world.now(),
        models: [model.name],
        cost: { usd: 0, ...work.takeCost() },
      }),
      ...(begun.sandboxPrograms === undefined ? {} : { sandboxPrograms: begun.sandboxPrograms }),
    },
  });
  try {
    work.toolbox = toolboxOf(await offeredTo(task, calls, upstreams, context));
    const ran = (decisionId: string) => void work.ran.push(decisionId);
    const noted = ({ forPerson }: Notice) => emit({ type: 'note', text: forPerson });
    const bridging = { config, ledger, world, calls, upstreams, captures, context, ran, noted };
    return { end: { completed: true, answer: await answerTo(task, work, bridging) }, work };
  } catch (error) {
    return { end: { completed: false, ...failureOf(error, signal) }, work };
  } finally {
    await captures.stop();
  }
}

/** No servers at all: with MCP off, or where none are configured. */
function noServers({ decider, ledger, world }: RunParts): Upstreams {
  const nobody = { user: '', tenant: '' };
  return openUpstreams({ servers: [], decider, ledger, world, owner: nobody, environment: {}, version: '' });
}

/** The tools of the server that calls go to, where one is named; else of all that are there for the agent. */
async function offeredTo(
  { mcpServer, strategy }: RunTask,
  calls: McpCalls,
  upstreams: Upstreams,
  context: Context,
): Promise<readonly OfferedTool[]> {
  const offered = await calls.tools(context);
  if (mcpServer === undefined || strategy === 'codemode') return offered;
  // A named server that cannot be reached is an error; the run does not go on without it.
  await upstreams.tools(mcpServer);
  return offered.filter(({ server }) => server === mcpServer);
}

/** Asks the user's own programs, passes the task through layer 1, and lets the strategy work on it. */
async function answerTo(task: RunTask, work: Work, parts: BridgeOptions): Promise<string> {
  const { context } = parts;
  const { hooks } = parts.config;
  const files = (task.files ?? []).map((path) => userFile(path, context.workspace));
  const { blocked } = await runHooks(hooks, 'session_start', {}, context);
  if (blocked !== null) throw new RunFailed(`Blocked: ${blocked.why}`);
  try {
    if (task.strategy === 'tool_call') {
      await work.take(task.task, files);
      return await toolCallStrategy(work);
    }
    return await onBridge(task, parts, async (server) => {
      work.server = server.server;
      await work.take(task.task, files);
      return await codemodeStrategy(work, server);
    });
  } finally {
    await runHooks(hooks, 'session_end', {}, context);
  }
}

/** Why a run has no answer; the text of a foreign error may hold what must not be shown. */
function failureOf(error: unknown, signal: AbortSignal): Pick<RunOutcome, 'answer' | 'error'> {
  if (signal.aborted) return { answer: null, error: 'the run was stopped' };
  const answer = error instanceof RunFailed ? error.answer : null;
  return { answer, error: error instanceof SallyportError ? messageOf(error) : 'an error of ours' };
}
