// Tests of policies: actions with the decision that each is expected to get, judged as they would be and not run.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/index.ts';
import { loadTomlParser } from '../config/toml.ts';
import {
  type Decision,
  type ExitCode,
  exitCodes,
  InputError,
  type JsonObject,
  messageOf,
  modes,
  SallyportError,
  UsageError,
  type Verdict,
  visible,
  type World,
} from '../core/index.ts';
import { choice, type Infer, json, list, object, optional, readShape, record, text } from '../core/shape.ts';
import { createDryDecider, readRequest } from '../decide/index.ts';
import { languages } from '../guards/query/languages.ts';
import type { Call } from './command.ts';
import { localAsker } from './open.ts';
import { decisionWord } from './show.ts';

const name = text({ min: 1, max: 256 });
const testShape = object({
  name: optional(text({ min: 1, max: 200 })),
  source: optional(name),
  query: optional(text({ min: 1 })),
  variables: optional(record(json())),
  action: optional(record(json())),
  user: optional(name),
  tenant: optional(name),
  agent: optional(name),
  mode: optional(choice(modes)),
  expect: choice(['pass', 'approve', 'block']),
  rules: optional(list(name, { max: 100 })),
});
const fileShape = object({ test: list(testShape, { max: 10_000 }) });

type PolicyTest = Infer<typeof testShape>;

/** What became of one test. */
interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly expected: PolicyTest['expect'];
  readonly decision: Decision;
  readonly rules: readonly string[];
  /** Rules that were expected and did not hit. */
  readonly missing: readonly string[];
}

/** Runs the tests of a file; fails if one of them does, or if there is none. */
export async function testPolicies(
  call: Call,
  file: string,
  { config, world }: { readonly config: Config; readonly world: World },
): Promise<ExitCode> {
  const tests = await readTests(resolve(call.io.folder(), file), visible(file));
  const folder = call.value('workspace') ?? call.io.folder();
  const decider = createDryDecider({ config, world });
  const outcomes: Outcome[] = [];
  for (const [at, test] of tests.entries()) {
    const { user = localAsker().user, tenant = 'local' } = test;
    const asker = { user, tenant, agent: null };
    try {
      const value = await actionOf(test, config, world.realPath(resolve(folder)) ?? folder);
      const { action, context } = await readRequest(value, { asker, folder, config, world });
      outcomes.push(outcomeOf(test, at, (await decider.decide(action, context)).verdict));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new SallyportError(`${titleOf(test, at)}: ${messageOf(error)}`, { cause: error });
    }
  }
  show(call, outcomes);
  return outcomes.every(({ ok }) => ok) ? exitCodes.pass : exitCodes.failed;
}

async function readTests(path: string, shown: string): Promise<readonly PolicyTest[]> {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${shown}: ${messageOf(error)}`, 'name a file of tests');
  }
  const parse = await loadTomlParser();
  let tests: readonly PolicyTest[];
  try {
    ({ test: tests } = readShape(fileShape, parse(content)));
  } catch (error) {
    throw new SallyportError(`${shown}: ${messageOf(error)}`, { cause: error });
  }
  // INVARIANT: a file that tests nothing does not pass.
  if (tests.length === 0) throw new SallyportError(`${shown}: there is no test in it`);
  return tests;
}

/** The action of a test as it would come over the wire. */
async function actionOf(test: PolicyTest, config: Config, workspace: string): Promise<JsonObject> {
  const { source: target, query, variables, action, agent, mode } = test;
  const context = { ...(agent === undefined ? {} : { agent }), ...(mode === undefined ? {} : { mode }) };
  if (action !== undefined) {
    const other = target ?? query ?? variables;
    if (other !== undefined) throw new InputError('it has an action, or a source and a query');
    return { ...action, context };
  }
  if (target === undefined || query === undefined)
    throw new InputError('it has an action, or a source and a query');
  const { sources } = await config.settingsFor({ agent: agent ?? 'default', workspace });
  const source = sources.find((one) => one.name === target);
  if (source === undefined) throw new InputError(`there is no source "${target}"`);
  return {
    kind: 'query',
    target,
    language: languages[source.kind],
    text: query,
    ...(variables === undefined ? {} : { variables }),
    context,
  };
}

function titleOf({ name: said, query }: PolicyTest, at: number): string {
  return visible(
    said ?? `test ${at + 1}${query === undefined ? '' : `: ${query.trim().replace(/\s+/g, ' ')}`}`,
    100,
  );
}

function outcomeOf(test: PolicyTest, at: number, { decision, findings }: Verdict): Outcome {
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const missing = (test.rules ?? []).filter((rule) => !rules.includes(rule));
  // What is redacted goes.
  const came = decision === 'redact' ? 'pass' : decision;
  const ok = came === test.expect && missing.length === 0;
  return { name: titleOf(test, at), ok, expected: test.expect, decision, rules, missing };
}

function show({ io, flag }: Call, outcomes: readonly Outcome[]): void {
  const failed = outcomes.filter(({ ok }) => !ok).length;
  if (flag('json')) {
    io.json({ ok: failed === 0, tests: outcomes.length, failed, outcomes });
    return;
  }
  for (const { name: title, ok, expected, decision, rules, missing } of outcomes) {
    io.print(`${io.paint(ok ? 'green' : 'red', ok ? 'ok    ' : 'FAILED')} ${title}`);
    if (ok) continue;
    const found = rules.length === 0 ? '' : ` by ${visible(rules.join(', '))}`;
    io.print(`  expected ${decisionWord(io, expected)}, got ${decisionWord(io, decision)}${found}`);
    if (missing.length > 0) io.print(`  these did not hit: ${visible(missing.join(', '))}`);
  }
  io.print(failed === 0 ? `All ${outcomes.length} pass.` : `${failed} of ${outcomes.length} fail.`);
}
