// sallyport config: shows what is in force, checks the files, trusts a workspace's file, describes the format.

import {
  type ConfigSource,
  checkConfig,
  configSchema,
  homeFolder,
  listTrusted,
  prepareHome,
  showConfig,
  trustFile,
  untrustFile,
  withoutCredentials,
} from '../../config/index.ts';
import { type ExitCode, exitCodes, messageOf, nearest, UsageError, visible } from '../../core/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { withLedger } from '../ledger.ts';
import { localAsker, openConfig, ruleChecks, sourceProblems } from '../open.ts';
import { unlockHere } from '../unlock.ts';
import { requireApprover } from './passphrase.ts';

export const command: Command = {
  usage: [
    'config show [TABLE] [--agent NAME]',
    'config check [--agent NAME]',
    'config trust [FILE]',
    'config untrust FILE',
    'config schema',
  ],
  about:
    'show prints every key with its value and source, or the keys of one table such as fetch. check validates the files that\n' +
    "apply here. trust lets a workspace's sallyport.toml set what yours may, until it changes; it asks for the passphrase.\n" +
    'Without a file it lists the trusted ones. schema prints a JSON Schema.',
  examples: ['config show fetch', 'config check', 'config trust'],
  options: { agent: { value: 'NAME', help: 'agent to show or check for; default: default' } },
  async run(call) {
    const [verb] = call.words;
    if (verb === 'show') return await show(call);
    if (verb === 'check') return await check(call);
    if (verb === 'trust') return await trust(call);
    if (verb === 'untrust') return await untrust(call);
    if (verb === 'schema') {
      onlyWords(call, ['schema']);
      if (call.flag('json')) call.io.json(configSchema());
      else call.io.print(JSON.stringify(configSchema(), null, 2));
      return exitCodes.pass;
    }
    throw new UsageError(
      verb === undefined ? 'say show, check, trust, untrust or schema' : `unknown word "${verb}"`,
      "see 'sallyport config --help'",
    );
  },
};

/** Where the files are, and whose settings are asked for. */
function sourceOf(call: Call): ConfigSource & { readonly agent: string; readonly workspace: string } {
  const file = call.value('config');
  return {
    home: homeFolder(call.io.environment),
    environment: call.io.environment,
    agent: call.value('agent') ?? 'default',
    workspace: call.io.folder(),
    ...(file === undefined ? {} : { file }),
  };
}

async function show(call: Call): Promise<ExitCode> {
  const [, wanted] = call.words;
  onlyWords(call, wanted === undefined ? ['show'] : ['show', 'TABLE']);
  const source = sourceOf(call);
  const { config } = await openConfig(call);
  await config.settingsFor(source);
  const all = await showConfig(source, source);
  const isWanted = (table: string) =>
    wanted === undefined || table === wanted || table.startsWith(`${wanted}.`);
  const keys = all.filter(({ table, key }) => isWanted(table === '' ? key : table));
  if (keys.length === 0) {
    const near = nearest(String(wanted), [...new Set(all.map(({ table, key }) => table || key))]);
    const hint = near === undefined ? "see 'sallyport config show'" : `did you mean "${near}"?`;
    throw new UsageError(`no table is named "${wanted}", or nothing is set in it`, hint);
  }
  if (call.flag('json')) call.io.json(keys);
  else {
    let last = '';
    for (const { table, key, value, from } of keys) {
      if (table !== last) call.io.print(`[${visible(table)}]`);
      last = table;
      const who = from.map((file) => (file === 'user' ? 'yours' : 'workspace')).join(', ') || 'default';
      call.io.print(`${key} = ${visible(JSON.stringify(value))}  ${call.io.paint('dim', `# ${who}`)}`);
    }
  }
  return exitCodes.pass;
}

async function check(call: Call): Promise<ExitCode> {
  onlyWords(call, ['check']);
  const report = await checkConfig({ ...sourceOf(call), ...ruleChecks() });
  const ruleProblem = report.ok ? await ownRulesProblem(call) : null;
  const inSources = report.ok && ruleProblem === null ? await namesProblems(call) : [];
  const ok = report.ok && ruleProblem === null && inSources.length === 0;
  if (call.flag('json')) {
    const settings = report.settings && withoutCredentials(report.settings);
    call.io.json({ ...report, settings, ok, ruleProblem, sourceProblems: inSources });
    return ok ? exitCodes.pass : exitCodes.failed;
  }
  for (const file of report.files) printFile(call, file);
  for (const problem of report.trustProblems) call.io.print(`${call.io.paint('red', 'wrong')}: ${problem}`);
  if (ruleProblem !== null) call.io.print(`${call.io.paint('red', 'wrong')}: ${ruleProblem}`);
  for (const problem of inSources) call.io.print(`${call.io.paint('red', 'wrong')}: ${problem}`);
  call.io.print(
    ok
      ? call.io.paint('green', 'The configuration is in order.')
      : inSources.length > 0
        ? 'It is used as it is. A misspelled name protects nothing: correct it, or update the schema file.'
        : 'It cannot be used as it is.',
  );
  return ok ? exitCodes.pass : exitCodes.failed;
}

function printFile(call: Call, file: Awaited<ReturnType<typeof checkConfig>>['files'][number]): void {
  const { level, found, trusted, untrustedBecause } = file;
  const state = level === 'workspace' && found ? (trusted ? ', trusted' : ', may only narrow') : '';
  call.io.print(`${file.file}: ${found ? level : 'not there'}${state}`);
  if (untrustedBecause !== null) call.io.print(`  not trusted: ${untrustedBecause}`);
  for (const { line, column, message } of file.problems) {
    call.io.print(`  ${call.io.paint('red', 'wrong')} ${line}:${column}: ${message}`);
  }
  for (const { line, column, message } of file.withoutEffect) {
    call.io.print(`  ${call.io.paint('yellow', 'idle')} ${line}:${column}: ${message}`);
  }
}

/** Why the user's own rules about texts, or policies, cannot be used; null if they can, or there are none. */
async function ownRulesProblem(call: Call): Promise<string | null> {
  const { config, world } = await openConfig(call);
  const folder = call.io.folder();
  const agent = call.value('agent') ?? 'default';
  const { prepare } = await import('../../decide/detection.ts');
  try {
    const settings = await config.settingsFor({ agent, workspace: world.realPath(folder) ?? folder });
    await prepare(settings, world);
    if (settings.policy.sources.length > 0) {
      const { requirePolicies } = await import('../../policy/check.ts');
      await requirePolicies(settings.policy.sources);
    }
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function namesProblems(call: Call): Promise<readonly string[]> {
  const opened = await openConfig(call);
  const folder = call.io.folder();
  const workspace = opened.world.realPath(folder) ?? folder;
  return await sourceProblems(opened, { agent: call.value('agent') ?? 'default', workspace });
}

async function recordTrust(
  call: Call,
  event: 'file_trusted' | 'file_untrusted',
  details: { readonly path: string; readonly sha256?: string },
): Promise<void> {
  const { user, tenant } = localAsker();
  await withLedger(call, (ledger) =>
    ledger.audit.append({
      time: Date.now(),
      event_type: event,
      user,
      tenant,
      agent: '',
      details: { ...details },
    }),
  );
}

async function trust(call: Call): Promise<ExitCode> {
  const home = homeFolder(call.io.environment);
  if (call.words.length === 1) {
    const entries = listTrusted(home);
    if (call.flag('json')) call.io.json(entries);
    else if (entries.length === 0) call.io.print('No file is trusted.');
    else for (const { path, valid } of entries) call.io.print(`${path}${valid ? '' : ' (no longer valid)'}`);
    return exitCodes.pass;
  }
  const [, file] = onlyWords(call, ['trust', 'FILE']);
  prepareHome(home);
  requireApprover(home);
  const signer = await unlockHere(call, 'config trust');
  try {
    const { path, sha256 } = trustFile(home, file, signer);
    await recordTrust(call, 'file_trusted', { path, sha256 });
    if (call.flag('json')) call.io.json({ path, sha256 });
    else call.io.print(`Trusted as it is now: ${path}`);
  } finally {
    signer.forget();
  }
  return exitCodes.pass;
}

async function untrust(call: Call): Promise<ExitCode> {
  const [, file] = onlyWords(call, ['untrust', 'FILE']);
  const home = homeFolder(call.io.environment);
  const removed = untrustFile(home, file);
  if (removed) await recordTrust(call, 'file_untrusted', { path: file });
  if (call.flag('json')) call.io.json({ removed });
  else call.io.print(removed ? 'It is no longer trusted.' : 'It was not trusted.');
  return exitCodes.pass;
}
