// sallyport fixtures: the inputs that every agent under the contract is held to, run against ours or any other.

import { readFileSync } from 'node:fs';
import { type ExitCode, exitCodes, nearest, SallyportError, UsageError, visible } from '../../core/index.ts';
import { type Call, type Command, onlyWords, wholeNumber } from '../command.ts';
import { httpAgent, isAddress, stdioAgent } from '../fixtures/agents.ts';
import {
  contractFolder,
  type Fixture,
  fixtureSchema,
  nameOf,
  readFixtures,
  settingFile,
} from '../fixtures/fixture.ts';
import { type Agent, passed, type Result, runFixtures } from '../fixtures/run.ts';

/** No fixture has this name. */
export class UnknownFixture extends SallyportError {}

export const command: Command = {
  usage: [
    'fixtures list [--filter TEXT]',
    'fixtures show NAME',
    'fixtures setting | schema',
    'fixtures run [FILE|FOLDER…] [--agent URL|COMMAND [--mcp]] [--filter TEXT]',
  ],
  about:
    "Runs the fixtures of the agent contract, or your own, and shows where an agent's outcome differs. Without --agent they run\n" +
    "on Sallyport's own decision path. setting prints the tools that the fixtures use, schema their JSON Schema.",
  examples: [
    'fixtures list',
    'fixtures run --filter injection',
    'fixtures run --agent http://127.0.0.1:8000',
  ],
  options: {
    agent: { value: 'URL|COMMAND', help: 'address of an agent, or a command that reads and writes lines' },
    mcp: { help: 'the agent is an MCP server with the tool run_fixture' },
    filter: { value: 'TEXT', help: 'only fixtures whose layer, name or clause contains this' },
    user: { value: 'NAME', help: "the agent's user; default: the fixture's" },
    tenant: { value: 'NAME', help: "the agent's tenant; default: the fixture's" },
    timeout: { value: 'SECONDS', help: 'time limit of an answer; default: 30' },
    'token-file': { value: 'FILE', help: 'file with a token for the address' },
  },
  async run(call) {
    const [verb, ...rest] = call.words;
    if (verb === 'run') return await run(call, rest);
    if (verb === 'show') return show(call);
    if (verb === 'setting' || verb === 'schema') return print(call, verb);
    if (verb !== 'list' && verb !== undefined) {
      throw new UsageError(`unknown word "${verb}"`, "see 'sallyport fixtures --help'");
    }
    return list(call);
  },
};

function list(call: Call): ExitCode {
  if (call.words.length > 1) throw new UsageError(`unexpected argument "${call.words[1]}"`);
  for (const fixture of filtered(call, readFixtures([contractFolder()]))) {
    const { rule, expect } = fixture;
    if (call.flag('json')) call.io.json({ fixture: nameOf(fixture), rule, expect });
    else call.io.print(`${nameOf(fixture)}  ${rule}  ${expect.decision}`);
  }
  return exitCodes.pass;
}

/** One fixture as its file says it. */
function show(call: Call): ExitCode {
  const [, wanted] = onlyWords(call, ['show', 'NAME']);
  const fixtures = readFixtures([contractFolder()]);
  const found = fixtures.find((one) => one.name === wanted || nameOf(one) === wanted);
  if (found === undefined) {
    const names = fixtures.map(({ name }) => name);
    const near = nearest(wanted, names);
    throw new UnknownFixture(
      `there is no fixture "${visible(wanted, 60)}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    );
  }
  const source = readFileSync(`${contractFolder()}${nameOf(found)}.json`, 'utf8');
  if (call.flag('json')) call.io.json(JSON.parse(source));
  else call.io.print(source.trimEnd());
  return exitCodes.pass;
}

function print(call: Call, what: 'setting' | 'schema'): ExitCode {
  onlyWords(call, [what]);
  if (what === 'schema') call.io.print(JSON.stringify(fixtureSchema, null, call.flag('json') ? 0 : 2));
  else if (call.flag('json')) call.io.json({ setting: readFileSync(settingFile(), 'utf8') });
  else call.io.print(readFileSync(settingFile(), 'utf8').trimEnd());
  return exitCodes.pass;
}

function filtered(call: Call, fixtures: readonly Fixture[]): readonly Fixture[] {
  const wanted = call.value('filter');
  if (wanted === undefined) return fixtures;
  const some = fixtures.filter((one) => nameOf(one).includes(wanted) || one.rule.includes(wanted));
  if (some.length === 0)
    throw new UsageError(`no fixture has "${visible(wanted, 60)}" in its name or clause`);
  return some;
}

async function run(call: Call, places: readonly string[]): Promise<ExitCode> {
  const user = call.value('user');
  const tenant = call.value('tenant');
  const caller = { ...(user === undefined ? {} : { user }), ...(tenant === undefined ? {} : { tenant }) };
  const fixtures = filtered(call, readFixtures(places.length === 0 ? [contractFolder()] : places, caller));
  if (fixtures.length === 0) throw new UsageError('there is no fixture in what was named');
  const agent = await agentOf(call);
  let stopped = false;
  // A signal must not leave an agent behind that was started here.
  const stop = () => {
    stopped = true;
    void agent.close().finally(() => process.exit(exitCodes.failed));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  let failed = 0;
  try {
    for await (const result of runFixtures(fixtures, agent)) {
      if (stopped) break;
      if (!passed(result)) failed++;
      report(call, result);
    }
  } finally {
    await agent.close();
  }
  if (stopped) return exitCodes.failed;
  if (call.flag('json')) call.io.json({ fixtures: fixtures.length, failed });
  else call.io.print(`${fixtures.length} fixtures, ${failed} failed`);
  return failed === 0 ? exitCodes.pass : exitCodes.failed;
}

async function agentOf(call: Call): Promise<Agent> {
  const agent = call.value('agent');
  const tokenFile = call.value('token-file');
  const timeoutMs = (wholeNumber(call, 'timeout', 1, 3600) ?? 30) * 1000;
  if (agent === undefined) {
    for (const option of ['mcp', 'token-file', 'timeout']) {
      if (call.flag(option) || call.value(option) !== undefined)
        throw new UsageError(`--${option} goes with --agent`);
    }
    // Loaded without an agent alone: a driver of another needs no ledger.
    return await (await import('../fixtures/own.ts')).ownPath();
  }
  if (agent.trim() === '') throw new UsageError('--agent is an address or a command');
  if (isAddress(agent) && !URL.canParse(agent))
    throw new UsageError('--agent is no address that can be read');
  const options = { timeoutMs, ...(tokenFile === undefined ? {} : { token: tokenIn(tokenFile) }) };
  if (call.flag('mcp')) return (await import('../fixtures/mcp.ts')).mcpAgent(agent, options);
  return isAddress(agent) ? httpAgent(agent, options) : stdioAgent(agent, options);
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new UsageError(`the file ${visible(file, 200)} cannot be read`);
  }
}

function report(call: Call, result: Result): void {
  const { fixture, outcome, differences, problem } = result;
  const { io } = call;
  if (call.flag('json')) {
    io.json({
      fixture: nameOf(fixture),
      rule: fixture.rule,
      passed: passed(result),
      expected: fixture.expect,
      got: outcome,
      differences,
      ...(problem === null ? {} : { problem }),
    });
    return;
  }
  const word = passed(result) ? io.paint('green', 'ok  ') : io.paint('red', 'FAIL');
  io.print(`${word} ${nameOf(fixture)} (${fixture.rule})`);
  if (problem !== null) io.print(`     ${visible(problem, 400)}`);
  for (const { of, expected, got } of differences) {
    io.print(`     ${of}: expected ${shown(expected)}, got ${got === null ? 'nothing' : shown(got)}`);
  }
}

function shown(value: unknown): string {
  return visible(JSON.stringify(value), 400);
}
