// Runs the cases of a preset one after the other, each in a world of its own, and sums up what came of them.

import { createHash } from 'node:crypto';
import { type Config, type Environment, loadConfig } from '../../config/index.ts';
import {
  type Context,
  canonicalJson,
  InputError,
  type JsonValue,
  visible,
  type World,
} from '../../core/index.ts';
import { createDecider } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { openLedger } from '../../ledger/open.ts';
import { openUpstreams } from '../../run/mcp/index.ts';
import type { Strategy } from '../events.ts';
import type { Model, Turn, TurnRequest } from '../model.ts';
import { type RunParts, runTask } from '../run.ts';
import { scriptedModel } from '../scripted.ts';
import { type BenchCase, isAttack, type Preset } from './case.ts';
import { judge } from './judge.ts';
import type { BenchResult, CaseResult } from './result.ts';
import { newBenchId } from './store.ts';
import { type CaseWorld, makeWorld } from './world.ts';

export interface BenchOptions {
  readonly preset: Preset;
  /** The file that the preset is from; null for one that is built in. */
  readonly pack: string | null;
  readonly strategy: Strategy;
  readonly mcp: boolean;
  readonly mcpServer?: string;
  /** The model of every case; without one, each case has a script of its own. */
  readonly model?: string;
  /** Only so many cases, from the first. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** Told before each case. */
  readonly onCase?: (number: number, count: number, one: BenchCase) => void;
  /** Told what a person should know of a run. */
  readonly onNote?: (text: string) => void;
}

export interface BenchParts {
  /** The configuration of who asks: where models are, and the servers of cases that have none of their own. */
  readonly config: Config;
  /** The ledger of who asks; opened where a case uses their servers. */
  readonly ledger: () => Promise<Ledger>;
  readonly world: World;
  readonly who: Pick<Context, 'user' | 'tenant'>;
  readonly environment: Environment;
  readonly version: string;
}

const usualSteps = 20;

/** Runs the preset; throws where a case cannot even begin. */
export async function runBench(options: BenchOptions, parts: BenchParts): Promise<BenchResult> {
  const { preset, pack, strategy, mcp, mcpServer = null, model, signal } = options;
  const cases = preset.cases.slice(0, options.limit ?? preset.cases.length);
  if (model === undefined) {
    const mute = cases.find(({ script }) => script?.[strategy] === undefined);
    if (mute !== undefined) {
      throw new InputError(`the case "${visible(mute.id, 60)}" has no script for ${strategy}`, {
        hint: 'name a model: model=PROVIDER/MODEL',
      });
    }
  }
  const began = parts.world.now();
  const results: CaseResult[] = [];
  for (const [index, one] of cases.entries()) {
    signal?.throwIfAborted();
    options.onCase?.(index + 1, cases.length, one);
    results.push(await runCase(one, options, parts));
  }
  return {
    version: 1,
    bench_id: newBenchId(began),
    created_at: new Date(began).toISOString(),
    preset: preset.name,
    description: preset.description,
    pack,
    strategy,
    mcp_enabled: mcp,
    mcp_server: mcpServer,
    model: model ?? 'script',
    cases: results,
  };
}

async function runCase(described: BenchCase, options: BenchOptions, parts: BenchParts): Promise<CaseResult> {
  const world = await makeWorld(described);
  try {
    return await runInWorld(world, described, options, parts);
  } finally {
    await world.close();
  }
}

async function runInWorld(
  place: CaseWorld,
  described: BenchCase,
  { strategy, mcp, mcpServer, model, signal, onNote }: BenchOptions,
  parts: BenchParts,
): Promise<CaseResult> {
  const { case: one, workspace, folder } = place;
  const { run, close } = await runParts(place, parts);
  const script = one.script?.[strategy];
  try {
    const outcome = await runTask(
      {
        task: one.task,
        strategy,
        mcp,
        ...(mcpServer === undefined ? {} : { mcpServer }),
        steps: one.steps ?? usualSteps,
        model: model ?? 'script',
        workspace,
        context: { ...parts.who, agent: 'bench', session: 'bench', workspace, mode: one.mode ?? 'auto' },
        onEvent: (event) => {
          if (event.type === 'note') onNote?.(event.text);
        },
        ...(signal === undefined ? {} : { signal }),
      },
      model === undefined ? { ...run, openModel: async () => counted(scriptedModel(script ?? [])) } : run,
    );
    signal?.throwIfAborted();
    const { completed, answer, error = null, steps, usage, durationSeconds, telemetry } = outcome;
    const { reward, bypasses, checks } = judge(one, strategy, { completed, answer, error }, folder);
    return {
      case_id: one.id,
      case_digest: createHash('sha256')
        .update(canonicalJson(described as unknown as JsonValue))
        .digest('hex'),
      task: described.task,
      adversarial: isAttack(one),
      completed,
      steps,
      total_reward: reward,
      usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
      duration_seconds: durationSeconds,
      answer,
      error,
      checks,
      ...telemetry,
      // INVARIANT: what is seen in the world counts, even where the run itself knows of nothing.
      guardrail_bypasses: Math.max(bypasses, telemetry.guardrail_bypasses),
    };
  } finally {
    await close();
  }
}

/**
 * What a case runs on. One with a world of its own has that world's configuration and records, so that its figures
 * depend on nothing else; of the caller's it has the models only. Any other runs as a task of the caller's would.
 */
async function runParts(
  { home, case: { servers } }: CaseWorld,
  { config, ledger, world, who: owner, environment, version }: BenchParts,
): Promise<{ readonly run: RunParts; readonly close: () => Promise<void> }> {
  const own = servers === undefined ? null : await loadConfig({ home, environment: {}, world });
  const records = own === null ? await ledger() : await openLedger(home, own.ledger);
  const used = own === null ? config : { ...own, providers: config.providers };
  const decider = createDecider({ config: used, ledger: records, world });
  const upstreams = openUpstreams({
    servers: used.servers,
    decider,
    ledger: records,
    world,
    owner,
    environment,
    version,
  });
  // Started before the clock is, for both strategies alike; what cannot be reached shows in the run.
  await upstreams.tools();
  return {
    // There is no approver, and the definitions of our own servers need none.
    run: { config: used, decider, ledger: records, world, upstreams, ownServers: servers ?? [], waitMs: 0 },
    close: async () => {
      await upstreams.close();
      if (own !== null) await records.close();
    },
  };
}

/** A scripted model whose tokens are counted as a quarter of the characters, where its script does not say. */
function counted(model: Model): Model {
  return {
    ...model,
    async turn(request) {
      const turn = await model.turn(request);
      const { inputTokens, outputTokens } = turn.usage;
      if (inputTokens + outputTokens > 0) return turn;
      return { ...turn, usage: { inputTokens: tokens(heard(request)), outputTokens: tokens(said(turn)) } };
    },
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function heard({ system, messages, tools }: TurnRequest): string {
  const words = messages.map((message) => {
    if (message.role === 'user') return message.text;
    if (message.role === 'assistant') return said(message.turn);
    return message.results.map(({ output }) => output).join('');
  });
  return [system, JSON.stringify(tools), ...words].join('');
}

function said({ text, reasoning, calls }: Turn): string {
  return text + reasoning + calls.map((call) => call.tool + JSON.stringify(call.arguments)).join('');
}
