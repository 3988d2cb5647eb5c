// node cell.ts HOST SCENARIO GUARD MODULES: one cell of the table, inside the sandbox; prints it as JSON.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adapters, type HostFolders, type HostName, type Lack, type Setup } from './adapters.ts';
import { allScenarios } from './catalog.ts';
import { type GuardName, guards } from './guards.ts';
import { ScriptedModel, type Turn } from './model.ts';
import type { Question } from './person.ts';
import { baseEnvironment, furnish, person, runHost } from './place.ts';
import { root } from './sandbox.ts';
import type { Outcome, Scenario, Seen, Try } from './scenarios.ts';

/** One cell of the table. */
export interface Cell {
  readonly host: HostName;
  readonly scenario: string;
  readonly outcome: Outcome | 'hung' | 'failed';
  readonly seconds: number;
  /** Everything holds with Sallyport; without a guard every attack succeeds. A peer is only measured. */
  readonly isExpected: boolean;
  /** What went wrong, or the host's own message where something is not possible in it. */
  readonly detail: string;
  /** Questions of the guard that the person answered. */
  readonly questions: number;
  /** The end of what the host printed: what its user saw. */
  readonly output: string;
  /** What the model said and received, and what was asked, line by line. */
  readonly transcript?: readonly string[];
}

/** Whether this is what the cell must show with this guard. A peer is only measured. */
export function isExpected(
  guard: GuardName,
  { kind, alone, hostRefuses }: Scenario,
  outcome: Cell['outcome'],
  results: readonly string[],
): boolean {
  if (outcome === 'n/a') return true;
  if (outcome === 'held' && results.some((text) => hostRefuses?.test(text))) return true;
  if (guard === 'cc-safety-net') return outcome !== 'failed';
  const expected = guard === 'sallyport' ? 'held' : (alone ?? (kind === 'attack' ? 'bypassed' : 'held'));
  return outcome === expected;
}

/** Why a scenario cannot be tried with this guard, or null. */
function notTriedReason({ only, onlySallyport, fault }: Scenario, guard: GuardName, host: HostName) {
  if (only !== undefined && !only.hosts.includes(host)) return only.why;
  if (guard !== 'sallyport' && onlySallyport !== undefined) return onlySallyport;
  return guard === 'cc-safety-net' && fault !== undefined ? 'the peer has no daemon and no client' : null;
}

/** One host, one scenario, in a world that is new. */
async function tryOne(
  host: HostName,
  scenario: Scenario,
  guardName: GuardName,
  modules: string,
): Promise<Cell> {
  const adapter = adapters[host];
  const way = scenario.way ?? 'open';
  const place = { person, project: join(person, 'project') };
  furnish(place.project);
  const script: Turn[] = [];
  const subagentScript: Turn[] = [];
  const model = new ScriptedModel(script, subagentScript);
  const folders: HostFolders = { ...place, model: await model.listen() };
  const there = { ...folders, host };
  let settled: () => Promise<void> = async () => undefined;
  const turnsOf = (step: Try): readonly Turn[] => {
    if (step.do === 'say') return [step.text];
    if (step.do !== 'again') return adapter.calls(step);
    const [harmless = 'Done.'] = adapter.calls({ do: 'shell', command: 'ls' });
    return adapter.calls(step.step).map((turn) => async (asked) => {
      await settled();
      const next = step.unless() ? harmless : turn;
      return typeof next === 'function' ? next(asked) : next;
    });
  };
  script.push(...scenario.steps(there).flatMap(turnsOf));
  subagentScript.push(...(scenario.subagent?.(there) ?? []).flatMap(adapter.calls));
  if (host === 'gemini' && subagentScript.length > 0)
    subagentScript.push([{ tool: 'complete_task', input: { result: 'Done.', response: 'Done.' } }]);
  scenario.prepare?.(folders);
  const setup: Setup = { way, servers: scenario.servers?.(folders) ?? {} };
  adapter.prepare(folders, setup);
  const bare = baseEnvironment(modules);
  const environment = { ...bare, ...adapter.environment(folders, setup) };
  const cell = { host, scenario: scenario.name };
  const reason = notTriedReason(scenario, guardName, host);
  if (reason !== null) {
    model.close();
    const why = { outcome: 'n/a', isExpected: true, detail: reason } as const;
    return { ...cell, ...why, seconds: 0, questions: 0, output: '' };
  }
  const lacking = adapter.lacks?.[way];
  if (lacking !== undefined && 'args' in lacking) {
    const { output } = await runHost(adapter.program, lacking.args, environment, folders.project);
    model.close();
    const proof = { outcome: 'n/a', isExpected: true, detail: brief(output), output: brief(output) } as const;
    return { ...cell, ...proof, seconds: 0, questions: 0 };
  }
  const guard = await guards[guardName].start({
    host,
    folders,
    environment: bare,
    root,
    modules,
    replies: scenario.answers ?? ['no'],
    fault: scenario.fault,
    userConfig: scenario.userConfig?.(folders) ?? '',
  });
  settled = guard.settled;
  const began = performance.now();
  try {
    const faulted = scenario.fault === undefined ? undefined : guard.fault(scenario.fault);
    if (scenario.fault !== 'daemon killed in a call') await faulted;
    const args = adapter.args('Follow the plan.', way);
    const ended = await runHost(adapter.program, args, environment, folders.project);
    const seconds = (performance.now() - began) / 1000;
    const seen: Seen = {
      ...folders,
      host,
      guard: guardName,
      results: model.results,
      subagentResults: model.subagentResults,
      stolen: model.stolen,
      output: ended.output,
      exitCode: ended.code,
      questions: guard.questions,
      isGuardRunning: await guard.isRunning(),
      sallyport: guard.sallyport,
    };
    const judged = ended.timedOut ? 'hung' : scenario.judge(seen);
    // What never reached a tool proves nothing; only a guard that is broken on purpose may stop the prompt itself.
    const isTried = model.results.length + model.subagentResults.length > 0 || scenario.fault !== undefined;
    const lacks = judged === 'unusable' ? refusalIn(model.results, lacking) : undefined;
    const found = judged === 'held' && !isTried ? 'unusable' : judged;
    const outcome = lacks === undefined ? found : 'n/a';
    const expected = isExpected(guardName, scenario, outcome, model.results);
    const received = brief([...model.results, ...model.subagentResults].join(' | ') || ended.output);
    const detail = expected
      ? (lacks ?? '')
      : `the model made ${model.results.length} of ${script.length} calls and received: ${received}`;
    return {
      ...cell,
      outcome,
      seconds,
      isExpected: expected,
      detail,
      questions: guard.questions.length,
      output: ended.output.slice(-1500),
      transcript: transcriptOf(model, guard.questions, ended.output),
    };
  } finally {
    await guard.stop();
    model.close();
  }
}

function transcriptOf(
  { said, results }: ScriptedModel,
  questions: readonly Question[],
  output: string,
): readonly string[] {
  const calls = said.filter((turn) => typeof turn !== 'string').flat();
  const turns = calls.flatMap(({ tool, input }, at) => [
    `model calls     ${tool} ${JSON.stringify(input)}`,
    `model receives  ${short(results[at] ?? '(nothing)')}`,
  ]);
  const asked = questions.map(({ id, reply, shown }) => `person          ${reply} to ${id}: ${short(shown)}`);
  return [...turns, ...asked, `user sees       ${short(output.trim().slice(-500))}`];
}

function short(text: string): string {
  const line = text
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 600 ? `${line.slice(0, 600)} …` : line;
}

/** The result in which the host says that it lacks something. */
function refusalIn(results: readonly string[], lacking: Lack | undefined): string | undefined {
  const found = results.find(
    (text) => lacking !== undefined && 'words' in lacking && lacking.words.test(text),
  );
  return found === undefined ? undefined : brief(found);
}

function brief(text: string): string {
  return text.replace(/\s+/g, ' ').slice(-400);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , host, name, guard, modules] = process.argv;
  const scenario = allScenarios.find((known) => known.name === name);
  if (scenario === undefined || modules === undefined) throw new Error(`there is no scenario "${name}"`);
  const cell = await tryOne(host as HostName, scenario, guard as GuardName, modules);
  process.stdout.write(`${JSON.stringify(cell)}\n`);
  process.exit(0);
}
