// One run of the harness: a task, a model, a strategy, with layers 1 to 3 always on. What it changes is grouped by its
// id, so that it can be taken back as one.

import { homedir } from 'node:os';
import { type Config, type Profile, paths } from '../config/index.ts';
import { type Context, type JsonObject, messageOf, SallyportError, type World } from '../core/index.ts';
import { egressRuleset } from '../decide/detection.ts';
import { createDecider, runHooks } from '../decide/index.ts';
import { createEgress } from '../guards/egress/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { Captures, snapshotsOf } from '../run/index.ts';
import type { Upstreams, UpstreamTool } from '../run/mcp/index.ts';
import { withProfile } from '../run/tools.ts';
import { type BridgeOptions, onBridge } from './bridge.ts';
import { codemodeStrategy } from './codemode.ts';
import type { RunEvent, RunOutcome, Strategy } from './events.ts';
import { toolCallStrategy } from './loop.ts';
import type { Model } from './model.ts';
import { openModel } from './models.ts';
import { withUpstream } from './registry.ts';
import { toolboxOf } from './toolbox.ts';
import { openTranscript } from './transcript.ts';
import { RunFailed, Work } from './work.ts';

export interface RunTask {
  readonly task: string;
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
  readonly ledger: Ledger;
  readonly world: World;
  /** The MCP servers whose tools the run may use; whoever opened them closes them. */
  readonly upstreams?: Upstreams;
  /** The profile of an agent for which the configuration names none; strict unless given. */
  readonly profile?: Profile;
  /** How long a call waits for a person, in milliseconds; as the configuration says unless given. */
  readonly waitMs?: number;
  /** A model instead of the one that the task names. */
  readonly openModel?: (name: string) => Promise<Model>;
  /** Where bubblewrap is looked for instead of its usual places. */
  readonly sandboxPrograms?: readonly string[];
}

const day = 86_400_000;

/** Runs a task to its end; what goes wrong on the way is in the outcome. Throws where a run cannot even begin. */
export async function runTask(task: RunTask, parts: RunParts): Promise<RunOutcome> {
  const { ledger, world } = parts;
  const upstreams = task.mcp ? (parts.upstreams ?? null) : null;
  const offered = upstreams === null ? [] : await toolsFor(upstreams, task);
  const config = withUpstream(withProfile(parts.config, parts.profile ?? 'strict'), offered);
  const runId = ledger.newId();
  const context: Context = { ...task.context, workspace: task.workspace, session: runId };
  const { user, tenant } = context;
  const settings = await config.settingsFor(context);
  const places = paths(config.home);
  const store = places.snapshots;
  const snapshots = snapshotsOf({ store, config, world }, context.workspace);
  const egress = createEgress({
    workspace: context.workspace,
    ruleset: await egressRuleset(settings, world),
  });
  const captures = new Captures({
    store,
    personHome: homedir(),
    config,
    ledger,
    world,
    report: (event) => emit({ type: 'note', text: `What a call changed could not be kept: ${event}.` }),
  });
  const judged: World = { ...world, restorable: (workspace) => captures.covers(workspace) };
  const decider = createDecider({ config, ledger, world: judged });
  const model = await (parts.openModel ?? ((name) => openModel(name, { ...parts, owner: { user, tenant } })))(
    task.model,
  );
  const transcript = openTranscript(places.runs, runId, world.now() - config.snapshots.keepDays * day);
  const emit = (event: RunEvent): void => {
    // An event is JSON by construction; this says so to the compiler in one place.
    const shown = egress.value(event as unknown as JsonObject).value as unknown as RunEvent;
    transcript.add(shown);
    task.onEvent?.(shown);
  };
  const signal = task.signal ?? new AbortController().signal;
  const work = new Work({
    config,
    ledger,
    world: judged,
    decider,
    captures,
    model,
    context,
    signal,
    emit,
    strategy: task.strategy,
    upstreams,
    toolbox: toolboxOf(task.strategy === 'tool_call' ? offered : []),
    steps: task.steps,
    waitMs: parts.waitMs ?? config.run.waitSeconds * 1000,
    tools: {
      decider,
      settings,
      world,
      home: config.home,
      receipts: () => ({
        snapshots,
        ledger,
        redact: (text) => egress.text(text),
        now: () => world.now(),
        models: [model.name],
        cost: { usd: 0, tokens_in: work.usage.inputTokens, tokens_out: work.usage.outputTokens },
      }),
      ...(parts.sandboxPrograms === undefined ? {} : { sandboxPrograms: parts.sandboxPrograms }),
    },
  });
  const began = performance.now();
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
  let end: Pick<RunOutcome, 'completed' | 'answer' | 'error'>;
  try {
    const bridging = { config, ledger, world: judged, decider, upstreams, captures, context };
    end = { completed: true, answer: await answerTo(task, work, bridging) };
  } catch (error) {
    end = { completed: false, ...failureOf(error, signal) };
  } finally {
    await captures.stop();
    await model.close();
  }
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
    },
  };
  emit({ type: 'end', outcome });
  transcript.close();
  return outcome;
}

/** The tools of the server that calls go to, where one is named; else of all that are there for the agent. */
async function toolsFor(upstreams: Upstreams, task: RunTask): Promise<readonly UpstreamTool[]> {
  const { strategy, mcpServer, context } = task;
  if (strategy === 'tool_call' && mcpServer !== undefined) return await upstreams.tools(mcpServer);
  const allowed = upstreams.serversFor(context.agent);
  return (await upstreams.tools()).filter(({ server }) => allowed.includes(server));
}

/** Asks the user's own programs, passes the task through layer 1, and lets the strategy work on it. */
async function answerTo(task: RunTask, work: Work, parts: BridgeOptions): Promise<string> {
  const { context } = parts;
  const { hooks } = parts.config;
  const { blocked } = await runHooks(hooks, 'session_start', {}, context);
  if (blocked !== null) throw new RunFailed(`Blocked: ${blocked.why}`);
  try {
    if (task.strategy === 'tool_call') {
      await work.take(task.task);
      return await toolCallStrategy(work);
    }
    return await onBridge(task, parts, async (server) => {
      work.server = server.server;
      await work.take(task.task);
      return await codemodeStrategy(work, server);
    });
  } finally {
    await runHooks(hooks, 'session_end', {}, context);
  }
}

/** Why a run came to no answer; the text of a foreign error may hold what nobody should see. */
function failureOf(error: unknown, signal: AbortSignal): Pick<RunOutcome, 'answer' | 'error'> {
  if (signal.aborted) return { answer: null, error: 'the run was stopped' };
  const answer = error instanceof RunFailed ? error.answer : null;
  return { answer, error: error instanceof SallyportError ? messageOf(error) : 'an error of ours' };
}
