// sallyport try: judges the history of a person's own agents and shells, dry and on this machine alone.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isInside } from '../../config/index.ts';
import { type ExitCode, exitCodes, type Mode, modes, UsageError, visible } from '../../core/index.ts';
import { openInBrowser } from '../browser.ts';
import { type Call, type Command, timeOption } from '../command.ts';
import { strongestChanges } from '../history/changes.ts';
import { findHistories, HistoryFile, historyPlaces, NoHistory } from '../history/files.ts';
import { historyJudge } from '../history/judged.ts';
import { printReport, type Report, reportJson, reportPage } from '../history/report.ts';
import { Tally } from '../history/tally.ts';
import { localAsker, openConfig } from '../open.ts';

/** How often the progress is shown, in milliseconds. */
const progressEvery = 200;

export const command: Command = {
  usage: ['try [PATH]', 'try --watch [PATH]'],
  about:
    'Judges what your agents and you did already, before you install anything: how often you would have been interrupted, by\n' +
    'which rule, and which settings would change most. It reads transcripts of Claude Code and Codex and the histories of bash,\n' +
    'zsh and fish. Nothing is run or recorded, and nothing leaves this machine.\n' +
    'PATH is a transcript, a folder of transcripts, or a project. --watch judges the calls of a running host without stopping them.\n' +
    'Calls are judged by the files as they are now.',
  examples: [
    'try',
    'try --open',
    'try --since 2026-11-01 --html report.html',
    'try ~/work/shop',
    'try --watch',
  ],
  options: {
    watch: { help: 'follow the transcripts, and print calls that would be stopped' },
    html: { value: 'FILE', help: 'write a page with plots' },
    open: { help: 'open the page in the browser' },
    since: { value: 'TIME', help: 'only calls after this: 8h (ago), yesterday, 2026-11-15' },
    mode: { value: 'MODE', help: `permission mode to judge in: ${modes.join(', ')}; default: auto` },
  },
  async run(call) {
    if (call.words.length > 1) throw new UsageError(`unexpected argument "${call.words[1]}"`);
    const mode = modeOf(call);
    const since = timeOption(call, 'since');
    if (call.flag('watch') && (call.flag('open') || call.value('html') !== undefined))
      throw new UsageError('--watch makes no page; leave out --html and --open');
    const { config, world } = await openConfig(call);
    const { files, project } = historiesFor(call);
    const options = { config, world, user: localAsker().user, mode, folder: call.io.folder() };
    if (call.flag('watch')) {
      const { watchHistories } = await import('../history/watch.ts');
      return await watchHistories(call, historyJudge(options), { files, project });
    }
    const tally = await judgeAll(call, historyJudge(options), { files, project, since });
    call.io.progress('Trying settings …');
    const report: Report = { tally, changes: await strongestChanges(tally.stops), mode };
    call.io.progress('');
    return finish(call, report);
  },
};

/** The mode to judge in. In auto nobody else asks, so what is counted is what Sallyport asks by itself. */
function modeOf(call: Call): Mode {
  const name = call.value('mode') ?? 'auto';
  const mode = modes.find((known) => known === name);
  if (mode === undefined) throw new UsageError(`--mode is one of ${modes.join(', ')}`);
  return mode;
}

/** Which histories are read, and the only project whose sessions count; null for all. */
interface Histories {
  readonly files: readonly string[];
  readonly project: string | null;
}

function historiesFor(call: Call): Histories {
  const [word] = call.words;
  const home = call.io.environment['HOME'] ?? homedir();
  const path = word === undefined ? null : resolve(call.io.folder(), word);
  const files = findHistories(home, path);
  if (files.length > 0) return { files, project: null };
  const all = path === null ? [] : findHistories(home, null).filter((file) => file.endsWith('.jsonl'));
  if (all.length > 0) return { files: all, project: path };
  throw new NoHistory(`there is no history to judge in ${visible(path ?? home, 200)}`, {
    hint: `looked for ${historyPlaces.join(', ')}; name a transcript or a folder of them: sallyport try PATH`,
  });
}

async function judgeAll(
  call: Call,
  judge: ReturnType<typeof historyJudge>,
  { files, project, since }: Histories & { readonly since: number | undefined },
): Promise<Tally> {
  const { io } = call;
  const tally = new Tally();
  const seen = new Set<string>();
  let shown = 0;
  for (const [index, path] of files.entries()) {
    for (const one of new HistoryFile(path, seen).next(true)) {
      if (since !== undefined && (one.at === null || one.at < since)) continue;
      if (project !== null && !(one.workspace !== null && isInside(project, one.workspace))) continue;
      tally.add(one, await judge(one));
      if (performance.now() - shown < progressEvery) continue;
      shown = performance.now();
      io.progress(
        `Judged ${tally.total.calls} calls; file ${index + 1} of ${files.length}: ${visible(path, 60)}`,
      );
    }
  }
  io.progress('');
  if (tally.total.calls === 0) throw new NoHistory('there is no call in these histories');
  return tally;
}

function finish(call: Call, report: Report): ExitCode {
  const { io } = call;
  const named = call.value('html');
  const file =
    named === undefined
      ? call.flag('open')
        ? join(mkdtempSync(join(tmpdir(), 'sallyport-try-')), 'report.html')
        : null
      : resolve(io.folder(), named);
  if (file !== null) writeFileSync(file, reportPage(report), { mode: 0o600 });
  if (call.flag('json')) io.json({ ...reportJson(report), ...(file === null ? {} : { page: file }) });
  else printReport(io, report);
  if (file === null) return exitCodes.pass;
  if (!call.flag('json')) io.print(`\nThe page: ${file}`);
  if (call.flag('open') && !openInBrowser(file, io.environment))
    io.warn('There is no program here that opens a page; open the file yourself.');
  return exitCodes.pass;
}
