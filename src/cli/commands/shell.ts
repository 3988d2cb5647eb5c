// sallyport shell: runs a command on an overlay of the workspace and the home, and judges what it changed before that
// counts; with --show it shows the changes and discards them.

import { diffLines, showHunk } from '../../core/diff.ts';
import { UsageError, visible } from '../../core/index.ts';
import { contentAt, isGitData, shownPath } from '../../ledger/snapshots/index.ts';
import { personalHomes } from '../../run/sandbox.ts';
import type { Changed, Difference } from '../../run/shell/difference.ts';
import { summaryOf } from '../../run/shell/summary.ts';
import type { Command } from '../command.ts';
import { execute, quoted, requestOf, timeOf } from '../executing.ts';
import type { Io } from '../io.ts';
import { openConfig } from '../open.ts';

export const command: Command = {
  usage: ['shell [--show] -- PROGRAM [ARGUMENT…]', "shell [--show] -c 'COMMAND'"],
  about:
    'Runs a command on an overlay of the workspace and your home, then judges its changes as one write. Changes that pass are\n' +
    'committed as a whole, with a snapshot and a receipt; others are discarded. Once approved, the same command with the same\n' +
    'result is committed. Changes of your home are shown and never committed. Linux only.',
  examples: ['shell -- npm install', "shell --show -c 'sed -i s/a/b/ *.txt'"],
  options: {
    command: { value: 'COMMAND', short: 'c', help: 'a command for bash' },
    show: { help: 'show the changes, and discard them' },
    timeout: { value: 'TIME', help: 'time limit, such as 500ms, 60s or 5m' },
    cwd: { value: 'FOLDER', help: 'folder in the workspace to start in' },
    agent: { value: 'NAME', help: 'judge as this agent' },
    workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
  },
  async run(call) {
    const timeoutMs = timeOf(call.value('timeout'));
    const text = call.value('command');
    if ((text === undefined) === (call.words.length === 0))
      throw new UsageError('give a command after --, or with -c', "see 'sallyport shell --help'");
    const opened = await openConfig(call);
    const cwd = call.value('cwd');
    const request = await requestOf(call, opened, {
      kind: 'shell',
      command: text ?? call.words.map(quoted).join(' '),
      ...(cwd === undefined ? {} : { cwd }),
    });
    const isTrial = call.flag('show');
    return await execute(call, opened, request, {
      ...{ timeoutMs, profile: 'developer', isAlways: true, isTrial, homes: personalHomes() },
      ...(isTrial && !call.flag('json') ? { inspect: (all) => showAll(call.io, all) } : {}),
    });
  },
};

/** The most files whose content is shown, and the most lines of each. */
const mostFiles = 40;
const mostLines = 80;
const largestShown = 262_144;

function showAll(io: Io, differences: readonly Difference[]): void {
  for (const difference of differences.toReversed()) {
    const { layer, changes, special } = difference;
    if (changes.length === 0 && special.length === 0) continue;
    io.print(io.paint('bold', `In ${visible(layer.lower, 200)} the command ${summaryOf(difference)}:`));
    const files = changes.filter(({ path }) => !isGitData(path));
    for (const change of files.slice(0, mostFiles)) showChange(io, change, difference);
    if (files.length > mostFiles) io.print(`  and ${files.length - mostFiles} more`);
    if (files.length < changes.length)
      io.print(`  and ${changes.length - files.length} file(s) of git's own data`);
    for (const path of special) io.print(`  special ${visible(shownPath(path), 200)} (never kept)`);
  }
}

function showChange(io: Io, { op, path, before, after }: Changed, { layer }: Difference): void {
  const type = (after?.type ?? before) === 'file' ? '' : ` (${after?.type ?? before})`;
  const colour = op === 'delete' ? 'red' : op === 'create' ? 'green' : 'yellow';
  io.print(`  ${io.paint(colour, op.padEnd(7))} ${visible(shownPath(path), 200)}${type}`);
  const old = before === null || before === 'folder' ? '' : textAt(layer.lower, path);
  const now = after === null || after.type === 'folder' ? '' : textAt(layer.upper, path);
  if (op === 'mode' || op === 'delete' || old === null || now === null) return;
  const lines = diffLines(old, now)
    .flatMap((hunk) => showHunk(hunk).split('\n'))
    .filter((line) => line !== '');
  for (const line of lines.slice(0, mostLines)) io.print(`      ${visible(line, 200)}`);
  if (lines.length > mostLines) io.print(`      and ${lines.length - mostLines} more lines`);
}

function textAt(root: string, path: string): string | null {
  const content = contentAt(root, path, largestShown);
  if (content === null || content.bytes.includes(0)) return null;
  return Buffer.from(content.bytes).toString('utf8');
}
