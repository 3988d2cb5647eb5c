// sallyport scan: secrets and personal data in files, on standard input, or in what git is about to commit.

import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { type ExitCode, exitCodes, nearest, UsageError } from '../../core/index.ts';
import { type Call, type Command, wholeNumber } from '../command.ts';
import { openConfig, settingsHere } from '../open.ts';
import { BaselineWriter, readBaseline } from '../scan/baseline.ts';
import { ContentScan } from '../scan/content.ts';
import { createEngine, type EngineOptions, kindChoices, rulesFor } from '../scan/engine.ts';
import { textOfPath } from '../scan/file.ts';
import { OutputFile } from '../scan/output.ts';
import { scanSteps } from '../scan/pool.ts';
import { Progress } from '../scan/progress.ts';
import { type FileName, Report } from '../scan/report.ts';
import { SarifWriter } from '../scan/sarif.ts';
import { notIgnored, scanStaged, stagedFiles } from '../scan/staged.ts';
import { repositoryOf, rootsOf, walk } from '../scan/walk.ts';

export const command: Command = {
  usage: ['scan [PATH…]', 'scan --stdin', 'scan --staged [-- PATH…]'],
  about:
    'Looks for secrets and personal data in files and folders (default: the current folder), and never prints them. Files in\n' +
    '.gitignore or .sallyportignore are left out. The comment sallyport:allow on a line accepts a finding.\n' +
    'Exit code: 0 nothing found, 1 findings or something unreadable, 2 wrong use.',
  examples: ['scan', 'scan --staged', 'git log -p | sallyport scan --stdin'],
  options: {
    stdin: { help: 'scan standard input, like the path -' },
    staged: { help: "scan git's staged changes, for a pre-commit hook" },
    kinds: { value: 'KINDS', help: `what to look for: ${kindChoices.join(', ')}; default all` },
    rules: { value: 'FILE', help: "your own rules, in Sallyport's or gitleaks' format" },
    everyday: { help: 'also e-mail addresses, phone numbers and IP addresses' },
    'no-ignore': { help: 'disregard ignore rules' },
    'show-marked': { help: 'also list marked findings' },
    baseline: { value: 'FILE', help: 'report only findings that are not in this file' },
    'write-baseline': { value: 'FILE', help: 'write all findings to this file' },
    sarif: { value: 'FILE', help: 'write SARIF 2.1.0; - for standard output' },
    threads: { value: 'N', help: 'number of threads; default: one per core' },
  },
  async run(call) {
    const source = readSource(call);
    const wanted = readWanted(call);
    const threads = wholeNumber(call, 'threads', 1, 256) ?? availableParallelism();
    const options = { ...wanted, own: await ownRulesOf(call) };
    return await withReport(call, options, async (report, progress, written) => {
      if (source === 'stdin') await scanStdin(options, report, progress);
      else if (source === 'staged') await scanIndex(call, options, report, progress);
      else await scanPaths(call, { engine: options, threads, written }, report, progress);
    });
  },
};

type Source = 'paths' | 'stdin' | 'staged';

function readSource(call: Call): Source {
  const dash = call.words.includes('-');
  const stdin = dash || call.flag('stdin');
  if (stdin && call.flag('staged')) throw new UsageError('--staged reads the index, not standard input');
  if (stdin && call.words.some((word) => word !== '-')) {
    throw new UsageError('standard input is scanned alone, without paths');
  }
  if (stdin && !dash && isatty(0)) {
    throw new UsageError('standard input is a terminal', 'pipe something in, or name a path');
  }
  return stdin ? 'stdin' : call.flag('staged') ? 'staged' : 'paths';
}

function readWanted(call: Call): Omit<EngineOptions, 'own'> {
  const wanted = call.value('kinds') ?? 'all';
  const kinds = kindChoices.find((choice) => choice === wanted);
  if (kinds === undefined) {
    const near = nearest(wanted, kindChoices);
    throw new UsageError(
      `--kinds is one of ${kindChoices.join(', ')}`,
      ...(near === undefined ? [] : [`did you mean "${near}"?`]),
    );
  }
  return { kinds, everyday: call.flag('everyday') };
}

/** The rules of the user's own; what reads them is loaded where there are some. */
async function ownRulesOf(call: Call): Promise<EngineOptions['own']> {
  const opened = await openConfig(call);
  const settings = await settingsHere(call, opened);
  const file = pathOption(call, 'rules');
  const packs = [...settings.detect.packs, ...(file === undefined ? [] : [file])];
  if (packs.length === 0 && settings.egress.rules.length === 0) return [];
  const { ownRules } = await import('../../decide/own-rules.ts');
  return await ownRules({ ...settings, detect: { ...settings.detect, packs } }, opened.world);
}

/** A file that is written while the scan goes on. */
interface Written {
  readonly temporary: string;
  finish(): void;
  abandon(): void;
}

/** Opens everything that a scan writes to, runs it, and closes: all files whole, or none. */
async function withReport(
  call: Call,
  options: EngineOptions,
  scan: (report: Report, progress: Progress, written: ReadonlySet<string>) => Promise<void>,
): Promise<ExitCode> {
  const { io } = call;
  const [json, sarifTo] = [call.flag('json'), call.value('sarif')];
  const [baselineFrom, baselineTo] = [pathOption(call, 'baseline'), pathOption(call, 'write-baseline')];
  if (json && sarifTo === '-') throw new UsageError('--json and --sarif - both want standard output');
  const known = baselineFrom === undefined ? new Set<string>() : readBaseline(baselineFrom);
  const progress = new Progress(io);
  const files: Written[] = [];
  const opened = <File extends Written>(file: File): File => {
    files.push(file);
    return file;
  };
  try {
    const baseline = baselineTo === undefined ? undefined : opened(new BaselineWriter(baselineTo));
    const sarif = sarifTo === undefined ? undefined : openSarif(call, options, sarifTo, opened);
    const report = new Report({
      io,
      form: json ? 'json' : sarifTo === '-' ? 'nothing' : 'text',
      showMarked: call.flag('show-marked'),
      known,
      ...(sarif === undefined ? {} : { sarif }),
      ...(baseline === undefined ? {} : { baseline }),
      clear: () => progress.clear(),
    });
    await scan(report, progress, new Set(files.map(({ temporary }) => bytesAsText(temporary))));
    sarif?.end();
    for (let file = files[0]; file !== undefined; file = files[0]) {
      file.finish();
      files.shift();
    }
    report.summary(progress.seconds);
    const { findings, unread } = report.tally;
    // Findings that were just written down are known.
    const news = baseline === undefined ? findings : 0;
    return news + unread > 0 ? exitCodes.failed : exitCodes.pass;
  } finally {
    progress.clear();
    for (const file of files) file.abandon();
  }
}

/** A path from an option, from the folder that the command was called in. */
function pathOption(call: Call, name: string): string | undefined {
  const value = call.value(name);
  return value === undefined ? undefined : resolve(call.io.folder(), value);
}

function openSarif(
  call: Call,
  options: EngineOptions,
  to: string,
  opened: (file: OutputFile) => OutputFile,
): SarifWriter {
  const rules = new Map(rulesFor(options).map((rule) => [rule.id, rule]));
  if (to === '-') return new SarifWriter(rules, (text) => call.io.print(text.replace(/\n$/, '')));
  const file = opened(new OutputFile(resolve(call.io.folder(), to)));
  return new SarifWriter(rules, (text) => file.write(text));
}

async function scanPaths(
  call: Call,
  given: {
    readonly engine: EngineOptions;
    readonly threads: number;
    readonly written: ReadonlySet<string>;
  },
  report: Report,
  progress: Progress,
): Promise<void> {
  const { engine, threads, written } = given;
  const folder = bytesAsText(realpathSync(call.io.folder()));
  const roots = rootsOf(call.words.length === 0 ? ['.'] : call.words, call.io.folder());
  const sourceRoot = repositoryOf(folder) ?? folder;
  const ignoring = !call.flag('no-ignore');
  const steps = walk({ roots, ignoring, without: written, passed: report.tally });
  await scanSteps(steps, {
    engine,
    threads,
    nameOf: ({ path }) => textOfPath(sourcePath(sourceRoot, path)),
    tell: ({ shown, path }, outcome) =>
      report.outcome({ shown, sourcePath: sourcePath(sourceRoot, path) }, outcome),
    progress: (passed, known) => progress.add(passed, known),
  });
}

/** The bytes of a path, one character each. */
function bytesAsText(path: string): string {
  return Buffer.from(path).toString('latin1');
}

/** A path from the root of the sources on, so that it is the same wherever the scan is called. */
function sourcePath(root: string, path: string): string {
  const prefix = root === '/' ? root : `${root}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

async function scanStdin(options: EngineOptions, report: Report, progress: Progress): Promise<void> {
  const name: FileName = { shown: '(standard input)', sourcePath: 'stdin' };
  const scan = new ContentScan(createEngine(options), name.sourcePath);
  for await (const bytes of process.stdin) {
    const more = scan.write(bytes);
    progress.add(bytes.length);
    if (!more) break;
  }
  report.content(name, scan.end());
}

async function scanIndex(
  call: Call,
  options: EngineOptions,
  report: Report,
  progress: Progress,
): Promise<void> {
  const { environment } = call.io;
  const folder = call.io.folder();
  const staged = await stagedFiles(call.words, environment, folder);
  const files = call.flag('no-ignore') ? staged.files : notIgnored(staged, report.tally);
  const engine = createEngine(options);
  const nameOf = ({ path }: { readonly path: string }) => textOfPath(path);
  for await (const { file, content } of scanStaged(engine, files, environment, folder, nameOf)) {
    const name = { shown: file.path, sourcePath: file.path };
    if (content === undefined) report.unread(name, 'git does not have its content');
    else {
      progress.add(content.bytes);
      report.content(name, content);
    }
  }
}
