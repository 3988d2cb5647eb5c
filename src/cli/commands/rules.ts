// sallyport rules: every rule there is, with its reason and its examples, and a run of all examples.

import type { OwnRule } from '../../config/index.ts';
import {
  type ExitCode,
  exitCodes,
  isSoftenable,
  nearest,
  type Rule,
  SallyportError,
  UsageError,
  visible,
} from '../../core/index.ts';
import { pathRules, runExamples } from '../../decide/index.ts';
import { loadGuards } from '../../guards/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { openConfig } from '../open.ts';
import { decisionWord } from '../show.ts';

/** No permission may cover what this rule finds. */
class NotSoftenable extends SallyportError {}

/** No rule has this id. */
export class UnknownRule extends SallyportError {}

export const command: Command = {
  usage: ['rules list [--guard NAME]', 'rules show ID', 'rules test [--guard NAME]'],
  about:
    'Lists the rules, shows one with all its examples, or runs the examples: built-in ones and your own.',
  examples: ['rules list', 'rules show mass_deletion', 'rules test'],
  options: {
    guard: { value: 'NAME', help: 'only the rules of this guard' },
    agent: { value: 'NAME', help: 'the agent whose rules are meant; default: default' },
  },
  async run(call) {
    const [verb] = call.words;
    const { rules, own } = await allRules(call);
    if (verb === 'list' || verb === undefined) return list(call, rules);
    if (verb === 'show') return show(call, rules);
    if (verb === 'test') return await test(call, rules, own);
    throw new UsageError(`unknown word "${verb}"`, "see 'sallyport rules --help'");
  },
};

/** The built-in rules, and the user's own for the current folder. Loading them has checked the user's examples. */
async function allRules(
  call: Call,
): Promise<{ readonly rules: readonly Rule[]; readonly own: readonly OwnRule[] }> {
  const { config, world } = await openConfig(call);
  const folder = call.io.folder();
  const workspace = world.realPath(folder) ?? folder;
  const agent = call.value('agent') ?? 'default';
  const { fetch, command: commands } = await config.settingsFor({ agent, workspace });
  const destinations = fetch.rules.map(
    (rule): Rule => ({ ...rule, guard: 'fetch', examples: { hit: [], miss: [] } }),
  );
  const own = commands.rules;
  const rules = [
    ...(await loadGuards()).flatMap((guard) => guard.rules),
    ...(own.length === 0 ? [] : own.map((await import('../../guards/command/rules/user.ts')).ruleOf)),
    ...destinations,
    ...Object.values(pathRules),
  ];
  const wanted = call.value('guard');
  const known = [...new Set(rules.map((rule) => rule.guard))];
  if (wanted !== undefined && !known.some((guard) => guard === wanted)) {
    throw new UsageError(`there is no guard "${wanted}"; there are ${known.join(', ')}`);
  }
  return { rules: wanted === undefined ? rules : rules.filter((rule) => rule.guard === wanted), own };
}

function list(call: Call, rules: readonly Rule[]): ExitCode {
  if (call.words.length > 1) throw new UsageError(`unexpected argument "${call.words[1]}"`);
  for (const { id, guard, decision, reason, contract, layer, scope, agent } of rules) {
    if (call.flag('json')) call.io.json({ id, guard, decision, reason, contract, layer, scope, agent });
    else call.io.print(`${guard}/${id}  ${decisionWord(call.io, decision)}  ${reason}`);
  }
  return exitCodes.pass;
}

function show(call: Call, rules: readonly Rule[]): ExitCode {
  const [, id] = onlyWords(call, ['show', 'ID']);
  const rule = ruleNamed(id, rules);
  if (call.flag('json')) {
    call.io.json(rule);
    return exitCodes.pass;
  }
  const { guard, decision, reason, suggestion, contract, examples, layer, scope = 'all', agent } = rule;
  call.io.print(
    `${guard}/${id}  ${decisionWord(call.io, decision)}${contract === undefined ? '' : `  ${contract}`}`,
  );
  if (layer !== undefined) {
    call.io.print(
      `  layer ${layer}, scope ${scope}${agent === undefined ? '' : `, agent ${visible(agent)}`}`,
    );
  }
  call.io.print(`  ${reason}`);
  if (suggestion !== undefined) call.io.print(`  instead: ${suggestion}`);
  for (const expected of ['hit', 'miss'] as const) {
    for (const { action, given } of examples[expected]) {
      const setting = given === undefined ? '' : `  given ${JSON.stringify(given)}`;
      call.io.print(`  ${expected.padEnd(4)}  ${JSON.stringify(action)}${setting}`);
    }
  }
  return exitCodes.pass;
}

/** The rule with an id; throws where there is none. */
function ruleNamed(id: string, rules: readonly Rule[]): Rule {
  const rule = rules.find((candidate) => candidate.id === id);
  if (rule !== undefined) return rule;
  const near = nearest(
    id,
    rules.map((candidate) => candidate.id),
  );
  throw new UnknownRule(`there is no rule "${id}"${near === undefined ? '' : `; did you mean "${near}"?`}`);
}

/** A rule whose questions a permission may answer; throws where there is none, or where it is asked about every time. */
export async function softenableRule(call: Call, id: string): Promise<Rule> {
  const rule = ruleNamed(id, (await allRules(call)).rules);
  const { contract, decision } = rule;
  if (decision === 'block') throw new NotSoftenable(`${id} blocks, and no permission lifts a block`);
  const clause = contract === undefined ? '' : ` (${contract} of the agent contract)`;
  if (!isSoftenable({ ...rule, decision: 'approve' }))
    throw new NotSoftenable(`${id} asks every time${clause}, and no permission covers it`);
  return rule;
}

async function test(call: Call, rules: readonly Rule[], own: readonly OwnRule[]): Promise<ExitCode> {
  onlyWords(call, ['test']);
  const failures = await runExamples(rules, undefined, own);
  const examples = rules.reduce((sum, { examples: { hit, miss } }) => sum + hit.length + miss.length, 0);
  if (call.flag('json')) call.io.json({ rules: rules.length, examples, failures });
  else {
    for (const { rule, expected, example } of failures) {
      call.io.print(`${rule}: should ${expected}: ${JSON.stringify(example)}`);
    }
    call.io.print(`${rules.length} rules, ${examples} examples, ${failures.length} failed`);
  }
  return failures.length === 0 ? exitCodes.pass : exitCodes.failed;
}
