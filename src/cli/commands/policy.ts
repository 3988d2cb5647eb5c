// sallyport policy: checks, formats and tests policies, shows which of them decide about an action, prints the schema.

import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  diskWorld,
  type PolicySource,
  readPolicyFile,
  type Where,
  withPolicies,
} from '../../config/index.ts';
import {
  type ExitCode,
  exitCodes,
  type Finding,
  parseJson,
  SallyportError,
  UsageError,
  type Verdict,
  visible,
} from '../../core/index.ts';
import { createDryDecider, pathRules, readRequest } from '../../decide/index.ts';
import { type Asked, cedarPolicy, type Policy } from '../../policy/index.ts';
import { schemaText } from '../../policy/schema.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { readLines } from '../lines.ts';
import { localAsker, type Opened, openConfig, sourceProblems } from '../open.ts';
import { decisionWord, exitCodeOf } from '../show.ts';

export const command: Command = {
  usage: [
    'policy check [FILE…]',
    'policy format [--write] FILE…',
    'policy explain \'{"kind":…}\'',
    'policy explain --jsonl',
    'policy test FILE',
    'policy list',
    'policy schema',
  ],
  about:
    'check validates policies: the files given, or those in force here. format prints files in the standard layout, or writes it\n' +
    'with --write. explain shows which policies apply to an action and which decide. test judges the actions of a file and\n' +
    'fails on an unexpected decision. list shows the policies in the ledger, schema the vocabulary.',
  examples: [
    'policy check',
    `policy explain '{"kind":"shell","command":"npm publish"}'`,
    'policy test policy-tests.json',
  ],
  options: {
    write: { help: 'format: write the files' },
    jsonl: { help: 'explain one action per line of standard input' },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
    agent: { value: 'NAME', help: 'check for this agent' },
  },
  async run(call) {
    const [verb] = call.words;
    if (verb === 'check') return await check(call);
    if (verb === 'format') return await format(call);
    if (verb === 'explain') return await explain(call);
    if (verb === 'test') {
      const [, file] = onlyWords(call, ['test', 'the file']);
      const { testPolicies } = await import('../policy-test.ts');
      return await testPolicies(call, file, await openWithStoredPolicies(call));
    }
    if (verb === 'list') return await showStored(call);
    if (verb === 'schema') {
      onlyWords(call, ['schema']);
      if (call.flag('json')) call.io.json({ schema: schemaText });
      else call.io.print(schemaText.trimEnd());
      return exitCodes.pass;
    }
    throw new UsageError(
      verb === undefined ? 'say check, format, explain, test, list or schema' : `unknown word "${verb}"`,
      "see 'sallyport policy --help'",
    );
  },
};

async function check(call: Call): Promise<ExitCode> {
  const { checkPolicies } = await import('../../policy/check.ts');
  const [, ...files] = call.words;
  const { sources, fallback } = files.length > 0 ? named(call, files) : await inForce(call);
  const checked = await checkPolicies(sources, fallback);
  const problems = files.length > 0 ? [] : await inSources(call);
  const report = { ...checked, ok: checked.ok && problems.length === 0, sourceProblems: problems };
  if (call.flag('json')) {
    call.io.json(report);
    return report.ok ? exitCodes.pass : exitCodes.failed;
  }
  for (const { file, policies, problems, notes } of report.files) {
    call.io.print(`${file}: ${policies === 1 ? '1 policy' : `${policies} policies`}`);
    for (const { line, column, message } of problems) {
      call.io.print(`  ${call.io.paint('red', 'wrong')} ${line}:${column}: ${message}`);
    }
    for (const { line, column, message } of notes) {
      call.io.print(`  ${call.io.paint('yellow', 'idle')} ${line}:${column}: ${message}`);
    }
  }
  for (const problem of problems) call.io.print(`${call.io.paint('red', 'wrong')}: ${problem}`);
  for (const clash of report.clashes) call.io.print(`${call.io.paint('red', 'wrong')}: ${clash}`);
  call.io.print(
    report.ok
      ? call.io.paint('green', 'The policies are in order.')
      : checked.ok
        ? 'The policies are in order; the lists of the sources are not.'
        : 'They cannot be used as they are.',
  );
  return report.ok ? exitCodes.pass : exitCodes.failed;
}

interface Checked {
  readonly sources: readonly PolicySource[];
  readonly fallback: 'permit' | 'deny' | null;
}

/** The files that were named; what they are to be used with is not known. */
function named(call: Call, files: readonly string[]): Checked {
  const sources = files.map((file) =>
    readPolicyFile(diskWorld, resolve(call.io.folder(), file), visible(file), false),
  );
  return { sources, fallback: null };
}

/** The files that count for an agent in the workspace. */
async function inForce(call: Call): Promise<Checked> {
  const opened = await openWithStoredPolicies(call);
  return (await opened.config.settingsFor(whereOf(call, opened))).policy;
}

function whereOf(call: Call, { world }: Opened): Where {
  const folder = resolve(call.io.folder(), call.value('workspace') ?? '.');
  return { agent: call.value('agent') ?? 'default', workspace: world.realPath(folder) ?? folder };
}

/** What is wrong with the sources that policies are about. */
async function inSources(call: Call): Promise<readonly string[]> {
  const opened = await openConfig(call);
  return await sourceProblems(opened, whereOf(call, opened));
}

/** The configuration with the policies that are kept in the store, where there is one. */
async function openWithStoredPolicies(call: Call): Promise<Opened> {
  const opened = await openConfig(call);
  const { config, paths } = opened;
  if (config.ledger.postgres === null && !existsSync(paths.ledger)) return opened;
  const kept = await withLedger(call, ({ policies }) => policies.sources());
  const settingsFor = async (where: Where) => withPolicies(await config.settingsFor(where), kept);
  return { ...opened, config: { ...config, settingsFor } };
}

async function format(call: Call): Promise<ExitCode> {
  const [, ...files] = call.words;
  if (files.length === 0) throw new UsageError('the file is missing', 'name files of policies');
  const { formatPolicies } = await import('../../policy/check.ts');
  let wrong = 0;
  for (const file of files) {
    const path = resolve(call.io.folder(), file);
    const { name, text } = readPolicyFile(diskWorld, path, visible(file), false);
    const made = await formatPolicies({ name, text, workspace: false });
    const same = made === text;
    if (!same) wrong++;
    if (call.flag('write') && !same) writeFileSync(path, made);
    if (call.flag('json'))
      call.io.json({ file: name, formatted: same, ...(call.flag('write') ? {} : { text: made }) });
    else if (!call.flag('write')) call.io.print(made.trimEnd());
    else call.io.print(`${name}: ${same ? 'as it should be' : 'formatted'}`);
  }
  return wrong === 0 || call.flag('write') ? exitCodes.pass : exitCodes.failed;
}

async function showStored(call: Call): Promise<ExitCode> {
  onlyWords(call, ['list']);
  const { config } = await openConfig(call);
  const kept =
    config.policyStore === null
      ? await withLedger(call, ({ policies }) => policies.list())
      : await (await import('../../policy/avp.ts')).avpFor(config.policyStore).list();
  if (call.flag('json')) call.io.json({ engine: config.policyStore === null ? 'cedar' : 'avp', ...kept });
  for (const { id, version, updatedBy, text } of call.flag('json') ? [] : kept.policies) {
    const by = updatedBy === null ? '' : `, by ${visible(updatedBy)}`;
    call.io.print(`${visible(id)}  version ${visible(version)}${by}`);
    call.io.print(text.replace(/[^\n]+/g, (line) => `  ${visible(line)}`));
  }
  if (!kept.signed) {
    call.io.warn('Their signature is invalid: every action is refused until you save one of them again.');
    return exitCodes.failed;
  }
  if (kept.policies.length === 0 && !call.flag('json')) call.io.print('The ledger has no policies.');
  return exitCodes.pass;
}

/** An action with what the policies made of it. */
interface Explained {
  readonly id?: string | number;
  readonly verdict: Verdict;
  readonly asked: readonly Asked[];
}

async function explain(call: Call): Promise<ExitCode> {
  const { config, world } = await openWithStoredPolicies(call);
  const folder = call.value('workspace') ?? call.io.folder();
  const options = { asker: localAsker(), folder, config, world };
  const explainOne = async (text: string): Promise<Explained> => {
    const { id, action, context } = await readRequest(parseJson(text), options);
    let asked: readonly Asked[] = [];
    const policy: Policy = async (...question) => {
      const answer = await cedarPolicy(...question);
      asked = answer.asked;
      return answer;
    };
    const decider = createDryDecider({ config, world, policy });
    const { verdict } = await decider.decide(action, context);
    return { ...(id === undefined ? {} : { id }), verdict, asked };
  };
  if (!call.flag('jsonl')) {
    const [, text] = onlyWords(call, ['explain', 'the action']);
    const explained = await explainOne(text);
    if (call.flag('json')) call.io.json(toJson(explained));
    else show(call, explained);
    return exitCodeOf(explained.verdict.decision);
  }
  onlyWords(call, ['explain']);
  let exitCode: ExitCode = exitCodes.pass;
  for await (const line of readLines(process.stdin, config.daemon.bodyLimitBytes)) {
    try {
      if ('error' in line) throw line.error;
      call.io.json(toJson(await explainOne(line.text)));
    } catch (error) {
      if (!(error instanceof SallyportError)) throw error;
      exitCode = exitCodes.usage;
      call.io.json({ error: error.message, name: error.name });
    }
  }
  return exitCode;
}

function policyFindings({ findings }: Verdict): readonly Finding[] {
  return findings.filter(({ guard, rule }) => guard === 'policy' || rule === pathRules.policyError.id);
}

function toJson({ id, verdict, asked }: Explained) {
  const { decision } = verdict;
  return { ...(id === undefined ? {} : { id }), decision, asked, findings: policyFindings(verdict) };
}

function show(call: Call, { verdict, asked }: Explained): void {
  const { io } = call;
  const found = policyFindings(verdict);
  if (asked.length === 0 && found.length === 0) {
    io.print(
      'No policy was asked: there is none of your own, and the built-in ones speak of tools and queries.',
    );
  }
  for (const { pointer, principal, action, resource, considered, policies, decision, determined } of asked) {
    const word = decision === 'permit' ? io.paint('green', 'PERMIT') : decisionWord(io, decision);
    const where = pointer === '' ? '' : ` at ${visible(pointer)}`;
    io.print(`${word}  ${visible(principal)} ${action} ${visible(resource)}${where}`);
    io.print(
      `  ${considered} of ${policies} policies could apply; decided by ${determined.join(', ') || 'none'}`,
    );
  }
  for (const { rule, decision, message } of found) {
    io.print(`  ${decisionWord(io, decision)} ${visible(rule)}: ${visible(message)}`);
  }
  io.print(`The whole decision: ${decisionWord(io, verdict.decision)}`);
}
