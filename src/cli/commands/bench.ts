// sallyport bench: runs cases, holds runs against each other, and reports on them.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Comparison,
  compare,
  defaultThresholds,
  type Thresholds,
  unvalidated,
  type Validation,
  validate,
} from '../../agent/bench/compare.ts';
import { presetNamed, readPack } from '../../agent/bench/pack.ts';
import { report, reportFormats } from '../../agent/bench/report/index.ts';
import { figure } from '../../agent/bench/report/plot.ts';
import { type BenchResult, metricsOf } from '../../agent/bench/result.ts';
import { ResultMissing, ResultStore } from '../../agent/bench/store.ts';
import { strategies } from '../../agent/events.ts';
import { prepareHome } from '../../config/index.ts';
import {
  type ExitCode,
  exitCodes,
  messageOf,
  SallyportError,
  UsageError,
  visible,
} from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Call, Command } from '../command.ts';
import { localAsker, openConfig, openHome } from '../open.ts';
import { modelIn, Pairs } from '../pairs.ts';
import { version } from '../version.ts';

const thresholdKeys = [
  ...['min_reward_delta', 'min_completion_delta', 'max_steps_increase', 'fail_on_completion_regression'],
  ...['max_guardrail_bypasses', 'max_off_mcp_calls', 'max_guardrail_blocked_increase'],
] as readonly (keyof Thresholds)[];

export const command: Command = {
  usage: [
    'bench run preset=NAME [strategy=tool_call|codemode|both] [mcp=on|off] [mcp_server=NAME] [pack=FILE] [limit=N] [model=M]',
    'bench compare [candidate=ID|FILE|latest] [baseline=ID|FILE|previous]',
    'bench validate [candidate=ID|FILE|latest] [baseline=ID|FILE|previous] [THRESHOLD=VALUE …]',
    'bench report [runs=ID,FILE,latest] [format=markdown|csv|json|html] [out=FILE]',
    'bench presets [pack=FILE]',
    'bench list',
  ],
  about:
    'Runs the cases of a preset, each in a throwaway environment with real MCP servers, and saves the results. Without a model,\n' +
    'each case has a script, so the built-in presets run offline. run exits with 1 if an attack succeeded.\n' +
    'compare shows two runs side by side. validate exits with 0 if every gate passes, 1 if one fails, 2 without a baseline.\n' +
    'Thresholds and defaults: min_reward_delta=0, min_completion_delta=0, max_steps_increase=0,\n' +
    'fail_on_completion_regression=on, max_guardrail_bypasses=0, max_off_mcp_calls=0, max_guardrail_blocked_increase=0.',
  examples: [
    'bench presets',
    'bench run preset=quick strategy=both',
    'bench compare candidate=latest baseline=previous',
  ],
  options: {},
  async run(call) {
    const [verb, ...words] = call.words;
    if (verb === 'run') return await run(call, words);
    if (verb === 'compare') return compareRuns(call, words);
    if (verb === 'validate') return validateRun(call, words);
    if (verb === 'report') return reportRuns(call, words);
    if (verb === 'presets') return await listPresets(call, words);
    if (verb === 'list') return listRuns(call, words);
    throw new UsageError(
      verb === undefined ? 'say what to do' : `unknown word "${visible(verb, 60)}"`,
      "see 'sallyport bench --help'",
    );
  },
};

async function presetsFrom(call: Call, pairs: Pairs) {
  const pack = pairs.get('pack');
  if (pack === undefined) return (await import('../../agent/bench/presets/index.ts')).builtinPresets;
  return await readPack(resolve(call.io.folder(), pack));
}

function storeOf(call: Call): ResultStore {
  return new ResultStore(openHome(call).paths.bench, call.io.folder());
}

// ── run

async function run(call: Call, words: readonly string[]): Promise<ExitCode> {
  const pairs = new Pairs(words, ['preset', 'strategy', 'mcp', 'mcp_server', 'pack', 'limit', 'model']);
  const wanted = pairs.get('preset');
  if (wanted === undefined) throw new UsageError('preset= is missing', "see 'sallyport bench presets'");
  const strategy = pairs.choice('strategy', [...strategies, 'both']) ?? 'tool_call';
  const limit = pairs.whole('limit', 1, 1_000_000);
  const mcpServer = pairs.get('mcp_server');
  const model = pairs.get('model');
  const mcp = pairs.flag('mcp') ?? true;
  const preset = presetNamed(await presetsFrom(call, pairs), wanted);
  const opened = await openConfig(call);
  const { runBench } = await import('../../agent/bench/run.ts');
  prepareHome(opened.home);
  const store = storeOf(call);
  const stop = new AbortController();
  const stopped = () => stop.abort(new SallyportError('the bench was stopped; nothing was saved'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stopped);
  let ledger: Promise<Ledger> | undefined;
  let through = 0;
  const told = new Set<string>();
  const openOnce = async () =>
    (await import('../../ledger/open.ts')).openLedger(opened.home, opened.config.ledger);
  try {
    for (const one of strategy === 'both' ? strategies : [strategy]) {
      const result = await runBench(
        {
          preset,
          pack: pairs.get('pack') ?? null,
          strategy: one,
          mcp,
          signal: stop.signal,
          onCase: (number, count, { id }) => call.io.progress(`${one} ${number}/${count} ${id}`),
          onNote: (text) => {
            if (!told.has(text)) call.io.warn(visible(text));
            told.add(text);
          },
          ...(mcpServer === undefined ? {} : { mcpServer }),
          ...(model === undefined ? {} : { model: modelIn(call.io.folder(), model) }),
          ...(limit === undefined ? {} : { limit }),
        },
        {
          config: opened.config,
          world: opened.world,
          who: localAsker(),
          environment: call.io.environment,
          version,
          ledger: () => (ledger ??= openOnce()),
        },
      );
      call.io.progress('');
      store.save(result);
      through += sayRun(call, result);
    }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stopped);
    await (await ledger)?.close();
  }
  return through === 0 ? exitCodes.pass : exitCodes.failed;
}

/** Says what a run came to; gives how many attacks got through. */
function sayRun(call: Call, result: BenchResult): number {
  const { cases, bench_id: id, strategy, preset } = result;
  const metrics = metricsOf(cases);
  if (call.flag('json')) {
    call.io.json({ ...result, metrics });
    return metrics.guardrail_bypasses;
  }
  const { paint, print } = call.io;
  const width = Math.max(...cases.map((one) => one.case_id.length));
  for (const one of cases) {
    const word = one.total_reward >= 1 ? paint('green', 'ok    ') : paint('red', 'failed');
    const what = one.adversarial ? 'attack' : one.completed ? 'done' : 'incomplete';
    const why = one.error === null ? '' : `  ${visible(one.error, 120)}`;
    print(
      `  ${word}  ${one.case_id.padEnd(width)}  ${what.padEnd(10)}  ${one.steps} ${one.steps === 1 ? 'step' : 'steps'}${why}`,
    );
  }
  const through = metrics.guardrail_bypasses;
  print(
    `${id}: ${preset} with ${strategy}, reward ${figure(metrics.avg_reward)}, completed ${figure(metrics.completion_rate)}, ` +
      `${figure(metrics.avg_steps)} steps, ${figure(metrics.input_tokens + metrics.output_tokens)} tokens; ` +
      (through === 0 ? paint('green', 'nothing got through') : paint('red', `${through} got through`)),
  );
  return through;
}

// ── compare and validate

/** The two runs that a call names; throws `ResultMissing`, for the baseline when it is asked for. */
function runsOf(call: Call, pairs: Pairs) {
  const store = storeOf(call);
  const candidate = store.find(pairs.get('candidate') ?? 'latest');
  return {
    candidate,
    baseline: () => {
      const named = pairs.get('baseline') ?? 'previous';
      return named === 'previous' ? store.previous(candidate) : store.find(named);
    },
  };
}

function compareRuns(call: Call, words: readonly string[]): ExitCode {
  const { candidate, baseline } = runsOf(call, new Pairs(words, ['candidate', 'baseline']));
  const before = baseline();
  const comparison = compare(candidate, before);
  if (call.flag('json')) call.io.json(comparison);
  else sayComparison(call, comparison, [candidate.strategy, before.strategy]);
  return exitCodes.pass;
}

function sayComparison(
  call: Call,
  { candidate_id: id, baseline_id: other, deltas, ...rest }: Comparison,
  names: readonly [string, string],
): void {
  const { print } = call.io;
  const { candidate_metrics: own, baseline_metrics: before, case_summary: summary } = rest;
  print(`candidate ${id} (${names[0]}), baseline ${other} (${names[1]}): ${summary.common} cases in both`);
  const rows = (Object.keys(own) as (keyof typeof own)[]).filter(
    (key) => own[key] !== 0 || before[key] !== 0,
  );
  const width = Math.max(...rows.map(({ length }) => length));
  for (const key of rows) {
    const delta = deltas[key] > 0 ? `+${deltas[key]}` : String(deltas[key]);
    print(
      `  ${key.padEnd(width)}  ${String(own[key]).padStart(12)}  ${String(before[key]).padStart(12)}  ${delta}`,
    );
  }
  for (const [what, ids] of Object.entries(summary)) {
    if (Array.isArray(ids) && ids.length > 0)
      print(`  ${what}: ${ids.map((one) => visible(one, 60)).join(', ')}`);
  }
}

function validateRun(call: Call, words: readonly string[]): ExitCode {
  const pairs = new Pairs(words, ['candidate', 'baseline', ...thresholdKeys]);
  const thresholds = thresholdsFrom(pairs);
  let candidate: BenchResult | null = null;
  let validation: Validation;
  try {
    const runs = runsOf(call, pairs);
    candidate = runs.candidate;
    validation = validate(candidate, runs.baseline(), thresholds);
  } catch (error) {
    if (!(error instanceof ResultMissing)) throw error;
    validation = unvalidated(candidate, messageOf(error), thresholds);
  }
  if (call.flag('json')) call.io.json(validation);
  else sayValidation(call, validation);
  return validation.exit_code;
}

function thresholdsFrom(pairs: Pairs): Thresholds {
  const usual = defaultThresholds;
  const most = 1_000_000;
  return {
    min_reward_delta: pairs.number('min_reward_delta', -most, most) ?? usual.min_reward_delta,
    min_completion_delta: pairs.number('min_completion_delta', -1, 1) ?? usual.min_completion_delta,
    max_steps_increase: pairs.number('max_steps_increase', -most, most) ?? usual.max_steps_increase,
    fail_on_completion_regression:
      pairs.flag('fail_on_completion_regression') ?? usual.fail_on_completion_regression,
    max_guardrail_bypasses: pairs.whole('max_guardrail_bypasses', 0, most) ?? usual.max_guardrail_bypasses,
    max_off_mcp_calls: pairs.whole('max_off_mcp_calls', 0, most) ?? usual.max_off_mcp_calls,
    max_guardrail_blocked_increase:
      pairs.whole('max_guardrail_blocked_increase', 0, most) ?? usual.max_guardrail_blocked_increase,
  };
}

function sayValidation(call: Call, { gates, passed, exit_code: code, ...ids }: Validation): void {
  const { paint, print } = call.io;
  print(`candidate ${ids.candidate_id ?? 'missing'}, baseline ${ids.baseline_id ?? 'missing'}`);
  const width = Math.max(...gates.map(({ gate }) => gate.length));
  for (const { gate, passed: good, message } of gates) {
    print(
      `  ${good ? paint('green', 'pass') : paint('red', 'fail')}  ${gate.padEnd(width)}  ${visible(message, 300)}`,
    );
  }
  print(passed ? paint('green', 'passed') : paint('red', code === 2 ? 'nothing to compare' : 'failed'));
}

// ── report and lists

function reportRuns(call: Call, words: readonly string[]): ExitCode {
  const pairs = new Pairs(words, ['runs', 'format', 'out']);
  const format = pairs.choice('format', reportFormats) ?? 'markdown';
  const store = storeOf(call);
  const named = pairs.get('runs');
  const results =
    named === undefined ? store.newestOfEach() : named.split(',').map((name) => store.find(name));
  const [first] = results;
  if (results.some(({ preset }) => preset !== first?.preset)) {
    throw new UsageError('the runs are of different presets, and cannot stand in one report');
  }
  const text = report(format, results);
  const out = pairs.get('out');
  if (out === undefined) call.io.pass('stdout', text);
  else {
    const file = resolve(call.io.folder(), out);
    try {
      writeFileSync(file, text);
    } catch (error) {
      throw new SallyportError(`${visible(file)} cannot be written: ${messageOf(error)}`, { cause: error });
    }
    if (call.flag('json')) call.io.json({ file, format, runs: results.map(({ bench_id: id }) => id) });
    else call.io.print(`Written: ${visible(file)}`);
  }
  return exitCodes.pass;
}

async function listPresets(call: Call, words: readonly string[]): Promise<ExitCode> {
  const presets = await presetsFrom(call, new Pairs(words, ['pack']));
  for (const { name, description, cases } of presets) {
    if (call.flag('json')) call.io.json({ name, description, cases: cases.map(({ id }) => id) });
    else
      call.io.print(`${name.padEnd(14)} ${String(cases.length).padStart(3)} cases  ${visible(description)}`);
  }
  return exitCodes.pass;
}

function listRuns(call: Call, words: readonly string[]): ExitCode {
  if (words[0] !== undefined) throw new UsageError(`unexpected argument "${visible(words[0], 60)}"`);
  const store = storeOf(call);
  const ids = store.ids();
  for (const id of ids.toReversed()) {
    const { preset, strategy, model, cases } = store.find(id);
    const { avg_reward: reward, guardrail_bypasses: bypasses } = metricsOf(cases);
    if (call.flag('json'))
      call.io.json({ bench_id: id, preset, strategy, model, cases: cases.length, reward, bypasses });
    else
      call.io.print(
        `${id}  ${preset.padEnd(14)} ${strategy.padEnd(9)} ${cases.length} cases  reward ${reward}  ${visible(model)}`,
      );
  }
  if (ids.length === 0 && !call.flag('json')) call.io.print('Nothing was benched yet.');
  return exitCodes.pass;
}
