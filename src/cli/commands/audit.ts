// sallyport audit: proves the guards of an agent from its sources.

import { resolve } from 'node:path';
import { type AuditResult, audit, parserReaders } from '../../auditor/index.ts';
import { type ExitCode, exitCodes, nearest, UsageError } from '../../core/index.ts';
import { ParserMissing } from '../../decide/packages.ts';
import { type Sources, sourcesIn } from '../audit/files.ts';
import { fingerprinted, printAnnotation, printAnswers, printFinding, warnOfUnread } from '../audit/report.ts';
import { auditSarif, type Fingerprinted } from '../audit/sarif.ts';
import type { Call, Command } from '../command.ts';
import { openConfig, settingsHere } from '../open.ts';
import { BaselineWriter, readBaseline } from '../scan/baseline.ts';
import { OutputFile } from '../scan/output.ts';
import { rootsOf } from '../scan/walk.ts';

const policies = ['agent-guardrails'] as const;

export const command: Command = {
  usage: ['audit policies agent-guardrails PATH'],
  about:
    'Follows every value of an agent in TypeScript, JavaScript, Python and Go from source to sink, and proves that the guards of\n' +
    'the contract (AG-IN, AG-OUT, AG-TOOL) are on every path; nothing is run. The comment sallyport:audit-ignore RULE REASON\n' +
    'accepts a finding. Exit code: 0 no violation, 1 a violation, 2 inconclusive (unread sources, no model call) or wrong use.',
  examples: [
    'audit policies agent-guardrails src/agent',
    'audit policies agent-guardrails . --sarif audit.sarif',
  ],
  options: {
    sarif: { value: 'FILE', help: 'write SARIF 2.1.0; - for standard output' },
    github: { help: 'print GitHub workflow annotations' },
    baseline: { value: 'FILE', help: 'report only findings that are not in this file' },
    'write-baseline': { value: 'FILE', help: 'write all findings to this file' },
    'no-ignore': { help: 'disregard ignore rules' },
  },
  async run(call) {
    const path = pathOf(call);
    const form = formOf(call);
    const [root] = rootsOf([path], call.io.folder());
    if (root === undefined) throw new UsageError('PATH is missing');
    const known = baselineOf(call);
    const settings = await settingsHere(call, await openConfig(call));
    const sources = sourcesIn(root, !call.flag('no-ignore'));
    const result = await follow(sources, settings.auditor.guards, call);
    return report(call, form, sources, result, known);
  },
};

type Form = 'text' | 'json' | 'github' | 'nothing';

function pathOf({ words }: Call): string {
  const [what, policy, path, ...rest] = words;
  if (what !== 'policies')
    throw new UsageError('give policies agent-guardrails PATH', "see 'sallyport audit --help'");
  if (policy === undefined || !policies.some((name) => name === policy)) {
    const near = policy === undefined ? undefined : nearest(policy, policies);
    throw new UsageError(
      `the policies are one of ${policies.join(', ')}`,
      ...(near === undefined ? [] : [`did you mean "${near}"?`]),
    );
  }
  if (path === undefined) throw new UsageError('PATH is missing');
  if (rest[0] !== undefined) throw new UsageError(`unexpected argument "${rest[0]}"`);
  return path;
}

function formOf(call: Call): Form {
  const wanted = [call.flag('json'), call.flag('github'), call.value('sarif') === '-'];
  if (wanted.filter(Boolean).length > 1)
    throw new UsageError('--json, --github and --sarif - all want standard output');
  const [json, github, sarif] = wanted;
  return json ? 'json' : github ? 'github' : sarif ? 'nothing' : 'text';
}

function baselineOf(call: Call): ReadonlySet<string> {
  const file = call.value('baseline');
  return file === undefined ? new Set() : readBaseline(resolve(call.io.folder(), file));
}

async function follow(
  { files }: Sources,
  guards: Parameters<typeof audit>[0]['guards'],
  { io }: Call,
): Promise<AuditResult> {
  const started = performance.now();
  let shown = 0;
  try {
    return await audit({
      files,
      guards: guards ?? [],
      readers: parserReaders(),
      progress: (done, all) => {
        const now = performance.now();
        if (now - started < 1000 || now - shown < 100) return;
        shown = now;
        io.progress(`auditing … ${done} of ${all} files`);
      },
    });
  } catch (error) {
    if (error instanceof ParserMissing) throw new UsageError(error.message);
    throw error;
  } finally {
    if (shown > 0) io.progress('');
  }
}

function report(
  call: Call,
  form: Form,
  { unread }: Sources,
  result: AuditResult,
  known: ReadonlySet<string>,
): ExitCode {
  const { io } = call;
  const all = fingerprinted(result.findings);
  const open = all.filter(
    ({ fingerprint, suppressed }) => !known.has(fingerprint) && suppressed === undefined,
  );
  const shown = all.filter(({ fingerprint }) => !known.has(fingerprint));
  writeFiles(call, shown, all, unread);
  for (const finding of form === 'github' ? open : form === 'nothing' ? [] : shown) {
    if (form === 'json') io.json(finding);
    else if (form === 'github') printAnnotation(finding, io);
    else printFinding(finding, io);
  }
  if (form === 'json') for (const { file, reason } of unread) io.json({ file, unread: reason });
  else warnOfUnread(unread, result, io);
  if (form === 'json') {
    const { files, read, models, unfollowed, answers, broken } = result;
    io.json({
      summary: {
        files,
        read,
        models,
        unfollowed,
        answers,
        known: all.length - shown.length,
        unread: unread.length,
        broken: broken.length,
      },
    });
  }
  if (form === 'text') printAnswers(result, io);
  const violated = open.filter(({ answer }) => answer === 'violated').length;
  const news = call.value('write-baseline') === undefined ? violated : 0;
  if (news > 0) return exitCodes.failed;
  const whole = unread.length + result.broken.length === 0 && result.models > 0;
  return whole ? exitCodes.pass : exitCodes.usage;
}

function writeFiles(
  call: Call,
  shown: readonly Fingerprinted[],
  all: readonly Fingerprinted[],
  unread: Sources['unread'],
): void {
  const [sarif, baseline] = [call.value('sarif'), call.value('write-baseline')];
  if (sarif !== undefined) {
    const text = JSON.stringify(auditSarif({ findings: shown, unread }), null, 1);
    if (sarif === '-') call.io.print(text);
    else {
      const file = new OutputFile(resolve(call.io.folder(), sarif));
      file.write(`${text}\n`);
      file.finish();
    }
  }
  if (baseline === undefined) return;
  const writer = new BaselineWriter(resolve(call.io.folder(), baseline));
  for (const { fingerprint, rule, file, answer } of all)
    if (answer === 'violated') writer.add({ fingerprint, rule, file });
  writer.finish();
}
